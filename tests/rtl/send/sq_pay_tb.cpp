// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_pay: jobs of random scatter lists, with empty entries, across pages, over several packets, from any offset, lists that are too short, and inline data:
// the pieces and words are those of a model that goes byte range by byte range. QPs are reset under some jobs: from the next cycle on nothing
// of their lists leaves, and each packet ends with a piece that says so. Then the pace.
// dut: ohca_sq_pay
// dut: ohca_sq_pay Depth=128 UseRam=1 Turns=16
// dut: ohca_sq_pay Depth=128 UseRam=1 Slow=1
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "send_models.h"
#include <algorithm>
#ifndef TB_SLOW
#define TB_SLOW 0
#endif
#ifndef TB_TURNS
#define TB_TURNS 64
#endif

struct Piece { u64 va; u32 len, key, pd; bool last, inl, bad, priv; };
struct Job { u32 turn, row, nsge, offset, bytes, mtu_sh, pd; bool ud, inl, priv, last; };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	tb::Pace pp(&b.rng), pi(&b.rng);
	std::vector<bytes> rows(TB_TURNS, bytes(256, 0));
	std::deque<Job> jobs;
	std::deque<Piece> want;
	std::deque<bytes> words;
	std::deque<u32> ends, want_of, words_of;     // turns; of each piece, of each word
	std::vector<u32> left(TB_TURNS);             // what is to come of a turn: only then it is free, as in the send engine
	u32 turn = 0, at = 0, due = 0;
	bool reading = false, st = false, sti = false, rd = false;
	bytes held, heldi;
	std::deque<std::pair<u64, u32>> puts;         // when each piece was made, in which slot
	std::vector<u64> gone_at(TB_TURNS);          // since when a turn's QP is reset, 0: it is not
	u64 gone = 0, made = 0, goners = 0, amid = 0;
	bool resets = true;
	u32 was_turn = 0;
	std::deque<u32> put_turns;
	bool inside = false;                         // the packet has begun
	u64 pieces = 0, bads = 0, inls = 0, crossed = 0, first = 0, last = 0;
	auto put = [&](bytes &r, unsigned o, u64 v, unsigned n) { for (unsigned k = 0; k < n; k++) r[o + k] = u8(v >> (8 * k)); };
	// A WQE in the rows of the next turn and a job of it; what comes out.
	auto make = [&](int sges, int len) {
		Job j;
		j.turn = turn = (turn + 1) % TB_TURNS;
		gone_at[turn] = 0; gone &= ~(1ull << turn);
		bytes &r = rows[j.turn];
		rng.fill(r);
		j.ud = sges < 0 && rng.chance(20); j.inl = sges < 0 && rng.chance(30); j.priv = rng.chance(50); j.last = rng.chance(50);
		j.pd = u32(rng.bits(24)); j.mtu_sh = len >= 0 ? 8 + turn % 5 : u32(rng.range(8, 12));      // a pace goes by all of them
		j.row = u32(rng.below(2)); j.nsge = 0; j.offset = 0;
		unsigned base = 64 * j.row + (j.ud ? 64 : 32), space = 256 - base;
		if (j.inl) {
			j.bytes = u32(rng.below(space + 1));
			j.mtu_sh = std::max(j.mtu_sh, 8u);
			if (j.bytes) want.push_back({0, j.bytes, 0, j.pd, true, true, false, j.priv});
			for (u32 o = 0; o < j.bytes; o += 16) { words.push_back(bytes(r.begin() + base + o, r.begin() + base + o + 16)); inls++; }
		} else {
			j.nsge = sges > 0 ? u32(sges) : u32(rng.below(space / 16 + 1));
			struct Sge { u64 a; u32 len, key; };
			std::vector<Sge> l;
			u64 sum = 0;
			for (u32 i = 0; i < j.nsge; i++) {
				Sge s = { rng.next() & 0xffffffffffffull, len >= 0 ? u32(len) : rng.chance(15) ? 0 : u32(rng.range(1, rng.chance(30) ? 20000 : 400)), u32(rng.next()) };
				if (len >= 0) s.a &= ~0xfffull;
				if (len < 0 && rng.chance(10)) s.a |= 0xfff;
				put(r, base + 16 * i, s.a, 8); put(r, base + 16 * i + 8, s.len, 4); put(r, base + 16 * i + 12, s.key, 4);
				l.push_back(s);
				sum += s.len;
			}
			if (len < 0 && sum && rng.chance(40)) j.offset = u32(rng.below(sum)) & ~((1u << j.mtu_sh) - 1);
			u64 most = std::min<u64>(sum - j.offset + (len < 0 && rng.chance(10) ? rng.range(1, 3000) : 0), 32768);
			j.bytes = u32(len >= 0 ? most : rng.chance(50) ? most : rng.below(most + 1));
			u32 m = 1u << j.mtu_sh, left = j.bytes, i = 0;
			u64 skip = j.offset;
			while (left) {
				u32 pk = std::min(left, m);
				for (u32 n = pk; n;) {
					while (i < l.size() && skip >= l[i].len) { skip -= l[i].len; i++; }
					if (i == l.size()) { want.push_back({0, 0, 0, j.pd, true, false, true, j.priv}); bads++; break; }
					u64 a = l[i].a + skip;
					u32 x = std::min<u64>({ n, l[i].len - skip, 4096 - (a & 4095) });
					crossed += x == 4096 - (a & 4095) && x < n;
					n -= x; skip += x;
					want.push_back({a, x, l[i].key, j.pd, n == 0, false, false, j.priv});
				}
				left -= pk;
			}
		}
		if (j.last) ends.push_back(j.turn);
		jobs.push_back(j);
		left[j.turn]++;
		for (; want_of.size() < want.size(); left[j.turn]++) want_of.push_back(j.turn);
		for (; words_of.size() < words.size(); left[j.turn]++) words_of.push_back(j.turn);
	};
	auto step = [&] {
		b.cycle([&] {
			if (reading) for (unsigned k = 0; k < 16; k++) tb::set_bits(d.rd_data_i, 8 * k, 8, rows[at][due * 16 + k]);
			d.job_valid_i = !jobs.empty();
			if (!jobs.empty()) {
				Job &j = jobs.front();
				tb::clear(d.job_i);
#define S(f, x) SET_FIELD(d.job_i, OHCA_SQ_JOB_##f, x)
				S(TURN, j.turn); S(ROW, j.row); S(UD, j.ud); S(INL, j.inl); S(NSGE, j.nsge); S(OFFSET, j.offset); S(BYTES, j.bytes); S(MTU_SH, j.mtu_sh);
				S(PRIV, j.priv); S(PD, j.pd); S(LAST, j.last);
			}
			d.txp_ready_i = pp.go();
			d.inl_ready_i = pi.go();
			if (u32 t = inside && rng.chance(30) ? want_of.front() : u32(rng.below(TB_TURNS)); resets && left[t] && !gone_at[t] && rng.below(40) == 0) { gone_at[t] = b.now() + 1; gone |= 1ull << t; }
			d.gone_i = gone;
		}, [&] {
			if (!jobs.empty() && d.job_ready_o) { left[jobs.front().turn]--; jobs.pop_front(); b.progress(); }
			rd = d.rd_en_o;
			if (rd) { at = d.rd_turn_o; due = d.rd_word_o; }
			reading = rd;
			bytes cur(sizeof(d.txp_o)), curi(16);
			tb::get_bytes(d.txp_o, cur.data(), cur.size());
			tb::get_bytes(d.inl_o, curi.data(), 16);
			if (st) CHECK(d.txp_valid_o && cur == held, "a stalled piece changed");
			if (sti) CHECK(d.inl_valid_o && curi == heldi, "a stalled word changed");
			st = d.txp_valid_o && !d.txp_ready_i; held = cur;
			sti = d.inl_valid_o && !d.inl_ready_i; heldi = curi;
			if (d.txp_valid_o && d.txp_ready_i) {
				CHECK(!want.empty(), "a piece from nowhere");
				u32 t = want_of.front();
				auto pop = [&] { Piece p = want.front(); want.pop_front(); left[want_of.front()]--; want_of.pop_front(); return p; };
				Piece p = pop();
#define P(f) u64(FIELD(d.txp_o, OHCA_TXP_##f))
				CHECK(!puts.empty(), "a piece that was not told");
				CHECK_EQ(P(SLOT), puts.front().second, "slot");
				u64 at_put = puts.front().first;
				puts.pop_front();
				CHECK_EQ(put_turns.front(), t, "the turn that is read before a piece");
				put_turns.pop_front();
				if (gone_at[t] && at_put >= gone_at[t]) CHECK(p.inl || P(GONE), "a piece of a QP that was reset");
				if (P(GONE)) {
					CHECK(gone_at[t] && at_put >= gone_at[t] && !p.inl, "a QP is taken for reset");
					amid += inside;
					while (!p.last) p = pop();
					p.bad = true; p.len = 0;
					goners++;
				}
				inside = !p.last;
				CHECK_EQ(P(BAD), u64(p.bad), "bad"); CHECK_EQ(P(INL), u64(p.inl), "inline"); CHECK_EQ(P(LEN), u64(p.len), "length"); CHECK_EQ(P(LAST), u64(p.last), "last");
				CHECK_EQ(P(PD), u64(p.pd), "pd"); CHECK_EQ(P(PRIV), u64(p.priv), "priv");
				if (!p.bad && !p.inl) { CHECK_EQ(P(VA), p.va, "address"); CHECK_EQ(P(KEY), u64(p.key), "key"); }
				if (!first) first = b.now();
				last = b.now();
				pieces++;
				b.progress();
			}
			if (d.inl_valid_o && d.inl_ready_i) {
				CHECK(!words.empty() && words.front() == curi, "inline word");
				words.pop_front();
				left[words_of.front()]--; words_of.pop_front();
				b.progress();
			}
			if (d.put_o) {
				puts.push_back({ b.now(), d.put_slot_o });
				CHECK_EQ(d.put_slot_o, made % 8, "slots take turns");
				made++;
				put_turns.push_back(was_turn);
			}
			was_turn = d.rd_turn_o;
			if (d.end_o) {
				CHECK(!ends.empty() && ends.front() == d.end_turn_o, "end of a turn");
				ends.pop_front();
			}
		});
	};
	d.job_valid_i = 0;
	d.gone_i = 0;
	b.reset();
	while (b.now() < b.cycles) {
		if (want.size() < 40 && words.size() < 100 && jobs.size() < 4 && ends.size() < TB_TURNS / 4 && !left[(turn + 1) % TB_TURNS]) make(-1, -1);
		step();
	}
	auto rest = [&] {
		while (!jobs.empty() || !want.empty() || !words.empty()) step();
		for (u32 i = 0; i < 300; i++) { b.progress(); step(); }      // jobs of which nothing comes, two cycles each
		CHECK(d.idle_o && ends.empty(), "it does not come to rest");
	};
	rest();
	printf("# %llu pieces, %llu aborted packets, %llu inline words, %llu pages ended within a packet\n", (unsigned long long)pieces, (unsigned long long)bads,
	       (unsigned long long)inls, (unsigned long long)crossed);
	printf("# %llu packets ended with their QP, %llu of them amid their pieces\n", (unsigned long long)goners, (unsigned long long)amid);
	GOAL(goners > 100 && amid > 5 && pieces > 3000 && bads > 20 && inls > 300 && crossed > 100);
	resets = false;
	pp.always(1); pi.always(1);
	auto pace = [&](const char *what, int sges, int len, double limit) {
		first = 0;
		u64 n = pieces;
		for (int i = 0; i < 8; i++) make(sges, len);
		rest();
		printf("# %s: %.2f cycles a piece\n", what, double(last - first + 1) / double(pieces - n));
		CHECK(double(last - first + 1) <= limit * double(pieces - n), "%s: too slow", what);
	};
	pace("entries of 16 KiB", 2, 16384, 1.2 + TB_SLOW);
	pace("entries of 64 bytes, one each", 1, 64, 2.01 + TB_SLOW);
	return b.finish();
}
