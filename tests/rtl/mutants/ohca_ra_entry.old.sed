# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an older ACK takes a merged one back
s/merge_i && ohca_fmt_pkg::psn_lt\(psn_q\[e\], psn_i\)/merge_i/
