# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# each copy releases the slot
s/out_rel_q <= rel_v_q && ref_now == '0;/out_rel_q <= rel_v_q;/
