# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring in pages of a size that there is not is taken
s/return OHCA_RING_PAGES >> page_shift & 1 && /return /
