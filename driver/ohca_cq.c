// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Completion queues. */
#include <linux/delay.h>
#include <linux/if_vlan.h>
#include <linux/module.h>

#include "ohca.h"

#ifdef OHCA_DEBUG
static unsigned int wake_delay;
module_param(wake_delay, uint, 0644);
MODULE_PARM_DESC(wake_delay, "Milliseconds for which a process's CQ is held before its owner is woken, when all are");
#else
#define wake_delay 0
#endif

/* A status no adapter writes: the completion belongs to a QP that is gone. */
#define STATUS_DISCARD 0xfe

static struct ohca_cqe *cqe_at(struct ohca_cq *cq, u32 i)
{
	return ohca_buf_at(&cq->buf, sizeof(struct ohca_cqe) * (size_t)(i & ((1u << cq->log) - 1)));
}

static bool cqe_new(struct ohca_cq *cq, u32 i)
{
	u32 v = le32_to_cpu(READ_ONCE(cqe_at(cq, i)->dw[OHCA_OFF(OHCA_CQE_PHASE) / 4]));

	return OHCA_EXTRACT(OHCA_CQE_PHASE, v) == !(i >> cq->log & 1);
}

static void cq_put(struct ohca_cq *cq)
{
	if (refcount_dec_and_test(&cq->refs))
		complete(&cq->free);
}

static struct ohca_cq *cq_find(struct ohca_dev *d, u32 cqn)
{
	struct ohca_cq *cq;
	unsigned long flags;

	xa_lock_irqsave(&d->cqs, flags);
	cq = xa_load(&d->cqs, cqn);
	if (cq)
		refcount_inc(&cq->refs);
	xa_unlock_irqrestore(&d->cqs, flags);
	return cq;
}

/* The first CQ from *cqn on, held; NULL: none */
static struct ohca_cq *cq_next(struct ohca_dev *d, unsigned long *cqn)
{
	struct ohca_cq *cq;

	xa_lock_irq(&d->cqs);
	cq = xa_find(&d->cqs, cqn, ULONG_MAX, XA_PRESENT);
	if (cq)
		refcount_inc(&cq->refs);
	xa_unlock_irq(&d->cqs);
	return cq;
}

/* wake: not by an event of the adapter. A CQ that is only polled has nobody to be woken, and says so loudly. */
static void cq_tell(struct ohca_dev *d, struct ohca_cq *cq, bool error, bool wake)
{
	struct ib_event ev = { .device = &d->ib, .event = IB_EVENT_CQ_ERR, .element.cq = &cq->ib };

	if (!error) {
		if (cq->ib.comp_handler && !(wake && cq->ib.poll_ctx == IB_POLL_DIRECT))
			cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
		return;
	}
	if (!xchg(&cq->err, true) && cq->ib.event_handler)
		cq->ib.event_handler(&ev, cq->ib.cq_context);
}

void ohca_cq_event(struct ohca_dev *d, u32 cqn, bool error)
{
	struct ohca_cq *cq = cq_find(d, cqn);

	if (!cq)
		return;
	cq_tell(d, cq, error, false);
	cq_put(cq);
}

/* Who waits looks for completions. */
void ohca_cq_wake(struct ohca_dev *d, u32 cqn)
{
	struct ohca_cq *cq = cq_find(d, cqn);

	if (!cq)
		return;
	cq_tell(d, cq, false, true);
	cq_put(cq);
}

void ohca_cq_wake_all(struct ohca_dev *d, unsigned int eq)
{
	struct ohca_cq *cq;
	unsigned long cqn;

	for (cqn = 0; (cq = cq_next(d, &cqn)); cqn++) {
		if (wake_delay && cq->umem)
			msleep(wake_delay);
		local_bh_disable();	/* what handlers raise runs at once */
		if (!eq || cq->eq == eq)
			cq_tell(d, cq, false, true);
		local_bh_enable();
		cq_put(cq);
		cond_resched();
	}
}

/* Events of overflowed CQs may have been lost. */
void ohca_cq_scan(struct ohca_dev *d)
{
	struct ohca_cq *cq;
	unsigned long cqn;
	u32 state;

	for (cqn = 0; (cq = cq_next(d, &cqn)); cqn++) {
		if (!READ_ONCE(cq->err) && !ohca_cmd(d, OHCA_CMD_OP_QUERY_CQ, cqn, 0, NULL, 0, NULL, 0, &state) && state & 1)
			cq_tell(d, cq, true, false);
		cq_put(cq);
	}
}

/* A doorbell record in user memory: it does not cross a page. */
int ohca_dbr_umem(struct ohca_dev *d, u64 va, struct ib_umem **umem, dma_addr_t *dma)
{
	struct ib_umem *u;

	if (va & 7)
		return -EINVAL;
	u = ohca_umem_get(&d->ib, va, 8, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(u))
		return PTR_ERR(u);
	*umem = u;
	*dma = sg_dma_address(u->sgt_append.sgt.sgl) + ib_umem_offset(u);
	return 0;
}

static int user_rings(struct ohca_dev *d, struct ohca_cq *cq, const struct ohca_ureq_create_cq *req, struct ohca_cmd_cq_in *in)
{
	dma_addr_t dbr;
	int ret;

	if (!ohca_ring_at(req->buf_va))
		return -EINVAL;
	cq->umem = ohca_umem_get(&d->ib, req->buf_va, ohca_ring_bytes(32ul << cq->log), IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(cq->umem)) {
		ret = PTR_ERR(cq->umem);
		cq->umem = NULL;
		return ret;
	}
	ret = ohca_dbr_umem(d, req->dbr_va, &cq->dbr_umem, &dbr);
	if (ret)
		return ret;
	ret = ohca_mtt_ring(d, cq->umem, &cq->mtt);
	if (ret)
		return ret;
	OHCA_SET(OHCA_CMD_CQ_IN_BUF_MTT, in, 1);
	OHCA_SET(OHCA_CMD_CQ_IN_PAGE_SHIFT, in, ohca_mtt_size(&cq->mtt));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, in, ohca_mtt_base(&cq->mtt));
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, in, dbr);
	return 0;
}

static void free_rings(struct ohca_dev *d, struct ohca_cq *cq)
{
	ohca_check_free(d);
	ohca_mtt_free(d, &cq->mtt);
	ib_umem_release(cq->dbr_umem);
	ib_umem_release(cq->umem);
	ohca_buf_free(d, &cq->dbr_buf);
	ohca_buf_free(d, &cq->buf);
}

int ohca_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = &attrs->driver_udata;
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cq *cq = to_cq(ibcq);
	struct ohca_ucontext *uctx = rdma_udata_to_drv_context(udata, struct ohca_ucontext, ib);
	struct ohca_ureq_create_cq req = {};
	struct ohca_uresp_create_cq resp = {};
	struct ohca_cmd_cq_in in = {};
	u32 log_max = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_CQE, &d->lim);
	int ret;

	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	/* One entry more than asked for, so that a full ring is never legal. */
	if (attr->cqe < 1 || attr->cqe > (1u << log_max) - 1 || attr->comp_vector >= d->num_eq - 1)
		return -EINVAL;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize);
	refcount_set(&cq->refs, 1);
	init_completion(&cq->free);
	cq->log = order_base_2(attr->cqe + 1);
	if (uctx) {
		ret = OHCA_GET_REQ(udata, &req, reserved);
		if (ret)
			return ret;
		if (req.comp_mask || req.flags || req.log_cqe_bytes || memchr_inv(req.reserved, 0, sizeof(req.reserved)))
			return -EOPNOTSUPP;
		if (req.db_page != uctx->uar || !OHCA_RESP_FITS(udata, &resp, cqn))
			return -EINVAL;
		if (req.log_size > log_max || 1u << req.log_size <= attr->cqe)
			return -EINVAL;
		cq->log = req.log_size;
		ret = user_rings(d, cq, &req, &in);
	} else {
		ret = ohca_ring_alloc(d, 32ul << cq->log, &cq->buf, &cq->mtt);
		if (!ret)
			ret = ohca_buf_alloc(d, 8, &cq->dbr_buf);
		if (!ret) {
			cq->dbr = cq->dbr_buf.addr;
			OHCA_SET(OHCA_CMD_CQ_IN_BUF_MTT, &in, !!cq->mtt.count);
			OHCA_SET(OHCA_CMD_CQ_IN_PAGE_SHIFT, &in, ohca_mtt_size(&cq->mtt));
			OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, cq->mtt.count ? ohca_mtt_base(&cq->mtt) : cq->buf.dma);
			OHCA_SET(OHCA_CMD_CQ_IN_DBR, &in, cq->dbr_buf.dma);
		}
	}
	if (ret)
		goto rings;
	cq->uar = uctx ? uctx->uar : 0;
	/*
	 * The number only: the CQ can be found when it exists, so that nobody holds one whose creation failed. Numbers come again late,
	 * and so do events of a former owner that are still on their way.
	 */
	ret = xa_alloc_cyclic_irq(&d->cqs, &cq->cqn, NULL, XA_LIMIT(1, (1u << d->icm[OHCA_ICM_TABLE_CQC].log_entries) - 1),
				  &d->cqn_next, GFP_KERNEL);
	if (ret < 0)
		goto rings;
	ret = ohca_icm_get(d, OHCA_ICM_TABLE_CQC, cq->cqn, 1);
	if (ret)
		goto number;
	OHCA_SET(OHCA_CMD_CQ_IN_LOG_SIZE, &in, cq->log);
	OHCA_SET(OHCA_CMD_CQ_IN_EQN, &in, attr->comp_vector + 1);
	OHCA_SET(OHCA_CMD_CQ_IN_UAR, &in, cq->uar);
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_CQ, cq->cqn, 0, &in, sizeof(in), NULL, 0, NULL);
	if (ret)
		goto icm;
	ibcq->cqe = (1u << cq->log) - 1;
	if (uctx) {
		resp.cqn = cq->cqn;
		ret = OHCA_PUT_RESP(udata, &resp);
		if (ret)
			goto destroy;
	}
	cq->eq = attr->comp_vector + 1;
	xa_store_irq(&d->cqs, cq->cqn, cq, GFP_KERNEL);		/* into a reserved entry: it cannot fail */
	return 0;
destroy:
	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_CQ, cq->cqn, 0);
icm:
	ohca_icm_put(d, OHCA_ICM_TABLE_CQC, cq->cqn, 1);
number:
	xa_erase_irq(&d->cqs, cq->cqn);
rings:
	free_rings(d, cq);
	return ret;
}

/*
 * Of processes only: nobody in the kernel resizes a CQ. The provider keeps its hands off the CQ meanwhile. Indexes go on, the adapter says from which one
 * on its entries are in the new ring, and by then all before it are in the old one, which stays the process's own: it is unpinned here, no more.
 */
int ohca_resize_cq(struct ib_cq *ibcq, OHCA_RESIZE_CQE cqe, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cq *cq = to_cq(ibcq);
	struct ohca_ureq_resize_cq req = {};
	struct ohca_uresp_resize_cq resp = {};
	struct ohca_cmd_resize_cq_in in = {};
	u32 log_max = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_CQE, &d->lim);
	struct ohca_pages mtt = {};
	struct ib_umem *umem;
	int ret;

	if (!udata || !cq->umem)
		return -EOPNOTSUPP;
	ret = OHCA_GET_REQ(udata, &req, reserved);
	if (ret)
		return ret;
	if (req.comp_mask || req.reserved)
		return -EOPNOTSUPP;
	if (!OHCA_RESP_FITS(udata, &resp, pi) || cqe < 1 || req.log_size > log_max || 1u << req.log_size <= (u32)cqe ||
	    req.ci > 0xffffff || !ohca_ring_at(req.buf_va))
		return -EINVAL;
	umem = ohca_umem_get(&d->ib, req.buf_va, ohca_ring_bytes(32ul << req.log_size), IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mutex_lock(&cq->resize);
	ret = ohca_mtt_ring(d, umem, &mtt);
	if (ret)
		goto free;
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, ohca_mtt_base(&mtt));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF_MTT, &in, 1);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_PAGE_SHIFT, &in, ohca_mtt_size(&mtt));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_CI, &in, req.ci);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, &in, req.log_size);
	ret = ohca_cmd(d, OHCA_CMD_OP_RESIZE_CQ, cq->cqn, 0, &in, sizeof(in), NULL, 0, &resp.pi);
	if (ret == -EIO)	/* not refused, but half done or lost: the adapter may write to either ring */
		ohca_cmd_unsure(d, OHCA_CMD_OP_RESIZE_CQ, cq->cqn, ret);
	if (ret)
		goto free;
	swap(cq->umem, umem);
	swap(cq->mtt, mtt);
	cq->log = req.log_size;
	ibcq->cqe = (1u << cq->log) - 1;
	ret = OHCA_PUT_RESP(udata, &resp);
free:
	mutex_unlock(&cq->resize);
	ohca_check_free(d);
	ohca_mtt_free(d, &mtt);
	ib_umem_release(umem);
	return ret;
}

/* Of processes, and of the core where moderation of kernel CQs follows their load; the small adapter refuses it. */
int ohca_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cmd_modify_cq_in in = {};

	OHCA_SET(OHCA_CMD_MODIFY_CQ_IN_COUNT, &in, count);
	OHCA_SET(OHCA_CMD_MODIFY_CQ_IN_PERIOD, &in, period);
	return ohca_cmd(d, OHCA_CMD_OP_MODIFY_CQ, to_cq(ibcq)->cqn, 0, &in, sizeof(in), NULL, 0, NULL);
}

int ohca_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cq *cq = to_cq(ibcq);

	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_CQ, cq->cqn, 0);
	/* Its events that were written before are taken while the number is still its own. */
	ohca_eq_sync(d, cq->eq);
	xa_erase_irq(&d->cqs, cq->cqn);
	/* Handlers that run now hold a reference. */
	if (!refcount_dec_and_test(&cq->refs))
		wait_for_completion(&cq->free);
	ohca_icm_put(d, OHCA_ICM_TABLE_CQC, cq->cqn, 1);
	free_rings(d, cq);
	return 0;
}

static enum ib_wc_opcode send_opcode(u32 op)
{
	switch (op) {
	case OHCA_WR_OP_RDMA_WRITE:
	case OHCA_WR_OP_RDMA_WRITE_IMM:
		return IB_WC_RDMA_WRITE;
	case OHCA_WR_OP_RDMA_READ:
		return IB_WC_RDMA_READ;
	default:
		return IB_WC_SEND;
	}
}

/* False: nothing for the caller in this entry. */
static bool cqe_to_wc(struct ohca_dev *d, const struct ohca_cqe *e, struct ib_wc *wc)
{
	u32 status = OHCA_GET(OHCA_CQE_STATUS, e), idx = OHCA_GET(OHCA_CQE_WQE_IDX, e), op = OHCA_GET(OHCA_CQE_OPCODE, e);
	struct ohca_qp *qp;
	struct ohca_wq *wq;
	bool recv = OHCA_GET(OHCA_CQE_RECV, e);

	if (status == STATUS_DISCARD)
		return false;
	qp = xa_load(&d->qps, OHCA_GET(OHCA_CQE_QPN, e));
	if (!qp)
		return false;
	wq = recv ? &qp->rq : &qp->sq;
	memset(wc, 0, sizeof(*wc));
	wc->qp = &qp->ib;
	wc->wr_id = wq->wrid[idx & ((1u << wq->log) - 1)];
	/* Completions come in order, so this one frees all entries up to its own. */
	WRITE_ONCE(wq->tail, wq->tail + (u16)(idx + 1 - wq->tail));
	wc->status = min_t(u32, status, IB_WC_GENERAL_ERR);
	wc->vendor_err = OHCA_GET(OHCA_CQE_VENDOR_ERR, e);
	if (status) {
		if (!qp->in_err && (qp->qtype == OHCA_QP_TYPE_RC || recv))
			ohca_qp_set_err(d, qp);
		wc->opcode = recv ? IB_WC_RECV : send_opcode(op);
		return true;
	}
	wc->byte_len = OHCA_GET(OHCA_CQE_BYTE_LEN, e);
	if (!recv) {
		wc->opcode = send_opcode(op);
		return true;
	}
	wc->opcode = op == OHCA_WC_OP_RECV_RDMA_IMM ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV;
	if (op == OHCA_WC_OP_RECV_IMM || op == OHCA_WC_OP_RECV_RDMA_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)e->dw[3];	/* wire bytes in memory order */
	}
	if (OHCA_GET(OHCA_CQE_GRH, e))
		wc->wc_flags |= IB_WC_GRH;
	if (OHCA_GET(OHCA_CQE_CSUM_OK, e))
		wc->wc_flags |= IB_WC_IP_CSUM_OK;
	wc->src_qp = OHCA_GET(OHCA_CQE_SRC_QP, e);
	if (!d->eth) {
		wc->slid = OHCA_GET(OHCA_CQE_SLID, e);
	} else if (OHCA_GET(OHCA_CQE_SLID, e) != 0xffff && OHCA_GET(OHCA_CQE_SLID, e) & VLAN_VID_MASK) {
		wc->vlan_id = OHCA_GET(OHCA_CQE_SLID, e) & VLAN_VID_MASK;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	}
	wc->sl = OHCA_GET(OHCA_CQE_SL, e);
	if (d->eth) {
		wc->network_hdr_type = wc->sl & 8 ? RDMA_NETWORK_IPV6 : RDMA_NETWORK_IPV4;
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->sl &= 7;
	}
	wc->dlid_path_bits = OHCA_GET(OHCA_CQE_PATH_BITS, e);
	wc->pkey_index = OHCA_GET(OHCA_CQE_PKEY_INDEX, e);
	wc->port_num = 1;
	return true;
}

/* The first work request of a queue is flushed, as the adapter would have done. */
static bool flush_wq(struct ohca_qp *qp, struct ohca_wq *wq, bool recv, struct ohca_cqe *e)
{
	bool some;

	spin_lock(&wq->lock);
	some = wq->head != wq->tail;
	spin_unlock(&wq->lock);
	if (!some)
		return false;
	memset(e, 0, sizeof(*e));
	OHCA_SET(OHCA_CQE_STATUS, e, OHCA_WC_STATUS_WR_FLUSH);
	OHCA_SET(OHCA_CQE_QPN, e, qp->qpn);
	OHCA_SET(OHCA_CQE_RECV, e, recv);
	OHCA_SET(OHCA_CQE_WQE_IDX, e, wq->tail & 0xffff);
	OHCA_SET(OHCA_CQE_OPCODE, e, recv ? OHCA_WC_OP_RECV : OHCA_WR_OP_SEND);
	return true;
}

/* An adapter that is gone completes nothing, and who waits for completions, to drain a QP, must not wait for ever. */
static int poll_gone(struct ohca_dev *d, struct ohca_cq *cq, int n, struct ib_wc *wc)
{
	struct ohca_cqe e;
	struct ohca_qp *qp;
	unsigned long qpn;
	int got = 0;

	xa_lock(&d->qps);
	xa_for_each(&d->qps, qpn, qp) {
		if (!qp->priv)
			continue;
		while (got < n && qp->ib.send_cq == &cq->ib && flush_wq(qp, &qp->sq, false, &e))
			got += cqe_to_wc(d, &e, &wc[got]);
		while (got < n && qp->ib.recv_cq == &cq->ib && flush_wq(qp, &qp->rq, true, &e))
			got += cqe_to_wc(d, &e, &wc[got]);
	}
	xa_unlock(&d->qps);
	return got;
}

int ohca_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cq *cq = to_cq(ibcq);
	unsigned long flags;
	u32 start;
	int got = 0;

	spin_lock_irqsave(&cq->lock, flags);
	start = cq->ci;
	while (got < n && cqe_new(cq, cq->ci)) {
		dma_rmb();	/* the phase first, then the rest of the entry */
		if (cqe_to_wc(d, cqe_at(cq, cq->ci), &wc[got]))
			got++;
		cq->ci++;
	}
	if (cq->ci != start) {
		/* Entries are read before their room is given back. */
		dma_mb();
		WRITE_ONCE(cq->dbr->dw[0], cpu_to_le32(OHCA_PREP(OHCA_CQ_DBR_CI, cq->ci & 0xffffff)));
	}
	if (got < n && READ_ONCE(d->silent))
		got += poll_gone(d, cq, n - got, wc + got);
	spin_unlock_irqrestore(&cq->lock, flags);
	return got;
}

#define SEEN_MAX 127	/* what the field of layout db_cq holds */

int ohca_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct ohca_dev *d = to_dev(ibcq->device);
	struct ohca_cq *cq = to_cq(ibcq);
	struct ohca_db_cq db = {};
	unsigned long irq;
	u32 seen = 0;

	spin_lock_irqsave(&cq->lock, irq);
	OHCA_SET(OHCA_DB_CQ_CQN, &db, cq->cqn);
	OHCA_SET(OHCA_DB_CQ_CI, &db, cq->ci & 0xffffff);
	/*
	 * An entry that the caller is told of raises no event; one that comes after this look does, and without the look so
	 * does what is there already: who does not ask may not look again (as with ConnectX).
	 */
	if (flags & IB_CQ_REPORT_MISSED_EVENTS)
		while (seen < SEEN_MAX && seen < 1u << cq->log && cqe_new(cq, cq->ci + seen))
			seen++;
	OHCA_SET(OHCA_DB_CQ_SEEN, &db, seen);
	OHCA_SET(OHCA_DB_CQ_SOLICITED, &db, (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED);
	ohca_db_write(d, OHCA_DB_CQ_ARM, le32_to_cpu(db.dw[0]) | (u64)le32_to_cpu(db.dw[1]) << 32);
	spin_unlock_irqrestore(&cq->lock, irq);
	return seen != 0;
}

/* The QP is gone from the adapter: what it left in a kernel CQ must not be found by a later QP of the same number. */
void ohca_cq_clean(struct ohca_cq *cq, u32 qpn)
{
	unsigned long flags;
	u32 i;

	if (!cq->dbr)
		return;		/* a process's */
	spin_lock_irqsave(&cq->lock, flags);
	for (i = cq->ci; i - cq->ci < 1u << cq->log && cqe_new(cq, i); i++) {
		dma_rmb();
		if (OHCA_GET(OHCA_CQE_QPN, cqe_at(cq, i)) == qpn)
			OHCA_SET(OHCA_CQE_STATUS, cqe_at(cq, i), STATUS_DISCARD);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}
