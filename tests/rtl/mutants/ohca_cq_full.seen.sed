# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a host that claims to have seen more than there is gets an event at once
# in: DW=64
s/!unseen_neg && //
