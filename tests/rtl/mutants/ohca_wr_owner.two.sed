# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a write of two bursts only the second one's error is told of
s/ \|\| \(w_two && past == '1\)//
