# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a read that wants no answer gets one
s/if \(!r->silent\)/if (1)/
