# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last response of a READ of whole packets is to be empty
s/rest_ok    = .*/rest_ok    = plen_q == {1'b0, odd} \&\& !full_q;/
