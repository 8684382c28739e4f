# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a lookup right after an allocation of its set sees the old tag
# in: DW=128
s|s1_fwd_q  <= tag_we && again;|s1_fwd_q  <= tag_we \&\& again \&\& drop_valid_i;|
