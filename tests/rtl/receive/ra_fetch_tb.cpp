// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_fetch: each token leaves once, in the order of its kind, with the WQEs that a model counts one by one; a read
// never goes past the ring's end, a page's end, a batch or what is posted; tokens that go round again are not passed.
// Entries change while tokens wait. When nothing holds it up it takes a token every third cycle.
// dut: ohca_ra_fetch InFlight=8
// dut: ohca_ra_fetch InFlight=32 BatchBytes=1024 Few=1 Slow=1
// args: --cycles 120000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_BATCH_BYTES
#define TB_BATCH_BYTES 4096
#endif
// Fields of the ring read in a request.
#define PR(b, f, v) put_bits(b, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_##f##_LSB, OHCA_RING_REQ_##f##_WIDTH, v)
#define BR(b, f) bits_of(b, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_##f##_LSB, OHCA_RING_REQ_##f##_WIDTH)
typedef unsigned long long U;
enum { ACK = OHCA_RA_TK_ACK, NAK = OHCA_RA_TK_NAK, RESP = OHCA_RA_TK_RESP, N = TB_IN_FLIGHT };

struct Late { u32 una, psn, act, endv, end; bool walked; };
struct Qp { u64 ring; u32 log_size, log_stride, mtt, qpn; };
struct Tok { u32 e, first, front, kind, psn, pi, op, id; };

static bytes pack(const Tok &t)
{
	bytes b((OHCA_RA_TOK_BITS + 7) / 8);
	PF(b, OHCA_RA_TOK_E, t.e); PF(b, OHCA_RA_TOK_FIRST, t.first); PF(b, OHCA_RA_TOK_FRONT, t.front);
	PF(b, OHCA_RA_TOK_KIND, t.kind); PF(b, OHCA_RA_TOK_PSN, t.psn); PF(b, OHCA_RA_TOK_PI, t.pi);
	PF(b, OHCA_RA_TOK_OP, t.op); PF(b, OHCA_RA_TOK_SRC, t.id);
	return b;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	auto s24 = [](u32 x) { x &= 0xffffff; return x & 0x800000 ? int(x) - 0x1000000 : int(x); };
	Late late[N];
	Qp qp[N];
	struct Guess { u32 una, psn, in; bool known; } guess[N] = {};
	struct Look { u32 e; Late l; };
	std::deque<Look> looks;                     // what was to be seen of the entry at e_o, one item for each change of e_o
	struct Waiting { Tok t; u64 passed; };
	std::deque<Waiting> fresh, again;
	std::deque<bytes> want, got;                // ring reads
	std::deque<Tok> back;                       // tokens to go round again
	tb::Pace src(&rng), ring(&rng), out(&rng);
	u64 tokens = 0, rounds = 0, none = 0, ends[4] = {}, changes = 0, shorts = 0, fast = 0, fast_cycles = 0, smooth = 0;
	u32 id = 0, inside = 0, last_e = ~0u;
	bool speed = false;
	auto draw_qp = [&](u32 e) {
		qp[e].log_stride = u32(rng.range(6, 8));
		qp[e].log_size = u32(rng.range(2, 12));
		qp[e].ring = rng.bits(40) << qp[e].log_stride;
		qp[e].mtt = u32(rng.bits(1));
		qp[e].qpn = u32(rng.bits(24));
	};
	auto draw = [&](u32 e, bool walked) {
		Late &l = late[e];
		l = Late{u32(rng.bits(16)), u32(rng.bits(24)), rng.chance(30), rng.chance(30), 0, walked};
		if (guess[e].known && rng.chance(80)) {
			l.una = (guess[e].una + u32(rng.below(7)) - 3) & 0xffff;
			l.psn = (guess[e].psn + u32(rng.below(7)) - 3) & 0xffffff;
		}
		l.end = l.endv ? (l.psn + u32(rng.below(20))) & 0xffffff : u32(rng.range(0, 2));
	};
	for (u32 e = 0; e < N; e++) { draw_qp(e); draw(e, false); }
	d.tok_valid_i = d.again_valid_i = d.ask_ready_i = d.ltok_ready_i = 0;
	b.reset();
	Tok in{};
	bool offered = false, push_again = false;
	Tok ag{};
	auto step = [&](bool feed) {
		b.cycle([&] {
			if (rng.below(1500) == 0) {
				speed = rng.chance(30);
				for (auto *p : {&src, &ring, &out}) p->always(speed ? 1 : -1);
				smooth = 0;
			}
			smooth++;
			u32 at = d.e_o;
			if (at != last_e) { looks.push_back({at, late[at]}); last_e = at; }
			// An entry that nobody looks at moves on.
			u32 x = u32(rng.below(N));
			if (x != at && rng.chance(20)) { draw(x, guess[x].known && rng.chance(80)); changes++; }
			const Late &l = late[at];
			bytes lb((OHCA_RA_LATE_BITS + 7) / 8), qb((OHCA_RA_QP_BITS + 7) / 8);
			PF(lb, OHCA_RA_LATE_UNA, l.una); PF(lb, OHCA_RA_LATE_UNA_PSN, l.psn); PF(lb, OHCA_RA_LATE_RD_ACTIVE, l.act);
			PF(lb, OHCA_RA_LATE_END_VALID, l.endv); PF(lb, OHCA_RA_LATE_END_PSN, l.end);
			PF(qb, OHCA_RA_QP_RING, qp[at].ring); PF(qb, OHCA_RA_QP_LOG_SIZE, qp[at].log_size);
			PF(qb, OHCA_RA_QP_LOG_STRIDE, qp[at].log_stride); PF(qb, OHCA_RA_QP_BUF_MTT, qp[at].mtt); PF(qb, OHCA_RA_QP_QPN, qp[at].qpn);
			tb::set_bytes(d.late_i, lb.data(), lb.size());
			tb::set_bytes(d.qp_i, qb.data(), qb.size());
			d.walked_i = l.walked;
			if (!offered && feed && inside + back.size() < N && src.go()) {
				u32 e = u32(rng.below(rng.chance(50) ? 3 : N));
				u32 base = guess[e].known && rng.chance(50) ? guess[e].psn : late[e].endv &&
					rng.chance(50) ? late[e].end : late[e].psn;
				u32 una = guess[e].known && rng.chance(50) ? guess[e].una : late[e].una;
				in = Tok{e, !guess[e].known || rng.chance(20), 0, u32(rng.below(3)), 0, 0, u32(rng.range(0x0d, 0x10)),
					id++ & 0xfffff};
				in.psn = (base + u32(rng.below(rng.chance(70) ? 8 : 300)) - 3) & 0xffffff;
				in.pi = (una + u32(rng.chance(80) ? rng.below(100) : rng.bits(16))) & 0xffff;
				offered = true;
			}
			push_again = !back.empty() && rng.chance(50);
			if (push_again) ag = back.front();
			bytes t = pack(in), a = pack(ag);
			tb::set_bytes(d.tok_i, t.data(), t.size());
			tb::set_bytes(d.again_i, a.data(), a.size());
			d.tok_valid_i = offered; d.again_valid_i = push_again;
			d.ask_ready_i = ring.go(); d.ltok_ready_i = out.go();
		}, [&] {
			if (offered && d.tok_ready_o) { fresh.push_back({in, 0}); offered = false; inside++; }
			if (push_again) { again.push_back({ag, 0}); back.pop_front(); inside++; }
			if (d.ask_valid_o && d.ask_ready_i) got.push_back(get_all(d.ask_o, OHCA_RA_ASK_BITS));
			bool busy = speed && smooth > 200 && (fresh.size() > 2 || again.size() > 2);
			fast_cycles += busy;
			if (d.ltok_valid_o && d.ltok_ready_i) {
				bytes lt = get_all(d.ltok_o, OHCA_RA_LTOK_BITS);
				u32 who = u32(bits_of(lt, OHCA_RA_LTOK_T_LSB + OHCA_RA_TOK_SRC_LSB, 20));
				bool re = !again.empty() && again.front().t.id == who;
				auto &q = re ? again : fresh;
				CHECK(!q.empty() && q.front().t.id == who, "token %u is not the first of its kind", who);
				Tok t = q.front().t;
				q.pop_front();
				if (!re && !again.empty() && speed && smooth > 200) CHECK(++again.front().passed <= 3,
					"a token that goes round again is passed");
				inside--;
				b.progress();
				bytes tb_ = pack(t);
				for (unsigned i = 0; i < OHCA_RA_TOK_BITS; i += 8)
					CHECK_EQ(bits_of(lt, OHCA_RA_LTOK_T_LSB + i, std::min(8u, OHCA_RA_TOK_BITS - i)), bits_of(tb_, i,
						std::min(8u, OHCA_RA_TOK_BITS - i)), "token");
				while (looks.size() > 1 && looks.front().e != t.e) looks.pop_front();
				CHECK(looks.front().e == t.e, "the entry was not looked at");
				const Late &l = looks.front().l;
				// Where it begins.
				Guess &g = guess[t.e];
				Guess p = (t.first && !l.walked) ? Guess{l.una, l.psn, l.act, true} : g;
				bool walk = t.front || ((l.una - p.una) & 0xffff) < 0x8000;
				u32 una = walk ? l.una : p.una, psn = walk ? l.psn : p.psn;
				bool rd = (walk && l.act) || (p.in && !t.front && p.una == una);
				// How many WQEs: one more until something says no.
				u32 stride = 1u << qp[t.e].log_stride, mask = (1u << qp[t.e].log_size) - 1, posted = (t.pi - una) & 0xffff,
					n = 0, most = 127, why = 0;
				int past = s24(t.psn - (t.kind == NAK ? 1 : 0) - psn);
				if (t.kind == RESP) most = rd ? 1 : past > 3 ? 4 : past < 0 ? 1 : u32(past) + 1;
				else {
					if (l.endv && una == l.una) past = s24(t.psn - l.end);
					most = past < 0 ? 1 : u32(past) + 1;
					if (!l.endv || una != l.una) { if (l.end > 1 && most > 2) most = 2; }
				}
				if (posted == 0 || posted >= 0x8000) none++;
				else for (;;) {
					u32 at = (una + n) & mask;
					n++;
					if (n >= most) { why = 0; break; }
					if (n >= posted) { why = 1; break; }
					if (n >= TB_BATCH_BYTES / stride) { why = 2; break; }
					if (at == mask || ((qp[t.e].ring + u64(at + 1) * stride) & 0xfff) == 0) { why = 3; break; }
				}
				if (n) ends[why]++;
				CHECK_EQ(BF(lt, OHCA_RA_LTOK_ANY), n != 0, "a fetch");
				CHECK_EQ(BF(lt, OHCA_RA_LTOK_IDX), una, "first WQE");
				if (n) {
					bytes r((OHCA_RA_ASK_BITS + 7) / 8);
					PF(r, OHCA_RA_ASK_QPN, qp[t.e].qpn); PF(r, OHCA_RA_ASK_IDX, una); PF(r, OHCA_RA_ASK_CNT, n);
					PF(r, OHCA_RA_ASK_LOG_STRIDE, qp[t.e].log_stride); PR(r, BUF_MTT, qp[t.e].mtt); PR(r, BUF, qp[t.e].ring);
					PR(r, OFFSET, (una & mask) * stride); PR(r, LEN, n * stride);
					want.push_back(r);
				}
				g = Guess{una, psn, rd, true};
				if (t.kind == RESP && n && t.op == 0x0d) g = Guess{(una + n - 1) & 0xffff, t.psn, 1, true};
				else if (t.kind == RESP && n && t.op >= 0x0f) g = Guess{(una + n) & 0xffff, (t.psn + 1) & 0xffffff, 0, true};
				else if (t.kind == ACK && n && !why && !rd && past >= 0 && l.end <= 1 && !(l.endv && una == l.una)) {
					g = Guess{(una + n) & 0xffff, (t.psn + 1) & 0xffffff, 0, true};
					shorts++;
				}
				tokens++;
				fast += busy;
				if (rng.chance(20)) { t.front = rng.chance(50); back.push_back(t); rounds++; }
			}
			while (!want.empty() && !got.empty()) {
				CHECK(want.front() == got.front(), "request: WQE %llu, %llu of them, at %llu, want %llu, %llu, %llu",
				      U(BF(got.front(), OHCA_RA_ASK_IDX)), U(BF(got.front(), OHCA_RA_ASK_CNT)), U(BR(got.front(), OFFSET)),
				      U(BF(want.front(), OHCA_RA_ASK_IDX)), U(BF(want.front(), OHCA_RA_ASK_CNT)), U(BR(want.front(), OFFSET)));
				want.pop_front(); got.pop_front();
			}
			if (!inside) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	for (int i = 0; i < 4000 && (inside || back.size() || !want.empty()); i++) step(false);
	CHECK(!inside && fresh.empty() && again.empty() && want.empty() && got.empty(), "something is left");
	printf("# %llu tokens, %llu rounds, %llu without a fetch, ends: %llu by the guess, %llu posted, %llu batch, "
		"%llu ring or page; %llu changes; full speed: %.2f cycles a token\n",
	       (unsigned long long)tokens, (unsigned long long)rounds, (unsigned long long)none,
	       	(unsigned long long)ends[0], (unsigned long long)ends[1],
	       (unsigned long long)ends[2], (unsigned long long)ends[3], (unsigned long long)changes,
	       	fast ? double(fast_cycles) / double(fast) : 0);
	GOAL(tokens > 3000 && rounds > 500 && none > 100 && ends[0] > 500 && ends[1] > 100 && ends[2] > 20 &&
		ends[3] > 100 && fast > 200 && shorts > 100);
	if (N == 8) CHECK(10 * fast_cycles <= 31 * fast, "slower than a token every third cycle");
	return b.finish();
}
