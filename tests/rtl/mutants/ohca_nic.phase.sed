# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# the phase does not toggle
s/cqe.phase = .*;/cqe.phase = 1'b1;/
