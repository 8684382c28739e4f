# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Datagrams of one QP overtake each other on another VL.
# in: NumVl=4
s/\(clash_i \|\| !adm_i/(!adm_i/
