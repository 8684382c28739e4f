// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The performance management agent: ClassPortInfo, PortCounters, PortCountersExtended (IBA 16.1).
 *
 * The hardware counts in 64 bits and never stops. A Set clears by remembering the value, separately for the two attributes'
 * overlapping counters only where the architecture has two: both views share one base, as clearing one clears the other.
 */
#include "dev.h"
#include "mad.h"
#include "port.h"
#include "sma.h"

static u64 base[OHCA_PORT_CNT_FC_RCV + 1];

static u64 val(u32 n)
{
	return port_cnt(n) - base[n];
}

static u32 sat(u64 v, u32 bits)
{
	u64 max = (1ull << bits) - 1;

	return (u32)(v > max ? max : v);
}

static void clear(u32 n)
{
	base[n] = port_cnt(n);
}

static void get_counters(u8 *d)
{
	put16(d + 4, sat(val(OHCA_PORT_CNT_SYMBOL_ERR), 16));
	put16(d + 8, sat(val(OHCA_PORT_CNT_RCV_ERR), 16));
	put16(d + 10, sat(val(OHCA_PORT_CNT_RCV_REMOTE_PHYS), 16));
	put16(d + 14, sat(val(OHCA_PORT_CNT_XMIT_DISCARDS), 16));
	d[17] = (u8)sat(val(OHCA_PORT_CNT_BAD_PKEY), 8);
	d[19] = (u8)(sat(val(OHCA_PORT_CNT_RCV_VCRC), 4) << 4 | sat(val(OHCA_PORT_CNT_OVERRUN), 4));
	put16(d + 22, sat(val(OHCA_PORT_CNT_VL15_DROPPED), 16));
	put32(d + 24, sat(val(OHCA_PORT_CNT_XMIT_DATA), 32));
	put32(d + 28, sat(val(OHCA_PORT_CNT_RCV_DATA), 32));
	put32(d + 32, sat(val(OHCA_PORT_CNT_XMIT_PKTS), 32));
	put32(d + 36, sat(val(OHCA_PORT_CNT_RCV_PKTS), 32));
	put32(d + 40, sat(val(OHCA_PORT_CNT_XMIT_WAIT), 32));
}

/* CounterSelect bit -> counter; 255: a counter this port does not have, always 0 */
static const u8 select[16] = {
	OHCA_PORT_CNT_SYMBOL_ERR, 255, 255, OHCA_PORT_CNT_RCV_ERR, OHCA_PORT_CNT_RCV_REMOTE_PHYS, 255, OHCA_PORT_CNT_XMIT_DISCARDS, 255,
	OHCA_PORT_CNT_BAD_PKEY, OHCA_PORT_CNT_RCV_VCRC, OHCA_PORT_CNT_OVERRUN, OHCA_PORT_CNT_VL15_DROPPED, OHCA_PORT_CNT_XMIT_DATA,
	OHCA_PORT_CNT_RCV_DATA, OHCA_PORT_CNT_XMIT_PKTS, OHCA_PORT_CNT_RCV_PKTS,
};

static void set_counters(const u8 *d)
{
	u32 sel = get16(d + 2);

	for (u32 i = 0; i < 16; i++)
		if (sel >> i & 1 && select[i] != 255)
			clear(select[i]);
	if (d[18] & 1)				/* CounterSelect2: XmitWait */
		clear(OHCA_PORT_CNT_XMIT_WAIT);
}

static void get_extended(u8 *d)
{
	u64 xm = val(OHCA_PORT_CNT_XMIT_MCAST), rm = val(OHCA_PORT_CNT_RCV_MCAST);

	put64(d + 8, val(OHCA_PORT_CNT_XMIT_DATA));
	put64(d + 16, val(OHCA_PORT_CNT_RCV_DATA));
	put64(d + 24, val(OHCA_PORT_CNT_XMIT_PKTS));
	put64(d + 32, val(OHCA_PORT_CNT_RCV_PKTS));
	put64(d + 40, val(OHCA_PORT_CNT_XMIT_PKTS) - xm);
	put64(d + 48, val(OHCA_PORT_CNT_RCV_PKTS) - rm);
	put64(d + 56, xm);
	put64(d + 64, rm);
}

static void set_extended(const u8 *d)
{
	static const u8 n[8] = {
		OHCA_PORT_CNT_XMIT_DATA, OHCA_PORT_CNT_RCV_DATA, OHCA_PORT_CNT_XMIT_PKTS, OHCA_PORT_CNT_RCV_PKTS, 255, 255,
		OHCA_PORT_CNT_XMIT_MCAST, OHCA_PORT_CNT_RCV_MCAST,
	};
	u32 sel = get16(d + 2);

	for (u32 i = 0; i < 8; i++)
		if (sel >> i & 1 && n[i] != 255)
			clear(n[i]);
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
