/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* All nodes under one clock: links to pins, the host model, time. */
#include "fabric.h"
#include "ids.h"
#include "record.h"
#include "switch.h"
#include "thread_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_CYCLES 4			/* idle for so long before the clock jumps */

void fabric_config_default(struct fabric_config *c, unsigned nodes, unsigned data_width)
{
	memset(c, 0, sizeof(*c));
	c->nodes = nodes;
	c->topology = nodes > 2 ? TOPO_SWITCH : TOPO_P2P;
	c->clock_mhz = 250;
	c->train_cycles = 1000;
	c->link_latency = 25;		/* 100 ns */
	c->switch_lanes = 4;
	c->seed = 1;
	axi_host_cfg_default(&c->axi, data_width);
}

/* ---- links ---------------------------------------------------------------- */

static void link_lose_rx(struct node *n)
{
	if (!n)
		return;
	if (n->rx_pkt) {
		n->rx_abort = n->rx_off > 0;
		packet_free(n->rx_pkt);
		n->rx_pkt = NULL;
	}
}

static void link_set(struct fabric *f, struct link *l, bool up)
{
	l->up = up;
	for (int d = 0; d < 2; d++) {
		l->w[d].up = up;
		l->w[d].busy_until = f->cycle;
		if (!up) {
			wire_clear(&l->w[d]);
			link_lose_rx(l->end[d].node);
		}
	}
	if (!up)
		l->downs++;
	if (l->port)
		ib_switch_link(f->sw, l->port, up, f->cycle);
}

static void link_update(struct fabric *f, struct link *l)
{
	bool all = l->end[0].present && l->end[1].present;

	if (!all) {
		l->up_at = UINT64_MAX;
		if (l->up)
			link_set(f, l, false);
	} else if (!l->up) {
		if (l->up_at == UINT64_MAX)
			l->up_at = f->cycle + f->cfg.train_cycles;
		if (f->cycle >= l->up_at)
			link_set(f, l, true);
	}
}

static void uplink_out(struct link *l, uint64_t cycle)
{
	struct packet *p;

	for (int e = 0; e < 2; e++)
		while (l->end[e].sink && (p = wire_receive(&l->w[1 - e], cycle)))
			l->end[e].sink(l->end[e].ctx, p);
}

static void rx_drive(struct fabric *f, struct node *n, uint64_t cycle)
{
	struct ohca_in *in = &n->in;
	struct packet *p;
	uint32_t left, bytes;

	in->rx_valid = 0;
	if (n->rx_abort) {
		/* the line went away in the middle of a packet */
		n->rx_abort = false;
		in->rx_valid = in->rx_last = in->rx_error = 1;
		in->rx_keep = 1;
		memset(in->rx_data, 0, f->beat);
		return;
	}
	if (!n->rx)
		return;
	if (!n->rx_pkt) {
		n->rx_pkt = wire_receive(n->rx, cycle);
		n->rx_off = 0;
	}
	p = n->rx_pkt;
	if (!p || n->rx_credit <= 0)
		return;
	left = p->len - n->rx_off;
	bytes = left < f->beat ? left : f->beat;
	memcpy(in->rx_data, p->data + n->rx_off, bytes);
	if (bytes < f->beat)
		memset(in->rx_data + bytes, 0, f->beat - bytes);
	in->rx_valid = 1;
	in->rx_keep = bytes == 64 ? UINT64_MAX : (1ull << bytes) - 1;
	in->rx_kind = p->kind;
	in->rx_last = bytes == left;
	in->rx_error = in->rx_last && p->error;
	n->rx_credit -= (int64_t)bytes << 16;
	n->rx_off += bytes;
	n->st.rx_beats++;
	if (in->rx_last) {
		if (p->kind == OHCA_KIND_ETH)
			n->rx_credit -= 24 << 16;
		packet_free(p);
		n->rx_pkt = NULL;
	}
}

static void tx_sample(struct fabric *f, struct node *n, uint64_t cycle)
{
	const struct ohca_out *o = &n->out;
	struct packet *p = n->tx_pkt;
	unsigned bytes;

	if (!n->in.tx_ready)
		return;
	if (!o->tx_valid) {
		n->st.tx_gaps += p != NULL;
		return;
	}
	bytes = (unsigned)__builtin_popcountll(o->tx_keep);
	if (!bytes || bytes > f->beat ||
	    o->tx_keep != (bytes == 64 ? UINT64_MAX : (1ull << bytes) - 1) ||
	    (!o->tx_last && bytes != f->beat)) {
		n->st.tx_bad_keep++;
		log_err("%s: tx_keep_o 0x%llx%s", n->name, (unsigned long long)o->tx_keep,
			o->tx_last ? " on the last beat" : " before the last beat");
		if (bytes > f->beat)
			bytes = f->beat;
	}
	n->st.tx_beats++;
	n->tx_credit -= (int64_t)bytes << 16;
	if (!p) {
		p = n->tx_pkt = packet_new();
		p->t_first = cycle;
		p->kind = o->tx_kind > 2 ? OHCA_KIND_IB : o->tx_kind;
	}
	if (p->len + bytes > PACKET_MAX) {
		p->error = true;	/* endless: cut, and marked bad */
		bytes = PACKET_MAX - p->len;
	}
	memcpy(p->data + p->len, o->tx_data, bytes);
	p->len += bytes;
	if (!o->tx_last)
		return;
	p->t_last = cycle;
	n->tx_pkt = NULL;
	if (p->kind == OHCA_KIND_ETH)
		n->tx_credit -= 24 << 16;
	if (p->error) {
		if (n->tx)
			n->tx->st.giants++;
		log_err("%s: packet longer than %u bytes sent", n->name, PACKET_MAX);
	}
	if (!n->tx) {
		packet_free(p);
		return;
	}
	p->next = NULL;
	*n->sent_end = p;
	n->sent_end = &p->next;
}

/* ---- a cycle ---------------------------------------------------------------- */

/* Nothing moves in the node or at its pins. */
static bool node_quiet(const struct node *n)
{
	return !n->host.reset_left && n->quiet_cycles >= QUIET_CYCLES && !n->rx_pkt && !n->tx_pkt &&
	       !n->rx_abort && axi_host_quiet(&n->host.axi);
}

/* The device's clock in the coming cycle */
static uint64_t node_now(const struct node *n)
{
	return n->expect_now + n->slept;
}

/* In all of the coming cycles */
static bool node_sleeps(const struct node *n, uint64_t cycle, unsigned cycles)
{
	return node_quiet(n) && n->expect_now && n->out.next_timer - node_now(n) >= cycles && n->out.next_timer > node_now(n) &&
	       n->in.phy_link_up == (n->link && n->link->up) &&
	       (!n->rx || wire_next_due(n->rx) >= cycle + cycles);
}

/* The cycles that passed while it slept, in one: all inputs are still. */
static void node_wake(struct node *n)
{
	struct ohca_in *in = &n->in;

	in->skip = 1;
	in->skip_cycles = n->slept;
	in->axil_awvalid = in->axil_wvalid = in->axil_arvalid = 0;
	in->push_awvalid = in->push_wvalid = 0;
	in->axi_rvalid = in->axi_bvalid = in->rx_valid = 0;
	n->model->step(n->model, in, &n->out);
	n->st.cycles++;
	n->st.core_cycles += n->out.core_on;
	if (n->rec)
		record_cycle(n->rec, in, &n->out);
	if (n->out.now != n->expect_now)
		log_err("%s: now_o is %llu, but by the clock it must be %llu", n->name,
			(unsigned long long)n->out.now, (unsigned long long)n->expect_now);
	n->expect_now += n->slept;
	n->st.slept += n->slept;
	n->slept = 0;
}

static void node_step(struct fabric *f, struct node *n, uint64_t cycle, uint64_t skip)
{
	struct ohca_in *in = &n->in;
	bool up = n->link && n->link->up;

	if (node_sleeps(n, cycle, 1)) {
		n->slept += skip ? skip : 1;
		return;
	}
	if (n->slept)
		node_wake(n);
	in->rst = n->host.reset_left > 0;
	in->phy_link_up = up;
	in->skip = skip != 0;
	in->skip_cycles = skip;
	axi_host_drive(&n->host.axi, cycle, in);
	if (in->rst) {
		in->axil_awvalid = in->axil_wvalid = in->axil_arvalid = in->push_awvalid = in->push_wvalid = 0;
		in->axi_rvalid = in->axi_bvalid = 0;
		in->rx_valid = 0;
		in->tx_ready = 0;
	} else {
		rx_drive(f, n, cycle);
		in->tx_ready = !up || n->tx_credit > 0;
	}

	n->model->step(n->model, in, &n->out);
	n->st.cycles++;
	n->st.core_cycles += n->out.core_on;

	if (n->rec)
		record_cycle(n->rec, in, &n->out);
	if (in->rst) {
		n->host.reset_left--;
		n->quiet_cycles = 0;
		packet_free(n->tx_pkt);
		n->tx_pkt = NULL;
		if (n->link)
			n->link->end[n->end].present = false;
		n->expect_now = 0;
		return;
	}
	if (n->expect_now && n->out.now != n->expect_now)
		log_err("%s: now_o is %llu, but by the clock it must be %llu", n->name,
			(unsigned long long)n->out.now, (unsigned long long)n->expect_now);
	n->expect_now = n->out.now + (skip ? skip : 1);
	axi_host_sample(&n->host.axi, in, &n->out);
	tx_sample(f, n, cycle);
	if (n->link)
		n->link->end[n->end].present = !n->out.phy_reset;

	if (!n->out.idle || n->out.tx_valid || in->rx_valid || n->out.irq_valid ||
	    !axi_host_quiet(&n->host.axi))
		n->quiet_cycles = 0;
	else if (n->quiet_cycles < QUIET_CYCLES)
		n->quiet_cycles++;
}

static void credits(const struct fabric *f, struct node *n, uint64_t cycles)
{
	uint64_t rate = n->tx ? n->tx->rate : (uint64_t)f->beat << 16;
	int64_t cap = (int64_t)(rate > (uint64_t)f->beat << 16 ? rate : (uint64_t)f->beat << 16);
	int64_t add = cycles > 4096 ? cap * 64 : (int64_t)(rate * cycles);

	n->tx_credit = n->tx_credit + add > cap ? cap : n->tx_credit + add;
	n->rx_credit = n->rx_credit + add > cap ? cap : n->rx_credit + add;
}

static void node_run(void *ctx, unsigned i)
{
	struct fabric *f = ctx;
	struct node *n = f->busy[i];

	for (unsigned c = 0; c < f->chunk; c++) {
		node_step(f, n, f->cycle + c, f->skip);
		credits(f, n, f->skip ? f->skip : 1);
	}
}

/* What the nodes sent goes to the wires in the order in which it was sent, whoever ran first. */
static void send_all(struct fabric *f)
{
	for (;;) {
		struct node *first = NULL;
		struct packet *p;

		for (unsigned i = 0; i < f->nodes; i++) {
			struct node *n = &f->node[i];

			if (n->sent && (!first || n->sent->t_last < first->sent->t_last))
				first = n;
		}
		if (!first)
			return;
		p = first->sent;
		first->sent = p->next;
		if (!p->next)
			first->sent_end = &first->sent;
		wire_send(first->tx, p);
	}
}

/* `cycles` cycles, at most f->ahead; or one that is a jump over `skip`. */
static void step(struct fabric *f, unsigned cycles, uint64_t skip)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < f->links; i++)
		link_update(f, &f->link[i]);
	/* Nothing that a node sends now arrives within these cycles, nor what is sent to one: so these may go first. */
	for (unsigned c = 0; c < cycles; c++) {
		for (unsigned i = 0; i < f->links; i++)
			if (f->link[i].end[0].sink || f->link[i].end[1].sink)
				uplink_out(&f->link[i], f->cycle + c);
		if (f->sw)
			ib_switch_step(f->sw, f->cycle + c);
	}
	for (unsigned i = 0; i < f->nodes; i++) {
		struct node *n = &f->node[i];

		if (!skip && node_sleeps(n, f->cycle, cycles)) {
			n->slept += cycles;
			credits(f, n, cycles);
		} else {
			f->busy[busy++] = n;
		}
	}
	f->chunk = cycles;
	f->skip = skip;
	if (thread_pool_run(cycles > 1 ? f->pool : NULL, node_run, f, busy))
		f->shared += cycles;
	send_all(f);
	f->stepped += cycles;
	f->cycle += skip ? skip : cycles;
}

void fabric_step(struct fabric *f)
{
	step(f, 1, 0);
}

void fabric_advance(struct fabric *f, unsigned cycles)
{
	while (cycles) {
		unsigned n = cycles < f->ahead ? cycles : f->ahead;

		step(f, n, 0);
		cycles -= n;
	}
}

uint64_t fabric_idle_until(const struct fabric *f)
{
	uint64_t until = UINT64_MAX, t;

	for (unsigned i = 0; i < f->nodes; i++) {
		const struct node *n = &f->node[i];

		if (!node_quiet(n))
			return f->cycle;
		if (n->out.next_timer == OHCA_NO_TIMER)
			continue;
		if (n->out.next_timer <= node_now(n))
			return f->cycle;
		t = n->out.next_timer - node_now(n);
		t = t > UINT64_MAX - f->cycle ? UINT64_MAX : f->cycle + t;
		if (t < until)
			until = t;
	}
	for (unsigned i = 0; i < f->links; i++) {
		const struct link *l = &f->link[i];
		bool all = l->end[0].present && l->end[1].present;

		if (all != (l->up || l->up_at != UINT64_MAX))
			return f->cycle;
		if (!l->up && l->up_at < until)
			until = l->up_at;
		for (int d = 0; d < 2; d++) {
			t = wire_next_due(&l->w[d]);
			if (t < until)
				until = t;
		}
	}
	if (f->sw) {
		t = ib_switch_next(f->sw, f->cycle);
		if (t < until)
			until = t;
	}
	return until < f->cycle ? f->cycle : until;
}

void fabric_skip(struct fabric *f, uint64_t to)
{
	if (to <= f->cycle)
		return;
	if (to - f->cycle < 8) {
		/* not worth a jump, and keeps the jumps away from edges */
		while (f->cycle < to)
			step(f, 1, 0);
		return;
	}
	for (unsigned i = 0; i < f->nodes; i++)
		f->node[i].st.skips++;
	step(f, 1, to - f->cycle);
}

/* ---- making one --------------------------------------------------------------- */

static void phy_rate(struct fabric *f)
{
	double gbps = f->cfg.rate_gbps;
	unsigned w = f->cfg.axi.data_width;

	if (gbps <= 0)
		gbps = (double)w * f->cfg.clock_mhz / 1000.0;
	if (f->cfg.rate_gbps <= 0 && gbps > 100)
		gbps = 100;
	f->cfg.rate_gbps = gbps;
	/* the nearest standard 4x link that is not slower, informational */
	f->phy_width = 4;
	f->phy_speed = gbps <= 8 ? 25 : gbps <= 16 ? 50 : gbps <= 32 ? 100 : gbps <= 56 ? 140 : 250;
}

static struct node *node_init(struct fabric *f, unsigned i)
{
	struct fabric_config *c = &f->cfg;
	struct node *n = &f->node[i];
	struct axi_host_cfg hc = c->axi;
	struct ohca_model_config mc = {
		.data_width = c->axi.data_width, .node = i, .seed = c->seed + i,
		.firmware = c->firmware,
	};
	char path[4096];

	n->idx = i;
	snprintf(n->name, sizeof(n->name), "node%u", i);
	hc.seed = c->seed * 1000003 + i;
	host_init(&n->host, &hc, n->name);
	n->in.strap_guid = OHCA_GUID_BASE | (i + 1) << 8;
	n->in.phy_width = f->phy_width;
	n->in.phy_speed = f->phy_speed;
	n->in.strap_mhz = f->cfg.strap_mhz ? f->cfg.strap_mhz : f->cfg.clock_mhz;
	n->out.next_timer = OHCA_NO_TIMER;
	n->sent_end = &n->sent;
	if (c->trace) {
		/* one waveform file per node when there are several */
		const char *dot = strrchr(c->trace, '.');
		int stem = dot && !strchr(dot, '/') ? (int)(dot - c->trace) : (int)strlen(c->trace);

		if (c->nodes > 1)
			snprintf(path, sizeof(path), "%.*s.%u%s", stem, c->trace, i,
				 c->trace + stem);
		else
			snprintf(path, sizeof(path), "%s", c->trace);
		mc.trace = path;
	}
	n->model = (c->create ? c->create : ohca_model_create)(&mc);
	if (!n->model)
		return NULL;
	if (c->record) {
		char rp[4096];

		snprintf(rp, sizeof(rp), "%s.%u", c->record, i);
		n->rec = record_open(rp, &mc, n->in.strap_guid);
		if (!n->rec)
			return NULL;
	}
	return n;
}

static void attach(struct link *l, unsigned end, struct node *n)
{
	l->end[end].node = n;
	n->link = l;
	n->end = end;
	n->tx = &l->w[end];
	n->rx = &l->w[1 - end];
}

static struct link *link_new(struct fabric *f, const char *a, const char *b)
{
	unsigned i = f->links++;
	struct link *l = &f->link[i];
	uint64_t rate = (uint64_t)(f->cfg.rate_gbps * 1e9 / 8 / (f->cfg.clock_mhz * 1e6) * 65536);

	for (unsigned d = 0; d < 2; d++) {
		char name[40];

		snprintf(name, sizeof(name), "link%u:%s>%s", i, d ? b : a, d ? a : b);
		wire_init(&l->w[d], name, i, d, rate, f->cfg.link_latency);
		if (wire_ahead(&l->w[d]) < f->ahead)
			f->ahead = wire_ahead(&l->w[d]);
		l->w[d].faults = f->cfg.faults;
		l->w[d].pcap = f->cfg.pcap;
	}
	l->up_at = UINT64_MAX;
	return l;
}

struct fabric *fabric_create(const struct fabric_config *cfg)
{
	unsigned w = cfg->axi.data_width, threads = cfg->threads < cfg->nodes ? cfg->threads : cfg->nodes;
	struct fabric *f;

	if (!cfg->nodes || cfg->nodes > FABRIC_MAX_NODES) {
		log_err("%u nodes: must be 1 to %u", cfg->nodes, FABRIC_MAX_NODES);
		return NULL;
	}
	if (w != 64 && w != 128 && w != 256 && w != 512) {
		log_err("data width %u: must be 64, 128, 256 or 512", w);
		return NULL;
	}
	if (!cfg->clock_mhz) {
		log_err("the clock must not be 0 MHz");
		return NULL;
	}
	f = aligned_alloc(64, (sizeof(*f) + 63) & ~(size_t)63);
	if (!f)
		return NULL;
	memset(f, 0, sizeof(*f));
	f->cfg = *cfg;
	f->beat = w / 8;
	f->ahead = WIRE_AHEAD;
	phy_rate(f);
	for (unsigned i = 0; i < cfg->nodes; i++) {
		f->nodes = i + 1;
		if (!node_init(f, i)) {
			fabric_destroy(f);
			return NULL;
		}
	}
	f->pool = thread_pool_create(threads, cfg->choose_threads);
	switch (cfg->topology) {
	case TOPO_NONE:
		break;
	case TOPO_P2P:
		for (unsigned i = 0; i + 1 < f->nodes; i += 2) {
			struct link *l = link_new(f, f->node[i].name, f->node[i + 1].name);

			attach(l, 0, &f->node[i]);
			attach(l, 1, &f->node[i + 1]);
		}
		break;
	case TOPO_LOOPBACK:
		for (unsigned i = 0; i < f->nodes; i++) {
			struct link *l = link_new(f, f->node[i].name, f->node[i].name);

			/* one fibre from the port back into itself: w[0] both ways */
			attach(l, 0, &f->node[i]);
			f->node[i].rx = &l->w[0];
			l->end[1].present = true;
		}
		break;
	case TOPO_SWITCH: {
		unsigned ports = cfg->switch_ports > f->nodes ? cfg->switch_ports : f->nodes;

		f->sw = ib_switch_create(ports, cfg->switch_lanes, f->cfg.rate_gbps,
					 f->cfg.clock_mhz, cfg->seed);
		if (!f->sw) {
			fabric_destroy(f);
			return NULL;
		}
		for (unsigned i = 0; i < f->nodes; i++) {
			char port[16];
			struct link *l;

			snprintf(port, sizeof(port), "port%u", i + 1);
			l = link_new(f, f->node[i].name, port);
			attach(l, 0, &f->node[i]);
			l->port = i + 1;
			ib_switch_attach(f->sw, i + 1, &l->w[0], &l->w[1], &l->end[1].present);
		}
		break;
	}
	}
	return f;
}

struct wire *fabric_attach_uplink(struct fabric *f, void (*sink)(void *ctx, struct packet *p),
				   void *ctx)
{
	struct link *l;

	if (f->links >= ARRAY_SIZE(f->link))
		goto none;
	if (f->sw) {
		char name[16];
		unsigned port = 1;

		for (unsigned i = 0; i < f->links; i++)
			port = f->link[i].port >= port ? f->link[i].port + 1 : port;
		if (port > ib_switch_ports(f->sw))
			goto none;
		snprintf(name, sizeof(name), "port%u", port);
		l = link_new(f, "uplink", name);
		l->port = port;
		ib_switch_attach(f->sw, port, &l->w[0], &l->w[1], &l->end[1].present);
	} else {
		unsigned i = 0;

		while (i < f->nodes && f->node[i].link)
			i++;
		if (i == f->nodes)
			goto none;
		l = link_new(f, "uplink", f->node[i].name);
		attach(l, 1, &f->node[i]);
	}
	l->end[0].sink = sink;
	l->end[0].ctx = ctx;
	l->end[0].present = true;
	return &l->w[0];
none:
	log_err("no port is free for an uplink (--ports makes a larger switch)");
	return NULL;
}

void fabric_destroy(struct fabric *f)
{
	if (!f)
		return;
	thread_pool_destroy(f->pool);
	for (unsigned i = 0; i < f->nodes; i++) {
		struct node *n = &f->node[i];

		if (n->rec && !record_close(n->rec))
			log_err("%s: the recording is incomplete", n->name);
		if (n->model) {
			if (n->model->flush)
				n->model->flush(n->model);
			n->model->destroy(n->model);
		}
		packet_free(n->tx_pkt);
		packet_free(n->rx_pkt);
		if (n->host.axi.op)
			host_fini(&n->host);
	}
	for (unsigned i = 0; i < f->links; i++)
		for (int d = 0; d < 2; d++)
			wire_clear(&f->link[i].w[d]);
	if (f->sw)
		ib_switch_destroy(f->sw);
	free(f);
}

void fabric_flush(struct fabric *f)
{
	pcapng_flush(f->cfg.pcap);
	for (unsigned i = 0; i < f->nodes; i++)
		if (f->node[i].model->flush)
			f->node[i].model->flush(f->node[i].model);
}

/* ---- native hosts ------------------------------------------------------------- */

bool fabric_run(struct fabric *f, uint64_t cycles, bool (*done)(void *ctx), void *ctx)
{
	uint64_t end = f->cycle + cycles;

	while (f->cycle < end) {
		uint64_t until;

		if (done && done(ctx))
			return true;
		until = fabric_idle_until(f);
		if (until > f->cycle + 8)
			fabric_skip(f, until < end ? until : end);
		else
			fabric_step(f);
	}
	return done && done(ctx);
}

struct sync_read { void *data; unsigned len; bool done, ok; };

static void sync_read_done(void *ctx, const uint8_t *data, unsigned len, bool ok)
{
	struct sync_read *s = ctx;

	memcpy(s->data, data, len < s->len ? len : s->len);
	s->done = true;
	s->ok = ok;
}

static bool sync_read_poll(void *ctx)
{
	return ((struct sync_read *)ctx)->done;
}

bool fabric_read(struct fabric *f, unsigned node, uint32_t off, void *data, unsigned len)
{
	struct ohca_host *h = &f->node[node].host;
	struct sync_read s = { .data = data, .len = len };

	memset(data, 0xff, len);
	while (!host_mmio_read(h, off, len, sync_read_done, &s))
		fabric_step(f);
	if (!fabric_run(f, 4ull * h->axi.cfg.mmio_timeout, sync_read_poll, &s))
		host_mmio_forget(h, &s);
	return s.done && s.ok;
}

bool fabric_write(struct fabric *f, unsigned node, uint32_t off, const void *data, unsigned len)
{
	struct ohca_host *h = &f->node[node].host;

	for (uint64_t n = 0; !host_mmio_write(h, off, data, len); n++) {
		if (n > 4ull * h->axi.cfg.mmio_timeout)
			return false;
		fabric_step(f);
	}
	return true;
}

uint32_t fabric_read32(struct fabric *f, unsigned node, uint32_t off)
{
	uint32_t v;

	fabric_read(f, node, off, &v, 4);
	return v;
}

uint64_t fabric_read64(struct fabric *f, unsigned node, uint32_t off)
{
	uint64_t v;

	fabric_read(f, node, off, &v, 8);
	return v;
}

void fabric_write32(struct fabric *f, unsigned node, uint32_t off, uint32_t v)
{
	fabric_write(f, node, off, &v, 4);
}

void fabric_write64(struct fabric *f, unsigned node, uint32_t off, uint64_t v)
{
	fabric_write(f, node, off, &v, 8);
}
