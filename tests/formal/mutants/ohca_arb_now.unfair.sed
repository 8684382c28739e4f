# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# always takes the lowest source
s/assign take_o  = .*/assign take_o  = first;/
