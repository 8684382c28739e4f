// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Verbs off the data path: device and port, protection domains, memory regions, address handles. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ohca.h"

struct create_ah_resp {
	struct ib_uverbs_create_ah_resp ibv;
	struct ohca_uresp_create_ah drv;
};
static_assert(offsetof(struct create_ah_resp, drv) == sizeof(struct ib_uverbs_create_ah_resp), "no padding");

int ohca_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t v;
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (ret)
		return ret;
	v = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u", (unsigned int)(v >> 32),
		 (unsigned int)(v >> 16 & 0xffff), (unsigned int)(v & 0xffff));
	return 0;
}

int ohca_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

/* ------------------------------------------------------------------ domains */

struct ibv_pd *ohca_alloc_pd(struct ibv_context *context)
{
	struct ibv_alloc_pd cmd;
	struct ib_uverbs_alloc_pd_resp resp;
	struct ohca_pd *pd = calloc(1, sizeof(*pd));
	int ret;

	if (!pd)
		return NULL;
	ret = ibv_cmd_alloc_pd(context, &pd->ib, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	return &pd->ib;
}

int ohca_dealloc_pd(struct ibv_pd *ibpd)
{
	struct ohca_pd *pd = to_pd(ibpd);
	int ret = 0;

	if (atomic_load(&pd->users))
		return EBUSY;
	if (pd->of) {
		atomic_fetch_sub(&pd->of->users, 1);
		if (pd->td)
			atomic_fetch_sub(&pd->td->users, 1);
	} else {
		ret = ibv_cmd_dealloc_pd(ibpd);
	}
	if (!ret)
		free(pd);
	return ret;
}

struct ibv_td *ohca_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct ohca_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ib.context = context;
	return &td->ib;
}

int ohca_dealloc_td(struct ibv_td *ibtd)
{
	struct ohca_td *td = container_of(ibtd, struct ohca_td, ib);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

struct ibv_pd *ohca_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	struct ohca_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	/* A parent domain of a parent domain is none. */
	if (to_pd(attr->pd)->of) {
		errno = EINVAL;
		return NULL;
	}
	if (!check_comp_mask(attr->comp_mask, IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if ((attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) && (!attr->alloc || !attr->free)) {
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->of = to_pd(attr->pd);
	ibv_initialize_parent_domain(&pd->ib, attr->pd);
	atomic_fetch_add(&pd->of->users, 1);
	if (attr->td) {
		pd->td = container_of(attr->td, struct ohca_td, ib);
		atomic_fetch_add(&pd->td->users, 1);
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		pd->alloc = attr->alloc;
		pd->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->context = attr->pd_context;
	return &pd->ib;
}

struct ibv_pd *ohca_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct ohca_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->ib.context = context;
	pd->ib.handle = handle;
	return &pd->ib;
}

/* The kernel's object is the other process's, too, and stays. */
void ohca_unimport_pd(struct ibv_pd *ibpd)
{
	free(to_pd(ibpd));
}

/* ------------------------------------------------------------------ memory regions */

struct ibv_mr *ohca_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access)
{
	struct ibv_reg_mr cmd;
	struct ib_uverbs_reg_mr_resp resp;
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int ret;

	if (!vmr)
		return NULL;
	ret = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, vmr, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

struct ibv_mr *ohca_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int ret;

	if (!vmr)
		return NULL;
	ret = ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr, NULL);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

int ohca_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	struct ibv_rereg_mr cmd;
	struct ib_uverbs_rereg_mr_resp resp;

	return ibv_cmd_rereg_mr(vmr, (uint32_t)flags, addr, length, (uintptr_t)addr, access, pd, &cmd, sizeof(cmd), &resp, sizeof(resp));
}

struct ibv_mr *ohca_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int ret;

	if (!vmr)
		return NULL;
	ret = ibv_cmd_query_mr(pd, vmr, handle);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

void ohca_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
}

int ohca_dereg_mr(struct verbs_mr *vmr)
{
	int ret = ibv_cmd_dereg_mr(vmr);

	if (!ret)
		free(vmr);
	return ret;
}

/* ------------------------------------------------------------------ address handles */

/* Of a lane, in 0.1 Gb/s */
static uint32_t lane_speed(uint32_t speed)
{
	static const struct {
		uint32_t speed, tenths;
	} t[] = { { 256, 2000 }, { 128, 1000 }, { 64, 500 }, { 32, 250 }, { 16, 140 }, { 8, 100 }, { 4, 100 }, { 2, 50 } };

	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (speed == t[i].speed)
			return t[i].tenths;
	return 25;
}

static uint32_t width_lanes(uint8_t width)
{
	switch (width) {
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 1;
	}
}

/* Spacing that keeps packets at or below the static rate; none for the port's own rate and faster ones */
static uint32_t rate_to_ipd(struct ohca_context *ctx, uint8_t static_rate)
{
	uint32_t link = atomic_load_explicit(&ctx->rate_mult, memory_order_relaxed), ipd;
	int mult = static_rate ? ibv_rate_to_mult(static_rate) : 0;

	if (mult <= 0)
		return 0;
	if (!link) {
		struct ibv_port_attr port;

		if (ohca_query_port(&ctx->vctx.context, 1, &port))
			return 0;
		/* Rounded down, and only of all lanes: the port's own rate may not count as slower than the port (4x FDR is 22.4 times 2.5 Gb/s). */
		link = width_lanes(port.active_width) * lane_speed(port.active_speed) / 25;
		atomic_store_explicit(&ctx->rate_mult, link, memory_order_relaxed);
	}
	ipd = (link + (uint32_t)mult - 1) / (uint32_t)mult - 1;
	return ipd > 255 ? 255 : ipd;
}

/* On Ethernet the kernel makes the address vector: it knows the destination's MAC. */
static struct ibv_ah *create_eth_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct create_ah_resp resp = {};
	struct ohca_ah *ah = calloc(1, sizeof(*ah));
	int ret;

	if (!ah)
		return NULL;
	ret = ibv_cmd_create_ah(pd, &ah->ib, attr, &resp.ibv, sizeof(resp));
	if (ret) {
		free(ah);
		errno = ret;
		return NULL;
	}
	ah->kernel = true;
	ah->pd = real_pd(pd);
	memcpy(&ah->av, resp.drv.av, sizeof(ah->av));
	return &ah->ib;
}

struct ibv_ah *ohca_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ohca_ah *ah;

	if (attr->port_num != 1 || attr->sl > 15) {
		errno = EINVAL;
		return NULL;
	}
	if (to_ctx(pd->context)->eth)
		return create_eth_ah(pd, attr);
	/* Multicast needs a GRH: every receiver would drop the packet. 0xffff is the permissive LID. */
	if (!attr->is_global && attr->dlid >= 0xc000 && attr->dlid != 0xffff) {
		errno = EINVAL;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	ah->pd = real_pd(pd);
	OHCA_SET(OHCA_AV_DLID, &ah->av, attr->dlid);
	OHCA_SET(OHCA_AV_SL, &ah->av, attr->sl);
	OHCA_SET(OHCA_AV_PATH_BITS, &ah->av, attr->src_path_bits & 0x7f);
	OHCA_SET(OHCA_AV_IPD, &ah->av, rate_to_ipd(to_ctx(pd->context), attr->static_rate));
	if (attr->is_global) {
		OHCA_SET(OHCA_AV_GRH, &ah->av, 1);
		OHCA_SET(OHCA_AV_SGID_INDEX, &ah->av, attr->grh.sgid_index);
		OHCA_SET(OHCA_AV_HOP_LIMIT, &ah->av, attr->grh.hop_limit);
		OHCA_SET(OHCA_AV_TCLASS, &ah->av, attr->grh.traffic_class);
		/* Programs give all ones for "any" (UCX does): a flow label has 20 bits, and the field takes these. */
		OHCA_SET(OHCA_AV_FLOW_LABEL, &ah->av, attr->grh.flow_label & 0xfffff);
		memcpy(OHCA_PTR(OHCA_AV_DGID, &ah->av), attr->grh.dgid.raw, 16);
	}
	return &ah->ib;
}

int ohca_destroy_ah(struct ibv_ah *ibah)
{
	int ret = to_ah(ibah)->kernel ? ibv_cmd_destroy_ah(ibah) : 0;

	if (!ret)
		free(to_ah(ibah));
	return ret;
}
