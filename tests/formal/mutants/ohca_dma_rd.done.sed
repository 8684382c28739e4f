# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot is whole with its first beat
s/if \(r_last_q\) done_q\[i\]/done_q[i]/
