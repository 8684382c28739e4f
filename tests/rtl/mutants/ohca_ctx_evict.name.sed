# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number is named by an entry after it has missed because of it
# in: DW=128
s/ev_valid_q <= ev_valid_q \& ~ev_match;//
