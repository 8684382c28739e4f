# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the answer of an atomic is a request
s/^(      5'h12: begin) is\.answer = 1'b1;/\1/
