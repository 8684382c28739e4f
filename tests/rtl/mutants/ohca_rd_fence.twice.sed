# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Behind a report that leaves the next one leaves, too, acknowledged or not.
s/ \&\& !q_pop;/;/
