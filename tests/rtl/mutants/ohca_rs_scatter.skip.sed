# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what earlier packets used of an entry is written again
s/skip_d = tok_i\.more \? tok_i\.chk_len : 32'd0;/skip_d = 32'd0;/
