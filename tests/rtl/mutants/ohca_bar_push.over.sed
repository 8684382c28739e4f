# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a whole push keeps what had come of its buffer
s/\(p_mask \| \{16\{whole_i\}\}\)/p_mask/
