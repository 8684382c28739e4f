# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# accepts a beat when it is full
s/assign ready_o = !full;/assign ready_o = 1'b1;/
