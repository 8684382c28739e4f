# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_hdr
# the IPv4 checksum is put in at every beat
s/h_v4_q <= 1'b0/h_v4_q <= h_v4_q/
