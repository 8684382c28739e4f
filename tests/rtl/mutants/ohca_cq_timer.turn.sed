# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# requests go before the walk
s/q_valid && !\(walk_q && turn_q\);/q_valid;/
