# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one that is answered while another one may go is not counted
s/\(done_i && turn_i == SlotW/(done_i \&\& !pop \&\& turn_i == SlotW/
