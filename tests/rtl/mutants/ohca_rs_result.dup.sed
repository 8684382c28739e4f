# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what fails of a duplicate is told
s/end else if \(rt\.dup\) begin/end else if (1'b0) begin/
