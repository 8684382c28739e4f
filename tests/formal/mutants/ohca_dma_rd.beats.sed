# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a burst counts as one beat outstanding
s/OutW'\(ask_m1_q\) \+ OutW'\(1\)/OutW'(1)/
