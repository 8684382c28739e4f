// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Memory that was given back is not read any more, and giving it back does not wait for a link that stands still.
 *
 *   giveback [-w WIDTH] [-s SEED] [-q QPS] [-f FIRMWARE] [--roce]
 *
 * Node 0 gets no credits for a virtual lane (RoCEv2: its priority is paused), and its queues on it are filled with WRITEs of many small pieces from one
 * region: what has been translated waits in the packet builder, the rest before it. The region's key is destroyed, and when the command says that it is gone
 * the memory belongs to somebody else, who writes something else into it. Then the lane is released: none of that may be on the wire. The same with queue
 * pairs of the kernel and the reserved key, which stays: the queue pairs are destroyed, and others get their numbers, who must not hear of that work. Some
 * are not destroyed, and must not notice. Then host memory takes its time with a read of payload: modify_qp to RESET waits for it. Last, everything is
 * closed with the lane stopped and QPS more queue pairs.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fault.h"
#include "ohv.h"

#define PAIRS 24u
#define DEPTH 32u
#define SGES 13u
#define BYTES 5u
#define SRC_VA 0x10000000ull
#define DST_VA 0x20000000ull
#define SRC_LEN (256u << 10)
#define OTHERS 0xb7			/* what the memory's next owner writes */
#define COMMAND_CYCLES 250000u		/* a command that waits for host memory alone takes far less */
#define TURN_CYCLES 250000u		/* with one VL no QP gets a turn while it is stopped: firmware waits so long for the one to be destroyed */
#define CLOSE_CYCLES 400000u		/* with nothing to close */
#define SMALL_CYCLES 100000u		/* more with one VL: small builds, whose management core is slower */

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct rng rng;
static uint64_t packets, leaked;
static struct fault *stop;
static struct ohv_cq *cq[2];
static bool lane_stopped;

/* Node 0 gets no credits for the lane any more (its priority is paused), or gets them again. A pause ends by itself after 65,535 times of 512 bits, which
 * is what a few commands take: keep_stopped() says it anew. */
static void lane(bool stopped)
{
	lane_stopped = stopped;
	if (ohv_roce)
		ohv_pause_frame(fab, 1, 3, stopped ? 0xffff : 0);
	else
		fab->link[0].w[1].faults = stopped ? stop : NULL;
	if (stopped)
		fabric_run(fab, 500, NULL, NULL);
}

static void keep_stopped(void)
{
	if (lane_stopped)
		lane(true);
}

/* Let time pass and look at every packet that node 0 sends, whole or cut. */
static void watch(uint64_t cycles)
{
	struct wire *w = &fab->link[0].w[0];
	uint64_t end, seen;

	keep_stopped();
	end = fab->cycle + cycles;
	seen = fab->cycle;
	while (fab->cycle < end) {
		fabric_run(fab, 8, NULL, NULL);
		for (struct packet *p = w->head; p; p = p->next) {
			unsigned run = 0;

			if (p->t_last < seen)
				continue;
			packets++;
			for (unsigned i = 0; i < p->len; i++) {
				run = p->data[i] == OTHERS ? run + 1 : 0;
				leaked += run == BYTES - 1;
			}
		}
		seen = fab->cycle;
	}
}

static uint64_t timed(unsigned op, uint32_t num, uint64_t limit, const char *what)
{
	uint64_t begin;
	int st;

	keep_stopped();
	begin = fab->cycle;
	st = ohv_cmd(dev[0], op, num, 0, NULL, 0, NULL, 0, NULL);

	if (st)
		ohv_fail("%s: status %d", what, st);
	if (fab->cycle - begin > limit)
		ohv_fail("%s took %llu cycles: it waits for the link", what, (unsigned long long)(fab->cycle - begin));
	return fab->cycle - begin;
}

static void connect_pair(struct ohv_qp *const qp[2], unsigned i, uint32_t psn)
{
	for (unsigned k = 0; k < 2; k++) {
		struct ohv_qp_attr a = {
			.dqpn = qp[!k]->qpn, .sq_psn = psn + i + 7 * k, .rq_psn = psn + i + 7 * !k, .mtu = 3, .timeout = 0, .retry = 7, .rnr_retry = 7,
			.min_rnr = 1, .max_rd = 4, .max_dest_rd = 8, .access = 3, .qkey = 0x1234, .av = { .dlid = dev[!k]->lid, .sl = 3, .keep_sl = true },
		};
		int st;

		keep_stopped();
		st = ohv_connect(qp[k], &a);
		if (st)
			ohv_fail("connect: status %d", st);
	}
}

/* Until what can leave has left. */
static void stand_still(unsigned posted)
{
	uint64_t before = packets, sent;

	watch(30000);
	for (sent = packets + 1; sent != packets;) {
		sent = packets;
		watch(5000);
	}
	printf("# %llu packets left, then the lane stood still\n", (unsigned long long)(packets - before));
	if ((packets == before && !ohv_roce) || packets - before >= posted)
		ohv_fail("the lane is not stopped");
}

/* The kernel's QPs, the reserved key: every third one sends datagrams, every fourth one is not destroyed. */
#define KEPT(i) (!((i) & 3))
#define DATAGRAMS(i) (!KEPT(i) && (i) % 3 == 2)
static void reserved(struct ohv_mr *dst, bool lanes)
{
	uint64_t gone = ohv_alloc(dev[0], SRC_LEN, 4096), kept = ohv_alloc(dev[0], SRC_LEN, 4096), slowest = 0, sent;
	struct ohv_cq *c = ohv_create_cq(dev[0], 11);
	unsigned good[PAIRS] = { 0 }, ghosts = 0;
	struct ohv_qp *qp[PAIRS][2];
	struct ohca_cqe e;

	memset(ohv_ptr(dev[0], gone), 0xa5, SRC_LEN);
	memset(ohv_ptr(dev[0], kept), 0x5a, SRC_LEN);
	dev[0]->kernel = true;
	for (unsigned i = 0; i < PAIRS; i++) {
		for (unsigned k = 0; k < 2; k++)
			qp[i][k] = ohv_create_qp(dev[k], DATAGRAMS(i) ? OHCA_QP_TYPE_UD : OHCA_QP_TYPE_RC, k ? cq[1] : c, k ? cq[1] : c, 5, 4, 5);
		connect_pair(qp[i], i, 0x1000);
	}
	lane(true);
	for (unsigned n = 0; n < DEPTH - 1; n++)
		for (unsigned i = 0; i < PAIRS; i++) {
			static const uint8_t text[BYTES] = { 0xa5, 0xa5, 0xa5, 0xa5, 0xa5 };
			struct ohv_sge sge[SGES];
			struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = sge, .nsge = SGES,
					     .raddr = DST_VA + 256 * (i + n * PAIRS), .rkey = dst->key };

			if (DATAGRAMS(i)) {
				wr.op = OHCA_WR_OP_SEND;
				wr.nsge = 12;
				wr.dqpn = qp[i][1]->qpn;
				wr.qkey = 0x1234;
				wr.av = (struct ohv_av){ .dlid = dev[1]->lid, .sl = 3, .keep_sl = true };
				/* With one VL their headers wait in the packet builder, as long as the link likes. */
				if (n % 4 == 3) {
					wr.inl = true;
					wr.data = text;
					wr.len = sizeof(text);
					wr.nsge = 0;
				}
			}
			for (unsigned s = 0; s < SGES; s++)
				sge[s] = (struct ohv_sge){ (KEPT(i) ? kept : gone) + rng_below(&rng, SRC_LEN - BYTES), BYTES, OHV_RESERVED_KEY };
			ohv_post_send(qp[i][0], &wr);
			if (n == DEPTH - 2)
				ohv_ring(qp[i][0]);
		}
	stand_still(PAIRS * (DEPTH - 1));
	for (unsigned i = 0; i < PAIRS; i++)
		if (!KEPT(i)) {
			uint64_t took = timed(OHCA_CMD_OP_DESTROY_QP, qp[i][0]->qpn, COMMAND_CYCLES + (lanes ? 0 : TURN_CYCLES), "destroy_qp");

			slowest = took > slowest ? took : slowest;
		}
	printf("# destroy_qp took %llu cycles at most\n", (unsigned long long)slowest);
	while (ohv_poll(c, &e))
		for (unsigned i = 0; i < PAIRS; i++)
			good[i] += OHCA_GET(OHCA_CQE_QPN, &e) == qp[i][0]->qpn && !OHCA_GET(OHCA_CQE_STATUS, &e);
	memset(ohv_ptr(dev[0], gone), OTHERS, SRC_LEN);
	/* The numbers have new owners; with other PSNs, so that acknowledgements of what had left before say nothing to them. */
	for (unsigned i = 0; i < PAIRS; i++)
		if (!KEPT(i)) {
			uint32_t next = dev[0]->next_qpn;

			keep_stopped();
			dev[0]->next_qpn = qp[i][0]->qpn;
			for (unsigned k = 0; k < 2; k++)
				qp[i][k] = ohv_create_qp(dev[k], DATAGRAMS(i) ? OHCA_QP_TYPE_UD : OHCA_QP_TYPE_RC, k ? cq[1] : c, k ? cq[1] : c, 5, 4, 5);
			dev[0]->next_qpn = next;
			connect_pair(qp[i], i, 0x400000);
		}
	sent = packets;
	lane(false);
	watch(300000);
	if (packets == sent)
		ohv_fail("nothing was sent after the lane was released");
	if (leaked)
		ohv_fail("%llu pieces of memory of queue pairs that are gone were sent", (unsigned long long)leaked);
	while (ohv_poll(c, &e))
		for (unsigned i = 0; i < PAIRS; i++)
			if (OHCA_GET(OHCA_CQE_QPN, &e) == qp[i][0]->qpn) {
				ghosts += !KEPT(i);
				good[i] += !OHCA_GET(OHCA_CQE_STATUS, &e);
			}
	if (ghosts)
		ohv_fail("%u completions of work of the former owners of the numbers", ghosts);
	for (unsigned i = 0; i < PAIRS; i++)
		if (KEPT(i) && good[i] != DEPTH - 1)
			ohv_fail("queue pair %u was not destroyed, but %u of %u WRITEs succeeded", i, good[i], DEPTH - 1);
		else if (!KEPT(i) && ohv_query_state(qp[i][0]) != OHCA_QP_STATE_RTS)
			ohv_fail("queue pair %u: its number's new owner is not in RTS", i);
	printf("# %llu packets more when it was released\n", (unsigned long long)(packets - sent));
	for (unsigned i = 0; i < PAIRS; i++)
		if (ohv_destroy_qp(qp[i][0]))
			ohv_fail("destroy_qp");
	dev[0]->kernel = false;
}

/* Reads of node 0 from that memory that are under way; they are answered no sooner than in cycle `until`. */
static unsigned reads_of(uint64_t at, uint64_t len, uint64_t until)
{
	struct axi_host *h = &fab->node[0].host.axi;
	unsigned n = 0;

	for (unsigned id = 0; id < AXI_IDS; id++)
		for (struct rd_burst *r = h->rd_head[id]; r; r = r->next)
			if (r->addr >= at && r->addr < at + len) {
				n++;
				if (r->ready_at < until)
					r->ready_at = until;
			}
	return n;
}

/* Begins modify_qp to RESET, up to where firmware has the command's parameters: reads of the adapter that are asked for later may be slower. */
static void begin_reset(struct ohv_qp *q)
{
	struct ohca_cmd_qp_in *in = ohv_ptr(dev[0], dev[0]->mbox_in);
	uint64_t end = fab->cycle + 20000;
	struct ohca_cmd_regs r;

	memset(in, 0, sizeof(*in));
	OHCA_SET(OHCA_CMD_QP_IN_MASK, in, 1);
	memset(&r, 0, sizeof(r));
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, dev[0]->mbox_in);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, dev[0]->mbox_out);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &r, q->qpn);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, OHCA_CMD_OP_MODIFY_QP);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, &r, OHCA_QP_STATE_RESET);
	OHCA_SET(OHCA_CMD_REGS_TOKEN, &r, ++dev[0]->token);
	OHCA_SET(OHCA_CMD_REGS_GO, &r, 1);
	for (unsigned i = 0; i < 7; i++)
		fabric_write32(fab, 0, OHCA_REG_CMD + 4 * i, ((uint32_t *)&r)[i]);
	while (!reads_of(dev[0]->mbox_in, 4096, 0) && fab->cycle < end)
		fabric_run(fab, 1, NULL, NULL);
	while (reads_of(dev[0]->mbox_in, 4096, 0))
		fabric_run(fab, 1, NULL, NULL);
	if (fab->cycle >= end)
		ohv_fail("modify_qp reads no parameters");
}

/* A queue pair of the kernel in RESET has nothing that it had posted read any more when modify_qp has answered: its buffers are the host's. */
static void slow_reads(struct ohv_mr *dst)
{
	uint64_t buf = ohv_alloc(dev[0], 65536, 4096), until, end;
	struct ohv_cq *c = ohv_create_cq(dev[0], 6);
	struct ohv_qp *qp[2];
	uint32_t v;

	dev[0]->kernel = true;
	for (unsigned k = 0; k < 2; k++)
		qp[k] = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, k ? cq[1] : c, k ? cq[1] : c, 5, 4, 5);
	connect_pair(qp, 0, 0x777);
	for (unsigned round = 0; round < 2; round++) {		/* the first one brings contexts and translations in */
		for (unsigned n = 0; n < 4; n++) {
			struct ohv_sge sge = { buf + 4096 * n, 4096, OHV_RESERVED_KEY };
			struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &sge, .nsge = 1, .raddr = DST_VA + 4096 * n, .rkey = dst->key };

			ohv_post_send(qp[0], &wr);
		}
		if (round)
			begin_reset(qp[0]);
		ohv_ring(qp[0]);
		if (!round) {
			struct ohca_cqe e;

			for (unsigned n = 0; n < 4; n++)
				if (!ohv_wait(c, &e, 200000) || OHCA_GET(OHCA_CQE_STATUS, &e))
					ohv_fail("WRITE %u", n);
		}
	}
	until = fab->cycle + 100000;
	for (end = fab->cycle + 20000; !reads_of(buf, 65536, until) && fab->cycle < end;)
		fabric_run(fab, 1, NULL, NULL);
	if (!reads_of(buf, 65536, until))
		ohv_fail("nothing of the buffer is read");
	for (end = fab->cycle + 400000;; ) {
		fabric_run(fab, 500, NULL, NULL);
		v = fabric_read32(fab, 0, OHCA_REG_CMD + 24);
		if (!(v & OHCA_MASK(OHCA_CMD_REGS_GO)))
			break;
		if (fab->cycle > end)
			ohv_fail("modify_qp to RESET does not end");
	}
	if (OHCA_EXTRACT(OHCA_CMD_REGS_STATUS, v))
		ohv_fail("modify_qp to RESET: status %u", (unsigned)OHCA_EXTRACT(OHCA_CMD_REGS_STATUS, v));
	if (reads_of(buf, 65536, 0))
		ohv_fail("modify_qp to RESET answered while buffers of the queue pair were being read");
	printf("# modify_qp to RESET waited for memory that took %llu cycles\n", (unsigned long long)(fab->cycle - until + 100000));
	for (unsigned k = 0; k < 2; k++)
		if (ohv_destroy_qp(qp[k]))
			ohv_fail("destroy_qp");
	dev[0]->kernel = false;
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "roce", 0, NULL, 'R' }, { 0 } };
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff, sent, closed;
	unsigned width = 64, qps = 24, vls, vl;
	struct ohv_qp *qp[PAIRS][2];
	struct ohv_mr *src, *dst;
	struct fabric_config cfg;
	uint8_t *others;
	char err[128], rule[64];
	int c;

	while ((c = getopt_long(argc, argv, "w:s:q:f:", opts, NULL)) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'q': qps = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'R': ohv_roce = true; break;
		default: return 2;
		}
	rng_seed(&rng, seed, 29);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = 3 + rng_below(&rng, 200);
	printf("# seed %llu, width %u%s, host memory answers after %u cycles\n", (unsigned long long)seed, width, ohv_roce ? ", RoCEv2" : "",
	       cfg.axi.read_latency);
	fflush(stdout);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned k = 0; k < 2; k++)
		dev[k] = ohv_open(fab, k, 64u << 20);
	vls = fabric_read32(fab, 0, OHCA_REG_HW_CFG) >> 4 & 15;
	vl = vls > 1;
	snprintf(rule, sizeof(rule), "drop,kind=fc,vl=%u", vl);
	stop = fault_parse(rule, seed, err, sizeof(err));
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		ohv_port_wait(dev[k]);
		if (ohv_roce)
			ohv_pauses(dev[k], false);
		else if (vl)
			ohv_sl2vl(dev[k], (const uint8_t[16]){ 0, 0, 0, 1 });
		cq[k] = ohv_create_cq(dev[k], 11);
	}
	src = ohv_reg(dev[0], SRC_VA, SRC_LEN, 1);
	dst = ohv_reg(dev[1], DST_VA, SRC_LEN, 3);
	others = malloc(SRC_LEN);
	memset(others, 0xa5, SRC_LEN);
	ohv_write(src, 0, others, SRC_LEN);
	for (unsigned i = 0; i < PAIRS; i++) {
		for (unsigned k = 0; k < 2; k++)
			qp[i][k] = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, cq[k], cq[k], 5, 4, 5);
		connect_pair(qp[i], i, 0);
	}

	/* Stopped; and more work than credits, buffers and the builder's room for pieces together. */
	lane(true);
	for (unsigned n = 0; n < DEPTH - 1; n++)
		for (unsigned i = 0; i < PAIRS; i++) {
			struct ohv_sge sge[SGES];
			struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = sge, .nsge = SGES,
					     .raddr = DST_VA + 256 * (i + n * PAIRS), .rkey = dst->key };

			for (unsigned s = 0; s < SGES; s++)
				sge[s] = (struct ohv_sge){ SRC_VA + rng_below(&rng, SRC_LEN - BYTES), BYTES, src->key };
			ohv_post_send(qp[i][0], &wr);
			if (n == DEPTH - 2)
				ohv_ring(qp[i][0]);
		}
	stand_still(PAIRS * (DEPTH - 1));
	printf("# destroy_mkey took %llu cycles\n", (unsigned long long)timed(OHCA_CMD_OP_DESTROY_MKEY, src->mpt, COMMAND_CYCLES, "destroy_mkey"));
	/* Somebody else's now. */
	memset(others, OTHERS, SRC_LEN);
	ohv_write(src, 0, others, SRC_LEN);
	watch(2000);
	sent = packets;
	lane(false);
	watch(200000);
	if (packets == sent)
		ohv_fail("nothing was sent after the lane was released");
	if (leaked)
		ohv_fail("%llu pieces of memory that had been given back were sent", (unsigned long long)leaked);
	printf("# %llu packets more when it was released\n", (unsigned long long)(packets - sent));

	reserved(dst, vls > 1);
	slow_reads(dst);

	/* The end of everything takes no longer with a lane that stands still. */
	lane(true);
	for (unsigned i = 0; i < qps; i++) {
		keep_stopped();
		ohv_create_qp(dev[0], OHCA_QP_TYPE_RC, cq[0], cq[0], 2, 2, 5);
	}
	closed = timed(OHCA_CMD_OP_CLOSE_DEV, 0, CLOSE_CYCLES + (vls > 1 ? 0 : SMALL_CYCLES) + 4000ull * qps, "close_dev");
	for (unsigned k = 0; k < 2; k++)
		if (fab->node[k].model->failures)
			ohv_fail("node %u: an assertion of the RTL failed", k);
	printf("ok giveback-%u%s - close_dev with %u queue pairs took %llu cycles\n", width, ohv_roce ? "-roce" : "", PAIRS + qps,
	       (unsigned long long)closed);
	return 0;
}
