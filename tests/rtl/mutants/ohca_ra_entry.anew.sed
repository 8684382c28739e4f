# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# with the token that is walked the one that comes in the same cycle is closed
s/shut_q <= w_open_o && !\(push && e == w_next\);/shut_q <= w_open_o;/
