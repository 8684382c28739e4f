# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the receive WQE of a message that has begun is no credit any more, so the limit goes back
s/5'\(wt\.used \&\& steps\)/5'(steps)/
