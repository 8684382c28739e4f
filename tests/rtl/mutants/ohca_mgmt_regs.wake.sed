# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the lower half of the time to wake is that of the next
s/wake_q       <= \{wdata_i, wake_lo_q\}/wake_q       <= {wdata_i, wdata_i}/
