# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fault of the n-th match hits all later ones
s/f->matches != f->nth/f->matches < f->nth/
