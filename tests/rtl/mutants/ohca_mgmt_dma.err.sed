# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the error of one copy stays for the next
/^          dma_err_q  <= 1'b0;/d
