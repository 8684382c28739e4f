# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the doorbell record is not believed
# in: Compact=1
s/kind_q == K_ACC\) \&\& newer\) \? rec_used/kind_q == K_ACC) \&\& newer \&\& 1'b0) ? rec_used/
