# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# packets of a QP that was reset are reported
s/ \&\& !r_gone_q//
