# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line that was edited goes without a write-back
# in: Small=1
s/ \|\| commit \|\| edit_we \|\| fill_end\)/ || commit || fill_end)/
