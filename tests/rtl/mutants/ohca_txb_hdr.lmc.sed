# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_hdr
# path bits that the port does not have are sent
s/av\.path_bits & lmc_mask/av.path_bits/
