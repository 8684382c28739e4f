# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# another one has room before the first was carried out
s/assign room_o = .*;/assign room_o = !lk_valid_o;/
