# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a READ with a long list the first entry is kept
# in: sq-DW=64-Sets=16
s/ \|\| c\.nsge <= 4'd1\);/ || 1'b1);/
