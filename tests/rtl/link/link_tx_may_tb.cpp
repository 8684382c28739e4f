// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_may, against the rules written down here: a packet of a VL needs the blocks that the peer granted (or,
// on an Ethernet port, a queue that is not paused), that of any ring an open ring and, for ipd times the cycles of the
// packet before it to the same DLID, patience. Nothing goes that may not, and nothing waits for anything else. More
// rated destinations than there are places are active at times: then only the newest are looked at.
// dut: ohca_link_tx_may
// dut: ohca_link_tx_may NumVl=1 RateEntries=2
// dut: ohca_link_tx_may NumVl=8
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
#ifndef TB_RATE_ENTRIES
#define TB_RATE_ENTRIES 4
#endif
enum { VLS = TB_NUM_VL, QS = VLS + 2, LOOP = VLS, VL15 = VLS + 1, PLACES = TB_RATE_ENTRIES };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	struct { bool have; u32 len, dlid, ipd; } head[QS] = {};
	struct Place { bool busy; u32 dlid, left, ipd, cycles, until; bool hold; } place[PLACES] = {};
	u32 limit[VLS] = {}, sent[VLS] = {}, now, open = (1u << QS) - 1, pause = 0;
	bool en = true, eth = false;
	u32 may = 0, flush = 0, stale = 1;
	u64 taken = 0, dry = 0, spaced = 0, paused = 0, closed = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), now(0xffff0000) {}

	static u32 blocks(u32 dw) { return (4 * dw + 6 + 63) / 64; }
	u32 credit(u32 v) const { u32 c = (limit[v] - sent[v]) & 4095; return c <= 2048 ? c : 0; }
	bool held(const Place &p) const { return p.hold && int32_t(now - p.until) < 0; }
	bool spacing(u32 q) const {
		bool all = true;
		for (auto &p : place) {
			if ((p.busy || held(p)) && p.dlid == head[q].dlid) return true;
			all &= p.busy;
		}
		return head[q].ipd && all;
	}
	void cycle(bool traffic) {
		for (u32 q = 0; q < QS; q++) if (!head[q].have && traffic && rng.chance(20))
			head[q] = {true, u32(rng.chance(70) ? rng.range(6, 40) : rng.range(6, 1054)),
				u32(rng.below(3 * PLACES / 2 + 1) + 1), u32(rng.chance(60) ? 0 : rng.range(1, 12))};
		if (rng.chance(1)) open ^= 1u << rng.below(QS);
		if (!traffic || rng.chance(1)) open = (1u << QS) - 1;
		if (rng.chance(2)) pause = traffic ? u32(rng.below(1u << VLS)) : 0;
		u32 have = 0;
		for (u32 q = 0; q < QS; q++) {
			have |= u32(head[q].have) << q;
			tb::set_bits(b->len_i, 11 * q, 11, head[q].len);
			tb::set_bits(b->dlid_i, 16 * q, 16, head[q].dlid);
			tb::set_bits(b->ipd_i, 8 * q, 8, head[q].ipd);
		}
		b->now_i = now; b->en_i = en; b->eth_i = eth; b->open_i = open; b->have_i = have; b->pause_i = pause;
		u32 uv = u32(rng.below(VLS + 1)), add = u32(rng.chance(50) ? 0 : rng.range(1, 40));
		bool upd = rng.chance(traffic ? 6 : 60);
		b->upd_valid_i = upd; b->upd_vl_i = uv;
		u32 lim = uv < VLS ? (sent[uv] + credit(uv) + (traffic ? add : 200)) & 4095 : 0;
		if (uv < VLS && ((lim - sent[uv]) & 4095) > 2048) lim = limit[uv];
		b->upd_fccl_i = lim;
		// Somebody takes a packet that may go, where the answer is not old.
		int q = -1;
		if (!stale && rng.chance(40)) for (u32 i = 0, at = u32(rng.below(QS)); i < QS; i++, at = (at + 1) % QS)
			if ((b->may_o >> at & 1) && at != LOOP) q = int(at);
		b->take_i = q < 0 ? 0 : 1u << q;
		b->take_rated_i = q >= 0 && head[q].ipd; b->take_dlid_i = q < 0 ? 0xbad : head[q].dlid;
		// A rated packet leaves.
		int gone = -1;
		for (u32 i = 0; i < PLACES; i++) if (place[i].busy && gone < 0 && place[i].left && !--place[i].left)
			gone = int(i);
		b->left_i = gone >= 0; b->left_rate_i = gone < 0 ? 0 : u32(gone);
		u32 hold = gone < 0 ? 77 : place[gone].ipd * place[gone].cycles;
		b->left_hold_i = hold;
		u32 rate = 0;
		b.cycle([] {}, [&] {
			rate = b->rate_o;
			CHECK_EQ(b->may_o, may, "who may go");
			CHECK_EQ(b->flush_o, flush, "whose ring is closed");
			for (u32 v = 0; v < VLS; v++) {
				CHECK_EQ(tb::get_bits(b->credit_o, 12 * v, 12), credit(v), "credits");
				CHECK_EQ(tb::get_bits(b->need_o, 12 * v, 12), blocks(head[v].len), "blocks of a packet");
				bool w = head[v].have && (open >> v & 1) && !eth && blocks(head[v].len) > credit(v);
				CHECK_EQ(b->wait_o >> v & 1, w, "a VL that waits for credits");
			}
		});
		// What is to be shown in the next cycle is of this one.
		may = flush = 0;
		for (u32 i = 0; i < QS; i++) {
			if (i == LOOP || !head[i].have) continue;
			if (!(open >> i & 1)) { flush |= 1u << i; closed++; continue; }
			bool go = i == VL15 || (eth ? !(pause >> i & 1) : blocks(head[i].len) <= credit(i));
			if (!go) (eth ? paused : dry)++;
			if (go && spacing(i)) { go = false; spaced++; }
			may |= u32(go) << i;
		}
		if (stale) stale--;
		if (upd) { if (uv < VLS) limit[uv] = lim; stale = 1; }
		for (auto &p : place) p.hold = held(p);
		u32 free = 0;
		for (auto &p : place) free += !p.busy && !p.hold;
		if (gone >= 0) {
			place[gone].busy = false;
			place[gone].hold = true;
			place[gone].until = now + hold;
		}
		if (q >= 0) {
			if (q < VLS && !eth) sent[q] = (sent[q] + blocks(head[q].len)) & 4095;
			if (head[q].ipd) {
				CHECK(rate < PLACES && !place[rate].busy, "the place of a packet under way is given away");
				CHECK(!free || !place[rate].hold, "a place that is held is taken though one is free");
				u32 c = u32(rng.range(1, 20));
				place[rate] = {true, head[q].dlid, c, head[q].ipd, c, 0, false};
			}
			head[q].have = false;
			stale = 1;
			taken++;
			b.progress();
		}
		for (u32 i = 0; i < QS; i++) if ((flush >> i & 1) && rng.chance(10)) { head[i].have = false; stale = 1; }
		head[LOOP].have = head[LOOP].have && !rng.chance(50);
		now++;
	}
	void test() {
		b->take_i = 0; b->left_i = 0; b->upd_valid_i = 0;
		tb::clear(b->len_i); tb::clear(b->dlid_i); tb::clear(b->ipd_i);
		b->now_i = now; b->en_i = 0; b->have_i = 0; b->open_i = 0;
		b.reset();
		while (b.now() < b.cycles) {
			for (u32 i = 0; i < 3000; i++) cycle(true);
			for (u32 i = 0; i < 3000; i++) cycle(false);
			for (u32 q = 0; q < QS; q++) CHECK(q == LOOP || !head[q].have, "ring %u: its packet never goes", q);
			// The port goes down and comes up as another: no credits, no spacing.
			eth = !eth && rng.chance(50);
			en = false;
			b->en_i = 0; b->eth_i = eth; b->have_i = 0; b->take_i = 0; b->left_i = 0; b->upd_valid_i = 0;
			for (u32 i = 0; i < 3; i++) { b->now_i = now++; b.idle(1); }
			en = true;
			for (u32 v = 0; v < VLS; v++) limit[v] = sent[v] = 0;
			for (auto &p : place) { CHECK(!p.busy, "a packet under way"); p.hold = false; }
			may = flush = 0;
			stale = 1;
		}
		GOAL(taken > 500 && dry > 50 && spaced > 50 && closed > 20);
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
