// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Address vectors and address handles. */
#include <linux/etherdevice.h>
#include <rdma/ib_cache.h>

#include "ohca.h"

/* lqpn, rqpn: of a connected QP, which tell its flow when there is no flow label. 0 or a negative errno */
int ohca_fill_av(struct ohca_dev *d, struct ohca_av *av, const struct rdma_ah_attr *attr, u32 lqpn, u32 rqpn)
{
	int mult = ib_rate_to_mult(rdma_ah_get_static_rate(attr)), link = READ_ONCE(d->rate_mult);
	bool grh = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	u32 dlid = rdma_ah_get_dlid(attr);

	memset(av, 0, sizeof(*av));
	/* Multicast needs a GRH: every receiver would drop the packet. */
	if (!d->eth && !grh && dlid >= be16_to_cpu(IB_MULTICAST_LID_BASE) && dlid != be16_to_cpu(IB_LID_PERMISSIVE))
		return -EINVAL;
	/* A path slower than the link: gaps between packets. 0 (the port's own rate) and faster paths have none. */
	if (mult > 0 && mult < link)
		OHCA_SET(OHCA_AV_IPD, av, min(DIV_ROUND_UP(link, mult) - 1, 255));
	OHCA_SET(OHCA_AV_DLID, av, dlid);
	/* On Ethernet the priority. A completion's sl, from which programs make address handles, has bit 3 set there and tells none. */
	OHCA_SET(OHCA_AV_SL, av, d->eth && rdma_ah_get_sl(attr) > 7 ? 0 : rdma_ah_get_sl(attr));
	OHCA_SET(OHCA_AV_PATH_BITS, av, rdma_ah_get_path_bits(attr));
	if (grh) {
		const struct ib_global_route *r = rdma_ah_read_grh(attr);

		OHCA_SET(OHCA_AV_GRH, av, 1);
		OHCA_SET(OHCA_AV_SGID_INDEX, av, r->sgid_index);
		OHCA_SET(OHCA_AV_HOP_LIMIT, av, r->hop_limit);
		OHCA_SET(OHCA_AV_TCLASS, av, r->traffic_class);
		OHCA_SET(OHCA_AV_FLOW_LABEL, av, r->flow_label & IB_GRH_FLOWLABEL_MASK);
		memcpy(OHCA_PTR(OHCA_AV_DGID, av), r->dgid.raw, 16);
	}
	if (!d->eth)
		return 0;
	/* The VLAN and the source are the GID table entry's; sl is the priority. */
	if (!grh || attr->type != RDMA_AH_ATTR_TYPE_ROCE || is_zero_ether_addr(attr->roce.dmac))
		return -EINVAL;
	OHCA_SET(OHCA_AV_DMAC_LO, av, get_unaligned_le32(attr->roce.dmac));
	OHCA_SET(OHCA_AV_DMAC_HI, av, get_unaligned_le16(attr->roce.dmac + 4));
	OHCA_SET(OHCA_AV_UDP_SPORT, av, rdma_get_udp_sport(attr->grh.flow_label, lqpn, rqpn));
	return 0;
}

void ohca_get_av(struct ohca_av *av, struct rdma_ah_attr *attr)
{
	rdma_ah_set_dlid(attr, OHCA_GET(OHCA_AV_DLID, av));
	rdma_ah_set_sl(attr, OHCA_GET(OHCA_AV_SL, av));
	rdma_ah_set_path_bits(attr, OHCA_GET(OHCA_AV_PATH_BITS, av));
	rdma_ah_set_port_num(attr, 1);
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE) {
		put_unaligned_le32(OHCA_GET(OHCA_AV_DMAC_LO, av), attr->roce.dmac);
		put_unaligned_le16(OHCA_GET(OHCA_AV_DMAC_HI, av), attr->roce.dmac + 4);
	}
	if (OHCA_GET(OHCA_AV_GRH, av)) {
		rdma_ah_set_grh(attr, NULL, OHCA_GET(OHCA_AV_FLOW_LABEL, av), OHCA_GET(OHCA_AV_SGID_INDEX, av),
				OHCA_GET(OHCA_AV_HOP_LIMIT, av), OHCA_GET(OHCA_AV_TCLASS, av));
		rdma_ah_set_dgid_raw(attr, OHCA_PTR(OHCA_AV_DGID, av));
	}
}

int ohca_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	struct ohca_uresp_create_ah resp = {};
	struct ohca_ah *ah = to_ah(ibah);
	int ret;

	ret = ohca_no_req(udata);
	if (ret)
		return ret;
	ret = ohca_fill_av(to_dev(ibah->device), &ah->av, attr->ah_attr, 0, 0);
	if (ret || !udata)
		return ret;
	/* InfiniBand ports' are made by the provider, and programs without one ask for no answer. */
	BUILD_BUG_ON(sizeof(resp.av) != sizeof(ah->av));
	memcpy(resp.av, &ah->av, sizeof(ah->av));
	return OHCA_PUT_RESP(udata, &resp);
}

int ohca_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}

int ohca_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = ibah->type;
	ohca_get_av(&to_ah(ibah)->av, attr);
	return 0;
}
