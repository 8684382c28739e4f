# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a failed fill stays in the tags
# in: DW=256
s/assign tag_we = s1_drop_q \? \(s1_valid_q/assign tag_we = s1_drop_q ? (s1_valid_q \&\& lk_done/
