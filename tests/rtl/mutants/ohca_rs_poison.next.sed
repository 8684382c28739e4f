# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the token behind one that fails in S does not die there
s/\{s_bad, newest\} = \{s_bad_on,/{s_bad, newest} = {s_bad_q,/
