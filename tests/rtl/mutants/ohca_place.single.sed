# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what begins in one word and ends in the next is taken for one word
# in: DW=512
s/assign single = .*/assign single = whole == '0;/
