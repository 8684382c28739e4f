# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news of the cycle in which older news is read is forgotten
s/\(!eupd_q\[e_o\] \|\| \(told_i \&\& told_e_i == e_o\)\)/!eupd_q[e_o]/
