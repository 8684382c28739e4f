# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of cleared pushes are lost
s/\(clr_q \&\& /(1'b0 \&\& /
