// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_result: random items of all entries, with placements that fail, entries that begin, are killed and are
// read at
// any time, against a model of each cycle: what leaves when, which completions in which order, each news announced
// once,
// and what is read is what was confirmed last.
// dut: ohca_ra_result InFlight=8
// dut: ohca_ra_result InFlight=32 Slow=1
// args: --cycles 100000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_SLOW
#define TB_SLOW 0
#endif
enum { N = TB_IN_FLIGHT, NONE = OHCA_RA_ACT_NONE, ERR = OHCA_RA_ACT_ERR };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Item { bytes b; u64 since; };
	struct Rsp { bool ok; u32 verr; u64 since; };
	struct Entry { bool live, dead, init, untold, actv; u32 qpn, cqn, act, status, verr, items,
		queued; bytes late; } en[N] = {};
	struct News { u32 e, qpn; };
	std::deque<Item> items;                     // in the room
	std::deque<Rsp> rsps;
	std::deque<News> news;                      // announced, not taken
	std::deque<u32> reads;                      // taken, not read
	std::deque<bytes> cqs;                      // completions to come
	tb::Pace ip(&rng), rp(&rng), np(&rng), cp(&rng);
	u32 owed = 0;                               // placements that are under way
	u64 fired = 0, refused = 0, silent = 0, told = 0, both = 0, own = 0, acts[4] = {}, gone = 0, needless = 0;
	bytes item, own_b((OHCA_CQ_REQ_BITS + 7) / 8);
	bool offer = false, own_v = false;
	auto bit = [](const bytes &x, unsigned lsb) { return bits_of(x, lsb, 1) != 0; };
#define IT(x, f) u32(BF(x, OHCA_RA_ITEM_##f))
	d.item_valid_i = d.pl_rsp_valid_i = d.alloc_i = d.kill_i = d.told_i = 0;
	d.own_valid_i = d.cq_ready_i = d.news_ready_i = 0;
	b.reset();
	bool alloc = false, kill = false, tell = false, rsp = false;
	u32 alloc_e = 0, kill_e = 0, tell_e = 0;
	Rsp r{};
	auto step = [&](bool feed) {
		b.cycle([&] {
			alloc = kill = tell = rsp = false;
			u32 x = u32(rng.below(N));
			if (feed && rng.chance(10) && !en[x].items && !en[x].untold && !en[x].queued) { alloc = true; alloc_e = x; }
			else if (rng.chance(1)) { kill = true; kill_e = x; }
			if (!reads.empty() && rng.chance(30)) { tell = true; tell_e = reads.front(); }
			if (owed && rp.go()) { rsp = true; r = Rsp{rng.chance(85),
				u32(rng.chance(40) ? OHCA_VENDOR_ERR_FLUSH : OHCA_VENDOR_ERR_LENGTH), 0}; }
			u32 e = u32(rng.below(rng.chance(50) ? 3 : N));
			if (!offer && feed && en[e].live && !(alloc && alloc_e == e) && ip.go()) {
				item.assign((OHCA_RA_ITEM_BITS + 7) / 8, 0);
				for (auto &y : item) y = u8(rng.bits(8));
				PF(item, OHCA_RA_ITEM_E, e);
				PF(item, OHCA_RA_ITEM_PLACED, rng.chance(30)); PF(item, OHCA_RA_ITEM_CQE, rng.chance(50));
				PF(item, OHCA_RA_ITEM_ACT, rng.chance(80) ? NONE : u32(rng.below(4)));
				if (rng.chance(50) && en[e].init)
					put_bits(item, OHCA_RA_ITEM_POST_LSB + OHCA_RA_LATE_ACKED_LSB, 24, BF(en[e].late, OHCA_RA_LATE_ACKED));
				offer = true;
				en[e].items++;
			}
			if (!own_v && feed && rng.chance(10)) { for (auto &y : own_b) y = u8(rng.bits(8)); put_bits(own_b,
				OHCA_CQ_REQ_BITS, 8 * unsigned(own_b.size()) - OHCA_CQ_REQ_BITS, 0); own_v = true; }
			d.item_valid_i = offer;
			if (offer) tb::set_bytes(d.item_i, item.data(), item.size());
			d.pl_rsp_valid_i = rsp;
			bytes rb((OHCA_PL_RSP_BITS + 7) / 8);
			PF(rb, OHCA_PL_RSP_OK, r.ok); PF(rb, OHCA_PL_RSP_VERR, r.verr);
			tb::set_bytes(d.pl_rsp_i, rb.data(), rb.size());
			d.alloc_i = alloc; d.alloc_e_i = alloc_e; d.kill_i = kill; d.kill_e_i = kill_e; d.told_i = tell; d.told_e_i = tell_e;
			d.own_valid_i = own_v;
			tb::set_bytes(d.own_i, own_b.data(), own_b.size());
			d.news_ready_i = np.go(); d.cq_ready_i = cp.go();
			d.eval();
			bytes q((OHCA_RA_QP_BITS + 7) / 8);
			PF(q, OHCA_RA_QP_QPN, en[d.e_o].qpn); PF(q, OHCA_RA_QP_CQN, en[d.e_o].cqn);
			tb::set_bytes(d.qp_i, q.data(), q.size());
		}, [&] {
			u64 now = b.now();
			// What is read.
			if (tell) {
				const Entry &t = en[tell_e];
				CHECK_EQ(d.late_valid_o, t.init, "something is confirmed");
				if (t.init) CHECK(get_all(d.late_o, OHCA_RA_LATE_BITS) == t.late, "late state");
				CHECK_EQ(d.act_o, t.actv ? t.act : u32(NONE), "what follows");
				if (t.actv) { CHECK_EQ(d.status_o, t.status, "status"); CHECK_EQ(d.verr_o, t.verr, "cause"); }
				if (t.init) acts[t.actv ? t.act : u32(NONE)]++;
				told++;
				reads.pop_front();
			}
			for (u32 i = 0; i < N; i++) CHECK_EQ(d.untold_o >> i & 1, en[i].untold, "not read");
			if (d.cq_valid_o && d.cq_ready_i) {
				CHECK(!cqs.empty() && get_all(d.cq_o, OHCA_CQ_REQ_BITS) == cqs.front(), "completion");
				cqs.pop_front();
				b.progress();
			}
			if (d.news_valid_o && d.news_ready_i) {
				CHECK(!news.empty() && d.news_e_o == news.front().e && d.news_qpn_o == news.front().qpn, "news");
				news.pop_front();
				reads.push_back(d.news_e_o);
				b.progress();
			}
			// What fires.
			bool fire = !items.empty() && items.front().since + !TB_SLOW < now && d.own_ready_o && !own_v;
			if (fire && IT(items.front().b, PLACED)) fire = !rsps.empty() && rsps.front().since < now;
			CHECK_EQ(d.fin_o, fire && IT(items.front().b, FIN), "the token ends");
			CHECK_EQ(d.rel_o, fire && IT(items.front().b, REL), "the slot is free");
			if (own_v && d.own_ready_o) { cqs.push_back(own_b); own_v = false; own++; }
			if (tell) {
				en[tell_e].untold = false; en[tell_e].queued--;
				needless += en[tell_e].actv;
				en[tell_e].actv = false;
			}
			if (fire) {
				bytes i = items.front().b;
				items.pop_front();
				Entry &t = en[IT(i, E)];
				u32 act = IT(i, ACT), status = IT(i, STATUS), verr = IT(i, VERR);
				if (d.rel_o) CHECK_EQ(d.rel_slot_o, IT(i, SLOT), "slot");
				if (IT(i, PLACED)) {
					Rsp p = rsps.front();
					rsps.pop_front();
					if (!p.ok && !(act == ERR &&
						p.verr == OHCA_VENDOR_ERR_FLUSH)) { act = ERR; status = OHCA_WC_STATUS_LOC_PROT; verr = p.verr; refused++;
						}
				}
				t.items--;
				fired++; silent += t.dead;
				both += tell && tell_e == IT(i, E);
				if (!t.dead) {
					if (IT(i, CQE) && act != ERR) {
						bytes c((OHCA_CQ_REQ_BITS + 7) / 8);
						PF(c, OHCA_CQ_REQ_CQN, t.cqn); PF(c, OHCA_CQ_REQ_QPN, t.qpn); PF(c, OHCA_CQ_REQ_OPCODE, IT(i, OP));
						PF(c, OHCA_CQ_REQ_IDX, IT(i, IDX)); PF(c, OHCA_CQ_REQ_BYTE_LEN, IT(i, LEN));
						cqs.push_back(c);
					}
					bytes post((OHCA_RA_LATE_BITS + 7) / 8);
					for (unsigned k = 0; k < OHCA_RA_LATE_BITS; k++) put_bits(post, k, 1, bit(i, OHCA_RA_ITEM_POST_LSB + k));
					bool same = t.init && BF(post, OHCA_RA_LATE_ACKED) == BF(t.late, OHCA_RA_LATE_ACKED);
					if (act == ERR) PF(post, OHCA_RA_LATE_UNA, IT(i, IDX));
					if (act != NONE) { t.actv = true; t.act = act; t.status = status; t.verr = verr; }
					else if (!same && t.init) { gone += t.actv; t.actv = false; }
					t.late = post; t.init = true;
					if (act == ERR) t.dead = true;
				}
				if (IT(i, UPD) && !t.untold) { t.untold = true; t.queued++; news.push_back({IT(i, E), t.qpn}); }
				b.progress();
			}
			if (offer && d.item_ready_o) { if (IT(item, PLACED)) owed++; items.push_back({item, now}); offer = false; }
			if (rsp) { owed--; r.since = now; rsps.push_back(r); }
			if (kill) en[kill_e].dead = true;
			if (alloc) { Entry f{}; f.live = true; f.qpn = u32(rng.bits(24)); f.cqn = u32(rng.bits(24)); en[alloc_e] = f; }
			if (items.empty()) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	for (int i = 0; i < 3000; i++) step(false);
	CHECK(items.empty() && news.empty() && reads.empty() && cqs.empty(), "something is left");
	printf("# %llu items, %llu refused by the placement, %llu of dead entries; %llu times read, %llu while an item came, "
		"%llu with something to do, %llu times that became needless; %llu completions of the commit\n",
		(unsigned long long)fired, (unsigned long long)refused, (unsigned long long)silent, (unsigned long long)told,
		(unsigned long long)both, (unsigned long long)needless, (unsigned long long)gone, (unsigned long long)own);
	GOAL(fired > 4000 && refused > 100 && silent > 300 && told > 1000 && both > 20 && needless > 100 && gone > 5 &&
		own > 1000);
	return b.finish();
}
