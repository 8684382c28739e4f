# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write to an event queue is not waited for
s/stall = !eq_done;/stall = !eq_done \&\& !write;/
