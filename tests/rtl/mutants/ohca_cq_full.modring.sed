# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# another ring takes away the event that waits
# in: cq-DW=64-Sets=8
s/\(x_mod \|\| x_swap\) && c\.wait_/x_mod \&\& c.wait_/
