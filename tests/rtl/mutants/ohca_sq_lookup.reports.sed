# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A queue of reports that is more than full, as one counts twice for a cycle, looks empty.
s/two_q <= used <= \(UpW\+2\)'\(UpDepth - 4\)/two_q <= (UpW+1)'((UpW+2)'(UpDepth) - used) >= (UpW+1)'(4)/
