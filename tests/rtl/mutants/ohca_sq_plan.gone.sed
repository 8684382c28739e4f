# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Whether all packets of a WQE lie before the first to be sent again is taken from what was compared for the one before.
s/gone_seen_q <= run .*;/gone_seen_q <= 1'b1;/
