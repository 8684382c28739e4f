# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a block nothing goes but the line that is named
# in: tpt-DW=64-MptLines=8-MttLines=8-Small=1
s/any_q\[i\] <= ReadOnly/any_q[i] <= 1'b0 \&\& ReadOnly/
