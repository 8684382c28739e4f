// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_turn: slots with random jobs get turns. Every packet and every piece is what its job says, in order, a READ goes on where its slot's last turn ended; a turn
// ends after Turn packets, with its last job, before one that must wait and, of several VLs, before a packet without room of which nothing has left, and not else; how
// soon and how fast packets come.
// dut: ohca_resp_turn
// dut: ohca_resp_turn Slots=4 PerSlot=4 Turn=1
// dut: ohca_resp_turn Slots=4 PerSlot=4 Compact=1
// dut: ohca_resp_turn Slots=8 PerSlot=8 Shared=1 VlW=2
// dut: ohca_resp_turn Slots=8 PerSlot=8 Turn=7 Shared=1 VlW=1 Compact=1
// args: --cycles 80000
#include "Vdut.h"
#include "tb.h"
#include "resp_job.h"
#ifndef TB_SLOTS
#define TB_SLOTS 16
#define TB_PER_SLOT 32
#endif
#ifndef TB_TURN
#define TB_TURN 4
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_SHARED
#define TB_SHARED 0
#define TB_VL_W 1
#endif
typedef tb::Value<decltype(Vdut::d_o)> Txd;
typedef tb::Value<decltype(Vdut::p_o)> Txp;

// A packet of a job: the one at this offset.
struct Packet { Txd d; std::vector<Txp> p; u32 plen; bool last; };
#define J(f) FIELD(j.v, OHCA_RJOB_##f)
static bool is_read(const Rjob &j) { return J(KIND) == OHCA_RJK_READ; }
static Packet packet(const Rjob &j, u32 off, u32 vl)
{
	Packet k;
	const u32 m = J(MTU) >= 2 && J(MTU) <= 5 ? 128u << J(MTU) : 256, rest = is_read(j) ? u32(J(LEN)) - off : 0;
	const bool first = !off;
	k.plen = std::min(rest, m);
	k.last = rest <= m;
	tb::clear(k.d.v);
#define D(f, x) SET_FIELD(k.d.v, OHCA_TXD_##f, x)
	D(KIND, OHCA_TXK_RESP); D(QPN, J(QPN)); D(MIGREQ, J(MIGREQ)); D(PKEY_INDEX, J(PKEY_INDEX)); D(DQPN, J(DQPN)); D(AETH, J(AETH)); D(PLEN, k.plen); D(VL, vl);
	D(PSN, (J(PSN) + off / m) & 0xffffff);
	D(BTH_OP, !is_read(j) ? 0x11 : first ? k.last ? 0x10 : 0x0d : k.last ? 0x0f : 0x0e);
	for (u32 i = 0; i < OHCA_RJOB_AV_WIDTH; i += 8) tb::set_bits(k.d.v, OHCA_TXD_AV_LSB + i, 8, tb::get_bits(j.v, OHCA_RJOB_AV_LSB + i, 8));
	for (u32 at = 0, n; at < k.plen; at += n) {
		const u64 va = J(VA) + off + at;
		Txp p;
		tb::clear(p.v);
		n = std::min<u32>(k.plen - at, 4096 - (va & 4095));
#define P(f, x) SET_FIELD(p.v, OHCA_TXP_##f, x)
		P(LAST, at + n == k.plen); P(REMOTE, 1); P(PRIV, J(PRIV)); P(PD, J(PD)); P(KEY, J(RKEY)); P(VA, va); P(LEN, n);
		k.p.push_back(p);
	}
	return k;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &r = b.rng;
	struct Slot { std::deque<Rjob> q; u32 head = 0, off = 0, vl = 0; bool begun = false, none = false, ended = false; } slots[TB_SLOTS];     // ended: but not yet done
	std::vector<Rjob> mem(TB_SLOTS * TB_PER_SLOT);
	struct { u32 at = 0, left = 0; } rd;       // a job on its way out of the memory
	Rjob out = random_rjob(r);
	std::deque<Txp> pieces;                    // of packets whose descriptor has left
	u32 early = 0;                             // pieces that have left before theirs
	bool some = false, busy = false, stalled = false, will_busy = false;
	u32 pick = 0, cur = 0, n = 0, feed = 20, ready = 50, p_ready = 50, room = 90, next = 90, again = 50;
	Txd held;
	Txp held_p;
	bool stalled_p = false;
	u64 took = 0, last_d = 0, fast_since = 0;
	u32 last_p = 0;                            // pieces of the packet before
	bool fast = false, first_of_job = true;
	u64 packets = 0, n_early = 0, no_room = 0, whole = 0, chained = 0, resumed = 0, far = 0, carry = 0, nones = 0, quick = 0, waits = 0;
	auto seen = [&] {
		return packets > 6000 && whole > 200 && resumed > 200 && far > 50 && carry > 10 && quick > 500 && (TB_TURN == 1 || (chained > 200 && waits > 50)) &&
		       (TB_SHARED ? no_room > 100 && nones > 50 : n_early > 50);
	};
	d.some_i = 0;
	b.reset();
	auto step = [&](bool more) {
		bool one = false, next_ok = false;
		Slot *s = nullptr;
		b.cycle([&] {
			if (r.below(300) == 0) {
				fast = r.chance(30); fast_since = b.now();
				feed = u32(r.range(1, 40)); ready = u32(r.range(5, 100)); p_ready = u32(r.chance(30) ? 100 : r.range(5, 100)); room = u32(r.chance(50) ? 97 : r.range(20, 100));
				next = u32(r.range(30, 100)); again = u32(r.range(10, 100));
			}
			d.some_i = some; d.pick_i = pick;
			d.pick_head_i = slots[pick].head; d.pick_begun_i = slots[pick].begun; d.pick_vl_i = slots[pick].vl; d.pick_none_i = slots[pick].none;
			d.job_i = out.v;
			d.d_ready_i = fast || r.chance(ready); d.p_ready_i = fast || r.chance(p_ready);
			d.eval();
			s = &slots[d.slot_o];
			one = s->q.size() <= 1; next_ok = r.chance(next);
			d.one_i = one; d.next_ok_i = next_ok;
			d.room_i = !TB_SHARED || fast || s->none || r.chance(room);
		}, [&] {
			CHECK_EQ(d.busy_o, will_busy, "a turn is on its way");
			busy = will_busy;
			CHECK_EQ(d.take_o, !busy && some, "a turn begins");
			CHECK_EQ(d.idle_o, !busy && !d.p_valid_o, "idle");
			bool ends = false;
			if (busy) {
				CHECK_EQ(d.slot_o, cur, "whose turn it is");
				CHECK_EQ(d.vl_o, s->vl, "its VL"); CHECK_EQ(d.none_o, s->none, "it has no VL");
			} else CHECK(!d.d_valid_o && !d.done_o && !d.off_we_o && !d.last_o, "something without a turn");
			const u32 vl = !TB_SHARED ? 0 : s->none ? 15 : s->vl;
			if (stalled && !TB_SHARED) CHECK(d.d_valid_o, "a stalled descriptor vanished");
			if (d.d_valid_o) {
				CHECK(!s->ended && !s->q.empty(), "a packet behind the job's last");
				const Packet k = packet(s->q.front(), s->off, vl);
				Txd got;
				got.v = d.d_o;
				if (got != k.d) for (u32 i = 0; i < OHCA_TXD_BITS; i += 32) CHECK_EQ(tb::get_bits(got.v, i, 32), tb::get_bits(k.d.v, i, 32), "a word of the descriptor");
				CHECK_EQ(d.last_o, k.last, "the job's last packet");
				if (stalled) CHECK(got == held, "a stalled descriptor changed");
				held = got;
				if (d.d_ready_i) {
					b.progress();
					CHECK(++n <= TB_TURN, "more packets than a turn has");
					packets++;
					nones += s->none;
					resumed += n == 1 && s->off; chained += n > 1 && !s->off;
					far += s->off >> 16 && is_read(s->q.front());
					carry += is_read(s->q.front()) && (FIELD(s->q.front().v, OHCA_RJOB_VA) ^ (FIELD(s->q.front().v, OHCA_RJOB_VA) + s->off + k.plen)) >> 32;
					if (fast && b.now() - fast_since > 40) {
						const u64 gap = n == 1 ? b.now() - took : b.now() - last_d, limit = 3 + (n > 1 && last_p == 2) + (TB_COMPACT ? (n > 1) + (n == 1 || first_of_job ? 2 : 0) : 0);
						CHECK(gap <= limit, "a packet after %llu cycles, which may be %llu", (unsigned long long)gap, (unsigned long long)limit);
						quick++;
					}
					last_d = b.now(); last_p = u32(k.p.size());
					CHECK(early <= k.p.size() && (!early || (k.p.size() == 2 && early == 1)), "a packet's last piece before its descriptor");
					for (u32 i = early; i < k.p.size(); i++) pieces.push_back(k.p[i]);
					early = 0;
					first_of_job = false;
					if (k.last) s->ended = true;
					else s->off += k.plen;
				}
			}
			stalled = d.d_valid_o && !d.d_ready_i;
			if (stalled_p) CHECK(d.p_valid_o && Txp{d.p_o} == held_p, "a stalled piece changed");
			if (d.p_valid_o && d.p_ready_i) {
				b.progress();
				Txp want, got{d.p_o};
				if (pieces.empty()) {
					CHECK(!TB_SHARED && busy && !s->ended && !early, "a piece before its descriptor");
					const Packet k = packet(s->q.front(), s->off, vl);
					CHECK(k.p.size() == 2, "a packet's last piece before its descriptor");
					want = k.p[0];
					early++; n_early++;
				} else { want = pieces.front(); pieces.pop_front(); }
				if (got != want) for (u32 i = 0; i < OHCA_TXP_BITS; i += 32) CHECK_EQ(tb::get_bits(got.v, i, std::min(32u, OHCA_TXP_BITS - i)), tb::get_bits(want.v, i, std::min(32u, OHCA_TXP_BITS - i)), "a word of the piece");
			}
			stalled_p = d.p_valid_o && !d.p_ready_i;
			held_p.v = d.p_o;
			CHECK(!(d.done_o && d.off_we_o), "a job ends and goes on");
			if (d.done_o) {
				const Rjob &j = s->q.front();
				CHECK(s->ended && d.last_o, "a job ends before its last packet");
				CHECK_EQ(d.read_o, is_read(j), "it is a READ"); CHECK_EQ(d.frees_o, is_read(j) && J(LIM), "it counts");
				ends = n == TB_TURN || one || !next_ok;
				waits += n < TB_TURN && !one && !next_ok;
				s->q.pop_front();
				s->head = (s->head + 1) % TB_PER_SLOT; s->off = 0; s->begun = s->ended = false;
				first_of_job = true;
			} else if (d.off_we_o) {
				CHECK(!s->ended, "a job goes on behind its last packet");
				CHECK((n == TB_TURN && !stalled) || (TB_SHARED && !d.room_i), "a turn ends after %u packets", n);
				no_room += TB_SHARED && n < TB_TURN && s->off;
				ends = s->begun = true;
			}
			if (ends) { whole += n == TB_TURN; CHECK(!early, "a piece of a packet that does not come"); }
			CHECK_EQ(d.rd_o, d.take_o || (d.done_o && !ends), "a job is read");
			if (d.rd_o) {
				CHECK_EQ(d.rd_slot_o, d.take_o ? pick : cur, "slot of the job that is read");
				CHECK_EQ(d.rd_head_o, slots[d.rd_slot_o].head, "the job that is read");
				rd = { u32(d.rd_slot_o) * TB_PER_SLOT + u32(d.rd_head_o), TB_COMPACT ? 3 : 1 };
			}
			if (d.take_o) { cur = pick; n = 0; took = b.now(); first_of_job = true; }
			will_busy = d.take_o || (busy && !ends);
			// The memory: what comes before the job does not matter.
			if (rd.left) out = --rd.left ? random_rjob(r) : mem[rd.at];
			// More jobs, and who is next: none whose turn it is.
			const u32 i = u32(r.below(r.chance(50) ? 2 : TB_SLOTS));
			if (more && slots[i].q.size() < TB_PER_SLOT && r.chance(feed)) {
				Rjob j = random_rjob(r);
				if (is_read(j)) {
					const u32 m = 128u << r.range(1, 5);
					u64 len = r.chance(10) ? 0 : r.chance(20) ? m * r.range(1, 6) + r.below(2) : r.chance(70) ? r.range(1, 600) : r.chance(95) ? r.range(1, 20000) : r.range(66000, 100000);
					if (r.chance(40)) SET_FIELD(j.v, OHCA_RJOB_VA, (J(VA) & 0x7fffffff00000000ull) + 0x100000000ull - r.below(len + 4096));
					if (r.chance(30)) SET_FIELD(j.v, OHCA_RJOB_VA, J(VA) & ~0xfffull);
					SET_FIELD(j.v, OHCA_RJOB_LEN, len);
				}
				if (r.chance(30)) SET_FIELD(j.v, OHCA_RJOB_LIM, 0);
				if (slots[i].q.empty() && i != (will_busy ? cur : ~0u)) { slots[i].head = u32(r.below(TB_PER_SLOT)); slots[i].vl = u32(r.bits(TB_VL_W)); slots[i].none = r.chance(10); }
				mem[i * TB_PER_SLOT + (slots[i].head + slots[i].q.size()) % TB_PER_SLOT] = j;
				slots[i].q.push_back(j);
			}
			auto can = [&](u32 x) { return !slots[x].q.empty() && !(busy && x == cur) && !(d.take_o && x == pick); };
			if (d.take_o || !some || r.chance(30)) { pick = u32(r.below(TB_SLOTS)); some = can(pick) && r.chance(again); }
			else some = some && can(pick);
			if (!busy && !some && !d.take_o) { bool any = false; for (auto &x : slots) any |= !x.q.empty(); if (!any) b.progress(); }
		});
	};
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen())) step(true);
	auto left = [&] { size_t k = pieces.size() + will_busy; for (auto &x : slots) k += x.q.size(); return k; };
	while (left()) { again = 100; step(false); }
	step(false);
	CHECK(d.idle_o, "not idle at the end");
	printf("# %llu packets, %llu of resumed READs, %llu more than 64 KiB from their READ's begin; %llu turns ended for want of room, %llu pieces before their descriptor\n",
	       (unsigned long long)packets, (unsigned long long)resumed, (unsigned long long)far, (unsigned long long)no_room, (unsigned long long)n_early);
	GOAL(seen());
	return b.finish();
}
