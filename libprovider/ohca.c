// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Matching, opening and closing the device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <infiniband/cmd_ioctl.h>

#include "ohca.h"

struct alloc_ucontext_cmd {
	struct ibv_get_context ibv;
	struct ohca_ureq_alloc_ucontext drv;
};
static_assert(offsetof(struct alloc_ucontext_cmd, drv) == sizeof(struct ibv_get_context), "no padding");

struct alloc_ucontext_resp {
	struct ib_uverbs_get_context_resp ibv;
	struct ohca_uresp_alloc_ucontext drv;
};
static_assert(offsetof(struct alloc_ucontext_resp, drv) == sizeof(struct ib_uverbs_get_context_resp), "no padding");

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (p == MAP_FAILED)
		return NULL;
	ret = ibv_dontfork_range(p, bytes);
	if (ret) {
		munmap(p, bytes);
		errno = ret > 0 ? ret : ENOMEM;
		return NULL;
	}
	return p;
}

int ohca_mem_get(struct ibv_pd *ibpd, enum ohca_resource kind, size_t bytes, struct ohca_mem *m)
{
	struct ohca_pd *pd = ibpd ? to_pd(ibpd) : NULL;

	memset(m, 0, sizeof(*m));
	m->bytes = bytes;
	if (pd && pd->alloc) {
		m->p = pd->alloc(ibpd, pd->context, bytes, OHCA_PAGE, kind);
		if (!m->p || (m->p != IBV_ALLOCATOR_USE_DEFAULT && (uintptr_t)m->p % OHCA_PAGE)) {
			if (m->p)
				pd->free(ibpd, pd->context, m->p, kind);
			m->p = NULL;
			return ENOMEM;
		}
		if (m->p == IBV_ALLOCATOR_USE_DEFAULT) {
			m->p = NULL;
		} else {
			memset(m->p, 0, bytes);
			m->from = pd;
		}
	}
	if (!m->p)
		m->p = map(bytes);
	if (!m->p)
		return errno ? errno : ENOMEM;
	if (pd && pd->of) {
		atomic_fetch_add(&pd->users, 1);
		m->holds = pd;
	}
	return 0;
}

void ohca_mem_put(struct ohca_mem *m, enum ohca_resource kind)
{
	if (m->p && m->from) {
		m->from->free(&m->from->ib, m->from->context, m->p, kind);
	} else if (m->p) {
		ibv_dofork_range(m->p, m->bytes);
		munmap(m->p, m->bytes);
	}
	if (m->holds)
		atomic_fetch_sub(&m->holds->users, 1);
}

/* What the kernel tells of a context, and the adapter's clock; 0 or an error */
static int query_context(struct ibv_context *context, struct ohca_uresp_query_context *resp)
{
	DECLARE_COMMAND_BUFFER(attr, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, 1);

	memset(resp, 0, sizeof(*resp));
	fill_attr_out_ptr(attr, OHCA_ATTR_QUERY_CONTEXT_RESP, resp);
	return ibv_cmd_query_context(context, attr);
}

int ohca_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	struct ohca_uresp_query_context resp;
	uint32_t want = values->comp_mask;
	int ret;

	values->comp_mask = 0;
	if (!(want & IBV_VALUES_MASK_RAW_CLOCK))
		return EINVAL;
	ret = query_context(context, &resp);
	if (ret)
		return ret;
	values->raw_clock.tv_sec = 0;
	values->raw_clock.tv_nsec = (long)resp.clock;	/* cycles, as programs expect them */
	values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	return 0;
}

static void async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
		ohca_qp_set_err(to_qp(event->element.qp));
		break;
	default:
		break;
	}
}

static void free_context(struct ibv_context *context)
{
	struct ohca_context *ctx = to_ctx(context);

	if (ctx->push)
		munmap(ctx->push, ctx->push_bytes);
	munmap((void *)ctx->state, ctx->state_bytes);
	munmap(ctx->db, ctx->db_bytes);
	ohca_qp_table_free(ctx);
	pthread_mutex_destroy(&ctx->qp_mutex);
	pthread_spin_destroy(&ctx->push_lock);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

/* What is not here is refused with EOPNOTSUPP by libibverbs. */
static const struct verbs_context_ops ops = {
	.attach_mcast = ibv_cmd_attach_mcast,
	.detach_mcast = ibv_cmd_detach_mcast,
	.alloc_parent_domain = ohca_alloc_parent_domain,
	.alloc_pd = ohca_alloc_pd,
	.alloc_td = ohca_alloc_td,
	.async_event = async_event,
	.create_ah = ohca_create_ah,
	.create_cq = ohca_create_cq,
	.create_cq_ex = ohca_create_cq_ex,
	.create_qp = ohca_create_qp,
	.create_qp_ex = ohca_create_qp_ex,
	.dealloc_pd = ohca_dealloc_pd,
	.dealloc_td = ohca_dealloc_td,
	.dereg_mr = ohca_dereg_mr,
	.destroy_ah = ohca_destroy_ah,
	.destroy_cq = ohca_destroy_cq,
	.destroy_qp = ohca_destroy_qp,
	.free_context = free_context,
	.import_mr = ohca_import_mr,
	.import_pd = ohca_import_pd,
	.modify_cq = ohca_modify_cq,
	.modify_qp = ohca_modify_qp,
	.poll_cq = ohca_poll_cq,
	.post_recv = ohca_post_recv,
	.post_send = ohca_post_send,
	.query_device_ex = ohca_query_device_ex,
	.query_port = ohca_query_port,
	.query_ece = ohca_query_ece,
	.query_qp = ohca_query_qp,
	.query_qp_data_in_order = ohca_data_in_order,
	.query_rt_values = ohca_query_rt_values,
	.reg_dmabuf_mr = ohca_reg_dmabuf_mr,
	.reg_mr = ohca_reg_mr,
	.req_notify_cq = ohca_arm_cq,
	.cq_event = ohca_cq_event,
	.resize_cq = ohca_resize_cq,
	.rereg_mr = ohca_rereg_mr,
	.set_ece = ohca_set_ece,
	.unimport_mr = ohca_unimport_mr,
	.unimport_pd = ohca_unimport_pd,
};

/* A context that the kernel has, of whose limits and pages r tells; what is made here is undone after an error. */
static int set_context(struct ohca_context *ctx, int cmd_fd, const struct ohca_uresp_alloc_ucontext *r, bool push)
{
	int ret;

	if (r->host_abi != OHCA_HOST_ABI) {
		fprintf(stderr, "libohca: %s: the adapter has host ABI %u, this library %u: update the %s\n", ctx->vctx.context.device->name,
			r->host_abi, OHCA_HOST_ABI, r->host_abi > OHCA_HOST_ABI ? "library" : "driver and the adapter");
		return EPROTO;
	}
	ctx->max_inline = r->max_inline;
	ctx->max_send_sge = r->max_send_sge;
	ctx->max_recv_sge = r->max_recv_sge;
	ctx->max_qp_wr = r->max_qp_wr;
	ctx->max_cqe = r->max_cqe;
	ctx->eth = r->caps & OHCA_UCTX_CAP_ETH;
	ctx->ud_csum = r->caps & OHCA_UCTX_CAP_UD_CSUM;
	ctx->db_page = r->db_page;
	ctx->db_bytes = r->db_bytes;
	ctx->state_bytes = r->state_bytes;
	ctx->db = mmap(NULL, ctx->db_bytes, PROT_WRITE, MAP_SHARED, cmd_fd, (off_t)r->db_mmap_offset);
	if (ctx->db == MAP_FAILED)
		return errno;
	ctx->state = mmap(NULL, ctx->state_bytes, PROT_READ, MAP_SHARED, cmd_fd, (off_t)r->state_mmap_offset);
	if (ctx->state == MAP_FAILED) {
		ret = errno;
		goto db;
	}
	if ((r->caps & OHCA_UCTX_CAP_PUSH) && push && OHCA_CAN_PUSH) {
		ctx->push_bytes = r->push_bytes;
		ctx->push_buffers = r->push_buffers;
		ctx->push = mmap(NULL, ctx->push_bytes, PROT_WRITE, MAP_SHARED, cmd_fd, (off_t)r->push_mmap_offset);
		if (ctx->push == MAP_FAILED) {
			ret = errno;
			goto state;
		}
	}
	pthread_mutex_init(&ctx->qp_mutex, NULL);
	pthread_spin_init(&ctx->push_lock, PTHREAD_PROCESS_PRIVATE);
	verbs_set_ops(&ctx->vctx, &ops);
	return 0;
state:
	munmap((void *)ctx->state, ctx->state_bytes);
db:
	munmap(ctx->db, ctx->db_bytes);
	return ret;
}

static struct verbs_context *alloc_context(struct ibv_device *ibdev, int cmd_fd, void *private_data)
{
	struct alloc_ucontext_cmd cmd = { .drv.caps = OHCA_UCTX_CAP_PUSH | OHCA_UCTX_CAP_ETH | OHCA_UCTX_CAP_UD_CSUM };
	struct alloc_ucontext_resp resp = {};
	struct ohca_context *ctx;
	const char *push = getenv("OHCA_PUSH");
	int ret;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	ret = ibv_cmd_get_context(&ctx->vctx, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (!ret)
		ret = set_context(ctx, cmd_fd, &resp.drv, !(push && !strcmp(push, "0")));
	if (!ret)
		return &ctx->vctx;
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

/* Another process has the context too: it pushes, so this one must not, as both would use the same buffers. */
static struct verbs_context *import_context(struct ibv_device *ibdev, int cmd_fd)
{
	struct ohca_uresp_query_context resp;
	struct ohca_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	ret = query_context(&ctx->vctx.context, &resp);
	if (!ret)
		ret = set_context(ctx, cmd_fd, &resp.ctx, false);
	if (!ret)
		return &ctx->vctx;
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *dev)
{
	free(dev);
}

/* By PCI id: the kernel has no driver id for us, and names are changed by udev. */
static const struct verbs_match_ent match_table[] = {
	VERBS_PCI_MATCH(0x0ca1, 0x0c01, NULL),
	{},
};

static const struct verbs_device_ops dev_ops = {
	.name = "ohca",
	.match_min_abi_version = OHCA_UVERBS_ABI_VERSION,
	.match_max_abi_version = OHCA_UVERBS_ABI_VERSION,
	.match_table = match_table,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
	.import_context = import_context,
};
PROVIDER_DRIVER(ohca, dev_ops);
