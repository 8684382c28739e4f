# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# room for the other side is promised where one token too many may come
s/32.\(qe_count\) < InFlight/32'(qe_count) <= InFlight/
