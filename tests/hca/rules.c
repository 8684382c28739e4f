// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Rules of the architecture for what an InfiniBand port receives, one packet at a time: packets made here byte by byte go to node 0, what it
 * answers is read off the wire, and completions, events and memory are looked at. The peer does not exist; node 1 only keeps the link up.
 *
 *   rules [-w WIDTH] [-f FIRMWARE.hex] [-p PCAP] [-v] [CASE…]
 *
 * Prints one line per case: "ok rules-NAME - CLAUSE" or "not ok rules-NAME - reason". Clauses are those of the InfiniBand Architecture
 * Specification, volume 1.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "ohv.h"

#define LID 1u
#define PEER_LID 2u
#define PEER_QPN 0x9abcu
#define VA 0x7f0000001000ull
#define LEN 0x40000u
#define PKEY 0xffffu
#define QKEY 0x1badcafeu
#define WAIT 60000u

enum { SEND_FIRST = 0, SEND_ONLY = 4, WRITE_FIRST = 6, WRITE_LAST_IMM = 9, WRITE_ONLY = 10, WRITE_ONLY_IMM = 11, READ_REQ = 12, READ_FIRST = 13,
       READ_ONLY = 16, ACK = 17, UD_SEND_ONLY = 0x64 };

struct pkt {			/* to be sent; what is not given is right */
	unsigned op, psn, len, grh;
	bool ackreq;
	uint64_t va;
	uint32_t key, dmalen, imm, aeth;
	uint32_t qpn;		/* 0: the connected QP */
	uint8_t sgid[16], dgid[16];
	uint8_t fill;
};

struct seen { unsigned op, psn, synd, msn; uint64_t at; };

static struct fabric *fab;
static struct ohv_dev *dev;
static struct ohv_mr *mr;
static struct ohv_cq *scq, *rcq;
static struct ohv_qp *qp;
static uint8_t own_gid[16], peer_gid[16];
static struct seen seen[4096];
static unsigned nseen;
static uint64_t looked, free_at;
static bool verbose;
static char why[256];

static bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}
#define WANT(cond, ...) do { if (!(cond)) return fail(__VA_ARGS__); } while (0)

/* ------------------------------------------------------------------ the wire */

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static unsigned be24(const uint8_t *p)
{
	return (unsigned)p[0] << 16 | be16(p + 1);
}

static void put(uint8_t *p, unsigned n, uint64_t v)
{
	while (n--) {
		p[n] = (uint8_t)v;
		v >>= 8;
	}
}

/* Takes down what has been sent towards the peer. */
static bool look(void *ctx)
{
	uint64_t last = looked;

	for (struct packet *p = fab->node[1].rx->head; p; p = p->next) {
		unsigned h = (p->data[1] & 3) == 3 ? 48 : 8;
		struct seen *s = &seen[nseen % 4096];
		bool aeth;

		if (p->t_last <= looked)
			continue;
		last = p->t_last > last ? p->t_last : last;
		if (p->kind != OHCA_KIND_IB || p->len < h + 12 || be24(p->data + h + 5) != PEER_QPN)
			continue;
		s->op = p->data[h];
		s->psn = be24(p->data + h + 9);
		aeth = s->op >= READ_FIRST && s->op <= ACK && s->op != READ_FIRST + 1;
		s->synd = aeth ? p->data[h + 12] : 0;
		s->msn = aeth ? be24(p->data + h + 13) : 0;
		s->at = fab->cycle;
		if (verbose)
			printf("#   %llu: out opcode %02x psn %06x syndrome %02x msn %u\n", (unsigned long long)fab->cycle, s->op, s->psn, s->synd, s->msn);
		nseen++;
	}
	looked = last;
	return ctx && nseen >= *(unsigned *)ctx;
}

/* Until the adapter has sent n packets of the QP since the case began. */
static bool answers(unsigned n, uint64_t cycles)
{
	return fabric_run(fab, cycles, look, &n);
}

static void pass(uint64_t cycles)
{
	unsigned never = ~0u;

	fabric_run(fab, cycles, look, &never);
}


static unsigned make(uint8_t *d, const struct pkt *k)
{
	unsigned h = k->grh ? 48 : 8, op = k->op & 31, n = h + 12, pad = -k->len & 3;

	memset(d, 0, h + 12);
	d[1] = k->grh ? 3 : 2;
	put(d + 2, 2, LID);
	put(d + 6, 2, PEER_LID);
	if (k->grh) {
		d[8] = 0x60;
		d[14] = 0x1b;
		d[15] = 64;
		memcpy(d + 16, k->sgid, 16);
		memcpy(d + 32, k->dgid, 16);
	}
	d[h] = (uint8_t)k->op;
	d[h + 1] = (uint8_t)(0x40 | pad << 4);
	put(d + h + 2, 2, PKEY);
	put(d + h + 5, 3, k->qpn ? k->qpn : qp->qpn);
	d[h + 8] = (uint8_t)(k->ackreq << 7);
	put(d + h + 9, 3, k->psn);
	if (k->op == UD_SEND_ONLY) {
		put(d + n, 4, QKEY);
		put(d + n + 4, 4, 0x77);
		n += 8;
	} else if (op == WRITE_FIRST || op == WRITE_ONLY || op == WRITE_ONLY_IMM || op == READ_REQ) {
		put(d + n, 8, k->va ? k->va : VA);
		put(d + n + 8, 4, k->key ? k->key : mr->key);
		put(d + n + 12, 4, k->dmalen ? k->dmalen : k->len);
		n += 16;
	} else if (op == ACK) {
		put(d + n, 4, k->aeth);
		n += 4;
	}
	if (op == WRITE_ONLY_IMM || op == WRITE_LAST_IMM) {
		put(d + n, 4, k->imm);
		n += 4;
	}
	memset(d + n, k->fill, k->len + pad);
	n += k->len + pad;
	put(d + 4, 2, (n + 4) / 4);
	if (k->grh)
		put(d + 12, 2, n + 4 - 48);
	ib_put_icrc(d, n + 6);
	ib_put_vcrc(d, n + 6);
	return n + 6;
}

/* On the wire behind what was sent before; time does not pass. */
static void put_on_wire(const struct pkt *k)
{
	struct wire *w = fab->node[0].rx;
	struct packet *p = packet_new();

	p->kind = OHCA_KIND_IB;
	p->error = false;
	p->len = make(p->data, k);
	p->t_first = free_at > fab->cycle ? free_at : fab->cycle;
	p->t_last = p->t_first + (packet_wire_bytes(p) * 65536ull + w->rate - 1) / w->rate - 1;
	free_at = p->t_last + 1;
	wire_send(w, p);
}

#define TX(...) put_on_wire(&(struct pkt){ __VA_ARGS__ })

/* ------------------------------------------------------------------ the adapter */

static uint64_t counter(unsigned n)
{
	return fabric_read64(fab, 0, OHCA_REG_COUNTERS + 8 * n);
}

/* A QP of its own for each case. */
static void begin(unsigned type, unsigned max_dest_rd, bool grh)
{
	struct ohv_qp_attr a = { .dqpn = PEER_QPN, .mtu = OHCA_MTU_MTU1024, .retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .qkey = QKEY,
				 .max_dest_rd = max_dest_rd, .access = 3, .rq_psn = 0x1000, .sq_psn = 0x2000 };
	int st;

	if (type == OHCA_QP_TYPE_RC) {
		a.av.dlid = PEER_LID;
		a.av.grh = grh;
		memcpy(a.av.dgid, peer_gid, 16);
	}
	qp = ohv_create_qp(dev, type, scq, rcq, 6, 6, 4);
	st = ohv_connect(qp, &a);
	if (st)
		ohv_fail("connect: status %d", st);
	pass(2000);
	nseen = 0;
}

static void receives(unsigned n)
{
	struct ohv_sge s = { VA + 0x20000, 0x2000, mr->key };

	while (n--)
		ohv_post_recv(qp, &s, 1);
}

static bool event(unsigned type)
{
	struct ohca_eqe e;

	while (ohv_event(dev, &e))
		if (OHCA_GET(OHCA_EQE_TYPE, &e) == type && OHCA_GET(OHCA_EQE_NUM, &e) == qp->qpn)
			return true;
	return false;
}

static bool status(struct ohv_cq *c, unsigned want)
{
	struct ohca_cqe e;

	WANT(ohv_wait(c, &e, WAIT), "no completion, status %u wanted", want);
	WANT(OHCA_GET(OHCA_CQE_STATUS, &e) == want, "completion of WQE %u with status %u, not %u", (unsigned)OHCA_GET(OHCA_CQE_WQE_IDX, &e),
	     (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e), want);
	return true;
}

static bool answer(unsigned n, unsigned op, unsigned psn, unsigned synd)
{
	WANT(nseen > n, "answer %u did not come", n);
	WANT(seen[n].op == op && seen[n].psn == psn, "answer %u: opcode %02x PSN %06x, not %02x %06x", n, seen[n].op, seen[n].psn, op, psn);
	/* an ACK's credits are not looked at */
	WANT(synd ? seen[n].synd == synd : seen[n].synd < 32, "answer %u: syndrome %02x, not %02x", n, seen[n].synd, synd);
	return true;
}

static bool in_error(void)
{
	int s = ohv_query_state(qp);

	WANT(s == OHCA_QP_STATE_ERR, "the QP's state is %d, not Error", s);
	return true;
}

static bool memory(uint64_t off, unsigned n, uint8_t want)
{
	uint8_t b[256];

	ohv_read(mr, off, b, n);
	for (unsigned i = 0; i < n; i++)
		WANT(b[i] == want, "byte %u at offset %#llx is %02x, not %02x", i, (unsigned long long)off, b[i], want);
	return true;
}

/* ------------------------------------------------------------------ cases */

static bool good_write(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .ackreq = true, .fill = 0x5a);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0) && memory(0, 64, 0x5a);
}

static bool write_imm_bad_key(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	receives(2);
	TX(.op = WRITE_ONLY_IMM, .psn = 0x1000, .len = 8, .key = mr->key ^ 0x5500, .ackreq = true);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0x62) && status(rcq, OHCA_WC_STATUS_LOC_ACCESS) && status(rcq, OHCA_WC_STATUS_WR_FLUSH) && in_error();
}

/* Before the immediate data no receive is concerned. */
static bool write_bad_key(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	receives(1);
	TX(.op = WRITE_FIRST, .psn = 0x1000, .len = 1024, .dmalen = 1032, .key = mr->key ^ 0x5500);
	TX(.op = WRITE_LAST_IMM, .psn = 0x1001, .len = 8, .ackreq = true);
	answers(1, WAIT);
	if (!answer(0, ACK, 0x1000, 0x62) || !status(rcq, OHCA_WC_STATUS_WR_FLUSH))
		return false;
	WANT(event(OHCA_EQE_TYPE_QP_ACCESS_ERR), "no event tells of it");
	return in_error();
}

static bool doorbell_record_lost(void)
{
	dev->next_dbr = 0x1000;			/* nothing is there */
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	answers(1, WAIT);
	if (!answer(0, ACK, 0x1000, 0x63))
		return false;
	pass(4000);
	WANT(event(OHCA_EQE_TYPE_QP_FATAL), "no event tells of it");
	return in_error();
}

static bool doorbell_record_lost_ud(void)
{
	dev->next_dbr = 0x1000;
	begin(OHCA_QP_TYPE_UD, 0, false);
	TX(.op = UD_SEND_ONLY, .len = 8);
	pass(8000);
	WANT(event(OHCA_EQE_TYPE_QP_FATAL), "no event tells of it");
	return in_error();
}

static bool duplicate_before_read(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	receives(8);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	TX(.op = READ_REQ, .psn = 0x1001, .dmalen = 8, .ackreq = true);
	TX(.op = SEND_ONLY, .psn = 0x1002, .len = 8, .ackreq = true);
	answers(3, WAIT);
	if (!answer(0, ACK, 0x1000, 0) || !answer(1, READ_ONLY, 0x1001, 0) || !answer(2, ACK, 0x1002, 0))
		return false;
	/* Its acknowledgement must not say that the READ's data has been delivered. */
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	answers(4, WAIT);
	if (!answer(3, ACK, 0x1000, 0))
		return false;
	TX(.op = SEND_ONLY, .psn = 0x1002, .len = 8, .ackreq = true);
	answers(5, WAIT);
	if (!answer(4, ACK, 0x1002, 0))
		return false;
	/* Where no READ lies between, one acknowledgement is for all that has been executed. */
	TX(.op = SEND_ONLY, .psn = 0x1003, .len = 8, .ackreq = true);
	TX(.op = WRITE_ONLY, .psn = 0x1004, .len = 8, .ackreq = true);
	answers(7, WAIT);
	pass(2000);
	nseen = 0;
	TX(.op = SEND_ONLY, .psn = 0x1003, .len = 8, .ackreq = true);
	answers(1, WAIT);
	return answer(0, ACK, 0x1004, 0);
}

static bool too_many_reads(void)
{
	unsigned n;

	begin(OHCA_QP_TYPE_RC, 1, false);
	for (unsigned i = 0; i < 4; i++)
		TX(.op = READ_REQ, .psn = 0x1000 + 16 * i, .dmalen = 16384);
	answers(17, WAIT);
	pass(WAIT);
	for (n = 0; n < 16; n++)
		if (!answer(n, n == 0 ? READ_FIRST : n == 15 ? READ_FIRST + 2 : READ_FIRST + 1, 0x1000 + n, 0))
			return false;
	if (!answer(16, ACK, 0x1010, 0x61))
		return false;
	WANT(nseen == 17, "%u packets more than the first READ's and the NAK", nseen - 17);
	WANT(event(OHCA_EQE_TYPE_QP_REQ_ERR), "no event tells of it");
	return in_error();
}

/* As many as were agreed, each followed by the next as soon as its answer is complete; and duplicates do not count. */
static bool enough_reads(void)
{
	unsigned sent = 0;

	begin(OHCA_QP_TYPE_RC, 2, false);
	for (unsigned got = 0; got < 24; got++) {
		while (sent < 24 && sent < got + 2) {
			TX(.op = READ_REQ, .psn = 0x1000 + 2 * sent, .dmalen = 2048);
			sent++;
		}
		WANT(answers(2 * got + 2, WAIT), "READ %u is not answered", got);
	}
	pass(4000);
	for (unsigned i = 0; i < 48; i++)
		if (!answer(i, i & 1 ? READ_FIRST + 2 : READ_FIRST, 0x1000 + i, 0))
			return false;
	nseen = 0;
	for (unsigned i = 0; i < 8; i++)
		TX(.op = READ_REQ, .psn = 0x1000 + 40 + 2 * (i & 3), .dmalen = 2048);
	TX(.op = READ_REQ, .psn = 0x1030, .dmalen = 2048);
	TX(.op = READ_REQ, .psn = 0x1032, .dmalen = 2048);
	answers(20, WAIT);
	pass(4000);
	WANT(nseen == 20, "%u packets instead of 20", nseen);
	return answer(19, READ_FIRST + 2, 0x1033, 0);
}

static bool nak_behind_reads(void)
{
	unsigned psn = 0x1000;

	begin(OHCA_QP_TYPE_RC, 16, false);
	receives(20);
	/* So many answers wait behind the first READ's that the ring of the QP's answers is full. */
	for (unsigned i = 0; i < 16; i++) {
		TX(.op = READ_REQ, .psn = psn, .dmalen = i ? 8 : 65536);
		psn += i ? 1 : 64;
		TX(.op = SEND_ONLY, .psn = psn++, .len = 8, .ackreq = true);
	}
	TX(.op = WRITE_ONLY, .psn = psn, .len = 8, .key = mr->key ^ 0x5500, .ackreq = true);
	for (unsigned n = 0; n < 40 && !(nseen && seen[nseen - 1].op == ACK && seen[nseen - 1].synd == 0x62); n++)
		pass(2000);
	WANT(nseen >= 64 + 16, "%u packets were sent", nseen);
	if (!answer(nseen - 1, ACK, psn, 0x62))
		return false;
	return in_error();
}

static bool dgid_rc(void)
{
	struct pkt k = { .op = WRITE_ONLY, .psn = 0x1000, .len = 64, .ackreq = true, .grh = 1, .fill = 0x11 };
	uint64_t n;

	begin(OHCA_QP_TYPE_RC, 4, true);
	ohv_write(mr, 0, (uint8_t[64]){ 0 }, 64);
	memcpy(k.sgid, peer_gid, 16);
	memcpy(k.dgid, own_gid, 16);
	n = counter(OHCA_COUNTER_RX_PATH);
	for (unsigned i = 0; i < 4; i++) {
		/* another GUID, no GUID, another prefix, the sender's own GID */
		struct pkt x = k;

		if (i == 0)
			x.dgid[15]++;
		else if (i == 1)
			memset(x.dgid + 8, 0, 8);
		else if (i == 2)
			x.dgid[4] ^= 0x80;
		else
			memcpy(x.dgid, peer_gid, 16);
		put_on_wire(&x);
	}
	pass(8000);
	WANT(nseen == 0, "a packet to a GID that is not the path's is answered");
	if (!memory(0, 64, 0))
		return false;
	WANT(counter(OHCA_COUNTER_RX_PATH) - n == 4, "rx_path counted %llu, not 4", (unsigned long long)(counter(OHCA_COUNTER_RX_PATH) - n));
	put_on_wire(&k);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0) && memory(0, 64, 0x11);
}

/* Responses: an acknowledgement to another GID acknowledges nothing. */
static bool dgid_response(void)
{
	struct ohv_sge s = { VA, 8, mr->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = VA, .rkey = 1 };
	struct pkt k = { .op = ACK, .psn = 0x2000, .grh = 1, .aeth = 0x1f000001 };
	struct ohca_cqe e;
	uint64_t n = counter(OHCA_COUNTER_RX_PATH);

	begin(OHCA_QP_TYPE_RC, 4, true);
	ohv_post_send(qp, &wr);
	ohv_ring(qp);
	WANT(answers(1, WAIT), "the WRITE was not sent");
	memcpy(k.sgid, peer_gid, 16);
	memcpy(k.dgid, own_gid, 16);
	k.dgid[15] ^= 1;
	put_on_wire(&k);
	pass(4000);
	WANT(!ohv_poll(scq, &e), "an ACK to another GID completed the WRITE");
	WANT(counter(OHCA_COUNTER_RX_PATH) == n + 1, "rx_path did not count it");
	k.dgid[15] ^= 1;
	put_on_wire(&k);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

static bool dgid_ud(void)
{
	struct pkt k = { .op = UD_SEND_ONLY, .len = 64, .grh = 1, .fill = 0x22 };
	struct ohca_cqe e;
	uint64_t n = counter(OHCA_COUNTER_RX_PATH);

	begin(OHCA_QP_TYPE_UD, 0, false);
	receives(4);
	memcpy(k.sgid, peer_gid, 16);
	memcpy(k.dgid, own_gid, 16);
	k.dgid[9] ^= 4;
	put_on_wire(&k);
	pass(4000);
	WANT(!ohv_poll(rcq, &e), "a datagram to a GID that the port does not have arrives");
	WANT(counter(OHCA_COUNTER_RX_PATH) == n + 1, "rx_path did not count it");
	k.dgid[9] ^= 4;
	put_on_wire(&k);
	if (!status(rcq, OHCA_WC_STATUS_SUCCESS))
		return false;
	k.grh = 0;
	put_on_wire(&k);
	return status(rcq, OHCA_WC_STATUS_SUCCESS);
}

/* The host's memory refuses the payload of a WRITE: its ACK has left by then. What is on its way behind it is answered with an error, the QP's owner gets an event. */
static bool payload_lost(void)
{
	struct ohv_mr *m;
	uint64_t *mtt = ohv_ptr(dev, dev->mtt_off);
	uint32_t at = dev->next_mtt;
	uint64_t page;

	m = ohv_reg(dev, VA, 0x1000, 7);
	page = mtt[at];
	mtt[at] = 0x10000 | 1;			/* nothing is there */
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .key = m->key, .ackreq = true);
	answers(2, WAIT);
	mtt[at] = page;

	if (!answer(0, ACK, 0x1000, 0) || !answer(1, ACK, 0x1001, 0x63))
		return false;
	WANT(event(OHCA_EQE_TYPE_QP_FATAL), "no event tells of it");
	return in_error();
}

static bool payload_lost_ud(void)
{
	uint64_t *mtt = ohv_ptr(dev, dev->mtt_off);
	uint32_t at = dev->next_mtt;
	struct ohv_mr *m = ohv_reg(dev, VA, 0x1000, 7);
	struct ohv_sge s = { VA, 0x1000, m->key };
	uint64_t page = mtt[at];

	mtt[at] = 0x10000 | 1;
	begin(OHCA_QP_TYPE_UD, 0, false);
	ohv_post_recv(qp, &s, 1);
	TX(.op = UD_SEND_ONLY, .len = 64);
	pass(10000);
	mtt[at] = page;
	WANT(event(OHCA_EQE_TYPE_QP_FATAL), "no event tells of it");
	return in_error();
}

static const struct { const char *name, *clause; bool (*run)(void); } cases[] = {
	{ "write", "a WRITE made here is executed", good_write },
	{ "write-imm-key", "11.6.2: WRITE with immediate to a bad R_Key is a Local Access Error of its receive", write_imm_bad_key },
	{ "write-key", "9.9.3: a bad R_Key before the immediate data is an affiliated event", write_bad_key },
	{ "doorbell-record", "9.9.3: a receive queue that cannot be read is a Remote Operational Error, not RNR", doorbell_record_lost },
	{ "doorbell-record-ud", "11.6.3: ... and a local catastrophic error of a datagram QP", doorbell_record_lost_ud },
	{ "payload-lost", "11.6.3: payload that the host's memory refuses is a local catastrophic error", payload_lost },
	{ "payload-lost-ud", "11.6.3: ... of a datagram QP, too", payload_lost_ud },
	{ "duplicate-read", "9.7.5.1: the ACK of a duplicate does not reach past a READ", duplicate_before_read },
	{ "reads-beyond", "9.7.4.1: more READs than agreed are an Invalid Request", too_many_reads },
	{ "reads-agreed", "9.7.4.1: ... as many as agreed are answered, duplicates besides", enough_reads },
	{ "nak-behind-reads", "9.7.5: a NAK finds room behind any number of answers", nak_behind_reads },
	{ "dgid-rc", "9.6.1: a request to another GID than the path's is dropped", dgid_rc },
	{ "dgid-response", "9.6.1: ... and a response", dgid_response },
	{ "dgid-ud", "9.6.1: ... and a datagram to a GID that the port does not have", dgid_ud },
};

int main(int argc, char **argv)
{
	const char *fw = "build/firmware/ohca_fw.hex", *pcap = NULL;
	struct fabric_config cfg;
	uint8_t page[64] = { 0 };
	struct ohv_dev *other;
	unsigned width = 64;
	int c, bad = 0;

	while ((c = getopt(argc, argv, "w:f:p:v")) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'p': pcap = optarg; break;
		case 'v': verbose = true; break;
		default: return 2;
		}
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = 1;
	if (pcap) {
		cfg.pcap = pcapng_open(pcap, 1000.0 / cfg.clock_mhz, true);
		if (!cfg.pcap)
			return 1;
	}
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	dev = ohv_open(fab, 0, 64u << 20);
	other = ohv_open(fab, 1, 64u << 20);
	ohv_port_up(dev, LID);
	ohv_port_up(other, PEER_LID);
	ohv_port_wait(dev);
	ohv_port_wait(other);
	if (ohv_cmd(dev, OHCA_CMD_OP_QUERY_GID, 1, 0, NULL, 0, own_gid, 4, NULL) || ohv_cmd(other, OHCA_CMD_OP_QUERY_GID, 1, 0, NULL, 0, peer_gid, 4, NULL))
		ohv_fail("query_gid refused");
	mr = ohv_reg(dev, VA, LEN, 7);
	ohv_write(mr, 0, page, sizeof(page));
	scq = ohv_create_cq(dev, 8);
	rcq = ohv_create_cq(dev, 8);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ohca_eqe e;
		struct ohca_cqe x;
		bool on = optind == argc;

		for (int n = optind; n < argc; n++)
			on = on || !strcmp(argv[n], cases[i].name);
		if (!on)
			continue;
		why[0] = 0;
		if (cases[i].run()) {
			printf("ok rules-%s - %s\n", cases[i].name, cases[i].clause);
		} else {
			printf("not ok rules-%s - %s (%s)\n", cases[i].name, why, cases[i].clause);
			bad = 1;
		}
		fflush(stdout);
		if (ohv_destroy_qp(qp))
			ohv_fail("the QP cannot be destroyed");
		pass(10000);
		while (ohv_poll(scq, &x) || ohv_poll(rcq, &x))
			;
		while (ohv_event(dev, &e))
			;
	}
	if (fab->node[0].model->failures || fab->node[1].model->failures) {
		printf("not ok rules - an assertion of the RTL failed\n");
		bad = 1;
	}
	if (cfg.pcap)
		pcapng_close(cfg.pcap);
	return bad;
}
