// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Context memory: the adapter's tables live in chunks of host memory that are given when the first object needs them and
 * taken back with the last. MTT entries are written here directly; everything else in the chunks belongs to the adapter.
 */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <rdma/iter.h>

#include "ohca.h"

#define CHUNK_BYTES (1u << OHCA_ICM_CHUNK_SHIFT)

/* Larger rings are made of several pieces: so much in one is to be had on any system. */
#ifdef OHCA_DEBUG
static unsigned int ring_pieces = SZ_32K;
module_param(ring_pieces, uint, 0644);
MODULE_PARM_DESC(ring_pieces, "Bytes up to which a kernel's ring is in one piece");

static unsigned int mtt_log = 25;
module_param(mtt_log, uint, 0444);
MODULE_PARM_DESC(mtt_log, "log2 of the entries of the table of translations");
#else
#define ring_pieces SZ_32K
#define mtt_log 25
#endif

int ohca_buf_alloc(struct ohca_dev *d, size_t bytes, struct ohca_buf *b)
{
	b->bytes = PAGE_ALIGN(bytes);
	b->addr = dma_alloc_coherent(&d->pdev->dev, b->bytes, &b->dma, GFP_KERNEL);
	return b->addr ? 0 : -ENOMEM;
}

void ohca_buf_free(struct ohca_dev *d, struct ohca_buf *b)
{
	size_t i;

	if (b->addr)
		dma_free_coherent(&d->pdev->dev, b->bytes, b->addr, b->dma);
	for (i = 0; b->page && i < b->bytes >> b->shift && b->page[i].addr; i++)
		dma_free_coherent(&d->pdev->dev, 1ul << b->shift, b->page[i].addr, b->page[i].dma);
	kvfree(b->page);
	b->addr = NULL;
	b->page = NULL;
}

static int chunk_get(struct ohca_dev *d, struct ohca_table *t, unsigned int i)
{
	struct ohca_icm_chunk *c = &t->chunk[i];
	struct ohca_cmd_map_icm_in in = {};
	int ret;

	if (c->refs++)
		return 0;
	c->buf = dma_alloc_coherent(&d->pdev->dev, CHUNK_BYTES, &c->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!c->buf) {
		ret = -ENOMEM;
		goto drop;
	}
	/* Allocations of this size are naturally aligned; the adapter refuses others. */
	OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &in, t->first + i);
	OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &in, c->dma);
	ret = ohca_cmd(d, OHCA_CMD_OP_MAP_ICM, 1, 0, &in, sizeof(in), NULL, 0, NULL);
	if (!ret)
		return 0;
	dma_free_coherent(&d->pdev->dev, CHUNK_BYTES, c->buf, c->dma);
	c->buf = NULL;
drop:
	c->refs--;
	return ret;
}

static void chunk_put(struct ohca_dev *d, struct ohca_table *t, unsigned int i)
{
	struct ohca_icm_chunk *c = &t->chunk[i];

	if (--c->refs)
		return;
	ohca_cmd_revoke(d, OHCA_CMD_OP_UNMAP_ICM, t->first + i, 1);
	ohca_check_free(d);
	dma_free_coherent(&d->pdev->dev, CHUNK_BYTES, c->buf, c->dma);
	c->buf = NULL;
}

static unsigned int chunk_of(const struct ohca_table *t, u32 index)
{
	return (u64)index * t->entry_bytes >> OHCA_ICM_CHUNK_SHIFT;
}

int ohca_icm_get(struct ohca_dev *d, enum ohca_icm_table table, u32 index, u32 count)
{
	struct ohca_table *t = &d->icm[table];
	unsigned int first = chunk_of(t, index), last = chunk_of(t, index + count - 1), i;
	int ret = 0;

	mutex_lock(&d->icm_lock);
	for (i = first; i <= last && !ret; i++)
		ret = chunk_get(d, t, i);
	if (ret)
		for (i--; i-- > first;)
			chunk_put(d, t, i);
	mutex_unlock(&d->icm_lock);
	return ret;
}

void ohca_icm_put(struct ohca_dev *d, enum ohca_icm_table table, u32 index, u32 count)
{
	struct ohca_table *t = &d->icm[table];
	unsigned int first = chunk_of(t, index), last = chunk_of(t, index + count - 1), i;

	mutex_lock(&d->icm_lock);
	for (i = first; i <= last; i++)
		chunk_put(d, t, i);
	mutex_unlock(&d->icm_lock);
}

int ohca_mtt_alloc(struct ohca_dev *d, size_t count, struct ohca_pages *mtt)
{
	u32 table = 1u << d->icm[OHCA_ICM_TABLE_MTT].log_entries, total = table / OHCA_MTT_GROUP, groups;
	unsigned long at;
	int ret;

	mtt->count = 0;
	if (!count)
		return 0;
	if (count > table)
		return -ENOMEM;
	groups = DIV_ROUND_UP((u32)count, OHCA_MTT_GROUP);
	/* From where the last one ended: entries come back late, and what is in use is not looked through again and again. */
	mutex_lock(&d->mtt_lock);
	at = bitmap_find_next_zero_area(d->mtt_map, total, d->mtt_next, groups, 0);
	if (at >= total)
		at = bitmap_find_next_zero_area(d->mtt_map, total, 0, groups, 0);
	if (at < total) {
		bitmap_set(d->mtt_map, at, groups);
		d->mtt_next = at + groups < total ? at + groups : 0;
	}
	mutex_unlock(&d->mtt_lock);
	if (at >= total)
		return -ENOMEM;
	mtt->first = at * OHCA_MTT_GROUP;
	mtt->count = count;
	ret = ohca_icm_get(d, OHCA_ICM_TABLE_MTT, mtt->first, groups * OHCA_MTT_GROUP);
	if (ret) {
		mutex_lock(&d->mtt_lock);
		bitmap_clear(d->mtt_map, at, groups);
		mutex_unlock(&d->mtt_lock);
		mtt->count = 0;
	}
	return ret;
}

static void mtt_set(struct ohca_dev *d, u32 index, u64 addr)
{
	struct ohca_table *t = &d->icm[OHCA_ICM_TABLE_MTT];
	__le64 *e = t->chunk[chunk_of(t, index)].buf + ((u64)index * 8 & (CHUNK_BYTES - 1));

	WRITE_ONCE(*e, cpu_to_le64(addr ? addr | OHCA_MASK(OHCA_MTT_PRESENT) : 0));
}

/* The adapter has no cached translation of these entries and will not ask for one: these go with their CQ, QP or key. */
void ohca_mtt_free(struct ohca_dev *d, struct ohca_pages *mtt)
{
	u32 groups = DIV_ROUND_UP(mtt->count, OHCA_MTT_GROUP), i;

	if (!mtt->count)
		return;
	for (i = 0; i < mtt->count; i++)
		mtt_set(d, mtt->first + i, 0);
	ohca_icm_put(d, OHCA_ICM_TABLE_MTT, mtt->first, groups * OHCA_MTT_GROUP);
	mutex_lock(&d->mtt_lock);
	bitmap_clear(d->mtt_map, mtt->first / OHCA_MTT_GROUP, groups);
	mutex_unlock(&d->mtt_lock);
	mtt->count = 0;
}

/* Entries for every page of a pinned range. The caller frees them, also after an error. */
int ohca_mtt_umem(struct ohca_dev *d, struct ib_umem *umem, unsigned long pgsz, struct ohca_pages *mtt)
{
	struct ib_block_iter it;
	u32 i;
	int ret;

	ret = ohca_mtt_alloc(d, ib_umem_num_dma_blocks(umem, pgsz), mtt);
	if (ret)
		return ret;
	mtt->shift = __ffs(pgsz);
	mtt->offset = ib_umem_dma_offset(umem, pgsz);
	i = mtt->first;
	rdma_umem_for_each_dma_block(umem, &it, pgsz)
		mtt_set(d, i++, rdma_block_iter_dma_address(&it));
	/* The entries must be there before a command or doorbell makes the adapter read them. */
	dma_wmb();
	return 0;
}

static u64 ring_sizes(struct ohca_dev *d)
{
	return ohca_ring_sizes(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_RING_PAGES, &d->lim));
}

/* Entries for a pinned ring, in the largest pages that its memory has and the adapter takes. The caller frees them, also after an error. */
int ohca_mtt_ring(struct ohca_dev *d, struct ib_umem *umem, struct ohca_pages *mtt)
{
	unsigned long pgsz = ib_umem_find_best_pgsz(umem, ring_sizes(d), umem->address);

	return pgsz ? ohca_mtt_umem(d, umem, pgsz, mtt) : -EINVAL;
}

static int pieces_alloc(struct ohca_dev *d, size_t bytes, unsigned int shift, struct ohca_buf *b)
{
	/* Of those larger than a page there are smaller ones if the system has none. */
	gfp_t gfp = shift > PAGE_SHIFT ? GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN : GFP_KERNEL;
	size_t i, n = DIV_ROUND_UP(bytes, 1ul << shift);

	b->page = kvcalloc(n, sizeof(*b->page), GFP_KERNEL);
	if (!b->page)
		return -ENOMEM;
	b->shift = shift;
	b->bytes = n << shift;
	for (i = 0; i < n; i++) {
		b->page[i].addr = dma_alloc_coherent(&d->pdev->dev, 1ul << shift, &b->page[i].dma, gfp);
		if (!b->page[i].addr || b->page[i].dma & ((1ul << shift) - 1))
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/*
 * Memory of a ring: in one piece if it is small, so that it needs no translation; else of several, as large as can be translated and had. The caller
 * frees both, also after an error.
 */
int ohca_ring_alloc(struct ohca_dev *d, size_t bytes, struct ohca_buf *b, struct ohca_pages *mtt)
{
	u64 sizes = ring_sizes(d);
	unsigned int shift, mtt_shift;
	size_t i;
	int ret;

	if (bytes <= ring_pieces)
		return ohca_buf_alloc(d, bytes, b);
	shift = ohca_piece_shift(sizes, PAGE_SHIFT, bytes, 32);
	while ((ret = pieces_alloc(d, bytes, shift, b)) && shift > PAGE_SHIFT) {
		ohca_buf_free(d, b);
		shift = ohca_piece_shift(sizes, PAGE_SHIFT, bytes, shift);
	}
	if (ret)
		return ret;
	mtt_shift = ohca_size_below(sizes, shift);
	ret = ohca_mtt_alloc(d, ohca_mtt_entries(shift, mtt_shift, b->bytes >> shift), mtt);
	if (ret)
		return ret;
	mtt->shift = mtt_shift;
	mtt->offset = 0;
	for (i = 0; i < mtt->count; i++)
		mtt_set(d, mtt->first + i, b->page[ohca_mtt_piece(shift, mtt_shift, i)].dma + ohca_mtt_offset(shift, mtt_shift, i));
	dma_wmb();
	return 0;
}

static void table_init(struct ohca_table *t, unsigned int *next, unsigned int log_entries, unsigned int bytes)
{
	t->first = *next;
	t->log_entries = log_entries;
	t->entry_bytes = bytes;
	t->nchunks = DIV_ROUND_UP((u64)bytes << log_entries, CHUNK_BYTES);
	*next += t->nchunks;
}

int ohca_icm_init(struct ohca_dev *d)
{
#define LIM(f) ((u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_##f, &d->lim))
	/* How large contexts are is the adapter's business; entries of translations are written here. */
	const struct {
		u32 log, max, bytes;
	} want[] = {
		[OHCA_ICM_TABLE_QPC] = { 16, LIM(LOG_MAX_QP), 1u << LIM(LOG_QPC_BYTES) },
		[OHCA_ICM_TABLE_CQC] = { 16, LIM(LOG_MAX_CQ), 1u << LIM(LOG_CQC_BYTES) },
		[OHCA_ICM_TABLE_MPT] = { 18, LIM(LOG_MAX_MPT), 1u << LIM(LOG_MPT_BYTES) },
		[OHCA_ICM_TABLE_MTT] = { mtt_log, LIM(LOG_MAX_MTT), sizeof(struct ohca_mtt) },
	};
	unsigned int chunks = LIM(ICM_CHUNKS), next, i, shrink;
#undef LIM
	struct ohca_cmd_init_dev_in in = {};
	int ret;

	mutex_init(&d->icm_lock);
	mutex_init(&d->mtt_lock);
	/* As large as the adapter's directory can hold. */
	for (shrink = 0;; shrink++) {
		for (i = 0, next = 0; i < ARRAY_SIZE(want); i++)
			table_init(&d->icm[i], &next, min(want[i].log - shrink, want[i].max), want[i].bytes);
		if (next <= chunks)
			break;
		if (shrink == 8) {
			dev_err(&d->pdev->dev, "context memory of %u chunks is too small\n", chunks);
			return -EINVAL;
		}
	}
	ret = ohca_qpn_init(d);
	if (ret)
		return ret;
	d->mtt_map = vzalloc(BITS_TO_LONGS((1ul << d->icm[OHCA_ICM_TABLE_MTT].log_entries) / OHCA_MTT_GROUP) * sizeof(long));
	if (!d->mtt_map) {
		ohca_qpn_fini(d);
		return -ENOMEM;
	}
	for (i = 0; i < 4; i++) {
		d->icm[i].chunk = kvcalloc(d->icm[i].nchunks, sizeof(*d->icm[i].chunk), GFP_KERNEL);
		if (!d->icm[i].chunk) {
			ret = -ENOMEM;
			goto free;
		}
	}
	/* The reserved key is entry 0 of the MPT and lives as long as the device. */
	ret = ohca_icm_get(d, OHCA_ICM_TABLE_MPT, 0, 1);
	if (ret)
		goto free;
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CMD_ABI, &in, d->cmd_abi);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_QPC_CHUNK, &in, d->icm[OHCA_ICM_TABLE_QPC].first);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CQC_CHUNK, &in, d->icm[OHCA_ICM_TABLE_CQC].first);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MPT_CHUNK, &in, d->icm[OHCA_ICM_TABLE_MPT].first);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MTT_CHUNK, &in, d->icm[OHCA_ICM_TABLE_MTT].first);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_QP, &in, d->icm[OHCA_ICM_TABLE_QPC].log_entries);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_CQ, &in, d->icm[OHCA_ICM_TABLE_CQC].log_entries);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MPT, &in, d->icm[OHCA_ICM_TABLE_MPT].log_entries);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MTT, &in, d->icm[OHCA_ICM_TABLE_MTT].log_entries);
	ret = ohca_cmd(d, OHCA_CMD_OP_INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0, NULL);
	if (!ret)
		return 0;
	ohca_icm_put(d, OHCA_ICM_TABLE_MPT, 0, 1);
free:
	for (i = 0; i < 4; i++)
		kvfree(d->icm[i].chunk);
	vfree(d->mtt_map);
	ohca_qpn_fini(d);
	return ret;
}

/* After ohca_stop(): a reset forgets everything at once. */
void ohca_icm_fini(struct ohca_dev *d)
{
	unsigned int t, i;

	ohca_qpn_fini(d);
	/* Also what objects of a dead adapter left */
	for (t = 0; t < 4; t++) {
		for (i = 0; i < d->icm[t].nchunks; i++)
			if (d->icm[t].chunk[i].refs) {
				d->icm[t].chunk[i].refs = 1;
				chunk_put(d, &d->icm[t], i);
			}
		kvfree(d->icm[t].chunk);
	}
	vfree(d->mtt_map);
}
