# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Compact: the kind of an answer stays as it was when the context came, with the P_Key of the one before
# in: ra_look-Compact=1
s/\{look_o\.a_ack, look_o\.a_nak, /{look_o.a_ack, look_o.on[0], /
