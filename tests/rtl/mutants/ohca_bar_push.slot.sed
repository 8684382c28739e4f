# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of torn pushes are lost
s/if \(torn_q\) slot_free_q.*$//
