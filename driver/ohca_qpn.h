/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Which number a new queue pair gets. Nobody may guess it, it comes back late (packets and completions of its former owner have to be
 * gone, and the connection manager's time-wait), and QPs should share chunks of context memory, so it is drawn from a window: the free
 * numbers of a chunk, and while they are fewer than OHCA_QPN_FEW those of another one. Every chunk has its turn, in random order, before any
 * has it again, and none sooner than after half of the others.
 *
 * Only arithmetic, so that tests/driver/qpn.c can try it without a kernel: it supplies get_random_u32_below().
 */
#ifndef OHCA_QPN_H
#define OHCA_QPN_H

#define OHCA_QPN_FEW 64

struct ohca_qpn_chunk {
	u16 turn;		/* the chunk whose turn is as far on as this entry */
	u16 left;		/* numbers of this chunk in the window; its memory stays while there are any */
};

struct ohca_qpns {
	u32 chunks, each;	/* numbers of each */
	u32 next;		/* whose turn is next; chunks: a new round begins */
	u32 count;		/* numbers in the window */
	u32 *window;		/* each + OHCA_QPN_FEW */
	struct ohca_qpn_chunk *chunk;
};

/* What the window needs of the device; 0 or a negative errno. */
struct ohca_qpn_ops {
	bool (*used)(void *ctx, u32 qpn);
	int (*hold)(void *ctx, u32 qpn);	/* the memory of the chunk in which this is */
	void (*release)(void *ctx, u32 qpn);
};

static inline void ohca_qpn_shuffle(struct ohca_qpn_chunk *c, u32 n)
{
	while (n > 1) {
		u32 k = get_random_u32_below(n--);
		u16 turn = c[k].turn;

		c[k].turn = c[n].turn;
		c[n].turn = turn;
	}
}

/* The arrays are the caller's, zeroed. */
static inline void ohca_qpn_start(struct ohca_qpns *p)
{
	u32 i;

	for (i = 0; i < p->chunks; i++)
		p->chunk[i].turn = i;
	ohca_qpn_shuffle(p->chunk, p->chunks);
	p->next = 0;
	p->count = 0;
}

static inline void ohca_qpn_drop(struct ohca_qpns *p, const struct ohca_qpn_ops *ops, void *ctx)
{
	u32 i;

	p->count = 0;
	for (i = 0; i < p->chunks; i++)
		if (p->chunk[i].left) {
			p->chunk[i].left = 0;
			ops->release(ctx, i * p->each);
		}
}

/* The next chunk's numbers come into the window. At the end of a round the window is emptied: all numbers have their turn again. */
static inline int ohca_qpn_refill(struct ohca_qpns *p, const struct ohca_qpn_ops *ops, void *ctx)
{
	u32 half = p->chunks / 2, first, i;
	struct ohca_qpn_chunk *c;
	int ret;

	if (p->next == p->chunks) {
		ohca_qpn_drop(p, ops, ctx);
		ohca_qpn_shuffle(p->chunk, half);
		ohca_qpn_shuffle(p->chunk + half, p->chunks - half);
		p->next = 0;
	}
	c = &p->chunk[p->chunk[p->next].turn];
	first = (c - p->chunk) * p->each;
	ret = ops->hold(ctx, first);
	if (ret)
		return ret;
	p->next++;
	for (i = first; i < first + p->each; i++)
		if (i > 1 && !ops->used(ctx, i)) {	/* 0 and 1 are the management QPs' */
			p->window[p->count++] = i;
			c->left++;
		}
	if (!c->left)
		ops->release(ctx, first);
	return 0;
}

/* The memory of the number's chunk may go after ohca_qpn_took(), so the caller holds it before. Negative: none is free, or no memory. */
static inline int ohca_qpn_pick(struct ohca_qpns *p, const struct ohca_qpn_ops *ops, void *ctx, u32 *qpn)
{
	bool whole = false;
	int ret = 0;
	u32 k;

	while (p->count < OHCA_QPN_FEW) {
		/* When a whole round has been through and there are still only a few, these are all. */
		if (p->next == p->chunks) {
			if (whole)
				break;
			whole = true;
		}
		ret = ohca_qpn_refill(p, ops, ctx);
		if (ret)
			break;
	}
	if (!p->count)
		return ret ? ret : -ENOMEM;
	k = get_random_u32_below(p->count);
	*qpn = p->window[k];
	p->window[k] = p->window[--p->count];
	return 0;
}

static inline void ohca_qpn_took(struct ohca_qpns *p, const struct ohca_qpn_ops *ops, void *ctx, u32 qpn)
{
	if (!--p->chunk[qpn / p->each].left)
		ops->release(ctx, qpn);
}

#endif
