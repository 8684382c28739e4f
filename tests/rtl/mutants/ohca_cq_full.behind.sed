# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# completions pass a parked one of the same CQ
# in: DW=64
s/assign behind = parked != '0;/assign behind = 1'b0;/
