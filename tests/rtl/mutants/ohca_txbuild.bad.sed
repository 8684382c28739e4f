# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An error in the middle of a packet is forgotten.
s/p_bad    = bad_q \|\| g_err/p_bad    = g_err/
