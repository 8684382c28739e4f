# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM is read when what the core asks for has come, not when it asks
# in: Compact
s/assign ram_rd   = core_valid && !mem_valid;/assign ram_rd = mem_valid \&\& !phase_q;/
