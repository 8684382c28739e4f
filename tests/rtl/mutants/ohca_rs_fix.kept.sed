# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# it is overwritten while it waits
s/if \(put_i\) \{lk_qpn_o/if (!wait_o || !lk_valid_o) {lk_qpn_o/
