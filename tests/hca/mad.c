// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Management on the whole adapter, twice, with a cable between: node 0 plays the subnet manager. It asks node 1 by directed
 * routes from its QP0, brings both ports up, gets traps, takes the link down and up again, and resets node 1.
 *
 *   mad [-w WIDTH] [-t TRACE.fst] [-p PCAP] [-f FIRMWARE.hex] [-s SEED]
 *
 * Prints one line per case: "ok NAME" or "not ok NAME - reason". The cases build on each other: the first failure ends the run.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ohv.h"

#define VA 0x10000000ull
#define MR_LEN 0x40000u
#define SLOTS 16			/* receive WQEs of each QP0 */
#define SLOT 512u
#define WAIT 400000ull
#define MANAGER 17			/* LID of node 0; node 1 has 8 */

enum { GET = 1, SET = 2, TRAP = 5, REPRESS = 7, RESP = 0x81 };
enum { NODE_DESC = 0x10, NODE_INFO = 0x11, PORT_INFO = 0x15, PKEYS = 0x16, SM_INFO = 0x20 };

static struct fabric *fab;
static struct ohv_dev *dev[2];
static struct ohv_mr *mr[2];
static struct ohv_cq *scq[2], *rcq[2];
static struct ohv_qp *qp0[2];
static char why[256];

static bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}

static uint64_t be(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

static void put(uint8_t *p, unsigned n, uint64_t v)
{
	while (n--) {
		p[n] = (uint8_t)v;
		v >>= 8;
	}
}

static void smp_new(uint8_t *m, bool dr, unsigned method, unsigned attr, uint32_t mod)
{
	static uint64_t tid = 0x1234567800000000ull;

	memset(m, 0, 256);
	m[0] = 1;
	m[1] = dr ? 0x81 : 1;
	m[2] = 1;
	m[3] = (uint8_t)method;
	put(m + 8, 8, ++tid);
	put(m + 16, 2, attr);
	put(m + 20, 4, mod);
	if (dr) {
		m[6] = m[7] = 1;		/* as the kernel hands it to QP0: one hop, the first begun */
		m[129] = 1;
		memset(m + 32, 0xff, 4);
	}
}

static void recv_post(int n, uint32_t slot)
{
	struct ohv_sge s = { VA + SLOT * (slot % SLOTS), 296, mr[n]->key };

	ohv_post_recv(qp0[n], &s, 1);
}

/* The next MAD that reaches QP0 of node n. */
static bool recv_mad(int n, uint8_t *m, unsigned *slid, uint64_t cycles)
{
	struct ohca_cqe e;
	uint32_t idx;

	if (!ohv_wait(rcq[n], &e, cycles))
		return false;
	idx = OHCA_GET(OHCA_CQE_WQE_IDX, &e);
	if (OHCA_GET(OHCA_CQE_STATUS, &e) || OHCA_GET(OHCA_CQE_BYTE_LEN, &e) != 296 || OHCA_GET(OHCA_CQE_QPN, &e) ||
	    OHCA_GET(OHCA_CQE_SRC_QP, &e))
		ohv_fail("QP0 of node %d: status %u, %u bytes from QP %u", n, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e),
			 (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, &e), (unsigned)OHCA_GET(OHCA_CQE_SRC_QP, &e));
	ohv_read(mr[n], SLOT * (idx % SLOTS) + 40, m, 256);
	if (slid)
		*slid = OHCA_GET(OHCA_CQE_SLID, &e);
	recv_post(n, idx);
	return true;
}

static bool send_mad(int n, const uint8_t *m)
{
	bool dr = m[1] == 0x81;
	struct ohv_sge s = { VA + SLOT * SLOTS, 256, mr[n]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .vl15 = true, .slid_permissive = dr,
			     .av.dlid = dr ? 0xffff : dev[!n]->lid };
	struct ohca_cqe e;

	ohv_write(mr[n], SLOT * SLOTS, m, 256);
	ohv_post_send(qp0[n], &wr);
	ohv_ring(qp0[n]);
	if (!ohv_wait(scq[n], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
		return fail("QP0 of node %d: the SMP does not leave", n);
	return true;
}

/* Node 0 asks node 1; the answer replaces m. */
static bool exchange(uint8_t *m)
{
	uint8_t q[256];

	memcpy(q, m, 256);
	if (!send_mad(0, m))
		return false;
	if (!recv_mad(0, m, NULL, WAIT))
		return fail("no answer to method %u attribute %#x", q[3], (unsigned)be(q + 16, 2));
	if (m[3] != RESP || memcmp(m + 8, q + 8, 8) || memcmp(m + 16, q + 16, 8))
		return fail("method %#x attribute %#x came back for attribute %#x", m[3], (unsigned)be(m + 16, 2), (unsigned)be(q + 16, 2));
	if (q[1] == 0x81 && (m[4] != 0x80 || m[6] != 1 || m[7] != 1 || m[193] != 1))
		return fail("directed route: status %#x, hop %u of %u, return path %u", (unsigned)be(m + 4, 2), m[6], m[7], m[193]);
	return true;
}

static unsigned mad_status(const uint8_t *m)
{
	return be(m + 4, 2) & 0x7fff;
}

static bool ifc(int n, uint8_t *m, uint32_t *result)
{
	static uint8_t in[512];
	int st;

	memset(in, 0, sizeof(in));
	memcpy(in, m, 256);
	st = ohv_cmd(dev[n], OHCA_CMD_OP_MAD_IFC, 1, 0, in, 128, m, 64, result);
	return st ? fail("mad_ifc: status %d", st) : true;
}

static bool wait_state(int n, unsigned state)
{
	for (unsigned i = 0; ohv_port_state(dev[n]) != state; i++) {
		if (i > 200)
			return fail("node %d: port state %u, expected %u", n, ohv_port_state(dev[n]), state);
		fabric_run(fab, 1000, NULL, NULL);
	}
	return true;
}

/* ------------------------------------------------------------------ cases */

static bool t_local(void)
{
	uint8_t m[256];
	uint32_t r;

	for (int n = 0; n < 2; n++) {
		struct ohca_cmd_query_dev_out q;

		if (ohv_cmd(dev[n], OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &q, sizeof(q) / 4, NULL))
			return fail("query_dev");
		smp_new(m, true, GET, NODE_INFO, 0);
		m[6] = m[7] = 0;
		if (!ifc(n, m, &r))
			return false;
		if (r != 1 || be(m + 4, 2) != 0x8000 || be(m + 64 + 12, 8) != OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_NODE_GUID, &q) ||
		    be(m + 64 + 20, 8) != OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_PORT_GUID, &q))
			return fail("NodeInfo: result %u, status %#x, GUID %#llx", r, (unsigned)be(m + 4, 2), (unsigned long long)be(m + 76, 8));
		smp_new(m, false, GET, SM_INFO, 0);
		if (!ifc(n, m, &r) || r)
			return fail("SMInfo is the manager's");
		smp_new(m, false, SET, PORT_INFO, 0);
		put(m + 64 + 16, 2, 0xc001);
		if (!ifc(n, m, &r) || mad_status(m) != 0x1c)
			return fail("a multicast LID was taken");
	}
	return true;
}

/* Bad commands: each is refused, and the device goes on. */
static bool t_garbage(void)
{
	static const struct { unsigned op, mod, op_mod, st; } c[] = {
		{ 0x7f, 0, 0, OHCA_CMD_STATUS_BAD_OP }, { 0xffff, ~0u, 255, OHCA_CMD_STATUS_BAD_OP },
		{ OHCA_CMD_OP_INIT_DEV, 0, 0, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_QUERY_PORT, 2, 0, OHCA_CMD_STATUS_BAD_PARAM },
		{ OHCA_CMD_OP_CREATE_QP, ~0u, 0, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_MODIFY_QP, 99999, 3, OHCA_CMD_STATUS_BAD_PARAM },
		{ OHCA_CMD_OP_DESTROY_QP, 0xffffffff, 0, OHCA_CMD_STATUS_NOT_FOUND }, { OHCA_CMD_OP_QUERY_QP, 77, 0, OHCA_CMD_STATUS_NOT_FOUND },
		{ OHCA_CMD_OP_CREATE_CQ, 5, 0, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_CREATE_MKEY, 5, 0, OHCA_CMD_STATUS_BAD_PARAM },
		{ OHCA_CMD_OP_CREATE_EQ, 16, 0, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_MAP_ICM, 33, 0, OHCA_CMD_STATUS_BAD_PARAM },
		{ OHCA_CMD_OP_UNMAP_ICM, 60000, 1, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_MAD_IFC, 1, 0, OHCA_CMD_STATUS_BAD_PARAM },
		{ OHCA_CMD_OP_SET_PORT, 1, 0, OHCA_CMD_STATUS_BAD_PARAM }, { OHCA_CMD_OP_SYNC_TPT, 1, 0, OHCA_CMD_STATUS_BAD_PARAM },
	};
	uint32_t junk[128], imm;
	struct ohca_cqe e;

	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
			int st;

			for (unsigned k = 0; k < 128; k++)
				junk[k] = (uint32_t)(ohv_rand(dev[1]) | (round ? 0x80000000u : 0xffff0000u));
			st = ohv_cmd(dev[1], c[i].op, c[i].mod, c[i].op_mod, junk, 128, NULL, 0, NULL);
			/* which check comes first is up to firmware where several fail */
			if (!st || (c[i].op != OHCA_CMD_OP_INIT_DEV && (unsigned)st != c[i].st))
				return fail("opcode %#x: status %d, expected %u", c[i].op, st, c[i].st);
		}
	if (ohv_cmd(dev[1], OHCA_CMD_OP_NOP, 0x600d, 0, NULL, 0, NULL, 0, &imm) || imm != 0x600d)
		return fail("NOP");
	return !ohv_poll(rcq[1], &e) || fail("something arrived");
}

static bool t_dr_node_info(void)
{
	uint8_t m[256];
	struct ohca_cmd_query_dev_out q;

	ohv_cmd(dev[1], OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &q, sizeof(q) / 4, NULL);
	smp_new(m, true, GET, NODE_INFO, 0);
	if (!exchange(m))
		return false;
	if (mad_status(m) || m[64] != 1 || m[66] != 1 || be(m + 76, 8) != OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_NODE_GUID, &q))
		return fail("status %#x, type %u, GUID %#llx", mad_status(m), m[66], (unsigned long long)be(m + 76, 8));
	smp_new(m, true, GET, NODE_DESC, 0);
	if (!exchange(m))
		return false;
	if (mad_status(m) || strcmp((char *)m + 64, "OpenHCA"))
		return fail("description \"%.64s\"", m + 64);
	smp_new(m, true, GET, 0x12, 0);
	if (!exchange(m))
		return false;
	return mad_status(m) == 0x0c || fail("SwitchInfo: status %#x", mad_status(m));
}

/* What a manager sends to SMInfo reaches the host's QP0, and its answer the manager. */
static bool t_dr_sm_info(void)
{
	uint8_t m[256], q[256];
	unsigned slid;

	smp_new(q, true, GET, SM_INFO, 0);
	if (!send_mad(0, q))
		return false;
	if (!recv_mad(1, m, &slid, WAIT))
		return fail("it does not reach the host");
	if (memcmp(m, q, 256) || slid != 0xffff)
		return fail("it was changed on the way, source LID %#x", slid);
	m[3] = RESP;
	m[4] = 0x80;
	m[193] = 1;
	put(m + 64, 8, 0xabcdef);
	if (!send_mad(1, m))
		return false;
	if (!recv_mad(0, q, NULL, WAIT))
		return fail("the answer does not come back");
	return !memcmp(m, q, 256) || fail("the answer was changed");
}

/* Set(PortInfo) of node n through the route that a manager on node 0 has. vls: OperationalVLs, at most as many as the build has. */
static bool set_port(int n, unsigned state, uint16_t lid, unsigned vls, uint64_t mkey, unsigned want)
{
	uint8_t m[256], d[64];
	uint32_t r;

	smp_new(m, true, GET, PORT_INFO, 0);
	put(m + 24, 8, mkey);
	if (n ? !exchange(m) : (m[6] = m[7] = 0, !ifc(0, m, &r)))
		return false;
	memcpy(d, m + 64, 64);
	put(d, 8, mkey);
	put(d + 16, 2, lid);
	put(d + 18, 2, MANAGER);
	d[29] = 0;
	d[32] = (uint8_t)state;
	d[33] = 2;
	d[35] = 0;
	d[36] = OHCA_MTU_MTU2048 << 4;
	d[43] = (uint8_t)((vls < d[37] >> 4 ? vls : d[37] >> 4) << 4);
	d[51] = 0;			/* traps as often as they may be */
	d[63] = 0;
	smp_new(m, true, SET, PORT_INFO, 0x80000000);
	put(m + 24, 8, mkey);
	memcpy(m + 64, d, 64);
	if (n ? !exchange(m) : (m[6] = m[7] = 0, !ifc(0, m, &r)))
		return false;
	if (mad_status(m) != want)
		return fail("node %d: Set(PortInfo) state %u: status %#x", n, state, mad_status(m));
	dev[n]->lid = lid;
	return true;
}

static bool up(unsigned vls)
{
	for (unsigned state = 3; state <= 4; state++)
		for (int n = 1; n >= 0; n--)
			if (!set_port(n, state, n ? 8 : MANAGER, vls, 0, 0))
				return false;
	return wait_state(0, 4) && wait_state(1, 4);
}

static bool t_bring_up(void)
{
	uint8_t m[256];

	if (!wait_state(0, 2) || !wait_state(1, 2) || !set_port(1, 4, 8, 1, 0, 0x1c) || !wait_state(1, 2) || !up(1))
		return false;
	/* LID routed from now on */
	smp_new(m, false, GET, PORT_INFO, 0);
	if (!exchange(m))
		return false;
	return (m[64 + 32] & 15) == 4 || fail("state %u", m[64 + 32] & 15);
}

/* Data in both directions, more than the credits of one buffer */
static bool traffic(void)
{
	struct ohv_qp *q[2];
	static uint8_t a[0x20000], b[0x20000];

	for (int n = 0; n < 2; n++)
		q[n] = ohv_create_qp(dev[n], OHCA_QP_TYPE_RC, scq[n], rcq[n], 4, 4, 6);
	for (int n = 0; n < 2; n++) {
		struct ohv_qp_attr at = { .dqpn = q[!n]->qpn, .sq_psn = 1, .rq_psn = 1, .mtu = OHCA_MTU_MTU2048, .timeout = 12, .retry = 7,
					  .rnr_retry = 7, .max_rd = 1, .max_dest_rd = 1, .access = 3, .av.dlid = dev[!n]->lid };
		int st = ohv_connect(q[n], &at);

		if (st)
			return fail("connect: %d", st);
	}
	for (int n = 0; n < 2; n++) {
		struct ohv_sge s = { VA + 0x10000, 0x10000, mr[n]->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &s, .nsge = 1, .raddr = VA + 0x20000, .rkey = mr[!n]->key };

		for (unsigned i = 0; i < 0x10000; i++)
			a[i] = (uint8_t)ohv_rand(dev[n]);
		ohv_write(mr[n], 0x10000, a, 0x10000);
		ohv_post_send(q[n], &wr);
		ohv_ring(q[n]);
	}
	for (int n = 0; n < 2; n++) {
		struct ohca_cqe e;

		if (!ohv_wait(scq[n], &e, 4 * WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
			return fail("node %d: WRITE does not complete", n);
		ohv_read(mr[n], 0x10000, a, 0x10000);
		ohv_read(mr[!n], 0x20000, b, 0x10000);
		if (memcmp(a, b, 0x10000))
			return fail("node %d: wrong data", n);
	}
	for (int n = 0; n < 2; n++)
		if (ohv_destroy_qp(q[n]))
			return fail("destroy");
	return true;
}

static bool t_traffic(void)
{
	return traffic();
}

static bool t_counters(void)
{
	uint8_t m[256];
	uint32_t r;

	for (unsigned pass = 0; pass < 2; pass++) {
		smp_new(m, false, GET, 0x12, 0);
		m[1] = 4;
		m[65] = 1;
		if (!ifc(1, m, &r) || r != 1 || mad_status(m))
			return fail("PortCounters: result %u, status %#x", r, mad_status(m));
		if (!pass) {
			/* 32 packets of 2 KiB and more each way; no errors */
			if (be(m + 64 + 24, 4) < 16384 || be(m + 64 + 28, 4) < 16384 || be(m + 64 + 32, 4) < 32 || be(m + 64 + 36, 4) < 32)
				return fail("%llu dwords, %llu packets sent", (unsigned long long)be(m + 88, 4), (unsigned long long)be(m + 96, 4));
			if (be(m + 64 + 4, 8) || be(m + 64 + 12, 8) || be(m + 64 + 20, 4))
				return fail("errors were counted");
			m[3] = SET;
			memset(m + 66, 0xff, 2);
			if (!ifc(1, m, &r))
				return false;
		} else if (be(m + 64 + 24, 4) || be(m + 64 + 32, 4)) {
			return fail("not cleared");
		}
	}
	return true;
}

/* A sample of a millisecond, with traffic in it: no more than the counters tell, and all of the traffic. */
static bool t_samples(void)
{
	uint8_t m[256];
	uint32_t r, n[4];

	smp_new(m, false, GET, 0x10, 0);
	m[1] = 4;
	m[65] = 1;
	if (!ifc(1, m, &r) || r != 1 || mad_status(m) || m[64 + 11])
		return fail("PortSamplesControl: result %u, status %#x, sample status %u", r, mad_status(m), m[75]);
	m[3] = SET;
	put(m + 64 + 32, 4, 10000);		/* ticks of 100 ns */
	put(m + 64 + 36, 2, 0xcafe);
	if (!ifc(1, m, &r) || mad_status(m) || m[64 + 11] != 2)
		return fail("it does not begin: status %#x, sample status %u", mad_status(m), m[75]);
	if (!traffic())
		return false;
	for (unsigned i = 0;; i++) {
		smp_new(m, false, GET, 0x11, 0);
		m[1] = 4;
		if (!ifc(1, m, &r) || mad_status(m) || be(m + 64, 2) != 0xcafe)
			return fail("PortSamplesResult: status %#x, tag %#x", mad_status(m), (unsigned)be(m + 64, 2));
		if (!be(m + 66, 2))
			break;
		if (i > 40)
			return fail("it does not end");
		fabric_run(fab, 10000, NULL, NULL);
	}
	for (unsigned i = 0; i < 4; i++)
		n[i] = (uint32_t)be(m + 68 + 4 * i, 4);
	smp_new(m, false, GET, 0x12, 0);
	m[1] = 4;
	m[65] = 1;
	if (!ifc(1, m, &r))
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (n[i] < (i < 2 ? 16384 : 32) || n[i] > be(m + 64 + 24 + 4 * i, 4))
			return fail("quantity %u: %u in the sample, %u in the counter", i, n[i], (unsigned)be(m + 88 + 4 * i, 4));
	return true;
}

/* Node 1 has news: it tells the manager until that represses it. */
static bool t_trap(void)
{
	uint8_t m[256], tid[8], desc[64] = "node one";
	unsigned slid;

	if (ohv_cmd(dev[1], OHCA_CMD_OP_SET_NODE_DESC, 0, 0, desc, 16, NULL, 0, NULL))
		return fail("set_node_desc");
	if (!recv_mad(0, m, &slid, WAIT))
		return fail("no trap");
	if (m[3] != TRAP || be(m + 64 + 4, 2) != 144 || be(m + 76, 2) != dev[1]->lid || slid != dev[1]->lid)
		return fail("method %#x, trap %u from LID %u", m[3], (unsigned)be(m + 68, 2), slid);
	memcpy(tid, m + 8, 8);
	if (!recv_mad(0, m, NULL, 6000000) || memcmp(tid, m + 8, 8))
		return fail("it is not repeated");
	smp_new(m, false, REPRESS, 2, 0);
	memcpy(m + 8, tid, 8);
	if (!send_mad(0, m))
		return false;
	return !recv_mad(0, m, NULL, 12000000) || fail("something came after the repress: method %#x", m[3]);
}

static bool t_mkey(void)
{
	uint8_t m[256];

	if (!set_port(1, 0, 8, 1, 0x5eed, 0))
		return false;
	smp_new(m, true, SET, PKEYS, 0);
	memset(m + 64, 0x55, 64);
	if (!send_mad(0, m))
		return false;
	/* no answer, but a trap */
	if (!recv_mad(0, m, NULL, WAIT))
		return fail("no trap");
	if (m[3] != TRAP || be(m + 68, 2) != 256 || m[64 + 16] != SET || be(m + 64 + 18, 2) != PKEYS)
		return fail("method %#x, trap %u", m[3], (unsigned)be(m + 68, 2));
	m[3] = REPRESS;
	put(m + 24, 8, 0x5eed);
	if (!send_mad(0, m))
		return false;
	smp_new(m, true, GET, PKEYS, 0);
	if (!exchange(m))
		return false;
	if (be(m + 64, 4) != 0xffff0000)
		return fail("the P_Keys were set");
	smp_new(m, true, GET, PORT_INFO, 0);
	if (!exchange(m))
		return false;
	if (be(m + 64 + 44, 2) != 1)
		return fail("%u violations counted", (unsigned)be(m + 108, 2));
	/* take the key away again */
	memmove(m + 64, m + 64, 64);
	m[3] = SET;
	m[4] = m[5] = 0;
	put(m + 24, 8, 0x5eed);
	put(m + 64, 8, 0);
	m[64 + 32] &= 0xf0;
	m[64 + 33] = 2;
	return exchange(m) && (!mad_status(m) || fail("status %#x", mad_status(m)));
}

/* The P_Keys of node n: two of them. */
static bool set_pkeys(int n, unsigned first, unsigned second)
{
	uint8_t m[256];
	uint32_t r;

	smp_new(m, false, SET, PKEYS, 0);
	put(m + 64, 2, first);
	put(m + 66, 2, second);
	if (n ? !exchange(m) : !ifc(0, m, &r))
		return false;
	return !mad_status(m) || fail("Set(P_KeyTable): status %#x", mad_status(m));
}

/* Trap num of node 1 comes with what was wrong, and is repressed. GIDs only with grh, and not of a Compact build, which verifies no checksums either. */
static bool key_trap(unsigned num, uint32_t key, unsigned sl, uint32_t qp1, uint32_t qp2, bool grh)
{
	uint8_t m[256], want[54] = { 0 };

	if (!recv_mad(0, m, NULL, WAIT))
		return fail("no trap %u", num);
	if (m[3] != TRAP || m[64] != 0x82 || be(m + 68, 2) != num || be(m + 70, 2) != dev[1]->lid)
		return fail("method %#x, type %#x, trap %u instead of %u", m[3], m[64], (unsigned)be(m + 68, 2), num);
	put(want + 2, 2, dev[0]->lid);
	put(want + 4, 2, dev[1]->lid);
	put(want + 6, 4, key);
	put(want + 10, 4, sl << 28 | qp1);
	put(want + 14, 4, qp2);
	grh &= OHCA_EXTRACT(OHCA_REG_HW_CFG_UD_CSUM, fabric_read32(fab, 1, OHCA_REG_HW_CFG)) != 0;
	for (int n = 0; n < 2 && grh; n++)
		if (ohv_cmd(dev[n], OHCA_CMD_OP_QUERY_GID, 1, 0, NULL, 0, want + 18 + 16 * n, 4, NULL))
			return fail("query_gid");
	for (unsigned i = 0; i < sizeof(want); i++)
		if (m[74 + i] != want[i])
			return fail("trap %u: byte %u of the details is %02x, expected %02x", num, i, m[74 + i], want[i]);
	m[3] = REPRESS;
	return send_mad(0, m);
}

static bool violations(unsigned pkeys, unsigned qkeys)
{
	uint8_t m[256];

	smp_new(m, false, GET, PORT_INFO, 0);
	if (!exchange(m))
		return false;
	return (be(m + 64 + 46, 2) == pkeys && be(m + 64 + 48, 2) == qkeys) ||
	       fail("%u and %u violations of keys, expected %u and %u", (unsigned)be(m + 110, 2), (unsigned)be(m + 112, 2), pkeys, qkeys);
}

/* Packets with a bad Q_Key or P_Key are refused, and the manager is told by whom; a flood of them is told once. */
static bool t_bad_keys(void)
{
	struct ohv_qp_attr at = { .qkey = 0x1234, .sq_psn = 0 };
	struct ohv_qp_attr rc = { .sq_psn = 1, .rq_psn = 1, .mtu = OHCA_MTU_MTU2048, .timeout = 8, .retry = 7, .rnr_retry = 7, .max_rd = 1,
				  .max_dest_rd = 1, .access = 3 };
	struct ohv_sge s = { VA + 0x10000, 64, mr[0]->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_SEND, .signaled = true, .sge = &s, .nsge = 1, .qkey = 0x1235, .av.sl = 3, .av.dlid = dev[1]->lid };
	struct ohv_sge rs = { VA + 0x10000, 0x30000, mr[1]->key };
	struct ohv_wr rd = { .op = OHCA_WR_OP_RDMA_READ, .signaled = true, .sge = &rs, .nsge = 1, .raddr = VA + 0x10000, .rkey = mr[0]->key };
	struct ohv_cq *sent[2];
	struct ohv_qp *ud[2], *c[2];
	struct ohca_cqe e;
	uint8_t m[256];

	for (int n = 0; n < 2; n++) {
		sent[n] = ohv_create_cq(dev[n], 6);
		ud[n] = ohv_create_qp(dev[n], OHCA_QP_TYPE_UD, sent[n], rcq[n], 6, 4, 6);
		if (ohv_connect(ud[n], &at))
			return fail("connect");
	}
	wr.dqpn = ud[1]->qpn;
	for (unsigned i = 0; i < 20; i++)
		ohv_post_send(ud[0], &wr);
	ohv_ring(ud[0]);
	if (!key_trap(258, 0x1235, 3, ud[0]->qpn, ud[1]->qpn, false))
		return false;
	for (unsigned i = 0; i < 20; i++)
		if (!ohv_wait(sent[0], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
			return fail("a datagram does not leave");

	/* the other kind, by another path, meanwhile */
	if (!set_pkeys(0, 0x9001, 0xffff))
		return false;
	wr.av.grh = true;
	wr.av.hop_limit = 1;
	if (ohv_cmd(dev[1], OHCA_CMD_OP_QUERY_GID, 1, 0, NULL, 0, wr.av.dgid, 4, NULL))
		return fail("query_gid");
	ohv_post_send(ud[0], &wr);
	ohv_ring(ud[0]);
	if (!key_trap(257, 0x9001, 3, ud[0]->qpn, ud[1]->qpn, true) || !violations(1, 20))
		return false;
	if (!ohv_wait(sent[0], &e, WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
		return fail("a datagram does not leave");
	if (!set_pkeys(0, 0xffff, 0))
		return false;
	if (recv_mad(0, m, NULL, WAIT))
		return fail("something came after the repress: method %#x", m[3]);
	/* a subnet timeout, in which neither may be told again */
	fabric_run(fab, 6000000, NULL, NULL);

	/* Node 1 reads, and loses the P_Key while the responses come. */
	for (int n = 0; n < 2; n++)
		c[n] = ohv_create_qp(dev[n], OHCA_QP_TYPE_RC, sent[n], rcq[n], 4, 4, 6);
	for (int n = 0; n < 2; n++) {
		rc.dqpn = c[!n]->qpn;
		rc.av.dlid = dev[!n]->lid;
		if (ohv_connect(c[n], &rc))
			return fail("connect");
	}
	ohv_post_send(c[1], &rd);
	ohv_ring(c[1]);
	if (!set_pkeys(1, 0x8002, 0) || !key_trap(257, 0xffff, 0, 0, c[1]->qpn, false))
		return false;
	if (!set_pkeys(1, 0xffff, 0))
		return false;
	if (!ohv_wait(sent[1], &e, 20 * WAIT) || OHCA_GET(OHCA_CQE_STATUS, &e))
		return fail("the READ does not complete");

	for (int n = 0; n < 2; n++)
		if (ohv_destroy_qp(ud[n]) || ohv_destroy_qp(c[n]))
			return fail("destroy");
	/* the notices themselves cannot be asked for: IsNoticeSupported is not set */
	smp_new(m, false, GET, 2, 0);
	if (!exchange(m))
		return false;
	return mad_status(m) == 0x0c || fail("Get(Notice): status %#x", mad_status(m));
}

/* The manager takes node 1 down with other lanes; the answer comes, both ends train, and credits begin anew. */
static bool t_bounce(void)
{
	struct ohca_eqe ev;
	bool seen = false;

	while (ohv_event(dev[0], &ev))
		;
	if (!set_port(1, 1, 8, 3, 0, 0))
		return false;
	fabric_run(fab, 30000, NULL, NULL);
	if (!wait_state(0, 2) || !wait_state(1, 2))
		return false;
	while (ohv_event(dev[0], &ev))
		seen |= OHCA_GET(OHCA_EQE_TYPE, &ev) == OHCA_EQE_TYPE_PORT_CHANGE;
	if (!seen)
		return fail("node 0 has no event");
	return up(3) && traffic();
}

/* Set(PortInfo) of PortPhysicalState through the node's own host. */
static bool set_phys(int n, unsigned phys)
{
	uint8_t m[256], d[64];
	uint32_t r;

	smp_new(m, true, GET, PORT_INFO, 0);
	m[6] = m[7] = 0;
	if (!ifc(n, m, &r))
		return false;
	memcpy(d, m + 64, 64);
	d[32] &= 0xf0;
	d[33] = (uint8_t)(phys << 4 | 2);
	smp_new(m, true, SET, PORT_INFO, 0);
	m[6] = m[7] = 0;
	memcpy(m + 64, d, 64);
	if (!ifc(n, m, &r))
		return false;
	return !mad_status(m) || fail("node %d: Set(PortInfo) physical state %u: status %#x", n, phys, mad_status(m));
}

static int phys_state(int n)
{
	uint8_t m[256];
	uint32_t r;

	smp_new(m, true, GET, PORT_INFO, 0);
	m[6] = m[7] = 0;
	return ifc(n, m, &r) ? m[64 + 33] >> 4 : -1;
}

/* PortPhysicalState Disabled (IBA 14.2.5.6): no link at either end, for as long as nobody says Polling. */
static bool t_disabled(void)
{
	if (!set_phys(1, 3) || !wait_state(1, 1) || !wait_state(0, 1))
		return false;
	for (unsigned i = 0; i < 10; i++) {
		fabric_run(fab, 20000, NULL, NULL);
		if (ohv_port_state(dev[0]) != 1 || phys_state(0) != 2 || phys_state(1) != 3)
			return fail("node 0 has state %u, physical states are %d and %d", ohv_port_state(dev[0]), phys_state(0), phys_state(1));
	}
	return set_phys(1, 2) && wait_state(0, 2) && wait_state(1, 2) && up(3) && traffic();
}

/* A driver that starts resets its adapter: the peer sees the link go, and nothing of before is left. */
static bool t_reset(void)
{
	uint32_t v;

	fabric_write32(fab, 1, OHCA_REG_RESET, OHCA_REG_RESET_VALUE);
	if (!wait_state(0, 2))
		return false;
	for (unsigned i = 0; i < 1000; i++) {
		v = fabric_read32(fab, 1, OHCA_REG_STATUS);
		if (v & 1)
			break;
		fabric_run(fab, 1000, NULL, NULL);
	}
	if (v != 1)
		return fail("status register %#x", v);
	if (ohv_cmd(dev[1], OHCA_CMD_OP_QUERY_QP, 0, 0, NULL, 0, NULL, 0, NULL) != OHCA_CMD_STATUS_BAD_STATE)
		return fail("the device remembers");
	return wait_state(1, 2);
}

/* An idle fabric: virtual time runs, almost nothing is simulated. */
static bool t_idle(void)
{
	uint64_t c, s;
	uint32_t h = fabric_read32(fab, 0, OHCA_REG_HEALTH);

	/* tell the truth of a slow simulator */
	for (int n = 0; n < 2; n++) {
		fabric_write32(fab, (unsigned)n, OHCA_REG_TIME_SCALE, 1);
		ohv_cmd(dev[n], OHCA_CMD_OP_NOP, 0, 0, NULL, 0, NULL, 0, NULL);
	}
	fabric_run(fab, 20000, NULL, NULL);
	c = fab->cycle;
	s = fab->stepped;
	fabric_run(fab, 1000000, NULL, NULL);
	c = fab->cycle - c;
	s = fab->stepped - s;
	printf("# idle: %llu of %llu cycles simulated\n", (unsigned long long)s, (unsigned long long)c);
	if (fabric_read32(fab, 0, OHCA_REG_HEALTH) - h < 10)
		return fail("health moved by %u in a second", fabric_read32(fab, 0, OHCA_REG_HEALTH) - h);
	return s < c / 2 || fail("an idle fabric keeps the simulator busy: %llu of %llu cycles", (unsigned long long)s, (unsigned long long)c);
}

static const struct { const char *name; bool (*run)(void); } cases[] = {
	{ "mad-local", t_local }, { "mad-garbage", t_garbage }, { "mad-directed-get", t_dr_node_info }, { "mad-directed-sminfo", t_dr_sm_info },
	{ "mad-bring-up", t_bring_up }, { "mad-traffic", t_traffic }, { "mad-counters", t_counters }, { "mad-samples", t_samples }, { "mad-trap", t_trap },
	{ "mad-m-key", t_mkey }, { "mad-bad-keys", t_bad_keys }, { "mad-link-bounce", t_bounce }, { "mad-disabled", t_disabled }, { "mad-reset", t_reset }, { "mad-idle", t_idle },
};

int main(int argc, char **argv)
{
	struct fabric_config cfg;
	unsigned width = 64, bad = 0;
	const char *trace = NULL, *pcap = NULL, *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = 1;
	int c;

	while ((c = getopt(argc, argv, "w:t:p:f:s:")) != -1) {
		if (c == 'w')
			width = (unsigned)atoi(optarg);
		else if (c == 't')
			trace = optarg;
		else if (c == 'p')
			pcap = optarg;
		else if (c == 'f')
			fw = optarg;
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.trace = trace;
	cfg.seed = seed;
	if (pcap)
		cfg.pcap = pcapng_open(pcap, 1000.0 / cfg.clock_mhz, true);
	printf("# width %u, seed %llu\n", width, (unsigned long long)seed);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (int n = 0; n < 2; n++) {
		struct ohv_qp_attr a = { .qkey = 0, .sq_psn = 0 };
		int st;

		dev[n] = ohv_open(fab, (unsigned)n, 64u << 20);
		mr[n] = ohv_reg(dev[n], VA, MR_LEN, 7);
		scq[n] = ohv_create_cq(dev[n], 6);
		rcq[n] = ohv_create_cq(dev[n], 6);
		qp0[n] = ohv_create_qp(dev[n], OHCA_QP_TYPE_SMI, scq[n], rcq[n], 4, 4, 4);
		st = ohv_connect(qp0[n], &a);
		if (st)
			ohv_fail("QP0 of node %d: status %d", n, st);
		for (uint32_t i = 0; i < SLOTS; i++)
			recv_post(n, i);
	}
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]) && !bad; i++) {
		if (cases[i].run()) {
			printf("ok %s-%u\n", cases[i].name, width);
		} else {
			printf("not ok %s-%u - %s\n", cases[i].name, width, why);
			bad++;
		}
		fflush(stdout);
	}
	printf("# %llu cycles, %llu simulated\n", (unsigned long long)fab->cycle, (unsigned long long)fab->stepped);
	fabric_destroy(fab);
	if (cfg.pcap)
		pcapng_close(cfg.pcap);
	return bad != 0;
}
