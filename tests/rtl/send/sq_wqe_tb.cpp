// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_wqe: WQEs that are right, or wrong in one way or two, of every kind of QP and stride; what is said of each
// against the same worked out here; then some of its packets are taken off. Nothing changes but by that.
// dut: ohca_sq_wqe
// dut: ohca_sq_wqe NumVl=4
// dut: ohca_sq_wqe Csum=0
// args: --cycles 90000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif
#ifndef TB_CSUM
#define TB_CSUM 1
#endif

struct Said {
	bool read, fence, credit, inl, nopkt, err;
	u32 cls, nsge, rem, tr, status, verr;
};
static u32 packets(u32 len, u32 mtu) { return (len ? u32((u64(len) + mtu - 1) / mtu) : 1) & 0xffffff; }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 good[2] = {}, bad[32] = {}, cuts = 0, silent = 0, part_sent = 0;
	Said s{};
	auto check = [&](const char *when) {
		CHECK_EQ(d.err_o, s.err, when);
		CHECK_EQ(d.verr_o, s.verr, when);
		if (s.err) { CHECK_EQ(d.status_o, s.status, when); return; }
		CHECK_EQ(d.read_o, s.read, when); CHECK_EQ(d.fence_o, s.fence, when); CHECK_EQ(d.credit_o, s.credit, when);
		CHECK_EQ(d.inl_o, s.inl, when); CHECK_EQ(d.nopkt_o, s.nopkt, when); CHECK_EQ(d.cls_o, s.cls, when);
		CHECK_EQ(d.nsge_o, s.nsge, when); CHECK_EQ(d.rem_o, s.rem, when); CHECK_EQ(d.tr_o, s.tr, when);
		CHECK_EQ(d.many_o, s.tr > 127, when); CHECK_EQ(d.huge_o, s.tr > 1u << 22, when);
	};
	for (u64 n = 0; n < 25000; n++) {
		for (unsigned i = 0; i < OHCA_SQC_BITS; i += 32) tb::set_bits(d.line_i, i, 32, rng.bits(32));
		for (unsigned i = 0; i < 256; i += 32) tb::set_bits(d.head_i, i, 32, rng.bits(32));
		static const u32 types[] = {OHCA_QP_TYPE_RC, OHCA_QP_TYPE_RC, OHCA_QP_TYPE_RC, OHCA_QP_TYPE_UD, OHCA_QP_TYPE_UD,
			OHCA_QP_TYPE_SMI, OHCA_QP_TYPE_GSI, OHCA_QP_TYPE_UC};
		u32 type = types[rng.below(rng.chance(95) ? 7 : 8)];
		u32 code = u32(rng.below(8)), mtu = code >= 2 && code <= 5 ? 128u << code : 256;
		bool rc = type == OHCA_QP_TYPE_RC, ud = !rc && type != OHCA_QP_TYPE_UC, pushed = rng.chance(30);
		u32 stride = 6 + u32(rng.below(3)), rows = 1u << (stride - 6), max_rd = rng.chance(80) ? 1 + u32(rng.below(16)) : 0;
		u32 space = (pushed ? 64 : 64 * rows) - (ud ? 64 : 32), k = u32(rng.below(4 / rows)), offset = u32(rng.bits(20));
		u16 next = u16(rng.bits(16)), idx = u16(next + k);
		bool in_msg = rng.chance(30), inl = rng.chance(30) && !(ud && !space);
		u32 have = (k + 1) * 4 * rows, words = have + u32(rng.below(17 - have));
		static const u32 ops[] = {OHCA_WR_OP_SEND, OHCA_WR_OP_SEND_IMM, OHCA_WR_OP_RDMA_WRITE,
			OHCA_WR_OP_RDMA_WRITE_IMM, OHCA_WR_OP_RDMA_READ};
		u32 op = ops[rng.below(ud ? 2 : 5)];
		if (op == OHCA_WR_OP_RDMA_READ) inl = false;
		u32 len = inl ? u32(rng.below(space + 1)) : rng.chance(60) ? u32(rng.below(5 * mtu)) : u32(rng.bits(31));
		// Around what counts as many packets, and as too many of a READ.
		if (!inl && rng.chance(10)) len = rng.chance(50) ? 126 * mtu + u32(rng.below(3 * mtu)) : 0x40000000u - 300 + u32(rng.below(600));
		if (in_msg && !k && rng.chance(80)) offset = len ? u32(rng.below(len)) : 0;
		u32 nsge = inl ? 0 : u32(rng.below(space / 16 + 1)), mbz = 0;
		if (!inl && !nsge && space && rng.chance(80)) nsge = 1;
		// What may be wrong with it.
		for (u32 wrong = rng.chance(50) ? 0 : 1 + u32(rng.below(2)); wrong; wrong--) {
			switch (rng.below(8)) {
			case 0: words = u32(rng.below(have)); break;
			case 1: idx = u16(idx + (rng.chance(50) ? 1 : 1u << rng.below(16))); break;
			case 2: op = u32(rng.below(32)); break;
			case 3: mbz = 1 + u32(rng.below(4)); break;
			case 4: nsge = u32(rng.below(16)); break;
			case 5: len = inl ? space + 1 + u32(rng.below(9)) : 0x80000000u + u32(rng.below(2)); break;
			case 6: inl = !inl; break;
			default: if (in_msg) offset = len + u32(rng.below(3)) - 1; break;
			}
		}
		SET_FIELD(d.line_i, OHCA_SQC_QTYPE, type); SET_FIELD(d.line_i, OHCA_SQC_MTU, code);
		SET_FIELD(d.line_i, OHCA_SQC_LOG_STRIDE, stride); SET_FIELD(d.line_i, OHCA_SQC_MAX_RD, max_rd);
		SET_FIELD(d.line_i, OHCA_SQC_NEXT, next); SET_FIELD(d.line_i, OHCA_SQC_IN_MSG, in_msg);
		SET_FIELD(d.line_i, OHCA_SQC_OFFSET, offset);
		SET_FIELD(d.head_i, OHCA_WQE_CTRL_OPCODE, op); SET_FIELD(d.head_i, OHCA_WQE_CTRL_INL, inl);
		SET_FIELD(d.head_i, OHCA_WQE_CTRL_NSGE, nsge); SET_FIELD(d.head_i, OHCA_WQE_CTRL_IDX, idx);
		SET_FIELD(d.head_i, OHCA_WQE_CTRL_LENGTH, len);
		bool dirty = false;                      // something that must be zero is not
		if (!ud) {
			SET_FIELD(d.head_i, OHCA_WQE_CTRL_RSVD0, mbz == 1 ? 1 + rng.below(7) : 0);
			SET_FIELD(d.head_i, OHCA_WQE_CTRL_RSVD1, mbz == 2 ? 1u << rng.below(8) : 0);
			SET_FIELD(d.head_i, OHCA_WQE_CTRL_RSVD2, mbz == 3 ? 1u << rng.below(32) : 0);
			dirty = mbz && mbz < 4;
		} else {
			SET_FIELD(d.head_i, OHCA_WQE_UD_RSVD1, mbz == 1 ? 1u << rng.below(16) : 0);
			SET_FIELD(d.head_i, OHCA_WQE_UD_RSVD2, mbz == 2 ? 1u << rng.below(8) : 0);
			SET_FIELD(d.head_i, OHCA_WQE_UD_CSUM, mbz == 3);
			dirty = mbz == 1 || mbz == 2 || (mbz == 3 && !TB_CSUM);
		}
		u64 sl2vl = rng.next();
		d.sl2vl_i = sl2vl; d.pushed_i = pushed; d.k_i = k; d.first_i = !k; d.words_i = words;
		d.load_i = 1; d.cut_i = 0; d.cut_n_i = u32(rng.bits(24));

		bool rd = op == OHCA_WR_OP_RDMA_READ, send = op == OHCA_WR_OP_SEND || op == OHCA_WR_OP_SEND_IMM;
		bool wr = op == OHCA_WR_OP_RDMA_WRITE || op == OHCA_WR_OP_RDMA_WRITE_IMM, part = in_msg && !k;
		s.verr = OHCA_VENDOR_ERR_NONE; s.status = OHCA_WC_STATUS_LOC_QP_OP;
		if (!pushed && words < have) s.verr = OHCA_VENDOR_ERR_WQE_FETCH;
		else if (idx != u16(next + k)) s.verr = OHCA_VENDOR_ERR_WQE_IDX;
		else if (!(rc ? send || wr || (rd && max_rd) : ud && send)) s.verr = OHCA_VENDOR_ERR_OPCODE;
		else if (dirty || (rd && inl)) s.verr = OHCA_VENDOR_ERR_WQE_FORMAT;
		else if (inl ? len > space || nsge : 16 * nsge > space) s.verr = OHCA_VENDOR_ERR_WQE_FORMAT;
		else if (len > 0x80000000u || (len && !inl && !nsge)) {
			s.verr = OHCA_VENDOR_ERR_LENGTH;
			s.status = OHCA_WC_STATUS_LOC_LEN;
		}
		else if (part && offset >= len) s.verr = OHCA_VENDOR_ERR_WQE_FORMAT;
		s.err = s.verr != OHCA_VENDOR_ERR_NONE;
		s.read = rd; s.fence = FIELD(d.head_i, OHCA_WQE_CTRL_FENCE);
		s.credit = send || op == OHCA_WR_OP_RDMA_WRITE_IMM;
		s.inl = inl; s.nopkt = ud && len > mtu; s.nsge = nsge;
		u32 vl = u32(sl2vl >> 4 * tb::get_bits(d.head_i, OHCA_WQE_UD_AV_LSB + OHCA_AV_SL_LSB, 4) & 15);
		s.cls = TB_NUM_VL == 1 ? 0 : type == OHCA_QP_TYPE_SMI || vl >= TB_NUM_VL ? TB_NUM_VL : vl;
		s.rem = len - (part ? offset : 0); s.tr = packets(s.rem, mtu);
		if (s.err) bad[s.verr]++; else { good[ud]++; silent += s.nopkt; part_sent += part; }
		b.progress();
		b.cycle([] {}, [] {});
		d.load_i = 0;
		d.words_i = u32(rng.below(17)); d.k_i = u32(rng.below(4)); tb::set_bits(d.head_i, 0, 32, rng.bits(32));
		b.cycle([] {}, [&] { check("it is told"); });
		if (s.err || s.tr < 2 || !rng.chance(50)) continue;
		u32 cut = 1 + u32(rng.below(s.tr - 1));
		d.cut_i = 1; d.cut_n_i = cut; d.cut_sh_i = u32(__builtin_ctz(mtu));
		s.tr -= cut; s.rem -= cut * mtu;
		cuts++;
		b.cycle([] {}, [] {});
		d.cut_i = 0;
		b.cycle([] {}, [&] { check("some of it was cut off"); });
	}
	printf("# %llu of connected QPs and %llu datagrams are right, %llu beyond the MTU, %llu sent in part, %llu cut\n",
	       (unsigned long long)good[0], (unsigned long long)good[1], (unsigned long long)silent,
	       (unsigned long long)part_sent, (unsigned long long)cuts);
	CHECK(good[0] > 1000 && good[1] > 1000 && silent > 100 && part_sent > 100 && cuts > 500 &&
	      bad[OHCA_VENDOR_ERR_WQE_FETCH] > 100 &&
	      bad[OHCA_VENDOR_ERR_WQE_IDX] > 100 && bad[OHCA_VENDOR_ERR_OPCODE] > 100 &&
	      bad[OHCA_VENDOR_ERR_WQE_FORMAT] > 100 && bad[OHCA_VENDOR_ERR_LENGTH] > 100, "enough of each");
	return b.finish();
}
