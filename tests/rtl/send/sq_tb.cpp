// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq against a model of rings, segmentation and a lossy peer with its acknowledge engine: every descriptor must be what its PSN says, in an
// order that the feedback allows, and in the end everything posted has arrived. Then the cycles that a message costs.
// dut: ohca_sq DW=64 Sets=16 RunQueue=64
// dut: ohca_sq DW=64 Sets=16 RunQueue=64 Compact=1
// dut: ohca_sq DW=128 Sets=64 RunQueue=256
// dut: ohca_sq DW=512 Sets=128 Ways=2 RunQueue=65536
// dut: ohca_sq DW=64 Sets=16 RunQueue=256 NumVl=4
// dut: ohca_sq DW=512 Sets=128 Ways=2 RunQueue=256 NumVl=2
// args: --cycles 120000
#include "Vdut.h"
#include "tb.h"
#include "send_models.h"
#include <map>
#include <set>

enum { LANES = TB_D_W / 8, NQP = TB_SETS == 16 ? 150 : 40 };
static const u64 DV_BASE = 0x40000, CTX_BUS = 0x7000000000ull, RING_BUS = 0x8000000000ull;
static tb::Bench<Vdut> *bench_p;
#define b (*bench_p)
#define rng (bench_p->rng)

struct Sge { u64 addr; u32 len, key; };
struct Wqe {
	u16 idx;
	u32 op, len, imm, rkey, psn0, np, ssn;
	u64 raddr;
	bool fence, se, sig, inl, nopkt = false, bad = false, shortl = false;
	u32 bad_from = 0, bad_top = 0; bool late = false;   // a fetch that failed: packets before these were planned with an earlier fetch and may still leave
	u32 status = 0, verr = 0;
	std::vector<Sge> sge;
	bytes data, av, raw;
	u32 qkey = 0, pkx = 0, dqpn = 0;
	bool slidp = false;
};
struct Qp {
	u32 qpn, type, mtu, stride_sh, log, uar, pd, max_rd, qkey, pkx, dqpn;
	bool priv, sig_all, mig, lsnv, mtt;
	bytes av, ring;
	u64 buf;
	std::deque<Wqe> wq;                // every WQE not completed; front().idx is the oldest
	std::map<u32, u16> done;           // (unused)
	u16 posted = 0, rung = 0, d_idx = 0;   // d_idx: the send engine knows that all before are completed
	u32 psn_next, ssn_next = 1, err_stop = ~0u;
	// peer and acknowledge engine
	u32 epsn, una, cur, sent_up, psn_start;
	std::set<u32> jumps;
	u32 rd_done = 0, rd_emitted = 0, d_rd_done = 0, rd_told = 0, rd_pend = 0, d_rd_safe = 0, d_una, d_lsn = 0, lsn = 0, top;
	std::map<u32, u32> rd_prog;        // READ by first PSN: packets received; complete when all
	u64 last_act = 0, rnr_until = 0; u32 settled = 0, tries = 0;
	bool loose = false, nak = false, rnr = false, dead = false, err_reported = false, flushed = false, err_fb = false, want_flush = false, seen_err = false;
	u16 err_idx = 0;
	unsigned acks = 0, ud_done = 0;
	u64 emitted = 0;
	Wqe *by_psn(u32 psn) { for (auto &w : wq) if (((psn - w.psn0) & 0xffffff) < w.np && w.np < 0x800000) return &w; return nullptr; }
};
static std::vector<Qp> qps(NQP);
static std::vector<bytes> ctxmem(NQP);
static u32 d24(u32 a, u32 c) { return (a - c) & 0xffffff; }
static bool lt24(u32 a, u32 c) { return d24(a, c) >= 0x800000; }
static u32 mtu_bytes(u32 m) { return 128u << m; }
static u32 npk(u32 len, u32 m) { return len ? (len + mtu_bytes(m) - 1) / mtu_bytes(m) : 1; }

static u8 mem_byte(u64 a)
{
	if (a >= RING_BUS) {
		u64 o = a - RING_BUS, q = o >> 20;
		CHECK(q < NQP && (o & 0xfffff) < qps[q].ring.size(), "ring read at 0x%llx", (unsigned long long)a);
		return qps[q].ring[o & 0xfffff];
	}
	u64 o = a - CTX_BUS;
	CHECK(o / 1024 < NQP && o % 1024 < 128, "context read at 0x%llx", (unsigned long long)a);
	return ctxmem[o / 1024][o % 1024];
}
static void put(bytes &v, unsigned lsb, unsigned width, u64 x) { for (unsigned i = 0; i < width; i++) { v[(lsb + i) / 8] &= u8(~(1u << ((lsb + i) % 8))); v[(lsb + i) / 8] |= u8((x >> i & 1) << ((lsb + i) % 8)); } }
#define PUT(v, f, x) put(v, f##_DW * 32 + f##_SH, f##_W, x)

// The layouts' bit positions, by dword as in formats/*.toml.
static void ctrl(bytes &r, const Wqe &w, const Qp &q)
{
	auto dw = [&](unsigned i, u32 v) { for (int k = 0; k < 4; k++) r[4 * i + k] = u8(v >> (8 * k)); };
	u32 w0 = w.op | w.fence << 5 | w.sig << 6 | w.se << 7 | w.inl << 8 | u32(w.sge.size()) << 12 | u32(w.idx) << 16;
	if (q.type == OHCA_QP_TYPE_RC) {
		dw(0, w0); dw(1, w.len); dw(2, u32(w.raddr)); dw(3, u32(w.raddr >> 32)); dw(4, w.rkey); dw(5, w.imm); dw(6, q.qpn); dw(7, 0);
	} else {
		dw(0, w0 | w.slidp << 10 | u32(rng.next() & 1) << 9); dw(1, w.len); dw(2, w.qkey); dw(3, w.pkx); dw(4, w.dqpn); dw(5, w.imm);
		for (int k = 0; k < 40; k++) r[24 + k] = w.av[k];
	}
	unsigned at = q.type == OHCA_QP_TYPE_RC ? 32 : 64;
	if (w.inl) for (size_t k = 0; k < w.data.size(); k++) r[at + k] = w.data[k];
	else for (auto &s : w.sge) {
		for (int k = 0; k < 8; k++) r[at + k] = u8(s.addr >> (8 * k));
		for (int k = 0; k < 4; k++) { r[at + 8 + k] = u8(s.len >> (8 * k)); r[at + 12 + k] = u8(s.key >> (8 * k)); }
		at += 16;
	}
}

#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
static unsigned push_at;       // Compact: the word of a pushed WQE that is there in this cycle
static u8 pushed[64];
static u64 ring_reads;
struct Db { u32 qpn, uar; u16 pi; bool push; bytes wqe; };
struct Fb { u32 kind, qpn, idx, una, psn, ssn, lsnv, lsn, rdd; bool fresh, safe; };
static tb::Source<Db> *dbs;
static tb::Source<Fb> *fbs;
static u64 bad_page, bad_qp, want_bad_page, want_bad_qp, late_db, lost_pkts;
static int debug_qp = getenv("DEBUG_QP") ? atoi(getenv("DEBUG_QP")) : -1;
static bool quiet;                          // no errors, no losses: for the speed part
static bool mute;                           // nothing arrives
static u32 reset_qpn = ~0u;                 // this QP was reset: nothing of its lists is read
static u64 goners;
// What the acknowledge engine is told of WQEs, before a packet of theirs leaves, by QP and index; and that a QP was reset.
static std::set<std::pair<u32, u32>> sent;
static u64 sents, sents_kept, sent_resets, reset_accesses;
// The newest descriptors, as many as are under way in an adapter, and whether they may leave. Of a QP that was reset none may, wherever it is by now.
#ifdef TB_COMPACT
enum { DESCS = 16, UNDER_WAY = 8 };
#else
enum { DESCS = 64, UNDER_WAY = 40 };
#endif
struct Left { u32 slot, qpn; };
static std::deque<Left> left_;
static void look_at_left(const char *when)
{
	for (auto &l : left_) CHECK(bool(b->desc_gone_o >> l.slot & 1) == (l.qpn == reset_qpn), "%s: slot %u of QP %u is %smarked", when, l.slot, l.qpn, l.qpn == reset_qpn ? "not " : "");
}

static void setup(Qp &q, u32 n)
{
	q.qpn = n;
	q.type = n == 0 ? OHCA_QP_TYPE_SMI : n == 1 ? OHCA_QP_TYPE_GSI : n % 5 == 2 ? OHCA_QP_TYPE_UD : OHCA_QP_TYPE_RC;
	q.mtu = u32(rng.range(1, 5));
	q.stride_sh = q.type == OHCA_QP_TYPE_RC ? u32(rng.range(6, 8)) : u32(rng.range(7, 8));
	q.log = u32(rng.range(2, 7));
	q.uar = u32(rng.bits(16)); q.pd = u32(rng.bits(24)); q.max_rd = u32(rng.range(1, 5));
	q.qkey = u32(rng.next()); q.pkx = u32(rng.below(32)); q.dqpn = u32(rng.bits(24));
	q.priv = rng.chance(50); q.sig_all = rng.chance(50); q.mig = rng.chance(50); q.lsnv = rng.chance(50); q.mtt = rng.chance(50);
	q.av = rng.bytes(40);
	q.ring.assign((1u << (q.log + q.stride_sh)) + 4096, 0);
	u64 off = rng.below(16) << 8;
	q.buf = (u64(n) << 20) + off + (q.mtt ? 0 : RING_BUS);
	q.psn_start = q.psn_next = q.epsn = q.una = q.cur = q.d_una = q.top = q.sent_up = u32(rng.bits(24));
	q.posted = q.rung = q.d_idx = u16(rng.next());
	auto &c = ctxmem[n];
	c.assign(128, 0);
	auto dw = [&](unsigned i, u32 v) { for (int k = 0; k < 4; k++) c[4 * i + k] = u8(v >> (8 * k)); };
	dw(0, OHCA_QP_STATE_RTS | q.type << 3 | q.mtu << 6 | q.priv << 9 | q.sig_all << 11 | q.log << 12 | q.stride_sh << 16 | q.max_rd << 20 | q.mtt << 25 | q.mig << 26);
	dw(1, q.pd | (q.uar & 0xff) << 24);
	dw(2, u32(q.buf)); dw(3, u32(q.buf >> 32));
	dw(4, q.dqpn | q.uar >> 8 << 24); dw(5, q.qkey); dw(6, q.pkx | u32(q.rung) << 16); dw(7, q.rung);
	dw(8, q.psn_next | u32(q.lsnv) << 31); dw(10, 1); dw(11, 0); dw(12, q.psn_next); dw(13, q.psn_next); dw(14, u32(q.rung) << 16 | rng.below(256)); dw(15, q.psn_next);
	for (int k = 0; k < 40; k++) c[64 + k] = q.av[k];
	if (q.lsnv) { q.lsn = q.d_lsn = 2; dw(11, 2); }
}

static bool post(Qp &q, int force_len = -1, bool inl = false)
{
	if (q.dead || u16(q.posted - (q.type == OHCA_QP_TYPE_RC ? q.d_idx : q.wq.empty() ? q.posted : q.wq.front().idx)) >= (1u << q.log)) return false;
	Wqe w;
	bool rc = q.type == OHCA_QP_TYPE_RC;
	static const u8 rc_ops[] = { 1, 1, 2, 4, 4, 5, 6, 6 };
	w.idx = q.posted++;
	w.op = force_len >= 0 ? u32(OHCA_WR_OP_RDMA_WRITE) : rc ? rc_ops[rng.below(8)] : 1 + u32(rng.below(2));
	w.fence = rng.chance(15) && force_len < 0; w.se = rng.chance(50); w.sig = rng.chance(50);
	w.raddr = rng.next(); w.rkey = u32(rng.next()); w.imm = u32(rng.next());
	u32 space = (1u << q.stride_sh) - (rc ? 32 : 64);
	w.inl = force_len >= 0 ? inl : w.op != OHCA_WR_OP_RDMA_READ && rng.chance(30);
	if (w.inl) { w.len = u32(rng.below(space + 1)); if (force_len >= 0) w.len = u32(force_len); w.data = rng.bytes(w.len); }
	else {
		unsigned nsge = 1 + unsigned(rng.below(space / 16));
		w.len = 0;
		u32 big = rng.chance(10) ? 30000 : rng.chance(50) ? 6000 : 300;
		if (!rc) big = rng.chance(90) ? mtu_bytes(q.mtu) / nsge : 6000;
		if (force_len >= 0) nsge = 1;
		for (unsigned i = 0; i < nsge; i++) {
			Sge s = { rng.next() & 0xffffffffffffull, rng.chance(10) ? 0 : u32(rng.range(1, big)), u32(rng.next()) };
			if (force_len >= 0) { s.len = u32(force_len); s.addr &= ~0xfffull; }
			w.sge.push_back(s);
			w.len += s.len;
		}
		if (rng.chance(3) && force_len < 0 && nsge > 1) { w.sge.back().len += 1000; if (rng.chance(50)) w.sge.back().len = 0x7fffffff; w.len += 10; }
	}
	w.psn0 = q.psn_next; w.ssn = q.ssn_next++;
	w.nopkt = !rc && w.len > mtu_bytes(q.mtu);
	w.np = rc ? npk(w.len, q.mtu) : w.nopkt ? 0 : 1;
	q.ssn_next &= 0xffffff;
	if (!rc) {
		w.av = rng.bytes(40); w.qkey = u32(rng.next()); w.pkx = u32(rng.below(32)); w.dqpn = u32(rng.bits(24)); w.slidp = rng.chance(30);
	}
	bytes r(size_t(1) << q.stride_sh, 0);
	ctrl(r, w, q);
	if (!quiet && rng.below(500) == 0) {
		w.bad = true;
		w.status = OHCA_WC_STATUS_LOC_QP_OP;
		switch (rng.below(rc ? 5 : 4)) {
		case 0: r[2] ^= 1; w.verr = OHCA_VENDOR_ERR_WQE_IDX; break;
		case 1: r[0] = u8((r[0] & 0xe0) | (rc ? 8 : 4)); w.verr = OHCA_VENDOR_ERR_OPCODE; break;
		case 2: if (w.inl) { r[5] = 1; r[6] = 0; } else r[1] = u8(r[1] | 0xf0); w.verr = OHCA_VENDOR_ERR_WQE_FORMAT; if (w.inl || space < 240) break; w.bad = false; ctrl(r, w, q); break;
		case 3:
			if (!rc || w.inl || w.op == 6 || !w.len) { r[2] ^= 4; w.verr = OHCA_VENDOR_ERR_WQE_IDX; break; }
			w.bad = false; w.shortl = true; w.len += 700;               // the list is too short for the length
			for (int k = 0; k < 4; k++) r[4 + k] = u8(w.len >> (8 * k));
			w.np = npk(w.len, q.mtu);
			for (auto &s : w.sge) if (s.len == 0x7fffffff || s.len > 90000) { w.shortl = false; }
			{ u64 sum = 0; for (auto &s : w.sge) sum += s.len; w.shortl = sum < w.len; }
			break;
		default: r[7] |= 0x80; r[4] |= 1; w.status = OHCA_WC_STATUS_LOC_LEN; w.verr = OHCA_VENDOR_ERR_LENGTH; if (w.inl) w.status = OHCA_WC_STATUS_LOC_QP_OP, w.verr = OHCA_VENDOR_ERR_WQE_FORMAT; break;
		}
	}
	if (w.bad || w.shortl) q.dead = true;
	q.psn_next = (q.psn_next + w.np) & 0xffffff;
	w.raw = r;
	u64 at = (q.buf & 0xfffff) + (u64(w.idx & ((1u << q.log) - 1)) << q.stride_sh);
	memcpy(&q.ring[at], r.data(), r.size());
	q.wq.push_back(w);
	return true;
}
static void post_read(Qp &q, u32 len)
{
	Wqe w;
	w.idx = q.posted++;
	w.op = OHCA_WR_OP_RDMA_READ;
	w.fence = w.inl = false; w.se = rng.chance(50); w.sig = rng.chance(50);
	w.raddr = rng.next(); w.rkey = u32(rng.next()); w.imm = u32(rng.next());
	w.len = len;
	w.sge.push_back({ rng.next() & 0xffffffffffffull, len, u32(rng.next()) });
	w.psn0 = q.psn_next; w.ssn = q.ssn_next++;
	w.np = npk(len, q.mtu);
	bytes r(size_t(1) << q.stride_sh, 0);
	ctrl(r, w, q);
	q.psn_next = (q.psn_next + w.np) & 0xffffff;
	w.raw = r;
	memcpy(&q.ring[(q.buf & 0xfffff) + (u64(w.idx & ((1u << q.log) - 1)) << q.stride_sh)], r.data(), r.size());
	q.wq.push_back(w);
}
static void ring_db(Qp &q, bool may_push)
{
	Db d = { q.qpn, q.uar, q.posted, false, {} };
	if (may_push && u16(q.posted - q.rung) == 1 && !q.wq.empty()) {
		Wqe &w = q.wq.back();
		bool fits = q.type == OHCA_QP_TYPE_RC && (w.inl ? w.len <= 32 : w.sge.size() <= 2) && !w.bad;
		if (fits) { d.push = true; d.wqe = w.raw; d.wqe.resize(64); }
	}
	q.rung = q.posted;
	dbs->push(d);
}

// ---------------------------------------------------------------------------------------------------- feedback
static Fb fb_base(Qp &q, u32 kind)
{
	Fb f = { kind, q.qpn, q.posted, q.una, q.psn_next, q.ssn_next, q.lsnv, q.lsn, q.rd_done & 255, q.rd_done != q.rd_told, false };
	// What READs brought is in memory at once, or that is told later.
	if (f.fresh) {
		q.rd_told = q.rd_done;
		f.safe = !q.rd_pend && rng.chance(50);
		q.rd_pend += !f.safe;
	}
	if (!q.wq.empty()) { f.idx = q.wq.front().idx; f.psn = q.wq.front().psn0; f.ssn = q.wq.front().ssn; }
	return f;
}
static bool complete(Qp &q)               // move una and retire; true if anything changed
{
	u32 una = q.epsn;
	for (auto &w : q.wq) {
		// Nothing behind a WQE that has failed counts, though its packets may have left before its fetch failed.
		if (w.bad) { u32 lim = lt24(q.una, w.psn0) ? w.psn0 : q.una; if (lt24(lim, una)) una = lim; break; }
		if (w.op != OHCA_WR_OP_RDMA_READ || q.type != OHCA_QP_TYPE_RC || !w.np) continue;
		auto it = q.rd_prog.find(w.psn0);
		u32 got = it == q.rd_prog.end() ? 0 : it->second;
		if (got < w.np) { u32 lim = (w.psn0 + got) & 0xffffff; if (lt24(lim, una)) una = lim; break; }
	}
	bool change = una != q.una;
	q.una = una;
	while (!q.wq.empty() && !q.wq.front().bad) {
		Wqe &w = q.wq.front();
		u32 end = (w.psn0 + w.np) & 0xffffff;
		if (lt24(una, end)) break;
		if (w.op == OHCA_WR_OP_RDMA_READ) { q.rd_done++; q.rd_prog.erase(w.psn0); }
		if (q.lsnv) { u32 lsn = u32(w.ssn + (rng.chance(30) ? 0 : rng.below(4))) & 0xffffff; if (lt24(q.lsn, lsn)) q.lsn = lsn; }
		q.wq.pop_front();
		change = true;
	}
	return change;
}
static void restart(Qp &q)
{
	bool change = complete(q);
	Wqe *w = q.err_fb || q.una == q.top ? nullptr : q.by_psn(q.una);
	if (!w) {                                  // nothing outstanding, which the send engine may not know yet
		if (change && !q.err_fb) fbs->push(fb_base(q, OHCA_FBK_PROGRESS));
		return;
	}
	Fb f = fb_base(q, OHCA_FBK_RESTART);
	Wqe &o = q.wq.front();
	bool read_between = false;
	for (auto &x : q.wq) { if (&x == w) break; if (x.op == OHCA_WR_OP_RDMA_READ) read_between = true; }
	Wqe &s = (rng.chance(50) && !read_between) ? o : *w;
	f.idx = s.idx; f.una = s.psn0; f.psn = q.una; f.ssn = s.ssn;
	fbs->push(f);
	q.nak = false;
	q.last_act = b.now();
}
static void progress_fb(Qp &q) { if (complete(q)) fbs->push(fb_base(q, OHCA_FBK_PROGRESS)); }

struct Ev { u64 at; u32 qpn, what, arg; };
static std::vector<Ev> evs;
static std::deque<Ev> reads_due;           // in order, over all QPs
static void later(u32 qpn, u32 what, u32 arg, u64 lo, u64 hi) { evs.push_back({ b.now() + rng.range(lo, hi), qpn, what, arg }); }

static void arrive(Qp &q, Wqe &w, u32 psn)
{
	if (w.shortl) {                            // aborted when its pieces run out
		u64 sum = 0;
		for (auto &s : w.sge) sum += s.len;
		if (std::min<u64>(u64(d24(psn, w.psn0) + 1) * mtu_bytes(q.mtu), w.len) > sum) return;
	}
	if (!quiet && rng.chance(1) && rng.chance(50)) { lost_pkts++; return; }
	if (mute || q.qpn == reset_qpn) return;
	q.last_act = b.now();
	u32 used = w.op == OHCA_WR_OP_RDMA_READ ? w.np - d24(psn, w.psn0) : 1;
	if (q.rnr || q.err_fb) return;
	if (psn == q.epsn) {
		if (!quiet && w.op <= 2 && psn == w.psn0 && rng.chance(2)) {
			q.rnr = true;
			complete(q);
			fbs->push(fb_base(q, OHCA_FBK_RNR_WAIT));
			later(q.qpn, 2, 0, 200, 800);
			return;
		}
		q.nak = false;
		q.epsn = (psn + used) & 0xffffff;
		later(q.qpn, 0, 0, 1, quiet ? 20 : 300);
	} else if (lt24(q.epsn, psn)) {
		if (!q.nak) { q.nak = true; later(q.qpn, 1, 0, 1, 200); }
	} else later(q.qpn, 0, 0, 1, 200);
	if (w.op == OHCA_WR_OP_RDMA_READ && (!lt24(q.epsn, psn) || d24(q.epsn, psn) == 0x800000)) {
		// Answers come; sometimes only some of them, and the rest is asked for again.
		u32 from = d24(psn, w.psn0);
		auto &got = q.rd_prog[w.psn0];
		if (from <= got) {
			if (!quiet && rng.chance(10)) { got = std::max(got, from + u32(rng.below(w.np - from))); later(q.qpn, 1, 0, 1, 300); }
			else later(q.qpn, 3, w.psn0, 1, quiet ? 30 : 600);
		}
	}
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> bench(argc, argv, 110);
	bench_p = &bench;
	b.stuck_after = 20000;
	Rooms rooms(rng, TB_D_W);
	rooms.random = true;
	u64 took = 0, none = 0;
	tb::Source<Db> src_db(&rng);
	tb::Source<Fb> src_fb(&rng);
	dbs = &src_db; fbs = &src_fb;
	for (u32 i = 0; i < NQP; i++) setup(qps[i], i);
	tb::Pace p_txd(&rng), p_txp(&rng), p_inl(&rng), p_up(&rng), p_rd(&rng), p_wr(&rng), p_tpt(&rng);
	ReadModel rd_ctx(rng, LANES), rd_ring(rng, LANES);
	rd_ctx.mem = rd_ring.mem = mem_byte;
	u64 fetch_errs = 0;
	rd_ring.force_err = [&](u64 a) { return !quiet && ((a - RING_BUS) >> 20) % 13 == 6 && rng.below(100) == 0 && ++fetch_errs; };
	std::deque<std::pair<u64, u64>> icm;
	struct T { u64 addr, due; };
	std::deque<T> tpt;
	struct Wr { u64 addr; u64 due; };
	std::deque<Wr> wrs;
	std::deque<bytes> wdata;
	bytes wcur;
	u64 issued = 0, acked = 0;

	struct Pkt { u32 qpn, psn; Wqe w; u32 offset, plen; bool ud; };
	std::deque<Pkt> pend;                      // descriptors whose pieces are to come
	struct Inl { bytes data; u32 at; bool any = false; };
	std::deque<Inl> inls;
	u32 piece_at = 0;
	u64 txds = 0, first_txd = 0, last_txd = 0, db_at = 0, errs_seen = 0, flushes = 0, uddone = 0, sents = 0;
	bool idle = false, up_strict = false;
	int up_pops = -1;                          // reports that are still taken; -1: all
	u32 up_took = 0, up_seq = 0;
	u64 acc_busy = 0;
	u32 acc_want = 0;
	bool acc_on = false, acc_wait = false;
	std::function<void()> acc_next;
		std::vector<u8> stall_txd, stall_txp;
	bool st_txd = false, st_txp = false;

	auto step = [&] {
		u64 now = b.now();
		while (!reads_due.empty() && reads_due.front().at <= now) {
			Ev e = reads_due.front();
			reads_due.pop_front();
			fbs->push({ OHCA_FBK_READS, e.qpn, 0, 0, 0, 0, 0, 0, e.arg, false, false });
		}
		for (size_t i = 0; i < evs.size();) {
			if (evs[i].at > now) { i++; continue; }
			Ev e = evs[i];
			evs[i] = evs.back();
			evs.pop_back();
			Qp &q = qps[e.qpn];
			if (q.err_fb) continue;
			if (e.what == 0) progress_fb(q);
			else if (e.what == 1) { if (!q.rnr) restart(q); }
			else if (e.what == 2) { q.rnr = false; complete(q); Wqe *w = q.by_psn(q.una); if (w) restart(q); }
			else if (e.what == 3) { for (auto &w : q.wq) if (w.psn0 == e.arg && w.op == OHCA_WR_OP_RDMA_READ && q.rd_prog.count(e.arg)) q.rd_prog[e.arg] = w.np; progress_fb(q); }
		}
		b.cycle([&] {
			b->db_valid_i = push_at ? 0 : src_db.drive();
			if (push_at) tb::set_bytes(b->db_i, pushed + 8 * push_at, 8);
			if (b->db_valid_i) {
				const Db &d = src_db.front();
				tb::clear(b->db_i);
				SET_FIELD(b->db_i, OHCA_SQ_DB_QPN, d.qpn); SET_FIELD(b->db_i, OHCA_SQ_DB_UAR, d.uar); SET_FIELD(b->db_i, OHCA_SQ_DB_PI, d.pi);
				SET_FIELD(b->db_i, OHCA_SQ_DB_PUSH, d.push);
				if (d.push) for (unsigned k = 0; k < (TB_COMPACT ? 8 : 64); k++) tb::set_bits(b->db_i, OHCA_SQ_DB_WQE_LSB + 8 * k, 8, d.wqe[k]);
			}
			b->fb_valid_i = src_fb.drive();
			if (b->fb_valid_i) {
				const Fb &f = src_fb.front();
				tb::clear(b->fb_i);
				SET_FIELD(b->fb_i, OHCA_SQ_FB_KIND, f.kind); SET_FIELD(b->fb_i, OHCA_SQ_FB_QPN, f.qpn); SET_FIELD(b->fb_i, OHCA_SQ_FB_IDX, f.idx);
				SET_FIELD(b->fb_i, OHCA_SQ_FB_UNA_PSN, f.una); SET_FIELD(b->fb_i, OHCA_SQ_FB_PSN, f.psn); SET_FIELD(b->fb_i, OHCA_SQ_FB_SSN, f.ssn);
				SET_FIELD(b->fb_i, OHCA_SQ_FB_LSN_VALID, f.lsnv); SET_FIELD(b->fb_i, OHCA_SQ_FB_LSN, f.lsn); SET_FIELD(b->fb_i, OHCA_SQ_FB_RD_DONE, f.rdd);
				SET_FIELD(b->fb_i, OHCA_SQ_FB_RD_NEW, f.fresh); SET_FIELD(b->fb_i, OHCA_SQ_FB_RD_SAFE, f.safe);
			}
			b->acc_valid_i = acc_on;
			b->txd_ready_i = p_txd.go(); b->txp_ready_i = p_txp.go() && !pend.empty(); b->inl_ready_i = p_inl.go(); b->up_ready_i = up_pops && p_up.go();
			BITS(b->ctx_i, OHCA_CTX_RSP_RD_READY) = p_rd.go(); BITS(b->ring_i, OHCA_FETCH_RSP_RD_READY) = p_rd.go();
			BITS(b->ctx_i, OHCA_CTX_RSP_WR_READY) = p_wr.go(); BITS(b->ctx_i, OHCA_CTX_RSP_DAT_READY) = p_wr.go();
			BITS(b->ring_i, OHCA_FETCH_RSP_TPT_READY) = p_tpt.go();
			BITS(b->ctx_i, OHCA_CTX_RSP_ICM_READY) = p_tpt.go();
			BITS(b->ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID) = 0;
			if (!icm.empty() && icm.front().first <= now) {
				BITS(b->ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID) = 1; BITS(b->ctx_i, OHCA_CTX_RSP_ICM_RSP_OK) = 1;
				BITS(b->ctx_i, OHCA_CTX_RSP_ICM_RSP_ADDR) = CTX_BUS + icm.front().second - DV_BASE;
				icm.pop_front();
			}
			BITS(b->ring_i, OHCA_FETCH_RSP_TPT_RSP_VALID) = 0;
			if (!tpt.empty() && tpt.front().due <= now) {
				BITS(b->ring_i, OHCA_FETCH_RSP_TPT_RSP_VALID) = 1;
				SET_FIELD(b->ring_i, OHCA_FETCH_RSP_TPT_RSP_OK, 1);
				SET_FIELD(b->ring_i, OHCA_FETCH_RSP_TPT_RSP_ADDR, RING_BUS + tpt.front().addr);
				tpt.pop_front();
			}
			bool ctx_beat = false, ring_beat = false, last = false, err = false;
			auto read = [&](ReadModel &m, bool &valid) { m.drive(now, valid, b->rd_rsp_data_i, last, err); };
			if (rng.next() & 1) {
				read(rd_ctx, ctx_beat);
				if (!ctx_beat) read(rd_ring, ring_beat);
			} else {
				read(rd_ring, ring_beat);
				if (!ring_beat) read(rd_ctx, ctx_beat);
			}
			BITS(b->ctx_i, OHCA_CTX_RSP_RD_RSP_VALID) = ctx_beat;
			BITS(b->ring_i, OHCA_FETCH_RSP_RD_RSP_VALID) = ring_beat;
			BITS(b->rd_rsp_i, OHCA_HRD_BEAT_LAST) = last;
			BITS(b->rd_rsp_i, OHCA_HRD_BEAT_ERR) = err;
			if (!wrs.empty() && wrs.front().due <= now && !wdata.empty()) {
				u64 o = wrs.front().addr - CTX_BUS;
				CHECK(o / 1024 < NQP && o % 1024 == 0, "context write at 0x%llx", (unsigned long long)wrs.front().addr);
				std::copy(wdata.front().begin(), wdata.front().end(), ctxmem[o / 1024].begin());
				wdata.pop_front(); wrs.pop_front();
				acked++;
			}
			BITS(b->wr_cnt_i, OHCA_HWR_CNT_ISSUED) = u32(issued); BITS(b->wr_cnt_i, OHCA_HWR_CNT_ACKED) = u32(acked);
			rooms.step(now);
			rooms.drive(b->room_i, b->desc_i);
			b->sl2vl_i = rooms.map();
		}, [&] {
			if (push_at) push_at = (push_at + 1) % 8;
			if (b->tk_vl_o) { rooms.take(b->tk_vl_o, b->tk_words_o, b->tk_n_o, rooms.reserve() + 4096 / rooms.lane + 5 * rooms.hdr, 7); took++; }
			if (src_db.q.size() && b->db_valid_i) {
				Db d = src_db.front();
				if (src_db.sample(b->db_ready_o)) {
					db_at = now; b.progress();
					if (TB_COMPACT && d.push) { push_at = 1; memcpy(pushed, d.wqe.data(), 64); }
				}
			}
			if (b->fb_valid_i) {
				Fb f = src_fb.front();
				if (src_fb.sample(b->fb_ready_o)) {
					if (int(f.qpn) == debug_qp) fprintf(stderr, "%llu fb kind %u idx %u una %x psn %x ssn %u rdd %u\n", (unsigned long long)now, f.kind, f.idx, f.una, f.psn, f.ssn, f.rdd);
					Qp &q = qps[f.qpn];
					b.progress();
					if (f.kind == OHCA_FBK_READS) {
						q.d_rd_safe += u8(f.rdd - q.d_rd_safe);
						q.rd_pend--;
					} else {
						q.d_rd_done += u8(f.rdd - q.d_rd_done);
						if (f.safe) q.d_rd_safe = q.d_rd_done;
						else if (f.fresh) {
							u64 due = now + rng.range(1, rng.chance(20) ? 3000 : 100);
							if (!reads_due.empty() && due < reads_due.back().at) due = reads_due.back().at;
							reads_due.push_back({ due, f.qpn, 0, f.rdd });
						}
						q.d_lsn = f.lsn;
						if (f.kind == OHCA_FBK_PROGRESS || f.kind == OHCA_FBK_RESTART) q.d_idx = u16(f.idx);
						if (f.kind == OHCA_FBK_PROGRESS) { q.d_una = f.una; q.jumps.insert(f.una); }
						if (f.kind == OHCA_FBK_RESTART) { q.d_una = f.psn; q.jumps.insert(f.psn); }
					}
				}
			}
			if (acc_on && b->acc_ready_o) { acc_on = false; acc_wait = true; }
			if (BITS(b->acc_rsp_o, OHCA_ACC_RSP_VALID)) { CHECK(acc_wait, "access answered twice"); acc_wait = false; acc_want = BITS(b->acc_rsp_o, OHCA_ACC_RSP_RDATA); CHECK(!BITS(b->acc_rsp_o, OHCA_ACC_RSP_ERR)); acc_busy++; }
			if (BITS(b->ctx_o, OHCA_CTX_REQ_ICM_VALID) && BITS(b->ctx_i, OHCA_CTX_RSP_ICM_READY)) icm.push_back({ now + 2, BITS(b->ctx_o, OHCA_CTX_REQ_ICM_ADDR) });
			if (BITS(b->ring_o, OHCA_FETCH_REQ_TPT_VALID) && BITS(b->ring_i, OHCA_FETCH_RSP_TPT_READY)) {
				CHECK(FIELD(b->ring_o, OHCA_FETCH_REQ_TPT_MTT_OP), "ring translation");
				u64 due = now + rng.range(1, 12);
				if (!tpt.empty() && due <= tpt.back().due) due = tpt.back().due + 1;
				tpt.push_back({ FIELD(b->ring_o, OHCA_FETCH_REQ_TPT_VA), due });
			}
			if (BITS(b->ctx_o, OHCA_CTX_REQ_RD_VALID) && BITS(b->ctx_i, OHCA_CTX_RSP_RD_READY)) rd_ctx.accept(PART(b->ctx_o, OHCA_CTX_REQ_RD), now);
			if (BITS(b->ring_o, OHCA_FETCH_REQ_RD_VALID) && BITS(b->ring_i, OHCA_FETCH_RSP_RD_READY)) { rd_ring.accept(PART(b->ring_o, OHCA_FETCH_REQ_RD), now); ring_reads++; }
			if (BITS(b->ctx_o, OHCA_CTX_REQ_WR_VALID) && BITS(b->ctx_i, OHCA_CTX_RSP_WR_READY)) { wrs.push_back({ FIELD(b->ctx_o, OHCA_CTX_REQ_WR_ADDR), now + rng.range(2, 40) }); issued++; }
			if (BITS(b->ctx_o, OHCA_CTX_REQ_DAT_VALID) && BITS(b->ctx_i, OHCA_CTX_RSP_DAT_READY)) {
				bytes v = got_bytes(b->ctx_dat_o, LANES);
				wcur.insert(wcur.end(), v.begin(), v.end());
				CHECK_EQ(BITS(b->ctx_o, OHCA_CTX_REQ_DAT_LAST), wcur.size() == OHCA_QPC_HOT_BYTES, "write length");
				if (BITS(b->ctx_o, OHCA_CTX_REQ_DAT_LAST)) { wdata.push_back(wcur); wcur.clear(); }
			}
			bad_page += b->cnt_o >> OHCA_COUNTER_DB_BAD_PAGE & 1;
			bad_qp += b->cnt_o >> OHCA_COUNTER_DB_BAD_QP & 1;

			// Reports.
			up_seq = u32(b->up_seq_o);
			if (b->up_valid_o && b->up_ready_i) {
				b.progress();
				up_took++;
				if (up_pops > 0) up_pops--;
				u32 qpn = u32(FIELD(b->up_o, OHCA_RA_UP_QPN)), kind = u32(FIELD(b->up_o, OHCA_RA_UP_KIND));
				u16 idx = u16(FIELD(b->up_o, OHCA_RA_UP_IDX)), pi = u16(FIELD(b->up_o, OHCA_RA_UP_PI));
				CHECK(qpn < NQP);
				Qp &q = qps[qpn];
				if (int(qpn) == debug_qp) fprintf(stderr, "%llu up kind %u idx %u pi %u psn %x\n", (unsigned long long)now, kind, idx, pi, u32(FIELD(b->up_o, OHCA_RA_UP_PSN)));
				if (kind == OHCA_UPK_SENT) {
					u32 psn = u32(FIELD(b->up_o, OHCA_RA_UP_PSN));
					CHECK(psn == q.sent_up || d24(q.sent_up, psn) >= 0x800000, "sent goes back");
					q.sent_up = psn;
					sents++;
				} else if (kind == OHCA_UPK_LOCAL_ERR && qpn % 13 == 6 && FIELD(b->up_o, OHCA_RA_UP_VERR) == OHCA_VENDOR_ERR_WQE_FETCH && !q.wq.empty() &&
				           u16(idx - q.wq.front().idx) >= 0x8000) {
					// A WQE that is sent again could not be fetched, and was acknowledged before the report left: the acknowledge engine passes it over.
					CHECK(fetch_errs, "fetch error without a cause");
				} else if (kind == OHCA_UPK_LOCAL_ERR) {
					Wqe *w = nullptr;
					for (auto &x : q.wq) if (x.idx == idx) w = &x;
					if (w && qpn % 13 == 6 && FIELD(b->up_o, OHCA_RA_UP_VERR) == OHCA_VENDOR_ERR_WQE_FETCH) {
						CHECK(fetch_errs, "fetch error without a cause");
						w->bad = w->late = q.dead = true; w->status = OHCA_WC_STATUS_LOC_QP_OP; w->verr = OHCA_VENDOR_ERR_WQE_FETCH;
						w->bad_from = u32(FIELD(b->up_o, OHCA_RA_UP_PSN)); w->bad_top = q.sent_up;
					}
					CHECK(w && w->bad, "local error of a good WQE: QP %u idx %u status %u verr %u", qpn, idx, u32(FIELD(b->up_o, OHCA_RA_UP_STATUS)), u32(FIELD(b->up_o, OHCA_RA_UP_VERR)));
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_STATUS), w->status, "status");
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_VERR), w->verr, "verr");
					// A list that is too short is found in the packets; sent again, it may meet a fetch that fails.
					CHECK(!q.err_reported || (w->late && q.seen_err), "QP %u: error reported twice, idx %u and %u", qpn, q.err_idx, idx);
					q.err_reported = true; q.err_idx = idx;
					errs_seen++;
				} else if (kind == OHCA_UPK_FLUSH) {
					CHECK(q.err_fb, "flush of a QP that is not in error");
					CHECK(pi == q.rung || lt24(pi << 8, q.rung << 8), "flush pi");
					if (pi == q.rung) q.flushed = true;
					flushes++;
				} else FAIL("report kind %u", kind);
			}

			// WQEs whose packets are made, for the acknowledge engine.
			if (b->sent_valid_o) {
#define S(f) u32(FIELD(b->sent_o, OHCA_WQE_SENT_##f))
				if (S(RESET)) sent_resets++;
				else {
					CHECK(S(QPN) < NQP, "QP");
					Qp &q = qps[S(QPN)];
					CHECK_EQ(q.type, OHCA_QP_TYPE_RC, "only what is answered is kept");
					for (auto &w : q.wq) if (w.idx == S(IDX) && !w.bad) {
						CHECK_EQ(S(OPCODE), w.op, "opcode of what is kept"); CHECK_EQ(S(SIGNALED), w.sig, "signaled"); CHECK_EQ(S(LENGTH), w.len, "length");
						const bool rd = w.op == OHCA_WR_OP_RDMA_READ;
						CHECK_EQ(S(KEEP), q.qpn != reset_qpn && (!rd || w.sge.size() <= 1), "is it kept");
						if (rd) CHECK_EQ(S(NSGE), !w.sge.empty(), "has it a list");
						if (rd && !w.sge.empty()) {
							CHECK_EQ(tb::get_bits(b->sent_o, OHCA_WQE_SENT_SGE_LSB, 64), w.sge[0].addr, "address");
							CHECK_EQ(tb::get_bits(b->sent_o, OHCA_WQE_SENT_SGE_LSB + 64, 32), w.sge[0].len, "length of the entry");
							CHECK_EQ(tb::get_bits(b->sent_o, OHCA_WQE_SENT_SGE_LSB + 96, 32), w.sge[0].key, "key");
						}
					}
					sents++;
					sents_kept += S(KEEP);
					sent.insert({S(QPN), S(IDX)});
				}
			}

			// Descriptors.
			std::vector<u8> cur(sizeof(b->txd_o));
			tb::get_bytes(b->txd_o, cur.data(), cur.size());
			if (st_txd) CHECK(b->txd_valid_o && cur == stall_txd, "a stalled descriptor changed");
			st_txd = b->txd_valid_o && !b->txd_ready_i;
			stall_txd = cur;
			if (b->txd_valid_o && b->txd_ready_i) {
				b.progress();
#define D(f) u32(FIELD(b->txd_o, OHCA_TXD_##f))
				u32 qpn = D(QPN), psn = D(PSN);
				CHECK(qpn < NQP);
				Qp &q = qps[qpn];
				bool rc = q.type == OHCA_QP_TYPE_RC;
				if (rc && !TB_COMPACT && qpn != reset_qpn) CHECK(sent.count({qpn, D(IDX)}), "a packet of a WQE that nobody was told of");
				Wqe *wp = nullptr;
				for (auto &x : q.wq) if (x.idx == D(IDX)) wp = &x;
				txds++;
				if (VLS > 1) {
					u32 vl = q.type == OHCA_QP_TYPE_SMI ? 15 : rooms.vl(u32(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + 16, 4)));
					CHECK_EQ(D(VL), vl, "VL");
					none += vl == 15;
					if (D(KIND) != OHCA_TXK_NOPKT) rooms.packet(vl, D(PLEN));
				}
				if (int(qpn) == debug_qp) fprintf(stderr, "%llu txd idx %u psn %x op %x plen %u\n", (unsigned long long)now, D(IDX), psn, D(BTH_OP), D(PLEN));
				if (!first_txd) first_txd = now;
				last_txd = now;
				q.emitted++;
				if (psn == q.epsn) q.tries = 0;            // the one that is waited for
				left_.push_back({ D(SLOT), qpn });
				if (left_.size() > UNDER_WAY) left_.pop_front();
				if (!wp && rc) {
					CHECK(lt24(psn, q.una), "QP %u PSN %x of a WQE that does not exist", qpn, psn);   // sent again although it is through by now
					q.acks = D(ACKREQ) ? 0 : q.acks + 1;
					q.loose = true;                // how much a READ that is gone took is not known here
					Pkt p = { qpn, psn, Wqe(), 0, D(PLEN), false };
					if (D(PLEN)) { p.w.op = 255; pend.push_back(p); }
				} else {
					CHECK(wp, "QP %u idx %u", qpn, D(IDX));
					Wqe w = *wp;
					// Planned with an earlier fetch: before the PSN from which the fetch failed, or in an earlier round of what is sent again, whose packets
					// need not have left when the fetch of the next one fails.
					CHECK(!w.bad || (w.late && rc && (lt24(psn, w.bad_from) || lt24(psn, w.bad_top) || lt24(psn, q.top))), "QP %u idx %u PSN %x: a bad WQE was sent", qpn, w.idx, psn);
					CHECK_EQ(D(WROP), w.op, "wrop"); CHECK_EQ(D(SIGNALED), w.sig || q.sig_all, "signaled"); CHECK_EQ(D(MIGREQ), q.mig, "migreq");
					CHECK_EQ(D(DONE), !rc, "done");
					u32 off = 0, plen, op;
					bytes av(40);
					for (int k = 0; k < 40; k++) av[k] = u8(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + 8 * k, 8));
					if (rc) {
						u32 n = d24(psn, w.psn0), mtu = mtu_bytes(q.mtu);
						CHECK(n < w.np, "PSN %x outside its WQE", psn);
						off = n * mtu;
						bool first = n == 0, last = n == w.np - 1, rd = w.op == OHCA_WR_OP_RDMA_READ;
						plen = rd ? 0 : last ? w.len - off : mtu;
						static const u8 ops[4][4] = { { 1, 0, 2, 4 }, { 1, 0, 3, 5 }, { 7, 6, 8, 0xa }, { 7, 6, 9, 0xb } };
						int row = w.op == 1 ? 0 : w.op == 2 ? 1 : w.op == 4 ? 2 : 3;
						op = rd ? 0xc : ops[row][last * 2 + first];
						CHECK_EQ(D(SE), last && w.se && (w.op == 1 || w.op == 2 || w.op == 5), "se");
						if (rd || op == 6 || op == 0xa || op == 0xb) {
							CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_VA), w.raddr + (rd ? off : 0), "va");
							CHECK_EQ(D(RKEY), w.rkey, "rkey");
							CHECK_EQ(D(DMALEN), w.len - (rd ? off : 0), "dmalen");
						}
						CHECK_EQ(D(DQPN), q.dqpn, "dqpn"); CHECK_EQ(D(PKEY_INDEX), q.pkx, "pkey"); CHECK(av == q.av, "av");
						q.acks = D(ACKREQ) ? 0 : q.acks + 1;
						CHECK(q.acks < 16, "no AckReq in 16 packets");
						if (last || rd) CHECK(D(ACKREQ), "no AckReq on the last packet");
						if (psn != q.cur && !q.loose) CHECK(q.jumps.count(psn), "QP %u: PSN %x after %x", qpn, psn, q.cur);
						u32 after = (psn + (rd ? w.np - n : 1)) & 0xffffff;
						if (up_strict) CHECK(!lt24(q.sent_up, after), "sent came after its packet");
						if (psn == q.top) {            // new
							if (rd && n == 0) { q.rd_emitted++; }
							if (rd) CHECK(q.rd_emitted - q.d_rd_done <= q.max_rd, "QP %u: %u READs outstanding", qpn, q.rd_emitted - q.d_rd_done);
							if (n == 0 && w.fence) CHECK(q.rd_emitted - (rd ? 1 : 0) == q.d_rd_safe, "fence");
							if (n == 0 && (w.op == 1 || w.op == 2 || w.op == 5) && q.lsnv) CHECK(!lt24(q.d_lsn, w.ssn) || q.d_una == psn, "QP %u: SSN %u beyond LSN %u", qpn, w.ssn, q.d_lsn);
						}
						if (lt24(q.top, after)) q.top = after;
						q.cur = after;
						q.loose = false;
						arrive(q, w, psn);
					} else {
						CHECK_EQ(D(KIND), w.nopkt ? OHCA_TXK_NOPKT : OHCA_TXK_REQ, "kind");
						op = w.op == 2 ? 0x65 : 0x64;
						plen = w.nopkt ? 0 : w.len;
						CHECK_EQ(psn, q.cur, "UD PSN");
						if (!w.nopkt) q.cur = (q.cur + 1) & 0xffffff;
						CHECK_EQ(D(QKEY), w.qkey >> 31 ? q.qkey : w.qkey, "qkey");
						CHECK_EQ(D(DQPN), w.dqpn, "dqpn"); CHECK(av == w.av, "av"); CHECK_EQ(D(SE), w.se, "se"); CHECK_EQ(D(ACKREQ), 0, "ackreq");
						CHECK_EQ(D(PKEY_INDEX), q.type == OHCA_QP_TYPE_GSI ? w.pkx : q.pkx, "pkey");
						CHECK_EQ(D(VL15), q.type == OHCA_QP_TYPE_SMI, "vl15"); CHECK_EQ(D(SLID_PERM), q.type == OHCA_QP_TYPE_SMI && w.slidp, "slid_perm");
						CHECK(wp == &q.wq.front(), "UD order");
						q.wq.pop_front();
						uddone++;
					}
					CHECK_EQ(D(BTH_OP), op, "opcode"); CHECK_EQ(D(PLEN), plen, "plen");
					if (op == 3 || op == 5 || op == 9 || op == 0xb || op == 0x65) CHECK_EQ(D(IMM), w.imm, "imm");
					if (plen) pend.push_back({ qpn, psn, w, off, plen, !rc });
				}
			}

			// Pieces, in the order of the descriptors; they may come first, then they wait in st.
			std::vector<u8> curp(sizeof(b->txp_o));
			tb::get_bytes(b->txp_o, curp.data(), curp.size());
			if (st_txp) CHECK(b->txp_valid_o && curp == stall_txp, "a stalled piece changed");
			bool take = b->txp_valid_o && b->txp_ready_i;
			st_txp = b->txp_valid_o && !b->txp_ready_i;
			stall_txp = curp;
			if (take) {
#define P(f) u32(FIELD(b->txp_o, OHCA_TXP_##f))
				CHECK(!pend.empty(), "piece before its descriptor");
				Pkt &p = pend.front();
				Qp &q = qps[p.qpn];
				const bool gone = P(GONE) || (b->gone_o >> P(SLOT) & 1);
				if (!P(INL)) { CHECK_EQ(gone, p.qpn == reset_qpn, "a piece of a QP that was reset"); goners += gone; }
				if (P(BAD)) {
					CHECK(P(GONE) || p.w.shortl || p.w.op == 255, "bad piece of a good list"); CHECK(P(LAST));
					if (p.w.op != 255 && !P(GONE) && !q.seen_err) { q.seen_err = true; q.err_idx = p.w.idx; q.err_reported = true; errs_seen++; }
					pend.pop_front(); piece_at = 0;
				} else {
					u32 len = P(LEN);
					if (p.w.op == 255 && P(INL)) inls.push_back({ bytes(len), 0, true });
					CHECK(len >= 1 && piece_at + len <= p.plen, "piece of %u at %u of %u", len, piece_at, p.plen);
					if (p.w.op != 255) {
						CHECK_EQ(P(INL), p.w.inl, "inline");
						CHECK_EQ(P(REMOTE), 0, "remote");
						if (p.w.inl) { CHECK_EQ(len, p.plen, "inline length"); inls.push_back({ p.w.data, 0 }); }
						else {
							u64 va = FIELD(b->txp_o, OHCA_TXP_VA);
							CHECK((va & 4095) + len <= 4096, "piece leaves its page");
							CHECK_EQ(P(PD), q.pd, "pd"); CHECK_EQ(P(PRIV), q.priv, "priv");
							u64 at = p.offset + piece_at;
							size_t s = 0;
							while (s < p.w.sge.size() && at >= p.w.sge[s].len) at -= p.w.sge[s++].len;
							CHECK(s < p.w.sge.size(), "piece behind the list");
							CHECK_EQ(va, p.w.sge[s].addr + at, "piece address"); CHECK_EQ(P(KEY), p.w.sge[s].key, "key");
							CHECK(at + len <= p.w.sge[s].len, "piece leaves its entry");
						}
					}
					piece_at += len;
					CHECK_EQ(P(LAST), piece_at == p.plen, "last piece");
					if (P(LAST)) { pend.pop_front(); piece_at = 0; }
				}
			}
			if (b->inl_valid_o && b->inl_ready_i) {
				// A word may come in the cycle of its piece or later, but not before it in this test (the piece is checked first).
				static std::deque<bytes> early;
				early.push_back(got_bytes(b->inl_o, 16));
				while (!early.empty() && !inls.empty()) {
					Inl &i = inls.front();
					for (u32 k = 0; k < 16 && i.at + k < i.data.size() && !i.any; k++) CHECK_EQ(early.front()[k], i.data[i.at + k], "inline byte");
					i.at += 16;
					if (i.at >= i.data.size()) inls.pop_front();
					early.pop_front();
				}
				CHECK(early.size() < 32, "inline words from nowhere");      // of the piece on offer and of the next one
			}
			idle = b->idle_o;
		});
	};

	tb::context().at_fail = [&] {
		fprintf(stderr, "db %zu fb %zu ev %zu acc %d %d idle %d pend %zu\n", src_db.q.size(), src_fb.q.size(), evs.size(), acc_on, acc_wait, idle, pend.size());
		for (auto &q : qps) if (q.err_fb && !q.flushed && q.want_flush) fprintf(stderr, "QP %u: no flush, err idx %u rung %u\n", q.qpn, q.err_idx, q.rung);
		for (auto &q : qps) if (!q.wq.empty() && !q.err_fb) {
			auto &c = ctxmem[q.qpn];
			fprintf(stderr, "QP %u type %u: %zu WQEs open, oldest idx %u psn %x+%u op %u bad %d short %d, una %x epsn %x top %x rung %u err %d rnr %d, in memory: dw7 %02x%02x%02x%02x dw8 %02x%02x%02x%02x\n",
				q.qpn, q.type, q.wq.size(), q.wq.front().idx, q.wq.front().psn0, q.wq.front().np, q.wq.front().op, q.wq.front().bad, q.wq.front().shortl, q.una, q.epsn, q.top, q.rung, q.err_reported, q.rnr,
				c[31], c[30], c[29], c[28], c[35], c[34], c[33], c[32]);
		}
	};
	auto settle = [&](u64 limit) {             // until everything posted is through
		u64 t0 = b.now();
		for (;;) {
			bool open = !src_db.done() || !src_fb.done() || !evs.empty() || !reads_due.empty() || acc_on || acc_wait;
			for (auto &q : qps) {
				if (q.err_fb) { if (!q.flushed && q.want_flush) open = true; continue; }
				if (q.err_reported) {
					// The acknowledge engine reports the error when the WQE is the oldest.
					complete(q);
					if (q.type != OHCA_QP_TYPE_RC || (!q.wq.empty() && q.wq.front().idx == q.err_idx)) {
						q.err_fb = true;
						for (auto &w : q.wq) if (w.idx == q.err_idx) q.want_flush = w.bad;
						fbs->push(fb_base(q, OHCA_FBK_ERROR));
					}
					open = true;
				} else if (!q.wq.empty()) open = true;
				// Each time later, until the packet leaves that is waited for: where all turns fetch, a batch comes after more cycles than that, and a restart throws it away.
				if (q.una != q.settled) { q.settled = q.una; q.tries = 0; }
				if (!q.wq.empty() && q.type == OHCA_QP_TYPE_RC && !q.rnr && b.now() - q.last_act > 3000ull << q.tries) {
					q.last_act = b.now();
					if (q.top != q.una || q.nak) {
						if (q.tries < 6) q.tries++;
						restart(q);
					}
				}
			}
			if (!open) break;
			if (b.now() - t0 > limit) {
				FAIL("not everything went through");
			}
			step();
		}
	};

	// ---------------------------------------------------------------- random part
	b->base_i = DV_BASE; b->limit_i = NQP;
	b.reset();
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && late_db <= 5)) {
		if (rng.chance(NQP > 100 ? 12 : 6) && src_db.q.size() < 8) {
			Qp &q = qps[rng.below(NQP)];
			unsigned n = rng.chance(60) ? 1 : unsigned(rng.range(1, 12));
			unsigned k = 0;
			for (unsigned i = 0; i < n && !q.err_fb; i++) k += post(q);
			if (k && rng.chance(90)) {
				u16 was = q.rung;
				ring_db(q, rng.chance(70));
				// One that was overtaken: it takes nothing back, and is refused if its WQE has gone already.
				if (u16(q.rung - was) > 1 && rng.chance(30)) { src_db.push({ q.qpn, q.uar, u16(was + 1), false, {} }); late_db++; }
			}
		}
		if (rng.below(2000) == 0) { Qp &q = qps[rng.below(NQP)]; src_db.push({ q.qpn, q.uar ^ 1u << rng.below(16), u16(q.rung + 1), rng.chance(50), bytes(64) }); want_bad_page++; }
		if (rng.below(2000) == 0) { src_db.push({ NQP + u32(rng.below(1000)), 0, 1, rng.chance(50), bytes(64) }); want_bad_qp++; }
		if (rng.below(300) == 0 && !acc_on && !acc_wait) {
			acc_on = true;
			tb::clear(b->acc_i);
			SET_FIELD(b->acc_i, OHCA_CTX_ACC_NUM, rng.below(NQP)); SET_FIELD(b->acc_i, OHCA_CTX_ACC_DW, rng.below(OHCA_QPC_HOT_BYTES / 4)); SET_FIELD(b->acc_i, OHCA_CTX_ACC_INVAL, rng.chance(30));
			SET_FIELD(b->acc_i, OHCA_CTX_ACC_WDATA, rng.next()); SET_FIELD(b->acc_i, OHCA_CTX_ACC_WMASK, 0);
		}
		for (auto &q : qps) if (!q.wq.empty() && q.type == OHCA_QP_TYPE_RC && !q.rnr && !q.err_fb && b.now() - q.last_act > 3000) { q.last_act = b.now(); if (q.top != q.una) restart(q); }
		step();
	}
	for (auto &q : qps) if (q.rung != q.posted) ring_db(q, false);
	settle(3000000);
	GOAL(late_db > 5);
	CHECK_EQ(bad_page, want_bad_page, "db_bad_page"); CHECK(bad_qp >= want_bad_qp && bad_qp <= want_bad_qp + late_db, "%llu bad QPs of %llu, %llu doorbells were late", (unsigned long long)bad_qp, (unsigned long long)want_bad_qp, (unsigned long long)late_db);
	for (int i = 0; i < 30000 && !idle; i++) { b.progress(); step(); }     // VLs stop for 2,500 cycles at a time
	CHECK(idle, "not idle at the end"); CHECK(pend.empty(), "pieces are missing");
	rooms.check_end();
	if (VLS > 1) printf("# room taken %llu times, %llu packets of no VL, VLs stopped %llu times\n", (unsigned long long)took, (unsigned long long)none, (unsigned long long)rooms.stops);
	rooms.random = false;
	printf("# %llu packets, %llu lost, %llu datagrams, %llu sent reports, %llu errors, %llu flushes, %llu accesses\n", (unsigned long long)txds, (unsigned long long)lost_pkts,
	       (unsigned long long)uddone, (unsigned long long)sents, (unsigned long long)errs_seen, (unsigned long long)flushes, (unsigned long long)acc_busy);

	// ---------------------------------------------------------------- states: SQD, back to RTS, ERR by the management core
	auto access = [&](u32 qpn, u32 dw, u32 data, u32 mask) {
		tb::clear(b->acc_i);
		SET_FIELD(b->acc_i, OHCA_CTX_ACC_NUM, qpn); SET_FIELD(b->acc_i, OHCA_CTX_ACC_DW, dw);
		SET_FIELD(b->acc_i, OHCA_CTX_ACC_WDATA, data); SET_FIELD(b->acc_i, OHCA_CTX_ACC_WMASK, mask);
		acc_on = true;
		while (acc_on || acc_wait) step();
		return acc_want;
	};
	unsigned fresh_mtu = 5;
	auto fresh = [&](unsigned stride) {        // healthy RC QPs with empty rings
		for (int i = 0; i < 5000 && (!idle || !pend.empty()); i++) { b.progress(); step(); }
		CHECK(idle && pend.empty(), "not idle");
		evs.clear();
		sent.clear();
		for (u32 i = 0; i < NQP; i++) {
			qps[i] = Qp();
			setup(qps[i], i);
			Qp &q = qps[i];
			if (q.type != OHCA_QP_TYPE_RC) continue;
			q.mtu = fresh_mtu; q.lsnv = false; q.stride_sh = stride; q.log = 7; q.mtt = false;
			q.ring.assign(1u << 16, 0);
			q.buf = (u64(i) << 20) + RING_BUS;
			auto &c = ctxmem[i];
			auto dw = [&](unsigned k, u32 v) { for (int j = 0; j < 4; j++) c[4 * k + j] = u8(v >> (8 * j)); };
			dw(0, OHCA_QP_STATE_RTS | q.type << 3 | q.mtu << 6 | q.priv << 9 | q.sig_all << 11 | q.log << 12 | q.stride_sh << 16 | q.max_rd << 20 | q.mig << 26);
			dw(2, u32(q.buf)); dw(3, u32(q.buf >> 32)); dw(8, q.psn_next); dw(11, 0);
		}
		b.reset();
	};
	quiet = true;
	fresh(6);
	{
		u32 n = 3;
		Qp &q = qps[n];
		access(n, 0, OHCA_QP_STATE_SQD, 7);
		for (int i = 0; i < 6; i++) post(q, 8, true);
		ring_db(q, true);
		u64 before = txds;
		for (int i = 0; i < 600; i++) { b.progress(); step(); }
		CHECK_EQ(txds, before, "packets in SQD");
		access(n, 0, OHCA_QP_STATE_RTS, 7);
		settle(20000);
		CHECK_EQ(txds, before + 6, "packets after SQD");
		for (int i = 0; i < 6; i++) post(q, 8, true);
		access(n, 0, OHCA_QP_STATE_ERR, 7);
		q.err_fb = q.want_flush = true;
		ring_db(q, false);
		settle(20000);
		for (int i = 0; i < 3; i++) post(q, 8, true);
		q.flushed = false;
		ring_db(q, false);
		settle(20000);
		CHECK_EQ(txds, before + 6, "packets in ERR");
	}
	// Drained: what was sent and is lost is sent again, what was posted since is not.
	{
		u32 n = 4;
		Qp &q = qps[n];
		u64 before = txds;
		auto wait = [&] { for (int i = 0; i < 1000; i++) { b.progress(); step(); } };
		mute = true;
		for (int i = 0; i < 4; i++) post(q, 8, true);
		ring_db(q, false);
		wait();
		CHECK_EQ(txds, before + 4, "packets that are lost");
		mute = false;
		access(n, 0, OHCA_QP_STATE_SQD, 7);
		for (int i = 0; i < 2; i++) post(q, 8, true);
		ring_db(q, false);
		restart(q);
		wait();
		CHECK_EQ(txds, before + 8, "packets sent again in SQD");
		access(n, 0, OHCA_QP_STATE_RTS, 7);
		settle(20000);
		CHECK_EQ(txds, before + 10, "packets after that");
	}

	// ---------------------------------------------------------------- RESET with work in the emitters: nothing of it is read any more, and nobody is told
	for (int round = 0; round < 2; round++) {
		fresh(6);
		u32 n = 8, other = 9;                      // RC; then datagrams
		if (round) {
			n = 7;
			for (u32 i = 7; i < NQP; i += 5) if (qps[i].log > qps[n].log) n = i;
		}
		Qp &q = qps[n], &o = qps[other];
		p_txd.always(1); p_txp.always(1);
		left_.clear();
		for (u64 had = q.emitted; q.emitted == had;) {   // some have left by then
			if (round) post(q); else post(q, 300, false);
			post(o, 300, false);
			ring_db(q, false); ring_db(o, false);
			for (int i = 0; i < 1000; i++) { b.progress(); step(); }
		}
		p_txd.always(0); p_txp.always(0);
		for (int i = 0; i < 20; i++) {
			if (round) { if (!post(q)) break; } else post(q, 3000, false);
			post(o, 3000, false);
			ring_db(q, false); ring_db(o, false);
		}
		for (int i = 0; i < 1500; i++) { b.progress(); step(); }
		access(n, 0, OHCA_QP_STATE_RESET, 7);
		access(n, 1, 0, 0);                        // not before all is known
		reset_qpn = n;
		reset_accesses++;
		CHECK_EQ(sent_resets, TB_COMPACT ? 0 : reset_accesses, "resets that the acknowledge engine is told of");
		look_at_left("after RESET");
		goners = 0;
		u64 before = q.emitted;
		p_txd.always(1); p_txp.always(1);
		for (int i = 0; i < 5000; i++) { b.progress(); step(); }
		printf("# reset: %llu packets of the QP left, %llu pieces of them were gone\n", (unsigned long long)(q.emitted - before), (unsigned long long)goners);
		CHECK(q.emitted - before >= 1 && (round || goners >= 1), "a QP that was reset");
		look_at_left("when all has left");
		q.wq.clear();
		q.err_fb = true;
		settle(200000);
		for (int i = 0; i < 5000; i++) { b.progress(); step(); }
		reset_qpn = ~0u;
		CHECK(pend.empty(), "pieces are missing");
	}

	// ---------------------------------------------------------------- a READ of half of all PSNs: nothing goes behind it before its data comes
	fresh_mtu = 1;
	fresh(6);
	for (u32 np : { 0x800000u, 0x7fffffu, 0x400000u }) {
		Qp &q = qps[np == 0x800000 ? 3 : np == 0x400000 ? 4 : 5];
		u64 before = txds;
		auto wait = [&] { for (int i = 0; i < 1500; i++) { b.progress(); step(); } };
		mute = true;
		post_read(q, np << 8);
		ring_db(q, false);
		wait();
		CHECK_EQ(txds, before + 1, "requests of a READ");
		fbs->push(fb_base(q, OHCA_FBK_PROGRESS));       // which says nothing new
		wait();
		for (int i = 0; i < 3; i++) post(q, 8, true);
		ring_db(q, false);
		wait();
		CHECK_EQ(txds, before + 1, "packets more than 2^22 PSNs beyond the oldest one");
		mute = false;
		arrive(q, q.wq.front(), q.wq.front().psn0);
		settle(20000);
		CHECK_EQ(txds, before + 4, "packets behind a READ of 2^31 bytes");
	}
	fresh_mtu = 5;

	// ---------------------------------------------------------------- reports: a turn has room for two of them before it is looked up
	fresh(6);
	{
		auto held = [&] { return (up_seq - up_took) & 1023; };
		auto wait = [&](int n) { for (int i = 0; i < n; i++) { b.progress(); step(); } };
		auto leave = [&](u32 n) { while (held() > n) { up_pops = 1; wait(20); } };
		std::vector<u32> sane, ill;
		u64 errs = errs_seen;
		for (auto &q : qps) if (q.type == OHCA_QP_TYPE_RC) (sane.size() < 3 ? sane : ill).push_back(q.qpn);
		up_pops = 0;
		up_took = 0;
		for (u32 n : sane) { for (int i = 0; i < 120; i++) post(qps[n], 8, true); ring_db(qps[n], false); }
		for (int i = 0; i < 100 && held() < 61; i++) wait(300);
		CHECK(held() >= 61, "%u reports of those that go", held());
		// A turn sends one WQE and finds the next one bad: two reports, a cycle apart. Where three more would be too many turns are fetched, but not planned.
		for (u32 n : ill) {
			Qp &q = qps[n];
			post(q, 8, true); post(q, 8, true);
			Wqe &w = q.wq.back();
			q.ring[(q.buf & 0xfffff) + (u64(w.idx & 127) << 6) + 2] ^= 1;
			w.bad = q.dead = true; w.status = OHCA_WC_STATUS_LOC_QP_OP; w.verr = OHCA_VENDOR_ERR_WQE_IDX;
			ring_db(q, false);
		}
		for (int i = 0; i < 40; i++) {
			leave(61);
			wait(i < 4 ? 2000 : 300);
			leave(60);
			wait(300);
			CHECK(held() <= 64, "%u reports where there is room for 64", held());
		}
		up_pops = -1;
		settle(200000);
		CHECK_EQ(errs_seen - errs, ill.size(), "errors");
	}

	// ---------------------------------------------------------------- speed
	for (auto *p : { &p_txd, &p_txp, &p_inl, &p_up, &p_rd, &p_wr, &p_tpt }) p->always(1);
	src_db.pace.always(1); src_fb.pace.always(1);
	rd_ring.gap = rd_ctx.gap = 0;
	rd_ring.lat_lo = rd_ring.lat_hi = 125;
	up_strict = true;
	fresh(6);
	std::vector<u32> rc;
	for (auto &q : qps) if (q.type == OHCA_QP_TYPE_RC && rc.size() < 16) rc.push_back(q.qpn);
	if (VLS > 1) {                             // all VLs in turn
		for (u32 n : rc) { qps[n].av[2] = u8((qps[n].av[2] & 0xf0) | (n & 15)); ctxmem[n][66] = qps[n].av[2]; }
		for (unsigned i = 0; i < 16; i++) rooms.sl2vl[i] = u8(i % VLS);
	}
	auto warm = [&] { for (u32 n : rc) { post(qps[n], 8, true); ring_db(qps[n], true); } settle(20000); };
	auto speed = [&](const char *what, double limit, unsigned msgs, std::function<void()> go) {
		u64 t0 = txds;
		first_txd = 0;
		go();
		settle(200000);
		CHECK_EQ(txds - t0, msgs, "messages");
		double per = double(last_txd - first_txd) / (msgs - 1);
		printf("# %s: %.2f cycles a message\n", what, per);
		// What one seed takes scatters by 1 %.
		if (TB_SETS >= 64) CHECK(per <= 1.02 * limit + (VLS > 1 ? 0.2 : 0), "%s: too slow", what);
	};
	warm();
	for (u32 n : { rc[0], rc[5] }) {
		first_txd = 0;
		post(qps[n], 8, true); ring_db(qps[n], true);
		settle(20000);
		printf("# doorbell with a pushed WQE to descriptor: %llu cycles\n", (unsigned long long)(first_txd - db_at));
		if (TB_SETS >= 64) CHECK(first_txd - db_at <= 20, "latency");      // the small cache misses
		first_txd = 0;
		post(qps[n], 8, true); ring_db(qps[n], false);
		settle(20000);
		printf("# doorbell to descriptor, ring read 125 cycles: %llu cycles\n", (unsigned long long)(first_txd - db_at));
	}
	// ---------------------------------------------------------------- a VL that is stopped: the others do not notice, and then all of it arrives
	if (VLS > 1) {
		auto of = [&](u32 n) { return rooms.vl(qps[n].av[2] & 15); };
		auto one = [&](u32 vl, bool all) {         // 32 messages of 3 KiB a QP, one by one or at once
			for (u32 n : rc) if (of(n) == vl) {
				Qp &q = qps[n];
				for (int i = 0; i < 32; i++) { post(q, 3000, false); if (!all) ring_db(q, true); }
				if (all) ring_db(q, false);
			}
		};
		auto sent = [&](u32 vl) { u64 k = 0; for (u32 n : rc) if (of(n) == vl) k += qps[n].emitted; return k; };
		for (int round = 0; round < 2; round++) {
			auto run = [&](u32 vl) { u64 t0 = b.now(), k = sent(vl); one(vl, round); for (;;) { bool open = false; for (u32 n : rc) open |= of(n) == vl && !qps[n].wq.empty(); if (!open) break; step(); } CHECK(sent(vl) > k); return b.now() - t0; };
			u64 alone = run(0);
			rooms.mask = ~1ull;
			for (u32 v = 1; v < VLS; v++) one(v, round);
			u64 t1 = b.now();
			while (b.now() - t1 < 3000) { b.progress(); step(); }
			u64 k1 = sent(1);
			u64 beside = run(0);
			CHECK_EQ(sent(1), k1, "packets of a VL that is stopped");
			printf("# 32 messages of every QP of VL 0: %llu cycles, beside %u stopped VLs %llu\n", (unsigned long long)alone, VLS - 1, (unsigned long long)beside);
			// A pushed WQE that finds no turn is read from the ring later: two or three times that costs 200 cycles.
			CHECK(beside <= alone * 2 + 300, "a stopped VL slows another one down");
			// Pushed, one a QP at a time: turns that stopped VLs hold are not held against them, so none has to be read from the ring.
			const u64 reads = ring_reads;
			u64 pushes = 0, slow = 0;
			for (int i = 0; i < 20; i++)
				for (u32 n : rc) if (of(n) == 0) {
					u64 t2 = b.now();
					post(qps[n], 8, true); ring_db(qps[n], true);
					while (!qps[n].wq.empty()) { CHECK(b.now() - t2 < 5000, "a pushed WQE beside stopped VLs is not sent"); step(); }
					slow = std::max(slow, b.now() - t2);
					pushes++;
				}
			printf("# %llu pushed WQEs beside stopped VLs: %llu reads of the ring, %llu cycles at most\n", (unsigned long long)pushes, (unsigned long long)(ring_reads - reads), (unsigned long long)slow);
			CHECK_EQ(ring_reads - reads, 0, "reads of the ring for pushed WQEs beside stopped VLs");
			rooms.mask = 0;
			settle(200000);
			rooms.check_end();
		}
	}
	speed("pushed 8-byte WRITEs, 16 QPs", 4.2, 16 * 60, [&] { for (int i = 0; i < 60; i++) for (u32 n : rc) { post(qps[n], 8, true); ring_db(qps[n], true); } });
	// Its context comes again a cycle after what became of it was written.
	speed("pushed 8-byte WRITEs, one QP", 5.3, 100, [&] { for (int i = 0; i < 100; i++) { post(qps[rc[3]], 8, true); ring_db(qps[rc[3]], true); } });
	speed("8-byte WRITEs from the ring, 16 QPs", 4.0, 16 * 64, [&] { for (u32 n : rc) { for (int i = 0; i < 64; i++) post(qps[n], 8, true); ring_db(qps[n], false); } });
	speed("8-byte WRITEs from the ring, one QP", 12.0, 120, [&] { for (int i = 0; i < 120; i++) post(qps[rc[2]], 8, true); ring_db(qps[rc[2]], false); });
	speed("64-byte WRITEs of one entry from the ring, 16 QPs", 4.0, 16 * 64, [&] { for (u32 n : rc) { for (int i = 0; i < 64; i++) post(qps[n], 64, false); ring_db(qps[n], false); } });
	for (int i = 0; i < 3000 && !idle; i++) { b.progress(); step(); }
	CHECK(idle, "not idle at the end");
	return b.finish();
}
