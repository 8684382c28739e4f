# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the turn of what is thrown away does not come back
s/^        free_o = 1'b1;$/        free_o = 1'b0;/
