# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a message of whole packets gets one too many
# in: functions
s/npkts = q \+ 24'\(part \|\| len == 32'd0\);/npkts = q + 24'd1;/
