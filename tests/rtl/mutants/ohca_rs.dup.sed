# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a duplicate READ that is refused takes the next packet with it
# in: DW=512
s/pl\.id_v    = !st\.dup/pl.id_v    = 1'b1/; s/so_in\.placed \&\& !st\.dup/so_in.placed/
