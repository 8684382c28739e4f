# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a failed fill stays in the tags
# in: Small=1
s/ && !\(step_q == S_FILL && \(err_q \|\| rd_rsp_err_i\)\)//
