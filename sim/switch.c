/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The forwarding half of the switch.  Packets are stored whole in the buffer
 * of the port and lane on which they came, are queued at the outputs that the
 * tables name, and hold their credits until they have left.
 */
#include "switch_priv.h"
#include "crc.h"
#include "ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_BLOCKS	512u		/* 32 KiB per port and lane */
#define TRANSIT		25u		/* cycles through the crossbar */
#define FC_PERIOD	60000u		/* cycles between flow-control packets without need */
#define FC_GAP		32u		/* least distance of those that tell of freed space */
#define VL15_QUEUE	128u		/* management packets waiting at an output */
#define ETH_QUEUE	(512u << 10)	/* bytes waiting at an output */

struct ib_switch *ib_switch_create(unsigned ports, unsigned lanes, double rate_gbps,
				   unsigned clock_mhz, uint64_t seed)
{
	struct ib_switch *s;
	uint8_t cap = lanes == 1 ? 1 : lanes == 2 ? 2 : lanes == 4 ? 3 : lanes == 8 ? 4 :
		      lanes == 15 ? 5 : 0;

	if (!ports || ports > SWITCH_MAX_PORTS || !cap) {
		log_err("a switch of %u ports and %u lanes: 1 to %d ports, 1, 2, 4, 8 or 15 lanes",
			ports, lanes, SWITCH_MAX_PORTS);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->ports = ports;
	s->lanes = lanes;
	s->vl_cap = cap;
	s->clock_mhz = clock_mhz;
	s->buf_blocks = BUF_BLOCKS;
	s->rate = (uint64_t)(rate_gbps * 1e3 / 8 / clock_mhz * 65536);
	s->width = 2;			/* 4x */
	/* 4x SDR, DDR, QDR by the old field; FDR, EDR by the extended one */
	s->speed = rate_gbps <= 8 ? 1 : rate_gbps <= 16 ? 2 : 4;
	s->speed_ext = rate_gbps <= 32 ? 0 : rate_gbps <= 56 ? 1 : 2;
	rng_seed(&s->rng, seed, 0x5157);
	s->guid = OHCA_SWITCH_GUID;
	s->gid_prefix = 0xfe80000000000000ull;
	s->resp_time = 8;
	s->pkey[0] = 0xffff;
	snprintf(s->node_desc, sizeof(s->node_desc), "ohca-sim switch, %u ports", ports);
	memset(s->lft, 0xff, sizeof(s->lft));
	for (unsigned p = 0; p <= ports; p++) {
		struct swport *q = &s->port[p];

		q->state = p ? PS_DOWN : PS_ACTIVE;
		q->link_down_default = 2;
		q->neighbor_mtu = 5;
		q->oper_vls = cap;
		q->hoq_life = 0x12;
		q->width_enabled = 2;
		q->speed_enabled = s->speed == 1 ? 1 : s->speed == 2 ? 3 : 7;
		q->ext_enabled = s->speed_ext == 2 ? 3 : s->speed_ext;
		q->bounce_until = 0;
		for (unsigned i = 0; i <= ports; i++)
			for (unsigned sl = 0; sl < 16; sl++)
				q->sl2vl[i][sl] = (uint8_t)(sl % lanes);
		for (unsigned v = 0; v < lanes; v++)
			q->low[v] = (struct vlarb){ (uint8_t)v, 64 };
	}
	return s;
}

void ib_switch_set_guid(struct ib_switch *s, uint64_t guid)
{
	s->guid = guid;
}

static void free_swpkt(struct ib_switch *s, struct swpkt *w)
{
	if (w->in && --w->in->refs == 0) {
		s->port[w->in->port].used[w->in->vl] = (uint16_t)(s->port[w->in->port].used[w->in->vl] -
								 w->in->blocks);
		free(w->in);
	}
	packet_free(w->p);
	free(w);
}

static struct swpkt *pop(struct swport *o, unsigned q)
{
	struct swpkt *w = o->q[q].head;

	o->q[q].head = w->next;
	o->q[q].count--;
	o->q[q].bytes -= w->p->len;
	if (!w->next) {
		o->q[q].tail = NULL;
		o->nonempty &= ~(1u << q);
	}
	return w;
}

static void push(struct swport *o, unsigned q, struct swpkt *w)
{
	w->next = NULL;
	if (o->q[q].tail)
		o->q[q].tail->next = w;
	else
		o->q[q].head = w;
	o->q[q].tail = w;
	o->q[q].count++;
	o->q[q].bytes += w->p->len;
	o->nonempty |= 1u << q;
}

static void drop_queues(struct ib_switch *s, unsigned port)
{
	for (unsigned q = 0; q < SW_QUEUES; q++)
		while (s->port[port].q[q].head) {
			s->port[port].st.discards++;
			free_swpkt(s, pop(&s->port[port], q));
		}
}

void ib_switch_destroy(struct ib_switch *s)
{
	for (unsigned p = 0; p <= s->ports; p++)
		drop_queues(s, p);
	free(s);
}

void ib_switch_attach(struct ib_switch *s, unsigned port, struct wire *rx, struct wire *tx,
		      bool *present)
{
	s->port[port].rx = rx;
	s->port[port].tx = tx;
	s->port[port].present = present;
	*present = true;
}

/* ---- port state ---------------------------------------------------------------- */

static void credits_reset(struct ib_switch *s, struct swport *p)
{
	memset(p->tx_sent, 0, sizeof(p->tx_sent));
	memset(p->tx_limit, 0, sizeof(p->tx_limit));
	memset(p->abr, 0, sizeof(p->abr));
	p->fc_force = (1u << sw_lanes(p->oper_vls)) - 1;
	p->fc_period_at = s->now + FC_PERIOD;
}

void sw_set_state(struct ib_switch *s, unsigned port, enum port_state st)
{
	struct swport *p = &s->port[port];
	enum port_state old = p->state;

	if (old == st)
		return;
	p->state = st;
	if (st == PS_INIT)
		credits_reset(s, p);
	if (st == PS_DOWN || old == PS_ACTIVE)
		drop_queues(s, port);
	if (st == PS_DOWN)
		p->eth = false;
	if ((old == PS_INIT) != (st == PS_INIT))
		p->fc_force = (1u << sw_lanes(p->oper_vls)) - 1;	/* the op code changes */
	if (st == PS_DOWN || old == PS_DOWN || (old == PS_ACTIVE) != (st == PS_ACTIVE))
		s->state_change = true;
	if ((st == PS_DOWN || old == PS_DOWN) && port) {
		s->trap_left = 5;
		s->trap_at = s->now + 1000;
		s->trap_tid++;
	}
}

void sw_bounce(struct ib_switch *s, unsigned port, bool disable)
{
	struct swport *p = &s->port[port];

	p->disabled = disable;
	p->bounce_until = s->now + 2000;
	if (p->present)
		*p->present = false;
	sw_set_state(s, port, PS_DOWN);
}

void ib_switch_link(struct ib_switch *s, unsigned port, bool up, uint64_t now)
{
	struct swport *p = &s->port[port];

	s->now = now;
	p->link = up;
	sw_set_state(s, port, up ? PS_INIT : PS_DOWN);
}

/* ---- output -------------------------------------------------------------------- */

static uint64_t hoq_deadline(const struct ib_switch *s, const struct swport *o)
{
	if (o->hoq_life >= 20)
		return UINT64_MAX;
	return s->now + TRANSIT + (uint64_t)(4.096 * s->clock_mhz * (double)(1u << o->hoq_life));
}

static void queue_out(struct ib_switch *s, unsigned port, unsigned q, struct packet *p,
		      struct inbuf *in)
{
	struct swport *o = &s->port[port];
	struct swpkt *w = xcalloc(1, sizeof(*w));

	w->p = p;
	w->in = in;
	if (in)
		in->refs++;
	w->ready = s->now + TRANSIT;
	w->dead = q < 15 ? hoq_deadline(s, o) : UINT64_MAX;
	push(o, q, w);
}

void sw_emit(struct ib_switch *s, unsigned port, struct packet *p)
{
	struct swport *o = &s->port[port];
	unsigned vl = p->data[0] >> 4;

	if (!port || port > s->ports || !o->tx || o->state < PS_INIT ||
	    (vl != 15 && (o->state != PS_ACTIVE || vl >= sw_lanes(o->oper_vls)))) {
		o->st.discards++;
		packet_free(p);
		return;
	}
	if (vl == 15 && o->q[15].count >= VL15_QUEUE) {
		o->st.vl15_dropped++;
		packet_free(p);
		return;
	}
	queue_out(s, port, vl, p, NULL);
}

static unsigned blocks_of(uint32_t len)
{
	return (len + 63) / 64;
}

static bool credit_ok(const struct swport *o, unsigned vl, unsigned n)
{
	unsigned room = (o->tx_limit[vl] - o->tx_sent[vl]) & 0xfff;

	return room <= 2048 && n <= room;
}

/* The lane's head may leave now; too old ones are thrown away here. */
static bool sendable(struct ib_switch *s, struct swport *o, unsigned q)
{
	struct swpkt *w;

	while ((w = o->q[q].head) && w->dead <= s->now) {
		o->st.discards++;
		free_swpkt(s, pop(o, q));
	}
	if (!w || w->ready > s->now)
		return false;
	return q >= 15 || credit_ok(o, q, blocks_of(w->p->len));
}

/* Weighted round robin over one table; the lane that sends, or -1. */
static int arbitrate(struct ib_switch *s, struct swport *o, struct vlarb *t, unsigned *at, int *left)
{
	if (*left > 0 && sendable(s, o, t[*at].vl))
		return t[*at].vl;
	for (unsigned i = 1; i <= 64; i++) {
		unsigned k = (*at + i) % 64;

		if (!t[k].weight || t[k].vl >= sw_lanes(o->oper_vls) || !sendable(s, o, t[k].vl))
			continue;
		*at = k;
		*left = t[k].weight;
		return t[k].vl;
	}
	return -1;
}

static int pick_lane(struct ib_switch *s, struct swport *o, bool *high)
{
	unsigned limit = o->vl_high_limit == 255 ? UINT32_MAX : o->vl_high_limit * 64u;
	int vl;

	*high = true;
	if (o->hi_sent <= limit) {
		vl = arbitrate(s, o, o->high, &o->hi_i, &o->hi_left);
		if (vl >= 0)
			return vl;
	}
	*high = false;
	vl = arbitrate(s, o, o->low, &o->lo_i, &o->lo_left);
	if (vl >= 0)
		return vl;
	*high = true;
	return arbitrate(s, o, o->high, &o->hi_i, &o->hi_left);
}

static void send_fc(struct ib_switch *s, unsigned port)
{
	struct swport *o = &s->port[port];
	unsigned lanes = sw_lanes(o->oper_vls);

	for (unsigned v = 0; v < lanes; v++) {
		uint16_t fccl = (o->abr[v] + (s->buf_blocks - o->used[v])) & 0xfff;
		struct packet *p;
		uint16_t c;

		if (!(o->fc_force >> v & 1) && fccl == o->fc_told[v])
			continue;
		p = packet_new();
		p->kind = OHCA_KIND_FC;
		p->len = 6;
		put_be16(p->data, (o->state == PS_INIT ? 0x1000u : 0) | o->tx_sent[v]);
		put_be16(p->data + 2, v << 12 | fccl);
		c = ib_vcrc(p->data, 4);
		p->data[4] = (uint8_t)c;
		p->data[5] = (uint8_t)(c >> 8);
		o->fc_told[v] = fccl;
		o->fc_force &= ~(1u << v);
		o->fc_last = s->now;
		wire_send_now(o->tx, p, s->now);
		return;
	}
	o->fc_force = 0;
}

/* How much more than told could be told, at most over all lanes. */
static unsigned fc_news(const struct ib_switch *s, const struct swport *o)
{
	unsigned lanes = sw_lanes(o->oper_vls), most = 0;

	for (unsigned v = 0; v < lanes; v++) {
		unsigned fccl = (o->abr[v] + (s->buf_blocks - o->used[v])) & 0xfff;
		unsigned d = (fccl - o->fc_told[v]) & 0xfff;

		if (d > most)
			most = d;
	}
	return most;
}

static bool fc_due(const struct ib_switch *s, const struct swport *o)
{
	unsigned news;

	if (o->fc_force)
		return true;
	news = fc_news(s, o);
	return news && (news >= s->buf_blocks / 4 || s->now - o->fc_last >= FC_GAP);
}

static void port_out(struct ib_switch *s, unsigned port)
{
	struct swport *o = &s->port[port];
	bool high = false, waits = false;
	struct swpkt *w;
	int q = -1;

	if (o->state < PS_INIT || !o->tx || wire_free_at(o->tx) > s->now)
		return;
	if (s->now >= o->fc_period_at) {
		o->fc_force = (1u << sw_lanes(o->oper_vls)) - 1;
		o->fc_period_at = s->now + FC_PERIOD;
	}
	if (!o->eth && fc_due(s, o)) {
		send_fc(s, port);
		if (wire_free_at(o->tx) > s->now)
			return;
	}
	if (!o->nonempty)
		return;
	if (o->nonempty >> 15 & 1 && sendable(s, o, 15))
		q = 15;
	else if (o->nonempty & 0x7fff && o->state == PS_ACTIVE)
		q = pick_lane(s, o, &high);
	if (q < 0 && o->nonempty >> SW_ETH & 1 && sendable(s, o, SW_ETH))
		q = SW_ETH;
	if (q < 0) {
		for (unsigned v = 0; v < 15; v++)
			waits |= o->q[v].head && o->q[v].head->ready <= s->now;
		o->st.xmit_wait += waits;
		return;
	}
	w = pop(o, (unsigned)q);
	if (q < 15) {
		unsigned n = blocks_of(w->p->len);

		o->tx_sent[q] = (o->tx_sent[q] + n) & 0xfff;
		if (high) {
			o->hi_left -= (int)n;
			o->hi_sent += n;
		} else {
			o->lo_left -= (int)n;
			o->hi_sent = 0;
		}
	}
	o->st.tx_packets++;
	o->st.tx_bytes += w->p->len;
	wire_send_now(o->tx, w->p, s->now);
	w->p = NULL;
	free_swpkt(s, w);
}

/* ---- input ---------------------------------------------------------------------- */

int sw_route(const struct ib_switch *s, uint16_t lid)
{
	if (!lid || lid >= SW_LIDS || lid > s->lin_top || s->lft[lid] == 0xff ||
	    s->lft[lid] > s->ports)
		return -1;
	return s->lft[lid];
}

static void forward_copy(struct ib_switch *s, unsigned in, unsigned out, struct packet *p,
			 struct inbuf *buf)
{
	struct swport *o = &s->port[out];
	unsigned vl = o->sl2vl[in][p->data[1] >> 4];

	if (o->state != PS_ACTIVE || !o->tx || vl >= sw_lanes(o->oper_vls) ||
	    p->len > mtu_bytes(o->neighbor_mtu) + 126) {
		o->st.discards++;
		packet_free(p);
		return;
	}
	p->data[0] = (uint8_t)(vl << 4 | (p->data[0] & 15));
	ib_put_vcrc(p->data, p->len);
	queue_out(s, out, vl, p, buf);
}

static void data_in(struct ib_switch *s, unsigned in, struct packet *p)
{
	struct swport *i = &s->port[in];
	unsigned vl = p->data[0] >> 4, n = blocks_of(p->len);
	uint16_t dlid = get_be16(p->data + 2);
	struct inbuf *buf;
	int out;

	if (i->state < PS_ARMED || vl >= sw_lanes(i->oper_vls)) {
		i->st.rx_errors++;
		packet_free(p);
		return;
	}
	if (i->state == PS_ARMED)
		sw_set_state(s, in, PS_ACTIVE);
	if (i->used[vl] + n > s->buf_blocks) {	/* sent without credit */
		i->st.rx_errors++;
		log_err("switch: port %u lane %u: packet without credit (%u of %u blocks in use)", in,
			vl, i->used[vl], s->buf_blocks);
		packet_free(p);
		return;
	}
	i->abr[vl] = (i->abr[vl] + n) & 0xfff;
	buf = xcalloc(1, sizeof(*buf));
	*buf = (struct inbuf){ .refs = 1, .port = in, .vl = vl, .blocks = n };
	i->used[vl] = (uint16_t)(i->used[vl] + n);

	if (dlid >= 0xc000 && dlid != 0xffff) {
		uint64_t mask = dlid - 0xc000 < SW_MLIDS ? s->mft[dlid - 0xc000] : 0;

		if (!mask && s->def_mcast_not)
			mask = 1ull << s->def_mcast_not;
		mask &= ~(1ull << in);
		if (!(mask >> 1))
			i->st.relay_errors++;
		for (unsigned o = 1; o <= s->ports; o++)
			if (mask >> o & 1)
				forward_copy(s, in, o, packet_copy(p), buf);
		packet_free(p);
	} else {
		out = dlid == s->lid && s->lid ? 0 : sw_route(s, dlid);
		if (out == 0) {
			sw_gmp(s, in, p);
		} else if (out < 0 || (unsigned)out == in) {
			i->st.relay_errors++;
			packet_free(p);
		} else {
			forward_copy(s, in, (unsigned)out, p, buf);
		}
	}
	if (--buf->refs == 0) {
		i->used[vl] = (uint16_t)(i->used[vl] - n);
		free(buf);
	}
}

static void fc_in(struct ib_switch *s, unsigned in, struct packet *p)
{
	struct swport *i = &s->port[in];
	unsigned op, vl;
	uint16_t c;

	c = p->len == 6 ? ib_vcrc(p->data, 4) : 0;
	op = p->data[0] >> 4;
	vl = p->data[2] >> 4;
	if (p->len != 6 || p->error || p->data[4] != (c & 0xff) || p->data[5] != c >> 8) {
		i->st.rx_errors++;
	} else if (op <= 1 && vl < sw_lanes(i->oper_vls)) {
		i->tx_limit[vl] = get_be16(p->data + 2) & 0xfff;
		i->abr[vl] = get_be16(p->data) & 0xfff;
	}
	packet_free(p);
}

static void eth_in(struct ib_switch *s, unsigned in, struct packet *p)
{
	static const uint8_t pause[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
	const uint8_t *src = p->data + 6;
	unsigned h, out = 0;

	if (p->len < 14 || p->error) {
		s->port[in].st.rx_errors++;
		packet_free(p);
		return;
	}
	if (!memcmp(p->data, pause, 6)) {	/* link-local: not forwarded */
		packet_free(p);
		return;
	}
	s->port[in].eth = true;
	h = (src[3] ^ src[4] * 7u ^ src[5] * 31u) & 255;
	if (!(src[0] & 1)) {
		memcpy(s->fdb[h].mac, src, 6);
		s->fdb[h].port = (uint8_t)in;
	}
	h = (p->data[3] ^ p->data[4] * 7u ^ p->data[5] * 31u) & 255;
	if (!(p->data[0] & 1) && !memcmp(s->fdb[h].mac, p->data, 6))
		out = s->fdb[h].port;
	for (unsigned o = 1; o <= s->ports; o++) {
		if (o == in || (out && o != out) || !s->port[o].tx || !s->port[o].link)
			continue;
		if (s->port[o].q[SW_ETH].bytes + p->len > ETH_QUEUE) {
			s->port[o].st.discards++;
			continue;
		}
		queue_out(s, o, SW_ETH, packet_copy(p), NULL);
	}
	packet_free(p);
}

static void packet_in(struct ib_switch *s, unsigned in, struct packet *p)
{
	struct swport *i = &s->port[in];
	unsigned vl = p->data[0] >> 4, lnh = p->data[1] & 3;

	if (p->kind == OHCA_KIND_FC) {
		fc_in(s, in, p);
		return;
	}
	i->st.rx_packets++;
	i->st.rx_bytes += p->len;
	if (p->kind == OHCA_KIND_ETH) {
		eth_in(s, in, p);
		return;
	}
	if (p->error) {
		i->st.remote_errors++;
		packet_free(p);
		return;
	}
	if (!ib_vcrc_ok(p->data, p->len) || p->data[0] & 15 || !get_be16(p->data + 2) ||
	    (get_be16(p->data + 4) & 0x7ff) * 4u + 2 != p->len ||
	    (vl == 15 && (lnh != 2 || p->len != 290))) {
		i->st.rx_errors++;
		packet_free(p);
		return;
	}
	if (vl != 15) {
		data_in(s, in, p);
		return;
	}
	if (!ib_icrc_ok(p->data, p->len)) {	/* for us or to be changed: must be right */
		packet_free(p);
		return;
	}
	sw_smp(s, in, p);
}

/* ---- a cycle ----------------------------------------------------------------------- */

void ib_switch_step(struct ib_switch *s, uint64_t now)
{
	s->now = now;
	for (unsigned i = 1; i <= s->ports; i++) {
		struct swport *p = &s->port[i];
		struct packet *k;

		if (!p->rx)
			continue;
		while ((k = wire_receive(p->rx, now)))
			packet_in(s, i, k);
		if (!*p->present && !p->disabled && now >= p->bounce_until)
			*p->present = true;
		if (p->state >= PS_INIT)
			port_out(s, i);
	}
	if (s->trap_left && now >= s->trap_at)
		sw_trap(s);
}

uint64_t ib_switch_next(const struct ib_switch *s, uint64_t now)
{
	uint64_t next = s->trap_left ? s->trap_at : UINT64_MAX;

	for (unsigned i = 1; i <= s->ports; i++) {
		const struct swport *p = &s->port[i];
		uint64_t t = UINT64_MAX;

		if (!p->rx)
			continue;
		if (!*p->present && !p->disabled && p->bounce_until < next)
			next = p->bounce_until;
		if (p->state < PS_INIT)
			continue;
		if (p->eth)
			t = UINT64_MAX;
		else if (p->fc_force)
			t = now;
		else if (fc_news(s, p))
			t = p->fc_last + FC_GAP;
		/* The periodic flow control is no event of its own: it goes out when the
		 * clock runs anyway, as it does whenever a neighbour sends its own. */
		for (unsigned q = 0; p->nonempty >> q; q++) {
			const struct swpkt *w = p->q[q].head;

			if (!w)
				continue;
			if (q >= 15 || (p->state == PS_ACTIVE && credit_ok(p, q, blocks_of(w->p->len)))) {
				if (w->ready < t)
					t = w->ready;
			}
			if (w->dead < t)
				t = w->dead;
		}
		if (t != UINT64_MAX && t < wire_free_at(p->tx))
			t = wire_free_at(p->tx);
		if (t < next)
			next = t;
	}
	return next < now ? now : next;
}

const struct switch_port_stats *ib_switch_stats(const struct ib_switch *s, unsigned port)
{
	return &s->port[port].st;
}

unsigned ib_switch_ports(const struct ib_switch *s)
{
	return s->ports;
}
