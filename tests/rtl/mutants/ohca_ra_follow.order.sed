# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the WQE that fails behind a datagram has no completion
s/xc2_q <= cqe2_i;/xc2_q <= 1'b0;/
