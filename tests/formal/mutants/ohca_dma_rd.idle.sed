# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# idle while a slot is on its way
s/ \&\& live_q == '0 / /
