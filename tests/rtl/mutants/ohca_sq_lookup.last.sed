# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a scan leaves the last context out
s/scan_id_q \+ 25'd1 >= limit_i/scan_id_q + 25'd2 >= limit_i/
