// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Queue pairs and posting. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ohca.h"

struct create_qp_cmd {
	struct ibv_create_qp ibv;
	struct ohca_ureq_create_qp drv;
};
static_assert(offsetof(struct create_qp_cmd, drv) == sizeof(struct ibv_create_qp), "no padding");

struct create_qp_resp {
	struct ib_uverbs_create_qp_resp ibv;
	struct ohca_uresp_create_qp drv;
};
static_assert(offsetof(struct create_qp_resp, drv) == sizeof(struct ib_uverbs_create_qp_resp), "no padding");

/* ------------------------------------------------------------------ QP numbers */

#define TBL_SIZE (1u << OHCA_TBL_BITS)

/* Called by pollers without a lock: a block, once there, stays, and a QP leaves only after its completions are gone. */
struct ohca_qp *ohca_find_qp(struct ohca_context *ctx, uint32_t qpn)
{
	_Atomic(struct ohca_qp *) *block = __atomic_load_n(&ctx->qp_table[qpn >> OHCA_TBL_BITS], __ATOMIC_ACQUIRE);

	return block ? atomic_load_explicit(&block[qpn & (TBL_SIZE - 1)], memory_order_acquire) : NULL;
}

static void clean_cqs(struct ohca_qp *qp);

/*
 * The number is known only when the adapter has the QP already, so the block is made for it then: ENOMEM destroys the QP. A QP that is being
 * destroyed may still be there, its number given anew: what it left in its CQs goes before a completion of the new one can come.
 */
static int table_set(struct ohca_context *ctx, uint32_t qpn, struct ohca_qp *qp)
{
	_Atomic(struct ohca_qp *) *block;
	struct ohca_qp *old;
	int ret = 0;

	pthread_mutex_lock(&ctx->qp_mutex);
	block = ctx->qp_table[qpn >> OHCA_TBL_BITS];
	if (!block) {
		block = calloc(TBL_SIZE, sizeof(*block));
		if (block)
			__atomic_store_n(&ctx->qp_table[qpn >> OHCA_TBL_BITS], block, __ATOMIC_RELEASE);
		else
			ret = ENOMEM;
	}
	if (block) {
		old = atomic_load_explicit(&block[qpn & (TBL_SIZE - 1)], memory_order_relaxed);
		if (old)
			clean_cqs(old);
		atomic_store_explicit(&block[qpn & (TBL_SIZE - 1)], qp, memory_order_release);
	}
	pthread_mutex_unlock(&ctx->qp_mutex);
	return ret;
}

void ohca_qp_table_free(struct ohca_context *ctx)
{
	for (unsigned int i = 0; i < TBL_SIZE; i++)
		free((void *)ctx->qp_table[i]);
}

/* ------------------------------------------------------------------ an adapter that is gone */

/* The oldest work request of a queue, as the adapter would have flushed it */
static bool flush_wq(const struct ohca_qp *qp, struct ohca_wq *wq, bool recv, struct ohca_cqe *e)
{
	uint32_t tail = atomic_load_explicit(&wq->tail, memory_order_relaxed), op = OHCA_WC_OP_RECV;
	bool some;

	pthread_spin_lock(&wq->lock);
	some = wq->head != tail;
	if (some && !recv)
		op = OHCA_EXTRACT(OHCA_WQE_CTRL_OPCODE, le32toh(((__le32 *)(wq->buf + ((size_t)(tail & ((1u << wq->log) - 1)) << wq->log_stride)))[0]));
	pthread_spin_unlock(&wq->lock);
	if (!some)
		return false;
	memset(e, 0, sizeof(*e));
	OHCA_SET(OHCA_CQE_STATUS, e, OHCA_WC_STATUS_WR_FLUSH);
	OHCA_SET(OHCA_CQE_QPN, e, qp->qpn);
	OHCA_SET(OHCA_CQE_RECV, e, recv);
	OHCA_SET(OHCA_CQE_WQE_IDX, e, tail & 0xffff);
	OHCA_SET(OHCA_CQE_OPCODE, e, op);
	return true;
}

/* One flushed entry for a CQ whose lock is held; false if nothing is outstanding, or if QPs come or go just now: the next poll finds it. */
bool ohca_flush_gone(struct ohca_context *ctx, struct ohca_cq *cq, struct ohca_cqe *e)
{
	bool found = false;

	if (pthread_mutex_trylock(&ctx->qp_mutex))
		return false;
	for (uint32_t i = 0; i < TBL_SIZE && !found; i++) {
		for (uint32_t k = 0; ctx->qp_table[i] && k < TBL_SIZE && !found; k++) {
			struct ohca_qp *qp = atomic_load_explicit(&ctx->qp_table[i][k], memory_order_relaxed);

			found = qp && ((qp->vqp.qp.send_cq == &cq->vcq.cq && flush_wq(qp, &qp->sq, false, e)) ||
				       (qp->vqp.qp.recv_cq == &cq->vcq.cq && flush_wq(qp, &qp->rq, true, e)));
		}
	}
	pthread_mutex_unlock(&ctx->qp_mutex);
	return found;
}

/* ------------------------------------------------------------------ doorbells */

static bool wq_full(const struct ohca_wq *wq)
{
	return wq->head - atomic_load_explicit(&wq->tail, memory_order_acquire) >= 1u << wq->log;
}

static __le32 *wq_at(const struct ohca_wq *wq, uint32_t i)
{
	return (__le32 *)(wq->buf + ((size_t)(i & ((1u << wq->log) - 1)) << wq->log_stride));
}

/* n WQEs were written; the last of them is before sq.head. The send lock is held. */
static void ring_send(struct ohca_qp *qp, uint32_t n)
{
	struct ohca_context *ctx = to_ctx(qp->vqp.qp.context);
	const __le32 *w = wq_at(&qp->sq, qp->sq.head - 1);
	uint32_t dw0 = le32toh(w[0]), payload;

	payload = OHCA_EXTRACT(OHCA_WQE_CTRL_INL, dw0) ? le32toh(w[1]) : 16 * OHCA_EXTRACT(OHCA_WQE_CTRL_NSGE, dw0);
	if (n != 1 || !ctx->push || !qp->rc || OHCA_RC_HDR + payload > 64) {
		ohca_doorbell(ctx, OHCA_DB_SQ, qp->qpn, qp->sq.head & 0xffff);
		return;
	}
	/* A single short WQE goes along with its doorbell, so that the adapter need not fetch it. It has to be in the ring as well. */
	pthread_spin_lock(&ctx->push_lock);
	ohca_push(ctx->push + 64 * (ctx->push_buf++ & (ctx->push_buffers - 1)), w);
	pthread_spin_unlock(&ctx->push_lock);
}

static void ring_recv(struct ohca_qp *qp)
{
	ohca_doorbell(to_ctx(qp->vqp.qp.context), OHCA_DB_RQ, qp->qpn, qp->rq.head & 0xffff);
}

/*
 * A QP in ERR flushes what a doorbell tells; it does not look at the doorbell record. So what is posted from now on rings, and
 * this rings for what was posted after the adapter had stopped and before it was known here.
 */
void ohca_qp_set_err(struct ohca_qp *qp)
{
	pthread_spin_lock(&qp->rq.lock);
	atomic_store_explicit(&qp->in_err, true, memory_order_relaxed);
	ring_recv(qp);
	pthread_spin_unlock(&qp->rq.lock);
}

/*
 * After the record was written: the QP may have gone to ERR, which nobody has told the program yet. The kernel counts that first
 * and rings then for what it finds in the record, so either it sees this post, or the count is seen here.
 */
static void see_errors(struct ohca_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};
	struct ibv_query_qp cmd;
	uint32_t errors;

	atomic_thread_fence(memory_order_seq_cst);
	errors = *qp->errors;
	if (__builtin_expect(errors == qp->errors_seen, 1) || atomic_load_explicit(&qp->in_err, memory_order_relaxed))
		return;
	if (!ibv_cmd_query_qp(&qp->vqp.qp, &attr, IBV_QP_STATE, &init, &cmd, sizeof(cmd))) {
		qp->errors_seen = errors;
		if (attr.qp_state == IBV_QPS_ERR)
			atomic_store_explicit(&qp->in_err, true, memory_order_relaxed);
	}
}

/* ------------------------------------------------------------------ WQEs */

static inline void put64(__le32 *w, uint64_t v)
{
	w[0] = htole32((uint32_t)v);
	w[1] = htole32((uint32_t)(v >> 32));
}

static inline void put_sge(__le32 *w, uint64_t addr, uint32_t length, uint32_t lkey)
{
	put64(w, addr);
	w[2] = htole32(length);
	w[3] = htole32(lkey);
}

/* First dword of either header: the two layouts agree in it, but for `fence`, which datagrams ignore. */
static inline uint32_t dw0(const struct ohca_qp *qp, uint32_t op, unsigned int flags, uint32_t idx)
{
	return OHCA_PREP(OHCA_WQE_CTRL_OPCODE, op) | OHCA_PREP(OHCA_WQE_CTRL_FENCE, !!(flags & IBV_SEND_FENCE)) |
	       OHCA_PREP(OHCA_WQE_CTRL_SIGNALED, qp->sig_all || (flags & IBV_SEND_SIGNALED)) |
	       OHCA_PREP(OHCA_WQE_CTRL_SOLICITED, !!(flags & IBV_SEND_SOLICITED)) | OHCA_PREP(OHCA_WQE_CTRL_IDX, idx);
}

/* Everything but the payload, which set_list() and set_inline() add. imm: wire bytes in memory order */
static void put_rc(__le32 *w, const struct ohca_qp *qp, uint32_t op, unsigned int flags, uint64_t raddr, uint32_t rkey, __be32 imm)
{
	w[0] = htole32(dw0(qp, op, flags, qp->sq.head));
	w[1] = 0;
	put64(w + 2, raddr);
	w[4] = htole32(rkey);
	w[5] = (__le32)imm;
	w[6] = htole32(qp->qpn);
	w[7] = 0;
}

static void put_ud_addr(__le32 *w, const struct ohca_ah *ah, uint32_t qpn, uint32_t qkey)
{
	w[2] = htole32(qkey);
	w[4] = htole32(qpn & 0xffffff);
	memcpy(w + 6, &ah->av, sizeof(ah->av));
}

static void put_ud(__le32 *w, const struct ohca_qp *qp, uint32_t op, unsigned int flags, __be32 imm)
{
	memset(w, 0, OHCA_UD_HDR);
	w[0] = htole32(dw0(qp, op, flags, qp->sq.head) | OHCA_PREP(OHCA_WQE_UD_CSUM, !!(flags & IBV_SEND_IP_CSUM)));
	w[5] = (__le32)imm;
}

static int set_list(const struct ohca_qp *qp, __le32 *w, size_t num, const struct ibv_sge *sge)
{
	__le32 *at = w + qp->hdr / 4;
	uint64_t len = 0;
	uint32_t n = 0;

	if (num > qp->sq.max_sge)
		return EINVAL;
	for (size_t i = 0; i < num; i++) {
		if (!sge[i].length)
			continue;	/* a length of 0 takes nothing */
		put_sge(at + 4 * n++, sge[i].addr, sge[i].length, sge[i].lkey);
		len += sge[i].length;
	}
	if (len > OHCA_MAX_LEN)
		return EINVAL;
	w[0] |= htole32(OHCA_PREP(OHCA_WQE_CTRL_NSGE, n));
	w[1] = htole32((uint32_t)len);
	return 0;
}

static int add_inline(const struct ohca_qp *qp, __le32 *w, size_t *len, const void *data, size_t n)
{
	if (n > qp->max_inline - *len)
		return EINVAL;
	memcpy((uint8_t *)w + qp->hdr + *len, data, n);
	*len += n;
	return 0;
}

static void end_inline(__le32 *w, size_t len)
{
	w[0] |= htole32(OHCA_PREP(OHCA_WQE_CTRL_INL, 1));
	w[1] = htole32((uint32_t)len);
}

static const struct {
	uint8_t op;
	bool imm, remote, ud;
} wr_ops[] = {
	[IBV_WR_SEND] = { OHCA_WR_OP_SEND, .ud = true },
	[IBV_WR_SEND_WITH_IMM] = { OHCA_WR_OP_SEND_IMM, .imm = true, .ud = true },
	[IBV_WR_RDMA_WRITE] = { OHCA_WR_OP_RDMA_WRITE, .remote = true },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { OHCA_WR_OP_RDMA_WRITE_IMM, .imm = true, .remote = true },
	[IBV_WR_RDMA_READ] = { OHCA_WR_OP_RDMA_READ, .remote = true },
};

static int build_send(const struct ohca_qp *qp, const struct ibv_send_wr *wr, __le32 *w)
{
	unsigned int op = wr->opcode;
	size_t len = 0;
	__be32 imm;

	if (op >= sizeof(wr_ops) / sizeof(wr_ops[0]) || !wr_ops[op].op || (!qp->rc && !wr_ops[op].ud))
		return EOPNOTSUPP;
	if ((wr->send_flags & IBV_SEND_IP_CSUM) && !qp->csum)
		return EINVAL;
	imm = wr_ops[op].imm ? wr->imm_data : 0;
	if (qp->rc) {
		put_rc(w, qp, wr_ops[op].op, wr->send_flags, wr_ops[op].remote ? wr->wr.rdma.remote_addr : 0,
		       wr_ops[op].remote ? wr->wr.rdma.rkey : 0, imm);
	} else {
		/* IBA C10-10: address handle and QP are of one protection domain. */
		if (to_ah(wr->wr.ud.ah)->pd != qp->pd)
			return EINVAL;
		put_ud(w, qp, wr_ops[op].op, wr->send_flags, imm);
		put_ud_addr(w, to_ah(wr->wr.ud.ah), wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	}
	if (wr->num_sge < 0)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return set_list(qp, w, (size_t)wr->num_sge, wr->sg_list);
	if (op == IBV_WR_RDMA_READ)
		return EINVAL;
	for (int i = 0; i < wr->num_sge; i++)
		if (add_inline(qp, w, &len, (const void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length))
			return EINVAL;
	end_inline(w, len);
	return 0;
}

/* ------------------------------------------------------------------ posting */

static bool may_send(const struct ohca_qp *qp)
{
	return qp->vqp.qp.state >= IBV_QPS_RTS;
}

int ohca_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_wq *sq = &qp->sq;
	uint32_t start;
	int ret = 0;

	pthread_spin_lock(&sq->lock);
	for (start = sq->head; wr; wr = wr->next) {
		if (!may_send(qp))
			ret = EINVAL;
		else if (wq_full(sq))
			ret = ENOMEM;
		else
			ret = build_send(qp, wr, wq_at(sq, sq->head));
		if (ret) {
			*bad = wr;
			break;
		}
		sq->wrid[sq->head & ((1u << sq->log) - 1)] = wr->wr_id;
		sq->head++;
	}
	if (sq->head != start)
		ring_send(qp, sq->head - start);
	pthread_spin_unlock(&sq->lock);
	return ret;
}

int ohca_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_wq *rq = &qp->rq;
	uint32_t start, n;
	int ret = 0;

	pthread_spin_lock(&rq->lock);
	for (start = rq->head; wr; wr = wr->next) {
		__le32 *w = wq_at(rq, rq->head);

		if (ibqp->state == IBV_QPS_RESET || wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
			ret = EINVAL;
		else if (wq_full(rq))
			ret = ENOMEM;
		if (ret) {
			*bad = wr;
			break;
		}
		n = 0;
		for (int i = 0; i < wr->num_sge; i++)
			if (wr->sg_list[i].length)
				put_sge(w + 4 * n++, wr->sg_list[i].addr, wr->sg_list[i].length, wr->sg_list[i].lkey);
		if (n < 1u << (rq->log_stride - 4))
			put_sge(w + 4 * n, 0, 0, OHCA_INVALID_LKEY);
		rq->wrid[rq->head & ((1u << rq->log) - 1)] = wr->wr_id;
		rq->head++;
	}
	if (rq->head != start) {
		udma_to_device_barrier();	/* the WQEs before the record */
		*(volatile __le32 *)&qp->dbr->dw[0] = htole32(rq->head & 0xffff);
		see_errors(qp);
		if (atomic_load_explicit(&qp->in_err, memory_order_relaxed))
			ring_recv(qp);
	}
	pthread_spin_unlock(&rq->lock);
	return ret;
}

/* ------------------------------------------------------------------ ibv_wr_*: one WQE after the other, rung or forgotten as a batch */

static void wr_start(struct ibv_qp_ex *qpx)
{
	struct ohca_qp *qp = to_qp_ex(qpx);

	pthread_spin_lock(&qp->sq.lock);
	qp->batch = qp->sq.head;
	qp->batch_err = may_send(qp) ? 0 : EINVAL;
	qp->wqe = NULL;
}

static void wr_abort(struct ibv_qp_ex *qpx)
{
	struct ohca_qp *qp = to_qp_ex(qpx);

	qp->sq.head = qp->batch;
	pthread_spin_unlock(&qp->sq.lock);
}

static int wr_complete(struct ibv_qp_ex *qpx)
{
	struct ohca_qp *qp = to_qp_ex(qpx);
	int ret = qp->batch_err;

	if (ret)
		qp->sq.head = qp->batch;
	else if (qp->sq.head != qp->batch)
		ring_send(qp, qp->sq.head - qp->batch);
	pthread_spin_unlock(&qp->sq.lock);
	return ret;
}

/* The next WQE with its header; NULL after an error, which wr_complete() tells. */
static __le32 *wr_new(struct ohca_qp *qp, uint32_t op, uint64_t raddr, uint32_t rkey, __be32 imm)
{
	struct ohca_wq *sq = &qp->sq;

	if (!qp->batch_err && wq_full(sq))
		qp->batch_err = ENOMEM;
	if (!qp->batch_err && (qp->vqp.qp_ex.wr_flags & IBV_SEND_IP_CSUM) && !qp->csum)
		qp->batch_err = EINVAL;
	if (qp->batch_err)
		return NULL;
	qp->wqe = wq_at(sq, sq->head);
	if (qp->rc)
		put_rc(qp->wqe, qp, op, qp->vqp.qp_ex.wr_flags, raddr, rkey, imm);
	else
		put_ud(qp->wqe, qp, op, qp->vqp.qp_ex.wr_flags, imm);
	sq->wrid[sq->head & ((1u << sq->log) - 1)] = qp->vqp.qp_ex.wr_id;
	sq->head++;
	return qp->wqe;
}

static void wr_send(struct ibv_qp_ex *qpx)
{
	wr_new(to_qp_ex(qpx), OHCA_WR_OP_SEND, 0, 0, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm)
{
	wr_new(to_qp_ex(qpx), OHCA_WR_OP_SEND_IMM, 0, 0, imm);
}

static void wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t raddr)
{
	wr_new(to_qp_ex(qpx), OHCA_WR_OP_RDMA_WRITE, raddr, rkey, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t raddr, __be32 imm)
{
	wr_new(to_qp_ex(qpx), OHCA_WR_OP_RDMA_WRITE_IMM, raddr, rkey, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t raddr)
{
	wr_new(to_qp_ex(qpx), OHCA_WR_OP_RDMA_READ, raddr, rkey, 0);
}

/* The WQE that a setter is for; a setter without one is an error of the caller. */
static __le32 *wr_cur(struct ohca_qp *qp)
{
	if (!qp->batch_err && !qp->wqe)
		qp->batch_err = EINVAL;
	return qp->batch_err ? NULL : qp->wqe;
}

static void wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ohca_qp *qp = to_qp_ex(qpx);
	__le32 *w = wr_cur(qp);

	if (w && to_ah(ah)->pd != qp->pd)
		qp->batch_err = EINVAL;
	else if (w)
		put_ud_addr(w, to_ah(ah), qpn, qkey);
}

static void wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num, const struct ibv_sge *sge)
{
	struct ohca_qp *qp = to_qp_ex(qpx);
	__le32 *w = wr_cur(qp);

	if (w)
		qp->batch_err = set_list(qp, w, num, sge);
}

static void wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qpx, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num, const struct ibv_data_buf *buf)
{
	struct ohca_qp *qp = to_qp_ex(qpx);
	__le32 *w = wr_cur(qp);
	size_t len = 0;

	if (!w)
		return;
	if (OHCA_EXTRACT(OHCA_WQE_CTRL_OPCODE, le32toh(w[0])) == OHCA_WR_OP_RDMA_READ)
		qp->batch_err = EINVAL;
	for (size_t i = 0; i < num && !qp->batch_err; i++)
		qp->batch_err = add_inline(qp, w, &len, buf[i].addr, buf[i].length);
	end_inline(w, len);
}

static void wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qpx, 1, &buf);
}

static void set_wr_ops(struct ohca_qp *qp, uint64_t send_ops)
{
	struct ibv_qp_ex *x = &qp->vqp.qp_ex;

	x->wr_start = wr_start;
	x->wr_complete = wr_complete;
	x->wr_abort = wr_abort;
	x->wr_set_sge = wr_set_sge;
	x->wr_set_sge_list = wr_set_sge_list;
	x->wr_set_inline_data = wr_set_inline_data;
	x->wr_set_inline_data_list = wr_set_inline_data_list;
	if (!qp->rc)
		x->wr_set_ud_addr = wr_set_ud_addr;
	if (send_ops & IBV_QP_EX_WITH_SEND)
		x->wr_send = wr_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		x->wr_send_imm = wr_send_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE)
		x->wr_rdma_write = wr_rdma_write;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		x->wr_rdma_write_imm = wr_rdma_write_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_READ)
		x->wr_rdma_read = wr_rdma_read;
}

/* ------------------------------------------------------------------ creation */

static size_t ring_bytes(const struct ohca_wq *wq)
{
	size_t n = (size_t)1 << (wq->log + wq->log_stride);

	return (n + OHCA_PAGE - 1) & ~(size_t)(OHCA_PAGE - 1);
}

/* Sizes from what is asked for; cap gets what there is then. */
static int size_rings(const struct ohca_context *ctx, struct ohca_qp *qp, struct ibv_qp_cap *cap)
{
	uint32_t body = 16 * cap->max_send_sge, recv = 16 * (cap->max_recv_sge ? cap->max_recv_sge : 1);

	if (cap->max_send_wr > ctx->max_qp_wr || cap->max_recv_wr > ctx->max_qp_wr || cap->max_send_sge > ctx->max_send_sge ||
	    cap->max_recv_sge > ctx->max_recv_sge || cap->max_inline_data > ctx->max_inline)
		return EINVAL;
	if (body < cap->max_inline_data)
		body = cap->max_inline_data;
	qp->sq.log = ohca_log2(cap->max_send_wr);
	qp->sq.log_stride = ohca_log2(qp->hdr + body);
	if (qp->sq.log_stride < 6)
		qp->sq.log_stride = 6;
	qp->rq.log = ohca_log2(cap->max_recv_wr);
	qp->rq.log_stride = ohca_log2(recv);

	body = (1u << qp->sq.log_stride) - qp->hdr;
	cap->max_send_wr = 1u << qp->sq.log;
	cap->max_recv_wr = 1u << qp->rq.log;
	cap->max_send_sge = body / 16 < ctx->max_send_sge ? body / 16 : ctx->max_send_sge;
	cap->max_recv_sge = 1u << (qp->rq.log_stride - 4);
	cap->max_inline_data = body < ctx->max_inline ? body : ctx->max_inline;
	qp->sq.max_sge = cap->max_send_sge;
	qp->rq.max_sge = cap->max_recv_sge;
	qp->max_inline = cap->max_inline_data;
	return 0;
}

static void qp_free(struct ohca_qp *qp)
{
	pthread_spin_destroy(&qp->sq.lock);
	pthread_spin_destroy(&qp->rq.lock);
	ohca_mem_put(&qp->mem, OHCA_RES_QP);
	free(qp->sq.wrid);
	free(qp->rq.wrid);
	free(qp);
}

static int check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	const uint64_t ud_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	const uint64_t rc_ops = ud_ops | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;

	if ((attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | IBV_QP_INIT_ATTR_CREATE_FLAGS)) ||
	    ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags) || attr->srq ||
	    (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UD))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    (attr->send_ops_flags & ~(attr->qp_type == IBV_QPT_RC ? rc_ops : ud_ops)))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd || !attr->send_cq || !attr->recv_cq)
		return EINVAL;
	return 0;
}

struct ibv_qp *ohca_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct ohca_context *ctx = to_ctx(context);
	struct ibv_qp_init_attr_ex a = *attr;
	struct create_qp_cmd cmd = {};
	struct create_qp_resp resp = {};
	struct ohca_qp *qp;
	size_t sq, rq;
	int ret;

	ret = check_attr(attr);
	if (ret)
		goto err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	pthread_spin_init(&qp->sq.lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&qp->rq.lock, PTHREAD_PROCESS_PRIVATE);
	qp->rc = attr->qp_type == IBV_QPT_RC;
	qp->csum = !qp->rc && ctx->ud_csum;
	qp->hdr = qp->rc ? OHCA_RC_HDR : OHCA_UD_HDR;
	qp->sig_all = attr->sq_sig_all;
	qp->pd = real_pd(attr->pd);
	ret = size_rings(ctx, qp, &a.cap);
	if (ret)
		goto free;
	/* Rings and doorbell record in one mapping, each from a page's start on. */
	sq = ring_bytes(&qp->sq);
	rq = ring_bytes(&qp->rq);
	ret = ohca_mem_get(attr->pd, OHCA_RES_QP, sq + rq + OHCA_PAGE, &qp->mem);
	if (ret)
		goto free;
	qp->sq.wrid = calloc(1u << qp->sq.log, sizeof(*qp->sq.wrid));
	qp->rq.wrid = calloc(1u << qp->rq.log, sizeof(*qp->rq.wrid));
	if (!qp->sq.wrid || !qp->rq.wrid) {
		ret = ENOMEM;
		goto free;
	}
	qp->sq.buf = qp->mem.p;
	qp->rq.buf = qp->sq.buf + sq;
	qp->dbr = (void *)(qp->rq.buf + rq);
	cmd.drv.db_page = ctx->db_page;
	cmd.drv.sq_log_size = (uint8_t)qp->sq.log;
	cmd.drv.sq_log_stride = (uint8_t)qp->sq.log_stride;
	cmd.drv.rq_log_size = (uint8_t)qp->rq.log;
	cmd.drv.rq_log_stride = (uint8_t)qp->rq.log_stride;
	cmd.drv.sq_buf_va = (uintptr_t)qp->sq.buf;
	cmd.drv.rq_buf_va = (uintptr_t)qp->rq.buf;
	cmd.drv.rq_dbr_va = (uintptr_t)qp->dbr;
	a.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_CREATE_FLAGS;
	ret = ibv_cmd_create_qp_ex(context, &qp->vqp, &a, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (ret)
		goto free;
	qp->qpn = resp.drv.qpn;
	qp->errors = &ctx->state->errors[qp->qpn % ctx->state->num_errors];
	qp->errors_seen = *qp->errors;
	ret = table_set(ctx, qp->qpn, qp);
	if (ret) {
		ibv_cmd_destroy_qp(&qp->vqp.qp);
		goto free;
	}
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		set_wr_ops(qp, attr->send_ops_flags);
		qp->vqp.comp_mask |= VERBS_QP_EX;
	}
	attr->cap = a.cap;
	return &qp->vqp.qp;
free:
	qp_free(qp);
err:
	errno = ret;
	return NULL;
}

struct ibv_qp *ohca_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = ohca_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

static void clean_cqs(struct ohca_qp *qp)
{
	ohca_cq_clean(to_cq(qp->vqp.qp.send_cq), qp->qpn);
	if (qp->vqp.qp.recv_cq != qp->vqp.qp.send_cq)
		ohca_cq_clean(to_cq(qp->vqp.qp.recv_cq), qp->qpn);
}

static void wq_reset(struct ohca_wq *wq, struct ohca_rq_dbr *dbr)
{
	pthread_spin_lock(&wq->lock);
	wq->head = 0;
	atomic_store_explicit(&wq->tail, 0, memory_order_relaxed);
	if (dbr)
		*(volatile __le32 *)&dbr->dw[0] = 0;
	pthread_spin_unlock(&wq->lock);
}

int ohca_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct ohca_qp *qp = to_qp(ibqp);
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	if (ret || !(mask & IBV_QP_STATE))
		return ret;
	if (attr->qp_state == IBV_QPS_RESET) {
		clean_cqs(qp);
		wq_reset(&qp->sq, NULL);
		wq_reset(&qp->rq, qp->dbr);
		atomic_store_explicit(&qp->in_err, false, memory_order_relaxed);
	} else if (attr->qp_state == IBV_QPS_ERR) {
		ohca_qp_set_err(qp);
	}
	return 0;
}

int ohca_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct ohca_qp *qp = to_qp(ibqp);
	struct ibv_query_qp cmd;
	int ret;

	ret = ibv_cmd_query_qp(ibqp, attr, mask, init, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (attr->qp_state == IBV_QPS_ERR && !atomic_load_explicit(&qp->in_err, memory_order_relaxed))
		ohca_qp_set_err(qp);
	return 0;
}

int ohca_destroy_qp(struct ibv_qp *ibqp)
{
	struct ohca_context *ctx = to_ctx(ibqp->context);
	struct ohca_qp *qp = to_qp(ibqp);
	_Atomic(struct ohca_qp *) *slot;
	int ret;

	/*
	 * Not under the mutex: this waits until the program has acknowledged the QP's events, and who does that may make another QP first. See
	 * table_set() for one that gets the number meanwhile.
	 */
	ret = ibv_cmd_destroy_qp(ibqp);
	if (!ret) {
		pthread_mutex_lock(&ctx->qp_mutex);
		slot = &ctx->qp_table[qp->qpn >> OHCA_TBL_BITS][qp->qpn & (TBL_SIZE - 1)];
		if (atomic_load_explicit(slot, memory_order_relaxed) == qp) {
			clean_cqs(qp);
			atomic_store_explicit(slot, NULL, memory_order_release);
		}
		pthread_mutex_unlock(&ctx->qp_mutex);
	}
	if (!ret)
		qp_free(qp);
	return ret;
}

/* Extended connection establishment: options that both ends have. This vendor's ends have none yet, and say so. */
#define ECE_VENDOR 0x0ca1

int ohca_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	*ece = (struct ibv_ece){ .vendor_id = ECE_VENDOR };
	return 0;
}

int ohca_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	if (ece->comp_mask)
		return EOPNOTSUPP;
	/* Of another vendor's options nothing is known; of our own, those that are not known are left out, as a query tells. */
	return ece->vendor_id == ECE_VENDOR ? 0 : EINVAL;
}

/*
 * Packets are placed in the order in which they were sent, but between here and memory writes may pass one another (AXI has no order of different
 * addresses). So nothing is promised, but for what the kernel of every architecture gives: a completion is behind its data.
 */
int ohca_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	return 0;
}
