# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a queue pair is gone while its memory is still read
/such as the reserved one/,/INTERNAL/s/if \(!hw_drain\(\)\)/if (!hw_drain() \&\& 0)/
