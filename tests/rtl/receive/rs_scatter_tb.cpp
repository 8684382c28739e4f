// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_scatter: WRITEs, READs, SENDs anywhere in a message and datagrams with random receive WQEs, some entries of
// them empty; lists that are too short or end early, words that could not be read, tokens of poisoned QPs and without a
// WQE. The pieces are those that a model finds byte by byte, and each token says what became of it.
// dut: ohca_rs_scatter InFlight=16
// dut: ohca_rs_scatter InFlight=32 Slow=1
// dut: ohca_rs_scatter InFlight=16 Compact=1
// args: --cycles 120000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"

#define TK(f) u64(BF(tok, OHCA_RS_STOK_##f))
#define WQ(f) u64(BF(wqe, OHCA_RS_WOUT_##f))
struct Sge { u64 addr; u32 len, key; };
struct Piece { u64 va; u32 key, len, chk, src; bool last, empty, bad, check, rr, rw; };
struct Token { u32 id, qpn, pd, priv, chain, prev; bool dup; std::deque<Piece> pieces; };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	tb::Pace wp(&rng), pp(&rng), op(&rng), tp(&rng);
	std::deque<Token> want;                     // whose pieces have not all come
	std::deque<bytes> outs;
	std::vector<bytes> words;
	bytes tok, wqe;
	size_t at = 0;
	u64 n = 0, pieces = 0, fails[3] = {}, dropped = 0, direct = 0, grhs = 0, more = 0, split = 0, empty = 0, tails = 0;
	u32 id = 0, qpn = 0, prev = 0;
	bool there = false, told = false, hit = false, chain = false, begun = false, fired = false, poison = false, heads = false;
	d.tok_valid_i = d.wqe_valid_i = d.word_valid_i = d.pl_ready_i = d.out_ready_i = 0;
	b.reset();
	auto step = [&] {
		b.cycle([&] {
			d.tok_valid_i = there;
			if (there && !told) told = tp.go();
			d.wqe_valid_i = told;
			// Poison and predecessor are looked at when the token begins; what they are later is nothing to it.
			d.hit_i = begun ? u32(rng.bits(1)) : hit;
			d.prev_v_i = begun ? u32(rng.bits(1)) : chain;
			d.prev_i = u8(begun ? u32(rng.bits(6)) : prev);
			const bool v = told && at < words.size() && wp.go();
			d.word_valid_i = v;
			if (v) tb::set_bytes(d.word_i, words[at].data(), words[at].size());
			d.pl_ready_i = pp.go();
			d.out_ready_i = op.go();
		}, [&] {
			if (d.word_ready_o) begun = true;
			if (d.word_valid_i && d.word_ready_o) at++;
			if (d.pl_valid_o && d.pl_ready_i) {
				while (!want.empty() && want.front().pieces.empty()) want.pop_front();
				CHECK(!want.empty(), "a piece too many");
				Token &t = want.front();
				const Piece w = t.pieces.front();
				t.pieces.pop_front();
				const bytes p = get_all(d.pl_o, OHCA_PL_REQ_BITS);
				CHECK_EQ(BF(p, OHCA_PL_REQ_LAST), w.last, "last"); CHECK_EQ(BF(p, OHCA_PL_REQ_EMPTY), w.empty, "no bytes");
				CHECK_EQ(BF(p, OHCA_PL_REQ_BAD), w.bad, "refused");
				if (!w.empty) {
					CHECK_EQ(BF(p, OHCA_PL_REQ_VA), w.va, "address"); CHECK_EQ(BF(p, OHCA_PL_REQ_KEY), w.key, "key");
					CHECK_EQ(BF(p, OHCA_PL_REQ_LEN), w.len, "length"); CHECK_EQ(BF(p, OHCA_PL_REQ_SRC), w.src, "source");
					CHECK_EQ(BF(p, OHCA_PL_REQ_CHK_LEN), w.chk, "length to be checked");
				}
				CHECK_EQ(BF(p, OHCA_PL_REQ_CHECK_ONLY), w.check, "READ"); CHECK_EQ(BF(p, OHCA_PL_REQ_NEED_RR), w.rr, "right to read");
				CHECK_EQ(BF(p, OHCA_PL_REQ_NEED_RW), w.rw, "right to write");
				CHECK_EQ(BF(p, OHCA_PL_REQ_PD), t.pd, "PD"); CHECK_EQ(BF(p, OHCA_PL_REQ_QPN), t.qpn, "QP");
				CHECK_EQ(BF(p, OHCA_PL_REQ_PRIV), t.priv, "privilege"); CHECK_EQ(BF(p, OHCA_PL_REQ_ID), t.id, "number");
				CHECK_EQ(BF(p, OHCA_PL_REQ_ID_V), !t.dup, "others may follow it"); CHECK_EQ(BF(p, OHCA_PL_REQ_CHAIN), t.chain, "chain");
				CHECK_EQ(BF(p, OHCA_PL_REQ_PREV), t.prev, "the one before");
				pieces++;
				b.progress();
			}
			if (d.out_valid_o && d.out_ready_i) {
				CHECK(!outs.empty(), "more was said than asked");
				bytes o = get_all(d.out_o, OHCA_RS_SOUT_BITS);
				if (BF(o, OHCA_RS_SOUT_FAIL) == OHCA_RS_FAIL_OK) PF(o, OHCA_RS_SOUT_VERR, 0);
				CHECK(o == outs.front(), "what became of a token");
				outs.pop_front();
				b.progress();
			}
			if (d.fire_o) {
				CHECK(told && !fired, "nothing to leave");
				fired = true; poison = d.poison_o; heads = d.heads_o;
				b.progress();
			}
		});
	};
	while (b.now() < b.cycles) {
		tok.assign((OHCA_RS_STOK_BITS + 7) / 8, 0); wqe.assign((OHCA_RS_WOUT_BITS + 7) / 8, 0);
		for (auto &x : tok) x = u8(rng.bits(8));
		const bool mark = rng.chance(4), scat = !mark && rng.chance(60), ud = scat && rng.chance(40);
		const u32 mode = scat ? OHCA_RS_MODE_SCATTER : rng.chance(80) ? rng.chance(50) ? OHCA_RS_MODE_DIRECT : OHCA_RS_MODE_CHECK
			: OHCA_RS_MODE_NONE;
		const u32 plen = u32(rng.chance(10) ? 0 : rng.chance(50) ? rng.range(1, 64) : rng.range(1, 4096));
		PF(tok, OHCA_RS_STOK_MARK, mark); PF(tok, OHCA_RS_STOK_MODE, mode); PF(tok, OHCA_RS_STOK_UD, ud);
		PF(tok, OHCA_RS_STOK_PLEN, plen); PF(tok, OHCA_RS_STOK_MORE, scat && !ud && rng.chance(40));
		PF(tok, OHCA_RS_STOK_INV, !mark && rng.chance(5));
		id = u32(rng.bits(6)); qpn = u32(rng.bits(24)); prev = u32(rng.bits(6)); chain = rng.chance(50); hit = rng.chance(8);
		const u32 rnr = !mark && rng.chance(5), lost = !mark && !rnr && rng.chance(3), was = !mark && !rnr && !lost && rng.chance(5);
		PF(wqe, OHCA_RS_WOUT_CODE, rng.bits(5)); PF(wqe, OHCA_RS_WOUT_DEAD, was); PF(wqe, OHCA_RS_WOUT_RNR, rnr);
		PF(wqe, OHCA_RS_WOUT_LOST, lost); PF(wqe, OHCA_RS_WOUT_FETCH, scat && !rnr && !lost && !was);
		const bool dead = !mark && (hit || was);
		// A receive WQE: its list ends with itself, or with an entry that has no key.
		words.clear();
		const u32 entries = 1u << rng.below(5), cap = rng.chance(50) ? 50 : 5000;
		std::vector<Sge> list(entries);
		u64 total = 0;
		u32 used = entries, err = entries;
		if (rng.chance(30)) used = u32(rng.below(entries));
		if (rng.chance(6)) err = u32(rng.below(entries));
		for (u32 i = 0; i < entries; i++) {
			list[i] = Sge{rng.bits(64), rng.chance(15) ? 0 : u32(rng.range(1, cap)), u32(rng.bits(31)) | 0x40};
			if (i == used) list[i].key = OHCA_INVALID_LKEY;
			if (i < used && i < err) total += list[i].len;
		}
		if (WQ(FETCH)) for (u32 i = 0; i < entries && i <= err; i++) {
			bytes w((OHCA_RING_WORD_BITS + 7) / 8);
			PF(w, OHCA_RING_WORD_LAST, i + 1 == entries || i == err); PF(w, OHCA_RING_WORD_ERR, i == err);
			PF(w, OHCA_RING_WORD_VERR, i == err ? OHCA_VENDOR_ERR_FLUSH : 0);
			put_bits(w, OHCA_RING_WORD_DATA_LSB, 64, list[i].addr); put_bits(w, OHCA_RING_WORD_DATA_LSB + 64, 32, list[i].len);
			put_bits(w, OHCA_RING_WORD_DATA_LSB + 96, 32, list[i].key);
			words.push_back(w);
		}
		if (scat) PF(tok, OHCA_RS_STOK_CHK_LEN, total > plen && rng.chance(80) ? rng.below(total - plen + 1) : rng.below(total + 10));
		// What is to come of it.
		Token t{id, qpn, u32(TK(PD)), u32(TK(PRIV)), chain, prev, TK(DUP) != 0, {}};
		u32 fail = OHCA_RS_FAIL_OK;
		bool placed = false;
		const u32 base = u32(TK(BASE)), pay = (base + u32(TK(PAY_OFF))) & 0xfffff;
		if (WQ(FETCH) && !dead) {
			placed = true;
			u32 room = ud ? 40 : plen, src = ud ? (base + 8) & 0xfffff : pay;
			u64 skip = TK(MORE) ? TK(CHK_LEN) : 0;
			bool grh = ud, done = room == 0, whole = false;   // whole: the last piece says that it is the last
			for (u32 i = 0; !done; i++) {
				if (i == entries) { fail = OHCA_RS_FAIL_SHORT; break; }
				if (i == err) { fail = OHCA_RS_FAIL_FETCH; break; }
				if (list[i].key == OHCA_INVALID_LKEY) { fail = OHCA_RS_FAIL_SHORT; break; }
				u64 from = std::min<u64>(skip, list[i].len);
				skip -= from;
				empty += !list[i].len;
				for (u64 cut = 0; from < list[i].len && !done; cut++) {
					const u32 use = u32(std::min<u64>(room, list[i].len - from));
					done = use == room && (!grh || !plen);
					whole = !grh || TK(GRH);
					if (whole) t.pieces.push_back({list[i].addr + from, list[i].key, use, use, src, done, false, false, false, false, false});
					grhs += grh && whole;
					split += cut != 0;
					from += use; room -= use; src = (src + use) & 0xfffff;
					if (!room) { grh = false; room = plen; src = pay; }
				}
			}
			if (fail != OHCA_RS_FAIL_OK || !done || !whole) {
				t.pieces.push_back({0, 0, 0, 0, 0, true, true, fail != OHCA_RS_FAIL_OK, false, false, false});
				tails++;
			}
			fails[fail]++;
			more += TK(MORE);
		} else if (!mark && !dead && !rnr && !lost && (mode == OHCA_RS_MODE_DIRECT || mode == OHCA_RS_MODE_CHECK)) {
			placed = true;
			const bool check = mode == OHCA_RS_MODE_CHECK;
			u32 from = ud ? (base + 8) & 0xfffff : pay;
			t.pieces.push_back({TK(VA), u32(TK(KEY)), check ? 1 : plen, u32(TK(CHK_LEN)), from, true, false, false, check, check, !check});
			direct++;
		} else dropped += dead;
		want.push_back(t);
		bytes o((OHCA_RS_SOUT_BITS + 7) / 8);
		PF(o, OHCA_RS_SOUT_DEAD, dead); PF(o, OHCA_RS_SOUT_RNR, rnr); PF(o, OHCA_RS_SOUT_LOST, lost); PF(o, OHCA_RS_SOUT_PLACED, placed);
		PF(o, OHCA_RS_SOUT_FAIL, fail); PF(o, OHCA_RS_SOUT_CODE, WQ(CODE));
		PF(o, OHCA_RS_SOUT_VERR, fail == OHCA_RS_FAIL_SHORT ? OHCA_VENDOR_ERR_LENGTH : fail == OHCA_RS_FAIL_FETCH ? OHCA_VENDOR_ERR_FLUSH : 0);
		outs.push_back(o);
		tb::set_bytes(d.tok_i, tok.data(), tok.size()); tb::set_bytes(d.wqe_i, wqe.data(), wqe.size());
		d.id_i = u8(id); d.qpn_i = qpn;
		at = 0; there = true; told = begun = fired = false;
		while (!fired) step();
		CHECK_EQ(at, words.size(), "words taken");
		CHECK_EQ(poison, !dead && (fail != OHCA_RS_FAIL_OK || TK(INV)), "poison"); CHECK_EQ(heads, placed && !TK(DUP), "newest");
		there = told = false;
		n++;
		for (u64 i = rng.chance(70) ? 0 : rng.below(4); i; i--) step();
	}
	for (unsigned i = 0; i < 2000; i++) step();
	while (!want.empty() && want.front().pieces.empty()) want.pop_front();
	CHECK(want.empty() && outs.empty(), "something is left");
	printf("# %llu tokens, %llu pieces, %llu direct, %llu of poisoned QPs; lists: %llu good, %llu too short, %llu not read; "
		"%llu GRHs, %llu entries for two pieces, %llu in the middle of a message, %llu empty entries, %llu ends without bytes\n",
		(unsigned long long)n, (unsigned long long)pieces, (unsigned long long)direct, (unsigned long long)dropped,
		(unsigned long long)fails[0], (unsigned long long)fails[1], (unsigned long long)fails[2], (unsigned long long)grhs,
		(unsigned long long)split, (unsigned long long)more, (unsigned long long)empty, (unsigned long long)tails);
	GOAL(n > 1000 && pieces > 1000 && direct > 100 && dropped > 30 && fails[0] > 100 && fails[1] > 100 && fails[2] > 5 &&
		grhs > 50 && split > 50 && more > 50 && empty > 50 && tails > 50);
	return b.finish();
}
