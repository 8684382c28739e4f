# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ does not count in the MSN
s/job_done   = p_exec \&\& \(op_end \|\| op\.read\)/job_done   = p_exec \&\& op_end/
