# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# issued is what has an address
s/if \(accept\)         issued_q <= issued_q \+ \(two \? 32'd2 : 32'd1\)/if (issue)          issued_q <= issued_q + 32'd1/
