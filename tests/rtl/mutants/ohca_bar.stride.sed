# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what lies behind the registers of a large doorbell page is taken for them
# in: DbStride
s/assign at_db   = .*$/assign at_db   = in_db;/
