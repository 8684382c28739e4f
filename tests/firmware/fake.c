// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* See fake.h. */
#include <stdarg.h>
#include <sys/mman.h>

#include "fake.h"

struct fake fk;
unsigned failures;
u64 seed;
const u32 chunk_qpc = 0, chunk_cqc = 8, chunk_mpt = 9, chunk_mtt = 10;

static u64 wake;
static u32 wake_lo, now_hi, dma_lo, dma_hi, dma_stat, acc_sel, acc_num, acc_dw, acc_wdata, acc_err, acc_rdata, eq_sel, ev_hdr, ev_num,
	   ev_param, icm_chunk, icm_hi, cnt_hi, cmd_imm, mbox[1024], madtx[128];
static u8 log_ram[4096];

struct line {
	bool valid, dirty;
	u64 addr;
	u32 dw[32];
};
static struct line *lines[4][1 << 17];

static void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("not ok hardware - ");
	vprintf(fmt, ap);
	printf(" (seed %llu)\n", (unsigned long long)seed);
	va_end(ap);
	fflush(stdout);
	abort();
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (++failures > 20)
		return;
	va_start(ap, fmt);
	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

void bytes_at(const char *file, int line, const char *what, const void *p, const void *want, unsigned n)
{
	const u8 *a = p, *b = want;

	for (unsigned i = 0; i < n; i++)
		if (a[i] != b[i]) {
			fail_at(file, line, "%s: byte %u is %02x, expected %02x", what, i, a[i], b[i]);
			return;
		}
}

u64 rnd(void)
{
	static u64 s;

	if (!s)
		s = seed * 0x9e3779b97f4a7c15ull | 1;
	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s * 0x2545f4914f6cdd1dull;
}

/* ------------------------------------------------------------------ host memory */

void *fake_ptr(u64 bus)
{
	return fk.mem + (bus - MEM_BASE);
}

static bool mem_ok(u64 bus, u32 bytes)
{
	return bus >= MEM_BASE && bus - MEM_BASE <= MEM_BYTES - bytes;
}

static void dma_go(u32 v)
{
	u64 addr = (u64)dma_hi << 32 | dma_lo;
	u32 bytes = v & 0x1fff, off = v >> 16 & 0xfff;

	if ((addr & 3) || (bytes & 3) || !bytes || bytes > 4096 || off || (addr & 4095) + bytes > 4096 || (v & 0x7000e000))
		die("DMA of %u bytes at %#llx, go %#x", bytes, (unsigned long long)addr, v);
	fk.now += 200 + bytes;
	dma_stat = 0;
	if (v >> 31) {
		if (fk.ndma_fail || !mem_ok(addr, bytes)) {
			fk.ndma_fail -= !!fk.ndma_fail;
			dma_stat = 2;
			memset(mbox, 0xa5, sizeof(mbox));
			return;
		}
		memcpy(mbox, fake_ptr(addr), bytes);
		return;
	}
	/* The hardware cannot tell that a write failed: it is lost. */
	if (!mem_ok(addr, bytes))
		return;
	if (addr >= MBOX_OUT && addr < MBOX_OUT + 4096) {
		if (addr - MBOX_OUT + bytes > fk.dma_out_bytes)
			die("output of %u bytes at offset %u, %u are allowed", bytes, (unsigned)(addr - MBOX_OUT), fk.dma_out_bytes);
	} else if (memcmp(fake_ptr(addr), mbox, bytes)) {
		fk.changes++;
	}
	memcpy(fake_ptr(addr), mbox, bytes);
}

/* ------------------------------------------------------------------ contexts */

static bool icm_map(u32 table, u64 off, u64 *bus)
{
	u64 flat = ((u64)fk.tbl_base[table] << OHCA_ICM_CHUNK_SHIFT) + off, c = flat >> OHCA_ICM_CHUNK_SHIFT;

	if (c >= 1u << ICM_LOG2 || !(fk.icm[c] & 1))
		return false;
	*bus = (fk.icm[c] & ~1ull) + (flat & (CHUNK - 1));
	return true;
}

static unsigned line_bytes(u32 part)
{
	return part == OHCA_CTX_PART_CQC ? 64 : 128;
}

/* Of these an engine changes, and a cache writes back */
static unsigned hot_bytes(u32 part)
{
	return part == OHCA_CTX_PART_CQC ? 64 : OHCA_QPC_HOT_BYTES;
}

static struct line *line_get(u32 part, u32 num)
{
	static const u32 off[4] = { OHCA_QPC_SQC_OFFSET, OHCA_QPC_RSC_OFFSET, OHCA_QPC_RAC_OFFSET, 0 };
	u32 table = part == OHCA_CTX_PART_CQC ? OHCA_ICM_TABLE_CQC : OHCA_ICM_TABLE_QPC;
	struct line *l;
	u64 bus;

	if (num >= fk.tbl_limit[table])
		return NULL;
	if (!lines[part][num])
		lines[part][num] = calloc(1, sizeof(*l));
	l = lines[part][num];
	if (l->valid)
		return l;
	if (!icm_map(table, (u64)num * (table == OHCA_ICM_TABLE_CQC ? 64 : OHCA_QPC_STRIDE) + off[part], &bus))
		return NULL;
	if (!mem_ok(bus, line_bytes(part)))
		return NULL;
	memcpy(l->dw, fake_ptr(bus), line_bytes(part));
	l->valid = true;
	l->dirty = false;
	l->addr = bus;
	return l;
}

u32 *fake_ctx(enum ohca_ctx_part part, u32 num)
{
	struct line *l = line_get(part, num);

	if (!l)
		return NULL;
	l->dirty = true;
	return l->dw;
}

u32 *fake_cold(enum ohca_ctx_part part, u32 num)
{
	struct line *l = line_get(part, num);

	return l ? (u32 *)fake_ptr(l->addr + OHCA_QPC_HOT_BYTES) : NULL;
}

static bool bus_mapped(u64 bus)
{
	for (unsigned c = 0; c < 1u << ICM_LOG2; c++)
		if (fk.icm[c] & 1 && (fk.icm[c] & ~1ull) == (bus & ~(u64)(CHUNK - 1)))
			return true;
	return false;
}

bool fake_cache_clean(void)
{
	for (unsigned p = 0; p < 4; p++)
		for (unsigned n = 0; n < 1u << 17; n++)
			if (lines[p][n] && lines[p][n]->valid && lines[p][n]->dirty && !bus_mapped(lines[p][n]->addr))
				return false;
	return true;
}

/* What ohca_cq makes of the dwords behind a CQ's context: a ring, taken as a whole, or moderation. */
static void cq_ring(struct line *l, u32 mask)
{
	static u32 buf[2];
	struct ohca_cqc *c = (void *)l->dw;
	struct ohca_acc_cq_ring r = { { acc_wdata } };
	u32 pi = OHCA_GET(OHCA_CQC_PI, c), ci = OHCA_GET(OHCA_ACC_CQ_RING_CI, &r), used = (pi - OHCA_GET(OHCA_CQC_CI, c)) & 0xffffff;

	acc_err = !mask;
	acc_rdata = l->dw[acc_dw & 15];
	if (acc_dw == OHCA_ACC_CQ_BUF || acc_dw == OHCA_ACC_CQ_BUF_HI) {
		buf[acc_dw == OHCA_ACC_CQ_BUF_HI] = acc_wdata;
		return;
	}
	if (acc_dw == OHCA_ACC_CQ_MOD) {
		struct ohca_acc_cq_mod m = { { acc_wdata } };

		acc_err = !OHCA_GET(OHCA_CQC_VALID, c);
		if (acc_err)
			return;
		OHCA_SET(OHCA_CQC_MOD, c, OHCA_GET(OHCA_ACC_CQ_MOD_MORE, &m) != 0);
		OHCA_SET(OHCA_CQC_WAIT, c, 0);
		OHCA_SET(OHCA_CQC_MORE, c, OHCA_GET(OHCA_ACC_CQ_MOD_MORE, &m));
		OHCA_SET(OHCA_CQC_PERIOD, c, OHCA_GET(OHCA_ACC_CQ_MOD_PERIOD, &m));
		l->dirty = true;
		fk.changes++;
		return;
	}
	if (acc_dw != OHCA_ACC_CQ_RING || mask != ~0u || OHCA_GET(OHCA_ACC_CQ_RING_RSVD0, &r))
		die("dword %u of a CQ, mask %#x, data %#x", acc_dw, mask, acc_wdata);
	if (((pi - ci) & 0xffffff) <= used)
		used = (pi - ci) & 0xffffff;
	acc_err = !OHCA_GET(OHCA_CQC_VALID, c) || OHCA_GET(OHCA_CQC_ERR, c) || used >> OHCA_GET(OHCA_ACC_CQ_RING_LOG_SIZE, &r);
	if (acc_err)
		return;
	OHCA_SET(OHCA_CQC_BUF, c, buf[0] >> 5);
	OHCA_SET(OHCA_CQC_BUF_HI, c, buf[1]);
	OHCA_SET(OHCA_CQC_BUF_MTT, c, OHCA_GET(OHCA_ACC_CQ_RING_BUF_MTT, &r));
	OHCA_SET(OHCA_CQC_LOG_SIZE, c, OHCA_GET(OHCA_ACC_CQ_RING_LOG_SIZE, &r));
	OHCA_SET(OHCA_CQC_CI, c, pi - used);
	OHCA_SET(OHCA_CQC_BASE_LO, c, pi);
	OHCA_SET(OHCA_CQC_BASE_MID, c, pi >> 8);
	OHCA_SET(OHCA_CQC_BASE_HI, c, pi >> 16);
	l->dirty = true;
	fk.changes++;
}

static void acc_go(u32 mask)
{
	u32 part = acc_sel & 7, old, new;
	struct line *l;

	if (acc_sel & ~0x107u || part > OHCA_CTX_PART_MCAST)
		die("context access %#x", acc_sel);
	if (part == OHCA_CTX_PART_MCAST) {
		if (acc_sel & 0x100 || acc_dw)
			die("the multicast table has no lines");
		fk.acc++;
		fk.now += 20;
		acc_err = acc_num >= FAKE_MC_WORDS;
		acc_rdata = acc_err ? 0 : fk.mc[acc_num];
		if (!acc_err) {
			old = fk.mc[acc_num];
			fk.mc[acc_num] = (old & ~mask) | (acc_wdata & mask);
		}
		if (mask && fk.on_mc)
			fk.on_mc();
		return;
	}
	if (part >= OHCA_CTX_PART_MPT && (!(acc_sel & 0x100) || (mask && part == OHCA_CTX_PART_MPT)))
		die("the translation unit has no contexts to read");
	if (acc_sel & 0x100 && mask && part != OHCA_CTX_PART_MTT)
		die("change with inval");
	fk.acc++;
	fk.now += 20;
	acc_err = 0;
	acc_rdata = 0;
	if (part == OHCA_CTX_PART_MTT && mask) {
		u32 last = (acc_num & ~63u) | (acc_wdata & 63), log = acc_wdata >> 8, n = last - acc_num + 1;

		if (mask != 1 || acc_wdata & ~0x1f3fu || last < acc_num || (log && (log < 11 || n != 64)))
			die("lines %#x to %#x of the MTT", acc_num, acc_wdata);
		if (log) {			/* of the block's lines those in 64 of 2048 sets */
			n = 1u << (log - 5);
			last = acc_num | ((1u << log) - 1);
		}
		if (!fk.mtt_walks++ || acc_num < fk.mtt_first)
			fk.mtt_first = acc_num;
		if (!fk.mtt_lines || last > fk.mtt_last)
			fk.mtt_last = last;
		fk.mtt_lines += n;
	} else {
		fk.mtt_invals += part == OHCA_CTX_PART_MTT;
	}
	if (part >= OHCA_CTX_PART_MPT)
		return;
	if (!(acc_sel & 0x100) && acc_dw >= hot_bytes(part) / 4 && part != OHCA_CTX_PART_CQC)
		die("dword %u of part %u", acc_dw, part);
	if (fk.on_acc)
		fk.on_acc(part, acc_num);
	l = line_get(part, acc_num);
	if (!l) {
		acc_err = 1;
		return;
	}
	if (acc_sel & 0x100) {
		if (l->dirty)
			memcpy(fake_ptr(l->addr), l->dw, hot_bytes(part));
		l->valid = l->dirty = false;
		return;
	}
	if (part == OHCA_CTX_PART_CQC && acc_dw >= 16) {
		cq_ring(l, mask);
		return;
	}
	old = l->dw[acc_dw];
	new = (old & ~mask) | (acc_wdata & mask);
	acc_rdata = old;
	if (new == old)
		return;
	fk.changes++;
	l->dw[acc_dw] = new;
	l->dirty = true;
	/* What the engines do with a change of state */
	if (acc_dw == 0 && part == OHCA_CTX_PART_SQC && ((old ^ new) & 7)) {
		struct ohca_sqc *s = (void *)l->dw;

		OHCA_SET(OHCA_SQC_FETCH, s, OHCA_GET(OHCA_SQC_NEXT, s));
		OHCA_SET(OHCA_SQC_GEN, s, OHCA_GET(OHCA_SQC_GEN, s) + 1);
		if ((old & 7) == OHCA_QP_STATE_RTR)
			OHCA_SET(OHCA_SQC_SENT_PSN, s, OHCA_GET(OHCA_SQC_PSN, s));
	}
	if (acc_dw == 0 && part == OHCA_CTX_PART_RSC && ((old ^ new) & 7) && !(new & 7)) {
		struct ohca_rsc *r = (void *)l->dw;

		OHCA_SET(OHCA_RSC_HEAD, r, 0);
		OHCA_SET(OHCA_RSC_PI, r, 0);
	}
}

/* ------------------------------------------------------------------ registers */

static u32 events(void)
{
	u32 e = 0;

	if (fk.go)
		e |= 1u << OHCA_M_EVENT_CMD;
	for (unsigned i = 0; i < 4; i++)
		if (fk.rx_full[i])
			e |= 1u << OHCA_M_EVENT_MAD_RX;
	if (fk.phy_event)
		e |= 1u << OHCA_M_EVENT_PHY;
	if (fk.now >= wake)
		e |= 1u << OHCA_M_EVENT_TIMER;
	if (fk.port[OHCA_PORT_REG_EVENT / 4] & fk.port[OHCA_PORT_REG_EVENT_MASK / 4])
		e |= 1u << OHCA_M_EVENT_PORT;
	if (fk.cnps)
		e |= 1u << OHCA_M_EVENT_CNP;
	if (fk.viol[0] >> 31)
		e |= 1u << OHCA_M_EVENT_VIOL;
	return e;
}

static u32 bswap(u32 v)
{
	return __builtin_bswap32(v);
}

static bool in_table(u32 off, u32 base, u32 bytes)
{
	return off >= base && off < base + bytes;
}

static u32 port_read(u32 off)
{
	u32 n;

	if (in_table(off, OHCA_PORT_REG_CNT, 8 * 20)) {
		n = (off - OHCA_PORT_REG_CNT) / 8;
		if (off & 4)
			return cnt_hi;
		cnt_hi = (u32)(fk.cnt[n] >> 32);
		return (u32)fk.cnt[n];
	}
	if (in_table(off, OHCA_PORT_REG_GID, 16 * OHCA_PORT_GIDS)) {
		n = (off - OHCA_PORT_REG_GID) / 16;
		if (!n)
			return bswap(off & 8 ? fk.port[(off & 4 ? OHCA_PORT_REG_GUID_LO : OHCA_PORT_REG_GUID_HI) / 4]
					     : fk.port[(off & 4 ? OHCA_PORT_REG_PREFIX_LO : OHCA_PORT_REG_PREFIX_HI) / 4]);
		return fk.gid_valid >> n & 1 ? fk.port[off / 4] : 0;
	}
	if (off == OHCA_PORT_REG_CAPS)
		return 4 | 16 << 8 | 32 << 16 | 16u << 24;
	if (off > OHCA_PORT_REG_CAPS && off < OHCA_PORT_REG_PKEY && !in_table(off, OHCA_PORT_REG_VL_STATE, 32))
		die("read of port register %#x", off);
	if (off >= OHCA_PORT_REG_ARB_HIGH + 4 * OHCA_PORT_ARB_ENTRIES && off != OHCA_PORT_REG_NIC_STATE)
		die("read of port register %#x", off);
	return fk.port[off / 4];
}

static void port_write(u32 off, u32 v)
{
	if (off == OHCA_PORT_REG_EVENT) {
		fk.port[off / 4] &= ~v;
		return;
	}
	if (off == OHCA_PORT_REG_CTRL && (v & 0xf800f000))
		die("port control %#x", v);
	/* The link layer changes while nothing runs. */
	if (off == OHCA_PORT_REG_CTRL && ((v ^ fk.port[off / 4]) & 0x80) && (fk.port[off / 4] & 1))
		die("link layer changed with control %#x", fk.port[off / 4]);
	if (in_table(off, OHCA_PORT_REG_GID, 16) && !(fk.port[OHCA_PORT_REG_CTRL / 4] & 0x80))
		die("GID 0 is read only");
	if (in_table(off, OHCA_PORT_REG_GID, 16 * OHCA_PORT_GIDS) && (off & 12) == 12)
		fk.gid_valid |= 1u << (off - OHCA_PORT_REG_GID) / 16;
	if (!(off <= OHCA_PORT_REG_EVENT_MASK || in_table(off, OHCA_PORT_REG_PKEY, 4 * OHCA_PORT_PKEYS) ||
	      in_table(off, OHCA_PORT_REG_GID, 16 * OHCA_PORT_GIDS) || in_table(off, OHCA_PORT_REG_ARB_LOW, 4 * OHCA_PORT_ARB_ENTRIES) ||
	      in_table(off, OHCA_PORT_REG_ARB_HIGH, 4 * OHCA_PORT_ARB_ENTRIES) ||
	      in_table(off, OHCA_PORT_REG_NIC_CTRL, OHCA_PORT_REG_NIC_STATE - OHCA_PORT_REG_NIC_CTRL) ||
	      in_table(off, OHCA_PORT_REG_ETH_CTRL, OHCA_PORT_REG_ETH_STATE - OHCA_PORT_REG_ETH_CTRL) ||
	      (in_table(off, OHCA_PORT_REG_GID_ATTR, 16 * OHCA_PORT_GIDS) && !(off & 8))))
		die("write of port register %#x", off);
	if (in_table(off, OHCA_PORT_REG_NIC_MOD, OHCA_PORT_REG_NIC_STATE - OHCA_PORT_REG_NIC_MOD) && (fk.port[OHCA_PORT_REG_NIC_CTRL / 4] & 3))
		die("rings of the network interface change while it runs");
	if (fk.port[off / 4] != v && off != OHCA_PORT_REG_EVENT_MASK)
		fk.changes++;
	fk.port[off / 4] = v;
}

u32 hw_read(u32 addr)
{
	u32 off = addr & 0xfff, v;

	if (addr & 3)
		die("misaligned read at %#x", addr);
	switch (addr & ~0xfffu) {
	case OHCA_M_PORT:
		return port_read(off);
	case OHCA_M_MAD_RX:
		if (off >= 2048)
			die("read at %#x", addr);
		memcpy(&v, &fk.rx[off / 512][off % 512], 4);
		return v;
	case OHCA_M_MBOX:
		return mbox[off / 4];
	case OHCA_M_CNT:
		return off;
	case OHCA_M_SYS:
		break;
	default:
		die("read at %#x", addr);
	}
	if (off >= OHCA_M_SYS_CMD && off < OHCA_M_SYS_CMD + 32)
		return fk.cmd[(off - OHCA_M_SYS_CMD) / 4];
	if (in_table(off, OHCA_M_SYS_VIOL, sizeof(fk.viol))) {
		if (off > OHCA_M_SYS_VIOL && !(fk.viol[0] >> 31))
			die("no packet with a bad key is kept");
		return fk.viol[(off - OHCA_M_SYS_VIOL) / 4];
	}
	switch (off) {
	case OHCA_M_SYS_ID:
		return 6 | 4 << 4 | ICM_LOG2 << 8 | 4 << 13 | 1 << 16 | 1 << 18 | (u32)!fk.no_roce << 19 | (u32)!fk.no_cq_mod << 21 |
		       fk.db_stride << 22 | 2 << 25;
	case OHCA_M_SYS_NOW_LO:
		fk.now += 8;
		now_hi = (u32)(fk.now >> 32);
		return (u32)fk.now;
	case OHCA_M_SYS_NOW_HI:
		return now_hi;
	case OHCA_M_SYS_TIME_SCALE:
		return fk.time_scale;
	case OHCA_M_SYS_EVENT:
	case OHCA_M_SYS_WAIT:
		return events();
	case OHCA_M_SYS_ICM_LOG2:
		return ICM_LOG2;
	case OHCA_M_SYS_DMA_STAT:
		return dma_stat;
	case OHCA_M_SYS_ACC_GO:
		return acc_err;
	case OHCA_M_SYS_ACC_RDATA:
		return acc_rdata;
	case OHCA_M_SYS_EQ_DATA:
		return fk.eqc[eq_sel & 15][eq_sel >> 8 & 7];
	case OHCA_M_SYS_CNP:
		if (!fk.cnps)
			return 0x3fffff;	/* the rest is anything then */
		fk.cnps--;
		return 1u << 31 | fk.cnp_qpn;
	case OHCA_M_SYS_MADRX:
		return fk.rx_old << 4 | fk.rx_full[0] | fk.rx_full[1] << 1 | fk.rx_full[2] << 2 | fk.rx_full[3] << 3;
	case OHCA_M_SYS_MADRX_LEN:
		return fk.rx_len[0] | fk.rx_len[1] << 16;
	case OHCA_M_SYS_MADRX_LEN2:
		return fk.rx_len[2] | fk.rx_len[3] << 16;
	case OHCA_M_SYS_MADTX:
		if (fk.tx_busy && fk.tx_busy != ~0u)
			return fk.tx_busy--, 1;
		return !!fk.tx_busy;
	case OHCA_M_SYS_PHY:
		fk.phy_event = false;
		return (u32)fk.link_up | fk.lanes << 4 | fk.speed << 16;
	case OHCA_M_SYS_GUID_LO:
		return (u32)GUID;
	case OHCA_M_SYS_GUID_HI:
		return (u32)(GUID >> 32);
	case OHCA_M_SYS_RAND:
		return (u32)rnd();
	case OHCA_M_SYS_DRAIN:
		if (fk.draining && !fk.drain_stuck)
			fk.draining--;
		/* either kind alone, or both */
		return fk.draining ? 1 + (fk.draining ^ fk.drains) % 3 : 0;
	default:
		die("read of system register %#x", off);
	}
}

void hw_write(u32 addr, u32 v)
{
	u32 off = addr & 0xfff;

	if (addr & 3)
		die("misaligned write at %#x", addr);
	switch (addr & ~0xfffu) {
	case OHCA_M_PORT:
		port_write(off, v);
		return;
	case OHCA_M_MAD_TX:
		if (off >= 512 || fk.tx_busy)
			die("write at %#x, busy %u", addr, fk.tx_busy);
		madtx[off / 4] = v;
		return;
	case OHCA_M_MBOX:
		mbox[off / 4] = v;
		return;
	case OHCA_M_LOG:
		memcpy(log_ram + off, &v, 4);
		return;
	case OHCA_M_SYS:
		break;
	default:
		die("write at %#x", addr);
	}
	if (in_table(off, OHCA_M_SYS_TBL_BASE, 16) || in_table(off, OHCA_M_SYS_TBL_LIMIT, 16)) {
		u32 *t = off < OHCA_M_SYS_TBL_LIMIT ? &fk.tbl_base[off / 4 & 3] : &fk.tbl_limit[off / 4 & 3];

		fk.changes += *t != v;
		*t = v;
		return;
	}
	switch (off) {
	case OHCA_M_SYS_WAKE_LO:
		wake_lo = v;
		break;
	case OHCA_M_SYS_WAKE_HI:
		wake = (u64)v << 32 | wake_lo;
		break;
	case OHCA_M_SYS_FW_VERSION:
		fk.version = v;
		break;
	case OHCA_M_SYS_STATUS:
		fk.status_reg = v;
		break;
	case OHCA_M_SYS_HEALTH:
		fk.health = v;
		break;
	case OHCA_M_SYS_CMD_IMM:
		cmd_imm = v;
		break;
	case OHCA_M_SYS_CMD_DONE:
		if (!fk.go)
			die("completion without a command");
		fk.go = false;
		fk.done++;
		fk.status = v;
		fk.imm = cmd_imm;
		break;
	case OHCA_M_SYS_DMA_LO:
		dma_lo = v;
		break;
	case OHCA_M_SYS_DMA_HI:
		dma_hi = v;
		break;
	case OHCA_M_SYS_DMA_GO:
		dma_go(v);
		break;
	case OHCA_M_SYS_ACC_SEL:
		acc_sel = v;
		break;
	case OHCA_M_SYS_ACC_NUM:
		acc_num = v;
		break;
	case OHCA_M_SYS_ACC_DW:
		acc_dw = v;
		break;
	case OHCA_M_SYS_ACC_WDATA:
		acc_wdata = v;
		break;
	case OHCA_M_SYS_ACC_GO:
		acc_go(v);
		break;
	case OHCA_M_SYS_EQ_SEL:
		if ((v & 255) >= 16 || v >> 8 > 7)
			die("event queue register %#x", v);
		eq_sel = v;
		break;
	case OHCA_M_SYS_EQ_DATA:
		fk.changes += fk.eqc[eq_sel & 15][eq_sel >> 8 & 7] != v;
		fk.eqc[eq_sel & 15][eq_sel >> 8 & 7] = v;
		break;
	case OHCA_M_SYS_ICM_CHUNK:
		if (v >= 1u << ICM_LOG2)
			die("chunk %u", v);
		icm_chunk = v;
		break;
	case OHCA_M_SYS_ICM_HI:
		icm_hi = v;
		break;
	case OHCA_M_SYS_ICM_LO:
		fk.changes++;
		if (v & (CHUNK - 2))
			die("chunk address %#x", v);
		fk.icm[icm_chunk] = (u64)icm_hi << 32 | v;
		break;
	case OHCA_M_SYS_EV_HDR:
		ev_hdr = v;
		break;
	case OHCA_M_SYS_EV_NUM:
		ev_num = v;
		break;
	case OHCA_M_SYS_EV_PARAM:
		ev_param = v;
		break;
	case OHCA_M_SYS_EV_GO:
		if (v >= 16 || !(fk.eqc[v][0] & 1))
			die("event for queue %u, which does not exist", v);
		if (fk.nev < 64)
			fk.ev[fk.nev++] = (struct fake_ev){ ev_hdr, ev_num, ev_param, v };
		break;
	case OHCA_M_SYS_VIOL:
		if (v & ~0x80000003u || (v >> 31 && !(fk.viol[0] >> 31)))
			die("packets with bad keys: %#x", v);
		if (v >> 31)
			fk.viol[0] = 0;
		fk.viol_wait = v & 3;
		break;
	case OHCA_M_SYS_MADRX:
		if (v > 3 || !fk.rx_full[v])
			die("MAD buffer %u freed", v);
		fk.rx_full[v] = false;
		fk.rx_old = (v + 1) & 3;
		break;
	case OHCA_M_SYS_MADTX:
		if (fk.tx_busy || (v & ~0x103ffu) || (v & 0x3ff) > 512 || !(v & 0x3ff) || (v & 3))
			die("MAD of %u bytes sent, busy %u", v & 0x3ff, fk.tx_busy);
		fk.changes++;
		if (fk.ntx < 64) {
			fk.tx[fk.ntx].len = v & 0x3ff;
			fk.tx[fk.ntx].to_host = v >> 16;
			fk.tx[fk.ntx].at = fk.now;
			memcpy(fk.tx[fk.ntx++].b, madtx, 512);
		}
		break;
	case OHCA_M_SYS_PHY:
		fk.retrains += v & 1;
		fk.phy_held = v >> 1 & 1;
		fake_link(fk.peer_up);
		break;
	case OHCA_M_SYS_DRAIN:
		fk.drains++;
		fk.draining = 3;
		break;
	case OHCA_M_SYS_CONSOLE:
		if (getenv("FW_CONSOLE"))
			putchar((int)v);
		break;
	default:
		die("write of system register %#x", off);
	}
}

/* ------------------------------------------------------------------ what tests do */

void fake_soft_reset(void)
{
	u8 *mem = fk.mem;
	u64 now = fk.now;
	bool up = fk.peer_up;
	u32 lanes = fk.lanes, speed = fk.speed, scale = fk.time_scale;

	for (unsigned p = 0; p < 4; p++)
		for (unsigned n = 0; n < 1u << 17; n++) {
			free(lines[p][n]);
			lines[p][n] = NULL;
		}
	memset(&fk, 0, sizeof(fk));
	fk.mem = mem;
	fk.now = now;
	fk.link_up = fk.peer_up = up;
	fk.lanes = lanes;
	fk.speed = speed;
	fk.time_scale = scale;
	fk.port[OHCA_PORT_REG_PKEY / 4] = 0xffff;
	fk.port[OHCA_PORT_REG_ARB_LOW / 4] = 64;
	wake = ~0ull;
	fw_start();
}

void fake_boot(void)
{
	if (!fk.mem) {
		fk.mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (fk.mem == MAP_FAILED)
			abort();
	} else {
		madvise(fk.mem, MEM_BYTES, MADV_DONTNEED);
	}
	memset(&dev, 0xa5, sizeof(dev));	/* the core's RAM has anything in it then */
	fk.now = 1000;
	fk.link_up = fk.peer_up = false;
	fk.lanes = 4;
	fk.speed = 250;
	fk.time_scale = 250;
	fake_soft_reset();
	fake_run(4);
}

void fake_run(unsigned loops)
{
	do {
		fw_step();
	} while (events() && --loops);
}

void fake_until(u64 t)
{
	for (;;) {
		fake_run(1000);
		if (fk.now >= t)
			break;
		fk.now = wake < t ? wake > fk.now ? wake : fk.now + 1 : t;
	}
}

void fake_link(bool up)
{
	fk.peer_up = up;
	up &= !fk.phy_held;
	fk.phy_event |= up != fk.link_up;
	fk.link_up = up;
}

u32 fake_cmd_raw(const struct ohca_cmd_regs *r)
{
	unsigned before = fk.done;

	memcpy(fk.cmd, r, sizeof(fk.cmd));
	fk.go = true;
	fake_run(10);
	if (fk.done != before + 1)
		die("command %#x completed %u times", (unsigned)OHCA_GET(OHCA_CMD_REGS_OPCODE, r), fk.done - before);
	return fk.status;
}

u32 fake_cmd(unsigned op, u32 in_mod, u32 op_mod, const void *in, unsigned in_bytes, void *out, unsigned out_bytes)
{
	struct ohca_cmd_regs r;
	u32 st;

	memset(&r, 0, sizeof(r));
	if (in_bytes)
		memcpy(fake_ptr(MBOX_IN), in, in_bytes);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, MBOX_IN);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, MBOX_OUT);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &r, in_mod);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, op);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, &r, op_mod);
	OHCA_SET(OHCA_CMD_REGS_GO, &r, 1);
	fk.dma_out_bytes = out_bytes;
	st = fake_cmd_raw(&r);
	if (out && !st)
		memcpy(out, fake_ptr(MBOX_OUT), out_bytes);
	return st;
}

bool fake_rx(const void *p, unsigned len)
{
	unsigned s = fk.rx_new;

	if (fk.rx_full[s])
		return false;
	memset(fk.rx[s], 0xee, 512);
	memcpy(fk.rx[s], p, len);
	fk.rx_len[s] = len;
	fk.rx_full[s] = true;
	fk.rx_new = (s + 1) & 3;
	fake_run(100);
	return true;
}

bool fake_smp(u32 slid, u32 dlid, const u8 *mad)
{
	u8 p[284];

	memset(p, 0, sizeof(p));
	p[0] = 0xf0;
	p[1] = 0x32;
	put16(p + 2, dlid);
	put16(p + 4, 72);
	put16(p + 6, slid);
	p[8] = 0x64;
	p[10] = p[11] = 0xff;
	memcpy(p + 28, mad, 256);
	return fake_rx(p, sizeof(p));
}

bool fake_viol(bool qkey, u32 sl, const u32 *dw)
{
	bool take = !(fk.viol[0] >> 31) && fk.viol_wait >> qkey & 1;

	if (take) {
		fk.viol[0] |= 1u << 31 | (u32)qkey << 30 | !!dw[4] << 27 | sl;
		memcpy(fk.viol + 1, dw, 48);
		if (!dw[4])
			memset(fk.viol + 5, 0xa5, 32);	/* anything without GIDs */
	} else {
		fk.viol[0] |= 1u << (28 + qkey);
	}
	fake_run(100);
	return take;
}

const u8 *fake_log(void)
{
	return log_ram + 4;
}

/* ------------------------------------------------------------------ a device in use */

u64 chunk_bus(u32 chunk)
{
	/* not in order, so that the directory is really used */
	return MEM_BASE + (u64)(40 - chunk) * CHUNK;
}

void setup_dev(void)
{
	struct ohca_cmd_map_icm_in m[14];
	struct ohca_cmd_init_dev_in in;
	struct ohca_cmd_eq_in eq;
	struct ohca_cmd_cq_in cq;

	fake_boot();
	memset(m, 0, sizeof(m));
	for (unsigned i = 0; i < 14; i++) {
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &m[i], i);
		OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[i], chunk_bus(i));
	}
	EQ(fake_cmd(OHCA_CMD_OP_MAP_ICM, 14, 0, m, sizeof(m), NULL, 0), 0);
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CMD_ABI, &in, OHCA_CMD_ABI);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_QPC_CHUNK, &in, chunk_qpc);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CQC_CHUNK, &in, chunk_cqc);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MPT_CHUNK, &in, chunk_mpt);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MTT_CHUNK, &in, chunk_mtt);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_QP, &in, 11);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_CQ, &in, 12);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MPT, &in, 12);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MTT, &in, 16);
	EQ(fake_cmd(OHCA_CMD_OP_INIT_DEV, 0, 0, &in, sizeof(in), NULL, 0), 0);
	memset(&eq, 0, sizeof(eq));
	OHCA_SET(OHCA_CMD_EQ_IN_BUF, &eq, MEM_BASE + 0x10000);
	OHCA_SET(OHCA_CMD_EQ_IN_LOG_SIZE, &eq, 8);
	EQ(fake_cmd(OHCA_CMD_OP_CREATE_EQ, 0, 0, &eq, sizeof(eq), NULL, 0), 0);
	OHCA_SET(OHCA_CMD_EQ_IN_VECTOR, &eq, 1);
	EQ(fake_cmd(OHCA_CMD_OP_CREATE_EQ, 1, 0, &eq, sizeof(eq), NULL, 0), 0);
	memset(&cq, 0, sizeof(cq));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, &cq, MEM_BASE + 0x20000);
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, &cq, MEM_BASE + 0x30000);
	OHCA_SET(OHCA_CMD_CQ_IN_LOG_SIZE, &cq, 8);
	OHCA_SET(OHCA_CMD_CQ_IN_EQN, &cq, 1);
	EQ(fake_cmd(OHCA_CMD_OP_CREATE_CQ, 1, 0, &cq, sizeof(cq), NULL, 0), 0);
}

void qp_in_default(struct ohca_cmd_qp_in *in, u32 qtype)
{
	memset(in, 0, sizeof(*in));
#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, in, v)
	S(QTYPE, qtype);
	S(PD, 5);
	S(UAR, 3);
	S(SQ_BUF, 0x5000);
	S(SQ_MTT, 1);
	S(RQ_BUF, (u32)(MEM_BASE + 0x40000));
	S(RQ_BUF_HI, (u32)((MEM_BASE + 0x40000) >> 32));
	S(RQ_DBR, (u32)(MEM_BASE + 0x50008));
	S(RQ_DBR_HI, (u32)((MEM_BASE + 0x50008) >> 32));
	S(SEND_CQN, 1);
	S(RECV_CQN, 1);
	S(SQ_LOG_SIZE, 5);
	S(SQ_LOG_STRIDE, 7);
	S(RQ_LOG_SIZE, 6);
	S(RQ_LOG_STRIDE, 5);
	S(QKEY, 0x11111111);
	S(ACC_WRITE, 1);
	S(DQPN, 0x123456);
	S(RQ_PSN, 0xabcdef);
	S(SQ_PSN, 0xfedcba);
	S(MTU, OHCA_MTU_MTU2048);
	S(MIN_RNR, 12);
	S(TIMEOUT, 14);
	S(RETRY_CNT, 6);
	S(RNR_RETRY, 7);
	S(MAX_RD_ATOMIC, 8);
	S(MAX_DEST_RD_ATOMIC, 9);
#undef S
	in->dw[18] = 0x4321 | 3 << 16;		/* av: DLID, SL */
	in->dw[19] = 2 << 16;			/* GID 2 */
}

u32 make_qp(u32 qpn, u32 qtype)
{
	struct ohca_cmd_qp_in in;

	qp_in_default(&in, qtype);
	return fake_cmd(OHCA_CMD_OP_CREATE_QP, qpn, 0, &in, sizeof(in), NULL, 0);
}

u32 modify(u32 qpn, u32 to, u32 mask, const struct ohca_cmd_qp_in *in)
{
	struct ohca_cmd_qp_in m = *in;

	OHCA_SET(OHCA_CMD_QP_IN_MASK, &m, mask | 1);
	return fake_cmd(OHCA_CMD_OP_MODIFY_QP, qpn, to, &m, sizeof(m), NULL, 0);
}

void make_rts(u32 qpn, u32 qtype)
{
	struct ohca_cmd_qp_in in;
	bool rc = qtype == OHCA_QP_TYPE_RC, ud = qtype == OHCA_QP_TYPE_UD;

	qp_in_default(&in, qtype);
	EQ(make_qp(qpn, qtype), 0);
	EQ(modify(qpn, OHCA_QP_STATE_INIT, rc ? 0x38 : ud ? 0x70 : 0x50, &in), 0);
	EQ(modify(qpn, OHCA_QP_STATE_RTR, rc ? 0x129180 : 0, &in), 0);
	EQ(modify(qpn, OHCA_QP_STATE_RTS, rc ? 0x12e00 : 0x10000, &in), 0);
}
