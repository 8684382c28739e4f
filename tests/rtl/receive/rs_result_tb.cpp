// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_result: tokens of every kind with every end that the stages before can give them, poisoned or reset or not,
// against the table of its header: what answer, completion, event, fix-up and count comes of each, in order, and never
// a fence before what is in front of it. While nobody holds it up a token ends in the cycle in which all is known of it.
// dut: ohca_rs_result InFlight=16
// dut: ohca_rs_result InFlight=32 Slow=1
// dut: ohca_rs_result InFlight=16 Compact=1
// args: --cycles 60000
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

#define TK(f) u32(BF(tok, OHCA_RS_RTOK_##f))
#define TS(f, v) PF(tok, OHCA_RS_RTOK_##f, v)
#define SC(f) u32(BF(sc, OHCA_RS_SOUT_##f))
#define SS(f, v) PF(sc, OHCA_RS_SOUT_##f, v)
enum { SEND, WRITE, READ, DUP, INVALID, DATAGRAM, MARK, FLUSH, RERR, FENCE, GAP, KINDS };
enum { GOOD, DEAD, NO_WQE, LOST, SILENT, REFUSED, KEY, SHORT, DG_SHORT, WQE, PROT, ENDS };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Rsp { bool ok; u32 verr; };
	bytes tok((OHCA_RS_RTOK_BITS + 7) / 8), sc((OHCA_RS_SOUT_BITS + 7) / 8), fix;
	std::deque<bytes> cqs, evs;
	std::deque<u32> qerrs;
	std::deque<u64> told;                       // placements that were told and not used: when
	tb::Pace sp(&rng), pp(&rng), fp(&rng), jp(&rng), cp(&rng), ep(&rng), qp(&rng);
	bool have = false, there = false, hit = false, gone = false, owed = false, tell = false, was_room = true, known = false;
	unsigned hold = 0, calm = 0, mild = 0, shut = 0;      // shut: the other side takes nothing
	u32 gone_qpn = 0;
	size_t was_count = 0;
	Rsp r{};
	u64 n = 0, kinds[KINDS] = {}, ends[ENDS] = {}, quick = 0, waited = 0, comm = 0, at_reset = 0, full = 0, cramped = 0;
	auto fresh = [&] {
		rng.fill(tok); rng.fill(sc);
		const u32 kind = u32(rng.below(KINDS)), keep = u32(rng.bits(32));
		for (unsigned i = OHCA_RS_RTOK_SLOT_LSB + OHCA_RS_RTOK_SLOT_WIDTH; i < 8 * tok.size(); i++) put_bits(tok, i, 1, 0);   // flags
		for (unsigned i = 0; i < 8 * sc.size(); i++) put_bits(sc, i, 1, 0);
		TS(QPN, rng.below(4)); TS(REL, keep & 1); TS(RC, 1); TS(POISONS, 1); TS(MODE, OHCA_RS_MODE_NONE);
		TS(SOLICITED, keep >> 1 & 1); TS(GRH, keep >> 2 & 1); TS(WR_LAST, keep >> 3 & 1); TS(CSUM_OK, keep >> 4 & 1);
		const bool one = keep >> 5 & 1, two = keep >> 6 & 1, three = keep >> 7 & 1, last = keep >> 8 & 1;
		bool wqe = false, placed = false;
		switch (kind) {
		case SEND:
			TS(MODE, OHCA_RS_MODE_SCATTER); TS(CQE, one); TS(CQE_IMM, two); TS(JOB, three); TS(JOB_DONE, one);
			wqe = placed = true;
			break;
		case WRITE:
			TS(MODE, OHCA_RS_MODE_DIRECT); TS(CQE, one && two); TS(CQE_IMM, two); TS(CQE_WRITE, 1); TS(JOB, three);
			TS(JOB_DONE, one);
			wqe = one && two; placed = true;
			break;
		case READ:
			TS(MODE, one ? OHCA_RS_MODE_CHECK : OHCA_RS_MODE_NONE); TS(DUP, two); TS(JOB, 1); TS(JOB_READ, 1);
			TS(JOB_DONE, !two);
			placed = one;
			break;
		case DUP: TS(DUP, 1); TS(JOB, 1); break;
		case INVALID: TS(INV, 1); TS(CQE, one); break;
		case DATAGRAM:
			TS(RC, 0); TS(MODE, OHCA_RS_MODE_SCATTER); TS(CQE, 1); TS(CQE_IMM, two);
			wqe = placed = true;
			break;
		case MARK: TS(MARK, 1); TS(POISONS, 0); TS(REL, 0); TS(RC, one); break;
		case FLUSH: TS(POISONS, 0); TS(REL, 0); TS(CQE, 1); TS(FLUSHED, 1); TS(RC, one); break;
		case RERR:
			TS(POISONS, 0); TS(REL, 0); TS(RC, one); TS(JOB, one); TS(JOB_NAK, 1); TS(EV, 1); TS(QERR, 1);
			TS(JOB_SYND, two ? OHCA_RS_SYND_INV : OHCA_RS_SYND_REM_OP);
			break;
		case FENCE: TS(POISONS, 0); TS(REL, 0); TS(FENCE, 1); break;
		default: TS(JOB, 1); TS(JOB_NAK, 1); TS(JOB_SYND, two ? OHCA_RS_SYND_ACK : OHCA_RS_SYND_SEQ); break;   // a READ without a place, a gap
		}
		if (kind <= READ) TS(EST, last && !TK(DUP));
		SS(CODE, rng.bits(5)); SS(VERR, rng.bits(8));
		r = Rsp{true, u32(rng.bits(8))};
		hit = rng.chance(15);
		const u32 how = u32(rng.below(100));
		if (kind != MARK && kind != FENCE && hit) SS(DEAD, rng.chance(60));
		if (kind == MARK || SC(DEAD)) placed = wqe = false;
		if (wqe && how < 8) SS(RNR, 1);
		else if (wqe && how < 14) SS(LOST, 1);
		if (SC(RNR) || SC(LOST)) placed = false;
		if (placed && TK(MODE) == OHCA_RS_MODE_SCATTER && how >= 85) {
			SS(FAIL, rng.chance(60) ? OHCA_RS_FAIL_SHORT : OHCA_RS_FAIL_FETCH);
			placed = rng.chance(70);
			r = Rsp{false, u32(rng.chance(70) ? OHCA_VENDOR_ERR_FLUSH : OHCA_VENDOR_ERR_LENGTH)};
		} else if (placed && how >= 70) r = Rsp{false, u32(rng.chance(10) ? OHCA_VENDOR_ERR_FLUSH : OHCA_VENDOR_ERR_TPT_BOUNDS)};
		SS(PLACED, placed);
		owed = placed;
		kinds[kind]++;
	};
	d.tok_valid_i = d.sc_valid_i = d.pl_rsp_valid_i = d.cq_ready_i = d.ev_ready_i = d.qerr_ready_i = 0;
	d.fix_ready_i = d.job_ready_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		bool cr = false, er = false, qr = false, fr = false, jr = false;
		b.cycle([&] {
			if (!have && !hold && feed) { fresh(); have = true; there = false; }
			if (have && !there) there = mild || sp.go();
			tell = have && owed && (mild || pp.go());
			if (rng.chance(gone ? 10 : 2)) { gone = !gone; gone_qpn = u32(rng.below(4)); }
			if (shut) shut--, mild = 0;
			else if (feed && rng.chance(1)) shut = unsigned(rng.range(20, 500));
			if (mild) mild--;
			else if (!shut && rng.chance(1)) mild = unsigned(rng.range(20, 100));
			cr = mild || cp.go(); er = mild || ep.go(); qr = !shut && (mild || qp.go()); fr = !hold && (mild || fp.go()); jr = mild || jp.go();
			d.tok_valid_i = have; d.sc_valid_i = there;
			tb::set_bytes(d.tok_i, tok.data(), tok.size()); tb::set_bytes(d.sc_i, sc.data(), sc.size());
			bytes rb((OHCA_PL_RSP_BITS + 7) / 8);
			PF(rb, OHCA_PL_RSP_OK, r.ok); PF(rb, OHCA_PL_RSP_VERR, r.verr);
			d.pl_rsp_valid_i = tell;
			tb::set_bytes(d.pl_rsp_i, rb.data(), rb.size());
			d.hit_i = hit; d.gone_i = gone && there && gone_qpn == TK(QPN);
			d.fix_ready_i = fr; d.job_ready_i = jr;
			d.cq_ready_i = cr; d.ev_ready_i = er; d.qerr_ready_i = qr;
		}, [&] {
			if (hold) {
				CHECK(get_all(d.fix_o, OHCA_RS_FIX_BITS) == fix, "the fix-up stays");
				hold--;
			}
			if (known) CHECK_EQ(d.qerr_room_o, compact ? qerrs.empty() : was_room, "room for the other side");
			// What comes of the token.
			const bool mark = TK(MARK), rc = TK(RC), dead = !mark && (SC(DEAD) || hit || (gone && gone_qpn == TK(QPN)));
			const bool refused = SC(PLACED) && !r.ok && !(SC(FAIL) && r.verr == OHCA_VENDOR_ERR_FLUSH);
			const u32 fault = SC(FAIL);
			u32 end = GOOD;
			if (dead) end = DEAD;
			else if (mark) end = GOOD;
			else if (SC(RNR)) end = NO_WQE;
			else if (SC(LOST)) end = LOST;
			else if (TK(DUP) && (refused || fault || TK(INV))) end = SILENT;
			else if (TK(INV)) end = REFUSED;
			else if (refused) end = TK(MODE) == OHCA_RS_MODE_SCATTER ? PROT : KEY;
			else if (fault == OHCA_RS_FAIL_SHORT) end = rc ? SHORT : DG_SHORT;
			else if (fault) end = WQE;
			bool job = TK(JOB), nak = TK(JOB_NAK), cqe = TK(CQE), err = false, back = false;
			u32 ev = TK(EV) ? TK(JOB_SYND) == OHCA_RS_SYND_INV ? OHCA_EQE_TYPE_QP_REQ_ERR : OHCA_EQE_TYPE_QP_FATAL : 0;
			u32 status = TK(FLUSHED) ? OHCA_WC_STATUS_WR_FLUSH : OHCA_WC_STATUS_SUCCESS,
				verr = TK(FLUSHED) ? OHCA_VENDOR_ERR_FLUSH : OHCA_VENDOR_ERR_NONE;
			static const u32 syndromes[] = {0, 0x60 | OHCA_AETH_NAK_PSN_SEQ, 0x60 | OHCA_AETH_NAK_REM_OP, 0x60 | OHCA_AETH_NAK_INV_REQ};
			u32 synd = TK(JOB_SYND) ? syndromes[TK(JOB_SYND)] : TK(JOB_NAK) ? 0x20 | TK(MIN_RNR) : SC(CODE);
			auto fail = [&](u32 code, u32 st, u32 ve, bool tells, u32 event) {
				job = rc; nak = true; err = true; synd = 0x60 | code; status = st; verr = ve; cqe = tells; ev = tells ? 0 : event;
			};
			switch (end) {
			case DEAD: job = cqe = false; ev = 0; break;
			case NO_WQE: job = rc; nak = true; cqe = false; ev = 0; back = true; synd = 0x20 | TK(MIN_RNR); break;
			case LOST: fail(OHCA_AETH_NAK_REM_OP, 0, 0, false, OHCA_EQE_TYPE_QP_FATAL); break;
			case SILENT: job = cqe = false; ev = 0; break;
			case REFUSED: fail(OHCA_AETH_NAK_INV_REQ, OHCA_WC_STATUS_REM_INV_REQ, OHCA_VENDOR_ERR_OPCODE, TK(CQE),
				OHCA_EQE_TYPE_QP_REQ_ERR); break;
			case KEY: fail(OHCA_AETH_NAK_REM_ACCESS, OHCA_WC_STATUS_LOC_ACCESS, r.verr, TK(CQE), OHCA_EQE_TYPE_QP_ACCESS_ERR); break;
			case SHORT: fail(OHCA_AETH_NAK_INV_REQ, OHCA_WC_STATUS_LOC_LEN, SC(VERR), true, 0); break;
			case DG_SHORT: job = cqe = false; ev = 0; back = true; break;
			case WQE: fail(OHCA_AETH_NAK_REM_OP, OHCA_WC_STATUS_LOC_QP_OP, SC(VERR), true, 0); break;
			case PROT: fail(OHCA_AETH_NAK_REM_OP, OHCA_WC_STATUS_LOC_PROT, r.verr, true, 0); break;
			default: if (mark) job = cqe = false;
			}
			const bool failed = end > DEAD;
			if (TK(EST) && !dead && !ev) ev = OHCA_EQE_TYPE_COMM_EST;
			bytes c((OHCA_CQ_REQ_BITS + 7) / 8), e((OHCA_EV_REQ_BITS + 7) / 8), f((OHCA_RS_FIX_BITS + 7) / 8);
			PF(c, OHCA_CQ_REQ_CQN, TK(CQN)); PF(c, OHCA_CQ_REQ_QPN, TK(QPN)); PF(c, OHCA_CQ_REQ_RECV, 1);
			PF(c, OHCA_CQ_REQ_OPCODE, failed || TK(FLUSHED) || !TK(CQE_IMM) ? OHCA_WC_OP_RECV :
				TK(CQE_WRITE) ? OHCA_WC_OP_RECV_RDMA_IMM : OHCA_WC_OP_RECV_IMM);
			PF(c, OHCA_CQ_REQ_IDX, TK(IDX)); PF(c, OHCA_CQ_REQ_STATUS, status); PF(c, OHCA_CQ_REQ_VERR, verr);
			PF(c, OHCA_CQ_REQ_SOLICITED, TK(SOLICITED));
			if (status == OHCA_WC_STATUS_SUCCESS) { PF(c, OHCA_CQ_REQ_BYTE_LEN, TK(BYTE_LEN)); PF(c, OHCA_CQ_REQ_IMM, TK(IMM)); }
			if (status == OHCA_WC_STATUS_SUCCESS && !rc) {
				PF(c, OHCA_CQ_REQ_GRH, TK(GRH)); PF(c, OHCA_CQ_REQ_SRC_QP, TK(SRC_QP)); PF(c, OHCA_CQ_REQ_SL, TK(SL));
				PF(c, OHCA_CQ_REQ_SLID, TK(SLID)); PF(c, OHCA_CQ_REQ_PKEY_INDEX, TK(PKEY_INDEX));
				PF(c, OHCA_CQ_REQ_PATH_BITS, TK(PATH_BITS)); PF(c, OHCA_CQ_REQ_CSUM_OK, TK(CSUM_OK));
			}
			PF(e, OHCA_EV_REQ_ETYPE, ev); PF(e, OHCA_EV_REQ_NUM, TK(QPN));
			PF(f, OHCA_RS_FIX_ERR, err); PF(f, OHCA_RS_FIX_RC, rc); PF(f, OHCA_RS_FIX_WR_LAST, TK(WR_LAST));
			PF(f, OHCA_RS_FIX_HEAD, (TK(IDX) + (err && cqe)) & 0xffff); PF(f, OHCA_RS_FIX_PSN, TK(PSN)); PF(f, OHCA_RS_FIX_MSN, TK(MSN));
			put_bits(f, OHCA_RS_FIX_VA_LSB, 64, bits_of(tok, OHCA_RS_RTOK_VA_LSB, 64)); PF(f, OHCA_RS_FIX_RKEY, TK(RKEY));
			PF(f, OHCA_RS_FIX_REMAIN, TK(LEN)); PF(f, OHCA_RS_FIX_DMALEN, TK(BYTE_LEN));
			// When: as soon as all is known and there is room, which there is when nobody held up anything for a while.
			const bool ready = have && there && (!SC(PLACED) || (!told.empty() && told.front() + 1 < b.now()));
			const bool quiet = cqs.empty() && evs.empty();
			calm = mild ? calm + 1 : 0;
			if (calm > 12 && !hold && !slow && ready && !TK(FENCE)) { CHECK(d.fire_o, "it waits for nothing"); quick++; }
			if (d.fire_o) waited = 0;
			else if (calm > 12 && ready) CHECK(++waited <= 8, "it waits too long");
			if (TK(FENCE) && d.fire_o) CHECK(quiet, "a fence in front of completions and events");
			full += have && there && !d.fire_o && !TK(FENCE);
			bool fire = d.fire_o;
			was_count = qerrs.size();
			if (fire) {
				CHECK(ready && jr && (!(err || back) || fr), "it goes too early");
				CHECK_EQ(d.poison_o, err || back, "poison"); CHECK_EQ(d.job_o, job, "an answer");
				bytes j = get_all(d.jres_o, OHCA_RS_JRES_BITS);
				if (job) {
					CHECK_EQ(BF(j, OHCA_RS_JRES_NAK), nak, "NAK"); CHECK_EQ(BF(j, OHCA_RS_JRES_SYND), synd, "syndrome");
					CHECK_EQ(BF(j, OHCA_RS_JRES_READ), TK(JOB_READ) && !failed, "READ response");
					CHECK_EQ(BF(j, OHCA_RS_JRES_DONE), TK(JOB_DONE) && !failed, "the message counts");
					CHECK_EQ(BF(j, OHCA_RS_JRES_LIM), TK(MIN_RNR), "limit");
				}
				CHECK_EQ(d.rnr_o, end == NO_WQE && rc, "RNR counted");
				CHECK_EQ(d.lost_o, TK(POISONS) && !rc && (dead || back), "datagram counted");
				if ((err || back) && !compact) CHECK(get_all(d.fix_o, OHCA_RS_FIX_BITS) == f, "fix-up");
				if ((err || back) && compact) { fix = f; hold = unsigned(rng.range(1, 6)); }
				if (cqe) cqs.push_back(c);
				if (ev) evs.push_back(e);
				if (err || (TK(QERR) && !dead)) qerrs.push_back(TK(QPN));
				if (SC(PLACED)) told.pop_front();
				ends[end]++; n++;
				comm += ev == OHCA_EQE_TYPE_COMM_EST;
				at_reset += dead && !hit && !SC(DEAD);
				have = false;
				b.progress();
			}
			if (d.cq_valid_o && cr) {
				CHECK(!cqs.empty() && get_all(d.cq_o, OHCA_CQ_REQ_BITS) == cqs.front(), "completion");
				cqs.pop_front();
			}
			if (d.ev_valid_o && er) {
				CHECK(!evs.empty() && get_all(d.ev_o, OHCA_EV_REQ_BITS) == evs.front(), "event");
				evs.pop_front();
			}
			if (d.qerr_valid_o && qr) {
				CHECK(!qerrs.empty() && d.qerr_qpn_o == qerrs.front(), "the other side is told");
				qerrs.pop_front();
			}
			if (tell) { told.push_back(b.now()); owed = false; }
			was_room = was_count < TB_IN_FLIGHT;
			cramped += !was_room;
			known = true;
			if (!have) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	for (int i = 0; i < 2000; i++) { mild = 2; step(false); }
	CHECK(!have && cqs.empty() && evs.empty() && qerrs.empty() && told.empty(), "something is left");
	printf("# %llu tokens, %llu at once, %llu cycles held up, %llu of a QP reset, %llu COMM_EST; ends:", (unsigned long long)n,
		(unsigned long long)quick, (unsigned long long)full, (unsigned long long)at_reset, (unsigned long long)comm);
	for (u64 x : ends) printf(" %llu", (unsigned long long)x);
	printf("\n");
	for (u64 x : kinds) GOAL(x > 300);
	for (u64 x : ends) GOAL(x > 20);
	GOAL(n > 8000 && (slow || quick > 1000) && full > 1000 && at_reset > 20 && comm > 300 && cramped > 20);
	return b.finish();
}
