# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the payload begins where the GRH would go on
s/fit_q \? tok_i\.base \+ \{12'd0, tok_i\.pay_off\} : src_q/src_q/
