# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a miss becomes ready in the same cycle as a parked token, and is lost
# in: Pass=1
s/\(!st_ok \|\| lines_q != '0\)\)\) && !up_q;/(!st_ok || lines_q != '0)));/
