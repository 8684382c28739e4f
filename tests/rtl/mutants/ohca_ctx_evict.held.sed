# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry goes although a fill needs its line
# in: DW=128
s/ev_rest_q != '0 && !ev_held_q\[ev_head_q\]/ev_rest_q != '0/
