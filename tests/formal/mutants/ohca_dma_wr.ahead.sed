# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# acknowledged is what has been sent
s/if \(m_axi_bvalid_i\) acked_q/if (w_pop)          acked_q/
