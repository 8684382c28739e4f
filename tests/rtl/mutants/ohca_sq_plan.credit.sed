# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# End-to-end credits are ignored.
s/d_credit && l.lsn_valid/1'b0/
