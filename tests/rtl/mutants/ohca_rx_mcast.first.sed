# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a group's first dword is not compared
s/di_q >= 3'd1 && di_q <= 3'd4/di_q >= 3'd1 \&\& di_q <= 3'd3/
