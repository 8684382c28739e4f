# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a give in the cycle of a take is lost
s/\+ \(give_valid_i \?/+ ((give_valid_i \&\& !take_valid_i) ?/
