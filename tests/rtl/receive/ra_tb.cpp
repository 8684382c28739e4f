// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The acknowledge engine in a closed loop: a model of the send engine, a lossy wire, and a model of the responder. Whatever is lost,
// refused or delayed, each WQE must complete once, in order, with the right status, only after the responder executed it, and a READ only
// with every byte in its place.
// dut: ohca_ra_stream DW=64 Sets=4 Ways=1 InFlight=8 TimerDepth=64
// dut: ohca_ra_stream DW=64 Sets=4 Ways=1 InFlight=8 TimerDepth=64 Compact=1
// dut: ohca_ra_stream DW=512 Sets=16 Ways=1 InFlight=64 TimerDepth=64
#include "Vdut.h"
#include "host.h"
#include <set>

#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif

static tb::Bench<Vdut> *bench;
#define rng (bench->rng)
static Vdut *d;
static const u64 BASE = 0x80000;
static const u32 LIMIT = 64, PKEY = 0x8123;
enum { RC = OHCA_QP_TYPE_RC, UD = OHCA_QP_TYPE_UD };
enum { RESET = 0, RTS = 3, SQE = 5, ERR = 6 };
enum { WRITE = OHCA_WR_OP_RDMA_WRITE, SEND = OHCA_WR_OP_SEND, READ = OHCA_WR_OP_RDMA_READ, WRITE_IMM = OHCA_WR_OP_RDMA_WRITE_IMM };
enum { ACK = 0x11, FIRST = 0x0d, MIDDLE = 0x0e, LAST = 0x0f, ONLY = 0x10 };
enum Fate { OK, NAK_INV, NAK_ACC, NAK_OP, LOCAL, BAD_KEY, BLACKHOLE, SHORT_SGE, BAD_LEN, RNR_EVER };

struct Sge { u64 addr; u32 len, lkey; };
struct Wqe {
	u32 op, len, first, npk;
	bool sig;
	Fate fate;
	std::vector<Sge> sge;
	std::vector<bool> got;
	u32 got_n = 0;
	bool executed = false;           // by the responder (READ: answered in full once)
};
struct Pkt { u32 psn; u32 idx; u32 off; bool last, ackreq, first; u64 due; };     // request
struct Rsp { u32 op, psn, synd, msn, idx, off, len; u64 due; bool junk; bytes raw; };
struct Qp {
	u32 qpn, type, mtu, log_size, log_stride, pd, cqn, dlid, timeout, rnr_retry;
	bool buf_mtt, grh, sig_all, lossy;
	u8 gid[16];
	u64 ring;
	u32 epoch = 0;
	// requester
	std::map<u32, Wqe> w;            // by full index
	u32 posted = 0, next = 0, done = 0;   // full indices: posted, next to send, completed
	u32 psn0, psn_post, psn = 0;
	u32 pk = 0;                      // packets of WQE next already sent
	u32 una_psn = 0;
	bool rnr_wait = false, sq_err = false, cq_err = false, want_flush = false, told = false;
	u32 state;
	u32 reads_out = 0;
	std::deque<Pkt> wire;
	u64 wire_due = 0;
	// responder
	u32 epsn, msn = 0;
	bool nak = false, dead = false;
	u32 rnr_left = 0;
	std::set<u32> lsns;              // limits of credits that answers have carried
	bool unlimited = true;           // ... or there were none
	u32 later = 0;                   // what answers say of credits is another since
	u32 fb_lsn = 0;
	bool fb_lsnv = false;
	u32 aeth_psn = 0;                // of the last answer with credits that arrived
	std::deque<Rsp> back;
	u64 back_due = 0;
	u32 max_status = 0;
	std::set<u32> allowed;           // statuses the first error may have
	bool refused = false;            // the placement unit refused data: nothing more may be written
};
static std::vector<Qp> qps;
static Host<Vdut> *host;
static Place<Vdut> *place;
static unsigned loss = 2;
static bool posting = true;

struct Slot { bool used = false; u32 qpn = 0, idx = 0, off = 0, len = 0, base = 0, epoch = 0; };
static Slot slot_of[64];
static std::deque<unsigned> slots;

struct Up { u32 kind, qpn, idx, pi, psn, wrop, sig, status, verr; };
static std::deque<Up> ups[2];
static std::deque<u32> qerr_in, cqerr_in;
struct Acc { u32 qpn, dw, wdata, wmask; bool inval; };
static std::deque<Acc> accs;
static std::deque<u32> acc_got;
static bool acc_out;
static u64 n_refused, n_ok, n_flush, n_err, n_read, n_restart, n_rnr, n_to, n_junk, n_bytes, counts[64];
static std::map<u32, u64> by_status;
static std::multiset<u32> want_qerr;
static std::map<u32, int> qerr_seen, ev_seen;

static Qp *find(u32 qpn) { for (auto &q : qps) if (q.qpn == qpn) return &q; return nullptr; }
static u32 m24(u32 x) { return x & 0xffffff; }
static int diff24(u32 a, u32 b) { int x = int((a - b) & 0xffffff); return x >= 0x800000 ? x - 0x1000000 : x; }
static u32 mtu_of(const Qp &q) { return 128u << q.mtu; }
static u32 npk(u32 len, u32 mtu) { return len ? (len + mtu - 1) / mtu : 1; }

// ------------------------------------------------------------------------------------------------------------- set-up
static void make_ctx(Qp &q, struct ohca_rac &c)
{
	memset(&c, 0, sizeof c);
	struct ohca_av av;
	memset(&av, 0, sizeof av);
	OHCA_SET(OHCA_AV_DLID, &av, q.dlid);
	OHCA_SET(OHCA_AV_GRH, &av, q.grh);
	memcpy(OHCA_PTR(OHCA_AV_DGID, &av), q.gid, 16);
	OHCA_SET(OHCA_RAC_STATE, &c, q.state);
	OHCA_SET(OHCA_RAC_QTYPE, &c, q.type);
	OHCA_SET(OHCA_RAC_MTU, &c, q.mtu);
	OHCA_SET(OHCA_RAC_SIG_ALL, &c, q.sig_all);
	OHCA_SET(OHCA_RAC_LOG_SIZE, &c, q.log_size);
	OHCA_SET(OHCA_RAC_LOG_STRIDE, &c, q.log_stride);
	OHCA_SET(OHCA_RAC_BUF_MTT, &c, q.buf_mtt);
	OHCA_SET(OHCA_RAC_RETRY_CNT, &c, 7);
	OHCA_SET(OHCA_RAC_RETRY_LEFT, &c, 7);
	OHCA_SET(OHCA_RAC_RNR_RETRY, &c, q.rnr_retry);
	OHCA_SET(OHCA_RAC_RNR_LEFT, &c, q.rnr_retry);
	OHCA_SET(OHCA_RAC_TIMEOUT, &c, q.timeout);
	OHCA_SET(OHCA_RAC_PD, &c, q.pd);
	OHCA_SET(OHCA_RAC_BUF, &c, q.ring);
	OHCA_SET(OHCA_RAC_CQN, &c, q.cqn);
	OHCA_SET(OHCA_RAC_UNA_PSN, &c, q.psn0);
	OHCA_SET(OHCA_RAC_ACKED_PSN, &c, q.psn0);
	OHCA_SET(OHCA_RAC_SENT_PSN, &c, q.psn0);
	OHCA_SET(OHCA_RAC_RD_NEXT_PSN, &c, q.psn0);
	OHCA_SET(OHCA_RAC_SSN, &c, 1);
	OHCA_SET(OHCA_RAC_PKEY_INDEX, &c, 3);
	memcpy(OHCA_PTR(OHCA_RAC_AV, &c), &av, sizeof av);
}
static void leave();                                    // a QP was reset
static void fresh(Qp &q)
{
	u32 qpn = q.qpn, type = q.type, epoch = q.epoch + 1;
	q = Qp();
	q.qpn = qpn; q.type = type; q.epoch = epoch;
	leave();
	q.state = RTS;
	q.mtu = u32(rng.range(1, 2));
	q.log_size = u32(rng.range(2, 7));
	q.log_stride = u32(rng.range(6, 8));
	q.pd = 0x100 + qpn;
	q.cqn = u32(rng.bits(20));
	q.dlid = u32(rng.range(1, 0xbfff));
	// Four sets thrash: the small form takes so long for a miss that seven of the shorter timeouts pass without a fault.
	q.timeout = u32(rng.range(7, 8)) + (TB_COMPACT ? 1 : 0);
	q.rnr_retry = rng.chance(50) ? 7 : 6;
	q.buf_mtt = rng.chance(50);
	q.grh = rng.chance(40);
	q.sig_all = rng.chance(20);
	q.lossy = rng.chance(60);
	for (auto &g : q.gid) g = u8(rng.next());
	q.ring = 0x100000ull * (qpn + 1) + (rng.chance(50) ? 0x800 : 0);
	q.psn0 = rng.chance(30) ? 0xfffff0 + u32(rng.below(16)) : u32(rng.bits(24));
	q.psn = q.psn_post = q.una_psn = q.epsn = q.psn0;
}
static u32 a_key(const Qp &q, bool bad) { u32 k = q.pd << 16 | u32(rng.below(0xbc)) | u32(rng.below(256)) << 8; return bad ? (k & ~0xffu) | 0xbd : k; }

static void post(Qp &q, int op = -1, int len = -1, int fate = -1)
{
	Wqe w;
	u32 r = u32(rng.below(10));
	w.op = op >= 0 ? u32(op) : q.type == UD ? u32(SEND) : r < 3 ? u32(SEND) : r < 5 ? u32(WRITE) : r < 6 ? u32(WRITE_IMM) : u32(READ);
	w.len = len >= 0 ? u32(len) : rng.chance(10) ? 0 : rng.chance(60) ? u32(rng.range(1, 300)) : u32(rng.range(1, 12 * mtu_of(q)));
	if (q.type == UD) w.len = u32(rng.below(256));
	w.sig = rng.chance(60);
	w.fate = fate >= 0 ? Fate(fate) : OK;
	if (fate < 0 && q.posted > 20 && rng.chance(2)) {
		u32 f = u32(rng.range(1, 9));
		w.fate = Fate(f);
		if (q.type == UD) w.fate = rng.chance(50) ? LOCAL : OK;
	}
	if ((w.fate == BAD_KEY || w.fate == SHORT_SGE) && (w.op != READ || !w.len)) w.fate = OK;
	if (w.fate == BAD_LEN && (w.op != READ || w.len < 2)) w.fate = OK;
	if (w.fate == RNR_EVER && (w.op != SEND || q.rnr_retry == 7)) w.fate = OK;
	if (w.fate == BLACKHOLE && rng.chance(50)) w.fate = OK;
	w.npk = npk(w.len, mtu_of(q));
	w.first = q.psn_post;
	q.psn_post = m24(q.psn_post + (q.type == UD ? 0 : w.npk));
	u32 room = (1u << (q.log_stride - 4)) - (q.type == UD ? 4 : 2);
	u32 use = w.len ? u32(rng.range(1, room ? room : 1)) : u32(rng.below(room + 1)), left = w.len;
	for (u32 i = 0; i < use; i++) {
		u32 n = i == use - 1 ? left : u32(rng.below(left + 1));
		if (w.fate == SHORT_SGE && i == use - 1) n -= std::min(n, 1u);
		w.sge.push_back({rng.bits(47), n, a_key(q, w.fate == BAD_KEY && n)});
		left -= n;
	}
	if (w.fate == SHORT_SGE) { u32 sum = 0; for (auto &s : w.sge) sum += s.len; if (sum >= w.len) w.fate = OK; }
	w.got.assign(w.len, false);
	u64 at = (q.buf_mtt ? RING_BUS : 0) + q.ring + (u64(q.posted & ((1u << q.log_size) - 1)) << q.log_stride);
	bytes b(1u << q.log_stride);
	for (auto &x : b) x = u8(rng.next());
	if (q.type == UD) {
		struct ohca_wqe_ud *u = reinterpret_cast<struct ohca_wqe_ud *>(b.data());
		OHCA_SET(OHCA_WQE_UD_OPCODE, u, w.op);
		OHCA_SET(OHCA_WQE_UD_SIGNALED, u, w.sig);
		OHCA_SET(OHCA_WQE_UD_IDX, u, q.posted & 0xffff);
	} else {
		struct ohca_wqe_ctrl *u = reinterpret_cast<struct ohca_wqe_ctrl *>(b.data());
		OHCA_SET(OHCA_WQE_CTRL_OPCODE, u, w.op);
		OHCA_SET(OHCA_WQE_CTRL_SIGNALED, u, w.sig);
		OHCA_SET(OHCA_WQE_CTRL_NSGE, u, use);
		OHCA_SET(OHCA_WQE_CTRL_INL, u, 0);
		OHCA_SET(OHCA_WQE_CTRL_IDX, u, q.posted & 0xffff);
		OHCA_SET(OHCA_WQE_CTRL_LENGTH, u, w.len);
		for (u32 i = 0; i < use; i++) {
			u8 *p = &b[32 + 16 * i];
			memcpy(p, &w.sge[i].addr, 8);
			memcpy(p + 8, &w.sge[i].len, 4);
			memcpy(p + 12, &w.sge[i].lkey, 4);
		}
	}
	host->mem.put(at, b.data(), b.size());
	if (w.sig || q.sig_all) w.sig = true;
	q.w[q.posted++] = w;
}

// --------------------------------------------------------------------------------------------------- send engine model
static unsigned up_seq;                                 // reports of the send engine, those that wait included
static void up(Qp &q, u32 kind, u32 idx, u32 pi, u32 psn, u32 status = 0, u32 verr = 0, u32 sig = 0, u32 wrop = 0)
{
	const unsigned k = kind == OHCA_UPK_UD_DONE ? 1 : 0;
	up_seq += !k;
	ups[k].push_back({kind, q.qpn, idx & 0xffff, pi & 0xffff, psn, wrop, sig, status, verr});
}
static unsigned up_room(u32 k) { return unsigned(4 - std::min<size_t>(ups[k].size(), 4)); }

// What the send engine says of a WQE whose packets it makes: what answers will need of it, or that this is not all, which host memory knows then. A
// QP that was reset makes all void that was said before.
struct Sent { bool reset, keep; u32 qpn, idx, op, len, sig; Sge sge; u32 nsge; };
static std::deque<Sent> sents;
static u64 n_sent, n_kept;
static void tell(const Qp &q, u32 idx, bool keep)
{
	const Wqe &w = q.w.at(idx);
	keep = keep && (w.op != READ || w.sge.size() <= 1);
	n_sent++;
	n_kept += keep;
	sents.push_back({false, keep, q.qpn, idx & 0xffff, w.op, w.len, w.sig, w.sge.empty() ? Sge{} : w.sge[0], u32(w.sge.size())});
}

static void leave() { sents.clear(); sents.push_back({true, true, 0, 0, 0, 0, 0, {}, 0}); }

static void send_some(Qp &q, u64 now)
{
	if (q.sq_err || q.next == q.posted || up_room(0) < 2 || (q.type == UD && up_room(1) < 1)) return;
	if (!q.w.count(q.next)) return;      // complete; the feedback that says so is on its way
	Wqe &w = q.w[q.next];
	if (w.fate == LOCAL) {
		up(q, OHCA_UPK_LOCAL_ERR, q.next, 0, 0, OHCA_WC_STATUS_LOC_QP_OP, OHCA_VENDOR_ERR_WQE_FORMAT);
		up(q, OHCA_UPK_FLUSH, 0, q.posted, 0);
		q.sq_err = true;
		q.allowed.insert(OHCA_WC_STATUS_LOC_QP_OP);
		q.allowed.insert(OHCA_WC_STATUS_RETRY_EXC);     // it sends nothing again now
		return;
	}
	if (q.type == UD) {
		w.executed = true;
		up(q, OHCA_UPK_UD_DONE, q.next, 0, 0, 0, 0, w.sig && !q.sig_all, w.op);
		q.next++;
		return;
	}
	if (q.rnr_wait) return;
	if (q.wire.size() > 40 || q.back.size() > 30) return;   // no more than the time-outs allow
	if (w.op == READ && !q.pk) {
		u32 out = 0;
		for (u32 i = q.done; i < q.next; i++) out += q.w[i].op == READ;
		if (out >= 16) return;
	}
	u32 mtu = mtu_of(q), chunk = w.op == READ ? w.npk - q.pk : std::min(w.npk - q.pk, u32(rng.range(1, 16)));
	up(q, OHCA_UPK_SENT, 0, q.next + 1, m24(q.psn + chunk));
	tell(q, q.next, rng.chance(85));
	u64 due = std::max(q.wire_due, now + rng.range(5, 40));
	if (w.op == READ) {
		q.wire.push_back({q.psn, q.next, q.pk * mtu, true, true, q.pk == 0, due});
		q.psn = m24(q.psn + chunk);
		q.pk = w.npk;
	} else {
		for (u32 i = 0; i < chunk; i++) {
			due += rng.below(4);
			bool last = q.pk + 1 == w.npk;
			q.wire.push_back({q.psn, q.next, q.pk * mtu, last, last || rng.chance(20) || i + 1 == chunk, q.pk == 0, due});
			q.psn = m24(q.psn + 1);
			q.pk++;
		}
	}
	q.wire_due = due;
	if (q.pk == w.npk) { q.next++; q.pk = 0; }
}

static u32 full_idx(const Qp &q, u32 i16, u32 around) { return around + u32(int(i16) - int(around & 0xffff) + (int(i16) - int(around & 0xffff) < -0x8000 ? 0x10000 : int(i16) - int(around & 0xffff) >= 0x8000 ? -0x10000 : 0)); }

// End-to-end credits (IBA 9.7.7.2): what an answer for a PSN carries is always the same. 31 means none.
static u32 credit_code(const Qp &q, u32 psn)
{
	u32 h = (psn * 2654435761u ^ q.qpn * 40503u ^ q.epoch * 69069u ^ q.later * 7919u * 7919u) >> 7;
	return h % 5 == 0 ? 31 : h / 5 % 31;
}

static void got_fb()
{
	u32 kind = u32(FIELD(d->fb_o, OHCA_SQ_FB_KIND)), qpn = u32(FIELD(d->fb_o, OHCA_SQ_FB_QPN)), idx = u32(FIELD(d->fb_o, OHCA_SQ_FB_IDX));
	u32 una_psn = u32(FIELD(d->fb_o, OHCA_SQ_FB_UNA_PSN)), psn = u32(FIELD(d->fb_o, OHCA_SQ_FB_PSN)), ssn = u32(FIELD(d->fb_o, OHCA_SQ_FB_SSN));
	u32 rd = u32(FIELD(d->fb_o, OHCA_SQ_FB_RD_DONE));
	Qp *pq = find(qpn);
	CHECK(pq, "feedback for QP 0x%x", qpn);
	Qp &q = *pq;
	q.fb_lsnv = FIELD(d->fb_o, OHCA_SQ_FB_LSN_VALID);
	q.fb_lsn = u32(FIELD(d->fb_o, OHCA_SQ_FB_LSN));
	if (!q.lsns.empty()) CHECK(q.fb_lsnv ? q.lsns.count(q.fb_lsn) : q.unlimited, "qp %u: credits to SSN %u that no answer has given", qpn, q.fb_lsn);
	if (kind == OHCA_FBK_PROGRESS) {
		CHECK(diff24(una_psn, q.una_psn) >= 0, "qp %u: una_psn went back", qpn);
		CHECK(diff24(una_psn, q.psn_post) <= 0, "qp %u: una_psn beyond what was sent", qpn);
		q.una_psn = una_psn;
		// Late acknowledgements overtake a restart: what is complete must not be sent again, its ring slots may be in use again.
		if (diff24(q.psn, una_psn) < 0) {
			u32 i = q.next;
			while (i < q.posted && (!q.w.count(i) || diff24(una_psn, q.w[i].first) >= int(q.w[i].npk))) i++;
			q.next = i;
			// Its CQE may be here before the feedback that a WQE is complete.
			q.psn = i < q.posted && diff24(una_psn, q.w[i].first) < 0 ? q.w[i].first : una_psn;
			q.pk = i < q.posted ? u32(diff24(q.psn, q.w[i].first)) : 0;
		}
	} else if (kind == OHCA_FBK_RESTART) {
		n_restart++;
		q.rnr_wait = false;
		if (q.sq_err) return;
		u32 i = full_idx(q, idx, q.next);
		CHECK_EQ(ssn, m24(1 + i), "restart: SSN");
		if (!q.w.count(i)) {
			// It completed while the restart was on its way: progress follows.
			CHECK(i < q.done || i == q.posted, "qp %u: restart from WQE %u, which is not there", qpn, i);
			q.next = i;
			q.pk = 0;
			q.psn = psn;
			q.wire.clear();
			return;
		}
		Wqe &w = q.w[i];
		CHECK_EQ(una_psn, w.first, "restart: first PSN of the WQE");
		u32 reads = 0;
		for (u32 k = 0; k < i; k++) reads += q.w.count(k) ? q.w[k].op == READ : 0;
		CHECK_EQ(rd, (q.reads_out + reads) & 0xff, "restart: READs done");
		CHECK(diff24(psn, w.first) >= 0 && diff24(psn, q.psn_post) <= 0, "qp %u: restart outside what was sent", qpn);
		// Find the WQE that holds psn.
		while (i < q.posted && diff24(psn, q.w[i].first) >= int(q.w[i].npk)) i++;
		q.next = i;
		q.pk = i < q.posted ? u32(diff24(psn, q.w[i].first)) : 0;
		q.psn = psn;
		q.wire.clear();
	} else if (kind == OHCA_FBK_RNR_WAIT) {
		n_rnr++;
		q.rnr_wait = true;
		q.wire.clear();
	} else if (kind == OHCA_FBK_ERROR) {
		q.sq_err = true;
		q.wire.clear();
		up(q, OHCA_UPK_FLUSH, 0, q.posted, 0);
	} else FAIL("feedback of kind %u", kind);
}

// ----------------------------------------------------------------------------------------------------- responder model
static void answer(Qp &q, u64 now, u32 op, u32 psn, u32 synd, u32 idx = 0, u32 off = 0, u32 len = 0)
{
	if (q.lossy && rng.chance(loss)) return;
	if (synd < 32) synd = credit_code(q, psn);
	if (synd < 31 && op != MIDDLE) q.lsns.insert(m24(q.msn + kCredits[synd]));
	q.back_due = std::max(q.back_due + (op == ACK ? 0 : 1), now + rng.range(3, 30));
	q.back.push_back({op, psn, synd, q.msn, idx, off, len, q.back_due, false, {}});
	// Coalesce plain ACKs.
	size_t n = q.back.size();
	if (n >= 2 && op == ACK && synd < 32 && q.back[n - 2].op == ACK && q.back[n - 2].synd < 32 && !q.back[n - 2].junk && rng.chance(50)) q.back.erase(q.back.begin() + long(n) - 2);
}
static void read_answer(Qp &q, u64 now, u32 psn, u32 idx, u32 off)
{
	Wqe &w = q.w[idx];
	u32 mtu = mtu_of(q), len = w.len - off, n = npk(len, mtu);
	for (u32 i = 0; i < n; i++) {
		u32 op = n == 1 ? u32(ONLY) : i == 0 ? u32(FIRST) : i == n - 1 ? u32(LAST) : u32(MIDDLE);
		u32 pl = std::min(len - i * mtu, mtu);
		if (w.fate == BAD_LEN && i == n - 1) pl--;
		answer(q, now, op, m24(psn + i), 0, idx, off + i * mtu, pl);
	}
}
static void responder(Qp &q, const Pkt &p, u64 now)
{
	if (q.dead || (q.lossy && rng.chance(loss))) return;
	auto it = q.w.find(p.idx);
	if (it == q.w.end()) return;
	Wqe &w = it->second;
	int df = diff24(p.psn, q.epsn);
	if (df > 0) { if (!q.nak) { q.nak = true; answer(q, now, ACK, q.epsn, 0x60); } return; }
	if (df < 0) {
		q.nak = false;
		if (w.op == READ) read_answer(q, now, p.psn, p.idx, p.off);
		else answer(q, now, ACK, m24(q.epsn - 1), 0);
		return;
	}
	if (w.fate == BLACKHOLE) { q.dead = true; q.allowed.insert(OHCA_WC_STATUS_RETRY_EXC); return; }
	if (w.fate >= NAK_INV && w.fate <= NAK_OP && (p.last || rng.chance(20))) {
		static const u32 st[] = {OHCA_WC_STATUS_REM_INV_REQ, OHCA_WC_STATUS_REM_ACCESS, OHCA_WC_STATUS_REM_OP};
		q.allowed.insert(st[w.fate - NAK_INV]);
		q.allowed.insert(OHCA_WC_STATUS_RETRY_EXC);     // the NAK may get lost
		answer(q, now, ACK, p.psn, 0x60 | (w.fate - NAK_INV + 1));
		q.dead = true;
		return;
	}
	if (w.fate == RNR_EVER) q.allowed.insert(OHCA_WC_STATUS_RNR_RETRY_EXC);
	if ((w.op == SEND && p.first && (w.fate == RNR_EVER || rng.chance(5)))) {
		q.nak = true;
		answer(q, now, ACK, p.psn, 0x20 | u32(rng.range(1, 4)));
		return;
	}
	q.nak = false;
	if (w.op == READ) {
		q.msn = m24(q.msn + 1);
		q.epsn = m24(q.epsn + w.npk - p.off / mtu_of(q));
		w.executed = true;
		read_answer(q, now, p.psn, p.idx, p.off);
		return;
	}
	q.epsn = m24(q.epsn + 1);
	if (p.last) { q.msn = m24(q.msn + 1); w.executed = true; }
	if (p.ackreq) answer(q, now, ACK, p.psn, 0);
}

// ------------------------------------------------------------------------------------------------------- packets to DUT
static void put_wire(bytes &b, unsigned lsb, unsigned w, unsigned off, const bytes &v)
{
	for (unsigned i = 0; i < v.size(); i++) put_bits(b, lsb + w - 8 * (off + i + 1), 8, v[i]);
}
static bytes be(u64 v, unsigned n)
{
	bytes b(n);
	for (unsigned i = 0; i < n; i++) b[i] = u8(v >> (8 * (n - 1 - i)));
	return b;
}
static bytes build(const Qp &q, const Rsp &r, unsigned slot)
{
	bytes b((OHCA_RXD_BITS + 7) / 8, 0);
	PF(b, OHCA_RXD_SLOT, slot);
	PF(b, OHCA_RXD_SLID, q.dlid);
	PF(b, OHCA_RXD_GRH_V, q.grh);
	put_wire(b, OHCA_RXD_GRH_LSB, 320, 8, bytes(q.gid, q.gid + 16));
	unsigned l = OHCA_RXD_BTH_LSB;
	put_bits(b, l + OHCA_BTH_OPCODE_LSB, 8, r.op);
	put_bits(b, l + OHCA_BTH_PKEY_LSB, 16, PKEY & (rng.chance(50) ? 0x7fff : 0xffff));
	put_bits(b, l + OHCA_BTH_DESTQP_LSB, 24, q.qpn);
	put_bits(b, l + OHCA_BTH_PSN_LSB, 24, r.psn);
	unsigned off = 0;
	if (r.op != MIDDLE) { put_wire(b, OHCA_RXD_EXT_LSB, 224, 0, be(u64(r.synd) << 24 | r.msn, 4)); off = 4; }
	PF(b, OHCA_RXD_PLEN, r.len);
	PF(b, OHCA_RXD_PAY_OFF, 8 + (q.grh ? 40 : 0) + 12 + off);
	PF(b, OHCA_RXD_BASE, slot * 8192);
	return b;
}
// Something that must change nothing.
static void spoil(bytes &b, Qp &q)
{
	n_junk++;
	switch (rng.below(7)) {
	case 0: put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_PKEY_LSB, 16, 0x8456); break;
	case 1: PF(b, OHCA_RXD_SLID, q.dlid ^ 0x10); break;
	case 2: PF(b, OHCA_RXD_GRH_V, !q.grh); break;
	case 3: put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, 0x12); break;
	case 4: put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, ACK); put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24, m24(q.psn_post + 0x10000 + u32(rng.below(1000)))); break;
	case 5: put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, ACK); put_wire(b, OHCA_RXD_EXT_LSB, 224, 0, be(u64(0x65 + rng.below(20)) << 24, 4)); break;
	default: put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, ACK); put_wire(b, OHCA_RXD_EXT_LSB, 224, 0, be(0, 4));
		put_bits(b, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24, m24(q.una_psn - 2 - u32(rng.below(1000)))); break;
	}
}

// --------------------------------------------------------------------------------------------------------- completions
static void got_cqe()
{
	bytes b = get_all(d->cq_o, OHCA_CQ_REQ_BITS);
	Qp *pq = find(u32(BF(b, OHCA_CQ_REQ_QPN)));
	CHECK(pq, "CQE of QP 0x%llx", (unsigned long long)BF(b, OHCA_CQ_REQ_QPN));
	Qp &q = *pq;
	u32 st = u32(BF(b, OHCA_CQ_REQ_STATUS)), i = full_idx(q, u32(BF(b, OHCA_CQ_REQ_IDX)), q.done);
	by_status[st]++;
	CHECK_EQ(BF(b, OHCA_CQ_REQ_CQN), q.cqn, "cqe cqn");
	CHECK_EQ(BF(b, OHCA_CQ_REQ_RECV), 0, "cqe recv");
	CHECK(i >= q.done && i < q.posted, "qp %u: CQE of WQE %u, status %u; expected one of %u to %u", q.qpn, i, st, q.done, q.posted);
	// What was passed over succeeded without asking for a CQE.
	for (u32 k = q.done; k < i; k++) {
		CHECK(!q.w[k].sig, "qp %u: WQE %u has no CQE", q.qpn, k);
		CHECK(q.w[k].executed, "qp %u: WQE %u passed over, not executed", q.qpn, k);
		CHECK(!q.cq_err, "qp %u: WQE %u has no flush CQE", q.qpn, k);
		if (q.w[k].op == READ) CHECK_EQ(q.w[k].got_n, q.w[k].len, "bytes of an unsignaled READ");
	}
	Wqe &w = q.w[i];
	if (st == 0) {
		CHECK(!q.cq_err, "qp %u: success after an error", q.qpn);
		CHECK(w.sig, "qp %u: CQE of WQE %u, which asked for none", q.qpn, i);
		CHECK(w.executed, "qp %u: WQE %u completed, not executed", q.qpn, i);
		CHECK(w.fate != SHORT_SGE && w.fate != BAD_KEY && w.fate != BAD_LEN, "WQE %u cannot succeed", i);
		CHECK_EQ(BF(b, OHCA_CQ_REQ_OPCODE), w.op, "cqe opcode");
		CHECK_EQ(BF(b, OHCA_CQ_REQ_VERR), 0, "cqe vendor error");
		if (w.op == READ) {
			CHECK_EQ(w.got_n, w.len, "bytes of a READ");
			CHECK_EQ(BF(b, OHCA_CQ_REQ_BYTE_LEN), w.len, "cqe byte_len");
			n_read++;
		}
		n_ok++;
	} else if (st == OHCA_WC_STATUS_WR_FLUSH) {
		CHECK(q.cq_err || q.told, "qp %u: flush without an error", q.qpn);
		q.cq_err = true;
		n_flush++;
	} else {
		CHECK(!q.cq_err, "qp %u: a second error", q.qpn);
		if (w.fate == BAD_KEY) q.allowed.insert(OHCA_WC_STATUS_LOC_PROT);
		if (w.fate == SHORT_SGE || w.fate == BAD_LEN) { q.allowed.insert(OHCA_WC_STATUS_LOC_LEN); q.allowed.insert(OHCA_WC_STATUS_BAD_RESP); q.allowed.insert(OHCA_WC_STATUS_LOC_QP_OP); }
		// Its answers have come, and were kept waiting here for longer than its retries last.
		if (q.back.size() > 16) q.allowed.insert(OHCA_WC_STATUS_RETRY_EXC);
		CHECK(q.allowed.count(st), "qp %u: WQE %u (fate %u) ended with status %u", q.qpn, i, w.fate, st);
		if (st != OHCA_WC_STATUS_RETRY_EXC) CHECK(w.fate != OK, "qp %u: WQE %u ended with status %u, which belongs to another", q.qpn, i, st);
		CHECK(BF(b, OHCA_CQ_REQ_VERR) != 0, "error without cause");
		q.cq_err = true;
		if (q.type == RC) want_qerr.insert(q.qpn);
		n_err++;
	}
	for (u32 k = q.done; k <= i; k++) { if (q.w[k].op == READ) q.reads_out++; q.w.erase(k); }
	q.done = i + 1;
}

static void placed(const bytes &b)
{
	if (BF(b, OHCA_PL_REQ_EMPTY)) return;
	u32 src = u32(BF(b, OHCA_PL_REQ_SRC)), len = u32(BF(b, OHCA_PL_REQ_LEN)), key = u32(BF(b, OHCA_PL_REQ_KEY));
	u64 va = BF(b, OHCA_PL_REQ_VA);
	CHECK(!BF(b, OHCA_PL_REQ_NEED_RW) && !BF(b, OHCA_PL_REQ_CHECK_ONLY), "a READ's data needs local write");
	Slot &s = slot_of[src / 8192];
	CHECK(s.used, "data of a slot that was released");
	Qp &q = *find(s.qpn);
	if (s.epoch != q.epoch || !q.w.count(s.idx)) return;
	Wqe &w = q.w[s.idx];
	u32 at = src - s.base;
	CHECK(at + len <= s.len, "bytes beyond the packet");
	for (u32 k = 0; k < len; k++) {
		u32 o = s.off + at + k, left = o;
		size_t e = 0;
		while (e < w.sge.size() && left >= w.sge[e].len) left -= w.sge[e++].len;
		CHECK(e < w.sge.size(), "byte %u lies in no entry", o);
		CHECK(w.sge[e].lkey == key && w.sge[e].addr + left == va + k, "qp %u: byte %u of READ %u in the wrong place", q.qpn, o, s.idx);
		if (!w.got[o]) { w.got[o] = true; w.got_n++; }
		n_bytes++;
	}
}

// Data of a READ may be written while nothing before it has failed; not after its QP's completions report an error.
static void outcome(const bytes &b, bool written)
{
	Slot &s = slot_of[u32(BF(b, OHCA_PL_REQ_SRC)) / 8192];
	if (BF(b, OHCA_PL_REQ_EMPTY)) return;
	CHECK(s.used, "data of a slot that was released");
	Qp &q = *find(s.qpn);
	if (s.epoch != q.epoch) return;
	if (!written) { q.refused = true; n_refused++; return; }
	CHECK(!q.refused, "qp %u: data of READ %u written behind a refusal", q.qpn, s.idx);
	CHECK(!q.cq_err, "qp %u: data of READ %u written after an error", q.qpn, s.idx);
	for (auto &w : q.w)
		if (w.first < s.idx) CHECK(w.second.fate != BAD_KEY && w.second.fate != SHORT_SGE && w.second.fate != BAD_LEN, "qp %u: data of READ %u written, READ %u fails", q.qpn, s.idx, w.first);
}

// --------------------------------------------------------------------------------------------------------- simulation
static tb::Pace *p_rxd, *p_cq, *p_ev, *p_fb, *p_qerr, *p_up;
static bool rx_valid, acc_valid, up_valid[2], qe_valid;
static bytes rx_beat;
static unsigned rx_slot;
static u64 ahead;                                      // of the device's time before the bench's
static u32 speed_ctr;
struct Held { bool on = false; bytes b; };
static Held h_cq, h_ev, h_fb, h_pl;
template <class T> static void stable(Held &h, bool valid, bool ready, const T &sig, unsigned bits, const char *what)
{
	bytes b = get_all(sig, bits);
	if (h.on) { CHECK(valid, "%s: a stalled beat vanished", what); CHECK(b == h.b, "%s: a stalled beat changed", what); }
	h.on = valid && !ready;
	h.b = b;
}
static std::deque<std::pair<Qp *, Rsp>> direct;        // for the speed test

static void step()
{
	u64 now = bench->now();
	bench->cycle([&] {
		host->drive<false>(now);
		place->drive(now);
		d->now_i = now + ahead;
		d->sent_valid_i = !sents.empty();
		if (!sents.empty()) {
			const Sent &x = sents.front();
#define S(f, v) SET_FIELD(d->sent_i, OHCA_WQE_SENT_##f, v)
			S(RESET, x.reset); S(KEEP, x.keep); S(QPN, x.qpn); S(OPCODE, x.op); S(SIGNALED, x.sig); S(NSGE, x.nsge != 0); S(IDX, x.idx); S(LENGTH, x.len);
			tb::set_bits(d->sent_i, OHCA_WQE_SENT_SGE_LSB, 64, x.sge.addr);
			tb::set_bits(d->sent_i, OHCA_WQE_SENT_SGE_LSB + 64, 32, x.sge.len);
			tb::set_bits(d->sent_i, OHCA_WQE_SENT_SGE_LSB + 96, 32, x.sge.lkey);
			sents.pop_front();
		}
		// Send engine, wires, responders
		for (auto &q : qps) {
			if (!posting && q.next == q.posted && q.wire.empty() && q.back.empty()) continue;
			if (rng.chance(20)) send_some(q, now);
			while (!q.wire.empty() && q.wire.front().due <= now) { Pkt p = q.wire.front(); q.wire.pop_front(); responder(q, p, now); }
		}
		if (!rx_valid && !slots.empty() && p_rxd->go()) {
			Qp *q = nullptr;
			Rsp r;
			if (!direct.empty()) { q = direct.front().first; r = direct.front().second; direct.pop_front(); }
			else {
				size_t s = rng.below(qps.size());
				for (size_t k = 0; k < qps.size() && !q; k++) { Qp &x = qps[(s + k) % qps.size()]; if (!x.back.empty() && x.back.front().due <= now) q = &x; }
				if (q) { r = q->back.front(); if (!rng.chance(3) || r.junk) q->back.pop_front(); else r.junk = true; }
			}
			if (q) {
				rx_slot = slots.front();
				slots.pop_front();
				rx_beat = build(*q, r, rx_slot);
				if (!r.junk && r.op != MIDDLE && r.synd < 32) q->aeth_psn = r.psn;
				unsigned off = unsigned(BF(rx_beat, OHCA_RXD_PAY_OFF));
				slot_of[rx_slot] = {true, q->qpn, r.idx, r.off, r.len, rx_slot * 8192 + off, q->epoch};
				if (r.junk) spoil(rx_beat, *q);
				rx_valid = true;
			}
		}
		d->rxd_valid_i = rx_valid;
		if (rx_valid) tb::set_bytes(d->rxd_i, rx_beat.data(), rx_beat.size());
		d->up_seq_i = up_seq & 0x3ff;
		d->up_valid_i = 0;
		for (unsigned k = 0; k < 2; k++) {
			if (!up_valid[k]) up_valid[k] = !ups[k].empty() && p_up->go();
			if (!up_valid[k]) continue;
			Up &u = ups[k].front();
			d->up_valid_i = u8(d->up_valid_i | 1u << k);
			const unsigned o = k * OHCA_RA_UP_BITS;
			tb::set_bits(d->up_i, o + OHCA_RA_UP_KIND_LSB, OHCA_RA_UP_KIND_WIDTH, u.kind);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_QPN_LSB, 24, u.qpn);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_IDX_LSB, 16, u.idx);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_PI_LSB, 16, u.pi);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_PSN_LSB, 24, u.psn);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_ACKREQ_LSB, 1, 1);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_WROP_LSB, OHCA_RA_UP_WROP_WIDTH, u.wrop);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_SIGNALED_LSB, 1, u.sig);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_STATUS_LSB, 8, u.status);
			tb::set_bits(d->up_i, o + OHCA_RA_UP_VERR_LSB, 8, u.verr);
		}
		if (!acc_valid) acc_valid = !accs.empty() && !acc_out && rng.chance(50);
		d->acc_valid_i = acc_valid;
		if (acc_valid) {
			Acc &a = accs.front();
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_PART, OHCA_CTX_PART_RAC);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_INVAL, a.inval);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_NUM, a.qpn);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_DW, a.dw);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_WDATA, a.wdata);
			SET_FIELD(d->acc_i, OHCA_CTX_ACC_WMASK, a.wmask);
		}
		qe_valid = !qerr_in.empty();
		d->qerr_valid_i = qe_valid;
		if (qe_valid) d->qerr_qpn_i = qerr_in.front();
		d->cqerr_valid_i = !cqerr_in.empty();
		if (d->cqerr_valid_i) d->cqerr_qpn_i = cqerr_in.front();
		d->cq_ready_i = p_cq->go();
		d->ev_ready_i = p_ev->go();
		d->fb_ready_i = p_fb->go();
		d->qerr_ready_i = p_qerr->go();
		d->eval();
		d->pkey_i = d->pkey_idx_o == 3 ? PKEY : 0x8999;
	}, [&] {
		host->sample<false>(now);
		place->sample(now);
		stable(h_cq, d->cq_valid_o, d->cq_ready_i, d->cq_o, OHCA_CQ_REQ_BITS, "cq");
		stable(h_ev, d->ev_valid_o, d->ev_ready_i, d->ev_o, OHCA_EV_REQ_BITS, "ev");
		stable(h_fb, d->fb_valid_o, d->fb_ready_i, d->fb_o, OHCA_SQ_FB_BITS, "fb");
		stable(h_pl, d->pl_req_valid_o, d->pl_req_ready_i, d->pl_req_o, OHCA_PL_REQ_BITS, "pl_req");
		for (unsigned i = 0; i < 64; i++) counts[i] += d->cnt_o >> i & 1;
		if (rx_valid && d->rxd_ready_o) rx_valid = false;
		for (unsigned k = 0; k < 2; k++) if (up_valid[k] && (d->up_ready_o >> k & 1)) { ups[k].pop_front(); up_valid[k] = false; }
		if (acc_valid && d->acc_ready_o) { acc_valid = false; acc_out = true; accs.pop_front(); }
		if (BITS(d->acc_rsp_o, OHCA_ACC_RSP_VALID)) { CHECK(acc_out, "answer to no access"); CHECK(!BITS(d->acc_rsp_o, OHCA_ACC_RSP_ERR), "access error"); acc_got.push_back(BITS(d->acc_rsp_o, OHCA_ACC_RSP_RDATA)); acc_out = false; }
		if (qe_valid && d->qerr_ready_o) qerr_in.pop_front();
		if (d->cqerr_valid_i && d->cqerr_ready_o) cqerr_in.pop_front();
		if (d->cq_valid_o && d->cq_ready_i) { got_cqe(); bench->progress(); }
		if (d->fb_valid_o && d->fb_ready_i) got_fb();
		if (d->ev_valid_o && d->ev_ready_i) {
			CHECK_EQ(FIELD(d->ev_o, OHCA_EV_REQ_ETYPE), OHCA_EQE_TYPE_QP_FATAL, "event");
			CHECK(find(u32(FIELD(d->ev_o, OHCA_EV_REQ_NUM))), "event of no QP");
			ev_seen[u32(FIELD(d->ev_o, OHCA_EV_REQ_NUM))]++;
		}
		if (d->qerr_valid_o && d->qerr_ready_i) qerr_seen[d->qerr_qpn_o]++;
		if (d->rel_valid_o) {
			CHECK(slot_of[d->rel_slot_o].used, "slot %u released twice", d->rel_slot_o);
			slot_of[d->rel_slot_o].used = false;
			slots.push_back(d->rel_slot_o);
		}
	});
}
static u32 access(u32 qpn, u32 dw, u32 wdata = 0, u32 wmask = 0, bool inval = false)
{
	accs.push_back({qpn, dw, wdata, wmask, inval});
	while (!accs.empty() || acc_out) { bench->progress(); step(); }
	u32 v = acc_got.back();
	acc_got.clear();
	return v;
}
static void install(Qp &q)
{   // as firmware does: the cold half in host memory, the hot one dword by dword, the state last
	enum { HOT = OHCA_QPC_HOT_BYTES / 4 };
	struct ohca_rac c;
	u32 w[32];
	make_ctx(q, c);
	memcpy(w, &c, sizeof w);
	access(q.qpn, 0, 0, 7);
	host->mem.put(ICM_BUS + BASE + q.qpn * 1024ull + OHCA_QPC_RAC_OFFSET + OHCA_QPC_HOT_BYTES, w + HOT, sizeof w - 4 * HOT);
	access(q.qpn, 0, 0, 0, true);
	for (u32 i = 1; i < HOT; i++) access(q.qpn, i, w[i], ~0u);
	access(q.qpn, 0, w[0], ~0u);
}
static bool finished(const Qp &q)
{
	if (q.done != q.posted) {
		// The last WQEs may have retired without a CQE.
		for (u32 k = q.done; k < q.posted; k++) {
			const Wqe &w = q.w.at(k);
			if (w.sig || !w.executed || q.cq_err || (w.op == READ && w.got_n != w.len && !q.sq_err)) return false;
		}
	}
	return q.next == q.posted || q.sq_err;
}
static bool slots_back() { return slots.size() + (rx_valid ? 1 : 0) == 64; }

// A WQE is posted, sent and acknowledged while earlier ones are being retired, also before its report is taken: nothing is lost, so without a time-out all
// must complete.
static void trickle(unsigned nqp, unsigned rounds)
{
	std::vector<Qp *> use;
	for (auto &q : qps) if (q.type == RC && use.size() < nqp) use.push_back(&q);
	for (auto *q : use) { fresh(*q); q->log_size = 6; q->log_stride = 6; q->timeout = 20; q->lossy = false; q->sig_all = true; install(*q); }
	for (auto *p : {p_rxd, p_cq, p_ev, p_fb, p_qerr, p_up, &place->pace}) p->always(1);
	for (unsigned n = 0; n < rounds; n++) {
		Qp &q = *use[rng.below(nqp)];
		if (rng.chance(5)) host->lat_lo = host->lat_hi = u32(rng.range(1, 200));
		if (q.posted - q.done == 64) { bench->progress(); step(); continue; }
		post(q, WRITE, 8, OK);
		q.w[q.posted - 1].executed = true;
		// Now and then the answer is there before the report: then it waits for it.
		const bool late = rng.chance(30);
		if (late) p_up->always(0);
		up(q, OHCA_UPK_SENT, 0, q.posted, q.psn_post);
		q.next = q.posted;
		q.psn = q.epsn = q.psn_post;
		if (late) step();
		else for (unsigned k = 30 + u32(rng.below(40)); k || !ups[0].empty() || up_valid[0]; k -= k != 0) step();
		Rsp r = {};
		r.op = ACK;
		r.psn = m24(q.psn_post - 1);
		r.idx = q.posted - 1;
		direct.push_back({&q, r});
		if (late) {
			for (unsigned k = u32(rng.below(300)); k; k--) step();
			p_up->always(1);
		}
		// Not only at the end: what one ACK leaves behind the next one takes along.
		if (!rng.chance(15) && n + 1 != rounds) continue;
		for (unsigned k = 0; k < 100 || !direct.empty() || !d->idle_o; k++) step();
		for (auto *x : use) CHECK_EQ(x->done, x->posted, "WQEs that were acknowledged and did not complete");
	}
	for (auto *p : {p_rxd, p_cq, p_ev, p_fb, p_qerr, p_up, &place->pace}) p->always(-1);
}

// Cycles per message, with responses back to back.
static double speed(const char *what, unsigned nqp, u32 op, u32 len, bool keep)
{
	double per = 0;

	std::vector<Qp *> use;
	for (auto &q : qps) if (q.type == RC && use.size() < nqp) use.push_back(&q);
	for (auto *q : use) { fresh(*q); q->log_size = 9; q->log_stride = 6; q->ring = 0x1000000ull * (q->qpn + 1); q->timeout = 12; q->lossy = false; q->mtu = 2; install(*q); }
	for (auto *p : {p_rxd, p_cq, p_ev, p_fb, p_qerr, p_up, &place->pace}) p->always(1);
	host->lat_lo = host->lat_hi = 125;
	place->lat_lo = place->lat_hi = 20;
	const u32 total = op == READ ? 128 : 512;
	for (unsigned round = 0; round < 2; round++) {
		for (u32 i = 0; i < total; i++) post(*use[i % nqp], int(op), int(len), OK);
		for (auto *q : use) { for (u32 i = q->done; i < q->posted; i++) { q->w[i].executed = true; } up(*q, OHCA_UPK_SENT, 0, q->posted, q->psn_post); q->next = q->posted; q->psn = q->psn_post; q->epsn = q->psn; }
		for (unsigned i = 0; i < 60; i++) { bench->progress(); step(); }
		for (u32 i = 0; i < total; i++) {
			Qp &q = *use[i % nqp];
			u32 idx = q.posted - total / nqp + i / nqp;
			Wqe &w = q.w[idx];
			for (u32 k = 0; k < w.npk; k++) {
				Rsp r = {};
				r.op = op != READ ? u32(ACK) : w.npk == 1 ? u32(ONLY) : k == 0 ? u32(FIRST) : k + 1 == w.npk ? u32(LAST) : u32(MIDDLE);
				r.psn = m24(w.first + k);
				r.idx = idx; r.off = k * mtu_of(q); r.len = op == READ ? std::min(w.len - r.off, mtu_of(q)) : 0;
				if (op == READ || k + 1 == w.npk) direct.push_back({&q, r});
			}
			w.sig = i % 8 == 7 || op == READ;
			u64 at = (q.buf_mtt ? RING_BUS : 0) + q.ring + (u64(idx & 511) << 6);
			host->mem.wr(at, u8((host->mem.rd(at) & ~0x40) | (w.sig ? 0x40 : 0)));
			if (q.sig_all) w.sig = true;
			tell(q, idx, keep);
		}
		while (!sents.empty()) step();
		size_t pk = direct.size();
		u64 t0 = bench->now();
		bench->progress();
		while (!direct.empty() || rx_valid || !slots_back() || !d->idle_o) step();
		u64 t = bench->now() - t0;
		for (auto *q : use) { for (u32 k = q->done; k < q->posted; k++) CHECK(!q->w[k].sig, "no CQE of WQE %u", k); }
		per = double(t) / total;
		if (round) printf("# %s, %u QPs: %.1f cycles a message, %.1f a packet (%s)\n", what, nqp, per, double(t) / double(pk), keep ? "WQEs are kept" : "125 cycles of host latency");
	}
	for (auto *p : {p_rxd, p_cq, p_ev, p_fb, p_qerr, p_up, &place->pace}) p->always(-1);
	return per;
}

// READs whose data comes back to back, one of which fails: what is behind it arrives before the failure is known.
static void behind(unsigned rounds)
{
	static const Fate fates[] = {BAD_KEY, SHORT_SGE, BAD_LEN};
	std::vector<Qp *> use;
	for (auto &q : qps) if (q.type == RC && use.size() < 3) use.push_back(&q);
	for (unsigned round = 0; round < rounds; round++) {
		place->pace.always(round % 2 ? 1 : -1);
		place->lat_lo = round % 3 ? 100 : 3;
		place->lat_hi = place->lat_lo + 60;
		host->lat_lo = 5;
		host->lat_hi = 5 + u32(rng.below(60));
		for (auto *q : use) {
			want_qerr.erase(q->qpn);
			qerr_seen[q->qpn] = 0;
			fresh(*q);
			q->lossy = false; q->log_size = 4; q->timeout = 0;
			install(*q);
			u32 bad = u32(rng.range(0, 4)), fate = u32(rng.below(3));
			while (q->posted < 10) {
				post(*q, READ, int(rng.range(2, 3 * mtu_of(*q))), q->posted == bad ? fates[fate] : OK);
				if (q->posted - 1 == bad && q->w[bad].fate == OK) { q->psn_post = q->w[bad].first; q->posted--; fate = 2; }
			}
			for (auto &w : q->w) w.second.executed = true;
			up(*q, OHCA_UPK_SENT, 0, q->posted, q->psn_post);
			q->next = q->posted; q->psn = q->psn_post; q->epsn = q->psn;
		}
		for (unsigned i = 0; i < 60; i++) { bench->progress(); step(); }
		std::vector<std::deque<Rsp>> per(use.size());
		for (size_t i = 0; i < use.size(); i++)
			for (auto &x : use[i]->w)
				for (u32 k = 0; k < x.second.npk; k++) {
					Rsp r = {};
					r.op = x.second.npk == 1 ? u32(ONLY) : k == 0 ? u32(FIRST) : k + 1 == x.second.npk ? u32(LAST) : u32(MIDDLE);
					r.psn = m24(x.second.first + k);
					r.idx = x.first; r.off = k * mtu_of(*use[i]); r.len = std::min(x.second.len - r.off, mtu_of(*use[i]));
					if (x.second.fate == BAD_LEN && k + 1 == x.second.npk) r.len--;
					per[i].push_back(r);
				}
		for (bool more = true; more;) {
			size_t i = rng.below(per.size());
			for (u32 n = u32(rng.range(1, 12)); n && !per[i].empty(); n--) { direct.push_back({use[i], per[i].front()}); per[i].pop_front(); }
			more = false;
			for (auto &x : per) more = more || !x.empty();
		}
		bench->progress();
		auto over = [&] { for (auto *q : use) if (q->done != q->posted) return false; return true; };
		while (!direct.empty() || rx_valid || !slots_back() || !d->idle_o || !ups[0].empty() || !over()) step();
		for (auto *q : use) CHECK(q->cq_err, "qp %u: the bad READ did not fail", q->qpn);
	}
	place->pace.always(-1);
	place->lat_lo = 3; place->lat_hi = 40;
}

// A timer that runs out after its QP is destroyed leaves the context's memory alone; the next QP of that number has a timer again.
static void late_timer()
{
	Qp &q = *[&] { for (auto &x : qps) if (x.type == RC) return &x; return &qps[0]; }();
	struct ohca_rac c0, c1;
	const u64 at = ICM_BUS + BASE + q.qpn * 1024ull + 256;
	for (unsigned life = 0; life < 4; life++) {
		want_qerr.erase(q.qpn);
		qerr_seen[q.qpn] = 0;
		fresh(q);
		q.lossy = false; q.timeout = 7;
		install(q);
		post(q, WRITE, 8, OK);
		up(q, OHCA_UPK_SENT, 0, q.posted, q.psn_post);
		q.next = q.posted; q.psn = q.psn_post;
		if (life % 2) {
			u64 was = n_restart;
			for (u64 t = bench->now(); n_restart == was;) { CHECK(bench->now() < t + 60000, "no time-out"); step(); }
		}
		for (unsigned i = 0; i < 300; i++) step();
		access(q.qpn, 0, 0, 7, true);
		for (unsigned i = 0; i < 300; i++) step();
		host->mem.get(at, &c0, sizeof c0);
		CHECK_EQ(OHCA_GET(OHCA_RAC_STATE, &c0), RESET, "state written back");
		CHECK(OHCA_GET(OHCA_RAC_TIMER_ARMED, &c0), "no timer to be late");
		bench->progress();
		for (unsigned i = 0; i < 40000; i++) { step(); if (i % 5000 == 0) bench->progress(); }
		for (u32 i = 1; i < 8; i++) access((q.qpn + i * TB_SETS) % LIMIT, 0);
		for (unsigned i = 0; i < 300; i++) step();
		host->mem.get(at, &c1, sizeof c1);
		CHECK(!memcmp(&c0, &c1, sizeof c0), "the context of a destroyed QP was written");
		q.posted = q.done = q.next = 0;
		q.w.clear();
		q.wire.clear();
		q.back.clear();
	}
}

// A QP whose peer answers nothing by itself, with one request under way.
static Qp &alone(u32 timeout, u32 op, u32 len)
{
	Qp &q = *[&] { for (auto &x : qps) if (x.type == RC) return &x; return &qps[0]; }();
	want_qerr.erase(q.qpn);
	qerr_seen[q.qpn] = 0;
	fresh(q);
	q.lossy = false; q.timeout = timeout; q.dead = true;
	q.allowed.insert(OHCA_WC_STATUS_RETRY_EXC);
	install(q);
	post(q, int(op), int(len), OK);
	up(q, OHCA_UPK_SENT, 0, q.posted, q.psn_post);
	q.next = q.posted; q.psn = q.psn_post;
	for (unsigned i = 0; i < 300; i++) step();
	return q;
}
static void leave(Qp &q)
{
	while (!ups[0].empty()) step();
	access(q.qpn, 0, 0, 7, true);
	q.posted = q.done = q.next = 0;
	q.w.clear(); q.wire.clear(); q.back.clear();
}

// IBA 11.6.3: a QP of any type one of whose completions could not be written is in error, and says so once; what it still has is flushed.
static void lost_completion()
{
	for (auto &q : qps)
		for (u32 state : {2u, u32(RTS), 4u}) {               // RTR, RTS, SQD
			want_qerr.erase(q.qpn);
			fresh(q);
			q.lossy = false; q.dead = true; q.state = state; q.timeout = 0;
			install(q);
			if (state == RTS && q.type == RC) {
				for (unsigned i = 0; i < 3; i++) post(q, WRITE, 8, OK);
				up(q, OHCA_UPK_SENT, 0, q.posted, q.psn_post);
				q.next = q.posted; q.psn = q.psn_post;
			}
			for (unsigned i = 0; i < 300; i++) step();
			qerr_seen[q.qpn] = ev_seen[q.qpn] = 0;
			q.told = true;
			for (unsigned i = 0; i < 3; i++) cqerr_in.push_back(q.qpn);
			bench->progress();
			for (unsigned i = 0; i < 2000 || !d->idle_o; i++) step();
			CHECK_EQ(access(q.qpn, 0) & 7, ERR, "state");
			CHECK_EQ(ev_seen[q.qpn], 1, "fatal events");
			CHECK_EQ(qerr_seen[q.qpn], 1, "the responder is told");
			CHECK(q.sq_err, "the send engine is told");
			CHECK_EQ(q.done, q.posted, "flushed");
			leave(q);
		}
}

// IBA 9.7.5.1.1: an answer behind a READ whose responses are missing is an implied NAK. It asks once for each time the READ is asked for anew.
static void implied_nak()
{
	const u32 timeout = 9 + TB_COMPACT;
	Qp &q = alone(timeout, READ, 3 * 256);
	auto behind = [&](bool asks) {
		Rsp r = {};
		u64 was = n_restart;
		r.op = MIDDLE; r.psn = m24(q.w[0].first + 1); r.off = mtu_of(q); r.len = mtu_of(q);
		direct.push_back({&q, r});
		bench->progress();
		for (unsigned i = 0; i < 2000 && n_restart == was; i++) step();
		CHECK_EQ(n_restart - was, u64(asks), "restarts after an answer behind the READ");
	};
	q.w[0].len = 3 * mtu_of(q);
	for (unsigned round = 0; round < 3; round++) {
		behind(true);
		behind(false);
		u64 was = n_restart, t = bench->now();
		bench->progress();
		while (n_restart == was) { CHECK(bench->now() < t + (200u << timeout), "no time-out"); step(); }
	}
	leave(q);
}

// IBA 9.7.6.1.3: 4.096 us << timeout, whatever the code: never less, at most four times as much. Time jumps.
static void long_timeouts()
{
	for (u32 code : {20u, 27u, 28u, 29u, 30u, 31u}) {
		SET_FIELD(d->cfg_i, OHCA_PORT_CFG_CYC_4US, 1024);
		u64 begin = bench->now() + ahead;
		alone(code, WRITE, 8);
		const u64 was = n_restart, least = 1024ull << code;
		u64 at = 0;
		while (n_restart == was && at < 4 * least) {
			ahead += least / 16;
			bench->progress();
			for (unsigned i = 0; i < 1500 && n_restart == was; i++) step();
			at = bench->now() + ahead - begin;
		}
		CHECK(n_restart == was + 1 && at >= least, "time-out %u after %llu of %llu cycles", code, (unsigned long long)at, (unsigned long long)least);
		CHECK(at < 2 * least, "time-out %u after %llu of %llu cycles", code, (unsigned long long)at, (unsigned long long)least);
		SET_FIELD(d->cfg_i, OHCA_PORT_CFG_CYC_4US, 64);
		leave(*[&] { for (auto &x : qps) if (x.type == RC) return &x; return &qps[0]; }());
	}
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 110);
	bench = &b;
	d = b.dut.get();
	Host<Vdut> h(rng, d);
	Place<Vdut> pl(rng, d);
	host = &h;
	place = &pl;
	pl.watch = placed;
	pl.outcome = outcome;
	tb::Pace a1(&rng), a2(&rng), a3(&rng), a4(&rng), a5(&rng), a6(&rng);
	p_rxd = &a1; p_cq = &a2; p_ev = &a3; p_fb = &a4; p_qerr = &a5; p_up = &a6;
	b.cycles = b.cycles == 20000 ? 300000 : b.cycles;
	b.stuck_after = TB_COMPACT ? 300000 : 150000;
	auto close = tb::context().at_fail;
	tb::context().at_fail = [&, close] {
		fprintf(stderr, "slots %zu ups %zu %zu accs %zu%s idle %d placing %zu host %d\n", slots.size(), ups[0].size(), ups[1].size(), accs.size(), acc_out ? "+1" : "", d->idle_o, place->rsps.size(), host->busy());
		for (unsigned i = 0; i < 64; i++) if (counts[i]) fprintf(stderr, "counter %u: %llu\n", i, (unsigned long long)counts[i]);
		for (auto &q : qps)
			fprintf(stderr, "qp %u type %u: posted %u next %u.%u done %u, psn %06x una %06x epsn %06x, wire %zu back %zu, rnr_wait %d sq_err %d cq_err %d dead %d\n", q.qpn, q.type, q.posted,
				q.next, q.pk, q.done, q.psn, q.una_psn, q.epsn, q.wire.size(), q.back.size(), q.rnr_wait, q.sq_err, q.cq_err, q.dead);
		close();
	};
	for (u32 i = 0; i < 64; i++) slots.push_back(i);
	d->base_i = BASE; d->limit_i = LIMIT;
	tb::clear(d->cfg_i);
	SET_FIELD(d->cfg_i, OHCA_PORT_CFG_CYC_4US, 64);
	SET_FIELD(d->cfg_i, OHCA_PORT_CFG_CYC_10US, 160);
	d->rxd_valid_i = d->up_valid_i = d->acc_valid_i = d->qerr_valid_i = d->sent_valid_i = 0;
	tb::clear(d->sent_i);
	d->fb_ready_i = d->pl_req_ready_i = d->pl_rsp_valid_i = d->cq_ready_i = d->ev_ready_i = d->qerr_ready_i = 0;
	tb::clear(d->ctx_i);
	tb::clear(d->ring_i);
	tb::clear(d->wr_cnt_i);
	d->now_i = 0;
	b.reset();
	for (u32 i = 0; i < 10; i++) {
		Qp q;
		q.qpn = 3 + i * 5;
		q.type = i >= 8 ? UD : RC;
		qps.push_back(q);
		fresh(qps.back());
		struct ohca_rac c;
		make_ctx(qps.back(), c);
		h.mem.put(ICM_BUS + BASE + qps.back().qpn * 1024ull + 256, &c, sizeof c);
	}
	u64 until = b.cycles;
	while (b.now() < until) {
		if (rng.chance(2)) {
			host->lat_lo = u32(rng.range(1, 40)); host->lat_hi = host->lat_lo + u32(rng.range(0, 100));
			loss = u32(rng.below(8));
		}
		place->wrote.clear();
		for (unsigned k = 0; k < 40; k++) step();
		for (auto &q : qps) {
			u32 size = 1u << q.log_size;
			if (q.posted - q.done < size && rng.chance(50)) for (u32 k = u32(rng.range(1, 6)); k && q.posted - q.done < size && !q.cq_err; k--) { post(q); if (q.sq_err) up(q, OHCA_UPK_FLUSH, 0, q.posted, 0); }
			if (!q.cq_err && !q.told && rng.below(3000) == 0) { q.told = true; (rng.chance(50) ? qerr_in : cqerr_in).push_back(q.qpn); }
			if (!q.cq_err && !q.told && rng.below(3000) == 0) { q.told = true; q.sq_err = true; q.wire.clear(); accs.push_back({q.qpn, 0, ERR, 7, false}); up(q, OHCA_UPK_FLUSH, 0, q.posted, 0); }
			if (q.cq_err && q.done == q.posted && q.wire.empty()) {
				// All flushed. A late post is flushed too; then the QP begins again.
				if (rng.chance(30)) { for (u32 k = u32(rng.range(1, 3)); k; k--) post(q); up(q, OHCA_UPK_FLUSH, 0, q.posted, 0); }
				else if (rng.chance(10) && ups[0].empty()) {
					q.back.clear();
					for (unsigned k = 0; k < 200; k++) step();
					if (q.type == RC && want_qerr.count(q.qpn)) { CHECK_EQ(qerr_seen[q.qpn], 1, "the error was not reported once"); want_qerr.erase(q.qpn); }
					qerr_seen[q.qpn] = 0;
					fresh(q);
					install(q);
				}
			}
		}
	}
	posting = false;
	for (;;) {
		bool all = true;
		for (auto &q : qps) all = all && finished(q);
		if (all && d->idle_o && ups[0].empty() && ups[1].empty() && slots_back()) break;
		step();
	}
	// Of a QP that has nothing left the last answer's credits count; not known is what counts of one that came once more, for an older PSN.
	auto quiet = [&](const Qp &q) { return q.type == RC && !q.sq_err && !q.cq_err && !q.told && q.posted && q.una_psn == q.psn_post && q.aeth_psn == m24(q.psn_post - 1); };
	unsigned limited = 0;
	auto credits = [&] {
		for (auto &q : qps) {
			if (!quiet(q)) continue;
			u32 code = credit_code(q, m24(q.psn_post - 1));
			CHECK_EQ(q.fb_lsnv, code != 31, "credits are in use at the end");
			if (code != 31) { CHECK_EQ(q.fb_lsn, m24(q.msn + kCredits[code]), "limit of the last credits"); limited++; }
		}
	};
	credits();
	// The newest answer comes again with other credits, which then count.
	for (unsigned k = 0; k < 3; k++) {
		for (auto &q : qps) {
			if (!quiet(q)) continue;
			q.lossy = false;
			q.later++;
			answer(q, bench->now(), ACK, m24(q.psn_post - 1), 0);
		}
		for (unsigned n = 0; n < 20000 && std::any_of(qps.begin(), qps.end(), [](const Qp &q) { return !q.back.empty(); }); n++) step();
		for (unsigned n = 0; n < 2000 || !d->idle_o; n++) step();
		credits();
	}
	printf("# %u QPs end with credits\n", limited);
	for (auto &q : qps)
		for (u32 k = q.done; k < q.posted; k++) if (q.w[k].op == READ && !q.sq_err) CHECK_EQ(q.w[k].got_n, q.w[k].len, "bytes of the last READs");
	printf("# %llu good, %llu failed, %llu flushed; %llu READs, %llu bytes; %llu restarts, %llu RNR, %llu time-outs, %llu junk\n", (unsigned long long)n_ok,
	       (unsigned long long)n_err, (unsigned long long)n_flush, (unsigned long long)n_read, (unsigned long long)n_bytes, (unsigned long long)n_restart,
	       (unsigned long long)n_rnr, (unsigned long long)counts[OHCA_COUNTER_TX_TIMEOUT], (unsigned long long)n_junk);
	printf("# statuses:");
	for (auto &s : by_status) printf(" %u:%llu", s.first, (unsigned long long)s.second);
	printf("\n");
	for (auto &q : qps) q.back.clear();
	trickle(1, 600);
	trickle(6, 1200);
	late_timer();
	lost_completion();
	implied_nak();
	long_timeouts();
	behind(60);
	printf("# %llu pieces refused, %llu packets for the one before\n", (unsigned long long)n_refused, (unsigned long long)pl.passed_on);
	GOAL(n_refused > 50 && pl.passed_on > 20);
	GOAL(n_sent > 500 && n_kept > 300);
	printf("# %llu WQEs sent, %llu of them could be kept\n", (unsigned long long)n_sent, (unsigned long long)n_kept);
	struct { const char *what; unsigned nqp; u32 op, len; } runs[] = {{"WRITE of 8 bytes, an ACK each", 1, WRITE, 8}, {"WRITE of 8 bytes, an ACK each", 8, WRITE, 8},
		{"READ of 8 bytes", 1, READ, 8}, {"READ of 8 bytes", 8, READ, 8}, {"READ of 4096 bytes, MTU 512", 1, READ, 4096}};
	for (auto &x : runs) {
		const double far = speed(x.what, x.nqp, x.op, x.len, false), near = TB_COMPACT ? 0 : speed(x.what, x.nqp, x.op, x.len, true);
		if (x.op == WRITE && x.nqp == 1) CHECK(near < 0.8 * far, "%s: no faster with WQEs that are kept", x.what);
	}
	return b.finish();
}
