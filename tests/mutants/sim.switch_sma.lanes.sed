# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the switch changes its lanes while data flows
s/p->state == PS_ACTIVE && state != PS_DOWN/0/
