/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Pages of the host and of the adapter. The adapter's are of 4 KiB: rings are translated by them, and a doorbell page's registers are
 * in its first 4 KiB. The host's may be larger, then doorbell pages have to be as far apart, as a process is given a whole page.
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

/* Memory of so many pages of the host has so many translations; entry e of them is for a page of the host, from an offset in it on. */
static inline u64 ohca_mtt_entries(unsigned int page_shift, u64 pages)
{
	return pages << (page_shift - OHCA_PAGE_SHIFT_MIN);
}

static inline u64 ohca_mtt_page(unsigned int page_shift, u64 e)
{
	return e >> (page_shift - OHCA_PAGE_SHIFT_MIN);
}

static inline u64 ohca_mtt_offset(unsigned int page_shift, u64 e)
{
	return (e << OHCA_PAGE_SHIFT_MIN) & ((1ull << page_shift) - 1);
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
