# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The first FIFO that wants is always read.
s/ && SelW'\(i - 1\) > last_q//
