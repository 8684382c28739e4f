// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* See hw.h.  Every wait here is on hardware that always answers: DMA and context accesses end with an error, never not. */
#include "hw.h"
#include "log.h"

#define DMA_BUSY 1u
#define DMA_ERR 2u

static bool dma(u64 addr, u32 bytes, u32 dir)
{
	u32 st;

	sys_wr(OHCA_M_SYS_DMA_LO, (u32)addr);
	sys_wr(OHCA_M_SYS_DMA_HI, (u32)(addr >> 32));
	sys_wr(OHCA_M_SYS_DMA_GO, dir << 31 | bytes);
	do
		st = sys_rd(OHCA_M_SYS_DMA_STAT);
	while (st & DMA_BUSY);
	return !(st & DMA_ERR);
}

static bool dma_args_ok(u64 addr, u32 bytes)
{
	return !(addr & 3) && !(bytes & 3) && bytes && bytes <= 4096 && (addr & 4095) + bytes <= 4096;
}

bool hw_dma_read(u64 addr, void *buf, u32 bytes)
{
	u32 *p = buf;

	if (!dma_args_ok(addr, bytes) || !dma(addr, bytes, 1))
		return false;
	for (u32 i = 0; i < bytes / 4; i++)
		p[i] = hw_read(OHCA_M_MBOX + 4 * i);
	return true;
}

bool hw_dma_write(u64 addr, const void *buf, u32 bytes)
{
	const u32 *p = buf;

	if (!dma_args_ok(addr, bytes))
		return false;
	for (u32 i = 0; i < bytes / 4; i++)
		hw_write(OHCA_M_MBOX + 4 * i, p[i]);
	return dma(addr, bytes, 0);
}

void hw_halt(bool hang)
{
#ifndef OHCA_HOST_TEST
	if (!hang)
		__asm__ volatile(".word 0");
	for (;;)
		;
#else
	(void)hang;
#endif
}

/* The registers stall the core until the access is done, so no polling is needed. */
static bool acc(enum ohca_ctx_part part, u32 num, u32 dw, u32 val, u32 mask, bool inval, u32 *old)
{
	u32 v;

	sys_wr(OHCA_M_SYS_ACC_SEL, (u32)part | (inval ? 1u << 8 : 0));
	sys_wr(OHCA_M_SYS_ACC_NUM, num);
	sys_wr(OHCA_M_SYS_ACC_DW, dw);
	sys_wr(OHCA_M_SYS_ACC_WDATA, val);
	sys_wr(OHCA_M_SYS_ACC_GO, mask);
	v = sys_rd(OHCA_M_SYS_ACC_RDATA);
	if (old)
		*old = v;
	return !(sys_rd(OHCA_M_SYS_ACC_GO) & 1);
}

bool ctx_rd(enum ohca_ctx_part part, u32 num, u32 dw, u32 *val)
{
	return acc(part, num, dw, 0, 0, false, val);
}

bool ctx_rmw(enum ohca_ctx_part part, u32 num, u32 dw, u32 val, u32 mask)
{
	return acc(part, num, dw, val, mask, false, NULL);
}

bool ctx_swap(enum ohca_ctx_part part, u32 num, u32 dw, u32 val, u32 *old)
{
	return acc(part, num, dw, val, 0xffffffff, false, old);
}

bool ctx_write(enum ohca_ctx_part part, u32 num, const void *image, u32 ndw)
{
	const u32 *p = image;

	sys_wr(OHCA_M_SYS_ACC_SEL, (u32)part);
	sys_wr(OHCA_M_SYS_ACC_NUM, num);
	for (u32 i = ndw; i-- > 0;) {
		sys_wr(OHCA_M_SYS_ACC_DW, i);
		sys_wr(OHCA_M_SYS_ACC_WDATA, p[i]);
		sys_wr(OHCA_M_SYS_ACC_GO, 0xffffffff);
		if (sys_rd(OHCA_M_SYS_ACC_GO) & 1)
			return false;
	}
	return true;
}

bool ctx_read(enum ohca_ctx_part part, u32 num, void *image, u32 ndw)
{
	u32 *p = image;

	sys_wr(OHCA_M_SYS_ACC_SEL, (u32)part);
	sys_wr(OHCA_M_SYS_ACC_NUM, num);
	sys_wr(OHCA_M_SYS_ACC_WDATA, 0);
	for (u32 i = 0; i < ndw; i++) {
		sys_wr(OHCA_M_SYS_ACC_DW, i);
		sys_wr(OHCA_M_SYS_ACC_GO, 0);
		p[i] = sys_rd(OHCA_M_SYS_ACC_RDATA);
		if (sys_rd(OHCA_M_SYS_ACC_GO) & 1)
			return false;
	}
	return true;
}

/*
 * Payload that was translated before this call is in host memory, or has been read from it, when it returns true. So what was unmapped just
 * before may be given back to the host. Neither waits for anything but host memory: what is translated for a packet has its room in the
 * buffer, so a link without credits does not hold it up.
 */
bool hw_drain(void)
{
	u64 end = hw_now() + 20000ull * hw_cycles_per_us();
	u32 left;

	sys_wr(OHCA_M_SYS_DRAIN, 0);
	while ((left = sys_rd(OHCA_M_SYS_DRAIN)) && hw_now() < end)
		;
	if (left)
		fw_log("drain: %u still under way after 20 ms\n", left);
	return !left;
}

bool ctx_inval(enum ohca_ctx_part part, u32 num)
{
	return acc(part, num, 0, 0, 0, true, NULL);
}

bool mtt_inval(u64 first, u64 n)
{
	u64 line = first / MTT_LINE, end = (first + n - 1) / MTT_LINE;

	if (!n)
		return true;
	if (end >> MTT_LOG_LINES)
		return ctx_inval(OHCA_CTX_PART_MTT, 0);
	/* No translation begins while lines are dropped, so it is not done in one go. */
	for (u64 stop, next; line <= end; line = next) {
		u32 log = MTT_LOG_SETS;

		/* Of an aligned block of 2^log lines as many are named as the cache has sets, and all of the block that are there go with them. */
		while (log < MTT_LOG_LINES && !(line & ((2ull << log) - 1)) && end - line >= (2ull << log) - 1)
			log++;
		if (line & ((1ull << log) - 1) || end - line < (1ull << log) - 1) {
			log = 0;
			stop = (line | 63) < end ? (line | 63) : end;
			next = stop + 1;
		} else {
			stop = line + (1u << MTT_LOG_SETS) - 1;
			next = line + (1ull << log);
		}
		for (u64 to; line <= stop; line = to + 1) {
			to = (line | 63) < stop ? (line | 63) : stop;
			if (!acc(OHCA_CTX_PART_MTT, (u32)line, 0, log << 8 | ((u32)to & 63), 1, true, NULL))
				return false;
		}
	}
	return true;
}

u32 eqc_rd(u32 eqn, u32 dw)
{
	sys_wr(OHCA_M_SYS_EQ_SEL, dw << 8 | eqn);
	return sys_rd(OHCA_M_SYS_EQ_DATA);
}

void eqc_wr(u32 eqn, u32 dw, u32 val)
{
	sys_wr(OHCA_M_SYS_EQ_SEL, dw << 8 | eqn);
	sys_wr(OHCA_M_SYS_EQ_DATA, val);
}

void hw_event(u32 eqn, enum ohca_eqe_type type, u32 port, u32 syndrome, u32 num, u32 param)
{
	sys_wr(OHCA_M_SYS_EV_HDR, (u32)type | port << 8 | syndrome << 16);
	sys_wr(OHCA_M_SYS_EV_NUM, num);
	sys_wr(OHCA_M_SYS_EV_PARAM, param);
	sys_wr(OHCA_M_SYS_EV_GO, eqn);
}
