/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* What differs between the kernels this driver is built for: 6.12 (Debian trixie) and later. Only here. */
#ifndef OHCA_COMPAT_H
#define OHCA_COMPAT_H

#include <linux/version.h>

/* reg_user_mr() got a DMA handle (steering tags), which this adapter has no use for. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define OHCA_DMAH_ARG struct ib_dmah *dmah,
#define OHCA_DMAH (!!dmah)
#else
#define OHCA_DMAH_ARG
#define OHCA_DMAH false
#endif

/* The core makes port events of what it hears from an Ethernet port's network interface. */
#define OHCA_CORE_TELLS_PORT (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0))

/* Pinning by address has another name since queue memory can be a dma-buf too. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define ohca_umem_get(dev, addr, len, acc) ib_umem_get_va(dev, addr, len, acc)
#else
#define ohca_umem_get(dev, addr, len, acc) ib_umem_get(dev, addr, len, acc)
#endif

/* Only processes resize CQs there; the core's own resizing had no user. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define OHCA_RESIZE_CQ_OP resize_user_cq
#define OHCA_RESIZE_CQE unsigned int
#else
#define OHCA_RESIZE_CQ_OP resize_cq
#define OHCA_RESIZE_CQE int
#endif

#endif
