# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event that waits when moderation changes is forgotten
# in: DW=64
s/\(x_mod \|\| x_swap\) && c\.wait_/x_swap \&\& c.wait_/
