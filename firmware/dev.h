/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Device-wide state and limits of the firmware. */
#ifndef OHCA_FW_DEV_H
#define OHCA_FW_DEV_H

#include "hw.h"
#include "ohca_version.h"

#define FW_VERSION (OHCA_VERSION_MAJOR << 24 | OHCA_VERSION_MINOR << 16 | OHCA_VERSION_PATCH)

/* RAM of the management core; a build for less keeps books of fewer objects. */
#ifndef FW_RAM_BYTES
#define FW_RAM_BYTES 131072
#endif
#if FW_RAM_BYTES >= 131072
#define LOG_MAX_QP 17
#define LOG_MAX_CQ 16
#define ICM_CHUNKS_MAX 4096
#else
#define LOG_MAX_QP 14
#define LOG_MAX_CQ 13
#define ICM_CHUNKS_MAX 1024
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

struct dev {
	bool inited;			/* init_dev succeeded */
	u32 icm_chunks;
	u8 log_qp, log_cq, log_mpt, log_mtt;
	u32 qp_map[(1u << LOG_MAX_QP) / 32];	/* QPs that exist */
	u32 qp_used[(1u << LOG_MAX_QP) / 32];	/* numbers that were QPs since their chunk was given: caches may have to write them back */
	u32 cq_map[(1u << LOG_MAX_CQ) / 32];
	u32 eq_map;
	u32 ctl_eq;		/* for commands and what the firmware tells; 0, or one that is for these alone */
	u32 icm_map[ICM_CHUNKS_MAX / 32];
	u32 icm_page[ICM_CHUNKS_MAX];		/* bus address >> ICM_CHUNK_SHIFT */
	u16 first[4];			/* first chunk of each table, order of enum icm_table */
	u8 sq_gen;			/* restart generation that the next QP begins with */
};

extern struct dev dev;

/* main.c */
void fw_start(void);
void fw_step(void);

/* The ring at buf (an offset in MTT-mapped space) is covered by the MTT; rings without MTT are not looked at. */
bool ring_ok(bool mtt, u64 buf, u64 bytes);
/* The entries of a ring's MTT are the host's again: nothing of them stays cached. */
bool ring_forget(bool mtt, u64 buf, u64 bytes);

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

void host_event(enum ohca_eqe_type type, u32 port_num, u32 syndrome, u32 num, u32 param);

#endif
