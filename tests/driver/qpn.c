// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * driver/ohca_qpn.h without a kernel: numbers are unique, come back late, spread over all that there are, cost little memory, and cannot be
 * foretold from those before.
 *
 *   qpn [SEED]
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint16_t u16;
typedef uint32_t u32;

static uint64_t state;

static u32 get_random_u32_below(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)((state >> 32) % n);
}

#include "ohca_qpn.h"

#define MAX 65536
static struct {
	struct ohca_qpns p;
	u32 window[256 + OHCA_QPN_FEW];
	struct ohca_qpn_chunk chunk[256];
	bool used[MAX];
	u32 refs[256], resident, most;
	bool no_memory;
} d;
static unsigned bad;

#define CHECK(cond) do { if (!(cond)) { printf("# qpn.c:%d: %s\n", __LINE__, #cond); bad++; } } while (0)

static bool used(void *ctx, u32 qpn)
{
	(void)ctx;
	return d.used[qpn];
}

static int hold(void *ctx, u32 qpn)
{
	(void)ctx;
	if (d.no_memory && !d.refs[qpn / d.p.each])
		return -ENOMEM;
	if (!d.refs[qpn / d.p.each]++)
		d.resident++;
	if (d.resident > d.most)
		d.most = d.resident;
	return 0;
}

static void release(void *ctx, u32 qpn)
{
	(void)ctx;
	CHECK(d.refs[qpn / d.p.each]);
	if (!--d.refs[qpn / d.p.each])
		d.resident--;
}

static const struct ohca_qpn_ops ops = { used, hold, release };

static void start(u32 chunks, u32 each)
{
	memset(&d, 0, sizeof(d));
	d.p.chunks = chunks;
	d.p.each = each;
	d.p.window = d.window;
	d.p.chunk = d.chunk;
	ohca_qpn_start(&d.p);
}

/* As the driver does it */
static int create(u32 *qpn)
{
	int ret = ohca_qpn_pick(&d.p, &ops, NULL, qpn);

	if (ret)
		return ret;
	CHECK(*qpn > 1 && *qpn < d.p.chunks * d.p.each && !d.used[*qpn]);
	d.used[*qpn] = true;
	ret = hold(NULL, *qpn);
	ohca_qpn_took(&d.p, &ops, NULL, *qpn);
	if (ret)
		d.used[*qpn] = false;
	return ret;
}

static void destroy(u32 qpn)
{
	CHECK(d.used[qpn]);
	d.used[qpn] = false;
	release(NULL, qpn);
}

/* One QP at a time: each number is drawn about as often as every other, and not again soon; three or four chunks are enough. */
static void t_churn(void)
{
	static u32 at[MAX], times[MAX];
	u32 q, soonest = ~0u, never = 0, often = 0;

	start(256, 256);
	memset(at, 0, sizeof(at));
	memset(times, 0, sizeof(times));
	for (u32 i = 1; i <= 10 * MAX; i++) {
		if (create(&q))
			CHECK(false);
		if (at[q] && i - at[q] < soonest)
			soonest = i - at[q];
		at[q] = i;
		times[q]++;
		destroy(q);
	}
	for (u32 i = 2; i < MAX; i++) {
		never += !times[i];
		often += times[i] > 11;
	}
	printf("# a number comes back after %u others, with %u chunks at most\n", soonest, d.most);
	CHECK(soonest > MAX / 2 - 1024);
	CHECK(!never && !often);
	CHECK(d.most <= 8);
	ohca_qpn_drop(&d.p, &ops, NULL);
	CHECK(!d.resident);
}

/* Guesses at the next number from all those before, of some kinds, are seldom right. */
static void t_guess(void)
{
	static u32 last[8];
	unsigned right = 0, n = 20000, same = 0;
	u32 q, first[64];

	start(256, 256);
	for (unsigned i = 0; i < n; i++) {
		CHECK(!create(&q));
		for (int k = -4; k <= 4; k++)
			right += q == last[0] + (u32)k;
		right += q == 2 * last[0] - last[1];
		same += q / 256 == last[0] / 256;
		memmove(last + 1, last, sizeof(last) - 4);
		last[0] = q;
		destroy(q);
	}
	/* ten guesses among 64 numbers or more */
	printf("# %u of %u right with ten guesses each, %u in the chunk of the one before\n", right, n, same);
	CHECK(right < n / 10 && right > n / 1000);
	CHECK(same > n / 3);
	/* Where it begins is not always the same either. */
	for (unsigned i = 0; i < 64; i++) {
		start(256, 256);
		CHECK(!create(&first[i]));
	}
	same = 0;
	for (unsigned i = 1; i < 64; i++)
		same += first[i] / 256 == first[i - 1] / 256;
	CHECK(same < 8);
}

/* Every number can be had, each once, then there is none; one that comes free is found. */
static void t_all(u32 chunks, u32 each)
{
	u32 n = chunks * each, q, victim, count = 0;
	int ret;

	start(chunks, each);
	while (!(ret = create(&q)))
		count++;
	CHECK(ret == -ENOMEM && count == n - 2);
	CHECK(create(&q) == -ENOMEM);
	for (unsigned i = 0; i < 200; i++) {
		victim = 2 + get_random_u32_below(n - 2);
		destroy(victim);
		CHECK(!create(&q) && q == victim);
	}
	for (u32 i = 2; i < n; i++)
		destroy(i);
	for (unsigned i = 0; i < 1000; i++) {
		CHECK(!create(&q));
		destroy(q);
	}
	ohca_qpn_drop(&d.p, &ops, NULL);
	CHECK(!d.resident);
	for (u32 i = 0; i < chunks; i++)
		CHECK(!d.refs[i]);
}

/* No memory for a chunk is an error only if nothing else is left, and it passes. */
static void t_memory(void)
{
	u32 q;
	unsigned n = 0;

	start(16, 256);
	d.no_memory = true;
	CHECK(create(&q) == -ENOMEM);
	d.no_memory = false;
	CHECK(!create(&q));
	d.no_memory = true;
	while (!create(&q))
		n++;
	CHECK(n >= 253 && n <= 255);
	d.no_memory = false;
	for (n = 0; n < 1000; n++)
		CHECK(!create(&q));
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } cases[] = {
		{ "churn", t_churn }, { "guess", t_guess }, { "memory", t_memory },
	};
	static const u32 sizes[][2] = { { 1, 256 }, { 1, 64 }, { 2, 256 }, { 3, 256 }, { 64, 256 } };
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned before, failed = 0;

	state = seed * 0x9e3779b97f4a7c15ull | 1;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		before = bad;
		cases[i].run();
		printf("%s driver-qpn-%s (seed %llu)\n", bad == before ? "ok" : "not ok", cases[i].name, (unsigned long long)seed);
		failed += bad != before;
	}
	before = bad;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		t_all(sizes[i][0], sizes[i][1]);
	printf("%s driver-qpn-all (seed %llu)\n", bad == before ? "ok" : "not ok", (unsigned long long)seed);
	return failed || bad != before;
}
