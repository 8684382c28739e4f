// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_fifo_pool against a queue for each FIFO: order, what is offered and when, how many entries find a place, how fast they come out, and that every chunk comes
// back, over phases in which few or all push and pop.
// dut: ohca_fifo_pool Width=16 Num=2 Depth=32 Chunk=4
// dut: ohca_fifo_pool Width=17 Num=5 Depth=256 Chunk=8
// dut: ohca_fifo_pool Width=16 Num=9 Depth=128 Chunk=2
#include "Vdut.h"
#include "tb.h"
#include <deque>
typedef uint64_t u64;
typedef uint32_t u32;
enum { NUM = TB_NUM, CHUNKS = TB_DEPTH / TB_CHUNK };

static u32 log2up(u32 x) { u32 n = 0; while ((1u << n) < x) n++; return n; }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	std::deque<u32> q[NUM];
	const u32 chw = log2up(CHUNKS) + 1;
	u64 got = 0, full = 0, most = 0, hidden[NUM] = {};
	u32 in_pace = 50, out_pace = 50, who = ~0u, from = ~0u;
	size_t inside = 0;
	d.push_i = 0; d.pop_i = 0; d.sel_i = 0;
	b.reset();
	u32 sel = 0, data = 0, pop = 0;
	bool push = false;
	auto step = [&](u32 ins, u32 outs) {
		b.cycle([&] {
			for (sel = u32(rng.below(NUM)); ins && !(ins >> sel & 1); sel = (sel + 1) % NUM);
			push = ins && d.free_o && rng.chance(in_pace);
			full += ins && !d.free_o;
			data = u32(rng.bits(TB_WIDTH));
			d.push_i = push; d.sel_i = sel; d.data_i = data;
			pop = 0;
			for (u32 i = 0; i < NUM; i++) if ((outs & d.valid_o) >> i & 1 && rng.chance(out_pace)) pop |= 1u << i;
			d.pop_i = pop;
		}, [&] {
			u32 has = 0;
			for (u32 i = 0; i < NUM; i++) {
				u32 n = u32(tb::get_bits(d.chunks_o, chw * i, chw));
				has += n;
				CHECK(n >= 1 && n <= 2 + q[i].size() / TB_CHUNK, "FIFO %u has %u chunks for %zu entries", i, n, q[i].size());
				CHECK_EQ(d.any_o >> i & 1, !q[i].empty(), "any_o");
				if (d.valid_o >> i & 1) { CHECK(!q[i].empty(), "FIFO %u offers nothing", i); CHECK_EQ(tb::get_bits(d.data_o, TB_WIDTH * i, TB_WIDTH), q[i].front(), "data_o"); hidden[i] = 0; }
				// All others may have their turn first, and what is behind the output takes four cycles.
				else if (!q[i].empty()) CHECK(hidden[i]++ < 2 * NUM + 5, "FIFO %u has an entry that is not offered", i);
			}
			CHECK(has + d.free_o <= CHUNKS && has + d.free_o + 2 >= CHUNKS, "%u chunks of %u are there", has + d.free_o, u32(CHUNKS));
			for (u32 i = 0; i < NUM; i++) if (pop >> i & 1) { q[i].pop_front(); inside--; got++; b.progress(); }
			if (push) { q[sel].push_back(data); inside++; }
			if (!push || inside == 1) b.progress();
			if (inside > most) most = inside;
		});
	};
	auto drain = [&] {
		for (out_pace = 100; inside;) step(0, ~0u);
		for (int i = 0; i < 4; i++) step(0, 0);
		CHECK_EQ(d.free_o, CHUNKS - NUM, "not every chunk came back");
	};

	// An entry that is alone is offered in the next cycle.
	for (u32 f = 0; f < NUM; f++) {
		in_pace = 100;
		step(1u << f, 0);
		d.push_i = 0; d.eval();
		CHECK(d.valid_o == 1u << f, "not offered at once");
		drain();
	}
	// One FIFO may fill all chunks but those that the others write; what it holds comes out at one entry every second cycle.
	for (u32 f = 0; f < NUM; f++) {
		in_pace = 100;
		while (d.free_o) step(1u << f, 0);
		CHECK(inside >= (CHUNKS - NUM) * TB_CHUNK, "full with %zu entries", inside);
		u64 entries = inside, begin = b.now();
		drain();
		CHECK(b.now() - begin <= 2 * entries + 12, "%llu entries came out in %llu cycles", (unsigned long long)entries, (unsigned long long)(b.now() - begin));
	}
	// Two at once, one entry a cycle in, and out as fast.
	in_pace = out_pace = 100;
	while (b.now() < b.cycles) {
		if (rng.below(300) == 0) {
			in_pace = u32(rng.range(1, 100)); out_pace = u32(rng.range(1, 100));
			who = rng.chance(50) ? ~0u : u32(rng.range(1, (1u << NUM) - 1));
			from = rng.chance(50) ? ~0u : u32(rng.bits(NUM));
		}
		step(who & ((1u << NUM) - 1), from);
		if (rng.below(3000) == 0) drain();
	}
	drain();
	printf("# %llu entries, at most %llu inside, %llu cycles full\n", (unsigned long long)got, (unsigned long long)most, (unsigned long long)full);
	GOAL(got > 3000 && full > 100);
	return b.finish();
}
