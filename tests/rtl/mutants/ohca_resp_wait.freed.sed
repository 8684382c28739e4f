# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Who could not go is tried only once.
s/!there_q \|\| freed_i \|\| \(&tick_q\) \|\|/!there_q ||/
