// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The performance management agent: ClassPortInfo, PortSamplesControl and -Result, PortCounters, PortCountersExtended (IBA 16.1).
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

static u32 sat_val(u64 v, u32 bits)
{
	u64 max = (1ull << bits) - 1;

	return (u32)(v > max ? max : v);
}

static u32 sat(u32 n, u32 bits)
{
	return sat_val(val(n), bits);
}

/*
 * The tick of PortSamplesControl, in which samples are timed and waiting is counted: (TICK + 1) times the time of ten bits on a lane, so a microsecond at
 * 2.5 Gb/s and 100 ns at 25.
 */
#define TICK 249

static u32 lane_speed(void)
{
	return port.speed ? port.speed : 25;
}

static u64 ticks_to_cycles(u32 ticks)
{
	return (u64)ticks * ((TICK + 1) / 10 * hw_cycles_per_us()) / lane_speed();
}

/* A difference of the count of cycles in which data waited */
static u64 cycles_to_ticks(u64 cycles)
{
	return cycles * lane_speed() / ((TICK + 1) / 10 * hw_cycles_per_us());
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
	put32(d + 40, sat_val(cycles_to_ticks(val(OHCA_PORT_CNT_XMIT_WAIT)), 32));
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

/* ------------------------------------------------------------------ samples */

/*
 * Some of the five mandatory quantities, counted for a while that begins some time after the Set (IBA 16.1.3.2). A Set while one is
 * under way changes nothing, and its answer shows the one that is.
 */
#define SAMPLES 5
enum { SAMPLE_DONE = 0, SAMPLE_STARTED = 1, SAMPLE_RUNNING = 2 };

static struct {
	u32 start, interval;		/* ticks */
	u16 tag, select[SAMPLES];
	u8 status;
	u64 begin, end;			/* cycles */
	u64 count[SAMPLES];		/* while it runs, the counters at its begin */
} sample;

static const u8 quantity[6] = {
	C_NONE, OHCA_PORT_CNT_XMIT_DATA, OHCA_PORT_CNT_RCV_DATA, OHCA_PORT_CNT_XMIT_PKTS, OHCA_PORT_CNT_RCV_PKTS, OHCA_PORT_CNT_XMIT_WAIT,
};

static u64 sample_raw(u32 i)
{
	return raw(quantity[sample.select[i]]);
}

static u64 sample_count(u32 i)
{
	u64 v;

	if (sample.status == SAMPLE_STARTED)
		return 0;
	if (sample.status == SAMPLE_DONE)
		return sample.count[i];
	v = sample_raw(i) - sample.count[i];
	return sample.select[i] == 5 ? cycles_to_ticks(v) : v;
}

void pma_poll(void)
{
	u64 now = hw_now();

	if (sample.status == SAMPLE_STARTED && now >= sample.begin) {
		for (u32 i = 0; i < SAMPLES; i++)
			sample.count[i] = sample_raw(i);
		/* As long as it should be, however late it began. */
		sample.end = now + ticks_to_cycles(sample.interval);
		sample.status = SAMPLE_RUNNING;
	}
	if (sample.status == SAMPLE_RUNNING && now >= sample.end) {
		for (u32 i = 0; i < SAMPLES; i++)
			sample.count[i] = sample_count(i);
		sample.status = SAMPLE_DONE;
	}
}

u64 pma_next(void)
{
	return sample.status == SAMPLE_STARTED ? sample.begin : sample.status == SAMPLE_RUNNING ? sample.end : NEVER;
}

static u32 set_samples(const u8 *d)
{
	if (sample.status != SAMPLE_DONE)
		return 0;
	for (u32 i = 0; i < SAMPLES; i++)
		if (get16(d + 38 + 2 * i) >= sizeof(quantity))
			return ST_BAD_FIELD;
	sample.start = get32(d + 28);
	sample.interval = get32(d + 32);
	sample.tag = (u16)get16(d + 36);
	for (u32 i = 0; i < SAMPLES; i++)
		sample.select[i] = (u16)get16(d + 38 + 2 * i);
	sample.begin = hw_now() + ticks_to_cycles(sample.start);
	sample.status = SAMPLE_STARTED;
	pma_poll();
	return 0;
}

static void get_samples(u8 *d)
{
	d[1] = 1;
	d[2] = TICK;
	d[3] = 4;				/* counters of 32 bits */
	for (u32 i = 0; i < SAMPLES; i++)
		put32(d + 4, get32(d + 4) | 1u << 3 * (9 - i));		/* can count any mandatory quantity */
	d[11] = sample.status;
	put32(d + 28, sample.start);
	put32(d + 32, sample.interval);
	put16(d + 36, sample.tag);
	for (u32 i = 0; i < SAMPLES; i++)
		put16(d + 38 + 2 * i, sample.select[i]);
}

static void get_result(u8 *d, bool wide)
{
	put16(d, sample.tag);
	put16(d + 2, sample.status);
	if (wide)
		put32(d + 4, 2u << 30);		/* 64 bits */
	for (u32 i = 0; i < SAMPLES; i++)
		if (wide)
			put64(d + 8 + 8 * i, sample_count(i));
		else
			put32(d + 4 + 4 * i, sat_val(sample_count(i), 32));
}

void pma_init(void)
{
	zero(base, sizeof(base));
	zero(&sample, sizeof(sample));
	for (u32 i = 0; i < SAMPLES; i++)
		sample.select[i] = (u16)(i + 1);
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
	} else if (attr == 0x0010) {
		if (d[1] != 1) {
			st = ST_BAD_FIELD;
		} else {
			st = set ? set_samples(m + PMA_DATA) : 0;
			zero(d, MAD_BYTES - PMA_DATA);
			get_samples(d);
		}
	} else if (attr == 0x0011 || attr == 0x001e) {
		if (set) {
			st = ST_BAD_METHOD_ATTR;
		} else {
			zero(d, MAD_BYTES - PMA_DATA);
			get_result(d, attr == 0x001e);
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
