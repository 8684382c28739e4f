# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fetch that was guessed beyond the oldest WQE is walked all the same
s/!ohca_fmt_pkg::pos_lt\(s\.una, w_idx\)/1'b1/
