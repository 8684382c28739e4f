# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error is counted twice
s/failed_q <= !rst_i \&\& err_o;/failed_q <= !rst_i \&\& (err_o || (failed_q \&\& m_axi_bvalid_i));/
