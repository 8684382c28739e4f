# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# two failed READs at a time, one without a place for its NAK
s/ \&\& !rerr_out_o \&\& rerr_place_q;/;/
