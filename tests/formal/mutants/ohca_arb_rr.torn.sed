# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# forgets the lock between the beats of a packet
s/\(Lock \&\& !last_o\)/1'b0/
