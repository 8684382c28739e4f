# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# words of the next beat move in while the one before still waits
s/full_q && !left_q && !valid_q/full_q \&\& !left_q/
