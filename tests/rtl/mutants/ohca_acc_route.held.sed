# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Compact: who is asked sees what is written next, not the copy
# in: Compact=1
s/assign acc_o       = ohca_fmt_pkg::ctx_acc_t'\(acc\);/assign acc_o       = acc_i;/
