/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * What the adapter can reach by DMA: a sorted set of regions, each backed by
 * memory of this process or by nothing (then every access is refused).
 */
#ifndef OHCA_SIM_DMA_MAP_H
#define OHCA_SIM_DMA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMA_READ = 1, DMA_WRITE = 2 };	/* what the device may do */
#define DMA_MAX_REGIONS 4096

struct dma_region {
	uint64_t iova, size;
	uint8_t *host;			/* NULL: mapped without memory */
	void *map_base;			/* to munmap, or NULL */
	size_t map_len;
	unsigned prot;
};

struct dma_map {
	struct dma_region *r;		/* sorted by iova, never overlapping */
	unsigned n, cap, last;
	uint64_t bus_errors;		/* pages that the client truncated away */
	struct dma_map *next;		/* all maps, for the SIGBUS handler */
	bool registered;
};

void dma_map_init(struct dma_map *m);
void dma_map_fini(struct dma_map *m);
/* 0, -EINVAL (empty, wraps), -EEXIST (overlap) or -ENOSPC */
int dma_map_add(struct dma_map *m, const struct dma_region *r);
/* as above; maps `len` bytes of the file at `offset`.  The fd stays the caller's. */
int dma_map_add_fd(struct dma_map *m, uint64_t iova, uint64_t size, unsigned prot,
		   int fd, uint64_t offset);
/* Removes the regions inside [iova, iova+size).  -EINVAL if that would split
 * one, -ENOENT if there is none. */
int dma_map_remove(struct dma_map *m, uint64_t iova, uint64_t size);
void dma_map_clear(struct dma_map *m);
/* Host address of a range lying in one region with these rights, or NULL. */
uint8_t *dma_map_ptr(struct dma_map *m, uint64_t iova, size_t len, unsigned prot);

#endif
