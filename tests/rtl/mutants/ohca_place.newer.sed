# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one lane too few from the newer word
# in: DW=512
s/>= \(LaneW\+1\)'\(Lanes\)\)/> (LaneW+1)'(Lanes))/
