# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# whether a job is of the QP of the one before is known of the job that was there before it
# in: PerSlot=32
s/same_q <= Compact \|\| !j0_valid \|\| /same_q <= j0_valid \&\& /
