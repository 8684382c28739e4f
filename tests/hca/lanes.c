// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * A virtual lane that is stopped must not stop another one.
 *
 *   lanes [-w WIDTH] [-s SEED] [-n ROUNDS] [-f FIRMWARE] [-l LATENCY] [--roce]
 *
 * Node 0 gets no credits for VL 1 (InfiniBand: the flow-control packets for it are lost), or its priority 3 is paused (RoCEv2). Its queues on that VL are
 * filled, by its own WRITEs and SENDs and by the answers to node 1's WRITEs and READs, with more than all its buffers hold. Then traffic on VL 0 must take no
 * longer than it took with VL 1 silent, and nothing of VL 1 may come through. When the VL is released everything of it arrives. All data is compared.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fault.h"
#include "ohv.h"

#define PAIRS 6u			/* of each VL */
#define DEPTH 32u
#define SLOT 4096u
#define SRC_VA 0x10000000ull
#define DST_VA 0x20000000ull
#define PART ((size_t)2 * PAIRS * DEPTH * SLOT)

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *src[2], *dst[2];
static struct ohv_cq *cq[2][2], *rq;	/* by node and VL */
static struct ohv_qp *qp[2][2][PAIRS];	/* by node, VL, pair */
static uint8_t *from[2], *want[2], *got;
static struct rng rng;
static uint64_t left[2][2];		/* completions to come */
static uint64_t messages;

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static size_t slot(unsigned vl, unsigned pair, uint32_t idx)
{
	return (((size_t)vl * PAIRS + pair) * DEPTH + idx % DEPTH) * SLOT;
}

/* n messages on a QP; the READs of node 1 bring what node 0 has to where no WRITE goes. */
static void post(unsigned k, unsigned vl, unsigned pair, unsigned n)
{
	struct ohv_qp *q = qp[k][vl][pair];

	for (; n; n--) {
		uint32_t len = below(4) ? 1 + below(3900) : 1 + below(100), pi = q->sq_pi;
		size_t at = slot(vl, pair, pi) + below(64), to = slot(vl, pair, pi) + below(64);
		bool read = k == 1 && below(2);
		struct ohv_sge sge = { SRC_VA + at, len, src[k]->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &sge, .nsge = 1, .raddr = DST_VA + to,
				     .rkey = dst[!k]->key };

		if (read) {
			sge = (struct ohv_sge){ DST_VA + PART + to, len, dst[k]->key };
			wr.op = OHCA_WR_OP_RDMA_READ;
			wr.raddr = SRC_VA + at;
			wr.rkey = src[!k]->key;
			memcpy(want[k] + PART + to, from[!k] + at, len);
		} else {
			memcpy(want[!k] + to, from[k] + at, len);
		}
		ohv_post_send(q, &wr);
		left[k][vl]++;
		messages++;
		if (below(2))
			ohv_ring(q);
	}
	ohv_ring(q);
}

static bool take(unsigned k, unsigned vl, uint64_t cycles)
{
	struct ohca_cqe e;

	if (!ohv_wait(cq[k][vl], &e, cycles))
		return false;
	if (OHCA_GET(OHCA_CQE_STATUS, &e))
		ohv_fail("node %u VL %u: status %u vendor %u", k, vl, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e),
			 (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, &e));
	left[k][vl]--;
	return true;
}

/* The cycles that one load of VL 0 takes. */
static uint64_t load(void)
{
	uint64_t begin = fab->cycle;

	for (unsigned i = 0; i < PAIRS; i++)
		post(0, 0, i, DEPTH / 2);
	while (left[0][0])
		if (!take(0, 0, 300000))
			ohv_fail("VL 0 stands still: %llu completions are missing", (unsigned long long)left[0][0]);
	return fab->cycle - begin;
}

static void idle(uint64_t cycles)
{
	struct ohca_cqe e;

	if (ohv_wait(rq, &e, cycles))
		ohv_fail("a completion that nobody expects");
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "roce", 0, NULL, 'R' }, { 0 } };
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff, alone = 0, beside = 0;
	unsigned width = 64, rounds = 3;
	struct fabric_config cfg;
	struct fault *stop;
	char err[128];
	int c, latency = -1;

	while ((c = getopt_long(argc, argv, "w:s:n:f:l:", opts, NULL)) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': rounds = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'l': latency = atoi(optarg); break;
		case 'R': ohv_roce = true; break;
		default: return 2;
		}
	rng_seed(&rng, seed, 23);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = latency >= 0 ? (unsigned)latency : 3 + below(200);
	printf("# seed %llu, width %u%s, host memory answers after %u cycles\n", (unsigned long long)seed, width, ohv_roce ? ", RoCEv2" : "",
	       cfg.axi.read_latency);
	fflush(stdout);
	ohv_bus(&cfg, true);
	fab = fabric_create(&cfg);
	stop = fault_parse("drop,kind=fc,vl=1", seed, err, sizeof(err));
	if (!fab || !stop)
		return 1;
	got = malloc(2 * PART);
	for (unsigned k = 0; k < 2; k++)
		dev[k] = ohv_open(fab, k, 256u << 20);
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		ohv_port_wait(dev[k]);
		if (ohv_roce)
			ohv_pauses(dev[k], false);
		else
			ohv_sl2vl(dev[k], (const uint8_t[16]){ 0, 0, 0, 1 });
		dev[k]->push = true;
		want[k] = calloc(1, 2 * PART);
		from[k] = malloc(PART);
		for (size_t i = 0; i < PART; i++)
			from[k][i] = (uint8_t)rng_next(&rng);
		src[k] = ohv_reg(dev[k], SRC_VA, PART, 7);
		dst[k] = ohv_reg(dev[k], DST_VA, 2 * PART, 7);
		ohv_write(src[k], 0, from[k], PART);
		ohv_write(dst[k], 0, want[k], 2 * PART);
	}
	rq = ohv_create_cq(dev[0], 4);
	for (unsigned vl = 0; vl < 2; vl++)
		for (unsigned k = 0; k < 2; k++) {
			cq[k][vl] = ohv_create_cq(dev[k], 11);
			for (unsigned i = 0; i < PAIRS; i++)
				qp[k][vl][i] = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, cq[k][vl], k ? cq[1][0] : rq, 5, 4, 5);
		}
	for (unsigned vl = 0; vl < 2; vl++)
		for (unsigned i = 0; i < PAIRS; i++)
			for (unsigned k = 0; k < 2; k++) {
				/* The queues stand for long: no timer may run out. */
				struct ohv_qp_attr a = {
					.dqpn = qp[!k][vl][i]->qpn, .sq_psn = i + 7 * k, .rq_psn = i + 7 * !k, .mtu = 3 + i % 3, .timeout = 0, .retry = 7,
					.rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 8, .access = 3,
					.av = { .dlid = dev[!k]->lid, .sl = vl ? 3 : 0, .keep_sl = true },
				};
				int st = ohv_connect(qp[k][vl][i], &a);

				if (st)
					ohv_fail("connect: status %d", st);
			}

	load();
	/* One load takes an eighth more than another, as messages are drawn: a comparison that fails goes on until chance is out of it. */
	for (unsigned r = 0; r < rounds || (r < 4 * rounds + 8 && beside * 10 > alone * 11); r++) {
		uint64_t open, t;

		alone += load();
		/* Without new limits the credits that node 0 has run out: more than all buffers of node 1 is on its way. */
		if (ohv_roce)
			ohv_pause_frame(fab, 1, 3, 0xffff);
		else
			fab->link[0].w[1].faults = stop;
		idle(200);
		for (unsigned i = 0; i < PAIRS; i++) {
			post(1, 1, i, DEPTH / 2);
			post(0, 1, i, DEPTH);
		}
		for (unsigned quiet = 0; quiet < 2; quiet++)
			for (unsigned k = 0; k < 2; k++)
				while (left[k][1] && take(k, 1, 12000))
					quiet = 0;
		open = left[0][1];
		if (!open || !left[1][1])
			ohv_fail("VL 1 is not stopped");
		t = load();
		beside += t;
		if (left[0][1] != open)
			ohv_fail("VL 1 is not stopped any more");
		if (ohv_roce)
			ohv_pause_frame(fab, 1, 3, 0);
		else
			fab->link[0].w[1].faults = NULL;
		for (unsigned k = 0; k < 2; k++)
			while (left[k][1])
				if (!take(k, 1, 3000000))
					ohv_fail("node %u: VL 1 was released, %llu completions are missing", k, (unsigned long long)left[k][1]);
		for (unsigned k = 0; k < 2; k++) {
			ohv_settle(fab);
			ohv_read(dst[k], 0, got, 2 * PART);
			for (size_t i = 0; i < 2 * PART; i++)
				if (got[i] != want[k][i])
					ohv_fail("node %u: byte %#zx is %02x, not %02x", k, i, got[i], want[k][i]);
		}
	}
	for (unsigned k = 0; k < 2; k++)
		if (fab->node[k].model->failures)
			ohv_fail("node %u: an assertion of the RTL failed", k);
	if (beside * 10 > alone * 11)
		ohv_fail("VL 0 beside a stopped VL 1: %llu cycles, alone %llu", (unsigned long long)beside, (unsigned long long)alone);
	printf("ok lanes-%u%s - %llu messages; VL 0 beside a stopped VL 1 %llu cycles, alone %llu\n", width, ohv_roce ? "-roce" : "",
	       (unsigned long long)messages, (unsigned long long)beside, (unsigned long long)alone);
	return 0;
}
