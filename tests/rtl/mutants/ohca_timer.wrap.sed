# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# deadlines are compared as plain numbers
# in: Depth=16
s/reached = 32'\(a - b\) < 32'h80000000;/reached = a >= b;/
