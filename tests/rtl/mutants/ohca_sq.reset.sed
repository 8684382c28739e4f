# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the acknowledge engine is not told of a QP that was reset
# in: sq-DW=64-Sets=16
s/sent_o\.reset <= resets;/sent_o.reset <= 1'b0;/
