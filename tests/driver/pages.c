// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * driver/ohca_pages.h without a kernel, for hosts with pages of 4, 16 and 64 KiB, which the guests have not all: which distances of doorbell
 * pages are taken, and that a ring of the kernel, of pages of the host, is translated by pages of 4 KiB.
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

static void rings(unsigned int page_shift)
{
	enum { MOST = 40 };
	u64 dma[MOST];

	for (u32 n = 1; n <= MOST; n++) {
		u64 entries = ohca_mtt_entries(page_shift, n), bytes = (u64)n << page_shift;

		for (u32 i = 0; i < n; i++)
			dma[i] = (u64)(n * 7919 + (i ^ 21) * 104729 + 1) << page_shift;
		CHECK(entries << 12 == bytes);
		/* As the adapter looks a byte up */
		for (u64 at = 0; at < bytes; at += 512) {
			u64 e = at >> 12, got;

			CHECK(ohca_mtt_page(page_shift, e) < n);
			got = dma[ohca_mtt_page(page_shift, e)] + ohca_mtt_offset(page_shift, e);
			CHECK(!(got & 4095));
			CHECK(got + (at & 4095) == dma[at >> page_shift] + (at & ((1ull << page_shift) - 1)));
		}
	}
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
