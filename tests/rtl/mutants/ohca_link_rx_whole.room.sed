# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet may begin where there is no room for its headers.
s/ready_o <= hf_count < 5'd14;/ready_o <= 1'b1;/
