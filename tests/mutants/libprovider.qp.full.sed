# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one more request than the queue has room for is taken
s/memory_order_acquire\) >= 1u << wq->log;/memory_order_acquire) > 1u << wq->log;/
