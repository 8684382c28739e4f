# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the offset in a large page is cut to 4 KiB
# in: DW=128
s/t_mask\[i\] = t_shift >/t_mask[i] = 6'd12 >/
