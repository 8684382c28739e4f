# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# deadlines are compared as plain numbers
# in: Depth=16
s/reached = !ohca_fmt_pkg::time_lt\(a, b\);/reached = a >= b;/
