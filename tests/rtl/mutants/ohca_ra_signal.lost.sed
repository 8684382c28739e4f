# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a lost completion ends only QPs that send
s/cx_i\.state >= ohca_fmt_pkg::QP_STATE_RTR \&\&/cx_i.state >= ohca_fmt_pkg::QP_STATE_RTS \&\&/
