# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a packet without room a piece is given
# in: Shared=1
s/\(!Shared && !end_q\)/!end_q/
