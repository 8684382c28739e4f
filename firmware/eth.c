// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The Ethernet port (docs/roce.md): the choice of the link layer, GID table, and what else the host sets. Its logical state is simpler
 * than InfiniBand's: Active when there is a link.
 */
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "mad.h"
#include "port.h"
#include "sma.h"

#define OK OHCA_CMD_STATUS_OK
#define BAD OHCA_CMD_STATUS_BAD_PARAM

static u32 gids[GID_TABLE_LEN][4], attrs[GID_TABLE_LEN][2];	/* the hardware cannot be asked */

static void reg(u32 off, u32 val)
{
	hw_write(OHCA_M_PORT + off, val);
}

static void gid_apply(u32 i)
{
	for (u32 k = 0; k < 4; k++)
		reg(OHCA_PORT_REG_GID + 16 * i + 4 * k, gids[i][k]);
	for (u32 k = 0; k < 2; k++)
		reg(OHCA_PORT_REG_GID_ATTR + 16 * i + 4 * k, attrs[i][k]);
}

static u32 gid_type(u32 i)
{
	return OHCA_GET(OHCA_GID_ATTR_GTYPE, (const struct ohca_gid_attr *)attrs[i]);
}

bool eth_gid_usable(u32 i)
{
	return i < GID_TABLE_LEN && gid_type(i) >= OHCA_GID_TYPE_ROCE_V2_IPV4;
}

void eth_gid(u32 i, u32 *out)
{
	copy(out, gids[i], 16);
}

/*
 * The network interface gives its rings back. It ends by itself: it waits for nothing but host memory. A host that has gone away must
 * not stop this core for ever.
 */
#define NIC_STOP_US 100000
static u32 nic_ctrl;			/* what it was switched on with, 0 = off */

bool nic_stop(void)
{
	u64 until;
	u32 busy = OHCA_MASK(OHCA_NIC_STATE_TX_BUSY) | OHCA_MASK(OHCA_NIC_STATE_RX_BUSY);

	if (!nic_ctrl)
		return true;
	reg(OHCA_PORT_REG_NIC_CTRL, nic_ctrl & ~(OHCA_MASK(OHCA_NIC_CTRL_TX_EN) | OHCA_MASK(OHCA_NIC_CTRL_RX_EN)));
	until = hw_now() + (u64)NIC_STOP_US * hw_cycles_per_us();
	while (hw_read(OHCA_M_PORT + OHCA_PORT_REG_NIC_STATE) & busy)
		if (hw_now() > until) {
			fw_log("network interface does not stop\n");
			return false;
		}
	nic_ctrl = 0;
	return true;
}

/* Nothing of a former user is left. */
void eth_clear(void)
{
	nic_stop();
	zero(gids, sizeof(gids));
	zero(attrs, sizeof(attrs));
	if (!port.eth)
		return;
	for (u32 i = 0; i < GID_TABLE_LEN; i++)
		gid_apply(i);
	for (u32 off = OHCA_PORT_REG_ETH_CTRL; off <= OHCA_PORT_REG_ETH_PFC_OWN; off += 4)
		reg(off, 0);
	port.time_speed = 0;		/* the pause quantum is worked out again */
}

/* Priority p goes to VL p * VLs / 8, all VLs have the same weight. InfiniBand: what the hardware begins with, until a subnet manager comes. */
static void queues(void)
{
	u8 t[16];

	for (u32 i = 0; i < 16; i++)
		t[i] = (u8)(port.eth ? (i & 7) * port.num_vl / 8 : 0);
	port_set_sl2vl(t);
	for (u32 i = 0; i < port.arb_entries; i++) {
		port_set_arb(false, i, port.eth && i < port.num_vl ? i : 0, i == 0 || (port.eth && i < port.num_vl) ? 64 : 0);
		port_set_arb(true, i, 0, 0);
	}
}

/* The link layer changes while the port is down; the peer notices by the training of the link. */
enum ohca_cmd_status eth_set_mode(bool on)
{
	if (on && !(sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_ROCE)))
		return OHCA_CMD_STATUS_BAD_OP;
	if (on == port.eth)
		return OK;
	for (u32 q = 0; q < 1u << LOG_MAX_QP; q += objs_step(dev.qp_map, q))
		if (objs_test(dev.qp_map, q))
			return OHCA_CMD_STATUS_BUSY;
	if (nic_ctrl)
		return OHCA_CMD_STATUS_BUSY;
	port_set_state(PORT_DOWN);
	port.retrain_at = NEVER;
	port_apply();
	if (!on)
		eth_clear();
	port.eth = on;
	port.disabled = false;		/* it was a subnet manager's word, and nobody could take it back */
	port.mtu = OHCA_MTU_MTU4096;
	port.oper_vls = port_vl_cap();
	port.lid = port.sm_lid = 0;
	port.lmc = port.sm_sl = port.vl_high_limit = 0;
	port.gid_prefix = 0xfe80000000000000ull;
	zero(port.sl2vl, sizeof(port.sl2vl));
	for (u32 i = 1; i < GID_TABLE_LEN; i++)
		port.guid[i] = 0;
	sma_init();
	port_apply();
	for (u32 i = 0; i < PKEY_TABLE_LEN; i++)
		port_set_pkey(i, i ? 0 : 0xffff);
	queues();
	if (on)
		eth_clear();
	else
		for (u32 i = 1; i < GID_TABLE_LEN; i++)
			port_write_gid(i);
	port_train();
	fw_log("port: %s\n", on ? "Ethernet" : "InfiniBand");
	return OK;
}

/* ------------------------------------------------------------------ commands */

enum ohca_cmd_status do_set_gid(struct cmd *c)
{
	struct ohca_cmd_gid_in *in = (void *)c->in;
	u32 attr[2], gid[4], i = c->in_mod >> 8, type;
	const struct ohca_gid_attr *a = (const void *)attr;
	bool mapped;

	if ((c->in_mod & 0xff) != 1 || i >= GID_TABLE_LEN)
		return BAD;
	if (!port.eth)
		return OHCA_CMD_STATUS_BAD_STATE;
	copy(gid, OHCA_PTR(OHCA_CMD_GID_IN_GID, in), 16);
	attr[0] = c->in[4];
	attr[1] = c->in[5];
	type = OHCA_GET(OHCA_GID_ATTR_GTYPE, a);
	if (type > OHCA_GID_TYPE_ROCE_V2_IPV6)
		return BAD;
	if (type == OHCA_GID_TYPE_NONE) {
		zero(gid, sizeof(gid));
		zero(attr, sizeof(attr));
	} else {
		/* An address of its own, from a station of its own; IPv4 addresses and only those are mapped ones. */
		mapped = !gid[0] && !gid[1] && gid[2] == 0xffff0000u;
		if ((attr[0] & 1) || (!attr[0] && !(attr[1] & 0xffff)) || !(gid[0] | gid[1] | gid[2] | gid[3]) || (u8)gid[0] == 0xff)
			return BAD;
		if (type >= OHCA_GID_TYPE_ROCE_V2_IPV4 && mapped != (type == OHCA_GID_TYPE_ROCE_V2_IPV4))
			return BAD;
		if (mapped && ((u8)gid[3] >= 224 || !(u8)gid[3]))
			return BAD;
		if (!OHCA_GET(OHCA_GID_ATTR_TAG, a) && OHCA_GET(OHCA_GID_ATTR_VID, a))
			return BAD;
		if (OHCA_GET(OHCA_GID_ATTR_TAG, a) && (!OHCA_GET(OHCA_GID_ATTR_VID, a) || OHCA_GET(OHCA_GID_ATTR_VID, a) == 0xfff))
			return BAD;
		/* A packet belongs to one entry. */
		for (u32 n = 0; n < GID_TABLE_LEN; n++)
			if (n != i && gid_type(n) == type && gids[n][0] == gid[0] && gids[n][1] == gid[1] && gids[n][2] == gid[2] &&
			    gids[n][3] == gid[3] && (attrs[n][1] >> 16) == (attr[1] >> 16))
				return OHCA_CMD_STATUS_EXISTS;
	}
	copy(gids[i], gid, sizeof(gid));
	copy(attrs[i], attr, sizeof(attr));
	gid_apply(i);
	return OK;
}

enum ohca_cmd_status do_set_eth(struct cmd *c)
{
	static const u32 rsvd_ctrl[] = OHCA_ETH_CTRL_RSVD, rsvd_cnp[] = OHCA_ETH_CNP_RSVD;
	struct ohca_cmd_eth_in *in = (void *)c->in;
	const struct ohca_eth_pfc *pfc = (const void *)(c->in + 5);
	u32 mtu = OHCA_GET(OHCA_CMD_ETH_IN_MTU, in), lim = c->in[6], own = c->in[8];
	u32 wire_units = 64u << OHCA_EXTRACT(OHCA_REG_HW_CFG_WIRE_BUF, sys_rd(OHCA_M_SYS_ID));	/* of 64 bytes */

	if (c->in_mod != 1)
		return BAD;
	if (!port.eth)
		return OHCA_CMD_STATUS_BAD_STATE;
	if (mtu < OHCA_MTU_MTU256 || mtu > OHCA_MTU_MTU4096 || (c->in[0] & 1) || !OHCA_RSVD_OK(rsvd_ctrl, (const struct ohca_eth_ctrl *)(c->in + 4)) ||
	    !OHCA_RSVD_OK(rsvd_cnp, (const struct ohca_eth_cnp *)(c->in + 7)) || (lim >> 16) > (lim & 0xffff))
		return BAD;
	/* A priority's level that is above the whole buffer's would never be reached. */
	if ((own >> 16) > (own & 0xffff) || (own & 0xffff) > (lim & 0xffff))
		return BAD;
	/* Who is to be paused needs a time and a threshold, within the wire buffer. */
	if (OHCA_GET(OHCA_ETH_PFC_TX_EN, pfc) && (!OHCA_GET(OHCA_ETH_PFC_TIME, pfc) || !(lim & 0xffff) || (lim & 0xffff) >= wire_units))
		return BAD;
	reg(OHCA_PORT_REG_ETH_MAC_LO, c->in[0]);
	reg(OHCA_PORT_REG_ETH_MAC_HI, c->in[1] & 0xffff);
	reg(OHCA_PORT_REG_ETH_HASH_LO, c->in[2]);
	reg(OHCA_PORT_REG_ETH_HASH_HI, c->in[3]);
	reg(OHCA_PORT_REG_ETH_CTRL, c->in[4]);
	reg(OHCA_PORT_REG_ETH_PFC_LIM, lim);
	reg(OHCA_PORT_REG_ETH_PFC_OWN, own);
	reg(OHCA_PORT_REG_ETH_PFC, c->in[5]);
	reg(OHCA_PORT_REG_ETH_CNP, c->in[7]);
	port.mtu = (u8)mtu;
	port_apply();
	return OK;
}

enum ohca_cmd_status do_set_nic(struct cmd *c)
{
	static const u32 rsvd_ctrl[] = OHCA_NIC_CTRL_RSVD;
	struct ohca_cmd_nic_in *in = (void *)c->in;
	const struct ohca_nic_ctrl *ctrl = (const void *)c->in;
	u32 tx = OHCA_GET(OHCA_NIC_CTRL_LOG_TX, ctrl), rx = OHCA_GET(OHCA_NIC_CTRL_LOG_RX, ctrl), cq = OHCA_GET(OHCA_NIC_CTRL_LOG_CQ, ctrl);
	u32 eqn = OHCA_GET(OHCA_NIC_CTRL_EQN, ctrl), any = 0;

	if (c->in_mod != 1)
		return BAD;
	if (!port.eth)
		return OHCA_CMD_STATUS_BAD_STATE;
	for (u32 i = 0; i < 8; i++)
		any |= c->in[i];
	if (!any)
		return nic_stop() ? OK : OHCA_CMD_STATUS_INTERNAL;
	if (!OHCA_GET(OHCA_NIC_CTRL_TX_EN, ctrl) || !OHCA_GET(OHCA_NIC_CTRL_RX_EN, ctrl) || !OHCA_RSVD_OK(rsvd_ctrl, ctrl) ||
	    tx < OHCA_NIC_LOG_MIN || tx > OHCA_NIC_LOG_MAX || rx < OHCA_NIC_LOG_MIN || rx > OHCA_NIC_LOG_MAX || cq > OHCA_NIC_LOG_MAX + 1 ||
	    (1u << cq) < (1u << tx) + (1u << rx) || ((c->in[2] | c->in[4] | c->in[6]) & 0xfff) || eqn >= MAX_EQ || !(dev.eq_map >> eqn & 1))
		return BAD;
	if (nic_ctrl)
		return OHCA_CMD_STATUS_EXISTS;
	reg(OHCA_PORT_REG_NIC_MOD, OHCA_GET(OHCA_CMD_NIC_IN_MOD, in));
	for (u32 k = 0; k < 2; k++) {
		reg(OHCA_PORT_REG_NIC_TX + 4 * k, c->in[2 + k]);
		reg(OHCA_PORT_REG_NIC_RX + 4 * k, c->in[4 + k]);
		reg(OHCA_PORT_REG_NIC_CQ + 4 * k, c->in[6 + k]);
	}
	nic_ctrl = c->in[0];
	reg(OHCA_PORT_REG_NIC_CTRL, nic_ctrl);
	return OK;
}
