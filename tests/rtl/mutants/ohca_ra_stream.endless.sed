# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer without credits leaves the old limit in force
s/s_d\.lsn_valid = ae_code != 5'd31;/s_d.lsn_valid = s_d.lsn_valid || ae_code != 5'd31;/
