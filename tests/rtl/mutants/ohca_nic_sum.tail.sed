# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# bytes behind an odd end count
s/last \&\& bytes != .0 \&\& bytes <= LaneW.\(i\)/1'b0/
