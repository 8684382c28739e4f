# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# receives posted to a QP in ERR are not flushed
s/\(fix_ok \|\| \(idx_ok .*\)\);/fix_ok;/
