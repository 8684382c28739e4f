# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a result is the one before it once more: its token is taken in its first cycle
# in: DW=512
s/so_seen_q <= !rst_i \&\& so_valid \&\& !rt_pop;/so_seen_q <= !rst_i \&\& so_valid;/
