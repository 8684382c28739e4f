# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an index that does not lie within the ring counts
s/assign known_in = .*/assign known_in = 1'b1;/
