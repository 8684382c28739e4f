# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# each burst ends its request
s/len_m1, final_burst\}\)/len_m1, 1'b1})/
