# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# bytes of the beat before count
/^      keep_q <= '0;/d
