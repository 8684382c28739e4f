# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# BTH byte 4 of a local packet is covered
s/bytes_mask\(64'h1 << 12\) \| 512'hf0/512'hf0/
