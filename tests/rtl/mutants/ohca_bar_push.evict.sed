# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a push whose entry another page took goes out with that one's WQE
s/x_full_q <= push_valid_i && \(pe_any_hit \|\| whole_i\)/x_full_q <= push_valid_i/
