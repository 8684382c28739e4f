// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Damaged, foreign and forged frames into the receive ports of two adapters whose QPs are up and carry traffic.
 *
 *   fuzz [-w WIDTH] [-s SEED] [-n FRAMES] [-b FRAMES] [-f FIRMWARE] [-l LATENCY] [-v] [--ib | --roce] [--flood]
 *
 * 30 % of the frames meet InfiniBand ports, the rest Ethernet ports. A frame is made here or taken from the wire, then changed in one of
 * many ways, with CRCs that are left wrong or made right again. judge() says what must become of it, from the rules in docs/roce.md and
 * docs/architecture.md: the counter that names its fault, the network interface, a datagram that arrives, or a packet that is valid for a QP. What
 * would be valid for a QP that carries the good traffic is not sent, nor what would be a valid MAD. After every batch (-b):
 *  - every drop counter has moved by exactly what was sent, on both sides;
 *  - every completion of the good traffic came, in order and good, with every byte of it and none beside it;
 *  - every frame that is for the network interface is there, or was counted as dropped; likewise the datagrams;
 *  - every QP is where it was.
 * In every second batch two further QPs, which stand with work outstanding towards a station that does not exist, get forged packets that are valid for
 * them: requests and responses of any kind and number. They may fail, and nothing else may: keys they do not know protect the rest.
 * --flood: after each half as many frames as the wire still takes beside the good traffic, for 60,000 cycles, four times, and the rate of that traffic without and with them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crc.h"
#include "ohv.h"

#define PAIRS 2u
#define SLOTS 16u
#define DEPTH 8u			/* messages of a lane that are on their way */
#define SLOT 8192u
#define MAX_LEN 8000u
#define SRC_LEN 65536u
#define SRC_VA 0x10000000ull
#define DST_VA 0x20000000ull
#define DST_LEN (PAIRS * 2 * 2 * SLOTS * SLOT)
#define OWN_VA 0x30000000ull		/* what forged packets may reach */
#define OWN_LEN 65536u
#define KEEP_VA 0x40000000ull		/* what they may not */
#define UD_BUF 4352u
#define UD_LOG 6
#define UD_QKEY 0x11223344u
#define GHOST_LID 77u
#define GHOST_QPN 0x9abcu
#define NIC_LOG 6
#define NIC_BUF 9216u
#define NIC_SLOT 9472u
#define NIC_WAY 4096u
#define QP_LIMIT 0x20000u
#define NONE 63u			/* no counter */
#define NO_GID 255u			/* a GRH to a GID that the port does not have */

enum fate { F_COUNT, F_QUIET, F_NIC, F_UD, F_FORGED, F_TRAFFIC, F_SKIP };
enum kind { Q_TRAFFIC, Q_FORGED, Q_UD };

struct frame {
	uint8_t d[PACKET_MAX];
	unsigned len, kind;
	bool error;
};

struct msg { uint32_t op, off, len, idx, at; };

struct lane {				/* messages from QP `pair` of node k to the other */
	struct msg m[SLOTS];
	uint32_t posted, done;		/* by the requester's completions */
	uint32_t recv[SLOTS], rposted, rdone;	/* messages with a receive */
};

struct qinfo { struct ohv_qp *q; enum kind kind; uint16_t lid; unsigned which; };

struct side {
	struct ohv_dev *d;
	struct ohv_mr *src, *dst, *own, *keep;
	struct ohv_cq *scq, *rcq, *vcq, *ucq;
	struct qinfo qi[PAIRS + 2];	/* traffic, forged, UD */
	struct lane lane[PAIRS];
	struct frame seen;		/* a packet of the good traffic to this side */
	uint64_t want[64], was[64], ud_want, ud_got, ud_bad;
	bool nic_on;
	uint8_t gid[16];		/* InfiniBand */
	uint64_t tx, rx, cq, rxbuf, nic_got, nic_missed;
	uint16_t rx_pi, rx_ci;
	uint32_t cq_ci;
	struct { uint64_t sum; uint32_t len; } way[NIC_WAY];	/* frames for the network interface */
	unsigned head, tail;
};

static struct fabric *fab;
static struct side side[2];
static struct rng rng;
static uint8_t src_data[2][SRC_LEN], keep_data[4096];
static bool posting = true, verbose, flooded;
static uint64_t messages, bytes_done, injected, overrun, fates[7], ways[64];
static const char *const counter_name[64] = {
	"db_bad_page", "db_bad_qp", "rx_vcrc", "rx_icrc", "rx_len", "rx_dlid", "rx_vl", "rx_qpn", "rx_qp_state", "rx_pkey", "rx_qkey", "rx_path",
	"rx_opcode", "rx_dup", "rx_ooo", "rx_resp_bad", "rx_rnr", "rx_overrun", "rx_ud_drop", "tx_retry", "tx_timeout", "tx_rnr_wait",
	"tx_local_err", "tpt_key", "tpt_bounds", "tpt_access", "tpt_pd", "dma_rd_err", "dma_wr_err", "cq_overflow", "eq_overflow", "resp_full",
	"rx_lver", "rx_vl15_drop", "rx_no_credit", "tx_drop", "tx_pkts", "tx_words", "rx_pkts", "rx_words", "tx_wait", "rx_bth", "eth_ip_len",
	"eth_udp_len", "eth_frag", "eth_ip_opt", "eth_ip_sum", "eth_vlan", "eth_gid", "eth_mac", "eth_trunc", "eth_jumbo", "eth_v1", "eth_nic",
	"eth_nic_drop", "rx_ce", "cnp_tx", "cnp_rx", "pfc_tx", "pfc_rx", "nic_no_buf", "nic_too_long", "nic_bad", "none",
};

static uint32_t below(uint32_t n)
{
	return rng_below(&rng, n);
}

static uint32_t random32(void)
{
	return (uint32_t)(rng_next(&rng) >> 16);
}

static void put24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	put_be16(p + 1, v);
}

static uint64_t counter(unsigned k, unsigned n)
{
	return fabric_read64(fab, k, OHCA_REG_COUNTERS + 8 * n);
}

static void mac_of(uint8_t *p, unsigned lid)
{
	static const uint8_t m[4] = { 0x02, 0x0c, 0xa1, 0 };

	memcpy(p, m, 4);
	p[4] = (uint8_t)(lid >> 8);
	p[5] = (uint8_t)lid;
}

/* ------------------------------------------------------------------ what must become of a frame */

static uint32_t roce_icrc(const uint8_t *ip, unsigned n)
{
	static uint8_t m[PACKET_MAX + 8];
	uint8_t *q = m + 8;
	unsigned udp;

	memset(m, 0xff, 8);
	memcpy(q, ip, n);
	if (ip[0] >> 4 == 4) {
		udp = 20;
		q[1] = q[8] = q[10] = q[11] = 0xff;
	} else {
		udp = 40;
		q[0] |= 0x0f;
		q[1] = q[2] = q[3] = q[7] = 0xff;
	}
	q[udp + 6] = q[udp + 7] = q[udp + 12] = 0xff;
	return ~crc32_le(0xffffffff, m, n + 8);
}

/* Bytes of extended headers by opcode: IBA vol. 1, 9.2; what is reserved has none. */
static unsigned ext_bytes(unsigned op)
{
	unsigned o = op & 31;

	if (op == 0x64)
		return 8;
	if (op == 0x65)
		return 12;
	if (op >= 0x40)
		return 0;
	switch (o) {
	case 0x03: case 0x05: case 0x09: case 0x0d: case 0x0f: case 0x10: case 0x11: case 0x16: case 0x17: return 4;
	case 0x06: case 0x0a: case 0x0c: case 0x1d: return 16;
	case 0x0b: case 0x1c: return 20;
	case 0x12: return 12;
	case 0x13: case 0x14: return 28;
	}
	return 0;
}

static enum fate count(unsigned *c, unsigned n)
{
	*c = n;
	return F_COUNT;
}

/* A packet that the link layer takes: BTH, bytes from there to the ICRC, where it says it is from, and whether it has a multicast DLID. */
static enum fate judge_bth(unsigned k, const uint8_t *b, unsigned n, const uint8_t *sgid, unsigned gidx, unsigned slid,
			   bool multicast, unsigned *c)
{
	unsigned op = b[0], pad = b[1] >> 4 & 3, qpn = get_be24(b + 5), head = 12 + ext_bytes(op);
	struct qinfo *x = NULL;
	uint8_t want[16];

	if (b[1] & 15)
		return count(c, OHCA_COUNTER_RX_BTH);
	if (qpn >= QP_LIMIT || multicast)	/* no group has members here */
		return count(c, OHCA_COUNTER_RX_QPN);
	if (op >> 5 != 0 && op != 0x64 && op != 0x65)
		return count(c, OHCA_COUNTER_RX_OPCODE);
	for (unsigned i = 0; i < PAIRS + 2; i++)
		if (side[k].qi[i].q && side[k].qi[i].q->qpn == qpn)
			x = &side[k].qi[i];
	if (!x)
		return count(c, OHCA_COUNTER_RX_QPN);
	if (x->kind == Q_FORGED)
		return F_FORGED;
	if ((x->kind == Q_UD) != (op >> 5 == 3))
		return count(c, OHCA_COUNTER_RX_OPCODE);
	if ((get_be16(b + 2) & 0x7fff) != 0x7fff)
		return count(c, OHCA_COUNTER_RX_PKEY);
	if (x->kind == Q_UD) {
		if (!ohv_roce && gidx == NO_GID)
			return count(c, OHCA_COUNTER_RX_PATH);
		if (get_be32(b + 12) != UD_QKEY)
			return count(c, OHCA_COUNTER_RX_QKEY);
		return n - head - pad > 4096 ? F_SKIP : F_UD;
	}
	if (ohv_roce) {
		ohv_station_gid(x->lid, x->which, want);
		if (memcmp(want, sgid, 16) || gidx != x->which)
			return count(c, OHCA_COUNTER_RX_PATH);
	} else if (slid != x->lid || sgid) {
		return count(c, OHCA_COUNTER_RX_PATH);
	}
	return F_TRAFFIC;
}

static enum fate judge_eth(unsigned k, const struct frame *f, unsigned *c, bool *ce)
{
	const uint8_t *d = f->d, *ip, *bth;
	unsigned n = f->len, h = n < 64 ? n : 64, tag, type, l2, ihl, pay, span, m = 0, gidx = 0, vid;
	bool v4 = false, v6 = false;
	uint8_t gid[16], own[16], sgid[16], mac[6];

	if (f->kind != OHCA_KIND_ETH)
		return F_QUIET;
	tag = n >= 14 && get_be16(d + 12) == 0x8100;
	l2 = tag ? 18 : 14;
	if (n < l2)
		return count(c, OHCA_COUNTER_ETH_IP_LEN);
	type = get_be16(d + l2 - 2);
	if (type == 0x8915)
		return count(c, OHCA_COUNTER_ETH_V1);
	ip = d + l2;
	ihl = n > l2 ? ip[0] & 15 : 0;
	if (type == 0x0800 && h >= l2 + 26 && ip[0] >> 4 == 4 && ihl >= 5 && ihl <= 10 && h >= l2 + 4 * ihl + 6)
		v4 = ip[9] == 17 && !(get_be16(ip + 6) & 0x1fff) && get_be16(ip + 4 * ihl + 2) == 4791;
	if (type == 0x86dd && h >= l2 + 46 && ip[0] >> 4 == 6)
		v6 = ip[6] == 17 && get_be16(ip + 42) == 4791;
	mac_of(mac, side[k].d->lid);
	if (!v4 && !v6) {
		static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

		if (type == 0x8808)
			return F_QUIET;
		return side[k].nic_on && (!memcmp(d, mac, 6) || !memcmp(d, all, 6)) ? F_NIC : count(c, OHCA_COUNTER_ETH_MAC);
	}
	if (v4) {
		if (ihl != 5)
			return count(c, OHCA_COUNTER_ETH_IP_OPT);
		if (ip[6] & 0x20)
			return count(c, OHCA_COUNTER_ETH_FRAG);
		if (ip_checksum(ip, 20))
			return count(c, OHCA_COUNTER_ETH_IP_SUM);
		span = get_be16(ip + 2);
		if (span < 44 || span & 3)
			return count(c, OHCA_COUNTER_ETH_IP_LEN);
		pay = span - 20;
		if (get_be16(ip + 24) != pay)
			return count(c, OHCA_COUNTER_ETH_UDP_LEN);
		memset(gid, 0, 16);
		memset(gid + 10, 0xff, 2);
		memcpy(sgid, gid, 16);
		memcpy(gid + 12, ip + 16, 4);
		memcpy(sgid + 12, ip + 12, 4);
		bth = ip + 28;
	} else {
		pay = get_be16(ip + 4);
		span = pay + 40;
		if (pay < 24 || pay & 3)
			return count(c, OHCA_COUNTER_ETH_IP_LEN);
		if (get_be16(ip + 44) != pay)
			return count(c, OHCA_COUNTER_ETH_UDP_LEN);
		memcpy(gid, ip + 24, 16);
		memcpy(sgid, ip + 8, 16);
		bth = ip + 48;
	}
	vid = tag ? get_be16(d + 14) & 0xfff : 0;
	for (unsigned i = 0; i < 4; i++) {
		ohv_station_gid(side[k].d->lid, i, own);
		if ((i & 1) != v6 || memcmp(own, gid, 16))
			continue;
		m |= 1;
		if (vid != (i & 2 ? OHV_VLAN : 0u))
			continue;
		m |= 2;
		gidx = i;
	}
	if (!m && (v4 ? ip[16] >> 4 == 14 : ip[24] == 0xff))
		return F_SKIP;		/* a group's address, which has rules of its own */
	if (!m)
		return count(c, OHCA_COUNTER_ETH_GID);
	if (!(m & 2))
		return count(c, OHCA_COUNTER_ETH_VLAN);
	if (memcmp(d, mac, 6))
		return count(c, OHCA_COUNTER_ETH_MAC);
	if (f->error)
		return F_QUIET;
	if (span + 28 > 4096 + 124)
		return count(c, OHCA_COUNTER_ETH_JUMBO);
	if (n < l2 + span)
		return count(c, OHCA_COUNTER_ETH_TRUNC);
	if (roce_icrc(ip, span - 4) != ((uint32_t)ip[span - 1] << 24 | (uint32_t)ip[span - 2] << 16 | (uint32_t)ip[span - 3] << 8 | ip[span - 4]))
		return count(c, OHCA_COUNTER_RX_ICRC);
	n = pay - 8 - 4;
	if (n < 12 + ext_bytes(bth[0]) + (bth[1] >> 4 & 3))
		return count(c, OHCA_COUNTER_RX_LEN);
	if (bth[0] == 0x81)
		return count(c, OHCA_COUNTER_CNP_RX);
	*ce = ((v4 ? ip[1] : ip[1] >> 4) & 3) == 3;
	return judge_bth(k, bth, n, sgid, gidx, 0, false, c);
}

static enum fate judge_ib(unsigned k, const struct frame *f, unsigned *c)
{
	const uint8_t *d = f->d, *b;
	unsigned n = f->len, vl = d[0] >> 4, lnh = d[1] & 3, dlid = get_be16(d + 2), words = get_be16(d + 4) & 0x7ff, slid = get_be16(d + 6), want;

	if (f->kind == OHCA_KIND_FC)	/* none that is good is made here */
		return count(c, OHCA_COUNTER_RX_VCRC);
	if (f->kind != OHCA_KIND_IB || f->error)
		return F_QUIET;
	if (n < 4 || n & 1)		/* the CRC is over pairs of bytes: it is bad one way or the other */
		return F_SKIP;
	if (ib_vcrc(d, n - 2) != (d[n - 2] | d[n - 1] << 8))
		return count(c, OHCA_COUNTER_RX_VCRC);
	if (n < 10)
		return F_SKIP;
	if (d[0] & 15)
		return count(c, OHCA_COUNTER_RX_LVER);
	if (n != 4 * words + 2 || words < 6 || 4 * words > (vl == 15 ? 288u : 4096u + 124))
		return count(c, OHCA_COUNTER_RX_LEN);
	if (vl == 15 ? lnh != 2 : vl >= 4)
		return count(c, OHCA_COUNTER_RX_VL);
	if (dlid == 0xffff ? vl != 15 : dlid >= 0xc000 ? vl == 15 : dlid != side[k].d->lid)
		return count(c, OHCA_COUNTER_RX_DLID);
	if (lnh < 2)
		return count(c, OHCA_COUNTER_RX_BTH);
	b = d + (lnh == 3 ? 48 : 8);
	/* The ICRC of what has no room for a GRH is not defined. */
	if (lnh == 3 && words < 16)
		return F_SKIP;
	if (!ib_icrc_ok(d, n))
		return count(c, OHCA_COUNTER_RX_ICRC);
	if (lnh == 3) {
		if (d[8] >> 4 != 6 || d[14] != 0x1b)
			return count(c, OHCA_COUNTER_RX_BTH);
		if (get_be16(d + 12) != 4 * (words - 12))
			return count(c, OHCA_COUNTER_RX_LEN);
	}
	want = 4 * words - 4 - (unsigned)(b - d);
	if (want < 12 + ext_bytes(b[0]) + (b[1] >> 4 & 3))
		return count(c, OHCA_COUNTER_RX_LEN);
	if (vl == 15)
		return F_SKIP;		/* firmware's */
	return judge_bth(k, b, want, lnh == 3 ? d + 16 : NULL, lnh == 3 && memcmp(d + 32, side[k].gid, 16) ? NO_GID : 0, slid,
			 dlid >= 0xc000, c);
}

/* ------------------------------------------------------------------ making frames */

struct req {
	unsigned lid, which, op, pkey, tver, pad, qpn, psn, len, key, dmalen, vl, grh, aeth;
	bool ack;
	uint64_t va;
};

static unsigned make_bth(uint8_t *p, const struct req *r)
{
	unsigned n = 12;

	p[0] = (uint8_t)r->op;
	p[1] = (uint8_t)(below(2) << 7 | 1u << 6 | (r->pad & 3) << 4 | r->tver);
	put_be16(p + 2, r->pkey);
	p[4] = 0;
	put24(p + 5, r->qpn);
	p[8] = (uint8_t)(r->ack << 7);
	put24(p + 9, r->psn);
	for (unsigned e = ext_bytes(r->op); n < 12 + e; n++)
		p[n] = (uint8_t)random32();
	switch (ext_bytes(r->op)) {
	case 4:
		if ((r->op & 31) >= 0x0d)
			put_be32(p + 12, r->aeth);
		break;
	case 16: case 20: case 28:
		put_be64(p + 12, r->va);
		put_be32(p + 20, r->key);
		put_be32(p + 24, r->dmalen);
		break;
	case 8: case 12:
		put_be32(p + 12, r->key);
		p[16] = 0;
		put24(p + 17, random32());
		break;
	}
	for (unsigned i = 0; i < r->len + (r->pad & 3); i++)
		p[n++] = (uint8_t)random32();
	return n;
}

static unsigned l2_of(const struct frame *f)
{
	return get_be16(f->d + 12) == 0x8100 ? 18 : 14;
}

static void fix_sum(struct frame *f)
{
	uint8_t *ip = f->d + l2_of(f);

	if (ip[0] >> 4 == 4) {
		put_be16(ip + 10, 0);
		put_be16(ip + 10, ip_checksum(ip, 4u * (ip[0] & 15)));
	}
}

/* Where the lengths in the headers say it is, if that is inside. */
static void fix_icrc(struct frame *f)
{
	if (ohv_roce) {
		unsigned l2 = l2_of(f), span;
		uint8_t *ip = f->d + l2;
		uint32_t c;

		span = ip[0] >> 4 == 4 ? get_be16(ip + 2) : get_be16(ip + 4) + 40u;
		if (span < 44 || l2 + span > f->len)
			return;
		c = roce_icrc(ip, span - 4);
		for (unsigned i = 0; i < 4; i++)
			ip[span - 4 + i] = (uint8_t)(c >> 8 * i);
	} else {
		if (f->len >= 30 && !((f->d[1] & 3) == 3 && f->len < 70))
			ib_put_icrc(f->d, f->len);
	}
}

static void fix_vcrc(struct frame *f)
{
	if (!ohv_roce && f->len >= 4)
		ib_put_vcrc(f->d, f->len);
}

static void build(unsigned k, struct frame *f, const struct req *r)
{
	uint8_t *p = f->d;
	unsigned n, ul;
	uint8_t g[16], to[16];

	f->error = false;
	if (!ohv_roce) {
		unsigned h = r->grh ? 48 : 8;

		f->kind = OHCA_KIND_IB;
		n = make_bth(p + h, r);
		n = (n + 3) & ~3u;
		p[0] = (uint8_t)(r->vl << 4);
		p[1] = (uint8_t)(below(16) << 4 | (r->grh ? 3 : 2));
		put_be16(p + 2, side[k].d->lid);
		put_be16(p + 4, (h + n + 4) / 4);
		put_be16(p + 6, r->lid);
		if (r->grh) {
			memset(p + 8, 0, 40);
			p[8] = 0x60;
			put_be16(p + 12, n + 4);
			p[14] = 0x1b;
			for (unsigned i = 15; i < 48; i++)
				p[i] = (uint8_t)random32();
			if (below(3))
				memcpy(p + 32, side[k].gid, 16);
		}
		f->len = h + n + 6;
		fix_icrc(f);
		fix_vcrc(f);
		return;
	}
	f->kind = OHCA_KIND_ETH;
	mac_of(p, side[k].d->lid);
	mac_of(p + 6, r->lid);
	n = 12;
	if (r->which & 2) {
		put_be16(p + n, 0x8100);
		put_be16(p + n + 2, below(8) << 13 | OHV_VLAN);
		n += 4;
	} else if (below(8) == 0) {	/* a priority and no VLAN */
		put_be16(p + n, 0x8100);
		put_be16(p + n + 2, below(8) << 13);
		n += 4;
	}
	put_be16(p + n, r->which & 1 ? 0x86dd : 0x0800);
	n += 2;
	ohv_station_gid((uint16_t)r->lid, r->which, g);
	ohv_station_gid(side[k].d->lid, r->which, to);
	if (r->which & 1) {
		ul = (make_bth(p + n + 48, r) + 3u) & ~3u;
		put_be32(p + n, 6u << 28);
		put_be16(p + n + 4, ul + 12);
		p[n + 6] = 17;
		p[n + 7] = 64;
		memcpy(p + n + 8, g, 16);
		memcpy(p + n + 24, to, 16);
		n += 40;
	} else {
		ul = (make_bth(p + n + 28, r) + 3u) & ~3u;
		put_be32(p + n, 0x45000000 | (ul + 32));
		put_be32(p + n + 4, 0x4000);
		put_be32(p + n + 8, 0x40110000);
		memcpy(p + n + 12, g + 12, 4);
		memcpy(p + n + 16, to + 12, 4);
		n += 20;
	}
	put_be16(p + n, 0xc000 | below(0x4000));
	put_be16(p + n + 2, 4791);
	put_be16(p + n + 4, ul + 12);
	put_be16(p + n + 6, 0);
	f->len = n + 8 + ul + 4;
	fix_sum(f);
	fix_icrc(f);
	while (f->len < 60)
		f->d[f->len++] = 0;
}

static void flip(struct frame *f, unsigned from, unsigned to)
{
	if (to > f->len)
		to = f->len;
	if (from >= to)
		return;
	for (unsigned n = 1 + below(4); n; n--)
		f->d[from + below(to - from)] ^= (uint8_t)(1u << below(8));
}

static void garbage(struct frame *f, unsigned from, unsigned to)
{
	for (; from < to; from++)
		f->d[from] = (uint8_t)random32();
}

/* Any frame whose every header is good: towards a QP with its right path, the datagram QP, or nobody. */
static void good(unsigned k, struct frame *f, unsigned *kind)
{
	static const uint8_t ops[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18 };
	struct qinfo *x = &side[k].qi[below(PAIRS + 2)];
	struct req r = { .lid = x->lid, .which = x->which, .op = ops[below(sizeof(ops))], .pkey = 0xffff, .qpn = x->q->qpn, .psn = random32() & 0xffffff,
			 .len = below(4) ? below(80) : below(400), .key = random32(), .dmalen = below(5000), .ack = below(2), .aeth = random32(),
			 .va = (uint64_t)random32() << 32 | random32() };

	if (side[k].seen.len && x->kind == Q_TRAFFIC && below(2)) {
		*f = side[k].seen;
		*kind = x->kind;
		return;
	}
	if (x->kind == Q_UD) {
		r.op = 0x64 + below(2);
		r.key = UD_QKEY;
		r.lid = 3 + below(60);
		r.which = below(4);
		r.grh = below(2);
	}
	if (below(6) == 0)
		r.qpn = 5000 + below(1000);
	r.pad = -r.len & 3;
	build(k, f, &r);
	*kind = x->kind;
}

/* A packet that is valid for the QP whose peer does not exist: any operation, with keys that are good or not. */
static void forge(unsigned k, struct frame *f)
{
	static unsigned psn[2];
	struct qinfo *x = &side[k].qi[PAIRS];
	struct req r = { .lid = GHOST_LID, .which = x->which, .op = below(12) ? below(0x13) : below(32), .pkey = 0xffff, .qpn = x->q->qpn,
			 .psn = below(3) ? psn[k] : (psn[k] + below(9) - 4) & 0xffffff, .len = below(4) ? below(80) : below(1100),
			 .key = below(4) ? side[k].own->key : random32(), .ack = below(2), .va = OWN_VA + below(OWN_LEN + 100), .aeth = random32() };

	if (below(2))
		r.aeth = (r.aeth & 0xffffff) | (below(3) ? below(32) : 0x60 | below(8)) << 24;
	if (below(3) == 0 && r.op < 12)
		r.len = 1024;
	r.dmalen = below(3) ? r.len : below(4) ? below(3000) : random32();
	r.pad = -r.len & 3;
	psn[k] = (psn[k] + below(2)) & 0xffffff;
	if (below(40) == 0)
		psn[k] = below(12);
	build(k, f, &r);
}

static bool bend_eth(unsigned k, struct frame *f, unsigned way, unsigned kind)
{
	unsigned l2 = l2_of(f), v6 = f->d[l2] >> 4 == 6, iph = v6 ? 40 : 20, i, n;
	uint8_t *ip = f->d + l2, *udp = ip + iph, *bth = udp + 8, t[64];

	switch (way) {
	case 0:			/* bits anywhere */
		flip(f, 0, f->len);
		break;
	case 1:			/* from the BTH on, and the ICRC says it is right */
		flip(f, l2 + iph + 8, f->len - 4);
		fix_icrc(f);
		break;
	case 2:			/* in the IP and UDP headers, likewise */
		flip(f, l2, l2 + iph + 8);
		if (l2_of(f) == l2 && (ip[0] & 15) == 5)
			fix_sum(f);
		fix_icrc(f);
		break;
	case 3:			/* IP length */
		n = get_be16(ip + (v6 ? 4 : 2));
		n = below(4) == 0 ? random32() & 0xffff : below(2) ? n + 4 * (below(9) - 4) : n + below(9) - 4;
		put_be16(ip + (v6 ? 4 : 2), n);
		if (below(2))
			put_be16(udp + 4, v6 ? n : n - 20);
		fix_sum(f);
		fix_icrc(f);
		break;
	case 4:			/* UDP length */
		put_be16(udp + 4, below(3) ? get_be16(udp + 4) + below(17) - 8 : random32());
		fix_icrc(f);
		break;
	case 5:			/* fragments */
		if (v6)
			return false;
		put_be16(ip + 6, below(2) ? 0x2000 | below(2) : below(0x2000));
		fix_sum(f);
		fix_icrc(f);
		break;
	case 6:			/* IP options */
		if (v6)
			return false;
		n = 4 * (1 + below(10));
		memmove(ip + 20 + n, ip + 20, f->len - l2 - 20);
		memset(ip + 20, 1, n);
		f->len += n;
		ip[0] = (uint8_t)(0x45 + n / 4);
		put_be16(ip + 2, get_be16(ip + 2) + n);
		fix_sum(f);
		break;
	case 7:			/* header checksum */
		if (v6)
			return false;
		put_be16(ip + 10, random32());
		break;
	case 8:			/* VLAN */
		memcpy(t, f->d, 12);
		if (l2 == 18 && below(2)) {
			f->len -= 4;
			memmove(f->d + 12, f->d + 16, f->len - 12);
		} else if (l2 == 18 && below(2)) {
			put_be16(f->d + 14, random32());
		} else {
			memmove(f->d + 16, f->d + 12, f->len - 12);
			put_be16(f->d + 12, 0x8100);
			put_be16(f->d + 14, below(2) ? random32() : OHV_VLAN);
			f->len += 4;
		}
		break;
	case 9:			/* a destination address that is not here */
		i = v6 ? 24 + below(16) : 16 + below(4);
		ip[i] ^= (uint8_t)(1u << below(8));
		fix_sum(f);
		fix_icrc(f);
		break;
	case 10:		/* from elsewhere than the QP's peer */
		i = v6 ? 8 + below(16) : 12 + below(4);
		ip[i] ^= (uint8_t)(1u << below(8));
		fix_sum(f);
		fix_icrc(f);
		break;
	case 11:
		put_be16(ip - 2, 0x8915);
		break;
	case 12:		/* cut */
		f->len = 1 + below(f->len - 1);
		break;
	case 13:		/* longer than the MTU: with lengths that say so, or not */
		n = 4 * (900 + below(1300));
		if (n > PACKET_MAX - f->len)
			n = (PACKET_MAX - f->len) & ~3u;
		garbage(f, f->len, f->len + n);
		f->len += n;
		if (below(4)) {
			n += get_be16(udp + 4);
			put_be16(udp + 4, n);
			put_be16(ip + (v6 ? 4 : 2), v6 ? n : n + 20);
			fix_sum(f);
			if (below(2))
				fix_icrc(f);
		}
		break;
	case 14:		/* any opcode, number and QP */
		bth[0] = (uint8_t)random32();
		put24(bth + 9, random32());
		if (below(4))
			put24(bth + 5, below(2) ? random32() : below(QP_LIMIT));
		fix_icrc(f);
		break;
	case 15:		/* nothing but noise */
		f->len = 1 + below(below(4) ? 120 : 1600);
		garbage(f, 0, f->len);
		if (below(2))
			mac_of(f->d, side[k].d->lid);
		if (below(2) && f->len > 16)
			put_be16(f->d + 12, below(2) ? 0x0800 : 0x86dd);
		break;
	case 16:		/* somebody else's MAC */
		if (below(2))
			f->d[below(6)] ^= (uint8_t)(1u << below(8));
		else
			memset(f->d, 0xff, 6);
		break;
	case 17:		/* not RoCE */
		switch (below(5)) {
		case 0: put_be16(udp + 2, 53); break;
		case 1: ip[v6 ? 6 : 9] = 6; fix_sum(f); break;
		case 2: put_be16(ip - 2, 0x0806); break;
		case 3: put_be16(ip - 2, 0x88a8); break;
		default: ip[v6 ? 6 : 9] = 44; fix_sum(f); break;
		}
		break;
	case 18:		/* the MAC found a bad FCS */
		f->error = true;
		break;
	case 19:		/* MAC control that nobody knows */
		memset(f->d, 0, 60);
		memcpy(f->d, "\x01\x80\xc2\x00\x00\x01", 6);
		put_be16(f->d + 12, 0x8808);
		put_be16(f->d + 14, 0x0200 + below(256));
		f->len = 60;
		break;
	case 20:		/* what routers change, and padding */
		if (kind != Q_UD)
			return false;
		if (v6) {
			put_be32(ip, 6u << 28 | (random32() & 0xfffffff));
			ip[7] = (uint8_t)random32();
		} else {
			ip[1] = (uint8_t)random32();
			ip[8] = (uint8_t)random32();
		}
		put_be16(udp + 6, random32());
		bth[4] = (uint8_t)random32();
		fix_sum(f);
		n = below(30);
		garbage(f, f->len, f->len + n);
		f->len += n;
		break;
	case 21:		/* P_Key, version */
		if (below(2))
			put_be16(bth + 2, random32());
		else
			bth[1] = (uint8_t)((bth[1] & 0xf0) | below(16));
		fix_icrc(f);
		break;
	case 22:		/* a congestion notification */
		bth[0] = 0x81;
		fix_icrc(f);
		break;
	case 23:		/* shorter than its headers, all lengths agreeing */
		n = 12 + 4 * below(8);
		put_be16(udp + 4, n + 12);
		put_be16(ip + (v6 ? 4 : 2), v6 ? n + 12 : n + 32);
		fix_sum(f);
		fix_icrc(f);
		break;
	case 24:		/* pad count */
		bth[1] ^= (uint8_t)(below(4) << 4);
		fix_icrc(f);
		break;
	case 25:		/* another link layer's */
		f->kind = below(2) ? OHCA_KIND_IB : OHCA_KIND_FC;
		break;
	default:
		break;		/* as it is: who has no QP, and datagrams */
	}
	return true;
}
#define ETH_WAYS 28

static bool bend_ib(unsigned k, struct frame *f, unsigned way, unsigned kind)
{
	unsigned h = (f->d[1] & 3) == 3 ? 48 : 8, n;
	uint8_t *bth = f->d + h;

	(void)kind;
	switch (way) {
	case 0:
		flip(f, 0, f->len);
		break;
	case 1:
		flip(f, 0, f->len - 2);
		fix_vcrc(f);
		break;
	case 2:
		flip(f, 0, h);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 3:
		flip(f, h, f->len - 6);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 4:			/* PktLen */
		put_be16(f->d + 4, below(2) ? random32() & 0x7ff : (get_be16(f->d + 4) + below(5) - 2) & 0x7ff);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 5:			/* cut */
		f->len = 1 + below(f->len - 1);
		if (below(2)) {
			f->len &= ~1u;
			if (f->len < 10)
				return false;
			if (below(2))
				put_be16(f->d + 4, f->len / 4);
			fix_vcrc(f);
		}
		break;
	case 6:			/* to somebody else, to a group, to all */
		put_be16(f->d + 2, below(3) ? random32() : below(2) ? 0xffff : 0);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 7:			/* VL */
		f->d[0] = (uint8_t)(below(16) << 4);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 8:
		f->d[0] |= (uint8_t)(1 + below(15));
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 9:			/* what follows */
		f->d[1] = (uint8_t)((f->d[1] & 0xfc) | below(4));
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 10:		/* any opcode, number and QP */
		bth[0] = (uint8_t)random32();
		put24(bth + 9, random32());
		if (below(4))
			put24(bth + 5, below(2) ? random32() : below(QP_LIMIT));
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 11:		/* from somebody else */
		put_be16(f->d + 6, random32());
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 12:		/* longer than the MTU */
		n = 4 * (900 + below(600));
		if (n > PACKET_MAX - f->len)
			n = (PACKET_MAX - f->len) & ~3u;
		garbage(f, f->len, f->len + n);
		f->len += n;
		put_be16(f->d + 4, (f->len - 2) / 4);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 13:
		f->len = 1 + below(below(4) ? 80 : 600);
		garbage(f, 0, f->len);
		if (below(2))
			f->d[0] = 0;
		break;
	case 14:
		f->error = true;
		break;
	case 15:
		if (below(2))
			put_be16(bth + 2, random32());
		else
			bth[1] = (uint8_t)((bth[1] & 0xf0) | below(16));
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 16:		/* pad count */
		bth[1] ^= (uint8_t)(below(4) << 4);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	case 17:		/* another link layer's, and flow control with a bad CRC */
		f->kind = OHCA_KIND_ETH;
		if (below(2)) {
			f->kind = OHCA_KIND_FC;
			f->len = 6;
			garbage(f, 0, 6);
			if (f->d[4] == (ib_vcrc(f->d, 4) & 0xff))
				return false;
		}
		break;
	case 18:		/* GRH */
		if (h == 8)
			return false;
		flip(f, 8, 15);
		fix_icrc(f);
		fix_vcrc(f);
		break;
	default:
		break;
	}
	(void)k;
	return true;
}
#define IB_WAYS 21

/* Another frame for node k, and what must become of it. */
static enum fate make(unsigned k, struct frame *f, bool forged, unsigned *c, bool *ce)
{
	for (;;) {
		unsigned way = 0, kind = Q_FORGED, n = 0;
		enum fate fate;
		struct packet *p;
		int at;

		*ce = false;
		*c = NONE;
		if (forged && below(4) == 0) {
			forge(k, f);
		} else {
			good(k, f, &kind);
			way = 1 + below(ohv_roce ? ETH_WAYS : IB_WAYS);
			if (way == 13 + 1 && n++ < 20 && below(4))	/* long ones cost time */
				continue;
			if (!(ohv_roce ? bend_eth(k, f, way - 1, kind) : bend_ib(k, f, way - 1, kind)))
				continue;
		}
		if (f->len > PACKET_MAX || !f->len)
			continue;
		fate = ohv_roce ? judge_eth(k, f, c, ce) : judge_ib(k, f, c);
		if (fate == F_SKIP || fate == F_TRAFFIC || (fate == F_FORGED && (!forged || way)))
			continue;
		/* answers to the station that does not exist are taken from the wire by their QP number */
		p = packet_new();
		p->kind = (uint8_t)f->kind;
		p->len = f->len;
		memcpy(p->data, f->d, f->len);
		at = packet_bth(p);
		n = at >= 0 ? get_be24(p->data + at + 5) : 0;
		packet_free(p);
		if (n == GHOST_QPN)
			continue;
		ways[way]++;
		return fate;
	}
}

static uint64_t hash(const uint8_t *p, unsigned n)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

static void inject(unsigned k, const struct frame *f, enum fate fate, unsigned c, bool ce)
{
	struct side *s = &side[k];
	struct wire *w = fab->node[k].rx;
	struct packet *p = packet_new();

	p->kind = (uint8_t)f->kind;
	p->len = f->len;
	p->error = f->error;
	memcpy(p->data, f->d, f->len);
	p->t_first = fab->cycle;
	p->t_last = fab->cycle + (packet_wire_bytes(p) * 65536ull + w->rate - 1) / w->rate - 1;
	wire_send(w, p);
	if (verbose) {
		printf("# cycle %llu node %u: kind %u, %u bytes%s, fate %u %s:", (unsigned long long)fab->cycle, k, f->kind, f->len,
		       f->error ? " bad" : "", fate, counter_name[c]);
		for (unsigned i = 0; i < f->len && i < 96; i++)
			printf(" %02x", f->d[i]);
		printf("\n");
	}
	injected++;
	fates[fate]++;
	s->want[c]++;
	s->want[OHCA_COUNTER_RX_CE] += ce && (fate == F_UD || fate == F_COUNT);
	s->ud_want += fate == F_UD;
	if (fate == F_NIC) {
		if (s->tail - s->head >= NIC_WAY)
			ohv_fail("too many frames for the network interface in a batch");
		s->way[s->tail % NIC_WAY].sum = hash(f->d, f->len);
		s->way[s->tail % NIC_WAY].len = f->len;
		s->tail++;
		s->want[OHCA_COUNTER_ETH_NIC]++;
	}
}

/* ------------------------------------------------------------------ the good traffic */

static uint64_t slot_off(unsigned pair, unsigned k, bool read, unsigned slot)
{
	return ((((uint64_t)pair * 2 + k) * 2 + read) * SLOTS + slot) * SLOT;
}

static void post(unsigned k, unsigned i)
{
	static const uint8_t ops[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_SEND, OHCA_WR_OP_RDMA_READ };
	static uint8_t blank[SLOT];
	struct lane *l = &side[k].lane[i];
	struct msg *m = &l->m[l->posted % SLOTS];
	struct ohv_qp *q = side[k].qi[i].q;
	bool read;
	uint64_t off;

	m->op = ops[below(3)];
	m->len = below(2) ? below(257) : below(4) ? below(1500) : below(MAX_LEN);
	m->off = below(SRC_LEN - MAX_LEN);
	m->idx = q->sq_pi & 0xffff;
	m->at = 16 + below(100);
	read = m->op == OHCA_WR_OP_RDMA_READ;
	off = slot_off(i, k, read, l->posted % SLOTS);
	memset(blank, 0xee, SLOT);
	ohv_write(side[read ? k : !k].dst, off, blank, m->len + 200 < SLOT ? m->len + 200 : SLOT);
	{
		struct ohv_sge local = { read ? DST_VA + off + m->at : SRC_VA + m->off, m->len, read ? side[k].dst->key : side[k].src->key };
		struct ohv_wr wr = { .op = m->op, .signaled = true, .sge = &local, .nsge = m->len ? 1 : 0,
				     .raddr = read ? SRC_VA + m->off : DST_VA + off + m->at, .rkey = side[!k].src->key };

		if (m->op == OHCA_WR_OP_RDMA_WRITE)
			wr.rkey = side[!k].dst->key;
		if (m->op == OHCA_WR_OP_SEND) {
			struct ohv_sge r = { DST_VA + off + m->at, m->len, side[!k].dst->key };

			l->recv[l->rposted++ % SLOTS] = l->posted;
			ohv_post_recv(side[!k].qi[i].q, &r, m->len ? 1 : 0);
		}
		ohv_post_send(q, &wr);
		ohv_ring(q);
	}
	l->posted++;
	messages++;
}

static void compare(unsigned k, unsigned i, uint32_t n)
{
	static uint8_t got[SLOT];
	struct msg *m = &side[k].lane[i].m[n % SLOTS];
	bool read = m->op == OHCA_WR_OP_RDMA_READ;
	unsigned end = m->len + 200 < SLOT ? m->len + 200 : SLOT;

	if (!read)
		ohv_settle(fab);
	ohv_read(side[read ? k : !k].dst, slot_off(i, k, read, n % SLOTS), got, end);
	for (unsigned b = 0; b < end; b++) {
		bool in = b >= m->at && b < m->at + m->len;
		uint8_t want = in ? src_data[read ? !k : k][m->off + b - m->at] : 0xee;

		if (got[b] != want)
			ohv_fail("node %u pair %u message %u (op %#x, %u bytes): byte %u is %02x, not %02x", k, i, n, m->op, m->len, b - m->at, got[b], want);
	}
}

static void take(unsigned k, bool recv, const struct ohca_cqe *e)
{
	uint32_t qpn = (uint32_t)OHCA_GET(OHCA_CQE_QPN, e), idx = (uint32_t)OHCA_GET(OHCA_CQE_WQE_IDX, e), n;

	for (unsigned i = 0; i < PAIRS; i++) {
		struct lane *l = &side[recv ? !k : k].lane[i];

		if (side[k].qi[i].q->qpn != qpn)
			continue;
		if (OHCA_GET(OHCA_CQE_STATUS, e))
			ohv_fail("node %u QP %u: %s completion with status %u vendor %u", k, qpn, recv ? "receive" : "send",
				 (unsigned)OHCA_GET(OHCA_CQE_STATUS, e), (unsigned)OHCA_GET(OHCA_CQE_VENDOR_ERR, e));
		if (recv) {
			if (l->rdone == l->rposted)
				ohv_fail("node %u QP %u: a receive completion that nobody expects", k, qpn);
			n = l->recv[l->rdone++ % SLOTS];
			if (OHCA_GET(OHCA_CQE_BYTE_LEN, e) != l->m[n % SLOTS].len)
				ohv_fail("node %u QP %u: received %u bytes, not %u", k, qpn, (unsigned)OHCA_GET(OHCA_CQE_BYTE_LEN, e), l->m[n % SLOTS].len);
			compare(!k, i, n);
			return;
		}
		n = l->done;
		if (n == l->posted || l->m[n % SLOTS].idx != idx)
			ohv_fail("node %u QP %u: send completion of WQE %u, not %u", k, qpn, idx, l->m[n % SLOTS].idx);
		l->done++;
		bytes_done += l->m[n % SLOTS].len;
		if (l->m[n % SLOTS].op != OHCA_WR_OP_SEND)
			compare(k, i, n);
		return;
	}
	ohv_fail("node %u: completion of QP %u, which is not ours", k, qpn);
}

static void poll_nic(struct side *s)
{
	while (s->nic_on) {
		struct ohca_nic_cqe e;
		unsigned len;
		uint64_t sum;

		memcpy(&e, ohv_ptr(s->d, s->cq + 16 * (s->cq_ci % (2u << NIC_LOG))), 16);
		if (OHCA_GET(OHCA_NIC_CQE_PHASE, &e) == (s->cq_ci >> (NIC_LOG + 1) & 1))
			break;
		s->cq_ci++;
		len = OHCA_GET(OHCA_NIC_CQE_LEN, &e);
		sum = hash(ohv_ptr(s->d, s->rxbuf + (uint64_t)(s->rx_ci % (1u << NIC_LOG)) * NIC_SLOT), len);
		s->rx_ci++;
		for (;; s->head++, s->nic_missed++) {
			if (s->head == s->tail)
				ohv_fail("node %u: the network interface has a frame of %u bytes that is not for it", s->d->node, len);
			if (s->way[s->head % NIC_WAY].len == len && s->way[s->head % NIC_WAY].sum == sum)
				break;
		}
		s->head++;
		s->nic_got++;
	}
	if (!s->nic_on || s->rx_pi == (uint16_t)(s->rx_ci + (1u << NIC_LOG)))
		return;
	while (s->rx_pi != (uint16_t)(s->rx_ci + (1u << NIC_LOG))) {
		uint64_t a = s->rxbuf + (uint64_t)(s->rx_pi % (1u << NIC_LOG)) * NIC_SLOT;
		uint32_t w[4] = { (uint32_t)a, (uint32_t)(a >> 32), NIC_BUF, 0 };

		memcpy(ohv_ptr(s->d, s->rx + 16 * (s->rx_pi % (1u << NIC_LOG))), w, 16);
		s->rx_pi++;
	}
	fabric_write32(fab, s->d->node, OHCA_BAR_DB_BASE + OHCA_DB_NIC_RX, s->rx_pi);
}

static void ud_receive(struct side *s)
{
	struct ohv_qp *q = s->qi[PAIRS + 1].q;
	struct ohv_sge r = { OWN_VA + OWN_LEN, UD_BUF, s->own->key };

	ohv_post_recv(q, &r, 1);
}

static bool settle(void *ctx)
{
	bool quiet = true;

	(void)ctx;
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];
		struct ohca_cqe e;
		struct packet *p = fab->node[k].rx->head;

		while (ohv_poll(s->rcq, &e))
			take(k, true, &e);
		while (ohv_poll(s->scq, &e))
			take(k, false, &e);
		while (ohv_poll(s->vcq, &e))
			;		/* the forged QP's: anything */
		while (ohv_poll(s->ucq, &e)) {
			if (OHCA_GET(OHCA_CQE_STATUS, &e))
				s->ud_bad++;
			else
				s->ud_got++;
			ud_receive(s);
		}
		poll_nic(s);
		for (unsigned i = 0; i < PAIRS; i++) {
			struct lane *l = &s->lane[i];

			if (posting && l->posted - l->done < DEPTH && l->rposted - l->rdone < DEPTH)
				post(k, i);
			if (l->posted != l->done || l->rposted != l->rdone)
				quiet = false;
		}
		if (p) {
			quiet = false;
			if (p->len <= PACKET_MAX && below(4) == 0) {
				struct frame *f = &s->seen;
				unsigned c, was = f->len;
				bool ce;

				memcpy(f->d, p->data, p->len);
				f->len = p->len;
				f->kind = p->kind;
				f->error = p->error;
				if (p->kind == OHCA_KIND_FC || (ohv_roce ? judge_eth(k, f, &c, &ce) : judge_ib(k, f, &c)) != F_TRAFFIC)
					f->len = 0;
				(void)was;
			}
		}
	}
	return quiet;
}

/* ------------------------------------------------------------------ set up */

static void set_nic(struct side *s, bool on)
{
	struct ohca_cmd_nic_in in;
	struct ohca_cmd_eth_in e;
	int st;

	memset(&e, 0, sizeof(e));
	mac_of((uint8_t *)e.dw, s->d->lid);
	OHCA_SET(OHCA_CMD_ETH_IN_MTU, &e, OHCA_MTU_MTU4096);
	e.dw[4] = on;
	st = ohv_cmd(s->d, OHCA_CMD_OP_SET_ETH, 1, 0, &e, sizeof(e) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("set_eth: status %d", st);
	memset(&in, 0, sizeof(in));
	if (on) {
		s->tx = ohv_alloc(s->d, 4096, 4096);
		s->rx = ohv_alloc(s->d, 16u << NIC_LOG, 4096);
		s->cq = ohv_alloc(s->d, 32u << NIC_LOG, 4096);
		s->rxbuf = ohv_alloc(s->d, (size_t)NIC_SLOT << NIC_LOG, 64);
		in.dw[0] = 3 | 4 << 4 | NIC_LOG << 8 | (NIC_LOG + 1) << 12;
		OHCA_SET(OHCA_CMD_NIC_IN_TX, &in, s->tx);
		OHCA_SET(OHCA_CMD_NIC_IN_RX, &in, s->rx);
		OHCA_SET(OHCA_CMD_NIC_IN_CQ, &in, s->cq);
		memset(ohv_ptr(s->d, s->cq), 0, 32u << NIC_LOG);
		s->rx_pi = s->rx_ci = 0;
		s->cq_ci = 0;
	}
	st = ohv_cmd(s->d, OHCA_CMD_OP_SET_NIC, 1, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("set_nic: status %d", st);
	s->nic_on = on;
	poll_nic(s);
}

static void connect_to(struct side *s, unsigned i, uint16_t lid, uint32_t dqpn, unsigned mtu, unsigned timeout, bool forged)
{
	struct ohv_qp_attr a = { .dqpn = dqpn, .mtu = mtu, .timeout = timeout, .retry = 7, .rnr_retry = 7, .min_rnr = 1, .max_rd = 4, .max_dest_rd = 4,
				 .access = 3, .av.dlid = lid, .qkey = UD_QKEY, .sq_psn = forged ? 0 : 0xffff80, .rq_psn = forged ? 0 : 0xffff80 };
	int st = ohv_connect(s->qi[i].q, &a);

	if (st)
		ohv_fail("connect: status %d", st);
	s->qi[i].lid = lid;
	s->qi[i].which = (s->qi[i].q->qpn + dqpn) & 3;
}

/* The QP towards nobody: receives, and requests that wait for answers. */
static void arm_forged(struct side *s)
{
	struct ohv_qp *q = s->qi[PAIRS].q;
	struct ohv_sge sge = { OWN_VA, 3000, s->own->key };

	connect_to(s, PAIRS, GHOST_LID, GHOST_QPN, OHCA_MTU_MTU1024, 0, true);
	for (unsigned i = 0; i < 16; i++)
		ohv_post_recv(q, &sge, 1);
	for (unsigned i = 0; i < 6; i++) {
		struct ohv_wr wr = { .op = i % 3 == 0 ? OHCA_WR_OP_RDMA_READ : i % 3 == 1 ? OHCA_WR_OP_RDMA_WRITE : OHCA_WR_OP_SEND, .signaled = true,
				     .sge = &sge, .nsge = 1, .raddr = 0x1000, .rkey = 0x77 };

		ohv_post_send(q, &wr);
	}
	ohv_ring(q);
}

static void set_up(void)
{
	for (unsigned k = 0; k < 2; k++)
		ohv_port_up(side[k].d, (uint16_t)(k + 1));
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		ohv_port_wait(s->d);
		if (!ohv_roce && ohv_cmd(s->d, OHCA_CMD_OP_QUERY_GID, 1, 0, NULL, 0, s->gid, 4, NULL))
			ohv_fail("node %u: query_gid refused", k);
		memset(s->lane, 0, sizeof(s->lane));
		s->seen.len = 0;
		if (ohv_roce)
			set_nic(s, !k);
		for (unsigned i = 0; i < PAIRS + 2; i++) {
			bool t = i < PAIRS;

			s->qi[i].kind = t ? Q_TRAFFIC : i == PAIRS ? Q_FORGED : Q_UD;
			s->qi[i].q = ohv_create_qp(s->d, i == PAIRS + 1 ? OHCA_QP_TYPE_UD : OHCA_QP_TYPE_RC, t ? s->scq : s->vcq,
						   t ? s->rcq : i == PAIRS ? s->vcq : s->ucq, 5, i == PAIRS + 1 ? UD_LOG : 5, 4);
		}
	}
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		for (unsigned i = 0; i < PAIRS; i++)
			connect_to(s, i, side[!k].d->lid, side[!k].qi[i].q->qpn, OHCA_MTU_MTU1024 + i, 12, false);
		arm_forged(s);
		connect_to(s, PAIRS + 1, 0, 0, OHCA_MTU_MTU4096, 0, false);
		for (unsigned i = 0; i < (1u << UD_LOG) - 1; i++)
			ud_receive(s);
	}
}

static void tear_down(void)
{
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		for (unsigned i = 0; i < PAIRS + 2; i++) {
			if (ohv_destroy_qp(s->qi[i].q))
				ohv_fail("node %u: QP %u cannot be destroyed", k, s->qi[i].q->qpn);
			s->qi[i].q = NULL;
		}
		if (s->nic_on)
			set_nic(s, false);
	}
}

/* ------------------------------------------------------------------ a batch */

static bool moves_anyway(unsigned c, bool forged)
{
	switch (c) {
	case OHCA_COUNTER_TX_PKTS: case OHCA_COUNTER_TX_WORDS: case OHCA_COUNTER_RX_PKTS: case OHCA_COUNTER_RX_WORDS: case OHCA_COUNTER_TX_WAIT:
	case OHCA_COUNTER_RX_NO_CREDIT: case NONE:
		return true;
	/* what a forged packet may be found to be, and what it makes the QP do */
	case OHCA_COUNTER_RX_QP_STATE: case OHCA_COUNTER_RX_OPCODE: case OHCA_COUNTER_RX_DUP: case OHCA_COUNTER_RX_OOO: case OHCA_COUNTER_RX_RESP_BAD:
	case OHCA_COUNTER_RX_RNR: case OHCA_COUNTER_TX_RETRY: case OHCA_COUNTER_TX_RNR_WAIT: case OHCA_COUNTER_TX_LOCAL_ERR: case OHCA_COUNTER_TPT_KEY:
	case OHCA_COUNTER_TPT_BOUNDS: case OHCA_COUNTER_TPT_ACCESS: case OHCA_COUNTER_RESP_FULL:
		return forged;
	}
	return false;
}

static void check_counters(bool forged, bool lossy)
{
	bool bad = false;

	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];
		uint64_t moved[64], nic, ud, empty = 0, less = 0, lost = 0;

		for (unsigned c = 0; c < NONE; c++) {
			uint64_t v = counter(k, c);

			moved[c] = v - s->was[c];
			s->was[c] = v;
		}
		nic = moved[OHCA_COUNTER_ETH_NIC_DROP] + moved[OHCA_COUNTER_NIC_NO_BUF] + moved[OHCA_COUNTER_NIC_TOO_LONG] + moved[OHCA_COUNTER_NIC_BAD];
		for (; s->head != s->tail; s->head++)
			s->nic_missed++;
		if (lossy && nic < s->nic_missed)
			less += s->nic_missed - nic;
		else if (nic != s->nic_missed) {
			printf("# node %u: %llu frames for the network interface are missing, %llu were counted\n", k,
			       (unsigned long long)s->nic_missed, (unsigned long long)nic);
			bad = true;
		}
		s->want[OHCA_COUNTER_ETH_NIC] -= moved[OHCA_COUNTER_ETH_NIC_DROP];
		ud = s->ud_got + moved[OHCA_COUNTER_RX_UD_DROP];
		if (lossy && ud < s->ud_want && !s->ud_bad)
			less += s->ud_want - ud;
		else if (ud != s->ud_want || s->ud_bad) {
			printf("# node %u: of %llu datagrams %llu came, %llu of them bad, and %llu were counted as dropped\n", k,
			       (unsigned long long)s->ud_want, (unsigned long long)(s->ud_got + s->ud_bad), (unsigned long long)s->ud_bad,
			       (unsigned long long)moved[OHCA_COUNTER_RX_UD_DROP]);
			bad = true;
		}
		/*
		 * Of a QP that does not exist there is no context, or an empty one. Packets with a wrong P_Key make both InfiniBand ports send
		 * traps to the subnet manager, whose QP 0 is to be in node 0 and is not.
		 */
		if (!forged) {
			empty = moved[OHCA_COUNTER_RX_QP_STATE];
			moved[OHCA_COUNTER_RX_QPN] += empty;
			if (!k && !ohv_roce && moved[OHCA_COUNTER_RX_QPN] > s->want[OHCA_COUNTER_RX_QPN] &&
			    moved[OHCA_COUNTER_RX_QPN] - s->want[OHCA_COUNTER_RX_QPN] <= 8)
				moved[OHCA_COUNTER_RX_QPN] = s->want[OHCA_COUNTER_RX_QPN];
			moved[OHCA_COUNTER_RX_QP_STATE] = 0;
		} else if (moved[OHCA_COUNTER_RX_QPN] < s->want[OHCA_COUNTER_RX_QPN]) {
			moved[OHCA_COUNTER_RX_QPN] = s->want[OHCA_COUNTER_RX_QPN];
		}
		for (unsigned c = 0; c < NONE; c++) {
			if (c == OHCA_COUNTER_ETH_NIC_DROP || c == OHCA_COUNTER_NIC_NO_BUF || c == OHCA_COUNTER_NIC_TOO_LONG || c == OHCA_COUNTER_NIC_BAD ||
			    c == OHCA_COUNTER_RX_UD_DROP)
				continue;
			if (lossy && !moves_anyway(c, false) && c != OHCA_COUNTER_RX_CE) {
				/* what found no room is missing elsewhere, and the good traffic sends again */
				if (c == OHCA_COUNTER_RX_OVERRUN) {
					lost += moved[c];
				} else if (c == OHCA_COUNTER_RX_VL15_DROP && moved[c] > s->want[c]) {
					/* a trap of the other port: VL15 has no credits */
					lost += moved[c] - s->want[c];
				} else if (moves_anyway(c, true) || c == OHCA_COUNTER_TX_TIMEOUT) {
					;
				} else if (moved[c] > s->want[c]) {
					printf("# node %u: %s moved by %llu, not %llu\n", k, counter_name[c], (unsigned long long)moved[c],
					       (unsigned long long)s->want[c]);
					bad = true;
				} else {
					less += s->want[c] - moved[c];
				}
				s->want[c] = 0;
				continue;
			}
			if (moves_anyway(c, forged) ? forged && moved[c] < s->want[c] : moved[c] != s->want[c]) {
				printf("# node %u: %s moved by %llu, not %llu\n", k, counter_name[c], (unsigned long long)moved[c],
				       (unsigned long long)s->want[c]);
				if (c == OHCA_COUNTER_RX_QPN)
					printf("#  %llu of them as rx_qp_state\n", (unsigned long long)empty);
				bad = true;
			}
			s->want[c] = 0;
		}
		if (lossy)
			printf("# node %u: %llu frames found no room\n", k, (unsigned long long)lost);
		if (less > 2 * lost) {
			printf("# node %u: %llu frames are missing\n", k, (unsigned long long)less);
			bad = true;
		}
		s->nic_missed = s->ud_want = s->ud_got = s->ud_bad = 0;
	}
	if (bad)
		ohv_fail("counters differ from what was sent (-b 1 finds the frame, -v shows all)");
}

static bool idle(void *ctx)
{
	(void)ctx;
	return fab->node[0].quiet_cycles && fab->node[1].quiet_cycles && !fab->node[0].rx->count && !fab->node[1].rx->count;
}

/* Frames are injected whether there are credits or not, so the receive buffer may run over: then some are missing, few, and counted. */
static bool ran_over(void)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < 2; k++)
		n += counter(k, OHCA_COUNTER_RX_OVERRUN) - side[k].was[OHCA_COUNTER_RX_OVERRUN];
	overrun += n;
	if (overrun > 100 + injected / 1000)
		ohv_fail("%llu of %llu frames found the receive buffer full", (unsigned long long)overrun, (unsigned long long)injected);
	return n;
}

static void drain(bool forged, bool lossy)
{
	posting = false;
	if (!fabric_run(fab, 60000000, settle, NULL))
		ohv_fail("messages do not end");
	/* What waits for credits may come after the next flow-control packet. */
	fabric_run(fab, 12000, NULL, NULL);
	if (!fabric_run(fab, 1000000, idle, NULL))
		ohv_fail("an adapter does not come to rest");
	settle(NULL);
	posting = true;
	check_counters(forged, lossy || ran_over());
}

static void batch(unsigned n, bool forged)
{
	static struct frame f;

	while (n) {
		unsigned k = below(2), c;
		enum fate fate;
		bool ce;

		fabric_run(fab, 4 + below(40), NULL, NULL);
		settle(NULL);
		if (fab->node[k].rx->count > 5)
			continue;
		fate = make(k, &f, forged, &c, &ce);
		inject(k, &f, fate, c, ce);
		n--;
	}
	drain(forged, false);
	for (unsigned k = 0; k < 2; k++) {
		static uint8_t got[4096];
		struct ohca_eqe e;

		while (ohv_event(side[k].d, &e)) {
			unsigned type = OHCA_GET(OHCA_EQE_TYPE, &e);

			if (type == OHCA_EQE_TYPE_COMM_EST || (forged && OHCA_GET(OHCA_EQE_NUM, &e) == side[k].qi[PAIRS].q->qpn))
				continue;
			ohv_fail("node %u: event %#x, number %u", k, type, (unsigned)OHCA_GET(OHCA_EQE_NUM, &e));
		}
		ohv_read(side[k].keep, 0, got, sizeof(got));
		if (memcmp(got, keep_data, sizeof(got)))
			ohv_fail("node %u: memory that no packet may reach was written", k);
		ohv_read(side[k].src, 0, got, sizeof(got));
		if (memcmp(got, src_data[k], sizeof(got)))
			ohv_fail("node %u: source memory was written", k);
	}
	/* What failed comes back. */
	for (unsigned k = 0; forged && k < 2; k++)
		if (ohv_query_state(side[k].qi[PAIRS].q) != OHCA_QP_STATE_RTS) {
			if (ohv_modify(side[k].qi[PAIRS].q, OHCA_QP_STATE_RESET, 0, NULL))
				ohv_fail("node %u: a failed QP cannot be reset", k);
			side[k].qi[PAIRS].q->sq_pi = side[k].qi[PAIRS].q->rq_pi = 0;
			arm_forged(&side[k]);
		}
}

static void check_states(void)
{
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < PAIRS + 2; i++)
			if (ohv_query_state(side[k].qi[i].q) != OHCA_QP_STATE_RTS)
				ohv_fail("node %u: QP %u is no longer in RTS", k, side[k].qi[i].q->qpn);
}

/* Good bytes a cycle, both directions, with or without the rest of the wire full of what is to be dropped. */
static double rate(bool full, unsigned *frames)
{
	static struct frame f;
	uint64_t begin, was;

	for (unsigned n = 0; n < 200; n++) {
		fabric_run(fab, 20, NULL, NULL);
		settle(NULL);
	}
	begin = fab->cycle;
	was = bytes_done;
	*frames = 0;
	while (fab->cycle - begin < 60000) {
		for (unsigned k = 0; full && k < 2; k++)
			while (fab->node[k].rx->count < 3 && *frames < NIC_WAY) {
				unsigned c;
				bool ce;
				enum fate fate = make(k, &f, false, &c, &ce);

				inject(k, &f, fate, c, ce);
				++*frames;
			}
		fabric_run(fab, 15, NULL, NULL);
		settle(NULL);
	}
	return (double)(bytes_done - was) / (double)(fab->cycle - begin);
}

static void flood(bool roce)
{
	enum { TURNS = 4 };
	double before = 0, then = 0;
	unsigned n = 0;

	/* In turns, as the good traffic is drawn, too: a few long messages more or less count in one of them. */
	for (unsigned i = 0; i < TURNS; i++) {
		unsigned frames;

		before += rate(false, &frames) / TURNS;
		then += rate(true, &frames) / TURNS;
		n += frames;
		drain(false, true);
	}
	check_states();
	printf("# %.2f bytes a cycle without, %.2f with %u frames beside them\n", before, then, n);
	if (then < before * 0.6 || n < 500 * TURNS)
		ohv_fail("the good traffic starves, or there was no flood");
	printf("ok fuzz-flood-%s\n", roce ? "roce" : "ib");
}

static void phase(bool roce, uint64_t frames, unsigned size)
{
	struct fault *ghost;
	char rule[64], err[128];
	uint64_t begin, cycles = fab->cycle, at = messages;
	unsigned n = 0, last = 0;
	bool forged = false;

	if (!frames)
		return;
	ohv_roce = roce;
	set_up();
	snprintf(rule, sizeof(rule), "drop,qpn=%u", GHOST_QPN);
	ghost = fault_parse(rule, 1, err, sizeof(err));
	for (unsigned d = 0; d < 2; d++)
		fab->link[0].w[d].faults = ghost;
	fabric_run(fab, 20000, NULL, NULL);
	for (unsigned k = 0; k < 2; k++) {
		struct ohca_eqe e;

		while (ohv_event(side[k].d, &e))
			;
		memset(side[k].want, 0, sizeof(side[k].want));
		for (unsigned c = 0; c < NONE; c++)
			side[k].was[c] = counter(k, c);
	}
	for (begin = injected; injected - begin < frames; n++) {
		uint64_t left = frames - (injected - begin);

		forged = n & 1;
		batch(left < size ? (unsigned)left : size, forged);
		if ((n & 15) < 2)
			check_states();
		if ((injected - begin) / 50000 != last) {
			last = (unsigned)((injected - begin) / 50000);
			printf("# %llu frames\n", (unsigned long long)(injected - begin));
			fflush(stdout);
		}
	}
	check_states();
	if (flooded)
		flood(roce);
	tear_down();
	fabric_run(fab, 20000, NULL, NULL);
	for (unsigned k = 0; k < 2; k++)
		if (fab->node[k].model->failures)
			ohv_fail("node %u: an assertion of the RTL failed", k);
	printf("ok fuzz-%s - %llu frames beside %llu messages, %.0f cycles a frame\n", roce ? "roce" : "ib", (unsigned long long)(injected - begin),
	       (unsigned long long)(messages - at), (double)(fab->cycle - cycles) / (double)frames);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct option opts[] = { { "ib", 0, NULL, 'I' }, { "roce", 0, NULL, 'R' }, { "flood", 0, NULL, 'F' }, { 0 } };
	const char *fw = "build/firmware/ohca_fw.hex";
	uint64_t seed = (uint64_t)time(NULL) & 0xffffff, frames = 10000, ib;
	unsigned width = 64, size = 3500, only = 0;
	struct fabric_config cfg;
	int c, latency = -1;

	while ((c = getopt_long(argc, argv, "w:s:n:b:f:l:v", opts, NULL)) != -1)
		switch (c) {
		case 'w': width = (unsigned)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': frames = strtoull(optarg, NULL, 0); break;
		case 'b': size = (unsigned)atoi(optarg); break;
		case 'f': fw = optarg; break;
		case 'l': latency = atoi(optarg); break;
		case 'v': verbose = true; break;
		case 'I': only = 1; break;
		case 'R': only = 2; break;
		case 'F': flooded = true; break;
		default: return 2;
		}
	if (!size || size >= NIC_WAY) {
		fprintf(stderr, "fuzz: 1 to %u frames a batch\n", NIC_WAY - 1);
		return 2;
	}
	rng_seed(&rng, seed, 21);
	fabric_config_default(&cfg, 2, width);
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.axi.read_latency = latency >= 0 ? (unsigned)latency : 3 + below(200);
	printf("# seed %llu, width %u, %llu frames, host memory answers after %u cycles\n", (unsigned long long)seed, width, (unsigned long long)frames,
	       cfg.axi.read_latency);
	fflush(stdout);
	ohv_bus(&cfg, false);
	fab = fabric_create(&cfg);
	if (!fab)
		return 1;
	for (unsigned i = 0; i < sizeof(keep_data); i++)
		keep_data[i] = (uint8_t)rng_next(&rng);
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		s->d = ohv_open(fab, k, 128u << 20);
		for (unsigned i = 0; i < SRC_LEN; i++)
			src_data[k][i] = (uint8_t)rng_next(&rng);
		s->src = ohv_reg(s->d, SRC_VA, SRC_LEN, 7);
		s->dst = ohv_reg(s->d, DST_VA, DST_LEN, 7);
		s->own = ohv_reg(s->d, OWN_VA, OWN_LEN + UD_BUF, 7);
		s->keep = ohv_reg(s->d, KEEP_VA, sizeof(keep_data), 7);
		ohv_write(s->src, 0, src_data[k], SRC_LEN);
		ohv_write(s->keep, 0, keep_data, sizeof(keep_data));
		s->scq = ohv_create_cq(s->d, 8);
		s->rcq = ohv_create_cq(s->d, 8);
		s->vcq = ohv_create_cq(s->d, 8);
		s->ucq = ohv_create_cq(s->d, 8);
	}
	ib = only == 1 ? frames : only == 2 ? 0 : frames * 3 / 10;
	phase(false, ib, size);
	phase(true, frames - ib, size);
	printf("# fates: %llu counted, %llu thrown away quietly, %llu to the network interface, %llu datagrams, %llu forged\n",
	       (unsigned long long)fates[F_COUNT], (unsigned long long)fates[F_QUIET], (unsigned long long)fates[F_NIC],
	       (unsigned long long)fates[F_UD], (unsigned long long)fates[F_FORGED]);
	return 0;
}
