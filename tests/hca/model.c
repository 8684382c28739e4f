// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* See model.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ------------------------------------------------------------------ queues */

static void *push(struct model_queue *q, size_t size)
{
	void *p;

	if (q->tail == q->room) {
		size_t n = q->tail - q->head;

		if (q->head) {
			memmove(q->item, (char *)q->item + q->head * size, n * size);
			q->head = 0;
			q->tail = n;
		}
		if (2 * n >= q->room) {
			q->room = q->room ? 2 * q->room : 16;
			q->item = realloc(q->item, q->room * size);
			if (!q->item)
				ohv_fail("no memory");
		}
	}
	q->size = size;
	p = (char *)q->item + q->tail++ * size;
	memset(p, 0, size);
	return p;
}

static void *head(const struct model_queue *q)
{
	return q->head == q->tail ? NULL : (char *)q->item + q->head * q->size;
}

/* ------------------------------------------------------------------ memory */

struct model_mr *model_reg(struct model_node *n, struct ohv_mr *mr, unsigned access)
{
	struct model_mr *m = &n->mr[n->mrs];

	if (n->mrs++ == MODEL_MRS)
		ohv_fail("model: too many memory regions");
	m->mr = mr;
	m->access = access;
	m->want = calloc(1, mr->len);
	m->any = calloc(1, mr->len);
	return m;
}

void model_put(struct model_mr *m, uint64_t off, const void *p, size_t n)
{
	memcpy(m->want + off, p, n);
	memset(m->any + off, 0, n);
	ohv_write(m->mr, off, p, n);
}

void model_take(struct model_mr *m, uint64_t off, size_t n)
{
	ohv_read(m->mr, off, m->want + off, n);
	memset(m->any + off, 0, n);
}

static struct model_mr *find(struct model_node *n, uint32_t key)
{
	for (unsigned i = 0; i < n->mrs; i++)
		if (n->mr[i].mr->key == key)
			return &n->mr[i];
	return NULL;
}

/* The bytes, or NULL if key, bounds or access forbid them. */
static struct model_mr *reach(struct model_node *n, uint32_t key, uint64_t addr, uint64_t len, unsigned access, uint64_t *off)
{
	struct model_mr *m = find(n, key);

	if (!m || (m->access & access) != access || addr < m->mr->va)
		return NULL;
	*off = addr - m->mr->va;
	return *off <= m->mr->len && len <= m->mr->len - *off ? m : NULL;
}

static bool reach_all(struct model_node *n, const struct ohv_sge *s, unsigned nsge, unsigned access, uint64_t *total)
{
	uint64_t off;

	*total = 0;
	for (unsigned i = 0; i < nsge; i++) {
		if (s[i].len && !reach(n, s[i].key, s[i].addr, s[i].len, access, &off))
			return false;
		*total += s[i].len;
	}
	return true;
}

static void scatter(struct model_node *n, const struct ohv_sge *s, unsigned nsge, const uint8_t *p, uint64_t len, bool unsure)
{
	uint64_t off;

	for (unsigned i = 0; i < nsge && len; i++) {
		uint64_t k = s[i].len < len ? s[i].len : len;
		struct model_mr *m = k ? reach(n, s[i].key, s[i].addr, k, 0, &off) : NULL;

		if (m && unsure) {
			memset(m->any + off, 1, k);
		} else if (m) {
			memcpy(m->want + off, p, k);
			p += k;
		}
		len -= k;
	}
}

/* ------------------------------------------------------------------ queue pairs */

static struct model_cqe *complete(struct model_qp *q, bool recv, const struct model_work *w, unsigned status, unsigned opcode)
{
	struct model_cqe *c = push(recv ? &q->rcqe : &q->scqe, sizeof(*c));

	c->idx = w->idx;
	c->recv = recv;
	c->status = (uint8_t)status;
	c->opcode = (uint8_t)opcode;
	return c;
}

/* What is behind a READ that fails when its data comes back may have been executed. */
static void unsure(struct model_qp *q, const struct model_work *w)
{
	uint64_t off, len = w->wr.inl ? w->wr.len : 0;
	struct model_mr *m;

	for (unsigned k = 0; k < w->wr.nsge && !w->wr.inl; k++)
		len += w->sge[k].len;
	if (w->wr.op == OHCA_WR_OP_RDMA_WRITE && (m = reach(q->peer->node, w->wr.rkey, w->wr.raddr, len, MODEL_RW, &off)))
		memset(m->any + off, 1, len);
}

/* Everything posted is flushed. */
static void error(struct model_qp *q)
{
	struct model_work *w;

	q->err = true;
	while ((w = head(&q->send))) {
		if (q->overtaken)
			unsure(q, w);
		complete(q, false, w, OHCA_WC_STATUS_WR_FLUSH, 0);
		q->send.head++;
	}
	while ((w = head(&q->recv))) {
		complete(q, true, w, OHCA_WC_STATUS_WR_FLUSH, 0);
		q->recv.head++;
	}
}

static void fail_send(struct model_qp *q, unsigned status)
{
	bool read = ((struct model_work *)head(&q->send))->wr.op == OHCA_WR_OP_RDMA_READ;

	complete(q, false, head(&q->send), status, 0);
	q->send.head++;
	q->overtaken = status == OHCA_WC_STATUS_LOC_PROT && read;
	error(q);
}

/* Execute the head of the send queue: true if it is gone. */
static bool execute(struct model_qp *q)
{
	static uint8_t *buf;
	static uint64_t buf_len;
	struct model_work *w = head(&q->send), *r = NULL;
	struct model_qp *p = q->peer;
	struct model_cqe *c;
	struct model_mr *m = NULL;
	uint64_t len = 0, room = 0, off = 0;
	bool read, send, write, imm, recv;

	if (!w || q->dead)
		return false;
	read = w->wr.op == OHCA_WR_OP_RDMA_READ;
	write = w->wr.op == OHCA_WR_OP_RDMA_WRITE || w->wr.op == OHCA_WR_OP_RDMA_WRITE_IMM;
	send = w->wr.op == OHCA_WR_OP_SEND || w->wr.op == OHCA_WR_OP_SEND_IMM;
	imm = w->wr.op == OHCA_WR_OP_RDMA_WRITE_IMM || w->wr.op == OHCA_WR_OP_SEND_IMM;
	recv = send || w->wr.op == OHCA_WR_OP_RDMA_WRITE_IMM;
	if (!read && !send && !write)
		ohv_fail("model: operation %u", w->wr.op);

	/* The requester's own memory; what a READ fetches is written only when it comes back. */
	if (w->wr.inl)
		len = w->wr.len;
	else if (!read && !reach_all(q->node, w->sge, w->wr.nsge, 0, &len)) {
		/* its first packets may have left */
		if (send && !p->err && (r = head(&p->recv)))
			scatter(p->node, r->sge, r->wr.nsge, NULL, UINT64_MAX, true);
		q->begun = send && !r;
		fail_send(q, OHCA_WC_STATUS_LOC_PROT);
		return true;
	}
	for (unsigned i = 0; read && i < w->wr.nsge; i++)
		len += w->sge[i].len;
	if (len > buf_len) {
		buf = realloc(buf, len);
		buf_len = len;
	}

	/* The responder. One in ERR does not answer: the requester tries until it gives up. */
	if (p->err)
		return false;
	if ((write && !(p->access & MODEL_QP_WRITE)) || (read && !(p->access & MODEL_QP_READ))) {
		fail_send(q, OHCA_WC_STATUS_REM_INV_REQ);
		error(p);
		return true;
	}
	if ((read || write) && len && !(m = reach(p->node, w->wr.rkey, w->wr.raddr, len, read ? MODEL_RR : MODEL_RW, &off))) {
		fail_send(q, OHCA_WC_STATUS_REM_ACCESS);
		error(p);
		return true;
	}
	if (recv) {
		r = head(&p->recv);
		if (!r)
			return false;
		if (send && len && !reach_all(p->node, r->sge, r->wr.nsge, MODEL_LW, &room)) {
			complete(p, true, r, OHCA_WC_STATUS_LOC_PROT, 0);
			scatter(p->node, r->sge, r->wr.nsge, NULL, UINT64_MAX, true);
			p->recv.head++;
			fail_send(q, OHCA_WC_STATUS_REM_OP);
			error(p);
			return true;
		}
		if (send && len > room) {
			complete(p, true, r, OHCA_WC_STATUS_LOC_LEN, 0);
			scatter(p->node, r->sge, r->wr.nsge, NULL, UINT64_MAX, true);
			p->recv.head++;
			fail_send(q, OHCA_WC_STATUS_REM_INV_REQ);
			error(p);
			return true;
		}
	}

	/* It moves. */
	if (read) {
		uint64_t total;

		if (len)
			memcpy(buf, m->want + off, len);
		if (!reach_all(q->node, w->sge, w->wr.nsge, MODEL_LW, &total)) {
			scatter(q->node, w->sge, w->wr.nsge, NULL, UINT64_MAX, true);
			fail_send(q, OHCA_WC_STATUS_LOC_PROT);
			return true;
		}
		scatter(q->node, w->sge, w->wr.nsge, buf, len, false);
	} else {
		if (w->wr.inl) {
			if (len)
				memcpy(buf, w->data, len);
		} else {
			uint8_t *b = buf;

			for (unsigned i = 0; i < w->wr.nsge; i++) {
				uint64_t o;
				struct model_mr *s = w->sge[i].len ? reach(q->node, w->sge[i].key, w->sge[i].addr, w->sge[i].len, 0, &o) : NULL;

				if (s)
					memcpy(b, s->want + o, w->sge[i].len);
				b += w->sge[i].len;
			}
		}
		if (write && len)
			memcpy(m->want + off, buf, len);
		else if (send)
			scatter(p->node, r->sge, r->wr.nsge, buf, len, false);
	}
	q->messages++;
	q->bytes += len;
	if (recv) {
		c = complete(p, true, r, 0, send ? (imm ? OHCA_WC_OP_RECV_IMM : OHCA_WC_OP_RECV) : OHCA_WC_OP_RECV_RDMA_IMM);
		c->has_len = true;
		c->byte_len = (uint32_t)len;
		c->has_imm = imm;
		c->imm = w->wr.imm;
		c->solicited = w->wr.solicited;
		if (send) {
			memcpy(c->sge, r->sge, sizeof(c->sge));
			c->nsge = r->wr.nsge;
			c->data_len = (uint32_t)len;
		}
		p->recv.head++;
	}
	if (w->wr.signaled) {
		c = complete(q, false, w, 0, w->wr.op);
		if (read) {
			c->has_len = true;
			c->byte_len = (uint32_t)len;
			memcpy(c->sge, w->sge, sizeof(c->sge));
			c->nsge = w->wr.nsge;
			c->data_len = (uint32_t)len;
		}
	}
	q->send.head++;
	return true;
}

static void run(struct model_qp *q)
{
	while (!q->err && execute(q))
		;
}

void model_qp_init(struct model_qp *q, struct model_node *node, struct model_qp *peer, unsigned access)
{
	memset(q, 0, sizeof(*q));
	q->node = node;
	q->peer = peer;
	q->access = access;
}

void model_qp_fini(struct model_qp *q)
{
	free(q->send.item);
	free(q->recv.item);
	free(q->scqe.item);
	free(q->rcqe.item);
	memset(q, 0, sizeof(*q));
}

void model_post_send(struct model_qp *q, const struct ohv_wr *wr, uint32_t idx)
{
	struct model_work *w = push(&q->send, sizeof(*w));

	w->wr = *wr;
	w->idx = idx & 0xffff;
	if (wr->inl && wr->len)
		memcpy(w->data, wr->data, wr->len);
	else if (!wr->inl && wr->nsge)
		memcpy(w->sge, wr->sge, wr->nsge * sizeof(*wr->sge));
	if (q->err)
		error(q);
	else
		run(q);
}

void model_post_recv(struct model_qp *q, const struct ohv_sge *sge, unsigned nsge, uint32_t idx)
{
	struct model_work *w = push(&q->recv, sizeof(*w));

	w->wr.nsge = nsge;
	w->idx = idx & 0xffff;
	if (nsge)
		memcpy(w->sge, sge, nsge * sizeof(*sge));
	if (q->peer->begun && !q->err) {
		scatter(q->node, sge, nsge, NULL, UINT64_MAX, true);
		q->peer->begun = false;
	}
	if (q->err)
		error(q);
	else
		run(q->peer);
}

void model_give_up(struct model_qp *q, unsigned status)
{
	if (head(&q->send) && !q->err)
		fail_send(q, status);
}

/* ------------------------------------------------------------------ comparing */

const struct model_cqe *model_next(const struct model_qp *q, bool recv)
{
	return head(recv ? &q->rcqe : &q->scqe);
}

void model_done(struct model_qp *q, bool recv)
{
	(recv ? &q->rcqe : &q->scqe)->head++;
}

static bool same(const struct model_mr *m, uint64_t off, uint64_t len, char *why, size_t why_len)
{
	uint8_t got[4096];

	for (uint64_t at = 0; at < len; at += sizeof(got)) {
		uint64_t n = len - at < sizeof(got) ? len - at : sizeof(got);

		ohv_read(m->mr, off + at, got, n);
		for (uint64_t i = 0; i < n; i++)
			if (got[i] != m->want[off + at + i] && !m->any[off + at + i]) {
				uint64_t k = i, bad = 0;

				for (; k < n; k++)
					bad += got[k] != m->want[off + at + k];
				snprintf(why, why_len, "byte at %#llx (offset %#llx of the region, %llu of %llu) is %02x, expected %02x; "
					 "%llu wrong bytes in the next %llu", (unsigned long long)(m->mr->va + off + at + i),
					 (unsigned long long)(off + at + i), (unsigned long long)(at + i), (unsigned long long)len, got[i],
					 m->want[off + at + i], (unsigned long long)bad, (unsigned long long)(n - i));
				return false;
			}
	}
	return true;
}

bool model_check(const struct model_qp *q, const struct model_cqe *want, const struct ohca_cqe *got, char *why, size_t why_len)
{
	uint64_t left = want->data_len;

#define CHECK(what, g, w)                                                                                         \
	do {                                                                                                      \
		unsigned long long g_ = (g), w_ = (w);                                                            \
		if (g_ != w_) {                                                                                   \
			snprintf(why, why_len, "%s is %#llx, expected %#llx (WQE %u, status %u, vendor %u)", what, g_, w_, \
				 (unsigned)OHCA_GET(OHCA_CQE_WQE_IDX, got), (unsigned)OHCA_GET(OHCA_CQE_STATUS, got), \
				 (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, got));                                   \
			return false;                                                                             \
		}                                                                                                 \
	} while (0)
	CHECK("WQE index", OHCA_GET(OHCA_CQE_WQE_IDX, got), want->idx);
	CHECK("status", OHCA_GET(OHCA_CQE_STATUS, got), want->status);
	if (want->status)
		return true;
	CHECK("opcode", OHCA_GET(OHCA_CQE_OPCODE, got), want->opcode);
	if (want->has_len)
		CHECK("length", OHCA_GET(OHCA_CQE_BYTE_LEN, got), want->byte_len);
	if (want->has_imm)
		CHECK("immediate", OHCA_GET(OHCA_CQE_IMM, got), want->imm);
	if (want->recv)
		CHECK("solicited", OHCA_GET(OHCA_CQE_SOLICITED, got), want->solicited);
#undef CHECK
	for (unsigned i = 0; i < want->nsge && left; i++) {
		uint64_t off, n = want->sge[i].len < left ? want->sge[i].len : left;
		struct model_mr *m = n ? reach(q->node, want->sge[i].key, want->sge[i].addr, n, 0, &off) : NULL;

		if (m && !same(m, off, n, why, why_len))
			return false;
		left -= n;
	}
	return true;
}

bool model_compare(const struct model_node *n, char *why, size_t why_len)
{
	for (unsigned i = 0; i < n->mrs; i++)
		if (!same(&n->mr[i], 0, n->mr[i].mr->len, why, why_len))
			return false;
	return true;
}
