# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is found behind a WQE that is read is given, too
s/assign c_skip = dead_q \&\& c_id_q == dead_id_q;/assign c_skip = 1'b0;/
