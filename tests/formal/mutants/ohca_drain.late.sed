# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what enters with the mark is forgotten
s/if \(mark_i\)                    left_q <= inside_d;/if (mark_i) left_q <= inside_q - CountW'(leave_i);/
