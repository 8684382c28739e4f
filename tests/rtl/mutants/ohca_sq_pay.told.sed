# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the packets of a QP that was reset are reported
s/p\.gone = gone_q;/p.gone = 1'b0;/
