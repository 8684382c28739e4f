// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_lookup: everybody asks at any time, and a commit ends tokens at any time with as many reports as they may come
// to. Who is served, in which order, and with what, against the order of the header; room for reports, which is counted
// here one by one; that an access that wrote is followed by a look at its QP before the next access; that no pushed WQE
// waits for more than 63 cycles of its own; and that a scan looks at every QP once.
// dut: ohca_sq_lookup
// dut: ohca_sq_lookup Turns=64 UpDepth=16
// args: --cycles 120000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_TURNS
#define TB_TURNS 16
#endif
#ifndef TB_UP_DEPTH
#define TB_UP_DEPTH 64
#endif
static unsigned log2i(unsigned x) { unsigned n = 0; while (1u << n < x) n++; return n; }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { NONE = 8, CHK = 9, PAY = 125 };
	const unsigned turn_w = log2i(TB_TURNS);
	struct Token { u32 kind, id; bool wrote, told; };     // told: one report has left ahead of its end
	std::deque<Token> inside, next;                       // next: chosen, not yet taken by the cache
	std::vector<u8> next_token;
	bool next_inval = false;
	tb::Pace fbp(&rng), accp(&rng), t2p(&rng), dbp(&rng), rqp(&rng), tp(&rng), lkp(&rng), ep(&rng), up(&rng);
	bool fb = false, acc = false, t2 = false, db = false, rq = false, turn = false;
	u32 fb_id = 0, acc_id = 0, t2_id = 0, db_id = 0, rq_id = 0, turn_no = 0, waited = 0;
	u64 t2_pay = 0;
	bool t1_first = false, chk = false, first = false, first_chk = false, lost = false, scan = false, one = false, two = false;
	u32 chk_id = 0, first_id = 0, scan_id = 0, count = 0, resv = 0, limit = 40, left_out = 0, calm = 0;
	u64 n[10] = {}, scans = 0, bare = 0, pushed = 0, tight = 0, inval = 0, early_now = 0;
	d.fb_valid_i = d.acc_valid_i = d.t2_valid_i = d.db_valid_i = d.rq_valid_i = d.turn_valid_i = d.lk_ready_i = d.end_i = 0;
	d.lost_i = d.rq_few_i = d.rq_room_i = d.turn_push_i = d.wrote_i = 0;
	d.up_count_i = 0;
	d.limit_i = limit;
	b.reset();
	b.cycle([] {}, [] {});                       // what is known of the reports is a cycle old
	one = two = true;
	while (b.now() < b.cycles) {
		u32 who = NONE, reports = 0, early = 0;
		bool lk = false, end = false, db_push = false, db_ask = false, lose = false, few = false, room = false, tpush = false, drain = false;
		Token e{};
		b.cycle([&] {
			calm = calm ? calm - 1 : rng.chance(1) ? 200 : 0;      // nobody asks but of its own accord
			if (!fb && !calm && fbp.go() && rng.chance(40)) {
				fb = true; fb_id = u32(rng.bits(24));
				for (unsigned i = 0; i < OHCA_SQ_FB_BITS; i++) tb::set_bits(d.fb_i, i, 1, rng.bits(1));
				SET_FIELD(d.fb_i, OHCA_SQ_FB_QPN, fb_id);
			}
			if (!acc && !calm && accp.go() && rng.chance(20)) {
				acc = true; acc_id = u32(rng.bits(24));
				for (unsigned i = 0; i < OHCA_CTX_ACC_BITS; i++) tb::set_bits(d.acc_i, i, 1, rng.bits(1));
				SET_FIELD(d.acc_i, OHCA_CTX_ACC_NUM, acc_id);
			}
			if (!t2 && !calm && t2p.go()) { t2 = true; t2_id = u32(rng.bits(24)); t2_pay = rng.bits(turn_w + 32); }
			if (!db && !calm && dbp.go()) {
				db = true; db_id = u32(rng.bits(24));
				for (unsigned i = 0; i < 64; i++) tb::set_bits(d.db_i, u32(rng.below(OHCA_SQ_DB_BITS)), 1, rng.bits(1));
				SET_FIELD(d.db_i, OHCA_SQ_DB_QPN, db_id); SET_FIELD(d.db_i, OHCA_SQ_DB_PUSH, rng.bits(1));
				waited = 0;
			}
			if (!rq && !calm && rqp.go()) { rq = true; rq_id = u32(rng.bits(24)); }
			if (!turn && tp.go()) { turn = true; turn_no = u32(rng.below(TB_TURNS)); }
			tpush = turn && rng.chance(b.now() / 2000 & 1 ? 50 : 2);
			lk = lkp.go();
			end = !inside.empty() && ep.go();
			if (end) {
				e = inside.front();
				u32 most = e.kind == OHCA_SQ_KIND_T2 ? 2 : e.kind == OHCA_SQ_KIND_DB || e.kind == OHCA_SQ_KIND_T1;
				most -= e.told;
				reports = rng.chance(70) ? most : u32(rng.below(most + 1));
			} else if (!inside.empty() && inside.front().kind == OHCA_SQ_KIND_T2 && !inside.front().told && ep.go()) {
				early = inside.front().told = true;
			}
			lose = rng.chance(1) && rng.chance(20); few = rng.chance(20); room = rng.chance(80);
			drain = count && up.go();
			if (!scan && !lost && rng.chance(5)) limit = u32(rng.below(60));
			d.limit_i = limit;
			d.fb_valid_i = fb; d.acc_valid_i = acc; d.t2_valid_i = t2; d.db_valid_i = db; d.rq_valid_i = rq;
			d.t2_id_i = t2_id; d.t2_i = t2_pay; d.rq_id_i = rq_id; d.turn_valid_i = turn; d.turn_i = turn_no; d.turn_push_i = tpush;
			d.rq_few_i = few; d.rq_room_i = room; d.lost_i = lose; d.lk_ready_i = lk; d.up_count_i = count;
			d.end_i = end; d.end_kind_i = e.kind; d.end_id_i = e.id; d.wrote_i = end && e.wrote;
			// Who is next.
			bool is_push = FIELD(d.db_i, OHCA_SQ_DB_PUSH);
			db_push = is_push && tpush;
			db_ask = db && (!is_push || tpush || waited >= 63);
			if (fb) who = OHCA_SQ_KIND_FB;
			else if (first) who = first_chk ? u32(CHK) : u32(OHCA_SQ_KIND_ACC);
			else if (t2) who = two ? u32(OHCA_SQ_KIND_T2) : u32(NONE);
			else if (one && rq && turn && (t1_first || !db)) who = OHCA_SQ_KIND_T1;
			else if (one && db_ask) who = OHCA_SQ_KIND_DB;
			else if (one && scan && room && !db) who = OHCA_SQ_KIND_SCAN;
			d.eval();
		}, [&] {
			CHECK_EQ(d.lk_valid_o, !next.empty(), "somebody is looked up");
			CHECK_EQ(d.idle_o, !chk && !first && !lost && !scan && next.empty(), "idle");
			if (!next.empty()) {
				std::vector<u8> got(16);
				tb::get_bytes(d.lk_token_o, got.data(), 16);
				CHECK(got == next_token, "what goes with it, of kind %u", next.front().kind);
				CHECK_EQ(d.lk_id_o, next.front().id, "QP");
				CHECK_EQ(d.lk_inval_o, next_inval, "a line that is dropped");
			}
			bool empty = next.empty() || lk, go = who != NONE && empty;
			CHECK_EQ(d.fb_ready_o, go && who == OHCA_SQ_KIND_FB, "feedback"); CHECK_EQ(d.acc_ready_o, go && who == OHCA_SQ_KIND_ACC, "access");
			CHECK_EQ(d.t2_ready_o, go && who == OHCA_SQ_KIND_T2, "a batch"); CHECK_EQ(d.db_ready_o, go && who == OHCA_SQ_KIND_DB, "doorbell");
			CHECK_EQ(d.rq_ready_o, go && who == OHCA_SQ_KIND_T1, "a turn");
			CHECK_EQ(d.push_near_o, db && db_push && one && !first && !t2, "its WQE may be written");
			CHECK_EQ(d.push_o, go && who == OHCA_SQ_KIND_DB && db_push, "its WQE is written");
			bool takes = go && (who == OHCA_SQ_KIND_T1 || (who == OHCA_SQ_KIND_DB && db_push));
			CHECK_EQ(d.turn_take_o, takes, "a turn is taken");
			u32 id = 0;
			if (who != NONE) {
				std::vector<u8> want(16);
				auto put = [&](unsigned at, unsigned w, u64 v) { for (unsigned i = 0; i < w; i++) if (v >> i & 1) want[(at + i) / 8] |= u8(1u << ((at + i) & 7)); };
				switch (who) {
				case OHCA_SQ_KIND_FB: {
					id = fb_id;
#define F(at, f) put(at, OHCA_SQ_FB_##f##_WIDTH, FIELD(d.fb_i, OHCA_SQ_FB_##f))
					F(0, RD_SAFE); F(1, RD_DONE); F(9, LSN); F(33, LSN_VALID); F(34, SSN); F(58, PSN); F(82, UNA_PSN); F(106, IDX); F(122, KIND);
					break;
				}
				case OHCA_SQ_KIND_ACC:
					id = first_id;
					put(0, 32, FIELD(d.acc_i, OHCA_CTX_ACC_WMASK)); put(32, 32, FIELD(d.acc_i, OHCA_CTX_ACC_WDATA)); put(64, 5, FIELD(d.acc_i, OHCA_CTX_ACC_DW));
					break;
				case OHCA_SQ_KIND_T2: id = t2_id; put(0, turn_w + 32, t2_pay); break;
				case OHCA_SQ_KIND_DB:
					id = db_id;
					put(0, 16, FIELD(d.db_i, OHCA_SQ_DB_PI)); put(16, 16, FIELD(d.db_i, OHCA_SQ_DB_UAR)); put(32, 1, db_push); put(33, turn_w, turn_no);
					break;
				case OHCA_SQ_KIND_T1: id = rq_id; put(0, turn_w, turn_no); break;
				case CHK: id = first_id; break;
				default: id = scan_id; break;
				}
				put(PAY, 3, who == CHK ? u32(OHCA_SQ_KIND_SCAN) : who);
				if (go) {
					next_token = want;
					next_inval = who == OHCA_SQ_KIND_ACC && FIELD(d.acc_i, OHCA_CTX_ACC_INVAL);
					inval += next_inval;
				}
			}
			// The commit.
			one = count + resv + 3 <= TB_UP_DEPTH; two = count + resv + 4 <= TB_UP_DEPTH;
			tight += !one;
			if (end) {
				inside.pop_front();
				resv -= e.kind == OHCA_SQ_KIND_T2 ? 2 : e.kind == OHCA_SQ_KIND_DB || e.kind == OHCA_SQ_KIND_T1;
				count += reports;
			}
			count += early;
			early_now += early;
			count -= drain;
			// An access, or the QP that one set to work, comes from a flop.
			if (first) first = !(empty && !fb);
			else if (chk || acc) { first = true; first_chk = chk; first_id = chk ? chk_id : acc_id; chk = false; }
			if (end && e.kind == OHCA_SQ_KIND_ACC) chk_id = e.id;
			if (end && e.wrote) chk = true;
			bool was_db = db, was_scan = scan;
			if (!next.empty() && lk) { inside.push_back(next.front()); next.pop_front(); }
			if (go) {
				n[who]++;
				u32 kind = who == CHK ? u32(OHCA_SQ_KIND_SCAN) : who;
				resv += kind == OHCA_SQ_KIND_T2 ? 2 : kind == OHCA_SQ_KIND_DB || kind == OHCA_SQ_KIND_T1;
				bool wrote = kind == OHCA_SQ_KIND_ACC && rng.chance(50);
				next.push_back({kind, id, wrote, false});
				if (who == OHCA_SQ_KIND_FB) fb = false;
				if (who == OHCA_SQ_KIND_ACC) acc = false;
				if (who == OHCA_SQ_KIND_T2) t2 = false;
				if (who == OHCA_SQ_KIND_DB) { db = false; t1_first = true; pushed += db_push; bare += FIELD(d.db_i, OHCA_SQ_DB_PUSH) && !db_push; }
				if (who == OHCA_SQ_KIND_T1) { rq = false; t1_first = false; }
				if (takes) turn = false;
				b.progress();
			}
			if (was_db && !db_ask) t1_first = true;
			// One that left early counts twice until its token ends.
			u32 twice = !inside.empty() && inside.front().told;
			CHECK(count + resv <= TB_UP_DEPTH + twice, "more reports than there is room for: %u and %u promised", count, resv);
			if (db && was_db && FIELD(d.db_i, OHCA_SQ_DB_PUSH) && !tpush && waited < 63) waited++;
			if (!was_scan) {
				if (lost && few && limit) { scan = true; scan_id = 0; left_out = limit; scans++; }
			} else if (go && who == OHCA_SQ_KIND_SCAN) {
				left_out--;
				if (++scan_id >= limit) { scan = false; CHECK_EQ(left_out, 0, "contexts that were left out"); }
			}
			if (lose) lost = true;
			else if (!was_scan && few) lost = false;
		});
	}
	printf("# %llu feedback, %llu accesses (%llu drop), %llu after them, %llu batches, %llu doorbells (%llu pushed, %llu without a turn), "
		"%llu turns, %llu of %llu scans, %llu cycles without room\n", (unsigned long long)n[OHCA_SQ_KIND_FB], (unsigned long long)n[OHCA_SQ_KIND_ACC],
		(unsigned long long)inval, (unsigned long long)n[CHK], (unsigned long long)n[OHCA_SQ_KIND_T2], (unsigned long long)n[OHCA_SQ_KIND_DB],
		(unsigned long long)pushed, (unsigned long long)bare, (unsigned long long)n[OHCA_SQ_KIND_T1], (unsigned long long)n[OHCA_SQ_KIND_SCAN],
		(unsigned long long)scans, (unsigned long long)tight);
	GOAL(n[OHCA_SQ_KIND_FB] > 1000 && n[CHK] > 500 && n[OHCA_SQ_KIND_T2] > 1000 && n[OHCA_SQ_KIND_T1] > 500 && n[OHCA_SQ_KIND_DB] > 500);
	GOAL(pushed > 200 && bare > 10 && scans > 5 && n[OHCA_SQ_KIND_SCAN] > 200 && tight > 200 && early_now > 100);
	return b.finish();
}
