# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The requests behind the first one do not begin aligned.
# in: DataWidth=512
/dma_addr_q\[2 \+: CutW\]  <= '0;/d
