# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet that fails is dropped again as long as the descriptor before it waits.
s/ : a_valid_q && t_good;/ : a_valid_q;/
