# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer without credits leaves the old limit in force
s/n\.lsn_valid = aeth\.value != 5'd31;/n.lsn_valid = cx.lsn_valid || aeth.value != 5'd31;/
