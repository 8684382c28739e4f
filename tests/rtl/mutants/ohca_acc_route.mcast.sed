# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access to the multicast table makes translation forget, too
s/CTX_PART_MPT && !mcast && /CTX_PART_MPT \&\& /
