// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Device, context memory, event queues, completion queues, memory keys. */
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "mcast.h"
#include "port.h"
#include "qp.h"
#include "sma.h"

/* Tests begin with anything in it, as does the core's RAM. */
#ifdef OHCA_HOST_TEST
struct dev dev;
#else
struct dev dev __attribute__((section(".noinit")));
#endif

#define OK OHCA_CMD_STATUS_OK
#define BAD OHCA_CMD_STATUS_BAD_PARAM

void dev_start(void)
{
	zero(&dev, offsetof(struct dev, qp_map));
	objs_reset(dev.qp_map);
	objs_reset(dev.qp_used);
	objs_reset(dev.cq_map);
}

static const u16 entry_bytes[4] = { OHCA_QPC_STRIDE, sizeof(struct ohca_cqc), sizeof(struct ohca_mpt), sizeof(struct ohca_mtt) };

static u32 log2_of(u32 n)
{
	u32 log = 0;

	while (n >>= 1)
		log++;
	return log;
}

static u32 db_stride(void)
{
	return OHCA_EXTRACT(OHCA_REG_HW_CFG_DB_STRIDE, sys_rd(OHCA_M_SYS_ID));
}

u32 db_pages(void)
{
	return OHCA_DB_PAGES >> db_stride();
}

enum ohca_cmd_status do_query_dev(struct cmd *c)
{
	struct ohca_cmd_query_dev_out *o = (void *)c->out;

	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, o, FW_VERSION);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_HW_CFG, o, sys_rd(OHCA_M_SYS_ID));
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_NODE_GUID, o, node_guid());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_SYS_IMAGE_GUID, o, node_guid());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_PORT_GUID, o, port_guid());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_VENDOR_ID, o, OUI);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_PART_ID, o, PART_ID);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_HW_REV, o, 1);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP, o, LOG_MAX_QP);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_CQ, o, LOG_MAX_CQ);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_MPT, o, LOG_MAX_MPT);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_MTT, o, LOG_MAX_MTT);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP_WR, o, LOG_MAX_QP_WR);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_CQE, o, LOG_MAX_CQE);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_EQ, o, MAX_EQ);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_RD_ATOMIC, o, OHCA_MAX_RD_ATOMIC);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_SEND_SGE, o, OHCA_MAX_SEND_SGE);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_RECV_SGE, o, OHCA_MAX_RECV_SGE);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_INLINE, o, OHCA_MAX_INLINE);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_ICM_CHUNKS, o, dev.icm_chunks);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_DB_PAGES, o, db_pages());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_MSG, o, 0x80000000u);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_PKEY_TABLE_LEN, o, PKEY_TABLE_LEN);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_GID_TABLE_LEN, o, GID_TABLE_LEN);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_ACK_DELAY, o, 8);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_CYCLES_PER_US, o, hw_cycles_per_us());
	/* MPT entry 0 is the reserved local DMA key, set up by init_dev; its key byte is not 0 so that key 0 is never valid. */
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_RESERVED_LKEY, o, 0x000000ffu);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_GRP, o, mcast_groups());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_QP, o, MC_QP_MAX);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_ATTACH, o, mcast_groups() * OHCA_MC_NODE_QPS);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_HOST_ABI, o, OHCA_HOST_ABI);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_NUM_COUNTERS, o, OHCA_NUM_COUNTERS);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_CMD_ABI_MIN, o, FW_CMD_ABI_MIN);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_CMD_ABI_MAX, o, FW_CMD_ABI_MAX);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_QPC_BYTES, o, log2_of(entry_bytes[OHCA_ICM_TABLE_QPC]));
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_CQC_BYTES, o, log2_of(entry_bytes[OHCA_ICM_TABLE_CQC]));
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_LOG_MPT_BYTES, o, log2_of(entry_bytes[OHCA_ICM_TABLE_MPT]));
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_DB_STRIDE_SHIFT, o, 12 + db_stride());
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_RING_PAGES, o, OHCA_RING_PAGES);
	OHCA_SET(OHCA_CMD_QUERY_DEV_OUT_CAPS, o, 1u << OHCA_DEV_CAP_RC | 1u << OHCA_DEV_CAP_UD | 1u << OHCA_DEV_CAP_MCAST_ATTACH |
		 (sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_PUSH) ? 1u << OHCA_DEV_CAP_PUSH : 0) |
		 (sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_ROCE) ? 1u << OHCA_DEV_CAP_ROCE : 0) |
		 (sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_UD_CSUM) ? 1u << OHCA_DEV_CAP_UD_CSUM : 0) |
		 (sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_CQ_MOD) ? 1u << OHCA_DEV_CAP_CQ_MOD : 0));
	return OK;
}

bool icm_addr(enum ohca_icm_table table, u32 off, u64 *addr)
{
	u32 chunk = dev.first[table] + (off >> OHCA_ICM_CHUNK_SHIFT);

	if (chunk >= dev.icm_chunks || !map_test(dev.icm_map, chunk))
		return false;
	*addr = ((u64)dev.icm_page[chunk] << OHCA_ICM_CHUNK_SHIFT) + (off & ((1u << OHCA_ICM_CHUNK_SHIFT) - 1));
	return true;
}

/*
 * Memory keys are read by the translation unit only, so they are written straight to context memory, a whole entry in one
 * write, and what the unit has cached is dropped by ctx_inval().
 */
static bool mpt_addr(u32 n, u64 *addr)
{
	return icm_addr(OHCA_ICM_TABLE_MPT, n * sizeof(struct ohca_mpt), addr);
}

static bool mpt_read(u32 n, struct ohca_mpt *m)
{
	u64 a;

	return mpt_addr(n, &a) && hw_dma_read(a, m, sizeof(*m));
}

static bool mpt_write(u32 n, const struct ohca_mpt *m)
{
	u64 a;

	return mpt_addr(n, &a) && hw_dma_write(a, m, sizeof(*m)) && ctx_inval(OHCA_CTX_PART_MPT, n);
}

/* An entry that is not valid, of a key whose pages may still be in use: its page shift is one that no key has. */
#define MPT_UNDRAINED 1

static bool mpt_undrained(const struct ohca_mpt *m)
{
	return !OHCA_GET(OHCA_MPT_VALID, m) && OHCA_GET(OHCA_MPT_PAGE_SHIFT, m) == MPT_UNDRAINED;
}

static void cq_destroy(u32 cqn);

static u32 chunks_of(u32 table, u32 log)
{
	return (u32)((((u64)entry_bytes[table] << log) + (1u << OHCA_ICM_CHUNK_SHIFT) - 1) >> OHCA_ICM_CHUNK_SHIFT);
}

/* In contexts the page's size stands above the offset in MTT-mapped space. */
#define RING_SHIFT_AT 60

bool ring_ok(bool mtt, u32 page_shift, u64 buf, u64 bytes, u64 *base)
{
	u32 shift = OHCA_PAGE_SHIFT_MIN + page_shift;
	u64 entries = 1ull << dev.log_mtt;

	*base = buf;
	if (buf + bytes < buf)
		return false;
	if (!mtt)
		return !page_shift;
	*base |= (u64)page_shift << RING_SHIFT_AT;
	return OHCA_RING_PAGES >> page_shift & 1 && buf >> shift < entries && (buf + bytes - 1) >> shift < entries;
}

bool ring_forget(bool mtt, u64 base, u64 bytes)
{
	u32 shift = OHCA_PAGE_SHIFT_MIN + (u32)(base >> RING_SHIFT_AT);
	u64 buf = base & ((1ull << RING_SHIFT_AT) - 1), first = buf >> shift;

	return !mtt || mtt_inval(first, ((buf + bytes - 1) >> shift) - first + 1);
}

enum ohca_cmd_status do_init_dev(struct cmd *c)
{
	struct ohca_cmd_init_dev_in *in = (void *)c->in;
	u32 first[4], log[4], abi = OHCA_GET(OHCA_CMD_INIT_DEV_IN_CMD_ABI, in);
	struct ohca_mpt m;

	if (dev.inited)
		return OHCA_CMD_STATUS_BAD_STATE;
	/* What the host speaks decides what commands mean from here on. So far there is one meaning. */
	if (abi < FW_CMD_ABI_MIN || abi > FW_CMD_ABI_MAX)
		return BAD;
	first[OHCA_ICM_TABLE_QPC] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_QPC_CHUNK, in);
	first[OHCA_ICM_TABLE_CQC] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_CQC_CHUNK, in);
	first[OHCA_ICM_TABLE_MPT] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_MPT_CHUNK, in);
	first[OHCA_ICM_TABLE_MTT] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_MTT_CHUNK, in);
	log[OHCA_ICM_TABLE_QPC] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_LOG_QP, in);
	log[OHCA_ICM_TABLE_CQC] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_LOG_CQ, in);
	log[OHCA_ICM_TABLE_MPT] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_LOG_MPT, in);
	log[OHCA_ICM_TABLE_MTT] = OHCA_GET(OHCA_CMD_INIT_DEV_IN_LOG_MTT, in);
	/* QP0 and QP1 must exist; the translation unit wants MPT and MTT in multiples of eight. */
	if (log[OHCA_ICM_TABLE_QPC] > LOG_MAX_QP || log[OHCA_ICM_TABLE_QPC] < 1 || log[OHCA_ICM_TABLE_CQC] > LOG_MAX_CQ ||
	    log[OHCA_ICM_TABLE_MPT] > LOG_MAX_MPT || log[OHCA_ICM_TABLE_MPT] < 3 ||
	    log[OHCA_ICM_TABLE_MTT] > LOG_MAX_MTT || log[OHCA_ICM_TABLE_MTT] < 3)
		return BAD;
	/* Chunks are given on demand: their numbers have to exist. Tables share none. */
	for (u32 t = 0; t < 4; t++) {
		u32 n = chunks_of(t, log[t]);

		if (first[t] >= dev.icm_chunks || n > dev.icm_chunks - first[t])
			return BAD;
		for (u32 s = 0; s < t; s++)
			if (first[t] < first[s] + chunks_of(s, log[s]) && first[s] < first[t] + n)
				return BAD;
	}
	/* The first chunk of the MPT holds the reserved key. */
	if (!map_test(dev.icm_map, first[OHCA_ICM_TABLE_MPT]))
		return BAD;
	for (u32 t = 0; t < 4; t++) {
		dev.first[t] = (u16)first[t];
		sys_wr(OHCA_M_SYS_TBL_BASE + 4 * t, first[t]);
		sys_wr(OHCA_M_SYS_TBL_LIMIT + 4 * t, 1u << log[t]);
	}
	zero(&m, sizeof(m));
	OHCA_SET(OHCA_MPT_VALID, &m, 1);
	OHCA_SET(OHCA_MPT_PHYS, &m, 1);
	OHCA_SET(OHCA_MPT_PRIV_ONLY, &m, 1);
	OHCA_SET(OHCA_MPT_ACC_LW, &m, 1);
	OHCA_SET(OHCA_MPT_KEY, &m, 0xff);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &m, 12);
	if (!mpt_write(0, &m)) {
		for (u32 t = 0; t < 4; t++)
			sys_wr(OHCA_M_SYS_TBL_LIMIT + 4 * t, 0);
		return OHCA_CMD_STATUS_DMA;
	}
	dev.log_qp = (u8)log[OHCA_ICM_TABLE_QPC];
	dev.log_cq = (u8)log[OHCA_ICM_TABLE_CQC];
	dev.log_mpt = (u8)log[OHCA_ICM_TABLE_MPT];
	dev.log_mtt = (u8)log[OHCA_ICM_TABLE_MTT];
	dev.inited = true;
	fw_log("init: commands of version %u, 2^%u QPs, 2^%u CQs, 2^%u keys, 2^%u MTT entries\n", abi, log[0], log[1], log[2], log[3]);
	return OK;
}

/* Objects of table t whose contexts lie in the chunk: first number and count, 0 if the chunk is not of that table. */
static u32 in_chunk(u32 t, u32 log, u32 chunk, u32 *first)
{
	u32 per = (1u << OHCA_ICM_CHUNK_SHIFT) / entry_bytes[t], total = 1u << log;

	if (chunk < dev.first[t] || chunk >= dev.first[t] + chunks_of(t, log))
		return 0;
	*first = (chunk - dev.first[t]) * per;
	return total - *first < per ? total - *first : per;
}

/*
 * A timer entry or a turn in the run queue may have touched the context of a QP that is gone. What the caches hold of a chunk
 * goes back now, while the memory is still the adapter's. Of numbers that never were QPs the caches may hold what a stray doorbell or packet
 * fetched; engines write nothing into that, and create_qp drops it.
 */
static void chunk_inval(u32 chunk, bool all)
{
	u32 first, n = in_chunk(OHCA_ICM_TABLE_QPC, dev.log_qp, chunk, &first);

	for (u32 i = first; i < first + n; i++) {
		if (all || objs_test(dev.qp_used, i)) {
			qp_inval(i);
			objs_clear(dev.qp_used, i);
		} else {
			i += objs_step(dev.qp_used, i) - 1;
		}
	}
}

/* Destroys whatever is left of the host's objects, so that a driver that died can be replaced. */
enum ohca_cmd_status do_close_dev(struct cmd *c)
{
	static const struct ohca_mpt none;
	bool ok;

	(void)c;
	if (!dev.inited)
		return OK;
	ok = nic_stop();
	mcast_init();
	ok &= qp_destroy_all();
	for (u32 q = 0; q < 1u << dev.log_cq; q++) {
		if (objs_test(dev.cq_map, q))
			cq_destroy(q);
		else
			q += objs_step(dev.cq_map, q) - 1;
	}
	for (u32 e = 0; e < MAX_EQ; e++)
		if (dev.eq_map >> e & 1)
			eqc_wr(e, 0, 0);
	dev.eq_map = 0;
	dev.ctl_eq = 0;
	mpt_write(0, &none);
	ctx_inval(OHCA_CTX_PART_MTT, 0);
	for (u32 i = 0; i < dev.icm_chunks; i++) {
		if (!(i & 31) && !dev.icm_map[i / 32])
			i += 31;
		else if (map_test(dev.icm_map, i))
			chunk_inval(i, false);
	}
	for (u32 t = 0; t < 4; t++)
		sys_wr(OHCA_M_SYS_TBL_LIMIT + 4 * t, 0);
	dev.inited = false;
	eth_clear();
	sma_set_caps(0, CAP_HOST);	/* who said so ran on this host */
	return ok ? OK : OHCA_CMD_STATUS_INTERNAL;
}

static void icm_set(u32 chunk, u64 addr, bool valid)
{
	sys_wr(OHCA_M_SYS_ICM_CHUNK, chunk);
	sys_wr(OHCA_M_SYS_ICM_HI, (u32)(addr >> 32));
	sys_wr(OHCA_M_SYS_ICM_LO, (u32)addr | (valid ? 1 : 0));
	dev.icm_page[chunk] = (u32)(addr >> OHCA_ICM_CHUNK_SHIFT);
	if (valid)
		map_set(dev.icm_map, chunk);
	else
		map_clear(dev.icm_map, chunk);
}

enum ohca_cmd_status do_map_icm(struct cmd *c)
{
	static const u32 rsvd[] = OHCA_CMD_MAP_ICM_IN_RSVD;
	struct ohca_cmd_map_icm_in *r = (void *)c->in;
	u32 n = c->in_mod;

	if (!n || n > sizeof(c->in) / sizeof(*r))
		return BAD;
	if (!hw_dma_read(c->in_param, c->in, n * sizeof(*r)))
		return OHCA_CMD_STATUS_DMA;
	for (u32 i = 0; i < n; i++) {
		u32 chunk = OHCA_GET(OHCA_CMD_MAP_ICM_IN_CHUNK, &r[i]);

		/* Chunk numbers of host memory are kept in 32 bits. */
		if (!OHCA_RSVD_OK(rsvd, &r[i]) || chunk >= dev.icm_chunks ||
		    OHCA_GET(OHCA_CMD_MAP_ICM_IN_ADDR, &r[i]) >> (OHCA_ICM_CHUNK_SHIFT + 32) ||
		    (OHCA_GET(OHCA_CMD_MAP_ICM_IN_ADDR, &r[i]) & ((1u << OHCA_ICM_CHUNK_SHIFT) - 1)))
			return BAD;
		if (map_test(dev.icm_map, chunk))
			return OHCA_CMD_STATUS_EXISTS;
		for (u32 j = 0; j < i; j++)
			if (OHCA_GET(OHCA_CMD_MAP_ICM_IN_CHUNK, &r[j]) == chunk)
				return BAD;
	}
	for (u32 i = 0; i < n; i++)
		icm_set(OHCA_GET(OHCA_CMD_MAP_ICM_IN_CHUNK, &r[i]), OHCA_GET(OHCA_CMD_MAP_ICM_IN_ADDR, &r[i]), true);
	return OK;
}

static bool chunk_busy(u32 chunk)
{
	u32 first, n;

	n = in_chunk(OHCA_ICM_TABLE_QPC, dev.log_qp, chunk, &first);
	for (u32 i = first; i < first + n; i++)
		if (objs_test(dev.qp_map, i))
			return true;
	n = in_chunk(OHCA_ICM_TABLE_CQC, dev.log_cq, chunk, &first);
	for (u32 i = first; i < first + n; i++)
		if (objs_test(dev.cq_map, i))
			return true;
	return chunk == dev.first[OHCA_ICM_TABLE_MPT];	/* the reserved key */
}

enum ohca_cmd_status do_unmap_icm(struct cmd *c)
{
	u32 first = c->in_mod, n = c->op_mod;

	if (!n || first >= dev.icm_chunks || n > dev.icm_chunks - first)
		return BAD;
	for (u32 i = first; i < first + n; i++) {
		if (!map_test(dev.icm_map, i))
			return OHCA_CMD_STATUS_NOT_FOUND;
		if (dev.inited && chunk_busy(i))
			return OHCA_CMD_STATUS_BUSY;
	}
	for (u32 i = first; i < first + n; i++) {
		icm_set(i, 0, false);
		/* Nothing is read from the chunk any more, so this is final. */
		if (dev.inited)
			chunk_inval(i, true);
	}
	if (dev.inited)
		ctx_inval(OHCA_CTX_PART_MTT, 0);
	return OK;
}

/* To EQ 0 unless the host made an EQ for it: what users' errors fill must not hold up commands. */
void host_event(enum ohca_eqe_type type, u32 port_num, u32 syndrome, u32 num, u32 param)
{
	if (dev.eq_map >> dev.ctl_eq & 1)
		hw_event(dev.ctl_eq, type, port_num, syndrome, num, param);
}

/* op_mod 1: the EQ for commands' completions and the firmware's events */
enum ohca_cmd_status do_create_eq(struct cmd *c)
{
	struct ohca_cmd_eq_in *in = (void *)c->in;
	u64 buf = OHCA_GET(OHCA_CMD_EQ_IN_BUF, in);
	u32 log = OHCA_GET(OHCA_CMD_EQ_IN_LOG_SIZE, in);
	struct ohca_eqc e;

	if (c->in_mod >= MAX_EQ || log < 4 || log > 16 || (buf & 15))
		return BAD;
	if (dev.eq_map >> c->in_mod & 1)
		return OHCA_CMD_STATUS_EXISTS;
	zero(&e, sizeof(e));
	OHCA_SET(OHCA_EQC_VALID, &e, 1);
	OHCA_SET(OHCA_EQC_LOG_SIZE, &e, log);
	OHCA_SET(OHCA_EQC_VECTOR, &e, OHCA_GET(OHCA_CMD_EQ_IN_VECTOR, in));
	OHCA_SET(OHCA_EQC_BUF, &e, buf);
	for (u32 i = sizeof(e) / 4; i-- > 0;)
		eqc_wr(c->in_mod, i, ((u32 *)&e)[i]);
	dev.eq_map |= 1u << c->in_mod;
	if (c->op_mod)
		dev.ctl_eq = c->in_mod;
	return OK;
}

enum ohca_cmd_status do_destroy_eq(struct cmd *c)
{
	if (c->in_mod >= MAX_EQ || !(dev.eq_map >> c->in_mod & 1))
		return OHCA_CMD_STATUS_NOT_FOUND;
	eqc_wr(c->in_mod, 0, 0);
	dev.eq_map &= ~(1u << c->in_mod);
	if (dev.ctl_eq == c->in_mod)
		dev.ctl_eq = 0;
	return OK;
}

enum ohca_cmd_status do_create_cq(struct cmd *c)
{
	struct ohca_cmd_cq_in *in = (void *)c->in;
	u64 buf = OHCA_GET(OHCA_CMD_CQ_IN_BUF, in), dbr = OHCA_GET(OHCA_CMD_CQ_IN_DBR, in);
	u32 log = OHCA_GET(OHCA_CMD_CQ_IN_LOG_SIZE, in), eqn = OHCA_GET(OHCA_CMD_CQ_IN_EQN, in), uar = OHCA_GET(OHCA_CMD_CQ_IN_UAR, in);
	bool mtt = OHCA_GET(OHCA_CMD_CQ_IN_BUF_MTT, in);
	struct ohca_cqc q;

	if (c->in_mod >= 1u << dev.log_cq || log > LOG_MAX_CQE || (buf & 31) || (dbr & 7) || eqn >= MAX_EQ ||
	    !(dev.eq_map >> eqn & 1) || uar >= db_pages() ||
	    !ring_ok(mtt, OHCA_GET(OHCA_CMD_CQ_IN_PAGE_SHIFT, in), buf, (u64)sizeof(struct ohca_cqe) << log, &buf))
		return BAD;
	if (objs_test(dev.cq_map, c->in_mod))
		return OHCA_CMD_STATUS_EXISTS;
	zero(&q, sizeof(q));
	OHCA_SET(OHCA_CQC_VALID, &q, 1);
	OHCA_SET(OHCA_CQC_BUF_MTT, &q, mtt);
	OHCA_SET(OHCA_CQC_LOG_SIZE, &q, log);
	OHCA_SET(OHCA_CQC_EQN, &q, eqn);
	OHCA_SET(OHCA_CQC_UAR_LO, &q, uar);
	OHCA_SET(OHCA_CQC_UAR_MID, &q, uar >> 8);
	OHCA_SET(OHCA_CQC_UAR_HI, &q, uar >> 11);
	OHCA_SET(OHCA_CQC_BUF, &q, (u32)buf >> 5);
	OHCA_SET(OHCA_CQC_BUF_HI, &q, (u32)(buf >> 32));
	OHCA_SET(OHCA_CQC_DBR, &q, (u32)dbr);
	OHCA_SET(OHCA_CQC_DBR_HI, &q, (u32)(dbr >> 32));
	/* A doorbell may have put the number's context into the cache while its chunk was another one. */
	if (!ctx_inval(OHCA_CTX_PART_CQC, c->in_mod) || !ctx_write(OHCA_CTX_PART_CQC, c->in_mod, &q, sizeof(q) / 4))
		return OHCA_CMD_STATUS_DMA;
	objs_set(dev.cq_map, c->in_mod);
	return OK;
}

static void cq_destroy(u32 cqn)
{
	ctx_rmw(OHCA_CTX_PART_CQC, cqn, 0, 0, OHCA_MASK(OHCA_CQC_VALID));
	ctx_inval(OHCA_CTX_PART_CQC, cqn);
	objs_clear(dev.cq_map, cqn);
}

/* The ring that this context names has no CQ any more. */
static bool cq_forget(const struct ohca_cqc *q)
{
	return ring_forget(OHCA_GET(OHCA_CQC_BUF_MTT, q), OHCA_GET(OHCA_CQC_BUF, q) << 5 | (u64)OHCA_GET(OHCA_CQC_BUF_HI, q) << 32,
			   (u64)sizeof(struct ohca_cqe) << OHCA_GET(OHCA_CQC_LOG_SIZE, q));
}

enum ohca_cmd_status do_destroy_cq(struct cmd *c)
{
	struct ohca_cqc q;
	bool known, ok;

	if (c->in_mod >= 1u << dev.log_cq || !objs_test(dev.cq_map, c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	known = ctx_read(OHCA_CTX_PART_CQC, c->in_mod, &q, OHCA_OFF(OHCA_CQC_BUF_HI) / 4 + 1);
	cq_destroy(c->in_mod);
	if (known)
		ok = cq_forget(&q);
	else
		ok = ctx_inval(OHCA_CTX_PART_MTT, 0);
	return ok ? OK : OHCA_CMD_STATUS_INTERNAL;
}

enum ohca_cmd_status do_query_cq(struct cmd *c)
{
	if (c->in_mod >= 1u << dev.log_cq || !objs_test(dev.cq_map, c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!ctx_read(OHCA_CTX_PART_CQC, c->in_mod, c->out, sizeof(struct ohca_cqc) / 4))
		return OHCA_CMD_STATUS_DMA;
	c->imm = OHCA_GET(OHCA_CQC_ERR, (struct ohca_cqc *)c->out);
	return OK;
}

/* Without a period an event must not wait for more completions than a ring takes that is not full, as a full one is never legal. */
static bool mod_reachable(u32 more, u32 period, u32 log)
{
	return !more || period || more + 1 < 1u << log;
}

enum ohca_cmd_status do_modify_cq(struct cmd *c)
{
	struct ohca_cmd_modify_cq_in *in = (void *)c->in;
	u32 count = OHCA_GET(OHCA_CMD_MODIFY_CQ_IN_COUNT, in), period = OHCA_GET(OHCA_CMD_MODIFY_CQ_IN_PERIOD, in), more, v;
	struct ohca_acc_cq_mod m = { 0 };

	if (!(sys_rd(OHCA_M_SYS_ID) & OHCA_MASK(OHCA_REG_HW_CFG_CQ_MOD)))
		return OHCA_CMD_STATUS_BAD_OP;
	if (c->in_mod >= 1u << dev.log_cq || !objs_test(dev.cq_map, c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!ctx_rd(OHCA_CTX_PART_CQC, c->in_mod, 0, &v))
		return OHCA_CMD_STATUS_DMA;
	more = count ? count - 1 : period ? 0xffff : 0;
	if (!mod_reachable(more, period, OHCA_EXTRACT(OHCA_CQC_LOG_SIZE, v)))
		return BAD;
	OHCA_SET(OHCA_ACC_CQ_MOD_MORE, &m, more);
	OHCA_SET(OHCA_ACC_CQ_MOD_PERIOD, &m, more ? period : 0);
	return ctx_swap(OHCA_CTX_PART_CQC, c->in_mod, OHCA_ACC_CQ_MOD, m.dw[0], &v) ? OK : OHCA_CMD_STATUS_DMA;
}

/* The engine exchanges the rings by itself, between two completions; a ring that cannot take what is unread is refused there and changes nothing. */
enum ohca_cmd_status do_resize_cq(struct cmd *c)
{
	struct ohca_cmd_resize_cq_in *in = (void *)c->in;
	u64 buf = OHCA_GET(OHCA_CMD_RESIZE_CQ_IN_BUF, in);
	u32 log = OHCA_GET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, in), v;
	bool mtt = OHCA_GET(OHCA_CMD_RESIZE_CQ_IN_BUF_MTT, in);
	struct ohca_acc_cq_ring r = { 0 };
	struct ohca_cqc old;

	if (c->in_mod >= 1u << dev.log_cq || !objs_test(dev.cq_map, c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (log > LOG_MAX_CQE || (buf & 31) ||
	    !ring_ok(mtt, OHCA_GET(OHCA_CMD_RESIZE_CQ_IN_PAGE_SHIFT, in), buf, (u64)sizeof(struct ohca_cqe) << log, &buf))
		return BAD;
	if (!ctx_rd(OHCA_CTX_PART_CQC, c->in_mod, OHCA_OFF(OHCA_CQC_MORE) / 4, &v))
		return OHCA_CMD_STATUS_DMA;
	if (!mod_reachable(OHCA_EXTRACT(OHCA_CQC_MORE, v), OHCA_EXTRACT(OHCA_CQC_PERIOD, v), log))
		return BAD;
	OHCA_SET(OHCA_ACC_CQ_RING_CI, &r, OHCA_GET(OHCA_CMD_RESIZE_CQ_IN_CI, in));
	OHCA_SET(OHCA_ACC_CQ_RING_LOG_SIZE, &r, log);
	OHCA_SET(OHCA_ACC_CQ_RING_BUF_MTT, &r, mtt);
	if (!ctx_read(OHCA_CTX_PART_CQC, c->in_mod, &old, OHCA_OFF(OHCA_CQC_BUF_HI) / 4 + 1) ||
	    !ctx_rmw(OHCA_CTX_PART_CQC, c->in_mod, OHCA_ACC_CQ_BUF, (u32)buf, 0xffffffff) ||
	    !ctx_rmw(OHCA_CTX_PART_CQC, c->in_mod, OHCA_ACC_CQ_BUF_HI, (u32)(buf >> 32), 0xffffffff))
		return OHCA_CMD_STATUS_DMA;
	if (!ctx_swap(OHCA_CTX_PART_CQC, c->in_mod, OHCA_ACC_CQ_RING, r.dw[0], &v)) {
		if (!ctx_rd(OHCA_CTX_PART_CQC, c->in_mod, 0, &v))
			return OHCA_CMD_STATUS_DMA;
		return OHCA_EXTRACT(OHCA_CQC_ERR, v) ? OHCA_CMD_STATUS_BAD_STATE : BAD;
	}
	c->imm = OHCA_EXTRACT(OHCA_CQC_PI, v);
	return cq_forget(&old) ? OK : OHCA_CMD_STATUS_INTERNAL;
}

enum ohca_cmd_status do_create_mkey(struct cmd *c)
{
	struct ohca_mpt *m = (void *)c->in;
	struct ohca_mpt old;
	u32 n = c->in_mod, shift = OHCA_GET(OHCA_MPT_PAGE_SHIFT, m);
	u64 start = OHCA_GET(OHCA_MPT_START, m), len = OHCA_GET(OHCA_MPT_LENGTH, m), pages;
	bool phys = OHCA_GET(OHCA_MPT_PHYS, m);

	if (!n || n >= 1u << dev.log_mpt || !OHCA_GET(OHCA_MPT_VALID, m))
		return BAD;
	if (OHCA_GET(OHCA_MPT_FREE, m))
		return OHCA_CMD_STATUS_BAD_OP;		/* fast registration */
	if ((n << 8 | OHCA_GET(OHCA_MPT_KEY, m)) == OHCA_INVALID_LKEY)
		return BAD;				/* it ends receive lists, so a region of this key would never be received into */
	/* The reserved key, valid for kernel QPs of any PD, is the firmware's. Others are of one PD, also those without translation. */
	if (OHCA_GET(OHCA_MPT_PRIV_ONLY, m))
		return BAD;
	if (!phys) {
		if (shift < OHCA_PAGE_SHIFT_MIN || shift > 47 || start + len < start)
			return BAD;
		pages = len ? ((start + len - 1) >> shift) - (start >> shift) + 1 : 0;
		if (OHCA_GET(OHCA_MPT_MTT, m) > 1u << dev.log_mtt || pages > (1u << dev.log_mtt) - OHCA_GET(OHCA_MPT_MTT, m))
			return BAD;
	}
	if (!mpt_read(n, &old))
		return OHCA_CMD_STATUS_DMA;
	if (OHCA_GET(OHCA_MPT_VALID, &old) || mpt_undrained(&old))
		return OHCA_CMD_STATUS_EXISTS;
	return mpt_write(n, m) ? OK : OHCA_CMD_STATUS_DMA;
}

/* The translations of a key that is gone. What its entry says comes from host memory, so it may be anything. */
static bool mkey_forget(const struct ohca_mpt *m)
{
	u64 start = OHCA_GET(OHCA_MPT_START, m), len = OHCA_GET(OHCA_MPT_LENGTH, m);
	u32 shift = OHCA_GET(OHCA_MPT_PAGE_SHIFT, m);

	if (!OHCA_GET(OHCA_MPT_VALID, m) || OHCA_GET(OHCA_MPT_PHYS, m) || !len)
		return true;
	if (shift < OHCA_PAGE_SHIFT_MIN || shift > 47)
		return ctx_inval(OHCA_CTX_PART_MTT, 0);
	return mtt_inval(OHCA_GET(OHCA_MPT_MTT, m), ((start + len - 1) >> shift) - (start >> shift) + 1);
}

enum ohca_cmd_status do_destroy_mkey(struct cmd *c)
{
	static const struct ohca_mpt none;
	struct ohca_mpt old;

	if (!c->in_mod || c->in_mod >= 1u << dev.log_mpt)
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!mpt_read(c->in_mod, &old))
		return OHCA_CMD_STATUS_DMA;
	if (!OHCA_GET(OHCA_MPT_VALID, &old) && !mpt_undrained(&old))
		return OHCA_CMD_STATUS_NOT_FOUND;
	/* Both invalidates wait for translations under way, and what these led to drains, so the pages may be unpinned after this command. */
	if (!mpt_write(c->in_mod, &none))
		return OHCA_CMD_STATUS_DMA;
	mkey_forget(&old);
	if (hw_drain())
		return OK;
	/* Nobody can use the key any more, but its pages may not be given back before another try has succeeded. */
	zero(&old, sizeof(old));
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &old, MPT_UNDRAINED);
	mpt_write(c->in_mod, &old);
	return OHCA_CMD_STATUS_INTERNAL;
}

enum ohca_cmd_status do_query_mkey(struct cmd *c)
{
	if (c->in_mod >= 1u << dev.log_mpt)
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!mpt_read(c->in_mod, (void *)c->out))
		return OHCA_CMD_STATUS_DMA;
	return OHCA_GET(OHCA_MPT_VALID, (struct ohca_mpt *)c->out) ? OK : OHCA_CMD_STATUS_NOT_FOUND;
}

enum ohca_cmd_status do_sync_tpt(struct cmd *c)
{
	(void)c;
	return ctx_inval(OHCA_CTX_PART_MTT, 0) ? OK : OHCA_CMD_STATUS_INTERNAL;
}

enum ohca_cmd_status do_query_counters(struct cmd *c)
{
	/* In pairs: reading the low half latches the high one. */
	for (u32 i = 0; i < 128; i++)
		c->out[i] = hw_read(OHCA_M_CNT + 4 * i);
	return OK;
}
