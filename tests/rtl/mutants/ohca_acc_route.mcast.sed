# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access to the multicast table reaches the send engine, too
s/part\[3:0\]};/part[3:1], part[0] || part[Mcast]};/
