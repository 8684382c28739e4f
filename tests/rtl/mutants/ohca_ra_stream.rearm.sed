# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a QP whose number had a timer before never gets one again
# in: DW=64
s/!\(was_q == ohca_fmt_pkg::QP_STATE_RESET \&\& cx\.state .*/1'b1;/
