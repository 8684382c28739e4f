// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The performance management agent: ClassPortInfo, PortCounters, PortCountersExtended (IBA 16.1).
 *
 * The hardware counts in 64 bits and never stops; a Set clears by remembering the value. PortCounters and PortCountersExtended are
 * two views of one set of counters, so clearing in one shows in the other. What is sent to one destination is counted
 * together with multicast by the hardware; it is cleared by itself here.
 */
#include "dev.h"
#include "mad.h"
#include "port.h"
#include "sma.h"

/* Counters of the port's hardware come first, by enum ohca_port_cnt; then those that firmware keeps or works out. */
enum {
	C_LINK_DOWNED = OHCA_PORT_CNT_FC_RCV + 1, C_INTEGRITY, C_OVERRUN, C_XMIT_UCAST, C_RCV_UCAST, C_MAX, C_NONE = C_MAX,
};

static u64 base[C_MAX];

static u64 raw(u32 n)
{
	u64 part;

	switch (n) {
	case C_LINK_DOWNED:
		return port.link_downed;
	case C_INTEGRITY:
		return port.integrity_errs;
	case C_OVERRUN:
		return port.overrun_errs;
	/* The part is read first: it is never more than what is read later. */
	case C_XMIT_UCAST:
		part = port_cnt(OHCA_PORT_CNT_XMIT_MCAST);
		return port_cnt(OHCA_PORT_CNT_XMIT_PKTS) - part;
	case C_RCV_UCAST:
		part = port_cnt(OHCA_PORT_CNT_RCV_MCAST);
		return port_cnt(OHCA_PORT_CNT_RCV_PKTS) - part;
	case C_NONE:
		return 0;
	default:
		return port_cnt(n);
	}
}

/* Never negative: multicast packets between two reads may make the difference smaller for a moment. */
static u64 val(u32 n)
{
	u64 v = raw(n);

	return n == C_NONE || v < base[n] ? 0 : v - base[n];
}

static void clear(u32 n)
{
	if (n != C_NONE)
		base[n] = raw(n);
}

static u32 sat(u32 n, u32 bits)
{
	u64 v = val(n), max = (1ull << bits) - 1;

	return (u32)(v > max ? max : v);
}

/* In the order of CounterSelect; those that a channel adapter's port does not have are always 0. */
static const struct { u8 off, bits, n; } counters[16] = {
	{ 4, 16, OHCA_PORT_CNT_SYMBOL_ERR },
	{ 6, 8, C_NONE },			/* LinkErrorRecovery */
	{ 7, 8, C_LINK_DOWNED },
	{ 8, 16, OHCA_PORT_CNT_RCV_ERR },
	{ 10, 16, OHCA_PORT_CNT_RCV_REMOTE_PHYS },
	{ 12, 16, C_NONE },			/* RcvSwitchRelay */
	{ 14, 16, OHCA_PORT_CNT_XMIT_DISCARDS },
	{ 16, 8, C_NONE },			/* XmitConstraint */
	{ 17, 8, C_NONE },			/* RcvConstraint */
	{ 19, 4, C_INTEGRITY },			/* upper half of the byte */
	{ 19, 4, C_OVERRUN },			/* lower half */
	{ 22, 16, OHCA_PORT_CNT_VL15_DROPPED },
	{ 24, 32, OHCA_PORT_CNT_XMIT_DATA },
	{ 28, 32, OHCA_PORT_CNT_RCV_DATA },
	{ 32, 32, OHCA_PORT_CNT_XMIT_PKTS },
	{ 36, 32, OHCA_PORT_CNT_RCV_PKTS },
};

static const u8 extended[8] = {
	OHCA_PORT_CNT_XMIT_DATA, OHCA_PORT_CNT_RCV_DATA, OHCA_PORT_CNT_XMIT_PKTS, OHCA_PORT_CNT_RCV_PKTS, C_XMIT_UCAST, C_RCV_UCAST,
	OHCA_PORT_CNT_XMIT_MCAST, OHCA_PORT_CNT_RCV_MCAST,
};

static void get_counters(u8 *d)
{
	for (u32 i = 0; i < 16; i++) {
		u32 v = sat(counters[i].n, counters[i].bits);
		u8 *p = d + counters[i].off;

		switch (counters[i].bits) {
		case 4:
			*p |= (u8)(counters[i].n == C_INTEGRITY ? v << 4 : v);
			break;
		case 8:
			*p = (u8)v;
			break;
		case 16:
			put16(p, v);
			break;
		default:
			put32(p, v);
		}
	}
	put32(d + 40, sat(OHCA_PORT_CNT_XMIT_WAIT, 32));
}

static void set_counters(const u8 *d)
{
	u32 sel = get16(d + 2);

	for (u32 i = 0; i < 16; i++)
		if (sel >> i & 1)
			clear(counters[i].n);
	if (d[18] & 1)				/* CounterSelect2: XmitWait */
		clear(OHCA_PORT_CNT_XMIT_WAIT);
}

static void get_extended(u8 *d)
{
	for (u32 i = 0; i < 8; i++)
		put64(d + 8 + 8 * i, val(extended[i]));
}

static void set_extended(const u8 *d)
{
	u32 sel = get16(d + 2);

	for (u32 i = 0; i < 8; i++)
		if (sel >> i & 1)
			clear(extended[i]);
}

void pma_init(void)
{
	zero(base, sizeof(base));
}

enum mad_result pma_process(const struct mad_in *in, u8 *out)
{
	const u8 *m = in->mad;
	u32 method = m[MAD_METHOD], attr = get16(m + MAD_ATTR), st = 0;
	bool set = method == M_SET;
	u8 *d = out + PMA_DATA;

	if (method != M_GET && method != M_SET)
		return MAD_NONE;
	copy(out, m, MAD_BYTES);
	out[MAD_METHOD] = M_GET_RESP;
	if (m[MAD_CLASS_VER] != 1) {
		st = ST_BAD_VERSION;
	} else if (get32(m + MAD_ATTR_MOD)) {
		st = ST_BAD_FIELD;
	} else if (attr == 0x0001) {
		if (set) {
			st = ST_BAD_METHOD_ATTR;
		} else {
			zero(d, MAD_BYTES - PMA_DATA);
			d[0] = 1;
			d[1] = 1;
			put16(d + 2, 0x0200 | 0x1000);	/* extended counters, XmitWait */
			d[7] = 8;			/* RespTimeValue */
		}
	} else if (attr == 0x0012 || attr == 0x001d) {
		if (d[1] != 1) {
			st = ST_BAD_FIELD;
		} else {
			if (set && attr == 0x0012)
				set_counters(m + PMA_DATA);
			else if (set)
				set_extended(m + PMA_DATA);
			zero(d + 4, MAD_BYTES - PMA_DATA - 4);
			if (attr == 0x0012)
				get_counters(d);
			else
				get_extended(d);
		}
	} else {
		st = ST_BAD_METHOD_ATTR;
	}
	put16(out + MAD_STATUS, st);
	return MAD_REPLY;
}
