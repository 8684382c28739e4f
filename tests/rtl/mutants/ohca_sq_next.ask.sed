# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is sent again asks for no answer with its first packet
s/f.ackreq_cnt  = 8'd15;           .*/f.ackreq_cnt  = '0;/
