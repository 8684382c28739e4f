# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a pushed WQE waits for a turn for ever
s/ \|\| db_over_q\);/);/
