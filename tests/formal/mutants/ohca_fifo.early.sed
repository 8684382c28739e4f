# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM: offers a beat in the cycle after its push, when the RAM still shows old data
s/(valid_q <= valid_q \? more \|\| !ready_i : any);/\1 || push;/
