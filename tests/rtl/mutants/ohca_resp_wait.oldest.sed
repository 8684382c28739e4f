# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The oldest is changed although it has been read.
# in: Places=16
s/plain_d && hit_d != rd_q/plain_d/
