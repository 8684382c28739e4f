// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_decide and its rooms: contexts, comparisons and tokens drawn at random, so that every branch is met with every
// other condition true and false, against what each kind of token does, written down one after the other: what becomes
// of the context, of which nothing else may change, what goes to the walk and the send engine, what is completed,
// flushed, armed, freed and counted. The answer is there in the same cycle.
// dut: ohca_ra_decide_top
// dut: ohca_ra_decide_top FatalEvent=0
// args: --cycles 80000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_FATAL_EVENT
#define TB_FATAL_EVENT 1
#endif
enum { ACC = OHCA_RA_CK_ACC, UPD = OHCA_RA_CK_UPD, RESP = OHCA_RA_CK_RESP, UP = OHCA_RA_CK_UP, TMR = OHCA_RA_CK_TMR,
	FLUSH = OHCA_RA_CK_FLUSH, QERR = OHCA_RA_CK_QERR, CQERR = OHCA_RA_CK_CQERR };
enum { RESET = OHCA_QP_STATE_RESET, RTS = OHCA_QP_STATE_RTS, SQD = OHCA_QP_STATE_SQD, SQE = OHCA_QP_STATE_SQE, ERR = OHCA_QP_STATE_ERR };
#define CX(f) u64(BF(cx, OHCA_RAC_##f))
#define NX(f) u64(BF(nx, OHCA_RAC_##f))
#define NS(f, v) PF(nx, OHCA_RAC_##f, v)
#define LK(f) u64(BF(lk, OHCA_RA_LOOK_##f))
#define LS(f, v) PF(lk, OHCA_RA_LOOK_##f, v)
#define LT(f) u64(BF(late, OHCA_RA_LATE_##f))
#define U(f) u64(BF(up, OHCA_RA_UP_##f))
#define PK(f) u64(BF(p, OHCA_RXD_##f))

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 kinds[8] = {}, fails[8] = {}, pushes = 0, merges = 0, mids = 0, arms = 0, begins = 0, resets = 0, both = 0, waits = 0, again[4] = {},
		counted[64] = {};
	auto fill = [&](unsigned bits) {
		bytes v((bits + 7) / 8);
		rng.fill(v);
		for (unsigned i = bits; i < 8 * v.size(); i++) put_bits(v, i, 1, 0);
		return v;
	};
	b.reset();
	while (b.now() < b.cycles) {
		bytes cx = fill(OHCA_RAC_BITS), lk = fill(OHCA_RA_LOOK_BITS), p = fill(OHCA_RXD_BITS), up = fill(OHCA_RA_UP_BITS),
			late = fill(OHCA_RA_LATE_BITS);
		const u32 kind = rng.chance(50) ? u32(RESP + rng.below(2)) : rng.chance(50) ? u32(rng.chance(60) ? UPD : TMR) : u32(rng.below(8)), qpn = u32(rng.bits(24)),
			act = rng.chance(40) ? 0 : u32(rng.below(4)), status = u32(rng.bits(8)), verr = u32(rng.bits(8)), e = u32(rng.below(64)),
			seq = u32(rng.below(128));
		const bool err = rng.chance(5), hit = rng.chance(50), open = rng.chance(50), none = rng.chance(50);
		// A context and what was compared of it; not each bit for itself where one implies another.
		static const u32 states[] = {RESET, OHCA_QP_STATE_INIT, OHCA_QP_STATE_RTR, RTS, RTS, SQD, SQE, ERR};
		const u32 state = states[kind != ACC && rng.chance(75) ? 3 : rng.below(8)], was = rng.chance(40) ? state : states[rng.below(8)];
		const bool acc_state = state != was || rng.chance(30), run = state == RTS || state == SQD, bad = state == ERR || state == SQE,
			dg = rng.chance(25), alive = state >= RTS;
		PF(cx, OHCA_RAC_STATE, state);
		if (rng.chance(70)) PF(cx, OHCA_RAC_RNR_WAIT, 0);
		if (rng.chance(70)) PF(cx, OHCA_RAC_FLUSHING, 0);
		if (rng.chance(70)) PF(cx, OHCA_RAC_DL_MORE, 0);
		if (rng.chance(30)) PF(cx, OHCA_RAC_RETRY_LEFT, 0);
		if (rng.chance(30)) PF(cx, OHCA_RAC_RNR_LEFT, 0);
		if (rng.chance(30)) PF(cx, OHCA_RAC_RNR_RETRY, rng.chance(50) ? 7 : 0);
		if (rng.chance(30)) PF(cx, OHCA_RAC_UNA, CX(PI));
		LS(RUN, run && !err); LS(ALIVE, alive && !err); LS(BAD, bad && !err); LS(DG, dg);
		if (rng.chance(60)) LS(LSN, CX(LSN));
		if (rng.chance(80)) { LS(TYPE_OK, 1); LS(PKEY_OK, 1); LS(PATH_OK, 1); LS(IN_WIN, 1); LS(AETH_OK, 1); }
		LS(U_APPLY, kind == UPD && alive && !err && rng.chance(80));
		const u32 answer = u32(rng.below(3));           // data, ACK or NAK, neither
		LS(OP_RD, answer == 0); LS(OP_ACK, answer == 1);
		const bool middle = rng.chance(50), ours = kind == RESP && run && !err && LK(TYPE_OK) && LK(PKEY_OK) && LK(PATH_OK),
			counts = ours && (answer == 0 || (answer == 1 && LK(AETH_OK)));
		LS(ANSWER, counts); LS(A_ACK, counts && answer && LK(ACK)); LS(A_NAK, counts && answer && !LK(ACK));
		LS(A_MIDDLE, counts && answer && LK(ACK) && middle); LS(CREDITS, ours && LK(CREDITS));
		PF(up, OHCA_RA_UP_KIND, rng.below(4));
		const bool is_up = kind == UP && alive && !err, idx_ok = rng.chance(50);
		LS(UP_SENT, is_up && U(KIND) == OHCA_UPK_SENT); LS(UP_FLUSH, is_up && U(KIND) == OHCA_UPK_FLUSH);
		const bool tout = rng.chance(50);
		LS(TIMED, tout && !dg); LS(ARMS, run && !err && kind != ACC);
		const bool is_lerr = rng.chance(30), past = rng.chance(70), due = kind == TMR && run && !err && past && !CX(DL_MORE);
		LS(DUE, due); LS(ROUND, kind == TMR && run && !err && past && CX(DL_MORE));
		LS(TMO, due && !CX(RNR_WAIT) && LK(OPEN) && tout && !dg);
		const bool u_run = kind == UPD && LK(U_APPLY) && run, fresh = u_run && LK(U_MOVED) && !dg;
		LS(U_RUN, u_run); LS(U_LERR, u_run && is_lerr); LS(U_FREE, u_run && !is_lerr && !CX(RNR_WAIT)); LS(U_FRESH, fresh);
		LS(NONE, !(fresh ? CX(RETRY_CNT) : CX(RETRY_LEFT))); LS(RNR_NONE, !(fresh ? CX(RNR_RETRY) : CX(RNR_LEFT)) && CX(RNR_RETRY) != 7);
		 LS(A_LERR, LK(A_MIDDLE) && is_lerr);
		LS(UP_UD, is_up && U(KIND) == OHCA_UPK_UD_DONE && dg && run && idx_ok); LS(UP_FAIL, is_up && U(KIND) == OHCA_UPK_LOCAL_ERR && idx_ok);
		LS(UD_LERR, LK(UP_UD) && is_lerr); LS(UP_UNA, LK(UP_FAIL) && run && LK(IDX_ERR) && is_lerr);
		auto bth = [&](unsigned lsb, unsigned w) { return bits_of(p, OHCA_RXD_BTH_LSB + lsb, w); };
		auto aeth = [&](unsigned lsb, unsigned w) { return bits_of(p, OHCA_RXD_EXT_LSB + 192 + lsb, w); };
		if (rng.chance(30)) put_bits(p, OHCA_RXD_EXT_LSB + 192 + OHCA_AETH_VALUE_LSB, 5, 31);

		d.kind_i = kind; d.qpn_i = qpn; d.err_i = err; d.was_i = was; d.acc_state_i = acc_state; d.act_i = act; d.act_status_i = status;
		d.act_verr_i = verr; d.hit_i = hit; d.open_i = open; d.none_i = none; d.e_i = e; d.seq_i = seq;
		tb::set_bytes(d.cx_i, cx.data(), cx.size()); tb::set_bytes(d.look_i, lk.data(), lk.size()); tb::set_bytes(d.p_i, p.data(), p.size());
		tb::set_bytes(d.up_i, up.data(), up.size()); tb::set_bytes(d.late_i, late.data(), late.size());

		// ---- what happens
		bytes nx = cx;
		bool push = false, merge = false, rel = false, tok_free = false, ent_free = false, drop = false;
		bool progress = false, moved = false, outst = LK(OPEN), work = LK(WORK), fail = false, back = false, wait = false, gone = false,
			was_due = false, flush = false, cqe = false, cqe2 = false, event = false, other = false, act_fb = false, alive_timer = true, asks = false;
		u32 why = 0, cause = 0, cq_op = 0, cq_idx = 0, cq_status = 0, cq_verr = 0;
		enum { KEEP, ANEW, SOON, MORE } dl = KEEP;
		u64 cnt = 0;
		auto count = [&](int c) { cnt |= 1ull << c; counted[c]++; };
		auto fails_with = [&](u32 s, u32 v) { fail = true; why = s; cause = v; };
		auto goes_back = [&](int c, u32 v) {            // one of the retries
			count(c);
			if (NX(RETRY_LEFT) == 0) { fails_with(OHCA_WC_STATUS_RETRY_EXC, v); return; }
			NS(RETRY_LEFT, NX(RETRY_LEFT) - 1);
			back = true;
			again[0]++;
		};
		auto retire = [&](bool acked, bool local_err) {  // the late state is the context's now
			NS(RD_NEXT_PSN, NX(ACKED_PSN));
			if (!run) return;
			if (acked && !dg) {
				NS(RETRY_LEFT, CX(RETRY_CNT)); NS(RNR_LEFT, CX(RNR_RETRY));
				if (!CX(RNR_WAIT)) dl = ANEW;
			}
			if (kind == UPD && act == OHCA_RA_ACT_ERR) fails_with(status, verr);
			else if (local_err) fails_with(u32(NX(ERR_STATUS)), u32(NX(ERR_VENDOR)));
			else if (kind != UPD || CX(RNR_WAIT)) return;
			else if (act == OHCA_RA_ACT_SEQ) goes_back(OHCA_COUNTER_TX_RETRY, OHCA_VENDOR_ERR_SEQ);
			else if (act == OHCA_RA_ACT_RNR) {
				const u64 left = NX(RNR_LEFT);
				if (!left && CX(RNR_RETRY) != 7) { fails_with(OHCA_WC_STATUS_RNR_RETRY_EXC, OHCA_VENDOR_ERR_RNR); return; }
				count(OHCA_COUNTER_TX_RNR_WAIT);
				if (CX(RNR_RETRY) != 7) NS(RNR_LEFT, left - 1);
				NS(RNR_WAIT, 1);
				wait = true;
				waits++;
				dl = ANEW;
			}
		};
		switch (kind) {
		case RESP: {
			const bool data = answer == 0, is_ack = !data && LK(ACK), nak = !data && !LK(ACK);
			rel = tok_free = ent_free = true;
			if (err) { count(OHCA_COUNTER_RX_QPN); break; }
			if (!run) { count(OHCA_COUNTER_RX_QP_STATE); break; }
			if (LK(CREDITS)) {
				NS(LSN_VALID, aeth(OHCA_AETH_VALUE_LSB, 5) != 31); NS(LSN, LK(LSN));
				asks = true;
				if (LK(LSN_TELL) && LK(LSN) != CX(LSN)) moved = true;
			}
			if (!LK(TYPE_OK)) count(OHCA_COUNTER_RX_OPCODE);
			else if (!LK(PKEY_OK)) count(OHCA_COUNTER_RX_PKEY);
			else if (!LK(PATH_OK)) count(OHCA_COUNTER_RX_PATH);
			else if (answer == 2 || (answer == 1 && !LK(AETH_OK))) count(OHCA_COUNTER_RX_RESP_BAD);
			else if (!LK(IN_WIN)) count(LK(IS_OLD) ? OHCA_COUNTER_RX_DUP : OHCA_COUNTER_RX_RESP_BAD);
			else if (nak && CX(RNR_WAIT)) break;
			else if (is_ack && hit && open) { merge = true; merges++; }
			else if (is_ack && !hit && middle) {
				NS(ACKED_PSN, LK(PSN1));
				progress = moved = asks = true;
				outst = LK(R_OPEN);
				mids++;
				retire(true, is_lerr);
			} else {
				push = true;
				rel = !data;
				tok_free = false;
				ent_free = hit;
				pushes++;
			}
			break;
		}
		case UPD:
			if (none) drop = ent_free = true;
			if (!LK(U_APPLY)) break;
			NS(UNA, LT(UNA)); NS(UNA_PSN, LT(UNA_PSN)); NS(ACKED_PSN, LT(ACKED)); NS(RD_DONE, LT(RD_DONE)); NS(RD_ACTIVE, LT(RD_ACTIVE));
			NS(RD_SEQ_WAIT, LT(SEQ_WAIT)); NS(END_VALID, LT(END_VALID)); NS(END_PSN, LT(END_PSN));
			NS(SSN, (CX(SSN) + LK(U_STEP)) & 0xffffff);
			progress = LK(U_MOVED);
			moved = LK(U_MOVED) || LK(U_READ);
			asks = true;
			outst = LK(U_OPEN);
			work = LK(U_WORK);
			retire(progress, is_lerr);
			break;
		case UP:
			if (err || !alive) break;
			asks = true;
			switch (U(KIND)) {
			case OHCA_UPK_SENT:
				if (LK(UP_PI)) { NS(PI, U(PI)); work = true; }
				if (!run) break;
				if (LK(UP_PSN)) { NS(SENT_PSN, U(PSN)); outst = LK(UP_OPEN); }
				if (!LK(OPEN)) dl = ANEW;
				break;
			case OHCA_UPK_FLUSH: if (LK(UP_PI)) { NS(PI, U(PI)); work = true; } break;
			case OHCA_UPK_UD_DONE:
				if (!dg || !run || !idx_ok) break;
				NS(UNA, LK(IDX1));
				if (LK(IDX_PI)) NS(PI, LK(IDX1));
				cqe = U(SIGNALED) || CX(SIG_ALL);
				cq_op = u32(U(WROP)); cq_idx = u32(U(IDX));
				retire(false, is_lerr);
				break;
			default:
				if (!idx_ok) break;
				if (LK(IDX_PI)) { NS(PI, LK(IDX1)); work = true; }
				if (!run || !LK(IDX_ERR)) break;
				count(OHCA_COUNTER_TX_LOCAL_ERR);
				NS(ERR_VALID, 1); NS(ERR_IDX, U(IDX)); NS(ERR_STATUS, U(STATUS)); NS(ERR_VENDOR, U(VERR));
				if (!hit) retire(false, is_lerr);
			}
			break;
		case TMR:
			if (err || state == RESET) break;
			asks = true;
			NS(TIMER_ARMED, 0);
			if (!run || !past) break;
			if (CX(DL_MORE)) { dl = MORE; again[1]++; break; }
			if (hit) { dl = SOON; again[2]++; break; }
			was_due = true;
			if (CX(RNR_WAIT)) { NS(RNR_WAIT, 0); back = true; again[3]++; }
			else if (LK(OPEN) && tout && !dg) goes_back(OHCA_COUNTER_TX_TIMEOUT, OHCA_VENDOR_ERR_TIMEOUT);
			break;
		case FLUSH:
			if (err || !bad) break;
			asks = true;
			NS(FLUSHING, 0);
			if (hit) flush = true;
			else if (work) {
				cqe = true;
				cq_idx = u32(CX(UNA)); cq_status = OHCA_WC_STATUS_WR_FLUSH; cq_verr = OHCA_VENDOR_ERR_FLUSH;
				NS(UNA, (CX(UNA) + 1) & 0xffff);
				flush = LK(WORK1);
			}
			if (flush) NS(FLUSHING, 1);
			break;
		case QERR: case CQERR:
			if (err || (kind == QERR ? !run : state < OHCA_QP_STATE_RTR || state == ERR)) break;
			NS(STATE, ERR);
			gone = act_fb = asks = true;
			if (kind == CQERR) { event = other = true; why = OHCA_WC_STATUS_FATAL; }
			break;
		default:
			alive_timer = false;
			gone = bad;
			work = CX(UNA) != CX(PI);
			if (!acc_state || (state != RESET && was != RESET)) break;
			asks = true;
			if (state == RESET) {
				for (auto f : {OHCA_RAC_UNA_LSB, OHCA_RAC_PI_LSB}) put_bits(nx, unsigned(f), 16, 0);
				NS(ERR_VALID, 0); NS(FLUSHING, 0); NS(RD_ACTIVE, 0); NS(ERR_SENT, 0); NS(RD_SEQ_WAIT, 0); NS(RNR_WAIT, 0); NS(RD_DONE, 0);
				NS(END_VALID, 0); NS(END_PSN, 0); NS(LSN_VALID, 0);
				resets++;
			} else NS(TIMER_ARMED, 0);
		}
		if (back) {
			if (was_due) NS(RD_SEQ_WAIT, 0);
			dl = ANEW;
		}
		act_fb = act_fb || back || wait || fail;
		const u64 una = NX(UNA);
		if (fail) {
			fails[kind]++;
			cqe2 = cqe;
			if (!cqe) { cq_op = 0; cq_idx = u32(una); cq_status = why; cq_verr = cause; }
			both += cqe;
			cqe = true;
			if (kind == UPD) work = LK(U_WORK1);
			else if (kind == UP && U(KIND) == OHCA_UPK_UD_DONE) work = LK(IDX_PI) || LK(IDX2_WORK);
			else work = LK(WORK1) && !(kind == UP && LK(IDX_PI));
			NS(UNA, (una + 1) & 0xffff); NS(ERR_VALID, 0); NS(ERR_SENT, 1); NS(RNR_WAIT, 0);
			NS(STATE, dg ? SQE : ERR);
			if (!dg) { event = TB_FATAL_EVENT; other = true; }
		}
		if (kind != FLUSH && !err && work && !CX(FLUSHING) && (fail || gone || (bad && kind != ACC))) {
			NS(FLUSHING, 1);
			flush = asks = true;
			begins++;
		}
		switch (dl) {
		case ANEW: NS(DEADLINE, LK(T_END)); NS(DL_MORE, LK(T_MORE)); break;
		case SOON: NS(DEADLINE, u32(LK(TICK) + 8)); break;
		case MORE: NS(DEADLINE, u32(LK(TICK) + (1u << 30))); NS(DL_MORE, CX(DL_MORE) - 1); break;
		default: break;
		}
		const bool arm = alive_timer && run && !gone && !fail && !err && (NX(RNR_WAIT) || (outst && tout && !dg)) &&
			(!NX(TIMER_ARMED) || (dl == ANEW ? LK(EARLY_END) : LK(EARLY)));
		if (arm) { NS(TIMER_ARMED, 1); NS(TMR, NX(DEADLINE)); asks = true; arms++; }

		b.progress();
		b.cycle([] {}, [&] {
			bytes say = get_all(d.say_o, OHCA_RA_SAY_BITS), tok = get_all(d.tok_o, OHCA_RA_TOK_BITS), fb = get_all(d.fb_o, OHCA_SQ_FB_BITS),
				cq = get_all(d.cq_o, OHCA_CQ_REQ_BITS), v = get_all(d.viol_o, OHCA_RX_VIOL_BITS);
#define SAY(f, want) CHECK_EQ(BF(say, OHCA_RA_SAY_##f), u64(want), "say " #f)
			SAY(PUSH, push); SAY(MERGE, merge); SAY(REL, rel); SAY(TOK_FREE, tok_free); SAY(ENT_FREE, ent_free); SAY(ENT_DROP, drop);
			CHECK_EQ(d.cnt_o, cnt, "counted");
			CHECK_EQ(d.progress_o, moved && run && !dg, "progress"); CHECK_EQ(d.fb_act_o, act_fb, "feedback"); CHECK_EQ(d.cqe_o, cqe, "completion");
			CHECK_EQ(d.cqe2_o, cqe2, "another"); CHECK_EQ(d.ev_o, event, "event"); CHECK_EQ(d.qerr_o, other, "the other side");
			CHECK_EQ(d.flush_o, flush, "flush"); CHECK_EQ(d.arm_o, arm, "timer");
			if (!err) {
				CHECK(get_all(d.next_o, OHCA_RAC_BITS) == nx, "the context");
				CHECK(d.chg_o || nx == cx, "it changed");
				CHECK_EQ(d.chg_o, asks, "it may have changed");
			}
			if (act_fb) {
				CHECK_EQ(BF(fb, OHCA_SQ_FB_KIND), u64(fail || gone ? OHCA_FBK_ERROR : back ? OHCA_FBK_RESTART : OHCA_FBK_RNR_WAIT), "feedback: kind");
			}
			if (act_fb || (moved && run && !dg)) {
#define FB(f, want) CHECK_EQ(BF(fb, OHCA_SQ_FB_##f), u64(want), "feedback: " #f)
				FB(QPN, qpn); FB(IDX, NX(UNA)); FB(UNA_PSN, NX(UNA_PSN)); FB(PSN, NX(ACKED_PSN)); FB(SSN, NX(SSN)); FB(LSN_VALID, NX(LSN_VALID));
				FB(LSN, NX(LSN)); FB(RD_DONE, NX(RD_DONE)); FB(RD_NEW, kind == UPD && LK(U_APPLY) && LK(U_READ));
			}
			if (cqe) {
#define CQ(f, want) CHECK_EQ(BF(cq, OHCA_CQ_REQ_##f), u64(want), "completion: " #f)
				CQ(CQN, CX(CQN)); CQ(QPN, qpn); CQ(OPCODE, cq_op); CQ(IDX, cq_idx); CQ(STATUS, cq_status); CQ(VERR, cq_verr); CQ(RECV, 0);
			}
			if (cqe2 || event) { CHECK_EQ(d.status_o, why, "status"); CHECK_EQ(d.verr_o, cause, "cause"); }
			if (push) {
#define TK(f, want) CHECK_EQ(BF(tok, OHCA_RA_TOK_##f), u64(want), "token: " #f)
				TK(E, e); TK(FIRST, !hit); TK(FRONT, 0); TK(SEQ, seq); TK(PSN, bth(OHCA_BTH_PSN_LSB, 24)); TK(AK, aeth(OHCA_AETH_KIND_LSB, 2));
				TK(KIND, answer == 0 ? OHCA_RA_TK_RESP : LK(ACK) ? OHCA_RA_TK_ACK : OHCA_RA_TK_NAK); TK(AV, aeth(OHCA_AETH_VALUE_LSB, 5));
				TK(PI, CX(PI)); TK(OP, bth(OHCA_BTH_OPCODE_LSB, 5)); TK(SLOT, PK(SLOT)); TK(PLEN, PK(PLEN));
				TK(SRC, (PK(BASE) + PK(PAY_OFF)) & 0xfffff);
			}
			if (cnt >> OHCA_COUNTER_RX_PKEY & 1) {
				CHECK_EQ(BF(v, OHCA_RX_VIOL_QKEY), 0, "which key"); CHECK_EQ(BF(v, OHCA_RX_VIOL_KEY), bth(OHCA_BTH_PKEY_LSB, 16), "the key");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_SLID), PK(SLID), "from whom"); CHECK_EQ(BF(v, OHCA_RX_VIOL_DESTQP), bth(OHCA_BTH_DESTQP_LSB, 24), "to whom");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_DLID), PK(DLID), "LID"); CHECK_EQ(BF(v, OHCA_RX_VIOL_SL), PK(SL), "SL");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_GRH), PK(GRH_V), "GRH"); CHECK_EQ(BF(v, OHCA_RX_VIOL_SRCQP), 0, "from which QP");
			}
		});
		kinds[kind]++;
	}
	printf("# %llu tokens to the walk, %llu merged, %llu count at once; failed: %llu by news, %llu by a report, %llu by the timer; back: %llu, "
		"%llu later; %llu waits; %llu flushes begin, %llu timers, %llu RESET\n", (unsigned long long)pushes, (unsigned long long)merges,
		(unsigned long long)mids, (unsigned long long)fails[UPD], (unsigned long long)fails[UP], (unsigned long long)fails[TMR],
		(unsigned long long)(again[0] + again[3]), (unsigned long long)(again[1] + again[2]), (unsigned long long)waits,
		(unsigned long long)begins, (unsigned long long)arms, (unsigned long long)resets);
	for (u64 x : kinds) GOAL(x > 300);
	for (u64 x : again) GOAL(x > 30);
	for (int c : {OHCA_COUNTER_RX_QPN, OHCA_COUNTER_RX_QP_STATE, OHCA_COUNTER_RX_OPCODE, OHCA_COUNTER_RX_PKEY, OHCA_COUNTER_RX_PATH,
		OHCA_COUNTER_RX_RESP_BAD, OHCA_COUNTER_RX_DUP, OHCA_COUNTER_TX_LOCAL_ERR, OHCA_COUNTER_TX_RETRY, OHCA_COUNTER_TX_RNR_WAIT,
		OHCA_COUNTER_TX_TIMEOUT}) GOAL(counted[c] > 30);
	GOAL(pushes > 1000 && merges > 500 && mids > 200 && arms > 1000 && begins > 500 && resets > 100 && both > 30 && waits > 100 &&
		fails[RESP] > 30 && fails[UPD] > 300 && fails[UP] > 100 && fails[TMR] > 30);
	return b.finish();
}
