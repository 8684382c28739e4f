# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a receive that was completed with an error is used again
s/rt\.idx \+ \{15.d0, fix_step\}/rt.idx/
