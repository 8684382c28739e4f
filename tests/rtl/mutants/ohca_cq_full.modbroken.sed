# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a CQ that gets into error keeps the event that waits
# in: cq-DW=64-Sets=8
s/\(!t_ci_ok \|\| (c\.gen == t_body\[7:0\])\)/t_ci_ok \&\& \1/
