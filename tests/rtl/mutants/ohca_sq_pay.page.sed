# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A piece that ends with its page takes the next entry of the list.
s/: le_rm;$/: 1'b1;/
