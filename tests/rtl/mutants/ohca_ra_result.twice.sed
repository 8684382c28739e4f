# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news that is not read yet is announced again
s/ri\.upd \&\& \(!eupd_q\[e_o\] \|\| \(told_i \&\& told_e_i == e_o\)\)/ri.upd/
