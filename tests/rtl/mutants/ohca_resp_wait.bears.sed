# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A second NAK behind what waits takes the place of the first.
s/bears_d = bears_d \| !nak_q\[i\];/bears_d = 1'b1;/
