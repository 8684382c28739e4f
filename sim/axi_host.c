/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Host memory and registers against the adapter's AXI pins.  Memory reads
 * come back after the PCIe round trip, paced by the link, in any order
 * between ids, switching ids only at read completion boundaries; writes land
 * in the order in which they were sent: at once, or (loose) some time before
 * their B.
 */
#include "axi_host.h"
#include "events.h"
#include "../formats/ohca_fmt.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void axi_host_cfg_default(struct axi_host_cfg *c, unsigned data_width)
{
	memset(c, 0, sizeof(*c));
	c->data_width = data_width;
	c->read_latency = 125;
	c->read_jitter = 16;
	c->write_latency = 20;
	c->mmio_timeout = 200000;
	c->rcb = 256;
	c->tlp_payload = 256;
	c->tlp_overhead = 24;
	c->rate = (uint64_t)(63.0 * 65536);	/* 15.75 GB/s at 250 MHz */
	c->max_reads = 256;
	c->reorder = true;
	c->seed = 1;
}

/* Room for the data of all bursts: those being sent, those on their way into memory, and reads. */
static void loose_init(struct axi_host *h)
{
	size_t wr = ARRAY_SIZE(h->wq) + ARRAY_SIZE(h->bq), per_wr = AXI_BURST + 256 * sizeof(uint64_t);
	uint8_t *p;

	if (h->cfg.max_reads > ARRAY_SIZE(h->early))
		h->cfg.max_reads = ARRAY_SIZE(h->early);
	h->hq = xcalloc(ARRAY_SIZE(h->bq), sizeof(*h->hq));
	p = h->pool = xcalloc(wr * per_wr + h->cfg.max_reads * (AXI_BURST + 256), 1);
	for (unsigned i = 0; i < wr; i++, p += per_wr) {
		struct wr_burst *w = i < ARRAY_SIZE(h->wq) ? &h->wq[i] : &h->hq[i - ARRAY_SIZE(h->wq)];

		w->data = p;
		w->strb = (uint64_t *)(void *)(p + AXI_BURST);
	}
	for (unsigned i = 0; i < h->cfg.max_reads; i++, p += AXI_BURST + 256) {
		h->rd_pool[i].data = p;
		h->rd_pool[i].beat_resp = p + AXI_BURST;
	}
}

void axi_host_init(struct axi_host *h, const struct axi_host_cfg *cfg, const char *name)
{
	memset(h, 0, sizeof(*h));
	h->cfg = *cfg;
	h->beat = cfg->data_width / 8;
	if (h->cfg.rcb < h->beat)
		h->cfg.rcb = h->beat;
	if (!h->cfg.tlp_payload)
		h->cfg.tlp_payload = 256;
	if (!h->cfg.max_reads)
		h->cfg.max_reads = 1;
	h->name = name;
	h->bus_master = true;
	h->vectors = 256;
	h->rd_cur = AXI_IDS;
	h->op = xcalloc(MMIO_FIFO, sizeof(*h->op));
	h->rd_pool = xcalloc(h->cfg.max_reads, sizeof(*h->rd_pool));
	for (unsigned i = 0; i < h->cfg.max_reads; i++) {
		h->rd_pool[i].next = h->rd_free;
		h->rd_free = &h->rd_pool[i];
	}
	rng_seed(&h->rng, cfg->seed, 0x41);
	dma_map_init(&h->dma);
	if (h->cfg.loose)
		loose_init(h);
}

void axi_host_fini(struct axi_host *h)
{
	axi_host_reset(h);
	dma_map_fini(&h->dma);
	free(h->op);
	free(h->rd_pool);
	free(h->hq);
	free(h->pool);
	h->hq = NULL;
	h->pool = NULL;
	h->op = NULL;
	h->rd_pool = NULL;
}

/* ---- registers ---------------------------------------------------------- */

static struct mmio_op *op_at(struct axi_host *h, unsigned i)
{
	return &h->op[(h->op_head + i) % MMIO_FIFO];
}

static struct mmio_op *op_push(struct axi_host *h)
{
	struct mmio_op *o = op_at(h, h->op_count++);

	memset(o, 0, sizeof(*o));
	o->due = o->aw_at = o->w_at = h->cycle + h->cfg.mmio_latency;
	if (h->cfg.loose && !rng_below(&h->rng, 4)) {
		o->aw_at += rng_below(&h->rng, 8);
		o->w_at += rng_below(&h->rng, 8);
	}
	return o;
}

static void op_pop(struct axi_host *h)
{
	h->op_head = (h->op_head + 1) % MMIO_FIFO;
	h->op_count--;
	h->aw_done = h->w_done = h->ar_done = false;
	h->op_since = h->cycle;
}

static unsigned parts_of(uint32_t addr, unsigned len)
{
	return (addr + len - 1) / 8 - addr / 8 + 1;
}

/* Into a push page, or what makes the adapter forget what has come of one. */
static bool for_push(uint32_t addr)
{
	const uint32_t clr = 8 * OHCA_PUSH_BUFFERS;

	return addr >= OHCA_BAR_PUSH_BASE ||
	       (addr >= OHCA_BAR_DB_BASE && addr < OHCA_BAR_UNCACHED_BYTES && addr % 4096 / clr == OHCA_DB_PUSH_CLR / clr);
}

static void write_op(struct axi_host *h, uint32_t addr, uint64_t data, uint8_t strb)
{
	struct mmio_op *o = op_push(h);

	o->write = true;
	o->push = for_push(addr);
	o->addr = addr;
	o->strb = strb;
	o->data = data;
}

static void wide_op(struct axi_host *h, uint32_t addr, const uint8_t *line, uint64_t strb)
{
	struct mmio_op *o = op_push(h);

	o->write = o->wide = o->push = true;
	o->addr = addr;
	o->wstrb = strb;
	memcpy(o->line, line, sizeof(o->line));
}

/* Bytes of a push buffer's 64, or of what is no push buffer; in loose mode in two beats, or the second part by register writes. */
static void wide_write(struct axi_host *h, uint32_t addr, const uint8_t *data, unsigned len)
{
	uint8_t line[64] = { 0 };
	uint64_t all = (len == 64 ? UINT64_MAX : (1ull << len) - 1) << addr % 64, first = all;

	memcpy(line + addr % 64, data, len);
	addr &= ~63u;
	if (h->cfg.loose && !rng_below(&h->rng, 4))
		for (unsigned dw = 0; dw < 16; dw++)
			if (rng_below(&h->rng, 2))
				first &= ~(0xfull << 4 * dw);
	if (first)
		wide_op(h, addr, line, first);
	if (first != all && rng_chance(&h->rng, h->cfg.wide)) {
		wide_op(h, addr, line, all & ~first);
	} else if (first != all) {
		for (unsigned i = 0; i < 64; i += 8) {
			uint8_t strb = (uint8_t)((all & ~first) >> i);
			uint64_t v;

			memcpy(&v, line + i, 8);
			if (strb)
				write_op(h, addr + i, v, strb);
		}
	}
}

bool mmio_write(struct axi_host *h, uint32_t addr, const uint8_t *data, unsigned len)
{
	unsigned parts = parts_of(addr, len);

	if (!len)
		return true;
	if (parts + !!h->cfg.wide > mmio_room(h))
		return false;
	h->st.mmio_writes++;
	if (h->mmio_blocked) {
		h->st.mmio_errors++;
		return true;
	}
	if (h->cfg.combine && len == 4 && addr % 8 == 4 && h->op_count > 1) {
		struct mmio_op *o = op_at(h, h->op_count - 1);

		if (o->write && o->strb == 0x0f && o->addr == addr - 4 && rng_below(&h->rng, 2)) {
			for (unsigned b = 0; b < 4; b++)
				o->data |= (uint64_t)data[b] << (32 + 8 * b);
			o->strb = 0xff;
			return true;
		}
	}
	while (len && addr >= OHCA_BAR_PUSH_BASE && rng_chance(&h->rng, h->cfg.wide)) {
		unsigned n = 64 - addr % 64 < len ? 64 - addr % 64 : len;

		wide_write(h, addr, data, n);
		addr += n;
		data += n;
		len -= n;
	}
	while (len) {
		unsigned lane = addr % 8, n = 8 - lane < len ? 8 - lane : len;
		uint64_t v = 0;

		for (unsigned b = 0; b < n; b++)
			v |= (uint64_t)data[b] << 8 * (lane + b);
		write_op(h, addr & ~7u, v, (uint8_t)(((1u << n) - 1) << lane));
		addr += n;
		data += n;
		len -= n;
	}
	return true;
}

bool mmio_read(struct axi_host *h, uint32_t addr, unsigned len, mmio_read_cb cb, void *ctx)
{
	static const uint8_t ones[64] = { [0 ... 63] = 0xff };
	unsigned parts;

	if (!len || len > sizeof(h->rd_buf))
		return false;
	parts = parts_of(addr, len);
	if (parts > mmio_room(h))
		return false;
	h->st.mmio_reads++;
	if (h->mmio_blocked) {
		h->st.mmio_errors++;
		cb(ctx, ones, len, false);
		return true;
	}
	for (unsigned i = 0; i < parts; i++) {
		struct mmio_op *o = op_push(h);
		unsigned lane = addr % 8, n = 8 - lane < len ? 8 - lane : len;

		o->first = i == 0;
		o->last = i == parts - 1;
		o->addr = addr & ~3u;
		o->off = lane;
		o->len = (uint8_t)n;
		o->cb = cb;
		o->ctx = ctx;
		addr += n;
		len -= n;
	}
	return true;
}

void mmio_forget(struct axi_host *h, void *ctx)
{
	for (unsigned i = 0; i < h->op_count; i++)
		if (op_at(h, i)->ctx == ctx)
			op_at(h, i)->cb = NULL;
}

/* A read part is answered; the access is complete with its last part. */
static void read_part(struct axi_host *h, uint64_t data, bool ok)
{
	struct mmio_op o = *op_at(h, 0);

	if (o.first) {
		h->rd_fill = 0;
		h->rd_ok = true;
	}
	for (unsigned b = 0; b < o.len && h->rd_fill < sizeof(h->rd_buf); b++)
		h->rd_buf[h->rd_fill++] = ok ? (uint8_t)(data >> 8 * (o.off + b)) : 0xff;
	h->rd_ok &= ok;
	op_pop(h);
	if (o.last && o.cb)
		o.cb(o.ctx, h->rd_buf, h->rd_fill, h->rd_ok);
}

/* Everything that waits ends now: reads with all ones, writes are dropped. */
static void mmio_abort(struct axi_host *h)
{
	for (unsigned n = h->op_count; n && h->op_count; n--) {
		if (op_at(h, 0)->write)
			op_pop(h);
		else
			read_part(h, 0, false);
	}
	h->b_wait = h->wide_wait = 0;
	h->push_wait = false;
}

static void mmio_drive(struct axi_host *h, struct ohca_in *in)
{
	struct mmio_op *o = h->op_count ? op_at(h, 0) : NULL;

	in->axil_awvalid = in->axil_wvalid = in->axil_arvalid = 0;
	in->push_awvalid = in->push_wvalid = 0;
	in->push_bready = !h->cfg.loose || !h->cfg.wide || !rng_chance(&h->rng, h->cfg.backpressure);
	in->axil_bready = !h->cfg.loose || !rng_chance(&h->rng, h->cfg.backpressure);
	in->axil_rready = !h->cfg.loose || !rng_chance(&h->rng, h->cfg.backpressure);
	if (!o || h->cycle < o->due || h->mmio_blocked)
		return;
	if (o->push && !h->aw_done && !h->w_done && (o->wide ? h->push_wait : h->wide_wait != 0))
		return;			/* behind what went to the other port */
	if (o->wide) {
		in->push_awvalid = !h->aw_done && h->cycle >= o->aw_at;
		in->push_awaddr = o->addr;
		in->push_wvalid = !h->w_done && h->cycle >= o->w_at;
		in->push_wstrb = o->wstrb;
		memcpy(in->push_wdata, o->line, sizeof(o->line));
	} else if (o->write) {
		in->axil_awvalid = !h->aw_done && h->cycle >= o->aw_at;
		in->axil_awaddr = o->addr;
		in->axil_wvalid = !h->w_done && h->cycle >= o->w_at;
		in->axil_wdata = o->data;
		in->axil_wstrb = o->strb;
	} else if (!h->ar_done && !h->b_wait && !h->wide_wait) {
		in->axil_arvalid = 1;
		in->axil_araddr = o->addr;
	}
}

/* A beat has gone: an event for each run of its bytes. */
static void wide_event(struct axi_host *h, const struct mmio_op *o)
{
	for (unsigned i = 0, n; i < 64; i += n ? n : 1) {
		for (n = 0; i + n < 64 && o->wstrb >> (i + n) & 1; n++)
			;
		if (n)
			events_add(h->events, 'W', h->node, h->cycle, h->cycle, o->addr + i, n, o->line + i, n);
	}
}

static void wide_sample(struct axi_host *h, const struct ohca_in *in, const struct ohca_out *out)
{
	if (out->push_bvalid && in->push_bready) {
		if (!h->wide_wait) {
			h->st.axi_violations++;
			log_err("%s: push write answered that was never made", h->name);
		} else {
			h->wide_wait--;
			h->op_since = h->cycle;
		}
		if (out->push_bresp != AXI_OKAY)
			h->st.mmio_errors++;
	}
	if (!in->push_awvalid && !in->push_wvalid)
		return;
	h->aw_done |= in->push_awvalid && out->push_awready;
	h->w_done |= in->push_wvalid && out->push_wready;
	if (h->aw_done && h->w_done) {
		h->wide_wait++;
		h->st.wide_beats++;
		if (h->events)
			wide_event(h, op_at(h, 0));
		op_pop(h);
	}
}

static void mmio_sample(struct axi_host *h, const struct ohca_in *in, const struct ohca_out *out)
{
	struct mmio_op *o = h->op_count ? op_at(h, 0) : NULL;

	if (h->cfg.wide) {
		wide_sample(h, in, out);
		if (o && o->wide)
			o = NULL;
	}
	if (out->axil_bvalid && in->axil_bready) {
		if (!h->b_wait) {
			h->st.axi_violations++;
			log_err("%s: register write answered that was never made", h->name);
		} else {
			h->push_wait &= --h->b_wait != 0;
			h->op_since = h->cycle;
		}
		if (out->axil_bresp != AXI_OKAY)
			h->st.mmio_errors++;
	}
	if (o && o->write && (in->axil_awvalid || in->axil_wvalid)) {
		h->aw_done |= in->axil_awvalid && out->axil_awready;
		h->w_done |= in->axil_wvalid && out->axil_wready;
		if (h->aw_done && h->w_done) {
			h->b_wait++;
			h->push_wait |= o->push;
			if (h->events) {
				unsigned skip = o->strb ? (unsigned)__builtin_ctz(o->strb) : 0;
				uint8_t data[8];

				memcpy(data, &o->data, 8);
				events_add(h->events, 'W', h->node, h->cycle, h->cycle, o->addr + skip,
					   (unsigned)__builtin_popcount(o->strb), data + skip, (unsigned)__builtin_popcount(o->strb));
			}
			op_pop(h);
		}
	} else if (o && !o->write) {
		if (in->axil_arvalid && out->axil_arready)
			h->ar_done = true;
		if (out->axil_rvalid && in->axil_rready && h->ar_done) {
			if (out->axil_rresp != AXI_OKAY)
				h->st.mmio_errors++;
			if (h->events) {
				uint8_t data[8];

				memcpy(data, &out->axil_rdata, 8);
				events_add(h->events, 'R', h->node, h->cycle, h->cycle, (o->addr & ~7u) + o->off, o->len,
					   data + o->off, o->len);
			}
			read_part(h, out->axil_rdata, out->axil_rresp == AXI_OKAY);
			return;
		}
	}
	if (out->axil_rvalid && !(o && !o->write && h->ar_done)) {
		h->st.axi_violations++;
		log_err("%s: register read answered that was never made", h->name);
	}
	if (!h->op_count && !h->b_wait && !h->wide_wait) {
		h->op_since = h->cycle;
	} else if (h->cycle - h->op_since > h->cfg.mmio_timeout && !h->mmio_blocked &&
		   !(o && h->cycle < o->due)) {
		h->st.mmio_timeouts++;
		log_err("%s: no answer to register %s at 0x%05x within %u cycles; device given up until reset",
			h->name, !o ? "write" : o->write ? "write" : "read", o ? o->addr : 0,
			h->cfg.mmio_timeout);
		h->mmio_blocked = true;
		mmio_abort(h);
	}
}

/* ---- memory -------------------------------------------------------------- */

static void violation(struct axi_host *h, const char *what, uint64_t addr)
{
	h->st.axi_violations++;
	log_err("%s: AXI violation at 0x%llx: %s", h->name, (unsigned long long)addr, what);
}

static void check_burst(struct axi_host *h, const char *dir, uint64_t addr, unsigned len,
			unsigned size, unsigned burst)
{
	char what[96];
	const char *rule = NULL;

	if (burst != 1)
		rule = "burst type is not INCR";
	else if ((1u << (size & 7)) != h->beat)
		rule = "transfer narrower or wider than the bus";
	else if ((addr & ~(uint64_t)(h->beat - 1)) / 4096 !=
		 ((addr & ~(uint64_t)(h->beat - 1)) + (uint64_t)(len + 1) * h->beat - 1) / 4096)
		rule = "burst crosses a 4 KiB boundary";
	if (!rule)
		return;
	snprintf(what, sizeof(what), "%s %s", dir, rule);
	violation(h, what, addr);
}

static void dma_fault(struct axi_host *h, const char *dir, uint64_t addr)
{
	h->st.dma_faults++;
	log_warn("%s: DMA %s at 0x%llx refused (%s)", h->name, dir, (unsigned long long)addr,
		 h->bus_master ? "not mapped for it" : "bus master off");
}

static int64_t tlp_cost(const struct axi_host *h, uint64_t addr, unsigned bytes)
{
	/* header once per TLP, charged to the beat that begins one */
	unsigned hdr = addr % h->cfg.tlp_payload < bytes ? h->cfg.tlp_overhead : 0;

	return (int64_t)(bytes + hdr) << 16;
}

static void refill(struct axi_host *h, uint64_t cycles)
{
	int64_t cap = (int64_t)(h->cfg.tlp_payload + h->cfg.tlp_overhead) << 16;
	int64_t add = cycles > 1024 ? cap * 2 : (int64_t)(h->cfg.rate * cycles);

	h->down_credit += add;
	h->up_credit += add;
	if (h->down_credit > cap)
		h->down_credit = cap;
	if (h->up_credit > cap)
		h->up_credit = cap;
}

/* One beat of memory; the response that goes with it. */
static uint8_t read_beat(struct axi_host *h, uint64_t addr, uint8_t *to)
{
	const uint8_t *p = h->bus_master ? dma_map_ptr(&h->dma, addr, h->beat, DMA_READ) : NULL;

	if (p) {
		memcpy(to, p, h->beat);
		return AXI_OKAY;
	}
	memset(to, 0xff, h->beat);
	dma_fault(h, "read", addr);
	return AXI_SLVERR;
}

static bool write_beat(struct axi_host *h, uint64_t addr, const uint8_t *from, uint64_t strb)
{
	uint64_t full = h->beat == 64 ? UINT64_MAX : (1ull << h->beat) - 1;
	uint8_t *p = h->bus_master ? dma_map_ptr(&h->dma, addr, h->beat, DMA_WRITE) : NULL;

	strb &= full;
	if (!p) {
		if (strb)
			dma_fault(h, "write", addr);
		return !strb;
	}
	/*
	 * A guest's processor that polls may see this beat only when it can see those before it: payload before its CQE. Inside a beat the phase comes
	 * last, which a host of another order than x86's could turn round.
	 */
	atomic_thread_fence(memory_order_release);
	if (strb == full) {
		memcpy(p, from, h->beat);
	} else {
		for (unsigned i = 0; i < h->beat; i++)
			if (strb >> i & 1)
				p[i] = from[i];
	}
	return true;
}

/* Whole bursts whose time has come become visible, reads whose time has come look. Which of two in one cycle is first is open. */
static void loose_step(struct axi_host *h)
{
	bool reads_first = rng_below(&h->rng, 2);

	for (unsigned turn = 0; turn < 2; turn++) {
		if (turn != reads_first) {
			while (h->hq_count && h->hq[h->hq_head].seen_at <= h->cycle) {
				struct wr_burst *w = &h->hq[h->hq_head];

				for (unsigned i = 0; i < w->beats && !w->resp; i++)
					write_beat(h, w->addr + (uint64_t)i * h->beat, w->data + (size_t)i * h->beat, w->strb[i]);
				h->hq_head = (h->hq_head + 1) % ARRAY_SIZE(h->bq);
				h->hq_count--;
			}
			continue;
		}
		for (unsigned i = 0; i < h->early_count; ) {
			struct rd_burst *r = h->early[i];

			if (r->sample_at > h->cycle) {
				i++;
				continue;
			}
			for (unsigned k = 0; k < r->beats; k++)
				r->beat_resp[k] = read_beat(h, r->addr + (uint64_t)k * h->beat, r->data + (size_t)k * h->beat);
			r->sampled = true;
			h->early[i] = h->early[--h->early_count];
		}
	}
	if (h->cycle >= h->slow_until) {
		h->slow = !rng_below(&h->rng, 4);
		h->slow_until = h->cycle + 2000 + rng_below(&h->rng, 30000);
	}
}

/* Cycles that something takes beyond what it must: mostly few, at times many. */
static unsigned loose_delay(struct axi_host *h)
{
	if (h->slow && !rng_below(&h->rng, 32))
		return rng_below(&h->rng, h->cfg.loose);
	return rng_below(&h->rng, rng_below(&h->rng, 4) ? 8 : 100);
}

static uint8_t loose_error(struct axi_host *h)
{
	if (!rng_chance(&h->rng, h->cfg.errors))
		return AXI_OKAY;
	h->st.errors++;
	return rng_below(&h->rng, 2) ? AXI_SLVERR : AXI_DECERR;
}

/* chooses the id that sends next, or AXI_IDS */
static unsigned pick_read(struct axi_host *h)
{
	unsigned best = AXI_IDS, seen = 0;

	if (!h->rd_count)
		return AXI_IDS;
	for (unsigned id = 0; id < AXI_IDS; id++) {
		struct rd_burst *r = h->rd_head[id];

		if (!r || h->cycle < r->ready_at)
			continue;
		seen++;
		if (h->cfg.reorder ? rng_below(&h->rng, seen) == 0 :
		    best == AXI_IDS || r->ready_at < h->rd_head[best]->ready_at)
			best = id;
	}
	return best;
}

static void drive_r(struct axi_host *h, struct ohca_in *in)
{
	struct rd_burst *r;
	uint64_t addr;

	if (!h->r_held) {
		if (h->rd_cur == AXI_IDS)
			h->rd_cur = pick_read(h);
		if (h->rd_cur == AXI_IDS || h->down_credit <= 0 ||
		    rng_chance(&h->rng, h->cfg.backpressure)) {
			in->axi_rvalid = 0;
			return;
		}
		r = h->rd_head[h->rd_cur];
		addr = r->addr + (uint64_t)r->done * h->beat;
		if (r->sampled) {
			memcpy(h->r_data, r->data + (size_t)r->done * h->beat, h->beat);
			h->r_resp = r->beat_resp[r->done];
		} else {
			h->r_resp = read_beat(h, addr, h->r_data);
		}
		if (r->resp) {
			memset(h->r_data, 0x5a, h->beat);
			h->r_resp = r->resp;
		}
		h->r_id = (uint8_t)h->rd_cur;
		h->r_last = r->done + 1 == r->beats;
		h->down_credit -= tlp_cost(h, addr, h->beat);
		h->r_held = true;
	}
	in->axi_rvalid = 1;
	in->axi_rid = h->r_id;
	in->axi_rresp = h->r_resp;
	in->axi_rlast = h->r_last;
	memcpy(in->axi_rdata, h->r_data, h->beat);
}

static void sample_r(struct axi_host *h, const struct ohca_out *out)
{
	struct rd_burst *r;

	if (!h->r_held || !out->axi_rready)
		return;
	h->r_held = false;
	r = h->rd_head[h->rd_cur];
	r->done++;
	h->st.rd_bytes += h->beat;
	if (r->done == r->beats) {
		unsigned id = h->rd_cur;

		if (h->events) {
			unsigned n = r->beats * h->beat, some = n < 256 ? n : 256;
			const uint8_t *p = h->bus_master ? dma_map_ptr(&h->dma, r->addr, some, DMA_READ) : NULL;

			events_add(h->events, 'r', h->node, r->at, h->cycle, r->addr, n, p, some);
		}

		h->rd_head[id] = r->next;
		if (!r->next)
			h->rd_tail[id] = NULL;
		r->next = h->rd_free;
		h->rd_free = r;
		h->rd_count--;
		h->rd_cur = AXI_IDS;
	} else if ((r->addr + (uint64_t)r->done * h->beat) % h->cfg.rcb == 0) {
		h->rd_cur = AXI_IDS;		/* another id may go first */
	}
}

static void sample_ar(struct axi_host *h, const struct ohca_out *out)
{
	struct rd_burst *r;
	unsigned id = out->axi_arid % AXI_IDS, len = out->axi_arlen;

	if (!out->axi_arvalid || !h->arready)
		return;
	check_burst(h, "read", out->axi_araddr, len, out->axi_arsize, out->axi_arburst);
	r = h->rd_free;
	h->rd_free = r->next;
	r->next = NULL;
	r->addr = out->axi_araddr & ~(uint64_t)(h->beat - 1);
	r->beats = len + 1;
	r->done = 0;
	r->at = h->cycle;
	r->ready_at = h->cycle + h->cfg.read_latency;
	if (h->cfg.read_jitter)
		r->ready_at += rng_below(&h->rng, h->cfg.read_jitter + 1);
	r->sampled = false;
	r->resp = AXI_OKAY;
	if (h->cfg.loose) {
		unsigned how = rng_below(&h->rng, 4);

		r->ready_at += loose_delay(h);
		r->resp = loose_error(h);
		r->sample_at = how == 0 ? h->cycle : how == 1 ? h->cycle + rng_below(&h->rng, (uint32_t)(r->ready_at - h->cycle)) :
			       how == 2 ? r->ready_at : UINT64_MAX;
		if (r->sample_at != UINT64_MAX) {
			h->early[h->early_count++] = r;
			h->st.early_reads++;
		}
	}
	if (h->rd_tail[id])
		h->rd_tail[id]->next = r;
	else
		h->rd_head[id] = r;
	h->rd_tail[id] = r;
	h->rd_count++;
	h->st.rd_bursts++;
	/* one request TLP for every 512 bytes */
	h->up_credit -= (int64_t)((r->beats * h->beat + 511) / 512 * h->cfg.tlp_overhead) << 16;
}

/* What a finished burst writes, as the adapter sent it; in loose mode memory shows it later. */
static void write_event(struct axi_host *h, const struct wr_burst *w)
{
	unsigned some = w->bytes < 64 ? w->bytes : 64;
	const uint8_t *p = NULL;

	if (h->cfg.loose && (size_t)w->beats * h->beat <= AXI_BURST)
		p = w->data + (w->first - w->addr);
	else if (h->bus_master && some) /* a burst lies in one 4 KiB page, so what can be written there can be read */
		p = dma_map_ptr(&h->dma, w->first, some, DMA_WRITE);
	events_add(h->events, 'w', h->node, w->at, h->cycle, w->first, w->bytes, p, some);
}

/* The burst is whole. Its B comes behind that of the one before, its data is seen between now and then, behind that of the one before. */
static void loose_write(struct axi_host *h, struct wr_burst *w)
{
	struct wr_burst *q = &h->hq[(h->hq_head + h->hq_count++) % ARRAY_SIZE(h->bq)];
	struct wr_resp *b = &h->bq[(h->bq_head + h->bq_count++) % ARRAY_SIZE(h->bq)];
	uint8_t *data = q->data;
	uint64_t *strb = q->strb, at = h->cycle + 1 + loose_delay(h), seen;
	unsigned how = rng_below(&h->rng, 4);

	if (at < h->last_b)
		at = h->last_b;
	seen = how == 0 ? h->cycle : how == 1 ? h->cycle + rng_below(&h->rng, (uint32_t)(at - h->cycle)) : at;
	if (seen < h->last_seen)
		seen = h->last_seen;
	h->st.late_writes += seen != h->cycle;
	w->seen_at = h->last_seen = seen;
	w->resp = loose_error(h);
	b->at = h->last_b = at;
	b->id = w->id;
	b->resp = w->fault ? AXI_SLVERR : w->resp;
	*q = *w;
	w->data = data;
	w->strb = strb;
}

static void sample_w(struct axi_host *h, const struct ohca_out *out)
{
	struct wr_burst *w;
	uint64_t addr, full = h->beat == 64 ? UINT64_MAX : (1ull << h->beat) - 1;

	if (out->axi_awvalid && h->awready) {
		check_burst(h, "write", out->axi_awaddr, out->axi_awlen, out->axi_awsize,
			    out->axi_awburst);
		w = &h->wq[(h->wq_head + h->wq_count++) % ARRAY_SIZE(h->wq)];
		w->addr = out->axi_awaddr & ~(uint64_t)(h->beat - 1);
		w->id = out->axi_awid % AXI_IDS;
		w->beats = out->axi_awlen + 1u;
		w->at = h->cycle;
		w->done = w->gap = w->bytes = 0;
		w->fault = false;
		w->resp = AXI_OKAY;
		h->st.wr_bursts++;
		if (h->cfg.loose && w->id)
			violation(h, "writes have id 0", out->axi_awaddr);
	}
	w = &h->wq[h->wq_head];
	if (h->wready && !out->axi_wvalid && ++w->gap > h->st.w_gap)
		h->st.w_gap = w->gap;
	if (!out->axi_wvalid || !h->wready)
		return;
	addr = w->addr + (uint64_t)w->done * h->beat;
	if (h->cfg.loose && (size_t)(w->done + 1) * h->beat <= AXI_BURST) {
		memcpy(w->data + (size_t)w->done * h->beat, out->axi_wdata, h->beat);
		w->strb[w->done] = out->axi_wstrb & full;
		w->fault |= w->strb[w->done] && !(h->bus_master && dma_map_ptr(&h->dma, addr, h->beat, DMA_WRITE));
	} else if (!write_beat(h, addr, out->axi_wdata, out->axi_wstrb)) {
		w->fault = true;
	}
	if (h->events && (out->axi_wstrb & full)) {
		if (!w->bytes)
			w->first = addr + (unsigned)__builtin_ctzll(out->axi_wstrb & full);
		w->bytes += (unsigned)__builtin_popcountll(out->axi_wstrb & full);
	}
	h->st.wr_bytes += (unsigned)__builtin_popcountll(out->axi_wstrb & full);
	h->up_credit -= tlp_cost(h, addr, h->beat);
	w->done++;
	if (!!out->axi_wlast != (w->done == w->beats))
		violation(h, "wlast does not mark the last beat", addr);
	if (w->done == w->beats) {
		if (h->events)
			write_event(h, w);
		if (h->cfg.loose) {
			loose_write(h, w);
		} else {
			struct wr_resp *b = &h->bq[(h->bq_head + h->bq_count++) % ARRAY_SIZE(h->bq)];

			b->at = h->cycle + h->cfg.write_latency;
			b->id = w->id;
			b->resp = w->fault ? AXI_SLVERR : AXI_OKAY;
		}
		h->wq_head = (h->wq_head + 1) % ARRAY_SIZE(h->wq);
		h->wq_count--;
	}
}

/* ---- a cycle -------------------------------------------------------------- */

void axi_host_drive(struct axi_host *h, uint64_t cycle, struct ohca_in *in)
{
	unsigned bp = h->cfg.backpressure;

	refill(h, cycle - h->cycle);
	if (cycle > h->cycle + 1)
		h->op_since += cycle - h->cycle - 1;	/* a jump is no waiting */
	h->cycle = cycle;
	if (h->cfg.loose)
		loose_step(h);
	mmio_drive(h, in);

	h->arready = h->rd_free && h->up_credit > 0 && !rng_chance(&h->rng, bp);
	h->awready = h->wq_count < ARRAY_SIZE(h->wq) && !rng_chance(&h->rng, bp);
	h->wready = h->wq_count && h->bq_count < (h->cfg.loose ? ARRAY_SIZE(h->bq) : 128) && h->up_credit > 0 &&
		    !rng_chance(&h->rng, bp);
	h->irq_ready = !rng_chance(&h->rng, bp);
	in->axi_arready = h->arready;
	in->axi_awready = h->awready;
	in->axi_wready = h->wready;
	in->irq_ready = h->irq_ready;

	in->axi_bvalid = 0;
	if (h->bq_count && h->bq[h->bq_head].at <= cycle) {
		if (h->b_held || !rng_chance(&h->rng, bp)) {
			h->b_held = true;
			in->axi_bvalid = 1;
			in->axi_bid = h->bq[h->bq_head].id;
			in->axi_bresp = h->bq[h->bq_head].resp;
		}
	}
	drive_r(h, in);
}

void axi_host_sample(struct axi_host *h, const struct ohca_in *in, const struct ohca_out *out)
{
	if (h->b_held && out->axi_bready) {
		h->b_held = false;
		h->bq_head = (h->bq_head + 1) % ARRAY_SIZE(h->bq);
		h->bq_count--;
	}
	sample_r(h, out);
	sample_w(h, out);
	sample_ar(h, out);
	if (out->irq_valid && h->irq_ready) {
		h->st.irqs++;
		if (h->events)
			events_add(h->events, 'i', h->node, h->cycle, h->cycle, out->irq_vector, 0, NULL, 0);
		if (out->irq_vector >= h->vectors) {
			h->st.bad_vectors++;
			log_err("%s: interrupt vector %u, but the function has %u", h->name,
				out->irq_vector, h->vectors);
		} else if (h->irq) {
			h->irq(h->irq_ctx, out->irq_vector);
		}
	}
	mmio_sample(h, in, out);
}

bool axi_host_quiet(const struct axi_host *h)
{
	return !(h->op_count && !h->mmio_blocked) && !h->b_wait && !h->wide_wait && !h->rd_count &&
	       !h->wq_count && !h->bq_count && !h->r_held;
}

void axi_host_wedge(struct axi_host *h, bool for_good)
{
	h->broken = for_good;
	h->mmio_blocked = true;
	mmio_abort(h);
}

void axi_host_mend(struct axi_host *h)
{
	h->broken = false;
}

void axi_host_reset(struct axi_host *h)
{
	h->st.dropped_by_reset += h->rd_count + h->wq_count;
	h->mmio_blocked = h->broken;
	mmio_abort(h);
	for (unsigned id = 0; id < AXI_IDS; id++) {
		while (h->rd_head[id]) {
			struct rd_burst *r = h->rd_head[id];

			h->rd_head[id] = r->next;
			r->next = h->rd_free;
			h->rd_free = r;
		}
		h->rd_tail[id] = NULL;
	}
	h->rd_count = h->wq_count = h->bq_count = h->hq_count = h->early_count = 0;
	h->last_seen = h->last_b = 0;
	h->rd_cur = AXI_IDS;
	h->r_held = h->b_held = false;
	h->op_since = h->cycle;
}
