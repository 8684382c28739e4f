# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Progress that acknowledges nothing of the longest READ jumps over it.
s/fb_ahead != '0 && !fb_ahead\[23\]/fb_ahead == 24'h800000 || (fb_ahead != '0 \&\& !fb_ahead[23])/
