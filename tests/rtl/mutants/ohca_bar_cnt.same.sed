# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a word is read while it is being added to
s/\(add_q \&\& same_q\)/(1'b0)/
