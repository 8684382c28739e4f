# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE may go on as a SEND
s/is\.write \? ohca_fmt_pkg::RS_MSG_WRITE/is.write ? ohca_fmt_pkg::RS_MSG_SEND/
