# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# whichever WQE is in the line is taken for the one that is asked for
s/ \&\& b_line\.idx == b_q\.idx//
