# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a clean entry has no line
# in: DW=128
s/\.wr_en_i\(resolve_q\)/.wr_en_i(resolve_q \&\& dirty_q)/
