# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# bits of comp_mask that have no meaning yet are taken
s/if \(req\.comp_mask \|\| \(d->eth/if ((d->eth/
