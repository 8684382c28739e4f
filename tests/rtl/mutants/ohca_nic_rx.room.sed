# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# the buffer is overrun by a word
s/< \(PtrW\+1\)'\(Words\) \&\&/<= (PtrW+1)'(Words) \&\&/
