# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ begins again behind 64 KiB
s/off_d   = off_q \+ 32'\(step\)/off_d   = {16'd0, off_q[15:0] + 16'(step)}/
