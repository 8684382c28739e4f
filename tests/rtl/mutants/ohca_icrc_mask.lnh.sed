# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the second packet is masked like the first
s/last_i \? Beats'\(1\) :/last_i ? at_q :/
