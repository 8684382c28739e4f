# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the number of a job that finds the room full is written over the oldest one's
s/act_i && !full_o && wr_q/act_i \&\& wr_q/
