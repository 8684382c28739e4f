// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Figures in device cycles: two adapters with a cable between, the host played by this program, which costs no time of its own.
 *
 *   native [-w WIDTH] [-o FILE.json] [-f FIRMWARE.hex] [-s SEED] [-c CASES] [-q QPS] [-g] [-l] [-p] [-r [-d]] [-x PERCENT] [-i PART] [-n NAME [-t WAVES]]
 *
 * -c: some of "latency goodput first_touch rate isolation speed", by comma; or "train", traffic of all kinds for sim/layout.sh.
 * -g: only what the gate needs. The gate is checked then, and by a whole run at 512 bits.
 * -p: pushes take the bus of the doorbells, eight bytes a cycle, and not the wide port.
 * -q: the most QPs of the message-rate figure (1024, for the gate 65536, which takes 700 MB).
 * -r: Ethernet ports, RoCEv2 over IPv4 without VLAN, each pausing the other before it would lose frames; -d: without pauses. -l: more sizes. -x: length of the measuring windows. Every figure is taken from the pins of the models, cycle by cycle (see hook()).
 * -i: attackers of isolation have one PART-th of the queue pairs to close and queues to overrun (setting these up takes long).
 * -n NAME: only this figure, in this process (for a debugger, and for -t WAVES.vcd in a program linked with models that can trace;
 * the environment variable OHCA_TRACE_FROM=CYCLE leaves out what is before).
 * Prints a table of lines "# …" and one line "ok NAME" or "not ok NAME - why" per figure; docs/performance.md has the JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crc.h"
#include "fault.h"
#include "ohv.h"

#define MR_VA 0x7f1234567000ull
#define MR_LEN (1u << 20)
#define QPN0 4096u			/* those below have contexts that ohv.c has mapped */
#define RING_LOG 6			/* WQEs of 64 bytes: one page a QP … */
#define DEEP_LOG 8			/* … and four for the first ones, which have to cover the round trip alone */
#define DEEP_QPS 16u
#define RQ_LOG 8			/* receive WQEs of 16 bytes: one page */
#define RQ_QPS 16u			/* QPs that can take SENDs */
#define CQ_LOG 12
#define NS_PER_CYCLE 4.0

/* ------------------------------------------------------------------ pins */

enum { W_PAYLOAD, W_CQE, W_OTHER, W_KINDS };

struct pins {				/* of one node; counters since the last clear */
	void (*step)(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out);
	uint64_t dst_lo, dst_hi, cq_lo, cq_hi;
	struct { uint8_t kind; } aw[256];
	unsigned aw_head, aw_n;
	uint32_t mmio_addr;
	bool tx_in, rx_in;		/* inside a packet */

	uint64_t cycles /* stepped */, w_bytes[W_KINDS], w_beats, w_stall, r_beats, r_stall, ar, reads_out;
	uint64_t tx_beats, tx_bytes, tx_packets, tx_limited, tx_gap, rx_beats, rx_packets, db;
	/* cycle of the latest, and of the first since they were cleared (0: none) */
	uint64_t t_db, t_tx_first, t_tx_last, t_rx_first, t_rx_last, t_w_first, t_w_last, t_cqe, t_ar_first;
};

static struct fabric *fab;
static struct pins pin[2];
static struct ohv_dev *dev[2];
static double wire_bpc;			/* bytes the wire takes per cycle */

static void first(uint64_t *t)
{
	if (!*t)
		*t = fab->cycle;
}

static void sample(struct pins *p, const struct ohca_in *in, const struct ohca_out *o, unsigned rd_count)
{
	if (in->rst) {
		p->aw_n = 0;
		p->tx_in = p->rx_in = false;
		return;
	}
	p->cycles++;
	p->reads_out += rd_count;
	if (in->axil_awvalid && o->axil_awready)
		p->mmio_addr = in->axil_awaddr;
	if (in->axil_wvalid && o->axil_wready && p->mmio_addr >= OHCA_BAR_DB_BASE) {
		p->db++;
		p->t_db = fab->cycle;
	}
	if (in->push_wvalid && o->push_wready) {
		p->db++;
		p->t_db = fab->cycle;
	}
	if (o->axi_arvalid && in->axi_arready) {
		p->ar++;
		first(&p->t_ar_first);
	}
	if (o->axi_awvalid && in->axi_awready) {
		unsigned k = o->axi_awaddr >= p->dst_lo && o->axi_awaddr < p->dst_hi ? W_PAYLOAD :
			     o->axi_awaddr >= p->cq_lo && o->axi_awaddr < p->cq_hi ? W_CQE : W_OTHER;

		if (p->aw_n == 256)
			ohv_fail("bench: more than 256 writes outstanding");
		p->aw[(p->aw_head + p->aw_n++) % 256].kind = (uint8_t)k;
	}
	if (o->axi_wvalid && in->axi_wready) {
		unsigned k = p->aw_n ? p->aw[p->aw_head].kind : W_OTHER;

		p->w_beats++;
		p->w_bytes[k] += (unsigned)__builtin_popcountll(o->axi_wstrb);
		if (k == W_PAYLOAD) {
			first(&p->t_w_first);
			p->t_w_last = fab->cycle;
		} else if (k == W_CQE) {
			first(&p->t_cqe);
		}
		if (o->axi_wlast && p->aw_n) {
			p->aw_head = (p->aw_head + 1) % 256;
			p->aw_n--;
		}
	} else if (o->axi_wvalid) {
		p->w_stall++;
	}
	if (in->axi_rvalid) {
		if (o->axi_rready)
			p->r_beats++;
		else
			p->r_stall++;
	}
	if (o->tx_valid && in->tx_ready) {
		p->tx_beats++;
		p->tx_bytes += (unsigned)__builtin_popcountll(o->tx_keep);
		if (o->tx_kind != OHCA_KIND_FC) {
			if (!p->tx_in) {
				first(&p->t_tx_first);
				p->tx_packets++;
			}
			p->tx_in = !o->tx_last;
			if (o->tx_last)
				p->t_tx_last = fab->cycle;
		}
	} else if (o->tx_valid) {
		p->tx_limited++;
	} else if (p->tx_in && in->tx_ready) {
		p->tx_gap++;
	}
	if (in->rx_valid) {
		p->rx_beats++;
		if (in->rx_kind != OHCA_KIND_FC) {
			if (!p->rx_in) {
				first(&p->t_rx_first);
				p->rx_packets++;
			}
			p->rx_in = !in->rx_last;
			if (in->rx_last)
				p->t_rx_last = fab->cycle;
		}
	}
}

/* Stands in the place of the model's step(), so no cycle is missed, whoever lets time pass. */
static void hook(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out)
{
	unsigned i = fab && fab->node[1].model == m;

	pin[i].step(m, in, out);
	if (fab)
		sample(&pin[i], in, out, fab->node[i].host.axi.rd_count);
}

static void clear_counts(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pins *p = &pin[i];

		memset(&p->cycles, 0, sizeof(*p) - offsetof(struct pins, cycles));
	}
}

/* ------------------------------------------------------------------ queue pairs, cheaply */

struct bq {				/* a QP of the benchmark */
	struct ohv_qp q;
	uint64_t sq_page[1 << (DEEP_LOG - RING_LOG)], rq_page[1];
	uint32_t posted, done;		/* send WQEs, as counted by their completions */
	uint32_t recvs;			/* receive WQEs that wait */
	uint64_t walked;		/* bytes of the region that were posted */
};

static struct bq *qp[2];
static unsigned nqp;
static struct ohv_mr src[2], dst[2], *mr[2];

/* Regions of 32 MiB to walk through, each twice what the MTT cache holds: the pages of src and dst over and over. */
#define WALK_VA (1ull << 40)
#define WALK_PAGES (1u << 13)
static uint32_t walk_src[2], walk_dst[2];
static struct ohv_cq *scq[2], *rcq[2];
static unsigned errors;
static char why[800];
static uint64_t icm_at[2];		/* where the contexts of QPs from QPN0 on are */
static void (*attack)(void);		/* what goes on beside, in every cycle */

static uint32_t mtt_take(struct ohv_dev *d, uint64_t bus, uint32_t pages, uint32_t align)
{
	uint64_t *t = ohv_ptr(d, d->mtt_off);
	uint32_t at = (d->next_mtt + align - 1) & ~(align - 1);

	if (at + pages > 1u << 18)
		ohv_fail("bench: out of MTT entries");
	for (uint32_t i = 0; i < pages; i++)
		t[at + i] = (bus + (uint64_t)i * OHV_PAGE) | 1;
	d->next_mtt = at + pages;
	return at;
}

/*
 * Contexts of connected QPs written where the adapter will fetch them, as create_qp and three modify_qp would have left them:
 * firmware takes some ten thousand cycles a QP for the same. Possible because no cache can hold a number that was never used.
 */
static void make_qps(unsigned n)
{
	const unsigned chunk = 1u << OHCA_ICM_CHUNK_SHIFT, per = chunk / OHCA_QPC_STRIDE, align = n > 8192 ? 1 : 8;

	nqp = n;
	for (unsigned side = 0; side < 2; side++) {
		struct ohv_dev *d = dev[side];
		unsigned chunks = (n + per - 1) / per;
		uint64_t icm = ohv_alloc(d, (size_t)chunks * chunk, chunk);
		uint64_t idle_rq = ohv_alloc(d, OHV_PAGE, OHV_PAGE);
		uint32_t idle_mtt = mtt_take(d, idle_rq, 1, 8);

		icm_at[side] = icm;
		for (unsigned at = 0; at < chunks; at += 32) {
			struct ohca_cmd_map_icm_in m[32];
			unsigned k = chunks - at < 32 ? chunks - at : 32;

			memset(m, 0, sizeof(m));
			for (unsigned i = 0; i < k; i++) {
				OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &m[i], QPN0 / per + at + i);
				OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[i], icm + (uint64_t)(at + i) * chunk);
			}
			if (ohv_cmd(d, OHCA_CMD_OP_MAP_ICM, k, 0, m, k * 4, NULL, 0, NULL))
				ohv_fail("bench: map_icm");
		}
		d->next_mtt = (d->next_mtt + 7) & ~7u;
		qp[side] = calloc(n, sizeof(*qp[side]));
		for (unsigned i = 0; i < n; i++) {
			struct bq *b = &qp[side][i];
			struct ohv_qp *q = &b->q;
			uint32_t psn_tx = (0x1000 * i + 77 + side * 0x800000) & 0xffffff, psn_rx = (0x1000 * i + 77 + !side * 0x800000) & 0xffffff;
			struct ohca_sqc *s = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_SQC_OFFSET);
			struct ohca_rsc *r = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_RSC_OFFSET);
			struct ohca_rac *a = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_RAC_OFFSET);
			unsigned log = i < DEEP_QPS ? DEEP_LOG : RING_LOG, pages = 1u << (log - RING_LOG);
			uint64_t sqb, rqb;
			struct ohca_av av;

			q->d = d;
			q->qtype = OHCA_QP_TYPE_RC;
			q->qpn = QPN0 + i;
			q->scq = scq[side];
			q->rcq = rcq[side];
			q->sq_log = log;
			q->sq_stride = 6;
			q->rq_log = i < RQ_QPS ? RQ_LOG : 0;
			q->rq_stride = 4;
			b->sq_page[0] = ohv_alloc(d, pages * OHV_PAGE, OHV_PAGE);
			for (unsigned k = 1; k < pages; k++)
				b->sq_page[k] = b->sq_page[0] + k * OHV_PAGE;
			q->sq.d = q->rq.d = d;
			q->sq.page = b->sq_page;
			q->rq.page = b->rq_page;
			sqb = (uint64_t)mtt_take(d, b->sq_page[0], pages, align) << 12;
			if (i < RQ_QPS) {
				b->rq_page[0] = ohv_alloc(d, OHV_PAGE, OHV_PAGE);
				rqb = (uint64_t)mtt_take(d, b->rq_page[0], 1, align) << 12;
			} else {
				b->rq_page[0] = idle_rq;
				rqb = (uint64_t)idle_mtt << 12;
			}
			q->dbr = ohv_alloc(d, 8, 8);

			ohv_av_fill(&av, &(struct ohv_av){ .dlid = dev[!side]->lid }, 0, q->qpn, q->qpn);
#define S(f, v) OHCA_SET(OHCA_SQC_##f, s, v)
#define A(f, v) OHCA_SET(OHCA_RAC_##f, a, v)
#define R(f, v) OHCA_SET(OHCA_RSC_##f, r, v)
#define ALL(f, v) S(f, v), A(f, v), R(f, v)
			ALL(STATE, OHCA_QP_STATE_RTS);
			ALL(QTYPE, OHCA_QP_TYPE_RC);
			ALL(MTU, OHCA_MTU_MTU4096);
			ALL(BUF_MTT, 1);
			ALL(PD, 7);
			ALL(DQPN, QPN0 + i);
			memcpy((uint32_t *)s + 16, &av, 40);
			memcpy((uint32_t *)a + 16, &av, 40);
			memcpy((uint32_t *)r + 16, &av, 40);
			S(LOG_SIZE, log);
			A(LOG_SIZE, log);
			R(LOG_SIZE, q->rq_log);
			S(LOG_STRIDE, 6);
			A(LOG_STRIDE, 6);
			R(LOG_STRIDE, 4);
			S(MIGREQ, 1);
			S(BUF, sqb);
			A(BUF, sqb);
			R(BUF, rqb);
			R(DBR, q->dbr);
			A(CQN, scq[side]->cqn);
			R(CQN, rcq[side]->cqn);
			S(SSN, 1);
			A(SSN, 1);
			S(GEN, 37 * (i + 1));
			R(ACC_WRITE, 1);
			R(ACC_READ, 1);
			R(MIN_RNR, 1);
			R(MAX_RD, OHCA_MAX_RD_ATOMIC);
			S(MAX_RD, OHCA_MAX_RD_ATOMIC);
			A(TIMEOUT, 14);
			A(RETRY_CNT, 7);
			A(RETRY_LEFT, 7);
			A(RNR_RETRY, 7);
			A(RNR_LEFT, 7);
			S(PSN, psn_tx);
			S(UNA_PSN, psn_tx);
			S(SKIP_PSN, psn_tx);
			S(SENT_PSN, psn_tx);
			A(UNA_PSN, psn_tx);
			A(ACKED_PSN, psn_tx);
			A(SENT_PSN, psn_tx);
			A(RD_NEXT_PSN, psn_tx);
			R(EPSN, psn_rx);
#undef S
#undef A
#undef R
#undef ALL
		}
		d->next_mtt = (d->next_mtt + 7) & ~7u;
	}
}

/* ------------------------------------------------------------------ a load, and what it moves */

struct load {
	unsigned op;			/* OHCA_WR_OP_* */
	uint32_t size;
	unsigned qps, depth, batch;	/* WQEs of a QP not complete; of them one doorbell and one signal per batch */
	unsigned total;			/* bound of all QPs together, 0: none */
	unsigned pace;			/* cycles from one batch to the next, 0: as fast as it goes */
	bool both, inl, random, push;
	bool walk;			/* data lies one behind the other in regions that the translation caches cannot hold */
};

static struct {
	const struct load *l;
	bool stop;
	uint32_t out[2];
	unsigned next[2];
	uint64_t due[2];
} run_;

static void bad(const char *who, const struct ohca_cqe *e)
{
	if (!errors++)
		snprintf(why, sizeof(why), "%s: status %u vendor %u, QP %#x", who, (unsigned)OHCA_GET(OHCA_CQE_STATUS, e),
			 (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e), (unsigned)OHCA_GET(OHCA_CQE_QPN, e));
}

static void post_batch(unsigned side, unsigned i)
{
	const struct load *l = run_.l;
	struct bq *b = &qp[side][i];
	uint32_t off = l->op != OHCA_WR_OP_SEND && l->size <= MR_LEN / 16 ? (i % 16) * (MR_LEN / 16) : 0;
	static const uint8_t eight[256] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct ohv_sge s = { src[side].va + off, l->size, src[side].key };
	struct ohv_wr wr = { .op = l->op, .sge = &s, .nsge = 1, .raddr = dst[!side].va + off, .rkey = dst[!side].key };

	if (l->walk) {
		uint64_t share = (uint64_t)WALK_PAGES * OHV_PAGE / l->qps, at = WALK_VA + share * i + b->walked % share;

		b->walked += l->size;
		s = (struct ohv_sge){ at, l->size, l->op == OHCA_WR_OP_RDMA_READ ? walk_dst[side] : walk_src[side] };
		wr.raddr = at;
		wr.rkey = l->op == OHCA_WR_OP_RDMA_READ ? walk_src[!side] : walk_dst[!side];
	} else if (l->op == OHCA_WR_OP_RDMA_READ) {
		s = (struct ohv_sge){ dst[side].va + off, l->size, dst[side].key };
		wr.raddr = src[!side].va + off;
		wr.rkey = src[!side].key;
	}
	if (l->inl) {
		wr.inl = true;
		wr.data = eight;
		wr.len = l->size;
		wr.nsge = 0;
	}
	for (unsigned k = 0; k < l->batch; k++) {
		wr.signaled = k == l->batch - 1;
		ohv_post_send(&b->q, &wr);
	}
	b->posted += l->batch;
	run_.out[side] += l->batch;
	dev[side]->push = l->push;
	ohv_ring(&b->q);
}

/* Every receive WQE takes any size, so what one case leaves serves the next. */
static void post_recvs(unsigned side, unsigned i)
{
	struct ohv_sge s = { dst[side].va, MR_LEN, dst[side].key };

	for (; qp[side][i].recvs < 128; qp[side][i].recvs++)
		ohv_post_recv(&qp[side][i].q, &s, 1);
}

/* What the host does between two cycles: take completions, post again. */
static void host_work(void)
{
	const struct load *l = run_.l;

	for (unsigned side = 0; side < (l->both ? 2u : 1u); side++) {
		struct ohca_cqe e;
		unsigned tries = l->qps < 64 ? l->qps : 64;

		while (ohv_poll(scq[side], &e)) {
			struct bq *b = &qp[side][OHCA_GET(OHCA_CQE_QPN, &e) - QPN0];

			if (OHCA_GET(OHCA_CQE_STATUS, &e)) {
				bad("send", &e);
				continue;
			}
			b->done += l->batch;
			run_.out[side] -= l->batch;
		}
		/* The doorbells of a cycle are few: the bus takes one write per cycle. */
		while (!run_.stop && !errors && tries-- && fab->node[side].host.axi.op_count < 16) {
			unsigned i = l->random ? (unsigned)(ohv_rand(dev[side]) % l->qps) : run_.next[side]++ % l->qps;
			struct bq *b = &qp[side][i];

			if (l->pace && fab->cycle < run_.due[side])
				break;
			if (b->posted - b->done + l->batch <= l->depth && (!l->total || run_.out[side] + l->batch <= l->total)) {
				post_batch(side, i);
				run_.due[side] = (run_.due[side] ? run_.due[side] : fab->cycle) + l->pace;
			}
		}
	}
	if (l->op == OHCA_WR_OP_SEND)
		for (unsigned side = 0; side < 2; side++) {
			struct ohca_cqe e;

			while (ohv_poll(rcq[side], &e)) {
				unsigned i = OHCA_GET(OHCA_CQE_QPN, &e) - QPN0;

				if (OHCA_GET(OHCA_CQE_STATUS, &e))
					bad("receive", &e);
				qp[side][i].recvs--;
				post_recvs(side, i);
			}
		}
}

static void cycles(uint64_t n)
{
	for (uint64_t end = fab->cycle + n; fab->cycle < end && !errors;) {
		uint64_t until;

		host_work();
		if (attack)
			attack();
		until = fabric_idle_until(fab);
		if (!attack && until > fab->cycle + 8)
			fabric_skip(fab, until < end ? until : end);
		else
			fabric_step(fab);
	}
}

/* Warm up, measure, let everything end; false with `why` on an error. The counters of the pins hold the window. */
static struct pins win[2];
static double win_cpu;

/* of this process, or of it and its children */
static double cpu_all(void)
{
	struct rusage s, c;

	getrusage(RUSAGE_SELF, &s);
	getrusage(RUSAGE_CHILDREN, &c);
	return (double)(s.ru_utime.tv_sec + c.ru_utime.tv_sec) + (double)(s.ru_utime.tv_usec + c.ru_utime.tv_usec) / 1e6;
}

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What the adapters counted that a run without faults should not show. */
static void trouble(char *to, size_t n)
{
#define C(x) { OHCA_COUNTER_##x, #x }
	static const struct { unsigned n; const char *name; } t[] = {
		C(DB_BAD_PAGE), C(DB_BAD_QP), C(RX_VCRC), C(RX_ICRC), C(RX_LEN), C(RX_DLID), C(RX_VL), C(RX_QPN), C(RX_QP_STATE), C(RX_PKEY), C(RX_PATH),
		C(RX_OPCODE), C(RX_DUP), C(RX_OOO), C(RX_RESP_BAD), C(RX_RNR), C(RX_OVERRUN), C(TX_RETRY), C(TX_TIMEOUT), C(TX_RNR_WAIT), C(TX_LOCAL_ERR),
		C(TPT_KEY), C(TPT_BOUNDS), C(TPT_ACCESS), C(TPT_PD), C(DMA_RD_ERR), C(DMA_WR_ERR), C(CQ_OVERFLOW), C(RESP_FULL), C(RX_NO_CREDIT), C(TX_DROP),
	};
#undef C
	size_t at = 0;

	to[0] = 0;
	for (unsigned node = 0; node < 2; node++)
		for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]) && at < n; i++) {
			uint64_t v = fabric_read64(fab, node, OHCA_REG_COUNTERS + 8 * t[i].n);

			if (v)
				at += (size_t)snprintf(to + at, n - at, " node%u.%s=%llu", node, t[i].name, (unsigned long long)v);
		}
}

static bool run_load(const struct load *l, uint64_t warm, uint64_t window)
{
	static uint8_t got[MR_LEN], want[MR_LEN];
	unsigned sink;
	uint64_t from;
	double t;

	memset(&run_, 0, sizeof(run_));
	run_.l = l;
	errors = 0;
	for (unsigned side = 0; side < 2; side++) {
		memset(got, 0, MR_LEN);
		ohv_write(&dst[side], 0, got, MR_LEN);
		for (unsigned i = 0; i < l->qps; i++) {
			qp[side][i].posted = qp[side][i].done = 0;
			if (l->op == OHCA_WR_OP_SEND)
				post_recvs(side, i);
		}
	}
	cycles(warm);
	clear_counts();
	from = fab->cycle;
	t = cpu_now();
	cycles(window);
	win_cpu = cpu_now() - t;
	memcpy(win, pin, sizeof(win));
	win[0].cycles = win[1].cycles = fab->cycle - from;	/* a node that is idle is not stepped */
	run_.stop = true;
	for (unsigned still = 0; (run_.out[0] || run_.out[1]) && !errors; still++) {
		uint64_t was = pin[0].w_beats + pin[1].w_beats;

		cycles(500);
		/* what an attacker moves is no progress of the load for ever */
		if (pin[0].w_beats + pin[1].w_beats != was && fab->cycle - from < 20 * window + 1000000)
			still = 0;
		if (still >= 60) {
			char cnt[600];

			trouble(cnt, sizeof(cnt));
			snprintf(why, sizeof(why), "stuck: %u and %u messages not complete, and no write to a host for 30,000 cycles; idle: %u %u;%s",
				 run_.out[0], run_.out[1], fab->node[0].out.idle, fab->node[1].out.idle, cnt);
			return false;
		}
	}
	if (errors)
		return false;
	if (l->inl)
		return true;
	sink = l->op == OHCA_WR_OP_RDMA_READ ? 0 : 1;
	for (unsigned side = 0; side < 2; side++) {
		if (side != sink && !l->both)
			continue;
		ohv_read(&src[!side], 0, want, l->size);
		ohv_read(&dst[side], 0, got, l->size);
		for (uint32_t i = 0; i < l->size; i++)
			if (got[i] != want[i]) {
				snprintf(why, sizeof(why), "byte %u of node %u is %02x, expected %02x", i, side, got[i], want[i]);
				return false;
			}
	}
	return true;
}

/* ------------------------------------------------------------------ figures */

static FILE *json;
static unsigned width = 64, failed;
static bool many_sizes, narrow;
static const char *only;		/* -n: this figure, in this process (for waveforms and debuggers) */
static double stretch = 1;

static const char *op_name(unsigned op)
{
	return op == OHCA_WR_OP_RDMA_WRITE ? "WRITE" : op == OHCA_WR_OP_RDMA_READ ? "READ" : "SEND";
}

/* What the gate needs, from the processes that measure. 0: not measured. */
static struct gate {
	double goodput[3], rate[2];	/* WRITE, READ, SEND; by doorbell, pushed */
	double random[2];		/* the same of more QPs than any cache holds */
	double touch;			/* goodput of WRITEs to and from pages that nothing touched before */
	int64_t to_wire, to_host, to_cqe;
	double alone[3];		/* victims of isolation() without an attacker */
} *gate;
static bool gate_only;

static void result(bool ok, const char *name)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s - %s\n", name, why), failed++;
	fflush(stdout);
}

/* Each figure is taken in a process of its own that begins with the adapters just brought up, so one that gets stuck spoils no other.
 * True in that process; else the figure is there, and *out counts those that wrote JSON. */
static bool begin(unsigned *out, const char *name)
{
	int st;
	pid_t p;

	if (only)
		return !strcmp(only, name);
	fflush(stdout);
	fflush(json);
	p = fork();
	if (p < 0)
		ohv_fail("bench: fork");
	if (!p) {
		failed = 0;
		return true;
	}
	if (waitpid(p, &st, 0) < 0 || !WIFEXITED(st) || WEXITSTATUS(st))
		failed++;
	else
		(*out)++;
	return false;
}

static void end(void)
{
	if (only)
		fabric_destroy(fab);	/* waveforms can be read only when they have been closed */
	else
		fabric_flush(fab);
	fflush(stdout);
	fflush(json);
	if (only)
		exit(failed != 0);	/* what counts in this process (sim/layout.sh) is written then */
	_exit(failed != 0);
}

/* Payload per byte on the wire, the sender's direction; IBA 5.2: LRH 8, BTH 12, ICRC 4, VCRC 2, RETH 16, AETH 4 */
static double payload_share(unsigned op, uint32_t size, bool both)
{
	/* LRH, BTH and two CRCs; or preamble, Ethernet, IPv4, UDP, BTH, ICRC, FCS and gap */
	uint32_t head = ohv_roce ? 8 + 14 + 20 + 8 + 12 + 4 + 4 + 12 : 26;
	uint32_t packets = (size + 4095) / 4096, bytes = ((size + 3) & ~3u) + head * packets;

	if (op == OHCA_WR_OP_RDMA_WRITE)
		bytes += 16;
	else if (op == OHCA_WR_OP_RDMA_READ)
		bytes += (packets > 1 ? 8 : 4) + (both ? head + 16 : 0);
	return (double)size / bytes;
}

static void use(const char *name, const struct pins *p)
{
	double c = (double)p->cycles;

	fprintf(json, ", \"%s\": {\"tx_bytes\": %.3f, \"tx_gap\": %.4f, \"tx_limited\": %.4f, \"tx_packets\": %llu, \"r_busy\": %.4f, \"r_stall\": %.4f, "
		"\"w_busy\": %.4f, \"w_stall\": %.4f, \"reads_out\": %.1f, \"ar\": %llu}", name, (double)p->tx_bytes / c, (double)p->tx_gap / c,
		(double)p->tx_limited / c, (unsigned long long)p->tx_packets, (double)p->r_beats / c, (double)p->r_stall / c, (double)p->w_beats / c,
		(double)p->w_stall / c, (double)p->reads_out / c, (unsigned long long)p->ar);
}

/* Measures a load in the window: bytes a cycle of payload, and of the worse direction the part of what headers leave. Prints and writes both. */
static double goodput_of(const struct load *l, const char *name, uint64_t warm, uint64_t window, unsigned out, double *frac)
{
	unsigned lo = l->op == OHCA_WR_OP_RDMA_READ ? 0 : 1, tx = lo ? 0 : 1;	/* the node that sends the payload */
	double cap = wire_bpc * payload_share(l->op, l->size, l->both), rate = 0;

	*frac = 9;
	if (!run_load(l, warm, window)) {
		result(false, name);
		end();
	}
	for (unsigned side = 0; side < 2; side++) {
		double r = (double)win[side].w_bytes[W_PAYLOAD] / (double)win[side].cycles;

		if (side != lo && !l->both)
			continue;
		rate += r;
		if (r / cap < *frac)
			*frac = r / cap;
	}
	cap *= l->both ? 2 : 1;
	printf("# %-5s %8u %4s %4u %12.2f %8.2f %6.1f%% | %12.1f%% %5.1f%% %5.1f | %13.1f%%\n", op_name(l->op), l->size, l->both ? "both" : "one", l->qps, rate,
	       rate * 8 / NS_PER_CYCLE, 100 * rate / cap, 100.0 * (double)win[tx].tx_bytes / (double)win[tx].cycles / wire_bpc,
	       100.0 * (double)win[tx].r_beats / (double)win[tx].cycles, (double)win[tx].reads_out / (double)win[tx].cycles,
	       100.0 * (double)win[!tx].w_beats / (double)win[!tx].cycles);
	fprintf(json, "%s\n    {\"op\": \"%s\", \"bytes\": %u, \"both\": %s, \"qps\": %u, \"cycles\": %llu, \"bytes_per_cycle\": %.4f, "
		"\"gbps\": %.3f, \"limit_gbps\": %.3f, \"fraction\": %.4f, \"worse_direction\": %.4f", out ? "," : "", op_name(l->op), l->size,
		l->both ? "true" : "false", l->qps, (unsigned long long)win[0].cycles, rate, rate * 8 / NS_PER_CYCLE, cap * 8 / NS_PER_CYCLE, rate / cap,
		*frac);
	use("node0", &win[0]);
	use("node1", &win[1]);
	fprintf(json, "}");
	return rate;
}

static const char *const goodput_head =
	"# %-5s %8s %4s %4s %12s %8s %7s | sender: wire  R bus  reads | receiver: W bus\n";

/* Pages that nothing touched before: each line of the MTT is met for the first time, on both sides. */
static void first_touch(void)
{
	static const struct { unsigned op; uint32_t size; unsigned qps; bool both; } t[] = {
		{ OHCA_WR_OP_RDMA_WRITE, 1 << 20, 1, false }, { OHCA_WR_OP_RDMA_READ, 1 << 20, 1, false }, { OHCA_WR_OP_RDMA_WRITE, 65536, 4, false },
		{ OHCA_WR_OP_RDMA_WRITE, 65536, 4, true }, { OHCA_WR_OP_RDMA_READ, 65536, 4, false },
	};
	unsigned out = 0;

	printf("# pages that nothing touched before, %u bits\n", width);
	printf(goodput_head, "op", "bytes", "dir", "QPs", "bytes/cycle", "Gb/s", "limit");
	fprintf(json, ",\n  \"first_touch\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = t[i].op, .size = t[i].size, .qps = t[i].qps, .both = t[i].both, .depth = 4, .batch = 1, .walk = true };
		char name[64];
		double frac, rate;

		snprintf(name, sizeof(name), "first-touch-%s-%u%s-%u", op_name(l.op), l.size, l.both ? "-both" : "", width);
		if ((gate_only && i) || !begin(&out, name))
			continue;
		rate = goodput_of(&l, name, width >= 256 ? 4000 : 8000, (uint64_t)((width >= 256 ? 40000 : 60000) * stretch), out, &frac);
		if (!i)
			gate->touch = frac;
		result(rate > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
		end();
	}
	fprintf(json, "]");
}

static void goodput(void)
{
	static const uint32_t few[] = { 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20 };
	static const uint32_t all[] = { 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1 << 20 };
	static const unsigned ops[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_READ, OHCA_WR_OP_SEND };
	const uint32_t *size = many_sizes ? all : few;
	unsigned n = many_sizes ? 12 : 8, out = 0;

	printf("# goodput, %u bits, wire %.2f bytes per cycle (%.1f Gb/s), MTU 4096\n", width, wire_bpc, wire_bpc * 8 / NS_PER_CYCLE);
	printf(goodput_head, "op", "bytes", "dir", "QPs", "bytes/cycle", "Gb/s", "limit");
	fprintf(json, ",\n  \"goodput\": [");
	for (unsigned o = 0; o < 3; o++)
		for (unsigned both = 0; both < 2; both++)
			for (unsigned i = 0; i < n; i++) {
				struct load l = { .op = ops[o], .size = size[i], .both = both };
				double rate, frac;
				uint64_t warm = width >= 256 ? 4000 : 8000, window = (uint64_t)((width >= 256 ? 40000 : 60000) * stretch);
				char name[64];

				if ((both && size[i] < 4096) || (gate_only && (both || size[i] != 4096)))
					continue;
				snprintf(name, sizeof(name), "goodput-%s-%u%s-%u", op_name(ops[o]), size[i], both ? "-both" : "", width);
				if (!begin(&out, name))
					continue;
				l.qps = size[i] > 65536 ? 1 : size[i] >= 4096 ? 4 : 16;
				l.depth = size[i] >= 65536 ? 2 : size[i] >= 8192 ? 8 : size[i] >= 4096 ? 16 : size[i] >= 1024 ? 32 : 128;
				l.batch = size[i] >= 4096 ? 1 : 8;
				warm += (uint64_t)(1.25 * size[i] / wire_bpc);	/* all pages of a message have been translated once */
				rate = goodput_of(&l, name, warm, window, out, &frac);
				if (size[i] == 4096 && !both)
					gate->goodput[o] = frac;
				result(rate > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
				end();
			}
	fprintf(json, "]");
}

static void rate(unsigned most)
{
	static const struct { unsigned qps, depth, batch, total; bool push, random; } t[] = {
		{ 1, 240, 16, 0, false, false }, { 1, 200, 1, 0, true, false }, { 16, 240, 16, 0, false, false }, { 16, 64, 1, 0, true, false },
		{ 1024, 48, 16, 2048, false, true }, { 1024, 16, 1, 1024, true, true }, { 65536, 48, 16, 2048, false, true }, { 65536, 16, 1, 1024, true, true },
	};
	unsigned out = 0;

	printf("# 8-byte inline WRITE, %u bits\n# %6s %6s %10s %10s %10s | sender: R bus  reads  W bus | receiver: W bus\n", width, "QPs", "batch", "order",
	       "cycles/msg", "M/s");
	fprintf(json, ",\n  \"rate\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = OHCA_WR_OP_RDMA_WRITE, .size = 8, .qps = t[i].qps, .depth = t[i].depth, .batch = t[i].batch, .total = t[i].total,
				  .inl = true, .random = t[i].random, .push = t[i].push };
		char name[64];
		double msgs, cyc;

		snprintf(name, sizeof(name), "rate-%u-%u%s-%u", t[i].qps, t[i].batch, t[i].push ? "-pushed" : "", width);
		if (t[i].qps > most || (gate_only && t[i].qps != 16 && t[i].qps != 65536) || !begin(&out, name))
			continue;
		if (!run_load(&l, t[i].qps > 16 ? 12000 : 3000, (uint64_t)((t[i].qps > 16 ? 120000 : 20000) * stretch))) {
			result(false, name);
			end();
		}
		cyc = (double)win[1].cycles;
		msgs = (double)win[1].w_bytes[W_PAYLOAD] / 8;
		printf("# %6u %6u %10s %10.2f %10.2f | %12.1f%% %5.1f %5.1f%% | %13.1f%%\n", t[i].qps, t[i].batch, t[i].push ? "pushed" : t[i].random ? "random" : "in turn",
		       cyc / msgs, 1000 / NS_PER_CYCLE * msgs / cyc, 100.0 * (double)win[0].r_beats / cyc, (double)win[0].reads_out / cyc,
		       100.0 * (double)win[0].w_beats / cyc, 100.0 * (double)win[1].w_beats / cyc);
		fprintf(json, "%s\n    {\"qps\": %u, \"batch\": %u, \"random\": %s, \"pushed\": %s, \"messages\": %.0f, \"cycles_per_message\": %.3f, \"mmsgs\": %.3f",
			out ? "," : "", t[i].qps, t[i].batch, t[i].random ? "true" : "false", t[i].push ? "true" : "false", msgs, cyc / msgs,
			1000 / NS_PER_CYCLE * msgs / cyc);
		use("node0", &win[0]);
		use("node1", &win[1]);
		fprintf(json, "}");
		if (t[i].qps == 16)
			gate->rate[t[i].push] = msgs > 0 ? cyc / msgs : 0;
		else if (t[i].qps == 65536)
			gate->random[t[i].push] = msgs > 0 ? cyc / msgs : 0;
		result(msgs > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
		end();
	}
	fprintf(json, "]");
}

static int cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

#define TRIES 9
static int lat_out;

static int64_t stage(const char *op, const char *name, const int64_t *v)
{
	int64_t s[TRIES];

	memcpy(s, v, sizeof(s));
	qsort(s, TRIES, sizeof(s[0]), cmp);
	printf("#   %-58s %5lld  (%lld … %lld)\n", name, (long long)s[TRIES / 2], (long long)s[0], (long long)s[TRIES - 1]);
	fprintf(json, "%s\n    {\"case\": \"%s\", \"stage\": \"%s\", \"min\": %lld, \"median\": %lld, \"max\": %lld}", lat_out++ ? "," : "", op, name,
		(long long)s[0], (long long)s[TRIES / 2], (long long)s[TRIES - 1]);
	return s[TRIES - 1];
}

static bool cqe_there(void *ctx)
{
	(void)ctx;
	return pin[0].t_cqe != 0;
}

/* One message at a time on a quiet link, contexts and translations in the caches. */
static void latency(void)
{
	static const struct { const char *name; unsigned op; uint32_t size; bool inl, push; } t[] = {
		{ "pushed 8-byte inline WRITE", OHCA_WR_OP_RDMA_WRITE, 8, true, true },
		{ "8-byte inline WRITE by doorbell", OHCA_WR_OP_RDMA_WRITE, 8, true, false },
		{ "pushed 64-byte WRITE", OHCA_WR_OP_RDMA_WRITE, 64, false, true },
		{ "pushed 4096-byte WRITE", OHCA_WR_OP_RDMA_WRITE, 4096, false, true },
		{ "pushed 64-byte SEND", OHCA_WR_OP_SEND, 64, false, true },
		{ "pushed 64-byte READ", OHCA_WR_OP_RDMA_READ, 64, false, true },
	};

	unsigned out = 0;

	printf("# latency by stage, %u bits, cycles: median (least … most) of %d\n", width, TRIES);
	fprintf(json, ",\n  \"latency\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = t[i].op, .size = t[i].size, .qps = 1, .depth = 1, .batch = 1, .inl = t[i].inl, .push = t[i].push };
		int64_t v[10][TRIES] = { 0 };
		int64_t to_wire, to_host = 0, to_cqe;
		bool read = t[i].op == OHCA_WR_OP_RDMA_READ;
		char name[64];
		struct ohca_cqe e;

		snprintf(name, sizeof(name), "latency-%u-%u", i, width);
		if ((gate_only && i) || !begin(&out, name))
			continue;
		lat_out = (int)out;
		memset(&run_, 0, sizeof(run_));
		run_.l = &l;
		errors = 0;
		for (int n = -3; n < TRIES; n++) {
			struct pins *p = pin;

			if (t[i].op == OHCA_WR_OP_SEND)
				post_recvs(1, 0);
			fabric_run(fab, 3000 + ohv_rand(dev[0]) % 64, NULL, NULL);
			clear_counts();
			post_batch(0, 0);
			if (!fabric_run(fab, 400000, cqe_there, NULL)) {
				snprintf(why, sizeof(why), "%s: no completion", t[i].name);
				result(false, name);
				end();
			}
			fabric_run(fab, 200, NULL, NULL);
			if (!ohv_poll(scq[0], &e) || OHCA_GET(OHCA_CQE_STATUS, &e)) {
				snprintf(why, sizeof(why), "%s: status %u", t[i].name, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
				result(false, name);
				end();
			}
			while (ohv_poll(rcq[1], &e))
				qp[1][0].recvs--;
			if (n < 0)
				continue;
			/* p[0].t_tx_first is the request, p[1].t_tx_first the answer; t_rx_last of either the last packet that came in */
			v[0][n] = (int64_t)(p[0].t_tx_first - p[0].t_db);
			v[1][n] = (int64_t)(p[0].t_tx_last - p[0].t_tx_first);
			v[2][n] = (int64_t)(p[1].t_rx_last - p[0].t_tx_last);
			v[3][n] = read ? 0 : (int64_t)(p[1].t_w_last - p[1].t_rx_last);
			v[4][n] = (int64_t)(p[1].t_tx_first - p[1].t_rx_last);
			v[5][n] = read ? (int64_t)(p[0].t_w_last - p[0].t_rx_last) : 0;
			v[6][n] = (int64_t)(p[0].t_cqe - p[0].t_rx_last);
			v[7][n] = (int64_t)(p[0].t_cqe - p[0].t_db);
		}
		printf("# %s\n", t[i].name);
		to_wire = stage(t[i].name, "last MMIO beat to first wire beat", v[0]);
		stage(t[i].name, "first to last wire beat", v[1]);
		stage(t[i].name, "wire (model), last beat out to last beat in", v[2]);
		if (!read)
			to_host = stage(t[i].name, "last wire beat in to last beat of the host write", v[3]);
		stage(t[i].name, read ? "last wire beat of the request to first of the response" : "last wire beat in to first of the ACK", v[4]);
		if (read)
			stage(t[i].name, "last wire beat of the response to last of the host write", v[5]);
		stage(t[i].name, read ? "last wire beat of the response to the CQE's write" : "last wire beat of the ACK to the CQE's write", v[6]);
		to_cqe = stage(t[i].name, "last MMIO beat to the CQE's write, all in all", v[7]);
		if (!i) {
			gate->to_wire = to_wire;
			gate->to_host = to_host;
			gate->to_cqe = to_cqe;
		}
		result(true, name);
		end();
	}
	fprintf(json, "]");
}

/* ------------------------------------------------------------------ isolation: attacker by victim */

/*
 * An attacker does its worst on the adapters of a victim, who takes half of the wire with 1 KiB WRITEs, sends half of the small WRITEs that there could be, or one at
 * a time. What belongs to the attacker:
 * queue pairs from ATT0 on, completion queues of its own, doorbell page 1, the command interface (each user's system calls lead to it), and the wire to node 0,
 * whose own traffic there is acknowledgements only.
 */
#define ATT0 64u
#define STORM 32u			/* cycles between two doorbells: 8 million a second */
#define WRONG_PKEY 0x8123u

enum { V_GOODPUT, V_RATE, V_P99, V_KINDS };

static struct {
	unsigned kind;			/* which victim */
	uint64_t n, at, span;		/* steps taken, next step, cycles that the victim will take */
	bool busy[2];			/* commands */
	unsigned cmds[2], refused, failed;
	unsigned first, qps;
	struct ohv_cq *cq;
	struct ohv_qp **real;
	uint64_t rng;
} att;

static unsigned iso_part = 1;		/* -i: the part of the windows and numbers that is taken */

static uint64_t att_rand(void)
{
	att.rng ^= att.rng << 13;
	att.rng ^= att.rng >> 7;
	att.rng ^= att.rng << 17;
	return att.rng;
}

/* A command whose end an event says, so that the victim goes on meanwhile. */
static void att_cmd(unsigned node, unsigned op, uint32_t in_mod, unsigned op_mod)
{
	struct ohv_dev *d = dev[node];
	struct ohca_cmd_regs r;

	memset(&r, 0, sizeof(r));
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, d->mbox_in);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, d->mbox_out);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &r, in_mod);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, op);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, &r, op_mod);
	OHCA_SET(OHCA_CMD_REGS_TOKEN, &r, ++d->token);
	OHCA_SET(OHCA_CMD_REGS_EVENT, &r, 1);
	OHCA_SET(OHCA_CMD_REGS_GO, &r, 1);
	for (unsigned i = 0; i < 7; i++)
		fabric_write32(d->f, d->node, OHCA_REG_CMD + 4 * i, ((uint32_t *)&r)[i]);
	att.busy[node] = true;
}

static bool att_free(unsigned node)
{
	struct ohca_eqe e;

	while (ohv_event(dev[node], &e))
		if (OHCA_GET(OHCA_EQE_TYPE, &e) == OHCA_EQE_TYPE_CMD) {
			att.busy[node] = false;
			att.cmds[node]++;
			att.refused += OHCA_GET(OHCA_EQE_SYNDROME, &e) != 0;
		}
	return !att.busy[node];
}

static bool att_due(uint64_t every)
{
	if (fab->cycle < att.at)
		return false;
	att.at = fab->cycle + every;
	att.n++;
	return true;
}

static void att_doorbell(unsigned page, unsigned off, uint64_t v)
{
	if (fab->node[0].host.axi.op_count < 4)
		fabric_write64(fab, 0, OHCA_BAR_DB_BASE + page * OHV_PAGE + off, v);
}

/* A MAD to node 0, on a wire that has place. */
static void att_mad(bool smp, const uint8_t *mad)
{
	struct wire *w = fab->node[0].rx;
	struct packet *p;
	uint8_t *d;

	if (w->count > 5)
		return;
	p = packet_new();
	d = p->data;
	memset(d, 0, 28);
	d[0] = smp ? 0xf0 : 0;
	d[1] = 2;
	d[2] = (uint8_t)(dev[0]->lid >> 8);
	d[3] = (uint8_t)dev[0]->lid;
	d[5] = (28 + 256 + 4) / 4;
	d[6] = (uint8_t)(dev[1]->lid >> 8);
	d[7] = (uint8_t)dev[1]->lid;
	d[8] = 0x64;			/* UD SEND only */
	d[10] = smp ? 0xff : WRONG_PKEY >> 8;
	d[11] = smp ? 0xff : WRONG_PKEY & 255;
	d[15] = !smp;
	d[17] = (uint8_t)(att.n >> 16);
	d[18] = (uint8_t)(att.n >> 8);
	d[19] = (uint8_t)att.n;
	d[20] = smp ? 0 : 0x80;		/* Q_Key of QP1 */
	d[21] = !smp;
	d[27] = !smp;
	memcpy(d + 28, mad, 256);
	p->kind = OHCA_KIND_IB;
	p->error = false;
	p->len = 28 + 256 + 6;
	ib_put_icrc(d, p->len);
	ib_put_vcrc(d, p->len);
	p->t_first = fab->cycle;
	p->t_last = fab->cycle + (packet_wire_bytes(p) * 65536ull + w->rate - 1) / w->rate - 1;
	wire_send(w, p);
}

static void gmp_step(void)
{
	uint8_t m[256] = { 1, 3, 2, 1 };	/* SubnAdm Get */

	if (att_due(64))
		att_mad(false, m);
}

/* Node 0 takes an M_Key; then somebody sets its PortInfo with another. */
static void mkey_begin(void)
{
	static uint8_t in[512], out[256];
	uint32_t imm;

	for (unsigned set = 0; set < 2; set++) {
		memset(in, 0, sizeof(in));
		in[0] = in[1] = in[2] = 1;
		in[3] = set ? 2 : 1;
		in[17] = 0x15;
		in[23] = 1;
		if (set) {
			memcpy(in + 64, out + 64, 64);
			memset(in + 64, 0x5a, 8);
			in[64 + 32] &= 0xf0;		/* no change of state */
			in[64 + 33] &= 0x0f;
			in[64 + 34] = 0xc0 | (in[64 + 34] & 0x3f);
		}
		if (ohv_cmd(dev[0], OHCA_CMD_OP_MAD_IFC, 1, 1, in, 128, out, 64, &imm) || (set && (out[4] & 0x7f)))
			ohv_fail("bench: M_Key");
	}
}

static void mkey_step(void)
{
	uint8_t m[256] = { 1, 1, 1, 2 };

	m[17] = 0x15;
	m[23] = 1;
	m[24] = 0xbd;
	if (att_due(64))
		att_mad(true, m);
}

/* Arms that never can come true, for queues of others and for those that are not there. */
static void arm_step(void)
{
	uint64_t r = att_rand();

	if (att_due(STORM))
		att_doorbell(r & 1, OHCA_DB_CQ_ARM, (r & 2 ? att.cq->cqn : r & 4 ? scq[0]->cqn : r >> 8 & 0xffff) | (r >> 24 & 0x80ffffff) << 32);
}

static void own_step(void)
{
	if (att_due(STORM))
		att_doorbell(0, OHCA_DB_SQ, qp[0][ATT0 + att_rand() % (nqp - ATT0)].q.qpn);
}

static void others_step(void)
{
	uint64_t r = att_rand();

	if (att_due(STORM))
		att_doorbell(1, OHCA_DB_SQ, (r & 1 ? QPN0 + (r >> 8) % 16 : (r >> 8) & 0x1ffff) | (r >> 32 & 0xffff) << 32);
}

static void reg_begin(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ohca_mpt *e = ohv_ptr(dev[i], dev[i]->mbox_in);

		memset(e, 0, sizeof(*e));
		OHCA_SET(OHCA_MPT_VALID, e, 1);
		OHCA_SET(OHCA_MPT_ACC_LW, e, 1);
		OHCA_SET(OHCA_MPT_KEY, e, 1);
		OHCA_SET(OHCA_MPT_PAGE_SHIFT, e, 12);
		OHCA_SET(OHCA_MPT_PD, e, 9);
		OHCA_SET(OHCA_MPT_LENGTH, e, 1u << 20);
		OHCA_SET(OHCA_MPT_MTT, e, dev[i]->next_mtt);	/* entries of its own, as a driver gives them */
		dev[i]->next_mtt += 256;
	}
}

static void reg_step(void)
{
	for (unsigned i = 0; i < 2; i++)
		if (att_free(i))
			att_cmd(i, att.cmds[i] & 1 ? OHCA_CMD_OP_DESTROY_MKEY : OHCA_CMD_OP_CREATE_MKEY, 5000, 0);
}

/* A region of 32 MiB in pages of 4 KiB: more lines of the table than the cache of translations has. */
static void big_begin(void)
{
	reg_begin();
	for (unsigned i = 0; i < 2; i++) {
		struct ohca_mpt *e = ohv_ptr(dev[i], dev[i]->mbox_in);

		OHCA_SET(OHCA_MPT_LENGTH, e, (uint64_t)WALK_PAGES * OHV_PAGE);
		OHCA_SET(OHCA_MPT_MTT, e, dev[i]->next_mtt);
		dev[i]->next_mtt += WALK_PAGES;
	}
}

static void cmd_step(void)
{
	for (unsigned i = 0; i < 2; i++)
		if (att_free(i))
			att_cmd(i, OHCA_CMD_OP_QUERY_COUNTERS, 0, 0);
}

/* Whose completions go to the attacker: contexts are not in any cache before a number is used. */
static void att_own_on(unsigned node, unsigned i, unsigned cqn)
{
	struct ohca_rac *a = ohv_ptr(dev[node], icm_at[node] + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_RAC_OFFSET);

	OHCA_SET(OHCA_RAC_CQN, a, cqn);
}

static void att_own(unsigned i, unsigned cqn)
{
	att_own_on(0, i, cqn);
}

static void att_write(unsigned i, uint32_t rkey, unsigned n)
{
	static const uint8_t eight[8] = { 0 };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .inl = true, .data = eight, .len = 8, .raddr = src[1].va, .rkey = rkey };

	while (n--)
		ohv_post_send(&qp[0][i].q, &wr);
	dev[0]->push = false;
	ohv_ring(&qp[0][i].q);
}

/* A million a second, as long as there are any. */
static void fail_begin(void)
{
	for (unsigned i = ATT0; i < nqp; i++)
		att_own(i, att.cq->cqn);
}

static void fail_step(void)
{
	unsigned per = (nqp - ATT0) / V_KINDS;

	if (att.first < per && att_due(250))
		att_write(ATT0 + att.kind * per + att.first++, 0x666600, 1);
	att_free(0);
}

/* Small queues that nobody reads, each with eight QPs that complete twice of what there is room for. */
static void overflow_begin(void)
{
	unsigned per = 96 / iso_part;

	for (unsigned i = 0; i < per * V_KINDS && ATT0 + i < nqp; i++) {
		if (i % 8 == 0)
			att.cq = ohv_create_cq(dev[0], 4);
		att_own(ATT0 + i, att.cq->cqn);
	}
	att.qps = per;
}

static void overflow_step(void)
{
	if (att.first < att.qps && att_due(att.span / att.qps))
		att_write(ATT0 + att.kind * att.qps + att.first++, dst[1].key, 4);
	att_free(0);
}

/* A VL without credits, whose QPs have work for it and are destroyed one after the other, and hundreds more that have none. */
static void close_begin(void)
{
	unsigned vls = fabric_read32(fab, 0, OHCA_REG_HW_CFG) >> 4 & 15;
	static char err[128];

	att.qps = 600 / iso_part;
	att.real = calloc(att.qps, sizeof(*att.real));
	for (unsigned i = 0; vls > 1 && i < 2; i++)
		ohv_sl2vl(dev[i], (const uint8_t[16]){ 0, 1 });
	for (unsigned i = 0; i < att.qps; i++)
		att.real[i] = ohv_create_qp(dev[0], OHCA_QP_TYPE_RC, att.cq, att.cq, 3, 0, 4);
	for (unsigned i = 0; i < att.qps; i += 10) {
		struct ohv_qp_attr a = { .dqpn = QPN0 + ATT0, .mtu = OHCA_MTU_MTU4096, .retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4, .access = 3,
					 .av = { .dlid = dev[1]->lid, .sl = vls > 1 } };

		if (ohv_connect(att.real[i], &a))
			ohv_fail("bench: connect");
	}
	if (vls > 1) {
		fab->link[0].w[1].faults = fault_parse("drop,kind=fc,vl=1", 1, err, sizeof(err));
		fabric_run(fab, 500, NULL, NULL);
	}
	for (unsigned i = 0; i < att.qps; i += 10) {
		struct ohv_sge s = { src[0].va, 4096, src[0].key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = src[1].va, .rkey = 0x666600 };

		for (unsigned k = 0; vls > 1 && k < 7; k++)
			ohv_post_send(att.real[i], &wr);
		if (vls > 1)
			ohv_ring(att.real[i]);
	}
}

static void close_step(void)
{
	unsigned per = att.qps / V_KINDS;

	if (att.first < per && att_free(0))
		att_cmd(0, OHCA_CMD_OP_DESTROY_QP, att.real[att.kind * per + att.first++]->qpn, 0);
}

/* Queue pairs with messages of 1 MiB towards node 0, two each at any time: READs of its own, or WRITEs of the other's. */
static void long_begin(unsigned node, unsigned qps)
{
	att.qps = qps;
	for (unsigned i = 0; i < att.qps; i++) {
		att_own_on(node, ATT0 + i, att.cq->cqn);
		qp[node][ATT0 + i].posted = qp[node][ATT0 + i].done = 0;
	}
}

/* More than the responder has rings for. */
static void reads_begin(void)
{
	long_begin(0, 160);
}

static void reader_begin(void)
{
	long_begin(0, 1);
}

static void writer_begin(void)
{
	long_begin(1, 1);
}

static bool long_polled(unsigned node)
{
	struct ohca_cqe e;
	bool any = false;

	while (ohv_poll(att.cq, &e)) {
		qp[node][OHCA_GET(OHCA_CQE_QPN, &e) - QPN0].done++;
		att.n++;
		if (OHCA_GET(OHCA_CQE_STATUS, &e) && !att.failed++)
			printf("# the first message to fail: status %u, vendor %u, by QP %#x after %llu\n", (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e), (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, &e), (unsigned)OHCA_GET(OHCA_CQE_QPN, &e), (unsigned long long)att.n);
	}
	for (unsigned i = 0; i < att.qps; i++)
		any |= qp[node][ATT0 + i].posted != qp[node][ATT0 + i].done;
	return any;
}

static void long_step(unsigned node, unsigned op)
{
	long_polled(node);
	for (unsigned tries = 0; tries < 8 && fab->node[node].host.axi.op_count < 4; tries++) {
		struct bq *b = &qp[node][ATT0 + att.first++ % att.qps];
		bool read = op == OHCA_WR_OP_RDMA_READ;
		struct ohv_sge s = { read ? dst[node].va : src[node].va, MR_LEN, read ? dst[node].key : src[node].key };
		struct ohv_wr wr = { .op = op, .signaled = true, .sge = &s, .nsge = 1, .raddr = read ? src[!node].va : dst[!node].va,
				     .rkey = read ? src[!node].key : dst[!node].key };

		if (b->posted - b->done < 2) {
			ohv_post_send(&b->q, &wr);
			b->posted++;
			dev[node]->push = false;
			ohv_ring(&b->q);
		}
	}
}

static void reads_step(void)
{
	long_step(0, OHCA_WR_OP_RDMA_READ);
}

static void writes_step(void)
{
	long_step(1, OHCA_WR_OP_RDMA_WRITE);
}

/*
 * Of a victim's figures alone at least these parts are left, and latency is less than so many times what it is alone: 2 %, and 1 % for the message at the
 * window's end.
 */
#define LIMITS .goodput = 0.97, .rate = 0.97, .p99 = 2
#define SETTLE 40000
static const struct attack {
	const char *name;
	void (*begin)(void), (*step)(void);
	double goodput, rate, p99;
	/* What may fill the wire just as well: the latency's limit is so many times what it is beside that. Its step is the attacker's. */
	void (*fair)(void);
	/* Cycles that it goes on before the victim does: queue pairs that all begin at once hold up others until their contexts have been read. */
	unsigned settle;
	unsigned node;			/* of its queue pairs and their CQ */
} attacks[] = {
	{ "gmp-pkey", NULL, gmp_step, LIMITS },
	{ "m-key", mkey_begin, mkey_step, LIMITS },
	{ "cq-arms", NULL, arm_step, LIMITS },
	{ "doorbells-own", NULL, own_step, LIMITS },
	{ "doorbells-others", NULL, others_step, LIMITS },
	{ "registrations", reg_begin, reg_step, LIMITS },
	{ "registrations-32m", big_begin, reg_step, LIMITS },
	{ "stopped-vl-close", close_begin, close_step, LIMITS },
	{ "failing-qps", fail_begin, fail_step, LIMITS },
	{ "cq-overflow", overflow_begin, overflow_step, LIMITS },
	{ "commands", NULL, cmd_step, LIMITS },
	/*
	 * No attackers: one queue pair each, of which as many as like may fill a wire. The victim's acknowledgements go behind packets of 4 KiB, each longer than
	 * its latency alone (docs/performance.md); the writer's payload fills the channel that the victim's completions need.
	 */
	{ "one-reader", reader_begin, reads_step, .goodput = 0.97, .rate = 0.97, .p99 = 20, .settle = SETTLE },
	{ "one-writer", writer_begin, writes_step, .goodput = 0.97, .rate = 0.6, .p99 = 16, .settle = SETTLE, .node = 1 },
	{ "long-reads", reads_begin, reads_step, .goodput = 0.97, .rate = 0.97, .p99 = 1.8, .fair = reader_begin, .settle = SETTLE },
};

static void let(uint64_t n)
{
	for (uint64_t end = fab->cycle + n; fab->cycle < end;) {
		if (attack)
			attack();
		fabric_step(fab);
	}
}

static void settle(const struct attack *a)
{
	attack = a->step;
	let(a->settle);
	attack = NULL;
}

/* The 99th percentile of the time from posting to the completion's write, one message at a time; 0 with `why` if one does not end. */
static double p99(unsigned tries)
{
	static const struct load l = { .op = OHCA_WR_OP_RDMA_WRITE, .size = 8, .qps = 1, .depth = 1, .batch = 1, .inl = true, .push = true };
	static int64_t v[1000];
	struct ohca_cqe e;

	memset(&run_, 0, sizeof(run_));
	run_.l = &l;
	for (unsigned n = 0; n < tries; n++) {
		uint64_t t0;

		let(100 + ohv_rand(dev[0]) % 400);
		clear_counts();
		t0 = fab->cycle;
		post_batch(0, 0);
		while (!pin[0].t_cqe && fab->cycle < t0 + 400000)
			let(1);
		v[n] = (int64_t)(pin[0].t_cqe - t0);
		let(200);
		if (!ohv_poll(scq[0], &e) || OHCA_GET(OHCA_CQE_STATUS, &e)) {
			snprintf(why, sizeof(why), "a small WRITE does not complete");
			return 0;
		}
	}
	qsort(v, tries, sizeof(v[0]), cmp);
	return (double)v[tries - 1 - tries / 100];
}

/* One victim's figure: bytes a cycle, messages a thousand cycles, cycles. 0: why. */
static double victim(unsigned kind, const struct attack *a)
{
	static const struct load l[2] = {
		{ .op = OHCA_WR_OP_RDMA_WRITE, .size = 1024, .qps = 4, .depth = 64, .batch = 1 },
		{ .op = OHCA_WR_OP_RDMA_WRITE, .size = 8, .qps = 16, .depth = 64, .batch = 4, .inl = true },
	};
	/* half of what there is room for: who takes the rest away has to leave the victim alone, and full queues would share with him */
	struct load half = l[kind == V_RATE];
	const uint64_t window = (uint64_t)(60000 * stretch), warm = 6000;
	const unsigned tries = stretch < 10 ? (unsigned)(100 * stretch) + 1 : 1000;
	double r;

	half.pace = kind == V_RATE ? width == 64 ? 180 : 32 : width == 64 ? 280 : 44;
	att.kind = kind;
	att.first = 0;
	att.at = fab->cycle + warm / 2;
	att.span = kind == V_P99 ? tries * 900 : window;
	attack = a ? a->step : NULL;
	if (kind == V_P99)
		r = p99(tries);
	else if (run_load(&half, warm, window))
		r = (double)win[1].w_bytes[W_PAYLOAD] / (double)win[1].cycles * (kind == V_RATE ? 1000 / 8.0 : 1);
	else
		r = 0;
	attack = NULL;
	return r;
}

/* Both adapters still do what they are told. */
static bool alive(void)
{
	for (uint64_t end = fab->cycle + 2000000; (att.busy[0] && !att_free(0)) || (att.busy[1] && !att_free(1));) {
		fabric_run(fab, 500, NULL, NULL);
		if (fab->cycle > end) {
			snprintf(why, sizeof(why), "a command does not end");
			return false;
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		uint32_t imm = 0, st;

		if (ohv_cmd(dev[i], OHCA_CMD_OP_NOP, 0x600d, 0, NULL, 0, NULL, 0, &imm) || imm != 0x600d) {
			snprintf(why, sizeof(why), "node %u: NOP", i);
			return false;
		}
		st = fabric_read32(fab, i, OHCA_REG_STATUS);
		if ((st & OHCA_MASK(OHCA_REG_STATUS_FATAL)) || fab->node[i].model->failures || ohv_port_state(dev[i]) != 4) {
			snprintf(why, sizeof(why), "node %u: status %#x, %u assertions failed", i, st, (unsigned)fab->node[i].model->failures);
			return false;
		}
	}
	return true;
}

static void isolation(void)
{
	unsigned out = 0;

	printf("# isolation, %u bits: what is left to a victim beside an attacker\n# %-18s %18s %18s %18s\n", width, "attacker", "1 KiB WRITE, B/cyc",
	       "small, per 1000", "p99, cycles");
	fprintf(json, ",\n  \"isolation\": [");
	/* All begin with what the victims use in the caches. */
	for (unsigned k = 0; k < V_P99; k++)
		if (!victim(k, NULL))
			ohv_fail("bench: %s", why);
	for (unsigned i = 0; i <= sizeof(attacks) / sizeof(attacks[0]); i++) {
		const struct attack *a = i ? &attacks[i - 1] : NULL;
		double v[V_KINDS], bus[V_KINDS] = { 0 }, reads[V_KINDS] = { 0 }, theirs[V_KINDS] = { 0 }, fair;
		char name[64], cnt[600];
		bool ok = true;

		snprintf(name, sizeof(name), "isolation-%s-%u", a ? a->name : "alone", width);
		if (!begin(&out, name))
			continue;
		memset(&att, 0, sizeof(att));
		att.rng = 0x9e3779b97f4a7c15ull;
		for (unsigned k = 0; a && only && k < V_KINDS; k++)
			gate->alone[k] = victim(k, NULL);
		fair = gate->alone[V_P99];
		if (a) {
			att.cq = ohv_create_cq(dev[a->node], 10);
			if (a->fair) {
				a->fair();
				settle(a);
				fair = victim(V_P99, a);
				ok = fair > 0;
				while (ok && long_polled(0))
					let(100);
			}
			if (a->begin)
				a->begin();
			settle(a);
		}
		for (unsigned k = 0; ok && k < V_KINDS; k++) {
			v[k] = victim(k, a);
			if (k != V_P99) {
				bus[k] = 100.0 * (double)win[0].r_beats / (double)win[0].cycles;
				reads[k] = (double)win[0].reads_out / (double)win[0].cycles;
				theirs[k] = (double)win[0].w_bytes[W_PAYLOAD] / (double)win[0].cycles;
			}
			if (!a)
				gate->alone[k] = v[k];
			ok = v[k] > 0;
		}
		if (!ok) {
			result(false, name);
			end();
		}
		if (a && a->fair)
			printf("# %-18s %56.0f %7.1f %%\n", "beside one of it", fair, 100 * fair / gate->alone[2]);
		printf("# %-18s %8.3f %7.1f %% %8.2f %7.1f %% %8.0f %7.1f %%\n", a ? a->name : "alone", v[0], 100 * v[0] / gate->alone[0], v[1],
		       100 * v[1] / gate->alone[1], v[2], 100 * v[2] / gate->alone[2]);
		printf("#   read channel of node 0 busy %.0f and %.0f %%, %.1f and %.1f reads under way; attacker: %.2f and %.2f bytes a cycle to it, %llu steps, %u and %u commands, %u refused\n",
		       bus[0], bus[1], reads[0], reads[1], theirs[0], theirs[1], (unsigned long long)att.n, att.cmds[0], att.cmds[1], att.refused);
		fprintf(json, "%s\n    {\"attacker\": \"%s\", \"goodput\": %.4f, \"rate\": %.4f, \"p99\": %.0f, \"goodput_part\": %.4f, \"rate_part\": %.4f, \"p99_part\": %.3f, \"p99_fair\": %.3f}",
			out ? "," : "", a ? a->name : "none", v[0], v[1], v[2], v[0] / gate->alone[0], v[1] / gate->alone[1], v[2] / gate->alone[2],
			v[2] / fair);
		ok = alive();
		if (a && ok && (v[0] < a->goodput * gate->alone[0] || v[1] < a->rate * gate->alone[1] || v[2] > a->p99 * fair)) {
			snprintf(why, sizeof(why), "%.1f %% of the goodput, %.1f %% of the messages, %.2f times the latency", 100 * v[0] / gate->alone[0],
				 100 * v[1] / gate->alone[1], v[2] / fair);
			trouble(cnt, sizeof(cnt));
			printf("#   counters:%s\n", cnt);
			ok = false;
		}
		result(ok, name);
		end();
	}
	fprintf(json, "]");
}

/* What of a node is evaluated: the share of the cycles in which each of its parts was clocked ("clocks by part", rtl/ohca.sv) */
static void print_parts(const char *what, const uint64_t (*before)[32], uint64_t cycles, const uint64_t *packets, const uint64_t *fc)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct ohca_model *m = fab->node[i].model;

		printf("# simulation, %s, node %u clocked, %%:", what, i);
		for (unsigned p = 0; p < m->parts && p < 32; p++)
			printf(" %s %.0f", m->part_name[p], 100.0 * (double)(m->part_edges[p] - before[i][p]) / (double)cycles);
		printf("; sent %llu packets, %llu for flow control\n", (unsigned long long)packets[i], (unsigned long long)fc[i]);
	}
}

/* Processor time, so that other load of the machine matters little. */
static void speed(void)
{
	struct load l = { .op = OHCA_WR_OP_RDMA_WRITE, .size = 4096, .qps = 4, .depth = 16, .batch = 1 };
	uint64_t n = 40000;
	double khz[3], t;
	struct fabric_config cfg = fab->cfg;
	struct fabric *one;
	const char *built = fab->node[0].model->built;
	char name[64];

	unsigned out = 0;

	snprintf(name, sizeof(name), "speed-%u", width);
	if (!begin(&out, name))
		return;
	for (unsigned both = 0; both < 2; both++) {
		uint64_t edges[2][32], packets[2], fc[2], from = fab->cycle;

		for (unsigned i = 0; i < 2; i++) {
			const struct ohca_model *m = fab->node[i].model;

			for (unsigned p = 0; p < m->parts && p < 32; p++)
				edges[i][p] = m->part_edges[p];
			packets[i] = fab->node[i].tx->st.packets;
			fc[i] = fab->node[i].tx->st.fc;
		}
		l.both = both;
		if (!run_load(&l, 2000, n)) {
			result(false, name);
			end();
		}
		for (unsigned i = 0; i < 2; i++) {
			packets[i] = fab->node[i].tx->st.packets - packets[i];
			fc[i] = fab->node[i].tx->st.fc - fc[i];
		}
		print_parts(both ? "both send" : "node 0 sends", (const uint64_t (*)[32])edges, fab->cycle - from, packets, fc);
		khz[both] = (double)win[0].cycles / win_cpu / 1000;
	}
	one = fabric_create(&(struct fabric_config){ .nodes = 1, .topology = TOPO_NONE, .clock_mhz = cfg.clock_mhz, .axi = cfg.axi, .firmware = cfg.firmware,
						     .seed = cfg.seed, .train_cycles = cfg.train_cycles, .link_latency = cfg.link_latency });
	if (!one)
		ohv_fail("bench: one node");
	for (uint64_t i = 0; i < 5000; i++)
		fabric_step(one);
	t = cpu_now();
	for (uint64_t i = 0; i < n; i++)
		fabric_step(one);
	khz[2] = (double)n / (cpu_now() - t) / 1000;
	printf("# simulation, %u bits, built by %s\n", width, built);
	printf("# simulation, %u bits, one node booting: %.1f kHz\n", width, khz[2]);
	printf("# simulation, %u bits, two nodes: %.1f kHz when both send, %.1f kHz when one sends (device cycles of the pair in a CPU second)\n", width, khz[1],
	       khz[0]);
	fprintf(json, ",\n  \"speed\": {\"two_busy_khz\": %.2f, \"one_way_khz\": %.2f, \"one_node_khz\": %.2f, \"built\": \"%s\"}",
		khz[1], khz[0], khz[2], built);
	result(true, name);
	end();
}

/* A little of all that guests' programs do, for a program that counts what is executed */
static void train(void)
{
	static const unsigned op[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_READ, OHCA_WR_OP_SEND };
	unsigned out = 0;
	char name[64];
	bool ok = true;

	snprintf(name, sizeof(name), "train-%u", width);
	if (!begin(&out, name))
		return;
	for (unsigned i = 0; ok && i < 6; i++) {
		struct load l = { .op = op[i % 3], .size = i < 3 ? 16384 : 64, .qps = i < 3 ? 1 : 4, .depth = 16, .batch = 1 };

		ok = run_load(&l, 500, 6000);
	}
	result(ok, name);
	end();
}

/* ------------------------------------------------------------------ the gate */

static void verdict(const char *name, double v, double least, double most, unsigned *n)
{
	char full[80];
	bool ok = v > 0 && v >= least && v <= most;

	snprintf(full, sizeof(full), "gate-%s-%u", name, width);
	if (v <= 0)
		snprintf(why, sizeof(why), "not measured");
	else if (!ok)
		snprintf(why, sizeof(why), "%.3g, wanted %s %.3g", v, v < least ? "at least" : "at most", v < least ? least : most);
	fprintf(json, "%s\n    {\"name\": \"%s\", \"value\": %.4g, \"bound\": %.4g, \"ok\": %s}", (*n)++ ? "," : "", name, v, least > 0 ? least : most,
		ok ? "true" : "false");
	result(ok, full);
}

static void check_gate(void)
{
	static const char *const op[3] = { "goodput-WRITE", "goodput-READ", "goodput-SEND" };
	unsigned n = 0;

	fprintf(json, ",\n  \"gate\": [");
	for (unsigned i = 0; i < 3; i++)
		verdict(op[i], gate->goodput[i], 0.9, 1e9, &n);
	verdict("first-touch", gate->touch, 0.95, 1e9, &n);
	verdict("message", gate->rate[0], 0, width > 64 ? 2.5 : 9, &n);	/* 64 bits: the host's bus is the limit */
	verdict("message-pushed", gate->rate[1], 0, width > 64 ? 3 : 9, &n);
	/* Seeds vary by a tenth. What a cache of contexts does while a number that was evicted comes back shows here. */
	verdict("message-random", gate->random[0], 0, width > 64 ? 4 : 20, &n);
	verdict("message-random-pushed", gate->random[1], 0, width > 64 ? 16 : 50, &n);
	verdict("doorbell-to-wire", (double)gate->to_wire, 0, 50, &n);
	verdict("wire-to-host", (double)gate->to_host, 0, 50, &n);
	verdict("doorbell-to-cqe", (double)gate->to_cqe, 0, 250, &n);
	fprintf(json, "]");
}

/* ------------------------------------------------------------------ bring-up */

/* Another region with these pages, again and again; its key. */
static uint32_t walk_region(struct ohv_dev *d, const struct ohv_mr *m)
{
	uint64_t *t = (uint64_t *)ohv_ptr(d, d->mtt_off) + d->next_mtt;
	struct ohca_mpt e;
	unsigned n = d->next_mpt++;

	for (unsigned k = 0; k < WALK_PAGES; k++)
		t[k] = m->page[k % (MR_LEN / OHV_PAGE)] | 1;
	memset(&e, 0, sizeof(e));
	OHCA_SET(OHCA_MPT_VALID, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_LW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RR, &e, 1);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &e, 12);
	OHCA_SET(OHCA_MPT_PD, &e, 7);
	OHCA_SET(OHCA_MPT_START, &e, WALK_VA);
	OHCA_SET(OHCA_MPT_LENGTH, &e, (uint64_t)WALK_PAGES * OHV_PAGE);
	OHCA_SET(OHCA_MPT_MTT, &e, d->next_mtt);
	d->next_mtt += WALK_PAGES;
	if (ohv_cmd(d, OHCA_CMD_OP_CREATE_MKEY, n, 0, &e, sizeof(e) / 4, NULL, 0, NULL))
		ohv_fail("bench: create_mkey");
	return n << 8;
}

static void split_mr(struct ohv_mr *all, struct ohv_mr *a, uint64_t off)
{
	*a = *all;
	a->va = all->va + off;
	a->len = MR_LEN;
	a->page = all->page + off / OHV_PAGE;
}

static bool wanted(const char *cases, const char *what)
{
	return !cases || strstr(cases, what);
}

int main(int argc, char **argv)
{
	struct fabric_config cfg;
	struct fabric *f;
	const char *fw = "build/firmware/ohca_fw.hex", *out = NULL, *cases = NULL, *waves = NULL;
	unsigned most = 0;
	bool pauses = true;
	uint64_t seed = 1;
	double t0 = cpu_now(), up;
	static uint8_t data[MR_LEN];
	int c;

	while ((c = getopt(argc, argv, "w:o:f:s:c:q:lprdx:n:t:gi:")) != -1) {
		if (c == 'w')
			width = (unsigned)atoi(optarg);
		else if (c == 'o')
			out = optarg;
		else if (c == 'f')
			fw = optarg;
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'c')
			cases = optarg;
		else if (c == 'q')
			most = (unsigned)atoi(optarg);
		else if (c == 'r')
			ohv_roce = true;
		else if (c == 'd')
			pauses = false;
		else if (c == 'l')
			many_sizes = true;
		else if (c == 'p')
			narrow = true;
		else if (c == 'g')
			gate_only = true;
		else if (c == 'n')
			only = optarg;
		else if (c == 't')
			waves = optarg;
		else if (c == 'i')
			iso_part = (unsigned)atoi(optarg) ? (unsigned)atoi(optarg) : 1;
		else if (c == 'x')
			stretch = atof(optarg) / 100;
		else
			return 2;
	}
	if (!most)
		most = gate_only || (width == 512 && !cases && !only) ? 65536 : 1024;
	if (most < 16 || most > 65536 || stretch <= 0) {
		fprintf(stderr, "native: 16 to 65536 QPs, windows of more than 0 %%\n");
		return 2;
	}
	gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gate == MAP_FAILED) {
		perror("native");
		return 1;
	}
	json = fopen(out ? out : "/dev/null", "w");
	if (!json) {
		perror(out);
		return 1;
	}
	fabric_config_default(&cfg, 2, width);
	cfg.axi.wide = narrow ? 0 : 65536;
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.trace = waves;
	f = fabric_create(&cfg);
	if (!f)
		return 1;
	fab = f;
	wire_bpc = (double)f->node[0].tx->rate / 65536;
	for (unsigned i = 0; i < 2; i++) {
		pin[i].step = f->node[i].model->step;
		f->node[i].model->step = hook;
	}
	for (unsigned i = 0; i < 2; i++)
		dev[i] = ohv_open(f, i, most > 1024 ? 700ul << 20 : 64ul << 20);
	for (unsigned i = 0; i < 2; i++)
		ohv_port_up(dev[i], (uint16_t)(i + 1));
	for (unsigned i = 0; i < 2 && ohv_roce && pauses; i++) {
		ohv_port_wait(dev[i]);
		ohv_pauses(dev[i], true);
	}
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = OHV_IOVA + dev[i]->mem_used;

		mr[i] = ohv_reg(dev[i], MR_VA, 2 * MR_LEN, 7);
		split_mr(mr[i], &src[i], 0);
		split_mr(mr[i], &dst[i], MR_LEN);
		walk_src[i] = walk_region(dev[i], &src[i]);
		walk_dst[i] = walk_region(dev[i], &dst[i]);
		/* only destinations are written to, so the whole region is theirs */
		pin[i].dst_lo = at;
		pin[i].dst_hi = OHV_IOVA + dev[i]->mem_used;
		at = OHV_IOVA + dev[i]->mem_used;
		scq[i] = ohv_create_cq(dev[i], CQ_LOG);
		rcq[i] = ohv_create_cq(dev[i], CQ_LOG);
		pin[i].cq_lo = at;
		pin[i].cq_hi = OHV_IOVA + dev[i]->mem_used;
		for (unsigned k = 0; k < MR_LEN; k++)
			data[k] = (uint8_t)(ohv_rand(dev[i]) >> 32);
		ohv_write(&src[i], 0, data, MR_LEN);
	}
	make_qps(most);
	up = cpu_now() - t0;
	printf("# %u bits: brought up in %llu cycles, %.1f s\n", width, (unsigned long long)f->cycle, up);
	fprintf(json, "{\"width\": %u, \"clock_mhz\": %u, \"wire_bytes_per_cycle\": %.3f, \"seed\": %llu,\n  \"pcie\": {\"read_cycles\": %u, "
		"\"bytes_per_cycle\": %.2f, \"tlp_payload\": %u, \"tlp_overhead\": %u}", width, cfg.clock_mhz, wire_bpc, (unsigned long long)seed,
		cfg.axi.read_latency, (double)cfg.axi.rate / 65536, cfg.axi.tlp_payload, cfg.axi.tlp_overhead);
	if (wanted(cases, "latency"))
		latency();
	if (wanted(cases, "rate"))
		rate(most);
	if (wanted(cases, "goodput"))
		goodput();
	if (wanted(cases, "first_touch"))
		first_touch();
	if (wanted(cases, "isolation") && !gate_only && !ohv_roce)
		isolation();
	if (wanted(cases, "speed") && !gate_only)
		speed();
	if (cases && wanted(cases, "train"))
		train();
	if (gate_only || (width == 512 && !cases && !only))
		check_gate();
	fprintf(json, ",\n  \"failed\": %u, \"cpu_seconds\": %.1f}\n", failed, cpu_all());
	fclose(json);
	printf("# %u bits: %.1f CPU seconds, of them %.1f to bring the adapters up\n", width, cpu_all(), up);
	return failed != 0;
}
