// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Very many short messages between two adapters, in deep queues on many QPs and in both directions at once.
 *
 *   flood [-w WIDTH] [-s SEED] [-n MESSAGES] [-q PAIRS] [-f FIRMWARE] [-l LATENCY] [--faults] [--roce]
 *
 * A round fills every send queue with WRITEs, WRITEs with immediate, SENDs, SENDs with immediate and READs of 0 to 500 bytes at
 * any alignment, some inline, some unsignaled; then all completions that must come are compared, in order per queue, and every
 * byte of both sides' target memory. random.c is the test for long messages, errors and shared state; this one is for numbers.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fault.h"
#include "ohv.h"

#define MAX_PAIRS 64
#define DEPTH 64u			/* WQEs per queue */
#define SLOT 512u			/* bytes a message may touch */
#define SRC_VA 0x10000000ull
#define DST_VA 0x20000000ull

struct done { uint16_t idx; uint8_t op; uint32_t len, imm; };
struct fifo { struct done e[DEPTH]; unsigned head, tail; };

struct side {
	struct ohv_qp *q;
	struct fifo send, recv;
};

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *src[2], *dst[2];
static struct ohv_cq *scq[2], *rcq[2];
static struct side side[2][MAX_PAIRS];
static uint8_t *want[2], *from[2], *got;
static size_t bytes;
static unsigned pairs = 16;
static struct rng rng;
static uint64_t messages, goal = 20000;

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static void put(struct fifo *f, unsigned idx, unsigned op, uint32_t len, uint32_t imm)
{
	f->e[f->tail++ % DEPTH] = (struct done){ (uint16_t)idx, (uint8_t)op, len, imm };
}

static size_t slot(unsigned pair, uint32_t idx)
{
	return ((size_t)pair * DEPTH + idx % DEPTH) * SLOT;
}

/* One message of node k on a pair. READs and WRITEs use the slot of their WQE at the far side, SENDs that of the receive. */
static void post(unsigned k, unsigned pair, bool last)
{
	static const uint8_t ops[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_WRITE_IMM, OHCA_WR_OP_SEND,
				       OHCA_WR_OP_SEND_IMM, OHCA_WR_OP_RDMA_READ };
	struct side *s = &side[k][pair], *peer = &side[!k][pair];
	uint32_t idx = s->q->sq_pi, len = below(4) ? below(65) : below(SLOT - 11);
	unsigned op = ops[below(sizeof(ops))];
	size_t at = slot(pair, idx) + below(8), to = at / SLOT * SLOT + below(8);
	struct ohv_sge sge = { SRC_VA + at, len, src[k]->key };
	struct ohv_wr wr = { .op = op, .signaled = last || below(4) == 0, .solicited = below(2), .sge = &sge, .nsge = len ? 1 : 0,
			     .imm = (uint32_t)rng_next(&rng), .raddr = DST_VA + to, .rkey = dst[!k]->key };
	bool recv = op == OHCA_WR_OP_SEND || op == OHCA_WR_OP_SEND_IMM || op == OHCA_WR_OP_RDMA_WRITE_IMM;
	bool imm = op == OHCA_WR_OP_SEND_IMM || op == OHCA_WR_OP_RDMA_WRITE_IMM;

	if (op == OHCA_WR_OP_RDMA_READ) {
		/* what the peer does not write this round: the upper half of the targets is for READs */
		sge = (struct ohv_sge){ DST_VA + bytes + to, len, dst[k]->key };
		wr.raddr = SRC_VA + at;
		wr.rkey = src[!k]->key;
		memcpy(want[k] + bytes + to, from[!k] + at, len);
	} else {
		if (len <= 64 && below(3) == 0) {
			wr.inl = true;
			wr.data = from[k] + at;
			wr.len = len;
			wr.nsge = 0;
		}
		if (recv) {
			uint32_t ridx = peer->q->rq_pi;
			struct ohv_sge r = { DST_VA + 2 * bytes + slot(pair, ridx), SLOT, dst[!k]->key };

			ohv_post_recv(peer->q, &r, 1);
			if (op != OHCA_WR_OP_RDMA_WRITE_IMM) {
				memcpy(want[!k] + 2 * bytes + slot(pair, ridx), from[k] + at, len);
			}
			put(&peer->recv, ridx & 0xffff,
			    op == OHCA_WR_OP_RDMA_WRITE_IMM ? OHCA_WC_OP_RECV_RDMA_IMM : op == OHCA_WR_OP_SEND_IMM ? OHCA_WC_OP_RECV_IMM :
			    OHCA_WC_OP_RECV, len, imm ? wr.imm : 0);
		}
		if (op == OHCA_WR_OP_RDMA_WRITE || op == OHCA_WR_OP_RDMA_WRITE_IMM)
			memcpy(want[!k] + to, from[k] + at, len);
	}
	if (wr.signaled)
		put(&s->send, idx & 0xffff, op, len, 0);
	ohv_post_send(s->q, &wr);
	messages++;
}

static unsigned left;			/* completions to come */

static void take(unsigned k, bool recv, const struct ohca_cqe *e)
{
	uint32_t qpn = (uint32_t)OHCA_GET(OHCA_CQE_QPN, e), idx = (uint32_t)OHCA_GET(OHCA_CQE_WQE_IDX, e);

	for (unsigned i = 0; i < pairs; i++) {
		struct fifo *f = recv ? &side[k][i].recv : &side[k][i].send;
		struct done *d = &f->e[f->head % DEPTH];

		if (side[k][i].q->qpn != qpn)
			continue;
		if (f->head == f->tail)
			ohv_fail("node %u QP %u: a %s completion that nobody expects, WQE %u", k, qpn, recv ? "receive" : "send", idx);
		if (OHCA_GET(OHCA_CQE_STATUS, e) || idx != d->idx || (unsigned)OHCA_GET(OHCA_CQE_OPCODE, e) != d->op ||
		    (recv && OHCA_GET(OHCA_CQE_BYTE_LEN, e) != d->len) || (d->imm && OHCA_GET(OHCA_CQE_IMM, e) != d->imm))
			ohv_fail("node %u QP %u: %s completion of WQE %u: status %u vendor %u opcode %#x length %u; WQE %u opcode %#x length %u expected",
				 k, qpn, recv ? "receive" : "send", idx, (unsigned)OHCA_GET(OHCA_CQE_STATUS, e),
				 (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e), (unsigned)OHCA_GET(OHCA_CQE_OPCODE, e),
				 (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, e), d->idx, d->op, d->len);
		f->head++;
		left--;
		return;
	}
	ohv_fail("node %u: completion of QP %u, which is not ours", k, qpn);
}

static bool all_there(void *ctx)
{
	struct ohca_cqe e;

	(void)ctx;
	for (unsigned k = 0; k < 2; k++) {
		while (ohv_poll(scq[k], &e))
			take(k, false, &e);
		while (ohv_poll(rcq[k], &e))
			take(k, true, &e);
	}
	return !left;
}

static void compare(unsigned k)
{
	ohv_settle(fab);
	ohv_read(dst[k], 0, got, 3 * bytes);
	if (!memcmp(got, want[k], 3 * bytes))
		return;
	for (size_t i = 0; i < 3 * bytes; i++)
		if (got[i] != want[k][i])
			ohv_fail("node %u: target byte %zu (%s of pair %zu, slot %zu) is %02x, expected %02x", k, i,
				 i < bytes ? "WRITE" : i < 2 * bytes ? "READ" : "SEND", i % bytes / SLOT / DEPTH, i / SLOT % DEPTH, got[i], want[k][i]);
}

static void round_of_messages(void)
{
	/* New data everywhere, so that nothing old passes for it. */
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; i < bytes; i += 8) {
			uint64_t v = rng_next(&rng);

			memcpy(from[k] + i, &v, 8);
		}
		ohv_write(src[k], 0, from[k], bytes);
	}
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++) {
			unsigned n = 1 + below(DEPTH - 1);

			for (unsigned m = 0; m < n; m++) {
				post(k, i, m + 1 == n);
				if (below(8) == 0)
					ohv_ring(side[k][i].q);
			}
			ohv_ring(side[k][i].q);
		}
	left = 0;
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++)
			left += side[k][i].send.tail - side[k][i].send.head + side[k][i].recv.tail - side[k][i].recv.head;
	if (!fabric_run(fab, 40000000, all_there, NULL))
		ohv_fail("%u completions are missing", left);
	fabric_run(fab, 2000, NULL, NULL);	/* whatever comes too much */
	all_there(NULL);
	for (unsigned k = 0; k < 2; k++)
		compare(k);
}

static void connect_pairs(void)
{
	for (unsigned i = 0; i < pairs; i++) {
		uint32_t psn[2] = { (uint32_t)rng_next(&rng) & 0xffffff, 0xffffff - below(400) };	/* one wraps */
		unsigned mtu = OHCA_MTU_MTU256 + below(5);

		for (unsigned k = 0; k < 2; k++)
			side[k][i].q = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, scq[k], rcq[k], 6, 6, 5);
		for (unsigned k = 0; k < 2; k++) {
			struct ohv_qp_attr a = {
				.dqpn = side[!k][i].q->qpn, .sq_psn = psn[k], .rq_psn = psn[!k], .mtu = mtu, .timeout = 6, .retry = 7,
				.rnr_retry = 7, .min_rnr = 1, .max_rd = 1 + below(8), .max_dest_rd = 8, .access = 3, .av.dlid = dev[!k]->lid,
			};
			int st = ohv_connect(side[k][i].q, &a);

			if (st)
				ohv_fail("connect: status %d", st);
		}
	}
}

static struct fault *faults(void)
{
	static const char *const rules[] = { "drop,prob=0.002", "corrupt,prob=0.001", "dup,prob=0.002", "reorder,prob=0.002,by=3" };
	struct fault *list = NULL;

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		char err[128];
		struct fault *f = fault_parse(rules[i], rng_next(&rng), err, sizeof(err));

		if (!f)
			ohv_fail("%s", err);
		fault_append(&list, f);
	}
	return list;
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "faults", 0, NULL, 'F' }, { "roce", 0, NULL, 'R' }, { 0 } };
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff, begin, rounds = 0;
	bool with_faults = false;
	unsigned width = 64;
	struct fabric_config cfg;
	int c, latency = -1;

	while ((c = getopt_long(argc, argv, "w:s:n:q:f:l:", opts, NULL)) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': goal = strtoull(optarg, NULL, 0); break;
		case 'q': pairs = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'l': latency = atoi(optarg); break;
		case 'F': with_faults = true; break;
		case 'R': ohv_roce = true; break;
		default: return 2;
		}
	if (!pairs || pairs > MAX_PAIRS) {
		fprintf(stderr, "flood: 1 to %u pairs\n", MAX_PAIRS);
		return 2;
	}
	rng_seed(&rng, seed, 11);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = latency >= 0 ? (unsigned)latency : 3 + below(200);
	printf("# seed %llu, width %u, %u pairs, %llu messages%s%s, host memory answers after %u cycles\n", (unsigned long long)seed, width, pairs,
	       (unsigned long long)goal, with_faults ? ", faults" : "", ohv_roce ? ", RoCEv2" : "", cfg.axi.read_latency);
	fflush(stdout);
	ohv_bus(&cfg, false);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	bytes = (size_t)pairs * DEPTH * SLOT;
	got = malloc(3 * bytes);
	for (unsigned k = 0; k < 2; k++)
		dev[k] = ohv_open(fab, k, 128u << 20);
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		ohv_port_wait(dev[k]);
		dev[k]->push = below(2);
		want[k] = calloc(1, 3 * bytes);
		from[k] = malloc(bytes);
		src[k] = ohv_reg(dev[k], SRC_VA, bytes, 7);
		dst[k] = ohv_reg(dev[k], DST_VA, 3 * bytes, 7);
		ohv_write(dst[k], 0, want[k], 3 * bytes);
		scq[k] = ohv_create_cq(dev[k], 13);
		rcq[k] = ohv_create_cq(dev[k], 13);
	}
	connect_pairs();
	if (with_faults) {
		struct fault *f = faults();

		for (unsigned d = 0; d < 2; d++)
			fab->link[0].w[d].faults = f;
	}
	begin = fab->cycle;
	while (messages < goal) {
		round_of_messages();
		if (++rounds % 16 == 0) {
			printf("# %llu messages\n", (unsigned long long)messages);
			fflush(stdout);
		}
	}
	for (unsigned k = 0; k < 2; k++)
		if (fab->node[k].model->failures)
			ohv_fail("node %u: an assertion of the RTL failed", k);
	printf("ok flood-%u%s%s - %llu messages in %llu rounds, %.1f cycles each\n", width, with_faults ? "-faults" : "", ohv_roce ? "-roce" : "",
	       (unsigned long long)messages, (unsigned long long)rounds, (double)(fab->cycle - begin) / (double)messages);
	return 0;
}
