# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a plan that stops behind a job does not mark the turn's end
s/act_job \|\| \(ends .*;/act_job;/
