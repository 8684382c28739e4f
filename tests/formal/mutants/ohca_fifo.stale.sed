# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM: does not read the next entry when one leaves
s/\.rd_en_i\(valid_q \? more && ready_i : any\)/.rd_en_i(!valid_q \&\& any)/
