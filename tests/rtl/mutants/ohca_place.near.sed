# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last place is looked at without the piece that comes in that cycle
# in: DW=256
s/\(k_pop \? \(PcsW\+1\)'\(Pieces - 1\) : \(PcsW\+1\)'\(Pieces - 2\)\)/(PcsW+1)'(Pieces - 1)/
