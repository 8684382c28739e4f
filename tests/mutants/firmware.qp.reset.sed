# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a queue pair is in RESET while its memory is still read
/are the host's again/,/INTERNAL/s/if \(!hw_drain\(\)\)/if (!hw_drain() \&\& 0)/
