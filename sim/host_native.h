/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The host side of one adapter, whoever plays the host: a QEMU guest through
 * vfio_user.c, a C test, or something else later.  Everything is asynchronous;
 * time passes only in fabric_step().
 */
#ifndef OHCA_SIM_HOST_NATIVE_H
#define OHCA_SIM_HOST_NATIVE_H

#include "axi_host.h"

struct ohca_host {
	struct axi_host axi;
	unsigned reset_left;		/* cycles for which rst_i stays set */
	uint64_t resets;
	void *flat;			/* private memory of native hosts */
	size_t flat_len;
};

#define HOST_RESET_CYCLES 16

void host_init(struct ohca_host *h, const struct axi_host_cfg *cfg, const char *name);
void host_fini(struct ohca_host *h);

/*
 * Register write: posted, in order, any length and alignment within BAR0.
 * False: no room now, nothing was queued; let time pass and try again.
 */
bool host_mmio_write(struct ohca_host *h, uint32_t off, const void *data, unsigned len);
/*
 * Register read of 1..64 bytes, after all writes before it.  The call-back
 * always comes, with all ones and ok = false after a reset or a time-out.
 */
bool host_mmio_read(struct ohca_host *h, uint32_t off, unsigned len, mmio_read_cb cb, void *ctx);
void host_mmio_forget(struct ohca_host *h, void *ctx);

/* Memory the adapter may reach; see dma_map.h for the errors. */
int host_dma_map(struct ohca_host *h, uint64_t iova, uint64_t size, unsigned prot, void *mem);
int host_dma_unmap(struct ohca_host *h, uint64_t iova, uint64_t size);
/* Private zeroed memory at iova for hosts without a guest; freed by host_fini. */
void *host_flat_memory(struct ohca_host *h, uint64_t iova, size_t size);

/* Called in the cycle in which the adapter raises the vector, when all its
 * earlier memory writes have landed. */
void host_set_irq(struct ohca_host *h, unsigned vectors, void (*cb)(void *ctx, unsigned vector),
		  void *ctx);

/* Function reset: all that is in flight is dropped, rst_i is pulsed. */
void host_reset(struct ohca_host *h);

#endif
