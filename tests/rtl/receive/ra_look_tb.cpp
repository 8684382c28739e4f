// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_look: every comparison against the same in C++, with numbers that are equal, next to each other, half of
// their range apart or random, and deadlines against the IBA's own definition of a timeout.
// dut: ohca_ra_look
// dut: ohca_ra_look Compact=1
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif

static u32 m24(u64 x) { return u32(x & 0xffffff); }
static u32 m16(u64 x) { return u32(x & 0xffff); }
#define CX(f) u32(BF(cx, OHCA_RAC_##f))
#define LK(f, want) CHECK_EQ(BF(lk, OHCA_RA_LOOK_##f), u64(want), "look " #f)

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 windows = 0, fits = 0, applied = 0, few = 0, waits = 0, middles = 0, naks = 0, reports[5] = {}, timed[3] = {}, lerrs = 0, counted[2] = {}, ends[2] = {}, firsts[2] = {};
	auto fill = [&](unsigned bits) {
		bytes v((bits + 7) / 8);
		for (auto &x : v) x = u8(rng.bits(8));
		return v;
	};
	// Near another number, so that all comparisons have something to say.
	auto near = [&](u64 x, unsigned w) -> u64 {
		u64 r;
		switch (rng.below(5)) {
		case 0: r = x; break;
		case 1: r = x + rng.below(5) - 2; break;
		case 2: r = x + rng.below(300); break;
		case 3: r = x + (1ull << (w - 1)) + rng.below(5) - 2; break;
		default: r = rng.bits(w);
		}
		return r & ((1ull << w) - 1);
	};
	bytes cx, up, p, last;
	u32 c4 = 0, c10 = 0;
	for (u64 n = 0; n < 20000; n++) {
		cx = fill(OHCA_RAC_BITS); up = fill(OHCA_RA_UP_BITS); p = fill(OHCA_RXD_BITS);
		u32 una = u32(rng.bits(16)), acked = u32(rng.bits(24)), tick = u32(rng.bits(32)), pkey = u32(rng.bits(16));
		bool err = rng.chance(10), news = rng.chance(70), load = rng.chance(70) || !n, rnr = !load && rng.chance(80);
		u32 what = rng.chance(50) ? u32(OHCA_RA_CK_RESP) : u32(rng.below(8)), code = u32(rng.below(32)), done = u32(rng.bits(8));
		if (n % 50 == 0) {
			c4 = u32(rng.range(100, 4000));
			c10 = u32(rng.range(250, 10000));
			d.cyc_4us_i = c4; d.cyc_10us_i = c10; d.load_i = n == 0; d.rnr_i = 0;
			b.cycle([] {}, [] {});
		}
		PF(cx, OHCA_RAC_UNA, una); PF(cx, OHCA_RAC_PI, near(una, 16)); PF(cx, OHCA_RAC_ERR_IDX, near(una, 16));
		PF(cx, OHCA_RAC_ACKED_PSN, acked); PF(cx, OHCA_RAC_SENT_PSN, near(acked, 24));
		PF(cx, OHCA_RAC_END_PSN, near(acked, 24));
		PF(cx, OHCA_RAC_DEADLINE, near(tick, 32)); PF(cx, OHCA_RAC_TMR, near(CX(DEADLINE), 32));
		if (rng.chance(60)) PF(cx, OHCA_RAC_RD_DONE, done);
		if (rng.chance(60)) PF(cx, OHCA_RAC_QTYPE, OHCA_QP_TYPE_RC);
		if (what == OHCA_RA_CK_TMR && rng.chance(70)) { PF(cx, OHCA_RAC_DL_MORE, 0); PF(cx, OHCA_RAC_RNR_WAIT, 0); }
		if (what == OHCA_RA_CK_UP && rng.chance(40)) PF(cx, OHCA_RAC_QTYPE, OHCA_QP_TYPE_UD);
		if (rng.chance(60)) PF(cx, OHCA_RAC_STATE, OHCA_QP_STATE_RTS);
		PF(up, OHCA_RA_UP_PI, near(CX(PI), 16)); PF(up, OHCA_RA_UP_IDX, near(rng.chance(50) ? una : CX(PI), 16));
		PF(up, OHCA_RA_UP_PSN, near(CX(SENT_PSN), 24));
		u32 s_una = u32(near(rng.chance(50) ? una : CX(ERR_IDX), 16)),
			s_acked = u32(near(rng.chance(50) ? acked : CX(SENT_PSN), 24));
		// A WQE that failed locally is often one that somebody asks about.
		if (rng.chance(50)) {
			PF(cx, OHCA_RAC_ERR_VALID, 1);
			PF(cx, OHCA_RAC_ERR_IDX, rng.chance(30) ? una : rng.chance(50) ? s_una : m16(BF(up, OHCA_RA_UP_IDX) + 1));
		}
		// The packet.
		bytes grh = fill(OHCA_GRH_BITS);
		u32 psn = u32(near(rng.chance(50) ? acked : CX(END_PSN), 24)), synd = u32(rng.bits(8)), msn = u32(rng.bits(24)),
			wkey = u32(near(pkey, 16));
		u32 opc = u32(rng.chance(80) ? rng.range(0x0c, 0x12) : rng.bits(8));
		if (rng.chance(50)) wkey ^= 0x8000;
		// One in four is an answer that should be.
		bool good = rng.chance(25);
		if (good) {
			PF(cx, OHCA_RAC_QTYPE, OHCA_QP_TYPE_RC);
			if (rng.chance(80)) { what = OHCA_RA_CK_RESP; err = false; PF(cx, OHCA_RAC_STATE, OHCA_QP_STATE_RTS); }
			opc = u32(rng.chance(40) ? 0x11 : rng.range(0x0d, 0x11)); synd = u32(rng.chance(75) ? rng.below(32) : rng.bits(7)); pkey |= 0x8001; wkey = pkey;
			if (rng.chance(70)) psn = m24(acked + u32(rng.below(6)) - 3);
		}
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24, psn);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, opc);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_PKEY_LSB, 16, wkey);
		put_bits(p, OHCA_RXD_EXT_LSB + 192, 32, u64(synd) << 24 | msn);
		const unsigned lmc = unsigned(rng.below(8)), m = (1u << lmc) - 1;
		d.lmc_i = u8(lmc);
		bool path = good || rng.chance(50), with_grh = rng.chance(50);
		for (unsigned i = 0; i < grh.size(); i++) put_bits(p, OHCA_RXD_GRH_LSB + 8 * i, 8, grh[i]);
		if (path) {
			PF(p, OHCA_RXD_VL15, 0);
			PF(p, OHCA_RXD_SLID, bits_of(cx, OHCA_RAC_AV_LSB + OHCA_AV_DLID_LSB, 16));
			// To the path's LID: of the low bits so many count as the port has.
			PF(p, OHCA_RXD_DLID, (BF(p, OHCA_RXD_DLID) & ~u64(m)) | (bits_of(cx, OHCA_RAC_AV_LSB + OHCA_AV_PATH_BITS_LSB, 7) & m));
			PF(p, OHCA_RXD_GRH_V, with_grh); put_bits(cx, OHCA_RAC_AV_LSB + OHCA_AV_GRH_LSB, 1, with_grh);
			PF(p, OHCA_RXD_GIDX, bits_of(cx, OHCA_RAC_AV_LSB + OHCA_AV_SGID_INDEX_LSB, 8));
			for (unsigned i = 0; i < 16; i++)          // a context has the GID's first byte lowest, the wire's field highest
				put_bits(p, OHCA_RXD_GRH_LSB + OHCA_GRH_SGID_LSB + 8 * i, 8,
					bits_of(cx, OHCA_RAC_AV_LSB + OHCA_AV_DGID_LSB + 8 * (15 - i), 8));
			switch (rng.below(8)) {
			case 6: {
				const unsigned at = unsigned(rng.below(7));
				PF(p, OHCA_RXD_DLID, BF(p, OHCA_RXD_DLID) ^ 1u << at);
				path = at >= lmc;
				break;
			}
			case 0: PF(p, OHCA_RXD_VL15, 1); path = false; break;
			case 1: PF(p, OHCA_RXD_SLID, BF(p, OHCA_RXD_SLID) ^ 1u << rng.below(16)); path = false; break;
			case 2: PF(p, OHCA_RXD_GRH_V, !with_grh); path = false; break;
			case 3: {
				unsigned at = unsigned(OHCA_RXD_GRH_LSB + OHCA_GRH_SGID_LSB + rng.below(128));
				put_bits(p, at, 1, !bits_of(p, at, 1));
				path = !with_grh;
				break;
			}
			case 4: PF(p, OHCA_RXD_GIDX, BF(p, OHCA_RXD_GIDX) ^ 1u << rng.below(8)); path = !with_grh; break;
			default: break;
			}
		} else if (BF(p, OHCA_RXD_SLID) == bits_of(cx, OHCA_RAC_AV_LSB + OHCA_AV_DLID_LSB, 16)) PF(p, OHCA_RXD_SLID, BF(p, OHCA_RXD_SLID) ^ 1);   // by luck
		tb::set_bytes(d.cx_i, cx.data(), cx.size()); tb::set_bytes(d.up_i, up.data(), up.size());
		tb::set_bytes(d.p_i, p.data(), p.size());
		d.tick_i = tick; d.kind_i = what; d.err_i = err; d.pkey_i = pkey; d.news_i = news;
		d.una_i = s_una; d.acked_i = s_acked; d.rd_done_i = done; d.load_i = load;
		const u32 held = u32(near(tick, 32));
		d.rnr_i = rnr; d.rnr_code_i = code; d.rnr_tmr_i = held;
		b.progress();
		b.cycle([] {}, [] {});
		if (TB_COMPACT) {                                    // what depends on the P_Key comes now, by the P_Key of then
			d.load_i = d.rnr_i = 0;
			d.pkey_i = u32(rng.bits(16)); d.tick_i = u32(rng.bits(32));
			b.cycle([] {}, [] {});
		}
		bytes lk = get_all(d.look_o, OHCA_RA_LOOK_BITS);
		// Ticks of 256 cycles, at least the time asked for: 4.096 us << code; RNR: 10 us times 1, 2, 3, 4, 6, 8 ... by
		// code, where 0 is the longest.
		u64 half = rnr ? (u64(2) * c10 + (code & 1 && code > 1 ? c10 : 0)) << (code ? code >> 1 : 16)
			: u64(2) * c4 << CX(TIMEOUT);
		u64 ticks = half / 512 + 1, rounds = ticks >> 30;
		if ((load || rnr) && ticks & ((1u << 30) - 1)) {
			LK(T_END, u32(tick + (ticks & ((1u << 30) - 1))));
			LK(T_MORE, rounds & 1023);
			LK(EARLY_END, int32_t(u32(BF(lk, OHCA_RA_LOOK_T_END)) - (rnr ? held : CX(TMR))) < 0);
			ends[BF(lk, OHCA_RA_LOOK_EARLY_END)]++;
			waits += rnr;
		}
		if (!load) {
			if (rnr) {
				PF(last, OHCA_RA_LOOK_T_END, BF(lk, OHCA_RA_LOOK_T_END)); PF(last, OHCA_RA_LOOK_T_MORE, BF(lk, OHCA_RA_LOOK_T_MORE));
				PF(last, OHCA_RA_LOOK_EARLY_END, BF(lk, OHCA_RA_LOOK_EARLY_END));
			}
			if (TB_COMPACT) {
				PF(last, OHCA_RA_LOOK_PKEY_OK, BF(lk, OHCA_RA_LOOK_PKEY_OK)); PF(last, OHCA_RA_LOOK_ANSWER, BF(lk, OHCA_RA_LOOK_ANSWER));
				PF(last, OHCA_RA_LOOK_CREDITS, BF(lk, OHCA_RA_LOOK_CREDITS)); PF(last, OHCA_RA_LOOK_A_ACK, BF(lk, OHCA_RA_LOOK_A_ACK));
				PF(last, OHCA_RA_LOOK_A_NAK, BF(lk, OHCA_RA_LOOK_A_NAK)); PF(last, OHCA_RA_LOOK_A_MIDDLE, BF(lk, OHCA_RA_LOOK_A_MIDDLE));
				PF(last, OHCA_RA_LOOK_A_LERR, BF(lk, OHCA_RA_LOOK_A_LERR));
			}
			CHECK(lk == last, "it stays");
			continue;
		}
		last = lk;

		u32 st = CX(STATE), qt = CX(QTYPE), pi = CX(PI), sent = CX(SENT_PSN), eidx = CX(ERR_IDX),
			idx = u32(BF(up, OHCA_RA_UP_IDX)), upi = u32(BF(up, OHCA_RA_UP_PI));
		bool run = !err && (st == OHCA_QP_STATE_RTS || st == OHCA_QP_STATE_SQD), alive = !err && st >= OHCA_QP_STATE_RTS;
		LK(ON, 1u << what);
		LK(RUN, run); LK(ALIVE, alive); LK(BAD, !err && (st == OHCA_QP_STATE_ERR || st == OHCA_QP_STATE_SQE));
		LK(DG, qt == OHCA_QP_TYPE_UD || qt == OHCA_QP_TYPE_SMI || qt == OHCA_QP_TYPE_GSI); LK(TIMED, CX(TIMEOUT) && !BF(lk, OHCA_RA_LOOK_DG)); LK(ARMS, run && what != OHCA_RA_CK_ACC);
		LK(WORK, una != pi); LK(WORK1, m16(una + 1) != pi); LK(OPEN, acked != sent);
		const bool over = what == OHCA_RA_CK_TMR && run && int32_t(tick - CX(DEADLINE)) >= 0, due = over && !CX(DL_MORE);
		LK(DUE, due); LK(ROUND, over && CX(DL_MORE));
		LK(TMO, due && !CX(RNR_WAIT) && acked != sent && CX(TIMEOUT) && !BF(lk, OHCA_RA_LOOK_DG));
		timed[0] += due; timed[1] += over && !due; timed[2] += BF(lk, OHCA_RA_LOOK_TMO);
		LK(EARLY, int32_t(CX(DEADLINE) - CX(TMR)) < 0);
		LK(TICK, tick);
		LK(U_STEP, m16(s_una - una)); LK(U_APPLY, news && alive && !err && (run || m16(s_una - una) < 0x8000));
		LK(U_MOVED, s_acked != acked); LK(U_READ, done != CX(RD_DONE)); const bool u_run = what == OHCA_RA_CK_UPD && news && run, u_lerr = u_run && CX(ERR_VALID) && s_una == eidx,
			fresh = u_run && s_acked != acked && !BF(lk, OHCA_RA_LOOK_DG);
		LK(U_RUN, u_run); LK(U_LERR, u_lerr); LK(U_FREE, u_run && !u_lerr && !CX(RNR_WAIT)); LK(U_FRESH, fresh);
		LK(NONE, !(fresh ? CX(RETRY_CNT) : CX(RETRY_LEFT)));
		LK(RNR_NONE, !(fresh ? CX(RNR_RETRY) : CX(RNR_LEFT)) && CX(RNR_RETRY) != 7);
		LK(U_OPEN, s_acked != sent);
		LK(U_WORK, s_una != pi); LK(U_WORK1, m16(s_una + 1) != pi);
		applied += BF(lk, OHCA_RA_LOOK_U_APPLY);
		u32 ah = m16(pi - una), ua = m16(upi - una), ia = m16(idx - una);
		LK(UP_PI, ua < 0x8000 && ua > ah); LK(UP_PSN, ((sent - BF(up, OHCA_RA_UP_PSN)) & 0xffffff) >= 0x800000);
		LK(UP_OPEN, acked != BF(up, OHCA_RA_UP_PSN)); LK(IDX_PI, ia >= ah);
		LK(IDX_ERR, !CX(ERR_VALID) || ia < m16(eidx - una)); LK(IDX1, m16(idx + 1));
		LK(IDX2_WORK, m16(idx + 2) != pi);
		firsts[BF(lk, OHCA_RA_LOOK_IDX_ERR)]++;
		const bool is_up = what == OHCA_RA_CK_UP && alive && !err, dgs = BF(lk, OHCA_RA_LOOK_DG);
		const u64 upk = BF(up, OHCA_RA_UP_KIND);
		LK(UP_SENT, is_up && upk == OHCA_UPK_SENT); LK(UP_FLUSH, is_up && upk == OHCA_UPK_FLUSH);
		LK(UP_UD, is_up && upk == OHCA_UPK_UD_DONE && dgs && run && ia < 0x8000); LK(UP_FAIL, is_up && upk == OHCA_UPK_LOCAL_ERR && ia < 0x8000);
		LK(UD_LERR, BF(lk, OHCA_RA_LOOK_UP_UD) && CX(ERR_VALID) && m16(idx + 1) == eidx);
		LK(UP_UNA, BF(lk, OHCA_RA_LOOK_UP_FAIL) && run && idx == una && !(CX(ERR_VALID) && una == eidx));
		reports[2] += BF(lk, OHCA_RA_LOOK_UD_LERR); reports[3] += BF(lk, OHCA_RA_LOOK_UP_UNA); reports[4] += BF(lk, OHCA_RA_LOOK_U_LERR);
		reports[0] += BF(lk, OHCA_RA_LOOK_UP_UD); reports[1] += BF(lk, OHCA_RA_LOOK_UP_FAIL);
		u32 kind = synd >> 5 & 3, val = synd & 31;
		LK(TYPE_OK, qt == OHCA_QP_TYPE_RC && opc < 0x20);
		LK(PKEY_OK, (pkey & 0x7fff) == (wkey & 0x7fff) && (pkey & 0x7fff) && ((pkey | wkey) & 0x8000)); LK(PATH_OK, path);
		u64 win = (sent - acked) & 0xffffff, off = (psn - acked) & 0xffffff;
		LK(IN_WIN, off < win); LK(IS_OLD, off >= 0x800000); LK(PSN1, (psn + 1) & 0xffffff);
		bool once_more = ((psn + 1) & 0xffffff) == acked;
		LK(R_OPEN, ((psn + 1) & 0xffffff) != sent);
		windows += off < win; fits += path;
		LK(AETH_OK, !(synd & 0x80) && kind != 2 && !(kind == 3 && val > 3));
		LK(OP_RD, (opc & 31) >= 0x0d && (opc & 31) <= 0x10); LK(OP_ACK, (opc & 31) == 0x11);
		LK(ACK, kind == 0);
		const bool ours = what == OHCA_RA_CK_RESP && run && !err && BF(lk, OHCA_RA_LOOK_TYPE_OK) && BF(lk, OHCA_RA_LOOK_PKEY_OK) && path,
			resp = BF(lk, OHCA_RA_LOOK_OP_RD), answer = ours && (resp || (BF(lk, OHCA_RA_LOOK_OP_ACK) && BF(lk, OHCA_RA_LOOK_AETH_OK)));
		LK(ANSWER, answer); LK(A_ACK, answer && !resp && kind == 0); LK(A_NAK, answer && !resp && kind != 0);
		LK(A_MIDDLE, answer && !resp && kind == 0 && CX(END_VALID) && ((psn - CX(END_PSN)) & 0xffffff) >= 0x800000);
		LK(A_LERR, BF(lk, OHCA_RA_LOOK_A_MIDDLE) && CX(ERR_VALID) && una == eidx);
		lerrs += BF(lk, OHCA_RA_LOOK_A_LERR);
		middles += BF(lk, OHCA_RA_LOOK_A_MIDDLE); naks += BF(lk, OHCA_RA_LOOK_A_NAK);
		bool counts = ours && (off < win || once_more) && kind == 0;
		if ((opc & 31) == 0x11) counts = counts && !(synd & 0x80);
		else counts = counts && ((opc & 31) == 0x0d || (opc & 31) == 0x0f || (opc & 31) == 0x10);
		LK(CREDITS, counts);
		counted[once_more] += counts;
		if (val < 31) {
			LK(LSN, (msn + kCredits[val]) & 0xffffff);
			LK(LSN_TELL, (val && val < 16) || once_more);
			few += BF(lk, OHCA_RA_LOOK_LSN_TELL);
		}
		CHECK_EQ(d.pkey_idx_o, CX(PKEY_INDEX), "P_Key index");
	}
	printf("# %llu in the window, %llu from where they should be, %llu news, %llu with few credits; credits of %llu answers count, of %llu once more; %llu NAKs, %llu ACKs in the oldest WQE\n",
		(unsigned long long)windows, (unsigned long long)fits,
	       (unsigned long long)applied, (unsigned long long)few, (unsigned long long)counted[0], (unsigned long long)counted[1], (unsigned long long)naks, (unsigned long long)middles);
	GOAL(waits > 1000 && windows > 1000 && fits > 1000 && applied > 1000 && few > 1000 && counted[0] > 100 && counted[1] > 100 && ends[0] > 1000 && ends[1] > 1000 &&
		firsts[0] > 1000 && firsts[1] > 1000 && middles > 40 && naks > 40 && reports[0] > 5 && reports[1] > 20 && reports[2] && reports[3] > 5 && reports[4] > 5 && timed[0] > 5 && timed[1] > 5 && timed[2] > 2 && lerrs);
	return b.finish();
}
