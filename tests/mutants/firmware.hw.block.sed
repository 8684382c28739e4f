# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a block of lines only those go that are named
s/log << 8 \| //
