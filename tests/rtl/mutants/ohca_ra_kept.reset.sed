# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was sent of a QP before it was reset is kept
s/sent_valid_i \&\& sent_i\.reset\)/1'b0)/
