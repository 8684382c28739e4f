# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the failure of the last WQE flushes what is not there
s/if \(say\.news\)     work = lk\.u_work1;//
