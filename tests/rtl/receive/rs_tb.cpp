// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs against a message-level model of a responder: rounds of random packets for a dozen QPs, with a tiny context cache, then
// everything that came out is compared: placed bytes, jobs, completions, events, errors reported, contexts.
// dut: ohca_rs DW=64 Sets=4 Ways=1 InFlight=16 JobDepth=128
// dut: ohca_rs DW=64 Sets=4 Ways=1 InFlight=16 JobDepth=16 Compact=1 RoCE=0
// dut: ohca_rs DW=512 Sets=4 Ways=2 InFlight=64 JobDepth=128
// dut: ohca_rs DW=256 Sets=64 Ways=1 InFlight=32 JobDepth=32
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#include "Vdut.h"
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#include "host.h"
#include <algorithm>
#include <set>

static tb::Bench<Vdut> *bench;
#define rng (bench->rng)
static Vdut *d;
static const u64 BASE = 0x80000;
static const u32 LIMIT = 64;
enum { RC = OHCA_QP_TYPE_RC, UD = OHCA_QP_TYPE_UD, GSI = OHCA_QP_TYPE_GSI, SMI = OHCA_QP_TYPE_SMI };
enum { RESET = 0, INIT = 1, RTR = 2, RTS = 3, ERR = 6 };

struct Sge { u64 addr; u32 len, lkey; };
struct Job { bool read, nak; u32 psn, aeth; u64 va; u32 rkey, len; u16 before, after; bool take; u32 lim = 0; };   // before, after: head; take: it takes a receive WQE
struct Cqe { u32 idx, op, status, verr, solicited, byte_len, imm, src_qp, slid, sl, pkey_index, path_bits, grh; bool any_verr; };
struct Qp {
	u32 qpn, type, state, mtu, log_size, log_stride, pd, cqn, pkey_index, dlid, dqpn, qkey, min_rnr, max_rd, sent = 0;
	bool buf_mtt, priv, grh, acc_w, acc_r, est;
	u8 gid[16];
	u64 ring, dbr;
	u32 epsn, cur_op, msn, remain, rkey, dmalen, rd_psn, sgi;
	bool nak, taken, rd_any;
	u64 va;
	u16 head, pi;                    // pi: posted by the host
	std::set<u16> known;             // producer indices that the responder may go by: its context's when the burst began, and those read since
	std::map<u16, std::vector<Sge>> rq;
	bytes av;
	std::deque<Job> jobs;
	std::deque<Cqe> cqes;
	std::deque<u32> events;
	unsigned qerrs = 0;
	bool stop = false;               // no more packets this round
};
static std::vector<Qp> qps;
static Host<Vdut> *host;
static Place<Vdut> *place;
static u16 pkeys[32];
static u64 n_behind, n_imm;
static std::map<std::pair<u32, u64>, u32> want_wrote;
static std::map<u32, u64> want_checked;

// ------------------------------------------------------------------------------------------------------------ packets
struct Pkt { bytes rxd = bytes((OHCA_RXD_BITS + 7) / 8, 0); u32 qpn; unsigned slot; };
static std::deque<Pkt> inject;
static std::deque<unsigned> slots;
static u64 released, injected;

static void put_wire(bytes &b, unsigned field_lsb, unsigned field_w, unsigned off, const bytes &v)
{   // wire order: byte 0 of the field is its most significant
	for (unsigned i = 0; i < v.size(); i++) put_bits(b, field_lsb + field_w - 8 * (off + i + 1), 8, v[i]);
}
static bytes be(u64 v, unsigned n)
{
	bytes b(n);
	for (unsigned i = 0; i < n; i++) b[i] = u8(v >> (8 * (n - 1 - i)));
	return b;
}

struct Req { u32 op, psn, plen, pad, ackreq, se, pkey, slid; bool grh, vl15; u64 va; u32 rkey, dmalen, imm, qkey, srcqp, sl, dlid, gidx; };

static Pkt build(const Qp &q, const Req &r)
{
	Pkt p;
	bytes &b = p.rxd;
	p.qpn = q.qpn;
	PF(b, OHCA_RXD_VL15, r.vl15);
	PF(b, OHCA_RXD_SL, r.sl);
	PF(b, OHCA_RXD_DLID, r.dlid);
	PF(b, OHCA_RXD_SLID, r.slid);
	PF(b, OHCA_RXD_GRH_V, r.grh);
	PF(b, OHCA_RXD_GIDX, r.gidx);
	put_wire(b, OHCA_RXD_GRH_LSB, 320, 8, bytes(q.gid, q.gid + 16));
	PF(b, OHCA_RXD_PLEN, r.plen);
	unsigned lsb = OHCA_RXD_BTH_LSB;
	put_bits(b, lsb + OHCA_BTH_OPCODE_LSB, 8, r.op);
	put_bits(b, lsb + OHCA_BTH_SE_LSB, 1, r.se);
	put_bits(b, lsb + OHCA_BTH_MIGREQ_LSB, 1, 1);
	put_bits(b, lsb + OHCA_BTH_PADCNT_LSB, 2, r.pad);
	put_bits(b, lsb + OHCA_BTH_PKEY_LSB, 16, r.pkey);
	put_bits(b, lsb + OHCA_BTH_DESTQP_LSB, 24, q.qpn);
	put_bits(b, lsb + OHCA_BTH_ACKREQ_LSB, 1, r.ackreq);
	put_bits(b, lsb + OHCA_BTH_PSN_LSB, 24, r.psn);
	unsigned op = r.op & 31, off = 0;
	if (r.op >= 0x60) {
		put_wire(b, OHCA_RXD_EXT_LSB, 224, 0, be(r.qkey, 4));
		put_wire(b, OHCA_RXD_EXT_LSB, 224, 4, be(r.srcqp, 4));
		off = 8;
	}
	if (op == 6 || op == 10 || op == 11 || op == 12) {
		put_wire(b, OHCA_RXD_EXT_LSB, 224, off, be(r.va, 8));
		put_wire(b, OHCA_RXD_EXT_LSB, 224, off + 8, be(r.rkey, 4));
		put_wire(b, OHCA_RXD_EXT_LSB, 224, off + 12, be(r.dmalen, 4));
		off += 16;
	}
	if (op == 3 || op == 5 || op == 9 || op == 11) {
		u32 i = r.imm;                       // first wire byte lowest
		put_wire(b, OHCA_RXD_EXT_LSB, 224, off, {u8(i), u8(i >> 8), u8(i >> 16), u8(i >> 24)});
		off += 4;
	}
	PF(b, OHCA_RXD_PAY_OFF, 8 + (r.grh ? 40 : 0) + 12 + off);
	return p;
}

// -------------------------------------------------------------------------------------------------------------- model
static u32 mtu_of(const Qp &q) { return 128u << q.mtu; }
static int diff24(u32 a, u32 b) { int x = int((a - b) & 0xffffff); return x >= 0x800000 ? x - 0x1000000 : x; }
static u32 npk(u32 len, u32 mtu) { return len ? (len + mtu - 1) / mtu : 1; }

static void flush(Qp &q)
{
	for (; q.head != q.pi; q.head++) {
		Cqe c = {};
		c.idx = q.head; c.op = OHCA_WC_OP_RECV; c.status = OHCA_WC_STATUS_WR_FLUSH; c.verr = OHCA_VENDOR_ERR_FLUSH;
		q.cqes.push_back(c);
	}
}
static void refuse(Qp &q, u32 psn, u32 synd, u32 msn) { q.jobs.push_back({false, true, psn, synd << 24 | msn, 0, 0, 0, 0, 0, false}); }
// The credits of an acknowledgement depend on when the doorbell record was read (got_job).
static void ack(Qp &q, u32 psn, u16 before, u16 after, bool take) { q.jobs.push_back({false, false, psn, q.msn, 0, 0, 0, before, after, take}); }
static void read_job(Qp &q, u32 psn, u64 va, u32 rkey, u32 len, u32 lim)
{
	q.jobs.push_back({true, false, psn, q.msn, va, rkey, len, q.head, q.head, false, lim});
}
static void err_cqe(Qp &q, u32 status, bool any)
{
	Cqe c = {};
	c.idx = q.head++; c.op = OHCA_WC_OP_RECV; c.status = status; c.any_verr = any;
	q.cqes.push_back(c);
}
static void to_err(Qp &q, bool tell)
{
	q.state = ERR;
	if (tell) q.qerrs++;
	flush(q);
	q.stop = true;
}
// Bytes `skip` .. of a scatter list; false if the list is too short, bad if a key in the used part fails.
static bool scatter(Qp &q, u32 skip, const std::vector<u32> &src, bool &bad, std::map<std::pair<u32, u64>, u32> &out)
{
	u64 at = 0;
	size_t i = 0;
	for (auto &s : q.rq[q.head]) {
		if (s.lkey == OHCA_INVALID_LKEY) break;
		for (u32 k = 0; k < s.len && i < src.size(); k++, at++) {
			if (at < skip) {
				u32 jump = u32(std::min<u64>(skip - at, s.len - k));
				at += jump - 1; k += jump - 1;
				continue;
			}
			if (src[i] != ~0u) {
				if (Place<Vdut>::bad_key(s.lkey)) bad = true;
				if (!bad) out[{s.lkey, s.addr + k}] = src[i];
			}
			i++;
		}
	}
	return i == src.size();
}

static void model(Qp &q, const Req &r, u32 base)
{
	const u32 mtu = mtu_of(q), op = r.op & 31;
	const bool dg = q.type != RC;
	const u32 pay = base + 8 + (r.grh ? 40 : 0) + 12 + (dg ? 8 : 0) + ((op == 6 || op == 10 || op == 11 || op == 12) ? 16 : 0) +
		((op == 3 || op == 5 || op == 9 || op == 11) ? 4 : 0);
	if (q.state != RTR && q.state != RTS) return;
	if (dg != ((r.op >> 5) == 3)) return;
	u32 pk_idx = q.pkey_index;
	auto fits = [&](u32 t) { return (t & 0x7fff) == (r.pkey & 0x7fff) && (t & 0x7fff) && ((t | r.pkey) & 0x8000); };
	if (q.type == GSI) {
		for (pk_idx = 0; pk_idx < 32 && !fits(pkeys[pk_idx]); pk_idx++) {}
		if (pk_idx == 32) return;
	} else if (q.type != SMI && !fits(pkeys[q.pkey_index])) return;
	if (dg) {
		if (r.vl15 != (q.type == SMI)) return;
		if (r.grh && r.gidx == 255 && r.dlid >> 14 != 3) return;   // to a GID that the port does not have
		if (q.type != SMI && r.qkey != q.qkey) return;
		if (q.type != UD && (op == 5 || r.plen != 256)) return;
		if (q.head == q.pi) return;                       // no receive WQE: as if lost
		std::vector<u32> src;
		for (u32 i = 0; i < 40; i++) src.push_back(r.grh ? base + 8 + i : ~0u);
		for (u32 i = 0; i < r.plen; i++) src.push_back(pay + i);
		bool bad = false;
		std::map<std::pair<u32, u64>, u32> out;
		bool fit = scatter(q, 0, src, bad, out);
		if (bad) { err_cqe(q, OHCA_WC_STATUS_LOC_PROT, true); to_err(q, true); return; }
		if (!fit) { q.stop = true; return; }
		want_wrote.insert(out.begin(), out.end());
		Cqe c = {};
		c.idx = q.head++; c.op = op == 5 ? OHCA_WC_OP_RECV_IMM : OHCA_WC_OP_RECV;
		c.solicited = r.se; c.byte_len = 40 + r.plen; c.imm = op == 5 ? r.imm : 0; c.src_qp = r.srcqp; c.slid = r.slid; c.sl = r.sl;
		c.pkey_index = pk_idx; c.path_bits = r.dlid & 3; c.grh = r.grh;
		q.cqes.push_back(c);
		return;
	}
	if (r.vl15 || r.slid != q.dlid || r.dlid & 3 || r.grh != q.grh || (r.grh && r.gidx != q.sgi)) return;
	const bool snd = op <= 5, wr = op >= 6 && op <= 11, rd = op == 12, known = op <= 12;
	const bool first = op == 0 || op == 6, mid = op == 1 || op == 7, last = op == 2 || op == 3 || op == 8 || op == 9;
	const bool only = op == 4 || op == 5 || op == 10 || op == 11, imm = op == 3 || op == 5 || op == 9 || op == 11;
	const bool reth = op == 6 || op == 10 || op == 11 || op == 12;
	int df = diff24(r.psn, q.epsn);
	if (df < 0) {
		if (snd || wr) {
			// not past a READ
			bool behind = q.rd_any && diff24(r.psn, q.rd_psn) < 0;
			n_behind += behind;
			ack(q, behind ? r.psn : (q.epsn - 1) & 0xffffff, q.head, q.head, false);
			q.nak = false;
		}
		else if (rd && q.rd_any && r.plen == 0 && q.acc_r && q.max_rd && r.dmalen <= 0x80000000u && diff24(r.psn + npk(r.dmalen, mtu), q.epsn) <= 0) {
			q.nak = false;
			if (r.dmalen) want_checked[r.rkey]++;
			if (!r.dmalen || !Place<Vdut>::bad_key(r.rkey)) read_job(q, r.psn, r.va, r.rkey, r.dmalen, 0);
		}
		return;
	}
	if (df > 0) {
		if (!q.nak) { refuse(q, q.epsn, 0x60, q.msn); q.nak = true; }
		return;
	}
	bool ok = known;
	if (q.cur_op == 0) ok = ok && (first || only || rd);
	else ok = ok && (mid || last) && (q.cur_op == 1 ? snd : wr);
	if (first || mid) ok = ok && r.plen == mtu && !r.pad;
	if (only) ok = ok && r.plen <= mtu;
	if (last) ok = ok && r.plen <= mtu && r.plen;
	if (rd) ok = ok && !r.plen && q.acc_r && q.max_rd;
	if (wr) ok = ok && q.acc_w;
	u32 rem = reth ? r.dmalen : q.remain;
	if (!snd) ok = ok && rem <= 0x80000000u;
	if (wr) ok = ok && ((first || mid) ? r.plen < rem : r.plen == rem);
	if (!ok) {
		refuse(q, q.epsn, 0x61, q.msn);
		if (q.taken) { Cqe c = {}; c.idx = q.head++; c.op = OHCA_WC_OP_RECV; c.status = OHCA_WC_STATUS_REM_INV_REQ; c.any_verr = true; q.cqes.push_back(c); }
		else q.events.push_back(OHCA_EQE_TYPE_QP_REQ_ERR);
		to_err(q, true);
		return;
	}
	const bool need = (snd && (first || only)) || (wr && imm);
	const bool est_now = q.state == RTR && !q.est;   // an error of the same packet takes the event's place
	if (est_now) { q.est = true; q.events.push_back(OHCA_EQE_TYPE_COMM_EST); }
	if (need && q.head == q.pi) {
		refuse(q, q.epsn, 0x20 | q.min_rnr, q.msn);
		q.nak = true;
		return;
	}
	std::vector<u32> src;
	for (u32 i = 0; i < r.plen; i++) src.push_back(pay + i);
	std::map<std::pair<u32, u64>, u32> out;
	if (snd) {
		u32 skip = (first || only) ? 0 : q.remain;
		bool bad = false, fit = scatter(q, skip, src, bad, out);
		if (bad || !fit) {
			refuse(q, q.epsn, bad ? 0x63 : 0x61, q.msn);
			err_cqe(q, bad ? OHCA_WC_STATUS_LOC_PROT : OHCA_WC_STATUS_LOC_LEN, true);
			to_err(q, true);
			return;
		}
		q.remain = skip + r.plen;
	} else if (wr) {
		u32 key = reth ? r.rkey : q.rkey;
		u64 va = reth ? r.va : q.va;
		if (r.plen && Place<Vdut>::bad_key(key)) {
			refuse(q, q.epsn, 0x62, q.msn);
			if (imm) {                                   // its receive tells of it
				err_cqe(q, OHCA_WC_STATUS_LOC_ACCESS, true);
				n_imm++;
			} else {
				if (est_now) q.events.pop_back();
				q.events.push_back(OHCA_EQE_TYPE_QP_ACCESS_ERR);
			}
			to_err(q, true);
			return;
		}
		for (u32 i = 0; i < r.plen; i++) out[{key, va + i}] = src[i];
		q.va = va + r.plen; q.rkey = key; q.remain = rem - r.plen;
		if (reth) q.dmalen = r.dmalen;
	} else {
		if (r.dmalen) want_checked[r.rkey]++;
		if (r.dmalen && Place<Vdut>::bad_key(r.rkey)) {
			refuse(q, q.epsn, 0x62, q.msn);
			if (est_now) q.events.pop_back();
			q.events.push_back(OHCA_EQE_TYPE_QP_ACCESS_ERR);
			to_err(q, true);
			return;
		}
	}
	want_wrote.insert(out.begin(), out.end());
	q.nak = false;
	if (last || only || rd) q.msn = (q.msn + 1) & 0xffffff;
	u32 psn = q.epsn;
	q.epsn = (q.epsn + (rd ? npk(r.dmalen, mtu) : 1)) & 0xffffff;
	if (!rd) q.cur_op = (last || only) ? 0 : snd ? 1 : 2;
	q.taken = q.cur_op == 1;
	const bool ends = (snd && (last || only)) || (wr && imm);
	if (rd) {
		read_job(q, psn, r.va, r.rkey, r.dmalen, q.max_rd);
		q.rd_any = true;
		q.rd_psn = psn;
	}
	if (!rd && r.ackreq) ack(q, psn, q.head, u16(q.head + ends), need);
	if (ends) {
		Cqe c = {};
		c.idx = q.head++; c.solicited = r.se; c.imm = imm ? r.imm : 0;
		c.op = wr ? OHCA_WC_OP_RECV_RDMA_IMM : imm ? OHCA_WC_OP_RECV_IMM : OHCA_WC_OP_RECV;
		c.byte_len = wr ? q.dmalen : q.remain;
		q.cqes.push_back(c);
	}
}

// ---------------------------------------------------------------------------------------------------------- QP set-up
static u64 ctx_addr(u32 qpn) { return ICM_BUS + BASE + qpn * 1024ull + 128; }

static u32 page_of(u32 qpn) { return (qpn & 7) | (qpn * 37 & 0xff) << 8; }      // its doorbell page

static void make_ctx(Qp &q, struct ohca_rsc &c)
{
	memset(&c, 0, sizeof c);
	struct ohca_av av;
	memset(&av, 0, sizeof av);
	OHCA_SET(OHCA_AV_DLID, &av, q.dlid);
	OHCA_SET(OHCA_AV_GRH, &av, q.grh);
	OHCA_SET(OHCA_AV_HOP_LIMIT, &av, rng.bits(8));
	OHCA_SET(OHCA_AV_SGID_INDEX, &av, q.sgi);
	memcpy(OHCA_PTR(OHCA_AV_DGID, &av), q.gid, 16);
	OHCA_SET(OHCA_AV_FLOW_LABEL, &av, rng.bits(20));
	OHCA_SET(OHCA_AV_PATH_BITS, &av, rng.bits(5) << 2);        // of its LIDs the port has four; this is the first one's
	OHCA_SET(OHCA_AV_UDP_SPORT, &av, rng.bits(16));
	OHCA_SET(OHCA_AV_DMAC_LO, &av, rng.bits(32));
	OHCA_SET(OHCA_AV_DMAC_HI, &av, rng.bits(16));
	q.av.assign(reinterpret_cast<u8 *>(&av), reinterpret_cast<u8 *>(&av) + sizeof av);
	OHCA_SET(OHCA_RSC_STATE, &c, q.state);
	OHCA_SET(OHCA_RSC_QTYPE, &c, q.type);
	OHCA_SET(OHCA_RSC_MTU, &c, q.mtu);
	OHCA_SET(OHCA_RSC_PRIV, &c, q.priv);
	OHCA_SET(OHCA_RSC_ACC_WRITE, &c, q.acc_w);
	OHCA_SET(OHCA_RSC_ACC_READ, &c, q.acc_r);
	OHCA_SET(OHCA_RSC_BUF_MTT, &c, q.buf_mtt);
	OHCA_SET(OHCA_RSC_MIN_RNR, &c, q.min_rnr);
	OHCA_SET(OHCA_RSC_MAX_RD, &c, q.max_rd);
	OHCA_SET(OHCA_RSC_LOG_STRIDE, &c, q.log_stride);
	OHCA_SET(OHCA_RSC_PD, &c, q.pd);
	OHCA_SET(OHCA_RSC_UAR_LO, &c, page_of(q.qpn));
	OHCA_SET(OHCA_RSC_UAR_HI, &c, page_of(q.qpn) >> 8);
	OHCA_SET(OHCA_RSC_BUF, &c, q.ring);
	OHCA_SET(OHCA_RSC_DBR, &c, q.dbr);
	OHCA_SET(OHCA_RSC_CQN, &c, q.cqn);
	OHCA_SET(OHCA_RSC_LOG_SIZE, &c, q.log_size);
	OHCA_SET(OHCA_RSC_QKEY, &c, q.qkey);
	OHCA_SET(OHCA_RSC_PKEY_INDEX, &c, q.pkey_index);
	OHCA_SET(OHCA_RSC_EPSN, &c, q.epsn);
	OHCA_SET(OHCA_RSC_DQPN, &c, q.dqpn);
	memcpy(OHCA_PTR(OHCA_RSC_AV, &c), &av, sizeof av);
	// What only Ethernet paths have does not come back without them.
	if (!TB_RO_C_E) {
		OHCA_SET(OHCA_AV_UDP_SPORT, &av, 0);
		OHCA_SET(OHCA_AV_DMAC_LO, &av, 0);
		OHCA_SET(OHCA_AV_DMAC_HI, &av, 0);
		q.av.assign(reinterpret_cast<u8 *>(&av), reinterpret_cast<u8 *>(&av) + sizeof av);
	}
}

static void fresh(Qp &q)
{
	q.state = q.type == RC ? (rng.chance(30) ? RTR : RTS) : RTS;
	q.mtu = u32(rng.range(1, rng.chance(80) ? 2 : 5));
	q.log_size = u32(rng.range(2, 6));
	q.log_stride = u32(rng.range(4, 8));
	q.pd = 0x100 + q.qpn;
	q.cqn = u32(rng.bits(20));
	q.pkey_index = u32(rng.below(8));
	q.dlid = u32(rng.range(1, 0xbfff));
	q.dqpn = u32(rng.bits(24));
	q.qkey = u32(rng.next());
	q.min_rnr = u32(rng.bits(5));
	q.max_rd = rng.chance(95) ? 16 : 0;
	q.buf_mtt = rng.chance(50);
	q.priv = rng.chance(50);
	q.grh = q.type == RC && rng.chance(40);
	q.acc_w = rng.chance(95);
	q.acc_r = rng.chance(95);
	q.est = false;
	for (auto &g : q.gid) g = u8(rng.next());
	q.ring = 0x100000ull * (q.qpn + 1);
	q.dbr = 0x9000000000ull + q.qpn * 8;
	q.epsn = rng.chance(30) ? 0xfffff0 + u32(rng.below(16)) : u32(rng.bits(24));
	q.cur_op = q.msn = q.remain = q.rkey = q.dmalen = 0;
	q.nak = q.taken = q.rd_any = false;
	q.sgi = u32(rng.below(16));
	q.va = 0;
	q.head = q.pi = 0;
	q.rq.clear();
	q.known = {0};
	host->mem.wr32(q.dbr, 0);
}
static u32 a_key(const Qp &q, bool bad) { u32 k = q.pd << 16 | u32(rng.below(0xbc)) | u32(rng.below(256)) << 8; return bad ? (k & ~0xffu) | 0xbd : k; }

static void post(Qp &q, u32 total, bool good = false)
{
	std::vector<Sge> l;
	u32 n = u32(1) << (q.log_stride - 4), use = u32(rng.range(1, n)), left = total;
	bool bad = !good && rng.chance(2);
	for (u32 i = 0; i < use; i++) {
		u32 len = i == use - 1 ? left : u32(rng.below(left + 1));
		if (rng.chance(10) && i != use - 1) len = 0;
		l.push_back({rng.bits(47), len, a_key(q, bad && rng.chance(50))});
		left -= len;
	}
	if (use < n) l.push_back({rng.next(), u32(rng.next()), OHCA_INVALID_LKEY});
	u64 slot = q.pi & ((1u << q.log_size) - 1);
	u64 at = (q.buf_mtt ? RING_BUS : 0) + q.ring + (slot << q.log_stride);
	for (u32 i = 0; i < n; i++) {
		Sge s = i < l.size() ? l[i] : Sge{rng.next(), u32(rng.next()), u32(rng.next())};
		host->mem.wr64(at + 16 * i, s.addr);
		host->mem.wr32(at + 16 * i + 8, s.len);
		host->mem.wr32(at + 16 * i + 12, s.lkey);
	}
	q.rq[q.pi] = l;
	q.pi++;
	host->mem.wr32(q.dbr, q.pi);
}

// --------------------------------------------------------------------------------------------------------- simulation
struct Acc { u32 qpn, dw, wdata, wmask; bool inval; };
static std::deque<Acc> accs;
static std::deque<u32> acc_got;
static bool acc_out;
static std::deque<std::pair<u32, u32>> rerrs, overs;       // qpn, psn
static std::deque<u32> qerrs_in, losts;
static std::deque<u64> rq_dbs;
static tb::Pace *p_rxd, *p_cq, *p_ev, *p_job, *p_qerr;
static u64 counts[64];
static std::function<void(u32, u32)> on_ack;        // psn, aeth
static std::function<void()> on_cqe;
static std::deque<std::pair<u64, Qp *>> lates;      // receive WQEs that the host posts while packets are on their way
static u64 n_credits, n_late;
static u64 n_jobs, n_cqes, n_events, n_naks, n_rnr, n_reads, n_flush, n_err, n_after;
static bool rx_valid, acc_valid, rerr_valid, over_valid, lost_valid, qerr_valid, db_valid;
static tb::Sink<bytes> *dummy;

struct Held { bool on = false; bytes b; };
static Held h_cq, h_ev, h_job, h_pl, h_qerr;
template <class T> static void stable(Held &h, bool valid, bool ready, const T &sig, unsigned bits, const char *what)
{
	bytes b = get_all(sig, bits);
	if (h.on) { CHECK(valid, "%s: a stalled beat vanished", what); CHECK(b == h.b, "%s: a stalled beat changed", what); }
	h.on = valid && !ready;
	h.b = b;
}

static Qp &find(u32 qpn)
{
	for (auto &q : qps) if (q.qpn == qpn) return q;
	FAIL("no QP 0x%x", qpn);
}

static void got_job()
{
	bytes b = get_all(d->rjob_o, OHCA_RJOB_BITS);
	Qp &q = find(u32(BF(b, OHCA_RJOB_QPN)));
	CHECK(!q.jobs.empty(), "qp %u: a job too many: kind %u psn %06x aeth %08x", q.qpn, unsigned(BF(b, OHCA_RJOB_KIND)), unsigned(BF(b, OHCA_RJOB_PSN)), unsigned(BF(b, OHCA_RJOB_AETH)));
	Job j = q.jobs.front();
	q.jobs.pop_front();
	CHECK_EQ(BF(b, OHCA_RJOB_PSN), j.psn, "job psn");
	const u32 aeth = u32(BF(b, OHCA_RJOB_AETH));
	if (j.nak) CHECK_EQ(aeth, j.aeth, "job aeth");
	else {
		// What is posted beyond the MSN, as far as it is known; no packet goes by an index that has no receive WQE for it.
		bool fits = false;
		CHECK_EQ(aeth & 0xffffff, j.aeth, "msn of an acknowledgement");
		CHECK(aeth >> 24 < 31, "qp %u: syndrome %02x", q.qpn, aeth >> 24);
		for (u16 pi : q.known) {
			u16 there = u16(pi - j.before), n = there > (1u << q.log_size) ? 0 : there;
			if (j.take && !n) continue;
			n = n ? u16(n - u16(j.after - j.before)) : 0;
			u32 code = credit_code_of(n);
			fits = fits || code == aeth >> 24;
			if (code == aeth >> 24 && code) n_credits++;
		}
		CHECK(fits, "qp %u: %u credits to index %u, %u posted", q.qpn, kCredits[aeth >> 24], j.after, q.pi);
		if (on_ack) on_ack(j.psn, aeth);
	}
	CHECK_EQ(BF(b, OHCA_RJOB_KIND), j.read ? OHCA_RJK_READ : OHCA_RJK_ACK, "job kind");
	if (!j.read) CHECK_EQ(BF(b, OHCA_RJOB_NAK), j.nak, "job nak");
	if (j.read) {
		CHECK_EQ(BF(b, OHCA_RJOB_VA), j.va, "job va");
		CHECK_EQ(BF(b, OHCA_RJOB_RKEY), j.rkey, "job rkey");
		CHECK_EQ(BF(b, OHCA_RJOB_LEN), j.len, "job len");
		CHECK_EQ(BF(b, OHCA_RJOB_LIM), j.lim, "job lim");
		n_reads++;
	}
	CHECK_EQ(BF(b, OHCA_RJOB_PD), q.pd, "job pd");
	CHECK_EQ(BF(b, OHCA_RJOB_MTU), q.mtu, "job mtu");
	CHECK_EQ(BF(b, OHCA_RJOB_DQPN), q.dqpn, "job dqpn");
	CHECK_EQ(BF(b, OHCA_RJOB_PKEY_INDEX), q.pkey_index, "job pkey index");
	for (unsigned i = 0; i < 40; i++) CHECK_EQ(bits_of(b, OHCA_RJOB_AV_LSB + 8 * i, 8), q.av[i], "job av");
	n_jobs++;
	if (j.nak) n_naks++;
	if (j.nak && (j.aeth >> 29) == 1) n_rnr++;
}
static void got_cqe()
{
	bytes b = get_all(d->cq_o, OHCA_CQ_REQ_BITS);
	Qp &q = find(u32(BF(b, OHCA_CQ_REQ_QPN)));
	CHECK(!q.cqes.empty(), "qp %u: a CQE too many: idx %u status %u", q.qpn, unsigned(BF(b, OHCA_CQ_REQ_IDX)), unsigned(BF(b, OHCA_CQ_REQ_STATUS)));
	Cqe c = q.cqes.front();
	q.cqes.pop_front();
	CHECK_EQ(BF(b, OHCA_CQ_REQ_IDX), c.idx, "cqe idx");
	CHECK_EQ(BF(b, OHCA_CQ_REQ_STATUS), c.status, "cqe status");
	CHECK_EQ(BF(b, OHCA_CQ_REQ_OPCODE), c.op, "cqe opcode");
	CHECK_EQ(BF(b, OHCA_CQ_REQ_CQN), q.cqn, "cqe cqn");
	CHECK_EQ(BF(b, OHCA_CQ_REQ_RECV), 1, "cqe recv");
	if (!c.any_verr) CHECK_EQ(BF(b, OHCA_CQ_REQ_VERR), c.verr, "cqe verr");
	else CHECK(BF(b, OHCA_CQ_REQ_VERR) != 0, "cqe without cause");
	if (c.status == 0) {
		CHECK_EQ(BF(b, OHCA_CQ_REQ_SOLICITED), c.solicited, "cqe solicited");
		CHECK_EQ(BF(b, OHCA_CQ_REQ_BYTE_LEN), c.byte_len, "cqe byte_len");
		if (c.op != OHCA_WC_OP_RECV) CHECK_EQ(BF(b, OHCA_CQ_REQ_IMM), c.imm, "cqe imm");
		if (q.type != RC) {
			CHECK_EQ(BF(b, OHCA_CQ_REQ_SRC_QP), c.src_qp, "cqe src_qp");
			CHECK_EQ(BF(b, OHCA_CQ_REQ_SLID), c.slid, "cqe slid");
			CHECK_EQ(BF(b, OHCA_CQ_REQ_SL), c.sl, "cqe sl");
			CHECK_EQ(BF(b, OHCA_CQ_REQ_GRH), c.grh, "cqe grh");
			CHECK_EQ(BF(b, OHCA_CQ_REQ_PATH_BITS), c.path_bits, "cqe path bits");
			if (q.type != SMI) CHECK_EQ(BF(b, OHCA_CQ_REQ_PKEY_INDEX), c.pkey_index, "cqe pkey index");
		}
	} else if (c.status == OHCA_WC_STATUS_WR_FLUSH) n_flush++;
	else n_err++;
	n_cqes++;
	if (on_cqe) on_cqe();
}
static void got_event()
{
	bytes b = get_all(d->ev_o, OHCA_EV_REQ_BITS);
	Qp &q = find(u32(BF(b, OHCA_EV_REQ_NUM)));
	CHECK(!q.events.empty(), "qp %u: an event too many: %u", q.qpn, unsigned(BF(b, OHCA_EV_REQ_ETYPE)));
	CHECK_EQ(BF(b, OHCA_EV_REQ_ETYPE), q.events.front(), "event");
	q.events.pop_front();
	n_events++;
}

static void step()
{
	u64 now = bench->now();
	for (; !lates.empty() && lates.front().first <= now; lates.pop_front(), n_late++) post(*lates.front().second, 4 * 4096, true);
	bench->cycle([&] {
		host->drive<true>(now);
		place->drive(now);
		if (!rx_valid) {
			rx_valid = !inject.empty() && !slots.empty() && p_rxd->go();
			if (rx_valid) PF(inject.front().rxd, OHCA_RXD_SLOT, slots.front());
		}
		d->rxd_valid_i = rx_valid;
		if (rx_valid) tb::set_bytes(d->rxd_i, inject.front().rxd.data(), inject.front().rxd.size());
		if (!acc_valid) acc_valid = !accs.empty() && !acc_out && rng.chance(30);
		d->acc_valid_i = acc_valid;
		if (acc_valid) {
			Acc &a = accs.front();
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_PART, OHCA_CTX_PART_RSC);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_INVAL, a.inval);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_NUM, a.qpn);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_DW, a.dw);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_WDATA, a.wdata);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_WMASK, a.wmask);
		}
		rerr_valid = !rerrs.empty();
		BITS(d->rerr_i, OHCA_QP_FAULT_VALID) = rerr_valid;
		if (rerr_valid) { BITS(d->rerr_i, OHCA_QP_FAULT_QPN) = rerrs.front().first; BITS(d->rerr_i, OHCA_QP_FAULT_PSN) = rerrs.front().second; }
		lost_valid = !losts.empty();
		BITS(d->lost_i, OHCA_QP_FAULT_VALID) = lost_valid;
		if (lost_valid) BITS(d->lost_i, OHCA_QP_FAULT_QPN) = losts.front();
		over_valid = !overs.empty();
		BITS(d->over_i, OHCA_QP_FAULT_VALID) = over_valid;
		if (over_valid) { BITS(d->over_i, OHCA_QP_FAULT_QPN) = overs.front().first; BITS(d->over_i, OHCA_QP_FAULT_PSN) = overs.front().second; }
		qerr_valid = !qerrs_in.empty();
		d->qerr_valid_i = qerr_valid;
		if (qerr_valid) d->qerr_qpn_i = qerrs_in.front();
		db_valid = !rq_dbs.empty();
		d->rq_db_valid_i = db_valid;
		if (db_valid) d->rq_db_i = rq_dbs.front();
		d->cq_ready_i = p_cq->go();
		d->ev_ready_i = p_ev->go();
		d->rjob_ready_i = p_job->go();
		d->qerr_ready_i = p_qerr->go();
		d->eval();
		d->pkey_i = d->pkey_idx_o < 32 ? pkeys[d->pkey_idx_o] : 0;
		tb::set_bytes(d->pkeys_i, reinterpret_cast<u8 *>(pkeys), sizeof pkeys);
	}, [&] {
		host->sample<true>(now);
		place->sample(now);
		stable(h_cq, d->cq_valid_o, d->cq_ready_i, d->cq_o, OHCA_CQ_REQ_BITS, "cq");
		stable(h_ev, d->ev_valid_o, d->ev_ready_i, d->ev_o, OHCA_EV_REQ_BITS, "ev");
		stable(h_job, d->rjob_valid_o, d->rjob_ready_i, d->rjob_o, OHCA_RJOB_BITS, "rjob");
		stable(h_pl, d->pl_req_valid_o, d->pl_req_ready_i, d->pl_req_o, OHCA_PL_REQ_BITS, "pl_req");
		for (unsigned i = 0; i < 64; i++) counts[i] += d->cnt_o >> i & 1;
		if (d->rxd_valid_i && d->rxd_ready_o) { inject.pop_front(); rx_valid = false; slots.pop_front(); injected++; }
		if (d->acc_valid_i && d->acc_ready_o) { acc_valid = false; acc_out = true; accs.pop_front(); }
		if (BITS(d->acc_rsp_o, OHCA_ACC_RSP_VALID)) { CHECK(acc_out, "answer to no access"); CHECK(!BITS(d->acc_rsp_o, OHCA_ACC_RSP_ERR), "access error"); acc_got.push_back(BITS(d->acc_rsp_o, OHCA_ACC_RSP_RDATA)); acc_out = false; }
		if (rerr_valid) rerrs.pop_front();
		if (over_valid) overs.pop_front();
		if (lost_valid) losts.pop_front();
		if (qerr_valid && d->qerr_ready_o) qerrs_in.pop_front();
		if (db_valid && d->rq_db_ready_o) rq_dbs.pop_front();
		if (d->cq_valid_o && d->cq_ready_i) { got_cqe(); bench->progress(); }
		if (d->ev_valid_o && d->ev_ready_i) got_event();
		if (d->rjob_valid_o && d->rjob_ready_i) { got_job(); bench->progress(); }
		if (d->qerr_valid_o && d->qerr_ready_i) { Qp &q = find(d->qerr_qpn_o); CHECK(q.qerrs, "qp %u: an error report too many", q.qpn); q.qerrs--; }
		if (d->rel_valid_o) { slots.push_back(d->rel_slot_o); released++; bench->progress(); }
	});
}
static bool quiet()
{
	return inject.empty() && lates.empty() && accs.empty() && !acc_out && rerrs.empty() && overs.empty() && losts.empty() && qerrs_in.empty() && rq_dbs.empty() && d->idle_o && place->rsps.empty();
}
static void settle()
{
	bench->progress();
	unsigned q = 0;
	while (q < 4) { step(); q = quiet() ? q + 1 : 0; }
}
static u32 access(u32 qpn, u32 dw, u32 wdata = 0, u32 wmask = 0, bool inval = false)
{
	accs.push_back({qpn, dw, wdata, wmask, inval});
	while (!accs.empty() || acc_out) { bench->progress(); step(); }
	u32 v = acc_got.back();
	acc_got.clear();
	return v;
}
static void check_ctx(Qp &q)
{
	bool iv = rng.chance(30);
	u32 w0 = access(q.qpn, 0, 0, 0, iv), w8 = access(q.qpn, 8), w10 = access(q.qpn, 10), w11 = access(q.qpn, 11);
	CHECK_EQ(w0 & 7, q.state, "state in context");
	CHECK_EQ(w8 >> 16, q.head, "head in context");
	if (q.type == RC && q.state != ERR) {
		CHECK_EQ(w10 & 0xffffff, q.epsn, "epsn in context");
		CHECK_EQ(w10 >> 24 & 3, q.cur_op, "cur_op in context");
		CHECK_EQ(w10 >> 26 & 1, q.nak, "nak_sent in context");
		CHECK_EQ(w11 & 0xffffff, q.msn, "msn in context");
	}
}
static void install(Qp &q)
{   // as firmware does: the cold half in host memory, the hot one dword by dword, the state last
	enum { HOT = OHCA_QPC_HOT_BYTES / 4 };
	struct ohca_rsc c;
	u32 w[32];
	make_ctx(q, c);
	memcpy(w, &c, sizeof w);
	access(q.qpn, 0, 0, 7);                      // to RESET
	host->mem.put(ctx_addr(q.qpn) + OHCA_QPC_HOT_BYTES, w + HOT, sizeof w - 4 * HOT);
	access(q.qpn, 0, 0, 0, true);
	for (u32 i = 1; i < HOT; i++) access(q.qpn, i, w[i], ~0u);
	access(q.qpn, 0, w[0], ~0u);
}

// ---------------------------------------------------------------------------------------------------------- generator
// Each QP works through messages, packet by packet; now and then something goes wrong.
struct Gen { u32 op = 0, left = 0, total = 0, imm = 0; u64 va = 0; u32 key = 0; bool on = false; };
static std::map<u32, Gen> gens;

static bool next_req(Qp &q, Req &r)
{
	Gen &g = gens[q.qpn];
	r = Req{};
	r.ackreq = rng.chance(60);
	r.se = rng.chance(30);
	r.pkey = q.type == GSI ? pkeys[rng.below(32)] | (rng.chance(50) ? 0x8000 : 0) : pkeys[q.pkey_index] | 0x8000;
	r.slid = q.dlid;
	r.grh = q.grh;
	r.gidx = q.sgi;
	r.sl = u32(rng.below(16));
	r.dlid = u32(rng.bits(16)) & (q.type == RC && rng.chance(97) ? ~3u : ~0u);
	r.imm = u32(rng.next());
	r.srcqp = u32(rng.bits(24));
	r.qkey = q.qkey;
	if (q.type != RC) {
		r.op = rng.chance(30) ? 0x65 : 0x64;
		r.grh = rng.chance(40);
		r.gidx = rng.chance(20) ? 255 : u32(rng.below(16));
		r.slid = u32(rng.bits(16));
		r.vl15 = q.type == SMI;
		r.plen = q.type == UD ? (rng.chance(5) ? 0 : u32(rng.range(1, mtu_of(q)))) : rng.chance(95) ? 256 : 255;
		if (q.type != UD && rng.chance(90)) r.op = 0x64;
		if (rng.chance(3)) r.qkey ^= 1;
		if (rng.chance(3)) r.pkey ^= 0x0400;
		if (rng.chance(2)) r.op = 0x04;
		if (rng.chance(2)) r.vl15 = !r.vl15;
		r.psn = u32(rng.bits(24));
		r.pad = (0 - r.plen) & 3;
		return true;
	}
	u32 mtu = mtu_of(q);
	r.psn = q.epsn;
	if (q.nak && rng.chance(60)) { r.psn = (q.epsn + 1 + u32(rng.below(3))) & 0xffffff; r.op = 0x0a; r.plen = r.dmalen = 8; r.va = rng.bits(47); r.rkey = a_key(q, false); return true; }
	u32 what = u32(rng.below(100));
	if (what < 4) {                                                  // a gap
		r.psn = (q.epsn + 1 + u32(rng.below(5))) & 0xffffff; r.op = u32(rng.below(13)); r.plen = u32(rng.below(mtu));
		return true;
	}
	if (what < 12 && !(q.nak && q.stop)) {                           // a duplicate
		u32 back = u32(rng.range(1, 40));
		r.psn = (q.epsn - back) & 0xffffff;
		if (rng.chance(40)) { r.op = 12; r.va = rng.bits(47); r.rkey = a_key(q, rng.chance(10)); r.dmalen = rng.chance(10) ? 0 : u32(rng.below(back * mtu + mtu)); }
		else { r.op = u32(rng.below(12)); r.plen = u32(rng.below(mtu + 1)); r.dmalen = r.plen; }
		return true;
	}
	if (what < 15) { if (rng.chance(50)) r.pkey ^= 0x2000; else if (rng.chance(50)) r.slid ^= 1; else if (q.grh && rng.chance(60)) r.gidx = rng.chance(50) ? 255 : r.gidx ^ 1; else r.grh = !r.grh; r.op = 4; r.plen = 8; return true; }
	if (!g.on) {
		g.on = true;
		u32 k = u32(rng.below(10));
		g.op = k < 4 ? 0 : k < 8 ? 6 : 12;
		g.total = rng.chance(10) ? 0 : rng.chance(50) ? u32(rng.range(1, 64)) : u32(rng.range(1, 4 * mtu));
		g.left = g.total;
		g.imm = rng.chance(30);
		g.va = rng.bits(47);
		g.key = a_key(q, rng.chance(g.imm && g.op == 6 ? 8 : 2));
		if (g.op == 12) {
			if (rng.chance(50)) g.total = u32(rng.below(20 * mtu));
			r.op = 12; r.va = g.va; r.rkey = g.key; r.dmalen = g.total;
			if (rng.chance(1)) r.dmalen = 0x80000001u;
			g.on = false;
			return true;
		}
		bool single = g.left <= mtu;
		r.op = g.op + (single ? (4 + g.imm) : 0);
		r.dmalen = g.total; r.va = g.va; r.rkey = g.key;
		r.plen = std::min(g.left, mtu);
	} else {
		bool fin = g.left <= mtu;
		r.op = g.op + (fin ? 2 + g.imm : 1);
		r.plen = std::min(g.left, mtu);
	}
	r.pad = (0 - r.plen) & 3;
	if (rng.chance(2)) {                                             // a malformed one
		switch (rng.below(5)) {
		case 0: r.op = u32(rng.below(32)); if (r.op >= 13 && r.op <= 18) r.op = 0x13; break;
		case 1: r.plen = r.plen ? r.plen - 1 : 1; break;
		case 2: r.plen = std::min(r.plen + 1, 4096u); break;
		case 3: r.dmalen++; break;
		default: r.pad = 1;
		}
	}
	return true;
}
static void advance(Qp &q, const Req &r, u32 old_epsn)
{   // keep the generator in step with what the model accepted
	Gen &g = gens[q.qpn];
	if (q.type != RC || q.state == ERR) { g.on = false; return; }
	if (q.epsn == old_epsn || r.op == 12) { if (q.cur_op == 0) g.on = false; return; }
	g.left -= std::min(r.plen, g.left);
	if (q.cur_op == 0) g.on = false;
}

// What the bursts are for has happened often enough; they go on until it has.
static bool enough()
{
	return n_credits > 100 && n_late > 50 && n_rnr > 5 && n_naks > n_rnr && n_reads > 10 && n_flush > 10 && n_err > 5 && n_events > 5 && n_behind > 5 && n_imm > 0;
}

static void bursts(unsigned rounds)
{
	for (unsigned n = 0; n < rounds; n++) {
		want_wrote.clear(); want_checked.clear();
		place->wrote.clear(); place->checked.clear();
		std::vector<std::deque<Pkt>> per(qps.size());
		u64 total = 0;
		std::vector<std::pair<u64, Qp *>> more;
		for (size_t i = 0; i < qps.size(); i++) {
			Qp &q = qps[i];
			q.stop = false;
			if (q.state == ERR && rng.chance(60)) {
				if (rng.chance(50)) {                        // receives posted to a QP in error are flushed after a doorbell
					u32 room = (1u << q.log_size) - u16(q.pi - q.head);
					u32 k = u32(rng.below(room + 1));
					while (k--) post(q, 10);
					rq_dbs.push_back(u64(page_of(q.qpn)) << 40 | u64(q.qpn) << 16 | q.pi);
					flush(q);
				} else {
					fresh(q);
					gens[q.qpn] = Gen();
					install(q);
				}
			}
			const u16 begun = q.head;
			u32 room = (1u << q.log_size) - u16(q.pi - q.head);
			for (u32 k = u32(rng.chance(TB_JOB_DEPTH < 64 ? 50 : 30) ? 0 : rng.below(std::min(room, 12u) + 1)); k; k--)
				if (q.state != ERR) post(q, rng.chance(85) ? (q.type == RC ? 4 * mtu_of(q) : 40 + std::max(256u, mtu_of(q))) : u32(rng.below(3 * mtu_of(q))));
			u32 special = u32(rng.below(100));
			if (special < 2 && q.type == RC && q.state != ERR) { rerrs.push_back({q.qpn, 0x123456}); refuse(q, 0x123456, 0x63, q.msn); q.events.push_back(OHCA_EQE_TYPE_QP_FATAL); to_err(q, true); continue; }
			if (special >= 5 && special < 7 && q.state != ERR) {         // payload that the host refused, be it of a datagram
				losts.push_back(q.qpn);
				if (q.type == RC) refuse(q, q.epsn, 0x63, q.msn);
				q.events.push_back(OHCA_EQE_TYPE_QP_FATAL);
				to_err(q, true);
				continue;
			}
			if (special < 5 && special >= 4 && q.type == RC && q.state != ERR) {
				overs.push_back({q.qpn, 0x654321});
				refuse(q, 0x654321, 0x61, q.msn);
				q.events.push_back(OHCA_EQE_TYPE_QP_REQ_ERR);
				to_err(q, true);
				continue;
			}
			if (special < 3) { qerrs_in.push_back(q.qpn); if (q.state != ERR) to_err(q, false); continue; }
			if (special < 4 && q.state != ERR) { accs.push_back({q.qpn, 0, ERR, 7, false}); to_err(q, false); continue; }
			u32 k = u32(rng.below(TB_JOB_DEPTH < 64 ? 3 : 12));
			bool burst_rnr = false;
			for (; k && !q.stop && total < (TB_JOB_DEPTH < 64 ? 24 : 100); k--) {
				Req r;
				next_req(q, r);
				// After an RNR or a gap inside a burst what comes next must not depend on when it comes.
				if (burst_rnr && diff24(r.psn, q.epsn) <= 0) continue;
				Pkt p = build(q, r);
				u32 base = u32(rng.below(128)) * 4 + u32(total % 120) * 8192;
				PF(p.rxd, OHCA_RXD_BASE, base);
				u32 old = q.epsn;
				size_t jobs = q.jobs.size();
				model(q, r, base);
				advance(q, r, old);
				if (q.jobs.size() > jobs && q.jobs.back().nak && (q.jobs.back().aeth >> 29) == 1) burst_rnr = true;
				per[i].push_back(p);
				total++;
				// Nothing that follows a refused packet closely is written either, be it what comes next or something else of the same PSN.
				if (q.state == ERR) {
					for (u32 t = u32(rng.below(5)), psn = r.psn; t && total < (TB_JOB_DEPTH < 64 ? 24 : 100); t--) {
						Req x = r;
						bool more = q.type == RC && (r.op == 6 || r.op == 7 || r.op == 0 || r.op == 1) && rng.chance(50);
						u32 kind = r.op < 6 ? 0 : 6;
						if (!more || rng.chance(90)) psn = (psn + (q.type != RC || rng.chance(80))) & 0xffffff;
						x.psn = psn;
						if (q.type == RC) {
							x.op = more ? (t == 1 ? kind + 2 : kind + 1) : rng.chance(80) ? 10 : 4;
							x.plen = more ? mtu_of(q) : 8;
							x.dmalen = 8;
							x.va = rng.bits(47);
							x.rkey = a_key(q, false);
						} else {
							x.plen = q.type == UD ? 8 : 256;
						}
						x.pad = 0; x.slid = q.dlid; x.grh = q.type == RC ? q.grh : r.grh; x.pkey = pkeys[q.pkey_index] | 0x8000;
						Pkt y = build(q, x);
						PF(y.rxd, OHCA_RXD_BASE, u32(total % 120) * 8192);
						per[i].push_back(y);
						total++;
						n_after++;
					}
				}
			}
			// Others are posted while all this happens: they change the credits, and nothing else.
			room = (1u << q.log_size) - u16(q.pi - begun);
			if (q.type == RC && q.state != ERR && !q.stop && !burst_rnr && rng.chance(TB_JOB_DEPTH < 64 ? 15 : 50))
				for (u32 t = u32(rng.below(std::min(room, 4u) + 1)); t; t--) more.push_back({bench->now() + rng.below(TB_JOB_DEPTH < 64 ? 300 : 1200), &q});
		}
		std::sort(more.begin(), more.end());
		lates.assign(more.begin(), more.end());
		for (u64 left = total; left;) {
			size_t i = rng.below(per.size());
			if (per[i].empty()) continue;
			unsigned run = unsigned(rng.range(1, 6));
			while (run-- && !per[i].empty()) { inject.push_back(per[i].front()); per[i].pop_front(); left--; }
		}
		for (u32 k = 0; k < 2; k++) if (rng.chance(20)) accs.push_back({qps[rng.below(qps.size())].qpn, u32(rng.below(32)), 0, 0, rng.chance(50)});
		host->lat_lo = u32(rng.range(1, 40)); host->lat_hi = host->lat_lo + u32(rng.range(0, 100));
		// Slots are given in injection order: written into the packet when it goes.
		settle();
		acc_got.clear();
		for (auto &q : qps) {
			if (q.type == RC && q.state != ERR && q.known.size() > 1) {
				u16 pi = u16(access(q.qpn, 9));
				CHECK(q.known.count(pi), "qp %u: producer index %u in the context was never read", q.qpn, pi);
				q.known = {pi};
			}
			CHECK(q.jobs.empty(), "qp %u: %zu jobs missing, first psn %06x aeth %08x", q.qpn, q.jobs.size(), q.jobs.front().psn, q.jobs.front().aeth);
			CHECK(q.cqes.empty(), "qp %u: %zu CQEs missing, first idx %u status %u", q.qpn, q.cqes.size(), q.cqes.front().idx, q.cqes.front().status);
			CHECK(q.events.empty(), "qp %u: event %u missing", q.qpn, q.events.front());
			CHECK_EQ(q.qerrs, 0, "errors not reported");
		}
		for (auto &w : want_wrote) {
			auto i = place->wrote.find(w.first);
			CHECK(i != place->wrote.end(), "key %08x va %llx: not written", w.first.first, (unsigned long long)w.first.second);
			CHECK_EQ(i->second, w.second, "byte from the wrong place");
		}
		for (auto &w : place->wrote) CHECK(want_wrote.count(w.first), "key %08x va %llx: written", w.first.first, (unsigned long long)w.first.second);
		for (auto &w : want_checked) CHECK_EQ(place->checked[w.first], w.second, "READ checks");
		CHECK_EQ(released, injected, "every slot released");
		for (auto &q : qps) if (rng.chance(20)) check_ctx(q);
		if (bench->now() > bench->cycles && (enough() || bench->now() > 4 * bench->cycles)) break;
	}
}

// Cycles per packet on context hits, nothing stalling; and the latency to the placement request.
static void speed(const char *what, unsigned nqp, u32 op, u32 plen, bool dbr_known)
{
	std::vector<Qp *> use;
	for (auto &q : qps) if (q.type == RC && use.size() < nqp) use.push_back(&q);
	for (auto *q : use) { fresh(*q); q->state = RTS; q->est = true; q->acc_w = q->acc_r = true; q->max_rd = 16; q->log_size = 6; q->log_stride = 4; q->mtu = 5; install(*q); gens[q->qpn] = Gen(); }
	host->lat_lo = host->lat_hi = 30;
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(1);
	place->lat_lo = place->lat_hi = 10;
	want_wrote.clear(); place->wrote.clear();
	u64 t0 = 0, n = 0, lat = 0, got0 = 0;
	for (unsigned round = 0; round < 2; round++) {
		unsigned total = 56;
		for (unsigned i = 0; i < total; i++) {
			Qp &q = *use[i % use.size()];
			if (op <= 5 && u16(q.pi - q.head) == 0) for (unsigned k = 0; k < (dbr_known ? 56 / nqp : 1); k++) { post(q, 4096); for (auto &s : q.rq[u16(q.pi - 1)]) if ((s.lkey & 0xff) == 0xbd) s.lkey ^= 1; u64 at = (q.buf_mtt ? RING_BUS : 0) + q.ring + ((u64(u16(q.pi - 1)) & 63) << 4); host->mem.wr32(at + 12, q.rq[u16(q.pi - 1)][0].lkey); }
			Req r = {};
			r.op = op; r.psn = q.epsn; r.plen = plen; r.dmalen = plen; r.ackreq = 1; r.pkey = pkeys[q.pkey_index] | 0x8000; r.slid = q.dlid; r.grh = q.grh; r.gidx = q.sgi;
			r.va = rng.bits(47); r.rkey = a_key(q, false);
			Pkt p = build(q, r);
			u32 base = i * 8192;
			PF(p.rxd, OHCA_RXD_BASE, base);
			model(q, r, base);
			inject.push_back(p);
		}
		n = total;
		t0 = bench->now();
		got0 = place->packets;
		lat = 0;
		while (released != injected || !inject.empty()) {
			step();
			if (!lat && place->packets > got0) lat = bench->now() - t0;
		}
		u64 t = bench->now() - t0;
		settle();
		if (round) printf("# %s, %u QPs: %.1f cycles a packet, first placement request after %llu\n", what, nqp, double(t - lat) / double(n), (unsigned long long)lat);
	}
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(-1);
	place->lat_lo = 3; place->lat_hi = 40;
}

// A sender that keeps to the credits, and a host that posts a receive WQE anew some time after each completion: the credits go on before they are used up,
// so the sender waits for none after the first, and the doorbell record is not read for every message.
static void credits()
{
	Qp &q = *[&] { for (auto &x : qps) if (x.type == RC) return &x; return &qps[0]; }();
	fresh(q);
	q.state = RTS; q.est = true; q.log_size = 6; q.log_stride = 4; q.mtu = 5;
	install(q);
	host->lat_lo = host->lat_hi = 30;
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(1);
	place->lat_lo = place->lat_hi = 10;
	while (u16(q.pi - q.head) < 64) post(q, 4096, true);
	const u32 total = 600, first = q.epsn;
	u32 sent = 0, done = 0, limit = 0, alone = 0, most = 0;
	u64 waited = 0, next = 0, reads = host->reads[2], due = bench->now();
	std::deque<std::pair<u64, u32>> acks;            // when they come to the sender, AETH
	on_ack = [&](u32 psn, u32 aeth) { CHECK_EQ(psn, (first + (aeth & 0xffffff) - 1) & 0xffffff, "psn of an ACK"); acks.push_back({bench->now() + 120, aeth}); };
	on_cqe = [&] { lates.push_back({bench->now() + 150, &q}); };
	while (done < total) {
		for (; !acks.empty() && acks.front().first <= bench->now(); acks.pop_front()) {
			u32 a = acks.front().second;
			done = a & 0xffffff;
			limit = std::max(limit, done + kCredits[a >> 24]);
			most = std::max(most, kCredits[a >> 24]);
		}
		if (sent < total && bench->now() >= next) {
			if (sent < limit || sent == done) {
				Req r = {};
				r.op = 4; r.psn = q.epsn; r.plen = 8; r.ackreq = 1; r.pkey = pkeys[q.pkey_index] | 0x8000; r.slid = q.dlid; r.grh = q.grh; r.gidx = q.sgi;
				Pkt p = build(q, r);
				u32 base = (sent % 120) * 8192;
				PF(p.rxd, OHCA_RXD_BASE, base);
				CHECK(q.head != q.pi, "nothing posted");
				model(q, r, base);
				inject.push_back(p);
				alone += sent >= limit;
				sent++;
				next = bench->now() + (TB_COMPACT ? 20 : 14);          // what it takes one in
			} else waited++;
		}
		step();
	}
	printf("# %u SENDs in %llu cycles, %llu of them without credits, %llu reads of the doorbell record\n", total, (unsigned long long)(bench->now() - due),
	       (unsigned long long)waited, (unsigned long long)(host->reads[2] - reads));
	on_ack = nullptr;
	on_cqe = nullptr;
	settle();
	CHECK_EQ(alone, 1, "SENDs beyond the credits");
	CHECK(waited < 300, "the sender waited %llu cycles for credits", (unsigned long long)waited);
	CHECK(most >= 48, "never more than %u credits", most);
	CHECK(host->reads[2] - reads < total / 8 + 16, "%llu reads of the doorbell record", (unsigned long long)(host->reads[2] - reads));
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(-1);
	place->lat_lo = 3; place->lat_hi = 40;
	want_wrote.clear();
}

// The response engine takes nothing: packets wait a while, then they are dropped as if lost, nothing stalls for ever, and the context still tells the truth.
static void no_room()
{
	Qp &q = *[&] { for (auto &x : qps) if (x.type == RC) return &x; return &qps[0]; }();
	fresh(q);
	q.state = RTS; q.est = true; q.acc_w = true;
	install(q);
	Qp &other = *[&] { for (auto &x : qps) if (x.type == RC && &x != &q) return &x; return &qps[0]; }();
	fresh(other);
	other.state = RTS;
	install(other);
	p_job->always(0);
	u64 full0 = counts[OHCA_COUNTER_RESP_FULL];
	unsigned total = 3 * TB_JOB_DEPTH;
	u32 first = q.epsn;
	for (unsigned i = 0; i < total; i++) {
		Req r = {};
		r.op = 10; r.psn = (first + i) & 0xffffff; r.plen = r.dmalen = 8; r.ackreq = 1; r.pkey = pkeys[q.pkey_index] | 0x8000; r.slid = q.dlid; r.grh = q.grh; r.gidx = q.sgi;
		r.va = rng.bits(47); r.rkey = a_key(q, false);
		Pkt p = build(q, r);
		PF(p.rxd, OHCA_RXD_BASE, (i % 120) * 8192);
		inject.push_back(p);
	}
	// Meanwhile a READ of another QP turns out to be unreadable: nobody waits for that to be taken, and its NAK is not lost.
	bench->progress();
	for (unsigned k = 0; k < 2000; k++) { bench->progress(); step(); }
	rerrs.push_back({other.qpn, 0x777777});
	refuse(other, 0x777777, 0x63, 0);
	other.events.push_back(OHCA_EQE_TYPE_QP_FATAL);
	to_err(other, true);
	bench->progress();
	// Answers leave: that counts; then none does.
	for (unsigned n = 0; n < 3; n++) {
		for (unsigned k = 0; k < 20000; k++) { bench->progress(); step(); }
		d->rjob_moved_i = 1;
		step();
		d->rjob_moved_i = 0;
	}
	for (unsigned k = 0; k < 30000; k++) { bench->progress(); step(); }
	CHECK_EQ(counts[OHCA_COUNTER_RESP_FULL], full0, "dropped before they had waited for room");
	// Nothing but packets waits: the management core gets its answers, and doorbells go by.
	u64 t0 = bench->now();
	access(other.qpn, 8);
	CHECK(bench->now() - t0 < 1000, "an access waited %llu cycles behind packets", (unsigned long long)(bench->now() - t0));
	for (unsigned k = 0; k < 3000; k++) { bench->progress(); step(); }
	while (!inject.empty() || released != injected) step();
	CHECK(counts[OHCA_COUNTER_RESP_FULL] > full0, "nothing was dropped");
	u32 epsn = access(q.qpn, 10) & 0xffffff;
	u32 done = (epsn - first) & 0xffffff;
	CHECK(done >= TB_JOB_DEPTH / 2 && done <= TB_JOB_DEPTH, "%u accepted", done);
	for (u32 i = 0; i < done; i++) { q.msn = i + 1; ack(q, (first + i) & 0xffffff, 0, 0, false); }
	// What follows the lost ones is out of sequence; whether that NAK found room depends on when it came.
	q.epsn = epsn; q.msn = done;
	p_job->always(-1);
	bool nak = access(q.qpn, 10) >> 26 & 1;
	if (nak) refuse(q, epsn, 0x60, done);
	q.nak = nak;
	settle();
	CHECK(q.jobs.empty(), "%zu jobs missing", q.jobs.size());
	CHECK(other.jobs.empty(), "the NAK of a READ that failed meanwhile is missing");
	CHECK(other.events.empty(), "and its event");
	CHECK_EQ(other.qerrs, 0, "and its report");
	want_wrote.clear();
}

// The doorbell record cannot be read: an error of the receive queue, which is not a want of receive WQEs (IBA 9.9.3), be it a SEND, a WRITE
// with immediate data or a datagram; nothing behind it is written.
static void record_lost()
{
	for (unsigned n = 0; n < 6; n++) {
		const bool dg = n % 3 == 2;
		Qp &q = *[&] { for (auto &x : qps) if (x.type == (dg ? u32(UD) : u32(RC))) return &x; return &qps[0]; }();
		fresh(q);
		q.state = RTS; q.est = true; q.acc_w = true;
		gens[q.qpn] = Gen();
		install(q);
		want_wrote.clear(); place->wrote.clear();
		const u64 dbr = q.dbr;
		host->bad_read = [dbr](u64 a) { return a == dbr; };
		for (unsigned i = 0; i < 3; i++) {
			Req r = {};
			r.op = dg ? 0x64 : i ? 10 : n & 1 ? 11 : 4; r.psn = (q.epsn + i) & 0xffffff; r.plen = r.dmalen = 8; r.ackreq = 1; r.pkey = pkeys[q.pkey_index] | 0x8000;
			r.slid = q.dlid; r.grh = q.grh; r.gidx = q.sgi; r.qkey = q.qkey; r.va = rng.bits(47); r.rkey = a_key(q, false);
			Pkt p = build(q, r);
			PF(p.rxd, OHCA_RXD_BASE, i * 8192);
			inject.push_back(p);
		}
		if (!dg) refuse(q, q.epsn, 0x63, q.msn);
		q.events.push_back(OHCA_EQE_TYPE_QP_FATAL);
		to_err(q, true);
		settle();
		CHECK(q.jobs.empty() && q.events.empty() && q.cqes.empty(), "type %u: the error of its doorbell record was not told of", q.type);
		CHECK_EQ(q.qerrs, 0, "error not reported to the requester side");
		CHECK(place->wrote.empty(), "something was written");
		check_ctx(q);
		host->bad_read = [](u64) { return false; };
	}
}

// A QP is reset while its packets are being placed, or its receives flushed: once the access has been answered nothing of it comes any more, be it a completion,
// an answer, an event or a report to the other engine; what others do meanwhile is not touched, and the QP can be used afresh at once.
static void resets()
{
	Qp *rc[2] = {};
	Qp *dg = nullptr;
	for (auto &x : qps) {
		if (x.type == RC) { if (!rc[0]) rc[0] = &x; else if (!rc[1]) rc[1] = &x; }
		if (x.type == UD) dg = &x;
	}
	Qp &other = *rc[1];
	for (unsigned n = 0; n < 24; n++) {
		const unsigned kind = n % 4;                     // packets: good ones, a bad key, datagrams; flushes
		Qp &q = kind == 2 ? *dg : *rc[0];
		for (Qp *x : {&q, &other}) {
			fresh(*x);
			x->state = RTS; x->est = true; x->acc_w = true; x->log_size = 6; x->log_stride = 4; x->mtu = 5;
			gens[x->qpn] = Gen();
			install(*x);
			while (u16(x->pi - x->head) < 16) post(*x, 4096, true);
		}
		want_wrote.clear(); place->wrote.clear();
		for (auto *p : {p_rxd, p_ev, p_job, p_qerr, &place->pace}) p->always(1);
		p_cq->always(n % 8 < 4);
		place->lat_lo = place->lat_hi = 3000;
		host->lat_lo = host->lat_hi = 5;
		const u64 begun = place->packets;
		for (unsigned i = 0; i < 8; i++) {
			Qp &x = i & 1 ? other : q;
			if (kind == 3) continue;                 // their completions would stand in front
			Req r = {};
			r.op = x.type == UD ? 0x64 : i & 2 ? 11 : 4; r.psn = x.type == UD ? 0 : (x.epsn + (&x == &q ? i / 2 : 0)) & 0xffffff;
			r.plen = r.dmalen = 8; r.ackreq = 1; r.pkey = pkeys[x.pkey_index] | 0x8000; r.slid = x.dlid;
			r.grh = x.grh; r.gidx = x.sgi; r.qkey = x.qkey; r.va = rng.bits(47); r.rkey = a_key(x, &x == &q && kind == 1);
			Pkt p = build(x, r);
			u32 base = i * 8192;
			PF(p.rxd, OHCA_RXD_BASE, base);
			if (&x == &other) model(x, r, base);
			inject.push_back(p);
		}
		bench->progress();
		if (kind == 3) {
			access(q.qpn, 0, ERR, 7);
			flush(q);                                // some of these may come before the answer
			while (p_cq->go() ? q.cqes.size() > 12 : !d->cq_valid_o) { bench->progress(); step(); }
		} else while (place->packets < begun + 5) { bench->progress(); step(); }
		// The CQ that takes nothing for a while has completions of this QP in front of it: the access waits for them.
		accs.push_back({q.qpn, 0, RESET, 7, false});
		for (unsigned k = 0; k < 100; k++) { bench->progress(); step(); }
		for (unsigned k = 0; !accs.empty() || acc_out; k++) { bench->progress(); p_cq->always(k % 16 == 15); step(); }
		p_cq->always(1);
		acc_got.clear();
		q.cqes.clear();
		q.state = RESET;
		place->lat_lo = 3; place->lat_hi = 40;
		settle();
		CHECK(other.cqes.empty() && other.jobs.empty() && other.events.empty(), "what came from others was lost by a reset");
		CHECK_EQ(access(q.qpn, 0) & 7, RESET, "state in context");
	}
	// Datagrams without a receive WQE are counted each, be they one after the other or together.
	fresh(*dg);
	gens[dg->qpn] = Gen();
	install(*dg);
	const u64 dropped = counts[OHCA_COUNTER_RX_UD_DROP];
	for (unsigned i = 0; i < 40; i++) {
		Req r = {};
		r.op = 0x64; r.plen = 8; r.pkey = pkeys[dg->pkey_index] | 0x8000; r.qkey = dg->qkey;
		inject.push_back(build(*dg, r));
	}
	settle();
	CHECK_EQ(counts[OHCA_COUNTER_RX_UD_DROP] - dropped, 40, "datagrams dropped and counted");
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(-1);
	want_wrote.clear(); place->wrote.clear();
}

// Answers that wait long are still their own when many requests that want none have gone by.
static void held_jobs()
{
	Qp *rc[2] = {};
	for (auto &x : qps) if (x.type == RC) { if (!rc[0]) rc[0] = &x; else if (!rc[1]) rc[1] = &x; }
	for (Qp *x : rc) {
		fresh(*x);
		x->state = RTS; x->est = true; x->acc_w = true;
		gens[x->qpn] = Gen();
		install(*x);
	}
	want_wrote.clear(); place->wrote.clear();
	for (auto *p : {p_rxd, p_cq, p_ev, p_qerr, &place->pace}) p->always(1);
	p_job->always(0);
	for (unsigned i = 0; i < 80; i++) {
		Qp &x = *rc[i >= 8];
		Req r = {};
		r.op = 10; r.psn = x.epsn; r.plen = r.dmalen = 8; r.ackreq = i < 8; r.pkey = pkeys[x.pkey_index] | 0x8000;
		r.slid = x.dlid; r.grh = x.grh; r.gidx = x.sgi; r.va = rng.bits(47); r.rkey = a_key(x, false);
		Pkt p = build(x, r);
		PF(p.rxd, OHCA_RXD_BASE, i * 8192);
		model(x, r, i * 8192);
		inject.push_back(p);
	}
	while (released != injected || !inject.empty()) step();
	CHECK_EQ(rc[0]->jobs.size(), 8, "answers wait");
	p_job->always(-1);
	settle();
	CHECK(rc[0]->jobs.empty() && rc[1]->jobs.empty(), "answers are missing");
	for (Qp *x : rc) check_ctx(*x);
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(-1);
	want_wrote.clear(); place->wrote.clear();
}

// A management datagram whose P_Key is not in the table, and an access of the management core, hold the commit up no longer than a packet or two do.
static void short_stalls()
{
	Qp &q = *[&] { for (auto &x : qps) if (x.type == GSI) return &x; return &qps[0]; }();
	fresh(q);
	q.state = RTS;
	install(q);
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(1);
	for (unsigned i = 0; i < 60; i++) {
		Req r = {};
		r.op = 0x64; r.plen = 256; r.pkey = 0x9abc; r.slid = 5; r.qkey = q.qkey;
		inject.push_back(build(q, r));
	}
	u64 t0 = bench->now(), dropped = counts[OHCA_COUNTER_RX_PKEY];
	while (released != injected || !inject.empty()) step();
	double per = double(bench->now() - t0) / 60;
	printf("# datagrams of a P_Key that is not there: %.1f cycles each\n", per);
	CHECK_EQ(counts[OHCA_COUNTER_RX_PKEY] - dropped, 60, "counted");
	CHECK(per <= (TB_JOB_DEPTH < 32 ? 17 : 6), "too slow");
	t0 = bench->now();
	for (unsigned i = 0; i < 50; i++) accs.push_back({q.qpn, u32(i % 28), 0, 0, false});
	acc_valid = false;
	while (!accs.empty() || acc_out) { bench->progress(); step(); acc_valid = !accs.empty() && !acc_out; }
	acc_got.clear();
	printf("# accesses of the management core: %.1f cycles each\n", double(bench->now() - t0) / 50);
	CHECK(double(bench->now() - t0) / 50 <= (TB_JOB_DEPTH < 32 ? 60 : 16), "too slow");
	for (auto *p : {p_rxd, p_cq, p_ev, p_job, p_qerr, &place->pace}) p->always(-1);
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 300);
	bench = &b;
	d = b.dut.get();
	Host<Vdut> h(rng, d);
	Place<Vdut> pl(rng, d);
	host = &h;
	place = &pl;
	tb::Pace a1(&rng), a2(&rng), a3(&rng), a4(&rng), a5(&rng);
	p_rxd = &a1; p_cq = &a2; p_ev = &a3; p_job = &a4; p_qerr = &a5;
	b.cycles = b.cycles == 20000 ? 300000 : b.cycles;
	b.stuck_after = 20000;
	auto close = tb::context().at_fail;
	tb::context().at_fail = [&, close] {
		fprintf(stderr, "inject %zu slots %zu accs %zu%s rerr %zu qerr %zu db %zu idle %d placing %zu host %d\n", inject.size(), slots.size(), accs.size(),
			acc_out ? "+1" : "", rerrs.size(), qerrs_in.size(), rq_dbs.size(), d->idle_o, place->rsps.size(), host->busy());
		for (unsigned i = 0; i < 64; i++) if (counts[i]) fprintf(stderr, "counter %u: %llu\n", i, (unsigned long long)counts[i]);
		for (auto &q : qps)
			if (!q.jobs.empty() || !q.cqes.empty() || !q.events.empty())
				fprintf(stderr, "qp %u type %u state %u: waiting for %zu jobs %zu CQEs %zu events\n", q.qpn, q.type, q.state, q.jobs.size(), q.cqes.size(), q.events.size());
		close();
	};
	h.on_record = [](u64 addr, u32 v) { for (auto &q : qps) if (q.dbr == addr) q.known.insert(u16(v)); };
	for (u32 i = 0; i < 64; i++) slots.push_back(i);
	for (u32 i = 0; i < 32; i++) pkeys[i] = u16(i < 8 ? (0x100 + i * 3) | (rng.chance(70) ? 0x8000 : 0) : rng.chance(50) ? 0 : u16(0x8000 | rng.range(0x300, 0x3ff)));
	d->base_i = BASE; d->limit_i = LIMIT; d->lmc_i = 2;
	d->rd_few_i = 0;
	d->rxd_valid_i = d->rq_db_valid_i = d->acc_valid_i = d->qerr_valid_i = 0;
	d->rjob_ready_i = d->pl_req_ready_i = d->pl_rsp_valid_i = d->cq_ready_i = d->ev_ready_i = d->qerr_ready_i = 0;
	tb::clear(d->ctx_i);
	tb::clear(d->ring_i);
	tb::clear(d->wr_cnt_i);
	d->dbr_rd_i = 0;
	tb::clear(d->rerr_i);
	tb::clear(d->over_i);
	tb::clear(d->lost_i);
	b.reset();
	for (u32 i = 0; i < 12; i++) {
		Qp q;
		q.qpn = 2 + i * 5;
		q.type = i == 10 ? GSI : i == 11 ? SMI : i >= 8 ? UD : RC;
		qps.push_back(q);
		Qp &x = qps.back();
		fresh(x);
		struct ohca_rsc c;
		make_ctx(x, c);
		h.mem.put(ctx_addr(x.qpn), &c, sizeof c);
	}
	bursts(1000000);
	u64 packets = injected;
	no_room();
	record_lost();
	resets();
	held_jobs();
	short_stalls();
	credits();
	speed("WRITE of 8 bytes", 1, 0x0a, 8, false);
	speed("WRITE of 8 bytes", 4, 0x0a, 8, false);
	speed("SEND of 8 bytes", 4, 0x04, 8, true);
	speed("SEND of 8 bytes, one receive posted at a time", 4, 0x04, 8, false);
	speed("READ of 8 bytes", 4, 0x0c, 0, false);
	printf("# %llu packets, %llu jobs, %llu NAKs, %llu RNR, %llu READs, %llu CQEs, %llu flushed, %llu failed, %llu events\n", (unsigned long long)packets,
	       (unsigned long long)n_jobs, (unsigned long long)n_naks, (unsigned long long)n_rnr, (unsigned long long)n_reads, (unsigned long long)n_cqes,
	       (unsigned long long)n_flush, (unsigned long long)n_err, (unsigned long long)n_events);
	printf("# %llu answers with credits, %llu receives posted meanwhile\n", (unsigned long long)n_credits, (unsigned long long)n_late);
	printf("# %llu behind an error, %llu placements chained, %llu refused so\n", (unsigned long long)n_after, (unsigned long long)pl.chained, (unsigned long long)pl.passed_on);
	printf("# %llu duplicates before a READ, %llu WRITEs with immediate data to a bad key\n", (unsigned long long)n_behind, (unsigned long long)n_imm);
	GOAL(enough() && n_late > 650);
	return b.finish();
}
