# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the word behind a beat that was passed by is counted as the one behind the word taken
# in: DW=512
s/pass \? '0 : pos \+/pos +/
