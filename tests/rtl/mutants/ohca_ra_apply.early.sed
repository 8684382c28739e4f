# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an earlier deadline does not arm the timer anew
s/dl_set \? lk\.early_end : lk\.early/lk.early/
