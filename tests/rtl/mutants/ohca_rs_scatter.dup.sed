# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a duplicate READ that is refused takes the next packet with it
s/pl\.id_v    = .*/pl.id_v    = 1'b1;/; s/placed \&\& !tok_i\.dup/placed/
