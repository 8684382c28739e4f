# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE that is sent while lines become void is written where the next one is
s/w_q\.keep     <= !voids_q \&\& sent_i\.keep;/w_q.keep     <= sent_i.keep;/
