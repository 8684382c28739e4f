# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# ERR is taken for RESET
# in: sq-DW=64-Sets=16
s/ohca_fmt_pkg::QP_STATE_RESET/ohca_fmt_pkg::QP_STATE_ERR/
