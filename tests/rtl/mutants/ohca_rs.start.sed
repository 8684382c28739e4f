# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a request starts in its first cycle at the scatter stage, when the one before it is still known there
# in: DW=512
s/st_seen_q <= !rst_i \&\& st_valid \&\& !st_pop;/st_seen_q <= !rst_i \&\& st_valid;/
