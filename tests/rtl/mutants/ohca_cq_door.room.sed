# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a completion goes in without room for it
s/req_valid \&\& room_i/req_valid/
