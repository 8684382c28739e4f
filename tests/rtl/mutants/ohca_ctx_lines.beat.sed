# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a fill brings goes to all beats of the line
s/fill_i && \(Beats == 1 \|\| at_i == CntW'\(i\)\)/fill_i/
