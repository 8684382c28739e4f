# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# requests go on without a place after half the time
s/\&wait_q/\&wait_q[13:0]/
