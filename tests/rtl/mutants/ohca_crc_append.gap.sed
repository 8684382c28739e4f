# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# beats do not wait for the age of the CRC
s/assign valid_o  = ripe_q != '0;/assign valid_o  = head_valid \&\& (!head_last || crc_head_valid);/
