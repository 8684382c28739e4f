# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last byte of a word is not stored
s/\{4\{first && is_ram\}\}/{1'b0, {3{first \&\& is_ram}}}/
