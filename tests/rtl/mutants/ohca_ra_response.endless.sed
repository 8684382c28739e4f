# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer without credits leaves the old limit in force
s/say_o\.limit    = aeth/say_o.limit    = cx_i.lsn_valid || aeth/
