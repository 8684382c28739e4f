# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the poison of S does not end with its mark
s/s_mark_i \? s_same\[i\] :/s_mark_i ? 1'b0 :/
