# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# One WQE more than may be is fetched ahead.
s/assign near_     = .*;/assign near_ = lead <= 16'(Ahead);/
