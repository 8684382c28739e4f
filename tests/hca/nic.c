// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The network interfaces of two adapters with a cable between, alone and while RDMA traffic runs.
 *
 *   nic [-w WIDTH] [-s SEED] [-n FRAMES] [-f FIRMWARE] [-l LATENCY]
 *
 * Frames of 60 to 9216 bytes in up to three pieces, some with a checksum to fill in, to the peer, to a group, to all, and to stations that
 * do not exist. Each must arrive once, in order and unharmed, with the right sum, or be counted as dropped; what is for others must not
 * arrive. RDMA WRITEs run beside them, and every byte of these is compared. Then the rate of long frames. Then WRITEs to a host that takes them at a
 * fifth of the wire's rate: packets are lost and sent again; with priority flow control none is, and of two priorities only the one that floods is
 * paused. And the end of it all.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ohv.h"

#define LOG_TX 6
#define LOG_RX 6
#define LOG_CQ 7
#define BUF 9216u
#define SLOT 9472u
#define QUEUE 256u
#define QPS 4u
#define WLEN (256u << 10)
#define SRC_VA 0x10000000ull
#define DST_VA 0x20000000ull
#define XOFF 256u			/* units of 64 bytes */
#define XOFF_SMALL 64u			/* half of a wire buffer of 8 KiB */
#define PAUSE 512u			/* quanta */
#define STEADY 100u			/* cycles by which the host of a flood's sender is late at the most */

struct sent { uint8_t *data; unsigned len; };

struct side {
	struct ohv_dev *d;
	uint64_t tx, rx, cq, txbuf, rxbuf, seen, lost0, over0;
	uint16_t tx_pi, tx_ci, rx_pi, rx_ci;
	uint32_t cq_ci;
	struct sent way[QUEUE];		/* to this side */
	unsigned head, tail;
	uint64_t sent, received, missed, events;
	struct ohv_qp *q[QPS];
	struct ohv_cq *scq;
	struct ohv_mr *src, *dst;
	unsigned writes;
};

static struct fabric *fab;
static struct side side[2];
static struct rng rng;
static uint64_t goal = 400;
static uint32_t wire, xoff = XOFF;	/* size of the wire buffer; from where on it pauses: units of 64 bytes */
static bool small;			/* a wire buffer of less than 64 KiB: packets of 1 KiB, as more than two of 4 would not fit */

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static uint16_t inet_sum(const uint8_t *p, unsigned from, unsigned len)
{
	uint32_t s = 0;

	for (unsigned i = from; i < len; i += 2)
		s += (uint32_t)p[i] << 8 | (i + 1 < len ? p[i + 1] : 0);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

static uint64_t counter(struct side *s, unsigned n)
{
	return fabric_read64(fab, s->d->node, OHCA_REG_COUNTERS + 8 * n);
}

static uint64_t drops(struct side *s)
{
	return counter(s, OHCA_COUNTER_ETH_NIC_DROP) + counter(s, OHCA_COUNTER_NIC_NO_BUF) + counter(s, OHCA_COUNTER_NIC_TOO_LONG) +
	       counter(s, OHCA_COUNTER_NIC_BAD);
}

static void mac(uint8_t *p, unsigned lid)
{
	static const uint8_t m[4] = { 0x02, 0x0c, 0xa1, 0 };

	memcpy(p, m, 4);
	p[4] = 0;
	p[5] = (uint8_t)lid;
}

static int set_nic(struct side *s, bool on)
{
	struct ohca_cmd_nic_in in;

	memset(&in, 0, sizeof(in));
	if (on) {
		in.dw[0] = 3 | LOG_TX << 4 | LOG_RX << 8 | LOG_CQ << 12;
		OHCA_SET(OHCA_CMD_NIC_IN_MOD, &in, 4u << 16 | 300);
		OHCA_SET(OHCA_CMD_NIC_IN_TX, &in, s->tx);
		OHCA_SET(OHCA_CMD_NIC_IN_RX, &in, s->rx);
		OHCA_SET(OHCA_CMD_NIC_IN_CQ, &in, s->cq);
		memset(ohv_ptr(s->d, s->cq), 0, 16u << LOG_CQ);
		s->tx_pi = s->tx_ci = s->rx_pi = s->rx_ci = 0;
		s->cq_ci = 0;
	}
	return ohv_cmd(s->d, OHCA_CMD_OP_SET_NIC, 1, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
}

static int try_eth(struct side *s, uint32_t ctrl, uint32_t pfc, uint32_t from, uint32_t own, uint32_t cnp)
{
	struct ohca_cmd_eth_in e;

	memset(&e, 0, sizeof(e));
	mac((uint8_t *)e.dw, s->d->lid);
	OHCA_SET(OHCA_CMD_ETH_IN_MTU, &e, OHCA_MTU_MTU4096);
	e.dw[4] = ctrl;
	e.dw[5] = pfc;
	e.dw[7] = cnp;
	e.dw[6] = pfc ? from / 2 << 16 | from : 0;
	e.dw[8] = own;
	return ohv_cmd(s->d, OHCA_CMD_OP_SET_ETH, 1, 0, &e, sizeof(e) / 4, NULL, 0, NULL);
}

static void set_eth(struct side *s, uint32_t ctrl, uint32_t pfc, uint32_t own, uint32_t cnp)
{
	int st = try_eth(s, ctrl, pfc, xoff, own, cnp);

	if (st)
		ohv_fail("set_eth: status %d", st);
}

static void refill(struct side *s)
{
	bool any = false;

	while ((uint16_t)(s->rx_pi - s->rx_ci) < 1u << LOG_RX) {
		unsigned slot = s->rx_pi % (1u << LOG_RX);
		uint8_t *w = ohv_ptr(s->d, s->rx + 16 * slot);
		uint64_t a = s->rxbuf + (uint64_t)slot * SLOT;

		put32(w, (uint32_t)a);
		put32(w + 4, (uint32_t)(a >> 32));
		put32(w + 8, BUF);
		put32(w + 12, 0);
		s->rx_pi++;
		any = true;
	}
	if (any)
		fabric_write32(fab, s->d->node, OHCA_BAR_DB_BASE + OHCA_DB_NIC_RX, s->rx_pi);
}

/*
 * A frame from s. to: 0 the peer, 1 all, 2 somebody else. The descriptor has 12 bits for where a checksum begins and where it goes:
 * 4094 at the most, and never into the Ethernet header, whose addresses decide who gets the frame.
 */
static bool send_frame(struct side *s, unsigned len, unsigned to)
{
	struct side *peer = &side[s == side];
	unsigned half = len / 2 - 8, pieces = 1 + below(3), at = 0, cs = below(2);
	unsigned start = 2 * below(half < 2048 ? half : 2048), off = 14 + 2 * below(half < 2041 ? half : 2041);
	struct sent *f = &peer->way[peer->tail % QUEUE];
	uint8_t *data;

	if ((uint16_t)(s->tx_pi - s->tx_ci) + pieces > 1u << LOG_TX || peer->tail - peer->head >= QUEUE - 1)
		return false;
	data = malloc(len);
	for (unsigned i = 0; i < len; i++)
		data[i] = (uint8_t)rng_next(&rng);
	if (to == 1)
		memset(data, 0xff, 6);
	else
		mac(data, to ? 77 : peer->d->lid);
	mac(data + 6, s->d->lid);
	data[12] = 0x88;		/* for experiments */
	data[13] = 0xb5;
	for (unsigned i = 0; i < pieces; i++) {
		unsigned slot = s->tx_pi % (1u << LOG_TX), n = i + 1 == pieces ? len - at : 1 + below(len - at - (pieces - i));
		uint64_t a = s->txbuf + (uint64_t)slot * SLOT + below(200);
		uint8_t *w = ohv_ptr(s->d, s->tx + 16 * slot);

		memcpy(ohv_ptr(s->d, a), data + at, n);
		put32(w, (uint32_t)a);
		put32(w + 4, (uint32_t)(a >> 32));
		put32(w + 8, n);
		put32(w + 12, (i + 1 == pieces) | (i ? 0 : cs << 1 | start << 8 | off << 20) | 1u << 2);
		at += n;
		s->tx_pi++;
	}
	if (cs) {
		uint16_t v = (uint16_t)~inet_sum(data, start, len);

		v = v ? v : 0xffff;
		data[off] = (uint8_t)(v >> 8);
		data[off + 1] = (uint8_t)v;
	}
	fabric_write32(fab, s->d->node, OHCA_BAR_DB_BASE + OHCA_DB_NIC_TX, s->tx_pi);
	if (to == 2) {
		free(data);
		return true;
	}
	f->data = data;
	f->len = len;
	peer->tail++;
	s->sent++;
	return true;
}

static void poll_nic(struct side *s)
{
	for (;;) {
		const uint8_t *p = ohv_ptr(s->d, s->cq + 16 * (s->cq_ci % (1u << LOG_CQ)));
		struct ohca_nic_cqe e;
		uint16_t idx, sum;
		unsigned len;
		const uint8_t *got;

		memcpy(&e, p, 16);
		if (OHCA_GET(OHCA_NIC_CQE_PHASE, &e) == (s->cq_ci >> LOG_CQ & 1))
			break;
		s->cq_ci++;
		idx = (uint16_t)OHCA_GET(OHCA_NIC_CQE_IDX, &e);
		if (OHCA_GET(OHCA_NIC_CQE_TX, &e)) {
			if (OHCA_GET(OHCA_NIC_CQE_ERROR, &e))
				ohv_fail("node %u: a frame was refused, descriptor %u", s->d->node, idx);
			s->tx_ci = (uint16_t)(idx + 1);
			continue;
		}
		if (idx != s->rx_ci)
			ohv_fail("node %u: buffer %u, not %u", s->d->node, idx, s->rx_ci);
		len = OHCA_GET(OHCA_NIC_CQE_LEN, &e);
		got = ohv_ptr(s->d, s->rxbuf + (uint64_t)(idx % (1u << LOG_RX)) * SLOT);
		s->rx_ci++;
		for (;; s->head++, s->missed++) {
			struct sent *f = &s->way[s->head % QUEUE];

			if (s->head == s->tail)
				ohv_fail("node %u: a frame of %u bytes that nobody sent, to %02x:%02x:…:%02x", s->d->node, len, got[0], got[1], got[5]);
			if (f->len == len && !memcmp(f->data, got, len))
				break;
			free(f->data);
		}
		free(s->way[s->head++ % QUEUE].data);
		s->received++;
		sum = (uint16_t)OHCA_GET(OHCA_NIC_CQE_SUM, &e);
		sum = (uint16_t)(sum << 8 | sum >> 8);
		if (sum % 0xffff != inet_sum(got, 14, len) % 0xffff)
			ohv_fail("node %u: sum %04x, not %04x", s->d->node, sum, inet_sum(got, 14, len));
	}
	refill(s);
}

static void arm(struct side *s)
{
	fabric_write32(fab, s->d->node, OHCA_BAR_DB_BASE + OHCA_DB_NIC_ARM, s->cq_ci & 0xffff);
}

/* Work when the interface says so, and only then. */
static void events(struct side *s)
{
	struct ohca_eqe e;

	while (ohv_event(s->d, &e)) {
		if (OHCA_GET(OHCA_EQE_TYPE, &e) != OHCA_EQE_TYPE_NIC)
			continue;
		s->events++;
		poll_nic(s);
		arm(s);
	}
}

static void post_writes(struct side *s, unsigned k)
{
	for (unsigned i = 0; i < QPS; i++) {
		struct ohv_sge sge = { SRC_VA + i * (WLEN / QPS), WLEN / QPS, s->src->key };
		struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &sge, .nsge = 1,
				     .raddr = DST_VA + i * (WLEN / QPS), .rkey = side[!k].dst->key };

		ohv_post_send(s->q[i], &wr);
		ohv_ring(s->q[i]);
		s->writes++;
	}
}

static bool quiet(void *ctx)
{
	(void)ctx;
	for (unsigned k = 0; k < 2; k++) {
		struct ohca_cqe e;

		events(&side[k]);
		while (ohv_poll(side[k].scq, &e)) {
			if (OHCA_GET(OHCA_CQE_STATUS, &e))
				ohv_fail("node %u: WRITE failed, status %u", k, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
			side[k].writes--;
		}
	}
	return !side[0].writes && !side[1].writes && side[0].tx_ci == side[0].tx_pi && side[1].tx_ci == side[1].tx_pi;
}

static void traffic(bool rdma)
{
	static uint8_t a[WLEN], b[WLEN];
	uint64_t stop = side[0].sent + side[1].sent + goal;

	if (rdma)
		for (unsigned k = 0; k < 2; k++) {
			for (unsigned i = 0; i < WLEN; i++)
				a[i] = (uint8_t)rng_next(&rng);
			ohv_write(side[k].src, 0, a, WLEN);
			post_writes(&side[k], k);
		}
	for (unsigned n = 0; side[0].sent + side[1].sent < stop; n++) {
		unsigned k = below(2);

		if (n > 1000000)
			ohv_fail("nothing leaves: %u of node 0, %u of node 1 wait", (uint16_t)(side[0].tx_pi - side[0].tx_ci),
				 (uint16_t)(side[1].tx_pi - side[1].tx_ci));
		send_frame(&side[k], below(10) ? 60 + below(1500) : 60 + below(9157), below(8) ? 0 : 1 + below(2));
		fabric_run(fab, below(200), NULL, NULL);
		quiet(NULL);
		if (rdma)
			for (k = 0; k < 2; k++)
				if (!side[k].writes)
					post_writes(&side[k], k);
	}
	if (!fabric_run(fab, 20000000, quiet, NULL))
		ohv_fail("%u and %u WRITEs, %u and %u descriptors do not end", side[0].writes, side[1].writes,
			 (uint16_t)(side[0].tx_pi - side[0].tx_ci), (uint16_t)(side[1].tx_pi - side[1].tx_ci));
	fabric_run(fab, 20000, NULL, NULL);
	quiet(NULL);
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];
		uint64_t lost = drops(s) - s->lost0, over = counter(s, OHCA_COUNTER_RX_OVERRUN) - s->over0;

		for (; s->head != s->tail; s->head++, s->missed++)
			free(s->way[s->head % QUEUE].data);
		/* What a wire buffer of 8 KiB has no room for may have been a frame or a packet. */
		if (s->missed < lost || s->missed - lost > over)
			ohv_fail("node %u: %llu frames are missing, %llu were counted, and %llu frames and packets without room", k,
				 (unsigned long long)s->missed, (unsigned long long)lost, (unsigned long long)over);
		if (s->missed * 10 > s->received)
			ohv_fail("node %u: %llu frames received, %llu lost", k, (unsigned long long)s->received, (unsigned long long)s->missed);
		if (rdma) {
			ohv_settle(fab);
			ohv_read(side[!k].src, 0, a, WLEN);
			ohv_read(s->dst, 0, b, WLEN);
			if (memcmp(a, b, WLEN))
				ohv_fail("node %u: RDMA data differ", k);
		}
	}
}

/*
 * Two rounds of WRITEs to node 1, whose host is slow: more than all its buffers together hold. Where node 0's host is so slow itself that they
 * do not fill, more of them, until something is lost, or with priority flow control paused.
 */
static void slow_host(bool pfc)
{
	static uint8_t a[WLEN], b[WLEN];
	uint64_t rate = fab->node[1].host.axi.cfg.rate, lost = counter(&side[1], OHCA_COUNTER_RX_OVERRUN), sent = counter(&side[1], OHCA_COUNTER_PFC_TX);
	uint64_t seen = counter(&side[0], OHCA_COUNTER_PFC_RX), before = pfc ? sent : lost, begin;
	unsigned at = pfc ? OHCA_COUNTER_PFC_TX : OHCA_COUNTER_RX_OVERRUN;

	for (unsigned k = 0; k < 2; k++)
		set_eth(&side[k], 1, pfc ? PAUSE << 16 | 0xffff : 0, 0, 0);
	for (unsigned i = 0; i < WLEN; i++)
		a[i] = (uint8_t)rng_next(&rng);
	ohv_write(side[0].src, 0, a, WLEN);
	fab->node[1].host.axi.cfg.rate = fab->link[0].w[0].rate / 5;
	begin = fab->cycle;
	for (unsigned i = 0; i < 2 || (i < 16 && counter(&side[1], at) == before); i += 2) {
		post_writes(&side[0], 0);
		post_writes(&side[0], 0);
		if (!fabric_run(fab, 100000000, quiet, NULL))
			ohv_fail("%u WRITEs to a slow host do not end", side[0].writes);
	}
	begin = fab->cycle - begin;
	fab->node[1].host.axi.cfg.rate = rate;
	fabric_run(fab, 20000, NULL, NULL);
	ohv_settle(fab);
	ohv_read(side[1].dst, 0, b, WLEN);
	if (memcmp(a, b, WLEN))
		ohv_fail("WRITEs to a slow host: data differ");
	lost = counter(&side[1], OHCA_COUNTER_RX_OVERRUN) - lost;
	sent = counter(&side[1], OHCA_COUNTER_PFC_TX) - sent;
	seen = counter(&side[0], OHCA_COUNTER_PFC_RX) - seen;
	printf("# WRITEs to a slow host%s: %llu cycles, %llu packets lost, %llu pauses sent, %llu received\n", pfc ? ", with pauses" : "",
	       (unsigned long long)begin, (unsigned long long)lost, (unsigned long long)sent, (unsigned long long)seen);
	if (pfc ? lost || !sent || sent != seen : !lost || sent)
		ohv_fail("priority flow control does not do what it should");
	if (pfc)
		for (unsigned k = 0; k < 2; k++)
			set_eth(&side[k], 1, 0, 0, 0);
}

static void one_write(unsigned i, unsigned at, unsigned len)
{
	struct ohv_sge sge = { SRC_VA + i * (WLEN / QPS) + at, len, side[0].src->key };
	struct ohv_wr wr = { .op = OHCA_WR_OP_RDMA_WRITE, .signaled = true, .sge = &sge, .nsge = 1,
			     .raddr = DST_VA + i * (WLEN / QPS) + at, .rkey = side[1].dst->key };

	ohv_post_send(side[0].q[i], &wr);
	ohv_ring(side[0].q[i]);
}

/*
 * A QP of one priority floods the slow host of node 1; one of another sends it short WRITEs, each when the one before has ended. own: what a priority may have of
 * the wire buffer, 0 = only the whole counts. Returns the cycles that the short ones took, and in *paused the priorities that node 1 has paused.
 *
 * What is sent has to fill the wire buffer, so node 0's host answers steadily. A random bus may answer one read in 32 thousands of cycles late for as long
 * as all of this takes: packets leave in their order, so each such read stops the wire, and the slow host keeps up with the rest.
 */
static uint64_t beside_flood(unsigned flood, unsigned other, uint32_t own, unsigned *paused)
{
	enum { LEN = 512, SHORT = 6, AHEAD = 4 };
	struct axi_host_cfg *bus = &fab->node[0].host.axi.cfg;
	const unsigned loose = bus->loose, region[2] = { flood * (WLEN / QPS), other * (WLEN / QPS) }, len[2] = { WLEN / QPS, SHORT * LEN };
	static uint8_t a[WLEN], b[WLEN];
	uint64_t rate = fab->node[1].host.axi.cfg.rate, lost = counter(&side[1], OHCA_COUNTER_RX_OVERRUN), sent = counter(&side[1], OHCA_COUNTER_PFC_TX);
	uint64_t begin = fab->cycle, took = 0, due = 0, seen = 0;
	unsigned left = 0, n = 0, en = 1u << (side[1].q[flood]->qpn & 7) | 1u << (side[1].q[other]->qpn & 7);

	for (unsigned k = 0; k < 2; k++)
		set_eth(&side[k], 1, PAUSE << 16 | en * 0x101u, own, 0);
	for (unsigned i = 0; i < WLEN; i++)
		a[i] = (uint8_t)rng_next(&rng);
	ohv_write(side[0].src, 0, a, WLEN);
	fab->node[1].host.axi.cfg.rate = fab->link[0].w[0].rate / 5;
	if (loose > STEADY)
		bus->loose = STEADY;
	one_write(other, 0, LEN);
	for (*paused = 0; n < SHORT || left;) {
		struct ohca_cqe e;

		while (n < SHORT && left < AHEAD) {
			one_write(flood, 0, WLEN / QPS);
			left++;
		}
		while (ohv_poll(side[0].scq, &e)) {
			if (OHCA_GET(OHCA_CQE_STATUS, &e))
				ohv_fail("WRITE beside a flood: status %u", (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
			if (OHCA_GET(OHCA_CQE_QPN, &e) == side[0].q[flood]->qpn)
				left--;
			else if (++n < SHORT)
				one_write(other, n * LEN, LEN);
			else
				took = fab->cycle - begin;
		}
		/* pauses on their way, each looked at once */
		for (struct packet *p = fab->link[0].w[1].head; p; p = p->next) {
			if (p->t_last < due || get_be16(p->data + 12) != 0x8808)
				continue;
			due = p->t_last + 1;
			seen++;
			if (p->len != 60 || get_be16(p->data + 14) != 0x0101 || !get_be16(p->data + 16) || (get_be16(p->data + 16) & ~en))
				ohv_fail("a pause is not made as it should be, or for somebody else");
			for (unsigned i = 0; i < 8; i++) {
				unsigned t = get_be16(p->data + 18 + 2 * i);

				if (t && (t != PAUSE || !(get_be16(p->data + 16) >> i & 1)))
					ohv_fail("priority %u is paused for %u quanta", i, t);
				*paused |= (t != 0) << i;
			}
		}
		if (fab->cycle - begin > 20000000)
			ohv_fail("WRITEs beside a flood do not end: %u long ones left, %u short ones have ended", left, n);
		fabric_run(fab, 5, NULL, NULL);
	}
	fab->node[1].host.axi.cfg.rate = rate;
	bus->loose = loose;
	fabric_run(fab, 20000, NULL, NULL);
	ohv_settle(fab);
	ohv_read(side[1].dst, 0, b, WLEN);
	for (unsigned i = 0; i < 2; i++)
		if (memcmp(a + region[i], b + region[i], len[i]))
			ohv_fail("WRITEs beside a flood: data differ");
	lost = counter(&side[1], OHCA_COUNTER_RX_OVERRUN) - lost;
	sent = counter(&side[1], OHCA_COUNTER_PFC_TX) - sent;
	printf("# %u short WRITEs beside a flood of another priority%s: %llu cycles, %llu pauses, of priorities %02x of %02x\n", n,
	       own ? ", own levels" : "", (unsigned long long)took, (unsigned long long)seen, *paused, en);
	if (lost || seen != sent)
		ohv_fail("%llu packets lost; %llu pauses sent, %llu seen", (unsigned long long)lost, (unsigned long long)sent, (unsigned long long)seen);
	for (unsigned k = 0; k < 2; k++)
		set_eth(&side[k], 1, 0, 0, 0);
	return took;
}

static void two_priorities(unsigned rounds)
{
	unsigned tagged[QPS], n = 0, both, one;
	uint64_t together = 0, apart = 0;

	/* those whose frames say their priority */
	for (unsigned i = 0; i < QPS; i++)
		if ((side[0].q[i]->qpn + side[1].q[i]->qpn) & 2)
			tagged[n++] = i;
	if (n < 2)
		ohv_fail("%u QPs with VLAN tags", n);
	/*
	 * What six WRITEs take varies by more than what they gain (a tenth at 512 bits, where they take 45,000 or 55,000
	 * cycles beside a paused priority), so it is the sum that counts, of enough of them.
	 */
	for (unsigned i = 0; i < rounds; i++) {
		together += beside_flood(tagged[0], tagged[1], 0, &both);
		apart += beside_flood(tagged[0], tagged[1], xoff / 6 << 16 | xoff / 3, &one);
		if (one != 1u << (side[1].q[tagged[0]]->qpn & 7) || both == one)
			ohv_fail("one priority floods, but %02x were paused", one);
	}
	/* A small buffer holds too little of the short ones beside what it has of the flood for that to gain. */
	if (!small && apart >= together)
		ohv_fail("%llu cycles beside a paused priority, %llu when both are paused", (unsigned long long)apart, (unsigned long long)together);
	printf("ok nic-priorities\n");
}

/* Every second packet to node 1 marked by the network: it notifies the senders' QPs, each once a gap, and node 0 hears it. */
static void marks(void)
{
	enum { GAP = 8, DSCP = 48, PCP = 6, ECT = 8 };
	static const unsigned at[] = { OHCA_COUNTER_RX_CE, OHCA_COUNTER_CNP_TX, OHCA_COUNTER_CNP_RX };
	uint64_t v[3], begin, most, per_qp[QPS] = { 0 }, seen = 0, due = 0, acks = 0;
	char err[128];
	struct fault *f = fault_parse("mark,dir=0,every=2", 1, err, sizeof(err));

	if (!f)
		ohv_fail("%s", err);
	set_eth(&side[1], 1 | ECT, 0, 0, GAP << 16 | PCP << 8 | DSCP << 2 | 1);
	for (unsigned i = 0; i < 3; i++)
		v[i] = counter(&side[i != 2], at[i]);
	fab->link[0].w[0].faults = f;
	begin = fab->cycle;
	post_writes(&side[0], 0);
	while (!quiet(NULL) && fab->cycle - begin < 2000000) {
		/* what is on its way back; a notification is looked at once, when it is new */
		for (struct packet *p = fab->link[0].w[1].head; p; p = p->next) {
			unsigned tag = get_be16(p->data + 12) == 0x8100, l2 = tag ? 18 : 14, v6, bth;
			const uint8_t *ip = p->data + l2;

			if (p->len < 60 || p->t_last < due)
				continue;
			v6 = ip[0] >> 4 == 6;
			bth = l2 + (v6 ? 48 : 28);
			/* what nobody would be told of is not marked: no notification, no acknowledge says that it can be */
			if ((p->data[bth] == 0x81 || p->data[bth] == 0x11) && ((v6 ? ip[1] >> 4 : ip[1]) & 3))
				ohv_fail("opcode %02x is sent as ECN-capable", p->data[bth]);
			acks += p->data[bth] == 0x11;
			if (p->data[bth] != 0x81)
				continue;
			due = p->t_last + 1;
			seen++;
			/* Annex A17.9.3: opcode 0x81, SE, M, PadCnt and TVer 0, BECN the only flag, no PSN */
			if (p->data[bth + 1] || p->data[bth + 4] != 0x40 || p->data[bth + 8] || p->data[bth + 9] || p->data[bth + 10] || p->data[bth + 11])
				ohv_fail("BTH of a congestion notification: %02x %02x .. %02x .. %02x %02x %02x %02x", p->data[bth], p->data[bth + 1],
					 p->data[bth + 4], p->data[bth + 8], p->data[bth + 9], p->data[bth + 10], p->data[bth + 11]);
			if ((v6 ? (get_be16(ip) >> 6 & 0x3f) : ip[1] >> 2u) != DSCP || (tag && p->data[14] >> 5 != PCP) ||
			    !(p->data[bth + 4] & 0x40) || (v6 ? get_be16(ip + 4) : get_be16(ip + 2) - 20) != 8 + 12 + 16 + 4)
				ohv_fail("a congestion notification is not made as it should be");
			for (unsigned i = 0; i < 16; i++)
				if (p->data[bth + 12 + i])
					ohv_fail("reserved bytes of a congestion notification");
			for (unsigned i = 0; i < QPS; i++)
				per_qp[i] += side[0].q[i]->qpn == get_be24(p->data + bth + 5);
		}
		fabric_run(fab, 5, NULL, NULL);
	}
	begin = fab->cycle - begin;
	fab->link[0].w[0].faults = NULL;
	fault_free(f);
	fabric_run(fab, 20000, NULL, NULL);
	quiet(NULL);
	for (unsigned i = 0; i < 3; i++)
		v[i] = counter(&side[i != 2], at[i]) - v[i];
	most = begin / (GAP * 256) + 2;
	printf("# %llu marked packets, %llu notifications sent and %llu received in %llu cycles\n", (unsigned long long)v[0], (unsigned long long)v[1],
	       (unsigned long long)v[2], (unsigned long long)begin);
	if (v[0] < 50 || !v[1] || v[1] != v[2] || seen != v[1] || !acks)
		ohv_fail("notifications are missing");
	for (unsigned i = 0; i < QPS; i++)
		if (!per_qp[i] || per_qp[i] > most)
			ohv_fail("QP %u of %u was notified %llu times, at most %llu expected", i, QPS, (unsigned long long)per_qp[i], (unsigned long long)most);
	/* firmware was told of each */
	for (unsigned i = 0; i < QPS; i++) {
		struct ohca_cmd_qp_in o;
		uint32_t told = 0;

		if (ohv_cmd(side[0].d, OHCA_CMD_OP_QUERY_QP, side[0].q[i]->qpn, 0, NULL, 0, &o, sizeof(o) / 4, &told) || told != per_qp[i])
			ohv_fail("QP %u was notified %llu times, firmware says %u", i, (unsigned long long)per_qp[i], told);
	}
	set_eth(&side[1], 1, 0, 0, 0);
	printf("ok nic-marks\n");
}

int main(int argc, char **argv)
{
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff, begin, was;
	unsigned width = 64, n;
	struct fabric_config cfg;
	int c, latency = -1, st;

	while ((c = getopt(argc, argv, "w:s:n:f:l:")) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': goal = strtoull(optarg, NULL, 0); break;
		case 'f': fw = optarg; break;
		case 'l': latency = atoi(optarg); break;
		default: return 2;
		}
	ohv_roce = true;
	rng_seed(&rng, seed, 5);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = latency >= 0 ? (unsigned)latency : 3 + below(200);
	printf("# seed %llu, width %u, host memory answers after %u cycles\n", (unsigned long long)seed, width, cfg.axi.read_latency);
	fflush(stdout);
	ohv_bus(&cfg, false);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		s->d = ohv_open(fab, k, 128u << 20);
		ohv_port_up(s->d, (uint16_t)(k + 1));
	}
	wire = 64u << OHCA_EXTRACT(OHCA_REG_HW_CFG_WIRE_BUF, fabric_read32(fab, 0, OHCA_REG_HW_CFG));
	small = wire < 1024;
	if (small)
		xoff = XOFF_SMALL;
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		ohv_port_wait(s->d);
		s->tx = ohv_alloc(s->d, 16u << LOG_TX, 4096);
		s->rx = ohv_alloc(s->d, 16u << LOG_RX, 4096);
		s->cq = ohv_alloc(s->d, 16u << LOG_CQ, 4096);
		s->txbuf = ohv_alloc(s->d, (size_t)SLOT << LOG_TX, 64);
		s->rxbuf = ohv_alloc(s->d, (size_t)SLOT << LOG_RX, 64);
		s->scq = ohv_create_cq(s->d, 8);
		s->src = ohv_reg(s->d, SRC_VA, WLEN, 7);
		s->dst = ohv_reg(s->d, DST_VA, WLEN, 7);
		set_eth(s, 1, 0, 0, 0);
		if (try_eth(s, 1, PAUSE << 16 | 0xffff, wire, 0, 0) != OHCA_CMD_STATUS_BAD_PARAM)
			ohv_fail("node %u: pauses from %u units on in a wire buffer of as many were not refused", k, wire);
		st = set_nic(s, true);
		if (st)
			ohv_fail("node %u: set_nic: status %d", k, st);
		for (unsigned i = 0; i < QPS; i++)
			s->q[i] = ohv_create_qp(s->d, OHCA_QP_TYPE_RC, s->scq, s->scq, 6, 6, 5);
		refill(s);
		arm(s);
	}
	for (unsigned i = 0; i < QPS; i++)
		for (unsigned k = 0; k < 2; k++) {
			struct ohv_qp_attr a = { .dqpn = side[!k].q[i]->qpn, .mtu = OHCA_MTU_MTU1024 + (small ? 0 : i % 3), .timeout = 10, .retry = 7, .rnr_retry = 7,
						 .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4, .access = 3, .av.dlid = side[!k].d->lid };

			st = ohv_connect(side[k].q[i], &a);
			if (st)
				ohv_fail("connect: status %d", st);
		}
	/* bringing a port up may have cost frames, but none were sent */
	for (unsigned k = 0; k < 2; k++) {
		side[k].lost0 = drops(&side[k]);
		side[k].over0 = counter(&side[k], OHCA_COUNTER_RX_OVERRUN);
	}
	traffic(false);
	printf("ok nic-%u - %llu and %llu frames, %llu and %llu events\n", width, (unsigned long long)side[0].received,
	       (unsigned long long)side[1].received, (unsigned long long)side[0].events, (unsigned long long)side[1].events);
	traffic(true);
	printf("ok nic-%u-rdma - %llu and %llu frames, %llu dropped and counted\n", width, (unsigned long long)side[0].received,
	       (unsigned long long)side[1].received, (unsigned long long)(side[0].missed + side[1].missed));

	/* the rate of one direction, frames of 1514 bytes */
	begin = fab->cycle;
	was = side[1].received;
	for (n = 0; n < 200;) {
		if (send_frame(&side[0], 1514, 0))
			n++;
		else
			fabric_run(fab, 100, NULL, NULL);
		quiet(NULL);
	}
	if (!fabric_run(fab, 20000000, quiet, NULL))
		ohv_fail("does not end");
	printf("# %llu of 200 frames of 1514 bytes, %.1f cycles each\n", (unsigned long long)(side[1].received - was), (double)(fab->cycle - begin) / 200);
	fabric_run(fab, 20000, NULL, NULL);
	quiet(NULL);

	slow_host(false);
	slow_host(true);
	two_priorities(small ? 1 : width == 512 ? 12 : 4);
	printf("ok nic-%u-pauses\n", width);
	marks();

	/* switched off: nothing is written any more, what comes is counted; and on again */
	st = set_nic(&side[1], false);
	if (st)
		ohv_fail("set_nic off: status %d", st);
	was = counter(&side[1], OHCA_COUNTER_ETH_NIC_DROP);
	memset(ohv_ptr(side[1].d, side[1].rxbuf), 0x5a, (size_t)SLOT << LOG_RX);
	for (n = 0; n < 5; n++)
		send_frame(&side[0], 500, 0);
	fabric_run(fab, 50000, NULL, NULL);
	quiet(NULL);
	if (counter(&side[1], OHCA_COUNTER_ETH_NIC_DROP) != was + 5)
		ohv_fail("frames for an interface that is off are not counted");
	for (size_t i = 0; i < (size_t)SLOT << LOG_RX; i++)
		if (((uint8_t *)ohv_ptr(side[1].d, side[1].rxbuf))[i] != 0x5a)
			ohv_fail("a buffer was written after the end");
	for (; side[1].head != side[1].tail; side[1].head++)
		free(side[1].way[side[1].head % QUEUE].data);
	st = set_nic(&side[1], true);
	if (st)
		ohv_fail("set_nic on: status %d", st);
	refill(&side[1]);
	arm(&side[1]);
	was = side[1].received;
	for (n = 0; n < 5; n++)
		send_frame(&side[0], 500, 0);
	fabric_run(fab, 50000, quiet, NULL);
	fabric_run(fab, 20000, NULL, NULL);
	quiet(NULL);
	if (side[1].received != was + 5)
		ohv_fail("%llu of 5 frames after it was switched on again", (unsigned long long)(side[1].received - was));
	for (unsigned k = 0; k < 2; k++)
		if (fab->node[k].model->failures)
			ohv_fail("node %u: an assertion of the RTL failed", k);
	printf("ok nic-%u-off-and-on\n", width);
	return 0;
}
