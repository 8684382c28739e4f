# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# One READ more than was agreed upon is answered.
# in: PerSlot=32
s/rds_s >= job\.lim/rds_s > job.lim/
