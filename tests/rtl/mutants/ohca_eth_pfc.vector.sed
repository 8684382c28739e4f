# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a pause acts on priorities that it does not name
s/if \(is_pfc && w\[Top-136-7\+i\]\) pend_q/if (is_pfc) pend_q/
