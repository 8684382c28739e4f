// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_fetch: random tokens, with answers of the doorbell record before or behind them, and poison that is there or
// not. What leaves is what a model says that counts receive WQEs one by one; reads of the ring are those of the tokens
// that have one, in order.
// dut: ohca_rs_fetch InFlight=16
// dut: ohca_rs_fetch InFlight=32 Slow=1
// dut: ohca_rs_fetch InFlight=16 Compact=1
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"

static u32 m16(u64 x) { return u32(x & 0xffff); }
#define TK(t, f) u64(BF(t, OHCA_RS_WTOK_##f))

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Token { bytes b; u32 id; };
	struct Record { bool err; u32 pi; };
	std::deque<Token> toks;                     // in the room
	std::deque<Record> recs, asked;             // answers, in the order of the tokens: to come, and all of those in the room
	std::deque<bytes> outs, rings;
	tb::Pace ip(&rng), dp(&rng), rp(&rng), op(&rng);
	bytes tok;
	u32 id = 0;
	bool offer = false, rec = false, hit = false;
	u64 n = 0, kinds[5] = {}, verified = 0, fetched = 0, few = 0;
	d.tok_valid_i = d.dbr_valid_i = d.ring_ready_i = d.out_ready_i = d.hit_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		b.cycle([&] {
			if (!offer && feed && ip.go()) {
				tok.assign((OHCA_RS_WTOK_BITS + 7) / 8, 0);
				for (auto &x : tok) x = u8(rng.bits(8));
				const u32 size = 1u << rng.below(16), idx = u32(rng.bits(16)),
					left = rng.chance(30) ? 0 : u32(rng.range(1, size));
				PF(tok, OHCA_RS_WTOK_MARK, rng.chance(5)); PF(tok, OHCA_RS_WTOK_SIZE, size);
				PF(tok, OHCA_RS_WTOK_IDX, idx); PF(tok, OHCA_RS_WTOK_CODE, credit_code_of(left));
				PF(tok, OHCA_RS_WTOK_VERIFY, !TK(tok, MARK) && !left);
				if (TK(tok, MARK)) { PF(tok, OHCA_RS_WTOK_WQE, 0); PF(tok, OHCA_RS_WTOK_USED, 0); }
				if (TK(tok, VERIFY)) {
					Record r{rng.chance(10), m16(idx + (rng.chance(30) ? 0 : rng.chance(60) ? rng.below(size + 1)
						: size + rng.below(3)))};
					recs.push_back(r); asked.push_back(r);
				}
				id = u32(rng.bits(8));
				offer = true;
			}
			if (!rec && !recs.empty() && dp.go()) rec = true;
			d.tok_valid_i = offer;
			tb::set_bytes(d.tok_i, tok.data(), tok.size());
			d.id_i = u8(id);
			d.dbr_valid_i = rec;
			d.dbr_err_i = rec ? recs.front().err : u32(rng.bits(1));
			d.dbr_pi_i = u16(rec ? recs.front().pi : u32(rng.bits(16)));
			hit = rng.chance(20);
			d.hit_i = hit;
			d.ring_ready_i = rp.go();
			d.out_ready_i = op.go();
		}, [&] {
			if (rec && d.dbr_ready_o) { rec = false; recs.pop_front(); }
			if (d.fire_o) {
				CHECK(!toks.empty(), "a token too many");
				const Token t = toks.front();
				toks.pop_front();
				CHECK_EQ(d.id_o, t.id, "which token");
				const bool mark = TK(t.b, MARK), verify = TK(t.b, VERIFY), dead = hit && !mark;
				u32 left = 0;
				bool lost = false;
				if (verify) {
					CHECK(!asked.empty(), "no answer for it");
					Record r = asked.front();
					asked.pop_front();
					u32 ahead = 0;                 // one by one, up to the ring's size
					while (ahead <= TK(t.b, SIZE) && m16(TK(t.b, IDX) + ahead) != r.pi) ahead++;
					left = ahead > TK(t.b, SIZE) ? 0 : ahead;
					lost = r.err;
					verified++;
				}
				const bool none = verify && !lost && !left, fetch = TK(t.b, WQE) && !dead && !(verify && (lost || none));
				CHECK_EQ(d.mark_o, mark, "mark"); CHECK_EQ(d.poison_o, verify && !dead && (lost || none), "poison");
				bytes o((OHCA_RS_WOUT_BITS + 7) / 8);
				const u32 beyond = left && TK(t.b, USED) ? left - 1 : left;
				PF(o, OHCA_RS_WOUT_CODE, verify ? credit_code_of(beyond) : TK(t.b, CODE)); PF(o, OHCA_RS_WOUT_DEAD, dead); PF(o, OHCA_RS_WOUT_RNR, none && !dead);
				PF(o, OHCA_RS_WOUT_LOST, lost && !dead); PF(o, OHCA_RS_WOUT_FETCH, fetch);
				if (lost) PF(o, OHCA_RS_WOUT_CODE, 0);
				outs.push_back(o);
				if (fetch) rings.push_back(t.b);
				kinds[mark ? 0 : dead ? 1 : lost ? 2 : none ? 3 : 4]++;
				few += beyond && beyond < left;
				n++;
				b.progress();
			}
			// Compact: the ring's request leaves with its token.
			if (d.ring_valid_o && d.ring_ready_i) {
				CHECK(!rings.empty(), "a fetch too many");
				const bytes t = rings.front();
				rings.pop_front();
				bytes r = get_all(d.ring_o, OHCA_RING_REQ_BITS);
				CHECK_EQ(BF(r, OHCA_RING_REQ_BUF_MTT), TK(t, BUF_MTT), "kind of ring");
				CHECK_EQ(BF(r, OHCA_RING_REQ_BUF), TK(t, RING), "ring");
				CHECK_EQ(BF(r, OHCA_RING_REQ_OFFSET), TK(t, OFFSET), "offset");
				CHECK_EQ(BF(r, OHCA_RING_REQ_LEN), TK(t, LEN), "length");
				fetched++;
			}
			if (d.out_valid_o && d.out_ready_i) {
				CHECK(!outs.empty(), "an answer too many");
				bytes o = get_all(d.out_o, OHCA_RS_WOUT_BITS), w = outs.front();
				outs.pop_front();
				if (BF(w, OHCA_RS_WOUT_LOST) || BF(w, OHCA_RS_WOUT_DEAD)) {     // nobody asks for its credits
					PF(o, OHCA_RS_WOUT_CODE, 0); PF(w, OHCA_RS_WOUT_CODE, 0);
				}
				CHECK(o == w, "what is said of a token");
				b.progress();
			}
			if (offer && d.tok_ready_o) { offer = false; toks.push_back({tok, id}); }
		});
	};
	while (b.now() < b.cycles) step(true);
	for (unsigned i = 0; i < 3000; i++) step(false);
	CHECK(toks.empty() && outs.empty() && rings.empty() && recs.empty() && asked.empty(), "something is left");
	printf("# %llu tokens: %llu marks, %llu poisoned, %llu records lost, %llu without a WQE; %llu verified, %llu fetched\n",
		(unsigned long long)n, (unsigned long long)kinds[0], (unsigned long long)kinds[1], (unsigned long long)kinds[2],
		(unsigned long long)kinds[3], (unsigned long long)verified, (unsigned long long)fetched);
	GOAL(n > 2000 && kinds[0] > 50 && kinds[1] > 200 && kinds[2] > 20 && kinds[3] > 50 && verified > 500 && fetched > 500 && few > 300);
	return b.finish();
}
