# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the port's tables are not waited for
# in: Compact
s/assign d_valid = x_valid_q;/assign d_valid = x_valid;/
