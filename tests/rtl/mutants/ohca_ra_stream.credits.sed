# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the credits of an answer that retires something are not counted
s/s_d\.lsn       = ae_msn \+ \{8'd0, ohca_fmt_pkg::credit_decode\(ae_code\)\};/s_d.lsn = ae_msn;/
