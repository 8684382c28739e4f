# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a completion on offer vanishes when its QP is reset
# in: Compact=1
s/gone_i \&\& !offered_q/gone_i/
