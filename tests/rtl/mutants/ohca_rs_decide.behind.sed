# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the acknowledgement of a duplicate reaches past a READ
# in: DW=256
s/ && !lk\.behind\)/)/
