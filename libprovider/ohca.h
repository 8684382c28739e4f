/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * OpenHCA verbs provider: ohca.c opens the device, verbs.c has the verbs off the data path, cq.c and qp.c the data path.
 *
 * Locks, outermost first: ctx->qp_mutex, a CQ's lock, a work queue's lock, ctx->push_lock.
 */
#ifndef OHCA_PROVIDER_H
#define OHCA_PROVIDER_H

#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/driver.h>
#include <util/mmio.h>
#include <util/udma_barrier.h>

#include "ohca-abi.h"
#include "ohca_fmt.h"
#include "push.h"

#if __SIZEOF_LONG__ != 8
#error "doorbells need 64-bit stores"
#endif

#define OHCA_PAGE 4096u
#define OHCA_RC_HDR 32u			/* bytes of a send WQE before its list or inline data */
#define OHCA_UD_HDR 64u
#define OHCA_STATUS_DISCARD 0xfeu	/* written by us: the completion belongs to a QP that is gone */
#define OHCA_TBL_BITS 12		/* QP numbers are looked up in two levels of 12 bits */
#define OHCA_MAX_LEN 0x80000000ull	/* of a message */

struct ohca_context {
	struct verbs_context vctx;
	uint8_t *db;			/* doorbell page */
	uint32_t db_page;		/* its handle */
	uint32_t db_bytes, state_bytes, push_bytes;
	const volatile struct ohca_state *state;
	uint8_t *push;			/* push page; NULL: there is none, or it is not wanted */
	bool eth;			/* the port is an Ethernet port */
	bool ud_csum;			/* Internet checksums of datagrams */
	unsigned int push_buffers, push_buf;
	pthread_spinlock_t push_lock;
	uint32_t max_inline, max_send_sge, max_recv_sge, max_qp_wr, max_cqe;
	_Atomic(uint32_t) rate_mult;	/* of the link in 2.5 Gb/s, 0 = not asked yet */
	pthread_mutex_t qp_mutex;
	_Atomic(struct ohca_qp *) *qp_table[1u << OHCA_TBL_BITS];
};

struct ohca_td {
	struct ibv_td ib;
	_Atomic(unsigned int) users;	/* parent domains */
};

/*
 * A protection domain, or a parent domain, which stands for one wherever a domain is wanted. A thread domain changes nothing yet: queues keep
 * their locks, which cost little where nobody else wants them.
 */
struct ohca_pd {
	struct ibv_pd ib;
	struct ohca_pd *of;		/* the protection domain behind a parent domain */
	struct ohca_td *td;
	_Atomic(unsigned int) users;	/* parent domains of this one, or queues of a parent domain */
	/* where a parent domain's queues have their memory from */
	void *(*alloc)(struct ibv_pd *pd, void *pd_context, size_t size, size_t alignment, uint64_t resource_type);
	void (*free)(struct ibv_pd *pd, void *pd_context, void *ptr, uint64_t resource_type);
	void *context;
};

/* Kinds of memory that a parent domain's allocator is asked for */
enum ohca_resource { OHCA_RES_QP = 1, OHCA_RES_CQ };

/* Memory of a queue: rings from a page's start on, zeroed */
struct ohca_mem {
	void *p;
	size_t bytes;
	struct ohca_pd *from;		/* whose allocator gave it; NULL: this library's own */
	struct ohca_pd *holds;		/* parent domain that stays as long as this does */
};

struct ohca_ah {
	struct ibv_ah ib;
	struct ohca_av av;
	const struct ohca_pd *pd;
	bool kernel;			/* made by the kernel, as on Ethernet */
};

struct ohca_cq {
	struct verbs_cq vcq;
	pthread_spinlock_t lock;
	bool unlocked;			/* the user promised one thread at a time */
	uint32_t cqn, log, ci;
	_Atomic(bool) told;		/* an event was taken and nothing polled since */
	uint32_t base;			/* index with which this ring began: its first pass starts there */
	struct ohca_cqe *ring;
	struct ohca_cq_dbr *dbr;
	struct ibv_pd *domain;		/* whose memory it has; NULL: the library's own */
	struct ohca_mem mem, dbr_mem;
	const struct ohca_cqe *cur;	/* extended polling */
	uint32_t start;
	struct ohca_cqe flushed;	/* an entry that the adapter, which is gone, did not write */
};

struct ohca_wq {
	pthread_spinlock_t lock;
	uint8_t *buf;
	uint32_t log, log_stride;
	uint32_t head;			/* runs freely; under the lock */
	_Atomic(uint32_t) tail;		/* moved by who polls the CQ */
	uint32_t max_sge;
	uint64_t *wrid;
};

struct ohca_qp {
	struct verbs_qp vqp;
	struct ohca_wq sq, rq;
	struct ohca_rq_dbr *dbr;
	struct ohca_mem mem;
	uint32_t qpn, hdr, max_inline;
	const volatile uint32_t *errors;	/* counts those of this QP, and of others */
	uint32_t errors_seen;		/* when this one was looked at; under rq.lock */
	bool rc, sig_all, csum;		/* csum: IBV_SEND_IP_CSUM is taken */
	const struct ohca_pd *pd;	/* datagrams: of the address handles it takes */
	_Atomic(bool) in_err;
	/* a batch of ibv_wr_* calls; under sq.lock */
	uint32_t batch;			/* head before it */
	int batch_err;
	__le32 *wqe;
};

static inline struct ohca_context *to_ctx(struct ibv_context *c)
{
	return container_of(c, struct ohca_context, vctx.context);
}

static inline struct ohca_pd *to_pd(struct ibv_pd *p)
{
	return container_of(p, struct ohca_pd, ib);
}

/* The protection domain itself */
static inline struct ohca_pd *real_pd(struct ibv_pd *p)
{
	return to_pd(p)->of ? to_pd(p)->of : to_pd(p);
}

static inline struct ohca_ah *to_ah(struct ibv_ah *a)
{
	return container_of(a, struct ohca_ah, ib);
}

static inline struct ohca_cq *to_cq(struct ibv_cq *c)
{
	return container_of(c, struct ohca_cq, vcq.cq);
}

static inline struct ohca_cq *to_cq_ex(struct ibv_cq_ex *c)
{
	return container_of(c, struct ohca_cq, vcq.cq_ex);
}

static inline struct ohca_qp *to_qp(struct ibv_qp *q)
{
	return container_of(q, struct ohca_qp, vqp.qp);
}

static inline struct ohca_qp *to_qp_ex(struct ibv_qp_ex *q)
{
	return container_of(q, struct ohca_qp, vqp.qp_ex);
}

/* log2, rounded up; 0 for 0 and 1 */
static inline uint32_t ohca_log2(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

/* A doorbell after everything that was written to memory before. */
static inline void ohca_doorbell(struct ohca_context *ctx, unsigned int off, uint32_t lo, uint32_t hi)
{
	udma_to_device_barrier();
	mmio_write64(ctx->db + off, lo | (uint64_t)hi << 32);
	/* Before the caller's lock goes to somebody whose doorbell must come later. */
	mmio_flush_writes();
}

/* Page-aligned zeroed memory that a fork does not take from under the adapter, or what the parent domain's allocator gives; 0 or an error */
int ohca_mem_get(struct ibv_pd *pd, enum ohca_resource kind, size_t bytes, struct ohca_mem *m);
void ohca_mem_put(struct ohca_mem *m, enum ohca_resource kind);
int ohca_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values);

/* verbs.c */
int ohca_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t attr_size);
int ohca_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
struct ibv_pd *ohca_alloc_pd(struct ibv_context *context);
int ohca_dealloc_pd(struct ibv_pd *ibpd);
struct ibv_mr *ohca_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access);
int ohca_dereg_mr(struct verbs_mr *vmr);
int ohca_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *ohca_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
struct ibv_mr *ohca_import_mr(struct ibv_pd *pd, uint32_t handle);
void ohca_unimport_mr(struct ibv_mr *mr);
struct ibv_pd *ohca_import_pd(struct ibv_context *context, uint32_t handle);
void ohca_unimport_pd(struct ibv_pd *pd);
struct ibv_td *ohca_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int ohca_dealloc_td(struct ibv_td *td);
struct ibv_pd *ohca_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);
struct ibv_ah *ohca_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int ohca_destroy_ah(struct ibv_ah *ibah);

/* cq.c */
struct ibv_cq *ohca_create_cq(struct ibv_context *context, int cqe, struct ibv_comp_channel *channel, int vector);
struct ibv_cq_ex *ohca_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int ohca_resize_cq(struct ibv_cq *ibcq, int cqe);
int ohca_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr);
int ohca_destroy_cq(struct ibv_cq *ibcq);
int ohca_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc);
int ohca_arm_cq(struct ibv_cq *ibcq, int solicited_only);
void ohca_cq_event(struct ibv_cq *ibcq);
void ohca_cq_clean(struct ohca_cq *cq, uint32_t qpn);

/* qp.c */
struct ibv_qp *ohca_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *ohca_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int ohca_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask);
int ohca_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init);
int ohca_destroy_qp(struct ibv_qp *ibqp);
int ohca_query_ece(struct ibv_qp *qp, struct ibv_ece *ece);
int ohca_set_ece(struct ibv_qp *qp, struct ibv_ece *ece);
int ohca_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags);
int ohca_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int ohca_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
void ohca_qp_set_err(struct ohca_qp *qp);
bool ohca_flush_gone(struct ohca_context *ctx, struct ohca_cq *cq, struct ohca_cqe *e);
struct ohca_qp *ohca_find_qp(struct ohca_context *ctx, uint32_t qpn);
void ohca_qp_table_free(struct ohca_context *ctx);

#endif
