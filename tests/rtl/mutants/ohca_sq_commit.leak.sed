# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the turn of a plan without jobs does not come back
s/free_o = !plan_i.jobs;/free_o = 1'b0;/
