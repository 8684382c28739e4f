# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a MAD goes behind one whose buffer is known to be taken a cycle later only, into the same
s| && !mad_take_o;|;|
