# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet's last piece is given before its descriptor
s/\(!Shared && !end_q\)/!Shared/
