# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE without a receive fails without an event
/AETH_NAK_REM_ACCESS/,/QP_ACCESS_ERR/s/has_ev  = !rt\.cqe/has_ev  = 1'b0/
