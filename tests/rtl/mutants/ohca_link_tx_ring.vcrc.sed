# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The VCRC does not cover the ICRC.
# in: link_tx_ring
s/assign vcrc = .*/assign vcrc = vcrc_d;/
