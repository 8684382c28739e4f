// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Queue pairs: creation, the state machine of IBA 10.3.1 as a table, queries.
 *
 * A QP's context has three parts with one engine each as writer (formats/20-contexts.toml), of each a hot half that its engine changes and a
 * cold one that lies in host memory as firmware put it there. While a QP is in RESET its engines ignore it, so create writes whole images; later
 * changes of the hot halves are masked writes that go through the engines.
 */
#include "cc.h"
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "mcast.h"
#include "port.h"
#include "qp.h"
#include "mad.h"
#include "sma.h"

#define OK OHCA_CMD_STATUS_OK
#define BAD OHCA_CMD_STATUS_BAD_PARAM

/* Attribute mask bits, as enum ib_qp_attr_mask */
enum {
	A_STATE = 1 << 0, A_CUR = 1 << 1, A_SQD = 1 << 2, A_ACCESS = 1 << 3, A_PKEY = 1 << 4, A_PORT = 1 << 5, A_QKEY = 1 << 6,
	A_AV = 1 << 7, A_MTU = 1 << 8, A_TIMEOUT = 1 << 9, A_RETRY = 1 << 10, A_RNR = 1 << 11, A_RQ_PSN = 1 << 12,
	A_MAX_RD = 1 << 13, A_ALT = 1 << 14, A_MIN_RNR = 1 << 15, A_SQ_PSN = 1 << 16, A_MAX_DEST_RD = 1 << 17, A_MIG = 1 << 18,
	A_CAP = 1 << 19, A_DQPN = 1 << 20,
};

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

/* IBA 10.3.1, for the services this device has. Alternate paths are not supported: A_ALT is in no row. */
static const struct {
	u8 from, to;
	u32 rc_req, rc_opt, dg_req, dg_opt;	/* dg: UD, SMI and GSI; the latter two have no PORT, see below */
} transitions[] = {
	{ RESET, INIT, A_PKEY | A_PORT | A_ACCESS, 0, A_PKEY | A_PORT | A_QKEY, 0 },
	{ INIT, INIT, 0, A_PKEY | A_PORT | A_ACCESS, 0, A_PKEY | A_PORT | A_QKEY },
	{ INIT, RTR, A_AV | A_MTU | A_DQPN | A_RQ_PSN | A_MAX_DEST_RD | A_MIN_RNR, A_ACCESS | A_PKEY, 0, A_PKEY | A_QKEY },
	{ RTR, RTS, A_TIMEOUT | A_RETRY | A_RNR | A_SQ_PSN | A_MAX_RD, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG,
	  A_SQ_PSN, A_CUR | A_QKEY },
	{ RTS, RTS, 0, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG, 0, A_CUR | A_QKEY },
	{ RTS, SQD, 0, A_SQD, 0, A_SQD },
	{ SQD, RTS, 0, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG, 0, A_CUR | A_QKEY },
	{ SQD, SQD, 0, A_PORT | A_AV | A_TIMEOUT | A_RETRY | A_RNR | A_MAX_RD | A_MAX_DEST_RD | A_ACCESS | A_PKEY | A_MIN_RNR | A_MIG,
	  0, A_PKEY | A_QKEY },
	{ SQE, RTS, ~0u, 0, 0, A_CUR | A_QKEY },	/* datagrams only: a connected QP goes to ERR */
};

static bool is_rc(u32 qtype)
{
	return qtype == OHCA_QP_TYPE_RC;
}

/* mask: attributes given beside STATE */
static bool transition_ok(u32 from, u32 to, u32 qtype, u32 mask)
{
	u32 special = qtype == OHCA_QP_TYPE_SMI || qtype == OHCA_QP_TYPE_GSI ? A_PORT : 0;

	if (to == RESET || (to == ERR && from != RESET))
		return mask == 0;
	for (u32 i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		u32 req, opt;

		if (transitions[i].from != from || transitions[i].to != to)
			continue;
		req = is_rc(qtype) ? transitions[i].rc_req : transitions[i].dg_req & ~special;
		opt = is_rc(qtype) ? transitions[i].rc_opt : transitions[i].dg_opt & ~special;
		return (mask & req) == req && !(mask & ~(req | opt));
	}
	return false;
}

bool qp_exists(u32 qpn)
{
	return qpn < 1u << dev.log_qp && objs_test(dev.qp_map, qpn);
}

static bool cq_ok(u32 cqn)
{
	return cqn < 1u << dev.log_cq && objs_test(dev.cq_map, cqn);
}

/* The path of a connected QP: to one port, from a GID that the table can hold. */
static bool av_ok(const u32 *dw)
{
	static const u32 rsvd[] = OHCA_AV_RSVD;
	const struct ohca_av *av = (const void *)dw;
	u32 dlid = OHCA_GET(OHCA_AV_DLID, av);

	if (!OHCA_RSVD_OK(rsvd, av) || OHCA_GET(OHCA_AV_SGID_INDEX, av) >= GID_TABLE_LEN)
		return false;
	/* Ethernet: one station, from an entry of the table; the engines look for a GRH and no LIDs. */
	if (port.eth)
		return !dlid && OHCA_GET(OHCA_AV_GRH, av) && eth_gid_usable(OHCA_GET(OHCA_AV_SGID_INDEX, av)) && !(OHCA_GET(OHCA_AV_DMAC_LO, av) & 1) &&
		       (OHCA_GET(OHCA_AV_DMAC_LO, av) | OHCA_GET(OHCA_AV_DMAC_HI, av)) && OHCA_GET(OHCA_AV_UDP_SPORT, av) >= OHCA_ROCE_UDP_SPORT_MIN;
	return dlid && dlid < 0xc000;
}

void qp_inval(u32 qpn)
{
	ctx_inval(OHCA_CTX_PART_SQC, qpn);
	ctx_inval(OHCA_CTX_PART_RAC, qpn);
	ctx_inval(OHCA_CTX_PART_RSC, qpn);
}

/* Dwords of a context that its engine writes, so that they are changed through it; and the first of the others */
#define HOT_DW (OHCA_QPC_HOT_BYTES / 4)

/* Where in host memory the cold half of a context lies. It does not cross 4 KiB, nor a chunk. */
static bool cold_addr(enum ohca_ctx_part part, u32 qpn, u64 *addr)
{
	u32 off = qpn * OHCA_QPC_STRIDE + (part == OHCA_CTX_PART_SQC ? OHCA_QPC_SQC_OFFSET : part == OHCA_CTX_PART_RSC ? OHCA_QPC_RSC_OFFSET :
					   OHCA_QPC_RAC_OFFSET) + OHCA_QPC_HOT_BYTES;

	return icm_addr(OHCA_ICM_TABLE_QPC, off, addr);
}

/*
 * The cold half, bytes of it from its start. No engine and no cache writes it: the host's memory has it, and the line that may be in a cache is
 * dropped. Until then an engine may see it as it was; so what the QP does by it must not be under way.
 */
static bool cold_write(enum ohca_ctx_part part, u32 qpn, const u32 *cold, u32 bytes)
{
	u64 a;

	return cold_addr(part, qpn, &a) && hw_dma_write(a, cold, bytes) && ctx_inval(part, qpn);
}

/* The bits that say what the timer holds for this number outlive the QP: entries in it cannot be taken back. */
static u32 rac_mask(u32 dw)
{
	return dw == OHCA_OFF(OHCA_RAC_TIMER_ARMED) / 4 ? ~OHCA_MASK(OHCA_RAC_TIMER_ARMED) :
	       dw == OHCA_OFF(OHCA_RAC_TIMER2) / 4 ? ~OHCA_MASK(OHCA_RAC_TIMER2) : dw == OHCA_OFF(OHCA_RAC_TMR) / 4 ? 0 : ~0u;
}

/* A whole context: its cold half into host memory, then the hot one, the state last. */
static bool qpc_write(enum ohca_ctx_part part, u32 qpn, const void *image)
{
	const u32 *p = image;

	if (!cold_write(part, qpn, p + HOT_DW, 128 - OHCA_QPC_HOT_BYTES))
		return false;
	for (u32 i = HOT_DW; i-- > 0;)
		if (!ctx_rmw(part, qpn, i, p[i], part == OHCA_CTX_PART_RAC ? rac_mask(i) : ~0u))
			return false;
	return true;
}

enum ohca_cmd_status do_create_qp(struct cmd *c)
{
	struct ohca_cmd_qp_in *in = (void *)c->in;
	u32 qpn = c->in_mod, qtype = OHCA_GET(OHCA_CMD_QP_IN_QTYPE, in);
	u32 sq_log = OHCA_GET(OHCA_CMD_QP_IN_SQ_LOG_SIZE, in), sq_stride = OHCA_GET(OHCA_CMD_QP_IN_SQ_LOG_STRIDE, in);
	u32 rq_log = OHCA_GET(OHCA_CMD_QP_IN_RQ_LOG_SIZE, in), rq_stride = OHCA_GET(OHCA_CMD_QP_IN_RQ_LOG_STRIDE, in);
	u32 uar = OHCA_GET(OHCA_CMD_QP_IN_UAR, in), pd = OHCA_GET(OHCA_CMD_QP_IN_PD, in);
	u32 priv = OHCA_GET(OHCA_CMD_QP_IN_PRIV, in), port_n = OHCA_GET(OHCA_CMD_QP_IN_PORT, in);
	u64 sq_buf = OHCA_GET(OHCA_CMD_QP_IN_SQ_BUF, in) | (u64)OHCA_GET(OHCA_CMD_QP_IN_SQ_BUF_HI, in) << 32;
	u64 rq_buf = OHCA_GET(OHCA_CMD_QP_IN_RQ_BUF, in) | (u64)OHCA_GET(OHCA_CMD_QP_IN_RQ_BUF_HI, in) << 32;
	u64 dbr = OHCA_GET(OHCA_CMD_QP_IN_RQ_DBR, in) | (u64)OHCA_GET(OHCA_CMD_QP_IN_RQ_DBR_HI, in) << 32;
	struct ohca_sqc s;
	struct ohca_rac a;
	struct ohca_rsc r;

	if (qpn >= 1u << dev.log_qp || OHCA_GET(OHCA_CMD_QP_IN_MASK, in))
		return BAD;
	if (qtype != OHCA_QP_TYPE_RC && qtype != OHCA_QP_TYPE_UD && qtype != OHCA_QP_TYPE_SMI && qtype != OHCA_QP_TYPE_GSI)
		return OHCA_CMD_STATUS_BAD_OP;
	/* QP0 and QP1 are what their numbers say, and only those. */
	if ((qpn == 0) != (qtype == OHCA_QP_TYPE_SMI) || (qpn == 1) != (qtype == OHCA_QP_TYPE_GSI))
		return BAD;
	if (sq_stride < 6 || sq_stride > 8 || rq_stride < 4 || rq_stride > 8 || sq_log > LOG_MAX_QP_WR || rq_log > LOG_MAX_QP_WR)
		return BAD;
	/* A WQE lies in one page: rings are aligned to it, and their strides are powers of two. */
	if ((sq_buf & ((1u << sq_stride) - 1)) || (rq_buf & ((1u << rq_stride) - 1)) || (dbr & 7) || uar >= db_pages() || port_n)
		return BAD;
	if (!ring_ok(OHCA_GET(OHCA_CMD_QP_IN_SQ_MTT, in), OHCA_GET(OHCA_CMD_QP_IN_SQ_PAGE_SHIFT, in), sq_buf,
		     1ull << (sq_log + sq_stride), &sq_buf) ||
	    !ring_ok(OHCA_GET(OHCA_CMD_QP_IN_RQ_MTT, in), OHCA_GET(OHCA_CMD_QP_IN_RQ_PAGE_SHIFT, in), rq_buf,
		     1ull << (rq_log + rq_stride), &rq_buf))
		return BAD;
	if (!cq_ok(OHCA_GET(OHCA_CMD_QP_IN_SEND_CQN, in)) || !cq_ok(OHCA_GET(OHCA_CMD_QP_IN_RECV_CQN, in)))
		return BAD;
	if (qp_exists(qpn))
		return OHCA_CMD_STATUS_EXISTS;

	zero(&s, sizeof(s));
	OHCA_SET(OHCA_SQC_QTYPE, &s, qtype);
	OHCA_SET(OHCA_SQC_MTU, &s, OHCA_MTU_MTU256);
	OHCA_SET(OHCA_SQC_PRIV, &s, priv);
	OHCA_SET(OHCA_SQC_SIG_ALL, &s, OHCA_GET(OHCA_CMD_QP_IN_SIG_ALL, in));
	OHCA_SET(OHCA_SQC_LOG_SIZE, &s, sq_log);
	OHCA_SET(OHCA_SQC_LOG_STRIDE, &s, sq_stride);
	OHCA_SET(OHCA_SQC_BUF_MTT, &s, OHCA_GET(OHCA_CMD_QP_IN_SQ_MTT, in));
	OHCA_SET(OHCA_SQC_MIGREQ, &s, 1);
	OHCA_SET(OHCA_SQC_PD, &s, pd);
	OHCA_SET(OHCA_SQC_UAR_LO, &s, uar);
	OHCA_SET(OHCA_SQC_UAR_HI, &s, uar >> 8);
	OHCA_SET(OHCA_SQC_BUF, &s, sq_buf);
	OHCA_SET(OHCA_SQC_SSN, &s, 1);
	/* Everything that the engine derives (next, fetch, una_psn, …) begins at 0; what a former QP of this number still has under way is
	 * told apart by the generation. */
	OHCA_SET(OHCA_SQC_GEN, &s, dev.sq_gen += 37);

	zero(&a, sizeof(a));
	OHCA_SET(OHCA_RAC_QTYPE, &a, qtype);
	OHCA_SET(OHCA_RAC_MTU, &a, OHCA_MTU_MTU256);
	OHCA_SET(OHCA_RAC_PRIV, &a, priv);
	OHCA_SET(OHCA_RAC_SIG_ALL, &a, OHCA_GET(OHCA_CMD_QP_IN_SIG_ALL, in));
	OHCA_SET(OHCA_RAC_LOG_SIZE, &a, sq_log);
	OHCA_SET(OHCA_RAC_LOG_STRIDE, &a, sq_stride);
	OHCA_SET(OHCA_RAC_BUF_MTT, &a, OHCA_GET(OHCA_CMD_QP_IN_SQ_MTT, in));
	OHCA_SET(OHCA_RAC_PD, &a, pd);
	OHCA_SET(OHCA_RAC_BUF, &a, sq_buf);
	OHCA_SET(OHCA_RAC_CQN, &a, OHCA_GET(OHCA_CMD_QP_IN_SEND_CQN, in));
	OHCA_SET(OHCA_RAC_SSN, &a, 1);

	zero(&r, sizeof(r));
	OHCA_SET(OHCA_RSC_QTYPE, &r, qtype);
	OHCA_SET(OHCA_RSC_MTU, &r, OHCA_MTU_MTU256);
	OHCA_SET(OHCA_RSC_PRIV, &r, priv);
	OHCA_SET(OHCA_RSC_BUF_MTT, &r, OHCA_GET(OHCA_CMD_QP_IN_RQ_MTT, in));
	OHCA_SET(OHCA_RSC_LOG_STRIDE, &r, rq_stride);
	OHCA_SET(OHCA_RSC_LOG_SIZE, &r, rq_log);
	OHCA_SET(OHCA_RSC_PD, &r, pd);
	OHCA_SET(OHCA_RSC_UAR_LO, &r, uar);
	OHCA_SET(OHCA_RSC_UAR_HI, &r, uar >> 8);
	OHCA_SET(OHCA_RSC_BUF, &r, rq_buf);
	OHCA_SET(OHCA_RSC_DBR, &r, dbr);
	OHCA_SET(OHCA_RSC_CQN, &r, OHCA_GET(OHCA_CMD_QP_IN_RECV_CQN, in));

	/* A stray packet or doorbell may have put the number's context into a cache while its chunk was another one. */
	qp_inval(qpn);
	if (!qpc_write(OHCA_CTX_PART_SQC, qpn, &s) || !qpc_write(OHCA_CTX_PART_RAC, qpn, &a) || !qpc_write(OHCA_CTX_PART_RSC, qpn, &r)) {
		qp_inval(qpn);
		return OHCA_CMD_STATUS_DMA;
	}
	objs_set(dev.qp_map, qpn);
	objs_set(dev.qp_used, qpn);
	return OK;
}

/* The state of a QP: an engine that found an error is in ERR (datagrams: SQE) before the others know. */
static bool qp_state(u32 qpn, u32 *state, u32 *qtype)
{
	u32 s, a, r;

	if (!ctx_rd(OHCA_CTX_PART_SQC, qpn, 0, &s) || !ctx_rd(OHCA_CTX_PART_RAC, qpn, 0, &a) || !ctx_rd(OHCA_CTX_PART_RSC, qpn, 0, &r))
		return false;
	*qtype = OHCA_EXTRACT(OHCA_SQC_QTYPE, s);
	s = OHCA_EXTRACT(OHCA_SQC_STATE, s);
	a = OHCA_EXTRACT(OHCA_RAC_STATE, a);
	r = OHCA_EXTRACT(OHCA_RSC_STATE, r);
	if (s == ERR || a == ERR || r == ERR)
		*state = ERR;
	else if (s == SQE || a == SQE)
		*state = SQE;
	else
		*state = s;
	return true;
}

static void set_state(u32 qpn, u32 state)
{
	ctx_rmw(OHCA_CTX_PART_SQC, qpn, 0, OHCA_PREP(OHCA_SQC_STATE, state), OHCA_MASK(OHCA_SQC_STATE));
	ctx_rmw(OHCA_CTX_PART_RAC, qpn, 0, OHCA_PREP(OHCA_RAC_STATE, state), OHCA_MASK(OHCA_RAC_STATE));
	ctx_rmw(OHCA_CTX_PART_RSC, qpn, 0, OHCA_PREP(OHCA_RSC_STATE, state), OHCA_MASK(OHCA_RSC_STATE));
}

/*
 * Back to what create_qp left: rings empty, nothing in flight is remembered. Left alone are what the host configured (it will
 * be set again before it counts), the run queue's and the timer's marks, and the restart generation, which changed with the state.
 */
static void clear_dynamic(u32 qpn)
{
	/* dwords first to last of a part, the bits to clear and what is put there */
	static const struct { u8 part, first, last; u32 mask, val; } z[] = {
		{ OHCA_CTX_PART_SQC, 6, 6, OHCA_MASK(OHCA_SQC_PI), 0 },
		{ OHCA_CTX_PART_SQC, 7, 7, ~0u, 0 },				/* next, err_idx */
		{ OHCA_CTX_PART_SQC, 8, 8, ~OHCA_MASK(OHCA_SQC_IN_RUNQ), 0 },	/* psn, waits */
		{ OHCA_CTX_PART_SQC, 9, 9, ~0u, 0 },				/* offset */
		{ OHCA_CTX_PART_SQC, 10, 10, ~0u, 1 },				/* ssn; err_valid */
		{ OHCA_CTX_PART_SQC, 11, 13, ~0u, 0 },				/* lsn, una_psn, rd_issued, skip_psn, rd_done */
		{ OHCA_CTX_PART_SQC, 14, 14, ~OHCA_MASK(OHCA_SQC_GEN), 0 },	/* ackreq_cnt, fetch */
		{ OHCA_CTX_PART_SQC, 15, 15, ~0u, 0 },				/* sent_psn */
		{ OHCA_CTX_PART_RAC, 2, 3, ~0u, 0 },				/* end_psn, lsn */
		{ OHCA_CTX_PART_RAC, 4, 4, OHCA_MASK(OHCA_RAC_RNR_WAIT), 0 },
		{ OHCA_CTX_PART_RAC, 5, 9, ~0u, 0 },				/* una_psn, acked_psn, sent_psn, una, pi, deadline */
		{ OHCA_CTX_PART_RAC, 10, 10, ~OHCA_MASK(OHCA_RAC_TIMER2), 0 },	/* flags, err_status, rd_done */
		{ OHCA_CTX_PART_RAC, 11, 11, ~0u, 0 },				/* err_idx */
		{ OHCA_CTX_PART_RAC, 12, 12, ~0u, 1 },				/* ssn */
		{ OHCA_CTX_PART_RAC, 13, 13, ~0u, 0 },				/* rd_next_psn */
		{ OHCA_CTX_PART_RSC, 1, 1, ~0u, 0 },				/* dmalen */
		{ OHCA_CTX_PART_RSC, 8, 8, OHCA_MASK(OHCA_RSC_HEAD), 0 },
		{ OHCA_CTX_PART_RSC, 9, 15, ~0u, 0 },				/* pi, epsn and flags, msn, WRITE in progress */
	};

	for (u32 i = 0; i < sizeof(z) / sizeof(z[0]); i++)
		for (u32 dw = z[i].first; dw <= z[i].last; dw++)
			ctx_rmw(z[i].part, qpn, dw, z[i].val, z[i].mask);
}

/* Wait until cond holds, at most 1 ms of device time. */
#define WAIT_FOR(cond) ({ \
	u64 end_ = hw_now() + 1000ull * hw_cycles_per_us(); \
	bool ok_; \
	while (!(ok_ = (cond)) && hw_now() < end_) \
		; \
	ok_; })

/* The engine takes every entry out of its run queue in turn, also that of a QP in RESET. */
static bool out_of_runq(u32 qpn)
{
	u32 v;

	return !ctx_rd(OHCA_CTX_PART_SQC, qpn, OHCA_OFF(OHCA_SQC_IN_RUNQ) / 4, &v) || !OHCA_EXTRACT(OHCA_SQC_IN_RUNQ, v);
}

/* All that was posted has completed (SQE: was flushed); in SQD: all that was begun. */
static bool drained(u32 qpn, bool posted)
{
	u32 next, msg, pi, una;

	if (!ctx_rd(OHCA_CTX_PART_SQC, qpn, OHCA_OFF(OHCA_SQC_NEXT) / 4, &next) ||
	    !ctx_rd(OHCA_CTX_PART_SQC, qpn, OHCA_OFF(OHCA_SQC_IN_MSG) / 4, &msg) ||
	    !ctx_rd(OHCA_CTX_PART_SQC, qpn, OHCA_OFF(OHCA_SQC_PI) / 4, &pi) ||
	    !ctx_rd(OHCA_CTX_PART_RAC, qpn, OHCA_OFF(OHCA_RAC_UNA) / 4, &una))
		return true;
	next = OHCA_EXTRACT(OHCA_SQC_NEXT, next);
	return !OHCA_EXTRACT(OHCA_SQC_IN_MSG, msg) && OHCA_EXTRACT(OHCA_RAC_UNA, una) == next &&
	       (!posted || OHCA_EXTRACT(OHCA_SQC_PI, pi) == next);
}

/* QPs in SQD that asked for the event (IBA 10.3.1, EN_SQD_ASYNC_NOTIFY). */
#define SQD_MAX 32
static u32 sqd_qpn[SQD_MAX];
static u32 sqd_used;		/* a bit each */
static u64 sqd_at;

static bool sqd_add(u32 qpn)
{
	for (u32 i = 0; i < SQD_MAX; i++)
		if (!(sqd_used >> i & 1)) {
			sqd_used |= 1u << i;
			sqd_qpn[i] = qpn;
			sqd_at = hw_now();
			return true;
		}
	return false;
}

static void sqd_drop(u32 qpn)
{
	for (u32 i = 0; i < SQD_MAX && sqd_used; i++)
		if (sqd_used >> i & 1 && sqd_qpn[i] == qpn)
			sqd_used &= ~(1u << i);
}

void qp_init(void)
{
	sqd_used = 0;
}

u64 qp_next(void)
{
	return sqd_used ? sqd_at : ~0ull;
}

void qp_poll(void)
{
	u64 now = hw_now();

	if (!sqd_used || now < sqd_at)
		return;
	sqd_at = now + 100ull * hw_cycles_per_us();
	for (u32 i = 0; i < SQD_MAX; i++)
		if (sqd_used >> i & 1 && drained(sqd_qpn[i], false)) {
			sqd_used &= ~(1u << i);
			host_event(OHCA_EQE_TYPE_SQ_DRAINED, 1, 0, sqd_qpn[i], 0);
		}
}

#define WR(part, f, val) ctx_rmw(OHCA_CTX_PART_##part, qpn, OHCA_OFF(OHCA_##part##_##f) / 4, \
				 OHCA_PREP(OHCA_##part##_##f, val), OHCA_MASK(OHCA_##part##_##f))

/*
 * The QP is in RESET: its completions that wait for a CQ are written before this returns. A write of a CQ's dword 0 (here of a bit that is set already)
 * waits for all that came before it.
 */
static void fence_cqs(u32 send_cqn, u32 recv_cqn)
{
	if (cq_ok(send_cqn))
		ctx_rmw(OHCA_CTX_PART_CQC, send_cqn, 0, OHCA_MASK(OHCA_CQC_VALID), OHCA_MASK(OHCA_CQC_VALID));
	if (cq_ok(recv_cqn) && recv_cqn != send_cqn)
		ctx_rmw(OHCA_CTX_PART_CQC, recv_cqn, 0, OHCA_MASK(OHCA_CQC_VALID), OHCA_MASK(OHCA_CQC_VALID));
}

static void qp_cqs(u32 qpn, u32 *send_cqn, u32 *recv_cqn)
{
	u32 v;

	*send_cqn = ctx_rd(OHCA_CTX_PART_RAC, qpn, OHCA_OFF(OHCA_RAC_CQN) / 4, &v) ? OHCA_EXTRACT(OHCA_RAC_CQN, v) : ~0u;
	*recv_cqn = ctx_rd(OHCA_CTX_PART_RSC, qpn, OHCA_OFF(OHCA_RSC_CQN) / 4, &v) ? OHCA_EXTRACT(OHCA_RSC_CQN, v) : ~0u;
}

enum ohca_cmd_status do_modify_qp(struct cmd *c)
{
	struct ohca_cmd_qp_in *in = (void *)c->in;
	u32 qpn = c->in_mod, to = c->op_mod, mask = OHCA_GET(OHCA_CMD_QP_IN_MASK, in) & ~A_STATE, from, qtype;
	u32 mtu = OHCA_GET(OHCA_CMD_QP_IN_MTU, in), max_rd = OHCA_GET(OHCA_CMD_QP_IN_MAX_RD_ATOMIC, in);
	u32 max_dest = OHCA_GET(OHCA_CMD_QP_IN_MAX_DEST_RD_ATOMIC, in), psn;
	const u32 *av = &c->in[18];

	if (!qp_exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(qpn, &from, &qtype))
		return OHCA_CMD_STATUS_DMA;
	if (mask & A_ALT)
		return OHCA_CMD_STATUS_BAD_OP;		/* automatic path migration */
	if (to > ERR || !transition_ok(from, to, qtype, mask))
		return OHCA_CMD_STATUS_BAD_STATE;
	/* All checks come before the first change. */
	if ((mask & A_CUR) && OHCA_GET(OHCA_CMD_QP_IN_CUR_STATE, in) != from)
		return OHCA_CMD_STATUS_BAD_STATE;
	if ((mask & A_PKEY) && OHCA_GET(OHCA_CMD_QP_IN_PKEY_INDEX, in) >= PKEY_TABLE_LEN)
		return BAD;
	if ((mask & A_PORT) && OHCA_GET(OHCA_CMD_QP_IN_PORT, in))
		return BAD;
	if ((mask & A_MTU) && (mtu < OHCA_MTU_MTU256 || mtu > OHCA_MTU_MTU4096))
		return BAD;
	if ((mask & A_MAX_RD) && max_rd > OHCA_MAX_RD_ATOMIC)
		return BAD;
	if ((mask & A_MAX_DEST_RD) && max_dest > OHCA_MAX_RD_ATOMIC)
		return BAD;
	if ((mask & A_AV) && !av_ok(av))
		return BAD;
	/* A path is written for one engine after the other: nothing may be sent on it meanwhile. */
	if ((mask & A_AV) && from == SQD && !drained(qpn, false))
		return OHCA_CMD_STATUS_BUSY;
	/* What was posted before the error is flushed, not sent. */
	if (from == SQE && to == RTS && !WAIT_FOR(drained(qpn, true)))
		return OHCA_CMD_STATUS_BUSY;
	if (to == SQD && (mask & A_SQD) && OHCA_GET(OHCA_CMD_QP_IN_EN_SQD, in) && !sqd_add(qpn))
		return OHCA_CMD_STATUS_NO_RES;
	if (to != SQD)
		sqd_drop(qpn);

	if (to == ERR) {
		/* The send engine first: it reports its producer index, which bounds the flush. */
		set_state(qpn, ERR);
		return OK;
	}
	if (to == RESET) {
		u32 send_cqn, recv_cqn;

		set_state(qpn, RESET);
		clear_dynamic(qpn);
		qp_cqs(qpn, &send_cqn, &recv_cqn);
		/* The buffers of its work requests are the host's again, also those of keys that stay. */
		if (!hw_drain())
			return OHCA_CMD_STATUS_INTERNAL;	/* it is in RESET, and can be taken there again */
		fence_cqs(send_cqn, recv_cqn);
		return OK;
	}

	/* First, as it may fail. */
	if ((mask & A_AV) && (!cold_write(OHCA_CTX_PART_SQC, qpn, av, sizeof(struct ohca_av)) || !cold_write(OHCA_CTX_PART_RAC, qpn, av, sizeof(struct ohca_av)) ||
			      !cold_write(OHCA_CTX_PART_RSC, qpn, av, sizeof(struct ohca_av))))
		return OHCA_CMD_STATUS_DMA;
	if (mask & A_PKEY) {
		u32 v = OHCA_GET(OHCA_CMD_QP_IN_PKEY_INDEX, in);

		WR(SQC, PKEY_INDEX, v);
		WR(RAC, PKEY_INDEX, v);
		WR(RSC, PKEY_INDEX, v);
	}
	if (mask & A_QKEY) {
		u32 v = OHCA_GET(OHCA_CMD_QP_IN_QKEY, in);

		WR(SQC, QKEY, v);
		WR(RSC, QKEY, v);
	}
	if (mask & A_ACCESS) {
		WR(RSC, ACC_WRITE, OHCA_GET(OHCA_CMD_QP_IN_ACC_WRITE, in));
		WR(RSC, ACC_READ, OHCA_GET(OHCA_CMD_QP_IN_ACC_READ, in));
		WR(RSC, ACC_ATOMIC, OHCA_GET(OHCA_CMD_QP_IN_ACC_ATOMIC, in));
	}
	if (!is_rc(qtype) && to == RTR) {
		/* Datagrams are bounded by the port; management datagrams are 256 bytes. */
		mtu = qtype == OHCA_QP_TYPE_UD ? port_mtu() : OHCA_MTU_MTU256;
		mask |= A_MTU;
	}
	if (mask & A_MTU) {
		WR(SQC, MTU, mtu);
		WR(RAC, MTU, mtu);
		WR(RSC, MTU, mtu);
	}
	if (mask & A_DQPN) {
		u32 v = OHCA_GET(OHCA_CMD_QP_IN_DQPN, in);

		WR(SQC, DQPN, v);
		WR(RAC, DQPN, v);
		WR(RSC, DQPN, v);
	}
	if (mask & A_RQ_PSN) {
		WR(RSC, EPSN, OHCA_GET(OHCA_CMD_QP_IN_RQ_PSN, in));
		WR(RSC, MSN, 0);
	}
	if (mask & A_MIN_RNR)
		WR(RSC, MIN_RNR, OHCA_GET(OHCA_CMD_QP_IN_MIN_RNR, in));
	if (mask & A_MAX_DEST_RD)
		WR(RSC, MAX_RD, max_dest);
	if (mask & A_MAX_RD)
		WR(SQC, MAX_RD, max_rd);
	if (mask & A_TIMEOUT)
		WR(RAC, TIMEOUT, OHCA_GET(OHCA_CMD_QP_IN_TIMEOUT, in));
	if (mask & A_RETRY) {
		WR(RAC, RETRY_CNT, OHCA_GET(OHCA_CMD_QP_IN_RETRY_CNT, in));
		WR(RAC, RETRY_LEFT, OHCA_GET(OHCA_CMD_QP_IN_RETRY_CNT, in));
	}
	if (mask & A_RNR) {
		WR(RAC, RNR_RETRY, OHCA_GET(OHCA_CMD_QP_IN_RNR_RETRY, in));
		WR(RAC, RNR_LEFT, OHCA_GET(OHCA_CMD_QP_IN_RNR_RETRY, in));
	}
	if (mask & A_SQ_PSN) {
		psn = OHCA_GET(OHCA_CMD_QP_IN_SQ_PSN, in);
		WR(SQC, PSN, psn);
		WR(SQC, UNA_PSN, psn);
		WR(SQC, SKIP_PSN, psn);
		WR(SQC, SENT_PSN, psn);
		WR(RAC, UNA_PSN, psn);
		WR(RAC, ACKED_PSN, psn);
		WR(RAC, SENT_PSN, psn);
		WR(RAC, RD_NEXT_PSN, psn);
	}
	if (to != from) {
		/* The acknowledge engine must be ready before the first send. */
		ctx_rmw(OHCA_CTX_PART_RSC, qpn, 0, OHCA_PREP(OHCA_RSC_STATE, to), OHCA_MASK(OHCA_RSC_STATE));
		ctx_rmw(OHCA_CTX_PART_RAC, qpn, 0, OHCA_PREP(OHCA_RAC_STATE, to), OHCA_MASK(OHCA_RAC_STATE));
		ctx_rmw(OHCA_CTX_PART_SQC, qpn, 0, OHCA_PREP(OHCA_SQC_STATE, to), OHCA_MASK(OHCA_SQC_STATE));
	}
	return OK;
}

enum ohca_cmd_status do_query_qp(struct cmd *c)
{
	struct ohca_cmd_qp_in *o = (void *)c->out;
	static struct ohca_sqc s;
	static struct ohca_rac a;
	static struct ohca_rsc r;
	u32 qpn = c->in_mod, state, qtype;
	u64 addr;

	if (!qp_exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(qpn, &state, &qtype) || !ctx_read(OHCA_CTX_PART_SQC, qpn, &s, HOT_DW) || !ctx_read(OHCA_CTX_PART_RAC, qpn, &a, HOT_DW) ||
	    !ctx_read(OHCA_CTX_PART_RSC, qpn, &r, HOT_DW) || !cold_addr(OHCA_CTX_PART_SQC, qpn, &addr) ||
	    !hw_dma_read(addr, &c->out[18], sizeof(struct ohca_av)))
		return OHCA_CMD_STATUS_DMA;
	c->imm = cc_count(qpn);
#define O(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, o, v)
	O(STATE, state);
	O(QTYPE, qtype);
	O(PRIV, OHCA_GET(OHCA_SQC_PRIV, &s));
	O(SIG_ALL, OHCA_GET(OHCA_SQC_SIG_ALL, &s));
	O(MTU, OHCA_GET(OHCA_SQC_MTU, &s));
	O(PD, OHCA_GET(OHCA_SQC_PD, &s));
	O(UAR, OHCA_GET(OHCA_SQC_UAR_LO, &s) | OHCA_GET(OHCA_SQC_UAR_HI, &s) << 8);
	O(SEND_CQN, OHCA_GET(OHCA_RAC_CQN, &a));
	O(RECV_CQN, OHCA_GET(OHCA_RSC_CQN, &r));
	O(SQ_LOG_SIZE, OHCA_GET(OHCA_SQC_LOG_SIZE, &s));
	O(SQ_LOG_STRIDE, OHCA_GET(OHCA_SQC_LOG_STRIDE, &s));
	O(RQ_LOG_SIZE, OHCA_GET(OHCA_RSC_LOG_SIZE, &r));
	O(RQ_LOG_STRIDE, OHCA_GET(OHCA_RSC_LOG_STRIDE, &r));
	O(QKEY, OHCA_GET(OHCA_RSC_QKEY, &r));
	O(PKEY_INDEX, OHCA_GET(OHCA_SQC_PKEY_INDEX, &s));
	O(ACC_WRITE, OHCA_GET(OHCA_RSC_ACC_WRITE, &r));
	O(ACC_READ, OHCA_GET(OHCA_RSC_ACC_READ, &r));
	O(ACC_ATOMIC, OHCA_GET(OHCA_RSC_ACC_ATOMIC, &r));
	O(DQPN, OHCA_GET(OHCA_SQC_DQPN, &s));
	O(RQ_PSN, OHCA_GET(OHCA_RSC_EPSN, &r));
	O(SQ_PSN, OHCA_GET(OHCA_SQC_PSN, &s));
	O(MIN_RNR, OHCA_GET(OHCA_RSC_MIN_RNR, &r));
	O(TIMEOUT, OHCA_GET(OHCA_RAC_TIMEOUT, &a));
	O(RETRY_CNT, OHCA_GET(OHCA_RAC_RETRY_CNT, &a));
	O(RNR_RETRY, OHCA_GET(OHCA_RAC_RNR_RETRY, &a));
	O(MAX_RD_ATOMIC, OHCA_GET(OHCA_SQC_MAX_RD, &s));
	O(MAX_DEST_RD_ATOMIC, OHCA_GET(OHCA_RSC_MAX_RD, &r));
#undef O
	return OK;
}

bool qp_is_ud(u32 qpn)
{
	u32 state, qtype;

	return qp_state(qpn, &state, &qtype) && qtype == OHCA_QP_TYPE_UD;
}

static void qp_stop(u32 qpn)
{
	sqd_drop(qpn);
	cc_forget(qpn);
	mcast_forget(qpn);
	set_state(qpn, RESET);
}

/* The first QP from that number on, or the end of the table: few of many exist, so chunks without memory and whole words are passed by. */
static u32 next_qp(u32 q)
{
	const u32 per = (1u << OHCA_ICM_CHUNK_SHIFT) / OHCA_QPC_STRIDE;

	while (q < 1u << dev.log_qp && !objs_test(dev.qp_map, q))
		q += !(q & (per - 1)) && !map_test(dev.icm_map, dev.first[OHCA_ICM_TABLE_QPC] + q / per) ? per :
		     objs_step(dev.qp_map, q);
	return q;
}

bool qp_destroy_all(void)
{
	u64 end;

	/* All wait for the same engine and the same memory, so that the time does not grow with their number. */
	for (u32 q = next_qp(0); q < 1u << dev.log_qp; q = next_qp(q + 1))
		qp_stop(q);
	end = hw_now() + 1000ull * hw_cycles_per_us();
	for (u32 q = next_qp(0); q < 1u << dev.log_qp; q = next_qp(q + 1)) {
		while (!out_of_runq(q) && hw_now() < end)
			;
		qp_inval(q);
	}
	objs_reset(dev.qp_map);
	return hw_drain();
}

enum ohca_cmd_status do_destroy_qp(struct cmd *c)
{
	u32 send_cqn, recv_cqn;
	struct ohca_sqc s;
	struct ohca_rsc r;
	bool known, ok;

	if (!qp_exists(c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	known = ctx_read(OHCA_CTX_PART_SQC, c->in_mod, &s, OHCA_OFF(OHCA_SQC_BUF) / 4 + 2) &&
		ctx_read(OHCA_CTX_PART_RSC, c->in_mod, &r, OHCA_OFF(OHCA_RSC_LOG_SIZE) / 4 + 1);
	qp_stop(c->in_mod);
	WAIT_FOR(out_of_runq(c->in_mod));
	qp_cqs(c->in_mod, &send_cqn, &recv_cqn);
	qp_inval(c->in_mod);
	/* The buffers of its work requests may belong to keys that stay, such as the reserved one. */
	if (!hw_drain())
		return OHCA_CMD_STATUS_INTERNAL;	/* it is still there, and can be destroyed again */
	fence_cqs(send_cqn, recv_cqn);
	objs_clear(dev.qp_map, c->in_mod);
	if (!known)
		return ctx_inval(OHCA_CTX_PART_MTT, 0) ? OK : OHCA_CMD_STATUS_INTERNAL;
	ok = ring_forget(OHCA_GET(OHCA_SQC_BUF_MTT, &s), OHCA_GET(OHCA_SQC_BUF, &s),
			 1ull << (OHCA_GET(OHCA_SQC_LOG_SIZE, &s) + OHCA_GET(OHCA_SQC_LOG_STRIDE, &s)));
	ok &= ring_forget(OHCA_GET(OHCA_RSC_BUF_MTT, &r), OHCA_GET(OHCA_RSC_BUF, &r),
			  1ull << (OHCA_GET(OHCA_RSC_LOG_SIZE, &r) + OHCA_GET(OHCA_RSC_LOG_STRIDE, &r)));
	return ok ? OK : OHCA_CMD_STATUS_INTERNAL;
}

/* After a fatal QP event: bring the engines that do not know it yet to ERR, so that both queues flush. */
enum ohca_cmd_status do_flush_qp(struct cmd *c)
{
	u32 state, qtype;

	if (!qp_exists(c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(c->in_mod, &state, &qtype))
		return OHCA_CMD_STATUS_DMA;
	if (state != ERR)
		return OHCA_CMD_STATUS_BAD_STATE;
	set_state(c->in_mod, ERR);
	return OK;
}
