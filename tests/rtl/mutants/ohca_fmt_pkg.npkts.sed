# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a message of whole packets gets one too many
# in: functions
s/q = 24'\(\(len - 32'd1\) >> 8\);/q = 24'(len >> 8);/
