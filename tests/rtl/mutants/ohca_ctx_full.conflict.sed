# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill does not wait for the write-back of its number
# in: DW=128
s/assign conflict = \|ev_match && !ReadOnly;/assign conflict = |ev_match \&\& !ReadOnly \&\& tok_ready \&\& !s1_valid_q;/
