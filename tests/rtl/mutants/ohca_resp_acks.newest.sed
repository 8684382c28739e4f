# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK is merged into the oldest one of its QP, across others.
# in: Acks=16
s/hit = \(of\[1\] != .0\) \? at_d\[1\] : at_d\[0\];/hit = (of[0] != '0) ? at_d[0] : at_d[1];/
