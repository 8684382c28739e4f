// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Queue pairs: creation, the state machine of IBA 10.3.1 as a table, queries.
 *
 * A QP's context has three parts with one engine each as writer (formats/20-contexts.toml). While a QP is in RESET its engines
 * ignore it, so create writes whole images; later changes are masked writes that go through the engines.
 */
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "port.h"

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

/* IBA table 91 and following, for the services this device has. Alternate paths are not supported: A_ALT is in no row. */
static const struct {
	u8 from, to;
	u32 rc_req, rc_opt, ud_req, ud_opt;	/* ud: UD, SMI and GSI (SMI and GSI have no port attribute) */
} transitions[] = {
	{ RESET, INIT, A_PKEY | A_PORT | A_ACCESS, 0, A_PKEY | A_QKEY, A_PORT },
	{ INIT, INIT, 0, A_PKEY | A_PORT | A_ACCESS, 0, A_PKEY | A_QKEY | A_PORT },
	{ INIT, RTR, A_AV | A_MTU | A_DQPN | A_RQ_PSN | A_MAX_DEST_RD | A_MIN_RNR, A_ACCESS | A_PKEY, 0, A_PKEY | A_QKEY },
	{ RTR, RTS, A_TIMEOUT | A_RETRY | A_RNR | A_SQ_PSN | A_MAX_RD, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG,
	  A_SQ_PSN, A_CUR | A_QKEY },
	{ RTS, RTS, 0, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG, 0, A_CUR | A_QKEY },
	{ RTS, SQD, 0, A_SQD, 0, A_SQD },
	{ SQD, RTS, 0, A_CUR | A_ACCESS | A_MIN_RNR | A_MIG, 0, A_CUR | A_QKEY },
	{ SQD, SQD, 0, A_PORT | A_AV | A_TIMEOUT | A_RETRY | A_RNR | A_MAX_RD | A_MAX_DEST_RD | A_ACCESS | A_PKEY | A_MIN_RNR | A_MIG,
	  0, A_PKEY | A_QKEY },
	{ SQE, RTS, ~0u, 0, 0, A_CUR | A_QKEY },
};

static bool is_rc(u32 qtype)
{
	return qtype == OHCA_QP_TYPE_RC;
}

/* mask: attributes given beside STATE */
static bool transition_ok(u32 from, u32 to, u32 qtype, u32 mask)
{
	if (to == RESET || (to == ERR && from != RESET))
		return mask == 0;
	for (u32 i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		u32 req, opt;

		if (transitions[i].from != from || transitions[i].to != to)
			continue;
		req = is_rc(qtype) ? transitions[i].rc_req : transitions[i].ud_req;
		opt = is_rc(qtype) ? transitions[i].rc_opt : transitions[i].ud_opt;
		return (mask & req) == req && !(mask & ~(req | opt));
	}
	return false;
}

static bool exists(u32 qpn)
{
	return qpn < 1u << dev.log_qp && map_test(dev.qp_map, qpn);
}

static bool cq_ok(u32 cqn)
{
	return cqn < 1u << dev.log_cq && map_test(dev.cq_map, cqn);
}

static bool av_ok(const u32 *av)
{
	static const u32 rsvd[] = OHCA_AV_RSVD;

	for (u32 i = 0; i < sizeof(rsvd) / 4; i++)
		if (av[i] & rsvd[i])
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
	u32 priv = OHCA_GET(OHCA_CMD_QP_IN_PRIV, in), port = OHCA_GET(OHCA_CMD_QP_IN_PORT, in);
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
	if ((sq_buf & 63) || (rq_buf & ((1u << rq_stride) - 1)) || (dbr & 7) || uar >= OHCA_DB_PAGES || port)
		return BAD;
	if (!cq_ok(OHCA_GET(OHCA_CMD_QP_IN_SEND_CQN, in)) || !cq_ok(OHCA_GET(OHCA_CMD_QP_IN_RECV_CQN, in)))
		return BAD;
	if (exists(qpn))
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
	OHCA_SET(OHCA_SQC_UAR, &s, uar);
	OHCA_SET(OHCA_SQC_BUF, &s, sq_buf);
	OHCA_SET(OHCA_SQC_SSN, &s, 1);

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
	OHCA_SET(OHCA_RSC_UAR, &r, uar);
	OHCA_SET(OHCA_RSC_BUF, &r, rq_buf);
	OHCA_SET(OHCA_RSC_DBR, &r, dbr);
	OHCA_SET(OHCA_RSC_CQN, &r, OHCA_GET(OHCA_CMD_QP_IN_RECV_CQN, in));

	if (!ctx_write(OHCA_CTX_PART_SQC, qpn, &s, sizeof(s) / 4) || !ctx_write(OHCA_CTX_PART_RAC, qpn, &a, sizeof(a) / 4) ||
	    !ctx_write(OHCA_CTX_PART_RSC, qpn, &r, sizeof(r) / 4))
		return OHCA_CMD_STATUS_DMA;
	map_set(dev.qp_map, qpn);
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

/* Back to what create_qp left: rings empty, nothing in flight is remembered. */
static void clear_dynamic(u32 qpn)
{
	static const struct { u8 part, dw; u32 val; } z[] = {
		{ OHCA_CTX_PART_SQC, 7, 0 }, { OHCA_CTX_PART_SQC, 8, 0 }, { OHCA_CTX_PART_SQC, 9, 0 }, { OHCA_CTX_PART_SQC, 10, 1 },
		{ OHCA_CTX_PART_SQC, 11, 0 }, { OHCA_CTX_PART_SQC, 12, 0 }, { OHCA_CTX_PART_SQC, 13, 0 },
		{ OHCA_CTX_PART_RAC, 5, 0 }, { OHCA_CTX_PART_RAC, 6, 0 }, { OHCA_CTX_PART_RAC, 7, 0 }, { OHCA_CTX_PART_RAC, 8, 0 },
		{ OHCA_CTX_PART_RAC, 10, 0 }, { OHCA_CTX_PART_RAC, 11, 0 }, { OHCA_CTX_PART_RAC, 12, 1 }, { OHCA_CTX_PART_RAC, 13, 0 },
		{ OHCA_CTX_PART_RSC, 9, 0 }, { OHCA_CTX_PART_RSC, 10, 0 }, { OHCA_CTX_PART_RSC, 11, 0 }, { OHCA_CTX_PART_RSC, 12, 0 },
		{ OHCA_CTX_PART_RSC, 13, 0 }, { OHCA_CTX_PART_RSC, 14, 0 }, { OHCA_CTX_PART_RSC, 15, 0 },
	};
	/* The send engine keeps in_runq: a QP that still waits for its turn must not be queued twice. */
	u32 keep = OHCA_MASK(OHCA_SQC_IN_RUNQ);

	for (u32 i = 0; i < sizeof(z) / sizeof(z[0]); i++)
		ctx_rmw(z[i].part, qpn, z[i].dw, z[i].val, z[i].part == OHCA_CTX_PART_SQC && z[i].dw == 8 ? ~keep : ~0u);
	ctx_rmw(OHCA_CTX_PART_SQC, qpn, 6, 0, OHCA_MASK(OHCA_SQC_PI));
	ctx_rmw(OHCA_CTX_PART_RAC, qpn, 4, 0, OHCA_MASK(OHCA_RAC_RNR_WAIT));
	ctx_rmw(OHCA_CTX_PART_RSC, qpn, 8, 0, OHCA_MASK(OHCA_RSC_HEAD));
}

#define WR(part, f, val) ctx_rmw(OHCA_CTX_PART_##part, qpn, OHCA_OFF(OHCA_##part##_##f) / 4, \
				 OHCA_PREP(OHCA_##part##_##f, val), OHCA_MASK(OHCA_##part##_##f))

enum ohca_cmd_status do_modify_qp(struct cmd *c)
{
	struct ohca_cmd_qp_in *in = (void *)c->in;
	u32 qpn = c->in_mod, to = c->op_mod, mask = OHCA_GET(OHCA_CMD_QP_IN_MASK, in) & ~A_STATE, from, qtype;
	u32 mtu = OHCA_GET(OHCA_CMD_QP_IN_MTU, in), max_rd = OHCA_GET(OHCA_CMD_QP_IN_MAX_RD_ATOMIC, in);
	u32 max_dest = OHCA_GET(OHCA_CMD_QP_IN_MAX_DEST_RD_ATOMIC, in), psn;
	const u32 *av = &c->in[18];

	if (!exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(qpn, &from, &qtype))
		return OHCA_CMD_STATUS_DMA;
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
	if ((mask & A_AV) && (!av_ok(av) || (av[1] >> 16 & 0xff) >= GID_TABLE_LEN))
		return BAD;

	if (to == ERR) {
		/* The send engine first: it reports its producer index, which bounds the flush. */
		set_state(qpn, ERR);
		return OK;
	}
	if (to == RESET) {
		set_state(qpn, RESET);
		clear_dynamic(qpn);
		return OK;
	}

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
	if (mask & A_AV) {
		for (u32 i = 0; i < 10; i++) {
			ctx_rmw(OHCA_CTX_PART_SQC, qpn, 16 + i, av[i], ~0u);
			ctx_rmw(OHCA_CTX_PART_RAC, qpn, 16 + i, av[i], ~0u);
			ctx_rmw(OHCA_CTX_PART_RSC, qpn, 16 + i, av[i], ~0u);
		}
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

	if (!exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(qpn, &state, &qtype) || !ctx_read(OHCA_CTX_PART_SQC, qpn, &s, sizeof(s) / 4) ||
	    !ctx_read(OHCA_CTX_PART_RAC, qpn, &a, sizeof(a) / 4) || !ctx_read(OHCA_CTX_PART_RSC, qpn, &r, sizeof(r) / 4))
		return OHCA_CMD_STATUS_DMA;
#define O(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, o, v)
	O(STATE, state);
	O(QTYPE, qtype);
	O(PRIV, OHCA_GET(OHCA_SQC_PRIV, &s));
	O(SIG_ALL, OHCA_GET(OHCA_SQC_SIG_ALL, &s));
	O(MTU, OHCA_GET(OHCA_SQC_MTU, &s));
	O(PD, OHCA_GET(OHCA_SQC_PD, &s));
	O(UAR, OHCA_GET(OHCA_SQC_UAR, &s));
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
	for (u32 i = 0; i < 10; i++)
		c->out[18 + i] = ((u32 *)&s)[16 + i];
	return OK;
}

enum ohca_cmd_status do_destroy_qp(struct cmd *c)
{
	u32 qpn = c->in_mod;

	if (!exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	set_state(qpn, RESET);
	ctx_inval(OHCA_CTX_PART_SQC, qpn);
	ctx_inval(OHCA_CTX_PART_RAC, qpn);
	ctx_inval(OHCA_CTX_PART_RSC, qpn);
	map_clear(dev.qp_map, qpn);
	return OK;
}

/* After a fatal QP event: bring the engines that do not know it yet to ERR, so that both queues flush. */
enum ohca_cmd_status do_flush_qp(struct cmd *c)
{
	u32 state, qtype;

	if (!exists(c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_state(c->in_mod, &state, &qtype))
		return OHCA_CMD_STATUS_DMA;
	if (state != ERR)
		return OHCA_CMD_STATUS_BAD_STATE;
	set_state(c->in_mod, ERR);
	return OK;
}
