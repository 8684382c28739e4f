# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# wraps at the top
s/sum\[Width\] \? '1 : sum\[Width-1:0\]/sum[Width-1:0]/
