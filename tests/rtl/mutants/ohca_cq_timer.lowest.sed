# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an earlier deadline than the earliest is not known
s/if \(!any_q \|\| before_q\) min_q <= cand;/if (!any_q) min_q <= cand;/
