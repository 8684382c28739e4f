// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_lookup between eight kinds of sources and a model of what is behind it: a commit, tokens that end later,
// answers that wait. What leaves is what came, each kind in its order; never are more numbers or tokens out than there
// are, a request always finds its place for an answer at the commit, and flushes always find room. In calm phases every
// kind that may go gets its turn, and a lookup leaves in every cycle. When no answer leaves for 32,768 cycles requests
// go on, and not before.
// dut: ohca_rs_lookup InFlight=16 JobDepth=16
// dut: ohca_rs_lookup InFlight=32 JobDepth=128 Slow=1
// dut: ohca_rs_lookup InFlight=32 JobDepth=32
// dut: ohca_rs_lookup InFlight=64 JobDepth=64
// dut: ohca_rs_lookup InFlight=16 JobDepth=16 Compact=1
// args: --cycles 120000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif
#ifdef TB_SLOW
static const bool slow = true;
#else
static const bool slow = false;
#endif
enum { ACC = OHCA_RS_KIND_ACC, FIX = OHCA_RS_KIND_FIX, PKT = OHCA_RS_KIND_PKT, PI = OHCA_RS_KIND_PI, FLUSH = OHCA_RS_KIND_FLUSH,
	DB = OHCA_RS_KIND_DB, QERR = OHCA_RS_KIND_QERR, RERR = OHCA_RS_KIND_RERR };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	b.stuck_after = 11000;
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Item { u32 qpn; u64 low; u32 high; bool dg, inval, late; };     // payload in two parts
	struct Token { u32 kind; bool dg, late, number, keeps; u64 due; };
	std::deque<Item> src[8], gone[8];           // to be offered; taken, not out yet
	std::deque<Item> errs[3];
	std::deque<Token> commit, after;
	tb::Pace lp(&rng), cp(&rng);
	tb::Pace pace[8];
	for (auto &p : pace) p = tb::Pace(&rng);
	bool offer[8] = {};
	u32 jobs = 0, kept = 0, numbers = 0, x = 0, dry = 0, mild = 0, calm = 0, since[8] = {}, report = 0, storm = 0, err_qpn = 1;
	u64 n = 0, count[8] = {}, missed = 0, full_jobs = 0, full_numbers = 0, full_x = 0, late = 0, last_lk = 0, dropped = 0, blocked = 0;
	bool plain = false;                         // no answer leaves at all, and nothing else happens
	u64 stood = 0;                              // cycles without an answer that left
	bool end = false, pkt_free = false, x_free = false, moved = false, flush = false;
	Token et{};
	u32 flush_qpn = 0;
	bool rep[3] = {};
	Item ri[3];
	d.acc_valid_i = d.fix_valid_i = d.pkt_valid_i = d.pi_valid_i = d.db_valid_i = d.qerr_valid_i = d.flush_valid_i = 0;
	d.rerr_valid_i = d.over_valid_i = d.lost_valid_i = d.moved_i = d.end_i = d.pkt_free_i = d.x_free_i = d.lk_ready_i = 0;
	d.qerr_room_i = 1; d.jobs_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		bool lr = false, qroom = false;
		b.cycle([&] {
			// dry: no answer leaves. mild: nothing holds up anything.
			if (dry) dry--;
			else if (feed && rng.below(4000) == 0) dry = u32(rng.range(8600, 10500));
			if (plain) { mild = 1; storm = report = 0; }
			else if (dry) mild = 0;
			else if (mild) mild--;
			else if (feed && rng.chance(1)) mild = u32(rng.range(50, 200));
			for (int k = 0; k < 8; k++) {
				if (k == FLUSH || k == RERR) continue;
				if (feed && src[k].size() < 2) src[k].push_back({u32(rng.bits(24)), rng.bits(64), u32(rng.bits(5)), rng.chance(20), rng.chance(30), false});
				if (!offer[k]) offer[k] = !src[k].empty() && (mild || pace[k].go()) && (k == PKT || rng.chance(15));
			}
			auto front = [&](int k) { return src[k].empty() ? Item{} : src[k].front(); };
			Item i = front(ACC);
			bytes a((OHCA_CTX_ACC_BITS + 7) / 8);
			PF(a, OHCA_CTX_ACC_INVAL, i.inval); PF(a, OHCA_CTX_ACC_NUM, i.qpn); PF(a, OHCA_CTX_ACC_DW, i.high);
			PF(a, OHCA_CTX_ACC_WDATA, i.low >> 32); PF(a, OHCA_CTX_ACC_WMASK, u32(i.low));
			d.acc_valid_i = offer[ACC];
			tb::set_bytes(d.acc_i, a.data(), a.size());
			i = front(FIX); d.fix_valid_i = offer[FIX]; d.fix_qpn_i = i.qpn;
			i = front(PKT); d.pkt_valid_i = offer[PKT]; d.pkt_qpn_i = i.qpn; d.pkt_dg_i = offer[PKT] ? i.dg : rng.chance(50);
			d.pkt_slot_i = i.low % TB_IN_FLIGHT;
			i = front(PI); d.pi_valid_i = offer[PI]; d.pi_i = u64(i.dg) << 40 | u64(i.qpn) << 16 | (i.low & 0xffff);
			i = front(DB); d.db_valid_i = offer[DB]; d.db_i = (i.low >> 16 & 0xffff) << 40 | u64(i.qpn) << 16 | (i.low & 0xffff);
			i = front(QERR); d.qerr_valid_i = offer[QERR]; d.qerr_qpn_i = i.qpn;
			// What failed: always another QP.
			for (int e = 0; e < 3; e++) {
				rep[e] = feed && rng.chance(report ? 60 : 1);
				ri[e] = Item{err_qpn, e == 2 ? 0 : rng.bits(24), 0, false, false, false};
				if (rep[e]) err_qpn = (err_qpn + 1) & 0xffffff;
			}
			if (storm) storm--;
			else if (!plain && rng.below(3000) == 0) storm = 500;
			if (report) report--;
			else if (!plain && rng.below(2000) == 0) report = 60;
			d.rerr_valid_i = rep[0]; d.rerr_i = u64(ri[0].qpn) << 24 | ri[0].low;
			d.over_valid_i = rep[1]; d.over_i = u64(ri[1].qpn) << 24 | ri[1].low;
			d.lost_valid_i = rep[2]; d.lost_qpn_i = ri[2].qpn;
			// Behind it: the commit, every second cycle; tokens with and without a number end later; answers leave.
			end = !end && !commit.empty() && commit.front().due < b.now() && (mild || cp.go());
			d.end_pkt_free_i = d.end_x_free_i = flush = false;
			if (end) {
				et = commit.front();
				et.keeps = rng.chance(70);
				flush = et.kind == FLUSH ? rng.chance(50) : et.kind != PKT && rng.chance(storm ? 60 : 4) && (gone[FLUSH].size() < 190 || (et.kind != PI && et.kind != FIX));
				d.end_pkt_free_i = et.kind == PKT && !et.keeps;
				d.end_x_free_i = (et.kind == ACC || et.kind == FLUSH || et.kind == RERR) && !et.keeps;
			}
			d.end_i = end; d.end_kind_i = et.kind;
			flush_qpn = u32(rng.bits(24));
			d.flush_valid_i = flush; d.flush_qpn_i = flush_qpn;
			pkt_free = x_free = false;
			if (!after.empty() && after.front().due < b.now() && (mild || rng.chance(50))) {
				pkt_free = after.front().number; x_free = !pkt_free;
				if (after.front().keeps) { kept--; jobs++; }             // its answer waits now
				after.pop_front();
			}
			d.pkt_free_i = pkt_free; d.x_free_i = x_free;
			moved = jobs && !dry && !plain && rng.chance(mild ? 90 : 25);
			if (moved) jobs--;
			d.moved_i = moved; d.jobs_i = jobs + kept;
			qroom = mild || !rng.chance(10);
			d.qerr_room_i = qroom;
			lr = commit.size() < 60 && (mild || lp.go());
			d.lk_ready_i = lr;
		}, [&] {
			const u64 now = b.now();
			calm = mild ? calm + 1 : 0;
			stood = moved ? 0 : stood + 1;
			// What is taken.
			const bool ready[8] = {bool(d.acc_ready_o), bool(d.fix_ready_o), bool(d.pkt_ready_o), bool(d.pi_ready_o), false,
				bool(d.db_ready_o), bool(d.qerr_ready_o), false};
			u32 takes = 0;
			for (int k = 0; k < 8; k++) {
				if (ready[k]) CHECK(offer[k], "something is taken that was not offered");
				takes += ready[k];
				if (offer[k] && !ready[k]) {
					since[k]++;
					if (calm > 60 && (k == FIX || k == PI)) CHECK(since[k] < 60, "no turn");
				} else since[k] = 0;
				if (offer[k] && ready[k]) {
					Item i = src[k].front();
					if (k == PKT) {
						numbers++;
						CHECK(numbers <= TB_IN_FLIGHT - 4, "more packets than numbers");
						full_numbers += numbers == TB_IN_FLIGHT - 4;
						i.late = !i.dg && stood > 32600;
						late += i.late;
					}
					if (k == ACC) { x++; CHECK(x <= 4, "more tokens than there may be"); }
					gone[k].push_back(i); src[k].pop_front(); offer[k] = false;
				}
			}
			CHECK(takes <= 1, "two at a time");
			blocked += offer[PKT] && stood > 1000;
			for (int e = 0; e < 3; e++) if (rep[e]) errs[e].push_back(ri[e]);
			missed += d.miss_o;
			// What leaves.
			if (d.lk_valid_o && lr) {
				const u32 k = d.lk_kind_o;
				count[k]++; n++;
				b.progress();
				Item i{};
				const u64 low = tb::get_bits(d.lk_pay_o, 0, compact ? 32 : 64), wide = compact ? 0 : tb::get_bits(d.lk_pay_o, 64, 5);
				if (k == RERR) {
					x++; CHECK(x <= 4, "more tokens than there may be");
					const int e = low >> 25 & 1 ? 2 : low >> 24 & 1 ? 1 : 0;
					while (!errs[e].empty() && errs[e].front().qpn != d.lk_qpn_o) { dropped++; errs[e].pop_front(); }
					CHECK(!errs[e].empty(), "an error nobody told of");
					i = errs[e].front(); errs[e].pop_front();
					if (e != 2) CHECK_EQ(low & 0xffffff, i.low, "PSN");
				} else {
					if (k == FLUSH) { x++; CHECK(x <= 4, "more tokens than there may be"); }
					CHECK(!gone[k].empty(), "a lookup for nothing");
					i = gone[k].front(); gone[k].pop_front();
					u64 want = k == PKT ? i.low % TB_IN_FLIGHT : k == PI ? u64(i.dg) << 16 | (i.low & 0xffff) : k == DB ? i.low & 0xffffffff :
						k == ACC && !compact ? i.low : 0;
					CHECK_EQ(low, want, "what comes with it");
					CHECK_EQ(wide, k == ACC && !compact ? i.high : 0, "which word");
				}
				CHECK_EQ(d.lk_qpn_o, i.qpn, "which context");
				CHECK_EQ(d.lk_inval_o, k == ACC && i.inval, "dropped from the cache");
				full_x += x == 4;
				commit.push_back({k, i.dg, i.late, k == PKT, false, now + rng.below(mild ? 3 : 30)});
				last_lk = now;
			}
			if (calm > 60 && since[DB] > 3 && gone[FLUSH].size() < 64)
				CHECK(now - last_lk <= (slow ? 2 : compact ? 1 : 3), "a lookup in every cycle");   // two gates may close in a row
			if (end) {
				// An answer's place: there is one.
				const Token c = commit.front();
				commit.pop_front();
				const bool wants = (c.kind == PKT && !c.dg) || c.kind == RERR, place = jobs + kept < TB_JOB_DEPTH - (c.kind == PKT && d.rerr_out_o);
				if (wants && !place) { CHECK(c.late, "no place for an answer"); full_jobs++; }
				if (c.kind == RERR) CHECK(place, "no place for the NAK of a READ");
				const bool number = c.kind == PKT, other = c.kind == ACC || c.kind == FLUSH || c.kind == RERR;
				if ((number || other) && et.keeps) {
					const bool answer = wants && place && rng.chance(90);
					after.push_back({c.kind, c.dg, c.late, number, answer, now + rng.below(mild ? 4 : 60)});
					if (answer) kept++;
				} else if (number) numbers--;
				else if (other) x--;
			}
			if (flush) gone[FLUSH].push_back({flush_qpn, 0, 0, false, false, false});
			if (pkt_free) numbers--;
			if (x_free) x--;
			if (!feed) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	// Requests that wait for a place go on in the end.
	for (int i = 0; i < 3000; i++) { dry = 0; mild = 2; step(false); }
	plain = true;
	const u64 before = late;
	for (int i = 0; i < 45000 && late == before; i++) step(true);
	CHECK(late > before, "a request waits for ever");
	plain = false;
	for (int i = 0; i < 12000; i++) { dry = 0; mild = 2; step(false); }
	for (int i = 0; i < 8; i++) if (i != FLUSH) CHECK(gone[i].empty() && !offer[i], "something is left");
	u64 left = dropped;
	for (auto &e : errs) left += e.size();
	CHECK_EQ(left >= missed && left <= missed + 2 * (missed ? missed : 0), 1, "errors that were not told");
	printf("# %llu lookups:", (unsigned long long)n);
	for (u64 c : count) printf(" %llu", (unsigned long long)c);
	printf("; all numbers out %llu, all others %llu; no place at the commit %llu, let through late %llu of %llu cycles of waiting; "
		"%llu errors missed\n", (unsigned long long)full_numbers, (unsigned long long)full_x, (unsigned long long)full_jobs, (unsigned long long)late,
		(unsigned long long)blocked, (unsigned long long)missed);
	for (u64 c : count) GOAL(c > 100);
	GOAL(full_x > 20 && missed > 5 && (TB_JOB_DEPTH > 32 || (full_numbers > 20 && late > 0 && blocked > 5000)));
	return b.finish();
}
