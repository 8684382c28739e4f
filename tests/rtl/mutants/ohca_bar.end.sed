# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A command ends with the result that the one before left.
s/assign cmd_end      = done_q\.valid && go_q/assign cmd_end      = cmd_done_i \&\& go_q/
