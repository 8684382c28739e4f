# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# scatter elements without length take a place
s/if \(!sge\[i\]\.length\)/if (0)/
