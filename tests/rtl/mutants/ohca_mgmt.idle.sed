# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# it is idle while something is copied
s/ && !dma_busy && !acc_busy && !ev_pend;/ \&\& !acc_busy \&\& !ev_pend;/
