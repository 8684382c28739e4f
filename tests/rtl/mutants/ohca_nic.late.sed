# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of two frames that are too long, in one cycle, one is not counted
s/c_long \|\| too_small \|\| long_late_q/c_long || too_small/
