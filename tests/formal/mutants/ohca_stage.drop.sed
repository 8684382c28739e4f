# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat is overwritten by the next one while the sink stalls
s/assign ready_o = !valid_o \|\| ready_i;/assign ready_o = 1'b1;/
