# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one line too many is dropped
# in: DW=512
s/c_ready && line_q == inv_last_i/c_ready \&\& (line_q - 6'd1) == inv_last_i/
