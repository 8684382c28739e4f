# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=512
# the last beat before a page's end is not marked
s/ \|\| room_q == \(13-LaneW\)'\(2\)//
