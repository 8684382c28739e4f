# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows the last line of a region is read ahead
s/more_q <= more_i;/more_q <= 1'b1;/
