# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the packet builder's reports count as the send engine's
s/upf_pop && !upf_tx/upf_pop/
