# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# after a wrap the order begins anew at the lowest source
s/high \? under_high : under;/high ? under_high : '1;/
