# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# nothing is given before a whole request was found
s/\(c_one_q \|\| \(\&c_n_q\)\)/c_one_q/
