# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the answer of a port's register is taken for one of ohca_bar
s/from_bar_q \? bar_i\.rdata/from_bar_q ? port_rdata_i/
