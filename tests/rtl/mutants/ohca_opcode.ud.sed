# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a datagram with immediate data is as long as one without
s/is\.imm \? 3'd3 : 3'd2/3'd2/
