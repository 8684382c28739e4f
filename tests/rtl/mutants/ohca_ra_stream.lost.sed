# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# a lost completion ends only QPs that send
s/cx\.state >= ohca_fmt_pkg::QP_STATE_RTR \&\& cx/cx.state >= ohca_fmt_pkg::QP_STATE_RTS \&\& cx/
