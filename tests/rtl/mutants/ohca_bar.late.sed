# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# reads wait for the wide port
# in: DbStride=2
s/!\(w_valid_q \&\& !w_wide_q\)/!w_valid_q/
