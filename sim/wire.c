/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Packets in flight on one direction of a link. */
#include "wire.h"
#include "fault.h"
#include "pcapng.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared by the threads of a fabric: a packet is often freed in another than made it. */
static struct packet *pool;
static atomic_flag pool_lock = ATOMIC_FLAG_INIT;

static void lock_pool(void)
{
	while (atomic_flag_test_and_set_explicit(&pool_lock, memory_order_acquire))
		sched_yield();
}

static void unlock_pool(void)
{
	atomic_flag_clear_explicit(&pool_lock, memory_order_release);
}

struct packet *packet_new(void)
{
	struct packet *p;

	lock_pool();
	p = pool;
	if (p)
		pool = p->next;
	unlock_pool();
	if (!p)
		p = xcalloc(1, sizeof(*p));
	memset(p, 0, offsetof(struct packet, data));
	return p;
}

struct packet *packet_copy(const struct packet *p)
{
	struct packet *q = packet_new();

	memcpy(q, p, offsetof(struct packet, data));
	memcpy(q->data, p->data, p->len);
	q->next = NULL;
	return q;
}

void packet_free(struct packet *p)
{
	if (!p)
		return;
	lock_pool();
	p->next = pool;
	pool = p;
	unlock_pool();
}

void wire_init(struct wire *w, const char *name, unsigned link, unsigned dir,
	       uint64_t rate, uint64_t latency)
{
	memset(w, 0, sizeof(*w));
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->link = link;
	w->dir = dir;
	w->rate = rate ? rate : 1;
	w->latency = latency;
	w->pcap_if[0] = w->pcap_if[1] = -1;
}

void wire_clear(struct wire *w)
{
	while (w->head) {
		struct packet *p = w->head;

		w->head = p->next;
		packet_free(p);
		w->st.lost_down++;
	}
	w->tail = NULL;
	w->count = 0;
}

/* Kept in order of `due`; equal times keep the order of sending. */
static void enqueue(struct wire *w, struct packet *p)
{
	struct packet **at = &w->head;

	p->next = NULL;
	w->count++;
	if (!w->tail) {
		w->head = w->tail = p;
		return;
	}
	if (w->tail->due <= p->due) {
		w->tail->next = p;
		w->tail = p;
		return;
	}
	while (*at && (*at)->due <= p->due)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
	if (!p->next)
		w->tail = p;
}

/* A packet passes those that a reorder fault holds; the last one frees them. */
static void pass_held(struct wire *w, uint64_t due)
{
	struct packet **at = &w->head, *freed = NULL, **end = &freed;

	while (*at) {
		struct packet *p = *at;

		if (p->hold && --p->hold == 0) {
			*at = p->next;
			p->next = NULL;
			p->due = due;
			*end = p;
			end = &p->next;
			w->count--;
			continue;
		}
		at = &p->next;
	}
	w->tail = w->head;
	while (w->tail && w->tail->next)
		w->tail = w->tail->next;
	while (freed) {
		struct packet *p = freed;

		freed = p->next;
		enqueue(w, p);
	}
}

void wire_send(struct wire *w, struct packet *p)
{
	struct fault_verdict v = { .action = FAULT_NONE };
	struct packet *dup = NULL;
	bool held = false;

	w->st.packets++;
	w->st.bytes += p->len;
	w->st.fc += p->kind == OHCA_KIND_FC;
	p->due = p->t_first + w->latency;
	if (p->due < p->t_last + wire_ahead(w))
		p->due = p->t_last + wire_ahead(w);
	p->hold = 0;
	if (w->faults)
		v = fault_apply(w->faults, w, p);
	if (w->pcap)
		pcapng_packet(w->pcap, w, p, v.action == FAULT_NONE ? NULL : v.comment);
	if (v.action != FAULT_NONE)
		w->st.faults++;
	if (!w->up) {
		w->st.lost_down++;
		packet_free(p);
		return;
	}
	switch (v.action) {
	case FAULT_DROP:
		w->st.dropped++;
		packet_free(p);
		return;
	case FAULT_DUP:
		w->st.duplicated++;
		dup = p;
		break;
	case FAULT_REORDER:
		w->st.reordered++;
		p->hold = v.amount ? (uint32_t)v.amount : 1;
		p->due += v.timeout;
		held = true;
		break;
	case FAULT_DELAY:
		w->st.delayed++;
		p->due += v.amount;
		break;
	case FAULT_CORRUPT:
		w->st.corrupted++;
		break;
	case FAULT_ERROR:
		w->st.errored++;
		break;
	case FAULT_MARK:
		w->st.marked++;
		break;
	case FAULT_NONE:
		break;
	}
	/* a delay holds back what follows on the same link, except reordered ones */
	if (!held && w->faults) {
		for (struct packet *q = w->head; q; q = q->next)
			if (!q->hold && q->due > p->due)
				p->due = q->due;
	}
	enqueue(w, p);
	for (uint64_t i = 0; dup && i < v.amount; i++)
		enqueue(w, packet_copy(dup));
	if (!held && p->kind != OHCA_KIND_FC)
		pass_held(w, p->due);
}

void wire_send_now(struct wire *w, struct packet *p, uint64_t now)
{
	uint64_t cycles = (((uint64_t)packet_wire_bytes(p) << 16) + w->rate - 1) / w->rate;

	p->t_first = now;
	p->t_last = now + cycles - 1;
	w->busy_until = now + cycles;
	wire_send(w, p);
}

struct packet *wire_receive(struct wire *w, uint64_t now)
{
	struct packet *p = w->head;

	if (!p || p->due > now)
		return NULL;
	w->head = p->next;
	if (!w->head)
		w->tail = NULL;
	w->count--;
	w->st.delivered++;
	p->next = NULL;
	return p;
}

uint64_t wire_next_due(const struct wire *w)
{
	return w->head ? w->head->due : UINT64_MAX;
}
