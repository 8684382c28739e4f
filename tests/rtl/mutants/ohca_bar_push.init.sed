# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a reset leaves what came of the buffers
s/assign st_key +=.*$/assign st_key     = p_key;/
