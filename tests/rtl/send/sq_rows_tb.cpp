// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_rows: batches of any length, some of which fail, and pushed WQEs between their words, in turns that are used
// again as soon as they are read. Every token comes a cycle after its last word, in order, with what belongs to it; and
// three readers at once, each at its own pace, find what was written, after exactly as many cycles as the header says.
// dut: ohca_sq_rows
// dut: ohca_sq_rows Turns=64 Beat=4
// dut: ohca_sq_rows Beat=2
// dut: ohca_sq_rows Turns=8 Compact=1
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_TURNS
#define TB_TURNS 16
#endif
#ifndef TB_BEAT
#define TB_BEAT 1
#endif
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Batch { u32 turn, id, meta, n, at; bool err; };
	struct Use { std::vector<u8> data; u32 heads, rows, words; bool ready; };      // of a turn; what is still to be read
	struct Read { bool on = false; u32 at = 0, age = 0, turn = 0, left = 0; };
	Use use[TB_TURNS] = {};
	std::vector<u32> free_;
	for (u32 i = 0; i < TB_TURNS; i++) free_.push_back(i);
	std::deque<Batch> asked, due;
	Read head, row, dat;
	std::vector<u8> want_head, want_row, want_dat, pushed;
	u32 push_turn = 0, push_at = 0;              // Compact: words that are still to come
	u64 n = 0, errs = 0, pushes = 0, reads[3] = {}, delays = 0, t2_at = 0;
	tb::Pace ap(&rng), wp(&rng), pp(&rng), tp(&rng), hp(&rng), rp(&rng), dp(&rng);
	d.ask_i = d.word_valid_i = d.push_near_i = d.push_i = d.t2_ready_i = d.head_en_i = d.row_en_i = d.dat_en_i = 0;
	b.reset();
	auto take_free = [&] {
		u32 i = u32(rng.below(free_.size())), t = free_[i];
		free_.erase(free_.begin() + i);
		return t;
	};
	auto pick = [&](u32 Use::*left) {            // a complete turn that this reader has not seen all of
		u32 from = u32(rng.below(TB_TURNS));
		for (u32 i = 0; i < TB_TURNS; i++) {
			u32 t = (from + i) % TB_TURNS;
			if (use[t].ready && use[t].*left) return int(t);
		}
		return -1;
	};
	auto seen = [&](u32 t) {
		if (use[t].ready && !use[t].heads && !use[t].rows && !use[t].words && !(row.on && row.turn == t)) {
			use[t].ready = false;
			free_.push_back(t);
		}
	};
	auto part = [&](u32 t, u32 from, u32 len) { return std::vector<u8>(&use[t].data[from], &use[t].data[from] + len); };
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && (delays <= 100 || pushes <= 300))) {
		bool ask = false, word = false, push = false, near = false, t2 = false, he = false, re = false, de = false;
		Batch a{};
		u32 ht = 0, rt = 0, rr = 0, hr = 0, dt = 0, dw = 0;
		b.cycle([&] {
			ask = !free_.empty() && ap.go();
			if (ask) {
				a = {take_free(), u32(rng.bits(24)), u32(rng.bits(27)), 4 * (1 + u32(rng.below(4))), 0, rng.chance(10)};
				use[a.turn].data = rng.bytes(256);
				if (a.err) a.n = TB_BEAT * (1 + u32(rng.below(a.n / TB_BEAT)));
			}
			d.ask_i = ask; d.ask_turn_i = a.turn; d.ask_id_i = a.id; d.ask_meta_i = a.meta;
			push = !push_at && !free_.empty() && pp.go() && rng.chance(50);
			if (push) {
				push_turn = take_free();
				use[push_turn].data = rng.bytes(256);
				pushed = part(push_turn, 0, 64);
			}
			near = push || (pp.go() && rng.chance(30));
			d.push_near_i = near;
			d.push_i = push; d.push_turn_i = push_turn;
			if (push && !compact) tb::set_bytes(d.push_wqe_i, pushed.data(), 64);
			else if (push || push_at) tb::set_bytes(d.push_wqe_i, pushed.data() + 8 * push_at, 8);
			word = !asked.empty() && wp.go();
			d.word_valid_i = word;
			if (word) {
				Batch &x = asked.front();
				bool last = x.at + TB_BEAT == x.n;
				d.word_last_i = last;
				d.word_err_i = last && x.err;
				tb::set_bytes(d.word_i, &use[x.turn].data[16 * x.at], 16 * TB_BEAT);
			}
			t2 = tp.go();
			d.t2_ready_i = t2;
			int t = hp.go() ? pick(&Use::heads) : -1;
			he = t >= 0;
			if (he) { ht = u32(t); hr = --use[ht].heads; }
			d.head_en_i = he; d.head_at_i = ht * 4 + hr;
			t = !d.row_busy_o && !row.on && rp.go() ? pick(&Use::rows) : -1;
			re = t >= 0;
			if (re) { rt = u32(t); rr = --use[rt].rows; }
			d.row_en_i = re; d.row_turn_i = rt; d.row_at_i = rr;
			t = dp.go() ? pick(&Use::words) : -1;
			de = t >= 0;
			if (de) { dt = u32(t); dw = --use[dt].words; }
			d.dat_en_i = de; d.dat_turn_i = dt; d.dat_at_i = dw;
			d.eval();
		}, [&] {
			// What the readers asked for.
			std::vector<u8> got(64);
			if (head.on) { tb::get_bytes(d.head_o, got.data(), 32); CHECK(!memcmp(got.data(), want_head.data(), 32), "a header"); reads[0]++; }
			if (!want_dat.empty()) { tb::get_bytes(d.dat_o, got.data(), 16); CHECK(!memcmp(got.data(), want_dat.data(), 16), "a word"); }
			reads[2] += dat.on;
			// Compact: four words, in cycles in which the payload reads none; then it is there.
			bool whole = row.on && !row.left;
			if (row.on && (compact ? row.age == 2 : row.age == 1)) {
				tb::get_bytes(d.row_o, got.data(), 64);
				CHECK(!memcmp(got.data(), want_row.data(), 64), "a row");
				reads[1]++;
				row.on = false;
				seen(row.turn);
			}
			CHECK_EQ(d.row_busy_o, row.on && compact, "a row is under way");
			CHECK_EQ(d.row_go_o, compact ? whole && row.on : re, "when it is there");
			if (row.on && !compact) row.age++;
			if (row.on && compact && whole) row.age = 2;
			if (row.on && row.left && !de) row.left--;
			if (re) { row = {true, rr, 1, rt, 4u - !de}; want_row = part(rt, 64 * rr, 64); }
			if (head.on) seen(head.turn);
			if (dat.on) seen(dat.turn);
			head = {he, hr, 1, ht}; dat = {de, dw, 1, dt};
			if (he) want_head = part(ht, 64 * hr, 32);
			if (he && compact) {             // of what must be zero a bit, and nothing that the plan does not look at
				std::vector<u8> w(32);
				std::copy(want_head.begin(), want_head.begin() + 8, w.begin());
				w[14] = want_head[14] || want_head[15];
				w[19] = want_head[19] != 0;
				w[26] = want_head[26] & 15;
				w[27] = want_head[27] != 0;
				w[28] = want_head[28] || want_head[29] || want_head[30] || want_head[31];
				want_head = w;
			}
			if (de) want_dat = part(dt, 16 * dw, 16);

			CHECK_EQ(d.push_busy_o, push_at != 0, "a WQE is being pushed");
			CHECK_EQ(d.word_ready_o, !near && !push_at, "words that are fetched");
			delays += word && !d.word_ready_o;
			CHECK_EQ(d.t2_valid_o, !due.empty(), "a batch is complete");
			CHECK_EQ(d.idle_o, due.empty() && asked.empty(), "idle");
			if (t2 && !due.empty()) {
				Batch x = due.front();
				due.pop_front();
				CHECK_EQ(d.t2_id_o, x.id, "QP"); CHECK_EQ(d.t2_turn_o, x.turn, "turn"); CHECK_EQ(d.t2_meta_o, x.meta, "what came with it");
				CHECK_EQ(d.t2_words_o, x.n - TB_BEAT * x.err, "words");
				Use &u = use[x.turn];
				u32 whole = (x.n - TB_BEAT * x.err) / 4;
				u.ready = true; u.heads = u.rows = whole; u.words = x.n - TB_BEAT * x.err;
				seen(x.turn);
				n++;
				errs += x.err;
				t2_at = b.now();
			}
			if (word && d.word_ready_o) {
				Batch &x = asked.front();
				if ((x.at += TB_BEAT) == x.n) { due.push_back(x); asked.pop_front(); }
			}
			if (ask) asked.push_back(a);
			if (push) push_at = 1;
			else if (push_at) push_at++;
			if (push_at == (compact ? 8 : 1)) {
				push_at = 0;
				use[push_turn].ready = true; use[push_turn].heads = use[push_turn].rows = 1; use[push_turn].words = 4;
				pushes++;
			}
			b.progress();
		});
	}
	printf("# %llu batches, %llu of them failed, %llu pushed WQEs, %llu cycles in which words waited for those; %llu headers, "
		"%llu rows, %llu words read\n", (unsigned long long)n, (unsigned long long)errs, (unsigned long long)pushes,
		(unsigned long long)delays, (unsigned long long)reads[0], (unsigned long long)reads[1], (unsigned long long)reads[2]);
	GOAL(n > 300 && errs > 20 && pushes > 300 && delays > 100 && reads[0] > 1000 && reads[1] > 1000 && reads[2] > 4000);
	return b.finish();
}
