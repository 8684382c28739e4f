# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the message that an answer completes is not in its MSN
s/jt\.msn \+ 24.\(jres\.done\)/jt.msn/
