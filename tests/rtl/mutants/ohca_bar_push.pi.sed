# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a push rings with its own index
s/x_pi_q \+ \{15.d0, x_push_q\}/x_pi_q/
