# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# poison is ignored
s/head_poison \? ~crc_head : crc_head/crc_head/
