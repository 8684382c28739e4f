# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a tag is that of the next slot
s/rsp_tag_o  <= s1_tag;/rsp_tag_o  <= meta[cur_slot_q][8:1];/
