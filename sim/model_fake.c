/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A fake adapter: scratch registers, a DMA copier with many reads in flight
 * on distinct ids, a packet sender and receiver, a timer and interrupts.  It
 * tests the simulator around it; it knows nothing of InfiniBand.
 */
#include "model.h"
#include "model_fake.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DMA 65536
#define TAGS 16
#define BURST 256			/* bytes per read, aligned */

enum phase { IDLE, READING, WRITING, SENDING, WAIT_B, RAISE };

struct wr { uint64_t addr; uint32_t len, off; const uint8_t *data; };

struct fake {
	struct ohca_model m;
	unsigned beat;
	uint64_t now;
	uint8_t scratch[4096];
	uint64_t src, dst, len, cmd, rxbuf, rxcount, timer;
	bool timer_on, hang, retrain, link_up;
	uint64_t guid, wstrb;
	unsigned errors;
	/* registers */
	bool aw, w, b, r, ar_bad, b_bad;
	uint32_t awaddr;
	uint64_t wdata, rdata;
	uint8_t strb;
	/* DMA */
	enum phase phase, after;
	uint8_t *buf;
	uint64_t ar_next, ar_end;	/* next read burst; end of the range */
	struct { bool busy; uint64_t addr; unsigned got; } tag[TAGS];
	unsigned outstanding, b_wait;
	struct wr wr;
	bool aw_sent;
	uint64_t aw_at;			/* address of the burst being written */
	unsigned aw_beats, w_beats;
	/* packets */
	uint32_t tx_off;
	uint8_t tx_kind, rx_buf[2][FAKE_RX_SLOT];
	unsigned rx_fill, rx_side;
	uint32_t rx_len;
	bool rx_full, rx_writing;
	unsigned vector;
	unsigned irq_mask;
};

static void reset(struct fake *f)
{
	struct ohca_model m = f->m;
	uint8_t *buf = f->buf;
	unsigned beat = f->beat;

	memset(f, 0, sizeof(*f));
	f->m = m;
	f->buf = buf;
	f->beat = beat;
}

static uint64_t reg_read(struct fake *f, uint32_t a, bool *bad)
{
	uint64_t v;

	*bad = a == FAKE_SLVERR;
	if (a < 4096) {
		memcpy(&v, f->scratch + a, 8);
		return v;
	}
	switch (a) {
	case FAKE_ID: return FAKE_ID_VALUE;
	case FAKE_SRC: return f->src;
	case FAKE_DST: return f->dst;
	case FAKE_LEN: return f->len;
	case FAKE_STATUS: return (f->phase != IDLE) | (uint64_t)f->errors << 16;
	case FAKE_RXBUF: return f->rxbuf;
	case FAKE_RXCOUNT: return f->rxcount;
	case FAKE_LINK: return f->link_up;
	case FAKE_NOW: return f->now;
	case FAKE_GUID: return f->guid;
	case FAKE_WSTRB: return f->wstrb;
	default: return 0;
	}
}

static void reg_write(struct fake *f, uint32_t a, uint64_t v, uint8_t strb)
{
	if (a < 4096) {
		for (unsigned i = 0; i < 8; i++)
			if (strb >> i & 1)
				f->scratch[a + i] = (uint8_t)(v >> 8 * i);
		f->wstrb = strb;
		return;
	}
	switch (a) {
	case FAKE_SRC: f->src = v; break;
	case FAKE_DST: f->dst = v; break;
	case FAKE_LEN: f->len = v > MAX_DMA ? MAX_DMA : v; break;
	case FAKE_RXBUF: f->rxbuf = v; break;
	case FAKE_RXCOUNT: f->rxcount = 0; break;
	case FAKE_TIMER: f->timer = f->now + v; f->timer_on = true; break;
	case FAKE_LINK: f->retrain = v & 1; break;
	case FAKE_HANG: f->hang = v & 1; break;
	case FAKE_CMD:
		if (f->phase != IDLE)
			break;
		f->cmd = v;
		f->vector = v >> 8 & 0xff;
		if ((v & 0xff) == FAKE_IRQ) {
			f->phase = RAISE;
			break;
		}
		f->phase = READING;
		f->after = (v & 0xff) == FAKE_SEND ? SENDING : WRITING;
		f->tx_kind = v >> 16 & 3;
		f->tx_off = 0;
		f->ar_next = f->src & ~(uint64_t)(f->beat - 1);
		f->ar_end = f->src + f->len;
		break;
	default: break;
	}
}

static void registers(struct fake *f, const struct ohca_in *in, struct ohca_out *o)
{
	o->axil_awready = !f->aw && !f->hang;
	o->axil_wready = !f->w && !f->hang;
	o->axil_arready = !f->r && !f->hang && !f->aw && !f->w;
	o->axil_bvalid = f->b;
	o->axil_bresp = f->b_bad ? AXI_SLVERR : AXI_OKAY;
	o->axil_rvalid = f->r;
	o->axil_rdata = f->rdata;
	o->axil_rresp = f->ar_bad ? AXI_SLVERR : AXI_OKAY;

	/* the edge */
	if (f->b && in->axil_bready)
		f->b = false;
	if (f->r && in->axil_rready)
		f->r = false;
	if (in->axil_awvalid && o->axil_awready) {
		f->aw = true;
		f->awaddr = in->axil_awaddr;
	}
	if (in->axil_wvalid && o->axil_wready) {
		f->w = true;
		f->wdata = in->axil_wdata;
		f->strb = in->axil_wstrb;
	}
	if (f->aw && f->w && !f->b) {
		f->aw = f->w = false;
		f->b = true;
		f->b_bad = f->awaddr == FAKE_SLVERR;
		reg_write(f, f->awaddr & 0x1ffff8, f->wdata, f->strb);
	}
	if (in->axil_arvalid && o->axil_arready) {
		f->r = true;
		f->rdata = reg_read(f, in->axil_araddr & 0x1ffff8, &f->ar_bad);
	}
}

static void begin_write(struct fake *f, uint64_t addr, const uint8_t *data, uint32_t len)
{
	f->wr.addr = addr;
	f->wr.data = data;
	f->wr.len = len;
	f->wr.off = 0;
	f->aw_sent = false;
}

static void memory(struct fake *f, const struct ohca_in *in, struct ohca_out *o)
{
	unsigned beat = f->beat, t;
	uint64_t mask = beat - 1;
	bool writing = f->wr.len > f->wr.off;

	o->axi_bready = 1;
	o->axi_rready = 1;
	o->axi_arvalid = 0;
	o->axi_awvalid = 0;
	o->axi_wvalid = 0;
	for (t = 0; t < TAGS && f->tag[t].busy; t++)
		;
	if (f->phase == READING && f->ar_next < f->ar_end && t < TAGS) {
		uint64_t stop = (f->ar_next | (BURST - 1)) + 1;

		if (stop > f->ar_end)
			stop = (f->ar_end + mask) & ~mask;
		o->axi_arvalid = 1;
		o->axi_arid = (uint8_t)(t * 3 % 64);
		o->axi_araddr = f->ar_next;
		o->axi_arlen = (uint8_t)((stop - f->ar_next) / beat - 1);
		o->axi_arsize = (uint8_t)__builtin_ctz(beat);
		o->axi_arburst = 1;
	}
	if (writing) {
		uint64_t at = f->wr.addr + f->wr.off, base = at & ~mask;
		uint64_t stop = (base | 4095) + 1, end = f->wr.addr + f->wr.len;

		if (!f->aw_sent) {
			if (stop > end)
				stop = (end + mask) & ~mask;
			if (stop - base > BURST)
				stop = base + BURST;
			o->axi_awvalid = 1;
			o->axi_awid = 5;
			o->axi_awaddr = base;
			o->axi_awlen = (uint8_t)((stop - base) / beat - 1);
			o->axi_awsize = (uint8_t)__builtin_ctz(beat);
			o->axi_awburst = 1;
		} else {
			unsigned lane = (unsigned)(at & mask);
			uint64_t n = beat - lane;

			if (n > end - at)
				n = end - at;
			o->axi_wvalid = 1;
			memset(o->axi_wdata, 0xa5, beat);	/* dirt outside the strobes */
			memcpy(o->axi_wdata + lane, f->wr.data + f->wr.off, n);
			o->axi_wstrb = (n == 64 ? UINT64_MAX : (1ull << n) - 1) << lane;
			o->axi_wlast = f->w_beats + 1 == f->aw_beats;
			if (in->axi_wready) {
				f->wr.off += (uint32_t)n;
				if (++f->w_beats == f->aw_beats)
					f->aw_sent = false;
			}
		}
	}
	/* the edge */
	if (o->axi_arvalid && in->axi_arready) {
		f->tag[t].busy = true;
		f->tag[t].addr = o->axi_araddr;
		f->tag[t].got = 0;
		f->ar_next = o->axi_araddr + (o->axi_arlen + 1u) * beat;
		f->outstanding++;
	}
	if (o->axi_awvalid && in->axi_awready) {
		f->aw_sent = true;
		f->aw_beats = o->axi_awlen + 1u;
		f->w_beats = 0;
		f->b_wait++;
	}
	if (in->axi_rvalid) {
		for (t = 0; t < TAGS; t++)
			if (f->tag[t].busy && in->axi_rid == t * 3 % 64)
				break;
		if (t == TAGS) {
			f->errors++;
		} else {
			uint64_t at = f->tag[t].addr + f->tag[t].got;
			uint64_t base = f->src & ~mask;

			memcpy(f->buf + (at - base), in->axi_rdata, beat);
			f->tag[t].got += beat;
			f->errors += in->axi_rresp != AXI_OKAY;
			if (in->axi_rlast) {
				f->tag[t].busy = false;
				f->outstanding--;
			}
		}
	}
	if (in->axi_bvalid) {
		f->errors += in->axi_bresp != AXI_OKAY || !f->b_wait;
		f->b_wait -= f->b_wait != 0;
	}
}

static void engine(struct fake *f)
{
	bool written = f->wr.off >= f->wr.len;

	switch (f->phase) {
	case READING:
		if (f->ar_next < f->ar_end || f->outstanding)
			break;
		f->phase = f->after;
		if (f->phase == WRITING)
			begin_write(f, f->dst, f->buf + (f->src & (f->beat - 1)), (uint32_t)f->len);
		break;
	case WRITING:
		if (written)
			f->phase = WAIT_B;
		break;
	case WAIT_B:
		if (!f->b_wait)
			f->phase = RAISE;
		break;
	case RAISE:
		f->irq_mask |= 1u << (f->vector & 31);
		f->phase = IDLE;
		break;
	default:
		break;
	}
	/* received packets use the write port when the copier does not */
	if (f->rx_full && !f->rx_writing && f->phase == IDLE && written && !f->b_wait) {
		uint8_t *slot = f->rx_buf[!f->rx_side];

		if (f->rxbuf) {
			begin_write(f, f->rxbuf + f->rxcount % 16 * FAKE_RX_SLOT, slot, 64 + f->rx_len);
			f->rx_writing = true;
			f->phase = WRITING;
			f->vector = 1;
		} else {
			f->rx_full = false;
		}
		f->rxcount++;
	} else if (f->rx_writing && f->phase == IDLE) {
		f->rx_writing = false;
		f->rx_full = false;
	}
}

static void packets(struct fake *f, const struct ohca_in *in, struct ohca_out *o)
{
	o->tx_valid = 0;
	if (f->phase == SENDING) {
		uint64_t left = f->len - f->tx_off, n = left < f->beat ? left : f->beat;

		o->tx_valid = 1;
		memset(o->tx_data, 0xee, f->beat);
		memcpy(o->tx_data, f->buf + (f->src & (f->beat - 1)) + f->tx_off, n);
		o->tx_keep = n == 64 ? UINT64_MAX : (1ull << n) - 1;
		o->tx_last = n == left;
		o->tx_kind = f->tx_kind;
		if (in->tx_ready) {
			f->tx_off += (uint32_t)n;
			if (o->tx_last)
				f->phase = RAISE;
		}
	}
	if (in->rx_valid) {
		uint8_t *slot = f->rx_buf[f->rx_side];
		unsigned n = (unsigned)__builtin_popcountll(in->rx_keep);

		if (64 + f->rx_fill + n <= FAKE_RX_SLOT) {
			memcpy(slot + 64 + f->rx_fill, in->rx_data, n);
			f->rx_fill += n;
		}
		if (in->rx_last) {
			uint32_t kind = in->rx_kind | (uint32_t)in->rx_error << 8;

			memcpy(slot, &f->rx_fill, 4);
			memcpy(slot + 4, &kind, 4);
			if (f->rx_full) {
				f->errors++;		/* too slow: lost */
			} else {
				f->rx_len = f->rx_fill;
				f->rx_full = true;
				f->rx_side = !f->rx_side;
			}
			f->rx_fill = 0;
		}
	}
}

static void step(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *o)
{
	struct fake *f = container_of(m, struct fake, m);

	o->now = f->now;
	o->next_timer = f->timer_on ? f->timer : OHCA_NO_TIMER;
	o->phy_reset = f->retrain;
	o->irq_valid = f->irq_mask != 0;
	o->irq_vector = o->irq_valid ? (uint8_t)__builtin_ctz(f->irq_mask) : 0;
	o->core_on = 1;
	o->idle = f->phase == IDLE && !f->rx_full && !f->irq_mask && !f->aw && !f->w && !f->b &&
		  !f->r && !f->retrain && !(f->timer_on && f->timer <= f->now + 1);
	if (in->rst) {
		o->tx_valid = o->axi_arvalid = o->axi_awvalid = o->axi_wvalid = 0;
		o->axil_bvalid = o->axil_rvalid = o->irq_valid = 0;
		o->axil_awready = o->axil_wready = o->axil_arready = 0;
		reset(f);
		return;
	}
	f->guid = in->strap_guid;
	f->link_up = in->phy_link_up;
	f->retrain = false;
	if (o->irq_valid && in->irq_ready)
		f->irq_mask &= f->irq_mask - 1;
	registers(f, in, o);
	packets(f, in, o);
	memory(f, in, o);
	engine(f);
	if (f->timer_on && f->now >= f->timer) {
		f->timer_on = false;
		f->irq_mask |= 1u << 2;
	}
	f->now += in->skip ? in->skip_cycles : 1;
}

static void destroy(struct ohca_model *m)
{
	struct fake *f = container_of(m, struct fake, m);

	free(f->buf);
	free(f);
}

struct ohca_model *ohca_fake_create(const struct ohca_model_config *cfg)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	f->m.name = "fake";
	f->m.data_width = cfg->data_width;
	f->m.step = step;
	f->m.destroy = destroy;
	f->beat = cfg->data_width / 8;
	f->buf = xcalloc(1, MAX_DMA + 2 * OHCA_MAX_BEAT);
	return &f->m;
}
