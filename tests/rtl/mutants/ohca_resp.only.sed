# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a job that comes to a slot with one does not make two of it
# in: PerSlot=32
s/only_q\[i\] <= 1'b0;/only_q[i] <= only_q[i];/
