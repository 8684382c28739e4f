# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what the walk found meanwhile is not used
s/ \|\| 16'\(late_i\.una - pu\) < 16'h8000;/;/
