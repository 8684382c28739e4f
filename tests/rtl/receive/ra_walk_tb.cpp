// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_walk, with ohca_ra_retire and ohca_ra_scatter in it: random tokens over random rings of WQEs, fetched from
// before, at or behind the oldest one, too few, too many or not at all. A model that goes WQE by WQE over the ring says
// which completions leave, what the entry holds afterwards, whether the token ends or goes round again, what follows,
// and which bytes go where. When nothing holds it up a token takes three cycles, and each WQE of 64 bytes four; where it
// may pass by a beat of the fetch at once, three or two.
// dut: ohca_ra_walk
// dut: ohca_ra_walk Beat=4
// dut: ohca_ra_walk Beat=2
// dut: ohca_ra_walk Slow=1
// args: --cycles 400000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_BEAT
#define TB_BEAT 1
#endif
enum { ACK = OHCA_RA_TK_ACK, NAK = OHCA_RA_TK_NAK, RESP = OHCA_RA_TK_RESP };
enum { NONE = OHCA_RA_ACT_NONE, SEQ = OHCA_RA_ACT_SEQ, RNR = OHCA_RA_ACT_RNR, ERR = OHCA_RA_ACT_ERR };

struct Late { u32 una, psn, acked, done, active, wait, endv, end; };
struct Sge { u64 va; u32 len, key; };
struct Wqe { u32 op, sig, idx, len, psn, n; std::vector<Sge> list; };
struct Item { bool fin, upd, cqe, placed, rel; u32 op, idx, len, act, status, verr; Late post; bool full; };
struct Piece { u64 va; u32 key, len, src; bool last, bad; };

static bytes pack(const Late &l)
{
	bytes b((OHCA_RA_LATE_BITS + 7) / 8);
	PF(b, OHCA_RA_LATE_UNA, l.una); PF(b, OHCA_RA_LATE_UNA_PSN, l.psn); PF(b, OHCA_RA_LATE_ACKED, l.acked);
	PF(b, OHCA_RA_LATE_RD_DONE, l.done); PF(b, OHCA_RA_LATE_RD_ACTIVE, l.active); PF(b, OHCA_RA_LATE_SEQ_WAIT, l.wait);
	PF(b, OHCA_RA_LATE_END_VALID, l.endv); PF(b, OHCA_RA_LATE_END_PSN, l.end);
	return b;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	auto s24 = [](u32 x) { x &= 0xffffff; return x & 0x800000 ? int(x) - 0x1000000 : int(x); };
	auto junk = [&](bytes &x) { for (auto &y : x) y = u8(rng.bits(8)); };
	tb::Pace wp(&rng), ip(&rng), pp(&rng);
	std::vector<bytes> words;
	std::deque<Item> items;
	std::deque<Piece> pieces;
	size_t at = 0;
	bool offer = false, second = false, over = false, again = false, fin = false, save = false, chained = false;
	bytes lt((OHCA_RA_LTOK_BITS + 7) / 8), qp((OHCA_RA_QP_BITS + 7) / 8), late_b, again_b, saved;
	u32 turn = 0, open = 0, open_psn = 0, open_pi = 0, chain = 0, e = 0, slot = 0;
	u64 taken = 0, ended = 0;
	u64 tokens = 0, retired = 0, rounds = 0, early = 0, acts[4] = {}, reads = 0, whys[16] = {}, refused = 0,
	    merged = 0, fast = 0, seen_again[2] = {};
	d.ltok_valid_i = d.word_valid_i = d.item_ready_i = d.pl_ready_i = 0;
	b.reset();
	auto step = [&] {
		b.cycle([&] {
			bytes l = lt, q = qp, s = late_b;
			if (!offer) { junk(l); junk(q); junk(s); }             // only what is there with the token counts
			tb::set_bytes(d.ltok_i, l.data(), l.size());
			tb::set_bytes(d.qp_i, q.data(), q.size());
			tb::set_bytes(d.late_i, s.data(), s.size());
			d.ltok_valid_i = offer;
			d.turn_i = offer ? turn : u32(rng.bits(1)); d.open_i = offer ? open : u32(rng.bits(1));
			d.open_psn_i = second ? open_psn : u32(rng.bits(24)); d.open_pi_i = second ? open_pi : u32(rng.bits(16));
			d.chain_i = chain;
			bool v = at < words.size() && wp.go();
			d.word_valid_i = v;
			if (v) tb::set_bytes(d.word_i, words[at].data(), words[at].size());
			// The beat's other words are its fetch's last ones, or none of them is there.
			d.word_pass_last_i = v ? BF(words[at], OHCA_RING_WORD_ERR) || at / TB_BEAT == (words.size() - 1) / TB_BEAT :
				u32(rng.bits(1));
			d.item_ready_i = ip.go(); d.pl_ready_i = pp.go();
		}, [&] {
			second = false;
			if (offer && d.ltok_ready_o) { offer = false; second = true; taken = b.now(); }
			else if (!offer && !over) CHECK(!d.ltok_ready_o, "two tokens at a time");
			if (!offer && !over && !second) CHECK_EQ(d.e_o, e, "entry");
			CHECK(at < words.size() || !d.word_ready_o, "it would take a word of the next fetch");
			if (d.word_valid_i && d.word_ready_o) {
				at = d.word_pass_o ? std::min(words.size(), (at / TB_BEAT + 1) * TB_BEAT) : at + 1;
				b.progress();
			}
			if (d.placed_o) chained = true;
			if (d.item_valid_o && d.item_ready_i) {
				bytes i = get_all(d.item_o, OHCA_RA_ITEM_BITS);
#define IT(f) u32(BF(i, OHCA_RA_ITEM_##f))
				CHECK(!items.empty(), "an item too many");
				Item w = items.front();
				items.pop_front();
				CHECK_EQ(IT(E), e, "entry of the item"); CHECK_EQ(IT(FIN), w.fin, "the token ends");
				CHECK_EQ(IT(UPD), w.upd, "news"); CHECK_EQ(IT(CQE), w.cqe, "completion");
				CHECK_EQ(IT(PLACED), w.placed, "data was placed"); CHECK_EQ(IT(REL), w.rel, "slot is free");
				CHECK_EQ(IT(ACT), w.act, "what follows");
				if (w.rel) CHECK_EQ(IT(SLOT), slot, "slot");
				if (w.act == ERR) { CHECK_EQ(IT(STATUS), w.status, "status"); CHECK_EQ(IT(VERR), w.verr, "cause"); }
				if (w.act == RNR) CHECK_EQ(IT(VERR), w.verr, "timer code");
				if (w.cqe || w.act == ERR) CHECK_EQ(IT(IDX), w.idx, "WQE");
				if (w.cqe) CHECK_EQ(IT(OP), w.op, "opcode");
				if (w.cqe && w.fin) CHECK_EQ(IT(LEN), w.len, "length");
				bytes p((OHCA_RA_LATE_BITS + 7) / 8), m = pack(w.post);
				for (unsigned k = 0; k < OHCA_RA_LATE_BITS; k++)
					put_bits(p, k, 1, bits_of(i, OHCA_RA_ITEM_POST_LSB + k, 1));
				CHECK(p == m, "late state");
				b.progress();
			}
			if (d.save_o) { save = true; saved = get_all(d.late_o, OHCA_RA_LATE_BITS); }
			if (d.again_valid_o) { again = true; again_b = get_all(d.again_o, OHCA_RA_TOK_BITS); }
			if (d.fin_o) { CHECK(d.save_o, "a token ends, its entry is not kept"); fin = true; }
			if (d.fin_o || d.again_valid_o) { CHECK(!over, "twice"); over = true; ended = b.now(); }
			if (d.pl_valid_o && d.pl_ready_i) {
				bytes p = get_all(d.pl_o, OHCA_PL_REQ_BITS);
				CHECK(!pieces.empty(), "a piece too many");
				Piece w = pieces.front();
				pieces.pop_front();
				CHECK_EQ(BF(p, OHCA_PL_REQ_LAST), w.last, "last piece"); CHECK_EQ(BF(p, OHCA_PL_REQ_BAD), w.bad, "refused");
				CHECK_EQ(BF(p, OHCA_PL_REQ_CHAIN), chain, "chain");
				if (!w.bad) {
					CHECK_EQ(BF(p, OHCA_PL_REQ_VA), w.va, "address"); CHECK_EQ(BF(p, OHCA_PL_REQ_LEN), w.len, "bytes");
					CHECK_EQ(BF(p, OHCA_PL_REQ_KEY), w.key, "key"); CHECK_EQ(BF(p, OHCA_PL_REQ_SRC), w.src, "source");
				}
				b.progress();
			}
		});
	};
	while (b.now() < b.cycles) {
		bool speed = rng.chance(30);
		for (auto *p : {&wp, &ip, &pp}) p->always(speed ? 1 : -1);
		// A ring from some WQEs before the oldest one on.
		u32 mtuc = u32(rng.range(1, 5)), mtu = 128u << mtuc;
		u32 log_stride = u32(rng.range(6, 8)), n_words = 1u << (log_stride - 4);
		u32 sig_all = rng.chance(30), before = u32(rng.below(4)), kinds = u32(rng.below(3));
		Late l{};
		l.una = u32(rng.bits(16)); l.psn = u32(rng.chance(20) ? 0xfffff8 + rng.below(16) : rng.bits(24)) & 0xffffff;
		l.done = u32(rng.bits(8)); l.endv = rng.chance(30); l.end = u32(rng.bits(24));
		std::vector<Wqe> ring;
		u32 psn = l.psn;
		for (u32 i = 0; i < before + 12; i++) {
			Wqe w{};
			if (i == before) psn = l.psn;
			bool rd = kinds == 2 || (kinds == 1 && rng.chance(40));
			const u32 ops[] = {OHCA_WR_OP_SEND, OHCA_WR_OP_SEND_IMM, OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_WRITE_IMM};
			w.op = rd ? u32(OHCA_WR_OP_RDMA_READ) : ops[rng.below(4)];
			if (rng.chance(1)) w.op = rng.chance(50) ? u32(OHCA_WR_OP_NOP) : u32(OHCA_WR_OP_LOCAL_INV);
			w.sig = rng.chance(50);
			w.idx = (l.una - before + i) & 0xffff;
			if (rng.chance(1)) w.idx ^= 1u << rng.below(16);
			w.len = u32(rng.chance(30) ? rng.below(3) * mtu : rng.below(rng.chance(50) ? 2 * mtu : 12 * mtu));
			w.n = w.len ? (w.len + mtu - 1) / mtu : 1;
			w.psn = psn;
			psn = (psn + w.n) & 0xffffff;
			u32 nsge = u32(rng.range(1, n_words - 2)), left = w.len;
			for (u32 k = 0; k < nsge; k++) {
				u32 x = k + 1 == nsge ? left : u32(rng.below(left + 1));
				if (rng.chance(6)) x /= 2;                         // too short
				w.list.push_back({rng.bits(48), x, u32(rng.bits(32))});
				left -= std::min(left, x);
			}
			ring.push_back(w);
		}
		const Wqe &old = ring[before];
		l.acked = l.psn;
		if (old.op == OHCA_WR_OP_RDMA_READ && old.n > 1 && rng.chance(60)) {
			l.active = 1;
			l.acked = (l.psn + u32(rng.range(1, old.n - 1))) & 0xffffff;
		} else if (old.op != OHCA_WR_OP_RDMA_READ && rng.chance(40)) l.acked = (l.psn + u32(rng.below(old.n))) & 0xffffff;
		l.wait = rng.chance(30);
		// The token.
		u32 kind = u32(rng.below(3)), tpsn = l.acked, ak = OHCA_AETH_KIND_ACK, av = u32(rng.bits(5)), op = 0x11, plen = 0;
		const Wqe &tgt = ring[before + rng.below(rng.chance(50) ? 2 : 11)];
		if (rng.chance(70)) tpsn = (tgt.psn + (rng.chance(60) ? tgt.n - 1 : rng.below(tgt.n + 1))) & 0xffffff;
		if (rng.chance(10)) tpsn = (l.acked - u32(rng.below(4))) & 0xffffff;
		if (kind == NAK) {
			if (rng.chance(50)) ak = OHCA_AETH_KIND_RNR;
			else { ak = OHCA_AETH_KIND_NAK; av = u32(rng.below(4)); }
		}
		if (kind == RESP) {
			// What the QP waits for, more often than not.
			const Wqe *w = &old;
			for (u32 i = 0; i < 6 && w->op != OHCA_WR_OP_RDMA_READ; i++) w++;
			if (rng.chance(60)) tpsn = w == &old && l.active ? l.acked : w->psn;
			u32 k = (tpsn - w->psn) & 0xffffff;
			bool last = k + 1 == w->n, first = k == 0 || rng.chance(20);
			op = last ? (first ? 0x10 : 0x0f) : (first ? 0x0d : 0x0e);
			if (rng.chance(5)) op = u32(rng.range(0x0d, 0x10));
			plen = last ? w->len - (w->n - 1) * mtu : mtu;
			if (rng.chance(5)) plen = u32(rng.below(mtu + 1));
			if (rng.chance(3)) ak = OHCA_AETH_KIND_RSVD;
			if (plen > mtu) plen = mtu;
		}
		u32 pi = (l.una + u32(rng.below(12))) & 0xffff, src = u32(rng.bits(20));
		turn = !rng.chance(10); open = turn && kind == ACK && rng.chance(50);
		open_psn = open ? (tpsn + u32(rng.below(6))) & 0xffffff : u32(rng.bits(24));
		open_pi = open ? (pi + u32(rng.below(3))) & 0xffff : u32(rng.bits(16));
		e = u32(rng.bits(6)); slot = u32(rng.bits(6)); chain = u32(rng.bits(1));
		// What was fetched for it.
		bool any = !rng.chance(10);
		u32 from = rng.chance(60) ? before : u32(rng.below(before + 3)), cnt = u32(rng.range(1, 9)), stop = ~0u, verr = 0;
		if (rng.chance(8)) {
			stop = u32(rng.below(cnt * n_words));                  // this word could not be read
			if (ring[from + stop / n_words].op == OHCA_WR_OP_RDMA_READ && stop % n_words == 1) stop--;
			stop -= stop % TB_BEAT;                                // with all of its beat
			verr = rng.chance(50) ? OHCA_VENDOR_ERR_DMA : OHCA_VENDOR_ERR_LENGTH;
		}
		words.clear();
		for (u32 i = 0; any && i < cnt * n_words && (i == 0 || i <= stop); i++) {
			const Wqe &w = ring[from + i / n_words];
			bytes x((OHCA_RING_WORD_BITS + 7) / 8);
			junk(x);
			u32 k = i % n_words;
			PF(x, OHCA_RING_WORD_ERR, i == stop); PF(x, OHCA_RING_WORD_VERR, i == stop ? verr : 0);
			PF(x, OHCA_RING_WORD_LAST, i == stop || i + 1 == cnt * n_words);
			if (k == 0) {
				PF(x, OHCA_WQE_CTRL_OPCODE, w.op); PF(x, OHCA_WQE_CTRL_SIGNALED, w.sig); PF(x, OHCA_WQE_CTRL_IDX, w.idx);
				PF(x, OHCA_WQE_CTRL_NSGE, u32(w.list.size())); PF(x, OHCA_WQE_CTRL_LENGTH, w.len);
			} else if (k >= 2 && k - 2 < w.list.size()) {
				put_bits(x, OHCA_RING_WORD_DATA_LSB, 64, w.list[k - 2].va);
				put_bits(x, OHCA_RING_WORD_DATA_LSB + 64, 32, w.list[k - 2].len);
				put_bits(x, OHCA_RING_WORD_DATA_LSB + 96, 32, w.list[k - 2].key);
			}
			words.push_back(x);
		}
		bytes t((OHCA_RA_TOK_BITS + 7) / 8);
		PF(t, OHCA_RA_TOK_E, e); PF(t, OHCA_RA_TOK_FIRST, u32(rng.bits(1))); PF(t, OHCA_RA_TOK_FRONT, u32(rng.bits(1)));
		PF(t, OHCA_RA_TOK_SEQ, u32(rng.bits(7))); PF(t, OHCA_RA_TOK_KIND, kind); PF(t, OHCA_RA_TOK_PSN, tpsn);
		PF(t, OHCA_RA_TOK_AK, ak); PF(t, OHCA_RA_TOK_AV, av); PF(t, OHCA_RA_TOK_PI, pi); PF(t, OHCA_RA_TOK_OP, op);
		PF(t, OHCA_RA_TOK_SLOT, slot); PF(t, OHCA_RA_TOK_SRC, src); PF(t, OHCA_RA_TOK_PLEN, plen);
		for (unsigned i = 0; i < OHCA_RA_TOK_BITS; i++) put_bits(lt, OHCA_RA_LTOK_T_LSB + i, 1, bits_of(t, i, 1));
		PF(lt, OHCA_RA_LTOK_IDX, (l.una - before + from) & 0xffff); PF(lt, OHCA_RA_LTOK_ANY, any);
		junk(qp);
		PF(qp, OHCA_RA_QP_LOG_STRIDE, log_stride); PF(qp, OHCA_RA_QP_MTU, mtuc); PF(qp, OHCA_RA_QP_SIG_ALL, sig_all);
		late_b = pack(l);

		// What is to come of it.
		u32 ans = open ? open_psn : tpsn, end = open ? open_pi : pi, to = (ans + (kind == ACK)) & 0xffffff;
		u32 act = NONE, status = 0, cause = 0, cqe = 0, cqe_op = 0, cqe_idx = 0, cqe_len = 0, visited = 0;
		bool more = !turn, placed = false, by_list = false;
		int off = s24(ans - l.acked);
		auto nak = [&] {
			if (kind != NAK) return;
			act = ak == OHCA_AETH_KIND_RNR ? RNR : av == 0 ? SEQ : ERR;
			status = av == 1 ? OHCA_WC_STATUS_REM_INV_REQ : av == 2 ? OHCA_WC_STATUS_REM_ACCESS : OHCA_WC_STATUS_REM_OP;
			cause = ak == OHCA_AETH_KIND_RNR ? av : av == 1 ? OHCA_VENDOR_ERR_NAK_INV_REQ :
				av == 2 ? OHCA_VENDOR_ERR_NAK_REM_ACCESS : OHCA_VENDOR_ERR_NAK_REM_OP;
		};
		auto fail = [&](u32 s, u32 v) { act = ERR; status = s; cause = v; };
		bool walk = turn && off >= 0 && !(kind == NAK && off == 0);
		if (turn && kind == NAK && off == 0) { nak(); l.wait = 0; }
		if (walk && !any) more = end != l.una;
		u32 fetched = any ? u32((words.size() + n_words - 1) / n_words) : 0;
		for (u32 i = 0; walk && i < fetched; i++) {
			const Wqe &w = ring[from + i];
			visited++;
			if (stop == i * n_words) { fail(OHCA_WC_STATUS_LOC_QP_OP, verr); break; }
			bool done = false;
			u32 w_idx = (BF(lt, OHCA_RA_LTOK_IDX) + i) & 0xffff;
			if (w_idx == l.una) {
				bool rd = w.op == OHCA_WR_OP_RDMA_READ;
				bool wr = w.op == OHCA_WR_OP_SEND || w.op == OHCA_WR_OP_SEND_IMM || w.op == OHCA_WR_OP_RDMA_WRITE ||
					w.op == OHCA_WR_OP_RDMA_WRITE_IMM;
				u32 sig = w.sig || sig_all;
				u32 next = (l.psn + w.n) & 0xffffff, exp = rd && !l.active ? l.psn : l.acked;
				if (w.idx != l.una || !(rd || wr)) {
					fail(OHCA_WC_STATUS_LOC_QP_OP, w.idx != l.una ? OHCA_VENDOR_ERR_WQE_IDX : OHCA_VENDOR_ERR_WQE_FORMAT);
					whys[0]++;
				} else if (wr && s24(to - next) >= 0) {
					done = true;
					l.una = (l.una + 1) & 0xffff; l.psn = l.acked = next; l.endv = 0; l.end = w.n == 1 ? 1 : 2;
					if (sig) items.push_back({false, false, true, false, false, w.op, w_idx, 0, NONE, 0, 0, l, false});
					retired++;
				} else if (wr) {
					l.endv = 1; l.end = (next - 1) & 0xffffff;
					if (s24(l.acked - to) < 0) l.acked = to;
					nak();
					if (kind == RESP) { fail(OHCA_WC_STATUS_BAD_RESP, OHCA_VENDOR_ERR_RESP_OPCODE); whys[1]++; }
				} else if (kind != ACK && exp == to) {
					u32 k = (tpsn - l.psn) & 0xffffff;
					bool last = k + 1 == w.n;
					u32 size = last ? w.len - (w.n - 1) * mtu : mtu;
					if (kind == NAK) { nak(); l.wait = 0; whys[2]++; }
					else if (last != (op == 0x0f || op == 0x10) || !(l.active || op == 0x0d || op == 0x10) ||
						(op != 0x0e && ak != OHCA_AETH_KIND_ACK)) {
						fail(OHCA_WC_STATUS_BAD_RESP, OHCA_VENDOR_ERR_RESP_OPCODE); whys[3]++;
					} else if (plen != size) {
						fail(OHCA_WC_STATUS_LOC_LEN, OHCA_VENDOR_ERR_RESP_LENGTH); whys[4]++;
					} else {
						cqe_idx = l.una;
						u32 skip = k * mtu, left = plen, s = src;
						l.acked = (tpsn + 1) & 0xffffff; l.active = !last; l.wait = 0; l.endv = 0; l.end = 1;
						if (last) {
							l.una = (l.una + 1) & 0xffff; l.psn = next; l.done = (l.done + 1) & 0xff;
							cqe = sig; cqe_op = w.op; cqe_len = w.len;
						}
						for (u32 j = 0; left; j++) {
							// The list ends before a word behind it could fail.
							if (j == w.list.size()) { by_list = true; fail(OHCA_WC_STATUS_LOC_LEN, OHCA_VENDOR_ERR_LENGTH); break; }
							if (i * n_words + 2 + j == stop) { by_list = true; fail(OHCA_WC_STATUS_LOC_QP_OP, verr); break; }
							const Sge &g = w.list[j];
							u32 use = g.len > skip ? std::min(g.len - skip, left) : 0;
							if (use) pieces.push_back({g.va + skip, g.key, use, s, use == left, false});
							skip -= std::min(skip, g.len);
							left -= use;
							s = (s + use) & 0xfffff;
						}
						if (by_list) { pieces.push_back({0, 0, 0, 0, true, true}); refused++; }
						placed = plen != 0;
						reads++;
					}
				} else if (s24(exp - to) < 0) {
					if (!l.wait) act = SEQ;
					l.acked = exp; l.wait = 1;
					whys[5]++;
				}
				if (!done) break;
			} else if (((l.una - w_idx) & 0xffff) >= 0x8000) { more = true; whys[6]++; break; }
			if (i + 1 == fetched) {
				if (kind != RESP && l.psn == to) nak();
				else more = end != l.una;
				if (l.psn == to && kind == NAK) whys[7]++;
			}
		}
		Item f{};
		f.upd = true; f.fin = !more; f.post = l;
		if (!more) {
			f.cqe = cqe; f.op = cqe_op; f.len = cqe_len; f.placed = placed; f.rel = kind == RESP;
			f.act = act; f.status = status; f.verr = cause;
			f.idx = placed || cqe ? cqe_idx : l.una;
		}
		if (turn) items.push_back(f);
		acts[act] += !more;

		at = 0;
		over = again = fin = save = chained = false;
		offer = true;
		bool quick = speed && !placed;
		for (int i = 0; i < 2 && speed; i++) { offer = false; second = false; over = true; step(); }
		offer = true; over = false;
		while (!over) step();
		CHECK_EQ(again, more, "round again"); CHECK_EQ(fin, !more, "the token ends");
		CHECK_EQ(save, turn, "the entry is kept");
		CHECK(items.empty(), "an item is missing");
		CHECK_EQ(at, words.size(), "words of the fetch");
		CHECK_EQ(chained, placed, "data is on its way");
		if (turn) CHECK(saved == pack(l), "late state kept");
		if (again) {
			bytes w = t;
			PF(w, OHCA_RA_TOK_FRONT, turn);
			if (turn && kind == ACK) { PF(w, OHCA_RA_TOK_PSN, ans); PF(w, OHCA_RA_TOK_PI, end); }
			CHECK(again_b == w, "the token that goes round again");
			seen_again[turn]++;
			rounds++;
		}
		if (quick && turn) {
			u64 most = 3 + (any ? words.size() : 0);
			CHECK(ended - taken + 1 <= most + (visited && !any ? 0 : 1), "%llu cycles for %zu words",
				(unsigned long long)(ended - taken + 1), words.size());
			bool plain = walk && any && fetched == visited && stop == ~0u && act == NONE && l.una ==
				((BF(lt, OHCA_RA_LTOK_IDX) + fetched) & 0xffff) &&
				(TB_BEAT == 1 || ring[from + fetched - 1].op != OHCA_WR_OP_RDMA_READ);     // one without data
			// Header, verdict, what is left of it beat by beat; with none left the next header comes in that cycle.
			u32 beats = n_words / TB_BEAT;
			u64 each = TB_BEAT == 1 ? n_words : beats == 1 ? 2 : 1 + beats;
			if (beats == 1 && from + fetched > before) most = 3 + each * fetched + 1;
			else most = 3 + each * fetched;
			if (plain) { CHECK_EQ(ended - taken + 1, most, "cycles"); fast++; }
		}
		for (u32 i = 0; i < 400 && !pieces.empty(); i++) step();
		CHECK(pieces.empty(), "a piece is missing");
		tokens++;
		early += !turn;
		merged += open;
		for (u64 i = rng.below(3); i; i--) step();
	}
	printf("# %llu tokens, %llu merged, %llu WQEs retired, %llu pieces of READs (%llu refused), round again: "
		"%llu not its turn, %llu short; NAKs, going back, waits, failures: %llu %llu %llu\n",
		(unsigned long long)tokens, (unsigned long long)merged, (unsigned long long)retired, (unsigned long long)reads,
		(unsigned long long)refused, (unsigned long long)seen_again[0], (unsigned long long)seen_again[1],
		(unsigned long long)acts[SEQ], (unsigned long long)acts[RNR], (unsigned long long)acts[ERR]);
	printf("# verdicts: ");
	for (int i = 0; i < 8; i++) printf("%llu ", (unsigned long long)whys[i]);
	printf("; %llu at full speed\n", (unsigned long long)fast);
	GOAL(tokens > 5000 && retired > 3000 && reads > 300 && refused > 8 && seen_again[0] > 300 && seen_again[1] > 300 &&
		acts[SEQ] > 100 && acts[RNR] > 100 && acts[ERR] > 100 && fast > 80);
	for (int i = 0; i < 8; i++) GOAL(i == 2 || whys[i] > 3);
	(void)rounds;
	return b.finish();
}
