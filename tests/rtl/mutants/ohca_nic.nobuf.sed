# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# without buffers frames wait
s/assign none  = .*;/assign none  = !d_valid[1] \&\& !rx_en;/
