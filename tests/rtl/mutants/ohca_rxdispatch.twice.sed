# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a MAD goes behind one that has not taken its buffer yet, into the same
s|madq_ready && plr_ready|madq_ready|
