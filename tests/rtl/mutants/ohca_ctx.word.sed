# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an edit of a clean line is lost when the line goes
# in: Quarters=1
s/o2_ram_we \|\| ed_we \|\| fill_done/o2_ram_we || fill_done/
