# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot of a client stands in no order
# in: Soft=1
s/put_q      <= issue \&\& !rst_i;/put_q      <= issue \&\& !rst_i \&\& q_cli != '0;/
