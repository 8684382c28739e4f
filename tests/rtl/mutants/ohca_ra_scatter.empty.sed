# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry of no bytes ends the list
s/skip_q <= longer \? 32'd0 : skip_left;/if (sge.length == 32'd0) left_q <= 4'd0;/
