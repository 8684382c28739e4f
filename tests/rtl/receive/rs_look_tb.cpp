// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_look: every comparison against the same in C++, with numbers that are equal, next to each other, half of
// their range apart or random; packets that fit their connection in all but one thing, and what a READ asks for counted
// in packets by division.
// dut: ohca_rs_look NumPkeys=32
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"

static u32 m16(u64 x) { return u32(x & 0xffff); }
static u32 m24(u64 x) { return u32(x & 0xffffff); }
#define CX(f) u64(BF(cx, OHCA_RSC_##f))
#define LK(f, want) CHECK_EQ(BF(lk, OHCA_RS_LOOK_##f), u64(want), "look " #f)

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 conns = 0, msgs = 0, valids = 0, firsts = 0, fresh = 0, ends[2] = {}, behind = 0, paths = 0, kinds[4] = {};
	auto fill = [&](unsigned bits) {
		bytes v((bits + 7) / 8);
		for (auto &x : v) x = u8(rng.bits(8));
		return v;
	};
	// Near another number, so that all comparisons have something to say.
	auto near = [&](u64 x, unsigned w) -> u64 {
		u64 r;
		switch (rng.below(6)) {
		case 0: case 1: r = x; break;
		case 2: r = x + rng.below(5) - 2; break;
		case 3: r = x + rng.below(300); break;
		case 4: r = x + (1ull << (w - 1)) + rng.below(5) - 2; break;
		default: r = rng.bits(w);
		}
		return r & ((1ull << w) - 1);
	};
	auto fits = [](u32 x, u32 y) { return (x & 0x7fff) == (y & 0x7fff) && (x & 0x7fff) && ((x | y) & 0x8000); };
	bytes cx, p, table, last;
	for (u64 n = 0; n < 20000; n++) {
		cx = fill(OHCA_RSC_BITS); p = fill(OHCA_RXD_BITS); table = fill(16 * 32);
		const bool err = rng.chance(5), load = n == 0 || rng.chance(90);
		const u32 what = u32(rng.below(8));
		const u32 head = u32(rng.bits(16)), epsn = u32(rng.bits(24)), pi = m16(near(head, 16)), owner = u32(CX(UAR_HI) << 8 | CX(UAR_LO)),
			uar = rng.chance(30) ? owner ^ 1u << rng.below(16) : u32(near(owner, 16));
		static const u32 types[] = {OHCA_QP_TYPE_RC, OHCA_QP_TYPE_RC, OHCA_QP_TYPE_RC, OHCA_QP_TYPE_UD, OHCA_QP_TYPE_GSI,
			OHCA_QP_TYPE_SMI};
		if (rng.chance(95)) PF(cx, OHCA_RSC_QTYPE, types[rng.below(6)]);
		if (rng.chance(70)) PF(cx, OHCA_RSC_STATE, rng.chance(50) ? OHCA_QP_STATE_RTR : OHCA_QP_STATE_RTS);
		PF(cx, OHCA_RSC_HEAD, head); PF(cx, OHCA_RSC_PI, near(head, 16));
		PF(cx, OHCA_RSC_EPSN, epsn);
		const u32 read = m24(near(epsn, 24));
		PF(cx, OHCA_RSC_RD_PSN, read & 0xffff); PF(cx, OHCA_RSC_RD_PSN_HI, read >> 16);
		const u32 qt = u32(CX(QTYPE)), st = u32(CX(STATE)), mtu = CX(MTU) >= 2 && CX(MTU) <= 5 ? 128u << CX(MTU) : 256;
		const bool gsi = qt == OHCA_QP_TYPE_GSI, smi = qt == OHCA_QP_TYPE_SMI, dg = gsi || smi || qt == OHCA_QP_TYPE_UD;
		// The packet.
		u32 op = u32(rng.chance(90) ? rng.below(13) : rng.bits(5));
		if (op >= 0x0d && op <= 0x12) op += 8;             // answers do not come here
		const u32 opc = op | (rng.chance(95) ? (dg ? 0x60 : 0) : 0x20);
		const bool first = op == 0 || op == 6, mid = op == 1 || op == 7, end = op == 2 || op == 3 || op == 8 || op == 9,
			only = op == 4 || op == 5 || op == 10 || op == 11, rd = op == 12, snd = op <= 5, wr = op >= 6 && op <= 11,
			imm = op == 3 || op == 5 || op == 9 || op == 11, reth = op == 6 || op == 10 || op == 11 || rd;
		const u32 psn = m24(near(rng.chance(70) ? epsn : read, 24)), pad = rng.chance(90) ? 0 : u32(rng.bits(2));
		u32 plen = u32(rng.chance(50) ? near(mtu, 13) : rd ? 0 : rng.chance(20) ? 256 : rng.below(mtu + 1));
		// A length as it should be, or nearly, or any; a READ's so that its end lies about the PSN expected.
		u32 rem = rng.chance(60) ? plen + (first || mid ? u32(rng.below(3)) * mtu : 0) +
			(rng.chance(20) ? u32(rng.below(3)) - 1 : 0)
			: rng.chance(30) ? 0x80000000u + u32(rng.below(3)) - 1 : u32(rng.bits(32));
		if (rd && rng.chance(60)) rem = (m24(epsn - psn) & 0xfffff) * mtu + u32(rng.below(3 * mtu)) - mtu;
		const u64 va = rng.bits(64);
		const u32 key = u32(rng.bits(16)), wkey = u32(near(key, 16)) ^ (rng.chance(50) ? 0x8000 : 0),
			qkey = u32(near(CX(QKEY), 32));
		if (!reth && rng.chance(80)) PF(cx, OHCA_RSC_REMAIN, rem);
		if (rng.chance(70)) PF(cx, OHCA_RSC_CUR_OP, end || mid ? (snd ? 1 : 2) : 0);
		PF(p, OHCA_RXD_PLEN, plen);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24, psn);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, opc);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_PKEY_LSB, 16, wkey);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_PADCNT_LSB, 2, pad);
		if (dg) put_bits(p, OHCA_RXD_EXT_LSB + 192, 32, qkey);
		else {
			put_bits(p, OHCA_RXD_EXT_LSB + 160, 64, va);
			put_bits(p, OHCA_RXD_EXT_LSB + 96, 32, rem);
		}
		const u32 dmalen = u32(bits_of(p, OHCA_RXD_EXT_LSB + 96, 32));
		const u64 rva = bits_of(p, OHCA_RXD_EXT_LSB + 160, 64);
		for (unsigned i = 0; i < 32; i++) if (rng.chance(3)) put_bits(table, 16 * i, 16, near(wkey, 16));
		const unsigned lmc = unsigned(rng.below(8)), m = (1u << lmc) - 1;
		d.lmc_i = u8(lmc);
		bool path;
		if (dg) {
			PF(p, OHCA_RXD_VL15, rng.chance(95) == smi);
			if (rng.chance(20)) PF(p, OHCA_RXD_GIDX, 255);
			path = (BF(p, OHCA_RXD_VL15) != 0) == smi &&
				(!BF(p, OHCA_RXD_GRH_V) || BF(p, OHCA_RXD_GIDX) != 255 || BF(p, OHCA_RXD_DLID) >> 14 == 3);
		} else if ((path = rng.chance(75))) {
			const bool grh = rng.chance(50);
			PF(p, OHCA_RXD_VL15, 0);
			PF(p, OHCA_RXD_SLID, bits_of(cx, OHCA_RSC_AV_LSB + OHCA_AV_DLID_LSB, 16));
			// To the path's LID: of the low bits so many count as the port has.
			PF(p, OHCA_RXD_DLID, (BF(p, OHCA_RXD_DLID) & ~u64(m)) | (bits_of(cx, OHCA_RSC_AV_LSB + OHCA_AV_PATH_BITS_LSB, 7) & m));
			PF(p, OHCA_RXD_GRH_V, grh); put_bits(cx, OHCA_RSC_AV_LSB + OHCA_AV_GRH_LSB, 1, grh);
			PF(p, OHCA_RXD_GIDX, bits_of(cx, OHCA_RSC_AV_LSB + OHCA_AV_SGID_INDEX_LSB, 8));
			for (unsigned i = 0; i < 16; i++)          // a context has the GID's first byte lowest, the wire's field highest
				put_bits(p, OHCA_RXD_GRH_LSB + OHCA_GRH_SGID_LSB + 8 * i, 8,
					bits_of(cx, OHCA_RSC_AV_LSB + OHCA_AV_DGID_LSB + 8 * (15 - i), 8));
			switch (rng.below(14)) {
			case 5: case 6: {
				const unsigned at = unsigned(rng.below(7));
				PF(p, OHCA_RXD_DLID, BF(p, OHCA_RXD_DLID) ^ 1u << at);
				path = at >= lmc;
				break;
			}
			case 0: PF(p, OHCA_RXD_VL15, 1); path = false; break;
			case 1: PF(p, OHCA_RXD_SLID, BF(p, OHCA_RXD_SLID) ^ 1u << rng.below(16)); path = false; break;
			case 2: PF(p, OHCA_RXD_GRH_V, !grh); path = false; break;
			case 3: {
				unsigned at = unsigned(OHCA_RXD_GRH_LSB + OHCA_GRH_SGID_LSB + rng.below(128));
				put_bits(p, at, 1, !bits_of(p, at, 1));
				path = !grh;
				break;
			}
			case 4: PF(p, OHCA_RXD_GIDX, BF(p, OHCA_RXD_GIDX) ^ 1u << rng.below(8)); path = !grh; break;
			default: break;
			}
		} else if (BF(p, OHCA_RXD_SLID) == bits_of(cx, OHCA_RSC_AV_LSB + OHCA_AV_DLID_LSB, 16)) PF(p, OHCA_RXD_SLID, BF(p, OHCA_RXD_SLID) ^ 1);   // by luck
		tb::set_bytes(d.cx_i, cx.data(), cx.size()); tb::set_bytes(d.p_i, p.data(), p.size());
		tb::set_bytes(d.pkeys_i, table.data(), table.size());
		d.kind_i = what; d.err_i = err; d.pi_i = u16(pi); d.uar_i = u16(uar); d.pkey_i = u16(key); d.load_i = load;
		b.progress();
		b.cycle([] {}, [] {});
		bytes lk = get_all(d.look_o, OHCA_RS_LOOK_BITS);
		CHECK_EQ(d.pkey_idx_o, CX(PKEY_INDEX), "P_Key index");
		if (!load) { CHECK(lk == last, "it stays"); continue; }
		last = lk;

		const bool run = !err && (st == OHCA_QP_STATE_RTR || st == OHCA_QP_STATE_RTS || st == OHCA_QP_STATE_SQD ||
			(st == OHCA_QP_STATE_SQE && dg));
		LK(ON, 1u << what);
		// What the opcode says: of those that are no requests only the service is asked for.
#define OP(f, want) CHECK_EQ(bits_of(lk, OHCA_RS_LOOK_OP_LSB + OHCA_OPCODE_##f##_LSB, OHCA_OPCODE_##f##_WIDTH), u64(want), "opcode " #f)
		OP(RC, opc >> 5 == 0); OP(UD, opc >> 5 == 3); OP(SEND, snd); OP(WRITE, wr); OP(READ, rd);
		if (op <= 12) {
			const u32 msg = snd ? OHCA_RS_MSG_SEND : OHCA_RS_MSG_WRITE;
			OP(FIRST, first); OP(MIDDLE, mid); OP(LAST, end); OP(ONLY, only); OP(IMM, imm);
			OP(RETH, reth); OP(NEEDS, mid || end ? msg : OHCA_RS_MSG_NONE); OP(LEAVES, first || mid ? msg : OHCA_RS_MSG_NONE);
		}
		LK(ALIVE, !err && st != OHCA_QP_STATE_RESET); LK(RUN, run); LK(FAILED, !err && st == OHCA_QP_STATE_ERR);
		LK(BACK_OK, !err && st != OHCA_QP_STATE_RESET && st != OHCA_QP_STATE_INIT);
		LK(EST, st == OHCA_QP_STATE_RTR && !CX(EST_SENT)); LK(DG, dg); LK(GSI, gsi);
		// The receive queue: an index counts if it lies ahead, and within the ring.
		const u32 size = 1u << CX(LOG_SIZE);
		auto ahead = [&](u32 x) { return m16(x - head) <= size ? m16(x - head) : 0; };
		const u32 left = ahead(u32(CX(PI)));
		LK(NONE, left == 0); LK(LEFT, left); LK(SIZE, size); LK(HEAD1, m16(head + 1));
		if (left) { LK(ONE, left == 1); LK(RENEW, left <= 8 || head % 8 == 0); }
		LK(OFFSET, m24(u64(head % size) << CX(LOG_STRIDE)));
		LK(PI_OK, ahead(pi) > left); LK(UAR_OK, uar == (CX(UAR_HI) << 8 | CX(UAR_LO)));
		fresh += ahead(pi) > left;
		// The packet, by itself.
		const bool type = dg ? opc >> 5 == 3 : qt == OHCA_QP_TYPE_RC && opc >> 5 == 0, pkey = smi || fits(key, wkey),
			qok = smi || (dg ? qkey : u32(bits_of(p, OHCA_RXD_EXT_LSB + 192, 32))) == CX(QKEY),
			mad = !(gsi || smi) || (!imm && plen == 256);
		LK(TYPE_OK, type); LK(PKEY_OK, pkey); LK(PATH_OK, path); LK(QKEY_OK, qok); LK(MAD_OK, mad);
		LK(CONN, run && type && pkey && path && !dg && !err); LK(MSG, run && type && path && dg && qok && mad && !err);
		conns += BF(lk, OHCA_RS_LOOK_CONN); msgs += BF(lk, OHCA_RS_LOOK_MSG); paths += path;
		// In its order.
		const int off = int(m24(psn - epsn) ^ 0x800000) - 0x800000;
		const u32 pkts = rd ? dmalen ? u32((u64(dmalen) + mtu - 1) / mtu) : 1 : 1;
		LK(IS_NEW, off == 0); LK(IS_DUP, off < 0); LK(NEXT, m24(psn + pkts)); LK(DUP_END, m24(epsn - psn - pkts) < 0x800000 && CX(RD_ANY));
		LK(BEHIND, CX(RD_ANY) && m24(psn - read) >= 0x800000); LK(MSN1, m24(CX(MSN) + 1)); LK(EPSN_1, m24(epsn - 1));
		ends[rd && off < 0 && m24(epsn - psn - pkts) < 0x800000] += rd && off < 0;
		behind += BF(lk, OHCA_RS_LOOK_BEHIND);
		// In its message.
		const u64 before = dg ? 40 : end || mid ? CX(REMAIN) : 0, all = reth ? dmalen : CX(REMAIN);
		const bool seq = CX(CUR_OP) == (mid || end ? snd ? 1 : 2 : 0),
			len = first || mid ? plen == mtu && !pad : only ? plen <= mtu : end ? plen && plen <= mtu : plen == 0,
			acc = snd || (wr && CX(ACC_WRITE)) || (rd && CX(ACC_READ) && CX(MAX_RD)),
			sum = snd ? before + plen <= 0x80000000u : all <= 0x80000000u && (rd || (first || mid ? all > plen : all == plen));
		LK(LEN_OK, len); LK(ACC_OK, acc); LK(SUM_OK, sum); LK(VALID, op <= 12 && seq && len && acc && sum);
		LK(GOT, u32(before + plen)); LK(REST, u32(all - plen)); LK(VA1, (reth ? rva : CX(VA)) + plen);
		valids += BF(lk, OHCA_RS_LOOK_VALID);
		kinds[snd ? 0 : wr ? 1 : rd ? 2 : 3] += BF(lk, OHCA_RS_LOOK_VALID);
		// QP1: the first entry of the table that fits, a cycle later.
		if (!gsi) continue;
		u32 which = 0;
		while (which < 32 && !fits(u32(bits_of(table, 16 * which, 16)), wkey)) which++;
		d.load_i = 0;
		b.cycle([] {}, [] {});
		CHECK_EQ(d.gsi_any_o, which < 32, "an entry for QP1");
		if (which < 32) CHECK_EQ(d.gsi_first_o, which, "the first entry for QP1");
		firsts += which < 32;
	}
	printf("# %llu of a connection, %llu datagrams, %llu valid, %llu P_Keys for QP1, %llu duplicate READs\n",
		(unsigned long long)conns, (unsigned long long)msgs, (unsigned long long)valids, (unsigned long long)firsts,
		(unsigned long long)(ends[0] + ends[1]));
	printf("# valid: %llu SENDs, %llu WRITEs, %llu READs\n", (unsigned long long)kinds[0], (unsigned long long)kinds[1],
		(unsigned long long)kinds[2]);
	CHECK_EQ(kinds[3], 0, "valid ones of other kinds");
	GOAL(conns > 500 && msgs > 200 && kinds[0] > 100 && kinds[1] > 100 && kinds[2] > 50 && firsts > 200 && fresh > 1000 && ends[0] > 20 && ends[1] > 20 &&
		behind > 1000 && paths > 1000);
	return b.finish();
}
