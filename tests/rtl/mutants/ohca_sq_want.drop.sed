# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What was fetched behind a plan that ended early counts as being there.
s/plan_drop_i \? plan_drop : plan_keep/plan_keep/
