# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell of page 256 + k counts for page k
s/db_uar == \{l\.uar_hi, l\.uar_lo\}/db_uar[7:0] == l.uar_lo/
