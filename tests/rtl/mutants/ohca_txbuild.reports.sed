# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# that there is room for a report is known two cycles late
# in: DW=512
s/up_ready   <= up_count < 3'd2/up_ready   <= up_count < 3'd4/
