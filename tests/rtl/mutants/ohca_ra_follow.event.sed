# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a commit does not wait until the event before it has gone
s/ && !xe_q;/;/
