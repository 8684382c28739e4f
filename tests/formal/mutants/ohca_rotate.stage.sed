# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one stage shifts instead of rotating
s/\{stage\[k\]\[S-1:0\], stage\[k\]\[Width-1:S\]\}/stage[k] >> S/
