# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a path is written, and the engines go on with what a cache has of it
s/hw_dma_write\(a, cold, bytes\) \&\& ctx_inval\(part, qpn\)/hw_dma_write(a, cold, bytes)/
