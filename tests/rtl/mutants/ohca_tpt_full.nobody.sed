# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a dropped line is answered to the client whose request was the last
# in: DW=512
s/c_token\[TokW-1 -: 1\+TCliW\+8\] = .*/c_token[TokW-1] = 1'b1;/
