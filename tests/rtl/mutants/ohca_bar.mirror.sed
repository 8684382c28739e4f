# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# doorbells ring in push pages, too
# in: HwCfg
s/at_page && !w_addr_q\[20\];/at_page;/
