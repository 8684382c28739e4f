// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The provider's data path against fake rings: this program plays libibverbs, the kernel and the adapter. The doorbell page is a
 * file in memory, which the provider maps as it would map the device. Work-queue entries are printed for check.py, which unpacks
 * them with the Python side of the formats and compares with what was asked for.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "../../libprovider/ohca.h"
#include "../sim/check.h"

#define CASE(fn) run_case("provider-" #fn, fn)

/* ------------------------------------------------------------------ libibverbs and the kernel, as far as they are needed */

static const struct verbs_device_ops *drv;
static const struct verbs_context_ops *vops;
static uint32_t host_abi = OHCA_HOST_ABI, next_cqn = 1, next_qpn = 0x12345;
static int db_fd;
static bool no_push;			/* the context has no push page, as where pages of doorbells are shared */
static uint64_t push_at = 8192;
static unsigned int push_buffers = 2;
static uint32_t host_page = 4096;		/* what the kernel maps of the adapter for a process */
static uint8_t *db;
static int fail_create;
static struct ohca_ureq_create_qp last_qp;
static struct ibv_qp_init_attr_ex last_init;
static int queried_ports, queried_qps, live_ahs;
static enum ibv_qp_state fake_state = IBV_QPS_ERR;
static uint32_t more_caps, newer_kernel, num_errors = OHCA_STATE_ERRORS;

void verbs_register_driver_34(const struct verbs_device_ops *ops);
void verbs_register_driver_34(const struct verbs_device_ops *ops)
{
	drv = ops;
}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd, size_t size, struct verbs_context *off, uint32_t id)
{
	uint8_t *p = calloc(1, size);
	struct verbs_context *v = (void *)(p + (uintptr_t)off);

	CHECK_EQ(id, RDMA_DRIVER_UNKNOWN);
	v->context.device = device;
	v->context.cmd_fd = cmd_fd;
	return p;
}

void verbs_uninit_context(struct verbs_context *v)
{
}

void verbs_set_ops(struct verbs_context *v, const struct verbs_context_ops *ops)
{
	vops = ops;
}

int ibv_cmd_get_context(struct verbs_context *v, struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp, size_t resp_size)
{
	struct ohca_uresp_alloc_ucontext *r = (void *)(resp + 1);
	struct ohca_ureq_alloc_ucontext *q = (void *)(cmd + 1);

	CHECK_EQ(cmd_size, sizeof(*cmd) + sizeof(*q));
	CHECK_EQ(q->comp_mask, 0);
	CHECK_EQ(q->caps, OHCA_UCTX_CAP_PUSH | OHCA_UCTX_CAP_ETH | OHCA_UCTX_CAP_UD_CSUM);
	CHECK_EQ(resp_size, sizeof(*resp) + sizeof(*r));
	*r = (struct ohca_uresp_alloc_ucontext){
		.comp_mask = newer_kernel, .host_abi = host_abi, .caps = (no_push ? 0 : OHCA_UCTX_CAP_PUSH) | more_caps, .max_inline = 192, .max_send_sge = 12,
		.max_recv_sge = 16, .max_qp_wr = 32768, .max_cqe = (1 << 22) - 1, .cycles_per_us = 250,
		.state_mmap_offset = host_page, .db_page = 77, .db_bytes = host_page, .state_bytes = host_page,
	};
	if (!no_push) {
		r->push_mmap_offset = push_at;
		r->push_bytes = host_page;
		r->push_buffers = push_buffers;
	}
	*(struct ohca_state *)(db + host_page) = (struct ohca_state){ .bytes = sizeof(struct ohca_state), .num_errors = num_errors };
	return 0;
}

int ibv_cmd_create_cq_ex(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *cq,
			 struct ibv_create_cq_ex *cmd, size_t cmd_size, struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t flags)
{
	struct ohca_ureq_create_cq *q = (void *)(cmd + 1);
	struct ohca_uresp_create_cq *r = (void *)(resp + 1);

	CHECK_EQ(cmd_size, sizeof(*cmd) + sizeof(*q));
	CHECK(q->buf_va % 4096 == 0 && q->dbr_va % 8 == 0 && 1u << q->log_size > attr->cqe);
	CHECK(q->db_page == 77 && !q->flags && !q->log_cqe_bytes && !q->comp_mask);
	if (fail_create)
		return fail_create;
	cq->cq.context = context;
	cq->cq.cqe = (1 << q->log_size) - 1;
	r->cqn = next_cqn++;
	return 0;
}

/* The adapter's side of a CQ that gets other rings: CQEs come before it goes over, and after, while the provider waits for the answer. */
static struct {
	struct ohca_cqe *ring;
	uint32_t log, base, pi, posted, qpn, early, late;
	unsigned int resizes;
	int fail;
} hw;

static void hw_put(uint32_t n)
{
	for (; n; n--, hw.pi++) {
		struct ohca_cqe *e = &hw.ring[hw.pi & ((1u << hw.log) - 1)];

		memset(e, 0, 28);
		OHCA_SET(OHCA_CQE_QPN, e, hw.qpn);
		OHCA_SET(OHCA_CQE_OPCODE, e, OHCA_WR_OP_SEND);
		OHCA_SET(OHCA_CQE_WQE_IDX, e, hw.posted++ & 0xffff);
		OHCA_SET(OHCA_CQE_PHASE, e, !((hw.pi - hw.base) >> hw.log & 1));
	}
}

static struct ibv_modify_cq_attr moderated;

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr, struct ibv_modify_cq *cmd, size_t cmd_size)
{
	CHECK(cq);
	CHECK_EQ(cmd_size, sizeof(*cmd));
	moderated = *attr;
	return attr->moderate.cq_count == 77 ? EINVAL : 0;
}

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd, size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size)
{
	struct ohca_ureq_resize_cq *q = (void *)(cmd + 1);
	struct ohca_uresp_resize_cq *r = (void *)(resp + 1);

	CHECK_EQ(cmd_size, sizeof(*cmd) + sizeof(*q));
	CHECK_EQ(resp_size, sizeof(*resp) + sizeof(*r));
	CHECK(q->buf_va % 4096 == 0 && 1u << q->log_size > (uint32_t)cqe && !q->comp_mask && !q->reserved);
	CHECK_EQ(q->ci, to_cq(cq)->ci & 0xffffff);
	hw.resizes++;
	hw_put(hw.early);
	if (hw.fail)
		return hw.fail;
	hw.ring = (void *)(uintptr_t)q->buf_va;
	hw.log = q->log_size;
	hw.base = hw.pi;
	for (uint32_t i = 0; i < 1u << hw.log; i++)
		CHECK(!hw.ring[i].dw[0] && !hw.ring[i].dw[7]);
	r->pi = hw.pi & 0xffffff;
	hw_put(hw.late);
	cq->cqe = (1 << hw.log) - 1;
	return 0;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return 0;
}

int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp, struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size, struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	struct ohca_uresp_create_qp *r = (void *)(resp + 1);

	CHECK_EQ(cmd_size, sizeof(*cmd) + sizeof(last_qp));
	memcpy(&last_qp, cmd + 1, sizeof(last_qp));
	last_init = *attr;
	CHECK(last_qp.db_page == 77 && !last_qp.flags && !last_qp.comp_mask);
	CHECK(last_qp.sq_buf_va % 4096 == 0 && last_qp.rq_buf_va % 4096 == 0 && last_qp.rq_dbr_va % 8 == 0);
	if (fail_create)
		return fail_create;
	qp->qp.context = context;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_RTS;
	r->qpn = next_qpn;
	next_qpn += 0x1001;
	return 0;
}

int ibv_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	(void)qp, (void)gid, (void)lid;
	return EOPNOTSUPP;	/* the kernel's business alone */
}

int ibv_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return ibv_cmd_attach_mcast(qp, gid, lid);
}

/* What another thread does while this one waits for events to be acknowledged */
static void (*while_destroying)(void);

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	void (*fn)(void) = while_destroying;

	while_destroying = NULL;
	if (fn)
		fn();
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	if (mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	return 0;
}

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	queried_qps++;
	attr->qp_state = fake_state;
	return 0;
}

static uint8_t active_width = 2, active_speed = 32;	/* 4x EDR */

int ibv_cmd_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, struct ibv_query_port *cmd,
		       size_t cmd_size)
{
	queried_ports++;
	attr->active_width = active_width;
	attr->active_speed = active_speed;
	return 0;
}

int (ibv_rate_to_mult)(enum ibv_rate rate)
{
	static const struct {
		enum ibv_rate rate;
		int mult;
	} t[] = { { IBV_RATE_2_5_GBPS, 1 }, { IBV_RATE_5_GBPS, 2 }, { IBV_RATE_10_GBPS, 4 }, { IBV_RATE_14_GBPS, 6 }, { IBV_RATE_25_GBPS, 10 },
		  { IBV_RATE_40_GBPS, 16 }, { IBV_RATE_56_GBPS, 22 }, { IBV_RATE_100_GBPS, 40 }, { IBV_RATE_168_GBPS, 67 }, { IBV_RATE_400_GBPS, 160 } };

	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (rate == t[i].rate)
			return t[i].mult;
	return -1;
}

int ibv_dontfork_range(void *base, size_t size)
{
	return 0;
}

int ibv_dofork_range(void *base, size_t size)
{
	return 0;
}

int ibv_cmd_query_device_any(struct ibv_context *c, const struct ibv_query_device_ex_input *i, struct ibv_device_attr_ex *a,
			     size_t n, struct ib_uverbs_ex_query_device_resp *r, size_t *rn)
{
	memset(r, 0, sizeof(*r));
	r->base.fw_ver = 1ull << 32 | 2 << 16 | 3;
	return 0;
}

int ibv_cmd_alloc_pd(struct ibv_context *c, struct ibv_pd *pd, struct ibv_alloc_pd *cmd, size_t cn,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t rn)
{
	pd->context = c;
	return 0;
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return 0;
}

int ibv_cmd_reg_mr(struct ibv_pd *pd, void *a, size_t n, uint64_t va, int acc, struct verbs_mr *m, struct ibv_reg_mr *cmd, size_t cn,
		   struct ib_uverbs_reg_mr_resp *r, size_t rn)
{
	return EINVAL;
}

int ibv_cmd_rereg_mr(struct verbs_mr *m, uint32_t flags, void *addr, size_t n, uint64_t va, int acc, struct ibv_pd *pd, struct ibv_rereg_mr *cmd,
		     size_t cn, struct ib_uverbs_rereg_mr_resp *r, size_t rn)
{
	CHECK_EQ(va, (uintptr_t)addr);
	return EINVAL;
}

int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t n, uint64_t iova, int fd, int acc, struct verbs_mr *m,
			  struct ibv_command_buffer *driver)
{
	return EINVAL;
}

int ibv_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *m, uint32_t handle)
{
	if (handle != 77)
		return ENOENT;
	m->ibv_mr.context = pd->context;
	m->ibv_mr.pd = pd;
	m->ibv_mr.lkey = 0x1234;
	return 0;
}

/* What the kernel tells of a context to who has its file only */
int ibv_cmd_query_context(struct ibv_context *context, struct ibv_command_buffer *driver)
{
	struct ib_uverbs_attr *a = driver->hdr.attrs;
	struct ohca_uresp_query_context *r = (void *)(uintptr_t)a->data;

	CHECK_EQ(driver->next_attr - driver->hdr.attrs, 1);
	CHECK_EQ(a->attr_id, OHCA_ATTR_QUERY_CONTEXT_RESP);
	CHECK_EQ(a->len, sizeof(*r));
	if (fail_create)
		return fail_create;
	*r = (struct ohca_uresp_query_context){
		.ctx = { .host_abi = host_abi, .caps = OHCA_UCTX_CAP_PUSH, .max_inline = 192, .max_send_sge = 12, .max_recv_sge = 16,
			 .max_qp_wr = 32768, .max_cqe = (1 << 22) - 1, .state_mmap_offset = 4096, .db_page = 77, .db_bytes = 4096,
			 .state_bytes = 4096, .push_mmap_offset = 8192, .push_bytes = 4096, .push_buffers = 2 },
		.clock = 0x123456789abc,
	};
	return 0;
}

int ibv_cmd_dereg_mr(struct verbs_mr *m)
{
	return 0;
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr, struct ib_uverbs_create_ah_resp *resp, size_t n)
{
	struct ohca_uresp_create_ah *r = (void *)(resp + 1);

	CHECK_EQ(n, sizeof(*resp) + sizeof(*r));
	if (fail_create)
		return fail_create;
	for (unsigned int i = 0; i < 10; i++)
		r->av[i] = 0x01010101 * (i + 1);
	ah->context = pd->context;
	live_ahs++;
	return 0;
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	live_ahs--;
	return 0;
}

/* ------------------------------------------------------------------ the adapter */

struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *qp;
	uint32_t pi[2];		/* CQEs written to scq, rcq */
};

static struct ibv_device ibdev = { .name = "fake0" };

static struct ibv_context *open_ctx(void)
{
	struct verbs_context *v;

	memset(db, 0, 3 * 65536);
	v = drv->alloc_context(&ibdev, db_fd, NULL);
	return v ? &v->context : NULL;
}

static struct ibv_qp *new_qp(struct rig *r, enum ibv_qp_type type, uint32_t wr, uint32_t sge, uint32_t inl, uint64_t ops)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = r->scq, .recv_cq = r->rcq, .qp_type = type, .pd = r->pd,
		.cap = { .max_send_wr = wr, .max_recv_wr = wr, .max_send_sge = sge, .max_recv_sge = sge, .max_inline_data = inl },
		.comp_mask = IBV_QP_INIT_ATTR_PD | (ops ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0), .send_ops_flags = ops,
	};

	return vops->create_qp_ex(r->ctx, &a);
}

static struct rig rig(enum ibv_qp_type type, uint32_t cqe, uint32_t wr, uint32_t sge, uint32_t inl)
{
	struct rig r = { .ctx = open_ctx() };
	const uint64_t ud = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	r.pd = vops->alloc_pd(r.ctx);
	r.scq = vops->create_cq(r.ctx, (int)cqe, NULL, 0);
	r.rcq = vops->create_cq(r.ctx, (int)cqe, NULL, 0);
	r.qp = new_qp(&r, type, wr, sge, inl, type == IBV_QPT_UD ? ud : ud | IBV_QP_EX_WITH_RDMA_WRITE |
		      IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ);
	CHECK(r.scq && r.rcq && r.qp);
	return r;
}

static void done(struct rig *r)
{
	if (r->qp)
		CHECK_EQ(vops->destroy_qp(r->qp), 0);
	CHECK_EQ(vops->destroy_cq(r->scq), 0);
	CHECK_EQ(vops->destroy_cq(r->rcq), 0);
	CHECK_EQ(vops->dealloc_pd(r->pd), 0);
	vops->free_context(r->ctx);
}

static struct ohca_cqe *put_cqe(struct rig *r, int recv, uint32_t qpn, uint32_t op, uint32_t idx, uint32_t status)
{
	struct ohca_cq *cq = to_cq(recv ? r->rcq : r->scq);
	uint32_t pi = r->pi[recv]++;
	struct ohca_cqe *e = &cq->ring[pi & ((1u << cq->log) - 1)];

	memset(e, 0, 28);
	OHCA_SET(OHCA_CQE_QPN, e, qpn);
	OHCA_SET(OHCA_CQE_OPCODE, e, op);
	OHCA_SET(OHCA_CQE_RECV, e, (uint32_t)recv);
	OHCA_SET(OHCA_CQE_WQE_IDX, e, idx & 0xffff);
	OHCA_SET(OHCA_CQE_STATUS, e, status);
	OHCA_SET(OHCA_CQE_TS_LO, e, 0x1000 + pi);
	OHCA_SET(OHCA_CQE_TS_HI, e, 7);
	OHCA_SET(OHCA_CQE_PHASE, e, !(pi >> cq->log & 1));
	return e;
}

static uint32_t word(unsigned int off)
{
	uint32_t v;

	memcpy(&v, db + off, 4);
	return le32toh(v);
}

static const uint8_t *wqe(struct ibv_qp *qp, uint32_t i)
{
	struct ohca_wq *sq = &to_qp(qp)->sq;

	return sq->buf + ((size_t)(i & ((1u << sq->log) - 1)) << sq->log_stride);
}

/* "wqe LAYOUT BYTES field=value …" for check.py; the layout's other fields must be 0 */
static void __attribute__((format(printf, 4, 5))) show(const char *layout, const uint8_t *p, unsigned int n, const char *fmt, ...)
{
	va_list ap;

	printf("wqe %s ", layout);
	for (unsigned int i = 0; i < n; i++)
		printf("%02x", p[i]);
	printf(" ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = vops->post_send(qp, wr, &bad);

	CHECK(!ret == !bad);
	return ret;
}

/* ------------------------------------------------------------------ cases */

static void opens_only_its_own_abi(void)
{
	struct ibv_context *c;

	CHECK(!strcmp(drv->name, "ohca"));
	CHECK(drv->match_table[0].vendor == 0x0ca1 && drv->match_table[0].device == 0x0c01);
	for (host_abi = OHCA_HOST_ABI - 1; host_abi <= OHCA_HOST_ABI + 1; host_abi += 2) {
		errno = 0;
		CHECK(!open_ctx());
		CHECK_EQ(errno, EPROTO);
	}
	host_abi = OHCA_HOST_ABI;
	/* A kernel that tells more than this library knows */
	newer_kernel = ~0u;
	c = open_ctx();
	CHECK(c);
	vops->free_context(c);
	newer_kernel = 0;
	c = open_ctx();
	CHECK(c && to_ctx(c)->push);
	vops->free_context(c);
	setenv("OHCA_PUSH", "0", 1);
	c = open_ctx();
	CHECK(c && !to_ctx(c)->push);
	vops->free_context(c);
	unsetenv("OHCA_PUSH");
	no_push = true;
	c = open_ctx();
	CHECK(c && !to_ctx(c)->push);
	vops->free_context(c);
	no_push = false;
	push_at = 8193;				/* a page that cannot be mapped */
	errno = 0;
	CHECK(!open_ctx());
	CHECK_EQ(errno, EINVAL);
	push_at = 8192;
}

/* Another process's context: it is the same, but two processes would mix up what they push. */
static void imported_contexts(void)
{
	struct verbs_context *v = drv->import_context(&ibdev, db_fd);
	struct ibv_values_ex val = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_context *c = v ? &v->context : NULL;
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	CHECK(c && !to_ctx(c)->push && to_ctx(c)->max_inline == 192);
	if (!c)
		return;
	pd = vops->import_pd(c, 5);
	CHECK(pd && pd->handle == 5 && pd->context == c);
	mr = vops->import_mr(pd, 77);
	CHECK(mr && mr->lkey == 0x1234);
	errno = 0;
	CHECK(!vops->import_mr(pd, 78) && errno == ENOENT);
	vops->unimport_mr(mr);
	vops->unimport_pd(pd);
	CHECK_EQ(vops->query_rt_values(c, &val), 0);
	CHECK(val.comp_mask == IBV_VALUES_MASK_RAW_CLOCK && !val.raw_clock.tv_sec && val.raw_clock.tv_nsec == 0x123456789abc);
	val.comp_mask = 2;
	CHECK_EQ(vops->query_rt_values(c, &val), EINVAL);
	fail_create = EIO;
	val.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	CHECK_EQ(vops->query_rt_values(c, &val), EIO);
	CHECK_EQ(val.comp_mask, 0);
	vops->free_context(c);
	errno = 0;
	CHECK(!drv->import_context(&ibdev, db_fd) && errno == EIO);
	fail_create = 0;
	host_abi++;
	errno = 0;
	CHECK(!drv->import_context(&ibdev, db_fd) && errno == EPROTO);
	host_abi--;
}

static uint8_t *given, *before;
static int give_what, taken_back;

static void *give(struct ibv_pd *pd, void *what, size_t size, size_t alignment, uint64_t type)
{
	CHECK(what == &given && alignment == 4096 && (type == OHCA_RES_QP || type == OHCA_RES_CQ));
	before = given;
	switch (give_what) {
	case 0:
		return IBV_ALLOCATOR_USE_DEFAULT;
	case 1:
		return NULL;
	case 2:
		given = aligned_alloc(4096, (size + 4095) & ~4095ull);
		memset(given, 0xff, size);
		return given;
	default:
		given = aligned_alloc(4096, 8192 + ((size + 4095) & ~4095ull));
		return given + 64;
	}
}

static void take_back(struct ibv_pd *pd, void *what, void *p, uint64_t type)
{
	CHECK(what == &given && (p == given || p == given + 64 || p == before));
	free(p == before ? before : given);
	taken_back++;
}

/* They live as long as what stands on them, and give their queues memory. */
static void parent_domains(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 4, 1, 16);
	struct ibv_td_init_attr ti = {};
	struct ibv_td *td = vops->alloc_td(r.ctx, &ti);
	struct ibv_parent_domain_init_attr pi = { .pd = r.pd, .td = td, .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
						  IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT, .alloc = give, .free = take_back, .pd_context = &given };
	struct ibv_pd *p = vops->alloc_parent_domain(r.ctx, &pi), *mine = r.pd;
	struct ibv_cq_init_attr_ex ci = { .cqe = 10, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD, .parent_domain = p };
	struct ibv_ah_attr a = { .dlid = 7, .port_num = 1 };
	struct ibv_ah *ah;
	struct ibv_cq_ex *x;
	struct ibv_qp *qp;

	ti.comp_mask = 1;
	errno = 0;
	CHECK(!vops->alloc_td(r.ctx, &ti) && errno == EOPNOTSUPP);
	CHECK(td && p && p->context == r.ctx && p->handle == r.pd->handle);
	pi.comp_mask = 0x100;
	errno = 0;
	CHECK(!vops->alloc_parent_domain(r.ctx, &pi) && errno == EOPNOTSUPP);
	pi.comp_mask = 0;
	pi.pd = p;
	errno = 0;
	CHECK(!vops->alloc_parent_domain(r.ctx, &pi) && errno == EINVAL);
	CHECK_EQ(vops->dealloc_td(td), EBUSY);
	CHECK_EQ(vops->dealloc_pd(r.pd), EBUSY);
	r.pd = p;
	for (give_what = 0; give_what < 4; give_what++) {
		taken_back = 0;
		errno = 0;
		qp = new_qp(&r, IBV_QPT_RC, 4, 1, 16, 0);
		CHECK_EQ(!qp, give_what == 1 || give_what == 3);
		if (!qp) {
			CHECK_EQ(errno, ENOMEM);
			CHECK_EQ(taken_back, give_what == 3);
			continue;
		}
		if (give_what == 2)	/* zeroed, whatever it was */
			CHECK(to_qp(qp)->sq.buf == given && !given[0] && !given[64]);
		CHECK_EQ(vops->dealloc_pd(p), EBUSY);
		CHECK_EQ(vops->destroy_qp(qp), 0);
		CHECK_EQ(taken_back, give_what == 2);
	}
	give_what = 2;
	taken_back = 0;
	x = vops->create_cq_ex(r.ctx, &ci);
	CHECK(x && (uint8_t *)to_cq_ex(x)->ring == before && (uint8_t *)to_cq_ex(x)->dbr == given);
	CHECK_EQ(vops->dealloc_pd(p), EBUSY);
	if (x)
		CHECK_EQ(vops->destroy_cq(ibv_cq_ex_to_cq(x)), 0);
	CHECK_EQ(taken_back, 2);
	/* after a failure nothing is left */
	fail_create = EIO;
	CHECK(!vops->create_cq_ex(r.ctx, &ci) && !new_qp(&r, IBV_QPT_RC, 4, 1, 16, 0));
	fail_create = 0;
	CHECK_EQ(taken_back, 5);
	/* a handle of it is a handle of its domain */
	ah = vops->create_ah(p, &a);
	CHECK(ah && to_ah(ah)->pd == to_pd(mine));
	vops->destroy_ah(ah);
	CHECK_EQ(vops->dealloc_pd(p), 0);
	CHECK_EQ(vops->dealloc_td(td), 0);
	r.pd = mine;
	done(&r);
}

static void sizes_are_rounded_and_told(void)
{
	static const struct {
		enum ibv_qp_type type;
		uint32_t wr, sge, inl, log, sq_stride, rq_stride, got_wr, got_sge, got_inl, got_rsge;
	} t[] = {
		{ IBV_QPT_RC, 0, 0, 0, 0, 6, 4, 1, 2, 32, 1 },
		{ IBV_QPT_RC, 1, 1, 0, 0, 6, 4, 1, 2, 32, 1 },
		{ IBV_QPT_RC, 2, 2, 32, 1, 6, 5, 2, 2, 32, 2 },
		{ IBV_QPT_RC, 3, 3, 0, 2, 7, 6, 4, 6, 96, 4 },
		{ IBV_QPT_RC, 100, 1, 33, 7, 7, 4, 128, 6, 96, 1 },
		{ IBV_QPT_RC, 16, 12, 192, 4, 8, 8, 16, 12, 192, 16 },
		{ IBV_QPT_UD, 16, 0, 0, 4, 6, 4, 16, 0, 0, 1 },
		{ IBV_QPT_UD, 16, 1, 0, 4, 7, 4, 16, 4, 64, 1 },
		{ IBV_QPT_UD, 16, 4, 65, 4, 8, 6, 16, 12, 192, 4 },
		{ IBV_QPT_UD, 32768, 12, 192, 15, 8, 8, 32768, 12, 192, 16 },
	};
	struct rig r = rig(IBV_QPT_RC, 10, 1, 1, 0);
	struct ibv_qp_init_attr a;
	struct ibv_qp *qp;

	for (unsigned int n = 0; n <= 40; n++)
		CHECK(1u << ohca_log2(n) >= n && (n < 2 || 1u << (ohca_log2(n) - 1) < n));
	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		a = (struct ibv_qp_init_attr){
			.send_cq = r.scq, .recv_cq = r.rcq, .qp_type = t[i].type,
			.cap = { t[i].wr, t[i].wr, t[i].sge, t[i].sge, t[i].inl },
		};
		qp = vops->create_qp(r.pd, &a);
		CHECK(qp);
		if (!qp)
			continue;
		CHECK_EQ(last_qp.sq_log_size, t[i].log);
		CHECK_EQ(last_qp.rq_log_size, t[i].log);
		CHECK_EQ(last_qp.sq_log_stride, t[i].sq_stride);
		CHECK_EQ(last_qp.rq_log_stride, t[i].rq_stride);
		CHECK_EQ(a.cap.max_send_wr, t[i].got_wr);
		CHECK_EQ(a.cap.max_recv_wr, t[i].got_wr);
		CHECK_EQ(a.cap.max_send_sge, t[i].got_sge);
		CHECK_EQ(a.cap.max_inline_data, t[i].got_inl);
		CHECK_EQ(a.cap.max_recv_sge, t[i].got_rsge);
		CHECK(!memcmp(&last_init.cap, &a.cap, sizeof(a.cap)));	/* the kernel is told the same */
		CHECK_EQ(vops->destroy_qp(qp), 0);
	}
	for (unsigned int i = 0; i < 5; i++) {
		a = (struct ibv_qp_init_attr){ .send_cq = r.scq, .recv_cq = r.rcq, .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
		*(i == 0 ? &a.cap.max_send_wr : i == 1 ? &a.cap.max_recv_wr : i == 2 ? &a.cap.max_send_sge :
		  i == 3 ? &a.cap.max_recv_sge : &a.cap.max_inline_data) = i < 2 ? 32769 : i == 2 ? 13 : i == 3 ? 17 : 193;
		errno = 0;
		CHECK(!vops->create_qp(r.pd, &a));
		CHECK_EQ(errno, EINVAL);
	}
	done(&r);
}

static void refuses_what_is_not_there(void)
{
	struct rig r = rig(IBV_QPT_RC, 10, 1, 1, 0);
	struct ibv_srq srq;
	struct ibv_qp_init_attr_ex a;
	struct ibv_cq_init_attr_ex c;

	for (unsigned int i = 0; i < 6; i++) {
		a = (struct ibv_qp_init_attr_ex){ .send_cq = r.scq, .recv_cq = r.rcq, .qp_type = IBV_QPT_RC, .pd = r.pd,
						  .cap = { 1, 1, 1, 1, 0 }, .comp_mask = IBV_QP_INIT_ATTR_PD };
		switch (i) {
		case 0:
			a.qp_type = IBV_QPT_UC;
			break;
		case 1:
			a.srq = &srq;
			break;
		case 2:
			a.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
			a.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
			break;
		case 3:
			a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
			a.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
			break;
		case 4:
			a.qp_type = IBV_QPT_UD;
			a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
			a.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
			break;
		case 5:
			a.comp_mask |= IBV_QP_INIT_ATTR_XRCD;
			break;
		}
		errno = 0;
		CHECK(!vops->create_qp_ex(r.ctx, &a));
		CHECK_EQ(errno, EOPNOTSUPP);
	}
	for (unsigned int i = 0; i < 5; i++) {
		c = (struct ibv_cq_init_attr_ex){ .cqe = 10 };
		if (i == 0)
			c.wc_flags = IBV_WC_EX_WITH_CVLAN;
		if (i == 1) {
			c.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
			c.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
		}
		if (i == 2)
			c.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
		if (i == 3)
			c.cqe = 0;
		if (i == 4)
			c.cqe = 1 << 22;
		errno = 0;
		CHECK(!vops->create_cq_ex(r.ctx, &c));
		CHECK_EQ(errno, i < 2 ? EOPNOTSUPP : EINVAL);
	}
	/* An error of the kernel comes through, and nothing is left behind. */
	fail_create = ENOSPC;
	errno = 0;
	CHECK(!new_qp(&r, IBV_QPT_RC, 1, 1, 0, 0));
	CHECK_EQ(errno, ENOSPC);
	CHECK(!vops->create_cq(r.ctx, 5, NULL, 0));
	CHECK_EQ(errno, ENOSPC);
	fail_create = 0;
	done(&r);
}

static struct ibv_sge two[3] = { { 0x1122334455667788, 0x30, 0xaabb01 }, { 0xdead, 0, 0x77 }, { 0x99, 0x1000, 0xccdd02 } };

static void rc_wqes(void)
{
	struct rig r = rig(IBV_QPT_RC, 20, 16, 4, 64);
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = two, .num_sge = 3 };
	uint32_t qpn = to_qp(r.qp)->qpn;
	const char data[128] = "0123456789abcdefghijklmnopqrstuv+";
	struct ibv_sge inl[2] = { { (uintptr_t)data, 10, 0 }, { (uintptr_t)data + 10, 22, 0 } };

	wr.opcode = IBV_WR_SEND;
	wr.imm_data = htobe32(0x5555);		/* not to be sent */
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ctrl", wqe(r.qp, 0), 64, "opcode=1 nsge=2 length=0x1030 qpn=%#x sge0=0x1122334455667788,0x30,0xaabb01 "
	     "sge1=0x99,0x1000,0xccdd02", qpn);

	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.imm_data = htobe32(0x01020304);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	wr.num_sge = 1;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ctrl", wqe(r.qp, 1), 48, "opcode=2 nsge=1 length=0x30 signaled=1 solicited=1 imm=0x04030201 idx=1 qpn=%#x "
	     "sge0=0x1122334455667788,0x30,0xaabb01", qpn);

	wr.opcode = IBV_WR_RDMA_READ;
	wr.send_flags = IBV_SEND_FENCE;
	wr.wr.rdma.remote_addr = 0xfedcba9876543210;
	wr.wr.rdma.rkey = 0x80000001;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ctrl", wqe(r.qp, 2), 48, "opcode=6 nsge=1 fence=1 length=0x30 raddr=0xfedcba9876543210 rkey=0x80000001 idx=2 "
	     "qpn=%#x sge0=0x1122334455667788,0x30,0xaabb01", qpn);

	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wr.send_flags = IBV_SEND_INLINE;
	wr.sg_list = inl;
	wr.num_sge = 2;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ctrl", wqe(r.qp, 3), 64, "opcode=5 inl=1 length=32 raddr=0xfedcba9876543210 rkey=0x80000001 imm=0x04030201 idx=3 "
	     "qpn=%#x data=%.32s", qpn, data);

	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.send_flags = 0;
	wr.num_sge = 0;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ctrl", wqe(r.qp, 4), 32, "opcode=4 raddr=0xfedcba9876543210 rkey=0x80000001 idx=4 qpn=%#x", qpn);

	/* Refused: nothing is written past what the queue has, and the head does not move. */
	wr.send_flags = IBV_SEND_INLINE;
	inl[0].length = 97 - 22;
	wr.num_sge = 2;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	inl[0].length = 0xffffffff;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	inl[0].length = 1;
	wr.opcode = IBV_WR_RDMA_READ;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	wr.send_flags = 0;
	wr.num_sge = 7;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	wr.num_sge = -1;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	wr.num_sge = 2;
	inl[0].length = inl[1].length = 0x7fffffff;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	wr.num_sge = 0;
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	CHECK_EQ(post(r.qp, &wr), EOPNOTSUPP);
	wr.opcode = IBV_WR_SEND_WITH_INV;
	CHECK_EQ(post(r.qp, &wr), EOPNOTSUPP);
	wr.opcode = 1000;
	CHECK_EQ(post(r.qp, &wr), EOPNOTSUPP);
	CHECK_EQ(to_qp(r.qp)->sq.head, 5);
	r.qp->state = IBV_QPS_RTR;
	wr.opcode = IBV_WR_SEND;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	done(&r);
}

static void ud_wqes(void)
{
	struct rig r = rig(IBV_QPT_UD, 20, 16, 4, 64);
	struct ibv_ah_attr a = { .dlid = 0xbeef, .sl = 5, .src_path_bits = 3, .port_num = 1, .static_rate = IBV_RATE_10_GBPS };
	struct ibv_ah *ah, *grh, *any;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = two, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM };

	ah = vops->create_ah(r.pd, &a);
	a.is_global = 1;
	a.static_rate = 0;
	a.grh.sgid_index = 7;
	a.grh.hop_limit = 64;
	a.grh.traffic_class = 0x2e;
	a.grh.flow_label = 0xabcde;
	for (unsigned int i = 0; i < 16; i++)
		a.grh.dgid.raw[i] = (uint8_t)(0xf0 + i);
	grh = vops->create_ah(r.pd, &a);
	CHECK(ah && grh);
	CHECK_EQ(queried_ports, 1);
	a.static_rate = IBV_RATE_2_5_GBPS;
	vops->destroy_ah(vops->create_ah(r.pd, &a));
	CHECK_EQ(queried_ports, 1);		/* asked once */
	/* What some programs give for any flow label */
	a.grh.flow_label = 0xffffffff;
	any = vops->create_ah(r.pd, &a);
	CHECK(any);
	CHECK_EQ(OHCA_GET(OHCA_AV_FLOW_LABEL, &to_ah(any)->av), 0xfffff);
	CHECK_EQ(OHCA_GET(OHCA_AV_HOP_LIMIT, &to_ah(any)->av), 64);
	vops->destroy_ah(any);
	a.port_num = 2;
	errno = 0;
	CHECK(!vops->create_ah(r.pd, &a));
	CHECK_EQ(errno, EINVAL);

	wr.imm_data = htobe32(0x01020304);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 0x654321;
	wr.wr.ud.remote_qkey = 0x80010000;
	wr.send_flags = IBV_SEND_SIGNALED;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ud", wqe(r.qp, 0), 80, "opcode=2 signaled=1 nsge=1 length=0x30 qkey=0x80010000 dqpn=0x654321 imm=0x04030201 "
	     "av.dlid=0xbeef av.sl=5 av.path_bits=3 av.ipd=9 sge0=0x1122334455667788,0x30,0xaabb01");
	wr.opcode = IBV_WR_SEND;
	wr.wr.ud.ah = grh;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ud", wqe(r.qp, 1), 80, "opcode=1 signaled=1 nsge=1 idx=1 length=0x30 qkey=0x80010000 dqpn=0x654321 av.dlid=0xbeef "
	     "av.sl=5 av.path_bits=3 av.grh=1 av.sgid_index=7 av.hop_limit=64 av.tclass=0x2e av.flow_label=0xabcde "
	     "av.dgid=0xfffefdfcfbfaf9f8f7f6f5f4f3f2f1f0 sge0=0x1122334455667788,0x30,0xaabb01");
	wr.opcode = IBV_WR_RDMA_WRITE;
	CHECK_EQ(post(r.qp, &wr), EOPNOTSUPP);
	/* Checksums: as the adapter can. */
	wr.opcode = IBV_WR_SEND;
	wr.wr.ud.ah = ah;
	wr.send_flags = IBV_SEND_IP_CSUM;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	to_qp(r.qp)->csum = true;
	CHECK_EQ(post(r.qp, &wr), 0);
	show("wqe_ud", wqe(r.qp, 2), 80, "opcode=1 csum=1 nsge=1 idx=2 length=0x30 qkey=0x80010000 dqpn=0x654321 "
	     "av.dlid=0xbeef av.sl=5 av.path_bits=3 av.ipd=9 sge0=0x1122334455667788,0x30,0xaabb01");
	vops->destroy_ah(ah);
	vops->destroy_ah(grh);
	done(&r);
}

/* Spacing of packets by the rate of a path: none for the port's own rate and faster ones, and never faster than the path. */
static void path_rates(void)
{
	static const struct { uint8_t width, speed; enum ibv_rate rate; unsigned int ipd; } t[] = {
		{ 1, 1, IBV_RATE_2_5_GBPS, 0 }, { 2, 1, IBV_RATE_2_5_GBPS, 3 }, { 2, 2, IBV_RATE_10_GBPS, 1 }, { 2, 4, IBV_RATE_40_GBPS, 0 },
		{ 2, 4, IBV_RATE_2_5_GBPS, 15 }, { 2, 8, IBV_RATE_10_GBPS, 3 }, { 1, 16, IBV_RATE_14_GBPS, 0 }, { 2, 16, IBV_RATE_56_GBPS, 0 },
		{ 2, 16, IBV_RATE_40_GBPS, 1 }, { 8, 16, IBV_RATE_168_GBPS, 0 }, { 2, 32, IBV_RATE_100_GBPS, 0 }, { 2, 32, IBV_RATE_400_GBPS, 0 },
		{ 2, 64, IBV_RATE_100_GBPS, 1 }, { 4, 128, IBV_RATE_2_5_GBPS, 255 }, { 2, 128, IBV_RATE_100_GBPS, 3 }, { 16, 32, IBV_RATE_25_GBPS, 1 },
		{ 2, 32, (enum ibv_rate)99, 0 },
	};

	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rig r = rig(IBV_QPT_UD, 4, 4, 1, 0);
		struct ibv_ah_attr a = { .dlid = 1, .port_num = 1, .static_rate = (uint8_t)t[i].rate };
		struct ibv_ah *ah;

		active_width = t[i].width;
		active_speed = t[i].speed;
		ah = vops->create_ah(r.pd, &a);
		CHECK(ah);
		CHECK_EQ(OHCA_GET(OHCA_AV_IPD, &((struct ohca_ah *)ah)->av), t[i].ipd);
		vops->destroy_ah(ah);
		done(&r);
	}
	active_width = 2;
	active_speed = 32;
}

/* A kernel with pages of 64 KiB maps so much each; registers, buffers and rings are as elsewhere. Here its pages are many of this host's. */
static void large_pages(void)
{
	struct ibv_send_wr wr = { .sg_list = two, .num_sge = 1, .opcode = IBV_WR_SEND };
	uint8_t *mapped[3], there[16];
	struct rig r;

	host_page = 65536;
	push_at = 2 * 65536;
	r = rig(IBV_QPT_RC, 100, 64, 4, 64);
	mapped[0] = to_ctx(r.ctx)->db;
	mapped[1] = (uint8_t *)to_ctx(r.ctx)->state;
	mapped[2] = to_ctx(r.ctx)->push;
	for (unsigned int i = 0; i < 3; i++)
		CHECK(!mincore(mapped[i], 65536, there));
	CHECK_EQ(post(r.qp, &wr), 0);
	CHECK(!memcmp(db + 2 * 65536, wqe(r.qp, 0), 64));
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM), to_cq(r.scq)->cqn);
	done(&r);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int k = 0; k < 65536; k += 4096)
			CHECK(mincore(mapped[i] + k, 4096, there) && errno == ENOMEM);
	host_page = 4096;
	push_at = 8192;
}

static void doorbells_and_pushes(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 64, 4, 64);
	struct ibv_send_wr b = { .sg_list = two, .num_sge = 1, .opcode = IBV_WR_SEND }, a = b;
	uint32_t qpn = to_qp(r.qp)->qpn;
	uint8_t *push, was[4096];
	struct ibv_wc wc;

	/* One short WQE: pushed, in turn through both buffers. */
	memcpy(was, db, sizeof(was));
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_EQ(post(r.qp, &b), 0);
		CHECK(!memcmp(db + 8192 + 64 * (i & 1), wqe(r.qp, i), 64));
	}
	CHECK(!memcmp(was, db, sizeof(was)));
	for (uint32_t i = 128; i < 4096; i++)
		CHECK(!db[8192 + i]);
	/* Two at once, or a long one: an ordinary doorbell. */
	a.next = &b;
	CHECK_EQ(post(r.qp, &a), 0);
	CHECK_EQ(word(OHCA_DB_SQ), qpn);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 5);
	b.num_sge = 3;
	two[1].length = 1;
	CHECK_EQ(post(r.qp, &b), 0);
	two[1].length = 0;
	CHECK_EQ(word(OHCA_DB_SQ + 4), 6);
	push = to_ctx(r.ctx)->push;
	to_ctx(r.ctx)->push = NULL;
	b.num_sge = 1;
	CHECK_EQ(post(r.qp, &b), 0);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 7);
	/* What was accepted before a bad request rings. */
	b.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	CHECK_EQ(post(r.qp, &a), EOPNOTSUPP);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 8);
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM), to_cq(r.scq)->cqn);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 0);
	to_cq(r.rcq)->ci = 0x3000005;
	vops->req_notify_cq(r.rcq, 1);
	CHECK_EQ(word(OHCA_DB_CQ_ARM), to_cq(r.rcq)->cqn);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 0x80000005);
	to_cq(r.rcq)->ci = 0;
	/* What came after the last look counts as new, as on ConnectX: who polls until nothing is left, arms and sleeps, wakes. */
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 0);
	put_cqe(&r, 0, qpn, 0, 0, 0);
	put_cqe(&r, 0, qpn, 0, 1, 0);
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 0);
	/* What an event has told of is not told again. */
	vops->cq_event(r.scq);
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 2 << 24);
	vops->cq_event(r.scq);
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 1);
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 1);
	vops->cq_event(r.scq);
	vops->req_notify_cq(r.scq, 0);
	CHECK_EQ(word(OHCA_DB_CQ_ARM + 4), 1 | 1 << 24);
	done(&r);
}

static void full_queues(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 4, 1, 0);
	struct ibv_send_wr wr[6] = {}, *bad = NULL;
	struct ibv_recv_wr rw[6] = {}, *rbad = NULL;
	struct ibv_wc wc;

	for (unsigned int i = 0; i < 6; i++) {
		wr[i] = (struct ibv_send_wr){ .wr_id = 100 + i, .next = i < 5 ? &wr[i + 1] : NULL, .opcode = IBV_WR_SEND };
		rw[i] = (struct ibv_recv_wr){ .wr_id = 200 + i, .next = i < 5 ? &rw[i + 1] : NULL };
	}
	CHECK_EQ(vops->post_send(r.qp, wr, &bad), ENOMEM);
	CHECK(bad == &wr[4]);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 4);
	CHECK_EQ(vops->post_recv(r.qp, rw, &rbad), ENOMEM);
	CHECK(rbad == &rw[4]);
	CHECK_EQ(OHCA_GET(OHCA_RQ_DBR_PI, to_qp(r.qp)->dbr), 4);
	/* A completion of the third also frees the two unsignaled ones before it. */
	put_cqe(&r, 0, to_qp(r.qp)->qpn, OHCA_WR_OP_SEND, 2, 0);
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 1);
	CHECK_EQ(wc.wr_id, 102);
	wr[2].next = NULL;
	CHECK_EQ(vops->post_send(r.qp, wr, &bad), 0);
	CHECK_EQ(vops->post_send(r.qp, &wr[5], &bad), ENOMEM);
	done(&r);
}

static void receive_lists(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 4, 4, 0);
	struct ibv_sge s[5] = { { 1, 0, 9 }, { 0x1000, 16, 0x101 }, { 0x2000, 0, 9 }, { 0x3000, 32, 0x202 }, { 0x4000, 8, 0x303 } };
	struct ibv_recv_wr wr = { .sg_list = s, .num_sge = 4 }, *bad;
	const uint8_t *w = to_qp(r.qp)->rq.buf;

	CHECK_EQ(vops->post_recv(r.qp, &wr, &bad), 0);
	show("sge", w, 16, "addr=0x1000 length=16 lkey=0x101");
	show("sge", w + 16, 16, "addr=0x3000 length=32 lkey=0x202");
	show("sge", w + 32, 16, "lkey=0x100");			/* the end of the list */
	wr.num_sge = 0;
	CHECK_EQ(vops->post_recv(r.qp, &wr, &bad), 0);
	show("sge", w + 64, 16, "lkey=0x100");
	for (unsigned int i = 0; i < 4; i++)
		s[i] = s[4];
	wr.num_sge = 4;
	CHECK_EQ(vops->post_recv(r.qp, &wr, &bad), 0);
	show("sge", w + 128 + 48, 16, "addr=0x4000 length=8 lkey=0x303");	/* a full list has no end mark */
	wr.num_sge = 5;
	CHECK_EQ(vops->post_recv(r.qp, &wr, &bad), EINVAL);
	r.qp->state = IBV_QPS_RESET;
	wr.num_sge = 1;
	CHECK_EQ(vops->post_recv(r.qp, &wr, &bad), EINVAL);
	CHECK_EQ(OHCA_GET(OHCA_RQ_DBR_PI, to_qp(r.qp)->dbr), 3);
	done(&r);
}

static void completions(void)
{
	struct rig r = rig(IBV_QPT_UD, 15, 8, 1, 0);
	struct ibv_recv_wr rw = { .wr_id = 0xabc }, *bad;
	uint32_t qpn = to_qp(r.qp)->qpn;
	struct ohca_cqe *e;
	struct ibv_wc wc[4];

	CHECK_EQ(vops->poll_cq(r.rcq, 4, wc), 0);
	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	e = put_cqe(&r, 1, qpn, OHCA_WC_OP_RECV_IMM, 0, 0);
	OHCA_SET(OHCA_CQE_GRH, e, 1);
	OHCA_SET(OHCA_CQE_BYTE_LEN, e, 0x12345);
	OHCA_SET(OHCA_CQE_IMM, e, 0x04030201);
	OHCA_SET(OHCA_CQE_SRC_QP, e, 0xabcdef);
	OHCA_SET(OHCA_CQE_SL, e, 9);
	OHCA_SET(OHCA_CQE_SLID, e, 0xfedc);
	OHCA_SET(OHCA_CQE_PKEY_INDEX, e, 0x1f);
	OHCA_SET(OHCA_CQE_PATH_BITS, e, 0x55);
	CHECK_EQ(vops->poll_cq(r.rcq, 4, wc), 1);
	CHECK(wc[0].wr_id == 0xabc && wc[0].status == IBV_WC_SUCCESS && wc[0].opcode == IBV_WC_RECV);
	CHECK(wc[0].wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM) && be32toh(wc[0].imm_data) == 0x01020304);
	CHECK(wc[0].byte_len == 0x12345 && wc[0].src_qp == 0xabcdef && wc[0].qp_num == qpn && wc[0].sl == 9);
	CHECK(wc[0].slid == 0xfedc && wc[0].pkey_index == 0x1f && wc[0].dlid_path_bits == 0x55 && wc[0].vendor_err == 0);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.rcq)->dbr), 1);
	CHECK_EQ(vops->poll_cq(r.rcq, 4, wc), 0);

	/* Checksums that were verified */
	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	e = put_cqe(&r, 1, qpn, OHCA_WC_OP_RECV, 1, 0);
	OHCA_SET(OHCA_CQE_CSUM_OK, e, 1);
	CHECK_EQ(vops->poll_cq(r.rcq, 4, wc), 1);
	CHECK_EQ(wc[0].wc_flags, IBV_WC_IP_CSUM_OK);

	/* Opcodes, a status nobody knows, a QP nobody knows */
	put_cqe(&r, 0, qpn, OHCA_WR_OP_RDMA_READ, 0, 0);
	put_cqe(&r, 0, qpn ^ 0x800000, OHCA_WR_OP_SEND, 0, 0);
	put_cqe(&r, 0, qpn, OHCA_WR_OP_RDMA_WRITE_IMM, 1, 200);
	e = put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND_IMM, 2, OHCA_WC_STATUS_RETRY_EXC);
	OHCA_SET(OHCA_CQE_VENDOR_ERR, e, OHCA_VENDOR_ERR_TIMEOUT);
	CHECK_EQ(vops->poll_cq(r.scq, 4, wc), 3);
	CHECK(wc[0].opcode == IBV_WC_RDMA_READ && wc[0].status == IBV_WC_SUCCESS);
	CHECK(wc[1].opcode == IBV_WC_RDMA_WRITE && wc[1].status == IBV_WC_GENERAL_ERR);
	CHECK(wc[2].opcode == IBV_WC_SEND && wc[2].status == IBV_WC_RETRY_EXC_ERR && wc[2].vendor_err == OHCA_VENDOR_ERR_TIMEOUT);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.scq)->dbr), 4);
	done(&r);
}

/* Three rounds of the 16-bit WQE index and of the CQ's 24-bit one, with every batch size */
static void indices_wrap(void)
{
	struct rig r = rig(IBV_QPT_RC, 15, 8, 1, 0);
	uint32_t qpn = to_qp(r.qp)->qpn, posted = 0, completed = 0, seen = 0, step = 1;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc[8];
	int n;

	/* Near the end of the CQ's index: its phase goes on, the record keeps 24 bits. */
	to_cq(r.scq)->ci = r.pi[0] = 0xffff0000u;
	while (seen < 200000 && !check_failed) {
		for (uint32_t i = 0; i < step && posted - completed < 8; i++, posted++) {
			wr.wr_id = posted;
			CHECK_EQ(vops->post_send(r.qp, &wr, &bad), 0);
			CHECK_EQ(OHCA_GET(OHCA_WQE_CTRL_IDX, (const struct ohca_wqe_ctrl *)wqe(r.qp, posted)), posted & 0xffff);
		}
		if (posted - completed == 8)
			CHECK_EQ(vops->post_send(r.qp, &wr, &bad), ENOMEM);
		for (; completed != posted; completed++)
			put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND, completed, 0);
		n = vops->poll_cq(r.scq, 8, wc);
		for (int i = 0; i < n; i++)
			CHECK_EQ(wc[i].wr_id, seen++);
		CHECK_EQ(seen, posted);
		CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.scq)->dbr), (0xffff0000u + seen) & 0xffffff);
		step = step % 8 + 1;
	}
	done(&r);
}

/* Larger and smaller rings while completions come: each is found once, in order, and what is asked for is told of all that is there. */
static void resized_cqs(void)
{
	struct rig r = rig(IBV_QPT_RC, 15, 64, 1, 0);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	uint32_t posted = 0, seen = 0, moved = 0, random = 12345;
	unsigned int grown = 0, shrunk = 0;
	struct ohca_cq *cq = to_cq(r.scq);
	struct ibv_wc wc[64];
	int n;

	memset(&hw, 0, sizeof(hw));
	hw.ring = cq->ring;
	hw.log = cq->log;
	hw.qpn = to_qp(r.qp)->qpn;
	cq->ci = hw.pi = 0xfffffc00u;		/* near the end of both counts */
	{
		struct ibv_modify_cq_attr m = { .attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { 4, 16 } };

		CHECK_EQ(vops->modify_cq(r.scq, &m), 0);
		CHECK(!memcmp(&moderated, &m, sizeof(m)));
		m.moderate.cq_count = 77;
		CHECK_EQ(vops->modify_cq(r.scq, &m), EINVAL);
	}
	CHECK_EQ(vops->resize_cq(r.scq, 0), EINVAL);
	CHECK_EQ(vops->resize_cq(r.scq, -1), EINVAL);
	CHECK_EQ(vops->resize_cq(r.scq, 1 << 22), EINVAL);
	CHECK_EQ(vops->resize_cq(r.scq, 11), 0);	/* that is what it has */
	CHECK_EQ(r.scq->cqe, 15);
	CHECK_EQ(hw.resizes, 0);
	for (int round = 0; round < 20000 && !check_failed; round++) {
		uint32_t room = 1u << hw.log, log, left;

		random = random * 1664525 + 1013904223;
		for (uint32_t i = random >> 24 & 15; i && posted - seen < 64 && posted - seen < room - 1; i--) {
			wr.wr_id = posted++;
			CHECK_EQ(vops->post_send(r.qp, &wr, &bad), 0);
		}
		left = posted - hw.posted;
		hw_put(left * (random >> 20 & 3) / 3);
		left = posted - hw.posted;
		hw.early = left / 2;
		hw.late = left - hw.early;
		log = 1 + (random >> 16 & 15) % 9;
		if (posted - seen < 1u << log && log != cq->log) {
			uint32_t old = cq->log, unread = hw.pi - cq->ci, ask;
			struct ohca_cqe *ring = cq->ring;

			hw.fail = random >> 10 & 7 ? 0 : EINVAL;
			CHECK_EQ(vops->resize_cq(r.scq, (1 << log) - 1), hw.fail);
			CHECK_EQ(cq->log, hw.fail ? old : log);
			CHECK((cq->ring == ring) == !!hw.fail);
			CHECK_EQ(r.scq->cqe, hw.fail ? (1 << old) - 1 : (1 << log) - 1);
			if (!hw.fail) {
				moved += unread;
				*(log > old ? &grown : &shrunk) += 1;
			}
			vops->cq_event(r.scq);
			vops->req_notify_cq(r.scq, 0);
			ask = word(OHCA_DB_CQ_ARM + 4);
			CHECK_EQ(ask, (cq->ci & 0xffffff) | (hw.pi - cq->ci) << 24);
		}
		n = vops->poll_cq(r.scq, (random >> 12 & 31) + 1, wc);
		for (int i = 0; i < n; i++)
			CHECK_EQ(wc[i].wr_id, seen++);
		CHECK(n || hw.pi == cq->ci);
		CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, cq->dbr), n || round ? cq->ci & 0xffffff : 0);
	}
	CHECK(grown > 100 && shrunk > 100 && moved > 1000);
	done(&r);
}

static void errors_and_late_receives(void)
{
	/* As many counts as the module has, which may be another one than this library was built with */
	struct rig r = (num_errors = 100, rig(IBV_QPT_RC, 15, 8, 1, 0));
	uint32_t qpn = to_qp(r.qp)->qpn;
	struct ibv_recv_wr rw = { .wr_id = 1 }, *bad;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_async_event ev = { .element.qp = r.qp, .event_type = IBV_EVENT_QP_FATAL };
	uint32_t *errors = ((struct ohca_state *)(db + 4096))->errors;
	struct ibv_wc wc;

	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	CHECK_EQ(word(OHCA_DB_RQ), 0);		/* a working QP is not rung */
	put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND, 0, OHCA_WC_STATUS_REM_ACCESS);
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 1);
	CHECK_EQ(word(OHCA_DB_RQ), qpn);	/* for what was posted before the error was known */
	CHECK_EQ(word(OHCA_DB_RQ + 4), 1);
	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	CHECK_EQ(word(OHCA_DB_RQ + 4), 2);
	CHECK_EQ(OHCA_GET(OHCA_RQ_DBR_PI, to_qp(r.qp)->dbr), 2);

	/* RESET forgets everything: completions not polled, indices, the error. */
	put_cqe(&r, 1, qpn, OHCA_WC_OP_RECV, 0, OHCA_WC_STATUS_WR_FLUSH);
	put_cqe(&r, 1, qpn ^ 1, OHCA_WC_OP_RECV, 0, OHCA_WC_STATUS_WR_FLUSH);
	CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
	CHECK_EQ(to_cq(r.rcq)->ring[0].dw[1] >> 16 & 0xff, OHCA_STATUS_DISCARD);
	CHECK_EQ(to_cq(r.rcq)->ring[1].dw[1] >> 16 & 0xff, OHCA_WC_STATUS_WR_FLUSH);	/* not ours to change */
	CHECK_EQ(vops->poll_cq(r.rcq, 1, &wc), 0);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.rcq)->dbr), 2);
	CHECK(!to_qp(r.qp)->rq.head && !to_qp(r.qp)->rq.tail && !to_qp(r.qp)->sq.head && !to_qp(r.qp)->sq.tail);
	CHECK_EQ(OHCA_GET(OHCA_RQ_DBR_PI, to_qp(r.qp)->dbr), 0);
	memset(db, 0, 4096);
	attr.qp_state = IBV_QPS_INIT;
	CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	CHECK_EQ(word(OHCA_DB_RQ), 0);
	/* Some QP failed, and the kernel counted that: who posts asks for its own, once if it is well. */
	fake_state = IBV_QPS_INIT;
	errors[qpn % num_errors]++;
	errors[(qpn + 1) % num_errors]++;	/* not this one's */
	queried_qps = 0;
	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	CHECK_EQ(queried_qps, 1);
	CHECK_EQ(word(OHCA_DB_RQ), 0);
	fake_state = IBV_QPS_ERR;
	errors[qpn % num_errors]++;
	for (unsigned int i = 0; i < 2; i++) {
		CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
		CHECK_EQ(word(OHCA_DB_RQ), qpn);
		CHECK_EQ(word(OHCA_DB_RQ + 4), 5 + i);
	}
	CHECK_EQ(queried_qps, 2);
	attr.qp_state = IBV_QPS_RESET;
	CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_INIT;
	CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
	CHECK_EQ(vops->post_recv(r.qp, &rw, &bad), 0);
	memset(db, 0, 4096);
	/* The error is learnt from an event, from a query, from one's own modify */
	vops->async_event(r.ctx, &ev);
	CHECK_EQ(word(OHCA_DB_RQ + 4), 1);
	for (unsigned int i = 0; i < 2; i++) {
		attr.qp_state = IBV_QPS_RESET;
		CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
		attr.qp_state = IBV_QPS_INIT;
		CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
		memset(db, 0, 4096);
		attr.qp_state = IBV_QPS_ERR;
		if (i)
			CHECK_EQ(vops->modify_qp(r.qp, &attr, IBV_QP_STATE), 0);
		else
			CHECK_EQ(vops->query_qp(r.qp, &attr, IBV_QP_STATE, &init), 0);
		CHECK_EQ(word(OHCA_DB_RQ), qpn);
	}
	done(&r);
	num_errors = OHCA_STATE_ERRORS;
}

/* A new QP never sees what an old one left behind in the same CQ. */
static void destroyed_qps_leave_nothing(void)
{
	struct rig r = rig(IBV_QPT_RC, 15, 8, 1, 0);
	uint32_t qpn = to_qp(r.qp)->qpn;
	struct ibv_wc wc;

	for (unsigned int i = 0; i < 16; i++)
		put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND, i, 0);	/* a completely full ring */
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 1);
	put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND, 16, 0);
	CHECK_EQ(vops->destroy_qp(r.qp), 0);
	CHECK(!ohca_find_qp(to_ctx(r.ctx), qpn));
	next_qpn = qpn;
	r.qp = new_qp(&r, IBV_QPT_RC, 8, 1, 0, 0);
	CHECK(ohca_find_qp(to_ctx(r.ctx), qpn) == to_qp(r.qp));
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 0);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.scq)->dbr), 17);
	CHECK_EQ(to_qp(r.qp)->sq.tail, 0);
	done(&r);
}

/* A QP is destroyed; before the call returns another thread makes one of the same number, and destroys a third. */
static struct rig late;
static struct ibv_qp *same_number;

static void meanwhile(void)
{
	struct ohca_context *ctx = to_ctx(late.ctx);
	struct ibv_qp *other;

	CHECK_EQ(pthread_mutex_trylock(&ctx->qp_mutex), 0);
	pthread_mutex_unlock(&ctx->qp_mutex);
	put_cqe(&late, 0, to_qp(late.qp)->qpn, OHCA_WR_OP_SEND, 0, 0);
	other = new_qp(&late, IBV_QPT_RC, 4, 1, 0, 0);
	CHECK(other);
	next_qpn = to_qp(late.qp)->qpn;
	same_number = new_qp(&late, IBV_QPT_RC, 4, 1, 0, 0);
	CHECK(same_number);
	CHECK_EQ(vops->destroy_qp(other), 0);
}

static void destroyed_while_others_come(void)
{
	struct ibv_send_wr wr = { .wr_id = 77, .opcode = IBV_WR_SEND };
	struct ibv_wc wc;
	uint32_t qpn;

	late = rig(IBV_QPT_RC, 15, 8, 1, 0);
	qpn = to_qp(late.qp)->qpn;
	wr.wr_id = 76;
	CHECK_EQ(post(late.qp, &wr), 0);
	while_destroying = meanwhile;
	CHECK_EQ(vops->destroy_qp(late.qp), 0);
	late.qp = same_number;
	CHECK_EQ(to_qp(late.qp)->qpn, qpn);
	/* The former one's completion is not taken for the new one's, and the new one's is found. */
	CHECK_EQ(vops->poll_cq(late.scq, 1, &wc), 0);
	wr.wr_id = 77;
	CHECK_EQ(post(late.qp, &wr), 0);
	put_cqe(&late, 0, qpn, OHCA_WR_OP_SEND, 0, 0);
	CHECK_EQ(vops->poll_cq(late.scq, 1, &wc), 1);
	CHECK_EQ(wc.wr_id, 77);
	done(&late);
}

static void extended_polling(void)
{
	struct rig r = rig(IBV_QPT_RC, 15, 8, 1, 0);
	struct ibv_cq_init_attr_ex ca = {
		.cqe = 15, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_poll_cq_attr pa = {};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_cq_ex *x;
	struct ibv_qp *old = r.qp;

	vops->destroy_cq(r.scq);
	x = vops->create_cq_ex(r.ctx, &ca);
	CHECK(x && to_cq_ex(x)->unlocked);
	r.scq = ibv_cq_ex_to_cq(x);
	old->send_cq = r.scq;
	CHECK_EQ(ibv_start_poll(x, &pa), ENOENT);
	for (unsigned int i = 0; i < 3; i++) {
		wr.wr_id = 50 + i;
		CHECK_EQ(vops->post_send(r.qp, &wr, &bad), 0);
	}
	put_cqe(&r, 0, to_qp(r.qp)->qpn, OHCA_WR_OP_SEND, 0, 0);
	put_cqe(&r, 0, 0x777777, OHCA_WR_OP_SEND, 0, 0);		/* skipped */
	OHCA_SET(OHCA_CQE_BYTE_LEN, put_cqe(&r, 0, to_qp(r.qp)->qpn, OHCA_WR_OP_RDMA_READ, 2, OHCA_WC_STATUS_LOC_PROT), 99);
	CHECK_EQ(ibv_start_poll(x, &pa), 0);
	CHECK(x->wr_id == 50 && x->status == IBV_WC_SUCCESS && ibv_wc_read_opcode(x) == IBV_WC_SEND);
	CHECK_EQ(ibv_wc_read_completion_ts(x), 0x700001000);
	CHECK_EQ(ibv_next_poll(x), 0);
	CHECK(x->wr_id == 52 && x->status == IBV_WC_LOC_PROT_ERR && ibv_wc_read_byte_len(x) == 99);
	CHECK(ibv_wc_read_qp_num(x) == to_qp(r.qp)->qpn && ibv_wc_read_completion_ts(x) == 0x700001002);
	CHECK_EQ(ibv_next_poll(x), ENOENT);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.scq)->dbr), 0);	/* room is given back at the end */
	ibv_end_poll(x);
	CHECK_EQ(OHCA_GET(OHCA_CQ_DBR_CI, to_cq(r.scq)->dbr), 3);
	pa.comp_mask = 1;
	CHECK_EQ(ibv_start_poll(x, &pa), EINVAL);
	done(&r);
}

static void wr_batches(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 4, 2, 32);
	struct ibv_qp_ex *x = &to_qp(r.qp)->vqp.qp_ex;
	uint32_t qpn = to_qp(r.qp)->qpn;
	struct ibv_data_buf buf[2] = { { (void *)"hello ", 6 }, { (void *)"world", 5 } };
	struct ibv_wc wc;

	ibv_wr_start(x);
	x->wr_id = 1;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(x, 0x1234, 0x5678);
	ibv_wr_set_sge_list(x, 3, (struct ibv_sge[]){ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } });
	CHECK_EQ(ibv_wr_complete(x), EINVAL);		/* too many entries */
	CHECK_EQ(to_qp(r.qp)->sq.head, 0);

	ibv_wr_start(x);
	ibv_wr_rdma_write(x, 0x1234, 0x5678);
	ibv_wr_set_sge_list(x, 2, two);
	x->wr_id = 2;
	x->wr_flags = IBV_SEND_FENCE;
	ibv_wr_send_imm(x, htobe32(0x01020304));
	ibv_wr_set_inline_data_list(x, 2, buf);
	ibv_wr_rdma_read(x, 0x99, 0x88);
	ibv_wr_set_sge(x, 0x303, 0x4000, 8);
	ibv_wr_abort(x);
	CHECK_EQ(to_qp(r.qp)->sq.head, 0);
	CHECK_EQ(word(OHCA_DB_SQ), 0);

	ibv_wr_start(x);
	x->wr_id = 1;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(x, 0x1234, 0x5678);
	ibv_wr_set_sge_list(x, 2, two);
	x->wr_id = 2;
	x->wr_flags = IBV_SEND_FENCE;
	ibv_wr_send_imm(x, htobe32(0x01020304));
	ibv_wr_set_inline_data_list(x, 2, buf);
	ibv_wr_rdma_read(x, 0x99, 0x88);
	ibv_wr_set_sge(x, 0x303, 0x4000, 8);
	CHECK_EQ(ibv_wr_complete(x), 0);
	CHECK_EQ(word(OHCA_DB_SQ), qpn);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 3);
	show("wqe_ctrl", wqe(r.qp, 0), 48, "opcode=4 signaled=1 nsge=1 length=0x30 raddr=0x5678 rkey=0x1234 qpn=%#x "
	     "sge0=0x1122334455667788,0x30,0xaabb01", qpn);
	show("wqe_ctrl", wqe(r.qp, 1), 43, "opcode=2 fence=1 inl=1 length=11 imm=0x04030201 idx=1 qpn=%#x data=hello~world", qpn);
	show("wqe_ctrl", wqe(r.qp, 2), 48, "opcode=6 fence=1 nsge=1 length=8 raddr=0x88 rkey=0x99 idx=2 qpn=%#x sge0=0x4000,8,0x303",
	     qpn);

	/* Room for one: a batch of two goes back as a whole. */
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, 1, 2, 3);
	CHECK_EQ(ibv_wr_complete(x), ENOMEM);
	CHECK_EQ(to_qp(r.qp)->sq.head, 3);
	/* A setter without a request, inline READ, too much inline, an empty batch, a QP that may not send */
	ibv_wr_start(x);
	ibv_wr_set_sge(x, 1, 2, 3);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);
	ibv_wr_start(x);
	ibv_wr_rdma_read(x, 1, 2);
	ibv_wr_set_inline_data(x, (void *)"x", 1);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_set_inline_data(x, db, 33);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);
	ibv_wr_start(x);
	CHECK_EQ(ibv_wr_complete(x), 0);
	CHECK_EQ(word(OHCA_DB_SQ + 4), 3);
	/* One short request is pushed here too. */
	ibv_wr_start(x);
	x->wr_id = 77;
	ibv_wr_send(x);
	CHECK_EQ(ibv_wr_complete(x), 0);
	CHECK(!memcmp(db + 8192, wqe(r.qp, 3), 64));
	put_cqe(&r, 0, qpn, OHCA_WR_OP_SEND, 3, 0);
	CHECK_EQ(vops->poll_cq(r.scq, 1, &wc), 1);
	CHECK_EQ(wc.wr_id, 77);
	r.qp->state = IBV_QPS_INIT;
	ibv_wr_start(x);
	ibv_wr_send(x);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);
	done(&r);
}

static void wr_datagrams(void)
{
	struct rig r = rig(IBV_QPT_UD, 100, 4, 1, 16);
	struct ibv_qp_ex *x = &to_qp(r.qp)->vqp.qp_ex;
	struct ibv_ah_attr a = { .dlid = 7, .port_num = 1 };
	struct ibv_ah *ah = vops->create_ah(r.pd, &a);

	ibv_wr_start(x);
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send_imm(x, htobe32(0x0a0b0c0d));
	ibv_wr_set_ud_addr(x, ah, 0xffffff, 0x11111111);
	ibv_wr_set_inline_data(x, (void *)"abcd", 4);
	CHECK_EQ(ibv_wr_complete(x), 0);
	show("wqe_ud", wqe(r.qp, 0), 68, "opcode=2 signaled=1 inl=1 length=4 qkey=0x11111111 dqpn=0xffffff imm=0x0d0c0b0a av.dlid=7 "
	     "data=abcd");
	CHECK_EQ(word(OHCA_DB_SQ + 4), 1);	/* no qpn field in a datagram's WQE: it cannot be pushed */
	CHECK(!x->wr_rdma_write && !x->wr_rdma_read);
	x->wr_flags = IBV_SEND_IP_CSUM;
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_set_ud_addr(x, ah, 1, 2);
	ibv_wr_set_inline_data(x, (void *)"abcd", 4);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);	/* this adapter has none */
	to_qp(r.qp)->csum = true;
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_set_ud_addr(x, ah, 1, 2);
	ibv_wr_set_inline_data(x, (void *)"abcd", 4);
	CHECK_EQ(ibv_wr_complete(x), 0);
	show("wqe_ud", wqe(r.qp, 1), 68, "opcode=1 csum=1 inl=1 idx=1 length=4 qkey=2 dqpn=1 av.dlid=7 data=abcd");
	vops->destroy_ah(ah);
	done(&r);
}

/* IBA C10-10: a handle of another protection domain is refused, and nothing is sent. */
static void handles_of_another_domain(void)
{
	struct rig r = rig(IBV_QPT_UD, 100, 4, 1, 16);
	struct ibv_qp_ex *x = &to_qp(r.qp)->vqp.qp_ex;
	struct ibv_ah_attr a = { .dlid = 7, .port_num = 1 };
	struct ibv_pd *other = vops->alloc_pd(r.ctx);
	struct ibv_ah *ah = vops->create_ah(other, &a), *own = vops->create_ah(r.pd, &a);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	wr.wr.ud.ah = ah;
	CHECK_EQ(post(r.qp, &wr), EINVAL);
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_set_ud_addr(x, ah, 5, 6);
	ibv_wr_set_inline_data(x, (void *)"abcd", 4);
	CHECK_EQ(ibv_wr_complete(x), EINVAL);
	CHECK_EQ(to_qp(r.qp)->sq.head, 0);
	wr.wr.ud.ah = own;
	CHECK_EQ(post(r.qp, &wr), 0);
	CHECK_EQ(to_qp(r.qp)->sq.head, 1);
	vops->destroy_ah(ah);
	vops->destroy_ah(own);
	vops->dealloc_pd(other);
	done(&r);
}

/* On an Ethernet port the kernel's address vector goes into the WQE as it is, and a completion's VLAN is no LID. */
static void ethernet_paths(void)
{
	struct ibv_ah_attr a = { .is_global = 1, .port_num = 1, .dlid = 77 };
	struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 1 };
	struct ibv_recv_wr rwr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ohca_cqe *e;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct rig r;

	more_caps = OHCA_UCTX_CAP_ETH;
	r = rig(IBV_QPT_UD, 100, 4, 1, 16);
	more_caps = 0;
	fail_create = ENOENT;
	errno = 0;
	CHECK(!vops->create_ah(r.pd, &a));
	CHECK_EQ(errno, ENOENT);
	fail_create = 0;
	ah = vops->create_ah(r.pd, &a);
	CHECK(ah && live_ahs == 1);
	wr.wr.ud.ah = ah;
	r.qp->state = IBV_QPS_RTS;
	CHECK_EQ(post(r.qp, &wr), 0);
	for (unsigned int i = 0; i < 40; i++)
		CHECK_EQ(wqe(r.qp, 0)[24 + i], i / 4 + 1);
	CHECK_EQ(vops->destroy_ah(ah), 0);
	CHECK_EQ(live_ahs, 0);
	CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
	e = put_cqe(&r, 1, to_qp(r.qp)->qpn, OHCA_WC_OP_RECV, 0, 0);
	OHCA_SET(OHCA_CQE_GRH, e, 1);
	OHCA_SET(OHCA_CQE_SLID, e, 0xffff);
	CHECK_EQ(vops->poll_cq(r.rcq, 1, &wc), 1);
	CHECK(wc.slid == 0 && (wc.wc_flags & IBV_WC_GRH));
	CHECK_EQ(wc.sl, 10);		/* over IPv4 */
	CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
	e = put_cqe(&r, 1, to_qp(r.qp)->qpn, OHCA_WC_OP_RECV, 1, 0);
	OHCA_SET(OHCA_CQE_SL, e, 8 | 3);
	OHCA_SET(OHCA_CQE_SLID, e, 3 << 13 | 0x123);
	CHECK_EQ(vops->poll_cq(r.rcq, 1, &wc), 1);
	CHECK_EQ(wc.sl, 9);		/* over IPv6, whatever the priority */
	{
		struct ibv_cq_init_attr_ex x = { .cqe = 10, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_CVLAN };
		struct ibv_cq_ex *cqx = vops->create_cq_ex(r.ctx, &x);
		struct ibv_poll_cq_attr none = {};

		/* The same completion through an extended queue, which tells the tag with the priority */
		CHECK(cqx);
		to_cq_ex(cqx)->ring[0] = *e;
		OHCA_SET(OHCA_CQE_PHASE, &to_cq_ex(cqx)->ring[0], 1);
		CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
		OHCA_SET(OHCA_CQE_WQE_IDX, &to_cq_ex(cqx)->ring[0], 2);
		cqx->context = r.ctx;
		CHECK_EQ(ibv_start_poll(cqx, &none), 0);
		CHECK_EQ(ibv_wc_read_cvlan(cqx), 3 << 13 | 0x123);
		CHECK_EQ(ibv_wc_read_sl(cqx), 9);
		ibv_end_poll(cqx);
		CHECK_EQ(vops->destroy_cq(ibv_cq_ex_to_cq(cqx)), 0);
	}
	done(&r);
}

static void set_gone(void)
{
	struct ohca_state st = { .gone = 1 };

	memcpy(db + 4096, &st, sizeof(st));
}

/* What the adapter still completed comes first; then everything outstanding is flushed once, in order, and so is what is posted later. */
static void gone_adapter_flushes(void)
{
	struct rig r = rig(IBV_QPT_RC, 100, 8, 1, 0);
	uint32_t qpn = to_qp(r.qp)->qpn;
	struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 1 };
	struct ibv_recv_wr rwr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_wc wc[16];
	struct rig other = { .ctx = r.ctx, .pd = r.pd };

	other.scq = other.rcq = vops->create_cq(r.ctx, 10, NULL, 0);
	r.qp->state = IBV_QPS_RTS;
	for (uint64_t i = 0; i < 5; i++) {
		struct ibv_send_wr wr = { .wr_id = 10 + i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ };

		CHECK_EQ(post(r.qp, &wr), 0);
		rwr.wr_id = 20 + i;
		CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
	}
	CHECK_EQ(vops->poll_cq(r.scq, 16, wc), 0);
	put_cqe(&r, 0, qpn, OHCA_WR_OP_RDMA_READ, 1, 0);
	set_gone();
	CHECK_EQ(vops->poll_cq(r.scq, 2, wc), 2);
	CHECK(wc[0].wr_id == 11 && wc[0].status == IBV_WC_SUCCESS && wc[1].wr_id == 12 && wc[1].status == IBV_WC_WR_FLUSH_ERR);
	CHECK(wc[1].opcode == IBV_WC_RDMA_READ && wc[1].qp_num == qpn);
	CHECK_EQ(vops->poll_cq(r.scq, 16, wc), 2);
	CHECK(wc[0].wr_id == 13 && wc[1].wr_id == 14 && wc[1].status == IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(vops->poll_cq(r.scq, 16, wc), 0);
	CHECK_EQ(vops->poll_cq(other.scq, 16, wc), 0);		/* nobody's */
	CHECK_EQ(vops->poll_cq(r.rcq, 16, wc), 5);
	for (uint64_t i = 0; i < 5; i++)
		CHECK(wc[i].wr_id == 20 + i && wc[i].status == IBV_WC_WR_FLUSH_ERR && wc[i].opcode == IBV_WC_RECV);
	rwr.wr_id = 99;
	CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
	CHECK_EQ(vops->poll_cq(r.rcq, 16, wc), 1);
	CHECK(wc[0].wr_id == 99 && wc[0].status == IBV_WC_WR_FLUSH_ERR);
	/* While QPs come or go the poll does not wait for them. */
	CHECK_EQ(vops->post_recv(r.qp, &rwr, &bad), 0);
	pthread_mutex_lock(&to_ctx(r.ctx)->qp_mutex);
	CHECK_EQ(vops->poll_cq(r.rcq, 16, wc), 0);
	pthread_mutex_unlock(&to_ctx(r.ctx)->qp_mutex);
	CHECK_EQ(vops->poll_cq(r.rcq, 16, wc), 1);
	CHECK_EQ(vops->destroy_cq(other.scq), 0);
	done(&r);
}

int main(void)
{
	db_fd = memfd_create("doorbells", 0);
	if (db_fd < 0 || ftruncate(db_fd, 3 * 65536))
		return 2;
	db = mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_SHARED, db_fd, 0);
	CASE(opens_only_its_own_abi);
	CASE(imported_contexts);
	CASE(parent_domains);
	CASE(sizes_are_rounded_and_told);
	CASE(refuses_what_is_not_there);
	CASE(rc_wqes);
	CASE(ud_wqes);
	CASE(path_rates);
	CASE(large_pages);
	CASE(doorbells_and_pushes);
	CASE(full_queues);
	CASE(receive_lists);
	CASE(completions);
	CASE(indices_wrap);
	CASE(resized_cqs);
	CASE(errors_and_late_receives);
	CASE(destroyed_qps_leave_nothing);
	CASE(destroyed_while_others_come);
	CASE(extended_polling);
	CASE(wr_batches);
	CASE(wr_datagrams);
	CASE(handles_of_another_domain);
	CASE(ethernet_paths);
	CASE(gone_adapter_flushes);
	return check_total_failed != 0;
}
