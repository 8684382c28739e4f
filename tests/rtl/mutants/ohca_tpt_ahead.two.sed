# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one line is read ahead, not two
s/state_d = flush_i \? Idle : Ahead2;/state_d = Idle;/
