// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Device, port, protection domain and context verbs, and the table of all. */
#include <linux/if_vlan.h>
#include <linux/interrupt.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>
#include <rdma/uverbs_std_types.h>

#include "ohca.h"

#define UVERBS_MODULE_NAME ohca
#include <rdma/uverbs_named_ioctl.h>

#define TIMESTAMP_MASK GENMASK_ULL(47, 0)	/* of completions */
#define LIM(f) OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_##f, &d->lim)

static int ohca_query_device(struct ib_device *ibdev, struct ib_device_attr *a, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibdev);
	int ret;

	ret = ohca_no_req(udata);
	if (ret)
		return ret;
	memset(a, 0, sizeof(*a));
	a->fw_ver = (u64)(LIM(FW_VERSION) >> 24) << 32 | (LIM(FW_VERSION) >> 16 & 0xff) << 16 | (LIM(FW_VERSION) & 0xffff);
	a->sys_image_guid = cpu_to_be64(LIM(SYS_IMAGE_GUID));
	/* What the table of translations holds of the smallest pages; of larger ones it is more. */
	a->max_mr_size = (u64)OHCA_PAGE << d->icm[OHCA_ICM_TABLE_MTT].log_entries;
	a->page_size_cap = GENMASK_ULL(31, 12);
	a->vendor_id = LIM(VENDOR_ID);
	a->vendor_part_id = LIM(PART_ID);
	a->hw_ver = LIM(HW_REV);
	a->max_qp = (1 << d->icm[OHCA_ICM_TABLE_QPC].log_entries) - 2;
	a->max_qp_wr = 1 << LIM(LOG_MAX_QP_WR);
	a->device_cap_flags = IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
			      IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT;
	if (LIM(CAPS) >> OHCA_DEV_CAP_UD_CSUM & 1)
		a->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
	a->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	a->max_send_sge = LIM(MAX_SEND_SGE);
	a->max_recv_sge = LIM(MAX_RECV_SGE);
	a->max_sge_rd = LIM(MAX_SEND_SGE);
	a->max_cq = (1 << d->icm[OHCA_ICM_TABLE_CQC].log_entries) - 1;
	a->max_cqe = (1 << LIM(LOG_MAX_CQE)) - 1;
	if (LIM(CAPS) >> OHCA_DEV_CAP_CQ_MOD & 1) {
		a->cq_caps.max_cq_moderation_count = U16_MAX;
		a->cq_caps.max_cq_moderation_period = U16_MAX;
	}
	a->max_mr = (1 << d->icm[OHCA_ICM_TABLE_MPT].log_entries) - 1;
	a->max_pd = 1 << 23;
	a->max_mcast_grp = LIM(MAX_MCAST_GRP);
	a->max_mcast_qp_attach = LIM(MAX_MCAST_QP);
	a->max_total_mcast_qp_attach = LIM(MAX_MCAST_ATTACH);
	a->max_qp_rd_atom = LIM(MAX_RD_ATOMIC);
	a->max_qp_init_rd_atom = LIM(MAX_RD_ATOMIC);
	a->max_res_rd_atom = a->max_qp_rd_atom * a->max_qp;
	a->atomic_cap = IB_ATOMIC_NONE;
	a->max_ah = INT_MAX;
	a->max_pkeys = LIM(PKEY_TABLE_LEN);
	a->local_ca_ack_delay = LIM(ACK_DELAY);
	a->timestamp_mask = TIMESTAMP_MASK;
	a->hca_core_clock = LIM(CYCLES_PER_US) * 1000;
	return 0;
}

/* Of a lane, in 0.1 Gb/s */
static u32 lane_speed(u32 speed)
{
	switch (speed) {
	case IB_SPEED_DDR:
		return 50;
	case IB_SPEED_QDR:
	case IB_SPEED_FDR10:
		return 100;
	case IB_SPEED_FDR:
		return 140;
	case IB_SPEED_EDR:
		return 250;
	case IB_SPEED_HDR:
		return 500;
	case IB_SPEED_NDR:
		return 1000;
	case IB_SPEED_XDR:
		return 2000;
	default:
		return 25;
	}
}

static bool eth_active(struct ohca_dev *d)
{
	return netif_running(d->netdev) && netif_carrier_ok(d->netdev);
}

static int ohca_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *a)
{
	struct ohca_dev *d = to_dev(ibdev);
	struct ohca_cmd_port_out o;
	int ret;

	ret = ohca_cmd(d, OHCA_CMD_OP_QUERY_PORT, port, 0, NULL, 0, &o, sizeof(o), NULL);
	if (ret)
		return ret;
	/* zeroed by the core */
#define G(f) OHCA_GET(OHCA_CMD_PORT_OUT_##f, &o)
	a->state = G(STATE);
	a->phys_state = G(PHYS_STATE);
	a->max_mtu = G(MAX_MTU);
	a->active_mtu = G(ACTIVE_MTU);
	a->gid_tbl_len = LIM(GID_TABLE_LEN);
	a->pkey_tbl_len = LIM(PKEY_TABLE_LEN);
	a->port_cap_flags = G(CAP_MASK);
	a->max_msg_sz = LIM(MAX_MSG);
	a->bad_pkey_cntr = G(BAD_PKEY_CNTR);
	a->qkey_viol_cntr = G(QKEY_VIOL_CNTR);
	a->lid = G(LID);
	a->sm_lid = G(SM_LID);
	a->lmc = G(LMC);
	a->max_vl_num = G(MAX_VL_NUM);
	a->sm_sl = G(SM_SL);
	a->subnet_timeout = G(SUBNET_TIMEOUT);
	a->init_type_reply = G(INIT_TYPE_REPLY);
	a->active_width = G(ACTIVE_WIDTH);
	a->active_speed = G(ACTIVE_SPEED);
	/* Rounded down, and only of all lanes: the port's own rate may not count as slower than the port (4x FDR is 22.4 times 2.5 Gb/s). */
	WRITE_ONCE(d->rate_mult, ib_width_enum_to_int(a->active_width) * lane_speed(a->active_speed) / 25);
#undef G
	if (d->eth) {
		/* The port is what its network interface is. */
		a->state = eth_active(d) ? IB_PORT_ACTIVE : IB_PORT_DOWN;
		a->phys_state = eth_active(d) ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
		a->active_mtu = clamp_t(int, iboe_get_mtu(READ_ONCE(d->netdev->mtu)), IB_MTU_256, a->max_mtu);
		a->port_cap_flags = IB_PORT_CM_SUP;
		a->ip_gids = true;
		a->pkey_tbl_len = 1;
		a->lid = 0;
		a->sm_lid = 0;
	}
	return 0;
}

static int ohca_modify_port(struct ib_device *ibdev, u32 port, int mask, struct ib_port_modify *props)
{
	struct ohca_dev *d = to_dev(ibdev);
	struct ohca_cmd_port_in in = {};

	if (mask & ~IB_PORT_RESET_QKEY_CNTR)
		return -EOPNOTSUPP;
	/* There is no subnet manager on Ethernet. */
	if (d->eth && (props->set_port_cap_mask & IB_PORT_SM))
		return -EOPNOTSUPP;
	/* Communication management is announced always: who asks for it gets it, and nobody takes it away from others. */
	if ((props->set_port_cap_mask | props->clr_port_cap_mask) & ~(IB_PORT_SM | IB_PORT_DEVICE_MGMT_SUP | IB_PORT_CM_SUP))
		return -EOPNOTSUPP;
	OHCA_SET(OHCA_CMD_PORT_IN_SET_CAPS, &in, props->set_port_cap_mask & ~IB_PORT_CM_SUP);
	OHCA_SET(OHCA_CMD_PORT_IN_CLR_CAPS, &in, props->clr_port_cap_mask & ~IB_PORT_CM_SUP);
	OHCA_SET(OHCA_CMD_PORT_IN_RESET_QKEY_CNTR, &in, !!(mask & IB_PORT_RESET_QKEY_CNTR));
	return ohca_cmd(d, OHCA_CMD_OP_SET_PORT, port, 0, &in, sizeof(in), NULL, 0, NULL);
}

static int ohca_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *m)
{
	int ret;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	ret = ohca_cmd(to_dev(ibdev), OHCA_CMD_OP_SET_NODE_DESC, 0, 0, m->node_desc, IB_DEVICE_NODE_DESC_MAX, NULL, 0, NULL);
	if (!ret)
		memcpy(ibdev->node_desc, m->node_desc, IB_DEVICE_NODE_DESC_MAX);
	return ret;
}

/*
 * The adapter tells changes of the P_Key and GID tables by events. A change that comes while a table is being read leaves the copy
 * old, and the next query reads again.
 */
static int ohca_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	struct ohca_dev *d = to_dev(ibdev);
	u32 gen = atomic_read(&d->pkey_gen);
	int ret = 0;

	if (d->eth) {
		if (index)
			return -EINVAL;
		*pkey = IB_DEFAULT_PKEY_FULL;
		return 0;
	}
	if (index >= LIM(PKEY_TABLE_LEN))
		return -EINVAL;
	mutex_lock(&d->table_lock);
	if (d->pkey_seen != gen) {
		ret = ohca_get_pkeys(d, port, d->pkeys, LIM(PKEY_TABLE_LEN));
		if (!ret)
			d->pkey_seen = gen;
	}
	if (!ret)
		*pkey = be16_to_cpu(d->pkeys[index]);
	mutex_unlock(&d->table_lock);
	return ret;
}

static int ohca_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid)
{
	struct ohca_dev *d = to_dev(ibdev);
	u32 gen = atomic_read(&d->gid_gen), i;
	int ret = 0;

	if (index < 0 || index >= LIM(GID_TABLE_LEN))
		return -EINVAL;
	mutex_lock(&d->table_lock);
	if (d->gid_seen != gen) {
		for (i = 0; i < LIM(GID_TABLE_LEN) && !ret; i++)
			ret = ohca_cmd(d, OHCA_CMD_OP_QUERY_GID, port | i << 8, 0, NULL, 0, &d->gids[i], sizeof(*gid), NULL);
		if (!ret)
			d->gid_seen = gen;
	}
	if (!ret) {
		*gid = d->gids[index];
		/* IBA 14.2.5.5: a GID is the prefix and the GUIDInfo entry, also of an entry without a GUID. */
		if (!d->eth && !gid->global.interface_id)
			gid->global.subnet_prefix = d->gids[0].global.subnet_prefix;
	}
	mutex_unlock(&d->table_lock);
	return ret;
}

int ohca_tables_init(struct ohca_dev *d)
{
	mutex_init(&d->table_lock);
	atomic_set(&d->pkey_gen, 1);
	atomic_set(&d->gid_gen, 1);
	d->pkeys = kcalloc(LIM(PKEY_TABLE_LEN), sizeof(*d->pkeys), GFP_KERNEL);
	d->gids = kcalloc(LIM(GID_TABLE_LEN), sizeof(*d->gids), GFP_KERNEL);
	if (d->pkeys && d->gids)
		return 0;
	ohca_tables_fini(d);
	return -ENOMEM;
}

void ohca_tables_fini(struct ohca_dev *d)
{
	kfree(d->pkeys);
	kfree(d->gids);
}

static int ohca_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *im)
{
	struct ohca_dev *d = to_dev(ibdev);

	im->core_cap_flags = d->eth ? RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP : RDMA_CORE_PORT_IBA_IB;
	im->max_mad_size = IB_MGMT_MAD_SIZE;
	im->pkey_tbl_len = d->eth ? 1 : LIM(PKEY_TABLE_LEN);
	im->gid_tbl_len = LIM(GID_TABLE_LEN);
	return 0;
}

static enum rdma_link_layer ohca_link_layer(struct ib_device *ibdev, u32 port)
{
	return to_dev(ibdev)->eth ? IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_INFINIBAND;
}

/* ------------------------------------------------------------------ Ethernet port */

static int set_gid(struct ohca_dev *d, u32 port, u32 index, const struct ib_gid_attr *attr)
{
	struct ohca_cmd_gid_in in = {};
	u16 vlan = 0xffff;
	u8 mac[ETH_ALEN];
	u64 a;
	int ret;

	if (attr) {
		bool v4 = ipv6_addr_v4mapped((const struct in6_addr *)attr->gid.raw);

		ret = rdma_read_gid_l2_fields(attr, &vlan, mac);
		if (ret)
			return ret;
		memcpy(OHCA_PTR(OHCA_CMD_GID_IN_GID, &in), attr->gid.raw, sizeof(attr->gid));
		a = get_unaligned_le32(mac) | (u64)get_unaligned_le16(mac + 4) << 32;
		/* A priority tag is no VLAN. */
		if (vlan && vlan < VLAN_N_VID)
			a |= (u64)vlan << 48 | BIT_ULL(60);
		a |= (u64)(v4 ? OHCA_GID_TYPE_ROCE_V2_IPV4 : OHCA_GID_TYPE_ROCE_V2_IPV6) << 61;
		OHCA_SET(OHCA_CMD_GID_IN_ATTR, &in, a);
	}
	return ohca_cmd(d, OHCA_CMD_OP_SET_GID, port | index << 8, 0, &in, sizeof(in), NULL, 0, NULL);
}

static int ohca_add_gid(const struct ib_gid_attr *attr, void **context)
{
	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EOPNOTSUPP;
	return set_gid(to_dev(attr->device), attr->port_num, attr->index, attr);
}

static int ohca_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return set_gid(to_dev(attr->device), attr->port_num, attr->index, NULL);
}

/* Interface up or down, or its carrier: the RDMA port's state follows. */
static void active_changed(struct ohca_dev *d)
{
	bool now = eth_active(d);

	if (now == d->active)
		return;
	d->active = now;
	if (OHCA_CORE_TELLS_PORT)
		return;
	ohca_port_event(d, now ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct ohca_dev *d = container_of(nb, struct ohca_dev, netdev_nb);

	if (netdev_notifier_info_to_dev(ptr) == d->netdev && (event == NETDEV_UP || event == NETDEV_DOWN || event == NETDEV_CHANGE))
		active_changed(d);
	return NOTIFY_DONE;
}

/* From the adapter, in interrupts. The notifier hears of the carrier later. */
void ohca_link_event(struct ohca_dev *d, bool active)
{
	struct net_device *ndev = READ_ONCE(d->netdev);

	if (ndev)
		ohca_net_carrier(ndev, active);
}

/* The port becomes what it is to be, before the RDMA device is registered. */
int ohca_port_begin(struct ohca_dev *d)
{
	bool eth = READ_ONCE(d->adapter->port_type) == IB_LINK_LAYER_ETHERNET;
	struct ohca_cmd_port_in in = {};
	struct ohca_cmd_port_out out;
	struct net_device *ndev;
	int ret;

	if (!eth)
		return 0;	/* so it is after a reset */
	if (!(LIM(CAPS) >> OHCA_DEV_CAP_ROCE & 1)) {
		dev_err(&d->pdev->dev, "this adapter has no Ethernet port\n");
		return -EOPNOTSUPP;
	}
	OHCA_SET(OHCA_CMD_PORT_IN_SET_MODE, &in, 1);
	OHCA_SET(OHCA_CMD_PORT_IN_ETH, &in, 1);
	ret = ohca_cmd(d, OHCA_CMD_OP_SET_PORT, 1, 0, &in, sizeof(in), NULL, 0, NULL);
	if (ret)
		return ret;
	d->eth = true;
	ndev = ohca_net_register(d, 1);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);
	WRITE_ONCE(d->netdev, ndev);
	ret = ib_device_set_netdev(&d->ib, ndev, 1);
	if (ret)
		goto net;
	d->netdev_nb.notifier_call = netdev_event;
	ret = register_netdevice_notifier(&d->netdev_nb);
	if (ret)
		goto unset;
	/* The link may have come up before the interface was there. */
	ret = ohca_cmd(d, OHCA_CMD_OP_QUERY_PORT, 1, 0, NULL, 0, &out, sizeof(out), NULL);
	if (!ret) {
		if (OHCA_GET(OHCA_CMD_PORT_OUT_STATE, &out) == IB_PORT_ACTIVE)
			ohca_net_carrier(ndev, true);
		return 0;
	}
	unregister_netdevice_notifier(&d->netdev_nb);
unset:
	ib_device_set_netdev(&d->ib, NULL, 1);
net:
	WRITE_ONCE(d->netdev, NULL);
	ohca_eq_sync(d, 0);
	ohca_net_unregister(d, ndev, 1);
	return ret;
}

/* The RDMA device is not registered any more. */
void ohca_port_end(struct ohca_dev *d)
{
	struct net_device *ndev = d->netdev;

	if (!ndev)
		return;
	unregister_netdevice_notifier(&d->netdev_nb);
	ib_device_set_netdev(&d->ib, NULL, 1);
	WRITE_ONCE(d->netdev, NULL);
	ohca_eq_sync(d, 0);		/* ohca_link_event() */
	ohca_net_unregister(d, ndev, 1);
}

static void ohca_fw_str(struct ib_device *ibdev, char *str)
{
	struct ohca_dev *d = to_dev(ibdev);

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", LIM(FW_VERSION) >> 24 & 0xff, LIM(FW_VERSION) >> 16 & 0xff, LIM(FW_VERSION) & 0xffff);
}

/* ------------------------------------------------------------------ contexts and domains */

/*
 * Doorbell pages are few. A context has one of its own, so that nobody else can ring for its queues, but a user who has UAR_OWN of them
 * gets one more for all further contexts: these trust one another no less than the same user's processes do anyway. So a node can have
 * more processes than pages, and nobody can take the last page by himself.
 */
#define UAR_OWN(d) max(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_DB_PAGES, &(d)->lim) / 8, 1u)

struct ohca_uar_user {
	unsigned int own;		/* contexts with a page of their own */
	unsigned int sharing;		/* contexts that share a page */
	int shared;			/* that page; 0: none */
};

static int uar_get(struct ohca_dev *d, struct ohca_ucontext *c)
{
	struct ohca_uar_user *u;
	int ret = -EAGAIN;

	c->uid = __kuid_val(current_euid());
	mutex_lock(&d->uar_lock);
	u = xa_load(&d->uar_users, c->uid);
	if (!u) {
		u = kzalloc(sizeof(*u), GFP_KERNEL);
		if (!u) {
			ret = -ENOMEM;
			goto unlock;
		}
		ret = xa_err(xa_store(&d->uar_users, c->uid, u, GFP_KERNEL));
		if (ret) {
			kfree(u);
			goto unlock;
		}
	}
	c->uar_shared = u->own >= UAR_OWN(d);
	if (!c->uar_shared || !u->shared) {
		ret = ida_alloc_range(&d->uar_ida, 1, LIM(DB_PAGES) - 1, GFP_KERNEL);
		if (ret < 0)
			goto drop;
		c->uar = ret;
		if (c->uar_shared)
			u->shared = ret;
	} else {
		c->uar = u->shared;
	}
	if (c->uar_shared)
		u->sharing++;
	else
		u->own++;
	ret = 0;
drop:
	if (!u->own && !u->sharing) {
		xa_erase(&d->uar_users, c->uid);
		kfree(u);
	}
unlock:
	mutex_unlock(&d->uar_lock);
	return ret;
}

static void uar_put(struct ohca_dev *d, struct ohca_ucontext *c)
{
	struct ohca_uar_user *u;

	mutex_lock(&d->uar_lock);
	u = xa_load(&d->uar_users, c->uid);
	if (!c->uar_shared) {
		u->own--;
		ida_free(&d->uar_ida, c->uar);
	} else if (!--u->sharing) {
		ida_free(&d->uar_ida, c->uar);
		u->shared = 0;
	}
	if (!u->own && !u->sharing) {
		xa_erase(&d->uar_users, c->uid);
		kfree(u);
	}
	mutex_unlock(&d->uar_lock);
}

static int mmap_entry(struct ohca_ucontext *c, struct ohca_mmap_entry **entry, enum ohca_mmap_kind kind)
{
	struct ohca_mmap_entry *e = kzalloc(sizeof(*e), GFP_KERNEL);
	int ret;

	if (!e)
		return -ENOMEM;
	e->kind = kind;
	ret = rdma_user_mmap_entry_insert(&c->ib, &e->ib, PAGE_SIZE);
	if (ret) {
		kfree(e);
		return ret;
	}
	*entry = e;
	return 0;
}

/*
 * The push page that belongs to the context's doorbell page. A process that died with a push half written must leave nothing to the next
 * one: the adapter forgets it, before anybody has the page. Contexts that share a doorbell page have none, as two processes would mix up
 * what they push.
 */
static int push_get(struct ohca_dev *d, struct ohca_ucontext *c)
{
	if (c->uar_shared || !(c->caps & OHCA_UCTX_CAP_PUSH) || !(LIM(CAPS) >> OHCA_DEV_CAP_PUSH & 1))
		return 0;
	for (unsigned int i = 0; i < OHCA_PUSH_BUFFERS; i++)
		writeq(0, d->bar + ohca_db_page(d, c->uar) + OHCA_DB_PUSH_CLR + 8 * i);
	/* Another processor may be the one that pushes. */
	readl(d->bar + OHCA_REG_ID);
	return mmap_entry(c, &c->push, OHCA_MMAP_PUSH);
}

static void tell_context(struct ohca_dev *d, const struct ohca_ucontext *c, struct ohca_uresp_alloc_ucontext *resp)
{
	resp->host_abi = OHCA_HOST_ABI;
	resp->db_page = c->uar;
	resp->db_bytes = PAGE_SIZE;
	resp->state_bytes = PAGE_SIZE;
	resp->db_mmap_offset = rdma_user_mmap_get_offset(&c->db->ib);
	resp->state_mmap_offset = rdma_user_mmap_get_offset(&c->state->ib);
	if (c->push) {
		resp->push_mmap_offset = rdma_user_mmap_get_offset(&c->push->ib);
		resp->push_bytes = PAGE_SIZE;
		resp->push_buffers = OHCA_PUSH_BUFFERS;
	}
	resp->caps = (c->push ? OHCA_UCTX_CAP_PUSH : 0) | (d->eth ? OHCA_UCTX_CAP_ETH : 0) |
		     (LIM(CAPS) >> OHCA_DEV_CAP_UD_CSUM & 1 ? OHCA_UCTX_CAP_UD_CSUM : 0);
	resp->caps &= c->caps;
	resp->max_inline = LIM(MAX_INLINE);
	resp->max_send_sge = LIM(MAX_SEND_SGE);
	resp->max_recv_sge = LIM(MAX_RECV_SGE);
	resp->max_qp_wr = 1u << LIM(LOG_MAX_QP_WR);
	resp->max_cqe = (1u << LIM(LOG_MAX_CQE)) - 1;
	resp->cycles_per_us = LIM(CYCLES_PER_US);
}

static int ohca_alloc_ucontext(struct ib_ucontext *ibctx, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibctx->device);
	struct ohca_ucontext *c = container_of(ibctx, struct ohca_ucontext, ib);
	struct ohca_ureq_alloc_ucontext req = {};
	struct ohca_uresp_alloc_ucontext resp = {};
	struct ohca_state *st;
	int ret;

	BUILD_BUG_ON(sizeof(*st) > PAGE_SIZE);
	ret = OHCA_GET_REQ(udata, &req, caps);
	if (ret)
		return ret;
	/* Who does not know that the kernel makes address vectors here makes wrong ones. */
	if (req.comp_mask || (d->eth && !(req.caps & OHCA_UCTX_CAP_ETH)))
		return -EOPNOTSUPP;
	if (!OHCA_RESP_FITS(udata, &resp, state_bytes))
		return -EINVAL;
	c->caps = req.caps;
	if (!OHCA_RESP_FITS(udata, &resp, push_buffers))
		c->caps &= ~OHCA_UCTX_CAP_PUSH;
	c->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!c->page)
		return -ENOMEM;
	ret = uar_get(d, c);
	if (ret)
		goto page;
	ret = mmap_entry(c, &c->db, OHCA_MMAP_DB);
	if (ret)
		goto uar;
	ret = mmap_entry(c, &c->state, OHCA_MMAP_STATE);
	if (ret)
		goto db;
	ret = push_get(d, c);
	if (ret)
		goto state;
	tell_context(d, c, &resp);
	ret = OHCA_PUT_RESP(udata, &resp);
	if (!ret) {
		st = page_address(c->page);
		st->bytes = sizeof(*st);
		st->num_errors = ARRAY_SIZE(st->errors);
		spin_lock_irq(&d->ctx_lock);
		list_add(&c->list, &d->ctxs);
		WRITE_ONCE(st->gone, d->silent);
		spin_unlock_irq(&d->ctx_lock);
		return 0;
	}
	if (c->push)
		rdma_user_mmap_entry_remove(&c->push->ib);
state:
	rdma_user_mmap_entry_remove(&c->state->ib);
db:
	rdma_user_mmap_entry_remove(&c->db->ib);
uar:
	uar_put(d, c);
page:
	__free_page(c->page);
	return ret;
}

/* For a process that has the context's file from another one, and for the clock, which nobody can be given the register of. */
static int ohca_query_ucontext(struct ib_ucontext *ibctx, struct uverbs_attr_bundle *attrs)
{
	struct ohca_dev *d = to_dev(ibctx->device);
	struct ohca_uresp_query_context resp = {};

	if (!uverbs_attr_is_valid(attrs, OHCA_ATTR_QUERY_CONTEXT_RESP))
		return 0;
	tell_context(d, container_of(ibctx, struct ohca_ucontext, ib), &resp.ctx);
	resp.clock = ohca_now(d);
	/* Registers of an adapter that is gone tell nothing. */
	if (READ_ONCE(d->dying) || !~resp.clock)
		return -EIO;
	resp.clock &= TIMESTAMP_MASK;
	return uverbs_copy_to_struct_or_zero(attrs, OHCA_ATTR_QUERY_CONTEXT_RESP, &resp, sizeof(resp));
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(ohca_query_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(OHCA_ATTR_QUERY_CONTEXT_RESP, UVERBS_ATTR_STRUCT(struct ohca_uresp_query_context, ctx.state_bytes),
						 UA_OPTIONAL));

const struct uapi_definition ohca_uapi[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &ohca_query_context),
	{},
};

static void ohca_dealloc_ucontext(struct ib_ucontext *ibctx)
{
	struct ohca_dev *d = to_dev(ibctx->device);
	struct ohca_ucontext *c = container_of(ibctx, struct ohca_ucontext, ib);
	struct ohca_state *st = page_address(c->page);

	/* A process that keeps its mapping, as the device went, sees that its QPs are gone. */
	spin_lock_irq(&d->ctx_lock);
	list_del(&c->list);
	WRITE_ONCE(st->gone, 1);
	spin_unlock_irq(&d->ctx_lock);
	if (c->push)
		rdma_user_mmap_entry_remove(&c->push->ib);
	rdma_user_mmap_entry_remove(&c->state->ib);
	rdma_user_mmap_entry_remove(&c->db->ib);
	uar_put(d, c);
	__free_page(c->page);
}

static int ohca_mmap(struct ib_ucontext *ibctx, struct vm_area_struct *vma)
{
	struct ohca_dev *d = to_dev(ibctx->device);
	struct ohca_ucontext *c = container_of(ibctx, struct ohca_ucontext, ib);
	struct rdma_user_mmap_entry *e;
	int ret;

	e = rdma_user_mmap_entry_get(ibctx, vma);
	if (!e)
		return -EINVAL;
	switch (container_of(e, struct ohca_mmap_entry, ib)->kind) {
	case OHCA_MMAP_STATE:
		/* An ordinary page: it stays with the process when the device goes. */
		if (vma->vm_flags & (VM_WRITE | VM_EXEC) || vma->vm_end - vma->vm_start != PAGE_SIZE) {
			ret = -EPERM;
		} else {
			vm_flags_clear(vma, VM_MAYWRITE);
			ret = vm_insert_page(vma, vma->vm_start, c->page);
		}
		break;
	case OHCA_MMAP_PUSH:
		ret = rdma_user_mmap_io(ibctx, vma, PHYS_PFN(d->bar_phys + ohca_push_page(d, c->uar)), PAGE_SIZE,
					pgprot_writecombine(vma->vm_page_prot), e);
		break;
	default:
		ret = rdma_user_mmap_io(ibctx, vma, PHYS_PFN(d->bar_phys + ohca_db_page(d, c->uar)), PAGE_SIZE,
					pgprot_noncached(vma->vm_page_prot), e);
	}
	rdma_user_mmap_entry_put(e);
	return ret;
}

static void ohca_mmap_free(struct rdma_user_mmap_entry *e)
{
	kfree(container_of(e, struct ohca_mmap_entry, ib));
}

/* Nothing to do: the core zaps the mappings of the BAR, the adapter keeps no state of a context. */
static void ohca_disassociate(struct ib_ucontext *ibctx)
{
}

static int ohca_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibpd->device);
	struct ohca_uresp_alloc_pd resp = {};
	int ret;

	ret = ohca_no_req(udata);
	if (ret)
		return ret;
	ret = ida_alloc_range(&d->pd_ida, 1, (1 << 23) - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	to_pd(ibpd)->pdn = ret;
	if (!udata)
		return 0;
	resp.pdn = ret;
	ret = OHCA_PUT_RESP(udata, &resp);
	if (ret)
		ida_free(&d->pd_ida, to_pd(ibpd)->pdn);
	return ret;
}

static int ohca_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	ida_free(&to_dev(ibpd->device)->pd_ida, to_pd(ibpd)->pdn);
	return 0;
}

/* ------------------------------------------------------------------ event counters of the hardware: rdma statistic */

static const struct rdma_stat_desc counters[] = {
	[OHCA_COUNTER_DB_BAD_PAGE].name = "db_bad_page",
	[OHCA_COUNTER_DB_BAD_QP].name = "db_bad_qp",
	[OHCA_COUNTER_RX_VCRC].name = "rx_vcrc",
	[OHCA_COUNTER_RX_ICRC].name = "rx_icrc",
	[OHCA_COUNTER_RX_LEN].name = "rx_len",
	[OHCA_COUNTER_RX_DLID].name = "rx_dlid",
	[OHCA_COUNTER_RX_VL].name = "rx_vl",
	[OHCA_COUNTER_RX_QPN].name = "rx_qpn",
	[OHCA_COUNTER_RX_QP_STATE].name = "rx_qp_state",
	[OHCA_COUNTER_RX_PKEY].name = "rx_pkey",
	[OHCA_COUNTER_RX_QKEY].name = "rx_qkey",
	[OHCA_COUNTER_RX_PATH].name = "rx_path",
	[OHCA_COUNTER_RX_OPCODE].name = "rx_opcode",
	[OHCA_COUNTER_RX_DUP].name = "rx_dup",
	[OHCA_COUNTER_RX_OOO].name = "rx_ooo",
	[OHCA_COUNTER_RX_RESP_BAD].name = "rx_resp_bad",
	[OHCA_COUNTER_RX_RNR].name = "rx_rnr",
	[OHCA_COUNTER_RX_OVERRUN].name = "rx_overrun",
	[OHCA_COUNTER_RX_UD_DROP].name = "rx_ud_drop",
	[OHCA_COUNTER_TX_RETRY].name = "tx_retry",
	[OHCA_COUNTER_TX_TIMEOUT].name = "tx_timeout",
	[OHCA_COUNTER_TX_RNR_WAIT].name = "tx_rnr_wait",
	[OHCA_COUNTER_TX_LOCAL_ERR].name = "tx_local_err",
	[OHCA_COUNTER_TPT_KEY].name = "tpt_key",
	[OHCA_COUNTER_TPT_BOUNDS].name = "tpt_bounds",
	[OHCA_COUNTER_TPT_ACCESS].name = "tpt_access",
	[OHCA_COUNTER_TPT_PD].name = "tpt_pd",
	[OHCA_COUNTER_DMA_RD_ERR].name = "dma_rd_err",
	[OHCA_COUNTER_DMA_WR_ERR].name = "dma_wr_err",
	[OHCA_COUNTER_CQ_OVERFLOW].name = "cq_overflow",
	[OHCA_COUNTER_EQ_OVERFLOW].name = "eq_overflow",
	[OHCA_COUNTER_RESP_FULL].name = "resp_full",
	[OHCA_COUNTER_RX_LVER].name = "rx_lver",
	[OHCA_COUNTER_RX_VL15_DROP].name = "rx_vl15_drop",
	[OHCA_COUNTER_RX_NO_CREDIT].name = "rx_no_credit",
	[OHCA_COUNTER_TX_DROP].name = "tx_drop",
	[OHCA_COUNTER_TX_PKTS].name = "tx_pkts",
	[OHCA_COUNTER_TX_WORDS].name = "tx_words",
	[OHCA_COUNTER_RX_PKTS].name = "rx_pkts",
	[OHCA_COUNTER_RX_WORDS].name = "rx_words",
	[OHCA_COUNTER_TX_WAIT].name = "tx_wait",
	[OHCA_COUNTER_RX_BTH].name = "rx_bth",
	[OHCA_COUNTER_ETH_IP_LEN].name = "eth_ip_len",
	[OHCA_COUNTER_ETH_UDP_LEN].name = "eth_udp_len",
	[OHCA_COUNTER_ETH_FRAG].name = "eth_frag",
	[OHCA_COUNTER_ETH_IP_OPT].name = "eth_ip_opt",
	[OHCA_COUNTER_ETH_IP_SUM].name = "eth_ip_sum",
	[OHCA_COUNTER_ETH_VLAN].name = "eth_vlan",
	[OHCA_COUNTER_ETH_GID].name = "eth_gid",
	[OHCA_COUNTER_ETH_MAC].name = "eth_mac",
	[OHCA_COUNTER_ETH_TRUNC].name = "eth_trunc",
	[OHCA_COUNTER_ETH_JUMBO].name = "eth_jumbo",
	[OHCA_COUNTER_ETH_V1].name = "eth_v1",
	[OHCA_COUNTER_ETH_NIC].name = "eth_nic",
	[OHCA_COUNTER_ETH_NIC_DROP].name = "eth_nic_drop",
	[OHCA_COUNTER_RX_CE].name = "np_ecn_marked_roce_packets",
	[OHCA_COUNTER_CNP_TX].name = "np_cnp_sent",
	[OHCA_COUNTER_CNP_RX].name = "rp_cnp_handled",
	[OHCA_COUNTER_PFC_TX].name = "pfc_tx",
	[OHCA_COUNTER_PFC_RX].name = "pfc_rx",
	[OHCA_COUNTER_NIC_NO_BUF].name = "nic_no_buf",
	[OHCA_COUNTER_NIC_TOO_LONG].name = "nic_too_long",
	[OHCA_COUNTER_NIC_BAD].name = "nic_bad",
};

static struct rdma_hw_stats *ohca_alloc_stats(struct ib_device *ibdev, u32 port)
{
	struct ohca_dev *d = to_dev(ibdev);

	/* An older adapter has fewer, a newer one some that have no name here. */
	return rdma_alloc_hw_stats_struct(counters, min_t(int, ARRAY_SIZE(counters), LIM(NUM_COUNTERS)), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Of the device, whatever its port does */
static const struct rdma_stat_desc device_counters[] = {
	{ .name = "commands" },
	{ .name = "event_queue_overflows" },
	{ .name = "clock" },
};

static struct rdma_hw_stats *ohca_alloc_device_stats(struct ib_device *ibdev)
{
	return rdma_alloc_hw_stats_struct(device_counters, ARRAY_SIZE(device_counters), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int ohca_get_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct ohca_dev *d = to_dev(ibdev);
	int i;

	if (!port) {
		stats->value[0] = atomic64_read(&d->commands);
		stats->value[1] = atomic64_read(&d->eq_overflows);
		stats->value[2] = ohca_now(d);
		return stats->num_counters;
	}
	/* Who asks for one gets all: the answer is the number of values that are up to date, from the first on. */
	for (i = 0; i < stats->num_counters; i++)
		stats->value[i] = readq(d->bar + OHCA_REG_COUNTERS + 8 * i);
	return stats->num_counters;
}

/* ------------------------------------------------------------------ sysfs */

static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "OpenHCA\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ohca_dev *d = rdma_device_to_drv_device(dev, struct ohca_dev, ib);

	return sysfs_emit(buf, "%u\n", (u32)LIM(HW_REV));
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t board_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ohca_dev *d = rdma_device_to_drv_device(dev, struct ohca_dev, ib);

	return sysfs_emit(buf, "openhca-%u\n", 1u << OHCA_EXTRACT(OHCA_REG_HW_CFG_DATA_WIDTH_LOG2, (u32)LIM(HW_CFG)));
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *ohca_attrs[] = {
	&dev_attr_hca_type.attr, &dev_attr_hw_rev.attr, &dev_attr_board_id.attr, NULL,
};

static const struct attribute_group ohca_attr_group = { .attrs = ohca_attrs };

const struct ib_device_ops ohca_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,	/* none is allocated; the provider matches by PCI id */
	.uverbs_abi_ver = OHCA_UVERBS_ABI_VERSION,
	.device_group = &ohca_attr_group,

	.query_device = ohca_query_device,
	.modify_device = ohca_modify_device,
	.query_port = ohca_query_port,
	.modify_port = ohca_modify_port,
	.query_pkey = ohca_query_pkey,
	.query_gid = ohca_query_gid,
	.add_gid = ohca_add_gid,
	.del_gid = ohca_del_gid,
	.get_port_immutable = ohca_port_immutable,
	.get_link_layer = ohca_link_layer,
	.get_dev_fw_str = ohca_fw_str,
	.process_mad = ohca_process_mad,

	.alloc_hw_device_stats = ohca_alloc_device_stats,
	.alloc_hw_port_stats = ohca_alloc_stats,
	.get_hw_stats = ohca_get_stats,

	.alloc_ucontext = ohca_alloc_ucontext,
	.dealloc_ucontext = ohca_dealloc_ucontext,
	.query_ucontext = ohca_query_ucontext,
	.mmap = ohca_mmap,
	.mmap_free = ohca_mmap_free,
	.disassociate_ucontext = ohca_disassociate,
	.alloc_pd = ohca_alloc_pd,
	.dealloc_pd = ohca_dealloc_pd,

	.create_ah = ohca_create_ah,
	.create_user_ah = ohca_create_ah,
	.destroy_ah = ohca_destroy_ah,
	.query_ah = ohca_query_ah,

	.create_cq = ohca_create_cq,
	.destroy_cq = ohca_destroy_cq,
	.OHCA_RESIZE_CQ_OP = ohca_resize_cq,
	.modify_cq = ohca_modify_cq,
	.poll_cq = ohca_poll_cq,
	.req_notify_cq = ohca_req_notify_cq,

	.create_qp = ohca_create_qp,
	.modify_qp = ohca_modify_qp,
	.query_qp = ohca_query_qp,
	.destroy_qp = ohca_destroy_qp,
	.attach_mcast = ohca_attach_mcast,
	.detach_mcast = ohca_detach_mcast,
	.post_send = ohca_post_send,
	.post_recv = ohca_post_recv,

	.get_dma_mr = ohca_get_dma_mr,
	.reg_user_mr = ohca_reg_user_mr,
	.reg_user_mr_dmabuf = ohca_reg_user_mr_dmabuf,
	.rereg_user_mr = ohca_rereg_user_mr,
	.dereg_mr = ohca_dereg_mr,

	.fill_res_qp_entry = ohca_fill_res_qp,
	.fill_res_cq_entry = ohca_fill_res_cq,
	.fill_res_mr_entry = ohca_fill_res_mr,

	INIT_RDMA_OBJ_SIZE(ib_ah, ohca_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, ohca_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, ohca_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, ohca_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, ohca_ucontext, ib),
};
