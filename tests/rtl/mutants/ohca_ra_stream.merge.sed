# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK that merges into a walk leaves behind how far the walk may go
# in: DW=512
s/assign l_pi = is_open [?] .*/assign l_pi = l_t.pi;/
