# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# takes the lowest of all besides the lowest above the last one taken
s/\|high \? first_high : first;/first_high | first;/
