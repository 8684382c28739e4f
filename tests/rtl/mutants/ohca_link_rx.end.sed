# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The ICRC is taken over what is behind its end in the last beat, too.
s/\(j_first_q \? j_pktlen > 11'\(i\) : j_left_q\[13:2\] > 12'\(i\)\) \&\& j_vk/j_vk/
