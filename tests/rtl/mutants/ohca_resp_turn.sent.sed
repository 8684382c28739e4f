# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet ends before its descriptor was taken
# in: Compact=1
s/sent      = Compact \? sent_q : sent_d;/sent      = sent_d || Compact;/
