# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a message of whole packets gets one too many
# in: functions
s/npkts = \{whole, .*;/npkts = {whole, 1'b1};/
