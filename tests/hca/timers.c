// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Nothing waits for ever: the retry timers of one to thousands of queue pairs run at once, and every work request completes within the time
 * that its timeout and retry count give (IBA 9.7.6.1.3), neither earlier nor later than reading their contexts takes (slack in run()).
 *
 *   timers [-w WIDTH] [-s SEED] [QPS…]
 *
 * For each number of queue pairs twice: with a peer that hears nothing, where each request must end with RETRY_EXC and each queue pair say once that
 * it is in error; then with a tenth of the packets lost each way, where requests succeed but for the few that lose all their tries. Contexts are written by
 * hand where the adapter will fetch them, as firmware takes some ten thousand cycles a queue pair for the same.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fault.h"
#include "ohv.h"

#define QPN0 4096u			/* those below have contexts that ohv.c has mapped */
#define MR_VA 0x10000000ull
#define RING 256u			/* bytes: four WQEs */

struct tq {
	struct ohv_qp q;
	uint64_t ring;
	uint64_t posted;		/* cycle */
	unsigned timeout, tries;
	bool done;
};

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *mr[2];
static struct ohv_cq *cq[2];
static struct tq *qp[2];
static unsigned made, events;
static bool full;			/* the EQ has been: more than some thousand fail faster than their events are taken */
static struct rng rng;
static unsigned width = 64;

static void make(unsigned first, unsigned n, unsigned tries)
{
	const unsigned chunk = 1u << OHCA_ICM_CHUNK_SHIFT, per = chunk / OHCA_QPC_STRIDE, chunks = (n + per - 1) / per;

	for (unsigned side = 0; side < 2; side++) {
		struct ohv_dev *d = dev[side];
		uint64_t icm = ohv_alloc(d, (size_t)chunks * chunk, chunk), rings = ohv_alloc(d, (size_t)n * RING, OHV_PAGE);

		for (unsigned i = 0; i < chunks; i++) {
			struct ohca_cmd_map_icm_in m;

			memset(&m, 0, sizeof(m));
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &m, (QPN0 + first) / per + i);
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m, icm + (uint64_t)i * chunk);
			if (ohv_cmd(d, OHCA_CMD_OP_MAP_ICM, 1, 0, &m, 4, NULL, 0, NULL))
				ohv_fail("map_icm");
		}
		for (unsigned i = 0; i < n; i++) {
			struct tq *t = &qp[side][i];
			struct ohca_sqc *s = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_SQC_OFFSET);
			struct ohca_rsc *r = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_RSC_OFFSET);
			struct ohca_rac *a = ohv_ptr(d, icm + (uint64_t)i * OHCA_QPC_STRIDE + OHCA_QPC_RAC_OFFSET);
			uint32_t psn = (0x1000 * i + 0xfff000) & 0xffffff;
			struct ohca_av av;

			memset(t, 0, sizeof(*t));
			t->tries = tries;
			t->timeout = 5 + rng_below(&rng, 4);
			t->ring = rings + (uint64_t)i * RING;
			t->q = (struct ohv_qp){ .d = d, .qtype = OHCA_QP_TYPE_RC, .qpn = QPN0 + first + i, .scq = cq[side], .rcq = cq[side], .sq_log = 2, .sq_stride = 6 };
			t->q.sq.d = d;
			t->q.sq.page = &t->ring;
			ohv_av_fill(&av, &(struct ohv_av){ .dlid = dev[!side]->lid }, 0, t->q.qpn, t->q.qpn);
#define S(f, v) OHCA_SET(OHCA_SQC_##f, s, v)
#define A(f, v) OHCA_SET(OHCA_RAC_##f, a, v)
#define R(f, v) OHCA_SET(OHCA_RSC_##f, r, v)
#define ALL(f, v) S(f, v), A(f, v), R(f, v)
			ALL(STATE, OHCA_QP_STATE_RTS);
			ALL(QTYPE, OHCA_QP_TYPE_RC);
			ALL(MTU, OHCA_MTU_MTU1024);
			ALL(PD, 7);
			ALL(DQPN, t->q.qpn);
			memcpy((uint32_t *)s + 16, &av, 40);
			memcpy((uint32_t *)a + 16, &av, 40);
			memcpy((uint32_t *)r + 16, &av, 40);
			S(LOG_SIZE, 2);
			A(LOG_SIZE, 2);
			S(LOG_STRIDE, 6);
			A(LOG_STRIDE, 6);
			R(LOG_STRIDE, 4);
			S(MIGREQ, 1);
			S(BUF, t->ring);
			A(BUF, t->ring);
			R(BUF, t->ring);
			R(DBR, t->ring);
			A(CQN, cq[side]->cqn);
			R(CQN, cq[side]->cqn);
			S(SSN, 1);
			A(SSN, 1);
			S(GEN, 37 * (i + 1));
			R(ACC_WRITE, 1);
			R(MIN_RNR, 1);
			A(TIMEOUT, t->timeout);
			A(RETRY_CNT, tries);
			A(RETRY_LEFT, tries);
			S(PSN, psn);
			S(UNA_PSN, psn);
			S(SKIP_PSN, psn);
			S(SENT_PSN, psn);
			A(UNA_PSN, psn);
			A(ACKED_PSN, psn);
			A(SENT_PSN, psn);
			A(RD_NEXT_PSN, psn);
			R(EPSN, psn);
#undef S
#undef A
#undef R
#undef ALL
		}
	}
}

static void take_events(void)
{
	struct ohca_eqe e;

	while (ohv_event(dev[0], &e)) {
		if (OHCA_GET(OHCA_EQE_TYPE, &e) == OHCA_EQE_TYPE_EQ_OVERFLOW) {
			full = true;
			continue;
		}
		if (OHCA_GET(OHCA_EQE_TYPE, &e) != OHCA_EQE_TYPE_QP_FATAL)
			ohv_fail("event %u", (unsigned)OHCA_GET(OHCA_EQE_TYPE, &e));
		events++;
	}
}

/* Completions that are there. */
static unsigned take(unsigned first, unsigned n, bool deaf, uint64_t *late)
{
	struct ohca_cqe e;
	unsigned got = 0;

	take_events();
	while (ohv_poll(cq[0], &e)) {
		unsigned i = OHCA_GET(OHCA_CQE_QPN, &e) - QPN0 - first, st = OHCA_GET(OHCA_CQE_STATUS, &e);
		struct tq *t;
		uint64_t least, at = fab->cycle;

		if (i >= n || qp[0][i].done || OHCA_GET(OHCA_CQE_WQE_IDX, &e))
			ohv_fail("a completion of QP %u that is not due", (unsigned)OHCA_GET(OHCA_CQE_QPN, &e));
		t = &qp[0][i];
		t->done = true;
		got++;
		least = (t->tries + 1) * ((4096ull * fab->cfg.clock_mhz / 1000) << t->timeout);
		if (st != OHCA_WC_STATUS_RETRY_EXC && (deaf || st))
			ohv_fail("QP %u: status %u", t->q.qpn, st);
		if (st && at - t->posted < least)
			ohv_fail("QP %u gives up after %llu cycles, before %llu", t->q.qpn, (unsigned long long)(at - t->posted), (unsigned long long)least);
		if (at - t->posted > least && at - t->posted - least > *late)
			*late = at - t->posted - least;
	}
	return got;
}

static void run(unsigned n, bool deaf)
{
	const unsigned first = made, tries = deaf ? 1 : 7;
	/*
	 * What may come on top of a timeout, each time it runs out: the queue pairs' contexts are in no cache, so all wait for the host's read channel, which carries
	 * width / 8 bytes a cycle (two to eight thousand of them at 64 bits keep 93 % of it busy). A queue pair costs at most: five lines of 128 bytes in the
	 * acknowledge engine (its own expiry, up to three early ones with its group in ohca_timer, the report of what was sent), three in the send engine
	 * (restart, two turns), and its WQE of 64 bytes twice. A wider bus is not what limits: the engines take 80 cycles for all of it.
	 */
	const unsigned bytes = 8 * 128 + 2 * 64, each = bytes * 8 / width > 80 ? bytes * 8 / width : 80;
	const uint64_t slack = 20000 + (uint64_t)each * n, bound = (tries + 1) * (((4096ull * fab->cfg.clock_mhz / 1000) << 8) + slack);
	struct fault *list = NULL;
	uint64_t begin, late = 0;
	unsigned left = n, was = events, good = 0;
	char err[128];

	made += (n + 255) / 256 * 256;
	make(first, n, tries);
	for (unsigned k = 0; k < (deaf ? 1u : 2u); k++) {
		struct fault *f = fault_parse(deaf ? "drop,dir=0" : k ? "drop,dir=1,prob=0.1" : "drop,dir=0,prob=0.1", rng_next(&rng), err, sizeof(err));

		if (!f)
			ohv_fail("%s", err);
		fault_append(&list, f);
	}
	for (unsigned k = 0; k < 2; k++)
		fab->link[0].w[k].faults = list;
	begin = fab->cycle;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = i + ((uint64_t)n << 32);
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .inl = true, .data = &v, .len = 8, .raddr = MR_VA + 8ull * i, .rkey = mr[1]->key };

		ohv_post_send(&qp[0][i].q, &wr);
		ohv_ring(&qp[0][i].q);
		qp[0][i].posted = fab->cycle;
		if (i % 16 == 15)
			left -= take(first, n, deaf, &late);
	}
	while (left && fab->cycle - begin < bound + 100ull * n) {
		fabric_run(fab, 500, NULL, NULL);
		left -= take(first, n, deaf, &late);
	}
	if (left) {
		for (unsigned i = 0, said = 0; i < n && said < 5; i++)
			if (!qp[0][i].done && ++said)
				printf("# QP %u, timeout %u, waits since cycle %llu\n", qp[0][i].q.qpn, qp[0][i].timeout, (unsigned long long)(qp[0][i].posted - begin));
		ohv_fail("%u of %u requests do not end in %llu cycles", left, n, (unsigned long long)(fab->cycle - begin));
	}
	if (late > (tries + 1) * slack)
		ohv_fail("a request ends %llu cycles after the last timeout, at most %llu expected", (unsigned long long)late, (unsigned long long)((tries + 1) * slack));
	fabric_run(fab, 20000, NULL, NULL);
	take_events();
	for (unsigned i = 0; i < n; i++) {
		uint64_t v;

		ohv_read(mr[1], 8ull * i, &v, 8);
		good += v == i + ((uint64_t)n << 32);
	}
	if (deaf ? events - was > n || (!full && events - was != n) : (events - was) * 50 > n + 50 || good + (events - was) < n)
		ohv_fail("%u QPs: %u say that they are in error, %u WRITEs came", n, events - was, good);
	for (unsigned k = 0; k < 2; k++)
		fab->link[0].w[k].faults = NULL;
	fault_free(list);
	printf("ok timers-%u-%s # all done in %llu cycles, the latest %llu after its last timeout\n", n, deaf ? "deaf" : "loss", (unsigned long long)(fab->cycle - begin - 20000),
	       (unsigned long long)late);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const unsigned all[] = { 1, 1024 };
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff;
	unsigned most = 0, n[16], num = 0;
	struct fabric_config cfg;
	int c;

	while ((c = getopt(argc, argv, "w:s:")) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		default: return 2;
		}
	for (; optind < argc && num < 16; optind++)
		n[num++] = (unsigned)atoi(argv[optind]);
	if (!num)
		for (; num < 2; num++)
			n[num] = all[num];
	for (unsigned i = 0; i < num; i++) {
		most = n[i] > most ? n[i] : most;
		if (!n[i] || n[i] > 16384)
			return 2;
	}
	rng_seed(&rng, seed, 17);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = "build/firmware/ohca_fw.hex";
	cfg.seed = seed;
	printf("# seed %llu, width %u\n", (unsigned long long)seed, width);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned k = 0; k < 2; k++) {
		dev[k] = ohv_open(fab, k, 160ul << 20);
		qp[k] = calloc(most, sizeof(*qp[k]));
	}
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		ohv_port_wait(dev[k]);
		mr[k] = ohv_reg(dev[k], MR_VA, 8ull * most, 7);
		cq[k] = ohv_create_cq(dev[k], 15);
	}
	for (struct ohca_eqe e; ohv_event(dev[0], &e);)
		;			/* of the port */
	for (unsigned i = 0; i < num; i++) {
		run(n[i], true);
		run(n[i], false);
	}
	return 0;
}
