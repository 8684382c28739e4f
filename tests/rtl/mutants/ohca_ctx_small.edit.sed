# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line that was edited goes without a write-back
# in: Small=1
s/ \|\| write \|\| edit_we \|\| fill_end\)/ || write || fill_end)/
