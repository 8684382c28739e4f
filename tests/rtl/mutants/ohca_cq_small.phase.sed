# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the phase does not change
# in: Compact=1
s/cqe.phase      = .*$/cqe.phase      = 1'b1;/
