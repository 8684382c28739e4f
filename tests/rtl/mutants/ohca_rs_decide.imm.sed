# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE with immediate data does not ask whether there is a receive
s/\(op\.first \|\| op\.only\)\) \|\| \(exec_write \&\& op\.imm\);/(op.first || op.only));/
