# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# 128 packets count as few, so a turn is said to send them all.
s/many_o <= full\[23:7\] != '0 \|\| &full\[6:0\];/many_o <= full[23:7] != '0;/
