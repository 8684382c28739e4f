# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring that becomes free while the oldest is tried is forgotten
s/!there_q \|\| freed_i/!there_q || (freed_i \&\& valid_o)/
