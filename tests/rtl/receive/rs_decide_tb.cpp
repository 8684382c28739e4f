// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_decide: contexts, comparisons and tokens drawn at random, so that every branch of the table is met with every
// other condition true and false, against the table written down kind by kind: what becomes of the context, of which
// nothing else may change, what token goes to the stages, what is read, flushed, freed and counted. The answer is there
// in the same cycle.
// dut: ohca_rs_decide_top
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
enum { ACC = OHCA_RS_KIND_ACC, FIX = OHCA_RS_KIND_FIX, PKT = OHCA_RS_KIND_PKT, PI = OHCA_RS_KIND_PI, FLUSH = OHCA_RS_KIND_FLUSH,
	DB = OHCA_RS_KIND_DB, QERR = OHCA_RS_KIND_QERR, RERR = OHCA_RS_KIND_RERR };
#define CX(f) u64(BF(cx, OHCA_RSC_##f))
#define NX(f, v) PF(nx, OHCA_RSC_##f, v)
#define LK(f) u64(BF(lk, OHCA_RS_LOOK_##f))
#define LS(f, v) PF(lk, OHCA_RS_LOOK_##f, v)
#define RT(f) u64(BF(rt, OHCA_RS_RTOK_##f))
#define ST(f) u64(BF(st, OHCA_RS_STOK_##f))
#define WT(f) u64(BF(wt, OHCA_RS_WTOK_##f))
#define FX(f) u64(BF(fx, OHCA_RS_FIX_##f))
#define PK(f) u64(BF(p, OHCA_RXD_##f))

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 kinds[8] = {}, pushes[8] = {}, execs[3] = {}, dgs = 0, acks = 0, reads = 0, gaps = 0, wrong = 0, errs = 0, backs = 0, resets = 0,
		waits = 0, asks = 0, late = 0, counted[64] = {};
	auto fill = [&](unsigned bits) {
		bytes v((bits + 7) / 8);
		rng.fill(v);
		for (unsigned i = bits; i < 8 * v.size(); i++) put_bits(v, i, 1, 0);
		return v;
	};
	b.reset();
	while (b.now() < b.cycles) {
		bytes cx = fill(OHCA_RSC_BITS), lk = fill(OHCA_RS_LOOK_BITS), p = fill(OHCA_RXD_BITS), fx = fill(OHCA_RS_FIX_BITS);
		const u32 kind = rng.chance(50) ? u32(PKT) : u32(rng.below(8)), pay = u32(rng.bits(26)), qpn = u32(rng.bits(24)),
			lmc = u32(rng.below(8)), first = u32(rng.below(32));
		const bool err = rng.chance(5), job_room = rng.chance(85), dbr_room = rng.chance(70), gsi_any = rng.chance(80), few = rng.chance(30);
		// A context and what was compared of it; not each bit for itself where one implies another.
		static const u32 states[] = {OHCA_QP_STATE_RESET, OHCA_QP_STATE_INIT, OHCA_QP_STATE_RTR, OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS,
			OHCA_QP_STATE_ERR};
		const u32 state = states[kind == PKT && rng.chance(85) ? 3 : rng.below(6)],
			was = rng.chance(40) ? state : states[rng.below(6)];
		const bool dg = rng.chance(30), gsi = dg && rng.chance(40), run = state == OHCA_QP_STATE_RTR || state == OHCA_QP_STATE_RTS,
			failed = state == OHCA_QP_STATE_ERR, type = rng.chance(95), key = rng.chance(95), path = rng.chance(95), qkey = rng.chance(95),
			mad = rng.chance(95);
		PF(cx, OHCA_RSC_STATE, state);
		if (rng.chance(70)) PF(cx, OHCA_RSC_NAK_SENT, 0);
		LS(ALIVE, !err && state != OHCA_QP_STATE_RESET); LS(RUN, run && !err); LS(FAILED, failed && !err); LS(DG, dg); LS(GSI, gsi);
		LS(BACK_OK, !err && state != OHCA_QP_STATE_RESET && state != OHCA_QP_STATE_INIT);
		LS(TYPE_OK, type); LS(PKEY_OK, key); LS(PATH_OK, path); LS(QKEY_OK, qkey); LS(MAD_OK, mad);
		LS(CONN, run && type && key && path && !dg && !err); LS(MSG, run && type && path && dg && qkey && mad && !err);
		const u32 order = u32(rng.below(10));      // 0 to 5 as expected, 6 to 8 from before, 9 from beyond
		LS(IS_NEW, order < 6); LS(IS_DUP, order >= 6 && order < 9);
		u32 op = u32(rng.chance(95) ? rng.below(13) : rng.bits(5));
		if (op >= 0x0d && op <= 0x12) op += 8;     // answers do not come here
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 5, op);
		const bool send = op <= 5, write = op >= 6 && op <= 11, read = op == 12, one = op == 4 || op == 5 || op == 10 || op == 11,
			begin = op == 0 || op == 6 || one, end = op == 2 || op == 3 || op == 8 || op == 9 || one,
			imm = op == 3 || op == 5 || op == 9 || op == 11, reth = op == 6 || op == 10 || op == 11 || read;
		LS(LEN_OK, rng.chance(85)); LS(ACC_OK, rng.chance(85)); LS(SUM_OK, rng.chance(85));
		LS(VALID, op <= 12 && LK(LEN_OK) && LK(ACC_OK) && LK(SUM_OK) && rng.chance(90));
		if (rng.chance(30)) PF(p, OHCA_RXD_PLEN, 0);
		if (rng.chance(20)) put_bits(p, OHCA_RXD_EXT_LSB + 96, 32, 0);
		auto ext = [&](unsigned lsb, unsigned w) { return bits_of(p, OHCA_RXD_EXT_LSB + lsb, w); };
		auto bth = [&](unsigned lsb, unsigned w) { return bits_of(p, OHCA_RXD_BTH_LSB + lsb, w); };
		const u64 dmalen = ext(96, 32), psn = bth(OHCA_BTH_PSN_LSB, 24);

		d.kind_i = kind; d.pay_i = pay; d.qpn_i = qpn; d.err_i = err; d.was_i = was; d.gsi_any_i = gsi_any; d.gsi_first_i = first;
		d.lmc_i = lmc; d.job_room_i = job_room; d.dbr_room_i = dbr_room; d.rd_few_i = few;
		tb::set_bytes(d.cx_i, cx.data(), cx.size()); tb::set_bytes(d.look_i, lk.data(), lk.size());
		tb::set_bytes(d.p_i, p.data(), p.size()); tb::set_bytes(d.fix_i, fx.data(), fx.size());

		// ---- the table
		bytes nx = cx;
		bool chg = false, push = false, rel = false, xfree = false, flush = false, ask = false, wait = false;
		// Of the token to R, and what W and S are asked for.
		bool mark = false, fence = false, packet = kind == PKT, dup = false, inv = false, job = false, nak = false, rdjob = false, done = false,
			cqe = false, flushed = false, est = false, fatal = false, resv = false, fetch = false, used = false;
		u32 mode = OHCA_RS_MODE_NONE, synd = OHCA_RS_SYND_ACK;
		u64 at = psn;
		int cnt = -1;
		bool full = false, rnr = false;            // a READ that finds no place
		auto begin_flush = [&] { flush = true; chg = true; NX(FLUSHING, 1); };
		auto to_error = [&] {
			if (failed) return;
			NX(STATE, OHCA_QP_STATE_ERR); NX(ERR_SENT, 0);
			begin_flush();
			errs++;
		};
		auto take_wqe = [&] {
			if (LK(NONE)) wait = ask = true;
			else if (LK(RENEW) && dbr_room) ask = true;
		};
		switch (kind) {
		case PKT: {
			dup = LK(IS_DUP) && !dg;
			const bool pkey = gsi ? gsi_any : key;
			if (err) { cnt = OHCA_COUNTER_RX_QPN; break; }
			if (!run) { cnt = OHCA_COUNTER_RX_QP_STATE; break; }
			if (!type) { cnt = OHCA_COUNTER_RX_OPCODE; break; }
			if (!pkey) { cnt = OHCA_COUNTER_RX_PKEY; break; }
			if (!path) { cnt = OHCA_COUNTER_RX_PATH; break; }
			if (dg && !qkey) { cnt = OHCA_COUNTER_RX_QKEY; break; }
			if (dg && !mad) { cnt = OHCA_COUNTER_RX_UD_DROP; break; }
			if (dg) {                               // a datagram: a receive each
				push = chg = cqe = fetch = used = true;
				mode = OHCA_RS_MODE_SCATTER;
				NX(HEAD, LK(HEAD1));
				take_wqe();
				dgs++;
				break;
			}
			if (gsi) break;
			if (LK(IS_DUP)) {
				cnt = OHCA_COUNTER_RX_DUP;
				if (!job_room) { full = true; break; }
				if (send || write) { push = job = true; acks++; }
				else if (read && LK(LEN_OK) && LK(ACC_OK) && LK(SUM_OK) && LK(DUP_END)) { push = job = true; rdjob = !few; rnr = few; reads++; }
				if (!push) break;
				if (rnr) { nak = true; break; }
				if (rdjob && dmalen) mode = OHCA_RS_MODE_CHECK;
				if (!read && !LK(BEHIND)) at = LK(EPSN_1);
				if (CX(NAK_SENT)) chg = true;
				NX(NAK_SENT, 0);
				break;
			}
			if (!LK(IS_NEW)) {                      // a gap
				cnt = OHCA_COUNTER_RX_OOO;
				if (CX(NAK_SENT)) break;
				if (!job_room) { full = true; break; }
				push = job = nak = chg = true;
				synd = OHCA_RS_SYND_SEQ;
				at = CX(EPSN);
				NX(NAK_SENT, 1);
				gaps++;
				break;
			}
			if (!job_room) { full = true; break; }
			push = true;
			if (!LK(VALID)) { inv = true; cqe = CX(WQE_TAKEN); wrong++; break; }
			chg = true;
			if (read && few) { job = nak = rnr = true; NX(NAK_SENT, 1); break; }
			NX(NAK_SENT, 0); NX(EPSN, LK(NEXT));
			est = LK(EST);
			if (est) NX(EST_SENT, 1);
			job = read || bth(OHCA_BTH_ACKREQ_LSB, 1);
			done = end || read;
			if (done) NX(MSN, LK(MSN1));
			if (send) {
				mode = OHCA_RS_MODE_SCATTER;
				fetch = true; cqe = used = end;
				NX(CUR_OP, end ? 0 : 1); NX(WQE_TAKEN, !end); NX(REMAIN, LK(GOT));
				if (begin) take_wqe();
				execs[0]++;
			} else if (write) {
				if (PK(PLEN)) mode = OHCA_RS_MODE_DIRECT;
				cqe = used = imm;
				NX(CUR_OP, end ? 0 : 2); NX(REMAIN, LK(REST));
				NX(RKEY, reth ? ext(128, 32) : CX(RKEY));
				put_bits(nx, OHCA_RSC_VA_LSB, 64, bits_of(lk, OHCA_RS_LOOK_VA1_LSB, 64));
				if (reth) NX(DMALEN, dmalen);
				if (imm) take_wqe();
				execs[1]++;
			} else {
				if (dmalen) mode = OHCA_RS_MODE_CHECK;
				rdjob = true;
				NX(RD_ANY, 1); NX(RD_PSN, psn & 0xffff); NX(RD_PSN_HI, psn >> 16);
				execs[2]++;
			}
			if (used) NX(HEAD, LK(HEAD1));
			break;
		}
		case FIX:
			push = mark = true;
			if (err || !LK(BACK_OK)) break;
			chg = true;
			NX(HEAD, FX(HEAD));
			if (FX(ERR)) to_error();
			else if (FX(RC) && !failed) {
				NX(EPSN, FX(PSN)); NX(MSN, FX(MSN)); NX(RKEY, FX(RKEY)); NX(REMAIN, FX(REMAIN)); NX(DMALEN, FX(DMALEN));
				put_bits(nx, OHCA_RSC_VA_LSB, 64, bits_of(fx, OHCA_RS_FIX_VA_LSB, 64));
				NX(NAK_SENT, 1); NX(WQE_TAKEN, 0); NX(CUR_OP, FX(WR_LAST) ? 2 : 0);
				backs++;
			}
			if (failed && !CX(FLUSHING)) begin_flush();
			break;
		case PI: case DB:
			if (err || !LK(ALIVE)) { if (kind == DB) cnt = OHCA_COUNTER_DB_BAD_QP; break; }
			if (kind == DB && !LK(UAR_OK)) { cnt = OHCA_COUNTER_DB_BAD_PAGE; break; }
			if (!(kind == PI && pay >> 16 & 1) && LK(PI_OK)) { NX(PI, pay & 0xffff); chg = true; }
			if (failed && !CX(FLUSHING) && (!LK(NONE) || chg)) begin_flush();
			break;
		case FLUSH:
			xfree = true;
			if (err || !failed) break;
			chg = true;
			NX(FLUSHING, 0);
			if (!CX(ERR_SENT)) {
				if (dbr_room) { ask = true; NX(ERR_SENT, 1); }
				else { begin_flush(); late++; }
			} else if (!LK(NONE)) {
				push = cqe = flushed = true;
				xfree = false;
				NX(HEAD, LK(HEAD1));
				if (!LK(ONE)) begin_flush();
			}
			break;
		case QERR: if (!err && run) to_error(); break;
		case RERR: {
			const bool payload = pay >> 25 & 1;
			xfree = true;
			if (err || !run || (dg && !payload)) break;
			to_error();
			push = fatal = nak = true;
			xfree = false;
			job = resv = !dg;
			synd = pay >> 24 & 1 ? OHCA_RS_SYND_INV : OHCA_RS_SYND_REM_OP;
			at = payload ? CX(EPSN) : pay & 0xffffff;
			break;
		}
		default:
			xfree = true;
			if (err || state == was) break;
			chg = true;
			if (failed) { NX(ERR_SENT, 0); begin_flush(); }
			if (state == OHCA_QP_STATE_RESET) {
				NX(NAK_SENT, 0); NX(CUR_OP, 0); NX(EST_SENT, 0); NX(WQE_TAKEN, 0); NX(FLUSHING, 0); NX(ERR_SENT, 0); NX(RD_ANY, 0);
				NX(HEAD, 0); NX(PI, 0);
				push = fence = true;
				xfree = false;
				resets++;
			}
		}
		if (kind == PKT) { rel = !push; resv = push && !dg; }

		b.progress();
		b.cycle([] {}, [&] {
			CHECK_EQ(d.push_o, push, "a token goes on"); CHECK_EQ(d.rel_o, rel, "the packet ends"); CHECK_EQ(d.x_free_o, xfree, "the token ends");
			CHECK_EQ(d.flush_o, flush, "flush"); CHECK_EQ(d.dbr_ask_o, ask, "the record is read");
			if (push) CHECK_EQ(d.dbr_wait_o, wait, "and waited for");
			u64 want = (cnt >= 0 ? 1ull << cnt : 0) | (full ? 1ull << OHCA_COUNTER_RESP_FULL : 0) |
				(rnr ? 1ull << OHCA_COUNTER_RX_RNR : 0);
			CHECK_EQ(d.cnt_o, want, "counted");
			if (!err) {
				CHECK(get_all(d.next_o, OHCA_RSC_BITS) == nx, "the context");
				CHECK(d.chg_o || nx == cx, "it changed");
				if (kind != PKT) CHECK_EQ(d.chg_o, chg, "it may have changed");
			}
			bytes v = get_all(d.viol_o, OHCA_RX_VIOL_BITS);
			if (cnt == OHCA_COUNTER_RX_PKEY || cnt == OHCA_COUNTER_RX_QKEY) {
				CHECK_EQ(BF(v, OHCA_RX_VIOL_QKEY), cnt == OHCA_COUNTER_RX_QKEY, "which key");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_KEY), cnt == OHCA_COUNTER_RX_QKEY ? ext(192, 32) : bth(OHCA_BTH_PKEY_LSB, 16), "the key");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_SLID), PK(SLID), "from whom");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_DESTQP), bth(OHCA_BTH_DESTQP_LSB, 24), "to whom");
				CHECK_EQ(BF(v, OHCA_RX_VIOL_SRCQP), dg ? ext(160, 24) : 0, "from which QP");
			}
			if (!push) return;
			bytes wt = get_all(d.wt_o, OHCA_RS_WTOK_BITS), st = get_all(d.st_o, OHCA_RS_STOK_BITS), rt = get_all(d.rt_o, OHCA_RS_RTOK_BITS),
				pa = get_all(d.path_o, OHCA_RS_PATH_BITS);
			CHECK_EQ(WT(MARK), mark, "W: mark"); CHECK_EQ(ST(MARK), mark, "S: mark"); CHECK_EQ(RT(MARK), mark, "R: mark");
			CHECK_EQ(RT(FENCE), fence, "fence"); CHECK_EQ(RT(POISONS), packet, "a number"); CHECK_EQ(RT(REL), packet, "a slot");
			CHECK_EQ(RT(QPN), qpn, "QP");
			CHECK_EQ(WT(WQE), fetch, "W: fetch"); CHECK_EQ(WT(VERIFY), wait, "W: verify"); CHECK_EQ(WT(USED), used, "W: used");
			CHECK_EQ(ST(MODE), mode, "S: mode"); CHECK_EQ(RT(MODE), mode, "R: mode"); CHECK_EQ(ST(INV), inv, "S: invalid");
			CHECK_EQ(RT(INV), inv, "R: invalid"); CHECK_EQ(RT(CQE), cqe, "completion"); CHECK_EQ(RT(FLUSHED), flushed, "flushed");
			CHECK_EQ(RT(EST), est, "COMM_EST"); CHECK_EQ(RT(EV), fatal, "event"); CHECK_EQ(RT(QERR), fatal, "the other side");
			CHECK_EQ(RT(RESV), resv, "a promise"); CHECK_EQ(RT(JOB), job, "an answer");
			if (mark) return;
			CHECK_EQ(RT(RC), !dg, "of a connection"); CHECK_EQ(RT(IDX), CX(HEAD), "which receive"); CHECK_EQ(RT(CQN), CX(CQN), "CQ");
			CHECK_EQ(RT(JOB_READ), rdjob, "READ response"); CHECK_EQ(RT(JOB_DONE), done, "the message counts");
			if (job) {
				CHECK_EQ(RT(JOB_NAK), nak, "NAK"); CHECK_EQ(RT(JOB_SYND), synd, "what it says"); CHECK_EQ(RT(PSN), at, "PSN");
				CHECK_EQ(RT(MSN), CX(MSN), "MSN");
				CHECK_EQ(BF(pa, OHCA_RS_PATH_DQPN), CX(DQPN), "to whom"); CHECK_EQ(BF(pa, OHCA_RS_PATH_MTU), CX(MTU), "MTU");
				CHECK_EQ(RT(PKEY_INDEX), CX(PKEY_INDEX), "P_Key");
				for (unsigned i = 0; i < 10; i++)
					CHECK_EQ(bits_of(pa, OHCA_RS_PATH_AV_LSB + 32 * i, 32), bits_of(cx, OHCA_RSC_AV_LSB + 32 * i, 32), "path");
			}
			if (fetch || cqe) {
				CHECK_EQ(WT(IDX), CX(HEAD), "W: which"); CHECK_EQ(WT(CODE), credit_code_of(LK(LEFT) && WT(USED) ? LK(LEFT) - 1 : LK(LEFT)), "W: credits"); CHECK_EQ(WT(SIZE), LK(SIZE), "W: size");
				CHECK_EQ(WT(OFFSET), LK(OFFSET), "W: where"); CHECK_EQ(WT(LEN), 1u << CX(LOG_STRIDE) & 0x1fff, "W: length");
				CHECK_EQ(WT(RING), CX(BUF), "W: ring"); CHECK_EQ(WT(BUF_MTT), CX(BUF_MTT), "W: kind of ring");
			}
			if (!packet) return;
			CHECK_EQ(RT(DUP), dup, "R: duplicate"); CHECK_EQ(ST(DUP), dup, "S: duplicate"); CHECK_EQ(RT(SLOT), PK(SLOT), "slot");
			CHECK_EQ(RT(SOLICITED), bth(OHCA_BTH_SE_LSB, 1), "solicited");
			const u64 key_ = reth ? ext(128, 32) : CX(RKEY), va = reth ? ext(160, 64) : bits_of(cx, OHCA_RSC_VA_LSB, 64),
				rem = reth ? dmalen : CX(REMAIN);
			CHECK_EQ(ST(KEY), key_, "S: R_Key"); CHECK_EQ(RT(RKEY), key_, "R: R_Key"); CHECK_EQ(ST(VA), va, "S: address");
			CHECK_EQ(RT(VA), va, "R: address"); CHECK_EQ(ST(CHK_LEN), rem, "S: bytes"); CHECK_EQ(RT(LEN), rem, "R: bytes");
			CHECK_EQ(ST(PLEN), PK(PLEN), "S: length"); CHECK_EQ(ST(BASE), PK(BASE), "S: where"); CHECK_EQ(ST(PAY_OFF), PK(PAY_OFF), "S: payload");
			CHECK_EQ(ST(PD), CX(PD), "S: PD"); CHECK_EQ(ST(PRIV), CX(PRIV), "S: kernel QP"); CHECK_EQ(ST(UD), dg, "S: datagram");
			CHECK_EQ(ST(GRH), PK(GRH_V), "S: GRH"); CHECK_EQ(ST(MORE), !begin && (send || write) && !dg, "S: not the first");
			CHECK_EQ(RT(MIN_RNR), read && !rnr ? (LK(IS_DUP) ? 0 : CX(MAX_RD)) : CX(MIN_RNR), "limit");
			CHECK_EQ(RT(WR_LAST), (send || write) && end && !one, "LAST");
			if (!inv && cqe) {
				CHECK_EQ(RT(CQE_IMM), imm, "immediate data"); CHECK_EQ(RT(CQE_WRITE), write && !dg, "of a WRITE");
				CHECK_EQ(RT(BYTE_LEN), dg || send ? LK(GOT) : reth ? dmalen : CX(DMALEN), "byte length");
				const u32 raw = u32(dg ? ext(128, 32) : reth ? ext(64, 32) : ext(192, 32));
				CHECK_EQ(RT(IMM), __builtin_bswap32(raw), "which");
			}
			if (dg) {
				CHECK_EQ(RT(SRC_QP), ext(160, 24), "source QP"); CHECK_EQ(RT(SL), PK(SL), "SL"); CHECK_EQ(RT(SLID), PK(SLID), "SLID");
				CHECK_EQ(RT(PATH_BITS), PK(DLID) & ((1u << lmc) - 1) & 0x7f, "path bits"); CHECK_EQ(RT(CSUM_OK), PK(CSUM_OK), "checksums");
				CHECK_EQ(RT(PKEY_INDEX), gsi ? first : CX(PKEY_INDEX), "P_Key index"); CHECK_EQ(RT(GRH), PK(GRH_V), "GRH");
			}
		});
		kinds[kind]++;
		pushes[kind] += push;
		waits += wait; asks += ask && !wait;
		if (cnt >= 0) counted[cnt]++;
		if (full) counted[OHCA_COUNTER_RESP_FULL]++;
		if (rnr) counted[OHCA_COUNTER_RX_RNR]++;
	}
	printf("# executed: %llu SENDs, %llu WRITEs, %llu READs, %llu datagrams; again: %llu, %llu READs; %llu gaps, %llu invalid; %llu to ERR, "
		"%llu back, %llu RESET; %llu wait for the record, %llu others read it\n", (unsigned long long)execs[0], (unsigned long long)execs[1],
		(unsigned long long)execs[2], (unsigned long long)dgs, (unsigned long long)acks, (unsigned long long)reads, (unsigned long long)gaps,
		(unsigned long long)wrong, (unsigned long long)errs, (unsigned long long)backs, (unsigned long long)resets, (unsigned long long)waits,
		(unsigned long long)asks);
	for (u64 x : kinds) GOAL(x > 500);
	for (u64 x : execs) GOAL(x > 100);
	for (int c : {OHCA_COUNTER_RX_QPN, OHCA_COUNTER_RX_QP_STATE, OHCA_COUNTER_RX_OPCODE, OHCA_COUNTER_RX_PKEY, OHCA_COUNTER_RX_PATH,
		OHCA_COUNTER_RX_QKEY, OHCA_COUNTER_RX_UD_DROP, OHCA_COUNTER_RX_DUP, OHCA_COUNTER_RX_OOO, OHCA_COUNTER_RX_RNR, OHCA_COUNTER_RESP_FULL,
		OHCA_COUNTER_DB_BAD_PAGE, OHCA_COUNTER_DB_BAD_QP}) GOAL(counted[c] > 50);
	GOAL(dgs > 1000 && acks > 500 && reads > 100 && gaps > 100 && wrong > 500 && errs > 500 && backs > 100 && resets > 100 && waits > 500 &&
		asks > 500 && late > 50 && pushes[FLUSH] > 50 && pushes[RERR] > 100);
	return b.finish();
}
