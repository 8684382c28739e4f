# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# the byte behind an odd end counts
s/\(4 \* i \+ 2 \* h \+ 1\)\)/(4 * i + 2 * h))/
