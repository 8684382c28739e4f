# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the run queue waits behind a pushed WQE that waits for a turn
s/ \|\| \(db_valid_i && !db_ask\)//
