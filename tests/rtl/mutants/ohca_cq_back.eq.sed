# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error's event goes to the EQ of the CQ
s/\{err_event \? 8'd0 : p_eqn/{p_eqn/
