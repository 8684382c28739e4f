# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txbuild
# the carries of the IPv4 checksum are lost
s/\{13'd0, sum_q\[19:16\]\}/17'd0/
