# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet is queued twice where its slot has to wait
s/rxd_valid_i \&\& slot_ready\)/rxd_valid_i)/
