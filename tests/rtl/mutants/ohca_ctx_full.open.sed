# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes behind an invalidation takes its place before its line has been written back
# in: DW=128
s/out_ready_i && !o2_inval_q/out_ready_i/
