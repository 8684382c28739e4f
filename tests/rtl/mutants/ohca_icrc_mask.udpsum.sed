# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the UDP checksum over IPv6 is covered
s/ \| 64'h3 << 46//
