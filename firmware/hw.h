/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Access to the management core's registers (formats/70-mgmt.toml).  On the core they are plain memory; in host unit tests
 * (OHCA_HOST_TEST) hw_read() and hw_write() are supplied by the test, which plays the hardware.
 */
#ifndef OHCA_FW_HW_H
#define OHCA_FW_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ohca_fmt.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifdef OHCA_HOST_TEST
u32 hw_read(u32 addr);
void hw_write(u32 addr, u32 val);
#else
static inline u32 hw_read(u32 addr)
{
	return *(volatile u32 *)(uintptr_t)addr;
}

static inline void hw_write(u32 addr, u32 val)
{
	*(volatile u32 *)(uintptr_t)addr = val;
}
#endif

/* System registers, by the offset of their M_SYS_ constant */
static inline u32 sys_rd(u32 off)
{
	return hw_read(OHCA_M_SYS + off);
}

static inline void sys_wr(u32 off, u32 val)
{
	hw_write(OHCA_M_SYS + off, val);
}

static inline u64 hw_now(void)
{
	u32 lo = sys_rd(OHCA_M_SYS_NOW_LO);	/* latches the upper half */

	return (u64)sys_rd(OHCA_M_SYS_NOW_HI) << 32 | lo;
}

/* Device cycles per microsecond, as the host says; never 0. */
static inline u32 hw_cycles_per_us(void)
{
	u32 v = sys_rd(OHCA_M_SYS_TIME_SCALE);

	return v ? v : 1;
}

/* ---- host memory; both wait for the end and return false on an error.  Bytes and address are multiples of 4, bytes <= 4096,
 * the range does not cross 4 KiB of host memory. */
bool hw_dma_read(u64 addr, void *buf, u32 bytes);
bool hw_dma_write(u64 addr, const void *buf, u32 bytes);

/* The end of the core until a reset: with a trap, or silently. */
void hw_halt(bool hang);

/* ---- contexts.  Each access is executed by the engine that owns the context, in order with its own work.  Of a QP's contexts they reach the
 * first OHCA_QPC_HOT_BYTES only; the cold rest lies in host memory (qp.c). */
bool ctx_rd(enum ohca_ctx_part part, u32 num, u32 dw, u32 *val);
bool ctx_rmw(enum ohca_ctx_part part, u32 num, u32 dw, u32 val, u32 mask);
/* Write a whole dword; *old: what it was, also where the engine refuses it */
bool ctx_swap(enum ohca_ctx_part part, u32 num, u32 dw, u32 val, u32 *old);
/* Write an image of ndw dwords, dword 0 (state, valid) last. */
bool ctx_write(enum ohca_ctx_part part, u32 num, const void *image, u32 ndw);
bool ctx_read(enum ohca_ctx_part part, u32 num, void *image, u32 ndw);
/* Write the cached line back and drop it. */
bool ctx_inval(enum ohca_ctx_part part, u32 num);
/*
 * Drop the cached translations of n MTT entries, and nothing of others, as objects share no line of entries. What it takes grows with the cache's sets
 * (at most 2^MTT_LOG_SETS) and the aligned blocks that the lines fall into, not with the lines.
 * True when nothing that was translated before is under way in the translation unit.
 */
#define MTT_LINE 8u
#define MTT_LOG_LINES 24u
#define MTT_LOG_SETS 11u
bool mtt_inval(u64 first, u64 n);

/* ---- event queue contexts and events */
u32 eqc_rd(u32 eqn, u32 dw);
void eqc_wr(u32 eqn, u32 dw, u32 val);
/* True: what was translated before is through, see hw.c. */
bool hw_drain(void);
void hw_event(u32 eqn, enum ohca_eqe_type type, u32 port, u32 syndrome, u32 num, u32 param);

#endif
