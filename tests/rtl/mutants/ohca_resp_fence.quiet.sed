# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# all is quiet though a READ waits
s/still_q && count .*;/still_q;/
