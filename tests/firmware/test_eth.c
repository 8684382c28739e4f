// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* The Ethernet port: choice of the link layer, GID table, paths of connected QPs. */
#include <string.h>

#include "test_mad.h"

#define OK OHCA_CMD_STATUS_OK
#define BAD OHCA_CMD_STATUS_BAD_PARAM

static u32 mode(u32 eth)
{
	struct ohca_cmd_port_in in;

	memset(&in, 0, sizeof(in));
	in.dw[2] = 2 | eth << 2;
	return CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0);
}

static u32 reg(u32 off)
{
	return fk.port[off / 4];
}

static void relink(void)
{
	fake_link(false);
	fake_run(5);
	fake_link(true);
	fake_run(5);
}

static u32 set_gid(u32 i, const char *gid, u32 type, u32 vlan)
{
	struct ohca_cmd_gid_in in;

	memset(&in, 0, sizeof(in));
	memcpy(in.dw, gid, 16);
	in.dw[4] = 0x00a10c02;
	in.dw[5] = 0x0100 | (vlan & 0xfff) << 16 | (u32)!!vlan << 28 | type << 29;
	return CMD(SET_GID, 1 | i << 8, 0, &in, sizeof(in), NULL, 0);
}

static const char v4[] = "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\1\2\3", v6[] = "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1";

static void t_mode(void)
{
	struct ohca_cmd_port_out o;
	u8 smp[512] = { 1, 1, 1, 1 }, answer[256];
	u64 before;

	setup_dev();
	fake_link(true);
	fake_run(10);
	EQ(port.state, PORT_INIT);
	/* a build without it */
	fk.no_roce = true;
	before = fk.changes;
	EQ(mode(1), OHCA_CMD_STATUS_BAD_OP);
	fk.no_roce = false;
	/* QPs do not outlive the change */
	EQ(make_qp(9, OHCA_QP_TYPE_UD), OK);
	before = fk.changes;
	EQ(mode(1), OHCA_CMD_STATUS_BUSY);
	EQ(fk.changes, before);
	EQ(CMD(DESTROY_QP, 9, 0, NULL, 0, NULL, 0), OK);
	EQ(set_gid(0, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 0), OHCA_CMD_STATUS_BAD_STATE);
	EQ(mode(1), OK);
	EQ(fk.retrains, 1);
	EQ(port.state, PORT_DOWN);
	EQ(reg(OHCA_PORT_REG_CTRL) & 0x81, 0x80);
	relink();
	EQ(port.state, PORT_ACTIVE);
	EQ(reg(OHCA_PORT_REG_CTRL) & 0xf8f, 0x487);		/* no flow-control initialisation, four VLs */
	EQ(reg(OHCA_PORT_REG_SL2VL_LO), 0x33221100);
	EQ(reg(OHCA_PORT_REG_ARB_LOW + 12), 3 << 8 | 64);
	/* 512 bits at 4 x 25 Gb/s are 5.12 ns, 1.28 cycles of 250 MHz */
	EQ(reg(OHCA_PORT_REG_ETH_QUANTUM), 327);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_LINK_LAYER, &o), 1);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_STATE, &o), 4);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_LID, &o), 0);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_CAP_MASK, &o), 1 << 16);
	/* no subnet management */
	smp[17] = 0x15;
	fk.imm = 7;
	EQ(CMD(MAD_IFC, 1, 0, smp, sizeof(smp), answer, sizeof(answer)), OK);
	EQ(fk.imm, 0);
	/* the link goes and comes */
	relink();
	EQ(port.state, PORT_ACTIVE);
	/* and back: as after power-on */
	EQ(set_gid(3, v6, OHCA_GID_TYPE_ROCE_V2_IPV6, 0), OK);
	EQ(mode(1), OK);
	EQ(fk.retrains, 1);
	EQ(mode(0), OK);
	EQ(fk.retrains, 2);
	EQ(reg(OHCA_PORT_REG_CTRL) & 0x81, 0);
	EQ(reg(OHCA_PORT_REG_GID_ATTR + 16 * 3 + 4), 0);
	EQ(reg(OHCA_PORT_REG_SL2VL_LO), 0);
	EQ(reg(OHCA_PORT_REG_ARB_LOW), 64);
	EQ(reg(OHCA_PORT_REG_ARB_LOW + 12), 0);
	relink();
	EQ(port.state, PORT_INIT);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_LINK_LAYER, &o), 0);
	/* a reset ends it, too */
	EQ(mode(1), OK);
	fake_soft_reset();
	CHECK(!port.eth);
}

/* What a subnet manager has set is not taken to Ethernet, nor from there to another subnet. */
static void t_mode_clears(void)
{
	u8 d[64], desc[64];
	struct ohca_cmd_port_in in;

	start();
	activate();
	memset(desc, 'x', sizeof(desc));
	EQ(CMD(SET_NODE_DESC, 0, 0, desc, 64, NULL, 0), OK);
	memset(&in, 0, sizeof(in));
	in.dw[0] = 2;						/* the host runs a subnet manager */
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), OK);
	memset(d, 0, sizeof(d));
	put64(d + 8, 0x1234);
	ask(SET, 0x14, 0, d);
	EQ(get64(reply + 64 + 8), 0x1234);
	/* Disabled, with a key */
	port_info(d);
	put64(d, 0x1122);
	d[34] |= 2 << 6;
	d[33] = 3 << 4 | 2;
	mad_new(1, SET, PORT_INFO, 1);
	memcpy(mad + 64, d, 64);
	EQ(ifc(1, reply), OK);
	fake_until(fk.now + 250 * 20000);
	CHECK(fk.phy_held);
	EQ(port.state, PORT_DOWN);
	EQ(mode(1), OK);
	fake_until(fk.now + 250 * 20000);
	CHECK(!fk.phy_held);
	EQ(port.state, PORT_ACTIVE);
	EQ(mode(0), OK);
	fake_until(fk.now + 250 * 20000);
	EQ(port.state, PORT_INIT);
	ask(GET, PORT_INFO, 0, NULL);
	EQ(status, 0);
	EQ(get64(reply + 64), 0);
	EQ(reply[64 + 34] >> 6, 0);
	EQ(get32(reply + 64 + 20) & CAP_IS_SM, 0);
	ask(GET, 0x14, 0, NULL);
	EQ(get64(reply + 64), GUID + 1);
	EQ(get64(reply + 64 + 8), 0);
	ask(GET, 0x10, 0, NULL);
	memset(desc, 0, sizeof(desc));
	memcpy(desc, "OpenHCA", 7);
	EQ(memcmp(reply + 64, desc, 64), 0);
	/* which a new manager can set */
	port_info(d);
	put64(d, 0x77);
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0);
	EQ(port.mkey, 0x77);
}

static void t_gids(void)
{
	static const char any[16], mcast[] = "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", m4[] = "\0\0\0\0\0\0\0\0\0\0\xff\xff\xe0\0\0\1";
	struct ohca_cmd_gid_in in;
	u8 got[16];
	u64 before;

	setup_dev();
	EQ(mode(1), OK);
	EQ(set_gid(0, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 0), OK);
	EQ(reg(OHCA_PORT_REG_GID + 12), 0x0302010a);
	EQ(reg(OHCA_PORT_REG_GID_ATTR), 0x00a10c02);
	EQ(reg(OHCA_PORT_REG_GID_ATTR + 4), 0x60000100);
	EQ(set_gid(15, v6, OHCA_GID_TYPE_ROCE_V2_IPV6, 100), OK);
	EQ(reg(OHCA_PORT_REG_GID_ATTR + 16 * 15 + 4), 0x90640100u);
	EQ(CMD(QUERY_GID, 1 | 15 << 8, 0, NULL, 0, got, sizeof(got)), OK);
	EQ(memcmp(got, v6, 16), 0);
	/* the same address in another VLAN or of another type is another entry, the same is not */
	EQ(set_gid(1, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 7), OK);
	EQ(set_gid(2, v4, OHCA_GID_TYPE_ROCE_V1, 0), OK);
	EQ(set_gid(3, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 7), OHCA_CMD_STATUS_EXISTS);
	EQ(set_gid(1, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 7), OK);
	before = fk.changes;
	EQ(set_gid(16, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 9), BAD);
	EQ(set_gid(4, v4, OHCA_GID_TYPE_ROCE_V2_IPV6, 9), BAD);
	EQ(set_gid(4, v6, OHCA_GID_TYPE_ROCE_V2_IPV4, 9), BAD);
	EQ(set_gid(4, v6, 5, 9), BAD);
	EQ(set_gid(4, any, OHCA_GID_TYPE_ROCE_V2_IPV6, 0), BAD);
	EQ(set_gid(4, mcast, OHCA_GID_TYPE_ROCE_V2_IPV6, 0), BAD);
	EQ(set_gid(4, m4, OHCA_GID_TYPE_ROCE_V2_IPV4, 0), BAD);
	EQ(set_gid(4, v6, OHCA_GID_TYPE_ROCE_V2_IPV6, 0xfff), BAD);
	memset(&in, 0, sizeof(in));
	memcpy(in.dw, v6, 16);
	in.dw[5] = (u32)OHCA_GID_TYPE_ROCE_V2_IPV6 << 29;		/* no MAC */
	EQ(CMD(SET_GID, 1 | 4 << 8, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[4] = 1;						/* a group's */
	EQ(CMD(SET_GID, 1 | 4 << 8, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[4] = 2;
	in.dw[5] |= 5 << 16;					/* a VLAN without a tag */
	EQ(CMD(SET_GID, 1 | 4 << 8, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[5] = (u32)OHCA_GID_TYPE_ROCE_V2_IPV6 << 29;
	in.dw[6] = 1;
	EQ(CMD(SET_GID, 1 | 4 << 8, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[6] = 0;
	EQ(CMD(SET_GID, 2 | 4 << 8, 0, &in, sizeof(in), NULL, 0), BAD);
	EQ(fk.changes, before);
	EQ(CMD(SET_GID, 1 | 4 << 8, 0, &in, sizeof(in), NULL, 0), OK);
	/* gone */
	EQ(set_gid(15, any, OHCA_GID_TYPE_NONE, 0), OK);
	EQ(reg(OHCA_PORT_REG_GID_ATTR + 16 * 15 + 4), 0);
	EQ(CMD(CLOSE_DEV, 0, 0, NULL, 0, NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_GID_ATTR + 4), 0);
}

static void t_paths(void)
{
	const u32 to_rtr = 1 << 7 | 1 << 8 | 1 << 20 | 1 << 12 | 1 << 17 | 1 << 15;
	struct ohca_cmd_qp_in in, good;
	struct ohca_cmd_eth_in e;
	struct ohca_cmd_port_out o;
	struct ohca_av *av = (void *)&in.dw[18];
	u64 before;

	setup_dev();
	EQ(mode(1), OK);
	EQ(set_gid(2, v4, OHCA_GID_TYPE_ROCE_V2_IPV4, 0), OK);
	EQ(set_gid(3, v6, OHCA_GID_TYPE_ROCE_V1, 0), OK);
	EQ(make_qp(9, OHCA_QP_TYPE_RC), OK);
	qp_in_default(&in, OHCA_QP_TYPE_RC);
	EQ(modify(9, 1, 1 << 4 | 1 << 5 | 1 << 3, &in), OK);
	memset(av, 0, sizeof(*av));
	OHCA_SET(OHCA_AV_GRH, av, 1);
	OHCA_SET(OHCA_AV_SGID_INDEX, av, 2);
	OHCA_SET(OHCA_AV_DMAC_LO, av, 0x00a10c02);
	OHCA_SET(OHCA_AV_UDP_SPORT, av, 0xc123);
	good = in;
#define REFUSED(f, v) do { in = good; OHCA_SET(OHCA_AV_##f, av, v); EQ(modify(9, 2, to_rtr, &in), BAD); } while (0)
	REFUSED(DLID, 5);
	REFUSED(GRH, 0);
	REFUSED(SGID_INDEX, 1);
	REFUSED(SGID_INDEX, 3);
	REFUSED(SGID_INDEX, 16);
	REFUSED(DMAC_LO, 0);
	REFUSED(DMAC_LO, 0x5e0001);
	REFUSED(UDP_SPORT, 4791);
#undef REFUSED
	in = good;
	EQ(modify(9, 2, to_rtr, &in), OK);

	memset(&e, 0, sizeof(e));
	e.dw[0] = 0x00a10c02;
	e.dw[1] = 0x0100 | OHCA_MTU_MTU1024 << 16;
	e.dw[4] = 1;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_MAC_HI), 0x0100);
	EQ(reg(OHCA_PORT_REG_ETH_CTRL), 1);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_ACTIVE_MTU, &o), OHCA_MTU_MTU1024);
	e.dw[4] = 0x10;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[4] = 1;
	e.dw[1] = 0x0100;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[1] |= OHCA_MTU_MTU1024 << 16;
	e.dw[7] = 4 << 16 | 6 << 8 | 48 << 2 | 1;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_CNP), 4 << 16 | 6 << 8 | 48 << 2 | 1);
	e.dw[7] = 2;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[7] = 0;
	e.dw[6] = 2 << 16 | 1;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	/* pauses: a threshold and a time belong to those that are sent */
	e.dw[6] = 0;
	e.dw[5] = 0x00ff;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_PFC), 0x00ff);
	e.dw[5] = 5 << 16 | 0x0800;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[6] = 100 << 16 | 200;
	e.dw[5] = 0x0800;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[5] = 5 << 16 | 0x0800;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_PFC), 5 << 16 | 0x0800);
	EQ(reg(OHCA_PORT_REG_ETH_PFC_LIM), 100 << 16 | 200);
	/* one that the wire buffer of 16 KiB never reaches is refused */
	e.dw[6] = 100 << 16 | 256;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[6] = 100 << 16 | 255;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	e.dw[6] = 100 << 16 | 200;
	/* and of each priority: not more than the whole, nothing of a refused command is taken */
	e.dw[8] = 40 << 16 | 200;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_PFC_OWN), 40 << 16 | 200);
	before = fk.changes;
	e.dw[8] = 40 << 16 | 201;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[8] = 61 << 16 | 60;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	e.dw[8] = 1 << 16;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), BAD);
	EQ(fk.changes, before);
	e.dw[8] = 0;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_PFC_OWN), 0);
	e.dw[8] = 30 << 16 | 60;
	EQ(CMD(SET_ETH, 1, 0, &e, sizeof(e), NULL, 0), OK);
	EQ(CMD(CLOSE_DEV, 0, 0, NULL, 0, NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_ETH_PFC_OWN), 0);
}

/* Rings of the network interface. */
static void t_nic(void)
{
	struct ohca_cmd_nic_in good, in, none;
	u64 before;

	setup_dev();
	memset(&none, 0, sizeof(none));
	memset(&good, 0, sizeof(good));
	good.dw[0] = 3 | 5 << 4 | 6 << 8 | 7 << 12 | 0 << 16;
	good.dw[1] = 8 << 16 | 500;
	for (u32 i = 0; i < 6; i++)
		good.dw[2 + i] = i & 1 ? i : 0x1000 * (i + 3);
	EQ(CMD(SET_NIC, 1, 0, &good, sizeof(good), NULL, 0), OHCA_CMD_STATUS_BAD_STATE);
	EQ(mode(1), OK);
	EQ(CMD(SET_NIC, 1, 0, &none, sizeof(none), NULL, 0), OK);		/* off, as it is */
	before = fk.changes;
#define REFUSED(d, v) do { in = good; in.dw[d] = v; EQ(CMD(SET_NIC, 1, 0, &in, sizeof(in), NULL, 0), BAD); } while (0)
	REFUSED(0, good.dw[0] & ~1u);
	REFUSED(0, good.dw[0] & ~2u);
	REFUSED(0, 0);
	REFUSED(0, good.dw[0] | 4);
	REFUSED(0, good.dw[0] | 1u << 24);
	REFUSED(0, 3 | 3 << 4 | 6 << 8 | 7 << 12);
	REFUSED(0, 3 | 5 << 4 | 3 << 8 | 7 << 12);
	REFUSED(0, 3 | 13 << 4 | 6 << 8 | 14 << 12);
	REFUSED(0, 3 | 5 << 4 | 13 << 8 | 14 << 12);
	REFUSED(0, 3 | 5 << 4 | 6 << 8 | 6 << 12);			/* 32 + 64 do not fit 64 */
	REFUSED(0, 3 | 5 << 4 | 6 << 8 | 14 << 12);
	REFUSED(0, good.dw[0] | 9 << 16);				/* no such EQ */
	REFUSED(0, good.dw[0] | 0x80 << 16);
	REFUSED(2, 0x3800);
	REFUSED(4, 0x10);
	REFUSED(6, 0x5001);
	REFUSED(8, 1);
	REFUSED(15, 1u << 31);
#undef REFUSED
	EQ(CMD(SET_NIC, 2, 0, &good, sizeof(good), NULL, 0), BAD);
	EQ(fk.changes, before);
	EQ(CMD(SET_NIC, 1, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_NIC_CTRL), good.dw[0]);
	EQ(reg(OHCA_PORT_REG_NIC_MOD), good.dw[1]);
	for (u32 i = 0; i < 6; i++)
		EQ(reg(OHCA_PORT_REG_NIC_TX + 4 * i), good.dw[2 + i]);
	before = fk.changes;
	EQ(CMD(SET_NIC, 1, 0, &good, sizeof(good), NULL, 0), OHCA_CMD_STATUS_EXISTS);
	EQ(mode(0), OHCA_CMD_STATUS_BUSY);
	EQ(fk.changes, before);
	/* a host that has gone away: an end all the same, and another try is possible */
	fk.port[OHCA_PORT_REG_NIC_STATE / 4] = 1;
	EQ(CMD(SET_NIC, 1, 0, &none, sizeof(none), NULL, 0), OHCA_CMD_STATUS_INTERNAL);
	EQ(reg(OHCA_PORT_REG_NIC_CTRL) & 3, 0);
	EQ(CMD(SET_NIC, 1, 0, &good, sizeof(good), NULL, 0), OHCA_CMD_STATUS_EXISTS);
	fk.port[OHCA_PORT_REG_NIC_STATE / 4] = 0;
	EQ(CMD(SET_NIC, 1, 0, &none, sizeof(none), NULL, 0), OK);
	EQ(CMD(SET_NIC, 1, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(CMD(CLOSE_DEV, 0, 0, NULL, 0, NULL, 0), OK);
	EQ(reg(OHCA_PORT_REG_NIC_CTRL) & 3, 0);
}

const struct test_case eth_cases[] = {
	{ "eth-mode", t_mode }, { "eth-mode-clears", t_mode_clears }, { "eth-nic", t_nic }, { "eth-gids", t_gids }, { "eth-paths", t_paths }, { NULL, NULL },
};
