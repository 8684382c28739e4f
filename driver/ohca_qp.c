// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Queue pairs: rings, events, states. */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/module.h>

#include "ohca.h"

#ifdef OHCA_DEBUG
static unsigned int flush_delay;
module_param(flush_delay, uint, 0644);
MODULE_PARM_DESC(flush_delay, "Milliseconds between an error of a QP and its flush");
#else
#define flush_delay 0
#endif

static const u8 to_ohca_type[] = {
	[IB_QPT_SMI] = OHCA_QP_TYPE_SMI, [IB_QPT_GSI] = OHCA_QP_TYPE_GSI, [IB_QPT_RC] = OHCA_QP_TYPE_RC, [IB_QPT_UD] = OHCA_QP_TYPE_UD,
};

/* ------------------------------------------------------------------ rings */

/* Kernel rings: sizes from what the caller asks for. */
static int wq_kernel(struct ohca_dev *d, struct ohca_wq *wq, u32 entries, u32 log_stride)
{
	int ret;

	wq->log = order_base_2(max(entries, 1u));
	wq->log_stride = log_stride;
	ret = ohca_ring_alloc(d, 1ul << (wq->log + log_stride), &wq->buf, &wq->mtt);
	if (ret)
		return ret;
	wq->wrid = kvcalloc(1u << wq->log, sizeof(*wq->wrid), GFP_KERNEL);
	return wq->wrid ? 0 : -ENOMEM;
}

static int wq_user(struct ohca_dev *d, struct ohca_wq *wq, u64 va, u8 log, u8 log_stride)
{
	int ret;

	wq->log = log;
	wq->log_stride = log_stride;
	if (!ohca_ring_at(va))
		return -EINVAL;
	wq->umem = ohca_umem_get(&d->ib, va, ohca_ring_bytes(1ul << (log + log_stride)), IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(wq->umem)) {
		ret = PTR_ERR(wq->umem);
		wq->umem = NULL;
		return ret;
	}
	return ohca_mtt_ring(d, wq->umem, &wq->mtt);
}

static void wq_free(struct ohca_dev *d, struct ohca_wq *wq)
{
	ohca_mtt_free(d, &wq->mtt);
	ib_umem_release(wq->umem);
	kvfree(wq->wrid);
	ohca_buf_free(d, &wq->buf);
}

static u64 wq_base(const struct ohca_wq *wq)
{
	return wq->mtt.count ? ohca_mtt_base(&wq->mtt) : wq->buf.dma;
}

static int rings_kernel(struct ohca_dev *d, struct ohca_qp *qp, const struct ib_qp_cap *cap)
{
	u32 hdr = ohca_is_rc(qp) ? 32 : 64;
	u32 send = hdr + max_t(u32, cap->max_send_sge * 16, cap->max_inline_data);
	int ret;

	ret = wq_kernel(d, &qp->sq, cap->max_send_wr, max(6, order_base_2(send)));
	if (ret)
		return ret;
	ret = wq_kernel(d, &qp->rq, cap->max_recv_wr, order_base_2(16 * max(cap->max_recv_sge, 1u)));
	if (ret)
		return ret;
	ret = ohca_buf_alloc(d, 8, &qp->dbr_buf);
	if (ret)
		return ret;
	qp->dbr = qp->dbr_buf.addr;
	return 0;
}

static int rings_user(struct ohca_dev *d, struct ohca_qp *qp, const struct ohca_ureq_create_qp *req)
{
	u32 max = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP_WR, &d->lim);
	int ret;

	if (req->sq_log_size > max || req->rq_log_size > max || req->sq_log_stride < 6 || req->sq_log_stride > 8 ||
	    req->rq_log_stride < 4 || req->rq_log_stride > 8)
		return -EINVAL;
	ret = wq_user(d, &qp->sq, req->sq_buf_va, req->sq_log_size, req->sq_log_stride);
	if (ret)
		return ret;
	ret = wq_user(d, &qp->rq, req->rq_buf_va, req->rq_log_size, req->rq_log_stride);
	if (ret)
		return ret;
	return ohca_dbr_umem(d, req->rq_dbr_va, &qp->dbr_umem, &qp->dbr_buf.dma);
}

static void rings_free(struct ohca_dev *d, struct ohca_qp *qp)
{
	ohca_check_free(d);
	wq_free(d, &qp->sq);
	wq_free(d, &qp->rq);
	ib_umem_release(qp->dbr_umem);
	ohca_buf_free(d, &qp->dbr_buf);
}

/* ------------------------------------------------------------------ events */

static void qp_put(struct ohca_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->free);
}

void ohca_rq_doorbell(struct ohca_dev *d, struct ohca_qp *qp)
{
	struct ohca_db_rq db = {};

	OHCA_SET(OHCA_DB_RQ_QPN, &db, qp->qpn);
	OHCA_SET(OHCA_DB_RQ_PI, &db, qp->rq.head & 0xffff);
	ohca_db_write(d, OHCA_DB_RQ, le32_to_cpu(db.dw[0]) | (u64)le32_to_cpu(db.dw[1]) << 32);
}

/*
 * A QP in ERR flushes what a doorbell tells; it does not look at the doorbell record. So what is posted from now on rings, and
 * this rings for what was posted after the adapter had stopped and before it was known here. User QPs: the provider does that, when it hears of
 * the error; it looks at its count of them after each post.
 */
void ohca_qp_set_err(struct ohca_dev *d, struct ohca_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->rq.lock, flags);
	WRITE_ONCE(qp->in_err, true);
	if (qp->priv)
		ohca_rq_doorbell(d, qp);
	else
		atomic_inc((atomic_t *)&((struct ohca_state *)page_address(qp->uctx->page))->errors[qp->qpn % OHCA_STATE_ERRORS]);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
}

/* What a process posted before it could see the count. The QP is in ERR and stays there while its lock is held. */
static void rq_doorbell_user(struct ohca_dev *d, struct ohca_qp *qp)
{
	void *page = kmap_local_page(sg_page(qp->dbr_umem->sgt_append.sgt.sgl));
	__le32 *dbr = page + ib_umem_offset(qp->dbr_umem);
	struct ohca_db_rq db = {};

	smp_mb();	/* the count before the record; whoever posts does both the other way round */
	OHCA_SET(OHCA_DB_RQ_QPN, &db, qp->qpn);
	OHCA_SET(OHCA_DB_RQ_PI, &db, OHCA_EXTRACT(OHCA_RQ_DBR_PI, le32_to_cpu(READ_ONCE(*dbr))));
	kunmap_local(page);
	writeq(le32_to_cpu(db.dw[0]) | (u64)le32_to_cpu(db.dw[1]) << 32, d->bar + ohca_db_page(d, qp->uar) + OHCA_DB_RQ);
}

/* An engine of the adapter found an error: the others are told, so that both queues flush. */
static void flush_qp(struct work_struct *w)
{
	struct ohca_qp *qp = container_of(w, struct ohca_qp, flush);
	struct ohca_dev *d = to_dev(qp->ib.device);

	if (flush_delay)
		msleep(flush_delay);
	mutex_lock(&qp->lock);
	/* It may have been reset meanwhile, and be well: the adapter knows. */
	if (!ohca_cmd(d, OHCA_CMD_OP_FLUSH_QP, qp->qpn, 0, NULL, 0, NULL, 0, NULL)) {
		if (ohca_is_rc(qp))
			qp->state = IB_QPS_ERR;
		if (!qp->priv)
			rq_doorbell_user(d, qp);
	}
	mutex_unlock(&qp->lock);
	qp_put(qp);
}

void ohca_qp_event(struct ohca_dev *d, u32 qpn, u8 type)
{
	struct ib_event ev = { .device = &d->ib };
	struct ohca_qp *qp;
	unsigned long flags;
	bool fatal = true;

	switch (type) {
	case OHCA_EQE_TYPE_QP_REQ_ERR:
		ev.event = IB_EVENT_QP_REQ_ERR;
		break;
	case OHCA_EQE_TYPE_QP_ACCESS_ERR:
		ev.event = IB_EVENT_QP_ACCESS_ERR;
		break;
	case OHCA_EQE_TYPE_COMM_EST:
		ev.event = IB_EVENT_COMM_EST;
		fatal = false;
		break;
	case OHCA_EQE_TYPE_SQ_DRAINED:
		ev.event = IB_EVENT_SQ_DRAINED;
		fatal = false;
		break;
	default:
		ev.event = IB_EVENT_QP_FATAL;
	}
	xa_lock_irqsave(&d->qps, flags);
	qp = xa_load(&d->qps, qpn);
	if (qp)
		refcount_inc(&qp->refs);
	xa_unlock_irqrestore(&d->qps, flags);
	if (!qp)
		return;
	if (fatal) {
		ohca_qp_set_err(d, qp);
		refcount_inc(&qp->refs);
		if (!queue_work(d->wq, &qp->flush))
			qp_put(qp);
	}
	ev.element.qp = &qp->ib;
	if (qp->ib.event_handler)
		qp->ib.event_handler(&ev, qp->ib.qp_context);
	qp_put(qp);
}

/* Events were lost: QPs in ERR that are not known to be get theirs now. */
void ohca_qp_scan(struct ohca_dev *d)
{
	struct ohca_cmd_qp_in *o = kmalloc(sizeof(*o), GFP_KERNEL);
	struct ohca_qp *qp;
	unsigned long qpn;
	bool look;

	for (qpn = 0; o; qpn++) {
		xa_lock_irq(&d->qps);
		qp = xa_find(&d->qps, &qpn, ULONG_MAX, XA_PRESENT);
		look = qp && !qp->in_err && qp->state >= IB_QPS_INIT && qp->state <= IB_QPS_SQE;
		xa_unlock_irq(&d->qps);
		if (!qp)
			break;
		if (look && !ohca_cmd(d, OHCA_CMD_OP_QUERY_QP, qpn, 0, NULL, 0, o, sizeof(*o), NULL) &&
		    OHCA_GET(OHCA_CMD_QP_IN_STATE, o) == OHCA_QP_STATE_ERR)
			ohca_qp_event(d, qpn, OHCA_EQE_TYPE_QP_FATAL);
	}
	kfree(o);
}

/* Nobody finds it any more, and who had found it is done with it. */
static void qp_hide(struct ohca_dev *d, struct ohca_qp *qp)
{
	xa_erase_irq(&d->qps, qp->qpn);
	if (cancel_work_sync(&qp->flush))
		qp_put(qp);
	qp_put(qp);
	wait_for_completion(&qp->free);
}

/* ------------------------------------------------------------------ verbs */

static bool qpn_used(void *ctx, u32 qpn)
{
	return xa_load(&((struct ohca_dev *)ctx)->qps, qpn);
}

static int qpn_hold(void *ctx, u32 qpn)
{
	return ohca_icm_get(ctx, OHCA_ICM_TABLE_QPC, qpn, 1);
}

static void qpn_release(void *ctx, u32 qpn)
{
	ohca_icm_put(ctx, OHCA_ICM_TABLE_QPC, qpn, 1);
}

static const struct ohca_qpn_ops qpn_ops = { .used = qpn_used, .hold = qpn_hold, .release = qpn_release };

/* After the tables of context memory */
int ohca_qpn_init(struct ohca_dev *d)
{
	const struct ohca_table *t = &d->icm[OHCA_ICM_TABLE_QPC];
	struct ohca_qpns *p = &d->qpns;

	mutex_init(&d->qpn_lock);
	p->chunks = t->nchunks;
	p->each = min((1u << OHCA_ICM_CHUNK_SHIFT) / t->entry_bytes, 1u << t->log_entries);
	p->window = kvcalloc(p->each + OHCA_QPN_FEW, sizeof(*p->window), GFP_KERNEL);
	p->chunk = kvcalloc(p->chunks, sizeof(*p->chunk), GFP_KERNEL);
	if (!p->window || !p->chunk) {
		kvfree(p->window);
		kvfree(p->chunk);
		return -ENOMEM;
	}
	ohca_qpn_start(p);
	return 0;
}

/* Before those go. Their memory goes with them. */
void ohca_qpn_fini(struct ohca_dev *d)
{
	kvfree(d->qpns.window);
	kvfree(d->qpns.chunk);
}

/* A number, with its context memory */
static int qpn_alloc(struct ohca_dev *d, struct ohca_qp *qp)
{
	bool special = qp->qtype == OHCA_QP_TYPE_SMI || qp->qtype == OHCA_QP_TYPE_GSI;
	int ret = 0;

	mutex_lock(&d->qpn_lock);
	if (special)
		qp->qpn = qp->qtype == OHCA_QP_TYPE_GSI;
	else
		ret = ohca_qpn_pick(&d->qpns, &qpn_ops, d, &qp->qpn);
	if (!ret) {
		ret = ohca_icm_get(d, OHCA_ICM_TABLE_QPC, qp->qpn, 1);
		if (!special)
			ohca_qpn_took(&d->qpns, &qpn_ops, d, qp->qpn);
	}
	if (!ret) {
		ret = xa_insert_irq(&d->qps, qp->qpn, qp, GFP_KERNEL);
		if (ret)
			ohca_icm_put(d, OHCA_ICM_TABLE_QPC, qp->qpn, 1);
	}
	mutex_unlock(&d->qpn_lock);
	return ret;
}

int ohca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_ucontext *uctx = rdma_udata_to_drv_context(udata, struct ohca_ucontext, ib);
	struct ohca_ureq_create_qp req = {};
	struct ohca_uresp_create_qp resp = {};
	struct ohca_cmd_qp_in *in;
	int ret;

	if (attr->create_flags || attr->srq || attr->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;
	switch (attr->qp_type) {
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		if (uctx)
			return -EPERM;
		fallthrough;
	case IB_QPT_RC:
	case IB_QPT_UD:
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (attr->cap.max_send_wr > 1u << OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP_WR, &d->lim) ||
	    attr->cap.max_recv_wr > 1u << OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP_WR, &d->lim) ||
	    attr->cap.max_send_sge > OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_SEND_SGE, &d->lim) ||
	    attr->cap.max_recv_sge > OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_RECV_SGE, &d->lim) ||
	    attr->cap.max_inline_data > OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_INLINE, &d->lim))
		return -EINVAL;

	in = kzalloc(sizeof(*in), GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	mutex_init(&qp->lock);
	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	refcount_set(&qp->refs, 1);
	init_completion(&qp->free);
	INIT_WORK(&qp->flush, flush_qp);
	qp->qtype = to_ohca_type[attr->qp_type];
	qp->csum = attr->qp_type == IB_QPT_UD && OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CAPS, &d->lim) >> OHCA_DEV_CAP_UD_CSUM & 1;
	qp->state = IB_QPS_RESET;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->priv = !uctx;
	qp->uctx = uctx;
	qp->uar = uctx ? uctx->uar : 0;
	qp->max_inline = attr->cap.max_inline_data;
	qp->max_send_sge = attr->cap.max_send_sge;
	qp->max_recv_sge = attr->cap.max_recv_sge;

	if (uctx) {
		ret = OHCA_GET_REQ(udata, &req, reserved);
		if (!ret && (req.comp_mask || req.flags || req.reserved))
			ret = -EOPNOTSUPP;
		if (!ret && (req.db_page != uctx->uar || !OHCA_RESP_FITS(udata, &resp, qpn)))
			ret = -EINVAL;
		if (ret)
			goto free;
		ret = rings_user(d, qp, &req);
	} else {
		ret = rings_kernel(d, qp, &attr->cap);
	}
	if (ret)
		goto rings;
	ret = qpn_alloc(d, qp);
	if (ret)
		goto rings;

#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, in, v)
	S(QTYPE, qp->qtype);
	S(PRIV, qp->priv);
	S(SIG_ALL, qp->sig_all);
	S(SQ_MTT, !!qp->sq.mtt.count);
	S(RQ_MTT, !!qp->rq.mtt.count);
	S(SQ_PAGE_SHIFT, ohca_mtt_size(&qp->sq.mtt));
	S(RQ_PAGE_SHIFT, ohca_mtt_size(&qp->rq.mtt));
	S(PD, to_pd(ibqp->pd)->pdn);
	S(UAR, qp->uar);
	S(SQ_BUF, lower_32_bits(wq_base(&qp->sq)));
	S(SQ_BUF_HI, upper_32_bits(wq_base(&qp->sq)));
	S(RQ_BUF, lower_32_bits(wq_base(&qp->rq)));
	S(RQ_BUF_HI, upper_32_bits(wq_base(&qp->rq)));
	S(RQ_DBR, lower_32_bits(qp->dbr_buf.dma));
	S(RQ_DBR_HI, upper_32_bits(qp->dbr_buf.dma));
	S(SEND_CQN, to_cq(attr->send_cq)->cqn);
	S(RECV_CQN, to_cq(attr->recv_cq)->cqn);
	S(SQ_LOG_SIZE, qp->sq.log);
	S(SQ_LOG_STRIDE, qp->sq.log_stride);
	S(RQ_LOG_SIZE, qp->rq.log);
	S(RQ_LOG_STRIDE, qp->rq.log_stride);
#undef S
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_QP, qp->qpn, 0, in, sizeof(*in), NULL, 0, NULL);
	if (ret)
		goto number;
	ibqp->qp_num = qp->qpn;
	if (uctx) {
		resp.qpn = qp->qpn;
		ret = OHCA_PUT_RESP(udata, &resp);
		if (ret)
			goto destroy;
	}
	attr->cap.max_send_wr = 1u << qp->sq.log;
	attr->cap.max_recv_wr = 1u << qp->rq.log;
	kfree(in);
	return 0;
destroy:
	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_QP, qp->qpn, 0);
number:
	qp_hide(d, qp);
	ohca_icm_put(d, OHCA_ICM_TABLE_QPC, qp->qpn, 1);
rings:
	rings_free(d, qp);
free:
	kfree(in);
	return ret;
}

int ohca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	u32 max_rd = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_RD_ATOMIC, &d->lim);
	struct ohca_qp *qp = to_qp(ibqp);
	enum ib_qp_state from, to;
	struct ohca_cmd_qp_in *in;
	struct ohca_av av;
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	ret = ohca_no_req(udata);
	if (ret)
		return ret;
	in = kzalloc(sizeof(*in), GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	mutex_lock(&qp->lock);
	from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	if (!ib_modify_qp_is_ok(from, to, ibqp->qp_type, mask)) {
		ret = -EINVAL;
		goto out;
	}
	if ((mask & IB_QP_PORT) && attr->port_num != 1) {
		ret = -EINVAL;
		goto out;
	}
	/* What does not fit its field must not be cut off silently. */
	if (((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > max_rd) ||
	    ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > max_rd) ||
	    ((mask & IB_QP_TIMEOUT) && attr->timeout > 31) || ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31) ||
	    ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7) || ((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7) ||
	    ((mask & IB_QP_PATH_MTU) && (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096)) ||
	    ((mask & IB_QP_AV) && rdma_ah_get_sl(&attr->ah_attr) > 15)) {
		ret = -EINVAL;
		goto out;
	}
	if ((mask & (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE)) &&
	    !((mask & IB_QP_PATH_MIG_STATE) && !(mask & IB_QP_ALT_PATH) && attr->path_mig_state == IB_MIG_MIGRATED)) {
		ret = -EOPNOTSUPP;
		goto out;
	}
	/*
	 * The connection manager asks for atomics in every QP that is to answer READs: a right without use here, which is not given. Who asks
	 * for nothing else wants to use it.
	 */
	if ((mask & IB_QP_ACCESS_FLAGS) && ohca_atomics_only(attr->qp_access_flags)) {
		ret = -EOPNOTSUPP;
		goto out;
	}
	if (from == IB_QPS_RESET && to == IB_QPS_RESET) {
		ret = 0;
		goto out;
	}
#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, in, v)
	S(MASK, mask & ~IB_QP_PATH_MIG_STATE);
	if (mask & IB_QP_CUR_STATE)
		S(CUR_STATE, attr->cur_qp_state);
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		S(EN_SQD, !!attr->en_sqd_async_notify);
	if (mask & IB_QP_ACCESS_FLAGS) {
		S(ACC_WRITE, !!(attr->qp_access_flags & IB_ACCESS_REMOTE_WRITE));
		S(ACC_READ, !!(attr->qp_access_flags & IB_ACCESS_REMOTE_READ));
	}
	if (mask & IB_QP_PKEY_INDEX)
		S(PKEY_INDEX, attr->pkey_index);
	if (mask & IB_QP_QKEY)
		S(QKEY, attr->qkey);
	if (mask & IB_QP_AV) {
		ret = ohca_fill_av(d, &av, &attr->ah_attr, qp->qpn, mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->dqpn);
		if (ret)
			goto out;
		memcpy(&in->dw[18], &av, sizeof(av));
	}
	if (mask & IB_QP_PATH_MTU)
		S(MTU, attr->path_mtu);
	if (mask & IB_QP_DEST_QPN)
		S(DQPN, attr->dest_qp_num);
	if (mask & IB_QP_RQ_PSN)
		S(RQ_PSN, attr->rq_psn);
	if (mask & IB_QP_SQ_PSN)
		S(SQ_PSN, attr->sq_psn);
	if (mask & IB_QP_MIN_RNR_TIMER)
		S(MIN_RNR, attr->min_rnr_timer);
	if (mask & IB_QP_TIMEOUT)
		S(TIMEOUT, attr->timeout);
	if (mask & IB_QP_RETRY_CNT)
		S(RETRY_CNT, attr->retry_cnt);
	if (mask & IB_QP_RNR_RETRY)
		S(RNR_RETRY, attr->rnr_retry);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		S(MAX_RD_ATOMIC, attr->max_rd_atomic);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		S(MAX_DEST_RD_ATOMIC, attr->max_dest_rd_atomic);
#undef S
	ret = ohca_cmd(d, OHCA_CMD_OP_MODIFY_QP, qp->qpn, to, in, sizeof(*in), NULL, 0, NULL);
	/* Who drains a QP of a device that is gone must come to the flushed completions. */
	if (ret && READ_ONCE(d->silent) && (to == IB_QPS_ERR || to == IB_QPS_RESET))
		ret = 0;
	if (ret)
		goto out;
	qp->state = to;
	if (mask & IB_QP_QKEY)
		qp->qkey = attr->qkey;
	if (mask & IB_QP_DEST_QPN)
		qp->dqpn = attr->dest_qp_num;
	if (to == IB_QPS_RESET) {
		if (qp->priv) {
			ohca_cq_clean(to_cq(ibqp->send_cq), qp->qpn);
			ohca_cq_clean(to_cq(ibqp->recv_cq), qp->qpn);
			spin_lock_irq(&qp->sq.lock);
			qp->sq.head = 0;
			qp->sq.tail = 0;
			spin_unlock_irq(&qp->sq.lock);
			spin_lock_irq(&qp->rq.lock);
			qp->rq.head = 0;
			qp->rq.tail = 0;
			WRITE_ONCE(qp->dbr->dw[0], 0);
			spin_unlock_irq(&qp->rq.lock);
		}
		WRITE_ONCE(qp->in_err, false);
	}
	if (to == IB_QPS_ERR)
		ohca_qp_set_err(d, qp);
out:
	mutex_unlock(&qp->lock);
	kfree(in);
	return ret;
}

int ohca_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_qp_init_attr *init)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	struct ohca_qp *qp = to_qp(ibqp);
	struct ohca_cmd_qp_in *o;
	int ret;

	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		return -ENOMEM;
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	/* No change of the state comes between the adapter's answer and what is kept of it here. */
	mutex_lock(&qp->lock);
	ret = ohca_cmd(d, OHCA_CMD_OP_QUERY_QP, qp->qpn, 0, NULL, 0, o, sizeof(*o), NULL);
	if (!ret)
		qp->state = OHCA_GET(OHCA_CMD_QP_IN_STATE, o);
	mutex_unlock(&qp->lock);
	if (ret)
		goto free;
#define G(f) OHCA_GET(OHCA_CMD_QP_IN_##f, o)
	attr->qp_state = G(STATE);
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = G(MTU);
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = G(QKEY);
	attr->rq_psn = G(RQ_PSN);
	attr->sq_psn = G(SQ_PSN);
	attr->dest_qp_num = G(DQPN);
	attr->qp_access_flags = (G(ACC_WRITE) ? IB_ACCESS_REMOTE_WRITE : 0) | (G(ACC_READ) ? IB_ACCESS_REMOTE_READ : 0);
	attr->pkey_index = G(PKEY_INDEX);
	attr->port_num = 1;
	attr->min_rnr_timer = G(MIN_RNR);
	attr->timeout = G(TIMEOUT);
	attr->retry_cnt = G(RETRY_CNT);
	attr->rnr_retry = G(RNR_RETRY);
	attr->max_rd_atomic = G(MAX_RD_ATOMIC);
	attr->max_dest_rd_atomic = G(MAX_DEST_RD_ATOMIC);
#undef G
	if (ohca_is_rc(qp)) {
		attr->ah_attr.type = d->eth ? RDMA_AH_ATTR_TYPE_ROCE : RDMA_AH_ATTR_TYPE_IB;
		ohca_get_av((struct ohca_av *)&o->dw[18], &attr->ah_attr);
	}
	attr->cap.max_send_wr = 1u << qp->sq.log;
	attr->cap.max_recv_wr = 1u << qp->rq.log;
	attr->cap.max_send_sge = qp->max_send_sge;
	attr->cap.max_recv_sge = qp->max_recv_sge;
	attr->cap.max_inline_data = qp->max_inline;
	init->cap = attr->cap;
	init->qp_type = ibqp->qp_type;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->qp_context = ibqp->qp_context;
	init->event_handler = ibqp->event_handler;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
free:
	kfree(o);
	return ret;
}

static int mcast(struct ib_qp *ibqp, enum ohca_cmd_op op, const union ib_gid *gid)
{
	struct ohca_cmd_mcast_in in;

	BUILD_BUG_ON(sizeof(in) != sizeof(*gid));
	memcpy(&in, gid, sizeof(in));
	return ohca_cmd(to_dev(ibqp->device), op, to_qp(ibqp)->qpn, 0, &in, sizeof(in), NULL, 0, NULL);
}

/* Groups are told apart by their MGIDs alone; the core has looked at the LID. Twice is as good as once. */
int ohca_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	int ret = mcast(ibqp, OHCA_CMD_OP_ATTACH_MCAST, gid);

	return ret == -EEXIST ? 0 : ret;
}

/* An adapter that is gone has no members any more. */
int ohca_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	int ret = mcast(ibqp, OHCA_CMD_OP_DETACH_MCAST, gid);

	if (ret && to_dev(ibqp->device)->dead)
		return 0;
	return ret == -ENOENT ? -EINVAL : ret;
}

int ohca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibqp->device);
	struct ohca_qp *qp = to_qp(ibqp);

	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_QP, qp->qpn, 0);
	if (qp->priv) {
		ohca_cq_clean(to_cq(ibqp->send_cq), qp->qpn);
		if (ibqp->send_cq != ibqp->recv_cq)
			ohca_cq_clean(to_cq(ibqp->recv_cq), qp->qpn);
	}
	qp_hide(d, qp);
	ohca_icm_put(d, OHCA_ICM_TABLE_QPC, qp->qpn, 1);
	rings_free(d, qp);
	return 0;
}
