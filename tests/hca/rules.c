// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Rules of the architecture for what an InfiniBand port receives, and for what a requester makes of its answers, one packet at a time: packets made
 * here byte by byte go to node 0, what it sends is read off the wire, and completions, events and memory are looked at. The peer does not exist;
 * node 1 only keeps the link up. docs/rules.md has all rules; which of them are shown here and which elsewhere is there.
 *
 *   rules [-w WIDTH] [-f FIRMWARE.hex] [-p PCAP] [-v] [CASE…]
 *
 * Prints one line per case: "ok rules-NAME - CLAUSE" or "not ok rules-NAME - reason". Clauses and chapters are those of the InfiniBand
 * Architecture Specification, volume 1.
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

enum { SEND_FIRST = 0, SEND_MIDDLE = 1, SEND_LAST = 2, SEND_ONLY = 4, WRITE_FIRST = 6, WRITE_LAST = 8,
       WRITE_LAST_IMM = 9, WRITE_ONLY = 10, WRITE_ONLY_IMM = 11, READ_REQ = 12, READ_FIRST = 13, READ_LAST = 15,
       READ_ONLY = 16, ACK = 17, CMP_SWAP = 19, SEND_ONLY_INV = 23, UD_SEND_ONLY = 0x64 };

struct pkt {			/* to be sent; what is not given is right */
	unsigned op, psn, len, grh;
	bool ackreq, no_dmalen;	/* no_dmalen: the RETH says 0, whatever the payload */
	uint64_t va;
	uint32_t key, dmalen, imm, aeth;
	uint32_t qpn;		/* 0: the connected QP */
	unsigned dlid, slid, pkey, tver;
	uint32_t bad_qkey;	/* bits that differ */
	uint8_t sgid[16], dgid[16];
	uint8_t fill;
};

struct seen { unsigned op, psn, synd, msn, pad, dlid; uint32_t dmalen, qkey; bool ackreq, se; uint64_t at; };

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
static char odd[128];		/* of the first packet sent whose headers are not what they should be */

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

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
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
		s->dlid = be16(p->data + 2);
		s->psn = be24(p->data + h + 9);
		aeth = s->op >= READ_FIRST && s->op <= ACK && s->op != READ_FIRST + 1;
		s->synd = aeth ? p->data[h + 12] : 0;
		s->msn = aeth ? be24(p->data + h + 13) : 0;
		s->pad = p->data[h + 1] >> 4 & 3;
		/* Both LIDs; MigReq, and transport version 0; the P_Key; what is reserved. */
		if (!odd[0] && (be16(p->data + 2) != PEER_LID || be16(p->data + 6) != LID || (p->data[h + 1] & 0x4f) != 0x40 ||
				be16(p->data + h + 2) != PKEY || p->data[h + 4] || p->data[h + 8] & 0x7f))
			snprintf(odd, sizeof(odd), "opcode %02x psn %06x: LIDs %04x %04x, BTH %02x %04x %02x %02x", s->op, s->psn,
				 be16(p->data + 2), be16(p->data + 6), p->data[h + 1], be16(p->data + h + 2), p->data[h + 4],
				 p->data[h + 8]);
		s->ackreq = p->data[h + 8] >> 7;
		s->se = p->data[h + 1] >> 7;
		s->dmalen = 0;
		if (s->op == READ_REQ || s->op == WRITE_FIRST || s->op == WRITE_ONLY)
			s->dmalen = be32(p->data + h + 24);
		s->qkey = s->op == UD_SEND_ONLY ? be32(p->data + h + 12) : 0;
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
	put(d + 2, 2, k->dlid ? k->dlid : LID);
	put(d + 6, 2, k->slid ? k->slid : PEER_LID);
	if (k->grh) {
		d[8] = 0x60;
		d[14] = 0x1b;
		d[15] = 64;
		memcpy(d + 16, k->sgid, 16);
		memcpy(d + 32, k->dgid, 16);
	}
	d[h] = (uint8_t)k->op;
	d[h + 1] = (uint8_t)(0x40 | pad << 4 | k->tver);
	put(d + h + 2, 2, k->pkey ? k->pkey : PKEY);
	put(d + h + 5, 3, k->qpn ? k->qpn : qp->qpn);
	d[h + 8] = (uint8_t)(k->ackreq << 7);
	put(d + h + 9, 3, k->psn);
	if (k->op == UD_SEND_ONLY) {
		put(d + n, 4, QKEY ^ k->bad_qkey);
		put(d + n + 4, 4, 0x77);
		n += 8;
	} else if (op == WRITE_FIRST || op == WRITE_ONLY || op == WRITE_ONLY_IMM || op == READ_REQ) {
		put(d + n, 8, k->va ? k->va : VA);
		put(d + n + 8, 4, k->key ? k->key : mr->key);
		put(d + n + 12, 4, k->dmalen ? k->dmalen : k->no_dmalen ? 0 : k->len);
		n += 16;
	} else if (op == CMP_SWAP) {
		put(d + n, 8, VA);
		put(d + n + 8, 4, mr->key);
		put(d + n + 12, 16, 0);
		n += 28;
	} else if (op == SEND_ONLY_INV) {
		put(d + n, 4, mr->key);
		n += 4;
	} else if (op == ACK || op == READ_FIRST || op == READ_LAST || op == READ_ONLY) {
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

static unsigned read_rings;	/* with READs of more QPs than these some find no place: 32 (rtl/ohca.sv: RespSlots), and as many that wait where answers are quick */

static unsigned rights = 3;	/* of the next QP: bit 0 write, 1 read */

static unsigned path_bits;	/* of the next QP's path */

static unsigned first_psn = 0x1000;	/* that it expects */

/* A QP of its own for each case. */
static void begin(unsigned type, unsigned max_dest_rd, bool grh)
{
	struct ohv_qp_attr a = { .dqpn = PEER_QPN, .mtu = OHCA_MTU_MTU1024, .retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .qkey = QKEY,
				 .max_dest_rd = max_dest_rd, .access = rights, .rq_psn = first_psn, .sq_psn = 0x2000 };
	int st;

	if (type == OHCA_QP_TYPE_RC) {
		a.av.dlid = PEER_LID;
		a.av.grh = grh;
		a.av.path_bits = (uint8_t)path_bits;
		memcpy(a.av.dgid, peer_gid, 16);
	}
	qp = ohv_create_qp(dev, type, scq, rcq, 6, 6, 4);
	st = ohv_connect(qp, &a);
	if (st)
		ohv_fail("connect: status %d", st);
	pass(2000);
	nseen = 0;
}

/* The QP is gone, and whatever it brought. */
static void done(void)
{
	struct ohca_eqe e;
	struct ohca_cqe x;

	if (ohv_destroy_qp(qp))
		ohv_fail("the QP cannot be destroyed");
	pass(10000);
	while (ohv_poll(scq, &x) || ohv_poll(rcq, &x))
		;
	while (ohv_event(dev, &e))
		;
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

/* A repeated PSN that was a WRITE's is no READ's. */
static bool duplicate_of_no_read(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	answers(1, WAIT);
	TX(.op = READ_REQ, .psn = 0x1000, .dmalen = 8, .ackreq = true);
	pass(6000);
	WANT(nseen == 1, "a READ that repeats a WRITE is answered");
	TX(.op = READ_REQ, .psn = 0x1001, .dmalen = 8, .ackreq = true);
	answers(2, WAIT);
	TX(.op = READ_REQ, .psn = 0x1001, .dmalen = 8, .ackreq = true);
	answers(3, WAIT);
	return answer(0, ACK, 0x1000, 0) && answer(1, READ_ONLY, 0x1001, 0) && answer(2, READ_ONLY, 0x1001, 0);
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

/* Base LID and LMC of the port, as a subnet manager sets them. */
static bool set_lids(unsigned lid, unsigned lmc)
{
	uint8_t in[512] = { 1, 1, 1, 1 }, out[256];
	uint32_t imm;

	in[17] = 0x15;
	in[23] = 1;
	WANT(!ohv_cmd(dev, OHCA_CMD_OP_MAD_IFC, 1, 1, in, 128, out, 64, &imm), "Get(PortInfo)");
	in[3] = 2;
	memcpy(in + 64, out + 64, 64);
	put(in + 64 + 16, 2, lid);
	in[64 + 32] &= 0xf0;			/* no change of state */
	in[64 + 33] &= 0x0f;
	in[64 + 34] = (uint8_t)((in[64 + 34] & 0xf8) | lmc);
	WANT(!ohv_cmd(dev, OHCA_CMD_OP_MAD_IFC, 1, 1, in, 128, out, 64, &imm) && !(out[4] & 0x7f), "Set(PortInfo)");
	pass(1000);
	return true;
}

/* A port with four LIDs, and a connection whose path has the third: what comes to another one is not of the connection. */
static bool dlid_rc(void)
{
	struct ohv_sge s = { VA, 8, mr->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = VA, .rkey = 1 };
	uint64_t n = counter(OHCA_COUNTER_RX_PATH);
	bool clean = !odd[0], ok = false;
	struct ohca_cqe e;

	path_bits = 2;
	if (!set_lids(8, 2))
		return false;
	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_write(mr, 0, (uint8_t[64]){ 0 }, 64);
	for (unsigned lid = 8; lid < 12; lid++)
		if (lid != 10)
			TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .ackreq = true, .fill = 0x44, .dlid = lid);
	pass(8000);
	if (nseen || counter(OHCA_COUNTER_RX_PATH) - n != 3)
		fail("requests to other LIDs of the port: %u answers, rx_path counted %llu", nseen, (unsigned long long)(counter(OHCA_COUNTER_RX_PATH) - n));
	else if (memory(0, 64, 0)) {
		TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .ackreq = true, .fill = 0x44, .dlid = 10);
		answers(1, WAIT);
		ok = answer(0, ACK, 0x1000, 0) && memory(0, 64, 0x44);
	}
	if (ok) {
		ohv_post_send(qp, &wr);
		ohv_ring(qp);
		answers(2, WAIT);
		TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001, .dlid = 11);
		pass(4000);
		ok = !ohv_poll(scq, &e) || fail("an ACK to another LID of the port completed the WRITE");
	}
	if (ok) {
		TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001, .dlid = 10);
		ok = status(scq, OHCA_WC_STATUS_SUCCESS);
	}
	path_bits = 0;
	if (clean)
		odd[0] = 0;			/* its packets have SLID 10 */
	return set_lids(LID, 0) && ok;
}

/* All three engines of a QP have the path, and it is changed while they keep the QP's context. */
static bool path_changed(void)
{
	enum { AV = 128, OTHER = PEER_LID + 3 };
	struct ohv_sge s = { VA, 8, mr->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = VA, .rkey = 1 };
	struct ohv_qp_attr a = { .dqpn = PEER_QPN, .av.dlid = OTHER };
	bool clean = !odd[0], ok;
	struct ohca_cqe e;
	uint64_t n;

	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .ackreq = true, .fill = 0x61);
	answers(1, WAIT);
	ohv_post_send(qp, &wr);
	ohv_ring(qp);
	answers(2, WAIT);
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001);
	if (!answer(0, ACK, 0x1000, 0) || !status(scq, OHCA_WC_STATUS_SUCCESS))
		return false;
	WANT(!ohv_modify(qp, OHCA_QP_STATE_SQD, 0, NULL), "not to SQD");
	pass(2000);
	WANT(!ohv_modify(qp, OHCA_QP_STATE_SQD, AV, &a), "no other path in SQD");
	WANT(!ohv_modify(qp, OHCA_QP_STATE_RTS, 0, NULL), "not back to RTS");

	n = counter(OHCA_COUNTER_RX_PATH);
	TX(.op = WRITE_ONLY, .psn = 0x1001, .len = 64, .ackreq = true, .fill = 0x62);
	pass(4000);
	WANT(nseen == 2 && counter(OHCA_COUNTER_RX_PATH) == n + 1 && memory(0, 64, 0x61), "a request on the path of before was taken");
	TX(.op = WRITE_ONLY, .psn = 0x1001, .len = 64, .ackreq = true, .fill = 0x62, .slid = OTHER);
	answers(3, WAIT);
	ok = answer(2, ACK, 0x1001, 0) && memory(0, 64, 0x62) && (seen[2].dlid == OTHER || fail("the ACK goes to LID %u", seen[2].dlid));
	if (ok) {
		ohv_post_send(qp, &wr);
		ohv_ring(qp);
		answers(4, WAIT);
		ok = (nseen == 4 && seen[3].dlid == OTHER) || fail("%u packets, the WRITE goes to LID %u", nseen, seen[3].dlid);
	}
	if (ok) {
		TX(.op = ACK, .psn = 0x2001, .aeth = 0x1f000002);
		pass(4000);
		ok = !ohv_poll(scq, &e) || fail("an ACK on the path of before completed the WRITE");
	}
	if (ok) {
		TX(.op = ACK, .psn = 0x2001, .aeth = 0x1f000002, .slid = OTHER);
		ok = status(scq, OHCA_WC_STATUS_SUCCESS);
	}
	if (clean)
		odd[0] = 0;			/* its packets go to another LID */
	return ok;
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

/* ------------------------------------------------------------------ responder */

static bool psn_gap(void)
{
	struct ohca_cqe e;

	begin(OHCA_QP_TYPE_RC, 4, false);
	receives(4);
	for (unsigned i = 2; i < 5; i++)
		TX(.op = SEND_ONLY, .psn = 0x1000 + i, .len = 8, .ackreq = true);
	answers(1, WAIT);
	pass(4000);
	WANT(nseen == 1, "%u answers to a gap", nseen);
	if (!answer(0, ACK, 0x1000, 0x60))
		return false;
	WANT(!ohv_poll(rcq, &e), "a SEND behind a gap is executed");
	TX(.op = SEND_ONLY, .psn = 0x0fff, .len = 8, .ackreq = true);
	answers(2, WAIT);
	if (!answer(1, ACK, 0x0fff, 0))
		return false;
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	answers(3, WAIT);
	if (!answer(2, ACK, 0x1000, 0))
		return false;
	TX(.op = SEND_ONLY, .psn = 0x1002, .len = 8, .ackreq = true);
	answers(4, WAIT);
	return answer(3, ACK, 0x1001, 0x60) && status(rcq, OHCA_WC_STATUS_SUCCESS);
}

/* Neither key nor address of a request without bytes is looked at. */
static bool zero_length(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .va = 0x5a5a5a5a5a5a5a5aull, .key = mr->key ^ 0x5500, .ackreq = true);
	TX(.op = READ_REQ, .psn = 0x1001, .va = 0x5a5a5a5a5a5a5a5aull, .key = mr->key ^ 0x5500, .ackreq = true);
	answers(2, WAIT);
	return answer(0, ACK, 0x1000, 0) && answer(1, READ_ONLY, 0x1001, 0);
}

/* One packet, or two, that make an invalid request, on a fresh QP each. */
#define BEGUN { .op = WRITE_FIRST, .len = 1024, .dmalen = 4096 }
static const struct invalid {
	const char *what;
	struct pkt k[2];
	unsigned n, rights, max_dest_rd;
	bool begun;			/* its receive tells of it */
} invalids[] = {
	{ "FIRST within a message", { BEGUN, BEGUN }, 2, 3, 4, false },
	{ "MIDDLE without FIRST", { { .op = SEND_MIDDLE, .len = 1024 } }, 1, 3, 4, false },
	{ "LAST of another operation",
	  { { .op = SEND_FIRST, .len = 1024 }, { .op = WRITE_LAST, .len = 8 } }, 2, 3, 4, true },
	{ "READ within a message", { BEGUN, { .op = READ_REQ, .dmalen = 8 } }, 2, 3, 4, false },
	{ "FIRST shorter than the MTU", { { .op = WRITE_FIRST, .len = 512, .dmalen = 4096 } }, 1, 3, 4, false },
	{ "LAST without payload", { { .op = SEND_FIRST, .len = 1024 }, { .op = SEND_LAST } }, 2, 3, 4, true },
	{ "ONLY longer than the MTU", { { .op = SEND_ONLY, .len = 1028 } }, 1, 3, 4, false },
	{ "WRITE of less than its length", { { .op = WRITE_ONLY, .len = 8, .dmalen = 12 } }, 1, 3, 4, false },
	{ "WRITE of more than its length", { { .op = WRITE_ONLY, .len = 8, .dmalen = 4 } }, 1, 3, 4, false },
	{ "WRITE of 2^31 + 1 bytes", { { .op = WRITE_FIRST, .len = 1024, .dmalen = 0x80000001 } }, 1, 3, 4, false },
	{ "READ of 2^31 + 1 bytes", { { .op = READ_REQ, .dmalen = 0x80000001 } }, 1, 3, 4, false },
	{ "WRITE that the QP does not allow", { { .op = WRITE_ONLY, .len = 8 } }, 1, 2, 4, false },
	{ "READ that the QP does not allow", { { .op = READ_REQ, .dmalen = 8 } }, 1, 1, 4, false },
	{ "READ where none was agreed", { { .op = READ_REQ, .dmalen = 8 } }, 1, 3, 0, false },
	{ "compare and swap", { { .op = CMP_SWAP } }, 1, 3, 4, false },
	{ "SEND with invalidate", { { .op = SEND_ONLY_INV, .len = 8 } }, 1, 3, 4, false },
	{ "reserved opcode", { { .op = 0x1f } }, 1, 3, 4, false },
};

static bool one_invalid(const struct invalid *v)
{
	rights = v->rights;
	begin(OHCA_QP_TYPE_RC, v->max_dest_rd, false);
	rights = 3;
	if (v->begun)
		receives(2);
	ohv_write(mr, 0, (uint8_t[8]){ 0 }, 8);
	for (unsigned i = 0; i < v->n; i++) {
		struct pkt k = v->k[i];

		k.psn = 0x1000 + i;
		k.ackreq = i + 1 == v->n;
		k.fill = 0x33;
		put_on_wire(&k);
	}
	answers(1, WAIT);
	if (!answer(0, ACK, 0x1000 + v->n - 1, 0x61))
		return false;
	if (v->begun && (!status(rcq, OHCA_WC_STATUS_REM_INV_REQ) || !status(rcq, OHCA_WC_STATUS_WR_FLUSH)))
		return false;
	pass(2000);
	WANT(v->begun || event(OHCA_EQE_TYPE_QP_REQ_ERR), "no event tells of it");
	return in_error() && (v->n > 1 || memory(0, 8, 0));
}

static bool invalid_requests(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		char said[sizeof(why)];

		if (i > from)
			done();
		if (!one_invalid(&invalids[i])) {
			memcpy(said, why, sizeof(said));
			return fail("%s: %.200s", invalids[i].what, said);
		}
	}
	return true;
}

static bool sequence(void)
{
	return invalid_requests(0, 4);
}

static bool lengths(void)
{
	return invalid_requests(4, 11);
}

static bool not_allowed(void)
{
	return invalid_requests(11, 14);
}

static bool not_supported(void)
{
	return invalid_requests(14, sizeof(invalids) / sizeof(invalids[0]));
}

/* What is no packet of this connection changes nothing; each has a counter. */
static bool not_ours(void)
{
	static const struct { struct pkt k; unsigned counter; const char *what; } bad[] = {
		{ { .op = WRITE_ONLY, .pkey = 0x8001 }, OHCA_COUNTER_RX_PKEY, "another P_Key" },
		{ { .op = WRITE_ONLY, .pkey = 0x7ffe }, OHCA_COUNTER_RX_PKEY, "a limited member of another partition" },
		{ { .op = WRITE_ONLY, .slid = PEER_LID + 1 }, OHCA_COUNTER_RX_PATH, "another SLID" },
		{ { .op = WRITE_ONLY, .grh = 1 }, OHCA_COUNTER_RX_PATH, "a GRH where the path has none" },
		{ { .op = WRITE_ONLY, .dlid = 0xc001 }, OHCA_COUNTER_RX_QPN, "a multicast LID" },
		{ { .op = WRITE_ONLY, .dlid = LID + 4 }, OHCA_COUNTER_RX_DLID, "another DLID" },
		{ { .op = WRITE_ONLY, .tver = 1 }, OHCA_COUNTER_RX_BTH, "transport version 1" },
		{ { .op = WRITE_ONLY, .qpn = 0x7fff00 }, OHCA_COUNTER_RX_QPN, "a QP that does not exist" },
		{ { .op = 0x20 | WRITE_ONLY }, OHCA_COUNTER_RX_OPCODE, "an opcode of unreliable connections" },
		{ { .op = UD_SEND_ONLY }, OHCA_COUNTER_RX_OPCODE, "an opcode of datagrams" },
	};

	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_write(mr, 0, (uint8_t[64]){ 0 }, 64);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pkt k = bad[i].k;
		uint64_t n = counter(bad[i].counter);

		k.psn = 0x1000;
		k.len = 64;
		k.ackreq = true;
		k.fill = 0x66;
		memcpy(k.sgid, peer_gid, 16);
		memcpy(k.dgid, own_gid, 16);
		put_on_wire(&k);
		pass(3000);
		WANT(nseen == 0, "%s is answered", bad[i].what);
		WANT(counter(bad[i].counter) - n == 1, "%s is not counted, or not as what it is", bad[i].what);
	}
	if (!memory(0, 64, 0))
		return false;
	/* Limited here, full there is one partition. */
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 64, .pkey = PKEY & 0x7fff, .ackreq = true, .fill = 0x66);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0) && memory(0, 64, 0x66);
}

static bool send_too_long(void)
{
	struct ohv_sge s = { VA + 0x20000, 16, mr->key };

	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_post_recv(qp, &s, 1);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 64, .ackreq = true);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0x61) && status(rcq, OHCA_WC_STATUS_LOC_LEN) && in_error();
}

static bool receive_bad_key(void)
{
	struct ohv_sge s = { VA + 0x20000, 64, mr->key ^ 0x5500 };

	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_post_recv(qp, &s, 1);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 64, .ackreq = true);
	answers(1, WAIT);
	return answer(0, ACK, 0x1000, 0x63) && status(rcq, OHCA_WC_STATUS_LOC_PROT) && in_error();
}

static bool bounds(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_write(mr, LEN - 8, (uint8_t[8]){ 0 }, 8);
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 8, .va = VA + LEN - 8, .ackreq = true, .fill = 0x44);
	answers(1, WAIT);
	if (!answer(0, ACK, 0x1000, 0) || !memory(LEN - 8, 8, 0x44))
		return false;
	TX(.op = WRITE_ONLY, .psn = 0x1001, .len = 8, .va = VA + LEN - 7, .ackreq = true, .fill = 0x55);
	answers(2, WAIT);
	if (!answer(1, ACK, 0x1001, 0x62) || !memory(LEN - 8, 8, 0x44))
		return false;
	WANT(event(OHCA_EQE_TYPE_QP_ACCESS_ERR), "no event tells of it");
	return in_error();
}

static bool rnr(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	TX(.op = SEND_ONLY, .psn = 0x1001, .len = 8, .ackreq = true);
	answers(1, WAIT);
	pass(4000);
	WANT(nseen == 1, "%u answers where no receive is posted", nseen);
	if (!answer(0, ACK, 0x1000, 0x20 | 1))
		return false;
	receives(2);
	TX(.op = SEND_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	answers(2, WAIT);
	WANT(answer(1, ACK, 0x1000, 0) && seen[1].msn == 1, "%s, MSN %u", why, seen[1].msn);
	return status(rcq, OHCA_WC_STATUS_SUCCESS);
}

/*
 * READs of more QPs than the responder has rings for: what it has accepted is answered whole and in order, the first READ of a QP that finds no place
 * gets one RNR NAK, what is behind it nothing; and when it comes again it is executed. Each QP asks for 16, 1 and 1 packets.
 */
static bool rnr_reads(void)
{
	static const struct { unsigned at, packets; } reads[3] = { { 0, 16 }, { 16, 1 }, { 17, 1 } };
	const unsigned n = read_rings + 2;
	struct ohv_qp *q[80];
	unsigned next[80] = { 0 }, refused[80] = { 0 }, naks = 0, total = 0, before;

	for (unsigned i = 0; i < n; i++) {
		first_psn = (i + 1) << 16;
		begin(OHCA_QP_TYPE_RC, 4, false);
		q[i] = qp;
	}
	first_psn = 0x1000;
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < n; i++)
			TX(.op = READ_REQ, .qpn = q[i]->qpn, .psn = ((i + 1) << 16) + reads[k].at, .dmalen = 1024 * reads[k].packets);
	for (unsigned round = 0; round < 12; round++) {
		unsigned looked_at = total, again = 0;

		do {
			before = nseen;
			pass(6000);
		} while (nseen != before);
		WANT(nseen <= 4096, "too many packets for this test");
		for (; total < nseen; total++) {
			const struct seen *s = &seen[total];
			unsigned i = (s->psn >> 16) - 1, at = s->psn & 0xffff;

			WANT(i < n && at == next[i] && !refused[i], "packet %u: opcode %02x PSN %06x, %06x was to come", total, s->op, s->psn, i < n ? ((i + 1) << 16) + next[i] : 0);
			if (s->op == ACK) {
				WANT(s->synd == (0x20 | 1), "packet %u: syndrome %02x", total, s->synd);
				WANT(at == 0 || at == 16 || at == 17, "an RNR NAK within a READ");
				refused[i] = 1;
				naks++;
				continue;
			}
			WANT(s->op == (at >= 16 ? READ_ONLY : at == 0 ? READ_FIRST : at == 15 ? READ_LAST : READ_FIRST + 1), "packet %u: opcode %02x", total, s->op);
			WANT(s->op == READ_FIRST + 1 || s->msn == (at < 16 ? 1 : at - 14), "packet %u: MSN %u", total, s->msn);
			next[i]++;
		}
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; refused[i] && k < 3; k++)
				if (reads[k].at >= next[i]) {
					TX(.op = READ_REQ, .qpn = q[i]->qpn, .psn = ((i + 1) << 16) + reads[k].at, .dmalen = 1024 * reads[k].packets);
					again++;
				}
		memset(refused, 0, sizeof(refused));
		if (!again)
			break;
		WANT(total != looked_at, "nothing was sent");
	}
	if (verbose)
		printf("#   %u READs of %u QPs were refused\n", naks, n);
	for (unsigned i = 0; i < n; i++)
		WANT(next[i] == 18, "QP %u has %u of 18 packets", i, next[i]);
	WANT(naks >= 4, "%u READs were refused", naks);
	for (unsigned i = 0; i + 1 < n; i++)
		if (ohv_destroy_qp(q[i]))
			ohv_fail("the QP cannot be destroyed");
	return true;
}

static bool msn(void)
{
	static const unsigned want[] = { 0, 1, 2, 2, 3 };

	begin(OHCA_QP_TYPE_RC, 4, false);
	TX(.op = WRITE_FIRST, .psn = 0x1000, .len = 1024, .dmalen = 1032, .ackreq = true);
	answers(1, WAIT);
	TX(.op = WRITE_LAST, .psn = 0x1001, .len = 8, .ackreq = true);
	answers(2, WAIT);
	TX(.op = READ_REQ, .psn = 0x1002, .dmalen = 8, .ackreq = true);
	answers(3, WAIT);
	TX(.op = READ_REQ, .psn = 0x1002, .dmalen = 8, .ackreq = true);
	answers(4, WAIT);
	TX(.op = WRITE_ONLY, .psn = 0x1003, .len = 8, .ackreq = true);
	answers(5, WAIT);
	WANT(nseen == 5, "%u answers", nseen);
	for (unsigned i = 0; i < 5; i++)
		WANT(seen[i].msn == want[i], "answer %u: MSN %u, not %u", i, seen[i].msn, want[i]);
	return true;
}

static bool ud_keys(void)
{
	struct ohca_cqe e;
	uint64_t q = counter(OHCA_COUNTER_RX_QKEY), k = counter(OHCA_COUNTER_RX_PKEY);
	uint64_t o = counter(OHCA_COUNTER_RX_OPCODE);

	begin(OHCA_QP_TYPE_UD, 0, false);
	receives(2);
	TX(.op = UD_SEND_ONLY, .len = 8, .bad_qkey = 1);
	TX(.op = UD_SEND_ONLY, .len = 8, .pkey = 0x8001);
	TX(.op = SEND_ONLY, .len = 8);
	pass(6000);
	WANT(!ohv_poll(rcq, &e), "a datagram with a wrong key arrives");
	WANT(counter(OHCA_COUNTER_RX_QKEY) == q + 1 && counter(OHCA_COUNTER_RX_PKEY) == k + 1 &&
	     counter(OHCA_COUNTER_RX_OPCODE) == o + 1, "not counted by cause");
	TX(.op = UD_SEND_ONLY, .len = 8);
	return status(rcq, OHCA_WC_STATUS_SUCCESS);
}

/* 40 bytes before the payload, the GRH if there is one; a datagram that does not fit is lost, its receive is not. */
static bool ud_receive(void)
{
	struct pkt k = { .op = UD_SEND_ONLY, .len = 64, .grh = 1, .fill = 0x29 };
	struct ohv_sge s = { VA + 0x1000, 104, mr->key };
	uint8_t grh[40], zero[104] = { 0 };
	struct ohca_cqe e;
	uint64_t n = counter(OHCA_COUNTER_RX_UD_DROP);

	begin(OHCA_QP_TYPE_UD, 0, false);
	ohv_write(mr, 0x1000, zero, sizeof(zero));
	ohv_post_recv(qp, &s, 1);
	TX(.op = UD_SEND_ONLY, .len = 65, .fill = 0x2a);
	pass(6000);
	WANT(!ohv_poll(rcq, &e), "a datagram that does not fit completes");
	WANT(counter(OHCA_COUNTER_RX_UD_DROP) == n + 1, "it is not counted");
	if (!memory(0x1000, 104, 0))
		return false;
	memcpy(k.sgid, peer_gid, 16);
	memcpy(k.dgid, own_gid, 16);
	put_on_wire(&k);
	WANT(ohv_wait(rcq, &e, WAIT), "no completion");
	WANT(OHCA_GET(OHCA_CQE_STATUS, &e) == OHCA_WC_STATUS_SUCCESS && OHCA_GET(OHCA_CQE_BYTE_LEN, &e) == 104 &&
	     OHCA_GET(OHCA_CQE_GRH, &e) && OHCA_GET(OHCA_CQE_SRC_QP, &e) == 0x77 &&
	     OHCA_GET(OHCA_CQE_SLID, &e) == PEER_LID,
	     "the completion says something else");
	ohv_read(mr, 0x1000, grh, sizeof(grh));
	WANT(grh[0] == 0x60 && grh[6] == 0x1b && !memcmp(grh + 8, peer_gid, 16) && !memcmp(grh + 24, own_gid, 16),
	     "the GRH is not before the payload");
	return memory(0x1028, 64, 0x29);
}

/* ------------------------------------------------------------------ requester */

static struct ohv_sge some = { VA, 8, 0 };

static void post(unsigned op, unsigned len)
{
	struct ohv_wr wr = { .op = op, .signaled = true, .solicited = true, .sge = &some, .nsge = 1, .raddr = VA,
			     .rkey = 1, .imm = 1 };

	some.key = mr->key;
	some.len = len;
	ohv_post_send(qp, &wr);
}

static bool requests(unsigned n)
{
	WANT(answers(n, WAIT), "%u packets, not %u, were sent", nseen, n);
	return true;
}

static bool idle_cq(const char *what)
{
	struct ohca_cqe e;

	pass(4000);
	WANT(!ohv_poll(scq, &e), "%s completes something", what);
	return true;
}

static bool strange_acks(void)
{
	static const uint8_t reserved[] = { 0x64, 0x65, 0x7f, 0x40, 0x5f, 0x80 };
	uint64_t n = counter(OHCA_COUNTER_RX_RESP_BAD);

	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	ohv_ring(qp);
	if (!requests(1))
		return false;
	for (unsigned i = 0; i < sizeof(reserved); i++)
		TX(.op = ACK, .psn = 0x2000, .aeth = (uint32_t)reserved[i] << 24 | 1);
	if (!idle_cq("a reserved syndrome"))
		return false;
	TX(.op = ACK, .psn = 0x2001, .aeth = 0x1f000001);
	TX(.op = ACK, .psn = 0x2001, .aeth = 0x62000001);
	if (!idle_cq("an answer to what was not sent"))
		return false;
	n = counter(OHCA_COUNTER_RX_RESP_BAD) - n;
	WANT(n == sizeof(reserved) + 2, "rx_resp_bad counted %u", (unsigned)n);
	TX(.op = ACK, .psn = 0x1fff, .aeth = 0x1f000000);
	TX(.op = ACK, .psn = 0x1fff, .aeth = 0x62000000);
	if (!idle_cq("an answer from before"))
		return false;
	WANT(nseen == 1, "something was sent again");
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

static bool naks(void)
{
	static const unsigned want[] = { OHCA_WC_STATUS_REM_INV_REQ, OHCA_WC_STATUS_REM_ACCESS, OHCA_WC_STATUS_REM_OP };

	for (unsigned i = 0; i < 3; i++) {
		if (i)
			done();
		begin(OHCA_QP_TYPE_RC, 4, false);
		for (unsigned k = 0; k < 3; k++)
			post(OHCA_WR_OP_RDMA_WRITE, 8);
		ohv_ring(qp);
		if (!requests(3))
			return false;
		TX(.op = ACK, .psn = 0x2001, .aeth = (0x61 + i) << 24 | 1);
		if (!status(scq, OHCA_WC_STATUS_SUCCESS) || !status(scq, want[i]) ||
		    !status(scq, OHCA_WC_STATUS_WR_FLUSH) || !in_error())
			return false;
	}
	return true;
}

static bool nak_sequence(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	for (unsigned k = 0; k < 3; k++)
		post(OHCA_WR_OP_RDMA_WRITE, 8);
	ohv_ring(qp);
	if (!requests(3))
		return false;
	TX(.op = ACK, .psn = 0x2001, .aeth = 0x60000001);
	if (!status(scq, OHCA_WC_STATUS_SUCCESS) || !requests(5))
		return false;
	if (!answer(3, WRITE_ONLY, 0x2001, 0) || !answer(4, WRITE_ONLY, 0x2002, 0))
		return false;
	WANT(seen[3].ackreq, "the first packet that is sent again asks for no answer");
	TX(.op = ACK, .psn = 0x2002, .aeth = 0x1f000003);
	return status(scq, OHCA_WC_STATUS_SUCCESS) && status(scq, OHCA_WC_STATUS_SUCCESS);
}

/* An answer from behind a READ says that its responses are lost: it is asked for again, and does not complete. */
static bool implied_nak(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	ohv_write(mr, 0, (uint8_t[8]){ 0 }, 8);
	post(OHCA_WR_OP_RDMA_READ, 8);
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	ohv_ring(qp);
	if (!requests(2))
		return false;
	TX(.op = ACK, .psn = 0x2001, .aeth = 0x1f000002);
	if (!requests(3) || !idle_cq("an ACK from behind a READ") || !answer(2, READ_REQ, 0x2000, 0))
		return false;
	TX(.op = READ_ONLY, .psn = 0x2000, .len = 8, .aeth = 0x1f000002, .fill = 0x7e);
	if (!status(scq, OHCA_WC_STATUS_SUCCESS) || !memory(0, 8, 0x7e))
		return false;
	TX(.op = ACK, .psn = 0x2001, .aeth = 0x1f000002);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

static bool response_acknowledges(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	post(OHCA_WR_OP_RDMA_READ, 8);
	ohv_ring(qp);
	if (!requests(2))
		return false;
	TX(.op = READ_ONLY, .psn = 0x2001, .len = 8, .aeth = 0x1f000002);
	return status(scq, OHCA_WC_STATUS_SUCCESS) && status(scq, OHCA_WC_STATUS_SUCCESS);
}

/* What is missing of a READ is asked for, from the first response that did not come. */
static bool response_gap(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_READ, 3000);
	ohv_ring(qp);
	if (!requests(1))
		return false;
	TX(.op = READ_FIRST, .psn = 0x2000, .len = 1024, .aeth = 0x1f000001, .fill = 1);
	TX(.op = READ_LAST, .psn = 0x2002, .len = 952, .aeth = 0x1f000001, .fill = 3);
	if (!requests(2) || !idle_cq("a READ with a gap") || !answer(1, READ_REQ, 0x2001, 0))
		return false;
	WANT(seen[1].dmalen == 3000 - 1024, "%u bytes are asked for again", seen[1].dmalen);
	TX(.op = READ_FIRST, .psn = 0x2001, .len = 1024, .aeth = 0x1f000001, .fill = 2);
	TX(.op = READ_LAST, .psn = 0x2002, .len = 952, .aeth = 0x1f000001, .fill = 3);
	return status(scq, OHCA_WC_STATUS_SUCCESS) && memory(1023, 1, 1) && memory(1024, 256, 2) && memory(2047, 1, 2) &&
	       memory(2048, 256, 3);
}

static bool bad_responses(void)
{
	static const struct { struct pkt k; unsigned status; } bad[] = {
		{ { .op = READ_ONLY, .len = 4, .aeth = 0x1f000001 }, OHCA_WC_STATUS_LOC_LEN },
		{ { .op = READ_FIRST, .len = 1024, .aeth = 0x1f000001 }, OHCA_WC_STATUS_BAD_RESP },
		{ { .op = READ_ONLY, .len = 8, .aeth = 0x60000001 }, OHCA_WC_STATUS_BAD_RESP },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pkt k = bad[i].k;

		if (i)
			done();
		begin(OHCA_QP_TYPE_RC, 4, false);
		post(OHCA_WR_OP_RDMA_READ, 8);
		ohv_ring(qp);
		if (!requests(1))
			return false;
		k.psn = 0x2000;
		put_on_wire(&k);
		if (!status(scq, bad[i].status) || !in_error())
			return false;
	}
	return true;
}

static bool rnr_wait(void)
{
	const uint64_t wait = 60ull * fab->cfg.clock_mhz;	/* code 5: 60 us */
	uint64_t gone;

	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_SEND, 8);
	ohv_ring(qp);
	if (!requests(1))
		return false;
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x25000000);
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x25000000);		/* a second one while waiting is nothing new */
	WANT(answers(2, 4 * wait), "the SEND is not sent again");
	if (!answer(1, SEND_ONLY, 0x2000, 0))
		return false;
	gone = seen[1].at - seen[0].at;
	WANT(gone >= wait, "sent again after %llu cycles of %llu", (unsigned long long)gone, (unsigned long long)wait);
	WANT(seen[1].ackreq, "what is sent again asks for no answer");
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

/* An answer is asked for by the last packet, and by one of 16 at least; the solicited event by the last one only. */
static bool ack_request(void)
{
	unsigned since = 0;

	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE_IMM, 40 * 1024 + 8);
	ohv_ring(qp);
	if (!requests(41))
		return false;
	for (unsigned i = 0; i < 41; i++) {
		WANT(seen[i].psn == 0x2000 + i, "packet %u has PSN %06x", i, seen[i].psn);
		WANT(seen[i].se == (i == 40), "packet %u: solicited event %d", i, seen[i].se);
		since = seen[i].ackreq ? 0 : since + 1;
		WANT(since < 16, "%u packets in a row ask for no answer", since);
	}
	WANT(seen[0].dmalen == 40 * 1024 + 8, "the RETH says %u", seen[0].dmalen);
	WANT(seen[40].op == WRITE_LAST_IMM && seen[40].ackreq, "the last packet asks for no answer");
	TX(.op = ACK, .psn = 0x2028, .aeth = 0x1f000001);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

/* Without credits one SEND at a time goes, and asks; what takes no receive needs none. */
static bool no_credits(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	ohv_ring(qp);
	if (!requests(1))
		return false;
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x00000001);
	if (!status(scq, OHCA_WC_STATUS_SUCCESS))
		return false;
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	for (unsigned i = 0; i < 3; i++)
		post(OHCA_WR_OP_SEND, 8);
	ohv_ring(qp);
	if (!requests(2))
		return false;
	pass(4000);
	/* The WRITE needs none. A SEND may only go alone, so it waits for the WRITE's answer. */
	WANT(nseen == 2 && seen[1].op == WRITE_ONLY, "%u packets were sent without credits", nseen);
	for (unsigned i = 0; i < 3; i++) {
		TX(.op = ACK, .psn = 0x2001 + i, .aeth = 0x00000002 + i);
		if (!status(scq, OHCA_WC_STATUS_SUCCESS) || !requests(3 + i))
			return false;
		pass(4000);
		WANT(nseen == 3 + i && seen[2 + i].op == SEND_ONLY && seen[2 + i].ackreq,
		     "%u packets were sent without credits", nseen);
	}
	TX(.op = ACK, .psn = 0x2004, .aeth = 0x00000005);
	return status(scq, OHCA_WC_STATUS_SUCCESS);
}

/* The newest answer that comes again, as it does for a request that came again, has what the responder can take by now. */
static bool repeated_credits(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	ohv_ring(qp);
	if (!requests(1))
		return false;
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x00000001);
	if (!status(scq, OHCA_WC_STATUS_SUCCESS))
		return false;
	post(OHCA_WR_OP_RDMA_WRITE, 8);
	for (unsigned i = 0; i < 4; i++)
		post(OHCA_WR_OP_SEND, 8);
	ohv_ring(qp);
	if (!requests(2))
		return false;
	pass(4000);
	WANT(nseen == 2, "%u packets were sent without credits", nseen);
	TX(.op = ACK, .psn = 0x1fff, .aeth = 0x04000001);	/* an older one says nothing */
	pass(4000);
	WANT(nseen == 2, "%u packets were sent by the credits of an old answer", nseen);
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x03000001);	/* three messages beyond the first: a WRITE and two SENDs */
	if (!requests(4))
		return false;
	pass(4000);
	WANT(nseen == 4 && seen[3].op == SEND_ONLY, "%u packets were sent with three credits", nseen);
	TX(.op = ACK, .psn = 0x2000, .aeth = 0x1f000001);	/* no limit */
	if (!requests(6))
		return false;
	TX(.op = ACK, .psn = 0x2005, .aeth = 0x00000006);
	for (unsigned i = 0; i < 5; i++)
		if (!status(scq, OHCA_WC_STATUS_SUCCESS))
			return false;
	return true;
}

/* Of all packets that this run has seen. */
static bool headers(void)
{
	begin(OHCA_QP_TYPE_RC, 4, false);
	post(OHCA_WR_OP_RDMA_WRITE, 5);
	post(OHCA_WR_OP_RDMA_READ, 8);
	ohv_ring(qp);
	if (!requests(2))
		return false;
	TX(.op = WRITE_ONLY, .psn = 0x1000, .len = 8, .ackreq = true);
	if (!requests(3))
		return false;
	WANT(seen[0].pad == 3 && !seen[1].pad, "pad counts %u and %u", seen[0].pad, seen[1].pad);
	WANT(!odd[0], "%s", odd);
	return true;
}

static bool ud_send(void)
{
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &some, .nsge = 1, .av.dlid = PEER_LID,
			     .dqpn = PEER_QPN };

	begin(OHCA_QP_TYPE_UD, 0, false);
	some.key = mr->key;
	some.len = 8;
	wr.qkey = 0x12345678;
	ohv_post_send(qp, &wr);
	wr.qkey = 0x80000001;
	ohv_post_send(qp, &wr);
	/* Longer than the port's MTU: no packet, and no error. */
	some.len = 4100;
	ohv_post_send(qp, &wr);
	some.len = 8;
	ohv_post_send(qp, &wr);
	ohv_ring(qp);
	if (!requests(3))
		return false;
	pass(4000);
	WANT(nseen == 3, "a datagram longer than the MTU is sent");
	for (unsigned i = 0; i < 4; i++)
		if (!status(scq, OHCA_WC_STATUS_SUCCESS))
			return false;
	WANT(seen[0].qkey == 0x12345678 && seen[1].qkey == QKEY, "Q_Keys %08x and %08x were sent", seen[0].qkey,
	     seen[1].qkey);
	return true;
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
	{ "duplicate-of-no-read", "9.7.5.1: ... and a READ where none was executed is no duplicate", duplicate_of_no_read },
	{ "reads-beyond", "9.7.4.1: more READs than agreed are an Invalid Request", too_many_reads },
	{ "reads-agreed", "9.7.4.1: ... as many as agreed are answered, duplicates besides", enough_reads },
	{ "nak-behind-reads", "9.7.5: a NAK finds room behind any number of answers", nak_behind_reads },
	{ "dgid-rc", "9.6.1: a request to another GID than the path's is dropped", dgid_rc },
	{ "dgid-response", "9.6.1: ... and a response", dgid_response },
	{ "dlid-rc", "9.6.1: requests and responses to another LID of the port than the path's are dropped", dlid_rc },
	{ "path-changed", "10.3.1: in SQD the path is another one; what is sent, and what requests and responses are checked for, goes by it",
	  path_changed },
	{ "dgid-ud", "9.6.1: ... and a datagram to a GID that the port does not have", dgid_ud },
	{ "not-ours", "9.6.1: what is not of the connection is dropped without a word, counted by cause", not_ours },
	{ "psn-gap", "chapter 9: one NAK for a gap; duplicates are acknowledged all the same", psn_gap },
	{ "zero-length", "C9-88: keys and addresses of requests without bytes are not looked at", zero_length },
	{ "sequence", "9.7.4.1: packets of a message in another order are an Invalid Request", sequence },
	{ "lengths", "9.7.4.1, C9-94: ... and lengths that do not fit MTU, RETH, or 2^31", lengths },
	{ "not-allowed", "9.7.4.1: ... and operations that the QP does not allow", not_allowed },
	{ "not-supported", "9.7.4.1: ... and operations that this adapter does not have", not_supported },
	{ "send-too-long", "9.9.3: a SEND longer than its receive is an Invalid Request, and its Local Length Error",
	  send_too_long },
	{ "receive-key", "9.9.3: a receive's bad L_Key is a Remote Operational Error, and its Protection Error",
	  receive_bad_key },
	{ "bounds", "9.9.3: a WRITE that ends a byte behind its region is a Remote Access Error, and writes nothing",
	  bounds },
	{ "rnr", "chapter 9: without a receive one RNR NAK with the QP's timer code; what comes again is executed",
	  rnr },
	{ "rnr-reads", "9.7.5.2.8: a READ that finds no place gets one RNR NAK; what was accepted is answered, what comes again executed", rnr_reads },
	{ "msn", "C9-148: the MSN counts messages that are complete, a READ when it is accepted, no duplicates", msn },
	{ "ud-keys", "9.6.1: a datagram with a wrong Q_Key, P_Key or opcode is dropped", ud_keys },
	{ "ud-receive", "chapter 11: 40 bytes for a datagram's GRH; one that does not fit takes no receive",
	  ud_receive },
	{ "strange-acks", "chapter 9: reserved syndromes and answers to what is not outstanding are ignored",
	  strange_acks },
	{ "naks", "chapter 9: a NAK acknowledges what is before it, fails its request, and flushes what is behind",
	  naks },
	{ "nak-sequence", "chapter 9: ... a sequence NAK has it sent again from there", nak_sequence },
	{ "implied-nak", "chapter 9: an ACK from behind a READ has the READ asked for again", implied_nak },
	{ "response-acknowledges", "chapter 9: a READ's response acknowledges what was sent before",
	  response_acknowledges },
	{ "response-gap", "chapter 9: what is missing of a READ is asked for from there", response_gap },
	{ "bad-responses", "chapter 9: responses of a wrong length, opcode or syndrome fail the READ", bad_responses },
	{ "rnr-wait", "chapter 9: after an RNR NAK nothing is sent for as long as its code says", rnr_wait },
	{ "ack-request", "chapter 9: the last packet of a message asks for an answer, and it alone for an event",
	  ack_request },
	{ "no-credits", "9.7.7.2: without credits one SEND at a time, WRITEs as before", no_credits },
	{ "repeated-credits", "9.7.7.2: the newest answer's credits count when it comes again, an older one's do not",
	  repeated_credits },
	{ "ud-send", "C10-93.1.1: too long a datagram is neither sent nor an error; Q_Keys from 2^31 are the QP's own",
	  ud_send },
	{ "headers", "chapter 9: of all that was sent: LIDs, P_Key, MigReq 1, version 0, pad count, what is reserved", headers },
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
		default:
			fprintf(stderr, "usage: rules [-w WIDTH] [-f FIRMWARE.hex] [-p PCAP] [-v] [CASE...]; cases:");
			for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
				fprintf(stderr, " %s", cases[i].name);
			fprintf(stderr, "\n");
			return 2;
		}
	for (int n = optind; n < argc; n++) {
		size_t i;

		for (i = 0; i < sizeof(cases) / sizeof(cases[0]) && strcmp(argv[n], cases[i].name); i++)
			;
		if (i == sizeof(cases) / sizeof(cases[0])) {
			fprintf(stderr, "rules: no case %s\n", argv[n]);
			return 2;
		}
	}
	read_rings = width > 64 ? 64 : 32;
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
		bool on = optind == argc;

		for (int n = optind; n < argc; n++)
			on = on || !strcmp(argv[n], cases[i].name);
		/* Above 64 bits twice as many QPs for the same, at a fraction of the speed. */
		if (!on || (optind == argc && width > 64 && cases[i].run == rnr_reads))
			continue;
		why[0] = 0;
		if (cases[i].run()) {
			printf("ok rules-%s - %s\n", cases[i].name, cases[i].clause);
		} else {
			printf("not ok rules-%s - %s (%s)\n", cases[i].name, why, cases[i].clause);
			bad = 1;
		}
		fflush(stdout);
		done();
	}
	if (fab->node[0].model->failures || fab->node[1].model->failures) {
		printf("not ok rules - an assertion of the RTL failed\n");
		bad = 1;
	}
	if (cfg.pcap)
		pcapng_close(cfg.pcap);
	return bad;
}
