// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The whole adapter, twice, with a cable between (--switch: a switch, which learns stations by their frames): each operation once, slowly,
 * so that a failure is easy to read.
 *
 *   basic [-w WIDTH] [-t TRACE.fst] [-p PCAP] [-f FIRMWARE.hex] [-s SEED] [--roce [--switch]] [CASE…]
 *
 * Prints one line per case: "ok NAME" or "not ok NAME - reason".
 */
#include "events.h"
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ohv.h"

#define MR_VA 0x7f1234567000ull
#define MR_LEN 0x40000u
#define WAIT 400000ull

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *mr[2];
static struct ohv_cq *scq[2], *rcq[2];
static struct ohv_qp *rc[2], *ud[2];
static char why[256];

static bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}

static void pattern(uint8_t *p, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(seed >> 24);
	}
}

static bool expect(struct ohv_cq *c, const char *who, unsigned status, unsigned op, uint32_t idx, struct ohca_cqe *out)
{
	if (!ohv_wait(c, out, WAIT))
		return fail("%s: no completion", who);
	if (OHCA_GET(OHCA_CQE_STATUS, out) != status)
		return fail("%s: status %u vendor %u, expected %u", who, (unsigned)OHCA_GET(OHCA_CQE_STATUS, out),
			    (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, out), status);
	if (OHCA_GET(OHCA_CQE_WQE_IDX, out) != (idx & 0xffff))
		return fail("%s: WQE %u, expected %u", who, (unsigned)OHCA_GET(OHCA_CQE_WQE_IDX, out), idx);
	if (status == 0 && OHCA_GET(OHCA_CQE_OPCODE, out) != op)
		return fail("%s: opcode %u, expected %u", who, (unsigned)OHCA_GET(OHCA_CQE_OPCODE, out), op);
	return true;
}

static bool same(struct ohv_mr *m, uint64_t off, const uint8_t *want, size_t n)
{
	static uint8_t got[MR_LEN];

	ohv_settle(fab);
	ohv_read(m, off, got, n);
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			return fail("byte %zu of %zu at offset %#llx is %02x, expected %02x", i, n, (unsigned long long)off, got[i], want[i]);
	return true;
}

static void connect_rc(unsigned mtu)
{
	for (int i = 0; i < 2; i++)
		rc[i] = ohv_create_qp(dev[i], OHCA_QP_TYPE_RC, scq[i], rcq[i], 6, 6, 6);
	for (int i = 0; i < 2; i++) {
		struct ohv_qp_attr a = {
			.dqpn = rc[!i]->qpn, .sq_psn = i ? 0xfffff0 : 0x123, .rq_psn = i ? 0x123 : 0xfffff0, .mtu = mtu, .timeout = 10,
			.retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4, .access = 3, .av.dlid = dev[!i]->lid,
		};
		int st = ohv_connect(rc[i], &a);

		if (st)
			ohv_fail("connect: status %d", st);
	}
}

static bool do_write(uint32_t len, uint32_t soff, uint32_t doff, bool inl)
{
	static uint8_t buf[MR_LEN];
	struct ohv_sge s = { MR_VA + soff, len, mr[0]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = len ? 1 : 0, .raddr = MR_VA + doff,
			     .rkey = mr[1]->key, .inl = inl, .data = buf, .len = len };
	struct ohca_cqe e;
	uint32_t idx = rc[0]->sq_pi;

	pattern(buf, len, len + soff);
	ohv_write(mr[0], soff, buf, len);
	ohv_post_send(rc[0], &wr);
	ohv_ring(rc[0]);
	return expect(scq[0], "WRITE", 0, OHCA_WR_OP_RDMA_WRITE, idx, &e) && same(mr[1], doff, buf, len);
}

static bool t_write8(void)
{
	return do_write(8, 0x100, 0x200, false);
}

static bool t_write_inline(void)
{
	return do_write(1, 0, 0x11, true) && do_write(8, 0, 0x203, true) && do_write(32, 0, 0x400, true) && do_write(192, 0, 0x777, true);
}

static bool t_write_sizes(void)
{
	static const uint32_t n[] = { 1, 2, 3, 4, 63, 64, 65, 255, 256, 257, 1024, 4096, 4097, 8192, 65536, 100001 };

	for (unsigned i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		if (!do_write(n[i], 0x1003 + 7 * i, 0x2001 + 13 * i, false)) {
			char t[200];

			memcpy(t, why, 199);
			t[199] = 0;
			return fail("%u bytes: %s", n[i], t);
		}
	return true;
}

static bool t_write_zero(void)
{
	return do_write(0, 0, 0, false);
}

static bool t_read(void)
{
	static const uint32_t n[] = { 8, 1, 64, 1000, 1024, 5000, 70000 };
	static uint8_t buf[MR_LEN];

	for (unsigned i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		uint32_t soff = 0x3001 + i, doff = 0x5003 + 3 * i, idx = rc[0]->sq_pi;
		struct ohv_sge s[2] = { { MR_VA + doff, n[i] / 2, mr[0]->key }, { MR_VA + doff + n[i] / 2, n[i] - n[i] / 2, mr[0]->key } };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_READ, .signaled = true, .sge = n[i] > 1 ? s : s + 1, .nsge = n[i] > 1 ? 2 : 1,
				     .raddr = MR_VA + soff, .rkey = mr[1]->key };
		struct ohca_cqe e;

		pattern(buf, n[i], n[i]);
		ohv_write(mr[1], soff, buf, n[i]);
		ohv_post_send(rc[0], &wr);
		ohv_ring(rc[0]);
		if (!expect(scq[0], "READ", 0, OHCA_WR_OP_RDMA_READ, idx, &e) || !same(mr[0], doff, buf, n[i]))
			return false;
	}
	return true;
}

static bool do_send(uint32_t len, bool imm)
{
	static uint8_t buf[MR_LEN];
	struct ohv_sge s = { MR_VA + 0x801, len, mr[0]->key };
	struct ohv_sge r[2] = { { MR_VA + 0x9005, 100, mr[1]->key }, { MR_VA + 0xa007, 0x10000, mr[1]->key } };
	struct ohv_wr wr = { .op = imm ? OHCA_WR_OP_SEND_IMM : OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = len ? 1 : 0,
			     .imm = 0x44332211 };
	uint32_t sidx = rc[0]->sq_pi, ridx = rc[1]->rq_pi, first = len < 100 ? len : 100;
	struct ohca_cqe e;

	pattern(buf, len, len);
	ohv_write(mr[0], 0x801, buf, len);
	ohv_post_recv(rc[1], r, 2);
	ohv_post_send(rc[0], &wr);
	ohv_ring(rc[0]);
	if (!expect(rcq[1], "receive", 0, imm ? OHCA_WC_OP_RECV_IMM : OHCA_WC_OP_RECV, ridx, &e))
		return false;
	if (OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != len || (imm && OHCA_GET(OHCA_CQE_IMM, &e) != 0x44332211))
		return fail("receive: %u bytes, immediate %#x", (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, &e),
			    (unsigned)OHCA_GET(OHCA_CQE_IMM, &e));
	return expect(scq[0], "SEND", 0, wr.op, sidx, &e) && same(mr[1], 0x9005, buf, first) &&
	       same(mr[1], 0xa007, buf + first, len - first);
}

static bool t_send(void)
{
	return do_send(10, false) && do_send(0, false) && do_send(100, true) && do_send(3000, false) && do_send(9999, true);
}

static bool t_write_imm(void)
{
	struct ohv_sge s = { MR_VA, 2000, mr[0]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE_IMM, .signaled = true, .sge = &s, .nsge = 1, .imm = 0x01020304, .raddr = MR_VA + 0x100,
			     .rkey = mr[1]->key };
	static uint8_t buf[2000];
	uint32_t sidx = rc[0]->sq_pi, ridx = rc[1]->rq_pi;
	struct ohca_cqe e;

	pattern(buf, 2000, 5);
	ohv_write(mr[0], 0, buf, 2000);
	ohv_post_recv(rc[1], NULL, 0);
	ohv_post_send(rc[0], &wr);
	ohv_ring(rc[0]);
	return expect(rcq[1], "receive", 0, OHCA_WC_OP_RECV_RDMA_IMM, ridx, &e) &&
	       (OHCA_GET(OHCA_CQE_IMM, &e) == 0x01020304 || fail("immediate")) &&
	       expect(scq[0], "WRITE_IMM", 0, OHCA_WR_OP_RDMA_WRITE_IMM, sidx, &e) && same(mr[1], 0x100, buf, 2000);
}

static bool t_many(void)
{
	static uint8_t buf[64 * 48];
	struct ohca_cqe e;
	uint32_t idx = 0;

	pattern(buf, sizeof(buf), 77);
	ohv_write(mr[0], 0, buf, sizeof(buf));
	for (unsigned i = 0; i < 48; i++) {
		struct ohv_sge s = { MR_VA + 64 * i, 64, mr[0]->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = i == 47, .sge = &s, .nsge = 1, .raddr = MR_VA + 0x10000 + 64 * i,
				     .rkey = mr[1]->key };

		idx = rc[0]->sq_pi;
		ohv_post_send(rc[0], &wr);
	}
	ohv_ring(rc[0]);
	return expect(scq[0], "48 WRITEs", 0, OHCA_WR_OP_RDMA_WRITE, idx, &e) && same(mr[1], 0x10000, buf, sizeof(buf));
}

static bool t_rnr(void)
{
	static uint8_t buf[50];
	struct ohv_sge s = { MR_VA, 50, mr[0]->key }, r = { MR_VA + 0x500, 64, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1 };
	uint32_t sidx = rc[0]->sq_pi, ridx = rc[1]->rq_pi;
	struct ohca_cqe e;

	pattern(buf, 50, 99);
	ohv_write(mr[0], 0, buf, 50);
	ohv_post_send(rc[0], &wr);
	ohv_ring(rc[0]);
	fabric_run(fab, 20000, NULL, NULL);
	if (ohv_poll(scq[0], &e))
		return fail("completed without a receive WQE");
	ohv_post_recv(rc[1], &r, 1);
	return expect(rcq[1], "receive", 0, OHCA_WC_OP_RECV, ridx, &e) && expect(scq[0], "SEND", 0, OHCA_WR_OP_SEND, sidx, &e) &&
	       same(mr[1], 0x500, buf, 50);
}

static uint32_t counter(unsigned node, unsigned n)
{
	return fabric_read32(fab, node, OHCA_REG_COUNTERS + 8 * n);
}

/* n SENDs in a queue that is always full, for a host with `depth` receives that posts each anew `late` cycles after its completion: cycles. */
static uint64_t sends(unsigned n, unsigned depth, unsigned late)
{
	struct ohv_sge s = { MR_VA, 64, mr[0]->key }, r = { MR_VA + 0x500, 64, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1 };
	uint64_t begin = fab->cycle, due[64];
	unsigned posted = 0, sent = 0, came = 0, again = 0;
	struct ohca_cqe e;

	for (unsigned i = 0; i < depth; i++)
		ohv_post_recv(rc[1], &r, 1);
	while (came < n || sent < n) {
		unsigned before = posted;

		for (; posted < n && posted - sent < 64; posted++)
			ohv_post_send(rc[0], &wr);
		if (posted != before)
			ohv_ring(rc[0]);
		fabric_run(fab, 50, NULL, NULL);
		while (ohv_poll(rcq[1], &e)) {
			if (OHCA_GET(OHCA_CQE_STATUS, &e))
				return 0;
			due[came++ % 64] = fab->cycle + late;
		}
		while (ohv_poll(scq[0], &e)) {
			if (OHCA_GET(OHCA_CQE_STATUS, &e))
				return 0;
			sent++;
		}
		for (; again < came && again + depth < n && due[again % 64] <= fab->cycle; again++)
			ohv_post_recv(rc[1], &r, 1);
		if (fab->cycle - begin > 100 * WAIT)
			return 0;
	}
	return fab->cycle - begin;
}

/* End-to-end credits: a sender with more to send than there are receives waits for them, and is not refused. */
static bool t_credits(void)
{
	static const struct { unsigned n, depth, late; } how[] = { { 150, 16, 0 }, { 150, 64, 0 }, { 60, 16, 3000 }, { 40, 2, 0 }, { 20, 1, 200 } };
	struct ohv_sge s = { MR_VA, 64, mr[0]->key }, r = { MR_VA + 0x500, 64, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1 };
	uint32_t rnr, pkts;
	struct ohca_cqe e;

	for (unsigned i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		uint64_t cycles;

		rnr = counter(1, OHCA_COUNTER_RX_RNR);
		cycles = sends(how[i].n, how[i].depth, how[i].late);
		rnr = counter(1, OHCA_COUNTER_RX_RNR) - rnr;
		if (!cycles)
			return fail("%u receives, posted after %u cycles: no end", how[i].depth, how[i].late);
		printf("# %u SENDs, %u receives, posted again after %u cycles: %llu cycles, %u RNR NAKs\n", how[i].n, how[i].depth, how[i].late,
		       (unsigned long long)cycles, rnr);
		/* Before anything is in a cache the one that asks may find none, as the completions of those before it are not written yet. */
		if ((i == 0 && rnr > 1) || (i == 1 && rnr))
			return fail("%u RNR NAKs, though %u receives were posted in time", rnr, how[i].depth);
	}
	/* 12 receives: not more than 13 of 40 messages leave, the last to ask. */
	for (unsigned i = 0; i < 12; i++)
		ohv_post_recv(rc[1], &r, 1);
	rnr = counter(1, OHCA_COUNTER_RX_RNR);
	pkts = counter(0, OHCA_COUNTER_TX_PKTS);
	for (unsigned i = 0; i < 40; i++)
		ohv_post_send(rc[0], &wr);
	ohv_ring(rc[0]);
	for (unsigned i = 0; i < 5000 && counter(1, OHCA_COUNTER_RX_RNR) == rnr; i++)
		fabric_run(fab, 20, NULL, NULL);
	pkts = counter(0, OHCA_COUNTER_TX_PKTS) - pkts;
	if (counter(1, OHCA_COUNTER_RX_RNR) == rnr)
		return fail("nobody asked for receives");
	if (pkts > 13)
		return fail("%u packets for 12 receives", pkts);
	for (unsigned i = 12; i < 40; i++)
		ohv_post_recv(rc[1], &r, 1);
	for (unsigned i = 0; i < 40; i++)
		if (!ohv_wait(rcq[1], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e) || !ohv_wait(scq[0], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
			return fail("SEND %u of 40", i);
	return true;
}

static bool t_ud(void)
{
	static uint8_t buf[1024], grh[40];
	struct ohv_sge s = { MR_VA + 1, 1000, mr[0]->key }, r = { MR_VA + 0x20003, 2000, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND_IMM, .signaled = true, .sge = &s, .nsge = 1, .imm = 7, .qkey = 0x1234, .av.dlid = dev[1]->lid };
	struct ohca_cqe e;

	for (int i = 0; i < 2; i++) {
		struct ohv_qp_attr a = { .qkey = 0x1234, .sq_psn = 5 };
		int st;

		ud[i] = ohv_create_qp(dev[i], OHCA_QP_TYPE_UD, scq[i], rcq[i], 4, 4, 5);
		st = ohv_connect(ud[i], &a);
		if (st)
			return fail("UD connect: status %d", st);
	}
	wr.dqpn = ud[1]->qpn;
	pattern(buf, 1000, 3);
	ohv_write(mr[0], 1, buf, 1000);
	for (unsigned n = 0; n < 20; n++) {
		uint32_t sidx = ud[0]->sq_pi, ridx = ud[1]->rq_pi;

		ohv_post_recv(ud[1], &r, 1);
		ohv_post_send(ud[0], &wr);
		ohv_ring(ud[0]);
		if (!expect(scq[0], "UD SEND", 0, OHCA_WR_OP_SEND_IMM, sidx, &e) ||
		    !expect(rcq[1], "UD receive", 0, OHCA_WC_OP_RECV_IMM, ridx, &e))
			return false;
		ohv_read(mr[1], 0x20003, grh, 40);
		if (OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != 1040 || OHCA_GET(OHCA_CQE_SRC_QP, &e) != ud[0]->qpn ||
		    !ohv_ud_from(dev[1], &e, grh, dev[0]->lid))
			return fail("UD receive: %u bytes from QP %u LID %u", (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, &e),
				    (unsigned)OHCA_GET(OHCA_CQE_SRC_QP, &e), (unsigned)OHCA_GET(OHCA_CQE_SLID, &e));
		if (!same(mr[1], 0x20003 + 40, buf, 1000))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------------------------------------- Internet checksums */
/* What RFC 1071 says, over bytes and the sum so far; wide enough for what is summed here. */
static uint32_t inet_add(uint32_t sum, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	return sum;
}

static uint16_t inet_end(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* An IPoIB datagram (RFC 4391) with n bytes of data behind TCP's or UDP's header, all checksums right; where they are, 0: there is none. */
struct dgram {
	uint8_t b[1200];
	size_t len, ip_sum, l4, l4_sum;
};

static void dgram(struct dgram *g, bool v6, unsigned proto, size_t options, size_t n)
{
	size_t ip = 4, hdr = v6 ? 40 : 20 + options, l4n = n + (proto == 6 ? 20 : 8);
	uint32_t pseudo = proto + (uint32_t)l4n;

	pattern(g->b, sizeof(g->b), (uint32_t)(n + options + proto));
	put16(g->b, v6 ? 0x86dd : 0x0800);
	g->len = ip + hdr + l4n;
	g->l4 = ip + hdr;
	g->b[ip] = (uint8_t)(v6 ? 0x60 : 0x40 | hdr / 4);
	if (v6) {
		put16(g->b + ip + 4, (uint32_t)l4n);
		g->b[ip + 6] = (uint8_t)proto;
		g->ip_sum = 0;
		pseudo = inet_add(pseudo, g->b + ip + 8, 32);
	} else {
		put16(g->b + ip + 2, (uint32_t)(hdr + l4n));
		put16(g->b + ip + 6, 0x4000);
		g->b[ip + 9] = (uint8_t)proto;
		g->ip_sum = ip + 10;
		put16(g->b + g->ip_sum, 0);
		put16(g->b + g->ip_sum, inet_end(inet_add(0, g->b + ip, hdr)));
		pseudo = inet_add(pseudo, g->b + ip + 12, 8);
	}
	if (proto == 17)
		put16(g->b + g->l4 + 4, (uint32_t)l4n);
	g->l4_sum = g->l4 + (proto == 17 ? 6 : 16);
	put16(g->b + g->l4_sum, 0);
	pseudo = inet_end(inet_add(pseudo, g->b + g->l4, l4n));
	put16(g->b + g->l4_sum, proto == 17 && !pseudo ? 0xffff : pseudo);
}

static struct ohv_qp *cu[2];

/* Sends what *g holds, as it is or with its checksums to be filled in; what has to arrive is *want. */
static bool dgram_goes(const char *what, const struct dgram *g, bool fill, const struct dgram *want, bool ok)
{
	struct ohv_sge s = { MR_VA + 3, (uint32_t)g->len, mr[0]->key }, r = { MR_VA + 0x20001, 2000, mr[1]->key };
	struct ohv_wr wr = { .op = g->len & 4 ? OHCA_WR_OP_SEND_IMM : OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .qkey = 0x1234,
			     .av.dlid = dev[1]->lid, .dqpn = cu[1]->qpn, .csum = fill };
	uint32_t sidx = cu[0]->sq_pi, ridx = cu[1]->rq_pi;
	struct ohca_cqe e;

	ohv_write(mr[0], 3, g->b, g->len);
	ohv_post_recv(cu[1], &r, 1);
	ohv_post_send(cu[0], &wr);
	ohv_ring(cu[0]);
	if (!expect(scq[0], what, 0, wr.op, sidx, &e) ||
	    !expect(rcq[1], what, 0, wr.op == OHCA_WR_OP_SEND ? OHCA_WC_OP_RECV : OHCA_WC_OP_RECV_IMM, ridx, &e))
		return false;
	if (OHCA_GET(OHCA_CQE_CSUM_OK, &e) != ok)
		return fail("%s, %zu bytes%s: csum_ok is %d", what, g->len, fill ? " to be summed" : "", !ok);
	if (!same(mr[1], 0x20001 + 40, want->b, want->len)) {
		char because[sizeof(why)];

		memcpy(because, why, sizeof(because));
		return fail("%s%s: %.200s", what, fill ? ", to be summed" : "", because);
	}
	return true;
}

static bool dgram_both(const char *what, const struct dgram *g, bool ok)
{
	struct dgram blank = *g;

	if (!dgram_goes(what, g, false, g, ok))
		return false;
	if (g->ip_sum)
		put16(blank.b + g->ip_sum, 0xabcd);
	put16(blank.b + g->l4_sum, 0x1234);
	return dgram_goes(what, &blank, true, g, ok);
}

/* It arrives as it is, and nothing is claimed of it. */
static bool dgram_bad(const char *what, const struct dgram *g)
{
	return dgram_goes(what, g, false, g, false);
}

static bool t_csum(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 11, 36, 64, 127, 500, 997 };
	struct ohv_qp_attr a = { .qkey = 0x1234, .sq_psn = 5 };
	struct dgram g, h;
	struct ohca_cqe e;

	for (int i = 0; i < 2; i++) {
		int st;

		cu[i] = ohv_create_qp(dev[i], OHCA_QP_TYPE_UD, scq[i], rcq[i], 4, 4, 5);
		st = ohv_connect(cu[i], &a);
		if (st)
			return fail("UD connect: status %d", st);
	}
	dgram(&g, false, 17, 0, 100);
	if (!(dev[0]->caps >> OHCA_DEV_CAP_UD_CSUM & 1)) {
		struct ohv_sge s = { MR_VA, (uint32_t)g.len, mr[0]->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .sge = &s, .nsge = 1, .qkey = 0x1234, .av.dlid = dev[1]->lid, .dqpn = cu[1]->qpn, .csum = true };
		uint32_t idx = cu[0]->sq_pi;

		if (!dgram_bad("without the capability", &g))
			return false;
		ohv_post_send(cu[0], &wr);
		ohv_ring(cu[0]);
		return expect(scq[0], "csum without the capability", OHCA_WC_STATUS_LOC_QP_OP, 0, idx + 1, &e);
	}
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		dgram(&g, false, 6, 0, sizes[i]);
		if (!dgram_both("TCP", &g, true))
			return false;
		dgram(&g, true, i & 1 ? 6 : 17, 0, sizes[i]);
		if (!dgram_both("IPv6", &g, true))
			return false;
		dgram(&g, false, 17, 4 * (i % 11), sizes[i]);
		if (!dgram_both("UDP", &g, true))
			return false;
		/* One bit wrong, in each part */
		h = g;
		h.b[g.len - 1] ^= 0x10;
		if (!dgram_bad("a wrong byte of data", &h))
			return false;
		h = g;
		h.b[17] ^= 1;
		h.b[g.l4_sum + 1] ^= 1;
		if (!dgram_bad("a wrong address", &h))
			return false;
		h = g;
		h.b[8] ^= 1;
		if (!dgram_bad("a wrong IPv4 header", &h))
			return false;
	}
	/* Without a checksum nothing was verified. */
	dgram(&g, false, 17, 0, 77);
	h = g;
	put16(h.b + g.l4_sum, 0);
	if (!dgram_bad("UDP without a checksum", &h))
		return false;
	/* A UDP checksum that comes out as 0 leaves as its other form; what makes it so is the last word of data. */
	dgram(&g, false, 17, 0, 78);
	put16(g.b + g.len - 2, 0xffff & ~inet_end(inet_add(inet_add(0, g.b + g.len - 2, 2), g.b + g.l4_sum, 2)));
	put16(g.b + g.l4_sum, 0xffff);
	if (!dgram_both("UDP's checksum is 0", &g, true))
		return false;
	/* Padding behind the datagram does not count; a datagram that is longer than its packet, or too short, is none. */
	dgram(&g, false, 6, 0, 33);
	h = g;
	h.len += 13;
	if (!dgram_both("padding", &h, true))
		return false;
	h.len = g.len - 1;
	if (!dgram_bad("cut", &h))
		return false;
	for (h.len = 0; h.len < 44; h.len += 5)
		if (!dgram_bad("too short", &h))
			return false;
	/* Fragments: the header's checksum is filled in, what is behind it left alone. */
	for (unsigned i = 0; i < 2; i++) {
		dgram(&g, false, 17, 0, 40);
		put16(g.b + 10, i ? 0x2000 : 0x0007);
		put16(g.b + g.ip_sum, 0);
		put16(g.b + g.ip_sum, inet_end(inet_add(0, g.b + 4, 20)));
		h = g;
		put16(h.b + g.ip_sum, 0x7777);
		if (!dgram_bad("a fragment", &g) || !dgram_goes("a fragment", &h, true, &g, false))
			return false;
	}
	/* Other protocols, other EtherTypes, UDP that is shorter than IP says */
	dgram(&g, false, 6, 0, 40);
	h = g;
	put16(h.b, 0x0806);
	if (!dgram_bad("ARP", &h) || !dgram_goes("ARP", &h, true, &h, false))
		return false;
	dgram(&g, true, 6, 0, 40);
	g.b[10] = 58;
	if (!dgram_bad("ICMPv6", &g) || !dgram_goes("ICMPv6", &g, true, &g, false))
		return false;
	dgram(&g, true, 17, 0, 40);
	put16(g.b + g.l4 + 4, 46);
	if (!dgram_bad("UDP's own length", &g) || !dgram_goes("UDP's own length", &g, true, &g, false))
		return false;

	/* Several at once, some to be summed: they arrive in their order. */
	for (unsigned round = 0; round < 4; round++) {
		struct dgram many[8];

		for (unsigned i = 0; i < 8; i++) {
			struct ohv_sge s = { MR_VA + 0x1000 * (i + 1) + round, 0, mr[0]->key }, r = { MR_VA + 0x20000 + 0x1000 * i, 2000, mr[1]->key };
			struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .qkey = 0x1234, .av.dlid = dev[1]->lid,
					     .dqpn = cu[1]->qpn, .csum = (0x5a3c >> (round + i)) & 1 };

			dgram(&many[i], i & 2, i & 1 ? 6 : 17, 0, (i * 7919 + round * 104729) % 1000);
			g = many[i];
			if (wr.csum)
				put16(g.b + g.l4_sum, 0);
			s.len = (uint32_t)g.len;
			ohv_write(mr[0], 0x1000 * (i + 1) + round, g.b, g.len);
			ohv_post_recv(cu[1], &r, 1);
			ohv_post_send(cu[0], &wr);
		}
		ohv_ring(cu[0]);
		for (unsigned i = 0; i < 8; i++) {
			if (!ohv_wait(scq[0], &e, WAIT) || !ohv_wait(rcq[1], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
				return fail("datagram %u of 8 does not come", i);
			if (!OHCA_GET(OHCA_CQE_CSUM_OK, &e) || !same(mr[1], 0x20000 + 0x1000 * i + 40, many[i].b, many[i].len))
				return fail("datagram %u of 8 is wrong", i);
		}
	}
	return true;
}

/* ---------------------------------------------------------------------------------------------------------------- multicast */
enum { MC_SENDER, MC_OWN, MC_A, MC_B, MC_QKEY, MC_EMPTY, MC_OUTSIDE, MC_QPS };	/* the first two on node 0 */
#define MC_BURST 8u
#define MC_ROOM 2048u
static struct ohv_qp *mcq[MC_QPS];

static int mc_node(int k)
{
	return k > MC_OWN;
}

/* n datagrams of the sender to a group; those QPs whose bits are in `get` receive every one, and nothing else comes. */
static bool mc_send(const uint8_t *mgid, unsigned n, uint32_t len, unsigned get)
{
	static uint8_t buf[MC_BURST][1024], got[1024], grh[40];
	unsigned seen[MC_QPS] = { 0 }, want = 0, have = 0;
	uint32_t sidx = mcq[MC_SENDER]->sq_pi, first[MC_QPS];
	struct ohca_cqe e;

	for (int k = 0; k < MC_QPS; k++) {
		first[k] = mcq[k]->rq_pi;
		for (unsigned i = 0; i < n && get >> k & 1; i++, want++) {
			struct ohv_sge r = { MR_VA + 0x10000 + (unsigned)k * 0x8000 + i * MC_ROOM, MC_ROOM, mr[mc_node(k)]->key };

			ohv_post_recv(mcq[k], &r, 1);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		struct ohv_sge s = { MR_VA + i * 1024, len, mr[0]->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .dqpn = 0xffffff, .qkey = 0x1234,
				     .av = { .dlid = 0xc123, .grh = true, .hop_limit = 1 } };

		memcpy(wr.av.dgid, mgid, 16);
		pattern(buf[i], len, i + len);
		ohv_write(mr[0], i * 1024, buf[i], len);
		ohv_post_send(mcq[MC_SENDER], &wr);
	}
	ohv_ring(mcq[MC_SENDER]);
	for (unsigned i = 0; i < n; i++)
		if (!expect(scq[0], "multicast SEND", 0, OHCA_WR_OP_SEND, sidx + i, &e))
			return false;
	for (unsigned idle = 0; idle < 40;) {
		bool any = false;

		for (int node = 0; node < 2; node++) {
			unsigned k, i;
			uint64_t off;

			if (!ohv_wait(rcq[node], &e, 500))
				continue;
			any = true;
			for (k = 0; k < MC_QPS; k++)
				if (mc_node((int)k) == node && mcq[k]->qpn == OHCA_GET(OHCA_CQE_QPN, &e))
					break;
			if (k == MC_QPS || !(get >> k & 1) || OHCA_GET(OHCA_CQE_STATUS, &e))
				return fail("node %d: a completion of QP %u, status %u", node, (unsigned)OHCA_GET(OHCA_CQE_QPN, &e),
					    (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
			i = seen[k]++;
			if (i >= n || OHCA_GET(OHCA_CQE_WQE_IDX, &e) != ((first[k] + i) & 0xffff) || OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != len + 40 ||
			    !OHCA_GET(OHCA_CQE_GRH, &e) || OHCA_GET(OHCA_CQE_SRC_QP, &e) != mcq[MC_SENDER]->qpn)
				return fail("receive %u of member %u: %u bytes from QP %u", i, k, (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, &e),
					    (unsigned)OHCA_GET(OHCA_CQE_SRC_QP, &e));
			off = 0x10000 + k * 0x8000 + i * MC_ROOM;
			ohv_read(mr[node], off, grh, 40);
			if (memcmp(grh + (mgid[0] == 0xff ? 24 : 36), mgid + (mgid[0] == 0xff ? 0 : 12), mgid[0] == 0xff ? 16 : 4))
				return fail("GRH of member %u", k);
			ohv_read(mr[node], off + 40, got, len);
			if (memcmp(got, buf[i], len))
				return fail("payload of member %u", k);
			have++;
		}
		idle = any ? 0 : have == want ? idle + 10 : idle + 1;
	}
	return have == want || fail("%u copies instead of %u", have, want);
}

static bool t_mcast(void)
{
	static const uint8_t ib[2][16] = { { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xe0, 0, 1, 1 }, { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [12] = 0xe0, 1, 1, 1 } };
	static const uint8_t eth[2][16] = { { [10] = 0xff, 0xff, 0xe1, 0x82, 3, 4 }, { 0xff, 0x0e, [12] = 9, 8, 7, 6 } };
	const uint8_t (*g)[16] = ohv_roce ? eth : ib;
	const unsigned all = 1 << MC_SENDER | 1 << MC_OWN | 1 << MC_A | 1 << MC_B;
	uint32_t qkey, empty, none[2];

	for (int k = 0; k < MC_QPS; k++) {
		struct ohv_qp_attr a = { .qkey = k == MC_QKEY ? 0x4321 : 0x1234 };

		mcq[k] = ohv_create_qp(dev[mc_node(k)], OHCA_QP_TYPE_UD, scq[mc_node(k)], rcq[mc_node(k)], 4, 4, 5);
		if (ohv_connect(mcq[k], &a))
			return fail("UD connect");
		if (k != MC_OUTSIDE && ohv_mcast(mcq[k], g[0], true))
			return fail("attach %d", k);
	}
	if (ohv_mcast(rc[0], g[0], true) != OHCA_CMD_STATUS_BAD_PARAM || ohv_mcast(mcq[0], g[0], true) != OHCA_CMD_STATUS_EXISTS)
		return fail("attached though it may not");
	/* the sender and its neighbour get copies, too; who has another Q_Key, or no receives, gets nothing and harms nobody */
	qkey = counter(1, OHCA_COUNTER_RX_QKEY);
	empty = counter(1, OHCA_COUNTER_RX_UD_DROP);
	if (!mc_send(g[0], 1, 100, all) || !mc_send(g[0], MC_BURST, 1024, all) || !mc_send(g[0], MC_BURST, 0, all))
		return false;
	/* of a burst only the first that finds no receive is counted */
	if (counter(1, OHCA_COUNTER_RX_QKEY) - qkey != 1 + 2 * MC_BURST || counter(1, OHCA_COUNTER_RX_UD_DROP) - empty < 3)
		return fail("%u bad Q_Keys, %u without receives", counter(1, OHCA_COUNTER_RX_QKEY) - qkey, counter(1, OHCA_COUNTER_RX_UD_DROP) - empty);
	/* a QP in two groups; a group whose only member is elsewhere */
	if (ohv_mcast(mcq[MC_A], g[1], true) || !mc_send(g[1], 3, 77, 1 << MC_A) || !mc_send(g[0], 3, 78, all))
		return false;
	if (ohv_mcast(mcq[MC_B], g[0], false) || ohv_mcast(mcq[MC_B], g[0], false) != OHCA_CMD_STATUS_NOT_FOUND)
		return fail("detach");
	if (!mc_send(g[0], 2, 500, all & ~(1u << MC_B)))
		return false;
	/* who is destroyed is out of all groups; a group without members is counted, by the sender's own port too */
	for (int k = MC_OWN; k < MC_QPS; k++)
		if (k != MC_OUTSIDE && ohv_destroy_qp(mcq[k]))
			return fail("destroy");
	if (!mc_send(g[0], 2, 300, 1 << MC_SENDER) || ohv_mcast(mcq[MC_SENDER], g[0], false))
		return false;
	for (int i = 0; i < 2; i++)
		none[i] = counter((unsigned)i, OHCA_COUNTER_RX_QPN);
	if (!mc_send(g[0], 2, 300, 0))
		return false;
	for (int i = 0; i < 2; i++)
		if (counter((unsigned)i, OHCA_COUNTER_RX_QPN) - none[i] != 2)
			return fail("node %d: %u packets without members", i, counter((unsigned)i, OHCA_COUNTER_RX_QPN) - none[i]);
	return t_ud();
}

/* Group n of many; on InfiniBand an address that the SA could have given, on Ethernet one of IPv4 or IPv6. */
static void mc_group(uint8_t *mgid, unsigned n)
{
	memset(mgid, 0, 16);
	if (ohv_roce && n % 2) {
		mgid[10] = mgid[11] = 0xff;
		mgid[12] = 0xef;
	} else {
		mgid[0] = 0xff;
		mgid[1] = ohv_roce ? 0x0e : 0x12;
		mgid[2] = 0x40;
	}
	mgid[14] = (uint8_t)(n >> 8);
	mgid[15] = (uint8_t)n;
}

/* One datagram to group n: `copies` receives complete, the first of them of this QP if one is named. Every copy has the payload. */
static bool mc_one(unsigned n, unsigned copies, const struct ohv_qp *first)
{
	struct ohv_sge s = { MR_VA, 64, mr[0]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .dqpn = 0xffffff, .qkey = 0x1234,
			     .av = { .dlid = (uint16_t)(0xc000 + n), .grh = true, .hop_limit = 1 } };
	uint8_t data[64], got[64];
	uint32_t idx = ud[0]->sq_pi;
	struct ohca_cqe e;

	mc_group(wr.av.dgid, n);
	pattern(data, sizeof(data), n + 1);
	ohv_write(mr[0], 0, data, sizeof(data));
	ohv_post_send(ud[0], &wr);
	ohv_ring(ud[0]);
	if (!expect(scq[0], "multicast SEND", 0, OHCA_WR_OP_SEND, idx, &e))
		return false;
	for (unsigned i = 0; i < copies; i++) {
		if (!ohv_wait(rcq[1], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e) || OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != 40 + sizeof(data))
			return fail("group %u: copy %u of %u did not come", n, i, copies);
		if (first && OHCA_GET(OHCA_CQE_QPN, &e) != first->qpn)
			return fail("group %u: a copy for QP %u instead of %u", n, (unsigned)OHCA_GET(OHCA_CQE_QPN, &e), first->qpn);
	}
	for (unsigned i = 0; i < copies; i++) {
		ohv_read(mr[1], 128 * i + 40, got, sizeof(got));
		if (memcmp(got, data, sizeof(got)))
			return fail("group %u: payload of copy %u", n, i);
	}
	return true;
}

/* A receive for copy i of a datagram */
static void mc_recv(struct ohv_qp *q, unsigned i)
{
	struct ohv_sge r = { MR_VA + 128 * i, 128, mr[1]->key };

	ohv_post_recv(q, &r, 1);
}

/*
 * A hundred groups; then as many as the adapter says that it has room for, and none more; then a group with as many members as it says. What is
 * refused changes nothing for those that are there, and what is given back can be had again.
 */
static bool t_mcast_table(void)
{
	static struct ohv_qp *q[65];
	struct ohca_cmd_query_dev_out dq;
	unsigned groups, members, n, made = 0;
	struct ohca_cqe e;
	uint8_t g[16];
	int st = 0;

	if (ohv_cmd(dev[1], OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &dq, sizeof(dq) / 4, NULL))
		return fail("query_dev");
	groups = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_GRP, &dq);
	members = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_MCAST_QP, &dq);
	if (groups < 100 || members < 16 || members >= sizeof(q) / sizeof(q[0]))
		return fail("%u groups, %u members", groups, members);
	for (int i = 0; i < 3; i++) {
		struct ohv_qp_attr a = { .qkey = 0x1234 };
		struct ohv_qp *u = ohv_create_qp(dev[!!i], OHCA_QP_TYPE_UD, scq[!!i], rcq[!!i], 4, 4, 5);

		if (ohv_connect(u, &a))
			return fail("UD connect");
		if (i)
			q[made++] = u;
		else
			ud[0] = u;
	}
	for (n = 0; n < 100; n++) {
		mc_group(g, n);
		if (ohv_mcast(q[n & 1], g, true))
			return fail("group %u refused", n);
	}
	for (n = 0; n < 100; n++) {
		mc_recv(q[n & 1], 0);
		if (!mc_one(n, 1, q[n & 1]))
			return false;
	}
	for (; n <= groups + 1; n++) {
		mc_group(g, n);
		st = ohv_mcast(q[n & 1], g, true);
		if (st)
			break;
	}
	if (n != groups || st != OHCA_CMD_STATUS_NO_RES)
		return fail("%u groups taken instead of %u, then status %d", n, groups, st);
	/* the table is full: its groups work, one with room has another member, who is refused hears nothing */
	mc_group(g, 1);
	if (ohv_mcast(q[0], g, true))
		return fail("no room in a group of one");
	mc_recv(q[0], 0);
	mc_recv(q[1], 1);
	if (!mc_one(1, 2, NULL))
		return false;
	mc_recv(q[(groups - 1) & 1], 0);
	if (!mc_one(groups - 1, 1, q[(groups - 1) & 1]) || !mc_one(groups, 0, NULL))
		return false;
	mc_group(g, 7);
	if (ohv_mcast(q[1], g, false))
		return fail("detach");
	mc_group(g, groups);
	if (ohv_mcast(q[0], g, true))
		return fail("what was given back was not given");
	mc_recv(q[0], 0);
	if (!mc_one(groups, 1, q[0]) || !mc_one(7, 0, NULL))
		return false;
	/* destroyed members give all of it back */
	for (n = 0; n < made; n++)
		if (ohv_destroy_qp(q[n]))
			return fail("destroy");
	mc_group(g, 5);
	for (made = 0; made <= members; made++) {
		struct ohv_qp_attr a = { .qkey = 0x1234 };

		q[made] = ohv_create_qp(dev[1], OHCA_QP_TYPE_UD, scq[1], rcq[1], 4, 4, 5);
		if (ohv_connect(q[made], &a))
			return fail("UD connect");
		st = ohv_mcast(q[made], g, true);
		if (st)
			break;
		mc_recv(q[made], made);
	}
	if (made != members || st != OHCA_CMD_STATUS_NO_RES)
		return fail("%u members taken instead of %u, then status %d", made, members, st);
	if (!mc_one(5, members, NULL))
		return false;
	for (n = 0; n <= members; n++)
		if (ohv_destroy_qp(q[n]))
			return fail("destroy");
	if (!mc_one(5, 0, NULL))
		return false;
	if (ohv_destroy_qp(ud[0]))
		return fail("destroy");
	if (ohv_wait(rcq[1], &e, 5000))
		return fail("a completion too many, of QP %u", (unsigned)OHCA_GET(OHCA_CQE_QPN, &e));
	return t_ud();
}

static bool t_arm(void)
{
	struct ohca_eqe ev;
	struct ohca_cqe e;
	uint32_t before = dev[0]->irqs[0];

	while (ohv_event(dev[0], &ev))
		;
	ohv_arm_eq(dev[0]);
	ohv_arm(scq[0], false);
	fabric_run(fab, 5000, NULL, NULL);
	if (ohv_event(dev[0], &ev))
		return fail("event without a completion");
	if (!do_write(16, 0, 0, false))
		return false;
	fabric_run(fab, 5000, NULL, NULL);
	if (!ohv_event(dev[0], &ev) || OHCA_GET(OHCA_EQE_TYPE, &ev) != OHCA_EQE_TYPE_COMP || OHCA_GET(OHCA_EQE_NUM, &ev) != scq[0]->cqn)
		return fail("no completion event");
	if (dev[0]->irqs[0] == before)
		return fail("no interrupt");
	if (!do_write(16, 0, 0, false))
		return false;
	fabric_run(fab, 5000, NULL, NULL);
	if (ohv_event(dev[0], &ev))
		return fail("a second event after one arm");
	(void)e;
	return true;
}

/* Cycles until an event of the CQ comes; 0: none within so many */
static uint64_t moderated_event(struct ohv_cq *c, uint64_t within)
{
	uint64_t begin = fab->cycle;
	struct ohca_eqe ev;

	while (fab->cycle - begin < within) {
		fabric_run(fab, 50, NULL, NULL);
		if (!ohv_event(c->d, &ev))
			continue;
		if (OHCA_GET(OHCA_EQE_TYPE, &ev) != OHCA_EQE_TYPE_COMP || OHCA_GET(OHCA_EQE_NUM, &ev) != c->cqn)
			return 0;
		return fab->cycle - begin;
	}
	return 0;
}

/* Completion events that wait for a count, for a time by the adapter's clock, which passes while nothing else goes on, or for either. */
static bool t_moderate(void)
{
	const uint64_t us = fab->cfg.clock_mhz;
	struct ohv_cq *c = scq[0];
	struct ohca_eqe ev;
	uint64_t begin, took;
	int st;

	if (!(dev[0]->caps >> OHCA_DEV_CAP_CQ_MOD & 1)) {
		st = ohv_modify_cq(c, 4, 16);
		return st == OHCA_CMD_STATUS_BAD_OP || fail("refused with status %d", st);
	}
	do_write(16, 0, 0, false);
	fabric_run(fab, 5000, NULL, NULL);
	while (ohv_event(dev[0], &ev))
		;
	st = ohv_modify_cq(c, 3, 0);
	if (st)
		return fail("count: status %d", st);
	for (unsigned round = 0; round < 3; round++) {
		ohv_arm(c, false);
		if (!do_write(16, 0, 0, false) || !do_write(16, 0, 0, false))
			return false;
		if (moderated_event(c, 20000))
			return fail("an event after two completions of three");
		if (!do_write(16, 0, 0, false))
			return false;
		if (!moderated_event(c, 5000))
			return fail("no event after three completions");
	}
	for (unsigned period = 20; period <= 2000; period *= 10) {
		st = ohv_modify_cq(c, period == 20 ? 0 : 5, period);
		if (st)
			return fail("period: status %d", st);
		ohv_arm(c, false);
		begin = fab->cycle;
		if (!do_write(16, 0, 0, false) || !moderated_event(c, period * us + 20000))
			return fail("no event after %u us", period);
		took = fab->cycle - begin;
		if (took < period * us || took > period * us + 10000)
			return fail("%u us: the event came after %llu cycles", period, (unsigned long long)took);
	}
	ohv_arm(c, false);
	for (unsigned i = 0; i < 5; i++)
		if (!do_write(16, 0, 0, false))
			return false;
	if (!moderated_event(c, 5000))
		return fail("no event after five completions");
	ohv_arm(c, false);
	if (!do_write(16, 0, 0, false))
		return false;
	if (moderated_event(c, 5000))
		return fail("an event before its time");
	st = ohv_modify_cq(c, 0, 0);
	if (st || !moderated_event(c, 5000))
		return fail("no event when moderation ends, status %d", st);
	return t_arm();
}

static bool reconnect(unsigned mtu)
{
	for (int i = 0; i < 2; i++)
		if (ohv_destroy_qp(rc[i]))
			return fail("destroy");
	connect_rc(mtu);
	return true;
}

/*
 * Rings exchanged for larger and smaller ones at both ends while completions come: each comes once and in order, an event that was asked for before comes
 * after, and a ring without room for what is unread is refused.
 */
static struct { struct ohv_cq *c; uint32_t got; } flow[2];

static bool flow_poll(unsigned k, bool *any)
{
	struct ohca_cqe e;

	*any = ohv_poll(flow[k].c, &e);
	if (!*any)
		return true;
	if (OHCA_GET(OHCA_CQE_STATUS, &e) || OHCA_GET(OHCA_CQE_WQE_IDX, &e) != (flow[k].got & 0xffff))
		return fail("%s: WQE %u with status %u, expected %u", k ? "receive" : "send", (unsigned)OHCA_GET(OHCA_CQE_WQE_IDX, &e),
			    (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e), flow[k].got & 0xffff);
	flow[k].got++;
	return true;
}

/* Until no more than `left` of n are to come */
static bool flow_drain(unsigned k, uint32_t n, uint32_t left)
{
	uint64_t end = fab->cycle + WAIT;
	bool any;

	while (n - flow[k].got > left) {
		if (!flow_poll(k, &any))
			return false;
		if (!any)
			fabric_run(fab, 20, NULL, NULL);
		if (fab->cycle > end)
			return fail("%s: %u of %u completions", k ? "receive" : "send", flow[k].got, n);
	}
	return true;
}

static bool t_cq_resize(void)
{
	struct ohv_sge s = { MR_VA, 64, mr[0]->key }, r = { MR_VA + 0x30000, 64, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1 };
	unsigned swaps = 0, refused = 0;
	uint32_t n = 0;			/* messages */
	struct ohca_eqe ev;
	bool any;

	flow[0].c = scq[0];
	flow[1].c = rcq[1];
	flow[0].got = flow[1].got = 0;
	if (!reconnect(OHCA_MTU_MTU1024))
		return false;
	for (unsigned round = 0; round < 60; round++) {
		unsigned k = ohv_rand(dev[0]) & 1, log = 1 + (unsigned)(ohv_rand(dev[0]) % 7), most = 1u << (flow[0].c->log < flow[1].c->log ? flow[0].c->log : flow[1].c->log);
		uint32_t left = 0;
		int st;

		/* as many as both rings and the queues take */
		if (most > 48)
			most = 48;
		for (unsigned i = 0; i < 48 && n - flow[0].got < most - 1 && n - flow[1].got < most - 1; i++, n++) {
			ohv_post_recv(rc[1], &r, 1);
			ohv_post_send(rc[0], &wr);
			ohv_ring(rc[0]);
		}
		fabric_run(fab, ohv_rand(dev[0]) % 600, NULL, NULL);
		if (round % 8 == 7) {	/* all is there and unread */
			fabric_run(fab, 20000, NULL, NULL);
			left = n - flow[k].got;
			for (log = 0; left >> (log + 1); log++)
				;
			st = ohv_resize_cq(flow[k].c, log);
			if (st != (left ? OHCA_CMD_STATUS_BAD_PARAM : 0))
				return fail("%u unread, %u entries: status %d", left, 1u << log, st);
			refused += !!left;
		} else if (round % 8 == 3) {	/* asked for an event before, which comes after */
			if (!flow_drain(0, n, 0) || !flow_drain(1, n, 0))
				return false;
			while (ohv_event(dev[k], &ev))
				;
			ohv_arm(flow[k].c, false);
			st = ohv_resize_cq(flow[k].c, log);
			if (st)
				return fail("armed: status %d", st);
			ohv_post_recv(rc[1], &r, 1);
			ohv_post_send(rc[0], &wr);
			ohv_ring(rc[0]);
			n++;
			fabric_run(fab, 20000, NULL, NULL);
			if (!ohv_event(dev[k], &ev) || OHCA_GET(OHCA_EQE_TYPE, &ev) != OHCA_EQE_TYPE_COMP || OHCA_GET(OHCA_EQE_NUM, &ev) != flow[k].c->cqn)
				return fail("the event that was asked for before the ring was exchanged");
			if (!flow_drain(0, n, 0) || !flow_drain(1, n, 0))
				return false;
		} else {
			if (!flow_drain(k, n, (1u << log) - 1))
				return false;
			st = ohv_resize_cq(flow[k].c, log);
			if (st)
				return fail("%u to come at most, %u entries: status %d", n - flow[k].got, 1u << log, st);
			swaps++;
		}
		for (unsigned i = (unsigned)(ohv_rand(dev[0]) % 40); i; i--)
			if (!flow_poll(i & 1, &any))
				return false;
	}
	if (!flow_drain(0, n, 0) || !flow_drain(1, n, 0))
		return false;
	if (swaps < 30 || !refused)
		return fail("%u exchanged, %u refused", swaps, refused);
	for (unsigned k = 0; k < 2; k++)
		if (ohv_resize_cq(flow[k].c, 7))
			return fail("as at the beginning");
	return do_write(5000, 1, 2, false);
}

/*
 * IBA 11.6.3: a completion that finds no room in its CQ is an error of the CQ and of its QP, on either side: both say so, and the QP does nothing more.
 */
static bool t_cq_overrun(void)
{
	for (int recv = 0; recv < 2; recv++) {
		struct ohv_cq *small = ohv_create_cq(dev[recv], 2), *keep = recv ? rcq[1] : scq[0];
		uint8_t zero[64] = { 0 }, buf[64];
		struct ohv_sge s = { MR_VA, 64, mr[0]->key }, r = { MR_VA + 0x30000, 64, mr[1]->key };
		struct ohv_wr wr = { .op = recv ? OHCA_WR_OP_SEND : OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1,
				     .raddr = MR_VA + 0x30000, .rkey = mr[1]->key };
		unsigned cq_errors = 0, qp_errors = 0;
		struct ohca_eqe ev;
		struct ohca_cqe e;

		*(recv ? &rcq[1] : &scq[0]) = small;
		if (!reconnect(OHCA_MTU_MTU1024))
			return false;
		*(recv ? &rcq[1] : &scq[0]) = keep;
		while (ohv_event(dev[recv], &ev))
			;
		for (unsigned i = 0; recv && i < 12; i++)
			ohv_post_recv(rc[1], &r, 1);
		for (unsigned i = 0; i < 8; i++)
			ohv_post_send(rc[0], &wr);
		ohv_ring(rc[0]);
		fabric_run(fab, 60000, NULL, NULL);
		while (ohv_event(dev[recv], &ev)) {
			unsigned type = OHCA_GET(OHCA_EQE_TYPE, &ev), num = OHCA_GET(OHCA_EQE_NUM, &ev);

			cq_errors += type == OHCA_EQE_TYPE_CQ_ERROR && num == small->cqn;
			qp_errors += type == OHCA_EQE_TYPE_QP_FATAL && num == rc[recv]->qpn;
		}
		if (cq_errors != 1 || qp_errors != 1)
			return fail("%s: %u errors of the CQ, %u of the QP", recv ? "receive" : "send", cq_errors, qp_errors);
		if (ohv_query_state(rc[recv]) != OHCA_QP_STATE_ERR)
			return fail("%s: the QP is in state %d", recv ? "receive" : "send", ohv_query_state(rc[recv]));
		for (unsigned i = 0; i < 4; i++)
			if (!ohv_poll(small, &e) || OHCA_GET(OHCA_CQE_STATUS, &e))
				return fail("%s: the completions that had room", recv ? "receive" : "send");
		/* nothing that is posted now is done */
		ohv_write(mr[1], 0x30000, zero, 64);
		memset(buf, 0x5a, 64);
		ohv_write(mr[0], 0, buf, 64);
		ohv_post_send(rc[0], &wr);
		ohv_ring(rc[0]);
		fabric_run(fab, 60000, NULL, NULL);
		if (!same(mr[1], 0x30000, zero, 64))
			return false;
		while (ohv_poll(keep, &e) || ohv_poll(scq[0], &e) || ohv_poll(rcq[1], &e))
			;
	}
	if (!reconnect(OHCA_MTU_MTU1024))
		return false;
	return do_write(100, 5, 6, false);
}

static bool t_bad_rkey(void)
{
	struct ohv_sge s = { MR_VA, 64, mr[0]->key };
	struct ohv_wr bad = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = MR_VA, .rkey = mr[1]->key ^ 1 };
	struct ohv_wr next = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = MR_VA, .rkey = mr[1]->key };
	uint32_t idx = rc[0]->sq_pi;
	struct ohca_cqe e;

	ohv_post_send(rc[0], &bad);
	ohv_post_send(rc[0], &next);
	ohv_ring(rc[0]);
	if (!expect(scq[0], "bad R_Key", OHCA_WC_STATUS_REM_ACCESS, 0, idx, &e) ||
	    !expect(scq[0], "flushed", OHCA_WC_STATUS_WR_FLUSH, 0, idx + 1, &e))
		return false;
	if (ohv_query_state(rc[0]) != OHCA_QP_STATE_ERR)
		return fail("requester not in ERR");
	return reconnect(OHCA_MTU_MTU4096) && do_write(5000, 1, 2, false);
}

/*
 * A message that must be refused, and behind it in the same doorbell what would be fine by itself: not one byte of all that may reach
 * memory, neither of the refused message (each fits one packet or fails with its first) nor of those behind it.
 */
static bool t_refused(void)
{
	enum { W_KEY, W_BOUNDS, R_KEY, S_LONG, S_KEY2, R_RESULT, KINDS };
	static const char *const what[] = { "WRITE, bad key", "long WRITE out of bounds", "READ, bad key", "SEND too long", "SEND, second entry bad",
					    "READ, second entry bad" };
	static uint8_t before[2][MR_LEN], small[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct ohca_cqe e;

	for (unsigned k = 0; k < KINDS; k++) {
		const uint64_t out = MR_VA + MR_LEN - 1024;
		struct ohv_sge l = { MR_VA, 500, mr[0]->key }, two[2] = { { MR_VA + 0x1000, 64, mr[0]->key }, { MR_VA + 0x2000, 64, mr[0]->key } };
		struct ohv_sge r[2] = { { MR_VA + 0x3000, 200, mr[1]->key }, { MR_VA + 0x4000, 4000, mr[1]->key } };
		struct ohv_wr bad = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &l, .nsge = 1, .raddr = MR_VA + 0x8000, .rkey = mr[1]->key };
		struct ohv_wr tiny = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .inl = true, .data = small, .len = 8, .rkey = mr[1]->key };
		struct ohv_wr more = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &l, .nsge = 1, .raddr = MR_VA + 0x9000, .rkey = mr[1]->key };
		bool read = k == R_KEY || k == R_RESULT, local = k == R_RESULT, send = k == S_LONG || k == S_KEY2;
		unsigned status = OHCA_WC_STATUS_REM_ACCESS, n = 0, rounds = 0;
		uint32_t idx = rc[0]->sq_pi;

		for (int i = 0; i < 2; i++) {
			pattern(before[i], MR_LEN, 100 * k + (unsigned)i);
			ohv_write(mr[i], 0, before[i], MR_LEN);
		}
		switch (k) {
		case W_KEY: bad.rkey ^= 1; break;
		case W_BOUNDS: l.len = 3000; bad.raddr = out - 1500; break;
		case R_KEY: bad.rkey ^= 1; break;
		case S_LONG: r[1].len = 290; status = OHCA_WC_STATUS_REM_INV_REQ; break;
		case S_KEY2: r[1].key = ohv_wrong_key(r[1].key, 1); status = OHCA_WC_STATUS_REM_OP; break;
		case R_RESULT: two[1].key ^= 1; status = OHCA_WC_STATUS_LOC_PROT; break;
		}
		if (read) {
			bad.op = OHCA_WR_OP_RDMA_READ;
			bad.sge = two;
			bad.nsge = 2;
		}
		if (send)
			bad.op = OHCA_WR_OP_SEND;
		for (unsigned i = 0; i < 3 && !local; i++) {
			ohv_post_recv(rc[1], r, 2);
			r[0].addr += 0x2000;		/* those behind find a good one */
			r[1] = (struct ohv_sge){ MR_VA + 0x20000, 4000, mr[1]->key };
		}
		ohv_post_send(rc[0], &bad);
		for (unsigned i = 0; i < 12; i++) {
			if (local) {			/* WRITEs would be executed: READs that would come back well */
				two[0] = (struct ohv_sge){ MR_VA + 0x5000 + 0x800 * i, 1500, mr[0]->key };
				tiny.op = OHCA_WR_OP_RDMA_READ;
				tiny.inl = false;
				tiny.sge = two;
				tiny.nsge = 1;
				tiny.raddr = MR_VA;
				ohv_post_send(rc[0], &tiny);
			} else if (i % 4 == 3) {
				ohv_post_send(rc[0], &more);
				more.op = OHCA_WR_OP_RDMA_WRITE;
			} else {
				tiny.raddr = MR_VA + 0x10000 + 0x100 * i;
				ohv_post_send(rc[0], &tiny);
			}
		}
		ohv_ring(rc[0]);
		if (!expect(scq[0], what[k], status, 0, idx, &e))
			return false;
		for (unsigned i = 0; i < 12; i++)
			if (!expect(scq[0], "flushed", OHCA_WC_STATUS_WR_FLUSH, 0, ++idx, &e))
				return false;
		for (n = 0; rounds++ < 20; fabric_run(fab, 500, NULL, NULL))
			while (ohv_poll(rcq[1], &e))
				if (!OHCA_GET(OHCA_CQE_STATUS, &e))
					return fail("%s: receive %u succeeds", what[k], n);
				else
					n++;
		if (n != (local ? 0 : 3))
			return fail("%s: %u of 3 receives completed", what[k], n);
		for (int i = 0; i < 2; i++)
			if (!same(mr[i], 0, before[i], MR_LEN)) {
				char t[200];

				memcpy(t, why, 199);
				t[199] = 0;
				return fail("%s: node %d: %s", what[k], i, t);
			}
		if (!reconnect(k % 2 ? OHCA_MTU_MTU4096 : OHCA_MTU_MTU512))
			return false;
	}
	return do_write(5000, 1, 2, false);
}

/*
 * Rings in pages of 64 KiB at one end and of 1 MiB at the other, and the other way round: all of them go round several times, and over a page's end each
 * time (ohv.c). Completion rings are exchanged for ones in the other's pages, and in pages of 4 KiB.
 */
static bool ring_pages(uint32_t n)
{
	struct ohv_sge s = { MR_VA, 64, mr[0]->key }, r = { MR_VA + 0x30000, 64, mr[1]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1 };
	uint8_t buf[64];

	flow[0].c = scq[0];
	flow[1].c = rcq[1];
	flow[0].got = rc[0]->sq_pi;
	flow[1].got = rc[1]->rq_pi;
	for (uint32_t i = 0; i < n; i++) {
		pattern(buf, 64, i + n);
		ohv_write(mr[0], 64 * (i % 32), buf, 64);
		s.addr = MR_VA + 64 * (i % 32);
		r.addr = MR_VA + 0x30000 + 64 * (i % 32);
		ohv_post_recv(rc[1], &r, 1);
		ohv_post_send(rc[0], &wr);
		ohv_ring(rc[0]);
		if (i % 32 != 31)
			continue;
		if (!flow_drain(0, rc[0]->sq_pi, 0) || !flow_drain(1, rc[1]->rq_pi, 0))
			return false;
		for (uint32_t k = i - 31; k <= i; k++) {
			pattern(buf, 64, k + n);
			if (!same(mr[1], 0x30000 + 64 * (k % 32), buf, 64))
				return false;
		}
	}
	return do_write(100001, 0x1003, 0x2001, false) && do_write(192, 0, 0x777, true) && t_read();
}

static bool t_ring_pages(void)
{
	struct ohv_cq *cqs[4] = { scq[0], scq[1], rcq[0], rcq[1] };
	struct ohv_qp *qps[2] = { rc[0], rc[1] };
	bool ok = true;

	for (unsigned round = 0; round < 2 && ok; round++) {
		for (unsigned k = 0; k < 2; k++) {
			dev[k]->ring_page = (round ^ k) ? 8 : 4;
			scq[k] = ohv_create_cq(dev[k], 9);
			rcq[k] = ohv_create_cq(dev[k], 9);
		}
		connect_rc(OHCA_MTU_MTU1024);
		ok = ring_pages(608);
		for (unsigned k = 0; k < 2; k++)
			dev[k]->ring_page = 12 - dev[k]->ring_page;
		ok = ok && !ohv_resize_cq(scq[0], 8) && !ohv_resize_cq(rcq[1], 10) && ring_pages(320);
		dev[0]->ring_page = dev[1]->ring_page = 0;
		ok = ok && !ohv_resize_cq(scq[0], 9) && !ohv_resize_cq(rcq[1], 8) && ring_pages(288);
	}
	dev[0]->ring_page = dev[1]->ring_page = 0;
	for (unsigned k = 0; k < 2; k++) {
		scq[k] = cqs[k];
		rcq[k] = cqs[2 + k];
		rc[k] = qps[k];
	}
	return ok;
}

static const struct { const char *name; bool (*run)(void); } cases[] = {
	{ "write8", t_write8 }, { "write-inline", t_write_inline }, { "write-sizes", t_write_sizes }, { "write-zero", t_write_zero },
	{ "send", t_send }, { "write-imm", t_write_imm }, { "read", t_read }, { "many", t_many }, { "rnr", t_rnr },
	{ "credits", t_credits }, { "ud", t_ud }, { "csum", t_csum }, { "mcast", t_mcast }, { "mcast-table", t_mcast_table },
	{ "arm", t_arm }, { "moderate", t_moderate }, { "cq-resize", t_cq_resize }, { "ring-pages", t_ring_pages }, { "cq-overrun", t_cq_overrun }, { "bad-rkey", t_bad_rkey }, { "refused", t_refused },
};

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "roce", 0, NULL, 'r' }, { "switch", 0, NULL, 'S' }, { 0 } };
	struct fabric_config cfg;
	struct events *events = NULL;
	unsigned width = 64, bad = 0, topology = TOPO_P2P;
	const char *trace = NULL, *pcap = NULL, *log = NULL, *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = 1;
	int c, latency = -1;	/* cycles, of host memory, registers and cable; -1: the defaults */

	while ((c = getopt_long(argc, argv, "w:t:p:e:f:s:l:", opts, NULL)) != -1) {
		if (c == 'w')
			width = (unsigned)atoi(optarg);
		else if (c == 't')
			trace = optarg;
		else if (c == 'p')
			pcap = optarg;
		else if (c == 'e')
			log = optarg;
		else if (c == 'f')
			fw = optarg;
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'l')
			latency = atoi(optarg);
		else if (c == 'r')
			ohv_roce = true;
		else if (c == 'S')
			topology = TOPO_SWITCH;
		else
			return 2;
	}
	fabric_config_default(&cfg, 2, width);
	cfg.topology = topology;
	cfg.firmware = fw;
	cfg.trace = trace;
	cfg.seed = seed;
	if (latency >= 0)
		cfg.axi.read_latency = cfg.axi.mmio_latency = cfg.axi.write_latency = cfg.link_latency = (unsigned)latency;
	if (pcap)
		cfg.pcap = pcapng_open(pcap, 1000.0 / cfg.clock_mhz, true);
	printf("# width %u, seed %llu%s\n", width, (unsigned long long)seed, ohv_roce ? ", RoCEv2" : "");
	ohv_bus(&cfg, false);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	if (log) {
		events = events_open(log, 1000.0 / cfg.clock_mhz);
		if (!events)
			return 1;
	}
	for (unsigned i = 0; i < 2; i++) {
		fab->node[i].host.axi.events = events;
		fab->node[i].host.axi.node = i;
	}
	for (int i = 0; i < 2; i++) {
		dev[i] = ohv_open(fab, (unsigned)i, 64u << 20);
		dev[i]->push = true;
	}
	for (int i = 0; i < 2; i++)
		ohv_port_up(dev[i], (uint16_t)(i + 1));
	for (int i = 0; i < 2; i++)
		ohv_port_wait(dev[i]);
	printf("ok bring-up\n");
	for (int i = 0; i < 2; i++) {
		mr[i] = ohv_reg(dev[i], MR_VA, MR_LEN, 7);
		scq[i] = ohv_create_cq(dev[i], 7);
		rcq[i] = ohv_create_cq(dev[i], 7);
	}
	connect_rc(OHCA_MTU_MTU1024);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* The table is the same at every width and on both link layers, and its case is long: only when it is asked for. */
		bool run = optind >= argc && cases[i].run != t_mcast_table;

		for (int a = optind; a < argc; a++)
			run |= !strcmp(argv[a], cases[i].name);
		if (!run)
			continue;
		if (cases[i].run()) {
			printf("ok %s-%u%s%s\n", cases[i].name, width, ohv_roce ? "-roce" : "", topology == TOPO_SWITCH ? "-switch" : "");
		} else {
			printf("not ok %s-%u - %s\n", cases[i].name, width, why);
			bad++;
			for (unsigned k = 0; k < 2; k++)
				for (unsigned n = 0; n < 64; n++) {
					uint32_t v = fabric_read32(fab, k, OHCA_REG_COUNTERS + 8 * n);

					if (v)
						printf("# node %u: counter %u is %u\n", k, n, v);
				}
			break;		/* what follows would only be confused */
		}
		fflush(stdout);
	}
	printf("# %llu cycles, %llu simulated\n", (unsigned long long)fab->cycle, (unsigned long long)fab->stepped);
	fabric_destroy(fab);
	events_close(events);
	if (cfg.pcap)
		pcapng_close(cfg.pcap);
	return bad != 0;
}
