# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write in two bursts counts once
s/assign two      = .*$/assign two      = 1'b0 \&\& arb_last[0];/
