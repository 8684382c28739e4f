# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fetch that was guessed beyond the oldest WQE is walked all the same
s/16'\(s\.una - w_idx\) < 16'h8000/1'b1/
