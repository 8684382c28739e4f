# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a second piece is not known as the last one
s/: end_q \|\| \(piece_d \&\& !piece_q\);/: end_q;/
