# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the two buffers of a page are one
s/assign p_key +=.*$/assign p_key = {page_i[PageW-1:0], 1'b0};/
