# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an arm through another page, which is refused, changes the context in the output
# in: DW=64-Sets=8
s/^        if \(a_good\) begin/        begin/
