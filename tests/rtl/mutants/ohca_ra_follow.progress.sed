# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows from progress is not told
s/ \|\| \(xf_q && xp_q\)//
