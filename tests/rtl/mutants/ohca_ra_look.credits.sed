# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the credits of an answer that retires something are not counted
s/d\.lsn     = aeth\.msn \+ \{8'd0, ohca_fmt_pkg::credit_decode\(aeth\.value\)\};/d.lsn = aeth.msn;/
