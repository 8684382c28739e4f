# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Progress that acknowledges nothing of the longest READ jumps over it.
s/ahead != '0 && !ahead\[23\]/ahead == 24'h800000 || (ahead != '0 \&\& !ahead[23])/
