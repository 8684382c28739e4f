# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A link packet is obeyed whatever its CRC.
s/assign fc_ok    = fc_here && fc_lp_ok/assign fc_ok    = fc_here/
