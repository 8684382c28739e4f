/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * One direction of a link: whole packets, a rate, a latency, faults, a tap.
 * A packet comes out at max(last byte in + wire_ahead(), first byte in + latency):
 * whatever is sent now arrives that many cycles later at the earliest, so both
 * ends can be simulated so far without looking at each other.
 */
#ifndef OHCA_SIM_WIRE_H
#define OHCA_SIM_WIRE_H

#include "model.h"
#include "util.h"

#define WIRE_AHEAD 8			/* cycles */
#define PACKET_MAX 10240		/* jumbo frame, or 4 KiB MTU with all headers */

struct packet {
	struct packet *next;
	uint64_t t_first, t_last, due;	/* cycles */
	uint32_t len;
	uint32_t hold;			/* reordered: packets still to pass */
	uint8_t kind;			/* enum ohca_kind */
	bool error;			/* ends with EBP, or with a bad FCS */
	uint8_t data[PACKET_MAX];
};

struct packet *packet_new(void);
struct packet *packet_copy(const struct packet *p);
void packet_free(struct packet *p);
/* bytes that the packet occupies on the wire: Ethernet adds preamble, FCS and gap */
static inline unsigned packet_wire_bytes(const struct packet *p)
{
	return p->len + (p->kind == OHCA_KIND_ETH ? 24 : 0);
}

struct fault;
struct pcapng;

struct wire_stats {
	uint64_t packets, bytes, fc, delivered, lost_down, faults, giants;
	uint64_t dropped, corrupted, duplicated, reordered, delayed, marked, errored;
};

struct wire {
	char name[40];			/* "link0:node0>node1" */
	unsigned link, dir;
	uint64_t rate;			/* bytes per cycle, 16.16 */
	uint64_t latency;		/* cycles */
	bool up;
	struct packet *head, *tail;	/* in flight, in order of arrival */
	unsigned count;
	uint64_t busy_until;		/* for senders of whole packets */
	struct fault *faults;		/* all of the fabric's; each knows its link */
	struct pcapng *pcap;
	int pcap_if[2];			/* interface numbers: IB, Ethernet; -1 none yet */
	struct wire_stats st;
};

void wire_init(struct wire *w, const char *name, unsigned link, unsigned dir,
	       uint64_t rate, uint64_t latency);
static inline unsigned wire_ahead(const struct wire *w)
{
	return w->latency < WIRE_AHEAD ? (w->latency ? (unsigned)w->latency : 1) : WIRE_AHEAD;
}
void wire_clear(struct wire *w);	/* everything in flight is lost */
/* Takes the packet, whose t_first and t_last are set. */
void wire_send(struct wire *w, struct packet *p);
/* For senders of whole packets: stamps it to begin now, and marks the wire
 * busy.  Only when wire_free_at() <= now. */
void wire_send_now(struct wire *w, struct packet *p, uint64_t now);
static inline uint64_t wire_free_at(const struct wire *w) { return w->busy_until; }
/* The next packet that has arrived, or NULL; the caller owns it. */
struct packet *wire_receive(struct wire *w, uint64_t now);
uint64_t wire_next_due(const struct wire *w);	/* UINT64_MAX: nothing in flight */

#endif
