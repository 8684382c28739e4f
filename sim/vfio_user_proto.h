/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* vfio-user messages as QEMU 11 speaks them (protocol 0.0), host byte order. */
#ifndef OHCA_SIM_VFIO_USER_PROTO_H
#define OHCA_SIM_VFIO_USER_PROTO_H

#include <stdint.h>

enum vfu_cmd {
	VFU_VERSION = 1, VFU_DMA_MAP = 2, VFU_DMA_UNMAP = 3, VFU_GET_INFO = 4,
	VFU_GET_REGION_INFO = 5, VFU_GET_REGION_IO_FDS = 6, VFU_GET_IRQ_INFO = 7,
	VFU_SET_IRQS = 8, VFU_REGION_READ = 9, VFU_REGION_WRITE = 10,
	VFU_DMA_READ = 11, VFU_DMA_WRITE = 12, VFU_DEVICE_RESET = 13,
	VFU_REGION_WRITE_MULTI = 15,
};

struct vfu_hdr {
	uint16_t id, cmd;
	uint32_t size;			/* with this header */
	uint32_t flags, error;
};
#define VFU_TYPE	0x0fu		/* 0 command, 1 reply */
#define VFU_REPLY	0x01u
#define VFU_NO_REPLY	0x10u
#define VFU_ERROR	0x20u

struct vfu_version { uint16_t major, minor; };		/* JSON, NUL follow */
struct vfu_dma_map { uint32_t argsz, flags; uint64_t offset, iova, size; };
struct vfu_dma_unmap { uint32_t argsz, flags; uint64_t iova, size; };
#define VFU_UNMAP_ALL	2u
struct vfu_device_info { uint32_t argsz, flags, regions, irqs; };
struct vfu_region_info { uint32_t argsz, flags, index, cap_offset; uint64_t size, offset; };
struct vfu_irq_info { uint32_t argsz, flags, index, count; };
struct vfu_irq_set { uint32_t argsz, flags, index, start, count; };
struct vfu_region_rw { uint64_t offset; uint32_t region, count; };

enum { VFU_REGIONS = 9, VFU_IRQS = 5, VFU_CONFIG_REGION = 7 };
enum { VFU_IRQ_INTX, VFU_IRQ_MSI, VFU_IRQ_MSIX, VFU_IRQ_ERR, VFU_IRQ_REQ };
enum { VFU_SET_NONE = 1, VFU_SET_BOOL = 2, VFU_SET_EVENTFD = 4, VFU_SET_MASK = 8,
       VFU_SET_UNMASK = 16, VFU_SET_TRIGGER = 32 };
enum { VFU_IRQ_F_EVENTFD = 1, VFU_IRQ_F_MASKABLE = 2, VFU_IRQ_F_NORESIZE = 8 };

#define VFU_MAX_DATA	4096u		/* largest register or configuration access */
#define VFU_MAX_MSG	65536u
#define VFU_MAX_FDS	64

_Static_assert(sizeof(struct vfu_hdr) == 16, "header");
_Static_assert(sizeof(struct vfu_dma_map) == 32, "DMA map");
_Static_assert(sizeof(struct vfu_dma_unmap) == 24, "DMA unmap");
_Static_assert(sizeof(struct vfu_region_info) == 32, "region info");
_Static_assert(sizeof(struct vfu_irq_set) == 20, "irq set");
_Static_assert(sizeof(struct vfu_region_rw) == 16, "region access");

#endif
