# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an RNR retry count of 7 is not for ever
s/ \&\& cx_i\.rnr_retry != 3'd7;/;/
