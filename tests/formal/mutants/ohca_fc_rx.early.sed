# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A block counts as received, but not as held, while the share is full.
s/used_q \+ CntW'\(get_i\) -/used_q + CntW'(get_i \&\& !put_i) -/
