/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Device-wide state and limits of the firmware. */
#ifndef OHCA_FW_DEV_H
#define OHCA_FW_DEV_H

#include "hw.h"
#include "ohca_version.h"

#define FW_VERSION (OHCA_VERSION_MAJOR << 24 | OHCA_VERSION_MINOR << 16 | OHCA_VERSION_PATCH)

/* Versions of commands that init_dev takes; a test builds others. */
#ifndef FW_CMD_ABI_MIN
#define FW_CMD_ABI_MIN 1
#endif
#ifndef FW_CMD_ABI_MAX
#define FW_CMD_ABI_MAX OHCA_CMD_ABI
#endif

/* RAM of the management core; a build for less keeps books of fewer objects. */
#ifndef FW_RAM_BYTES
#define FW_RAM_BYTES 131072
#endif
#if FW_RAM_BYTES >= 131072
#define LOG_MAX_QP 17
#define LOG_MAX_CQ 16
#define ICM_CHUNKS_MAX 4096
#elif FW_RAM_BYTES >= 65536
#define LOG_MAX_QP 14
#define LOG_MAX_CQ 13
#define ICM_CHUNKS_MAX 1024
#else
#define LOG_MAX_QP 13
#define LOG_MAX_CQ 13
#define ICM_CHUNKS_MAX 512
#endif
#define LOG_MAX_MPT 20
#define LOG_MAX_MTT 26
#define LOG_MAX_QP_WR 15
#define LOG_MAX_CQE 20
#define MAX_EQ 16
#define PKEY_TABLE_LEN OHCA_PORT_PKEYS
#define GID_TABLE_LEN OHCA_PORT_GIDS
#define OUI 0x0ca001u			/* nobody's: locally administered bit pattern, see docs */
#define PART_ID 0x0c01u

/*
 * Objects by number, a bit each. Those of a block of 1,024 mean something only when the block's own bit is set, in the words
 * in front: a reset clears these and not the rest, which would take most of the time until the firmware is ready.
 */
#define OBJS_LIVE 4			/* words of them: blocks of the largest table */
#define OBJS(log) (OBJS_LIVE + (1u << (log)) / 32)

struct dev {
	bool inited;			/* init_dev succeeded */
	u32 icm_chunks;
	u8 log_qp, log_cq, log_mpt, log_mtt;
	u32 eq_map;
	u32 ctl_eq;		/* for commands and what the firmware tells; 0, or one that is for these alone */
	u32 icm_map[ICM_CHUNKS_MAX / 32];
	u16 first[4];			/* first chunk of each table, order of enum icm_table */
	u8 sq_gen;			/* restart generation that the next QP begins with */
	/* From here on dev_start() clears no more than it has to. */
	u32 qp_map[OBJS(LOG_MAX_QP)];	/* QPs that exist */
	u32 qp_used[OBJS(LOG_MAX_QP)];	/* numbers that were QPs since their chunk was given: caches may have to write them back */
	u32 cq_map[OBJS(LOG_MAX_CQ)];
	u32 icm_page[ICM_CHUNKS_MAX];	/* bus address >> ICM_CHUNK_SHIFT, where icm_map has a bit */
};

extern struct dev dev;

/* obj.c */
void dev_start(void);
/* Bus address of what lies off bytes into a table of context memory; false: no memory was given for it. */
bool icm_addr(enum ohca_icm_table table, u32 off, u64 *addr);

/* main.c */
void fw_start(void);
void fw_step(void);

/*
 * The ring at buf (an offset in MTT-mapped space) is covered by the MTT, in pages that there are; of rings without MTT the page size is looked at
 * only, as they have none. base: how a context has it.
 */
bool ring_ok(bool mtt, u32 page_shift, u64 buf, u64 bytes, u64 *base);
/* The entries of a ring's MTT are the host's again: nothing of them stays cached. */
bool ring_forget(bool mtt, u64 base, u64 bytes);

static inline bool map_test(const u32 *m, u32 n)
{
	return m[n / 32] >> n % 32 & 1;
}

static inline void map_set(u32 *m, u32 n)
{
	m[n / 32] |= 1u << n % 32;
}

static inline void map_clear(u32 *m, u32 n)
{
	m[n / 32] &= ~(1u << n % 32);
}

/* The objects 32 w and on, a word of them */
static inline u32 objs_word(const u32 *m, u32 w)
{
	return map_test(m, w / 32) ? m[OBJS_LIVE + w] : 0;
}

static inline bool objs_test(const u32 *m, u32 n)
{
	return objs_word(m, n / 32) >> n % 32 & 1;
}

/* How far it is from n to the next that may exist, where n does not: whole words and blocks are passed by. */
static inline u32 objs_step(const u32 *m, u32 n)
{
	if (!(n & 1023) && !map_test(m, n / 1024))
		return 1024;
	return !(n & 31) && !objs_word(m, n / 32) ? 32 : 1;
}

/* Word by word where both ends allow it: the core takes four to five cycles an instruction, and mailboxes are large. */
static inline void zero(void *p, size_t n)
{
	u8 *b = p;

	if (!((uintptr_t)p & 3)) {
		u32 *w = p;

		for (; n >= 16; n -= 16, w += 4)
			w[0] = w[1] = w[2] = w[3] = 0;
		for (; n >= 4; n -= 4)
			*w++ = 0;
		b = (u8 *)w;
	}
	while (n--)
		*b++ = 0;
}

static inline void objs_set(u32 *m, u32 n)
{
	u32 block = n / 1024;

	if (!map_test(m, block)) {
		zero(m + OBJS_LIVE + block * 32, 128);
		map_set(m, block);
	}
	map_set(m + OBJS_LIVE, n);
}

static inline void objs_clear(u32 *m, u32 n)
{
	if (map_test(m, n / 1024))
		map_clear(m + OBJS_LIVE, n);
}

static inline void objs_reset(u32 *m)
{
	zero(m, OBJS_LIVE * sizeof(*m));
}

static inline void copy(void *d, const void *s, size_t n)
{
	u8 *a = d;
	const u8 *b = s;

	if (!(((uintptr_t)d | (uintptr_t)s) & 3)) {
		u32 *x = d;
		const u32 *y = s;

		for (; n >= 16; n -= 16, x += 4, y += 4) {
			x[0] = y[0];
			x[1] = y[1];
			x[2] = y[2];
			x[3] = y[3];
		}
		for (; n >= 4; n -= 4)
			*x++ = *y++;
		a = (u8 *)x;
		b = (const u8 *)y;
	}
	while (n--)
		*a++ = *b++;
}

u32 db_pages(void);
void host_event(enum ohca_eqe_type type, u32 port_num, u32 syndrome, u32 num, u32 param);

#endif
