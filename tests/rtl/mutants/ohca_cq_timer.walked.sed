# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes during a walk is not known after it
s/if \(!seen_q \|\| before_seen_q\) acc_q <= cand;$/if (1'b0) acc_q <= cand;/
