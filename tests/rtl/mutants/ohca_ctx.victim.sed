# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill overwrites what is still to be written back
# in: Quarters=1
s/ && !\(Quarters && \(wb_busy \|\| ed_hold\)\);/;/
