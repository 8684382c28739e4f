# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A late doorbell takes the producer index back.
s/assign db_moves  = .*/assign db_moves = db_ok;/
