// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * What the adapter promises of the order of its host memory accesses, on a bus that gives none between reads and writes before B
 * (sim/axi_host.h), case by case; random.c has the same among everything else.
 *
 *   bus [-w WIDTH] [-s SEED] [-n ROUNDS] [-f FIRMWARE.hex] [--roce] [CASE…]
 *
 * read-after-write   a READ behind a WRITE of its QP, or of another one whose WRITE was completed, brings what was written
 * fence              what a READ brought is what a fenced WRITE behind it sends
 * payload-first      who sees a CQE sees its payload
 * interrupt-last     who gets an interrupt finds its event, and the completion of which it tells
 * commands           who sees a command's end finds its answer
 * errors             SLVERR and DECERR now and then, anywhere: some work fails, the adapter does not, and what is made after that works
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ohv.h"

#define QPS 4u
#define DEPTH 8u
#define SLOT 4096u
#define SRC_VA 0x7f0000001000ull
#define WAIT 3000000ull

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *mr[2];		/* QPS * DEPTH slots each of source, target, result */
static struct ohv_cq *scq[2], *rcq[2];
static struct ohv_qp *qp[2][QPS];
static struct rng rng;
static unsigned rounds = 40;
static char why[300];

enum { SRC, DST, RES, AREAS };

static bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static uint64_t at(unsigned area, unsigned i, unsigned k)
{
	return ((uint64_t)area * QPS * DEPTH + i * DEPTH + k) * SLOT;
}

static void put(unsigned node, uint64_t off, uint8_t *copy, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		copy[i] = (uint8_t)rng_next(&rng);
	ohv_write(mr[node], off, copy, len);
}

static bool same(unsigned node, uint64_t off, const uint8_t *want, uint32_t len, const char *what)
{
	static uint8_t got[SLOT];

	ohv_read(mr[node], off, got, len);
	for (uint32_t i = 0; i < len; i++)
		if (got[i] != want[i])
			return fail("%s: byte %u of %u is %02x, should be %02x", what, i, len, got[i], want[i]);
	return true;
}

static void post(unsigned node, unsigned i, unsigned op, uint64_t local, uint64_t remote, uint32_t len, bool signaled, bool fence)
{
	struct ohv_sge s = { SRC_VA + local, len, mr[node]->key };
	struct ohv_wr wr = {
		.op = op, .signaled = signaled, .fence = fence, .sge = &s, .nsge = 1, .raddr = SRC_VA + remote, .rkey = mr[!node]->key,
	};

	ohv_post_send(qp[node][i], &wr);
}

static bool good(struct ohv_cq *c, struct ohca_cqe *e, const char *what)
{
	if (!ohv_wait(c, e, WAIT))
		return fail("%s: no completion", what);
	if (OHCA_GET(OHCA_CQE_STATUS, e))
		return fail("%s: status %u, vendor error %u", what, (unsigned)OHCA_GET(OHCA_CQE_STATUS, e), (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e));
	return true;
}

static void create(void)
{
	for (unsigned k = 0; k < 2; k++) {
		scq[k] = ohv_create_cq(dev[k], 8);
		rcq[k] = ohv_create_cq(dev[k], 8);
	}
	for (unsigned i = 0; i < QPS; i++) {
		uint32_t psn[2] = { (uint32_t)rng_next(&rng) & 0xffffff, (uint32_t)rng_next(&rng) & 0xffffff };
		uint32_t mtu = 1 + below(5);

		for (unsigned k = 0; k < 2; k++)
			qp[k][i] = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, scq[k], rcq[k], 6, 5, 4);
		for (unsigned k = 0; k < 2; k++) {
			struct ohv_qp_attr a = {
				.dqpn = qp[!k][i]->qpn, .sq_psn = psn[k], .rq_psn = psn[!k], .mtu = mtu, .timeout = 12, .retry = 7, .rnr_retry = 7,
				.min_rnr = 1, .max_rd = 8, .max_dest_rd = 8, .access = 3, .av.dlid = dev[!k]->lid,
			};
			int st = ohv_connect(qp[k][i], &a);

			if (st)
				ohv_fail("connect: status %d", st);
		}
	}
}

static bool t_read_after_write(void)
{
	static uint8_t want[QPS][DEPTH][SLOT];
	uint32_t len[QPS][DEPTH];
	struct ohca_cqe e;

	for (unsigned r = 0; r < rounds; r++) {
		unsigned n = 1 + below(DEPTH), q = 1 + below(QPS);

		for (unsigned i = 0; i < q; i++) {
			for (unsigned k = 0; k < n; k++) {
				len[i][k] = 1 + below(below(2) ? 200 : SLOT);
				put(0, at(SRC, i, k), want[i][k], len[i][k]);
				post(0, i, OHCA_WR_OP_RDMA_WRITE, at(SRC, i, k), at(DST, i, k), len[i][k], false, false);
				post(0, i, OHCA_WR_OP_RDMA_READ, at(RES, i, k), at(DST, i, k), len[i][k], true, false);
			}
			ohv_ring(qp[0][i]);
		}
		for (unsigned c = 0; c < q * n; c++)
			if (!good(scq[0], &e, "READ"))
				return false;
		for (unsigned i = 0; i < q; i++)
			for (unsigned k = 0; k < n; k++)
				if (!same(0, at(RES, i, k), want[i][k], len[i][k], "READ behind a WRITE"))
					return false;
		/* A WRITE by one QP, completed, then a READ by another. */
		for (unsigned k = 0; k < n; k++) {
			put(0, at(SRC, 0, k), want[0][k], len[0][k]);
			post(0, 0, OHCA_WR_OP_RDMA_WRITE, at(SRC, 0, k), at(DST, 0, k), len[0][k], true, false);
			ohv_ring(qp[0][0]);
			while (!ohv_poll(scq[0], &e))
				fabric_run(fab, 1 + below(20), NULL, NULL);
			post(0, 1, OHCA_WR_OP_RDMA_READ, at(RES, 1, k), at(DST, 0, k), len[0][k], true, false);
			ohv_ring(qp[0][1]);
			if (!good(scq[0], &e, "READ of another QP") || !same(0, at(RES, 1, k), want[0][k], len[0][k], "READ behind another QP's WRITE"))
				return false;
		}
	}
	return true;
}

static bool t_fence(void)
{
	static uint8_t want[QPS][DEPTH][SLOT];
	uint32_t len[QPS][DEPTH];
	struct ohca_cqe e;

	for (unsigned r = 0; r < rounds * 2; r++) {
		unsigned n = 1 + below(DEPTH), q = 1 + below(QPS);

		for (unsigned i = 0; i < q; i++) {
			unsigned fenced = below(2);		/* each, or the last one of all */

			for (unsigned k = 0; k < n; k++) {
				len[i][k] = 1 + below(below(2) ? 200 : SLOT);
				put(1, at(SRC, i, k), want[i][k], len[i][k]);
				post(0, i, OHCA_WR_OP_RDMA_READ, at(RES, i, k), at(SRC, i, k), len[i][k], false, false);
				if (fenced)
					post(0, i, OHCA_WR_OP_RDMA_WRITE, at(RES, i, k), at(DST, i, k), len[i][k], true, true);
			}
			for (unsigned k = 0; k < n && !fenced; k++)
				post(0, i, OHCA_WR_OP_RDMA_WRITE, at(RES, i, k), at(DST, i, k), len[i][k], true, k == 0);
			ohv_ring(qp[0][i]);
		}
		for (unsigned c = 0; c < q * n; c++)
			if (!good(scq[0], &e, "fenced WRITE"))
				return false;
		/* The requester knows that they are done there; their last write may still be on its way into that memory. */
		ohv_settle(fab);
		for (unsigned i = 0; i < q; i++)
			for (unsigned k = 0; k < n; k++)
				if (!same(1, at(DST, i, k), want[i][k], len[i][k], "fenced WRITE of what a READ brought"))
					return false;
	}
	return true;
}

static bool t_payload_first(void)
{
	static uint8_t want[DEPTH][SLOT];
	uint32_t len[DEPTH];
	struct ohca_cqe e;

	for (unsigned r = 0; r < rounds; r++) {
		unsigned n = 1 + below(DEPTH), i = below(QPS), reads = below(2), came = 0, gone = 0;

		for (unsigned k = 0; k < n; k++) {
			struct ohv_sge s = { SRC_VA + at(DST, i, k), SLOT, mr[1]->key };

			len[k] = 1 + below(SLOT);
			put(reads, at(SRC, i, k), want[k], len[k]);
			if (!reads)
				ohv_post_recv(qp[1][i], &s, 1);
			post(0, i, reads ? OHCA_WR_OP_RDMA_READ : OHCA_WR_OP_SEND, at(reads ? RES : SRC, i, k), at(SRC, i, k), len[k], true, false);
		}
		ohv_ring(qp[0][i]);
		for (uint64_t begin = fab->cycle; gone < n || (!reads && came < n); ) {
			fabric_run(fab, 1 + below(8), NULL, NULL);
			while (!reads && ohv_poll(rcq[1], &e))
				if (OHCA_GET(OHCA_CQE_STATUS, &e) || !same(1, at(DST, i, came), want[came], len[came], "payload of a receive"))
					return false;
				else
					came++;
			while (ohv_poll(scq[0], &e)) {
				if (OHCA_GET(OHCA_CQE_STATUS, &e) || (reads && !same(0, at(RES, i, gone), want[gone], len[gone], "payload of a READ")))
					return false;
				gone++;
			}
			if (fab->cycle - begin > WAIT)
				return fail("no end");
		}
	}
	return true;
}

static bool t_interrupt_last(void)
{
	struct ohca_cqe e;
	struct ohca_eqe v;

	while (ohv_event(dev[0], &v))
		;
	for (unsigned r = 0; r < rounds; r++) {
		uint32_t irqs = dev[0]->irqs[0];
		uint64_t begin = fab->cycle;

		ohv_arm(scq[0], false);
		ohv_arm_eq(dev[0]);
		post(0, 0, OHCA_WR_OP_RDMA_WRITE, at(SRC, 0, 0), at(DST, 0, 0), 1 + below(SLOT), true, false);
		ohv_ring(qp[0][0]);
		while (dev[0]->irqs[0] == irqs) {
			fabric_run(fab, 1, NULL, NULL);
			if (fab->cycle - begin > WAIT)
				return fail("no interrupt");
		}
		if (!ohv_event(dev[0], &v))
			return fail("an interrupt without an event");
		if (!ohv_poll(scq[0], &e))
			return fail("an event without its completion");
		if (OHCA_GET(OHCA_CQE_STATUS, &e))
			return fail("status %u", (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
	}
	return true;
}

static bool t_commands(void)
{
	struct ohca_cmd_query_dev_out first, q;

	if (ohv_cmd(dev[0], OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &first, sizeof(first) / 4, NULL))
		return fail("query_dev");
	for (unsigned r = 0; r < rounds / 4; r++) {
		memset(ohv_ptr(dev[0], dev[0]->mbox_out), 0xee, sizeof(q));
		if (ohv_cmd(dev[0], OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &q, sizeof(q) / 4, NULL))
			return fail("query_dev");
		if (memcmp(&q, &first, sizeof(q)))
			return fail("a command has ended, and its answer is not there");
	}
	return true;
}

/*
 * What an error hits is not chosen: data, rings, contexts, translations, entries of queues. All that can be asked of the adapter is that it lives on,
 * and that somebody hears of it: by a completion, or where a CQE could not be written, or a context not be read, by an event. -1: it failed; else how
 * often somebody did.
 */
static int errors_once(void)
{
	unsigned posted = 0, ended = 0, failed = 0, events = 0, injected = 0;
	struct ohca_cqe e;
	struct ohca_eqe ev;

	for (unsigned k = 0; k < 2; k++) {
		while (ohv_event(dev[k], &ev))
			;			/* of what was before */
		fab->node[k].host.axi.cfg.errors = 100 + below(400);
	}
	for (unsigned r = 0; r < rounds / 2; r++) {
		for (unsigned i = 0; i < QPS; i++) {
			for (unsigned k = 0; k < 2; k++) {
				post(k, i, OHCA_WR_OP_RDMA_WRITE, at(SRC, i, k), at(DST, i, k), 1 + below(SLOT), true, false);
				post(k, i, OHCA_WR_OP_RDMA_READ, at(RES, i, k), at(DST, i, k), 1 + below(SLOT), true, below(2));
				ohv_ring(qp[k][i]);
				posted += 2;
			}
		}
		fabric_run(fab, 3000 + below(6000), NULL, NULL);
		for (unsigned k = 0; k < 2; k++)
			while (ohv_poll(scq[k], &e)) {
				ended++;
				failed += OHCA_GET(OHCA_CQE_STATUS, &e) != 0;
			}
		if (posted / (2 * QPS) >= 60)
			break;			/* rings are not looked after here */
	}
	for (unsigned k = 0; k < 2; k++) {
		fab->node[k].host.axi.cfg.errors = 0;
		injected += (unsigned)fab->node[k].host.axi.st.errors;
	}
	fabric_run(fab, 400000, NULL, NULL);
	for (unsigned k = 0; k < 2; k++)
		while (ohv_poll(scq[k], &e)) {
			ended++;
			failed += OHCA_GET(OHCA_CQE_STATUS, &e) != 0;
		}
	for (unsigned k = 0; k < 2; k++)
		while (ohv_event(dev[k], &ev))
			events++;
	printf("# %u errors on the bus, %u work requests, %u completions, %u of them errors; %u events\n", injected, posted, ended, failed, events);
	if (!injected && (failed || events)) {
		fail("an error that was none");
		return -1;
	}
	for (unsigned k = 0; k < 2; k++) {
		uint32_t v = fabric_read32(fab, k, OHCA_REG_STATUS);

		if (v & OHCA_MASK(OHCA_REG_STATUS_FATAL)) {
			fail("node %u is dead, status %#x", k, v);
			return -1;
		}
		for (unsigned i = 0; i < QPS; i++)
			if (ohv_destroy_qp(qp[k][i])) {
				fail("destroy_qp of node %u", k);
				return -1;
			}
	}
	for (unsigned k = 0; k < 2; k++)
		mr[k] = ohv_reg(dev[k], SRC_VA, (uint64_t)AREAS * QPS * DEPTH * SLOT, 7);
	create();
	return (int)(failed + events);
}

static bool t_errors(void)
{
	int felt = 0;

	for (unsigned n = 0; n < 8 && !felt; n++)
		if ((felt = errors_once()) < 0)
			return false;
	if (!felt)
		return fail("no error was felt");
	rounds = 3;
	return t_read_after_write() && t_fence();
}

static const struct { const char *name; bool (*run)(void); } cases[] = {
	{ "read-after-write", t_read_after_write }, { "fence", t_fence }, { "payload-first", t_payload_first },
	{ "interrupt-last", t_interrupt_last }, { "commands", t_commands },
	{ "errors", t_errors },
};

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "roce", 0, NULL, 'R' }, { 0 } };
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff;
	unsigned width = 64, bad = 0;
	struct fabric_config cfg;
	int c;

	while ((c = getopt_long(argc, argv, "w:s:n:f:", opts, NULL)) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': rounds = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'R': ohv_roce = true; break;
		default: return 2;
		}
	rng_seed(&rng, seed, 31);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = 3 + below(200);
	printf("# seed %llu, width %u%s, host memory answers after %u cycles\n", (unsigned long long)seed, width, ohv_roce ? ", RoCEv2" : "",
	       cfg.axi.read_latency);
	ohv_bus(&cfg, false);
	fflush(stdout);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned k = 0; k < 2; k++)
		dev[k] = ohv_open(fab, k, 96u << 20);
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		ohv_port_wait(dev[k]);
		mr[k] = ohv_reg(dev[k], SRC_VA, (uint64_t)AREAS * QPS * DEPTH * SLOT, 7);
	}
	create();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]) && !bad; i++) {
		uint64_t begin = fab->cycle;
		bool run = optind >= argc;

		for (int a = optind; a < argc; a++)
			run |= !strcmp(argv[a], cases[i].name);
		if (!run)
			continue;
		if (cases[i].run()) {
			printf("ok bus-%s-%u%s # %llu cycles\n", cases[i].name, width, ohv_roce ? "-roce" : "", (unsigned long long)(fab->cycle - begin));
		} else {
			printf("not ok bus-%s-%u - seed %llu: %s\n", cases[i].name, width, (unsigned long long)seed, why);
			bad++;
		}
		fflush(stdout);
	}
	for (unsigned k = 0; k < 2; k++) {
		struct axi_host_stats *a = &fab->node[k].host.axi.st;

		printf("# node %u: the bus waited at most %u cycles for a write's data\n", k, a->w_gap);
		if (a->w_gap > 16)
			ohv_fail("node %u: everybody's writes waited %u cycles for the data of one", k, a->w_gap);
		printf("# node %u: %llu of %llu writes seen late, %llu of %llu reads sampled early, %llu cycles\n", k, (unsigned long long)a->late_writes,
		       (unsigned long long)a->wr_bursts, (unsigned long long)a->early_reads, (unsigned long long)a->rd_bursts, (unsigned long long)fab->cycle);
		if (a->axi_violations || fab->node[k].model->failures)
			ohv_fail("node %u: %llu violations of AXI, %llu failed assertions of the RTL", k, (unsigned long long)a->axi_violations,
				 (unsigned long long)fab->node[k].model->failures);
		if (cfg.axi.loose && optind >= argc && (!a->late_writes || !a->early_reads))
			ohv_fail("node %u: the bus was not loose", k);
	}
	fabric_destroy(fab);
	return bad != 0;
}
