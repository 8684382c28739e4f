// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_poison: packets of a few QPs go through W, S and R, fail in any of them and come back as marks, beside tokens
// without a number. A model that knows the packets themselves, not their numbers, says who is behind whom, who has to
// die where and until when, and which packet is the newest at the placement unit; so a number that is given away too early, or that
// means another packet than at the commit, shows. Answers are there in the cycle of the
// question, those to S a cycle later, but with Compact; so W hears of what failed in S.
// dut: ohca_rs_poison InFlight=16
// dut: ohca_rs_poison InFlight=32
// dut: ohca_rs_poison InFlight=64
// dut: ohca_rs_poison InFlight=16 Compact=1
// args: --cycles 60000
#include <map>
#include <set>
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
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
	enum { W, S, R };
	struct Packet { u32 tid, qpn; bool bad[3], newest; };
	struct Token { u64 id; bool mark; u32 tid, qpn; u64 same; std::set<u64> behind; };      // id 0: no packet
	std::map<u64, Packet> live;                 // every packet that has a number
	std::deque<Token> q[3];
	std::deque<Token> fixes;
	u64 next = 1, n = 0, hits[3] = {}, fails[3] = {}, marks = 0, chained = 0, alone = 0, crowded = 0, reused = 0, ended = 0, dooms = 0;
	u32 qpns[5], qpn = 0, late = 0, stop = 0;
	for (auto &x : qpns) x = u32(rng.bits(24));
	qpns[1] = qpns[0] ^ 1u << rng.below(24);     // all bits count
	tb::Pace cp(&rng), pace[3] = {tb::Pace(&rng), tb::Pace(&rng), tb::Pace(&rng)};
	enum { NONE, LOOK, TURN } state = NONE;      // the commit: nothing, a token comes, it is in turn
	bool mark = false, numbered = false, fire[3] = {}, fail[3] = {}, heads = false, take = false, end = false, rfree = false;
	Token fix{};
	std::vector<Token> failed_s;                 // not with Compact: in the cycle before
	struct { bool seen, hit; u32 found, tid, qpn; } at_s{};   // S: the front token's answers, of the cycle before
	auto hit = [&](const Token &t, int stage) {
		for (u64 x : t.behind) if (live.count(x) && live[x].bad[stage]) return true;
		return false;
	};
	auto idle = [&] {
		d.look_i = d.end_i = d.turn_i = d.take_i = d.w_fire_i = d.s_fire_i = d.r_fire_i = 0;
		d.w_mark_i = d.w_poison_i = d.s_mark_i = d.s_poison_i = d.s_heads_i = d.r_poison_i = d.r_free_i = 0;
	};
	idle();
	b.reset();
	auto step = [&](bool feed) {
		b.cycle([&] {
			idle();
			// The commit.
			take = end = false;
			if (state == NONE && (feed || !fixes.empty()) && cp.go()) {
				mark = !fixes.empty() && rng.chance(50);
				const bool room = live.size() < TB_IN_FLIGHT - 4;
				crowded += !room;
				if (mark || (feed && q[R].size() < 2 * TB_IN_FLIGHT)) {
					if (mark) { fix = fixes.front(); fixes.pop_front(); }
					numbered = !mark && room && rng.chance(85);
					qpn = mark ? fix.qpn : qpns[rng.below(rng.chance(50) ? 2 : 5)];
					state = compact ? TURN : LOOK;
					late = u32(rng.chance(70) ? 0 : rng.below(6));
				}
			} else if (state == LOOK) state = TURN;
			d.look_i = compact ? state == TURN : state == LOOK;
			d.look_qpn_i = qpn; d.qpn_i = qpn;
			if (state == TURN && late) late--;
			else if (state == TURN) {
				d.eval();
				if (d.same_ok_o) end = true;
			}
			take = end && numbered;
			d.end_i = end; d.turn_i = state == TURN && numbered; d.take_i = take;
			// The stages. Sometimes R stands still, until there are no numbers.
			if (stop) stop--;
			else if (feed && rng.chance(1)) stop = u32(rng.range(20, 200));
			for (int s = W; s <= R; s++) {
				fire[s] = !q[s].empty() && (s == W || q[s].size() > q[s - 1].size()) && pace[s].go() && !(s == R && stop) &&
					(s != S || compact || at_s.seen);
				const Token t = q[s].empty() ? Token{} : q[s].front();
				fail[s] = false;
				const bool dead = s == S && !compact ? at_s.hit : hit(t, s);
				if (fire[s] && t.id && !t.mark && !dead) fail[s] = rng.chance(4);
				if (s == W) {
					d.w_tid_i = t.tid; d.w_same_i = t.same; d.w_fire_i = fire[s]; d.w_mark_i = t.mark; d.w_poison_i = fail[s];
				} else if (s == S) {
					heads = fire[s] && t.id && !t.mark && !fail[s] && !dead && rng.chance(60);
					d.s_tid_i = t.tid; d.s_same_i = t.same; d.s_fire_i = fire[s]; d.s_mark_i = t.mark; d.s_poison_i = fail[s];
					d.s_heads_i = heads;
				} else {
					// What failed before fails here, unless what killed it meanwhile is in front of it.
					if (fire[s] && t.id && !t.mark && !hit(t, s) && (live[t.id].bad[W] || live[t.id].bad[S])) fail[s] = true;
					rfree = fire[s] && (t.mark || (t.id && !fail[s]));
					d.r_tid_i = t.tid; d.r_same_i = t.same; d.r_fire_i = fire[s]; d.r_poison_i = fail[s]; d.r_free_i = rfree;
				}
			}
		}, [&] {
			for (int s = W; s <= R; s++) {
				if (q[s].empty()) continue;
				const Token &t = q[s].front();
				const bool got = s == W ? d.w_hit_o : s == S ? d.s_hit_o : d.r_hit_o;
				auto now = at_s;
				if (s == S) {
					now.hit = hit(t, s); now.found = 0; now.tid = 0; now.qpn = t.qpn;
					for (u64 x : t.behind) if (live.count(x) && live[x].newest) { now.found++; now.tid = live[x].tid; }
					CHECK(now.found <= 1, "the model has two newest packets");
					now.seen = true;
					std::swap(now, at_s);                    // now: what is answered in this cycle
					if (compact) now = at_s;
					else if (!now.seen) continue;
				}
				if (!t.mark) CHECK_EQ(got, s == S ? now.hit : hit(t, s), s == W ? "W: it is hit" : s == S ? "S: it is hit" : "R: it is hit");
				hits[s] += fire[s] && got;
				if (s == S && t.id && !t.mark) {
					CHECK_EQ(d.s_qpn_o, now.qpn, "whose it is"); CHECK_EQ(d.s_tid_o, t.tid, "its number");
					CHECK_EQ(d.s_prev_v_o, now.found, "there is one before it");
					if (now.found) CHECK_EQ(d.s_prev_o, now.tid, "which one");
					if (fire[s]) (now.found ? chained : alone)++;
				}
			}
			Token nt{};
			if (end) {
				u64 want = 0;
				for (auto &[id, p] : live) if (p.qpn == qpn) { want |= u64(1) << p.tid; nt.behind.insert(id); }
				CHECK_EQ(d.same_o, want, "the packets of the QP");
				nt.same = d.same_o;
				nt.mark = mark; nt.qpn = qpn;
				if (mark) { nt.id = fix.id; nt.tid = fix.tid; }
				else if (numbered) {
					for (auto &[id, p] : live) CHECK(p.tid != d.tid_o, "the number is another's");
					nt.id = next++; nt.tid = d.tid_o;
				} else nt.tid = u32(rng.below(TB_IN_FLIGHT));
			}
			// What happened counts from the next cycle on.
			auto kills_w = [&](const Token &t) {
				// Whose packet dies in R anyway lays nothing in W any more: the mark may have passed there.
				const bool doomed = hit(t, R);
				dooms += doomed;
				if (!doomed) live[t.id].bad[W] = true;
			};
			for (auto &t : failed_s) kills_w(t);
			failed_s.clear();
			for (int s = W; s <= R; s++) if (fire[s]) {
				const Token t = q[s].front();
				q[s].pop_front();
				if (s == S) at_s.seen = false;
				// A mark ends also what those behind the failed one laid before they were found to die of it.
				if (t.mark) {
					for (u64 x : t.behind) if (live.count(x)) { ended += x != t.id && live[x].bad[s]; live[x].bad[s] = false; }
					marks += s == R;
				}
				if (fail[s]) {
					for (int x = s == S ? S : W; x <= s; x++) live[t.id].bad[x] = true;
					if (s == S && compact) kills_w(t);
					else if (s == S) failed_s.push_back(t);
					fails[s]++;
				}
				if (s == S && (t.mark || heads)) {
					for (u64 x : t.behind) if (live.count(x)) live[x].newest = false;
					if (t.id) live[t.id].newest = heads;
				}
				if (s == R && fail[s]) fixes.push_back(t);
				if (s == R && rfree) { live.erase(t.id); reused++; }
				n++;
				b.progress();
			}
			if (end) {
				for (auto &x : q) x.push_back(nt);
				if (take) live[nt.id] = Packet{nt.tid, qpn, {}, false};
				state = NONE;
			}
			if (q[R].empty()) b.progress();
		});
	};
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && (ended < 30 || dooms < 3))) step(true);
	for (int i = 0; i < 5000; i++) step(false);
	CHECK(q[R].empty() && fixes.empty() && live.empty(), "something is left");
	printf("# %llu steps, %llu numbers; hit in W %llu, S %llu, R %llu; failed %llu, %llu, %llu; %llu marks; %llu behind another at the "
		"placement, %llu not; %llu times no number\n", (unsigned long long)n, (unsigned long long)reused, (unsigned long long)hits[W],
		(unsigned long long)hits[S], (unsigned long long)hits[R], (unsigned long long)fails[W], (unsigned long long)fails[S],
		(unsigned long long)fails[R], (unsigned long long)marks, (unsigned long long)chained, (unsigned long long)alone, (unsigned long long)crowded);
	for (u64 x : hits) GOAL(x > 200);
	for (u64 x : fails) GOAL(x > 20);
	GOAL(ended >= 30 && dooms >= 3);
	GOAL(n > 10000 && marks > 100 && chained > 300 && alone > 300 && crowded > 200);
	return b.finish();
}
