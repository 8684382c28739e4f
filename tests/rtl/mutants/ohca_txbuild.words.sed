# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: NumVl
# the room of the next packet is said with the last
s/op_side_i\(\{cur\.csum, cur\.words/op_side_i({cur.csum, h_info.words/
