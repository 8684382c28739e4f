# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The limit forgets what is held.
s/abr_q \+ share_i - used_q;/abr_q + share_i;/
