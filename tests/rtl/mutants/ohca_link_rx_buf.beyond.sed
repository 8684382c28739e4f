# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What is behind the words that a packet needs is stored, too.
s/fire_i && idx_i < need\)/fire_i)/
