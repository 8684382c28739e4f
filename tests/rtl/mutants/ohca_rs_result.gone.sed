# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was found of a QP after its reset still counts
# in: DW=256
s/ \|\| gone_i\);/);/
