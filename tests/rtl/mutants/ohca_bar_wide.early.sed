# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat is answered when its first quadword is taken
s/valid_i\(take\), \.ready_o\(b_room\)/valid_i(valid_o \&\& ready_i \&\& at_q == 3'd0), .ready_o(b_room)/
