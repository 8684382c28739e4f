# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the PSN of a READ's response counts to 256
s/24'\(off >> mtu_sh\)/24'(8'(off >> mtu_sh))/
