# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring without room for what is unread is taken
# in: DW=64
s|!\(newer_q \? rec_x_q : own_x_q\);|1'b1;|
