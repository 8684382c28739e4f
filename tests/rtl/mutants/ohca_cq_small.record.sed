# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the doorbell record is not believed
# in: Compact=1
s/\(asked_q && newer\) \? rec_used/(asked_q \&\& newer \&\& 1'b0) ? rec_used/
