// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_entry: random QPs begin entries, push tokens, merge ACKs and drop entries, while tokens are looked at in any
// order, walked in that of their numbers, and end behind that, against a model of each cycle: who is found, which
// entry is free, whose turn it is, what merged into a token that is closed, and what is kept. A search takes a
// cycle (Compact: one for two entries).
// dut: ohca_ra_entry InFlight=8
// dut: ohca_ra_entry InFlight=32
// dut: ohca_ra_entry InFlight=8 Compact=1
// args: --cycles 100000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
enum { N = TB_IN_FLIGHT, SEQ = 2 * TB_IN_FLIGHT };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Tok { u32 e, seq; bool ack; };
	struct Entry {
		bool live = false, walked = false, open = false, chain = false;
		u32 qpn = 0, cnt = 0, next = 0, exp = 0, psn = 0, pi = 0;
		bytes qp, late;
	} en[N];
	for (auto &x : en) x.exp = ~0u;                   // not known
	std::vector<Tok> front;                           // in front of the walk
	std::deque<Tok> result;                           // behind it
	Tok walk{};
	u32 stage = 0;                                    // of the walk: 0 none, then cycles
	bool busy = false, finding = false, known = false, fire = false, push = false, alloc = false, merge = false;
	bool drop = false, look = false, turn = false, save = false, fin = false, placed = false, rfin = false;
	bool was_open = false, ack = false;
	u32 qpn = 0, psn = 0, pi = 0, known_e = 0, since = 0, fe = 0;
	Tok shown{};
	int hit = -1;
	bytes qp((OHCA_RA_QP_BITS + 7) / 8), late((OHCA_RA_LATE_BITS + 7) / 8), wl((OHCA_RA_LATE_BITS + 7) / 8);
	auto junk = [&](bytes &x, unsigned bits) {
		for (auto &y : x) y = u8(rng.bits(8));
		put_bits(x, bits, 8 * unsigned(x.size()) - bits, 0);
	};
	u64 pushes = 0, allocs = 0, merges = 0, drops = 0, closed = 0, skipped = 0, full = 0, late_merge = 0;
	d.find_i = d.valid_i = d.fire_i = d.w_look_i = d.w_save_i = d.w_fin_i = d.w_placed_i = d.r_fin_i = 0;
	b.reset();
	while (b.now() < b.cycles) {
		b.cycle([&] {
			// The commit: a context comes, its entry is found, something is done.
			finding = fire = push = alloc = merge = drop = false;
			bool room = false;
			for (auto &x : en) room |= !x.live;
			if (!busy) {
				finding = true;
				if (rng.chance(70)) {
					busy = true;
					qpn = u32(rng.chance(70) ? rng.below(3) : rng.below(3 * N)) * 0x10001;
					hit = -1;
					for (u32 i = 0; i < N; i++) if (en[i].live && en[i].qpn == qpn) hit = int(i);
					known = hit >= 0 && rng.chance(20);
					known_e = known ? u32(hit) : u32(rng.below(N));
					since = 0;
				}
			}
			d.find_i = finding; d.valid_i = busy; d.qpn_i = qpn; d.known_i = busy && known; d.known_e_i = known_e;
			// The walk: one token at a time, of any entry; its turn comes by its number.
			look = turn = save = fin = placed = false;
			if (!stage && !front.empty() && rng.chance(50)) {
				look = true;
				shown = front[rng.below(front.size())];
			} else if (stage >= 2 && rng.chance(60)) {
				if (rng.chance(20)) placed = true;
				else { save = true; fin = rng.chance(80); }
			}
			rfin = !result.empty() && rng.chance(50);
			d.w_look_i = look;
			bytes t((OHCA_RA_TOK_BITS + 7) / 8);
			junk(t, OHCA_RA_TOK_BITS);
			if (look) { PF(t, OHCA_RA_TOK_E, shown.e); PF(t, OHCA_RA_TOK_SEQ, shown.seq); }
			tb::set_bytes(d.w_tok_i, t.data(), t.size());
			d.w_e_i = walk.e; d.w_save_i = save; d.w_fin_i = fin; d.w_placed_i = placed;
			junk(wl, OHCA_RA_LATE_BITS);
			tb::set_bytes(d.w_late_i, wl.data(), wl.size());
			d.r_fin_i = rfin;
			d.r_e_i = rfin ? result.front().e : u32(rng.below(N));
			d.f_e_i = u32(rng.below(N));
			psn = u32(hit >= 0 && rng.chance(80) ? en[hit].psn + rng.below(9) - 4 : rng.bits(24)) & 0xffffff;
			pi = u32(rng.bits(16)); ack = rng.chance(60);
			junk(qp, OHCA_RA_QP_BITS); junk(late, OHCA_RA_LATE_BITS);
			PF(qp, OHCA_RA_QP_QPN, qpn);
			d.fire_i = d.push_i = d.alloc_i = d.merge_i = d.drop_i = 0;
			d.eval();
			if (busy && !finding && d.ok_o && rng.chance(70)) {
				fire = true;
				u32 live = 0;
				for (auto &x : en) live += x.live;
				if (hit >= 0 && en[hit].open && ack && rng.chance(70)) merge = true;
				else if (hit >= 0 && !en[hit].cnt && rng.chance(60)) drop = true;
				else if (hit >= 0 ? en[hit].cnt < N / 2 && rng.chance(60) : room && !save && rng.chance(90)) {
					push = true; alloc = hit < 0;
				}
				full += live == N;
			}
			d.fire_i = fire; d.push_i = fire && push; d.alloc_i = alloc; d.merge_i = merge; d.drop_i = drop;
			d.ack_i = ack; d.psn_i = psn; d.pi_i = pi;
			tb::set_bytes(d.qp_i, qp.data(), qp.size());
			tb::set_bytes(d.late_i, late.data(), late.size());
			d.eval();
		}, [&] {
			since += busy;
			// Found?
			if (busy && !finding) {
				if (known || !TB_COMPACT) CHECK(d.ok_o, "not found at once");
				if (TB_COMPACT && since > N / 2 + 1) CHECK(d.ok_o, "a search of more than two entries a cycle");
			}
			if (busy && !finding && d.ok_o) {
				CHECK_EQ(d.hit_o, hit >= 0, "hit");
				if (hit >= 0) {
					CHECK_EQ(d.e_o, u32(hit), "entry");
					CHECK_EQ(d.open_o, en[hit].open, "takes ACKs");
					CHECK_EQ(d.none_o, !en[hit].cnt, "no token");
					CHECK_EQ(d.seq_o, en[hit].next, "number");
				}
			}
			// Reads.
			const Entry &f = en[d.f_e_i], &r = en[d.r_e_i];
			if (f.live) {
				CHECK(get_all(d.f_qp_o, OHCA_RA_QP_BITS) == f.qp && get_all(d.f_late_o, OHCA_RA_LATE_BITS) == f.late, "F reads");
				CHECK_EQ(d.f_walked_o, f.walked, "walked");
			}
			if (r.live) CHECK(get_all(d.r_qp_o, OHCA_RA_QP_BITS) == r.qp, "R reads");
			if (stage == 1) {
				CHECK(walk.e == d.w_e_i, "bench");
				if (was_open) {
					CHECK_EQ(d.w_psn_o, en[walk.e].psn, "PSN merged"); CHECK_EQ(d.w_pi_o, en[walk.e].pi, "WQEs posted");
				}
			}
			if (stage) CHECK_EQ(d.w_chain_o, en[walk.e].chain, "chain");
			bool open = false;
			if (look) {
				Entry &x = en[shown.e];
				turn = x.exp == shown.seq;
				open = turn && x.open && ((shown.seq + 1) % SEQ) == x.next;
				CHECK_EQ(d.w_turn_o, turn, "turn"); CHECK_EQ(d.w_open_o, open, "closed now");
				if (turn) CHECK(get_all(d.w_qp_o, OHCA_RA_QP_BITS) == x.qp && get_all(d.w_late_o, OHCA_RA_LATE_BITS) == x.late,
					"L reads");
			} else CHECK(!d.w_open_o, "closed without a look");
			// What changes.
			if (fire) {
				if (push) {
					Entry &x = en[alloc ? u32(d.free_o) : u32(hit)];
					if (alloc) {
						CHECK(!x.live, "entry %u is in use", u32(d.free_o));
						fe = d.free_o;
						u32 exp = x.exp;
						if (exp == ~0u) { exp = d.seq_o; }
						CHECK_EQ(d.seq_o, exp, "numbers go on");
						x = Entry{};
						x.live = true; x.qpn = qpn; x.next = x.exp = exp; x.qp = qp; x.late = late;
						hit = int(fe);
						allocs++;
					}
					front.push_back({u32(hit), x.next, ack});
					x.next = (x.next + 1) % SEQ;
					x.cnt++;
					x.open = ack;
					if (ack) { x.psn = psn; x.pi = pi; }
					pushes++;
				}
				if (merge) {
					Entry &x = en[hit];
					u32 diff = (psn - x.psn) & 0xffffff;
					if (diff && diff < 0x800000) { x.psn = psn; x.pi = pi; }
					merges++;
					late_merge += look && shown.e == u32(hit) && open;
				}
				if (drop) { en[hit].live = false; drops++; }
				busy = false;
			}
			if (look && open && !(push && hit == int(shown.e))) en[shown.e].open = false;
			if (stage) stage++;
			if (look && turn) {
				for (size_t i = 0; i < front.size(); i++) if (front[i].e == shown.e && front[i].seq == shown.seq) {
					front.erase(front.begin() + long(i));
					break;
				}
				walk = shown; stage = 1; was_open = open;
				closed += open;
			} else skipped += look;
			if (save) { en[walk.e].late = wl; en[walk.e].walked = true; }
			if (placed) en[walk.e].chain = true;
			if (fin) { en[walk.e].exp = (en[walk.e].exp + 1) % SEQ; result.push_back(walk); stage = 0; }
			if (rfin) { en[result.front().e].cnt--; result.pop_front(); }
			b.progress();
		});
	}
	printf("# %llu tokens, %llu entries begun, %llu dropped, %llu ACKs merged, %llu of them as the token was closed; "
		"%llu closed, %llu not in turn; %llu times no entry was free\n",
		(unsigned long long)pushes, (unsigned long long)allocs, (unsigned long long)drops, (unsigned long long)merges, (unsigned long long)late_merge, (unsigned long long)closed,
		(unsigned long long)skipped, (unsigned long long)full);
	GOAL(pushes > 3000 && allocs > 500 && drops > 500 && merges > (TB_COMPACT ? 15 : 100) && (N > 8 || late_merge > 1) &&
		closed > 300 && skipped > (TB_COMPACT ? 10 : 100) && (N > 8 || full > 5));
	return b.finish();
}
