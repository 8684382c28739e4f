# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# QPs of a VL that may have no turn are offered all the same.
# in: NumVl=4
s/\(adm_i\[NumVl-1:0\] \| \{NumVl\{poll_due_q\}\}\)/{NumVl{1'b1}}/
