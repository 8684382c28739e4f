// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_arb: which VL sends next, against the rules of the InfiniBand architecture (7.6.9), written down here by
// packets: VL15 before all; entries of a table in turn, each until its weight is used up; a packet of low priority when
// the limit of high priority is reached. Then, from what was sent alone: the shares of VLs that always have a packet,
// and how long low priority waits. Tables, limit, and who has packets change at random.
// dut: ohca_link_tx_arb
// dut: ohca_link_tx_arb NumVl=1
// dut: ohca_link_tx_arb NumVl=8
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
enum { VLS = TB_NUM_VL, ENTRIES = 16, VL15 = VLS + 1 };

// One table: what is current, and what it may send yet.
struct Entry { u32 vl, weight; };
struct Table {
	Entry e[ENTRIES] = {};
	u32 at = 0;
	int left = 0;
	// The entry that the next packet is of, or -1.
	int next(u32 may) const {
		auto can = [&](u32 i) { return e[i].weight && e[i].vl < VLS && (may >> e[i].vl & 1); };
		if (left > 0 && can(at)) return int(at);
		for (u32 k = 1; k <= ENTRIES; k++) if (can((at + k) % ENTRIES)) return int((at + k) % ENTRIES);
		return -1;
	}
	// The same entry goes on with what is left if anything is, any other one (or the same in its next turn) with
	// its whole weight.
	void sent(u32 i, u32 blocks) {
		bool on = i == at && left > 0;
		left = (on ? left : int(e[i].weight)) - int(blocks);
		if (left < 0) left = 0;
		at = i;
	}
	bool has(u32 vl) const { for (auto &x : e) if (x.weight && x.vl == vl) return true; return false; }
	// New tables do not move what is current.
	void clear() { for (auto &x : e) x = {0, 0}; }
	void random(tb::Rng &r) {
		u32 used = u32(r.below(4) ? r.range(1, ENTRIES) : 0);
		for (u32 i = 0; i < ENTRIES; i++) {
			e[i].vl = u32(r.chance(85) ? r.below(VLS) : r.below(16));
			e[i].weight = i >= used || r.chance(15) ? 0 : u32(r.range(1, r.chance(50) ? 8 : 255));
		}
	}
};

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	Table low, high;
	u32 limit = 255, since = 0;                       // blocks of high priority since one of low
	bool some_high = false;                           // at all
	u32 len[VLS] = {}, want = 0, table = 2;           // table: 0 low, 1 high, 2 neither
	int entry = -1;
	bool took = false, known = false;
	u32 settle = 4;
	u64 n15 = 0, limited = 0, carried = 0, nowhere = 0, wrapped = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng) {}

	void tables() {
		for (u32 i = 0; i < ENTRIES; i++) {
			tb::set_bits(b->low_i, 12 * i, 8, low.e[i].weight);
			tb::set_bits(b->low_i, 12 * i + 8, 4, low.e[i].vl);
			tb::set_bits(b->high_i, 12 * i, 8, high.e[i].weight);
			tb::set_bits(b->high_i, 12 * i + 8, 4, high.e[i].vl);
		}
		b->limit_i = limit;
		settle = 4;
	}
	void length(u32 v, u32 blocks) {
		len[v] = blocks;
		tb::set_bits(b->need_i, 8 * v, 8, blocks);
	}
	u32 any_length() { return u32(rng.chance(50) ? rng.range(1, 4) : rng.range(1, 66)); }

	// What goes next if these may (7.6.9).
	void choose(u32 may, bool may15) {
		int l = low.next(may), h = high.next(may);
		bool reached = limit != 255 && (limit ? since >= 64 * limit : some_high);
		want = 0;
		table = 2;
		if (may15) { want = VL15; return; }
		if (h >= 0 && !(reached && l >= 0)) { table = 1; entry = h; want = high.e[h].vl; }
		else if (l >= 0) { table = 0; entry = l; want = low.e[l].vl; if (h >= 0) limited++; }
		else for (u32 v = VLS; v-- > 0;) if ((may >> v & 1) && !low.has(v) && !high.has(v)) want = v;
	}
	// One cycle: these may go; take: what was shown is taken, if it may go now. True if it was.
	bool cycle(u32 may, bool may15, bool take) {
		b->may_i = may;
		b->may15_i = may15;
		bool ok = known && !took && !settle && take && (want == VL15 ? may15 : (may >> want & 1) != 0);
		b->take_i = ok;
		u32 w = want, t = table;
		b.cycle([] {}, [&] { if (known && !took && !settle) CHECK_EQ(b->pick_o, want, "next VL"); });
		b.progress();
		took = ok;
		if (settle) settle--;
		if (ok) {
			if (w == VL15) n15++;
			else {
				Table &x = t ? high : low;
				if (t == 2) nowhere++;
				else {
					if (u32(entry) == x.at && x.left > 0) carried++;
					if (u32(entry) < x.at) wrapped++;
					x.sent(u32(entry), len[w]);
				}
				if (t == 0) { since = 0; some_high = false; }
				if (t == 1) { since += len[w]; some_high = true; }
			}
		}
		choose(may, may15);
		// What is chosen in the cycle of a take knows nothing of it and is not to be used.
		known = true;
		return ok;
	}

	// Anything at any time.
	void chaos() {
		tb::Pace go(&rng);
		u32 may = 0, soon = 0, will = 0;
		bool may15 = false;
		u32 grow = 30;
		for (u64 i = 0; i < b.cycles; i++) {
			if (rng.chance(1) && rng.chance(30)) {
				low.random(rng);
				high.random(rng);
				u32 r = u32(rng.below(4));
				limit = r == 0 ? 0 : r == 1 ? 255 : u32(r == 2 ? rng.range(1, 3) : rng.range(1, 254));
				tables();
				grow = u32(rng.range(3, 60));
			}
			may |= soon;
			soon = will;
			will = 0;
			u32 w = want;
			if (cycle(may, may15, go.go())) {
				if (w == VL15) may15 = false;
				else may &= ~(1u << w);
			}
			// The length is there a cycle before the packet may go. A packet may lose its right (credits)
			// and get it again.
			for (u32 v = 0; v < VLS; v++) {
				if (may >> v & 1) { if (rng.chance(3)) may &= ~(1u << v); }
				else if (!(soon >> v & 1) && rng.chance(grow)) {
					length(v, any_length());
					will |= 1u << v;
				}
			}
			if (rng.chance(2)) may15 = true;
		}
		GOAL(n15 > 20 && carried > 20);
		if (VLS > 1) GOAL(limited > 20 && nowhere > 5 && wrapped > 20);
	}

	// Every VL of a table always has a packet: turn by turn each sends its weight, and less than a packet more.
	void shares() {
		if (VLS < 2) return;
		for (u32 round = 0; round < 6; round++) {
			low.clear();
			high.clear();
			limit = round & 1 ? 255 : u32(rng.below(255));
			Table &x = round & 1 ? high : low;
			u32 weight[VLS];
			for (u32 v = 0; v < VLS; v++) {
				weight[v] = u32(rng.range(1, 255));
				x.e[rng.below(2) + 2 * v] = {v, weight[v]};
			}
			tables();
			u32 run = 0, turns = 0, now = 0;
			for (u32 i = 0; i < 8000; i++) {
				u32 w = want;
				if (!cycle((1u << VLS) - 1, false, i > 8)) continue;
				if (run && w != now) {
					CHECK_EQ(w, (now + 1) % VLS, "the VL of the entry behind");
					// The table's current entry is one of the round before at first.
					if (turns++ > 1) CHECK(run >= weight[now] && run < weight[now] + 66,
						"a turn of VL %u of weight %u: %u blocks", now, weight[now], run);
					run = 0;
				}
				now = w;
				run += len[w];
				length(w, any_length());
			}
			CHECK(turns > 10, "%u turns", turns);
		}
	}
	// High and low priority both always have a packet: between two of low priority there is as much of high as the
	// limit says, and less than a packet more.
	void limits() {
		if (VLS < 2) return;
		for (u32 lim : {0u, 1u, 2u, 7u, 40u, 254u, 255u}) {
			low.clear();
			high.clear();
			limit = lim;
			high.e[3] = {0, 200};
			low.e[5] = {1, 9};
			tables();
			u32 run = 0, lows = 0, most = 0, least = ~0u;
			for (u32 i = 0; i < 40000; i++) {
				u32 w = want;
				if (!cycle(3, false, i > 8)) continue;
				if (w == 0) run += len[0];
				else {
					if (lows++) { if (run > most) most = run; if (run < least) least = run; }
					run = 0;
				}
				length(w, any_length());
			}
			if (lim == 255) {
				CHECK(!lows, "low priority went %u times though high priority has no limit", lows);
				continue;
			}
			CHECK(lows > 2, "limit %u: low priority went %u times", lim, lows);
			if (lim) CHECK(least >= 64 * lim && most < 64 * lim + 66,
				"limit %u: %u to %u blocks of high priority in a row", lim, least, most);
			else CHECK(most <= 66, "limit 0: %u blocks of high priority in a row", most);
		}
	}
	void test() {
		b->may_i = 0; b->may15_i = 0; b->take_i = 0;
		tb::clear(b->need_i);
		for (u32 v = 0; v < VLS; v++) length(v, any_length());
		tables();
		b.reset();
		shares();
		limits();
		chaos();
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	printf("# %llu by the limit, %llu on with the weight left, %llu in no table, VL15 %llu\n",
		(unsigned long long)g.limited, (unsigned long long)g.carried,
		(unsigned long long)g.nowhere, (unsigned long long)g.n15);
	return g.b.finish();
}
