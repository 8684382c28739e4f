// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp: random jobs of many QPs; per QP everything comes out in job order, segmented by the MTU, and only plain ACKs are merged. One READ
// too many is reported, and the NAK that ends a connection finds room always.
// What finds no slot waits for one and nobody is passed over for ever; all else passes what waits.
// dut: ohca_resp Slots=4 PerSlot=4 Acks=4 Places=16 Coming=4
// dut: ohca_resp Slots=4 PerSlot=4 Acks=4 Places=32 Coming=8 Compact=1 RoCE=0
// dut: ohca_resp Slots=16 PerSlot=32 Acks=16
// dut: ohca_resp Slots=64 PerSlot=8 Acks=8 Turn=1
// dut: ohca_resp Slots=8 PerSlot=8 Acks=4 NumVl=4 Places=16 Coming=4
// dut: ohca_resp Slots=16 PerSlot=8 Acks=8 NumVl=2 DW=512
// args: --cycles 150000
#include "Vdut.h"
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#include "tb.h"
#include "send_models.h"
#include "resp_job.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifdef TB_TURN
enum { TB_TURN_ = TB_TURN };
#else
enum { TB_TURN_ = 4 };
#endif
#ifndef TB_PLACES
#define TB_PLACES 128
#define TB_COMING 36
#endif

struct Job { u32 ack, nak, qpn, psn, aeth, rkey, len, pd, priv, mtu, mig, pkx, dqpn, lim; u64 va; bytes av; u32 behind = 0; bool maybe = false; };
#ifndef TB_D_W
#define TB_D_W 64
#endif
enum { NQP = 24 };
static u32 mtu_bytes(u32 m) { return 128u << m; }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 100);
	tb::Source<Job> src(&b.rng);
	tb::Pace pd(&b.rng), pp(&b.rng);
	std::deque<Job> want[NQP];
	u32 off[NQP] = {};
	struct Pay { Job j; u32 off, plen, at; };
	std::deque<Pay> pays;
	u64 overs = 0, dropped = 0, merged = 0, packets = 0, acks_in = 0, open = 0, first = 0, last = 0, fed = 0, late = 0, few = 0;
	std::vector<u8> held;
	bool st = false, stp = false, idle = false;
	Rooms rooms(b.rng, TB_D_W);
	if (VLS > 1) rooms.words = std::min(rooms.words * (TB_D_W == 64 ? 2 : 1), 4 * 4096 / rooms.lane + 9 * rooms.hdr + 1024);     // what ohca_link_tx shows
	for (auto &r : rooms.room) r = rooms.words;
	bool want_room = false;                   // requests wait for room
	rooms.random = true;
	u64 stuck_since[8] = {}, put_off = 0, turned_away = 0;
	u32 stuck_after = 1500;                   // cycles
	std::vector<u8> sl(NQP);
	for (auto &s : sl) s = u8(b.rng.bits(4));
	std::vector<u8> heldp;
	struct Fresh { Job j; bool stuck; };
	std::deque<Fresh> fresh;                  // taken in, not yet known where to
	std::vector<std::pair<u32, u32>> taken;
	// Writes of others: issued, and acknowledged in order, some much later.
	u32 wr_issued = 0, wr_acked = 0xfffffff0u, waited = 0;
	wr_issued = wr_acked;
	std::deque<u64> wr_due;
	unsigned writes = 0;                      // percent of cycles
	bool no_acks = false;                     // the host answers none of them
	auto step = [&] {
		b.cycle([&] {
			if (writes && b.now() % 4096 == 0) writes = 1 + unsigned(b.rng.below(b.rng.chance(50) ? 3 : 60));
			if (b.rng.chance(writes) && wr_due.size() < 20000) {
				u64 due = b.now() + b.rng.range(1, b.rng.chance(1) ? 2000 : 60);
				if (!wr_due.empty() && due < wr_due.back()) due = wr_due.back();
				wr_due.push_back(due);
				wr_issued++;
			}
			if (!no_acks && !wr_due.empty() && wr_due.front() <= b.now()) { wr_due.pop_front(); wr_acked++; }
			b->wr_issued_i = wr_issued; b->wr_acked_i = wr_acked;
			b->job_valid_i = src.drive();
			if (b->job_valid_i) {
				const Job &j = src.front();
				tb::clear(b->job_i);
#define S(f, x) SET_FIELD(b->job_i, OHCA_RJOB_##f, x)
				S(KIND, j.ack ? OHCA_RJK_ACK : OHCA_RJK_READ); S(NAK, j.nak); S(QPN, j.qpn); S(PSN, j.psn); S(AETH, j.aeth); S(VA, j.va); S(RKEY, j.rkey);
				S(LEN, j.len); S(PD, j.pd); S(PRIV, j.priv); S(MTU, j.mtu); S(MIGREQ, j.mig); S(PKEY_INDEX, j.pkx); S(DQPN, j.dqpn);
				S(LIM, j.lim);
				for (int k = 0; k < 40; k++) tb::set_bits(b->job_i, OHCA_RJOB_AV_LSB + 8 * k, 8, j.av[k]);
			}
			b->txd_ready_i = pd.go();
			b->txp_ready_i = pp.go() && !pays.empty();
			rooms.step(b.now());
			rooms.drive(b->room_i, b->desc_i);
			b->sl2vl_i = rooms.map();
			b->stuck_i = 0;
			b->yield_i = (rooms.random && b.rng.chance(20)) ? unsigned(b.rng.bits(VLS)) : 0;
			b->want_i = want_room ? ~0u >> (32 - VLS) : (rooms.random && b.rng.chance(50)) ? unsigned(b.rng.bits(VLS)) : 0;
			for (unsigned v = 0; v < VLS; v++) {
				if (!rooms.stopped(v, b.now())) stuck_since[v] = b.now();
				else if (b.now() - stuck_since[v] > stuck_after) b->stuck_i |= 1u << v;
			}
		}, [&] {
			// What became of the oldest job that was taken in.
			bool full = b->cnt_o >> OHCA_COUNTER_RESP_FULL & 1, done = b->job_done_o;
			CHECK(!done || !fresh.empty(), "a job dropped from nowhere");
			few += b->few_o;
			if (!done && (full || b->over_valid_o)) {
				// One that had waited finds its ring full, or is a READ too many.
				auto &w = want[b->over_qpn_o % NQP];
				size_t i = 0;
				u32 n = 0;
				while (i < w.size() && (w[i].psn != b->over_psn_o || w[i].maybe)) { n += !w[i].ack && w[i].lim; i++; }
				CHECK(full && b->over_qpn_o < NQP && i < w.size() && (i || !off[b->over_qpn_o]), "a job dropped from nowhere");
				if (b->over_valid_o) { CHECK(!w[i].ack && w[i].lim && n + 1 >= w[i].lim, "READ refused: %u of %u", n, w[i].lim); overs++; }
				turned_away += b->stuck_i >> rooms.vl(w[i].av[2] & 15) & 1;
				// It may have taken the place of plain ACKs before it.
				for (size_t k = i; w[i].ack && !w[i].nak && k-- && w[k].ack && !w[k].nak && !w[k].maybe;) { w[k].maybe = true; open--; }
				w.erase(w.begin() + long(i));
				open--;
				dropped++;
				late++;
			}
			for (auto &f : fresh) f.stuck |= b->stuck_i >> rooms.vl(f.j.av[2] & 15) & 1;
			if (done) {
				Job j = fresh.front().j;
				u32 n = 0;
				// READs that count and have not been answered; the unit may find the last one's end a little later, and one that is on offer it counts no more.
				for (auto &x : want[j.qpn]) n += !x.ack && x.lim;
				if (b->over_valid_o) {
					CHECK(!j.ack && j.lim && n + 1 >= j.lim, "READ refused: %u of %u", n, j.lim);
					CHECK_EQ(b->over_qpn_o, j.qpn, "QP of a READ too many");
					CHECK_EQ(b->over_psn_o, j.psn, "PSN of a READ too many");
					CHECK(full, "a READ too many is dropped");
					overs++;
				}
				if (full) {
					dropped++;
					turned_away += fresh.front().stuck;
				} else { want[j.qpn].push_back(j); open++; acks_in += j.ack; }
				fresh.pop_front();
			}
			// Room that was taken shows a cycle later (ohca_txmux).
			for (auto &t : taken) { rooms.take(1u << t.first, rooms.need(t.second), 1, 0, 0); rooms.packet(t.first, t.second); }
			taken.clear();
			if (b->job_valid_i) {
				Job j = src.front();
				j.behind = wr_issued;
				if (src.sample(b->job_ready_o)) {
					b.progress();
					fed++;
					fresh.push_back({ j, false });
				}
			}
			std::vector<u8> cur(sizeof(b->txd_o)), curp(sizeof(b->txp_o));
			tb::get_bytes(b->txd_o, cur.data(), cur.size());
			tb::get_bytes(b->txp_o, curp.data(), curp.size());
			if (st) CHECK(b->txd_valid_o && cur == held, "a stalled descriptor changed");
			if (stp) CHECK(b->txp_valid_o && curp == heldp, "a stalled piece changed");
			st = b->txd_valid_o && !b->txd_ready_i; held = cur;
			stp = b->txp_valid_o && !b->txp_ready_i; heldp = curp;
			if (b->txd_valid_o && b->txd_ready_i) {
				b.progress();
				packets++;
				if (!first) first = b.now();
				last = b.now();
#define D(f) u32(FIELD(b->txd_o, OHCA_TXD_##f))
				u32 q = D(QPN);
				CHECK(q < NQP, "packet from nowhere");
				while (!want[q].empty() && want[q][0].maybe && (D(BTH_OP) != OHCA_BTH_OP_ACK || want[q][0].psn != D(PSN))) want[q].pop_front();
				CHECK(!want[q].empty(), "packet from nowhere");
				if (VLS > 1) {
					u32 v = rooms.vl(u32(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + 16, 4)));
					CHECK_EQ(D(VL), v, "VL");
					if (v < VLS) taken.push_back({ v, D(PLEN) });
					for (unsigned k = 0; k < VLS; k++) put_off += k != v && rooms.room[k] < rooms.reserve() + 4096 / rooms.lane + 2 * rooms.hdr;
				}
				u32 op = D(BTH_OP);
				if (op == OHCA_BTH_OP_ACK) {
					// Plain ACKs that were replaced by the next one.
					while (want[q].size() > 1 && want[q][0].ack && !want[q][0].nak && want[q][0].psn != D(PSN) && want[q][1].ack && !want[q][1].nak) {
						open -= !want[q][0].maybe;
						want[q].pop_front();
						merged++;
					}
				}
				Job &j = want[q].front();
				CHECK_EQ(op == OHCA_BTH_OP_ACK, j.ack, "order");
				u32 m = mtu_bytes(j.mtu), rem = j.len - off[q], plen = j.ack ? 0 : std::min(rem, m);
				bool f = off[q] == 0, l = rem <= m;
				if (!j.ack && f) {
					waited += wr_acked != j.behind;
					CHECK(int(wr_acked - j.behind) >= 0, "a READ overtakes writes issued before it: %u, acknowledged are %u", j.behind, wr_acked);
				}
				if (!j.ack) CHECK_EQ(op, f ? (l ? 0x10 : 0x0d) : (l ? 0x0f : 0x0e), "opcode");
				CHECK_EQ(D(KIND), OHCA_TXK_RESP, "kind"); CHECK_EQ(D(DONE), 0, "done"); CHECK_EQ(D(VL15), 0, "vl15");
				CHECK_EQ(D(PSN), (j.psn + (j.ack ? 0 : off[q] / m)) & 0xffffff, "psn"); CHECK_EQ(D(AETH), j.aeth, "aeth"); CHECK_EQ(D(PLEN), plen, "plen");
				CHECK_EQ(D(DQPN), j.dqpn, "dqpn"); CHECK_EQ(D(PKEY_INDEX), j.pkx, "pkey"); CHECK_EQ(D(MIGREQ), j.mig, "migreq"); CHECK_EQ(D(ACKREQ), 0, "ackreq");
				const bytes av = path_back(j.av, TB_RO_C_E);
				for (int k = 0; k < 40; k++) CHECK_EQ(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + 8 * k, 8), av[k], "av");
				if (plen) pays.push_back({ j, off[q], plen, 0 });
				if (j.ack || l) { open -= !j.maybe; want[q].pop_front(); off[q] = 0; }
				else off[q] += m;
			}
			if (b->txp_valid_o && b->txp_ready_i) {
#define P(f) u32(FIELD(b->txp_o, OHCA_TXP_##f))
				b.progress();
				CHECK(!pays.empty(), "piece before its descriptor");
				Pay &p = pays.front();
				u64 va = p.j.va + p.off + p.at;
				CHECK_EQ(FIELD(b->txp_o, OHCA_TXP_VA), va, "va"); CHECK_EQ(P(KEY), p.j.rkey, "key"); CHECK_EQ(P(REMOTE), 1, "remote"); CHECK_EQ(P(INL), 0, "inl");
				CHECK_EQ(P(PD), p.j.pd, "pd"); CHECK_EQ(P(PRIV), p.j.priv, "priv"); CHECK_EQ(P(BAD), 0, "bad");
				CHECK_EQ(P(LEN), std::min<u64>(p.plen - p.at, 4096 - (va & 4095)), "piece length");
				p.at += P(LEN);
				CHECK_EQ(P(LAST), p.at == p.plen, "last");
				if (p.at == p.plen) pays.pop_front();
			}
			idle = b->idle_o;
		});
	};
	u32 psn[NQP] = {};
	auto job = [&](u32 q, bool ack, u32 len) {
		Job j;
		j.ack = ack; j.nak = ack && b.rng.chance(10); j.qpn = q; j.psn = psn[q] = (psn[q] + 1 + u32(b.rng.below(4))) & 0xffffff; j.aeth = u32(b.rng.next());
		j.rkey = u32(b.rng.next()); j.len = len; j.pd = u32(b.rng.bits(24)); j.priv = b.rng.chance(50); j.mtu = u32(b.rng.range(1, 5)); j.mig = b.rng.chance(50);
		j.pkx = u32(b.rng.bits(16)); j.dqpn = u32(b.rng.bits(24)); j.va = b.rng.next(); j.av = b.rng.bytes(40);
		j.lim = ack || b.rng.chance(50) ? 0 : u32(b.rng.range(b.rng.chance(3) ? 1 : 16, 31));
		j.av[2] = u8((j.av[2] & 0xf0) | sl[q]);        // a QP has one SL
		return j;
	};
	b.reset();
	unsigned nq = 4, reads = 50;
	bool obeys = false;                       // no READs while none are wanted
	writes = 20;
	while (b.now() < b.cycles) {
		if (b.rng.below(2000) == 0) { nq = unsigned(b.rng.range(1, NQP)); reads = unsigned(b.rng.below(100)); obeys = b.rng.chance(60); }
		if (src.q.size() < 4 && b.rng.chance(50)) {
			u32 q = u32(b.rng.below(nq));
			bool ack = !b.rng.chance(reads) || (obeys && b->few_o);
			src.push(job(q, ack, ack ? u32(b.rng.next()) : b.rng.chance(10) ? 0 : b.rng.chance(70) ? u32(b.rng.range(1, 600)) : u32(b.rng.range(1, 40000))));
		}
		step();
	}
	while (!src.done() || !fresh.empty() || open || !pays.empty() || !idle) step();
	CHECK(merged > 0 || acks_in < 100, "no ACK was ever merged");
	{
		// Nothing leaves: of one QP two READs are allowed and three come, and things behind it, and the NAK; another's ring is full, and then comes its NAK.
		auto put = [&](Job j, bool taken, bool over) {
			u64 d0 = dropped, o0 = overs;
			src.push(j);
			while (!src.done() || !fresh.empty()) { b.progress(); step(); }
			CHECK_EQ(dropped - d0, u64(!taken), "job taken");
			CHECK_EQ(overs - o0, u64(over), "READ refused");
		};
		auto read = [&](u32 q, u32 lim) { Job j = job(q, false, 100); j.lim = lim; return j; };
		auto nak = [&](u32 q, u32 synd) { Job j = job(q, true, 0); j.nak = 1; j.aeth = synd << 24 | q; return j; };
		rooms.random = false;
		pd.always(0);
		put(nak(NQP - 1, 0x60), true, false);              // this one is on offer
		put(read(0, 2), true, false);
		put(read(0, 0), true, false);                      // a duplicate
		put(read(0, 2), true, false);
		put(read(0, 2), false, true);
		put(read(0, 2), false, false);
		put(nak(0, 0x60), false, false);
		put(nak(0, 0x61), true, false);
		put(read(1, 31), true, false);
		for (u32 i = 2; i < TB_PER_SLOT; i++) put(nak(1, 0x60), true, false);
		put(nak(1, 0x60), false, false);
		put(nak(1, 0x20), false, false);
		put(nak(1, 0x62), true, false);
		pd.always(-1);
		while (!fresh.empty() || open || !pays.empty() || !idle) step();
		for (u32 i = 0; i < 3; i++) { put(read(0, 1), true, false); while (!fresh.empty() || open || !pays.empty() || !idle) step(); }
	}
	rooms.random = false;
	pd.always(1); pp.always(1); src.pace.always(1);
	auto drain = [&] { while (!src.done() || !fresh.empty() || open || !pays.empty() || !idle) step(); };
	auto plain = [&](u32 q) { Job j = job(q, true, 0); j.nak = 0; return j; };
	auto read = [&](u32 q, u32 len) { Job j = job(q, false, len); j.lim = 0; j.mtu = 5; return j; };
	drain();
	if (TB_SLOTS <= 16 && VLS == 1) {
		// Slots' QPs always have two READs under way. Another one's READ, and what comes behind it, has its turn; and ACKs pass.
		// Of writes there are none, as READs behind them would wait besides.
		const u32 Q = NQP - 1, A = NQP - 2, kept = writes;
		writes = 0;
		while (wr_acked != wr_issued) { b.progress(); step(); }
		u32 rounds = 3;
		u64 t0 = b.now(), t_ack = 0, acks = 0, worst = 0;
		bool begun = false;
		while (rounds) {
			for (u32 q = 0; q < TB_SLOTS; q++) if (want[q].size() < 2 && src.q.size() < 4) { src.push(read(q, 20000)); break; }
			if (b.now() - t0 > 2000 && !begun) {
				src.push(read(Q, 9000)); src.push(plain(Q)); src.push(read(Q, 10)); src.push(job(Q, true, 0));
				begun = true;
				t0 = b.now();
			}
			if (begun && fresh.empty() && src.done() && want[Q].empty()) { begun = false; rounds--; t0 = b.now(); }
			CHECK(!begun || b.now() - t0 < 4000 * TB_SLOTS, "a READ is passed over");
			if (!t_ack && b.rng.chance(5)) { src.push(plain(A)); t_ack = b.now(); acks++; }
			step();
			bool in = false;
			for (auto &f : fresh) in |= f.j.qpn == A;
			for (auto &j : src.q) in |= j.qpn == A;
			if (t_ack && !in && want[A].empty()) {
				if (b.now() - t_ack > worst) worst = b.now() - t_ack;
				t_ack = 0;
			}
			CHECK(!t_ack || b.now() - t_ack < 100, "an ACK waits behind READs: %zu to come, %zu on their way, %zu inside; %u writes under way", src.q.size(), fresh.size(), want[A].size(), wr_issued - wr_acked);
		}
		printf("# %llu ACKs beside READs that wait: %llu cycles at most\n", (unsigned long long)acks, (unsigned long long)worst);
		drain();
		writes = kept;
	}
	if (TB_SLOTS * (TB_PER_SLOT - 1) > 100) {
		// Behind a write that the host does not answer more READs than can be told of when it is: those wait as if they had found no slot, and others pass.
		const u32 A = NQP - 1, kept = writes;
		writes = 0;
		while (wr_acked != wr_issued) { b.progress(); step(); }
		no_acks = true;
		wr_due.push_back(b.now());
		wr_issued++;
		for (u32 i = 0; i < 90; i++) src.push(read(i % 15, 100));
		for (u64 t0 = b.now(); !src.done() || !fresh.empty(); step()) CHECK(b.now() - t0 < 2000, "READs behind a write hold up the input: %zu to come, %zu inside", src.q.size(), open);
		for (u32 i = 0; i < 3; i++) {
			const u64 t0 = b.now();
			src.push(plain(A));
			do { b.progress(); step(); CHECK(b.now() - t0 < 50, "an ACK waits behind READs that wait for a write"); } while (!src.done() || !fresh.empty() || !want[A].empty());
		}
		src.push(plain(3));                       // but what is behind such a READ stays there
		for (u32 i = 0; i < 300; i++) { b.progress(); step(); }
		CHECK_EQ(open, 91, "READs, and what is behind them, that wait for a write");
		no_acks = false;
		drain();
		writes = kept;
	}
	{
		// Nothing leaves. READs beyond the slots wait, and from the half of what is there for all on no more are wanted; those that come find a place, an ACK behind
		// them does not, but takes an older one's, and a NAK needs none: one to each that waits. No VL counts as stuck meanwhile: its READs would be dropped.
		stuck_after = ~0u;
		const u32 others = TB_PLACES - TB_COMING, reads = others / 2;
		pd.always(0);
		for (auto &s : sl) s = 0;
		u32 slots = 0, waits = 0, n = 0;
		auto put = [&](Job j, bool taken) {
			u64 d0 = dropped;
			src.push(j);
			while (!src.done() || !fresh.empty()) { b.progress(); step(); }
			CHECK_EQ(dropped - d0, u64(!taken), "job taken");
			for (int i = 0; i < 4; i++) step();
		};
		if (TB_SLOTS < NQP - 1) {
			while (!b->few_o) {
				CHECK(n < 4 * TB_PLACES, "READs are always wanted");
				put(read(n < NQP ? n : NQP - 1, 20000), true);
				n++;
			}
			const u32 w = std::min(n, u32(NQP)) - 1;
			slots = n - reads;
			CHECK(slots <= TB_SLOTS, "too few wait: %u places, %u jobs", reads, n);
			put(plain(w), true);
			waits = reads + 1;
			put(plain(w), true);              // in its place
			for (; waits < others; waits++) put(read(w, 10), true);
			put(plain(w), false);
			auto nak = [&](u32 q, u32 synd) { Job j = job(q, true, 0); j.nak = 1; j.aeth = synd << 24; return j; };
			put(nak(w, 0x21), true);
			put(nak(w, 0x21), false);               // a second one is as an ACK
			put(read(w, 10), true);
			put(plain(w), false);
			put(nak(w, 0x22), true);
			for (u32 q = w - 3; q < w; q++) put(nak(q, 0x23), true);
			put(nak(w - 1, 0x61), true);            // the NAK that ends a connection, in a place of its own
			for (waits += 2; waits < TB_PLACES; waits++) put(read(w, 10), true);
			put(read(w, 10), false);
			put(nak(w, 0x61), true);                // and without one that is free
			put(plain(0), true);                    // others' go by
		}
		pd.always(1);
		stuck_after = 1500;
		while (!src.done() || !fresh.empty() || open || !pays.empty() || !idle) step();
		CHECK(!b->few_o, "READs are wanted again");
		printf("# %u QPs have slots, %u jobs waited\n", slots, waits);
	}
	printf("# no READs were wanted in %llu cycles, %llu jobs dropped that had waited\n", (unsigned long long)few, (unsigned long long)late);
	if (TB_SLOTS < 16) GOAL(few > 1000);
	if (VLS > 1) {
		printf("# %llu packets beside a VL without room, %llu jobs of stuck VLs dropped, VLs stopped %llu times\n", (unsigned long long)put_off, (unsigned long long)turned_away,
		       (unsigned long long)rooms.stops);
		GOAL(put_off > 100);
	}
	GOAL(waited > 100);
	printf("# %llu packets, %llu ACKs merged, %llu jobs dropped at a full ring, %llu READs too many\n", (unsigned long long)packets, (unsigned long long)merged,
	       (unsigned long long)dropped, (unsigned long long)overs);

	writes = 0;
	while (wr_acked != wr_issued) { b.progress(); step(); }
	// Latency of an ACK, pace of long and of short READs.
	pd.always(1); pp.always(1); src.pace.always(1);
	rooms.random = false;
	if (VLS > 1) {
		// VL 1 is stopped and gets more than it can have; VL 0 goes on. Then all of VL 1 that was taken arrives.
		for (unsigned i = 0; i < 16; i++) rooms.sl2vl[i] = u8(i % VLS);
		for (unsigned q = 0; q < NQP; q++) sl[q] = u8(q % 2);
		stuck_after = 200;
		u64 away = turned_away;
		rooms.mask = 2;
		for (unsigned i = 0; i < 200; i++) { src.push(job(1 + 2 * (i % 12), i % 3 == 0, 8000)); src.push(job(2 * (i % 12), i % 3 == 0, 500)); }
		u64 t0 = b.now();
		auto left = [&](u32 odd) { size_t n = 0; for (unsigned q = odd; q < NQP; q += 2) n += want[q].size(); return n; };
		while (!src.done() || left(0)) { step(); CHECK(b.now() - t0 < 20000, "VL 0 stands still beside a VL that is stopped"); }
		CHECK(left(1) > 0 && turned_away > away, "VL 1 was not stopped");
		printf("# VL 0 beside a stopped one: 200 jobs in %llu cycles; %zu of the other wait, %llu dropped\n", (unsigned long long)(b.now() - t0), left(1), (unsigned long long)(turned_away - away));
		rooms.mask = 0;
		while (!fresh.empty() || open || !pays.empty() || !idle) step();
	}
	if (VLS > 1 && TB_D_W == 64) {
		// Nothing leaves the rings. READs of one QP stop where requests of 4 KiB would, an ACK still finds room; beside requests that wait they take what they can.
		for (auto &v : rooms.sl2vl) v = 0;
		for (want_room = false;; want_room = true) {
			rooms.mask = ~0ull;
			src.push(read(0, 65536));
			for (int i = 0; i < 500; i++) { b.progress(); step(); }
			const u32 used = (rooms.words - rooms.room[0]) / (512 + rooms.hdr);
			printf("# READs %s have %u packets ahead\n", want_room ? "beside requests that wait" : "alone", used);
			CHECK_EQ(used, want_room ? 5 : 3, "packets of READs ahead");
			if (!want_room) {
				src.push(plain(1));
				for (int i = 0; i < 30; i++) { b.progress(); step(); }
				CHECK(src.done() && fresh.empty() && want[1].empty(), "an ACK finds no room beside READs");
			}
			rooms.mask = 0;
			drain();
			if (want_room) break;
		}
		want_room = false;
	}
	auto measure = [&](const char *what, unsigned n, double limit, std::function<Job(unsigned)> f) {
		for (int i = 0; i < 10; i++) { b.progress(); step(); }
		first = 0; packets = 0;
		u64 t0 = b.now();
		for (unsigned i = 0; i < n; i++) src.push(f(i));
		while (!src.done() || !fresh.empty() || open || !pays.empty() || !idle) step();
		double per = double(last - first + 1) / double(packets);
		printf("# %s: first packet after %llu cycles, %.2f cycles a packet\n", what, (unsigned long long)(first - t0), per);
		CHECK(per <= limit, "%s: too slow", what);
		return first - t0;
	};
	u64 lat = measure("ACKs of different QPs", 20, TB_COMPACT ? 3.01 : 2.01, [&](unsigned i) { Job j = job(i, true, 0); j.nak = 1; return j; });
	CHECK(lat <= 6, "ACK latency");
	measure("READs of 64 KiB", 4, TB_TURN_ >= 4 ? TB_COMPACT ? 4.8 : 3.3 : 4.5, [&](unsigned i) { Job j = job(i, false, 65536); j.lim = 0; j.mtu = 5; j.va &= ~0xfffull; return j; });
	measure("READs of 8 bytes", 12, TB_COMPACT ? 6.6 : 4.0, [&](unsigned i) { Job j = job(i % std::min(4u, TB_SLOTS - 1u), false, 8); j.lim = 0; j.va &= ~0xfffull; return j; });
	return b.finish();
}
