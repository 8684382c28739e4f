# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the token behind one that S handed over does not follow it
s/(\{s_bad, newest\} = \{s_bad_on), newest_on/\1, newest_q/
