// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The isolation case of the benchmark: what is left to a victim, who moves data, while an attacker does its worst on the same adapters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "fault.h"
#include "native.h"

/*
 * An attacker does its worst on the adapters of a victim, who takes half of the wire with 1 KiB WRITEs, sends half of the small WRITEs that there could be,
 * or one at a time. What belongs to the attacker:
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

unsigned iso_part = 1;

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
		struct ohv_qp_attr a = { .dqpn = QPN0 + ATT0, .mtu = OHCA_MTU_MTU4096, .retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4,
					 .access = 3, .av = { .dlid = dev[1]->lid, .sl = vls > 1 } };

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
			printf("# the first message to fail: status %u, vendor %u, by QP %#x after %llu\n",
			       (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e), (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, &e),
			       (unsigned)OHCA_GET(OHCA_CQE_QPN, &e), (unsigned long long)att.n);
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
	 * No attackers: one queue pair each, of which as many as like may fill a wire. The victim's acknowledgements go behind packets of 4 KiB, each longer
	 * than its latency alone (docs/performance.md); the writer's payload fills the channel that the victim's completions need.
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
	qsort(v, tries, sizeof(v[0]), cmp_int64);
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

void isolation(void)
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
		if (!figure_begin(&out, name))
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
			figure_end();
		}
		if (a && a->fair)
			printf("# %-18s %56.0f %7.1f %%\n", "beside one of it", fair, 100 * fair / gate->alone[2]);
		printf("# %-18s %8.3f %7.1f %% %8.2f %7.1f %% %8.0f %7.1f %%\n", a ? a->name : "alone", v[0], 100 * v[0] / gate->alone[0], v[1],
		       100 * v[1] / gate->alone[1], v[2], 100 * v[2] / gate->alone[2]);
		printf("#   read channel of node 0 busy %.0f and %.0f %%, %.1f and %.1f reads under way; "
		       "attacker: %.2f and %.2f bytes a cycle to it, %llu steps, %u and %u commands, %u refused\n",
		       bus[0], bus[1], reads[0], reads[1], theirs[0], theirs[1], (unsigned long long)att.n, att.cmds[0], att.cmds[1], att.refused);
		fprintf(json, "%s\n    {\"attacker\": \"%s\", \"goodput\": %.4f, \"rate\": %.4f, \"p99\": %.0f, "
			"\"goodput_part\": %.4f, \"rate_part\": %.4f, \"p99_part\": %.3f, \"p99_fair\": %.3f}",
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
		figure_end();
	}
	fprintf(json, "]");
}
