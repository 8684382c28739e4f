# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last dword rings, whatever is missing
s/assign p_ring +=.*$/assign p_ring = p_ok \&\& hi \&\& (\&push_at_i);/
