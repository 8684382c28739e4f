# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# who could not go is not tried again by the clock
s/ \|\| \(&tick_q\)//
