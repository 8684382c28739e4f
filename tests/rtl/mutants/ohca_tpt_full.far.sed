# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that ends with a line has the next one read
s/\{32'd0, b_rest_q\} > b_left;/{32'd0, b_rest_q} >= b_left;/
