# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last packet of a READ's data has no AETH
s/^(      5'h0f: .*) is\.aeth = 1'b1;/\1/
