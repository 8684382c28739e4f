# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell of page 256 + k counts for page k
s/uar_i == \{cx_i\.uar_hi, cx_i\.uar_lo\}/uar_i[7:0] == cx_i.uar_lo/
