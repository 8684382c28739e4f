# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a push with a hole counts as whole
s/assign p_in_order = .*$/assign p_in_order = pe_any_hit;/
