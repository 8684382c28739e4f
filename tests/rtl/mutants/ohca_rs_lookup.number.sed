# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one packet more than there are numbers
s/PktMax - 1\)/PktMax)/
