# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat that arrives during a stall is not kept
s/skid_valid_d = 1'b1;/skid_valid_d = 1'b0;/
