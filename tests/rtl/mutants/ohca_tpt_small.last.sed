# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last of the lines that are to be dropped stays
# in: Small=1
s/inv_mtt_i && line_q != inv_last_i/inv_mtt_i \&\& (line_q + 6'd1) != inv_last_i \&\& line_q != inv_last_i/
