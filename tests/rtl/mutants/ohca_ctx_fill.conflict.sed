# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a fill it is forgotten where its number's line is
# in: DW=128
s/\.data_i\(\{x_conf, x_ok, x_addr\}\)/.data_i({1'b0, x_conf[EvW-1:0], x_ok, x_addr})/
