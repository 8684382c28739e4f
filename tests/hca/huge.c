// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The longest messages: 2^31 bytes by WRITE, SEND and READ between two whole adapters, and one byte more, which is refused.
 *
 *   huge [-w WIDTH] [-L LOG2] [-m MTU] [-s SEED] [--roce] [write|send|read|refused…]
 *
 * LOG2: 31 unless told; shorter ones try the program. MTU: 256 to 4096; with 256 a READ of 2^31 bytes spans half of all PSNs. At 512 bits
 * 2^31 bytes are some 45 million cycles, 10 to 20 minutes. The regions have pages of 2 MiB that share a few pieces of memory, which differ in number at
 * both ends, and begin and end within a page: what is compared is what the last bytes at each place leave.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ohv.h"

#define SHIFT 21
#define PIECE (1u << SHIFT)
#define VA 0x127ffff123ull
#define CYCLES 400000000ull

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_cq *cq[2];
static struct ohv_qp *qp[2];
static struct region {
	uint32_t key, pieces, pages;
	uint64_t bus;			/* of the first piece */
} reg[2];
static uint64_t len = 1ull << 31;
static unsigned mtu = OHCA_MTU_MTU4096;

/* A region of `bytes` at VA whose page n is piece n % pieces. */
static void map(int n, uint64_t bytes, uint32_t pieces)
{
	struct ohv_dev *d = dev[n];
	struct region *r = &reg[n];
	uint32_t mpt = d->next_mpt++, at = d->next_mtt;
	uint64_t *t = ohv_ptr(d, d->mtt_off);
	struct ohca_mpt e;
	int st;

	r->pieces = pieces;
	r->pages = (uint32_t)(((VA & (PIECE - 1)) + bytes + PIECE - 1) >> SHIFT);
	r->bus = ohv_alloc(d, (size_t)pieces * PIECE, PIECE);
	r->key = mpt << 8 | 0x5a;
	for (uint32_t i = 0; i < r->pages; i++)
		t[at + i] = (r->bus + (uint64_t)(i % pieces) * PIECE) | 1;
	d->next_mtt += (r->pages + 7) & ~7u;
	memset(&e, 0, sizeof(e));
	OHCA_SET(OHCA_MPT_VALID, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_LW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RR, &e, 1);
	OHCA_SET(OHCA_MPT_KEY, &e, r->key & 0xff);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &e, SHIFT);
	OHCA_SET(OHCA_MPT_PD, &e, 7);
	OHCA_SET(OHCA_MPT_START, &e, VA);
	OHCA_SET(OHCA_MPT_LENGTH, &e, bytes);
	OHCA_SET(OHCA_MPT_MTT, &e, at);
	st = ohv_cmd(d, OHCA_CMD_OP_CREATE_MKEY, mpt, 0, &e, sizeof(e) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: create_mkey: status %d", n, st);
}

static void fill(int n, bool source)
{
	uint8_t *p = ohv_ptr(dev[n], reg[n].bus);
	uint64_t x = (uint64_t)n + 1;

	for (size_t i = 0; i < (size_t)reg[n].pieces * PIECE; i += 8) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		memcpy(p + i, source ? &x : &(uint64_t){ 0 }, 8);
	}
}

/* What the message leaves at its destination, from what its source holds. */
static bool compare(int to, const char *what)
{
	const uint8_t *src = ohv_ptr(dev[!to], reg[!to].bus), *dst = ohv_ptr(dev[to], reg[to].bus);
	uint64_t first = VA & (PIECE - 1), end = first + len;
	uint8_t *want = calloc(reg[to].pieces, PIECE);
	bool good = true;

	for (uint64_t p = 0; p << SHIFT < end; p++) {
		uint64_t a = p ? 0 : first, b = end - (p << SHIFT) < PIECE ? end - (p << SHIFT) : PIECE;

		memcpy(want + (p % reg[to].pieces) * PIECE + a, src + (p % reg[!to].pieces) * PIECE + a, b - a);
	}
	for (size_t i = 0; i < (size_t)reg[to].pieces * PIECE && good; i++)
		if (want[i] != dst[i]) {
			printf("not ok %s - byte %zu of the destination is %02x, expected %02x\n", what, i, dst[i], want[i]);
			good = false;
		}
	free(want);
	return good;
}

static void connect(void)
{
	for (int i = 0; i < 2; i++)
		qp[i] = ohv_create_qp(dev[i], OHCA_QP_TYPE_RC, cq[i], cq[i], 6, 6, 6);
	for (int i = 0; i < 2; i++) {
		struct ohv_qp_attr a = {
			.dqpn = qp[!i]->qpn, .sq_psn = i ? 0xfffff0 : 0x123, .rq_psn = i ? 0x123 : 0xfffff0, .mtu = mtu, .timeout = 14,
			.retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4, .access = 3, .av.dlid = dev[!i]->lid,
		};
		int st = ohv_connect(qp[i], &a);

		if (st)
			ohv_fail("connect: status %d", st);
	}
}

/* One completion; says how far the wire is while it waits. */
static bool complete(int n, struct ohca_cqe *e, const char *what)
{
	uint64_t begin = fab->cycle;
	time_t start = time(NULL), said = start;

	while (fab->cycle - begin < CYCLES) {
		if (ohv_wait(cq[n], e, 100000))
			return true;
		if (time(NULL) - said >= 30) {
			said = time(NULL);
			printf("# %s: %llu cycles, %lld s; packets sent: %llu and %llu\n", what, (unsigned long long)(fab->cycle - begin), (long long)(said - start),
			       (unsigned long long)fabric_read64(fab, 0, OHCA_REG_COUNTERS + 8 * OHCA_COUNTER_TX_PKTS),
			       (unsigned long long)fabric_read64(fab, 1, OHCA_REG_COUNTERS + 8 * OHCA_COUNTER_TX_PKTS));
			fflush(stdout);
		}
	}
	printf("not ok %s - no completion after %llu cycles\n", what, CYCLES);
	return false;
}

static uint64_t count(int n, unsigned counter)
{
	return fabric_read64(fab, (unsigned)n, OHCA_REG_COUNTERS + 8 * counter);
}

static bool run(unsigned op, const char *what)
{
	bool read = op == OHCA_WR_OP_RDMA_READ, send = op == OHCA_WR_OP_SEND;
	/* Scatter entries have 31 bits of length: two make the whole, and no border is aligned. */
	uint64_t half = len / 2 + 12345;
	struct ohv_sge s[2] = { { VA, (uint32_t)half, reg[0].key }, { VA + half, (uint32_t)(len - half), reg[0].key } };
	struct ohv_sge r[2] = { { VA, (uint32_t)(len - half), reg[1].key }, { VA + len - half, (uint32_t)half, reg[1].key } };
	struct ohv_wr wr = { .op = op, .signaled = true, .sge = s, .nsge = 2, .raddr = VA, .rkey = reg[1].key };
	uint64_t begin = fab->cycle, resent = count(0, OHCA_COUNTER_TX_RETRY), late = count(0, OHCA_COUNTER_TX_TIMEOUT);
	struct ohca_cqe e;

	fill(read ? 1 : 0, true);
	fill(read ? 0 : 1, false);
	if (send)
		ohv_post_recv(qp[1], r, 2);
	ohv_post_send(qp[0], &wr);
	ohv_ring(qp[0]);
	if (!complete(0, &e, what))
		return false;
	if (OHCA_GET(OHCA_CQE_STATUS, &e)) {
		printf("not ok %s - status %u vendor %u\n", what, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e), (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, &e));
		return false;
	}
	if (send && (!complete(1, &e, what) || OHCA_GET(OHCA_CQE_STATUS, &e) || OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != len)) {
		printf("not ok %s - the receiver's completion: status %u, %u bytes\n", what, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e),
		       (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, &e));
		return false;
	}
	if (!compare(read ? 0 : 1, what))
		return false;
	resent = count(0, OHCA_COUNTER_TX_RETRY) - resent;
	late = count(0, OHCA_COUNTER_TX_TIMEOUT) - late;
	if (resent || late) {
		printf("not ok %s - on a cable that loses nothing %llu were sent again, %llu timers ended\n", what, (unsigned long long)resent, (unsigned long long)late);
		return false;
	}
	printf("ok %s # %llu bytes, %llu cycles, %.2f bytes a cycle\n", what, (unsigned long long)len, (unsigned long long)(fab->cycle - begin),
	       (double)len / (double)(fab->cycle - begin));
	fflush(stdout);
	return true;
}

/* 2^31 + 1 bytes: IBA 9.7.4, a message has at most 2^31. Told to the one who posted it, nothing sent, and the QP is in error. */
static bool refused(unsigned op, const char *what)
{
	struct ohv_sge s[2] = { { VA, 0x7fffffff, reg[0].key }, { VA, 2, reg[0].key } };
	struct ohv_wr wr = { .op = op, .signaled = true, .sge = s, .nsge = 2, .raddr = VA, .rkey = reg[1].key };
	struct ohca_cqe e;
	uint64_t sent;

	ohv_destroy_qp(qp[0]);
	ohv_destroy_qp(qp[1]);
	connect();
	sent = count(0, OHCA_COUNTER_TX_PKTS);
	ohv_post_send(qp[0], &wr);
	ohv_ring(qp[0]);
	if (!complete(0, &e, what))
		return false;
	if (OHCA_GET(OHCA_CQE_STATUS, &e) != OHCA_WC_STATUS_LOC_LEN || count(0, OHCA_COUNTER_TX_PKTS) != sent) {
		printf("not ok %s - status %u, %llu packets sent\n", what, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e),
		       (unsigned long long)(count(0, OHCA_COUNTER_TX_PKTS) - sent));
		return false;
	}
	printf("ok %s\n", what);
	return true;
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "roce", 0, NULL, 'r' }, { 0 } };
	struct fabric_config cfg;
	unsigned width = 512, bytes, bad = 0;
	char name[40];
	uint64_t seed = 1;
	int c;

	while ((c = getopt_long(argc, argv, "w:L:m:s:", opts, NULL)) != -1) {
		if (c == 'w')
			width = (unsigned)atoi(optarg);
		else if (c == 'L' && atoi(optarg) >= 20 && atoi(optarg) <= 31)
			len = 1ull << atoi(optarg);
		else if (c == 'm') {
			bytes = (unsigned)atoi(optarg);
			for (mtu = OHCA_MTU_MTU256; mtu < OHCA_MTU_MTU4096 && 128u << mtu < bytes; mtu++)
				;
		} else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'r')
			ohv_roce = true;
		else
			return 2;
	}
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = "build/firmware/ohca_fw.hex";
	cfg.seed = seed;
	printf("# width %u, %llu bytes, MTU %u%s\n", width, (unsigned long long)len, 128u << mtu, ohv_roce ? ", RoCEv2" : "");
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (int i = 0; i < 2; i++) {
		dev[i] = ohv_open(fab, (unsigned)i, 96u << 20);
		ohv_port_up(dev[i], (uint16_t)(i + 1));
	}
	for (int i = 0; i < 2; i++) {
		ohv_port_wait(dev[i]);
		cq[i] = ohv_create_cq(dev[i], 7);
	}
	map(0, 1ull << 31, 7);
	map(1, 1ull << 31, 5);
	connect();
	for (unsigned i = 0; i < 6; i++) {
		static const struct {
			const char *word, *name;
			unsigned op;
			bool refuse;
		} all[] = {
			{ "write", "huge-write", OHCA_WR_OP_RDMA_WRITE, false }, { "send", "huge-send", OHCA_WR_OP_SEND, false },
			{ "read", "huge-read", OHCA_WR_OP_RDMA_READ, false }, { "refused", "huge-write-refused", OHCA_WR_OP_RDMA_WRITE, true },
			{ "refused", "huge-send-refused", OHCA_WR_OP_SEND, true }, { "refused", "huge-read-refused", OHCA_WR_OP_RDMA_READ, true },
		};
		bool wanted = optind >= argc;

		for (int a = optind; a < argc; a++)
			wanted |= !strcmp(argv[a], all[i].word);
		snprintf(name, sizeof(name), "%s-%u%s", all[i].name, width, ohv_roce ? "-roce" : "");
		if (wanted && !(all[i].refuse ? refused(all[i].op, name) : run(all[i].op, name)))
			bad++;
		if (bad)
			break;
	}
	fabric_destroy(fab);
	return bad != 0;
}
