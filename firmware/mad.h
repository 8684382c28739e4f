/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Management datagrams: byte access to the big-endian layouts of IBA 13.4 and 14.2, and the agents that answer them. */
#ifndef OHCA_FW_MAD_H
#define OHCA_FW_MAD_H

#include "hw.h"

#define MAD_BYTES 256

/* Offsets in a MAD */
enum {
	MAD_BASE_VER = 0, MAD_CLASS = 1, MAD_CLASS_VER = 2, MAD_METHOD = 3, MAD_STATUS = 4, MAD_HOP_PTR = 6, MAD_HOP_CNT = 7,
	MAD_TID = 8, MAD_ATTR = 16, MAD_ATTR_MOD = 20, SMP_MKEY = 24, SMP_DR_SLID = 32, SMP_DR_DLID = 34, SMP_DATA = 64,
	SMP_INIT_PATH = 128, SMP_RET_PATH = 192, PMA_DATA = 64,
};

enum { CLASS_SMP_LID = 0x01, CLASS_SMP_DR = 0x81, CLASS_PERF = 0x04 };
enum { M_GET = 0x01, M_SET = 0x02, M_TRAP = 0x05, M_TRAP_REPRESS = 0x07, M_GET_RESP = 0x81 };

enum { ATTR_SM_INFO = 0x20 };	/* the subnet manager's own */

/* Status codes of IBA 13.4.7 */
enum { ST_OK = 0, ST_BAD_VERSION = 0x04, ST_BAD_METHOD = 0x08, ST_BAD_METHOD_ATTR = 0x0c, ST_BAD_FIELD = 0x1c, ST_DR_D = 0x8000 };

static inline u32 get16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static inline u32 get32(const u8 *p)
{
	return get16(p) << 16 | get16(p + 2);
}

static inline u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

static inline void put16(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)v;
}

static inline void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static inline void put64(u8 *p, u64 v)
{
	put32(p, (u32)(v >> 32));
	put32(p + 4, (u32)v);
}

enum mad_result { MAD_NONE, MAD_REPLY, MAD_CONSUMED };	/* values of mad_ifc's immediate result */

struct mad_in {
	const u8 *mad;
	u32 slid, src_qp, sl;
	bool ignore_mkey;
};

/* NONE: not for firmware's agents. CONSUMED: handled (or to be dropped), no answer. */
enum mad_result mad_process(const struct mad_in *in, u8 *out);
void pma_init(void);
/* Begins and ends samples. */
void pma_poll(void);
u64 pma_next(void);
enum mad_result pma_process(const struct mad_in *in, u8 *out);

#endif
