// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Random commands and packets: what is refused changes nothing, nothing out of bounds is touched (the fake hardware and the
 * sanitizers watch), and the state that firmware keeps stays within what it promises. Repeat a failure with the seed printed.
 */
#include "fake.h"

extern unsigned fuzz_steps;

static u32 pick(u32 n)
{
	return (u32)(rnd() % n);
}

/* Numbers near the edges are the interesting ones. */
static u32 edge(u32 limit)
{
	switch (pick(8)) {
	case 0:
		return limit;
	case 1:
		return limit - 1;
	case 2:
		return (u32)rnd();
	case 3:
		return 1u << pick(32);
	default:
		return pick(limit < 40 ? limit : 40);
	}
}

static void garble(void *p, unsigned bytes)
{
	u8 *b = p;

	if (!bytes)
		return;
	for (unsigned n = 1 + pick(3); n; n--)
		switch (pick(3)) {
		case 0:
			b[pick(bytes)] ^= (u8)(1u << pick(8));
			break;
		case 1:
			b[pick(bytes)] = (u8)rnd();
			break;
		default: {
			unsigned at = pick(bytes / 4);
			u32 v = edge(1u << pick(32));

			memcpy(b + 4 * at, &v, 4);
		}
		}
}

static void port_sane(void)
{
	CHECK(port.state >= 1 && port.state <= 4);
	CHECK(port.mtu >= 1 && port.mtu <= 5);
	CHECK(port.oper_vls >= 1 && port.oper_vls <= 3);
	CHECK(port.lid < 0xc000 && port.sm_lid < 0xc000);
	CHECK(port.lmc <= 7 && !(port.lid & ((1u << port.lmc) - 1)));
	CHECK(port.subnet_timeout <= 31);
	/* SMPs flow if and only if the port is up, or just going down; data as the state says */
	{
		u32 c = fk.port[OHCA_PORT_REG_CTRL / 4];

		EQ(c & 1, port.state > 1 || port.retrain_at != ~0ull);
		EQ(c >> 1 & 1, port.state >= 3);
		EQ(c >> 2 & 1, port.state == 4);
		EQ(c >> 3 & 1, port.state == 2);
		EQ(c >> 4 & 7, port.mtu);
		EQ(fk.port[OHCA_PORT_REG_LID / 4], port.lid);
	}
	if (port.disabled)
		EQ(port.state, 1);
}

/* The books agree with the contexts. */
static void objects_sane(void)
{
	if (!dev.inited) {
		for (unsigned t = 0; t < 4; t++)
			EQ(fk.tbl_limit[t], 0);
		return;
	}
	for (u32 q = 0; q < 1u << dev.log_qp; q++) {
		const u32 *s, *a, *r;

		if (!objs_test(dev.qp_map, q))
			continue;
		s = fake_ctx(OHCA_CTX_PART_SQC, q);
		a = fake_ctx(OHCA_CTX_PART_RAC, q);
		r = fake_ctx(OHCA_CTX_PART_RSC, q);
		if (!s || !a || !r) {
			fail_at(__FILE__, __LINE__, "QP %u has no context memory", q);
			continue;
		}
		EQ(s[0] >> 3 & 7, a[0] >> 3 & 7);
		EQ(s[0] >> 3 & 7, r[0] >> 3 & 7);
		EQ(q == 0, (s[0] >> 3 & 7) == OHCA_QP_TYPE_SMI);
		EQ(q == 1, (s[0] >> 3 & 7) == OHCA_QP_TYPE_GSI);
		EQ(s[0] & 7, a[0] & 7);
		EQ(s[0] & 7, r[0] & 7);
		CHECK((s[0] & 7) <= 6);
		CHECK((s[0] >> 6 & 7) >= 1 && (s[0] >> 6 & 7) <= 5);		/* MTU */
		CHECK((s[0] >> 16 & 15) >= 6 && (s[0] >> 16 & 15) <= 8);	/* stride */
		CHECK(s[1] >> 24 < 240);
	}
	for (u32 q = 0; q < 1u << dev.log_cq; q++)
		if (objs_test(dev.cq_map, q))
			CHECK(fake_ctx(OHCA_CTX_PART_CQC, q) && *fake_ctx(OHCA_CTX_PART_CQC, q) & 1);
	for (u32 e = 0; e < 16; e++)
		EQ(fk.eqc[e][0] & 1, dev.eq_map >> e & 1);
}

static void smp_random(u8 *m)
{
	static const u8 attrs[] = { 0x10, 0x11, 0x14, 0x15, 0x15, 0x15, 0x16, 0x17, 0x18, 0x20, 0x02, 0x12, 0x1d };

	for (unsigned i = 0; i < 256; i++)
		m[i] = (u8)(pick(3) ? rnd() : 0);
	m[0] = 1;
	m[1] = pick(4) ? pick(2) ? 0x81 : 1 : (u8)(pick(2) ? 4 : rnd());
	m[2] = pick(10) ? 1 : (u8)rnd();
	m[3] = pick(8) ? 1 + pick(2) : (u8)rnd();
	memset(m + 4, 0, 4);
	if (m[1] == 0x81) {
		m[6] = m[7] = (u8)pick(pick(2) ? 3 : 80);
		m[4] = pick(10) ? 0 : 0x80;
		memset(m + 32, 0xff, 4);
	}
	m[16] = 0;
	m[17] = attrs[pick(sizeof(attrs))];
	memset(m + 18, 0, 6);
	m[23] = (u8)pick(3);
	if (m[17] == 0x18)
		m[21] = (u8)pick(6);
	if (pick(8))
		put64(m + 24, port.mkey);
	if (m[17] == 0x15) {
		/* something that a manager might send */
		if (pick(4))
			put64(m + 64, pick(3) ? 0 : rnd());
		put16(m + 64 + 16, pick(0xc100));
		put16(m + 64 + 18, pick(0xc100));
		m[64 + 29] = (u8)(pick(2) ? 0 : pick(2) ? 2 : rnd());
		m[64 + 32] = (u8)pick(6);
		m[64 + 33] = (u8)(pick(3) ? pick(3) : pick(5) << 4 | pick(4));
		m[64 + 34] = (u8)(pick(3) ? 0 : rnd());
		m[64 + 36] = (u8)(pick(7) << 4);
		m[64 + 43] = (u8)(pick(5) << 4);
		m[64 + 51] = (u8)(pick(2) ? 18 : rnd());
	}
}

static unsigned command(struct ohca_cmd_regs *r, u8 *in, unsigned *out_bytes)
{
	static const u16 ops[] = {
		OHCA_CMD_OP_NOP, OHCA_CMD_OP_QUERY_DEV, OHCA_CMD_OP_INIT_DEV, OHCA_CMD_OP_CLOSE_DEV, OHCA_CMD_OP_MAP_ICM,
		OHCA_CMD_OP_UNMAP_ICM, OHCA_CMD_OP_QUERY_PORT, OHCA_CMD_OP_SET_PORT, OHCA_CMD_OP_MAD_IFC, OHCA_CMD_OP_QUERY_GID,
		OHCA_CMD_OP_QUERY_PKEY, OHCA_CMD_OP_SET_NODE_DESC, OHCA_CMD_OP_CREATE_EQ, OHCA_CMD_OP_DESTROY_EQ, OHCA_CMD_OP_CREATE_CQ,
		OHCA_CMD_OP_DESTROY_CQ, OHCA_CMD_OP_QUERY_CQ, OHCA_CMD_OP_CREATE_MKEY, OHCA_CMD_OP_DESTROY_MKEY, OHCA_CMD_OP_QUERY_MKEY,
		OHCA_CMD_OP_SYNC_TPT, OHCA_CMD_OP_CREATE_QP, OHCA_CMD_OP_CREATE_QP, OHCA_CMD_OP_MODIFY_QP, OHCA_CMD_OP_MODIFY_QP,
		OHCA_CMD_OP_MODIFY_QP, OHCA_CMD_OP_QUERY_QP, OHCA_CMD_OP_DESTROY_QP, OHCA_CMD_OP_FLUSH_QP, OHCA_CMD_OP_QUERY_COUNTERS,
		OHCA_CMD_OP_SET_GID, OHCA_CMD_OP_SET_ETH, OHCA_CMD_OP_RESIZE_CQ, OHCA_CMD_OP_MODIFY_CQ,
	};
	u32 op = ops[pick(sizeof(ops) / sizeof(ops[0]))], mod = 0, op_mod = 0;
	unsigned bytes = 0;

	if (op == OHCA_CMD_OP_CLOSE_DEV && pick(20))
		op = OHCA_CMD_OP_MODIFY_QP;
	memset(r, 0, sizeof(*r));
	memset(in, 0, 4096);
	*out_bytes = 0;
	switch (op) {
	case OHCA_CMD_OP_INIT_DEV: {
		static const u32 good[4] = { 8 << 16, 9 | 10 << 16, 11 | 12 << 8 | 12 << 16 | 16 << 24, OHCA_CMD_ABI };

		memcpy(in, good, sizeof(good));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_MAP_ICM:
		mod = 1 + pick(3);
		for (u32 i = 0; i < mod; i++) {
			u32 c = pick(4) ? pick(20) : edge(2048);
			u64 a = chunk_bus(pick(40));

			memcpy(in + 16 * i, &c, 4);
			memcpy(in + 16 * i + 8, &a, 8);
		}
		bytes = 16 * mod;
		break;
	case OHCA_CMD_OP_UNMAP_ICM:
		mod = edge(14);
		op_mod = 1 + pick(2);
		break;
	case OHCA_CMD_OP_SET_PORT:
		mod = 1;
		if (pick(2))
			in[pick(2) * 4] = 2;
		else if (pick(2))
			in[8] = (u8)(2 | pick(2) << 2);		/* the link layer */
		bytes = 64;
		break;
	case OHCA_CMD_OP_SET_GID: {
		u32 d[6] = { 0, 0, 0xffff0000u, 0x0302010a + (pick(4) << 24), 2 * pick(3), pick(2) | (pick(2) ? 0x1005u << 16 : 0) | pick(6) << 29 };

		if (pick(2))
			d[0] = 0xfd, d[2] = 0;
		mod = 1 | edge(16) << 8;
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_SET_ETH: {
		u32 d[8] = { 2, pick(6) << 16, (u32)rnd(), (u32)rnd(), pick(32), 0, pick(3) | pick(3) << 16, 0 };

		mod = 1;
		d[5 + 2 * pick(2)] = pick(8) ? 0 : (u32)rnd();
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_MAD_IFC:
		mod = 1;
		op_mod = pick(4);
		smp_random(in);
		bytes = 512;
		*out_bytes = 256;
		break;
	case OHCA_CMD_OP_QUERY_GID:
	case OHCA_CMD_OP_QUERY_PKEY:
		mod = 1 | edge(op == OHCA_CMD_OP_QUERY_GID ? 16 : 32) << 8;
		*out_bytes = op == OHCA_CMD_OP_QUERY_GID ? 16 : 0;
		break;
	case OHCA_CMD_OP_SET_NODE_DESC:
		for (unsigned i = 0; i < 64; i++)
			in[i] = (u8)rnd();
		bytes = 64;
		break;
	case OHCA_CMD_OP_CREATE_EQ: {
		u32 d[8] = { (u32)MEM_BASE + 0x10000, MEM_BASE >> 32, 8 | pick(4) << 8 };

		mod = edge(16);
		memcpy(in, d, sizeof(d));
		bytes = 32;
		break;
	}
	case OHCA_CMD_OP_CREATE_CQ: {
		u32 d[16] = { 0x6000, 0, 0x30000, 7, 8 | pick(3) << 8 | 3 << 16 | 1 << 24 };

		mod = edge(4096);
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_RESIZE_CQ: {
		u32 d[4] = { 0x9000, 0, pick(4) << 24 | (pick(2) ? pick(0x1000000) : 0), pick(3) ? 1 : (u32)rnd() };

		if (!pick(4))
			d[2] = (u32)rnd();
		mod = edge(4096);
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_MODIFY_CQ: {
		u32 d[2] = { pick(2) ? pick(8) | pick(8) << 16 : (u32)rnd(), pick(8) ? 0 : (u32)rnd() };

		mod = edge(4096);
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_CREATE_MKEY: {
		u32 d[16] = { 9 | 12 << 16, 5, 0x1000, 0, pick(0x100000), 0, pick(65536) };

		mod = edge(4096);
		memcpy(in, d, sizeof(d));
		bytes = 64;
		break;
	}
	case OHCA_CMD_OP_CREATE_QP:
	case OHCA_CMD_OP_MODIFY_QP: {
		static const u32 masks[] = { 1, 0x39, 0x71, 0x51, 0x129181, 0x12e01, 0x10001, 0x5, 0x81, 0x41, 0x8001, 0x3 };
		u32 type = pick(5) ? pick(2) ? OHCA_QP_TYPE_RC : OHCA_QP_TYPE_UD : pick(8);

		mod = edge(2048);
		if (mod < 2 && pick(2))
			type = mod ? OHCA_QP_TYPE_GSI : OHCA_QP_TYPE_SMI;
		qp_in_default((void *)in, type);
		if (op == OHCA_CMD_OP_MODIFY_QP) {
			op_mod = pick(8) ? pick(7) : (u32)rnd() & 255;
			OHCA_SET(OHCA_CMD_QP_IN_MASK, (struct ohca_cmd_qp_in *)in, masks[pick(sizeof(masks) / 4)]);
			OHCA_SET(OHCA_CMD_QP_IN_CUR_STATE, (struct ohca_cmd_qp_in *)in, pick(8));
			OHCA_SET(OHCA_CMD_QP_IN_EN_SQD, (struct ohca_cmd_qp_in *)in, pick(2));
		}
		bytes = 256;
		break;
	}
	default:
		mod = edge(op >= OHCA_CMD_OP_CREATE_QP ? 2048 : 4096);
		*out_bytes = op == OHCA_CMD_OP_QUERY_DEV ? 128 : op == OHCA_CMD_OP_QUERY_PORT || op == OHCA_CMD_OP_QUERY_CQ ||
			     op == OHCA_CMD_OP_QUERY_MKEY ? 64 : op == OHCA_CMD_OP_QUERY_QP ? 256 : op == OHCA_CMD_OP_QUERY_COUNTERS ? 512 : 0;
		if (op == OHCA_CMD_OP_QUERY_PORT)
			mod = edge(2);
		if (op == OHCA_CMD_OP_QUERY_DEV || op == OHCA_CMD_OP_CLOSE_DEV || op == OHCA_CMD_OP_SYNC_TPT || op == OHCA_CMD_OP_QUERY_COUNTERS)
			mod = pick(4) ? 0 : mod;
	}
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, r, MBOX_IN);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, r, MBOX_OUT);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, r, mod);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, r, op);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, r, op_mod);
	OHCA_SET(OHCA_CMD_REGS_EVENT, r, pick(2));
	OHCA_SET(OHCA_CMD_REGS_TOKEN, r, rnd());
	OHCA_SET(OHCA_CMD_REGS_GO, r, 1);
	return bytes;
}

/* An engine of its own accord */
static void engine(void)
{
	u32 q = pick(40), *s, *a;

	for (u32 i = 0; i < 40 && dev.inited; i++)
		if (objs_test(dev.qp_map, i) && fake_ctx(OHCA_CTX_PART_SQC, i) && pick(4) == 0) {
			/* sends complete */
			s = fake_ctx(OHCA_CTX_PART_SQC, i);
			s[8] &= ~(3u << 24);
			s[7] = s[6] >> 16;
			fake_ctx(OHCA_CTX_PART_RAC, i)[8] = s[7];
		}
	if (!dev.inited || !objs_test(dev.qp_map, q))
		return;
	s = fake_ctx(OHCA_CTX_PART_SQC, q);
	a = fake_ctx(OHCA_CTX_PART_RAC, q);
	if (!s || !a)
		return;
	if (pick(2)) {
		s[8] ^= pick(4) << 24;					/* run queue, message */
		s[7] = pick(8);
		a[8] = pick(8);
	} else if ((s[0] & 7) >= 3) {
		a[4] ^= 1u << 30;					/* timer */
	}
}

static void t_commands(void)
{
	static u8 in[4096];
	static struct dev was_dev;
	static struct port was_port;
	unsigned good = 0, bad = 0;

	setup_dev();
	fake_link(true);
	fake_run(5);
	for (unsigned n = 0; n < fuzz_steps && !failures; n++) {
		struct ohca_cmd_regs r;
		unsigned out, bytes = command(&r, in, &out), nev = fk.nev = 0;
		u64 before;
		bool event;

		if (pick(3) == 0)
			garble(in, bytes);
		if (pick(12) == 0)
			garble(&r, 27);
		r.dw[6] |= ohca_cpu_to_le32(1u << 31);
		if (pick(50) == 0)
			fk.ndma_fail = 1 + pick(3);
		if (pick(40) == 0)
			fake_link(pick(4));
		engine();
		/* what happens by itself, happens now */
		do
			fake_until(fk.now + 250 * 100);
		while (port.retrain_at != ~0ull || port.recheck_at != ~0ull);
		memcpy(fake_ptr(MBOX_IN), in, sizeof(in));
		fk.dma_out_bytes = out < 512 ? 512 : out;		/* garbled opcodes may ask for another output */
		fk.ntx = 0;
		was_dev = dev;
		was_port = port;
		before = fk.changes;
		event = OHCA_GET(OHCA_CMD_REGS_EVENT, &r);
		if (fake_cmd_raw(&r)) {
			bad++;
			was_dev.sq_gen = dev.sq_gen;
			was_port.mkey_viol = port.mkey_viol;
			was_port.integrity_start = port.integrity_start;
			CHECK(!memcmp(&dev, &was_dev, sizeof(dev)));
			CHECK(!memcmp(&port, &was_port, sizeof(port)) || fk.ntx);
			EQ(fk.changes, before + fk.ntx);		/* a trap may leave at any time */
		} else {
			good++;
		}
		(void)nev;
		if (event && dev.eq_map & 1)
			CHECK(fk.nev >= 1);
		fk.ndma_fail = 0;
		port_sane();
		if (n % 64 == 0) {
			objects_sane();
			CHECK(fake_cache_clean());
		}
		/* begin anew when little is left to play with */
		if (!dev.inited && pick(30) == 0) {
			setup_dev();
			fake_link(true);
			fake_run(5);
		}
	}
	printf("# fuzz: %u commands succeeded, %u were refused\n", good, bad);
	CHECK(good > fuzz_steps / 10 && bad > fuzz_steps / 10);
}

static void t_smps(void)
{
	unsigned answers = 0;

	setup_dev();
	fake_link(true);
	fake_run(5);
	for (unsigned n = 0; n < fuzz_steps && !failures; n++) {
		u8 p[512], m[256];
		unsigned len = pick(20) ? 284 : pick(129) * 4;
		u64 key = port.mkey;
		bool knows, dr;

		smp_random(m);
		dr = m[1] == 0x81;
		memset(p, 0, sizeof(p));
		p[0] = 0xf0;
		p[1] = (u8)(pick(16) << 4 | 2);
		put16(p + 2, dr ? 0xffff : port.lid);
		put16(p + 4, 72);
		put16(p + 6, dr ? 0xffff : pick(0xc000));
		p[8] = 0x64;
		memcpy(p + 28, m, 256);
		if (pick(6) == 0)
			garble(p + 28, 256);
		if (pick(30) == 0)
			garble(p, 284);
		knows = !key || get64(p + 28 + 24) == key;
		fk.ntx = 0;
		CHECK(fake_rx(p, len));
		for (unsigned i = 0; i < fk.ntx; i++) {
			const u8 *o = fk.tx[i].b;

			EQ(fk.tx[i].len, 284);
			if (fk.tx[i].to_host) {
				EQ(memcmp(o, p, 284), 0);
				continue;
			}
			EQ(o[0], 0xf0);
			EQ(o[28], 1);
			if (o[28 + 3] == 0x81) {
				answers++;
				EQ(memcmp(o + 28 + 8, p + 28 + 8, 8), 0);
				EQ(o[28 + 4] >> 7, o[28 + 1] == 0x81);
			} else {
				EQ(o[28 + 3], 5);
				EQ(port.state, 4);
			}
		}
		if (!knows) {
			EQ(port.mkey, key);
			fk.now += pick(3) ? 0 : 250000000;		/* leases run out */
		}
		if (port.mkey_protect >= 2 && port.mkey && pick(3) == 0)
			port.mkey_protect = 0;
		port_sane();
		if (pick(200) == 0)
			fake_link(pick(4));
		fake_until(fk.now + pick(250000));
		if (port.disabled && pick(4) == 0) {
			/* Only the host still reaches it: Polling, or another link layer and back. */
			if (pick(2)) {
				port_bounce(false);
			} else {
				EQ(eth_set_mode(true), OHCA_CMD_STATUS_OK);
				EQ(eth_set_mode(false), OHCA_CMD_STATUS_OK);
			}
			fake_until(fk.now + 250 * 20000);
			CHECK(!port.disabled && !fk.phy_held);
		}
		for (unsigned e = 0; e < fk.nev; e++)
			CHECK(fk.ev[e].eqn == 0);
		fk.nev = 0;
	}
	printf("# fuzz: %u SMPs were answered\n", answers);
	CHECK(answers > fuzz_steps / 4);
}

u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);

/* The firmware's own division against that of the host. */
static void t_division(void)
{
	for (unsigned i = 0; i < 20000; i++) {
		u64 n = rnd() >> pick(64), d = rnd() >> pick(64);

		if (pick(10) == 0)
			n = ~0ull;
		if (pick(10) == 0)
			d = pick(2) ? n : 1ull << pick(64);
		if (!d)
			d = 1;
		EQ(__udivdi3(n, d), n / d);
		EQ(__umoddi3(n, d), n % d);
	}
}

const struct test_case fuzz_cases[] = {
	{ "fuzz-commands", t_commands }, { "fuzz-smps", t_smps }, { "division", t_division }, { NULL, NULL },
};
