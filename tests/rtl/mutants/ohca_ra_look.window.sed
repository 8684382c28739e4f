# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a response to what was not sent is taken
s/(d\.in_win  = 24'\(bth\.psn - cx_i\.acked_psn\) <) /\1= /
