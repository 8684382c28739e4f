// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The load of the benchmark: what is counted at the pins of the two adapters, queue pairs made cheaply, and a host that posts, polls and measures windows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "native.h"

#define DEEP_QPS 16u
#define RQ_LOG 8			/* receive WQEs of 16 bytes: one page */
#define RQ_QPS 16u			/* QPs that can take SENDs */

/* ------------------------------------------------------------------ pins */

struct fabric *fab;
struct pins pin[2];
struct ohv_dev *dev[2];

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
void hook(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out)
{
	unsigned i = fab && fab->node[1].model == m;

	pin[i].step(m, in, out);
	if (fab)
		sample(&pin[i], in, out, fab->node[i].host.axi.rd_count);
}

void clear_counts(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pins *p = &pin[i];

		memset(&p->cycles, 0, sizeof(*p) - offsetof(struct pins, cycles));
	}
}

/* ------------------------------------------------------------------ queue pairs, cheaply */

struct bq *qp[2];
unsigned nqp;
struct ohv_mr src[2], dst[2];
uint32_t walk_src[2], walk_dst[2];
struct ohv_cq *scq[2], *rcq[2];
unsigned errors;
char why[800];
uint64_t icm_at[2];
void (*attack)(void);

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
void make_qps(unsigned n)
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

struct run run_;

static void bad(const char *who, const struct ohca_cqe *e)
{
	if (!errors++)
		snprintf(why, sizeof(why), "%s: status %u vendor %u, QP %#x", who, (unsigned)OHCA_GET(OHCA_CQE_STATUS, e),
			 (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e), (unsigned)OHCA_GET(OHCA_CQE_QPN, e));
}

void post_batch(unsigned side, unsigned i)
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
void post_recvs(unsigned side, unsigned i)
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

struct pins win[2];
double win_cpu;

double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What the adapters counted that a run without faults should not show. */
void trouble(char *to, size_t n)
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

bool run_load(const struct load *l, uint64_t warm, uint64_t window)
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
