// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * driver/ohca_pages.h without a kernel, for hosts with pages of 4, 16 and 64 KiB, which the guests have not all: which distances of doorbell
 * pages are taken, of what pieces a ring of the kernel is made, and that it is translated by pages that the adapter has.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t u32;
typedef uint64_t u64;
#include "ohca_fmt.h"
#include "ohca_pages.h"

static int failed;
#define CHECK(c) do { if (!(c)) { failed = 1; printf("# line %d: %s, pages of 2^%u\n", __LINE__, #c, page_shift); } } while (0)

/* As the adapter is built (DbStride) and its firmware tells */
static u32 told(unsigned int db_shift)
{
	return OHCA_DB_PAGES >> (db_shift - 12);
}

static void doorbells(unsigned int page_shift)
{
	for (unsigned int db_shift = 10; db_shift < 20; db_shift++) {
		bool good = db_shift >= page_shift && db_shift <= 16;
		u32 n = told(db_shift < 12 ? 12 : db_shift);

		CHECK(ohca_db_fit(page_shift, db_shift, n, OHCA_BAR0_BYTES, true) == good);
		CHECK(ohca_db_fit(page_shift, db_shift, n, OHCA_BAR0_BYTES, false) == good);
		CHECK(!ohca_db_fit(page_shift, db_shift, 0, OHCA_BAR0_BYTES, true));
		if (!good)
			continue;
		/* One more would be where push pages are, which the module does not map. */
		CHECK(!ohca_db_fit(page_shift, db_shift, n + 1, OHCA_BAR0_BYTES, false));
		/* Half a BAR holds doorbells only. */
		CHECK(ohca_db_fit(page_shift, db_shift, n, OHCA_BAR0_BYTES / 2, false));
		CHECK(!ohca_db_fit(page_shift, db_shift, n, OHCA_BAR0_BYTES / 2, true));
		CHECK(!ohca_db_fit(page_shift, db_shift, n, OHCA_BAR_DB_BASE, false));
		/* What a process maps, a page of the host, has no doorbells but its own, and neither the kernel's registers nor other pages' pushes. */
		for (u32 i = 0; i < n; i++) {
			u64 db = OHCA_BAR_DB_BASE + ((u64)i << db_shift), push = OHCA_BAR_PUSH_BASE + ((u64)i << db_shift);

			CHECK(!(db & ((1ull << page_shift) - 1)) && !(push & ((1ull << page_shift) - 1)));
			CHECK(db + (1ull << page_shift) <= OHCA_BAR_DB_BASE + ((u64)(i + 1) << db_shift));
			CHECK(db + (1ull << page_shift) <= OHCA_BAR_UNCACHED_BYTES && push >= OHCA_BAR_UNCACHED_BYTES);
		}
	}
}

/* A ring in pieces of 2^shift bytes, translated by the adapter's pages */
static void ring(unsigned int page_shift, u64 sizes, unsigned int shift)
{
	enum { MOST = 40 };
	unsigned int mtt_shift = ohca_size_below(sizes, shift);
	u64 dma[MOST];

	CHECK(mtt_shift >= 12 && mtt_shift <= shift && sizes >> mtt_shift & 1);
	for (unsigned int s = mtt_shift + 1; s <= shift; s++)
		CHECK(!(sizes >> s & 1));
	for (u32 n = 1; n <= (shift > 16 ? 4 : MOST); n++) {
		u64 entries = ohca_mtt_entries(shift, mtt_shift, n), bytes = (u64)n << shift;

		for (u32 i = 0; i < n; i++)
			dma[i] = (u64)(n * 7919 + (i ^ 21) * 104729 + 1) << shift;
		CHECK(entries << mtt_shift == bytes);
		/* As the adapter looks a byte up */
		for (u64 at = 0; at < bytes; at += 512) {
			u64 e = at >> mtt_shift, got;

			CHECK(ohca_mtt_piece(shift, mtt_shift, e) < n);
			got = dma[ohca_mtt_piece(shift, mtt_shift, e)] + ohca_mtt_offset(shift, mtt_shift, e);
			CHECK(!(got & ((1ull << mtt_shift) - 1)));
			CHECK(got + (at & ((1ull << mtt_shift) - 1)) == dma[at >> shift] + (at & ((1ull << shift) - 1)));
		}
	}
}

static void rings(unsigned int page_shift)
{
	/* Firmware of before, this one's, and ones that know others, too */
	static const u32 told[] = { 0, OHCA_RING_PAGES, 1 << 4, 0xffff, 1 << 2 | 1 };

	CHECK(ohca_ring_sizes(0) == 4096);
	CHECK(ohca_ring_sizes(OHCA_RING_PAGES) == (4096 | 65536 | 1048576));
	for (unsigned int i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		u64 sizes = ohca_ring_sizes(told[i]);

		for (u64 bytes = 32; bytes <= 1u << 28; bytes <<= 1) {
			unsigned int shift = 32, was;

			do {
				was = shift;
				shift = ohca_piece_shift(sizes, page_shift, bytes, was);
				CHECK(shift < was && shift >= page_shift);
				CHECK(shift == page_shift || (bytes >> shift && sizes >> shift & 1));
				for (unsigned int s = shift + 1; s < was; s++)		/* none between */
					CHECK(!(sizes >> s & 1) || !(bytes >> s));
				ring(page_shift, sizes, shift);
			} while (shift > page_shift);
		}
	}
	CHECK(ohca_piece_shift(ohca_ring_sizes(0), page_shift, 32u << 20, 32) == page_shift);
	CHECK(ohca_piece_shift(ohca_ring_sizes(OHCA_RING_PAGES), page_shift, 32u << 20, 32) == 20);
	CHECK(ohca_piece_shift(ohca_ring_sizes(OHCA_RING_PAGES), page_shift, 1u << 19, 32) == 16);
}

static void processes(unsigned int page_shift)
{
	/* What the provider asks for does not depend on the host's pages: its rings begin at multiples of 4 KiB. */
	CHECK(!ohca_ring_at(0) && ohca_ring_at(4096) && ohca_ring_at(3ull << 40) && !ohca_ring_at(4096 + 64) && !ohca_ring_at(2048));
	CHECK(ohca_ring_bytes(1) == 4096 && ohca_ring_bytes(4096) == 4096 && ohca_ring_bytes(4097) == 8192 && ohca_ring_bytes(1ull << 33) == 1ull << 33);
}

int main(void)
{
	static const unsigned int shifts[] = { 12, 14, 16 };

	for (unsigned int i = 0; i < 3; i++) {
		doorbells(shifts[i]);
		rings(shifts[i]);
		processes(shifts[i]);
	}
	printf("%s driver-pages\n", failed ? "not ok" : "ok");
	return failed;
}
