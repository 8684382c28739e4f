# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring without room for what is unread is taken
# in: DW=64
s/!\(newer \? \|\(rec_used & x_over\).*$/1'b1;/
