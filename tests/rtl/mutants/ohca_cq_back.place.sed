# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write is requested without a place for what follows it
# in: DW=64
s/b_valid \&\& known \&\& pq_ready;/b_valid \&\& known;/
