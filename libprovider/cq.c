// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Completion queues. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ohca.h"

struct create_cq_cmd {
	struct ibv_create_cq_ex ibv;
	struct ohca_ureq_create_cq drv;
};
static_assert(offsetof(struct create_cq_cmd, drv) == sizeof(struct ibv_create_cq_ex), "no padding");

struct create_cq_resp {
	struct ib_uverbs_ex_create_cq_resp ibv;
	struct ohca_uresp_create_cq drv;
};
static_assert(offsetof(struct create_cq_resp, drv) == sizeof(struct ib_uverbs_ex_create_cq_resp), "no padding");

struct resize_cq_cmd {
	struct ibv_resize_cq ibv;
	struct ohca_ureq_resize_cq drv;
};
static_assert(offsetof(struct resize_cq_cmd, drv) == sizeof(struct ibv_resize_cq), "no padding");

struct resize_cq_resp {
	struct ib_uverbs_resize_cq_resp ibv;
	struct ohca_uresp_resize_cq drv;
};
static_assert(offsetof(struct resize_cq_resp, drv) == sizeof(struct ib_uverbs_resize_cq_resp), "no padding");

/* ------------------------------------------------------------------ entries */

static struct ohca_cqe *cqe_at(const struct ohca_cq *cq, uint32_t i)
{
	return &cq->ring[i & ((1u << cq->log) - 1)];
}

/* The phase bit of the entry says whether it belongs to this pass of the ring: 1 in the first, which is empty before. */
static bool cqe_new(const struct ohca_cq *cq, uint32_t i)
{
	uint32_t v = le32toh(*(const volatile __le32 *)&cqe_at(cq, i)->dw[7]);

	return OHCA_EXTRACT(OHCA_CQE_PHASE, v) != ((i - cq->base) >> cq->log & 1);
}
static_assert(OHCA_OFF(OHCA_CQE_PHASE) == 28, "phase in the last dword");

/* The QP and work request that an entry completes; NULL: nobody's. */
static struct ohca_qp *cqe_retire(struct ohca_context *ctx, const struct ohca_cqe *e, uint64_t *wr_id)
{
	uint32_t status = OHCA_GET(OHCA_CQE_STATUS, e), idx = OHCA_GET(OHCA_CQE_WQE_IDX, e), tail;
	bool recv = OHCA_GET(OHCA_CQE_RECV, e);
	struct ohca_qp *qp;
	struct ohca_wq *wq;

	if (status == OHCA_STATUS_DISCARD)
		return NULL;
	qp = ohca_find_qp(ctx, OHCA_GET(OHCA_CQE_QPN, e));
	if (!qp)
		return NULL;
	wq = recv ? &qp->rq : &qp->sq;
	*wr_id = wq->wrid[idx & ((1u << wq->log) - 1)];
	/* Completions come in order, so this one frees all entries up to its own. */
	tail = atomic_load_explicit(&wq->tail, memory_order_relaxed);
	atomic_store_explicit(&wq->tail, tail + (uint16_t)(idx + 1 - tail), memory_order_release);
	if (status && (qp->rc || recv) && !atomic_load_explicit(&qp->in_err, memory_order_relaxed))
		ohca_qp_set_err(qp);
	return qp;
}

static enum ibv_wc_opcode cqe_opcode(const struct ohca_cqe *e)
{
	switch (OHCA_GET(OHCA_CQE_OPCODE, e)) {
	case OHCA_WR_OP_RDMA_WRITE:
	case OHCA_WR_OP_RDMA_WRITE_IMM:
		return IBV_WC_RDMA_WRITE;
	case OHCA_WR_OP_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case OHCA_WC_OP_RECV_RDMA_IMM:
		return IBV_WC_RECV_RDMA_WITH_IMM;
	default:
		return OHCA_GET(OHCA_CQE_RECV, e) ? IBV_WC_RECV : IBV_WC_SEND;
	}
}

static unsigned int cqe_flags(const struct ohca_cqe *e)
{
	uint32_t op = OHCA_GET(OHCA_CQE_OPCODE, e);

	return (OHCA_GET(OHCA_CQE_GRH, e) ? IBV_WC_GRH : 0) | (OHCA_GET(OHCA_CQE_CSUM_OK, e) ? IBV_WC_IP_CSUM_OK : 0) |
	       (op == OHCA_WC_OP_RECV_IMM || op == OHCA_WC_OP_RECV_RDMA_IMM ? IBV_WC_WITH_IMM : 0);
}

static enum ibv_wc_status cqe_status(const struct ohca_cqe *e)
{
	uint32_t status = OHCA_GET(OHCA_CQE_STATUS, e);

	return status <= IBV_WC_GENERAL_ERR ? status : IBV_WC_GENERAL_ERR;
}

/* Ethernet has no LIDs: the field holds a VLAN tag. */
static uint32_t cqe_slid(const struct ohca_context *ctx, const struct ohca_cqe *e)
{
	return ctx->eth ? 0 : OHCA_GET(OHCA_CQE_SLID, e);
}

/*
 * On Ethernet there is no service level. Programs expect what other adapters tell there: bit 3 a UDP packet, 1 over IPv6, 2 over IPv4, which says
 * where its addresses are. The priority is in the VLAN tag, which extended completions give.
 */
static uint8_t cqe_sl(const struct ohca_context *ctx, const struct ohca_cqe *e)
{
	uint8_t sl = (uint8_t)OHCA_GET(OHCA_CQE_SL, e);

	return !ctx->eth ? sl : sl & 8 ? 8 | 1 : 8 | 2;
}

/* The VLAN tag; 0: none */
static uint16_t cqe_tag(const struct ohca_cqe *e)
{
	uint16_t tag = (uint16_t)OHCA_GET(OHCA_CQE_SLID, e);

	return tag == 0xffff ? 0 : tag;
}

static void cqe_to_wc(const struct ohca_context *ctx, const struct ohca_cqe *e, struct ibv_wc *wc)
{
	wc->status = cqe_status(e);
	wc->opcode = cqe_opcode(e);
	wc->vendor_err = OHCA_GET(OHCA_CQE_VENDOR_ERR, e);
	wc->byte_len = OHCA_GET(OHCA_CQE_BYTE_LEN, e);
	wc->imm_data = (__be32)e->dw[3];	/* wire bytes in memory order */
	wc->qp_num = OHCA_GET(OHCA_CQE_QPN, e);
	wc->src_qp = OHCA_GET(OHCA_CQE_SRC_QP, e);
	wc->wc_flags = cqe_flags(e);
	wc->pkey_index = OHCA_GET(OHCA_CQE_PKEY_INDEX, e);
	wc->slid = (uint16_t)cqe_slid(ctx, e);
	wc->sl = cqe_sl(ctx, e);
	wc->dlid_path_bits = OHCA_GET(OHCA_CQE_PATH_BITS, e);
}

/* ------------------------------------------------------------------ polling */

static void cq_lock(struct ohca_cq *cq)
{
	if (!cq->unlocked)
		pthread_spin_lock(&cq->lock);
}

static void cq_unlock(struct ohca_cq *cq)
{
	if (!cq->unlocked)
		pthread_spin_unlock(&cq->lock);
}

/* Give room back to the adapter, after the entries have been read. */
static void cq_consumed(struct ohca_cq *cq)
{
	atomic_thread_fence(memory_order_seq_cst);
	*(volatile __le32 *)&cq->dbr->dw[0] = htole32(cq->ci & 0xffffff);
}

/* The next entry, or NULL. When the adapter is gone, what is outstanding is flushed here: who waits for it must not wait for ever. */
static const struct ohca_cqe *cqe_next(struct ohca_context *ctx, struct ohca_cq *cq)
{
	const struct ohca_cqe *e;

	if (cqe_new(cq, cq->ci)) {
		e = cqe_at(cq, cq->ci++);
		udma_from_device_barrier();	/* the phase first, then the rest of the entry */
		return e;
	}
	if (__builtin_expect(ctx->state->gone, 0) && ohca_flush_gone(ctx, cq, &cq->flushed))
		return &cq->flushed;
	return NULL;
}

int ohca_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct ohca_context *ctx = to_ctx(ibcq->context);
	struct ohca_cq *cq = to_cq(ibcq);
	const struct ohca_cqe *e;
	uint32_t start;
	int got = 0;

	cq_lock(cq);
	start = cq->ci;
	atomic_store_explicit(&cq->told, false, memory_order_relaxed);
	while (got < n && (e = cqe_next(ctx, cq)))
		if (cqe_retire(ctx, e, &wc[got].wr_id))
			cqe_to_wc(ctx, e, &wc[got++]);
	if (cq->ci != start)
		cq_consumed(cq);
	cq_unlock(cq);
	return got;
}

static int next_ex(struct ohca_cq *cq)
{
	struct ohca_context *ctx = to_ctx(cq->vcq.cq_ex.context);
	const struct ohca_cqe *e;

	while ((e = cqe_next(ctx, cq))) {
		if (cqe_retire(ctx, e, &cq->vcq.cq_ex.wr_id)) {
			cq->cur = e;
			cq->vcq.cq_ex.status = cqe_status(e);
			return 0;
		}
	}
	return ENOENT;
}

static void end_poll(struct ibv_cq_ex *cqx)
{
	struct ohca_cq *cq = to_cq_ex(cqx);

	if (cq->ci != cq->start)
		cq_consumed(cq);
	cq_unlock(cq);
}

static int start_poll(struct ibv_cq_ex *cqx, struct ibv_poll_cq_attr *attr)
{
	struct ohca_cq *cq = to_cq_ex(cqx);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	cq_lock(cq);
	cq->start = cq->ci;
	atomic_store_explicit(&cq->told, false, memory_order_relaxed);
	ret = next_ex(cq);
	if (ret)
		end_poll(cqx);
	return ret;
}

static int next_poll(struct ibv_cq_ex *cqx)
{
	return next_ex(to_cq_ex(cqx));
}

#define READER(type, name, expr)                                                                                       \
	static type read_##name(struct ibv_cq_ex *cqx)                                                                 \
	{                                                                                                              \
		const struct ohca_cqe *e = to_cq_ex(cqx)->cur;                                                         \
		return expr;                                                                                           \
	}
READER(enum ibv_wc_opcode, opcode, cqe_opcode(e))
READER(uint32_t, vendor_err, OHCA_GET(OHCA_CQE_VENDOR_ERR, e))
READER(uint32_t, byte_len, OHCA_GET(OHCA_CQE_BYTE_LEN, e))
READER(__be32, imm_data, (__be32)e->dw[3])
READER(uint32_t, qp_num, OHCA_GET(OHCA_CQE_QPN, e))
READER(uint32_t, src_qp, OHCA_GET(OHCA_CQE_SRC_QP, e))
READER(unsigned int, wc_flags, cqe_flags(e))
READER(uint32_t, slid, cqe_slid(to_ctx(cqx->context), e))
READER(uint8_t, sl, cqe_sl(to_ctx(cqx->context), e))
READER(uint16_t, cvlan, cqe_tag(e))
READER(uint8_t, dlid_path_bits, (uint8_t)OHCA_GET(OHCA_CQE_PATH_BITS, e))
READER(uint64_t, completion_ts, OHCA_GET(OHCA_CQE_TS_LO, e) | (uint64_t)OHCA_GET(OHCA_CQE_TS_HI, e) << 32)
#undef READER

#define SEEN_MAX 127	/* what the field of layout db_cq holds */

void ohca_cq_event(struct ibv_cq *ibcq)
{
	atomic_store_explicit(&to_cq(ibcq)->told, true, memory_order_relaxed);
}

/*
 * The next entry raises the event (IBA 11.4.2.2), and what the program does not know counts as next: the adapter compares
 * with what it has written. Programs rely on two things that only this joins. UCX polls until the ring is empty, arms and
 * sleeps without another look, so an entry that came between has to raise the event, as on ConnectX. Perftest takes an
 * event, arms, and then polls; it posts its next message on every event, so an entry that this event has told of must not
 * raise another.
 */
int ohca_arm_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct ohca_cq *cq = to_cq(ibcq);
	uint32_t ci, seen = 0;

	cq_lock(cq);
	ci = cq->ci;
	if (atomic_load_explicit(&cq->told, memory_order_relaxed))
		while (seen < SEEN_MAX && seen < 1u << cq->log && cqe_new(cq, ci + seen))
			seen++;
	cq_unlock(cq);
	ohca_doorbell(to_ctx(ibcq->context), OHCA_DB_CQ_ARM, OHCA_PREP(OHCA_DB_CQ_CQN, cq->cqn),
		      OHCA_PREP(OHCA_DB_CQ_CI, ci) | OHCA_PREP(OHCA_DB_CQ_SEEN, seen) | OHCA_PREP(OHCA_DB_CQ_SOLICITED, !!solicited_only));
	return 0;
}

/* The QP is gone from the adapter: what it left must not be found by a later QP of the same number. */
void ohca_cq_clean(struct ohca_cq *cq, uint32_t qpn)
{
	cq_lock(cq);
	for (uint32_t i = cq->ci; i - cq->ci < 1u << cq->log && cqe_new(cq, i); i++) {
		struct ohca_cqe *e = cqe_at(cq, i);

		udma_from_device_barrier();
		if (OHCA_GET(OHCA_CQE_QPN, e) == qpn)
			OHCA_SET(OHCA_CQE_STATUS, e, OHCA_STATUS_DISCARD);
	}
	cq_unlock(cq);
}

/* ------------------------------------------------------------------ creation */

static size_t ring_bytes(uint32_t log)
{
	return ((32ul << log) + OHCA_PAGE - 1) & ~(size_t)(OHCA_PAGE - 1);
}

static struct ibv_cq_ex *create(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct ohca_context *ctx = to_ctx(context);
	struct create_cq_cmd cmd = {};
	struct create_cq_resp resp = {};
	struct ibv_cq_init_attr_ex a = *attr;
	struct ibv_pd *domain;
	struct ohca_cq *cq;
	int ret;

	if ((attr->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)) ||
	    (attr->wc_flags & ~(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | (ctx->eth ? (uint64_t)IBV_WC_EX_WITH_CVLAN : 0))) ||
	    ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && (attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED))) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	/* That of a parent domain, for its memory and its promises */
	domain = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL;
	if (attr->cqe < 1 || attr->cqe > ctx->max_cqe || ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) && (!domain || !to_pd(domain)->of))) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	/* One entry more than asked for, so that a full ring is never legal; the doorbell record in a page of its own, as it stays when the ring goes. */
	cq->log = ohca_log2(attr->cqe + 1);
	cq->domain = domain;
	ret = ohca_mem_get(domain, OHCA_RES_CQ, ring_bytes(cq->log), &cq->mem);
	if (ret) {
		errno = ret;
		goto free;
	}
	ret = ohca_mem_get(domain, OHCA_RES_CQ, OHCA_PAGE, &cq->dbr_mem);
	if (ret) {
		errno = ret;
		goto put;
	}
	cq->ring = cq->mem.p;
	cq->dbr = cq->dbr_mem.p;
	cq->unlocked = (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	cmd.drv.db_page = to_ctx(context)->db_page;
	cmd.drv.log_size = cq->log;
	cmd.drv.buf_va = (uintptr_t)cq->ring;
	cmd.drv.dbr_va = (uintptr_t)cq->dbr;
	a.comp_mask &= ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_PD;
	ret = ibv_cmd_create_cq_ex(context, &a, &cq->vcq, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp), 0);
	if (ret) {
		errno = ret;
		goto unmap;
	}
	cq->cqn = resp.drv.cqn;
	cq->vcq.cq_ex.start_poll = start_poll;
	cq->vcq.cq_ex.next_poll = next_poll;
	cq->vcq.cq_ex.end_poll = end_poll;
	cq->vcq.cq_ex.read_opcode = read_opcode;
	cq->vcq.cq_ex.read_vendor_err = read_vendor_err;
	cq->vcq.cq_ex.read_wc_flags = read_wc_flags;
	cq->vcq.cq_ex.read_byte_len = read_byte_len;
	cq->vcq.cq_ex.read_imm_data = read_imm_data;
	cq->vcq.cq_ex.read_qp_num = read_qp_num;
	cq->vcq.cq_ex.read_src_qp = read_src_qp;
	cq->vcq.cq_ex.read_slid = read_slid;
	cq->vcq.cq_ex.read_sl = read_sl;
	cq->vcq.cq_ex.read_dlid_path_bits = read_dlid_path_bits;
	if (attr->wc_flags & IBV_WC_EX_WITH_CVLAN)
		cq->vcq.cq_ex.read_cvlan = read_cvlan;
	if (attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->vcq.cq_ex.read_completion_ts = read_completion_ts;
	return &cq->vcq.cq_ex;
unmap:
	pthread_spin_destroy(&cq->lock);
	ohca_mem_put(&cq->dbr_mem, OHCA_RES_CQ);
put:
	ohca_mem_put(&cq->mem, OHCA_RES_CQ);
free:
	free(cq);
	return NULL;
}

struct ibv_cq *ohca_create_cq(struct ibv_context *context, int cqe, struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.channel = channel,
		.comp_vector = (uint32_t)vector,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_cq_ex *cq;

	if (cqe < 1) {
		errno = EINVAL;
		return NULL;
	}
	attr.cqe = (uint32_t)cqe;
	cq = create(context, &attr);
	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

struct ibv_cq_ex *ohca_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	return create(context, attr);
}

/* The ring is another one, from index base on; what is unread is in the old one and goes along, with the phase that it has there. */
static void ring_take(struct ohca_cq *cq, struct ohca_mem *mem, uint32_t log, uint32_t pi)
{
	struct ohca_cq old = { .ring = cq->ring, .log = cq->log, .base = cq->base };

	cq->ring = mem->p;
	cq->log = log;
	cq->base = cq->ci + ((pi - cq->ci) & 0xffffff);
	for (uint32_t i = cq->ci; i != cq->base && cqe_new(&old, i); i++) {
		struct ohca_cqe *e = cqe_at(cq, i);

		udma_from_device_barrier();
		*e = *cqe_at(&old, i);
		OHCA_SET(OHCA_CQE_PHASE, e, 0);
	}
}

/*
 * The adapter goes over to the new ring at an index that it tells, while completions come; this keeps who polls and arms out until all that is unread is
 * in one ring again. So nobody looks for an entry where it is not, and none of those who are told of an entry finds nothing and waits.
 */
int ohca_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct ohca_context *ctx = to_ctx(ibcq->context);
	struct ohca_cq *cq = to_cq(ibcq);
	struct resize_cq_cmd cmd = {};
	struct resize_cq_resp resp = {};
	struct ohca_mem mem, old;
	uint32_t log;
	int ret;

	if (cqe < 1 || (uint32_t)cqe > ctx->max_cqe)
		return EINVAL;
	log = ohca_log2((uint32_t)cqe + 1);
	ret = ohca_mem_get(cq->domain, OHCA_RES_CQ, ring_bytes(log), &mem);
	if (ret)
		return ret;
	old = mem;
	cmd.drv.log_size = log;
	cmd.drv.buf_va = (uintptr_t)mem.p;
	cq_lock(cq);
	if (log != cq->log) {
		cmd.drv.ci = cq->ci & 0xffffff;
		ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp));
		if (!ret) {
			old = cq->mem;
			ring_take(cq, &mem, log, resp.drv.pi);
			cq->mem = mem;
		}
	}
	cq_unlock(cq);
	ohca_mem_put(&old, OHCA_RES_CQ);
	return ret;
}

int ohca_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

int ohca_destroy_cq(struct ibv_cq *ibcq)
{
	struct ohca_cq *cq = to_cq(ibcq);
	int ret = ibv_cmd_destroy_cq(ibcq);

	if (ret)
		return ret;
	pthread_spin_destroy(&cq->lock);
	ohca_mem_put(&cq->dbr_mem, OHCA_RES_CQ);
	ohca_mem_put(&cq->mem, OHCA_RES_CQ);
	free(cq);
	return 0;
}
