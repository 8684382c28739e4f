/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Faults on links, packet by packet.  A rule is written
 *   ACTION[,KEY=VALUE...]
 * ACTION drop | corrupt | dup | reorder | delay | error | mark
 * match  link=N dir=0|1 kind=data|ib|eth|fc|any opcode=X qpn=X psn=X dlid=X
 *        vl=N (of an InfiniBand packet, or that a flow-control packet is for)
 *        min=BYTES max=BYTES
 * choose nth=N (the N-th match, from 1) every=N prob=P count=N (at most N hits)
 * do     bit=N (corrupt: which bit; default by seed)  crc=stale|vcrc (vcrc: the
 *        VCRC is made good again, so that only the ICRC tells)
 *        by=N (reorder: let N pass; dup: N copies)  cycles=N (delay, and the
 *        longest wait of a reorder)
 * Rules are tried in the order given; the first that hits is applied.
 */
#ifndef OHCA_SIM_FAULT_H
#define OHCA_SIM_FAULT_H

#include "wire.h"

enum fault_action { FAULT_NONE, FAULT_DROP, FAULT_CORRUPT, FAULT_DUP, FAULT_REORDER,
		    FAULT_DELAY, FAULT_ERROR, FAULT_MARK };

struct fault_verdict {
	enum fault_action action;
	uint64_t amount, timeout;
	char comment[64];		/* for the capture */
};

struct fault {
	struct fault *next;
	enum fault_action action;
	int64_t link, dir, opcode, qpn, psn, dlid, vl, bit;	/* -1: any */
	uint32_t min_len, max_len;
	uint8_t kinds;			/* bit per enum ohca_kind */
	uint64_t nth, every, count, by, cycles;
	double prob;			/* < 0: not given */
	bool fix_vcrc;
	uint64_t matches, hits;
	struct rng rng;
	char text[128];
};

/* NULL and a message in err if the text is no rule */
struct fault *fault_parse(const char *text, uint64_t seed, char *err, size_t errlen);
void fault_append(struct fault **list, struct fault *f);
void fault_free(struct fault *list);
/* May change the packet (corrupt, mark, error). */
struct fault_verdict fault_apply(struct fault *list, struct wire *w, struct packet *p);

/* Where the BTH of a packet begins: IB, RoCEv1 or RoCEv2; -1 if it has none. */
int packet_bth(const struct packet *p);

#endif
