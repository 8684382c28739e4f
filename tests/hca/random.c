// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Random work between two whole adapters, compared with the message-level model of model.c.
 *
 *   random [-s SEED] [-n MESSAGES] [-w WIDTH] [-q PAIRS] [-t TRACE.fst] [-p PCAP] [-f FIRMWARE.hex]
 *     [--faults] [--fault=RULE] [--errors] [--only=CASE] [--roce]
 *
 * Rounds: every QP pair gets a plan of messages in both directions, then posting, doorbells, receives, polling and the passing of
 * time happen in random order until everything the model expects has come; then every registered byte is compared. --faults
 * drops, repeats, reorders, delays and corrupts packets. --errors makes a third of the pairs fail in one of the ways of cases[].
 * The seed is printed first and gives the same run again.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

#define MAX_PAIRS 16
#define MAX_UD 2
#define CQS 4
#define AREA 0x18000u			/* each of the four areas of a window */
#define WINDOW (4 * AREA)
#define MAX_PLAN 24
#define SQ_LOG 5
#define RQ_LOG 5
#define RQ_STRIDE 7			/* eight SGEs */
#define STALL 6000000ull		/* cycles of virtual time without a completion */
#define UD_SLOTS 8
#define UD_SLOT 4160u

enum { SRC, WDST, RDST, RECV };		/* areas of a window: constant in a round, written by the peer, READ results, receives */

struct plan {
	struct ohv_wr wr;
	struct ohv_sge sge[MODEL_SGE];
	uint8_t data[256];
};

struct side {
	struct model_qp m;
	struct ohv_qp *q;
	struct ohv_qp_attr attr;
	unsigned scq, rcq;
	struct plan plan[MAX_PLAN];
	unsigned plans, posted, unsig;		/* unsig: posted since the last signaled one */
	uint32_t sq_free;			/* index of the oldest WQE not known to be complete */
	struct { struct ohv_sge sge[8]; unsigned nsge; } recv[MAX_PLAN + 4];
	unsigned recvs, recv_posted;
	uint32_t used[4];			/* of the areas of this side's window */
	uint32_t frozen;			/* WDST below this may have been read */
	uint32_t last_rd_off, last_rd_len;	/* the newest READ result that may be sent, with a fence */
	uint32_t base;				/* of the window in its region */
	struct model_mr *mr;
	bool told;				/* software knows that the QP is in ERR: receives are announced by doorbell */
	bool flush;				/* an error event came: flush_qp is due */
};

struct pair {
	struct side s[2];
	unsigned victim;			/* index + 1 of the error case */
	bool b_err;				/* the responder must end in ERR */
};

struct ud {
	struct ohv_qp *q;
	struct model_mr *mr;
	uint32_t base, sent, seen, scq_seen, posted;
	struct { uint32_t len, imm; bool has_imm, got; uint8_t data[4096]; } msg[256];	/* sent by this one */
};

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct model_node node[2];
static struct ohv_cq *cq[2][CQS];
static struct { bool armed; uint32_t arms, events; bool must; } arm[2][CQS];
static struct pair pair[MAX_PAIRS];
static struct ud ud[2][MAX_UD];
static struct model_mr *limited[2];		/* no remote access, no local write */
static unsigned pairs = 6, uds = 1;
static struct rng rng;
static bool with_faults, with_errors;
static int only = -1;
static uint64_t past_messages, past_bytes, completions, last_progress, polled_events;
static struct fault *link_faults;

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static bool chance(unsigned percent)
{
	return below(100) < percent;
}

static void report(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

static uint64_t total(bool bytes)
{
	uint64_t n = bytes ? past_bytes : past_messages;

	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++)
			n += bytes ? pair[i].s[k].m.bytes : pair[i].s[k].m.messages;
	return n;
}

static void set_faults(struct fault *f)
{
	for (unsigned l = 0; l < fab->links; l++)
		for (unsigned d = 0; d < 2; d++)
			fab->link[l].w[d].faults = f;
}

static void add_fault(const char *fmt, ...)
{
	char t[128], err[128];
	struct fault *f;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t, sizeof(t), fmt, ap);
	va_end(ap);
	f = fault_parse(t, rng_next(&rng), err, sizeof(err));
	if (!f)
		ohv_fail("%s", err);
	fault_append(&link_faults, f);
	set_faults(link_faults);
}

static const struct { const char *name; } cases[] = {
	{ "write-bad-rkey" }, { "read-bad-rkey" }, { "write-out-of-bounds" }, { "read-out-of-bounds" }, { "address-wraps" },
	{ "send-bad-lkey" }, { "send-lkey-bounds" }, { "read-result-no-local-write" }, { "qp-without-write-access" },
	{ "qp-without-read-access" }, { "region-without-remote-write" }, { "region-without-remote-read" }, { "send-too-long" },
	{ "receive-bad-lkey" }, { "write-imm-bad-rkey" }, { "zero-length-bad-keys" }, { "rnr-exhausted" }, { "peer-silent" },
};
enum { C_W_RKEY, C_R_RKEY, C_W_OOB, C_R_OOB, C_WRAP, C_S_LKEY, C_S_OOB, C_R_NOLW, C_QP_NOW, C_QP_NOR, C_MR_NORW, C_MR_NORR, C_LONG,
       C_RECV_LKEY, C_WI_RKEY, C_ZERO, C_RNR, C_SILENT, CASES };
static unsigned case_ok[CASES];

/* Packets that a node had no room for. An Ethernet port without pauses holds nobody up, so that is no fault of its own; on InfiniBand there are credits. */
static unsigned overruns(unsigned k)
{
	return ohv_roce ? fabric_read32(fab, k, OHCA_REG_COUNTERS + 8 * OHCA_COUNTER_RX_OVERRUN) : 0;
}

static void report(const char *fmt, ...)
{
	va_list ap;

	printf("not ok random - ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n# cycle %llu, %llu messages done\n", (unsigned long long)fab->cycle, (unsigned long long)total(false));
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++) {
			struct side *s = &pair[i].s[k];
			const struct model_cqe *e = model_next(&s->m, false), *r = model_next(&s->m, true);

			if (!s->q || (!e && !r && s->m.send.head == s->m.send.tail))
				continue;
			printf("#  pair %u node %u QP %u -> %u%s%s: mtu %u, sq_psn %#x, rq_psn %#x, timeout %u, rd %u; %u of %u posted, %u of %u receives",
			       i, k, s->q->qpn, s->attr.dqpn, pair[i].victim ? ", case " : "", pair[i].victim ? cases[pair[i].victim - 1].name : "",
			       128u << s->attr.mtu, s->attr.sq_psn, s->attr.rq_psn, s->attr.timeout, s->attr.max_rd, s->posted, s->plans,
			       s->recv_posted, s->recvs);
			if (e)
				printf("; next send completion WQE %u opcode %u status %u len %u", e->idx, e->opcode, e->status, e->byte_len);
			if (r)
				printf("; next receive WQE %u opcode %u status %u len %u", r->idx, r->opcode, r->status, r->byte_len);
			if (s->m.send.head != s->m.send.tail)
				printf("; %zu wait for a receive", s->m.send.tail - s->m.send.head);
			printf("\n");
		}
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < uds; i++)
			if (ud[k][i].q && (ud[k][i].scq_seen != ud[k][i].sent || ud[k][i].seen != ud[k][i].posted))
				printf("#  node %u UD QP %u: %u of %u sent, %u of %u receives\n", k, ud[k][i].q->qpn, ud[k][i].scq_seen, ud[k][i].sent,
				       ud[k][i].seen, ud[k][i].posted);
	for (unsigned k = 0; k < 2; k++)
		if (dev[k] && overruns(k))
			printf("#  node %u: %u packets without room in the wire buffer\n", k, overruns(k));
	for (struct fault *f = link_faults; f; f = f->next)
		printf("#  fault %s: %llu hits\n", f->text, (unsigned long long)f->hits);
	fabric_flush(fab);
	if (fab->cfg.pcap)
		pcapng_close(fab->cfg.pcap);
	exit(1);
}

/* ------------------------------------------------------------------ plans */

static uint32_t area(const struct side *s, unsigned a)
{
	return s->base + a * AREA;
}

static uint64_t va(const struct side *s, uint32_t off)
{
	return s->mr->mr->va + off;
}

/* n new bytes in an area, with a gap; UINT32_MAX: no room */
static uint32_t take(struct side *s, unsigned a, uint32_t n)
{
	uint32_t at = s->used[a] + below(20);

	if (at + n + 1 > AREA)
		return UINT32_MAX;
	s->used[a] = at + n;
	return area(s, a) + at;
}

static uint32_t random_len(uint32_t mtu)
{
	switch (below(8)) {
	case 0: return below(4);
	case 1: return below(65);
	case 2: return below(300);
	case 3: case 4: return mtu * (1 + below(4)) + below(5) - 2;
	case 5: return below(3000);
	default: return below(20001);
	}
}

/* Cut len into n pieces, some perhaps empty. */
static void cut(uint32_t len, unsigned n, uint32_t *piece)
{
	for (unsigned i = 0; i < n; i++) {
		piece[i] = i == n - 1 ? len : chance(15) ? 0 : below(2) ? below(len + 1) : len / (n - i);
		len -= piece[i];
	}
}

static void add_recv(struct side *s, uint32_t len, bool data)
{
	unsigned n = data ? below(9) : below(3), k = s->recvs;
	uint32_t piece[8];

	if (data && len && !n)
		n = 1;
	s->recv[k].nsge = n;
	if (n)
		cut(data ? len + (chance(40) ? below(50) : 0) : below(30), n, piece);
	for (unsigned i = 0; i < n; i++) {
		uint32_t at = take(s, RECV, piece[i]);

		if (at == UINT32_MAX)
			report("the test's receive area is full");
		s->recv[k].sge[i] = (struct ohv_sge){ va(s, at), piece[i], s->mr->mr->key };
	}
	s->recvs++;
}

/* One more message in the plan; false: no room for it. */
static bool add_message(struct side *s, struct side *p, unsigned force_op, uint32_t force_len, unsigned simple)
{
	static const unsigned ops[] = { OHCA_WR_OP_SEND, OHCA_WR_OP_SEND_IMM, OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_WRITE,
					OHCA_WR_OP_RDMA_WRITE_IMM, OHCA_WR_OP_RDMA_READ, OHCA_WR_OP_RDMA_READ };
	struct plan *x = &s->plan[s->plans];
	uint32_t len = force_len != UINT32_MAX ? force_len : random_len(128u << s->attr.mtu), piece[8], at;
	unsigned n = simple ? 1 : 1 + below(8);

	memset(x, 0, sizeof(*x));
	x->wr.op = force_op ? force_op : ops[below(7)];
	x->wr.signaled = chance(60);
	x->wr.solicited = chance(30);
	x->wr.fence = chance(15);
	x->wr.imm = (uint32_t)rng_next(&rng);
	x->wr.rkey = p->mr->mr->key;
	if (s->used[RDST] + len + 200 > AREA || p->used[WDST] + len + 200 > AREA || p->used[RECV] + len + 300 > AREA ||
	    s->plans == MAX_PLAN || p->recvs >= MAX_PLAN)
		return false;
	cut(len, n, piece);
	switch (x->wr.op) {
	case OHCA_WR_OP_RDMA_READ:
		if (p->used[WDST] > len && chance(40)) {		/* what was written before */
			at = area(p, WDST) + below(p->used[WDST] - len);
			p->frozen = p->used[WDST];
		} else {
			at = area(p, SRC) + below(AREA - len);
		}
		x->wr.raddr = va(p, at);
		for (unsigned i = 0; i < n; i++) {
			at = take(s, RDST, piece[i]);
			x->sge[i] = (struct ohv_sge){ va(s, at), piece[i], s->mr->mr->key };
			if (piece[i]) {
				s->last_rd_off = at;
				s->last_rd_len = piece[i];
			}
		}
		x->wr.nsge = len || chance(50) ? n : 0;
		x->wr.imm = 0;
		break;
	case OHCA_WR_OP_RDMA_WRITE:
	case OHCA_WR_OP_RDMA_WRITE_IMM:
		if (p->used[WDST] > p->frozen + len && chance(20))	/* over an earlier WRITE: the later one wins */
			at = area(p, WDST) + p->frozen + below(p->used[WDST] - p->frozen - len);
		else
			at = take(p, WDST, len);
		x->wr.raddr = va(p, at);
		break;
	}
	if (x->wr.op != OHCA_WR_OP_RDMA_READ) {
		if (len <= 192 && chance(40)) {
			x->wr.inl = true;
			x->wr.len = len;
			for (unsigned i = 0; i < len; i++)
				x->data[i] = (uint8_t)rng_next(&rng);
		} else {
			for (unsigned i = 0; i < n; i++)
				x->sge[i] = (struct ohv_sge){ va(s, area(s, SRC) + below(AREA - piece[i])), piece[i], s->mr->mr->key };
			x->wr.nsge = len || chance(50) ? n : 0;
			if (s->last_rd_len && len && chance(50)) {	/* what a READ brought, behind the fence */
				unsigned i = below(n);

				if (piece[i] && piece[i] <= s->last_rd_len) {
					x->sge[i].addr = va(s, s->last_rd_off + below(s->last_rd_len - piece[i] + 1));
					x->wr.fence = true;
				}
			}
		}
	}
	if (x->wr.op == OHCA_WR_OP_SEND || x->wr.op == OHCA_WR_OP_SEND_IMM)
		add_recv(p, len, true);
	else if (x->wr.op == OHCA_WR_OP_RDMA_WRITE_IMM)
		add_recv(p, 0, false);
	s->plans++;
	return true;
}

static void fresh(struct side *s)
{
	static uint8_t buf[WINDOW];

	for (unsigned i = 0; i < WINDOW; i += 8) {
		uint64_t v = rng_next(&rng);

		memcpy(buf + i, &v, 8);
	}
	model_put(s->mr, s->base, buf, WINDOW);
	s->plans = s->posted = s->recvs = s->recv_posted = 0;
	memset(s->used, 0, sizeof(s->used));
	s->frozen = s->last_rd_len = 0;
}

/* ------------------------------------------------------------------ queue pairs */

static void disconnect(struct pair *p)
{
	for (unsigned k = 0; k < 2; k++)
		if (p->s[k].q) {
			if (ohv_destroy_qp(p->s[k].q))
				report("destroy_qp of QP %u fails", p->s[k].q->qpn);
			p->s[k].q = NULL;
			past_messages += p->s[k].m.messages;
			past_bytes += p->s[k].m.bytes;
			model_qp_fini(&p->s[k].m);
		}
}

static void connect(struct pair *p, bool victim)
{
	uint32_t psn[2], rd = 1 + below(8), mtu = 1 + below(5);

	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &p->s[k];

		s->scq = below(CQS);
		s->rcq = below(CQS);
		s->q = ohv_create_qp(dev[k], OHCA_QP_TYPE_RC, cq[k][s->scq], cq[k][s->rcq], SQ_LOG, RQ_LOG, RQ_STRIDE);
		psn[k] = chance(60) ? 0xffffff - below(30) : (uint32_t)rng_next(&rng) & 0xffffff;
		s->sq_free = s->unsig = 0;
		s->told = s->flush = false;
	}
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &p->s[k];

		s->attr = (struct ohv_qp_attr){
			.dqpn = p->s[!k].q->qpn, .sq_psn = psn[k], .rq_psn = psn[!k], .mtu = mtu, .timeout = 8 + below(2), .retry = 7, .rnr_retry = 7,
			.min_rnr = 1 + below(6), .max_rd = 1 + below(rd), .max_dest_rd = rd, .access = 3, .av.dlid = dev[!k]->lid,
		};
		if (victim) {
			if (p->victim - 1 == C_QP_NOW)
				s->attr.access = 2;
			if (p->victim - 1 == C_QP_NOR)
				s->attr.access = 1;
			if (p->victim - 1 == C_RNR)
				s->attr.rnr_retry = 1 + below(3);
			if (p->victim - 1 == C_SILENT) {
				s->attr.retry = 1 + below(2);
				s->attr.timeout = 5 + below(3);
			}
		}
		model_qp_init(&s->m, &node[k], &p->s[!k].m, s->attr.access);
	}
	for (unsigned k = 0; k < 2; k++) {
		int st = ohv_connect(p->s[k].q, &p->s[k].attr);

		if (st)
			report("connect: status %d", st);
	}
}

/* ------------------------------------------------------------------ error cases: node 0 asks, node 1 answers */

static void plan_victim(struct pair *p)
{
	struct side *a = &p->s[0], *b = &p->s[1];
	unsigned c = p->victim - 1, good = c == C_SILENT ? 0 : below(4), ok_op, bad;
	struct plan *x;

	ok_op = c == C_QP_NOW ? OHCA_WR_OP_SEND : c == C_QP_NOR ? OHCA_WR_OP_RDMA_WRITE : 0;
	while (good--)
		add_message(a, b, ok_op, UINT32_MAX, 0);
	bad = a->plans;
	switch (c) {
	case C_W_RKEY: case C_W_OOB: case C_MR_NORW: case C_QP_NOW: case C_WRAP:
		add_message(a, b, OHCA_WR_OP_RDMA_WRITE, 1 + below(9000), 1); break;
	case C_R_RKEY: case C_R_OOB: case C_MR_NORR: case C_QP_NOR: case C_R_NOLW:
		add_message(a, b, OHCA_WR_OP_RDMA_READ, 1 + below(9000), 1); break;
	case C_WI_RKEY: add_message(a, b, OHCA_WR_OP_RDMA_WRITE_IMM, 1 + below(9000), 1); break;
	case C_ZERO:
		add_message(a, b, OHCA_WR_OP_RDMA_WRITE, 0, 1);
		a->plan[a->plans - 1].wr.rkey ^= 0x5500;
		add_message(a, b, OHCA_WR_OP_RDMA_READ, 0, 1);
		break;
	default: add_message(a, b, OHCA_WR_OP_SEND, 300 + below(9000), 1); break;
	}
	x = &a->plan[a->plans - 1];
	switch (c) {
	case C_W_RKEY: case C_R_RKEY: case C_WI_RKEY: case C_ZERO:
		x->wr.rkey ^= chance(50) ? 1 + below(255) : 0x4000u << below(16); break;
	case C_W_OOB: case C_R_OOB:
		x->wr.raddr = chance(50) ? b->mr->mr->va + b->mr->mr->len - x->sge[0].len + 1 : b->mr->mr->va - 1; break;
	case C_WRAP: x->wr.raddr = UINT64_MAX - below(x->sge[0].len); break;
	case C_S_LKEY: x->sge[0].key = ohv_wrong_key(x->sge[0].key, (uint8_t)(1 + below(255))); break;
	case C_S_OOB: x->sge[0].addr = a->mr->mr->va + a->mr->mr->len - x->sge[0].len + 1; break;
	case C_R_NOLW:
		x->sge[0].key = limited[0]->mr->key;
		x->sge[0].addr = limited[0]->mr->va + 5;
		break;
	case C_MR_NORW: case C_MR_NORR:
		x->wr.rkey = limited[1]->mr->key;
		x->wr.raddr = limited[1]->mr->va + 3;
		break;
	case C_LONG: b->recv[b->recvs - 1].sge[0].len = x->sge[0].len - 1 - below(200); b->recv[b->recvs - 1].nsge = 1; break;
	case C_RECV_LKEY:
		b->recv[b->recvs - 1].sge[0] = (struct ohv_sge){ va(b, area(b, RECV)), 20000, ohv_wrong_key(b->mr->mr->key, (uint8_t)(1 + below(255))) };
		b->recv[b->recvs - 1].nsge = 1;
		break;
	case C_RNR: case C_SILENT:
		b->recvs--;			/* never posted */
		break;
	}
	/* The rest is flushed: sends of A, receives of both. */
	for (unsigned n = below(5); n && a->plans < MAX_PLAN; n--) {
		struct plan *y = &a->plan[a->plans++];

		*y = (struct plan){ .wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = chance(50), .raddr = va(b, area(b, WDST) + AREA - 64),
					    .rkey = b->mr->mr->key, .inl = true, .len = c == C_ZERO || c == C_QP_NOW ? 0 : 8 } };
	}
	if (c == C_SILENT)
		p->s[0].m.dead = true;
	for (unsigned n = below(3); n && b->recvs < MAX_PLAN && c != C_RNR; n--)
		add_recv(b, 100, true);
	for (unsigned n = below(3); n && a->recvs < MAX_PLAN; n--)
		add_recv(a, 100, true);
	if (c == C_SILENT)
		add_fault("drop,dir=0,qpn=%u", b->q->qpn);
	a->plan[bad].wr.signaled = chance(50);
	p->b_err = c != C_S_LKEY && c != C_S_OOB && c != C_R_NOLW && c != C_ZERO && c != C_RNR && c != C_SILENT;
}

/* ------------------------------------------------------------------ the machine */

static bool may_fail(uint32_t qpn, unsigned k)
{
	for (unsigned i = 0; i < pairs; i++)
		if (pair[i].victim && pair[i].s[k].q && pair[i].s[k].q->qpn == qpn)
			return true;
	return false;
}

static void ud_receive(unsigned k, struct ud *u, const struct ohca_cqe *e)
{
	uint32_t idx = OHCA_GET(OHCA_CQE_WQE_IDX, e), len = OHCA_GET(OHCA_CQE_BYTE_LEN, e), slot, at, n = 0;
	static uint8_t got[UD_SLOT];
	struct ud *from = NULL;

	for (unsigned i = 0; i < uds; i++)
		if (ud[!k][i].q->qpn == OHCA_GET(OHCA_CQE_SRC_QP, e))
			from = &ud[!k][i];
	if (OHCA_GET(OHCA_CQE_STATUS, e) || !from || idx != (u->seen & 0xffff) || len < 44 || len > UD_SLOT)
		report("UD QP %u: receive WQE %u (expected %u), status %u, %u bytes from QP %u", u->q->qpn, idx, u->seen & 0xffff,
		       (unsigned)OHCA_GET(OHCA_CQE_STATUS, e), len, (unsigned)OHCA_GET(OHCA_CQE_SRC_QP, e));
	slot = u->seen++ % UD_SLOTS;
	at = u->base + slot * UD_SLOT;
	ohv_read(u->mr->mr, at, got, len);
	memcpy(&n, got + 40, 4);
	if (n >= from->sent || (!with_faults && from->msg[n % 256].got))
		report("UD QP %u: message %u comes, %u sent", u->q->qpn, n, from->sent);
	from->msg[n % 256].got = true;
	if (len != from->msg[n % 256].len + 40 || memcmp(got + 40, from->msg[n % 256].data, len - 40) ||
	    OHCA_GET(OHCA_CQE_OPCODE, e) != (from->msg[n % 256].has_imm ? OHCA_WC_OP_RECV_IMM : OHCA_WC_OP_RECV) ||
	    (from->msg[n % 256].has_imm && OHCA_GET(OHCA_CQE_IMM, e) != from->msg[n % 256].imm) || !ohv_ud_from(dev[k], e, got, dev[!k]->lid))
		report("UD QP %u: message %u of %u bytes arrives with %u, wrong content or fields", u->q->qpn, n, from->msg[n % 256].len, len - 40);
	model_take(u->mr, at, len);
	past_messages++;
	past_bytes += len - 40;
}

static void ring_rq(struct side *s, unsigned k)
{
	fabric_write64(fab, k, OHCA_BAR_DB_BASE + OHCA_DB_RQ, s->q->qpn | (uint64_t)s->q->rq_pi << 32);
}

/* What the driver does about a QP in ERR: the other engines are told, and receives ring from now on. */
static void on_error(uint32_t qpn, unsigned k, bool event)
{
	for (unsigned i = 0; i < pairs; i++) {
		struct side *s = &pair[i].s[k];

		if (!s->q || s->q->qpn != qpn)
			continue;
		if (event)
			s->flush = true;
		s->told = true;
		ring_rq(s, k);
	}
}

static void flush_due(void)
{
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++)
			if (pair[i].s[k].flush) {
				int st;

				pair[i].s[k].flush = false;
				st = ohv_cmd(dev[k], OHCA_CMD_OP_FLUSH_QP, pair[i].s[k].q->qpn, 0, NULL, 0, NULL, 0, NULL);
				if (st)
					report("flush_qp: status %d", st);
				ring_rq(&pair[i].s[k], k);
			}
}

static void take_cqe(unsigned k, unsigned c, const struct ohca_cqe *e)
{
	uint32_t qpn = OHCA_GET(OHCA_CQE_QPN, e), idx = OHCA_GET(OHCA_CQE_WQE_IDX, e);
	bool recv = OHCA_GET(OHCA_CQE_RECV, e);
	const struct model_cqe *want;
	char why[400];

	completions++;
	last_progress = fab->cycle;
	for (unsigned i = 0; i < uds; i++)
		if (ud[k][i].q->qpn == qpn) {
			if (recv) {
				ud_receive(k, &ud[k][i], e);
			} else {
				if (OHCA_GET(OHCA_CQE_STATUS, e) || idx != (ud[k][i].scq_seen++ & 0xffff))
					report("UD QP %u: send WQE %u, status %u", qpn, idx, (unsigned)OHCA_GET(OHCA_CQE_STATUS, e));
			}
			return;
		}
	for (unsigned i = 0; i < pairs; i++) {
		struct side *s = &pair[i].s[k];

		if (!s->q || s->q->qpn != qpn)
			continue;
		if ((recv ? s->rcq : s->scq) != c)
			report("pair %u node %u QP %u: completion in CQ %u", i, k, qpn, c);
		want = model_next(&s->m, recv);
		if (!want)
			report("pair %u node %u QP %u: a %s completion of WQE %u that nothing has earned (opcode %u, status %u, vendor %u, length %u)", i, k,
			       qpn, recv ? "receive" : "send", idx, (unsigned)OHCA_GET(OHCA_CQE_OPCODE, e), (unsigned)OHCA_GET(OHCA_CQE_STATUS, e),
			       (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e), (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, e));
		if (!model_check(&s->m, want, e, why, sizeof(why)))
			report("pair %u node %u QP %u: %s completion, opcode %u, %u bytes: %s", i, k, qpn, recv ? "receive" : "send", want->opcode,
			       want->data_len, why);
		if (!recv)
			s->sq_free = (idx + 1) & 0xffff;
		model_done(&s->m, recv);
		if (OHCA_GET(OHCA_CQE_STATUS, e) && !s->told)
			on_error(qpn, k, false);
		return;
	}
	report("node %u: a completion of QP %u, which does not exist", k, qpn);
}

static void poll(void)
{
	struct ohca_eqe ev;
	struct ohca_cqe e;

	for (unsigned k = 0; k < 2; k++) {
		while (ohv_event(dev[k], &ev)) {
			unsigned t = OHCA_GET(OHCA_EQE_TYPE, &ev), num = OHCA_GET(OHCA_EQE_NUM, &ev);

			polled_events++;
			if (t == OHCA_EQE_TYPE_COMP) {
				unsigned c = 0;

				while (c < CQS && cq[k][c]->cqn != num)
					c++;
				if (c == CQS || ++arm[k][c].events > arm[k][c].arms)
					report("node %u: event of CQ %u, which is not armed", k, num);
				arm[k][c].armed = arm[k][c].must = false;
			} else if (t != OHCA_EQE_TYPE_COMM_EST && t != OHCA_EQE_TYPE_PORT_CHANGE && t != OHCA_EQE_TYPE_LID_CHANGE &&
				   t != OHCA_EQE_TYPE_SM_CHANGE && t != OHCA_EQE_TYPE_CLIENT_REREG &&
				   !((t == OHCA_EQE_TYPE_QP_REQ_ERR || t == OHCA_EQE_TYPE_QP_ACCESS_ERR || t == OHCA_EQE_TYPE_QP_FATAL) && may_fail(num, k))) {
				report("node %u: event of type %#x, number %u, syndrome %u", k, t, num, (unsigned)OHCA_GET(OHCA_EQE_SYNDROME, &ev));
			} else if (t == OHCA_EQE_TYPE_QP_REQ_ERR || t == OHCA_EQE_TYPE_QP_ACCESS_ERR || t == OHCA_EQE_TYPE_QP_FATAL) {
				on_error(num, k, true);
			}
		}
		for (unsigned c = 0; c < CQS; c++)
			while (ohv_poll(cq[k][c], &e)) {
				if (arm[k][c].armed)
					arm[k][c].must = true;
				take_cqe(k, c, &e);
			}
	}
}

static void post_sends(unsigned i, unsigned k)
{
	struct side *s = &pair[i].s[k];
	unsigned n = 1 + below(6), rung = 0;

	while (n-- && s->posted < s->plans) {
		struct plan *x = &s->plan[s->posted];

		if (((s->q->sq_pi - s->sq_free) & 0xffff) >= 1u << SQ_LOG)
			break;
		/* No wait may depend on a completion that is not asked for. */
		if (++s->unsig >= (1u << SQ_LOG) / 2 || s->posted == s->plans - 1)
			x->wr.signaled = true;
		if (x->wr.signaled)
			s->unsig = 0;
		x->wr.sge = x->sge;
		x->wr.data = x->data;
		model_post_send(&s->m, &x->wr, s->q->sq_pi);
		ohv_post_send(s->q, &x->wr);
		s->posted++;
		rung++;
		if (chance(20)) {
			dev[k]->push = chance(50);
			ohv_ring(s->q);
			rung = 0;
		}
	}
	if (rung) {
		dev[k]->push = chance(50);
		ohv_ring(s->q);
	}
}

static void post_recvs(unsigned i, unsigned k)
{
	struct side *s = &pair[i].s[k];

	for (unsigned n = 1 + below(4); n-- && s->recv_posted < s->recvs; s->recv_posted++) {
		uint32_t idx = s->q->rq_pi;

		ohv_post_recv(s->q, s->recv[s->recv_posted].sge, s->recv[s->recv_posted].nsge);
		model_post_recv(&s->m, s->recv[s->recv_posted].sge, s->recv[s->recv_posted].nsge, idx);
	}
	if (s->told)
		ring_rq(s, k);
}

static void post_ud(unsigned k)
{
	struct ud *u = &ud[k][below(uds)], *to = &ud[!k][below(uds)];
	uint32_t n, len = 4 + (chance(50) ? below(100) : below(4093)), first = below(len + 1);
	struct ohv_sge s[2];
	struct ohv_wr wr = { .op = chance(50) ? OHCA_WR_OP_SEND : OHCA_WR_OP_SEND_IMM, .signaled = true, .solicited = chance(30), .qkey = 0x5eed,
			     .imm = (uint32_t)rng_next(&rng), .dqpn = to->q->qpn, .av.dlid = dev[!k]->lid, .sge = s, .nsge = 2 };
	uint32_t at = u->base + UD_SLOTS * UD_SLOT + (u->sent % 4) * 4096;

	if (u->sent - u->scq_seen >= 4)
		return;
	/* A receive for each message; some are left over from messages that were lost. */
	if (to->posted - to->seen < UD_SLOTS) {
		uint64_t slot = to->mr->mr->va + to->base + (to->posted % UD_SLOTS) * UD_SLOT;
		struct ohv_sge r[2] = { { slot, 60, to->mr->mr->key }, { slot + 60, UD_SLOT - 60, to->mr->mr->key } };

		ohv_post_recv(to->q, r, 2);
		to->posted++;
	} else if (!with_faults && !overruns(!k)) {
		return;
	}
	n = u->sent++;
	u->msg[n % 256].len = len;
	u->msg[n % 256].imm = wr.imm;
	u->msg[n % 256].has_imm = wr.op == OHCA_WR_OP_SEND_IMM;
	u->msg[n % 256].got = false;
	for (uint32_t i = 0; i < len; i++)
		u->msg[n % 256].data[i] = (uint8_t)rng_next(&rng);
	memcpy(u->msg[n % 256].data, &n, 4);
	model_put(u->mr, at, u->msg[n % 256].data, len);
	s[0] = (struct ohv_sge){ u->mr->mr->va + at, first, u->mr->mr->key };
	s[1] = (struct ohv_sge){ u->mr->mr->va + at + first, len - first, u->mr->mr->key };
	ohv_post_send(u->q, &wr);
	ohv_ring(u->q);
}

static void arm_some(void)
{
	unsigned k = below(2), c = below(CQS);

	if (chance(30))
		ohv_arm_eq(dev[k]);
	if (arm[k][c].armed)
		return;
	arm[k][c].arms++;
	arm[k][c].armed = chance(70);
	ohv_arm(cq[k][c], !arm[k][c].armed);
}

static bool all_done(void)
{
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++) {
			struct side *s = &pair[i].s[k];

			if (s->posted < s->plans || s->recv_posted < s->recvs || s->m.send.head != s->m.send.tail || model_next(&s->m, false) ||
			    model_next(&s->m, true))
				return false;
		}
	for (unsigned k = 0; k < 2; k++) {
		unsigned missing = 0;

		for (unsigned i = 0; i < uds; i++) {
			if (ud[k][i].scq_seen != ud[k][i].sent)
				return false;
			missing += ud[k][i].posted - ud[k][i].seen;
		}
		if (missing && !with_faults && missing > overruns(k))
			return false;
	}
	return true;
}

static void round_of(unsigned number, unsigned want)
{
	unsigned ud_left = below(8);
	char why[400];

	for (unsigned i = 0; i < pairs; i++) {
		struct pair *p = &pair[i];
		bool was = p->victim != 0;

		p->victim = 0;
		if (with_errors && i % 3 == 0)
			p->victim = 1 + (only >= 0 ? (unsigned)only : (number * ((pairs + 2) / 3) + i / 3) % CASES);
		if (!p->s[0].q || p->victim || was || chance(15)) {
			disconnect(p);
			connect(p, p->victim != 0);
		}
		for (unsigned k = 0; k < 2; k++)
			fresh(&p->s[k]);
		if (p->victim) {
			plan_victim(p);
			continue;
		}
		for (unsigned n = below(2 * want + 1); n; n--) {
			unsigned k = below(2);

			add_message(&p->s[k], &p->s[!k], 0, UINT32_MAX, 0);
		}
	}
	last_progress = fab->cycle;
	while (!all_done()) {
		unsigned i = below(pairs), k = below(2);

		switch (below(8)) {
		case 0: case 1: post_sends(i, k); break;
		case 2: case 3: post_recvs(i, k); break;
		case 4:
			if (ud_left && uds) {
				post_ud(k);
				ud_left--;
			}
			break;
		case 5: arm_some(); break;
		default: fabric_run(fab, 1 + below(chance(10) ? 8000 : 800), NULL, NULL); break;
		}
		poll();
		flush_due();
		/* The cases that end by patience: the model learns what the wire decides, when nothing else is expected before it. */
		for (unsigned v = 0; v < pairs; v++)
			if ((pair[v].victim == C_RNR + 1 || pair[v].victim == C_SILENT + 1) && pair[v].s[0].posted == pair[v].s[0].plans &&
			    pair[v].s[0].recv_posted == pair[v].s[0].recvs && pair[v].s[1].recv_posted == pair[v].s[1].recvs && !pair[v].s[0].m.err &&
			    !model_next(&pair[v].s[0].m, false))
				model_give_up(&pair[v].s[0].m, pair[v].victim == C_RNR + 1 ? OHCA_WC_STATUS_RNR_RETRY_EXC : OHCA_WC_STATUS_RETRY_EXC);
		if (fab->cycle - last_progress > STALL)
			report("round %u: no completion for %llu cycles", number, (unsigned long long)STALL);
	}
	for (unsigned n = 0; n < 20; n++) {
		fabric_run(fab, 1000, NULL, NULL);
		poll();
	}
	for (unsigned k = 0; k < 2; k++)
		for (unsigned c = 0; c < CQS; c++)
			if (arm[k][c].must)
				report("round %u: node %u CQ %u was armed, completions came, no event did", number, k, cq[k][c]->cqn);
	for (unsigned k = 0; k < 2; k++)
		if (!model_compare(&node[k], why, sizeof(why)))
			report("round %u: memory of node %u: %s", number, k, why);
	for (unsigned i = 0; i < pairs; i++)
		if (pair[i].victim) {
			for (unsigned k = 0; k < 2; k++) {
				int st = ohv_query_state(pair[i].s[k].q), exp = pair[i].s[k].m.err ? OHCA_QP_STATE_ERR : OHCA_QP_STATE_RTS;

				if (st != exp || (k && pair[i].b_err != pair[i].s[k].m.err))
					report("round %u: case %s: node %u is in state %d, expected %d", number, cases[pair[i].victim - 1].name, k, st, exp);
			}
			case_ok[pair[i].victim - 1]++;
		}
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "faults", 0, NULL, 'F' }, { "errors", 0, NULL, 'E' }, { "only", 1, NULL, 'O' },
					     { "fault", 1, NULL, 'R' }, { "roce", 0, NULL, 'r' }, { 0 } };
	unsigned width = 64, want = 200, number = 0, rules = 0;
	const char *rule[8], *trace = NULL, *pcap = NULL, *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff;
	struct fabric_config cfg;
	int c, latency = -1;	/* of host memory in cycles; -1: by the seed */

	while ((c = getopt_long(argc, argv, "s:n:w:q:t:p:f:l:", opts, NULL)) != -1)
		switch (c) {
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': want = (unsigned)atoi(optarg); break;
		case 'w': width = (unsigned)atoi(optarg); break;
		case 'q': pairs = (unsigned)atoi(optarg); break;
		case 't': trace = optarg; break;
		case 'p': pcap = optarg; break;
		case 'f': fw = optarg; break;
		case 'l': latency = atoi(optarg); break;
		case 'F': with_faults = true; break;
		case 'r': ohv_roce = true; break;
		case 'R':
			with_faults = true;
			if (rules == 8)
				return 2;
			rule[rules++] = optarg;
			break;
		case 'E': with_errors = true; break;
		case 'O':
			for (only = 0; only < CASES && strcmp(cases[only].name, optarg); only++)
				;
			if (only == CASES) {
				fprintf(stderr, "random: no case %s\n", optarg);
				return 2;
			}
			with_errors = true;
			break;
		default: return 2;
		}
	if (!pairs || pairs > MAX_PAIRS) {
		fprintf(stderr, "random: 1 to %u pairs\n", MAX_PAIRS);
		return 2;
	}
	printf("# seed %llu, width %u, %u messages, %u pairs%s%s\n", (unsigned long long)seed, width, want, pairs, with_faults ? ", faults" : "",
	       with_errors ? ", errors" : "");
	fflush(stdout);
	rng_seed(&rng, seed, 7);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.trace = trace;
	cfg.seed = seed;
	/* Races show at some latencies and not at others. */
	if (latency < 0)
		latency = below(2) ? (int)cfg.axi.read_latency : (int)(3 + below(200));
	cfg.axi.read_latency = (unsigned)latency;
	cfg.link_latency = 3 + below(60);
	printf("# host memory answers after %d cycles, the cable takes %u\n", latency, cfg.link_latency);
	if (pcap)
		cfg.pcap = pcapng_open(pcap, 1000.0 / cfg.clock_mhz, true);
	ohv_bus(&cfg, false);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned k = 0; k < 2; k++)
		dev[k] = ohv_open(fab, k, 128u << 20);
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(dev[k], (uint16_t)(k + 1 + below(100) * 2));
	for (unsigned k = 0; k < 2; k++)
		ohv_port_wait(dev[k]);
	for (unsigned k = 0; k < 2; k++) {
		struct model_mr *big[2];
		unsigned half = (pairs + 1) / 2;

		/* two regions with windows side by side: a byte too far is another QP's */
		for (unsigned i = 0; i < 2; i++)
			big[i] = model_reg(&node[k], ohv_reg(dev[k], 0x7f0012345000ull + (uint64_t)i * 0x100000000ull + below(4096), (uint64_t)half * WINDOW,
							     7), 7);
		limited[k] = model_reg(&node[k], ohv_reg(dev[k], 0x10000 + below(4096), 0x4000, 0), 0);
		for (unsigned i = 0; i < pairs; i++) {
			pair[i].s[k].mr = big[i % 2];
			pair[i].s[k].base = (i / 2) * WINDOW;
		}
		for (unsigned i = 0; i < CQS; i++)
			cq[k][i] = ohv_create_cq(dev[k], 10);
	}
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < uds; i++) {
			struct ohv_qp_attr a = { .qkey = 0x5eed, .sq_psn = 0xfffffc };
			struct ud *u = &ud[k][i];

			u->mr = model_reg(&node[k], ohv_reg(dev[k], 0x5000000 + below(4096), UD_SLOTS * UD_SLOT + 4 * 4096, 1), 1);
			u->q = ohv_create_qp(dev[k], OHCA_QP_TYPE_UD, cq[k][below(CQS)], cq[k][below(CQS)], 4, 4, 5);
			if (ohv_connect(u->q, &a))
				ohv_fail("UD connect");
		}
	for (unsigned i = 0; i < rules; i++)
		add_fault("%s", rule[i]);
	if (with_faults && !rules) {
		/* A responder that has failed answers nothing any more: were its one NAK lost, or an ACK before it, the requester would give
		 * up on that message instead. So that the model can say which status comes, nothing of the failing side's is lost. */
		const char *from = with_errors ? ",dir=0" : "";

		add_fault("drop,prob=0.01%s", from);
		add_fault("dup,prob=0.01");
		add_fault("reorder,prob=0.01,by=3");
		add_fault("delay,prob=0.01,cycles=3000");
		add_fault("corrupt,prob=0.005%s", from);
		add_fault("corrupt,prob=0.005,crc=vcrc%s", from);
		add_fault("error,prob=0.003%s", from);
	}
	while (total(false) < want) {
		round_of(number++, want / pairs < 8 ? want / pairs + 1 : 8);
		printf("# round %u: %llu messages, %llu bytes, cycle %llu\n", number, (unsigned long long)total(false), (unsigned long long)total(true),
		       (unsigned long long)fab->cycle);
		fflush(stdout);
	}
	for (unsigned i = 0; i < CASES && with_errors; i++)
		if (case_ok[i])
			printf("ok random-%s-%u (%u times)\n", cases[i].name, width, case_ok[i]);
	printf("ok random-%u%s%s%s\n", width, ohv_roce ? "-roce" : "", with_faults ? "-faults" : "", with_errors ? "-errors" : "");
	printf("# %llu completions, %llu events, %llu cycles, %llu simulated\n", (unsigned long long)completions, (unsigned long long)polled_events,
	       (unsigned long long)fab->cycle, (unsigned long long)fab->stepped);
	fabric_destroy(fab);
	if (cfg.pcap)
		pcapng_close(cfg.pcap);
	return 0;
}
