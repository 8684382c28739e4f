// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_commit: tokens of every kind on contexts drawn at random near each other's numbers, with a plan played here:
// when a token ends, whether its context is written, what is planned, fetched, given back, reported and counted, and
// that a QP which by the definition has something to do afterwards is put into exactly one queue, once. What the context
// becomes is compared in sq_next; here that in_runq says where the QP is.
// dut: ohca_sq_commit
// dut: ohca_sq_commit NumVl=4 Turns=64
// dut: ohca_sq_commit Compact=1
// args: --cycles 120000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif
#ifndef TB_TURNS
#define TB_TURNS 16
#endif
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif
enum { VL = TB_NUM_VL, SHARED = VL > 1, AHEAD = 32, PAY = 125 };
static unsigned log2i(unsigned x) { unsigned n = 0; while (1u << n < x) n++; return n; }

// Whether there is something to do, of a context.
template <class T> static bool want(const T &x)
{
#define X(f) u32(FIELD(x, OHCA_SQC_##f))
	u32 state = X(STATE);
	if (state == OHCA_QP_STATE_SQE || state == OHCA_QP_STATE_ERR) return X(NEXT) != X(PI);
	if (state != OHCA_QP_STATE_RTS && state != OHCA_QP_STATE_SQD) return false;
	if (X(LOG_STRIDE) < 6 || X(LOG_STRIDE) > 8 || X(RNR_WAIT) || X(FENCE_WAIT) || X(CREDIT_WAIT) || X(WINDOW_WAIT)) return false;
	if (X(FETCH) == X(PI) || (X(ERR_VALID) && X(FETCH) == X(ERR_IDX)) || u16(X(FETCH) - X(NEXT)) >= AHEAD) return false;
	if (X(IN_MSG) && X(FETCH) != X(NEXT)) return false;
	return state == OHCA_QP_STATE_RTS || X(IN_MSG) || X(SKIP) || ((X(PSN) - X(SENT_PSN)) & 0xffffff) >= 0x800000;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	const unsigned turn_w = log2i(TB_TURNS);
	enum { FB = OHCA_SQ_KIND_FB, ACC = OHCA_SQ_KIND_ACC, T2 = OHCA_SQ_KIND_T2, DB = OHCA_SQ_KIND_DB, T1 = OHCA_SQ_KIND_T1, SCAN = OHCA_SQ_KIND_SCAN };
	u64 sl2vl = 0, adm = 0;
	u64 kinds[6] = {}, plans = 0, pushed_plans = 0, refused = 0, fetches = 0, flushes = 0, stale_n = 0, moved = 0, bad = 0, queued = 0,
		parked = 0, lost = 0, sent = 0, drained = 0;
	auto near = [&](u32 x) { return u16(rng.chance(40) ? x : rng.chance(70) ? x + rng.below(6) - 1 : rng.chance(50) ? x + AHEAD + rng.below(3) - 1 : rng.bits(16)); };
	d.valid_i = d.plan_done_i = d.plan_set_i = d.edit_done_i = 0;
	d.sl2vl_i = sl2vl; d.adm_i = adm;
	b.reset();
	while (b.now() < b.cycles) {
		// A context.
		for (unsigned i = 0; i < OHCA_SQC_BITS; i += 32) tb::set_bits(d.line_i, i, 32, rng.bits(32));
#define S(f, v) SET_FIELD(d.line_i, OHCA_SQC_##f, v)
#define L(f) u32(FIELD(d.line_i, OHCA_SQC_##f))
		static const u32 st[] = {OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_SQD, OHCA_QP_STATE_SQE,
			OHCA_QP_STATE_ERR, OHCA_QP_STATE_RTR};
		u32 state = st[rng.below(8)], kind = u32(rng.below(6));
		bool rc = rng.chance(75), calm = rng.chance(70), alive = state == OHCA_QP_STATE_RTS || state == OHCA_QP_STATE_SQD;
		S(STATE, state); S(QTYPE, rc ? OHCA_QP_TYPE_RC : OHCA_QP_TYPE_UD); S(LOG_STRIDE, rng.chance(95) ? 6 + rng.below(3) : rng.below(16));
		u16 next = u16(rng.bits(16)), fetch = near(next);
		S(NEXT, next); S(FETCH, fetch); S(PI, rng.chance(70) ? u16(fetch + rng.below(8)) : near(fetch)); S(ERR_IDX, near(fetch));
		S(ERR_VALID, rng.chance(20)); S(IN_MSG, rng.chance(15)); S(SKIP, rng.chance(15)); S(IN_RUNQ, kind == T1 || rng.chance(30));
		S(RNR_WAIT, !calm && rng.chance(30)); S(FENCE_WAIT, !calm && rng.chance(30)); S(CREDIT_WAIT, !calm && rng.chance(30));
		S(WINDOW_WAIT, !calm && rng.chance(30)); S(SENT_PSN, L(PSN) + rng.below(5) - 2);
		// A token.
		VlWide<4> t;
		for (int i = 0; i < 4; i++) t[i] = u32(rng.next());
		tb::set_bits(t, PAY, 3, kind);
		u32 turn = u32(rng.below(TB_TURNS)), fbk = u32(rng.below(8)), t2_n = 1 + u32(rng.below(4)), dw = 0, mask = 0, data = 0;
		bool tk_push = rng.chance(50), err = rng.chance(5), inval = false, uar_ok = rng.chance(85), gen_ok = rng.chance(80), start_ok = rng.chance(80);
		u16 db_pi = rng.chance(50) ? u16(next + 1) : near(L(PI));
		if (kind == FB) {
			tb::set_bits(t, 122, 3, fbk); tb::set_bits(t, 106, 16, near(next)); tb::set_bits(t, 82, 24, L(UNA_PSN) + rng.below(4));
		} else if (kind == ACC) {
			dw = rng.chance(50) ? 0 : u32(rng.below(32)); mask = rng.chance(40) ? 0 : u32(rng.next()); data = u32(rng.next());
			inval = rng.chance(10);
			tb::set_bits(t, 64, 5, dw); tb::set_bits(t, 32, 32, data); tb::set_bits(t, 0, 32, mask);
		} else if (kind == T2) {
			tb::set_bits(t, 24, 8, gen_ok ? L(GEN) : L(GEN) + 1); tb::set_bits(t, 8, 16, start_ok ? next : u16(next + 1 + rng.below(3)));
			tb::set_bits(t, 5, 3, t2_n); tb::set_bits(t, 32, turn_w, turn);
		} else if (kind == DB) {
			if (rng.chance(40)) {                   // what a pushed WQE is planned for
				S(FETCH, next); S(PI, next); S(IN_MSG, 0); S(SKIP, 0); S(ERR_VALID, 0);
				db_pi = u16(next + 1);
			}
			tb::set_bits(t, 0, 16, db_pi); tb::set_bits(t, 16, 16, (L(UAR_HI) << 8 | L(UAR_LO)) ^ (uar_ok ? 0 : 1u << rng.below(16)));
			tb::set_bits(t, 32, 1, tk_push);
			tb::set_bits(t, 33, turn_w, turn);
		} else if (kind == T1) tb::set_bits(t, 0, turn_w, turn);
		for (int i = 0; i < 4; i++) d.token_i[i] = t[i];
		u32 id = u32(rng.bits(24));
		// Who may have a turn is seen a cycle late.
		if (rng.chance(30)) {
			sl2vl = rng.next(); adm = rng.chance(60) ? ~0ull : rng.next();
			d.sl2vl_i = sl2vl; d.adm_i = adm & ((1u << (SHARED ? VL + 1 : 1)) - 1);
			b.cycle([] {}, [] {});
		}
		u64 pk = rng.next();
		u32 vl = u32(sl2vl >> 4 * tb::get_bits(d.line_i, OHCA_SQC_AV_LSB + 16, 4) & 15), cls = !SHARED ? 0 : vl >= VL ? VL : vl;
		bool rq_ready = rng.chance(90), rq_room = rng.chance(70);
		d.id_i = id; d.err_i = err; d.inval_i = inval; d.pk_ready_i = pk;
		d.rq_ready_i = rq_ready; d.rq_room_i = rq_room; d.valid_i = 1;

		// What comes of it.
		bool is = want(d.line_i), sqd = state == OHCA_QP_STATE_SQD && kind != ACC, waits = L(RNR_WAIT) || L(FENCE_WAIT) || L(CREDIT_WAIT) || L(WINDOW_WAIT);
		bool runs_or_fails = alive || state == OHCA_QP_STATE_SQE || state == OHCA_QP_STATE_ERR, adm_ok = adm >> cls & 1;
		u32 size = L(LOG_SIZE);
		u16 gone = u16(db_pi - next), was = u16(L(PI) - next);
		bool db_ok = !err && uar_ok && runs_or_fails && gone <= (1u << size), moves = db_ok && gone > was;
		bool stale = err || !alive || !gen_ok;
		bool plan_db = !err && uar_ok && tk_push && state == OHCA_QP_STATE_RTS && rc && !waits && !L(IN_MSG) && !L(SKIP) && !L(ERR_VALID) &&
			L(FETCH) == next && L(PI) == next && gone == 1 && L(LOG_STRIDE) >= 6 && L(LOG_STRIDE) <= 8 && adm_ok;
		bool plan = (kind == T2 && !stale && start_ok) || (kind == DB && plan_db);
		bool park = SHARED && rc && !adm_ok, fetches_now = kind == T1 && !err && alive && is && !park, flush = kind == T1 && !err && !alive && is;
		bool state_new = kind == ACC && dw == 0 && ((state ^ data) & mask & 7);
		// The plan that is played.
		VlWide<6> p;
		for (int i = 0; i < 6; i++) p[i] = u32(rng.next());
#define PS(f, v) SET_FIELD(p, OHCA_SQ_PLAN_##f, v)
#define PL(f) u32(FIELD(p, OHCA_SQ_PLAN_##f))
		u32 len = u32(rng.below(6)), k = 0;
		PS(NEXT, u16(next + rng.below(t2_n + 1))); PS(ERR, rng.chance(15)); PS(STOP, PL(ERR) || rng.chance(50)); PS(IN_MSG, rng.chance(20));
		PS(FENCE_WAIT, rng.chance(10)); PS(CREDIT_WAIT, rng.chance(10)); PS(WINDOW_WAIT, rng.chance(10));
		PS(SENT_PSN, PL(PSN) + rng.below(5) - 2); PS(AGAIN, ((PL(PSN) - PL(SENT_PSN)) & 0xffffff) >= 0x800000);
		PS(PARK, SHARED && rng.chance(20)); PS(PARK_CLS, rng.below(SHARED ? VL + 1 : 1));
		if (!PL(STOP)) { PS(ERR, 0); PS(FENCE_WAIT, 0); PS(CREDIT_WAIT, 0); PS(WINDOW_WAIT, 0); PS(PARK, 0); }
		u32 begin = u32(rng.bits(16)), busy = kind == DB && tk_push && compact ? u32(rng.below(8)) : 0, edit = compact && kind == ACC && !err && !inval ? u32(rng.range(1, 6)) : 0;
		d.plan_start_i = begin;
		tb::set_bytes(d.plan_i, reinterpret_cast<u8 *>(&p[0]), sizeof p);
		d.plan_status_i = rng.bits(3); d.plan_verr_i = u32(rng.below(4));
		u32 at = 0, wait = std::max(busy, sqd ? 1u : 0u);
		u32 last = plan ? wait + len + 2 + PL(ERR) + 1 : (kind == T1 && !err && !park) || kind == DB || kind == T2 ? wait + 1 : edit ? edit : wait;
		if (plan) last = wait + 1 + len + 1 + PL(ERR);             // begins; len + 1 cycles; end; refused
		bool done = false;
		(void)k;
		while (!done) {
			bool end = at == last;
			b.cycle([&] {
				d.push_busy_i = at < busy;
				d.edit_done_i = edit && at == edit;
				if (edit && at == edit)                        // the cache has changed the word
					tb::set_bits(d.line_i, 32 * dw, 32, (tb::get_bits(d.line_i, 32 * dw, 32) & ~u64(mask)) | (data & mask));
				d.plan_done_i = plan && at == wait + 1 + len;
				d.eval();
			}, [&] {
				CHECK_EQ(d.end_o, end, "when it ends");
				CHECK_EQ(d.edit_o, compact && kind == ACC && !err && !inval, "the cache changes the word");
				CHECK_EQ(d.begin_o, at == wait && (kind == T2 || (kind == DB && tk_push)), "a batch may be planned");
				CHECK_EQ(d.go_o, plan && at == wait, "it is");
				if (d.go_o) { CHECK_EQ(d.n_o, kind == DB ? 1 : t2_n, "WQEs"); CHECK_EQ(d.pushed_o, kind == DB, "pushed"); }
				CHECK_EQ(d.fetch_o, fetches_now && end, "a fetch");
				if (d.fetch_o) CHECK_EQ(d.fetch_meta_o >> 3, L(GEN) << 16 | L(FETCH), "of what");
				CHECK_EQ(d.kind_o, kind, "kind");
				if (kind >= T2 && kind <= T1) CHECK_EQ(d.turn_o, turn, "turn");
				bool planned_end = plan && at == wait + 2 + len;
				bool frees = (end && !plan && (kind == T2 || (kind == DB && tk_push) || (kind == T1 && !fetches_now))) || (planned_end && !PL(JOBS));
				CHECK_EQ(d.free_o, frees, "the turn comes back");
				// Reports.
				bool up_sent = planned_end && PL(SENT), up_err = plan && PL(ERR) && end, up_flush = flush && end;
				CHECK_EQ(d.up_valid_o, up_sent || up_err || up_flush, "a report");
				if (d.up_valid_o) {
#define U(f, v) CHECK_EQ(FIELD(d.up_o, OHCA_RA_UP_##f), u64(v), #f)
					U(QPN, id); U(KIND, up_sent ? OHCA_UPK_SENT : up_err ? OHCA_UPK_LOCAL_ERR : OHCA_UPK_FLUSH);
					U(IDX, up_sent ? begin : up_err ? PL(NEXT) : next); U(PSN, up_sent ? PL(SENT_PSN) : up_err ? PL(PSN) : L(PSN));
					U(PI, up_sent ? u16(PL(NEXT) + PL(IN_MSG)) : up_err ? u16(PL(NEXT) + 1) : L(PI));
				}
				bool c_page = kind == DB && end && !plan && !db_ok && !err && !uar_ok, c_qp = kind == DB && end && !plan && !db_ok && !c_page;
				CHECK_EQ(d.cnt_o, u64(c_page) << OHCA_COUNTER_DB_BAD_PAGE | u64(c_qp) << OHCA_COUNTER_DB_BAD_QP |
					u64(up_err) << OHCA_COUNTER_TX_LOCAL_ERR, "counters");
				bad += c_page || c_qp;
				// Where the QP goes.
				bool outside = (!L(IN_RUNQ) || kind == T1) && !err && !inval;
				bool asks = end && kind != ACC && outside && want(d.next_o);
				bool to_park = plan ? PL(PARK) : kind == T1 && alive && is && park;
				u32 pc = plan ? PL(PARK_CLS) : cls;
				bool pk_ok = to_park && (pk >> pc & 1), turned = plan || kind == T1 || (kind == T2 && !stale);
				bool rq_ok = turned ? rq_ready : rq_room;
				CHECK_EQ(d.pk_push_o, asks && pk_ok, "it is parked");
				CHECK_EQ(d.rq_push_o, asks && !pk_ok && rq_ok, "into the run queue");
				CHECK_EQ(d.lost_o, asks && !pk_ok && !rq_ok, "neither has room");
				if (d.pk_push_o) CHECK_EQ(d.pk_cls_o, pc, "for which class");
				bool pushes = asks && (pk_ok || rq_ok);
				if (end) {
					bool in = pushes || (kind == T1 ? false : L(IN_RUNQ));
					if (kind != ACC) CHECK_EQ(FIELD(d.next_o, OHCA_SQC_IN_RUNQ), u64(in), "it is in the run queue");
					bool we = pushes || plan || (kind == FB && alive && (fbk < 4 || fbk == 5)) || (kind == T2 && !stale) || (kind == DB && moves) ||
						(kind == T1 && !err) || (kind == ACC && !err && !inval && ((!compact && mask) || state_new));
					if (kind == SCAN) we = d.rq_push_o;
					CHECK_EQ(d.we_o, we, "it is written");
					if (kind == T2 && !plan && !stale) CHECK_EQ(FIELD(d.next_o, OHCA_SQC_FETCH), u64(next), "what was fetched is thrown away");
					if (kind == DB && !plan) CHECK_EQ(FIELD(d.next_o, OHCA_SQC_PI), u64(moves ? db_pi : L(PI)), "doorbell");
					CHECK_EQ(d.wrote_o, kind == ACC && !err && !inval && mask, "an access that wrote");
					queued += d.rq_push_o; parked += d.pk_push_o; lost += d.lost_o;
					done = true;
				}
				// A turn's class.
				bool set = SHARED && ((d.fetch_o && rc) || (plan && kind == DB && at == wait + 1));
				CHECK_EQ(d.set_o, set, "its class is known");
				if (set) CHECK_EQ(d.set_cls_o, cls, "which");
				CHECK_EQ(d.cls_o, cls, "class");
				at++;
				b.progress();
			});
		}
		kinds[kind]++; plans += plan; pushed_plans += plan && kind == DB; refused += plan && PL(ERR); sent += plan && PL(SENT);
		fetches += fetches_now; flushes += flush; stale_n += kind == T2 && stale; moved += kind == DB && moves; drained += sqd;
		d.valid_i = 0; d.plan_done_i = 0; d.edit_done_i = 0; d.push_busy_i = 0;
		bool acc = kind == ACC;
		u32 idle = acc ? 1 : u32(rng.below(2));
		for (u32 i = 0; i < idle; i++) b.cycle([] {}, [&] {
			CHECK_EQ(d.acc_rsp_valid_o, acc && !i, "an access is answered");
			if (acc) CHECK_EQ(d.acc_err_o, err, "with an error");
			CHECK(!d.end_o && !d.fetch_o && !d.up_valid_o && !d.rq_push_o && !d.pk_push_o && !d.lost_o && !d.free_o, "something without a token");
		});
	}
	printf("# %llu plans, %llu of pushed WQEs, %llu refused, %llu reported, %llu fetches, %llu flushed, %llu stale, %llu doorbells that move, "
		"%llu refused, %llu drained; %llu queued, %llu parked, %llu lost\n", (unsigned long long)plans, (unsigned long long)pushed_plans,
		(unsigned long long)refused, (unsigned long long)sent, (unsigned long long)fetches, (unsigned long long)flushes, (unsigned long long)stale_n,
		(unsigned long long)moved, (unsigned long long)bad, (unsigned long long)drained, (unsigned long long)queued, (unsigned long long)parked,
		(unsigned long long)lost);
	for (u64 x : kinds) GOAL(x > 1000);
	GOAL(plans > 1000 && pushed_plans > 50 && refused > 100 && sent > 300 && fetches > 300 && flushes > 200 && stale_n > 300 && moved > 300);
	GOAL(bad > 200 && drained > 300 && queued > 1000 && lost > 200 && (!SHARED || parked > 50));
	return b.finish();
}
