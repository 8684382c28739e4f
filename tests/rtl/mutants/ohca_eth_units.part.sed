# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# what is no whole unit does not count
s/fire_i && eth_i && unit_end/fire_i \&\& eth_i \&\& beat_q == 3'(Beats - 1)/
