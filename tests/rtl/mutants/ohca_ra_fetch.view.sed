# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what the walk found meanwhile is not used
s/ \|\| !ohca_fmt_pkg::pos_lt\(late_i\.una, pu\);/;/
