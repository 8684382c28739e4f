# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE may end before all that its RETH says has come
s/\(op_fm \? !rest\[32\] \&\& !rem_all : rem_all\)/(!rest[32])/
