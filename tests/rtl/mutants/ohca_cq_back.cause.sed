# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the cause of a failed translation is not told
s/\(p_lost \&\& !both_q\) \? p_verr :/1'b0 ? p_verr :/
