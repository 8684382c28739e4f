# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what lies behind the registers of a large page is taken for them
# in: DbStride
s/assign at_page = .*$/assign at_page = in_db;/
