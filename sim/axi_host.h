/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The host as the adapter's pins see it: registers reached over AXI4-Lite,
 * memory over AXI4 with the timing of a PCIe link, interrupts by vector.
 * axi_host_drive() sets the inputs of a cycle, axi_host_sample() reads what
 * the device drove in it.  host_native.h is the interface to use from above.
 *
 * Plain, the order in memory is friendlier than AXI promises: a write is there
 * at once, a read sees memory when its data leaves.  With `loose` nothing more
 * is kept than docs/fpga.md asks for: a write becomes visible, whole, at any
 * time from its last beat to its B, writes in their order; a read sees memory
 * at any time from AR to R, its beats together or one by one; between a read
 * and a write there is no order before B; B may take `loose` cycles, now and
 * then; register writes come with AW and W at different times, and their
 * answers are not taken at once.  All of it by seed.
 *
 * With `wide` writes into push pages take the port of 512 bits: what lies in
 * 64 bytes of them is one beat, with `loose` also two, of which the second one
 * may come by register writes.  Between the two ports no more order is kept
 * than docs/fpga.md asks for.
 */
#ifndef OHCA_SIM_AXI_HOST_H
#define OHCA_SIM_AXI_HOST_H

#include "dma_map.h"
#include "model.h"
#include "util.h"

struct axi_host_cfg {
	unsigned data_width;		/* bits */
	unsigned read_latency;		/* cycles, request accepted to first data */
	unsigned read_jitter;		/* up to so many cycles more, by seed */
	unsigned write_latency;		/* cycles, last beat to B */
	unsigned mmio_latency;		/* cycles before an access reaches the pins */
	unsigned mmio_timeout;		/* cycles until an access is given up */
	unsigned rcb;			/* completions split at multiples of it */
	unsigned tlp_payload;		/* bytes */
	unsigned tlp_overhead;		/* bytes of framing and header per TLP */
	uint64_t rate;			/* raw link bytes per cycle, 16.16 */
	unsigned max_reads;		/* outstanding, all ids together */
	bool reorder;			/* between ids */
	bool combine;			/* merge some half writes that wait, by seed */
	unsigned wide;			/* chance that a write into a push page takes the wide port, of 65536 */
	unsigned backpressure;		/* chance per cycle and channel, of 65536 */
	unsigned loose;			/* the longest delay of B in cycles; 0: plain */
	unsigned errors;		/* chance that a burst answers SLVERR or DECERR, of 65536 (with loose) */
	uint64_t seed;
};
/* DESIGN defaults: 500 ns round trip, Gen3 x16, 256-byte TLPs, 250 MHz */
void axi_host_cfg_default(struct axi_host_cfg *c, unsigned data_width);

struct axi_host_stats {
	uint64_t rd_bursts, rd_bytes, wr_bursts, wr_bytes;
	uint64_t mmio_writes, mmio_reads, mmio_timeouts, mmio_errors;
	uint64_t wide_beats;
	uint64_t irqs, bad_vectors;
	uint64_t dma_faults;		/* refused: outside the map, rights, bus master off */
	uint64_t axi_violations;	/* the device broke the bus protocol */
	uint64_t dropped_by_reset;
	unsigned w_gap;			/* of all write bursts the most cycles for which the bus waited for one's data */
	uint64_t late_writes, early_reads, errors;	/* with loose: seen by others only later, sampled before its data left, injected */
};

#define AXI_IDS 64
#define AXI_BURST 4096			/* bytes, at most */
#define MMIO_FIFO 8192			/* host operations waiting */

typedef void (*mmio_read_cb)(void *ctx, const uint8_t *data, unsigned len, bool ok);

struct mmio_op {
	bool write, first, last;	/* first/last part of one host access */
	uint8_t strb, len;		/* len: bytes of a read part */
	uint32_t addr;			/* as driven */
	uint32_t off;			/* byte lane where a read part begins */
	uint64_t data, due;
	bool wide, push;		/* by the wide port; not to be out of order with such a one at the other port */
	uint64_t wstrb;
	uint8_t line[64];		/* wide: the bytes that wstrb enables */
	uint64_t aw_at, w_at;		/* a write's two halves are not driven before */
	mmio_read_cb cb;
	void *ctx;
};

struct rd_burst {
	uint64_t addr, ready_at, at;
	unsigned beats, done;
	struct rd_burst *next;
	/* loose: memory as it was at sample_at (UINT64_MAX: beat by beat as they leave) */
	uint64_t sample_at;
	bool sampled;
	uint8_t resp;			/* injected */
	uint8_t *data, *beat_resp;
};

struct wr_burst {
	uint64_t addr, at, first;	/* at, first: for events */
	uint8_t id;
	unsigned beats, done, gap, bytes;
	bool fault;
	/* loose */
	uint8_t resp;			/* injected */
	uint64_t seen_at;
	uint8_t *data;
	uint64_t *strb;
};
struct wr_resp { uint64_t at; uint8_t id, resp; };

struct axi_host {
	struct axi_host_cfg cfg;
	struct dma_map dma;
	struct axi_host_stats st;
	struct rng rng;
	struct events *events;		/* or NULL (events.h) */
	unsigned node;			/* its number there */
	const char *name;
	uint64_t cycle;
	unsigned beat;			/* bytes */
	bool bus_master;

	/* registers */
	struct mmio_op *op;
	unsigned op_head, op_count;
	bool aw_done, w_done, ar_done;
	unsigned b_wait, wide_wait;	/* writes not yet answered, at either port */
	bool push_wait;			/* some of b_wait are for push pages */
	uint64_t op_since;
	uint8_t rd_buf[64];
	unsigned rd_fill;
	bool rd_ok;
	bool mmio_blocked;		/* waiting out a time-out: device is wedged */
	bool broken;			/* and a reset does not help */

	/* reads */
	struct rd_burst *rd_head[AXI_IDS], *rd_tail[AXI_IDS], *rd_free, *rd_pool;
	unsigned rd_count, rd_cur;	/* rd_cur: id being sent, or AXI_IDS */
	bool r_held;
	uint8_t r_id, r_resp, r_last;
	uint8_t r_data[OHCA_MAX_BEAT];
	int64_t down_credit, up_credit;	/* 16.16 bytes */

	/* writes: wq those whose data comes, hq whole ones that are not in memory yet (loose), bq answers */
	struct wr_burst wq[64];
	unsigned wq_head, wq_count;
	struct wr_burst *hq;
	unsigned hq_head, hq_count;
	struct wr_resp bq[512];
	unsigned bq_head, bq_count;
	uint64_t last_seen, last_b;
	struct rd_burst *early[AXI_IDS * 4];
	unsigned early_count;
	bool slow;			/* loose: this stretch of time has long delays */
	uint64_t slow_until;
	uint8_t *pool;
	bool b_held;

	bool awready, wready, arready, irq_ready;
	void (*irq)(void *ctx, unsigned vector);
	void *irq_ctx;
	unsigned vectors;
};

void axi_host_init(struct axi_host *h, const struct axi_host_cfg *cfg, const char *name);
void axi_host_fini(struct axi_host *h);
/* Forgets everything in flight; waiting reads complete with all ones. */
void axi_host_reset(struct axi_host *h);
/* From now on the device's registers do not answer, until a reset (for good: not after one either): reads give all ones, writes are lost. */
void axi_host_wedge(struct axi_host *h, bool for_good);
void axi_host_mend(struct axi_host *h);	/* the next reset helps again */
void axi_host_drive(struct axi_host *h, uint64_t cycle, struct ohca_in *in);
void axi_host_sample(struct axi_host *h, const struct ohca_in *in, const struct ohca_out *out);
/* nothing queued and nothing in flight: the clock may jump */
bool axi_host_quiet(const struct axi_host *h);

/* Posted; false if the queue has no room (nothing is then queued). */
bool mmio_write(struct axi_host *h, uint32_t addr, const uint8_t *data, unsigned len);
/* len 1..64; the call-back comes from axi_host_sample or axi_host_reset */
bool mmio_read(struct axi_host *h, uint32_t addr, unsigned len, mmio_read_cb cb, void *ctx);
/* The owner of the call-backs goes away: they are not called any more. */
void mmio_forget(struct axi_host *h, void *ctx);
static inline unsigned mmio_room(const struct axi_host *h)
{
	return MMIO_FIFO - h->op_count;
}

#endif
