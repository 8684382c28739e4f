# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# replies that were fetched count as waiting
s/if \(s->out_sent && /if (0 \&\& /
