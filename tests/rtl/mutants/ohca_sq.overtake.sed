# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Datagrams of one QP overtake each other on another VL.
# in: RunQueue=256-NumVl=2
s/\(ud_clash \|\| !adm_q/(!adm_q/
