# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# ACKs cost as many requests as data.
# in: NumVl=4
s/data_q \? owed_q != 2'd3 : owed_q == 2'd0/owed_q != 2'd3/
