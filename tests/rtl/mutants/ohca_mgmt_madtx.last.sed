# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet that ends with a full beat has no end
s/last_q <= left_q <= 10'd4;/last_q <= left_q < 10'd4;/
