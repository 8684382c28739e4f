# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access that is looked up is asked for once more
s/first_q \? !others : chk_q/first_q \&\& !others ? 1'b1 : chk_q/
