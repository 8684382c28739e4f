# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A slot's room comes back before that of the slots ahead of it.
s/assign reclaim    = done_q.*/assign reclaim    = slots_used != '0 \&\& done_q != '0;/
