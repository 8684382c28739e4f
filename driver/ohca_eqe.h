/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Taking entries from the ring of an event queue, never more than a budget at a time: who fills the ring may be as fast as who empties it,
 * and this runs where nothing else can.
 *
 * Only arithmetic, so that tests/driver/eqe.c can try it without a kernel: it supplies READ_ONCE(), le32_to_cpu() and dma_rmb().
 */
#ifndef OHCA_EQE_H
#define OHCA_EQE_H

struct ohca_eqe_ops {
	void (*take)(void *ctx, const struct ohca_eqe *e);
	void (*give_back)(void *ctx);		/* what was taken so far, as room for more */
};

static inline bool ohca_eqe_new(const struct ohca_eqe *ring, u32 log, u32 ci)
{
	const struct ohca_eqe *e = &ring[ci & ((1u << log) - 1)];
	u32 v = le32_to_cpu(READ_ONCE(e->dw[OHCA_OFF(OHCA_EQE_PHASE) / 4]));

	return OHCA_EXTRACT(OHCA_EQE_PHASE, v) == !(ci >> log & 1);
}

/* True: the budget is used up, and there may be more. */
static inline bool ohca_eqe_take(const struct ohca_eqe *ring, u32 log, u32 *ci, u32 budget, const struct ohca_eqe_ops *ops, void *ctx)
{
	u32 half = 1u << (log - 1), seen = 0;

	while (ohca_eqe_new(ring, log, *ci)) {
		if (!budget--)
			return true;
		dma_rmb();	/* the phase first, then the rest of the entry */
		ops->take(ctx, &ring[*ci & ((1u << log) - 1)]);
		++*ci;
		/* Room is given back before the ring can fill. */
		if (++seen == half) {
			ops->give_back(ctx);
			seen = 0;
		}
	}
	return false;
}

#endif
