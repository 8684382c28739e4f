# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Behind a WQE that is sent in part more is wanted.
s/assign fetched_o = !single_q && /assign fetched_o = /
