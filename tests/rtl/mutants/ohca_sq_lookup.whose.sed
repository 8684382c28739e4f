# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the QP that an access set to work is looked up by the number of the access behind it
s/first_id_q  <= chk_q \? chk_id_q : acc_i.num/first_id_q <= acc_i.num/
