# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next victim is taken while the last one is being written back
# in: DW=128
s/\(o1_fresh && !wb_busy\)/o1_fresh/
