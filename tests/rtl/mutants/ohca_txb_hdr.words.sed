# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: NumVl
# the room of a packet is a beat short
s/ \+ 10'\(HdrW\) :/ + 10'(HdrW) - 10'd1 :/
