# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a request says another WQE than the one it begins with
s/rf\.idx          = una_q;/rf.idx          = una_q + 16'd1;/
