# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# the word that a frame's last beat begins is lost
s/\(p_valid_q \&\& give\) \|\| two/p_valid_q \&\& give/
