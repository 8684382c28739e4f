# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the fill counts where an accept comes with it
s/we_i \? hot_i\[/(we_i \&\& !fill) ? hot_i[/
