# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What comes in goes past an entry of its FIFO that is being read.
s/ && !fetch_q\[i\] && !fetched_q\[i\]//
