/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The transport-neutral host boundary over the AXI host model. */
#include "host_native.h"

#include <string.h>
#include <sys/mman.h>

void host_init(struct ohca_host *h, const struct axi_host_cfg *cfg, const char *name)
{
	memset(h, 0, sizeof(*h));
	axi_host_init(&h->axi, cfg, name);
	h->reset_left = HOST_RESET_CYCLES;
}

void host_fini(struct ohca_host *h)
{
	axi_host_fini(&h->axi);
	if (h->flat)
		munmap(h->flat, h->flat_len);
	h->flat = NULL;
}

bool host_mmio_write(struct ohca_host *h, uint32_t off, const void *data, unsigned len)
{
	return mmio_write(&h->axi, off, data, len);
}

bool host_mmio_read(struct ohca_host *h, uint32_t off, unsigned len, mmio_read_cb cb, void *ctx)
{
	return mmio_read(&h->axi, off, len, cb, ctx);
}

void host_mmio_forget(struct ohca_host *h, void *ctx)
{
	mmio_forget(&h->axi, ctx);
}

int host_dma_map(struct ohca_host *h, uint64_t iova, uint64_t size, unsigned prot, void *mem)
{
	struct dma_region r = { .iova = iova, .size = size, .prot = prot, .host = mem };

	return dma_map_add(&h->axi.dma, &r);
}

int host_dma_unmap(struct ohca_host *h, uint64_t iova, uint64_t size)
{
	return dma_map_remove(&h->axi.dma, iova, size);
}

void *host_flat_memory(struct ohca_host *h, uint64_t iova, size_t size)
{
	void *p;

	if (h->flat)
		return NULL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (host_dma_map(h, iova, size, DMA_READ | DMA_WRITE, p)) {
		munmap(p, size);
		return NULL;
	}
	h->flat = p;
	h->flat_len = size;
	return p;
}

void host_set_irq(struct ohca_host *h, unsigned vectors, void (*cb)(void *ctx, unsigned vector),
		  void *ctx)
{
	h->axi.vectors = vectors;
	h->axi.irq = cb;
	h->axi.irq_ctx = ctx;
}

void host_reset(struct ohca_host *h)
{
	h->reset_left = HOST_RESET_CYCLES;
	h->resets++;
	axi_host_reset(&h->axi);
}
