# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a copy is put out in the cycle of a release, whose count is lost
s/assign refs_busy = rel_v_q;/assign refs_busy = 1'b0;/
