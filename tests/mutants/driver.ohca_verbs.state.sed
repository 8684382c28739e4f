# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the state page does not say how many errors it counts
/st->num_errors = /d
