// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Management: attributes byte by byte as IBA 14.2.5 lays them out (written here by hand, not through the firmware's
 * helpers), directed routes, M_Key, traps, and the port's state machine.
 */
#include "test_mad.h"

/* ------------------------------------------------------------------ layouts */

static void t_packet(void)
{
	start();
	link_up();
	fk.port[OHCA_PORT_REG_LID / 4] = 3;
	mad_new(1, GET, NODE_INFO, 0);
	CHECK(wire());
	EQ(fk.tx[0].len, 284);
	CHECK(!fk.tx[0].to_host);
	/* LRH: VL15, LVer 0, SL 3 of the request, LNH 2; DLID 9, 72 words with ICRC, SLID 3. BTH: UD SEND only, MigReq, P_Key ffff, QP0 */
	BYTES(fk.tx[0].b, 16, 0xf0, 0x32, 0, 9, 0, 72, 0, 3, 0x64, 0x40, 0xff, 0xff, 0, 0, 0, 0);
	/* DETH: Q_Key 0, QP0 */
	BYTES(fk.tx[0].b + 20, 8, 0, 0, 0, 0, 0, 0, 0, 0);
	BYTES(reply, 24, 1, 1, 1, 0x81, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0x11, 0, 0, 0, 0, 0, 0);
}

static void t_node(void)
{
	u8 d[64];

	start();
	link_up();
	ask(GET, NODE_INFO, 0, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 64,
	      1, 1, 1, 1,						/* versions, channel adapter, one port */
	      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x00,		/* system image, node, port */
	      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x00,
	      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x01,
	      0, 32, 0x0c, 0x01, 0, 0, 0, 1,				/* P_Keys, device, revision */
	      1, 0x0c, 0xa0, 0x01,					/* port, vendor */
	      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	ask(GET, NODE_INFO, 1, NULL);
	EQ(status, 0x1c);
	memset(d, 0x77, 64);
	ask(SET, NODE_INFO, 0, d);
	EQ(status, 0x0c);
	ask(GET, NODE_DESC, 0, NULL);
	EQ(status, 0);
	EQ(memcmp(reply + 64, "OpenHCA\0\0\0", 10), 0);
	ask(SET, NODE_DESC, 0, d);
	EQ(status, 0x0c);
	EQ(CMD(SET_NODE_DESC, 0, 0, d, 64, NULL, 0), 0);
	ask(GET, NODE_DESC, 0, NULL);
	EQ(memcmp(reply + 64, d, 64), 0);
	/* what a channel adapter does not have: SwitchInfo, forwarding tables, Notice, LedInfo, nonsense */
	{
		static const u16 no[] = { 0x02, 0x12, 0x13, 0x19, 0x1a, 0x1b, 0x30, 0x31, 0xff90, 0x00, 0xffff };

		for (unsigned i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
			ask(GET, no[i], 0, NULL);
			EQ(status, 0x0c);
			ask(SET, no[i], 0, d);
			EQ(status, 0x0c);
		}
	}
	/* a class version nobody knows */
	mad_new(1, GET, NODE_INFO, 0);
	mad[2] = 2;
	CHECK(wire());
	EQ(status, 0x04);
	EQ(reply[3], RESP);
}

static void t_port_info(void)
{
	u8 d[64];

	start();
	link_up();
	ask(GET, PORT_INFO, 1, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 64,
	      0, 0, 0, 0, 0, 0, 0, 0,					/* M_Key */
	      0xfe, 0x80, 0, 0, 0, 0, 0, 0,				/* GID prefix */
	      0, 0, 0, 0,						/* LID, master SM LID */
	      0x06, 0x61, 0x48, 0x48,					/* CapabilityMask: 3, 6, 11, 14, 16, 21, 22, 25, 26 */
	      0, 0, 0, 0,						/* DiagCode, M_KeyLeasePeriod */
	      1, 2, 2, 2,						/* port; 4x enabled, supported, active */
	      0x72, 0x52, 0x00, 0x47,					/* speeds, Initialize; LinkUp, Polling; LMC; QDR code active */
	      0x50, 0x30, 0, 16, 16,					/* MTU 4096, SL 0; VLs 0-3; high limit; arbitration capacities */
	      0x05, 0, 0x30, 0, 0, 0, 0, 0, 0,				/* MTUCap; OperVLs all four; violations */
	      16, 18, 8, 0x88, 0, 0, 0, 0, 0, 0,			/* GUIDs, subnet timeout, response time, thresholds, … */
	      0, 0, 0x23, 3);						/* CapMask2; EDR active of FDR and EDR */
	/* a Set of everything that can be set */
	memcpy(d, reply + 64, 64);
	memcpy(d, "\x11\x12\x13\x14\x15\x16\x17\x18\xfe\xc0\x00\x00\x00\x00\x12\x34\x12\x34\x00\x01", 20);
	memset(d + 20, 0xff, 6);					/* read only */
	put16(d + 26, 30);
	d[28] = 7;							/* read only */
	d[29] = 2;
	d[30] = d[31] = 0xff;						/* read only */
	d[32] = 0xf0;							/* no change of state */
	d[33] = 0x01;							/* Sleep by default */
	d[34] = 1 << 6 | 2;						/* protected, four LIDs */
	d[35] = 0xf3;							/* SDR and DDR */
	d[36] = 4 << 4 | 5;						/* MTU 2048, SL 5 */
	d[37] = 0xff;							/* read only */
	d[38] = 77;
	d[39] = d[40] = 0xff;						/* read only */
	d[41] = 0xff;							/* read only */
	d[43] = 3 << 4;
	put16(d + 44, 1);
	put16(d + 46, 1);
	put16(d + 48, 1);
	d[50] = 99;							/* read only */
	d[51] = 0x20 | 17;
	d[52] = 31;							/* read only */
	d[53] = 0x35;
	d[62] = 0xff;							/* read only */
	d[63] = 30;							/* extended speeds off */
	mad_new(1, SET, PORT_INFO, 0x80000001);				/* bit 31: the manager knows extended speeds */
	memcpy(mad + 64, d, 64);
	CHECK(wire());
	EQ(status, 0);
	BYTES(reply + 64, 64,
	      0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0xfe, 0xc0, 0, 0, 0, 0, 0x12, 0x34, 0x12, 0x34, 0, 1,
	      0x06, 0x61, 0x48, 0x48, 0, 0, 0, 30, 1, 2, 2, 2, 0x72, 0x51, 0x42, 0x43, 0x45, 0x30, 77, 16, 16, 0x05, 0, 0x30,
	      0, 0, 0, 0, 0, 0, 16, 0x31, 8, 0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 30);
	/* and in the hardware */
	EQ(fk.port[OHCA_PORT_REG_LID / 4], 0x1234);
	EQ(fk.port[OHCA_PORT_REG_PREFIX_HI / 4], 0xfec00000);
	EQ(fk.port[OHCA_PORT_REG_PREFIX_LO / 4], 0x1234);
	/* smp_en, fc_init; MTU 4; four lanes; limit; LMC */
	EQ(fk.port[OHCA_PORT_REG_CTRL / 4], 1 | 1 << 3 | 4 << 4 | 4 << 8 | 77 << 16 | 2 << 24);
	/* events: GID (prefix), LID, SM */
	EQ(fk.nev, 3);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_GID_CHANGE);
	EQ(fk.ev[1].hdr & 255, OHCA_EQE_TYPE_LID_CHANGE);
	EQ(fk.ev[1].param, 0x1234);
	EQ(fk.ev[2].hdr, OHCA_EQE_TYPE_SM_CHANGE | 1 << 8);
}

static void t_port_info_bad(void)
{
	static const struct { u8 at, v; } bad[] = {
		{ 16, 0xc0 }, { 17, 0 },				/* LID: multicast, 0 (with the byte before 0) */
		{ 18, 0xff }, { 19, 0 },				/* SM LID */
		{ 29, 3 }, { 29, 8 }, { 29, 0xf0 },			/* widths that are not there */
		{ 33, 3 }, { 33, 15 },					/* default states that are none */
		{ 35, 8 }, { 35, 14 },					/* speeds */
		{ 63, 16 }, { 63, 29 },
		{ 36, 0 }, { 36, 6 << 4 }, { 36, 15 << 4 },		/* MTU */
		{ 43, 4 << 4 }, { 43, 15 << 4 },			/* more lanes than there are */
		{ 32, 2 }, { 32, 5 }, { 32, 15 },			/* states that cannot be set */
		{ 32, 4 },						/* Active from Initialize */
		{ 33, 4 << 4 | 2 }, { 33, 5 << 4 | 2 }, { 33, 15 << 4 | 2 },
	};
	struct port was;
	u8 d[64], e[64];

	start();
	link_up();
	set_state(0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		port_info(d);
		memcpy(e, d, 64);
		d[bad[i].at] = bad[i].v;
		was = port;
		ask(SET, PORT_INFO, 0, d);
		if (status != 0x1c)
			fail_at(__FILE__, __LINE__, "byte %u = %#x: status %#x", bad[i].at, bad[i].v, status);
		/* the field is as it was, the rest too as it was set to what it was */
		ask(GET, PORT_INFO, 0, NULL);
		e[32] |= reply[64 + 32] & 15;
		e[33] |= reply[64 + 33] & 0xf0;
		if (memcmp(reply + 64, e, 64))
			fail_at(__FILE__, __LINE__, "byte %u = %#x changed something", bad[i].at, bad[i].v);
		EQ(port.state, was.state);
		EQ(fk.retrains, 0);
	}
	/* Arm with a physical state */
	port_info(d);
	d[32] |= 3;
	d[33] |= 2 << 4;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0x1c);
	EQ(port.state, 2);
	/* a wrong field does not keep the others from taking effect */
	port_info(d);
	put16(d + 16, 0);
	d[38] = 11;
	d[32] |= 3;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0x1c);
	EQ(port.vl_high_limit, 11);
	EQ(port.lid, 3);
	EQ(port.state, 3);
	/* another port */
	ask(GET, PORT_INFO, 2, NULL);
	EQ(status, 0x1c);
	d[38] = 12;
	ask(SET, PORT_INFO, 2, d);
	EQ(status, 0x1c);
	EQ(port.vl_high_limit, 11);
	/* LID must be aligned to the LMC */
	port_info(d);
	d[34] = 1;
	put16(d + 16, 5);
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0x1c);
	EQ(port.lmc, 0);
}

static void t_port_counters_clear(void)
{
	u8 d[64];

	start();
	link_up();
	fk.cnt[OHCA_PORT_CNT_BAD_PKEY] = 0x12345;
	fk.cnt[OHCA_PORT_CNT_BAD_QKEY] = 7;
	port.mkey_viol = 9;
	ask(GET, PORT_INFO, 0, NULL);
	BYTES(reply + 64 + 44, 6, 0, 9, 0xff, 0xff, 0, 7);
	port_info(d);
	put16(d + 46, 0);
	ask(SET, PORT_INFO, 0, d);
	BYTES(reply + 64 + 44, 6, 0, 9, 0, 0, 0, 7);
	fk.cnt[OHCA_PORT_CNT_BAD_PKEY]++;
	port_info(d);
	put16(d + 44, 0);
	put16(d + 48, 0);
	ask(SET, PORT_INFO, 0, d);
	BYTES(reply + 64 + 44, 6, 0, 0, 0, 1, 0, 0);
	/* client reregistration: an event, and the bit in this answer only */
	fk.nev = 0;
	port_info(d);
	d[51] |= 0x80;
	ask(SET, PORT_INFO, 0, d);
	EQ(reply[64 + 51] & 0x80, 0x80);
	EQ(fk.nev, 1);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_CLIENT_REREG);
	ask(GET, PORT_INFO, 0, NULL);
	EQ(reply[64 + 51] & 0x80, 0);
}

static void t_tables(void)
{
	u8 d[64];

	start();
	link_up();
	/* P_Keys */
	ask(GET, PKEYS, 0, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 4, 0xff, 0xff, 0, 0);
	memcpy(d, reply + 64, 64);
	put16(d + 2, 0x8001);
	put16(d + 62, 0x1234);
	ask(SET, PKEYS, 0, d);
	EQ(status, 0);
	EQ(memcmp(reply + 64, d, 64), 0);
	EQ(fk.port[OHCA_PORT_REG_PKEY / 4 + 31], 0x1234);
	EQ(fk.nev, 1);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_PKEY_CHANGE);
	ask(SET, PKEYS, 0, d);
	EQ(fk.nev, 1);							/* no change, no event */
	ask(GET, PKEYS, 1, NULL);
	EQ(status, 0x1c);
	memset(d, 0xff, 64);
	ask(SET, PKEYS, 1, d);
	EQ(status, 0x1c);
	EQ(fk.port[OHCA_PORT_REG_PKEY / 4 + 31], 0x1234);

	/* SL to VL: two in a byte, the even SL in the upper half */
	ask(GET, SL2VL, 0, NULL);
	BYTES(reply + 64, 8, 0, 0, 0, 0, 0, 0, 0, 0);
	memset(d, 0, 64);
	memcpy(d, "\x01\x23\x01\x23\xff\x00\x12\x3f", 8);
	ask(SET, SL2VL, 0, d);
	EQ(status, 0);
	BYTES(reply + 64, 8, 0x01, 0x23, 0x01, 0x23, 0xff, 0x00, 0x12, 0x3f);
	EQ(fk.port[OHCA_PORT_REG_SL2VL_LO / 4], 0x32103210);
	EQ(fk.port[OHCA_PORT_REG_SL2VL_HI / 4], 0xf32100ff);

	/* VL arbitration: {VL, weight}; 16 entries */
	ask(GET, VL_ARB, 1 << 16, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 4, 0, 64, 0, 0);
	memset(d, 0, 64);
	memcpy(d, "\x00\x0a\x01\x14", 4);
	memcpy(d + 30, "\x03\xff", 2);
	memcpy(d + 32, "\x03\xff", 2);					/* beyond */
	ask(SET, VL_ARB, 3 << 16, d);
	EQ(status, 0);
	BYTES(reply + 64, 4, 0, 10, 1, 20);
	BYTES(reply + 64 + 30, 4, 3, 255, 0, 0);
	EQ(fk.port[OHCA_PORT_REG_ARB_HIGH / 4 + 1], 20 | 1 << 8);
	EQ(fk.port[OHCA_PORT_REG_ARB_HIGH / 4 + 15], 255 | 3 << 8);
	EQ(fk.port[OHCA_PORT_REG_ARB_LOW / 4], 64);
	for (unsigned m = 0; m < 8; m++) {
		ask(GET, VL_ARB, m << 16, NULL);
		EQ(status, m == 1 || m == 3 ? 0 : 0x1c);
	}

	/* GUIDs */
	fk.nev = 0;
	ask(GET, GUID_INFO, 0, NULL);
	BYTES(reply + 64, 16, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x01, 0, 0, 0, 0, 0, 0, 0, 0);
	memset(d, 0, 64);
	memset(d, 0x99, 8);						/* entry 0 stays */
	memcpy(d + 8, "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7", 8);
	ask(SET, GUID_INFO, 0, d);
	EQ(status, 0);
	BYTES(reply + 64, 16, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x01, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7);
	EQ(fk.nev, 1);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_GID_CHANGE);
	ask(SET, GUID_INFO, 0, d);
	EQ(fk.nev, 1);
	{
		u8 gid[16], e[64];

		EQ(CMD(QUERY_GID, 1 | 1 << 8, 0, NULL, 0, gid, 16), 0);
		BYTES(gid, 16, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7);
		/* all GIDs follow the prefix */
		port_info(e);
		memcpy(e + 8, "\xfe\xc0\x01\x02\x03\x04\x05\x06", 8);
		ask(SET, PORT_INFO, 0, e);
		EQ(CMD(QUERY_GID, 1 | 1 << 8, 0, NULL, 0, gid, 16), 0);
		BYTES(gid, 16, 0xfe, 0xc0, 1, 2, 3, 4, 5, 6, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7);
		EQ(CMD(QUERY_GID, 1, 0, NULL, 0, gid, 16), 0);
		BYTES(gid, 16, 0xfe, 0xc0, 1, 2, 3, 4, 5, 6, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x01);
		EQ(CMD(QUERY_GID, 1 | 2 << 8, 0, NULL, 0, gid, 16), 0);
		BYTES(gid, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	}
	memset(d, 0, 64);
	ask(SET, GUID_INFO, 0, d);					/* takes entry 1 away */
	EQ(fk.port[(OHCA_PORT_REG_GID + 16) / 4], 0);
	memset(d, 0x55, 64);
	ask(SET, GUID_INFO, 1, d);
	EQ(memcmp(reply + 64, d, 64), 0);
	ask(SET, GUID_INFO, 2, d);
	EQ(status, 0x1c);
	ask(GET, GUID_INFO, 0x10000, NULL);
	EQ(status, 0x1c);
}

/* ------------------------------------------------------------------ directed routes */

static void t_directed(void)
{
	start();
	link_up();
	/* one hop: this is how a manager at the other end of the cable asks */
	mad_new(0x81, GET, NODE_INFO, 0);
	mad[6] = 1;							/* hop pointer */
	mad[7] = 1;							/* hop count */
	mad[129] = 1;							/* initial path */
	CHECK(wire());
	BYTES(fk.tx[0].b, 8, 0xf0, 0x32, 0xff, 0xff, 0, 72, 0xff, 0xff);
	EQ(reply[3], RESP);
	EQ(status, 0x8000);						/* D */
	EQ(reply[6], 1);
	EQ(reply[7], 1);
	EQ(reply[128], 0);
	EQ(reply[129], 1);
	EQ(reply[193], 1);						/* return path: in by port 1 */
	EQ(reply[64], 1);
	/* five hops */
	mad[6] = mad[7] = 5;
	CHECK(wire());
	EQ(reply[197], 1);
	EQ(reply[6], 5);
	/* 63 hops are the most */
	mad[6] = mad[7] = 63;
	CHECK(wire());
	EQ(reply[255], 1);
	mad[6] = mad[7] = 64;
	CHECK(!wire());
	mad[6] = mad[7] = 255;
	CHECK(!wire());
	/* none */
	mad[6] = mad[7] = 0;
	CHECK(wire());
	EQ(reply[6], 0);
	EQ(status, 0x8000);
	EQ(reply[192], 0);
	/* hop pointers elsewhere on the way: a channel adapter forwards nothing */
	for (unsigned p = 0; p < 256; p++)
		for (unsigned n = 0; n < 8; n++) {
			mad[6] = (u8)p;
			mad[7] = (u8)n;
			mad[4] = 0;
			EQ(wire(), p == n);
			/* a Get cannot be on its way back */
			mad[4] = 0x80;
			EQ(wire(), false);
			EQ(fk.ntx, 0);
		}
	mad[4] = 0;
	mad[6] = mad[7] = 1;
	/* a status beside D: answered all the same, as it is not looked at */
	/* the rest of the way by LID: only a switch does that */
	mad[34] = 0;
	mad[35] = 5;
	CHECK(!wire());
	mad[34] = mad[35] = 0xff;
	/* the first part of the way by LID: the answer goes there, from this LID once there is one */
	mad[32] = 0;
	mad[33] = 7;
	CHECK(wire());
	BYTES(fk.tx[0].b, 8, 0xf0, 0x32, 0, 7, 0, 72, 0xff, 0xff);
	port.lid = 3;
	CHECK(wire());
	BYTES(fk.tx[0].b, 8, 0xf0, 0x32, 0, 7, 0, 72, 0, 3);
	mad[32] = mad[33] = 0xff;
	/* attributes that are not there */
	mad[17] = 0x12;
	CHECK(wire());
	EQ(status, 0x800c);
	/* a LID-routed SMP to the permissive LID is nobody's */
	mad_new(1, GET, NODE_INFO, 0);
	fk.ntx = 0;
	CHECK(fake_smp(0xffff, 0xffff, mad));
	EQ(fk.ntx, 0);

	/* answers and everything of a subnet manager go to the host unchanged */
	mad_new(0x81, RESP, NODE_INFO, 0);
	mad[4] = 0x80;
	mad[6] = 1;
	mad[7] = 3;
	for (unsigned i = 64; i < 128; i++)
		mad[i] = (u8)i;
	CHECK(wire());
	CHECK(fk.tx[0].to_host);
	EQ(fk.tx[0].len, 284);
	EQ(memcmp(reply, mad, 256), 0);
	mad[6] = 2;							/* not at its end */
	CHECK(!wire());
	mad[6] = 1;
	mad[32] = 0;							/* the rest by LID */
	CHECK(!wire());
	mad[32] = 0xff;
	mad[6] = mad[7] = 0;
	CHECK(wire());
	mad_new(0x81, GET, 0x20, 0);					/* SMInfo */
	mad[6] = mad[7] = 2;
	CHECK(wire());
	CHECK(fk.tx[0].to_host);
	EQ(reply[194], 0);						/* the host notes the port itself */
	mad_new(1, SET, 0x20, 0);
	CHECK(wire());
	CHECK(fk.tx[0].to_host);
	mad_new(1, TRAP, 2, 0);
	CHECK(wire());
	CHECK(fk.tx[0].to_host);
	mad_new(1, 0x93, 0x55, 0);
	CHECK(wire());
	CHECK(fk.tx[0].to_host);
}

/* Packets that are no SMP from QP0 to QP0, of 256 bytes, of this version: dropped, and the buffers come free. */
static void t_not_smp(void)
{
	u8 p[512];

	start();
	link_up();
	mad_new(1, GET, NODE_INFO, 0);
	for (unsigned n = 0; n < 512; n += 4) {
		memset(p, 0, sizeof(p));
		memcpy(p, "\xf0\x32\x00\x03\x00\x48\x00\x09\x64\x00\xff\xff", 12);
		memcpy(p + 28, mad, 256);
		fk.ntx = 0;
		CHECK(fake_rx(p, n));
		EQ(fk.ntx, n == 284);
	}
	{
		static const struct { u16 at; u8 v; } bad[] = {
			{ 1, 0x33 }, { 1, 0x30 }, { 1, 0x31 },		/* GRH, raw */
			{ 8, 0x65 }, { 8, 0x04 }, { 8, 0x00 },		/* immediate data, RC */
			{ 9, 0x10 }, { 9, 0x01 },			/* padding, transport version */
			{ 13, 1 }, { 15, 1 },				/* QP1 */
			{ 27, 1 }, { 25, 1 },				/* from QP1 */
			{ 28, 0 }, { 28, 2 },				/* base version */
			{ 29, 0x03 }, { 29, 0x04 }, { 29, 0x80 },	/* class */
		};

		for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			memset(p, 0, sizeof(p));
			memcpy(p, "\xf0\x32\x00\x03\x00\x48\x00\x09\x64\x00\xff\xff", 12);
			memcpy(p + 28, mad, 256);
			p[bad[i].at] = bad[i].v;
			fk.ntx = 0;
			CHECK(fake_rx(p, 284));
			if (fk.ntx)
				fail_at(__FILE__, __LINE__, "byte %u = %#x was answered", bad[i].at, bad[i].v);
		}
	}
	/* four at once */
	fk.ntx = 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned s = fk.rx_new;

		memset(p, 0, sizeof(p));
		memcpy(p, "\xf0\x32\x00\x03\x00\x48\x00\x09\x64\x00\xff\xff", 12);
		memcpy(p + 28, mad, 256);
		p[28 + 15] = (u8)i;
		memcpy(fk.rx[s], p, 512);
		fk.rx_len[s] = 284;
		fk.rx_full[s] = true;
		fk.rx_new = (s + 1) & 3;
	}
	fake_run(10);
	EQ(fk.ntx, 4);
	for (unsigned i = 0; i < 4; i++)
		EQ(fk.tx[i].b[28 + 15], i);
	/* a link that takes no packet holds up nothing for ever */
	fk.tx_busy = ~0u;
	fk.ntx = 0;
	CHECK(fake_smp(9, 3, mad));
	EQ(fk.ntx, 0);
	EQ(CMD(QUERY_PKEY, 1, 0, NULL, 0, NULL, 0), 0);
	fk.tx_busy = 3;
	CHECK(fake_smp(9, 3, mad));
	EQ(fk.ntx, 1);
}

/* ------------------------------------------------------------------ through the command */

static void t_mad_ifc(void)
{
	u8 out[256], in[512];
	u64 before;

	start();
	link_up();
	mad_new(0x81, GET, NODE_INFO, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 1);
	EQ(out[3], RESP);
	EQ(out[4], 0x80);
	EQ(out[64 + 2], 1);
	mad_new(1, GET, 0x20, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 0);
	mad_new(1, RESP, NODE_INFO, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 0);
	mad_new(1, TRAP, 2, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 0);
	mad_new(1, REPRESS, 2, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 2);
	mad_new(0x03, GET, 0x38, 0);
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 0);
	before = fk.changes;
	memset(in, 0, sizeof(in));
	memcpy(in, mad, 256);
	in[0] = 1;
	EQ(CMD(MAD_IFC, 0, 0, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	EQ(CMD(MAD_IFC, 2, 0, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	EQ(CMD(MAD_IFC, 1, 4, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	in[0] = 2;
	EQ(CMD(MAD_IFC, 1, 0, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	in[0] = 1;
	in[508] = 1;
	EQ(CMD(MAD_IFC, 1, 0, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	in[508] = 0;
	in[258] = 0x10;
	EQ(CMD(MAD_IFC, 1, 0, in, sizeof(in), out, 256), OHCA_CMD_STATUS_BAD_PARAM);
	EQ(fk.changes, before);
	/* the answer to Disabled comes here all the same when no hop was made */
	mad_new(0x81, SET, PORT_INFO, 1);
	{
		u8 d[64];
		u8 keep[256];

		memcpy(keep, mad, 256);
		port_info(d);
		memcpy(mad, keep, 256);
		d[33] = 3 << 4 | 2;
		memcpy(mad + 64, d, 64);
	}
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 1);
	EQ(out[64 + 33] >> 4, 3);
}

/* ------------------------------------------------------------------ M_Key */

static void t_mkey(void)
{
	u8 d[64], key[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[256];

	start();
	link_up();
	port_info(d);
	memcpy(d, key, 8);
	put16(d + 26, 2);						/* lease of two seconds */
	d[34] = 0 << 6;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0);
	EQ(memcmp(reply + 64, key, 8), 0);
	EQ(get64(reply + 24), 0);					/* the answer does not repeat it in its header */
	/* level 0: everyone reads it */
	ask(GET, PORT_INFO, 0, NULL);
	EQ(memcmp(reply + 64, key, 8), 0);
	/* a Set without it: counted, no answer, nothing set */
	memcpy(d, "\0\0\0\0\0\0\0\x77", 8);
	mad_new(1, SET, PORT_INFO, 0);
	memcpy(mad + 64, d, 64);
	CHECK(!wire());
	EQ(port.mkey_viol, 1);
	EQ(port.mkey, 0x0102030405060708);
	mad_new(1, SET, PKEYS, 0);
	CHECK(!wire());
	EQ(fk.port[OHCA_PORT_REG_PKEY / 4], 0xffff);
	EQ(port.mkey_viol, 2);
	/* local software that may */
	EQ(ifc(1, out), 0);
	EQ(fk.imm, 1);
	/* level 1: hidden, but a Get goes */
	mad_new(1, SET, PORT_INFO, 0);
	memcpy(d, key, 8);
	d[34] = 1 << 6;
	memcpy(mad + 64, d, 64);
	memcpy(mad + 24, key, 8);
	CHECK(wire());
	EQ(status, 0);
	EQ(memcmp(reply + 64, key, 8), 0);
	EQ(port.mkey_lease_end, 0);
	ask(GET, PORT_INFO, 0, NULL);
	EQ(get64(reply + 64), 0);
	EQ(reply[64 + 34] >> 6, 1);
	mad_new(1, GET, PORT_INFO, 0);
	memcpy(mad + 24, key, 8);
	CHECK(wire());
	EQ(memcmp(reply + 64, key, 8), 0);
	EQ(port.mkey_viol, 0);						/* the Set had a 0 there */
	/* levels 2 and 3: no Get either, and the lease runs */
	for (unsigned level = 2; level <= 3; level++) {
		port.mkey_protect = (u8)level;
		port.mkey_viol = 0;
		mad_new(1, GET, NODE_INFO, 0);
		CHECK(!wire());
		EQ(port.mkey_viol, 1);
		CHECK(port.mkey_lease_end > fk.now);
		/* who knows the key stops it */
		memcpy(mad + 24, key, 8);
		CHECK(wire());
		EQ(port.mkey_lease_end, 0);
		mad[24] ^= 1;
		CHECK(!wire());
		/* Almost two seconds, and a second violation does not begin it anew */
		fake_until(fk.now + 250000000ull * 19 / 10);
		EQ(port.mkey_protect, level);
		CHECK(!wire());
		fake_until(fk.now + 250000000ull * 2 / 10);
		EQ(port.mkey_protect, 0);
		CHECK(wire());
	}
	/* saturation; no lease period */
	port.mkey_viol = 0xfffe;
	port.mkey_protect = 2;
	port.mkey_lease = 0;
	mad_new(1, GET, NODE_INFO, 0);
	for (unsigned i = 0; i < 3; i++)
		CHECK(!wire());
	EQ(port.mkey_viol, 0xffff);
	EQ(port.mkey_lease_end, 0);
	/* TrapRepress needs it too */
	port.mkey_viol = 0;
	mad_new(1, REPRESS, 2, 0);
	CHECK(!wire());
	EQ(port.mkey_viol, 1);
}

/* ------------------------------------------------------------------ traps */

static void repress(void)
{
	u8 tid[8];

	memcpy(tid, fk.tx[fk.ntx - 1].b + 28 + 8, 8);
	mad_new(1, REPRESS, 2, 0);
	memcpy(mad + 8, tid, 8);
	memcpy(mad + 24, "\0\0\0\0\0\0\0\0", 8);
	fk.ntx = 0;
	CHECK(fake_smp(1, 3, mad));
	EQ(fk.ntx, 0);
}

static void t_traps(void)
{
	u64 interval = 250ull * 4096 * (1 << 18) / 1000, t;
	u8 *n, desc[64] = "other";
	struct ohca_cmd_port_in in;

	start();
	/* while the port is down it waits, and nothing wakes the core for it */
	EQ(CMD(SET_NODE_DESC, 0, 0, desc, 64, NULL, 0), 0);
	CHECK(port_next() == ~0ull);
	memset(&in, 0, sizeof(in));
	in.dw[0] = 2;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), 0);
	EQ(fk.ntx, 0);
	link_up();
	set_state(3);
	fk.ntx = 0;
	t = fk.now;
	mad_new(1, SET, PORT_INFO, 0);
	{
		u8 d[64];
		u8 keep[256];

		memcpy(keep, mad, 256);
		port_info(d);
		memcpy(mad, keep, 256);
		d[32] |= 4;
		d[36] |= 7;						/* SL of the manager */
		memcpy(mad + 64, d, 64);
	}
	fk.ntx = 0;
	CHECK(fake_smp(9, 3, mad));
	/* the answer, then one trap 144 with both changes */
	EQ(fk.ntx, 2);
	n = fk.tx[1].b + 28;
	BYTES(fk.tx[1].b, 8, 0xf0, 0x72, 0, 1, 0, 72, 0, 3);
	BYTES(n, 8, 1, 1, 1, 5, 0, 0, 0, 0);
	BYTES(n + 16, 16, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);	/* Notice; M_Key 0 */
	/* generic, informational; producer 1; trap 144; issuer; toggle */
	BYTES(n + 64, 10, 0x84, 0, 0, 1, 0, 144, 0, 3, 0, 0);
	/* reserved, LID, reserved, local changes, CapabilityMask with IsSM, change flags (NodeDescription), CapMask2 */
	BYTES(n + 74, 14, 0, 0, 0, 3, 0, 1, 0x06, 0x61, 0x48, 0x4a, 0, 1, 0, 0);
	t = fk.tx[1].at;
	/* again after a subnet timeout, not before, with the same transaction id */
	fake_until(t + interval * 9 / 10);
	EQ(fk.ntx, 2);
	fake_until(t + interval + 250000);
	EQ(fk.ntx, 3);
	EQ(memcmp(fk.tx[2].b + 28, n, 256), 0);
	/* a repress of something else, then the right one */
	mad_new(1, REPRESS, 2, 0);
	CHECK(fake_smp(1, 3, mad));
	fake_until(fk.now + interval + 250000);
	EQ(fk.ntx, 4);
	repress();
	fake_until(fk.now + 3 * interval);
	EQ(fk.ntx, 0);
	/* the same description again is no change */
	EQ(CMD(SET_NODE_DESC, 0, 0, desc, 64, NULL, 0), 0);
	fake_run(5);
	EQ(fk.ntx, 0);
	/* only the capability mask changes: no other local changes */
	in.dw[0] = 0;
	in.dw[1] = 2;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), 0);
	fake_run(5);
	EQ(fk.ntx, 1);
	BYTES(fk.tx[0].b + 28 + 74, 14, 0, 0, 0, 3, 0, 0, 0x06, 0x61, 0x48, 0x48, 0, 0, 0, 0);
	/* nobody answers: it ends */
	fake_until(fk.now + 40 * interval);
	EQ(fk.ntx, 16);
	CHECK(port_next() == ~0ull);
	/* a subnet timeout of 0 is no licence to flood */
	port.subnet_timeout = 0;
	desc[0] = 'y';
	fk.ntx = 0;
	EQ(CMD(SET_NODE_DESC, 0, 0, desc, 64, NULL, 0), 0);
	fake_until(fk.now + 250 * 100000);				/* 100 ms */
	CHECK(fk.ntx >= 3 && fk.ntx <= 8);
}

static void t_trap_mkey(void)
{
	u64 interval = 250ull * 4096 * (1 << 18) / 1000, t;

	start();
	activate();
	port.mkey = 0x1122;
	/* LID routed */
	mad_new(1, SET, PKEYS, 0x12345678);
	memcpy(mad + 24, "\xde\xad\xbe\xef\x01\x02\x03\x04", 8);
	fk.ntx = 0;
	CHECK(fake_smp(0x55, 3, mad));
	EQ(fk.ntx, 1);
	BYTES(fk.tx[0].b + 28 + 64, 10, 0x82, 0, 0, 1, 1, 0, 0, 3, 0, 0);	/* security, 256 */
	/* pad, LID, DR SLID, method, pad, attribute, modifier, M_Key, pad, DR */
	BYTES(fk.tx[0].b + 28 + 74, 28, 0, 0, 0, 0x55, 0, 0, 2, 0, 0, 0x16, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4,
	      0, 0, 0, 0, 0, 0);
	t = fk.tx[0].at;
	port.mkey = 0;
	repress();
	port.mkey = 0x1122;
	/* Repressed or not, another one is not sent within a subnet timeout: a flood of bad keys is no flood of traps. */
	for (unsigned i = 0; i < 20; i++) {
		fk.ntx = 0;
		CHECK(fake_smp(0x55, 3, mad));
		EQ(fk.ntx, 0);
		fake_until(fk.now + interval / 40);
	}
	fake_until(t + interval - 250000);
	EQ(fk.ntx, 0);
	fake_until(t + interval + 250000);
	EQ(fk.ntx, 1);
	port.mkey = 0;
	repress();
	port.mkey = 0x1122;
	fake_until(fk.now + interval);
	/* directed: with the way it came */
	mad_new(0x81, SET, PORT_INFO, 1);
	mad[6] = mad[7] = 3;
	mad[193] = 0x21;
	mad[194] = 0x22;
	fk.ntx = 0;
	CHECK(fake_smp(0xffff, 0xffff, mad));
	EQ(fk.ntx, 1);
	/* the return path has no entry 0; three hops, the last by port 1 */
	BYTES(fk.tx[0].b + 28 + 74, 28, 0, 0, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0x15, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x83,
	      0, 0x21, 0x22, 0);
	/* it happens again before it is repressed: one trap, of the newest, with another id */
	{
		u8 tid[8];

		memcpy(tid, fk.tx[0].b + 28 + 8, 8);
		mad[6] = mad[7] = 40;
		fk.ntx = 0;
		CHECK(fake_smp(0xffff, 0xffff, mad));
		EQ(fk.ntx, 0);
		fake_until(fk.now + 250ull * 1200000);
		EQ(fk.ntx, 1);
		CHECK(memcmp(tid, fk.tx[0].b + 28 + 8, 8));
		EQ(fk.tx[0].b[28 + 74 + 23], 0x80 | 0x40 | 30);		/* truncated */
	}
}

static void port_ev(unsigned bit)
{
	fk.port[OHCA_PORT_REG_EVENT / 4] |= 1u << bit;
	fake_run(10);
}

static void t_trap_link(void)
{
	start();
	activate();
	fk.ntx = 0;
	/* Local link integrity: more than 8 errors within 10 ms */
	for (unsigned i = 0; i < 8; i++) {
		fk.cnt[OHCA_PORT_CNT_RCV_VCRC]++;
		port_ev(OHCA_PORT_EVENT_LINK_INTEGRITY);
	}
	EQ(fk.ntx, 0);
	fk.cnt[OHCA_PORT_CNT_LPCRC]++;
	port_ev(OHCA_PORT_EVENT_LINK_INTEGRITY);
	EQ(fk.ntx, 1);
	BYTES(fk.tx[0].b + 28 + 64, 16, 0x81, 0, 0, 1, 0, 129, 0, 3, 0, 0, 0, 0, 0, 3, 1, 0);
	EQ(port.integrity_errs, 1);
	repress();
	/* thinly spread they are no reason */
	for (unsigned i = 0; i < 40; i++) {
		fk.cnt[OHCA_PORT_CNT_RCV_VCRC]++;
		port_ev(OHCA_PORT_EVENT_LINK_INTEGRITY);
		fake_until(fk.now + 250 * 2000);
	}
	EQ(fk.ntx, 0);
	EQ(port.integrity_errs, 1);
	/* Overruns: in 8 flow-control periods in a row */
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < 8; i++) {
			for (unsigned j = 0; j < 5; j++)
				port_ev(OHCA_PORT_EVENT_OVERRUN);
			EQ(port.overrun_errs, k + (i == 7));
			fk.now += port.fc_period + 100;
		}
	EQ(fk.ntx, 1);
	EQ(get16(fk.tx[0].b + 28 + 68), 130);
	for (unsigned i = 0; i < 20; i++) {
		port_ev(OHCA_PORT_EVENT_OVERRUN);
		fk.now += 3 * port.fc_period;
	}
	EQ(port.overrun_errs, 3);
}

/* 257 and 258: one of each at a time, with what the hardware kept; the violations between them are only counted. */
static void t_trap_keys(void)
{
	static const u32 pk[12] = { 0x00110003, 0x00008123, 0x00abcdef, 0x00000045, 0xfe800000, 0x01, 0x02030405, 0x06070809,
				    0xfe800000, 0x0a, 0x0b0c0d0e, 0x0f101112 };
	static const u32 qk[12] = { 0x00220003, 0xdeadbeef, 0x00000001, 0x00fffffe };
	u64 interval = 250ull * 4096 * (1 << 18) / 1000, t;
	unsigned sent;
	u8 d[64];

	start();
	/* Waited for from the start; told when the port is Active, and nothing wakes the core until then. */
	EQ(fk.viol_wait, 3);
	CHECK(fake_viol(false, 5, pk));
	EQ(fk.viol_wait, 2);
	CHECK(port_next() == ~0ull);
	EQ(fk.ntx, 0);
	link_up();
	set_state(3);
	port_info(d);
	d[32] |= 4;
	mad_new(1, SET, PORT_INFO, 0);
	memcpy(mad + 64, d, 64);
	fk.ntx = 0;
	CHECK(fake_smp(9, 3, mad));
	EQ(fk.ntx, 2);					/* the answer, and the trap */
	t = fk.tx[1].at;
	BYTES(fk.tx[1].b, 8, 0xf0, 2, 0, 1, 0, 72, 0, 3);
	BYTES(fk.tx[1].b + 28 + 64, 10, 0x82, 0, 0, 1, 1, 1, 0, 3, 0, 0);	/* security, producer 1, trap 257, issuer */
	/* reserved, LIDs, key, SL and QP1, QP2, GIDs */
	BYTES(fk.tx[1].b + 28 + 74, 54, 0, 0, 0, 0x11, 0, 3, 0, 0, 0x81, 0x23, 0x50, 0xab, 0xcd, 0xef, 0, 0, 0, 0x45,
	      0xfe, 0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xfe, 0x80, 0, 0, 0, 0, 0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0, 0, 0, 0);
	/* One kind does not hide the other. */
	CHECK(!fake_viol(false, 5, pk));
	fk.ntx = 0;
	CHECK(fake_viol(true, 15, qk));
	EQ(fk.viol_wait, 0);
	EQ(fk.ntx, 1);
	EQ(get16(fk.tx[0].b + 28 + 68), 258);
	BYTES(fk.tx[0].b + 28 + 74, 20, 0, 0, 0, 0x22, 0, 3, 0xde, 0xad, 0xbe, 0xef, 0xf0, 0, 0, 1, 0, 0xff, 0xff, 0xfe, 0, 0);
	CHECK(strstr((const char *)fake_log(), "bad keys"));
	/* A flood meanwhile neither wakes the core nor changes what is told. */
	for (unsigned i = 0; i < 100; i++) {
		CHECK(!fake_viol(i & 1, i & 15, pk));
		EQ(fk.ntx, 1);
	}
	/* Repressed: the kind is waited for again, but not sooner than it may be told again. */
	repress();
	EQ(fk.viol_wait, 0);
	fk.ntx = 0;
	fake_until(t + interval + 250000);
	EQ(fk.ntx, 1);					/* the other one again */
	EQ(get16(fk.tx[0].b + 28 + 68), 257);
	fake_until(fk.now + interval / 2);
	EQ(fk.viol_wait, 2);
	EQ(fk.ntx, 1);
	fk.ntx = 0;
	CHECK(fake_viol(true, 1, qk));
	EQ(fk.ntx, 1);
	EQ(get16(fk.tx[0].b + 28 + 68), 258);
	repress();
	EQ(fk.viol_wait, 0);
	/* Nobody represses: it ends, and the kind is waited for again. */
	fk.ntx = 0;
	fake_until(fk.now + 40 * interval);
	EQ(fk.ntx, 14);
	EQ(fk.viol_wait, 3);
	CHECK(port_next() == ~0ull);
	/* A flood, and a manager that represses at once: one notice of a kind in a subnet timeout. */
	sent = 0;
	t = fk.now;
	while (fk.now < t + 10 * interval) {
		fk.ntx = 0;
		fake_viol(true, 1, qk);
		sent += fk.ntx;
		if (fk.ntx)
			repress();
		fake_until(fk.now + interval / 100);
	}
	CHECK(sent >= 9 && sent <= 11);
	/* There is no manager on Ethernet. */
	{
		struct ohca_cmd_port_in in;

		memset(&in, 0, sizeof(in));
		OHCA_SET(OHCA_CMD_PORT_IN_SET_MODE, &in, 1);
		OHCA_SET(OHCA_CMD_PORT_IN_ETH, &in, 1);
		EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), 0);
	}
	EQ(fk.viol_wait, 0);
}

/* Traps are told, but notices cannot be asked for: IsNoticeSupported is 0, and the attribute is not there. */
static void t_notice(void)
{
	start();
	activate();
	ask(GET, PORT_INFO, 0, NULL);
	EQ(get32(reply + 64 + 20) & 0xc, 8);
	for (unsigned method = GET; method <= SET; method++) {
		ask(method, 2, 0, NULL);
		EQ(status, 0x0c);
	}
}

/* ------------------------------------------------------------------ state machine */

#define CTRL fk.port[OHCA_PORT_REG_CTRL / 4]

static void t_states(void)
{
	u8 d[64];
	u64 t;

	start();
	EQ(CTRL & 15, 0);
	link_up();
	EQ(CTRL & 15, 1 | 8);					/* SMPs and initial flow control */
	set_state(3);
	EQ(CTRL & 15, 1 | 2);
	set_state(3);						/* there already */
	EQ(port.state, 3);
	set_state(4);
	EQ(CTRL & 15, 1 | 2 | 4);
	set_state(4);
	EQ(fk.ev[fk.nev - 1].hdr & 255, OHCA_EQE_TYPE_PORT_CHANGE);
	EQ(fk.ev[fk.nev - 1].param, 4);
	/* back to Armed is refused and changes nothing */
	port_info(d);
	d[32] |= 3;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0x1c);
	EQ(port.state, 4);
	/* nor can the lanes change while data flows */
	port_info(d);
	d[43] = 2 << 4;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0x1c);
	EQ(port.oper_vls, port_vl_cap());
	/* but with Down they do: the answer still leaves, then the link is trained again */
	d[32] |= 1;
	d[36] = 3 << 4;
	fk.nev = 0;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0);
	EQ(reply[64 + 32] & 15, 1);
	EQ(reply[64 + 33] >> 4, 2);
	EQ(port.oper_vls, 2);
	EQ(port.mtu, 3);
	EQ(CTRL & 15, 1);					/* SMPs only */
	EQ(fk.retrains, 0);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_PORT_CHANGE);
	EQ(fk.ev[0].param, 1);
	t = fk.now;
	fake_until(t + 250 * 100);
	EQ(fk.retrains, 1);
	EQ(CTRL & 15, 0);
	fake_link(false);
	fake_run(5);
	EQ(port.state, 1);
	fake_link(true);
	fake_run(5);
	EQ(port.state, 2);
	EQ(CTRL, 1 | 8 | 3 << 4 | 2 << 8);
	EQ(port.lid, 3);
	/* a PHY that does not go down: after a while it is up again */
	set_state(1);
	fake_until(fk.now + 250 * 20000);
	EQ(fk.retrains, 2);
	EQ(port.state, 2);
	EQ(port.link_downed, 0);
	/* a data packet activates an armed port; one from before does not */
	port_ev(OHCA_PORT_EVENT_DATA_RCVD);
	EQ(port.state, 2);
	set_state(3);
	fake_run(5);
	EQ(port.state, 3);
	port_ev(OHCA_PORT_EVENT_DATA_RCVD);
	EQ(port.state, 4);
	CHECK(!(fk.port[OHCA_PORT_REG_EVENT_MASK / 4] >> OHCA_PORT_EVENT_DATA_RCVD & 1));
	/* The link was lost and came back between two looks */
	fk.phy_event = true;
	fake_run(5);
	EQ(port.state, 2);
	EQ(port.link_downed, 1);
	/* Not configured: as while the other end starts, it is no error. */
	fake_link(false);
	fake_run(5);
	EQ(port.state, 1);
	EQ(CTRL & 15, 0);
	EQ(port.link_downed, 1);
	fake_link(true);
	fake_run(5);
	set_state(3);
	fake_link(false);
	fake_run(5);
	EQ(port.state, 1);
	EQ(port.link_downed, 2);
}

static void t_disabled(void)
{
	u8 d[64];

	start();
	activate();
	/* by a directed route through this port: no answer can be given */
	port_info(d);
	d[33] = 3 << 4 | 2;
	mad_new(0x81, SET, PORT_INFO, 1);
	memcpy(mad + 64, d, 64);
	mad[6] = mad[7] = 1;
	mad[129] = 1;
	CHECK(!wire());
	fake_until(fk.now + 250 * 20000);
	EQ(port.state, 1);
	EQ(fk.retrains, 0);
	/* stays, and the other end has no link either */
	CHECK(fk.phy_held);
	CHECK(!fk.link_up);
	fake_link(false);
	fake_run(5);
	fake_link(true);
	fake_run(5);
	EQ(port.state, 1);
	EQ(CTRL & 15, 0);
	ask(GET, PORT_INFO, 0, NULL);
	EQ(reply[64 + 33] >> 4, 3);
	/* Down alone leaves it disabled, Polling brings it back */
	port_info(d);
	d[32] |= 1;
	ask(SET, PORT_INFO, 0, d);
	fake_until(fk.now + 250 * 20000);
	EQ(port.state, 1);
	CHECK(fk.phy_held);
	d[33] = 2 << 4 | 2;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0);
	fake_until(fk.now + 250 * 20000);
	CHECK(!fk.phy_held);
	EQ(port.state, 2);
}

static void t_reset(void)
{
	start();
	activate();
	EQ(make_qp(9, OHCA_QP_TYPE_UD), 0);
	/* The adapter is reset, the link is not: the other end must see it go. */
	fake_soft_reset();
	EQ(fk.retrains, 1);
	EQ(port.state, 1);
	EQ(fk.status_reg, 1);
	EQ(fk.version, FW_VERSION);
	EQ(objs_word(dev.qp_map, 0), 0);
	CHECK(!dev.inited);
	fake_link(false);
	fake_run(5);
	fake_link(true);
	fake_run(5);
	EQ(port.state, 2);
	EQ(port.lid, 0);
	setup_dev();
}

/* Speeds that are supported and enabled: up to what the PHY runs at. */
static void t_speeds(void)
{
	static const struct { u16 phy; u8 code, all, ext, ext_all; } want[] = {
		{ 25, 1, 1, 0, 0 }, { 50, 2, 3, 0, 0 }, { 100, 4, 7, 0, 0 }, { 140, 4, 7, 1, 1 }, { 250, 4, 7, 2, 3 },
		{ 500, 4, 7, 4, 7 }, { 1000, 4, 7, 8, 15 },
	};
	u8 d[64];

	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		start();
		fk.speed = want[i].phy;
		link_up();
		port_info(d);
		EQ(d[32] >> 4, want[i].all);
		EQ(d[35], want[i].code << 4 | want[i].all);
		EQ(d[62], want[i].ext << 4 | want[i].ext_all);
		EQ(d[63], want[i].ext_all);
		EQ(get32(d + 20) >> 14 & 1, want[i].ext != 0);
		/* more than that cannot be enabled; "all" is that */
		if (want[i].all != 7) {
			d[35] = 7;
			ask(SET, PORT_INFO, 0, d);
			EQ(status, 0x1c);
		}
		d[35] = 15;
		d[63] = 31;
		ask(SET, PORT_INFO, 0, d);
		EQ(status, 0);
		EQ(reply[64 + 35] & 15, want[i].all);
		EQ(reply[64 + 63], want[i].ext_all);
		d[35] = 1;
		ask(SET, PORT_INFO, 0, d);
		EQ(status, 0);
		EQ(reply[64 + 35] & 15, 1);
	}
}

static void t_times(void)
{
	u32 h;

	start();
	/* 250 cycles per microsecond, EDR lanes: 65,536 symbols of 8 bits at 25 Gb/s are 20.97 us */
	EQ(fk.port[OHCA_PORT_REG_FC_PERIOD / 4], 5242);
	EQ(fk.port[OHCA_PORT_REG_FC_WATCHDOG / 4], 0);
	EQ(fk.port[OHCA_PORT_REG_CYC_4US / 4], 1024);
	EQ(fk.port[OHCA_PORT_REG_CYC_10US / 4], 2500);
	/* SDR: 10 bits at 2.5 Gb/s, 262 us */
	fk.speed = 25;
	link_up();
	EQ(fk.port[OHCA_PORT_REG_FC_PERIOD / 4], 65536);
	/* a simulator that tells the truth: 10 ms */
	fk.time_scale = 1;
	fk.phy_event = true;
	fake_run(5);
	EQ(fk.port[OHCA_PORT_REG_FC_PERIOD / 4], 10000);
	EQ(fk.port[OHCA_PORT_REG_CYC_4US / 4], 4);
	EQ(fk.port[OHCA_PORT_REG_CYC_10US / 4], 10);
	/* the health counter moves every 100 ms, and not much more often */
	h = fk.health;
	fake_until(fk.now + 1000000);
	CHECK(fk.health - h >= 10 && fk.health - h < 30);
	fk.time_scale = 250;
	fk.phy_event = true;
	fake_run(5);
	h = fk.health;
	fake_until(fk.now + 250000000ull);
	CHECK(fk.health - h >= 10 && fk.health - h < 30);
}

const struct test_case sma_cases[] = {
	{ "smp-packet", t_packet }, { "node-info", t_node }, { "port-info", t_port_info }, { "port-info-refused", t_port_info_bad },
	{ "port-info-counters", t_port_counters_clear }, { "tables", t_tables }, { "directed-route", t_directed }, { "not-an-smp", t_not_smp },
	{ "mad-ifc", t_mad_ifc }, { "m-key", t_mkey }, { "traps", t_traps }, { "trap-m-key", t_trap_mkey }, { "trap-link", t_trap_link },
	{ "trap-keys", t_trap_keys }, { "notice", t_notice },
	{ "port-states", t_states }, { "port-disabled", t_disabled }, { "reset", t_reset }, { "port-speeds", t_speeds }, { "times", t_times },
	{ NULL, NULL },
};
