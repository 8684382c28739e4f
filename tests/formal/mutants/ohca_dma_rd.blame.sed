# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error is told of the next request, too
s/ \&\& !\(s1_last_q \&\& s1_final\)//
