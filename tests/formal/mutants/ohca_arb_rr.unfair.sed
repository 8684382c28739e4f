# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# always starts from the lowest source
s/assign wanted = .*/assign wanted = valid_i;/
