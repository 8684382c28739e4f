// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Commands: what they do, and what they refuse. Layouts of the mailboxes are those of formats/30-commands.toml. */
#include "fake.h"

/* Of the MTT cache these lines are gone, and no others. */
#define DROPPED(first, last) do { EQ(fk.mtt_invals, 0); EQ(fk.mtt_lines, (last) - (first) + 1); EQ(fk.mtt_first, first); EQ(fk.mtt_last, last); } while (0)

enum {
	OK = OHCA_CMD_STATUS_OK, BAD_OP = OHCA_CMD_STATUS_BAD_OP, BAD = OHCA_CMD_STATUS_BAD_PARAM, STATE = OHCA_CMD_STATUS_BAD_STATE,
	NO_RES = OHCA_CMD_STATUS_NO_RES, BUSY = OHCA_CMD_STATUS_BUSY, EXISTS = OHCA_CMD_STATUS_EXISTS, NOT_FOUND = OHCA_CMD_STATUS_NOT_FOUND,
	PERM = OHCA_CMD_STATUS_PERM, DMA = OHCA_CMD_STATUS_DMA,
};
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

#define CMD(op, mod, opmod, in, inb, out, outb) fake_cmd(OHCA_CMD_OP_##op, mod, opmod, in, inb, out, outb)
#define PLAIN(op, mod) CMD(op, mod, 0, NULL, 0, NULL, 0)

static struct ohca_sqc *sqc(u32 n)
{
	return (void *)fake_ctx(OHCA_CTX_PART_SQC, n);
}

static struct ohca_rac *rac(u32 n)
{
	return (void *)fake_ctx(OHCA_CTX_PART_RAC, n);
}

static struct ohca_rsc *rsc(u32 n)
{
	return (void *)fake_ctx(OHCA_CTX_PART_RSC, n);
}

static void t_frame(void)
{
	struct ohca_cmd_regs r, good;
	struct ohca_cmd_query_dev_out o;
	u64 before;

	setup_dev();
	memset(&good, 0, sizeof(good));
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &good, OHCA_CMD_OP_NOP);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &good, 0x12345678);
	OHCA_SET(OHCA_CMD_REGS_GO, &good, 1);
	EQ(fake_cmd_raw(&good), OK);
	EQ(fk.imm, 0x12345678);
	EQ(fk.nev, 0);
	/* with an event */
	r = good;
	OHCA_SET(OHCA_CMD_REGS_EVENT, &r, 1);
	OHCA_SET(OHCA_CMD_REGS_TOKEN, &r, 0xbeef);
	EQ(fake_cmd_raw(&r), OK);
	EQ(fk.nev, 1);
	EQ(fk.ev[0].hdr, OHCA_EQE_TYPE_CMD);
	EQ(fk.ev[0].num, 0xbeef);
	EQ(fk.ev[0].param, 0x12345678);
	EQ(fk.ev[0].eqn, 0);
	/* reserved bits, each */
	for (unsigned b = 25; b < 32; b++) {
		r = good;
		r.dw[5] |= 1u << b;
		EQ(fake_cmd_raw(&r), BAD);
	}
	for (unsigned b = 24; b < 31; b++) {
		r = good;
		r.dw[6] |= 1u << b;
		EQ(fake_cmd_raw(&r), BAD);
	}
	/* unknown opcodes, modifiers without a meaning */
	before = fk.changes;
	EQ(fake_cmd(0x7f, 0, 0, NULL, 0, NULL, 0), BAD_OP);
	EQ(fake_cmd(0xffff, 0, 0, NULL, 0, NULL, 0), BAD_OP);
	EQ(CMD(NOP, 0, 1, NULL, 0, NULL, 0), BAD);
	EQ(CMD(QUERY_DEV, 1, 0, NULL, 0, NULL, 0), BAD);
	EQ(CMD(CLOSE_DEV, 1, 0, NULL, 0, NULL, 0), BAD);
	EQ(CMD(SYNC_TPT, 0, 4, NULL, 0, NULL, 0), BAD);
	EQ(CMD(DESTROY_CQ, 1, 1, NULL, 0, NULL, 0), BAD);
	/* mailboxes that are none */
	memset(&r, 0, sizeof(r));
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, OHCA_CMD_OP_QUERY_DEV);
	fk.dma_out_bytes = 0;
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, 0);
	EQ(fake_cmd_raw(&r), BAD);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, MBOX_OUT + 4);
	EQ(fake_cmd_raw(&r), BAD);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, OHCA_CMD_OP_SET_NODE_DESC);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, 0);
	EQ(fake_cmd_raw(&r), BAD);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, MBOX_IN + 64);
	EQ(fake_cmd_raw(&r), BAD);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, MEM_BASE + MEM_BYTES);	/* behind memory */
	EQ(fake_cmd_raw(&r), DMA);
	EQ(fk.changes, before);
	/* an output that nobody gets */
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, OHCA_CMD_OP_QUERY_DEV);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, MEM_BASE + MEM_BYTES);
	EQ(fake_cmd_raw(&r), OK);
	EQ(CMD(QUERY_DEV, 0, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_NODE_GUID, &o), GUID);
	EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_PORT_GUID, &o), GUID + 1);
	EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_ICM_CHUNKS, &o), 1u << ICM_LOG2);
	EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_RESERVED_LKEY, &o), 0xff);
	EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CAPS, &o), 1 << OHCA_DEV_CAP_RC | 1 << OHCA_DEV_CAP_UD | 1 << OHCA_DEV_CAP_PUSH | 1 << OHCA_DEV_CAP_ROCE |
	   1 << OHCA_DEV_CAP_MCAST_ATTACH | 1 << OHCA_DEV_CAP_CQ_MOD);
	{
		u32 c[128];

		EQ(CMD(QUERY_COUNTERS, 0, 0, NULL, 0, c, sizeof(c)), OK);
		for (unsigned i = 0; i < 128; i++)
			EQ(c[i], 4 * i);
	}
}

static void t_before_init(void)
{
	struct ohca_cmd_qp_in in;
	u64 before;

	fake_boot();
	before = fk.changes;
	qp_in_default(&in, OHCA_QP_TYPE_RC);
	EQ(CMD(CREATE_QP, 5, 0, &in, sizeof(in), NULL, 0), STATE);
	EQ(CMD(MODIFY_QP, 5, INIT, &in, sizeof(in), NULL, 0), STATE);
	EQ(PLAIN(DESTROY_QP, 5), STATE);
	EQ(PLAIN(DESTROY_EQ, 0), STATE);
	EQ(PLAIN(SYNC_TPT, 0), STATE);
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	EQ(fk.changes, before);
}

static void init_in(struct ohca_cmd_init_dev_in *in, u32 q, u32 c, u32 m, u32 t, u32 lq, u32 lc, u32 lm, u32 lt)
{
	memset(in, 0, sizeof(*in));
	in->dw[0] = q | c << 16;
	in->dw[1] = m | t << 16;
	in->dw[2] = lq | lc << 8 | lm << 16 | lt << 24;
	in->dw[3] = OHCA_CMD_ABI;
}

static void t_init(void)
{
	static const struct { u16 q, c, m, t; u8 lq, lc, lm, lt; u32 st; } c[] = {
		{ 0, 8, 9, 10, 11, 12, 12, 16, OK },
		{ 0, 8, 9, 10, 18, 12, 12, 16, BAD },		/* too many of each */
		{ 0, 8, 9, 10, 11, 17, 12, 16, BAD },
		{ 0, 8, 9, 10, 11, 12, 21, 16, BAD },
		{ 0, 8, 9, 10, 11, 12, 12, 27, BAD },
		{ 0, 8, 9, 10, 255, 255, 255, 255, BAD },
		{ 0, 8, 9, 10, 0, 12, 12, 16, BAD },		/* no QP1 */
		{ 0, 8, 9, 10, 11, 12, 2, 16, BAD },		/* not a multiple of eight */
		{ 0, 8, 9, 10, 11, 12, 12, 2, BAD },
		{ 0, 7, 9, 10, 11, 12, 12, 16, BAD },		/* overlaps, each way */
		{ 0, 8, 8, 10, 11, 12, 12, 16, BAD },
		{ 9, 8, 0, 10, 11, 12, 12, 16, BAD },
		{ 2041, 8, 9, 10, 11, 12, 12, 16, BAD },	/* beyond the directory */
		{ 2040, 8, 9, 10, 11, 12, 12, 16, OK },
		{ 2048, 8, 9, 10, 11, 12, 12, 16, BAD },
		{ 65535, 8, 9, 10, 11, 12, 12, 16, BAD },
		{ 0, 8, 20, 10, 11, 12, 12, 16, BAD },		/* no memory for the reserved key */
	};
	struct ohca_cmd_init_dev_in in;
	struct ohca_cmd_map_icm_in m;

	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		u64 before;

		fake_boot();
		memset(&m, 0, sizeof(m));
		m.dw[0] = 9;
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m, chunk_bus(9));
		EQ(CMD(MAP_ICM, 1, 0, &m, sizeof(m), NULL, 0), OK);
		m.dw[0] = 0;
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m, chunk_bus(0));
		EQ(CMD(MAP_ICM, 1, 0, &m, sizeof(m), NULL, 0), OK);
		before = fk.changes;
		init_in(&in, c[i].q, c[i].c, c[i].m, c[i].t, c[i].lq, c[i].lc, c[i].lm, c[i].lt);
		{
			u32 st = CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0);

			if (st != c[i].st)
				fail_at(__FILE__, __LINE__, "row %u: status %u, expected %u", i, st, c[i].st);
		}
		if (c[i].st) {
			EQ(fk.changes, before);
			continue;
		}
		for (unsigned t = 0; t < 4; t++) {
			EQ(fk.tbl_base[t], t == 0 ? c[i].q : t == 1 ? c[i].c : t == 2 ? c[i].m : c[i].t);
			EQ(fk.tbl_limit[t], 1u << (t == 0 ? c[i].lq : t == 1 ? c[i].lc : t == 2 ? c[i].lm : c[i].lt));
		}
		/* The reserved key: valid, physical, for the kernel, local write; key byte ff, pages of 4 KiB */
		EQ(*(u32 *)fake_ptr(chunk_bus(9)), 0x0cff0f);
		EQ(CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), STATE);
		EQ(PLAIN(CLOSE_DEV, 0), OK);
		EQ(*(u32 *)fake_ptr(chunk_bus(9)), 0);
		EQ(fk.tbl_limit[0] | fk.tbl_limit[1] | fk.tbl_limit[2] | fk.tbl_limit[3], 0);
		EQ(CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), OK);
	}
	init_in(&in, 0, 8, 9, 10, 11, 12, 12, 16);
	in.dw[4] = 1;
	EQ(CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), BAD);
}

/* Whom the firmware understands it says before anybody says anything else; whom it does not, it does not serve. */
static void t_versions(void)
{
	static const u32 no[] = { 0, OHCA_CMD_ABI + 1, 0xffff };
	struct ohca_cmd_query_dev_out o;
	struct ohca_cmd_init_dev_in in;
	u64 before;

	setup_dev();
	EQ(CMD(QUERY_DEV, 0, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(o.dw[22], OHCA_HOST_ABI | 63 << 16);
	EQ(o.dw[23], 1 | OHCA_CMD_ABI << 16);
	EQ(o.dw[24], 10 | 6 << 8 | 6 << 16 | 12 << 24);
	EQ(o.dw[26], 0x111);		/* rings in pages of 4 KiB, 64 KiB and 1 MiB */
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	before = fk.changes;
	for (unsigned i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		init_in(&in, 0, 8, 9, 10, 11, 12, 12, 16);
		in.dw[3] = no[i];
		EQ(CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), BAD);
	}
	EQ(fk.changes, before);
	EQ(PLAIN(SYNC_TPT, 0), STATE);
	in.dw[3] = OHCA_CMD_ABI;
	EQ(CMD(INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), OK);
	/* Larger doorbell pages are fewer, and so are push pages. */
	for (u32 s = 0; s <= 4; s++) {
		u32 pages;

		fk.db_stride = s;
		EQ(CMD(QUERY_DEV, 0, 0, NULL, 0, &o, sizeof(o)), OK);
		EQ(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_DB_STRIDE_SHIFT, &o), 12 + s);
		pages = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_DB_PAGES, &o);
		EQ(pages, 240 >> s);
		EQ(OHCA_BAR_DB_BASE + (pages << (12 + s)), OHCA_BAR_UNCACHED_BYTES);
		EQ(OHCA_BAR_PUSH_BASE + (pages << (12 + s)), OHCA_BAR0_BYTES);
	}
}

static void t_icm(void)
{
	struct ohca_cmd_map_icm_in m[33];
	u64 before;

	setup_dev();
	before = fk.changes;
	memset(m, 0, sizeof(m));
	for (unsigned i = 0; i < 33; i++) {
		m[i].dw[0] = 100 + i;
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[i], MEM_BASE + (u64)i * CHUNK);
	}
	EQ(CMD(MAP_ICM, 0, 0, m, sizeof(m), NULL, 0), BAD);
	/* Numbers of host chunks have 32 bits: what lies beyond is refused, not cut, for keys are written there. */
	for (unsigned bit = OHCA_ICM_CHUNK_SHIFT + 32; bit < 64; bit++) {
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[1], MEM_BASE | 1ull << bit);
		EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	}
	OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[1], MEM_BASE + CHUNK);
	EQ(CMD(MAP_ICM, 33, 0, m, sizeof(m), NULL, 0), BAD);
	EQ(CMD(MAP_ICM, 0x10000001, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[0] = 101;						/* twice */
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[0] = 3;							/* there already */
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), EXISTS);
	m[2].dw[0] = 1u << ICM_LOG2;
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[0] = 102 | 1 << 16;
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[0] = 102;
	m[2].dw[1] = 1;
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[1] = 0;
	m[2].dw[2] |= 0x20000;						/* not aligned to a chunk */
	EQ(CMD(MAP_ICM, 3, 0, m, sizeof(m), NULL, 0), BAD);
	m[2].dw[2] &= ~0x20000u;
	EQ(fk.changes, before);
	EQ(CMD(MAP_ICM, 32, 0, m, sizeof(m), NULL, 0), OK);
	EQ(fk.icm[131], (MEM_BASE + 31ull * CHUNK) | 1);
	before = fk.changes;
	EQ(CMD(UNMAP_ICM, 100, 0, NULL, 0, NULL, 0), BAD);
	EQ(CMD(UNMAP_ICM, 1u << ICM_LOG2, 1, NULL, 0, NULL, 0), BAD);
	EQ(CMD(UNMAP_ICM, 2000, 255, NULL, 0, NULL, 0), BAD);
	EQ(CMD(UNMAP_ICM, 100, 33, NULL, 0, NULL, 0), NOT_FOUND);
	EQ(CMD(UNMAP_ICM, chunk_mpt, 1, NULL, 0, NULL, 0), BUSY);	/* the reserved key */
	EQ(fk.changes, before);
	EQ(CMD(UNMAP_ICM, 100, 32, NULL, 0, NULL, 0), OK);
	for (unsigned i = 100; i < 132; i++)
		EQ(fk.icm[i] & 1, 0);
	/* A chunk in use stays */
	EQ(make_qp(300, OHCA_QP_TYPE_RC), OK);
	EQ(CMD(UNMAP_ICM, 1, 1, NULL, 0, NULL, 0), BUSY);
	EQ(CMD(UNMAP_ICM, 0, 8, NULL, 0, NULL, 0), BUSY);
	EQ(CMD(UNMAP_ICM, chunk_cqc, 1, NULL, 0, NULL, 0), BUSY);
	/* What an engine touches late does not reach memory that is given back. */
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(PLAIN(DESTROY_QP, 300), OK);
	DROPPED(0, 0);			/* page 5 of the MTT; the receive ring is not there */
	OHCA_SET(OHCA_RAC_TIMER_ARMED, rac(300), 1);
	(void)sqc(300);
	EQ(CMD(UNMAP_ICM, 1, 1, NULL, 0, NULL, 0), OK);
	CHECK(fake_cache_clean());
}

/* A stray doorbell leaves a clean line of a chunk in the cache; the chunk goes and comes back elsewhere. */
static void t_stale_line(void)
{
	struct ohca_cmd_map_icm_in m;
	u64 other = MEM_BASE + 60ull * CHUNK;
	u32 part;

	setup_dev();
	for (part = 0; part < 3; part++)
		(void)fake_ctx(part, 600);
	for (part = 0; part < 3; part++)
		CHECK(fake_ctx(part, 600) != NULL);
	EQ(CMD(UNMAP_ICM, 2, 1, NULL, 0, NULL, 0), OK);
	for (part = 0; part < 3; part++)
		CHECK(fake_ctx(part, 600) == NULL);
	memset(&m, 0, sizeof(m));
	m.dw[0] = 2;
	OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m, other);
	EQ(CMD(MAP_ICM, 1, 0, &m, sizeof(m), NULL, 0), OK);
	EQ(make_qp(600, OHCA_QP_TYPE_UD), OK);
	EQ(PLAIN(DESTROY_QP, 600), OK);
	CHECK(fake_cache_clean());
	/* the context was written where the chunk is now: number 600 is the 88th of its chunk */
	EQ(*(u32 *)fake_ptr(other + 88 * 1024) >> 3 & 7, OHCA_QP_TYPE_UD);
}

static void t_eq(void)
{
	struct ohca_cmd_eq_in in;
	u64 before;

	setup_dev();
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_EQ_IN_BUF, &in, 0x1122334455667700);
	in.dw[2] = 9 | 7 << 8;
	EQ(CMD(CREATE_EQ, 4, 0, &in, sizeof(in), NULL, 0), OK);
	/* valid, log_size 9, vector 7; indices 0; address */
	EQ(fk.eqc[4][0], 1 | 9 << 8 | 7 << 16);
	EQ(fk.eqc[4][1], 0);
	EQ(fk.eqc[4][2], 0x55667700);
	EQ(fk.eqc[4][3], 0x11223344);
	EQ(fk.eqc[4][4], 0);
	before = fk.changes;
	EQ(CMD(CREATE_EQ, 4, 0, &in, sizeof(in), NULL, 0), EXISTS);
	EQ(CMD(CREATE_EQ, 16, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[2] = 3 | 7 << 8;
	EQ(CMD(CREATE_EQ, 5, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[2] = 17 | 7 << 8;
	EQ(CMD(CREATE_EQ, 5, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[2] = 9 | 1 << 16;
	EQ(CMD(CREATE_EQ, 5, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[2] = 9;
	in.dw[0] |= 8;
	EQ(CMD(CREATE_EQ, 5, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[0] &= ~8u;
	in.dw[7] = 1;
	EQ(CMD(CREATE_EQ, 5, 0, &in, sizeof(in), NULL, 0), BAD);
	EQ(PLAIN(DESTROY_EQ, 5), NOT_FOUND);
	EQ(PLAIN(DESTROY_EQ, 0x10004), NOT_FOUND);
	EQ(fk.changes, before);
	EQ(PLAIN(DESTROY_EQ, 4), OK);
	EQ(fk.eqc[4][0] & 1, 0);
	EQ(PLAIN(DESTROY_EQ, 4), NOT_FOUND);
	/* What the firmware tells goes to EQ 0, until there is a queue for it alone. */
	in.dw[7] = 0;
	fk.nev = 0;
	port_event(OHCA_EQE_TYPE_LID_CHANGE, 0);
	EQ(CMD(CREATE_EQ, 15, 1, &in, sizeof(in), NULL, 0), OK);
	port_event(OHCA_EQE_TYPE_LID_CHANGE, 0);
	EQ(CMD(CREATE_EQ, 14, 0, &in, sizeof(in), NULL, 0), OK);
	EQ(CMD(CREATE_EQ, 13, 2, &in, sizeof(in), NULL, 0), BAD);
	port_event(OHCA_EQE_TYPE_LID_CHANGE, 0);
	EQ(PLAIN(DESTROY_EQ, 14), OK);
	port_event(OHCA_EQE_TYPE_LID_CHANGE, 0);
	EQ(PLAIN(DESTROY_EQ, 15), OK);
	port_event(OHCA_EQE_TYPE_LID_CHANGE, 0);
	EQ(fk.nev, 5);
	EQ(fk.ev[0].eqn, 0);
	EQ(fk.ev[1].eqn, 15);
	EQ(fk.ev[2].eqn, 15);
	EQ(fk.ev[3].eqn, 15);
	EQ(fk.ev[4].eqn, 0);
}

static void t_cq(void)
{
	struct ohca_cmd_cq_in in, good;
	u32 c[16];
	u64 before;

	setup_dev();
	memset(&good, 0, sizeof(good));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, &good, 0x00008020);
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, &good, 0x1122334455667788);
	good.dw[4] = 10 | 1 << 8 | 1 << 16;
	good.dw[5] = 7;
	EQ(CMD(CREATE_CQ, 77, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	/* valid, buf_mtt, log_size 10, EQ 1, page 7 */
	EQ(c[0], 3 | 10 << 8 | 1 << 16 | 7 << 24);
	EQ(c[1], 0x8020);
	EQ(c[2], 0);
	EQ(c[3], 0x55667788);
	EQ(c[4], 0x11223344);
	EQ(fk.imm, 0);
	for (unsigned i = 5; i < 16; i++)
		EQ(c[i], 0);
	before = fk.changes;
	EQ(CMD(CREATE_CQ, 77, 0, &good, sizeof(good), NULL, 0), EXISTS);
	EQ(CMD(CREATE_CQ, 4096, 0, &good, sizeof(good), NULL, 0), BAD);
	EQ(CMD(CREATE_CQ, 0x1000000, 0, &good, sizeof(good), NULL, 0), BAD);
#define REFUSED(dwn, v) do { in = good; in.dw[dwn] = v; EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), BAD); } while (0)
	REFUSED(0, 0x8010);				/* alignment of the ring */
	REFUSED(1, 1);					/* beyond the MTT */
	REFUSED(0, 0x0fffe000);				/* its end is */
	REFUSED(2, 0x55667784);				/* alignment of the doorbell record */
	REFUSED(4, 21 | 1 << 8 | 1 << 16);		/* size */
	REFUSED(4, 10 | 2 << 8 | 1 << 16);		/* no such EQ */
	REFUSED(4, 10 | 200 << 8 | 1 << 16);
	REFUSED(5, 240);				/* no such doorbell page */
	REFUSED(5, 256 + 7);
	REFUSED(5, 7 | 1 << 16);
	REFUSED(4, 10 | 1 << 8 | 1 << 21);
	REFUSED(15, 1);
	for (unsigned s = 1; s < 16; s++)		/* pages that are none, or of a ring that has none */
		for (unsigned mtt = 0; mtt < 2; mtt++)
			if (!mtt || (s != 4 && s != 8))
				REFUSED(4, 10 | 1 << 8 | mtt << 16 | s << 17);
	for (unsigned s = 4; s <= 8; s += 4) {		/* its end, and all of it, is beyond the MTT */
		in = good;
		in.dw[4] |= s << 17;
		OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, (0x10000ull << (12 + s)) - 0x7fe0);
		EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), BAD);
		OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, 0x10000ull << (12 + s));
		EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), BAD);
		OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, 1ull << 60);
		EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), BAD);
	}
	fk.db_stride = 4;
	REFUSED(5, 15);					/* larger ones are fewer */
	fk.db_stride = 0;
#undef REFUSED
	OHCA_SET(OHCA_CQC_ERR, (struct ohca_cqc *)fake_ctx(OHCA_CTX_PART_CQC, 77), 1);
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	EQ(fk.imm, 1);					/* overflowed */
	EQ(PLAIN(DESTROY_CQ, 78), NOT_FOUND);
	EQ(PLAIN(DESTROY_CQ, 4096), NOT_FOUND);
	EQ(PLAIN(QUERY_CQ, 78), NOT_FOUND);
	EQ(fk.changes, before);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(PLAIN(DESTROY_CQ, 77), OK);
	DROPPED(1, 2);			/* nothing of the ring is translated any more: 32 KiB from 0x8020 on */
	EQ(*fake_ctx(OHCA_CTX_PART_CQC, 77) & 1, 0);
	EQ(PLAIN(DESTROY_CQ, 77), NOT_FOUND);
	EQ(CMD(CREATE_CQ, 77, 0, &good, sizeof(good), NULL, 0), OK);
	/* In larger pages: the last bytes that the MTT reaches, and two lines of it that a ring from the end of its first page touches. */
	for (unsigned s = 4; s <= 8; s += 4) {
		u64 buf = (0x10000ull << (12 + s)) - 0x8000;

		in = good;
		in.dw[4] |= s << 17;
		OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, buf);
		EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), OK);
		EQ(CMD(QUERY_CQ, 78, 0, NULL, 0, c, sizeof(c)), OK);
		EQ(c[1] | (u64)c[2] << 32, buf | (u64)s << 60);
		fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
		EQ(PLAIN(DESTROY_CQ, 78), OK);
		DROPPED(0x1fff, 0x1fff);
		OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, (24ull << (12 + s)) - 32);
		EQ(CMD(CREATE_CQ, 78, 0, &in, sizeof(in), NULL, 0), OK);
		fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
		EQ(PLAIN(DESTROY_CQ, 78), OK);
		DROPPED(2, 3);
	}
}

static void t_cq_resize(void)
{
	struct ohca_cmd_cq_in made;
	struct ohca_cmd_resize_cq_in good, in;
	struct ohca_cqc *q;
	u32 c[16];
	u64 before;

	setup_dev();
	memset(&made, 0, sizeof(made));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, &made, 0x00008020);
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, &made, 0x1122334455667788);
	made.dw[4] = 4 | 1 << 8 | 1 << 16;
	made.dw[5] = 7;
	EQ(CMD(CREATE_CQ, 77, 0, &made, sizeof(made), NULL, 0), OK);
	q = (void *)fake_ctx(OHCA_CTX_PART_CQC, 77);
	OHCA_SET(OHCA_CQC_PI, q, 0xabcde5);
	OHCA_SET(OHCA_CQC_CI, q, 0xabcdd8);		/* 13 unread, as the adapter knows */
	OHCA_SET(OHCA_CQC_ARMED, q, 1);
	OHCA_SET(OHCA_CQC_SOL_PI, q, 0xabcde4);
	OHCA_SET(OHCA_CQC_SOL_ANY, q, 1);
	memset(&good, 0, sizeof(good));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &good, 0x1234567800);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_CI, &good, 0xabcde0);	/* five, as the host does */
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, &good, 3);
	before = fk.changes;
#define REFUSED(dwn, v) do { in = good; in.dw[dwn] = v; EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), BAD); } while (0)
	REFUSED(0, 0x34567810);				/* alignment */
	REFUSED(2, 0xabcde0 | 21 << 24);		/* size */
	REFUSED(2, 0xabcde0 | 255u << 24);
	REFUSED(3, 1);					/* beyond the MTT */
	REFUSED(3, 4 << 1);				/* pages of a ring that has none */
	REFUSED(3, 1 << 5);
	in = good;
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, 0x10000);
	for (unsigned s = 1; s < 16; s++) {		/* pages that are none */
		in.dw[3] = 1 | s << 1;
		if (s != 4 && s != 8)
			EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), BAD);
	}
	REFUSED(15, 1);
	REFUSED(2, 0xabcde0 | 2 << 24);			/* four entries for five */
	REFUSED(2, 0xabcddd | 3 << 24);			/* eight for eight: a full ring is never legal */
	REFUSED(2, 0xabcdd7 | 3 << 24);			/* more unread than there can be: 13 it is */
	REFUSED(2, 0xabcde6 | 3 << 24);			/* read what is not written */
#undef REFUSED
	EQ(CMD(RESIZE_CQ, 78, 0, &good, sizeof(good), NULL, 0), NOT_FOUND);
	EQ(CMD(RESIZE_CQ, 0x1000000, 0, &good, sizeof(good), NULL, 0), NOT_FOUND);
	OHCA_SET(OHCA_CQC_ERR, q, 1);
	EQ(CMD(RESIZE_CQ, 77, 0, &good, sizeof(good), NULL, 0), STATE);
	OHCA_SET(OHCA_CQC_ERR, q, 0);
	EQ(fk.changes, before);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(CMD(RESIZE_CQ, 77, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(fk.imm, 0xabcde5);
	DROPPED(1, 1);			/* nothing of the old ring is translated any more */
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	EQ(c[0], 1 | 1 << 2 | 3 << 8 | 1 << 16 | 7 << 24);
	EQ(c[1], 0x34567800);
	EQ(c[2], 0x12);
	EQ(c[3], 0x55667788);
	EQ(c[4], 0x11223344);
	EQ(c[5], 0xe5abcde5);
	EQ(c[6], 0xcdabcde0);
	EQ(c[7], 0x2bu << 26 | 1 << 24 | 0xabcde4);
	/* and back to one that is translated */
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, 0x10000);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF_MTT, &in, 1);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, &in, 10);
	EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), OK);	/* with an index that is not believed */
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	EQ(c[0], 3 | 1 << 2 | 10 << 8 | 1 << 16 | 7 << 24);
	EQ(c[2], 0);
	EQ(c[6], 0xcdabcde0);
	/* and to one in pages of 1 MiB */
	in.dw[3] |= 8 << 1;
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, (41ull << 20) - 64);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), OK);
	DROPPED(2, 2);			/* 32 KiB from 0x10000 on */
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	EQ(c[1], (41u << 20) - 64);
	EQ(c[2], 8u << 28);
	in.dw[3] &= 1;
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, 0x10000);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), OK);
	DROPPED(5, 5);
	EQ(PLAIN(DESTROY_CQ, 77), OK);
	EQ(CMD(RESIZE_CQ, 77, 0, &in, sizeof(in), NULL, 0), NOT_FOUND);
	/* A CQ that is made anew begins with the first pass. */
	EQ(CMD(CREATE_CQ, 77, 0, &made, sizeof(made), NULL, 0), OK);
	EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK);
	for (unsigned i = 5; i < 8; i++)
		EQ(c[i], 0);
}

static void t_cq_modify(void)
{
	struct ohca_cmd_cq_in made;
	struct ohca_cmd_modify_cq_in in;
	struct ohca_cmd_resize_cq_in ring;
	struct ohca_cqc *q;
	u32 c[16];
	u64 before;

	setup_dev();
	memset(&made, 0, sizeof(made));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, &made, 0x00008020);
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, &made, 0x1122334455667788);
	made.dw[4] = 4 | 1 << 8 | 1 << 16;
	made.dw[5] = 7;
	EQ(CMD(CREATE_CQ, 77, 0, &made, sizeof(made), NULL, 0), OK);
	q = (void *)fake_ctx(OHCA_CTX_PART_CQC, 77);
	before = fk.changes;
#define MODIFY(count, period) (memset(&in, 0, sizeof(in)), in.dw[0] = (count) | (u32)(period) << 16, CMD(MODIFY_CQ, 77, 0, &in, sizeof(in), NULL, 0))
	EQ(MODIFY(16, 0), BAD);				/* 15 is what a ring of 16 takes and is not full */
	EQ(MODIFY(0xffff, 0), BAD);
	for (unsigned i = 1; i < 16; i++) {
		memset(&in, 0, sizeof(in));
		in.dw[0] = 4 | 10 << 16;
		in.dw[i] = 1u << (i * 7 & 31);
		EQ(CMD(MODIFY_CQ, 77, 0, &in, sizeof(in), NULL, 0), BAD);
	}
	memset(&in, 0, sizeof(in));
	EQ(CMD(MODIFY_CQ, 77, 1, &in, sizeof(in), NULL, 0), BAD);
	EQ(CMD(MODIFY_CQ, 78, 0, &in, sizeof(in), NULL, 0), NOT_FOUND);
	EQ(CMD(MODIFY_CQ, 0x1000000, 0, &in, sizeof(in), NULL, 0), NOT_FOUND);
	fk.no_cq_mod = true;
	EQ(MODIFY(4, 10), OHCA_CMD_STATUS_BAD_OP);
	fk.no_cq_mod = false;
	EQ(fk.changes, before);
#define IS(m, v) do { EQ(CMD(QUERY_CQ, 77, 0, NULL, 0, c, sizeof(c)), OK); EQ(c[0] >> 5 & 3, m); EQ(c[9], v); } while (0)
	EQ(MODIFY(4, 10), OK);
	IS(1, 3 | 10 << 16);
	EQ(MODIFY(15, 0), OK);
	IS(1, 14);
	memset(&ring, 0, sizeof(ring));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &ring, 0x1234567800);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, &ring, 3);
	EQ(CMD(RESIZE_CQ, 77, 0, &ring, sizeof(ring), NULL, 0), BAD);	/* events would never come */
	EQ(MODIFY(0xffff, 1), OK);
	IS(1, 0xfffe | 1 << 16);
	EQ(MODIFY(0, 0xffff), OK);
	IS(1, 0xffffffff);
	OHCA_SET(OHCA_CQC_WAIT, q, 1);
	EQ(MODIFY(1, 50), OK);				/* with the first: no period */
	IS(0, 0);
	EQ(MODIFY(9, 9), OK);
	EQ(MODIFY(0, 0), OK);
	IS(0, 0);
	EQ(CMD(RESIZE_CQ, 77, 0, &ring, sizeof(ring), NULL, 0), OK);
	EQ(MODIFY(8, 0), BAD);
	EQ(MODIFY(7, 0), OK);
	EQ(PLAIN(DESTROY_CQ, 77), OK);
	EQ(MODIFY(2, 2), NOT_FOUND);
	EQ(CMD(CREATE_CQ, 77, 0, &made, sizeof(made), NULL, 0), OK);
	IS(0, 0);
#undef IS
#undef MODIFY
}

static void t_mkey(void)
{
	struct ohca_mpt good, m, out;
	u64 before;

	setup_dev();
	memset(&good, 0, sizeof(good));
	good.dw[0] = 1 | 1 << 3 | 1 << 4 | 0xab << 8 | 12 << 16;
	good.dw[1] = 5;
	OHCA_SET(OHCA_MPT_START, &good, 0x7f0000000123);
	OHCA_SET(OHCA_MPT_LENGTH, &good, 0x5000);
	good.dw[6] = 8;
	EQ(CMD(CREATE_MKEY, 3, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(memcmp(fake_ptr(chunk_bus(chunk_mpt) + 3 * 64), &good, 64), 0);
	EQ(CMD(QUERY_MKEY, 3, 0, NULL, 0, &out, sizeof(out)), OK);
	EQ(memcmp(&out, &good, 64), 0);
	before = fk.changes;
	EQ(CMD(CREATE_MKEY, 3, 0, &good, sizeof(good), NULL, 0), EXISTS);
	EQ(CMD(CREATE_MKEY, 0, 0, &good, sizeof(good), NULL, 0), BAD);
	EQ(CMD(CREATE_MKEY, 4096, 0, &good, sizeof(good), NULL, 0), BAD);
#define REFUSED(st, ...) do { m = good; __VA_ARGS__; EQ(CMD(CREATE_MKEY, 4, 0, &m, sizeof(m), NULL, 0), st); } while (0)
	REFUSED(BAD, m.dw[0] &= ~1u);
	REFUSED(BAD_OP, m.dw[0] |= 1 << 7);
	REFUSED(BAD, m.dw[0] |= 1 << 2);			/* for every PD: none but the reserved key */
	REFUSED(BAD, m.dw[0] |= 3 << 1);			/* nor if it is without translation */
	REFUSED(BAD, m.dw[0] |= 1 << 22);
	REFUSED(BAD, m.dw[1] |= 1 << 24);
	REFUSED(BAD, m.dw[7] = 1);
	REFUSED(BAD, m.dw[15] = 1u << 31);
	REFUSED(BAD, m.dw[0] = (m.dw[0] & ~0x3f0000u) | 11 << 16);
	REFUSED(BAD, m.dw[0] = (m.dw[0] & ~0x3f0000u) | 48 << 16);
	REFUSED(BAD, m.dw[6] = 65536);
	REFUSED(BAD, m.dw[6] = 65531);				/* six pages */
	REFUSED(BAD, OHCA_SET(OHCA_MPT_LENGTH, &m, ~0ull));
	REFUSED(BAD, OHCA_SET(OHCA_MPT_LENGTH, &m, 0x10000000));	/* more pages than the MTT has */
	REFUSED(BAD, OHCA_SET(OHCA_MPT_START, &m, 0xfffffffffffff000));
#undef REFUSED
	EQ(PLAIN(DESTROY_MKEY, 4), NOT_FOUND);
	EQ(PLAIN(DESTROY_MKEY, 0), NOT_FOUND);
	EQ(PLAIN(DESTROY_MKEY, 4096), NOT_FOUND);
	EQ(PLAIN(QUERY_MKEY, 4), NOT_FOUND);
	EQ(PLAIN(QUERY_MKEY, 4096), NOT_FOUND);
	EQ(fk.changes, before);
	m = good;
	m.dw[6] = 65530;
	EQ(CMD(CREATE_MKEY, 4, 0, &m, sizeof(m), NULL, 0), OK);
	memset(&m, 0, sizeof(m));
	m.dw[0] = 3 | 1 << 3;					/* a key without translation, for one PD */
	EQ(CMD(CREATE_MKEY, 4095, 0, &m, sizeof(m), NULL, 0), OK);
	/* The key that ends receive lists. */
	m = good;
	OHCA_SET(OHCA_MPT_KEY, &m, OHCA_INVALID_LKEY & 0xff);
	EQ(CMD(CREATE_MKEY, OHCA_INVALID_LKEY >> 8, 0, &m, sizeof(m), NULL, 0), BAD);
	OHCA_SET(OHCA_MPT_KEY, &m, (OHCA_INVALID_LKEY & 0xff) + 1);
	EQ(CMD(CREATE_MKEY, OHCA_INVALID_LKEY >> 8, 0, &m, sizeof(m), NULL, 0), OK);
	EQ(fk.drains, 0);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(PLAIN(DESTROY_MKEY, 3), OK);
	DROPPED(1, 1);			/* six pages from entry 8 on */
	EQ(fk.drains, 1);		/* after it the pages are the host's */
	EQ(fk.draining, 0);
	EQ(*(u32 *)fake_ptr(chunk_bus(chunk_mpt) + 3 * 64), 0);
	EQ(PLAIN(DESTROY_MKEY, 3), NOT_FOUND);
	EQ(PLAIN(SYNC_TPT, 0), OK);
	fk.drain_stuck = true;
	EQ(PLAIN(DESTROY_MKEY, 4095), OHCA_CMD_STATUS_INTERNAL);
	fk.drain_stuck = false;
	/* No key any more; its pages are the host's when another try has succeeded, and until then the number is taken. */
	EQ(PLAIN(QUERY_MKEY, 4095), NOT_FOUND);
	EQ(CMD(CREATE_MKEY, 4095, 0, &good, sizeof(good), NULL, 0), EXISTS);
	EQ(PLAIN(DESTROY_MKEY, 4095), OK);
	EQ(PLAIN(DESTROY_MKEY, 4095), NOT_FOUND);
	EQ(CMD(CREATE_MKEY, 4095, 0, &good, sizeof(good), NULL, 0), OK);
	EQ(PLAIN(DESTROY_MKEY, 4095), OK);
	/* What goes of the MTT cache: the lines of the key, at most 64 at once, or of a block those in 64 sets, and nothing if it has none. */
	static const struct { u64 start, len; u32 shift, mtt, first, lines, walks; } z[] = {
		{ 0x1000, 0, 12, 8, 0, 0, 0 }, { 0x1fff, 1, 12, 8, 1, 1, 1 }, { 0x1fff, 2, 12, 15, 1, 2, 1 }, { 0, 0x8000, 12, 16, 2, 1, 1 },
		{ 0, 0x8001, 12, 16, 2, 2, 1 }, { 0, 0x1000000, 21, 24, 3, 1, 1 }, { 0, 0x1000001, 21, 24, 3, 2, 1 }, { 0, 0x200000, 12, 0, 0, 64, 1 },
		{ 0, 0x200000, 12, 1, 0, 65, 2 }, { 0, 0x1000000, 12, 512, 64, 512, 8 }, { 0, 0x1000001, 12, 512, 64, 513, 9 },
		/* 2,048 lines and more: by blocks, whose lines in 64 sets go at once */
		{ 0, 0x4000000, 12, 16384, 2048, 2048, 32 }, { 0, 0x4000000, 12, 16376, 2047, 2048, 33 }, { 0, 0x8000000, 12, 32768, 4096, 4096, 32 },
		{ 0, 0xc000000, 12, 16384, 2048, 6144, 64 }, { 0, 0x8008001, 12, 16384, 2048, 4098, 65 },
	};
	for (unsigned i = 0; i < sizeof(z) / sizeof(z[0]); i++) {
		m = good;
		m.dw[0] = (m.dw[0] & ~0x3f0000u) | z[i].shift << 16;
		OHCA_SET(OHCA_MPT_START, &m, z[i].start);
		OHCA_SET(OHCA_MPT_LENGTH, &m, z[i].len);
		m.dw[6] = z[i].mtt;
		EQ(CMD(CREATE_MKEY, 9, 0, &m, sizeof(m), NULL, 0), OK);
		fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
		EQ(PLAIN(DESTROY_MKEY, 9), OK);
		EQ(fk.mtt_invals, z[i].walks == ~0u);
		EQ(fk.mtt_lines, z[i].lines);
		if (z[i].walks == ~0u)
			continue;
		EQ(fk.mtt_walks, z[i].walks);
		if (z[i].lines) {
			EQ(fk.mtt_first, z[i].first);
			EQ(fk.mtt_last, z[i].first + z[i].lines - 1);
		}
	}
	/* a chunk that is not there */
	fk.ndma_fail = 1;
	EQ(PLAIN(DESTROY_MKEY, 4), DMA);
}

/* ------------------------------------------------------------------ queue pairs */

/* What each engine expects of a new QP: formats/20-contexts.toml, word by word. */
static void t_qp_create(void)
{
	static const u32 sq[32] = {
		[0] = 0 | OHCA_QP_TYPE_RC << 3 | 1 << 6 | 5 << 12 | 7 << 16 | 1 << 25 | 1 << 26, [1] = 5 | 3 << 24, [2] = 0x5000,
		[10] = 1,
	};
	static const u32 ra[32] = {
		[0] = 0 | OHCA_QP_TYPE_RC << 3 | 1 << 6 | 5 << 12 | 7 << 16 | 1 << 20, [4] = 1, [12] = 1, [26] = 0x5000, [28] = 5,
	};
	static const u32 rs[32] = {
		[0] = 0 | OHCA_QP_TYPE_RC << 3 | 1 << 6 | 5u << 28, [2] = 0x40000, [3] = 7, [4] = 5 | 3 << 24, [6] = 1 | 6 << 24, [26] = 0x50008, [27] = 7,
	};
	struct ohca_cmd_qp_in good, in;
	u64 before;

	setup_dev();
	/* whatever a former owner of the memory left */
	for (u32 part = 0; part < 3; part++)
		for (u32 i = 0; i < 32; i++)
			fake_ctx(part, 9)[i] = 0xdeadbeef;
	/* also in the cold halves, which are not in a cache to be changed */
	for (u32 part = 0; part < 3; part++)
		for (u32 i = 0; i < (128 - OHCA_QPC_HOT_BYTES) / 4; i++)
			fake_cold(part, 9)[i] = 0xdeadbeef;
	/* ... but what the timer holds is true */
	rac(9)->dw[4] = rac(9)->dw[10] = rac(9)->dw[1] = 0;
	OHCA_SET(OHCA_RAC_TIMER_ARMED, rac(9), 1);
	OHCA_SET(OHCA_RAC_TMR, rac(9), 0x1234);
	qp_in_default(&good, OHCA_QP_TYPE_RC);
	EQ(make_qp(9, OHCA_QP_TYPE_RC), OK);
	for (unsigned i = 0; i < 32; i++) {
		u32 timer = i == 4 ? 1u << 30 : i == 1 ? 0x1234 : 0;

		if ((sqc(9)->dw[i] & (i == 14 ? ~0xffu : ~0u)) != sq[i])
			fail_at(__FILE__, __LINE__, "sqc dword %u is %#x, expected %#x", i, sqc(9)->dw[i], sq[i]);
		if (rac(9)->dw[i] != (ra[i] | timer))
			fail_at(__FILE__, __LINE__, "rac dword %u is %#x, expected %#x", i, rac(9)->dw[i], ra[i] | timer);
		if (rsc(9)->dw[i] != rs[i])
			fail_at(__FILE__, __LINE__, "rsc dword %u is %#x, expected %#x", i, rsc(9)->dw[i], rs[i]);
	}
	before = fk.changes;
	EQ(make_qp(9, OHCA_QP_TYPE_RC), EXISTS);
#define REFUSED(n, st, ...) do { in = good; __VA_ARGS__; EQ(CMD(CREATE_QP, n, 0, &in, sizeof(in), NULL, 0), st); } while (0)
#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, &in, v)
	REFUSED(2048, BAD, (void)0);
	REFUSED(0xffffff, BAD, (void)0);
	REFUSED(0x1000000a, BAD, (void)0);
	REFUSED(10, BAD, S(MASK, 1));
	REFUSED(10, BAD_OP, S(QTYPE, OHCA_QP_TYPE_UC));
	REFUSED(10, BAD_OP, S(QTYPE, OHCA_QP_TYPE_XRC_INI));
	REFUSED(10, BAD_OP, S(QTYPE, OHCA_QP_TYPE_XRC_TGT));
	REFUSED(10, BAD_OP, S(QTYPE, 2));
	REFUSED(10, BAD, S(QTYPE, OHCA_QP_TYPE_SMI));
	REFUSED(10, BAD, S(QTYPE, OHCA_QP_TYPE_GSI));
	REFUSED(0, BAD, (void)0);
	REFUSED(1, BAD, S(QTYPE, OHCA_QP_TYPE_UD));
	REFUSED(1, BAD, S(QTYPE, OHCA_QP_TYPE_SMI));
	REFUSED(10, BAD, S(SQ_LOG_STRIDE, 5));
	REFUSED(10, BAD, S(SQ_LOG_STRIDE, 9));
	REFUSED(10, BAD, S(RQ_LOG_STRIDE, 3));
	REFUSED(10, BAD, S(RQ_LOG_STRIDE, 9));
	REFUSED(10, BAD, S(SQ_BUF, 0x5040));			/* not aligned to a WQE of 128 bytes */
	REFUSED(10, BAD, S(RQ_BUF, 0x40010));
	REFUSED(10, BAD, S(SQ_BUF, 0x10000000));		/* page 65536 of the MTT */
	REFUSED(10, BAD, S(SQ_BUF, 0x0ffff000); S(SQ_LOG_SIZE, 6));
	REFUSED(10, BAD, S(SQ_BUF_HI, 0xffffffff));
	REFUSED(10, BAD, S(RQ_MTT, 1));				/* that bus address is no MTT offset */
	for (unsigned s = 1; s < 16; s++) {
		REFUSED(10, BAD, S(RQ_PAGE_SHIFT, s));		/* it has no pages */
		if (s != 4 && s != 8)
			REFUSED(10, BAD, S(SQ_PAGE_SHIFT, s));
	}
	REFUSED(10, BAD, S(SQ_PAGE_SHIFT, 4); S(SQ_BUF_HI, 1));	/* entry 65536 */
	REFUSED(10, BAD, S(SQ_PAGE_SHIFT, 8); S(SQ_BUF_HI, 16));
	REFUSED(10, BAD, S(RQ_DBR, 0x50004));
	REFUSED(10, BAD, S(UAR, 240));
	fk.db_stride = 4;
	REFUSED(10, BAD, S(UAR, 15));
	fk.db_stride = 0;
	REFUSED(10, BAD, S(UAR, 256 + 3));
	REFUSED(10, BAD, S(PORT, 1));
	REFUSED(10, BAD, S(SEND_CQN, 2));
	REFUSED(10, BAD, S(RECV_CQN, 0xffffff));
	for (unsigned i = 0; i < 64; i++) {
		static const u32 rsvd[] = OHCA_CMD_QP_IN_RSVD;

		for (unsigned b = 0; b < 32; b++)
			if (rsvd[i] >> b & 1)
				REFUSED(10, BAD, in.dw[i] |= 1u << b);
	}
	EQ(PLAIN(DESTROY_QP, 10), NOT_FOUND);
	EQ(PLAIN(QUERY_QP, 10), NOT_FOUND);
	EQ(PLAIN(FLUSH_QP, 10), NOT_FOUND);
	EQ(modify(10, INIT, 0x38, &good), NOT_FOUND);
	EQ(fk.changes, before);
	/* Rings in pages of 1 MiB and 64 KiB, each over the end of its first one */
	in = good;
	S(SQ_PAGE_SHIFT, 8);
	S(SQ_BUF, (15u << 20) + 0xfff80);
	S(RQ_MTT, 1);
	S(RQ_PAGE_SHIFT, 4);
	S(RQ_BUF, (55u << 16) + 0xffe0);
	S(RQ_BUF_HI, 0);
	EQ(CMD(CREATE_QP, 10, 0, &in, sizeof(in), NULL, 0), OK);
	EQ(OHCA_GET(OHCA_SQC_BUF, sqc(10)), 8ull << 60 | 0xffff80);
	EQ(OHCA_GET(OHCA_RAC_BUF, rac(10)), 8ull << 60 | 0xffff80);
	EQ(OHCA_GET(OHCA_RSC_BUF, rsc(10)), 4ull << 60 | 0x37ffe0);
	fk.mtt_invals = fk.mtt_walks = fk.mtt_lines = 0;
	EQ(PLAIN(DESTROY_QP, 10), OK);
	EQ(fk.mtt_invals, 0);
	EQ(fk.mtt_lines, 4);
	EQ(fk.mtt_first, 1);		/* entries 15 and 16, 55 and 56 */
	EQ(fk.mtt_last, 7);
	/* its chunk is not there */
	EQ(CMD(UNMAP_ICM, 7, 1, NULL, 0, NULL, 0), OK);
	before = fk.changes;
	EQ(make_qp(7 * 256, OHCA_QP_TYPE_RC), DMA);
	EQ(fk.changes, before);
	EQ(PLAIN(DESTROY_QP, 7 * 256), NOT_FOUND);
	/* special QPs */
	EQ(make_qp(0, OHCA_QP_TYPE_SMI), OK);
	EQ(make_qp(1, OHCA_QP_TYPE_GSI), OK);
}

static void t_qp_to_rts(void)
{
	struct ohca_cmd_qp_in in, o;
	u32 gen;

	setup_dev();
	qp_in_default(&in, OHCA_QP_TYPE_RC);
	make_rts(20, OHCA_QP_TYPE_RC);
	EQ(OHCA_GET(OHCA_SQC_STATE, sqc(20)), RTS);
	EQ(OHCA_GET(OHCA_RAC_STATE, rac(20)), RTS);
	EQ(OHCA_GET(OHCA_RSC_STATE, rsc(20)), RTS);
	EQ(OHCA_GET(OHCA_SQC_PSN, sqc(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_SQC_UNA_PSN, sqc(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_SQC_SKIP_PSN, sqc(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_SQC_SENT_PSN, sqc(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_SQC_MAX_RD, sqc(20)), 8);
	EQ(OHCA_GET(OHCA_SQC_MTU, sqc(20)), 4);
	EQ(OHCA_GET(OHCA_SQC_DQPN, sqc(20)), 0x123456);
	EQ(OHCA_GET(OHCA_SQC_NEXT, sqc(20)), 0);
	EQ(OHCA_GET(OHCA_SQC_FETCH, sqc(20)), 0);
	EQ(OHCA_GET(OHCA_SQC_SSN, sqc(20)), 1);
	EQ(OHCA_GET(OHCA_RAC_UNA_PSN, rac(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_RAC_ACKED_PSN, rac(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_RAC_SENT_PSN, rac(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_RAC_RD_NEXT_PSN, rac(20)), 0xfedcba);
	EQ(OHCA_GET(OHCA_RAC_TIMEOUT, rac(20)), 14);
	EQ(OHCA_GET(OHCA_RAC_RETRY_CNT, rac(20)), 6);
	EQ(OHCA_GET(OHCA_RAC_RETRY_LEFT, rac(20)), 6);
	EQ(OHCA_GET(OHCA_RAC_RNR_RETRY, rac(20)), 7);
	EQ(OHCA_GET(OHCA_RAC_RNR_LEFT, rac(20)), 7);
	EQ(OHCA_GET(OHCA_RSC_EPSN, rsc(20)), 0xabcdef);
	EQ(OHCA_GET(OHCA_RSC_MIN_RNR, rsc(20)), 12);
	EQ(OHCA_GET(OHCA_RSC_MAX_RD, rsc(20)), 9);
	EQ(OHCA_GET(OHCA_RSC_ACC_WRITE, rsc(20)), 1);
	EQ(OHCA_GET(OHCA_RSC_ACC_READ, rsc(20)), 0);
	for (unsigned i = 0; i < 10; i++) {
		EQ(sqc(20)->dw[16 + i], in.dw[18 + i]);
		EQ(rac(20)->dw[16 + i], in.dw[18 + i]);
		EQ(rsc(20)->dw[16 + i], in.dw[18 + i]);
	}
	EQ(CMD(QUERY_QP, 20, 0, NULL, 0, &o, sizeof(o)), OK);
#define SAME(f) EQ(OHCA_GET(OHCA_CMD_QP_IN_##f, &o), OHCA_GET(OHCA_CMD_QP_IN_##f, &in))
	EQ(OHCA_GET(OHCA_CMD_QP_IN_STATE, &o), RTS);
	SAME(QTYPE); SAME(PD); SAME(UAR); SAME(MTU); SAME(SEND_CQN); SAME(RECV_CQN); SAME(SQ_LOG_SIZE); SAME(SQ_LOG_STRIDE); SAME(RQ_LOG_SIZE);
	SAME(RQ_LOG_STRIDE); SAME(PKEY_INDEX); SAME(ACC_WRITE); SAME(ACC_READ); SAME(ACC_ATOMIC); SAME(DQPN); SAME(RQ_PSN); SAME(SQ_PSN);
	SAME(MIN_RNR); SAME(TIMEOUT); SAME(RETRY_CNT); SAME(RNR_RETRY); SAME(MAX_RD_ATOMIC); SAME(MAX_DEST_RD_ATOMIC);
#undef SAME
	EQ(memcmp(&o.dw[18], &in.dw[18], sizeof(struct ohca_av)), 0);
	/* its path, which lies in host memory, cannot be read */
	fk.ndma_fail = 1;
	EQ(CMD(QUERY_QP, 20, 0, NULL, 0, &o, sizeof(o)), DMA);
	EQ(CMD(QUERY_QP, 20, 0, NULL, 0, &o, sizeof(o)), OK);

	/* Congestion notifications are counted by QP; those for others, for QPs that are none, or that have gone do not count. */
	EQ(fk.imm, 0);
	fk.cnps = 40;
	fk.cnp_qpn = 20;
	fake_run(5);
	EQ(fk.cnps, 0);
	fk.cnps = 2;
	fk.cnp_qpn = 20 + 64 * 5;
	fake_run(1);
	EQ(CMD(QUERY_QP, 20, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(fk.imm, 40);

	/* Used, then taken back to RESET: all is as after create, but for the marks of run queue, timer and generation. */
	for (unsigned i = 6; i < 16; i++)
		sqc(20)->dw[i] = 0xffffffff;
	for (unsigned i = 5; i < 14; i++)
		rac(20)->dw[i] = 0xffffffff;
	rac(20)->dw[1] = rac(20)->dw[2] = rac(20)->dw[3] = 0xffffffff;
	for (unsigned i = 8; i < 16; i++)
		rsc(20)->dw[i] = 0xffffffff;
	rsc(20)->dw[1] = 0xffffffff;
	OHCA_SET(OHCA_RAC_TIMER_ARMED, rac(20), 1);
	gen = OHCA_GET(OHCA_SQC_GEN, sqc(20));
	EQ(modify(20, RESET, 0, &in), OK);
	EQ(OHCA_GET(OHCA_SQC_GEN, sqc(20)), (gen + 1) & 255);
	EQ(sqc(20)->dw[6] >> 16, 0);
	EQ(sqc(20)->dw[7], 0);
	EQ(sqc(20)->dw[8], 1u << 24);			/* in_runq */
	EQ(sqc(20)->dw[9], 0);
	EQ(sqc(20)->dw[10], 1);
	for (unsigned i = 11; i < 14; i++)
		EQ(sqc(20)->dw[i], 0);
	EQ(sqc(20)->dw[14] >> 8, 0);
	EQ(sqc(20)->dw[15], 0);
	for (unsigned i = 5; i < 10; i++)
		EQ(rac(20)->dw[i], 0);
	EQ(rac(20)->dw[10], 1u << 7);			/* timer2 */
	EQ(rac(20)->dw[11], 0);
	EQ(rac(20)->dw[12], 1);
	EQ(rac(20)->dw[13], 0);
	EQ(rac(20)->dw[2] | rac(20)->dw[3], 0);
	EQ(rac(20)->dw[1], 0xffffffff);			/* tmr */
	EQ(OHCA_GET(OHCA_RAC_TIMER_ARMED, rac(20)), 1);
	EQ(rsc(20)->dw[8] >> 16, 0);
	for (unsigned i = 9; i < 16; i++)
		EQ(rsc(20)->dw[i], 0);
	EQ(rsc(20)->dw[1], 0);
	/* and up again */
	EQ(modify(20, INIT, 0x38, &in), OK);
	EQ(modify(20, RTR, 0x129180, &in), OK);
	EQ(modify(20, RTS, 0x12e00, &in), OK);
	EQ(OHCA_GET(OHCA_SQC_FETCH, sqc(20)), 0);
	EQ(OHCA_GET(OHCA_SQC_SENT_PSN, sqc(20)), 0xfedcba);
}

/*
 * Every pair of states with every single attribute added to or taken from what the table asks for. The table is written again
 * here from the Linux transition table, which kernel users rely on (without alternate paths).
 */
static void t_qp_table(void)
{
	enum { C = 1 << 1, D = 1 << 2, A = 1 << 3, K = 1 << 4, P = 1 << 5, Q = 1 << 6, V = 1 << 7, M = 1 << 8, T = 1 << 9, R = 1 << 10,
	       N = 1 << 11, RP = 1 << 12, MR = 1 << 13, MN = 1 << 15, SP = 1 << 16, MD = 1 << 17, G = 1 << 18, DQ = 1 << 20 };
	static const struct { u8 from, to; int rc_r, rc_o, ud_r, ud_o, smi_r, smi_o; } t[] = {
		{ RESET, INIT, K | P | A, 0, K | P | Q, 0, K | Q, 0 },
		{ INIT, INIT, 0, K | P | A, 0, K | P | Q, 0, K | Q },
		{ INIT, RTR, V | M | DQ | RP | MD | MN, A | K, 0, K | Q, 0, K | Q },
		{ RTR, RTS, T | R | N | SP | MR, C | A | MN | G, SP, C | Q, SP, C | Q },
		{ RTS, RTS, 0, C | A | MN | G, 0, C | Q, 0, C | Q },
		{ RTS, SQD, 0, D, 0, D, 0, D },
		{ SQD, RTS, 0, C | A | MN | G, 0, C | Q, 0, C | Q },
		{ SQD, SQD, 0, P | V | T | R | N | MR | MD | A | K | MN | G, 0, K | Q, 0, K | Q },
		{ SQE, RTS, -1, 0, 0, C | Q, 0, C | Q },
	};
	static const u32 types[3] = { OHCA_QP_TYPE_RC, OHCA_QP_TYPE_UD, OHCA_QP_TYPE_SMI };
	struct ohca_cmd_qp_in in;

	setup_dev();
	for (unsigned k = 0; k < 3; k++)
		for (u32 from = RESET; from <= ERR; from++)
			for (u32 to = RESET; to <= 7; to++) {
				u32 n = k == 2 ? 0 : 30, req = 0, opt = 0;
				bool legal = to == RESET || (to == ERR && from != RESET);

				for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
					if (t[i].from == from && t[i].to == to && (k ? k == 1 ? t[i].ud_r : t[i].smi_r : t[i].rc_r) >= 0) {
						legal = true;
						req = (u32)(k ? k == 1 ? t[i].ud_r : t[i].smi_r : t[i].rc_r);
						opt = (u32)(k ? k == 1 ? t[i].ud_o : t[i].smi_o : t[i].rc_o);
					}
				for (unsigned b = 1; b < 23; b++) {
					u32 mask = req ^ (b == 22 ? 0 : 1u << b), want, st;
					u64 before;

					EQ(make_qp(n, types[k]), OK);
					*fake_ctx(OHCA_CTX_PART_SQC, n) |= from;
					*fake_ctx(OHCA_CTX_PART_RAC, n) |= from;
					*fake_ctx(OHCA_CTX_PART_RSC, n) |= from;
					qp_in_default(&in, types[k]);
					OHCA_SET(OHCA_CMD_QP_IN_CUR_STATE, &in, from);
					before = fk.changes;
					st = modify(n, to, mask, &in);
					want = legal && (mask & req) == req && !(mask & ~(req | opt)) ? OK : mask >> 14 & 1 ? BAD_OP : STATE;
					if (st != want)
						fail_at(__FILE__, __LINE__, "type %u, %u to %u, mask %#x: status %u, expected %u", types[k], from, to,
							mask, st, want);
					if (st)
						EQ(fk.changes, before);
					else
						EQ(OHCA_GET(OHCA_SQC_STATE, sqc(n)), to);
					EQ(PLAIN(DESTROY_QP, n), OK);
				}
			}
}

static void t_qp_attrs(void)
{
	struct ohca_cmd_qp_in good, in;
	u64 before;

	setup_dev();
	qp_in_default(&good, OHCA_QP_TYPE_RC);
	EQ(make_qp(40, OHCA_QP_TYPE_RC), OK);
	before = fk.changes;
#define TRY(to, mask, st, ...) do { in = good; __VA_ARGS__; EQ(modify(40, to, mask, &in), st); } while (0)
	TRY(INIT, 0x38, BAD, S(PKEY_INDEX, 32));
	TRY(INIT, 0x38, BAD, S(PKEY_INDEX, 0xffff));
	TRY(INIT, 0x38, BAD, S(PORT, 1));
	EQ(fk.changes, before);
	TRY(INIT, 0x38, OK, S(PKEY_INDEX, 31));
	EQ(OHCA_GET(OHCA_RAC_PKEY_INDEX, rac(40)), 31);
	before = fk.changes;
	TRY(RTR, 0x129180, BAD, S(MTU, 0));
	TRY(RTR, 0x129180, BAD, S(MTU, 6));
	TRY(RTR, 0x129180, BAD, S(MAX_DEST_RD_ATOMIC, 17));
	TRY(RTR, 0x129180, BAD, in.dw[18] = 0);			/* no LID */
	TRY(RTR, 0x129180, BAD, in.dw[18] = 0xc001);		/* a group */
	TRY(RTR, 0x129180, BAD, in.dw[19] = 16 << 16);		/* no such GID */
	for (unsigned i = 0; i < 10; i++) {
		static const u32 rsvd[] = OHCA_AV_RSVD;

		for (unsigned b = 0; b < 32; b++)
			if (rsvd[i] >> b & 1)
				TRY(RTR, 0x129180, BAD, in.dw[18 + i] |= 1u << b);
	}
	EQ(fk.changes, before);
	TRY(RTR, 0x129180, OK, S(MAX_DEST_RD_ATOMIC, 16));
	TRY(RTS, 0x12e00, BAD, S(MAX_RD_ATOMIC, 17));
	TRY(RTS, 0x12e02, STATE, S(CUR_STATE, RTS));
	TRY(RTS, 0x12e02, OK, S(CUR_STATE, RTR));
#undef TRY
#undef S
	/* garbage beside the attributes that the mask names is not looked at */
	in = good;
	OHCA_SET(OHCA_CMD_QP_IN_SQ_PSN, &in, 1);
	OHCA_SET(OHCA_CMD_QP_IN_DQPN, &in, 2);
	before = fk.changes;
	EQ(modify(40, RTS, 0, &in), OK);
	EQ(fk.changes, before);
	/* datagrams: MTU of the port, 256 bytes for management */
	EQ(make_qp(0, OHCA_QP_TYPE_SMI), OK);
	EQ(PLAIN(DESTROY_QP, 0), OK);
	make_rts(0, OHCA_QP_TYPE_SMI);
	EQ(OHCA_GET(OHCA_SQC_MTU, sqc(0)), OHCA_MTU_MTU256);
	make_rts(41, OHCA_QP_TYPE_UD);
	EQ(OHCA_GET(OHCA_SQC_MTU, sqc(41)), OHCA_MTU_MTU4096);
	EQ(OHCA_GET(OHCA_SQC_QKEY, sqc(41)), 0x11111111);
	EQ(OHCA_GET(OHCA_RSC_QKEY, rsc(41)), 0x11111111);
}

static void t_qp_errors(void)
{
	struct ohca_cmd_qp_in in, o;

	setup_dev();
	qp_in_default(&in, OHCA_QP_TYPE_RC);
	make_rts(50, OHCA_QP_TYPE_RC);
	EQ(PLAIN(FLUSH_QP, 50), STATE);
	/* One engine found an error */
	*fake_ctx(OHCA_CTX_PART_RAC, 50) = (*fake_ctx(OHCA_CTX_PART_RAC, 50) & ~7u) | ERR;
	EQ(CMD(QUERY_QP, 50, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_QP_IN_STATE, &o), ERR);
	EQ(modify(50, RTS, 0, &in), STATE);
	EQ(PLAIN(FLUSH_QP, 50), OK);
	EQ(OHCA_GET(OHCA_SQC_STATE, sqc(50)), ERR);
	EQ(OHCA_GET(OHCA_RSC_STATE, rsc(50)), ERR);
	EQ(modify(50, ERR, 0, &in), OK);
	/* its buffers are the host's again when RESET is answered */
	fk.drains = 0;
	fk.drain_stuck = true;
	EQ(modify(50, RESET, 0, &in), OHCA_CMD_STATUS_INTERNAL);
	fk.drain_stuck = false;
	EQ(modify(50, RESET, 0, &in), OK);
	EQ(fk.drains, 2);
	EQ(fk.draining, 0);
	EQ(modify(50, ERR, 0, &in), STATE);
	/* Datagrams: SQE. What is still to be flushed keeps the QP there. */
	make_rts(51, OHCA_QP_TYPE_UD);
	*fake_ctx(OHCA_CTX_PART_RAC, 51) = (*fake_ctx(OHCA_CTX_PART_RAC, 51) & ~7u) | SQE;
	*fake_ctx(OHCA_CTX_PART_SQC, 51) = (*fake_ctx(OHCA_CTX_PART_SQC, 51) & ~7u) | SQE;
	EQ(CMD(QUERY_QP, 51, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_QP_IN_STATE, &o), SQE);
	OHCA_SET(OHCA_SQC_PI, sqc(51), 4);
	EQ(modify(51, RTS, 0, &in), BUSY);
	EQ(OHCA_GET(OHCA_SQC_STATE, sqc(51)), SQE);
	OHCA_SET(OHCA_SQC_NEXT, sqc(51), 4);
	EQ(modify(51, RTS, 0, &in), BUSY);
	OHCA_SET(OHCA_RAC_UNA, rac(51), 4);
	EQ(modify(51, RTS, 0, &in), OK);
	EQ(OHCA_GET(OHCA_RSC_STATE, rsc(51)), RTS);
}

/* The QP's turn comes at the 20th look */
static void clear_runq(enum ohca_ctx_part part, u32 num)
{
	static unsigned looks;

	if (part == OHCA_CTX_PART_SQC && num == 55 && ++looks == 20)
		OHCA_SET(OHCA_SQC_IN_RUNQ, sqc(55), 0);
}

static void t_qp_destroy(void)
{
	u64 start;

	setup_dev();
	make_rts(55, OHCA_QP_TYPE_RC);
	OHCA_SET(OHCA_SQC_IN_RUNQ, sqc(55), 1);
	fk.on_acc = clear_runq;
	EQ(PLAIN(DESTROY_QP, 55), OK);
	fk.on_acc = NULL;
	CHECK(!OHCA_GET(OHCA_SQC_IN_RUNQ, sqc(55)));
	EQ(OHCA_GET(OHCA_SQC_STATE, sqc(55)) | OHCA_GET(OHCA_RAC_STATE, rac(55)) | OHCA_GET(OHCA_RSC_STATE, rsc(55)), RESET);
	EQ(PLAIN(DESTROY_QP, 55), NOT_FOUND);
	/* a run queue that stands still holds nobody up for ever */
	make_rts(56, OHCA_QP_TYPE_RC);
	OHCA_SET(OHCA_SQC_IN_RUNQ, sqc(56), 1);
	start = fk.now;
	EQ(PLAIN(DESTROY_QP, 56), OK);
	CHECK(fk.now - start < 2 * 250000);
	/* memory that may still be read: the QP stays until another try has succeeded */
	make_rts(58, OHCA_QP_TYPE_RC);
	fk.drain_stuck = true;
	EQ(PLAIN(DESTROY_QP, 58), OHCA_CMD_STATUS_INTERNAL);
	fk.drain_stuck = false;
	CHECK(qp_exists(58));
	EQ(PLAIN(DESTROY_QP, 58), OK);
	EQ(PLAIN(DESTROY_QP, 58), NOT_FOUND);
	/* a driver that died: everything goes, and all wait for the same, once */
	make_rts(57, OHCA_QP_TYPE_UD);
	for (u32 q = 100; q < 700; q++) {
		make_rts(q, OHCA_QP_TYPE_RC);
		OHCA_SET(OHCA_SQC_IN_RUNQ, sqc(q), 1);
	}
	make_rts(2047, OHCA_QP_TYPE_RC);
	fk.drains = 0;
	fk.drain_stuck = true;
	start = fk.now;
	EQ(PLAIN(CLOSE_DEV, 0), OHCA_CMD_STATUS_INTERNAL);
	EQ(fk.drains, 1);
	CHECK(fk.now - start < 25 * 250000);
	fk.drain_stuck = false;
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	EQ(fk.eqc[0][0] & 1, 0);
	EQ(fk.eqc[1][0] & 1, 0);
	for (unsigned i = 0; i < (1u << LOG_MAX_QP) / 32; i++)
		EQ(objs_word(dev.qp_map, i), 0);
	for (unsigned i = 0; i < (1u << LOG_MAX_CQ) / 32; i++)
		EQ(objs_word(dev.cq_map, i), 0);
	EQ(fk.tbl_limit[0], 0);
	EQ(CMD(UNMAP_ICM, 0, 14, NULL, 0, NULL, 0), OK);
	CHECK(fake_cache_clean());
}

static void t_sqd(void)
{
	struct ohca_cmd_qp_in in;
	u64 at;

	setup_dev();
	qp_in_default(&in, OHCA_QP_TYPE_RC);
	make_rts(60, OHCA_QP_TYPE_RC);
	fk.nev = 0;
	OHCA_SET(OHCA_SQC_NEXT, sqc(60), 5);
	OHCA_SET(OHCA_SQC_PI, sqc(60), 9);
	OHCA_SET(OHCA_RAC_UNA, rac(60), 3);
	OHCA_SET(OHCA_CMD_QP_IN_EN_SQD, &in, 1);
	EQ(modify(60, SQD, 4, &in), OK);
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 0);
	EQ(modify(60, SQD, 0x80, &in), BUSY);		/* no new path while the old one is in use */
	OHCA_SET(OHCA_RAC_UNA, rac(60), 5);
	OHCA_SET(OHCA_SQC_IN_MSG, sqc(60), 1);
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 0);
	OHCA_SET(OHCA_SQC_IN_MSG, sqc(60), 0);
	at = fk.now;
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 1);
	EQ(fk.ev[0].hdr & 255, OHCA_EQE_TYPE_SQ_DRAINED);
	EQ(fk.ev[0].num, 60);
	CHECK(qp_next() > at + 250000000ull);
	in.dw[18] = 0x777;
	EQ(modify(60, SQD, 0x80, &in), OK);
	EQ(rsc(60)->dw[16] & 0xffff, 0x777);
	/* without the wish, and after going back, there is no event */
	EQ(modify(60, RTS, 0, &in), OK);
	OHCA_SET(OHCA_CMD_QP_IN_EN_SQD, &in, 0);
	EQ(modify(60, SQD, 4, &in), OK);
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 1);
	EQ(modify(60, RTS, 0, &in), OK);
	OHCA_SET(OHCA_RAC_UNA, rac(60), 3);
	OHCA_SET(OHCA_CMD_QP_IN_EN_SQD, &in, 1);
	EQ(modify(60, SQD, 4, &in), OK);
	EQ(modify(60, RTS, 0, &in), OK);
	OHCA_SET(OHCA_RAC_UNA, rac(60), 5);
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 1);
	/* a QP that goes away meanwhile */
	OHCA_SET(OHCA_RAC_UNA, rac(60), 3);
	EQ(modify(60, SQD, 4, &in), OK);
	EQ(PLAIN(DESTROY_QP, 60), OK);
	fake_until(fk.now + 250 * 1000);
	EQ(fk.nev, 1);
}

static void t_port_cmds(void)
{
	struct ohca_cmd_port_in in;
	struct ohca_cmd_port_out o;
	u8 gid[16], desc[64];
	u64 before;

	setup_dev();
	fk.port[OHCA_PORT_REG_PKEY / 4 + 3] = 0x8123;
	EQ(PLAIN(QUERY_PKEY, 1 | 3 << 8), OK);
	EQ(fk.imm, 0x8123);
	EQ(PLAIN(QUERY_PKEY, 1), OK);
	EQ(fk.imm, 0xffff);
	EQ(CMD(QUERY_GID, 1, 0, NULL, 0, gid, 16), OK);
	BYTES(gid, 16, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x01);
	EQ(CMD(QUERY_GID, 1 | 15 << 8, 0, NULL, 0, gid, 16), OK);
	BYTES(gid, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_STATE, &o), 1);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_PHYS_STATE, &o), 2);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_MAX_VL_NUM, &o), 3);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_ACTIVE_WIDTH, &o), 2);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_ACTIVE_SPEED, &o), 32);
	before = fk.changes;
	EQ(PLAIN(QUERY_PORT, 0), BAD);
	EQ(PLAIN(QUERY_PORT, 2), BAD);
	EQ(PLAIN(QUERY_PORT, 0x101), BAD);
	EQ(PLAIN(QUERY_PKEY, 0), BAD);
	EQ(PLAIN(QUERY_PKEY, 1 | 32 << 8), BAD);
	EQ(PLAIN(QUERY_PKEY, 1 | 0x800000u << 8), BAD);
	EQ(PLAIN(QUERY_GID, 1 | 16 << 8), BAD);
	EQ(PLAIN(QUERY_GID, 2), BAD);
	memset(&in, 0, sizeof(in));
	in.dw[0] = 1 << 1;
	EQ(CMD(SET_PORT, 2, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[0] = 1 << 2;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), PERM);
	in.dw[0] = 1 << 1;
	in.dw[1] = 1u << 31;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), PERM);
	in.dw[1] = 1 << 1;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[1] = 0;
	in.dw[2] = 8;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), BAD);
	in.dw[2] = 4;		/* the other link layer, but not to be set */
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), BAD);
	CHECK(!port.host_caps);
	in.dw[2] = 0;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), OK);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_CAP_MASK, &o) & 0x80002, 2);
	in.dw[0] = 1 << 19;		/* a target that others ask by device management MADs */
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), OK);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_CAP_MASK, &o) & 0x80002, 0x80002);
	in.dw[0] = 0;
	in.dw[1] = 1 << 19;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), OK);
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_CAP_MASK, &o) & 0x80002, 2);
	in.dw[1] = 0;
	/* counters of violations */
	fk.cnt[OHCA_PORT_CNT_BAD_QKEY] = 70000;
	fk.cnt[OHCA_PORT_CNT_BAD_PKEY] = 5;
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_QKEY_VIOL_CNTR, &o), 0xffff);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_BAD_PKEY_CNTR, &o), 5);
	in.dw[0] = 0;
	in.dw[2] = 1;
	EQ(CMD(SET_PORT, 1, 0, &in, sizeof(in), NULL, 0), OK);
	fk.cnt[OHCA_PORT_CNT_BAD_QKEY]++;
	EQ(CMD(QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o)), OK);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_QKEY_VIOL_CNTR, &o), 1);
	EQ(OHCA_GET(OHCA_CMD_PORT_OUT_BAD_PKEY_CNTR, &o), 5);
	EQ(fk.changes, before);
	/* whoever was subnet manager is no longer when the driver goes */
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	CHECK(!port.host_caps);
	memset(desc, 'x', 64);
	EQ(CMD(SET_NODE_DESC, 0, 0, desc, 64, NULL, 0), OK);
	EQ(memcmp(port.node_desc, desc, 64), 0);
}

/* ------------------------------------------------------------------ multicast */

static unsigned mc_total, mc_steps;

/* The table as the receive side would find it: each chain ends, and its members are counted. */
static unsigned mc_members(const u8 *mgid, u32 *qpns)
{
	unsigned n = 0;
	u32 h = 0, key[4];

	for (unsigned i = 0; i < 4 && mgid; i++) {
		key[3 - i] = (u32)mgid[4 * i] << 24 | (u32)mgid[4 * i + 1] << 16 | (u32)mgid[4 * i + 2] << 8 | mgid[4 * i + 3];
		h ^= key[3 - i];
	}
	h ^= h >> 16;
	h = (h ^ h >> 8) % (FAKE_MC_WORDS / 16);
	for (u32 head = mgid ? h : 0; head < (mgid ? h + 1 : FAKE_MC_WORDS / 16); head++) {
		unsigned len = 0;

		for (u32 at = fk.mc[head]; at; at = fk.mc[8 * at], len++) {
			if (at < FAKE_MC_WORDS / 128 || at >= FAKE_MC_WORDS / 8 || len > 16) {
				fail_at(__FILE__, __LINE__, "chain %u: node %u after %u", head, at, len);
				return n;
			}
			if (mgid && memcmp(key, &fk.mc[8 * at + 1], 16))
				continue;
			for (unsigned k = 5; k < 8; k++)
				if (fk.mc[8 * at + k] >> 31) {
					if (qpns)
						qpns[n] = fk.mc[8 * at + k] & 0xffffff;
					n++;
				}
		}
	}
	return n;
}

/* Each single write leaves a table that is right, before or after the change. */
static void mc_step(void)
{
	unsigned n = mc_members(NULL, NULL);

	mc_steps++;
	CHECK(n == mc_total || n + 1 == mc_total || n == mc_total + 1);
}

static u32 mc(unsigned op, u32 qpn, const u8 *mgid)
{
	u32 st;

	mc_total = mc_members(NULL, NULL);
	st = fake_cmd(op, qpn, 0, mgid, 16, NULL, 0);
	EQ(mc_members(NULL, NULL), mc_total + (st ? 0 : op == OHCA_CMD_OP_ATTACH_MCAST ? 1 : -1));
	return st;
}
#define ATTACH(q, m) mc(OHCA_CMD_OP_ATTACH_MCAST, q, m)
#define DETACH(q, m) mc(OHCA_CMD_OP_DETACH_MCAST, q, m)

static void t_mcast(void)
{
	u8 g[16] = { 0xff, 0x12, 0x40, 0x1b, [15] = 1 }, v4[16] = { [10] = 0xff, [11] = 0xff, 0xe0, 0, 0, 5 }, other[16];
	struct ohca_cmd_query_dev_out o;
	u32 qpns[64];
	unsigned grp, max, n;

	setup_dev();
	EQ(CMD(QUERY_DEV, 0, 0, NULL, 0, &o, sizeof(o)), OK);
	grp = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_GRP, &o);
	max = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_QP, &o);
	EQ(grp, 120);
	EQ(max, 48);
	fk.on_mc = mc_step;
	for (u32 q = 100; q < 164; q++)
		EQ(make_qp(q, OHCA_QP_TYPE_UD), OK);
	EQ(make_qp(200, OHCA_QP_TYPE_RC), OK);
	/* what is refused */
	EQ(ATTACH(200, g), BAD);
	EQ(ATTACH(201, g), NOT_FOUND);
	memcpy(other, g, 16);
	other[0] = 0xfe;
	EQ(ATTACH(100, other), BAD);
	EQ(DETACH(100, g), NOT_FOUND);
	EQ(mc_members(NULL, NULL), 0);
	/* one QP, twice */
	EQ(ATTACH(100, g), OK);
	EQ(ATTACH(100, g), EXISTS);
	EQ(ATTACH(100, v4), OK);
	EQ(mc_members(g, qpns), 1);
	EQ(qpns[0], 100);
	EQ(mc_members(v4, qpns), 1);
	EQ(DETACH(101, g), NOT_FOUND);
	EQ(DETACH(100, v4), OK);
	/* as many as a group can have, and one more; another group in the same chain has no place either */
	for (u32 i = 1; i < max; i++)
		EQ(ATTACH(100 + i, g), OK);
	EQ(ATTACH(100 + max, g), NO_RES);
	EQ(mc_members(g, qpns), max);
	memcpy(other, g, 16);
	other[14] = other[6] = 7;
	EQ(ATTACH(100 + max, other), NO_RES);
	other[6] = 0;
	EQ(ATTACH(100 + max, other), OK);
	EQ(DETACH(100 + max, other), OK);
	/* a place that becomes free is used again */
	EQ(DETACH(111, g), OK);
	EQ(ATTACH(100 + max, g), OK);
	EQ(ATTACH(111, g), NO_RES);
	/* a QP that is destroyed leaves all its groups, and nobody else does */
	EQ(ATTACH(120, v4), OK);
	fk.on_mc = NULL;
	EQ(PLAIN(DESTROY_QP, 120), OK);
	EQ(mc_members(v4, NULL), 0);
	EQ(mc_members(g, qpns), max - 1);
	for (unsigned i = 0; i < max - 1; i++)
		CHECK(qpns[i] != 120);
	for (u32 q = 100; q < 164; q++)
		PLAIN(DESTROY_QP, q);
	EQ(mc_members(NULL, NULL), 0);
	/* as many groups as there are nodes: all chains are used alike; the next has no place */
	fk.on_mc = mc_step;
	EQ(make_qp(100, OHCA_QP_TYPE_UD), OK);
	for (n = 0; n < 200 && n < grp; n++) {
		g[15] = (u8)n;
		EQ(ATTACH(100, g), OK);
	}
	g[15] = (u8)n;
	EQ(ATTACH(100, g), NO_RES);
	g[15] = 50;
	EQ(DETACH(100, g), OK);
	g[15] = (u8)n;
	EQ(ATTACH(100, g), OK);
	/* a driver that goes leaves an empty table */
	fk.on_mc = NULL;
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	EQ(mc_members(NULL, NULL), 0);
	CHECK(mc_steps > 300);
}

/* The time that closing takes goes by the QPs that there were, not by the memory that was given for contexts. */
static void t_close(void)
{
	u64 before;

	setup_dev();
	before = fk.acc;
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	CHECK(fk.acc - before < FAKE_MC_WORDS / 16 + 50);
	setup_dev();
	for (u32 q = 300; q < 340; q++)
		make_rts(q, OHCA_QP_TYPE_RC);
	EQ(make_qp(511, OHCA_QP_TYPE_RC), OK);
	EQ(PLAIN(DESTROY_QP, 511), OK);
	/* A late turn of an engine: the QP is gone, its context is not yet in memory. */
	OHCA_SET(OHCA_RAC_TIMER_ARMED, rac(511), 1);
	before = fk.acc;
	EQ(PLAIN(CLOSE_DEV, 0), OK);
	CHECK(fk.acc - before < FAKE_MC_WORDS / 16 + 41 * 12 + 50);
	EQ(CMD(UNMAP_ICM, 0, 2, NULL, 0, NULL, 0), OK);
	CHECK(fake_cache_clean());
}

const struct test_case cmd_cases[] = {
	{ "frame", t_frame }, { "before-init", t_before_init }, { "init-dev", t_init }, { "versions", t_versions }, { "icm", t_icm }, { "stale-line", t_stale_line },
	{ "eq", t_eq }, { "cq", t_cq }, { "cq-resize", t_cq_resize }, { "cq-modify", t_cq_modify }, { "mkey", t_mkey }, { "qp-create", t_qp_create }, { "qp-to-rts", t_qp_to_rts },
	{ "qp-table", t_qp_table }, { "qp-attributes", t_qp_attrs }, { "qp-errors", t_qp_errors }, { "qp-destroy", t_qp_destroy },
	{ "sq-drained", t_sqd }, { "port-commands", t_port_cmds }, { "multicast", t_mcast }, { "close-dev", t_close }, { NULL, NULL },
};
