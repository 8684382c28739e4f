# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a job is compared while the one before it changes what its QP has
# in: PerSlot=32
s/same_q <= Compact .*;$/same_q <= 1'b0;/
