// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* The data path of kernel users: work requests into rings. */
#include "ohca.h"

static int wr_op(const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
		return OHCA_WR_OP_SEND;
	case IB_WR_SEND_WITH_IMM:
		return OHCA_WR_OP_SEND_IMM;
	case IB_WR_RDMA_WRITE:
		return OHCA_WR_OP_RDMA_WRITE;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return OHCA_WR_OP_RDMA_WRITE_IMM;
	case IB_WR_RDMA_READ:
		return OHCA_WR_OP_RDMA_READ;
	default:
		return -EOPNOTSUPP;
	}
}

static int build_send(struct ohca_qp *qp, const struct ib_send_wr *wr, void *wqe, u32 idx)
{
	bool inl = wr->send_flags & IB_SEND_INLINE, rc = ohca_is_rc(qp);
	u32 hdr = rc ? 32 : 64, len = 0, n = 0, i;
	int op = wr_op(wr);

	if (op < 0 || (!rc && op != OHCA_WR_OP_SEND && op != OHCA_WR_OP_SEND_IMM))
		return -EOPNOTSUPP;
	if (wr->num_sge > qp->max_send_sge)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_IP_CSUM && !qp->csum)
		return -EINVAL;
	memset(wqe, 0, hdr);
	if (inl) {
		for (i = 0; i < wr->num_sge; i++) {
			if (len + wr->sg_list[i].length > qp->max_inline)
				return -EINVAL;
			memcpy(wqe + hdr + len, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
			len += wr->sg_list[i].length;
		}
	} else {
		struct ohca_sge *s = wqe + hdr;

		for (i = 0; i < wr->num_sge; i++) {
			if (!wr->sg_list[i].length)
				continue;	/* a length of 0 takes nothing */
			memset(&s[n], 0, sizeof(*s));
			OHCA_SET(OHCA_SGE_ADDR, &s[n], wr->sg_list[i].addr);
			OHCA_SET(OHCA_SGE_LENGTH, &s[n], wr->sg_list[i].length);
			OHCA_SET(OHCA_SGE_LKEY, &s[n], wr->sg_list[i].lkey);
			len += wr->sg_list[i].length;
			n++;
		}
	}
	if (rc) {
		struct ohca_wqe_ctrl *c = wqe;

		OHCA_SET(OHCA_WQE_CTRL_OPCODE, c, op);
		OHCA_SET(OHCA_WQE_CTRL_FENCE, c, !!(wr->send_flags & IB_SEND_FENCE));
		OHCA_SET(OHCA_WQE_CTRL_SIGNALED, c, qp->sig_all || wr->send_flags & IB_SEND_SIGNALED);
		OHCA_SET(OHCA_WQE_CTRL_SOLICITED, c, !!(wr->send_flags & IB_SEND_SOLICITED));
		OHCA_SET(OHCA_WQE_CTRL_INL, c, inl);
		OHCA_SET(OHCA_WQE_CTRL_NSGE, c, n);
		OHCA_SET(OHCA_WQE_CTRL_IDX, c, idx);
		OHCA_SET(OHCA_WQE_CTRL_LENGTH, c, len);
		OHCA_SET(OHCA_WQE_CTRL_QPN, c, qp->qpn);
		if (op >= OHCA_WR_OP_RDMA_WRITE) {
			OHCA_SET(OHCA_WQE_CTRL_RADDR, c, rdma_wr(wr)->remote_addr);
			OHCA_SET(OHCA_WQE_CTRL_RKEY, c, rdma_wr(wr)->rkey);
		}
		if (op == OHCA_WR_OP_SEND_IMM || op == OHCA_WR_OP_RDMA_WRITE_IMM)
			c->dw[5] = (__force __le32)wr->ex.imm_data;	/* wire bytes in memory order */
	} else {
		const struct ib_ud_wr *ud = ud_wr(wr);
		const struct ohca_ah *ah = to_ah(ud->ah);
		struct ohca_wqe_ud *c = wqe;
		bool smi = qp->qtype == OHCA_QP_TYPE_SMI;

		/* IBA C10-10 */
		if (ud->ah->pd != qp->ib.pd)
			return -EINVAL;

		OHCA_SET(OHCA_WQE_UD_OPCODE, c, op);
		OHCA_SET(OHCA_WQE_UD_SIGNALED, c, qp->sig_all || wr->send_flags & IB_SEND_SIGNALED);
		OHCA_SET(OHCA_WQE_UD_SOLICITED, c, !!(wr->send_flags & IB_SEND_SOLICITED));
		OHCA_SET(OHCA_WQE_UD_INL, c, inl);
		OHCA_SET(OHCA_WQE_UD_CSUM, c, !!(wr->send_flags & IB_SEND_IP_CSUM));
		OHCA_SET(OHCA_WQE_UD_VL15, c, smi);
		/* A directed route starts without a LID of its own. */
		OHCA_SET(OHCA_WQE_UD_SLID_PERMISSIVE, c, smi && OHCA_GET(OHCA_AV_DLID, &ah->av) == be16_to_cpu(IB_LID_PERMISSIVE));
		OHCA_SET(OHCA_WQE_UD_NSGE, c, n);
		OHCA_SET(OHCA_WQE_UD_IDX, c, idx);
		OHCA_SET(OHCA_WQE_UD_LENGTH, c, len);
		OHCA_SET(OHCA_WQE_UD_QKEY, c, ud->remote_qkey);
		OHCA_SET(OHCA_WQE_UD_PKEY_INDEX, c, ud->pkey_index);
		OHCA_SET(OHCA_WQE_UD_DQPN, c, ud->remote_qpn);
		if (op == OHCA_WR_OP_SEND_IMM)
			c->dw[5] = (__force __le32)wr->ex.imm_data;
		memcpy(&c->dw[6], &ah->av, sizeof(ah->av));
	}
	return 0;
}

int ohca_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_wq *sq = &qp->sq;
	struct ohca_db_sq db = {};
	unsigned long flags;
	u32 start, mask = (1u << sq->log) - 1;
	int ret = 0;

	spin_lock_irqsave(&sq->lock, flags);
	if (qp->state < IB_QPS_RTS) {
		*bad = wr;
		ret = -EINVAL;
		goto unlock;
	}
	for (start = sq->head; wr; wr = wr->next) {
		if (sq->head - READ_ONCE(sq->tail) > mask)
			ret = -ENOMEM;
		else
			ret = build_send(qp, wr, ohca_buf_at(&sq->buf, (size_t)(sq->head & mask) << sq->log_stride), sq->head & 0xffff);
		if (ret) {
			*bad = wr;
			break;
		}
		sq->wrid[sq->head & mask] = wr->wr_id;
		sq->head++;
	}
	if (sq->head != start) {
		OHCA_SET(OHCA_DB_SQ_QPN, &db, qp->qpn);
		OHCA_SET(OHCA_DB_SQ_PI, &db, sq->head & 0xffff);
		dma_wmb();	/* the WQEs before the doorbell */
		ohca_db_write(d, OHCA_DB_SQ, le32_to_cpu(db.dw[0]) | (u64)le32_to_cpu(db.dw[1]) << 32);
	}
unlock:
	spin_unlock_irqrestore(&sq->lock, flags);
	if (READ_ONCE(d->silent))
		ohca_cq_wake(d, to_cq(ibqp->send_cq)->cqn);
	return ret;
}

int ohca_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_wq *rq = &qp->rq;
	unsigned long flags;
	u32 start, i, n, mask = (1u << rq->log) - 1, room = 1u << (rq->log_stride - 4);
	int ret = 0;

	spin_lock_irqsave(&rq->lock, flags);
	if (qp->state == IB_QPS_RESET) {
		*bad = wr;
		ret = -EINVAL;
		goto unlock;
	}
	for (start = rq->head; wr; wr = wr->next) {
		struct ohca_sge *s = ohca_buf_at(&rq->buf, (size_t)(rq->head & mask) << rq->log_stride);

		if (rq->head - READ_ONCE(rq->tail) > mask || wr->num_sge > room) {
			*bad = wr;
			ret = wr->num_sge > room ? -EINVAL : -ENOMEM;
			break;
		}
		for (i = n = 0; i < wr->num_sge; i++) {
			if (!wr->sg_list[i].length)
				continue;
			memset(&s[n], 0, sizeof(*s));
			OHCA_SET(OHCA_SGE_ADDR, &s[n], wr->sg_list[i].addr);
			OHCA_SET(OHCA_SGE_LENGTH, &s[n], wr->sg_list[i].length);
			OHCA_SET(OHCA_SGE_LKEY, &s[n], wr->sg_list[i].lkey);
			n++;
		}
		if (n < room) {
			memset(&s[n], 0, sizeof(*s));
			OHCA_SET(OHCA_SGE_LKEY, &s[n], OHCA_INVALID_LKEY);
		}
		rq->wrid[rq->head & mask] = wr->wr_id;
		rq->head++;
	}
	if (rq->head != start) {
		dma_wmb();	/* the WQEs before the record */
		WRITE_ONCE(qp->dbr->dw[0], cpu_to_le32(OHCA_PREP(OHCA_RQ_DBR_PI, rq->head & 0xffff)));
		if (READ_ONCE(qp->in_err))
			ohca_rq_doorbell(d, qp);
	}
unlock:
	spin_unlock_irqrestore(&rq->lock, flags);
	if (READ_ONCE(d->silent))
		ohca_cq_wake(d, to_cq(ibqp->recv_cq)->cqn);
	return ret;
}
