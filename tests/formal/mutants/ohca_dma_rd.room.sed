# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a request is granted when the queue may be full
# in: Orders=2
s/q_count <= 3'd2/q_count <= 3'd3/
