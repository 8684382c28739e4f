# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an old value is read before the access has its answer
s/M_SYS_ACC_RDATA\): stall = acc_busy;/M_SYS_ACC_RDATA): stall = acc_busy \&\& write;/
