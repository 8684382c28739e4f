# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a plan that begins while its turn is looked at is marked
s/ \&\& !\(begin_i \&\& begin_turn_i == at\)//
