// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Taking event queue entries (driver/ohca_eqe.h): order, passes of the ring, room given back, and an end whatever comes in meanwhile. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define le32_to_cpu(x) ((u32)(x))
#define dma_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#include "ohca_fmt.h"
#include "ohca_eqe.h"

static int failed;
#define CHECK(c) do { if (!(c)) { failed = 1; printf("# line %d: %s\n", __LINE__, #c); } } while (0)

/* The adapter's side: a ring of 16 that refuses what does not fit. */
#define LOG 4
static struct ohca_eqe ring[1 << LOG];
static u32 pi, told_ci, ci, taken, next, lost, given, flood;

static void put(void)
{
	struct ohca_eqe *e = &ring[pi & ((1 << LOG) - 1)];

	if (pi - told_ci >= 1 << LOG) {
		lost++;
		return;
	}
	OHCA_SET(OHCA_EQE_NUM, e, pi);
	OHCA_SET(OHCA_EQE_PHASE, e, !(pi >> LOG & 1));
	pi++;
}

static void take(void *ctx, const struct ohca_eqe *e)
{
	CHECK(ctx == &ring);
	CHECK(OHCA_GET(OHCA_EQE_NUM, e) == next);
	next++;
	taken++;
	for (u32 i = 0; i < flood; i++)
		put();
}

static void give_back(void *ctx)
{
	told_ci = ci;
	given++;
	(void)ctx;
}

static const struct ohca_eqe_ops ops = { take, give_back };

static void start(void)
{
	memset(ring, 0, sizeof(ring));
	pi = told_ci = ci = taken = next = lost = given = flood = 0;
}

int main(void)
{
	start();
	CHECK(!ohca_eqe_take(ring, LOG, &ci, 5, &ops, ring) && !taken);
	/* Every number of entries, through many passes */
	for (u32 n = 0; n < 1000; n++) {
		u32 before = taken, k = n % 9;

		for (u32 i = 0; i < k; i++)
			put();
		CHECK(!ohca_eqe_take(ring, LOG, &ci, 8, &ops, ring));
		CHECK(taken - before == k);
		told_ci = ci;
	}
	CHECK(!lost);
	/* The budget ends it, and what is left comes next. */
	start();
	for (u32 i = 0; i < 7; i++)
		put();
	CHECK(ohca_eqe_take(ring, LOG, &ci, 5, &ops, ring) && taken == 5);
	CHECK(!ohca_eqe_take(ring, LOG, &ci, 2, &ops, ring) && taken == 7);
	/* A full ring: room is given back in the middle. */
	start();
	for (u32 i = 0; i < 16; i++)
		put();
	CHECK(!ohca_eqe_take(ring, LOG, &ci, 100, &ops, ring) && taken == 16 && given == 2);
	/* Who rings doorbells as fast as events are taken does not keep this from ending. */
	start();
	flood = 1;
	put();
	for (u32 round = 1; round <= 100; round++) {
		CHECK(ohca_eqe_take(ring, LOG, &ci, 64, &ops, ring));
		CHECK(taken == 64 * round && !lost);
		told_ci = ci;
		if (failed)
			break;
	}
	printf("%sok driver-eqe\n", failed ? "not " : "");
	return failed;
}
