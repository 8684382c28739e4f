# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the cause of a failed translation is not told
s/\(lost \&\& !both_q\) \? ts_verr :/1'b0 ? ts_verr :/
