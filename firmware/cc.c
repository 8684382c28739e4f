// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* See cc.h. */
#include "cc.h"
#include "log.h"
#include "qp.h"

/* The newest QP of those that share a line has it: this is for QPs that send now. */
#define LINES 64
/* As many as wait at most: a peer that sends nothing else does not keep the core from its other work. */
#define AT_ONCE 16

static struct line {
	u32 qpn;
	u32 count;		/* 0: nobody's */
} lines[LINES];
static bool told_lost;

static void told(u32 qpn)
{
	struct line *l = &lines[qpn % LINES];

	if (!l->count || l->qpn != qpn) {
		l->qpn = qpn;
		l->count = 0;
	}
	if (l->count != ~0u)
		l->count++;
	/* The place of a rate control. */
}

void cc_poll(void)
{
	u32 v;

	for (u32 i = 0; i < AT_ONCE && (v = sys_rd(OHCA_M_SYS_CNP)) >> 31; i++) {
		if (v >> 30 & 1 && !told_lost) {
			told_lost = true;
			fw_log("cc: congestion notifications come faster than they are read\n");
		}
		if (qp_exists(v & 0xffffff))
			told(v & 0xffffff);
	}
}

u32 cc_count(u32 qpn)
{
	const struct line *l = &lines[qpn % LINES];

	return l->qpn == qpn ? l->count : 0;
}

void cc_forget(u32 qpn)
{
	struct line *l = &lines[qpn % LINES];

	if (l->qpn == qpn)
		l->count = 0;
}

void cc_init(void)
{
	for (u32 i = 0; i < LINES; i++)
		lines[i].count = 0;
	told_lost = false;
}
