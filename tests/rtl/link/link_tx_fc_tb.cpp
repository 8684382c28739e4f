// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_fc, from the rules of the InfiniBand architecture (7.9): what each flow-control packet bears, byte by
// byte (Op, FCTBS, VL, FCCL, and an LPCRC computed here), against the blocks that went before it on the wire and the
// receiver's limits; and when they come: with the period for every VL in use, at once when a limit has moved far
// enough, when the state or the VLs change, and when a VL has no credit and the peer does not know what was sent; and
// otherwise not.
// dut: ohca_link_tx_fc
// dut: ohca_link_tx_fc NumVl=1
// dut: ohca_link_tx_fc NumVl=8
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
enum { VLS = TB_NUM_VL };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	// What is on the wire, and what the other side of it knows; the limits, and those of a cycle ago.
	u32 fctbs[VLS] = {}, told_tbs[VLS] = {}, told_lim[VLS] = {}, lim[VLS] = {}, lim_old[VLS] = {};
	u64 told_at[VLS] = {}, n = 0;
	int only = -1;                               // the VL of all packets
	u32 vls = 0, period = 1 << 20, thr = 16, now = 0, left = 0;
	bool en = false, init = false, eth = false, dry[VLS] = {}, single = false;
	u64 change = 0;                              // of the state or of the VLs
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng) {}

	// CRC-16 of 0x100b over the first n bytes, as the link's CRCs are made: bytes from the lowest bit on, from all
	// ones, inverted.
	static u32 crc16(const uint8_t *p, unsigned n) {
		u32 c = 0xffff;
		for (unsigned i = 0; i < 8 * n; i++) {
			u32 bit = (p[i / 8] >> (i % 8) & 1) ^ (c & 1);
			c = c >> 1 ^ (bit ? 0xd008 : 0);
		}
		return ~c & 0xffff;
	}
	// A cycle. go: the wire takes a flow-control packet; start: a packet begins if it may. Returns the VL that was
	// told, or -1.
	int cycle(bool go, bool start) {
		// registers: what they show in this cycle is known before it
		bool waits = b->valid_o && en;
		bool mid = left > 0;
		bool send = waits && !mid && go && !b->old_o;
		u32 v = only >= 0 ? u32(only) : u32(rng.below(VLS)), blocks = 0;
		bool begin = start && !mid && en && !(waits && !mid);
		if (begin) { blocks = u32(rng.range(1, 66)); left = single ? 1 : u32(rng.range(1, 20)); }
		bool data = begin && rng.chance(90);           // else of VL15, which has no account
		b->now_i = now;
		b->en_i = en; b->eth_i = eth; b->init_i = init; b->vls_i = vls; b->period_i = period; b->thr_i = thr;
		b->begin_i = begin;
		b->begin_vl_i = data ? 1u << v : 0;
		b->begin_blocks_i = blocks;
		b->send_i = send;
		for (u32 i = 0; i < VLS; i++) {
			tb::set_bits(b->fccl_i, 12 * i, 12, lim[i]);
			tb::set_bits(b->wait_i, i, 1, dry[i]);
		}
		int told = -1;
		b.cycle([] {}, [&] { if (send) told = look(); });
		for (u32 i = 0; i < VLS; i++) lim_old[i] = lim[i];
		if (left && (begin || rng.chance(70))) left--;
		if (data) fctbs[v] = (fctbs[v] + blocks) & 4095;
		if (!en) for (u32 i = 0; i < VLS; i++) fctbs[i] = told_tbs[i] = told_lim[i] = 0;
		now++;
		b.progress();
		return told;
	}
	int look() {
		uint8_t p[6];
		tb::get_bytes(b->data_o, p, 6);
		u32 v = p[2] >> 4;
		CHECK(v < VLS && v < vls, "a flow-control packet of VL %u of %u", v, vls);
		if (b.now() > change) CHECK_EQ(p[0] >> 4, u32(init), "Op");
		u32 tbs = (p[0] & 15u) << 8 | p[1], ccl = (p[2] & 15u) << 8 | p[3];
		CHECK_EQ(tbs, fctbs[v], "FCTBS: the blocks that are before it on the wire");
		CHECK_EQ(ccl, lim_old[v], "FCCL: the limit of a cycle ago");
		CHECK_EQ(p[4] | p[5] << 8, crc16(p, 4), "LPCRC");
		told_tbs[v] = tbs;
		told_lim[v] = ccl;
		n++;
		return int(v);
	}
	void quiet(u32 cycles, const char *when) {
		for (u32 i = 0; i < cycles; i++) CHECK(cycle(true, false) < 0, "told though nothing is due: %s", when);
	}
	// Until each VL of the set was told, at most these cycles; no other is.
	void all(u32 set, u32 cycles, const char *when) {
		u32 got = 0;
		for (u32 i = 0; i < cycles && got != set; i++) {
			int v = cycle(true, false);
			if (v < 0) continue;
			CHECK((set >> v & 1) && !(got >> v & 1), "%s: VL %d was told, VLs %x are due", when, v,
				set & ~got);
			got |= 1u << v;
		}
		CHECK_EQ(got, set, when);
	}
	u32 used() { return (1u << vls) - 1; }
	void up(u32 n_vl, bool in) {
		en = false;
		cycle(true, false);
		cycle(true, false);
		for (auto &x : lim) x = u32(rng.below(2048));
		vls = n_vl; init = in; en = true;
		change = b.now();
	}

	// One reason after another.
	void reasons() {
		for (u32 round = 0; round < 40; round++) {
			u32 few = u32(rng.range(1, VLS));
			period = u32(rng.range(2000, 4000));
			thr = u32(rng.range(2, 200));
			now = rng.chance(50) ? 0xffffff00u - u32(rng.below(500)) : u32(rng.next());
			up(few, rng.chance(50));
			all(used(), 8 + 4 * VLS, "the start");
			quiet(20, "after the start");
			// A limit that moves: not below the threshold, at once there; in the circle of 4096.
			u32 v = u32(rng.below(few)), base = told_lim[v];
			lim[v] = (base + thr - 1) & 4095;
			quiet(20, "a limit that moved by less than the threshold");
			lim[v] = (base + thr) & 4095;
			all(1u << v, 8, "a limit that moved by the threshold");
			// No credit: only if the peer does not know of all blocks.
			dry[v] = true;
			quiet(200, "no credit, and the peer knows of all");
			only = int(v);
			while (fctbs[v] == told_tbs[v]) cycle(true, true);
			only = -1;
			while (left) cycle(true, false);
			quiet(60, "a VL without credit, some cycles after its packet");
			all(1u << v, 80, "a VL without credit tells what it has sent");
			quiet(200, "and once only");
			dry[v] = false;
			// The state and the VLs.
			init = !init;
			change = b.now();
			all(used(), 8 + 4 * VLS, "another state");
			u32 t1 = now;
			if (VLS > 1) {
				vls = few == VLS ? 1 : VLS;
				change = b.now();
				all(used(), 8 + 4 * VLS, "other VLs");
				t1 = now;
			}
			// The period, twice. It began with the last change.
			while (now - t1 < period - 8 - 4 * VLS) quiet(1, "before the period is over");
			all(used(), 24 + 8 * VLS, "the period");
			t1 = now;
			while (now - t1 < period - 8 - 4 * VLS) quiet(1, "before the second period is over");
			all(used(), 24 + 8 * VLS, "the second period");
			// A shorter one counts at once.
			if (period > 2500) { period = 100; all(used(), 8 + 4 * VLS, "a shorter period"); }
			// Ethernet has none.
			if (round % 8 == 7) {
				eth = true;
				for (u32 i = 0; i < 4; i++) cycle(true, false);
				quiet(500, "Ethernet");
				eth = false;
			}
		}
	}
	// All at once: what each bears, and no VL is silent for longer than a period and what the wire keeps it
	// waiting.
	void chaos() {
		tb::Pace go(&rng), start(&rng);
		thr = 64;
		up(VLS, true);
		for (auto &x : told_at) x = b.now();
		period = 600;
		for (u64 i = 0; i < b.cycles; i++) {
			if (rng.chance(1) && rng.chance(5)) {
				up(u32(rng.range(1, VLS)), rng.chance(50));
				for (auto &x : told_at) x = b.now();
			}
			single = i / 2000 % 2;
			u32 moves = u32(rng.below(VLS));
			if (rng.chance(3)) lim[moves] = (lim[moves] + u32(rng.below(40))) & 4095;
			for (u32 v = 0; v < VLS; v++) if (rng.chance(1)) dry[v] = rng.chance(50);
			// the wire stands now and then, and is there in between
			bool stall = i % 512 >= 490;
			int v = cycle(!stall && (i % 64 < 32 || go.go()), start.go());
			if (v >= 0) told_at[v] = b.now();
			for (u32 k = 0; k < vls; k++) {
				u64 age = b.now() - told_at[k];
				CHECK(age < period + 700, "VL %u of %u has told nothing for %llu cycles", k, vls,
					(unsigned long long)age);
			}
		}
		GOAL(n > 500);
	}
	void test() {
		b->begin_i = b->send_i = b->en_i = 0;
		tb::clear(b->fccl_i);
		b.reset();
		reasons();
		chaos();
		printf("# %llu flow-control packets\n", (unsigned long long)n);
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
