/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Pages of the host and of the adapter. The adapter's are of 4 KiB: a doorbell page's registers are in its first 4 KiB, and rings are translated by
 * them or by those larger ones that it tells. The host's may be larger, then doorbell pages have to be as far apart, as a process is given a whole page.
 * Plain functions of numbers, tested on the host (tests/driver/pages.c).
 */
#ifndef OHCA_PAGES_H
#define OHCA_PAGES_H

#define OHCA_PAGE (1u << OHCA_PAGE_SHIFT_MIN)

/*
 * Of smaller distances a process would be given doorbell pages of others, too. What the module maps itself must hold all doorbell
 * pages, and the BAR the push pages, if there are.
 */
static inline bool ohca_db_fit(unsigned int page_shift, unsigned int db_shift, u32 pages, u64 bar_bytes, bool push)
{
	u64 mapped = bar_bytes < OHCA_BAR_UNCACHED_BYTES ? bar_bytes : OHCA_BAR_UNCACHED_BYTES;

	if (db_shift < page_shift || db_shift > 16 || !pages)
		return false;
	return OHCA_BAR_DB_BASE + ((u64)pages << db_shift) <= mapped &&
	       (!push || OHCA_BAR_PUSH_BASE + ((u64)pages << db_shift) <= bar_bytes);
}

/* Sizes by which a ring can be translated, a bit each, of what query_dev tells. Firmware that tells nothing knows 4 KiB only. */
static inline u64 ohca_ring_sizes(u32 told)
{
	return (u64)(told | 1) << OHCA_PAGE_SHIFT_MIN;
}

/* log2 of the largest of these that is no larger than 2^most; 4 KiB is always one of them */
static inline unsigned int ohca_size_below(u64 sizes, unsigned int most)
{
	while (!(sizes >> most & 1))
		most--;
	return most;
}

/*
 * Of what pieces a ring of the kernel is made: the largest below 2^below that can be translated as one and that it fills, or pages of the host.
 */
static inline unsigned int ohca_piece_shift(u64 sizes, unsigned int page_shift, u64 bytes, unsigned int below)
{
	unsigned int s;

	for (s = below - 1; s > page_shift; s--)
		if (sizes >> s & 1 && bytes >> s)
			return s;
	return page_shift;
}

/* Memory of so many pieces has so many translations; entry e of them is for a piece, from an offset in it on. */
static inline u64 ohca_mtt_entries(unsigned int shift, unsigned int mtt_shift, u64 pieces)
{
	return pieces << (shift - mtt_shift);
}

static inline u64 ohca_mtt_piece(unsigned int shift, unsigned int mtt_shift, u64 e)
{
	return e >> (shift - mtt_shift);
}

static inline u64 ohca_mtt_offset(unsigned int shift, unsigned int mtt_shift, u64 e)
{
	return (e << mtt_shift) & ((1ull << shift) - 1);
}

/* Bytes of a ring, in whole pages of the adapter */
static inline u64 ohca_ring_bytes(u64 bytes)
{
	return (bytes + OHCA_PAGE - 1) & ~(u64)(OHCA_PAGE - 1);
}

/* Where a ring of a process may begin. One at 0 would have no memory of its own. */
static inline bool ohca_ring_at(u64 va)
{
	return va && !(va & (OHCA_PAGE - 1));
}

#endif
