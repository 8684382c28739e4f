// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_in: all eight sources at once, with random pauses, rooms that come and go, and contexts that come back in any
// order. Each lookup is that of the first of its source, with what belongs to it; a packet waits until it is given
// back; a response is behind the reports made before it came; no more responses than there are tokens and entries;
// nothing passes a gate that is closed. When all want, a lookup leaves every cycle (Slow: every second), and nobody is
// passed over for more than the seven others.
// dut: ohca_ra_in InFlight=8
// dut: ohca_ra_in InFlight=32 Slow=1
// dut: ohca_ra_in InFlight=8 Compact=1 Slow=1
// args: --cycles 120000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_SLOW
#define TB_SLOW 0
#endif
enum { N = TB_IN_FLIGHT, ACC = OHCA_RA_CK_ACC, UPD = OHCA_RA_CK_UPD, RESP = OHCA_RA_CK_RESP, UP = OHCA_RA_CK_UP,
	TMR = OHCA_RA_CK_TMR, FLUSH = OHCA_RA_CK_FLUSH, QERR = OHCA_RA_CK_QERR, CQERR = OHCA_RA_CK_CQERR };
enum { PAY = TB_COMPACT ? 3 : 82 };

static void put(u8 &x, const bytes &v) { x = v[0]; }
template <class T> static void put(T &x, const bytes &v) { tb::set_bytes(x, v.data(), v.size()); }
static bytes get(const u8 &x, unsigned) { return bytes{x}; }
template <class T> static bytes get(const T &x, unsigned bits) { return get_all(x, bits); }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Packet { bytes b; u32 qpn; u64 made; };
	struct Report { bytes b; u32 src; u64 made; };
	struct Sel { bool v = false; u32 qpn = 0, e = 0; bytes b; };
	std::deque<Packet> packets;                 // came, not looked up
	std::deque<bytes> reports[2];               // made, not taken
	std::deque<Report> waiting[2];              // taken, not looked up
	std::deque<u32> flushes;
	struct Held { bytes b; u32 slot; };
	std::vector<Held> held;                     // looked up, not given back
	std::deque<bytes> held_up;                  // Compact: the report of a lookup, not given back
	struct Lookup { u32 kind, qpn, inval; bytes pay; };
	std::deque<Lookup> taken;                   // chosen, not left
	Sel sel[8];
	tb::Pace pace[8] = {tb::Pace(&rng), tb::Pace(&rng), tb::Pace(&rng), tb::Pace(&rng), tb::Pace(&rng), tb::Pace(&rng),
		tb::Pace(&rng), tb::Pace(&rng)}, lp(&rng), back(&rng);
	u64 made = 0, made_q = 0, done = 0, count[8] = {}, closed[8] = {}, full = 0, late = 0, busy = 0, left = 0, run = 0;
	u32 toks = 0, ents = 0, fb = 0, qe = 0, fb_q = 0, qe_q = 0, since[8] = {};
	bool speed = false, offer = false, flush = false, give = false, give_up = false, tok = false, fin = false, ent = false;
	bytes rxd((OHCA_RXD_BITS + 7) / 8);
	u32 rxd_qpn = 0, flush_qpn = 0, given = 0, which = 0;
	auto clean = [](bytes &x, unsigned bits) { put_bits(x, bits, 8 * unsigned(x.size()) - bits, 0); };
	auto report = [&] {
		bytes x((OHCA_RA_UP_BITS + 7) / 8);
		for (auto &y : x) y = u8(rng.bits(8));
		clean(x, OHCA_RA_UP_BITS);
		PF(x, OHCA_RA_UP_KIND, rng.below(4));
		return x;
	};
	d.rxd_valid_i = d.up_valid_i = d.flush_valid_i = d.acc_valid_i = d.news_valid_i = d.exp_valid_i = 0;
	d.qerr_valid_i = d.cqerr_valid_i = d.lk_ready_i = d.packet_done_i = d.report_done_i = 0;
	d.tok_free_i = d.fin_free_i = d.ent_free_i = d.fb_count_i = d.qerr_count_i = d.up_seq_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		b.cycle([&] {
			if (rng.below(400) == 0) {
				speed = rng.chance(40);
				for (auto &p : pace) p.always(speed ? 1 : -1);
				lp.always(speed ? 1 : -1); back.always(speed ? 1 : -1);
				which = 0;
				if (!speed && rng.chance(30)) { which = u32(rng.below(3)); back.always(0); pace[UP].always(0); pace[RESP].always(1); }     // tokens or entries run out
				run = 0;
				for (auto &s : since) s = 0;
			}
			run++;
			if (speed) fb = qe = 0;
			else if (rng.chance(3)) { fb = u32(rng.below(100)); qe = u32(rng.below(100)); }
			// What comes in.
			if (!offer && feed && pace[RESP].go()) {
				for (auto &y : rxd) y = u8(rng.bits(8));
				clean(rxd, OHCA_RXD_BITS);
				rxd_qpn = u32(bits_of(rxd, OHCA_RXD_BTH_LSB + OHCA_BTH_DESTQP_LSB, 24));
				offer = true;
			}
			for (int i = 0; i < 2; i++) if (feed && reports[i].size() < (TB_COMPACT ? 3 : 30) && pace[UP].go()) {
				reports[i].push_back(report());
				made += i == 0;
			}
			flush = feed && flushes.size() < 60 && pace[FLUSH].go();
			flush_qpn = u32(rng.bits(24));
			for (int k : {int(ACC), int(UPD), int(TMR), int(QERR), int(CQERR)}) if (!sel[k].v && feed && pace[k].go()) {
				sel[k].v = true;
				sel[k].qpn = u32(rng.bits(24));
				sel[k].e = u32(rng.below(N));
				sel[k].b.assign((OHCA_CTX_ACC_BITS + 7) / 8, 0);
				for (auto &y : sel[k].b) y = u8(rng.bits(8));
				clean(sel[k].b, OHCA_CTX_ACC_BITS);
				if (k == ACC) sel[k].qpn = u32(BF(sel[k].b, OHCA_CTX_ACC_NUM));
			}
			// What is given back: a packet, tokens, entries.
			give = !held.empty() && (back.go() || (which && rng.chance(50)));
			given = give ? u32(rng.below(held.size())) : 0;
			give_up = TB_COMPACT && !held_up.empty() && back.go();
			tok = toks && (back.go() || (which == 1 && rng.chance(50))); fin = toks > u32(tok) && back.go();
			ent = ents && (back.go() || (which == 2 && rng.chance(50)));
			toks -= u32(tok) + u32(fin); ents -= ent;
			d.rxd_valid_i = offer;
			tb::set_bytes(d.rxd_i, rxd.data(), rxd.size());
			d.up_valid_i = u32(!reports[0].empty()) | u32(!reports[1].empty()) << 1;
			bytes u((2 * OHCA_RA_UP_BITS + 7) / 8);
			for (unsigned s = 0; s < 2; s++) if (!reports[s].empty()) for (unsigned k = 0; k < OHCA_RA_UP_BITS; k++)
				put_bits(u, s * OHCA_RA_UP_BITS + k, 1, bits_of(reports[s].front(), k, 1));
			tb::set_bytes(d.up_i, u.data(), u.size());
			d.up_seq_i = made & 1023;
			d.flush_valid_i = flush; d.flush_qpn_i = flush_qpn;
			d.acc_valid_i = sel[ACC].v;
			if (sel[ACC].v) tb::set_bytes(d.acc_i, sel[ACC].b.data(), sel[ACC].b.size());
			d.news_valid_i = sel[UPD].v; d.news_e_i = sel[UPD].e; d.news_qpn_i = sel[UPD].qpn;
			d.exp_valid_i = sel[TMR].v; d.exp_qpn_i = sel[TMR].qpn;
			d.qerr_valid_i = sel[QERR].v; d.qerr_qpn_i = sel[QERR].qpn;
			d.cqerr_valid_i = sel[CQERR].v; d.cqerr_qpn_i = sel[CQERR].qpn;
			d.fb_count_i = fb; d.qerr_count_i = qe;
			d.tok_free_i = tok; d.fin_free_i = fin; d.ent_free_i = ent;
			d.lk_ready_i = lp.go();
			bytes pay((PAY + 7) / 8);
			if (give) put_bits(pay, 0, 6, held[given].slot);
			clean(pay, PAY);
			put(d.pay_i, pay);
			d.packet_done_i = give; d.report_done_i = give_up;
			d.eval();
		}, [&] {
			if (give) {
				CHECK(d.packet_there_o, "no packet");
				CHECK(get_all(d.packet_o, OHCA_RXD_BITS) == held[given].b, "another packet");
				held.erase(held.begin() + given);
				b.progress();
			}
			if (give_up) {
				CHECK(get_all(d.report_o, OHCA_RA_UP_BITS) == held_up.front(), "another report");
				held_up.pop_front();
			}
			// One is chosen where its source sees it.
			auto gate = [&](u32 k, bool ready) {
				if (!sel[k].v) { CHECK(!ready || k != ACC, "nothing was there"); return; }
				bool no_fb = fb_q >= 44, no_qe = qe_q >= 60;
				bool shut = (k != ACC && no_fb) || (k != ACC && k != QERR && no_qe);
				closed[k] += shut;
				if (!ready) return;
				CHECK(!shut, "kind %u passes a closed gate", k);
				Lookup l{k, sel[k].qpn, 0, bytes((PAY + 7) / 8)};
				if (k == ACC) {
					l.inval = u32(BF(sel[k].b, OHCA_CTX_ACC_INVAL));
					if (!TB_COMPACT) {
						put_bits(l.pay, 64, 5, BF(sel[k].b, OHCA_CTX_ACC_DW));
						put_bits(l.pay, 32, 32, BF(sel[k].b, OHCA_CTX_ACC_WDATA));
						put_bits(l.pay, 0, 32, BF(sel[k].b, OHCA_CTX_ACC_WMASK));
					}
				}
				if (k == UPD) put_bits(l.pay, 0, 6, sel[k].e);
				taken.push_back(l);
				sel[k].v = false;
			};
			gate(ACC, d.acc_ready_o); gate(UPD, d.news_ready_o); gate(TMR, d.exp_ready_o); gate(QERR, d.qerr_ready_o);
			gate(CQERR, d.cqerr_ready_o);
			// And leaves.
			if (speed && run > 100 && toks < N / 2 && ents < N / 2) { busy++; left += d.lk_valid_o && d.lk_ready_i; }
			if (d.lk_valid_o && d.lk_ready_i) {
				bytes t = get(d.lk_token_o, PAY + 3);
				u32 kind = u32(bits_of(t, PAY, 3)), id = d.lk_id_o;
				bytes pay((PAY + 7) / 8);
				for (unsigned k = 0; k < PAY; k++) put_bits(pay, k, 1, bits_of(t, k, 1));
				count[kind]++;
				for (u32 k = 0; k < 8; k++) if (k != kind) since[k]++;
				since[kind] = 0;
				if (kind == RESP) {
					CHECK(!packets.empty() && packets.front().qpn == id, "response");
					Packet p = packets.front();
					packets.pop_front();
					CHECK(done >= p.made, "a response before report %llu, %llu are done", (unsigned long long)p.made,
						(unsigned long long)done);
					late += made > p.made;
					u32 slot = TB_COMPACT ? 0 : u32(bits_of(pay, 0, 6)) & (N - 1);
					for (auto &h : held) CHECK(h.slot != slot, "slot %u is in use", slot);
					held.push_back({p.b, slot});
					toks++; ents++;
					CHECK(toks <= N && ents <= N, "%u responses, %u entries", toks, ents);
					full += toks == N || ents == N;
				} else if (kind == UP) {
					int s = -1;
					for (int i = 0; i < 2; i++) if (!waiting[i].empty()) {
						const bytes &r = waiting[i].front().b;
						if (BF(r, OHCA_RA_UP_QPN) != id) continue;
						bytes w((PAY + 7) / 8);
						if (!TB_COMPACT) {
							put_bits(w, 79, 3, BF(r, OHCA_RA_UP_KIND)); put_bits(w, 63, 16, BF(r, OHCA_RA_UP_IDX));
							put_bits(w, 47, 16, BF(r, OHCA_RA_UP_PI)); put_bits(w, 23, 24, BF(r, OHCA_RA_UP_PSN));
							put_bits(w, 22, 1, BF(r, OHCA_RA_UP_ACKREQ)); put_bits(w, 17, 5, BF(r, OHCA_RA_UP_WROP));
							put_bits(w, 16, 1, BF(r, OHCA_RA_UP_SIGNALED)); put_bits(w, 8, 8, BF(r, OHCA_RA_UP_STATUS));
							put_bits(w, 0, 8, BF(r, OHCA_RA_UP_VERR));
						}
						if (pay == w) s = i;
					}
					CHECK(s >= 0, "report");
					if (TB_COMPACT) held_up.push_back(waiting[s].front().b);
					waiting[s].pop_front();
					done += s == 0;
				} else if (kind == FLUSH) {
					CHECK(!flushes.empty() && flushes.front() == id, "flush");
					flushes.pop_front();
				} else {
					CHECK(!taken.empty(), "nobody was chosen");
					Lookup l = taken.front();
					taken.pop_front();
					CHECK_EQ(kind, l.kind, "kind"); CHECK_EQ(id, l.qpn, "number"); CHECK_EQ(d.lk_inval_o, l.inval, "inval");
					CHECK(pay == l.pay, "what comes with kind %u", kind);
				}
				b.progress();
			}
			if (offer && d.rxd_ready_o && !TB_COMPACT) { packets.push_back({rxd, rxd_qpn, made}); offer = false; }
			for (int i = 0; i < 2; i++) if (!reports[i].empty() && d.up_ready_o >> i & 1) {
				waiting[i].push_back({reports[i].front(), u32(i), 0});
				reports[i].pop_front();
			}
			if (flush) flushes.push_back(flush_qpn);
			fb_q = fb; qe_q = qe;
			if (TB_COMPACT) {
				if (d.rxd_ready_o) offer = false;          // the cycle after it was given back
				else if (offer && !give && packets.empty() && held.empty()) packets.push_back({rxd, rxd_qpn, made_q});
			}
			made_q = made;
			if (!feed) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	fb = qe = 0;
	for (auto &p : pace) p.always(1);
	lp.always(1); back.always(1);
	speed = true;
	for (int i = 0; i < 3000; i++) step(false);
	CHECK(packets.empty() && held.empty() && taken.empty() && flushes.empty() && waiting[0].empty() && waiting[1].empty(),
		"something is left");
	CHECK(d.idle_o, "not idle");
	printf("# lookups:");
	for (int k = 0; k < 8; k++) printf(" %llu", (unsigned long long)count[k]);
	printf("; %llu times no token or entry was left, %llu responses that reports had passed; full speed: %.2f a cycle\n",
		(unsigned long long)full, (unsigned long long)late, busy ? double(left) / double(busy) : 0);
	for (int k = 0; k < 8; k++) GOAL(count[k] > 100 && (k == ACC || k == RESP || k == UP || k == FLUSH || closed[k] > 100));
	GOAL((TB_COMPACT || N > 8 || full > 0) && late > 50 && busy > 1000);
	CHECK(left * 100 >= busy * (TB_SLOW || TB_COMPACT ? 45 : 90), "slower than it should be: %llu of %llu",
		(unsigned long long)left, (unsigned long long)busy);
	return b.finish();
}
