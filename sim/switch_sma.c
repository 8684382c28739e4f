/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The management half of the switch: directed-route forwarding, the subnet
 * management agent behind port 0, and the performance counters (class 4).
 * What a request asks that is not there is answered with a status, as a
 * subnet manager expects.
 */
#include "switch_priv.h"
#include "crc.h"
#include "ids.h"

#include <string.h>

enum { MAD_AT = 28, MAD_LEN = 256, MAD_PACKET = 290 };	/* LRH 8, BTH 12, DETH 8 */
enum { GET = 0x01, SET = 0x02, TRAP = 0x05, TRAP_REPRESS = 0x07, GET_RESP = 0x81 };
enum { CLASS_LID = 0x01, CLASS_PERF = 0x04, CLASS_DR = 0x81 };
enum { ST_VERSION = 0x04, ST_METHOD = 0x08, ST_METHOD_ATTR = 0x0c, ST_FIELD = 0x1c };
enum { ATTR_NOTICE = 0x02, ATTR_NODE_DESC = 0x10, ATTR_NODE_INFO = 0x11, ATTR_SWITCH_INFO = 0x12,
       ATTR_GUID_INFO = 0x14, ATTR_PORT_INFO = 0x15, ATTR_PKEY = 0x16, ATTR_SL2VL = 0x17,
       ATTR_VLARB = 0x18, ATTR_LFT = 0x19, ATTR_MFT = 0x1b };
enum { PERF_CLASS = 0x01, PERF_COUNTERS = 0x12, PERF_EXT = 0x1d };
#define PERMISSIVE 0xffff

/* ---- datagrams ------------------------------------------------------------------- */

/* LRH, BTH and DETH of a management packet, then both checksums. */
static void finish(struct packet *p, unsigned vl, unsigned sl, uint16_t slid, uint16_t dlid,
		   uint32_t qpn, uint32_t qkey, uint32_t src_qp, uint16_t pkey)
{
	uint8_t *d = p->data;

	p->kind = OHCA_KIND_IB;
	p->len = MAD_PACKET;
	p->error = false;
	memset(d, 0, MAD_AT);
	d[0] = (uint8_t)(vl << 4);
	d[1] = (uint8_t)(sl << 4 | 2);
	put_be16(d + 2, dlid);
	put_be16(d + 4, (MAD_PACKET - 2) / 4);
	put_be16(d + 6, slid);
	d[8] = 0x64;			/* UD SEND only */
	put_be16(d + 10, pkey);
	put_be32(d + 12, qpn);
	put_be32(d + 20, qkey);
	put_be32(d + 24, src_qp);
	ib_put_icrc(d, p->len);
	ib_put_vcrc(d, p->len);
}

static void status(uint8_t *m, unsigned st)
{
	put_be16(m + 4, (get_be16(m + 4) & 0x8000u) | st);
}

/* ---- attributes ------------------------------------------------------------------- */

static bool mkey_ok(struct ib_switch *s, const uint8_t *m)
{
	bool get = m[3] == GET;

	if (s->mkey_lease_at && s->now >= s->mkey_lease_at) {
		s->mkey_protect = 0;
		s->mkey_lease_at = 0;
	}
	if (!s->mkey || get_be64(m + 24) == s->mkey) {
		s->mkey_lease_at = 0;
		return true;
	}
	if (get && s->mkey_protect < 2)
		return true;
	if (s->mkey_viol != 0xffff)
		s->mkey_viol++;
	if (s->lease && !s->mkey_lease_at)
		s->mkey_lease_at = s->now + (uint64_t)s->lease * s->clock_mhz * 1000000ull;
	return false;
}

static void node_info(struct ib_switch *s, unsigned in, uint8_t *a)
{
	a[0] = a[1] = 1;
	a[2] = 2;			/* switch */
	a[3] = (uint8_t)s->ports;
	put_be64(a + 4, s->guid);
	put_be64(a + 12, s->guid);
	put_be64(a + 20, s->guid);	/* port 0 */
	put_be16(a + 28, SW_PKEYS);
	put_be16(a + 30, OHCA_PCI_DEVICE_ID);
	put_be32(a + 32, 1);
	put_be32(a + 36, in << 24 | (uint32_t)(OHCA_GUID_BASE >> 40));
}

static unsigned switch_info(struct ib_switch *s, uint8_t *a, bool set)
{
	if (set) {
		uint16_t top = get_be16(a + 6), mtop = get_be16(a + 18);
		unsigned st = 0;

		if (top >= SW_LIDS)
			st = ST_FIELD;
		else
			s->lin_top = top;
		if (a[8] <= s->ports)
			s->def_port = a[8];
		if (a[9] <= s->ports)
			s->def_mcast_pri = a[9];
		if (a[10] <= s->ports)
			s->def_mcast_not = a[10];
		s->life_time = a[11] >> 3;
		if (a[11] & 4)
			s->state_change = false;	/* written one clears */
		s->mcast_top = mtop;
		if (st)
			return st;
	}
	memset(a, 0, 64);
	put_be16(a, SW_LIDS);
	put_be16(a + 4, SW_MLIDS);
	put_be16(a + 6, s->lin_top);
	a[8] = s->def_port;
	a[9] = s->def_mcast_pri;
	a[10] = s->def_mcast_not;
	a[11] = (uint8_t)(s->life_time << 3 | (s->state_change ? 4 : 0));
	put_be16(a + 18, s->mcast_top);
	return 0;
}

/* What is supported: up to what the links run at, as the adapters have it. */
#define SPEEDS(s) (2u * (s)->speed - 1)

static void port_info_get(struct ib_switch *s, unsigned n, unsigned in, const uint8_t *m,
			  uint8_t *a)
{
	struct swport *p = &s->port[n];
	unsigned phys = !n ? PHYS_LINKUP : p->link ? PHYS_LINKUP : p->disabled ? PHYS_DISABLED :
			PHYS_POLLING;

	memset(a, 0, 64);
	if (!n) {
		if (s->mkey_protect != 1 || get_be64(m + 24) == s->mkey)
			put_be64(a, s->mkey);
		put_be64(a + 8, s->gid_prefix);
		put_be16(a + 16, s->lid);
		put_be16(a + 18, s->sm_lid);
		/* trap, SL map, system image GUID, client reregister is for CAs, extended speeds */
		put_be32(a + 20, 1u << 3 | 1u << 6 | 1u << 11 | (s->speed_ext ? 1u << 14 : 0));
		put_be16(a + 26, s->lease);
		a[34] = (uint8_t)(s->mkey_protect << 6 | s->lmc);
		put_be16(a + 44, s->mkey_viol);
		a[50] = 1;
		a[51] = s->subnet_timeout & 0x1f;
		a[52] = s->resp_time;
		a[36] = s->sm_sl;
	}
	a[28] = (uint8_t)in;
	a[29] = p->width_enabled;
	a[30] = 2;			/* 4x */
	a[31] = s->width;
	a[32] = (uint8_t)(SPEEDS(s) << 4 | (unsigned)p->state);
	a[33] = (uint8_t)(phys << 4 | (p->link_down_default & 15u));
	a[35] = (uint8_t)((unsigned)s->speed << 4 | (p->speed_enabled & 15u));
	a[36] |= (uint8_t)(p->neighbor_mtu << 4);
	a[37] = (uint8_t)(s->vl_cap << 4);
	a[38] = p->vl_high_limit;
	a[39] = 64;
	a[40] = 64;
	a[41] = 5;			/* 4096 */
	a[42] = (uint8_t)(p->vl_stall << 5 | (p->hoq_life & 31));
	a[43] = (uint8_t)(p->oper_vls << 4 | (p->part_enf & 15));
	a[53] = (uint8_t)(p->phys_err << 4 | (p->overrun_err & 15));
	if (s->speed_ext) {
		unsigned sup = s->speed_ext == 2 ? 3 : 1;

		a[62] = (uint8_t)((unsigned)s->speed_ext << 4 | sup);
		a[63] = p->ext_enabled;
	}
}

static unsigned enabled(uint8_t *reg, unsigned v, unsigned all, unsigned sup)
{
	if (!v)
		return 0;
	if (v == all)
		v = sup;
	if (v & ~sup)
		return ST_FIELD;
	*reg = (uint8_t)v;
	return 0;
}

static unsigned port_info_set(struct ib_switch *s, unsigned n, const uint8_t *m, const uint8_t *a)
{
	struct swport *p = &s->port[n];
	unsigned st = 0, v, phys = a[33] >> 4, state = a[32] & 15;

	(void)m;
	if (!n) {
		uint16_t lid = get_be16(a + 16), sm = get_be16(a + 18);

		s->mkey = get_be64(a);
		s->gid_prefix = get_be64(a + 8);
		s->lease = get_be16(a + 26);
		if (lid && lid < SW_LIDS)
			s->lid = lid;
		else
			st = ST_FIELD;
		if (sm && sm < SW_LIDS)
			s->sm_lid = sm;
		else
			st = ST_FIELD;
		s->sm_sl = a[36] & 15;
		s->mkey_protect = a[34] >> 6;
		if (a[34] & 7)
			st = ST_FIELD;		/* base port 0: LMC 0 */
		if (!get_be16(a + 44))
			s->mkey_viol = 0;
		s->subnet_timeout = a[51] & 31;
		return st;
	}
	st |= enabled(&p->width_enabled, a[29], 255, 2);
	st |= enabled(&p->speed_enabled, a[35] & 15, 15, SPEEDS(s));
	if (s->speed_ext && a[63] != 30)
		st |= enabled(&p->ext_enabled, a[63] & 31, 31, s->speed_ext == 2 ? 3 : 1);
	v = a[33] & 15;
	if (v > 2)
		st = ST_FIELD;
	else if (v)
		p->link_down_default = (uint8_t)v;
	p->vl_high_limit = a[38];
	v = a[36] >> 4;
	if (v < 1 || v > 5)
		st = ST_FIELD;
	else
		p->neighbor_mtu = (uint8_t)v;
	p->vl_stall = a[42] >> 5;
	p->hoq_life = a[42] & 31;
	v = a[43] >> 4;
	/* Packets that wait on a lane would never leave it: as an adapter does, not while data flows. */
	if (v > s->vl_cap || (v && v != p->oper_vls && p->state == PS_ACTIVE && state != PS_DOWN)) {
		st = ST_FIELD;
	} else if (v && v != p->oper_vls) {
		p->oper_vls = (uint8_t)v;
		p->fc_force = (1u << sw_lanes(p->oper_vls)) - 1;
	}
	p->phys_err = a[53] >> 4;
	p->overrun_err = a[53] & 15;

	if (phys && state > PS_DOWN)
		return ST_FIELD;
	if (phys == PHYS_DISABLED || phys == PHYS_POLLING || phys == PHYS_SLEEP) {
		sw_bounce(s, n, phys == PHYS_DISABLED);
		return st;
	}
	if (phys)
		return ST_FIELD;
	switch (state) {
	case 0:
		break;
	case PS_DOWN:
		sw_bounce(s, n, false);
		break;
	case PS_ARMED:
		if (p->state == PS_INIT)
			sw_set_state(s, n, PS_ARMED);
		else if (p->state != PS_ARMED)
			st = ST_FIELD;
		break;
	case PS_ACTIVE:
		if (p->state == PS_ARMED)
			sw_set_state(s, n, PS_ACTIVE);
		else
			st = ST_FIELD;		/* also when it is active; managers tolerate it */
		break;
	default:
		st = ST_FIELD;
	}
	return st;
}

static unsigned sl2vl(struct ib_switch *s, uint32_t mod, uint8_t *a, bool set)
{
	unsigned in = mod >> 8 & 255, out = mod & 255;
	uint8_t *t;

	if (in > s->ports || out > s->ports)
		return ST_FIELD;
	t = s->port[out].sl2vl[in];
	for (unsigned i = 0; i < 8; i++) {
		if (set) {
			t[2 * i] = a[i] >> 4;
			t[2 * i + 1] = a[i] & 15;
		}
		a[i] = (uint8_t)(t[2 * i] << 4 | t[2 * i + 1]);
	}
	memset(a + 8, 0, 56);
	return 0;
}

static unsigned vlarb(struct ib_switch *s, uint32_t mod, uint8_t *a, bool set)
{
	unsigned n = mod & 0xffff, half = mod >> 16;
	struct vlarb *t;

	if (!n || n > s->ports || half < 1 || half > 4)
		return ST_FIELD;
	t = (half <= 2 ? s->port[n].low : s->port[n].high) + (half & 1 ? 0 : 32);
	for (unsigned i = 0; i < 32; i++) {
		if (set)
			t[i] = (struct vlarb){ a[2 * i] & 15, a[2 * i + 1] };
		a[2 * i] = t[i].vl;
		a[2 * i + 1] = t[i].weight;
	}
	return 0;
}

static unsigned lft(struct ib_switch *s, uint32_t block, uint8_t *a, bool set)
{
	if (block >= SW_LIDS / 64)
		return ST_FIELD;
	if (set)
		memcpy(s->lft + block * 64, a, 64);
	memcpy(a, s->lft + block * 64, 64);
	return 0;
}

static unsigned mft(struct ib_switch *s, uint32_t mod, uint8_t *a, bool set)
{
	unsigned block = mod & 0x1ff, group = mod >> 28;

	if (block >= SW_MLIDS / 32 || group > s->ports / 16 || group > 3)
		return ST_FIELD;
	for (unsigned i = 0; i < 32; i++) {
		uint64_t *e = &s->mft[block * 32 + i];

		if (set)
			*e = (*e & ~(0xffffull << 16 * group)) |
			     (uint64_t)get_be16(a + 2 * i) << 16 * group;
		put_be16(a + 2 * i, (uint32_t)(*e >> 16 * group) & 0xffff);
	}
	return 0;
}

static unsigned pkeys(struct ib_switch *s, uint32_t mod, uint8_t *a, bool set)
{
	if (mod >> 16 || mod & 0xffff)
		return ST_FIELD;		/* only port 0 has a table, of one block */
	for (unsigned i = 0; i < SW_PKEYS; i++) {
		if (set)
			s->pkey[i] = get_be16(a + 2 * i);
		put_be16(a + 2 * i, s->pkey[i]);
	}
	return 0;
}

/* false: drop it without an answer */
static bool sma(struct ib_switch *s, unsigned in, uint8_t *m)
{
	uint16_t attr = get_be16(m + 16);
	uint32_t mod = get_be32(m + 20);
	bool set = m[3] == SET;
	uint8_t *a = m + 64;
	unsigned st = 0, n;

	if (m[0] != 1 || m[3] & 0x80)
		return false;
	if (m[3] == TRAP_REPRESS) {
		if (mkey_ok(s, m) && get_be64(m + 8) == (s->guid ^ s->trap_tid))
			s->trap_left = 0;
		return false;
	}
	if (m[2] != 1) {
		st = ST_VERSION;
	} else if (m[3] != GET && m[3] != SET) {
		st = ST_METHOD;
	} else if (!mkey_ok(s, m)) {
		return false;
	} else {
		switch (attr) {
		case ATTR_NODE_DESC:
			if (mod)
				st = ST_FIELD;
			else if (set)
				memcpy(s->node_desc, a, 64);
			else
				memcpy(a, s->node_desc, 64);
			break;
		case ATTR_NODE_INFO:
			if (set)
				st = ST_METHOD_ATTR;
			else if (mod)
				st = ST_FIELD;
			else
				memset(a, 0, 64), node_info(s, in, a);
			break;
		case ATTR_SWITCH_INFO:
			st = mod ? ST_FIELD : switch_info(s, a, set);
			break;
		case ATTR_GUID_INFO:
			if (mod || (set && get_be64(a) != s->guid && get_be64(a))) {
				st = ST_FIELD;
			} else {
				memset(a, 0, 64);
				put_be64(a, s->guid);
			}
			break;
		case ATTR_PORT_INFO:
			n = mod & 0xff;
			if (n > s->ports || mod & 0x7fffff00) {
				st = ST_FIELD;
				break;
			}
			if (set)
				st = port_info_set(s, n, m, a);
			port_info_get(s, n, in, m, a);
			break;
		case ATTR_PKEY: st = pkeys(s, mod, a, set); break;
		case ATTR_SL2VL: st = sl2vl(s, mod, a, set); break;
		case ATTR_VLARB: st = vlarb(s, mod, a, set); break;
		case ATTR_LFT: st = lft(s, mod, a, set); break;
		case ATTR_MFT: st = mft(s, mod, a, set); break;
		default: st = ST_METHOD_ATTR; break;
		}
	}
	m[3] = GET_RESP;
	status(m, st);
	return true;
}

/* ---- subnet management packets ---------------------------------------------------- */

static void smp_forward(struct ib_switch *s, unsigned out, struct packet *p)
{
	ib_put_icrc(p->data, p->len);	/* the pointer in the datagram has moved on */
	ib_put_vcrc(p->data, p->len);
	sw_emit(s, out, p);
}

static void smp_directed(struct ib_switch *s, unsigned in, struct packet *p)
{
	uint8_t *m = p->data + MAD_AT, *path = m + 128, *back = m + 192;
	unsigned ptr = m[6], cnt = m[7];
	uint16_t dr_slid = get_be16(m + 32), dr_dlid = get_be16(m + 34);

	if (cnt >= 64)
		goto drop;
	if (m[4] & 0x80) {			/* on the way back */
		if (ptr >= 2 && ptr <= cnt) {
			unsigned out = back[ptr - 1];

			if (!out || out > s->ports)
				goto drop;
			m[6] = (uint8_t)(ptr - 1);
			smp_forward(s, out, p);
			return;
		}
		if (ptr == 1 && dr_slid != PERMISSIVE) {
			int out = sw_route(s, dr_slid);	/* the rest of the way by LID */

			if (out <= 0)
				goto drop;
			m[6] = 0;
			put_be16(p->data + 2, dr_slid);
			smp_forward(s, (unsigned)out, p);
			return;
		}
		goto drop;				/* no manager lives here */
	}
	if (!ptr && cnt)
		goto drop;
	if (ptr && ptr < cnt) {
		unsigned out = path[ptr + 1];

		back[ptr] = (uint8_t)in;
		if (!out || out > s->ports)
			goto drop;
		m[6] = (uint8_t)(ptr + 1);
		smp_forward(s, out, p);
		return;
	}
	if (ptr == cnt) {
		if (cnt)
			back[ptr] = (uint8_t)in;
		ptr++;
		if (dr_dlid != PERMISSIVE && dr_dlid != s->lid) {
			int out = sw_route(s, dr_dlid);

			if (out <= 0)
				goto drop;
			m[6] = (uint8_t)ptr;
			put_be16(p->data + 2, dr_dlid);
			smp_forward(s, (unsigned)out, p);
			return;
		}
	}
	if (ptr != cnt + 1)
		goto drop;
	if (!sma(s, in, m))
		goto drop;
	put_be16(m + 4, get_be16(m + 4) | 0x8000);	/* it returns */
	if (cnt) {
		m[6] = (uint8_t)(ptr - 1);
		finish(p, 15, 0, PERMISSIVE, dr_slid, 0, 0, 0, 0xffff);
		sw_emit(s, back[ptr - 1], p);
	} else {
		m[6] = 0;
		finish(p, 15, 0, dr_slid == PERMISSIVE ? PERMISSIVE : s->lid, dr_slid, 0, 0, 0, 0xffff);
		sw_emit(s, in, p);
	}
	return;
drop:
	packet_free(p);
}

void sw_smp(struct ib_switch *s, unsigned in, struct packet *p)
{
	uint8_t *d = p->data, *m = d + MAD_AT;
	uint16_t dlid = get_be16(d + 2), slid = get_be16(d + 6);
	int out;

	if (s->port[in].state < PS_INIT || d[8] != 0x64 || get_be24(d + 13)) {
		packet_free(p);
		return;
	}
	if (m[1] == CLASS_DR && (dlid == PERMISSIVE || dlid == s->lid)) {
		smp_directed(s, in, p);
		return;
	}
	if (dlid == PERMISSIVE || (dlid == s->lid && s->lid)) {
		if (m[1] != CLASS_LID || !sma(s, in, m)) {
			packet_free(p);
			return;
		}
		finish(p, 15, 0, s->lid, slid, 0, 0, 0, 0xffff);
		sw_emit(s, in, p);
		return;
	}
	out = sw_route(s, dlid);
	if (out <= 0 || (unsigned)out == in) {
		s->port[in].st.relay_errors++;
		packet_free(p);
		return;
	}
	sw_emit(s, (unsigned)out, p);		/* VL and contents stay: both checksums hold */
}

void sw_trap(struct ib_switch *s)
{
	int out = sw_route(s, s->sm_lid);
	struct packet *p;
	uint8_t *m;

	s->trap_left--;
	s->trap_at = s->now + (uint64_t)s->clock_mhz * 300000;	/* again in 300 ms */
	if (out <= 0 || s->port[out].state != PS_ACTIVE || !s->lid)
		return;
	p = packet_new();
	m = p->data + MAD_AT;
	memset(m, 0, MAD_LEN);
	m[0] = 1;
	m[1] = CLASS_LID;
	m[2] = 1;
	m[3] = TRAP;
	put_be64(m + 8, s->guid ^ s->trap_tid);
	put_be16(m + 16, ATTR_NOTICE);
	m[64] = 0x81;				/* generic, urgent */
	m[67] = 2;				/* from a switch */
	put_be16(m + 68, 128);
	put_be16(m + 70, s->lid);
	put_be16(m + 72, s->trap_count++ & 0x7fff);
	put_be16(m + 74, s->lid);
	finish(p, 15, 0, s->lid, s->sm_lid, 0, 0, 0, 0xffff);
	sw_emit(s, (unsigned)out, p);
}

/* ---- performance counters ---------------------------------------------------------- */

static uint64_t since(uint64_t v, uint64_t zero, uint64_t max)
{
	v -= zero;
	return v > max ? max : v;
}

static void perf_get(const struct swport *p, uint8_t *a)
{
	const struct switch_port_stats *c = &p->st, *z = &p->zero;

	put_be16(a + 8, (uint32_t)since(c->rx_errors, z->rx_errors, 0xffff));
	put_be16(a + 10, (uint32_t)since(c->remote_errors, z->remote_errors, 0xffff));
	put_be16(a + 12, (uint32_t)since(c->relay_errors, z->relay_errors, 0xffff));
	put_be16(a + 14, (uint32_t)since(c->discards, z->discards, 0xffff));
	put_be16(a + 22, (uint32_t)since(c->vl15_dropped, z->vl15_dropped, 0xffff));
	put_be32(a + 24, (uint32_t)since(c->tx_bytes / 4, z->tx_bytes / 4, UINT32_MAX));
	put_be32(a + 28, (uint32_t)since(c->rx_bytes / 4, z->rx_bytes / 4, UINT32_MAX));
	put_be32(a + 32, (uint32_t)since(c->tx_packets, z->tx_packets, UINT32_MAX));
	put_be32(a + 36, (uint32_t)since(c->rx_packets, z->rx_packets, UINT32_MAX));
	put_be32(a + 40, (uint32_t)since(c->xmit_wait, z->xmit_wait, UINT32_MAX));
}

static void perf_clear(struct swport *p, unsigned select, bool wait)
{
	const struct switch_port_stats *c = &p->st;
	struct switch_port_stats *z = &p->zero;

	if (select & 0x0008)
		z->rx_errors = c->rx_errors;
	if (select & 0x0010)
		z->remote_errors = c->remote_errors;
	if (select & 0x0020)
		z->relay_errors = c->relay_errors;
	if (select & 0x0040)
		z->discards = c->discards;
	if (select & 0x0800)
		z->vl15_dropped = c->vl15_dropped;
	if (select & 0x1000)
		z->tx_bytes = c->tx_bytes;
	if (select & 0x2000)
		z->rx_bytes = c->rx_bytes;
	if (select & 0x4000)
		z->tx_packets = c->tx_packets;
	if (select & 0x8000)
		z->rx_packets = c->rx_packets;
	if (wait)
		z->xmit_wait = c->xmit_wait;
}

/* Two views of one set of counters, as the HCA has it: what is cleared in one is cleared in the other. */
static void perf_ext_get(const struct swport *p, uint8_t *a)
{
	const struct switch_port_stats *c = &p->st, *z = &p->zero;

	put_be64(a + 8, (c->tx_bytes - z->tx_bytes) / 4);
	put_be64(a + 16, (c->rx_bytes - z->rx_bytes) / 4);
	put_be64(a + 24, c->tx_packets - z->tx_packets);
	put_be64(a + 32, c->rx_packets - z->rx_packets);
}

static unsigned perf(struct ib_switch *s, uint8_t *m)
{
	uint16_t attr = get_be16(m + 16);
	bool set = m[3] == SET;
	uint8_t *a = m + 64;
	unsigned n = a[1], sel = get_be16(a + 2);

	if (m[2] != 1)
		return ST_VERSION;
	if (m[3] != GET && m[3] != SET)
		return ST_METHOD;
	if (get_be32(m + 20))
		return ST_FIELD;
	switch (attr) {
	case PERF_CLASS:
		if (set)
			return ST_METHOD_ATTR;
		memset(a, 0, 72);
		a[0] = a[1] = 1;
		put_be16(a + 2, 0x0400 | 0x1000);	/* 64-bit counters without unicast, xmit wait */
		a[7] = 18;
		return 0;
	case PERF_COUNTERS:
	case PERF_EXT:
		if (n > s->ports)
			return ST_FIELD;
		if (attr == PERF_COUNTERS) {
			if (set)
				perf_clear(&s->port[n], sel, a[18] & 1);
			memset(a + 4, 0, 60);
			perf_get(&s->port[n], a);
		} else {
			if (set) {
				struct switch_port_stats *z = &s->port[n].zero, *c = &s->port[n].st;

				if (sel & 1)
					z->tx_bytes = c->tx_bytes;
				if (sel & 2)
					z->rx_bytes = c->rx_bytes;
				if (sel & 4)
					z->tx_packets = c->tx_packets;
				if (sel & 8)
					z->rx_packets = c->rx_packets;
			}
			memset(a + 4, 0, 60);
			perf_ext_get(&s->port[n], a);
		}
		return 0;
	default:
		return ST_METHOD_ATTR;
	}
}

void sw_gmp(struct ib_switch *s, unsigned in, struct packet *p)
{
	uint8_t *d = p->data, *m = d + MAD_AT;
	uint16_t slid = get_be16(d + 6), pkey = get_be16(d + 10);
	unsigned sl = d[1] >> 4, vl, st;
	uint32_t src;
	int out;

	if ((d[1] & 3) != 2 || p->len != MAD_PACKET || d[8] != 0x64 || get_be24(d + 13) != 1 ||
	    get_be32(d + 20) != 0x80010000 || !ib_icrc_ok(d, p->len) || m[0] != 1 ||
	    m[3] & 0x80 || (pkey & 0x7fff) != 0x7fff)
		goto drop;
	src = get_be24(d + 25);
	st = m[1] == CLASS_PERF ? perf(s, m) : ST_METHOD_ATTR;
	m[3] = GET_RESP;
	status(m, st);
	out = sw_route(s, slid);
	if (out <= 0)
		goto drop;
	vl = s->port[out].sl2vl[0][sl];
	finish(p, vl, sl, s->lid, slid, src, 0x80010000, 1, pkey);
	sw_emit(s, (unsigned)out, p);
	return;
drop:
	s->port[in].st.discards++;
	packet_free(p);
}
