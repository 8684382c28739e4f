# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of two READs that wait the second goes with the first
s/go_q\[turn_i\] > \(JobW\+1\)'\(read_i\)/go_q[turn_i] != '0/
