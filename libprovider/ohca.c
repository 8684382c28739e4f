// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Matching, opening and closing the device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ohca.h"

struct alloc_ucontext_resp {
	struct ib_uverbs_get_context_resp ibv;
	struct ohca_uresp_alloc_ucontext drv;
};
static_assert(offsetof(struct alloc_ucontext_resp, drv) == sizeof(struct ib_uverbs_get_context_resp), "no padding");

void *ohca_map(size_t bytes)
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

void ohca_unmap(void *p, size_t bytes)
{
	if (!p)
		return;
	ibv_dofork_range(p, bytes);
	munmap(p, bytes);
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

	munmap((void *)ctx->state, OHCA_PAGE);
	munmap(ctx->db, OHCA_PAGE);
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
	.alloc_pd = ohca_alloc_pd,
	.async_event = async_event,
	.create_ah = ohca_create_ah,
	.create_cq = ohca_create_cq,
	.create_cq_ex = ohca_create_cq_ex,
	.create_qp = ohca_create_qp,
	.create_qp_ex = ohca_create_qp_ex,
	.dealloc_pd = ohca_dealloc_pd,
	.dereg_mr = ohca_dereg_mr,
	.destroy_ah = ohca_destroy_ah,
	.destroy_cq = ohca_destroy_cq,
	.destroy_qp = ohca_destroy_qp,
	.free_context = free_context,
	.modify_qp = ohca_modify_qp,
	.poll_cq = ohca_poll_cq,
	.post_recv = ohca_post_recv,
	.post_send = ohca_post_send,
	.query_device_ex = ohca_query_device_ex,
	.query_port = ohca_query_port,
	.query_qp = ohca_query_qp,
	.reg_mr = ohca_reg_mr,
	.req_notify_cq = ohca_arm_cq,
};

static struct verbs_context *alloc_context(struct ibv_device *ibdev, int cmd_fd, void *private_data)
{
	struct ibv_get_context cmd = {};
	struct alloc_ucontext_resp resp = {};
	struct ohca_context *ctx;
	const char *push = getenv("OHCA_PUSH");

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	if (ibv_cmd_get_context(&ctx->vctx, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp)))
		goto uninit;
	if (resp.drv.fmt_version != OHCA_FMT_VERSION || resp.drv.comp_mask) {
		fprintf(stderr, "libohca: %s: driver and adapter have formats %#x, this library %#x: build all from one source\n",
			ibdev->name, resp.drv.fmt_version, OHCA_FMT_VERSION);
		errno = EPROTO;
		goto uninit;
	}
	ctx->max_inline = resp.drv.max_inline;
	ctx->max_send_sge = resp.drv.max_send_sge;
	ctx->max_recv_sge = resp.drv.max_recv_sge;
	ctx->max_qp_wr = resp.drv.max_qp_wr;
	ctx->max_cqe = resp.drv.max_cqe;
	ctx->eth = resp.drv.caps & OHCA_UCTX_CAP_ETH;
	ctx->push = (resp.drv.caps & OHCA_UCTX_CAP_PUSH) && !(push && !strcmp(push, "0"));
	ctx->db = mmap(NULL, OHCA_PAGE, PROT_WRITE, MAP_SHARED, cmd_fd, resp.drv.db_mmap_offset);
	if (ctx->db == MAP_FAILED)
		goto uninit;
	ctx->state = mmap(NULL, OHCA_PAGE, PROT_READ, MAP_SHARED, cmd_fd, resp.drv.state_mmap_offset);
	if (ctx->state == MAP_FAILED) {
		munmap(ctx->db, OHCA_PAGE);
		goto uninit;
	}
	pthread_mutex_init(&ctx->qp_mutex, NULL);
	pthread_spin_init(&ctx->push_lock, PTHREAD_PROCESS_PRIVATE);
	verbs_set_ops(&ctx->vctx, &ops);
	return &ctx->vctx;
uninit:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
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
};
PROVIDER_DRIVER(ohca, dev_ops);
