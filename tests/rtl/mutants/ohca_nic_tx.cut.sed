# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a frame that was cut off gives its room back twice
s/rel_bad = (.*)words_of\(pos_q\) : '0;/rel_bad = \1words_of(pos_q) + (PtrW+1)'(1) : '0;/
