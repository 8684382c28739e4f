# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A queue of reports that is more than full, as one counts twice for a cycle, looks empty.
# in: DW=128
s/up_used <= 8'\(UpDepth - 4\)/7'(8'(UpDepth) - up_used) >= 7'd4/
