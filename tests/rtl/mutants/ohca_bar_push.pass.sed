# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# two writes to a buffer in a row: the second does not see the first
s/pass_q <= st_we .*$/pass_q <= 1'b0;/
