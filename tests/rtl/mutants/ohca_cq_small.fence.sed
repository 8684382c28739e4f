# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: Compact=1
# a fence passes what waits at the door
s/take_acc    = acc_valid_i \&\& .*/take_acc    = acc_valid_i;/
