// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Performance management: counters and samples, byte by byte as IBA 16.1.3 lays them out (written here by hand). */
#include "test_mad.h"

static void pma(unsigned method, unsigned attr, const u8 *data)
{
	static u8 out[256];

	mad_new(4, method, attr, 0);
	if (data)
		memcpy(mad + 64, data, 64);
	else
		mad[65] = 1;
	EQ(ifc(0, out), 0);
	EQ(fk.imm, 1);
	EQ(out[3], RESP);
	reply = out;
	status = (unsigned)out[4] << 8 | out[5];
}

static void t_pma(void)
{
	u8 d[64];

	start();
	activate();
	pma(GET, 1, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 8, 1, 1, 0x12, 0, 0, 0, 0, 8);
	pma(SET, 1, NULL);
	EQ(status, 0x0c);
	pma(GET, 0x12, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 44, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	      0, 0, 0, 0, 0, 0);
	/* all saturated, none wraps */
	for (unsigned i = 0; i < 20; i++)
		fk.cnt[i] = 0x123456789abull;
	fk.cnt[OHCA_PORT_CNT_XMIT_MCAST] = fk.cnt[OHCA_PORT_CNT_RCV_MCAST] = 0x100000000ull;
	port.link_downed = 300;
	port.integrity_errs = 99;
	port.overrun_errs = 16;
	pma(GET, 0x12, NULL);
	BYTES(reply + 64, 44,
	      0, 1, 0, 0,
	      0xff, 0xff, 0, 0xff,					/* symbol errors, recoveries, downs */
	      0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff,			/* receive, remote, switch relay, transmit discards */
	      0, 0, 0, 0xff,						/* constraints, select 2, integrity and overrun */
	      0, 0, 0xff, 0xff,						/* QP1, VL15 */
	      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	      0xff, 0xff, 0xff, 0xff);					/* wait */
	pma(GET, 0x1d, NULL);
	EQ(status, 0);
	BYTES(reply + 72, 64,
	      0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,	/* data */
	      0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,	/* packets */
	      0, 0, 0x01, 0x22, 0x45, 0x67, 0x89, 0xab, 0, 0, 0x01, 0x22, 0x45, 0x67, 0x89, 0xab,	/* unicast */
	      0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0);						/* multicast */
	/* each select bit clears its counter and no other */
	{
		static const struct { u8 off, n; } f[16] = {
			{ 4, 2 }, { 6, 1 }, { 7, 1 }, { 8, 2 }, { 10, 2 }, { 12, 2 }, { 14, 2 }, { 16, 1 }, { 17, 1 }, { 19, 1 }, { 19, 1 },
			{ 22, 2 }, { 24, 4 }, { 28, 4 }, { 32, 4 }, { 36, 4 },
		};

		for (unsigned b = 0; b < 16; b++) {
			u8 was[44];

			pma(GET, 0x12, NULL);
			memcpy(was, reply + 64, 44);
			memset(d, 0xff, 64);					/* values do not matter */
			d[0] = 0;
			d[1] = 1;
			put16(d + 2, 1u << b);
			d[18] = 0;
			pma(SET, 0x12, d);
			EQ(status, 0);
			for (unsigned i = 0; i < f[b].n; i++)
				was[f[b].off + i] = b == 9 ? was[19] & 0x0f : b == 10 ? was[19] & 0xf0 : 0;
			was[2] = d[2];
			was[3] = d[3];
			if (memcmp(reply + 64, was, 44))
				fail_at(__FILE__, __LINE__, "CounterSelect bit %u", b);
		}
	}
	memset(d, 0, 64);
	d[1] = 1;
	d[18] = 1;							/* CounterSelect2: XmitWait */
	pma(SET, 0x12, d);
	BYTES(reply + 64 + 40, 4, 0, 0, 0, 0);
	/* the other view was cleared with it, but for unicast and multicast */
	pma(GET, 0x1d, NULL);
	for (unsigned i = 0; i < 4; i++)
		EQ(get64(reply + 72 + 8 * i), 0);
	EQ(get64(reply + 72 + 32), 0x122456789abull);
	EQ(get64(reply + 72 + 40), 0x122456789abull);
	EQ(get64(reply + 72 + 48), 0x100000000ull);
	fk.cnt[OHCA_PORT_CNT_XMIT_PKTS] += 10;
	fk.cnt[OHCA_PORT_CNT_XMIT_MCAST] += 4;
	memset(d, 0, 64);
	d[1] = 1;
	put16(d + 2, 0xf0);
	pma(SET, 0x1d, d);
	for (unsigned i = 4; i < 8; i++)
		EQ(get64(reply + 72 + 8 * i), 0);
	EQ(get64(reply + 72 + 16), 10);
	fk.cnt[OHCA_PORT_CNT_XMIT_PKTS] += 3;
	fk.cnt[OHCA_PORT_CNT_XMIT_MCAST] += 1;
	pma(GET, 0x1d, NULL);
	EQ(get64(reply + 72 + 16), 13);
	EQ(get64(reply + 72 + 32), 2);
	EQ(get64(reply + 72 + 48), 1);
	/* refusals */
	memset(d, 0, 64);
	d[1] = 2;
	pma(GET, 0x12, d);
	EQ(status, 0x1c);
	d[1] = 0xff;
	put16(d + 2, 0xffff);
	pma(SET, 0x1d, d);
	EQ(status, 0x1c);
	pma(GET, 0x10, d);
	EQ(status, 0x1c);
	pma(SET, 0x11, NULL);
	EQ(status, 0x0c);
	pma(SET, 0x1e, NULL);
	EQ(status, 0x0c);
	pma(GET, 0xffff, NULL);
	EQ(status, 0x0c);
	mad_new(4, GET, 0x12, 1);
	mad[65] = 1;
	{
		u8 out[256];

		EQ(ifc(0, out), 0);
		EQ(out[5], 0x1c);
		mad_new(4, GET, 0x12, 0);
		mad[2] = 2;
		EQ(ifc(0, out), 0);
		EQ(out[5], 0x04);
		mad_new(4, RESP, 0x12, 0);
		EQ(ifc(0, out), 0);
		EQ(fk.imm, 0);
		mad_new(4, TRAP, 2, 0);
		EQ(ifc(0, out), 0);
		EQ(fk.imm, 0);
	}
	pma(GET, 0x1d, NULL);
	EQ(get64(reply + 72 + 16), 13);
}

/* ------------------------------------------------------------------ samples */

/* PortSamplesControl: start and interval in ticks of 100 ns (25 Gb/s a lane) */
static void samples_set(u32 start_, u32 interval, unsigned tag, unsigned first)
{
	u8 d[64];

	memset(d, 0, 64);
	d[0] = 7;
	d[1] = 1;
	d[2] = d[3] = d[10] = d[11] = 0x5a;			/* read only */
	put32(d + 28, start_);
	put32(d + 32, interval);
	put16(d + 36, tag);
	for (unsigned i = 0; i < 5; i++)
		put16(d + 38 + 2 * i, 1 + (first + i) % 5);
	pma(SET, 0x10, d);
}

static void t_samples(void)
{
	static const u8 n[6] = { 0, OHCA_PORT_CNT_XMIT_DATA, OHCA_PORT_CNT_RCV_DATA, OHCA_PORT_CNT_XMIT_PKTS, OHCA_PORT_CNT_RCV_PKTS,
				 OHCA_PORT_CNT_XMIT_WAIT };
	u8 d[64];
	u64 t;

	start();
	activate();
	/* As it is after a start: nothing sampled yet, the five quantities chosen. */
	memset(d, 0, 64);
	d[1] = 1;
	pma(GET, 0x10, d);
	EQ(status, 0);
	/* tick of 250 * 10 bit times, 32 bits, five counters for any mandatory quantity, one mechanism, done */
	BYTES(reply + 64, 12, 0, 1, 249, 4, 0x09, 0x24, 0x80, 0, 0, 0, 0, 0);
	for (unsigned i = 12; i < 38; i++)
		EQ(reply[64 + i], 0);
	BYTES(reply + 64 + 38, 30, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	pma(GET, 0x11, NULL);
	EQ(status, 0);
	for (unsigned i = 0; i < 64; i++)
		EQ(reply[64 + i], 0);
	/* In 10 ms, for 5 ms: 250 cycles a microsecond */
	for (unsigned i = 0; i < 20; i++)
		fk.cnt[i] = 0xabcdef0123ull;
	t = fk.now;
	samples_set(100000, 50000, 0x1234, 2);
	EQ(status, 0);
	EQ(reply[64 + 2], 249);
	EQ(reply[64 + 3], 4);
	EQ(reply[64 + 11], 1);
	BYTES(reply + 64 + 28, 20, 0, 1, 0x86, 0xa0, 0, 0, 0xc3, 0x50, 0x12, 0x34, 0, 3, 0, 4, 0, 5, 0, 1, 0, 2);
	fake_until(t + 2490000);
	for (unsigned i = 0; i < 20; i++)
		fk.cnt[i] += 1000000;				/* before it begins */
	pma(GET, 0x11, NULL);
	BYTES(reply + 64, 24, 0x12, 0x34, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	/* nobody starts another one meanwhile */
	samples_set(0, 0, 0x4321, 0);
	EQ(status, 0);
	EQ(reply[64 + 11], 1);
	EQ(get16(reply + 64 + 36), 0x1234);
	fake_until(t + 2510000);
	for (unsigned i = 1; i < 6; i++)
		fk.cnt[n[i]] += 100 * i;
	pma(GET, 0x11, NULL);
	EQ(get16(reply + 66), 2);
	samples_set(0, 0, 0x4321, 0);
	EQ(reply[64 + 11], 2);
	EQ(get16(reply + 64 + 36), 0x1234);
	for (unsigned i = 1; i < 6; i++)
		fk.cnt[n[i]] += 1000 * i;
	fake_until(t + 3740000);
	pma(GET, 0x11, NULL);
	EQ(get16(reply + 66), 2);
	fake_until(t + 3780000);
	for (unsigned i = 0; i < 20; i++)
		fk.cnt[i] += 777;				/* after it has ended */
	pma(GET, 0x11, NULL);
	/* packets, packets, waiting (5500 cycles are 220 ticks), data, data */
	BYTES(reply + 64, 24, 0x12, 0x34, 0, 0, 0, 0, 0x0c, 0xe4, 0, 0, 0x11, 0x30, 0, 0, 0, 220, 0, 0, 4, 0x4c, 0, 0, 8, 0x98);
	pma(GET, 0x1e, NULL);
	EQ(status, 0);
	BYTES(reply + 64, 16, 0x12, 0x34, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0c, 0xe4);
	EQ(get64(reply + 64 + 40), 0x898);
	/* the counters themselves were left alone, in ticks here, too */
	CHECK(port_next() == ~0ull);
	/* At once and long, more than 32 bits hold */
	t = fk.now;
	samples_set(0, 1000, 9, 0);
	EQ(reply[64 + 11], 2);
	fk.cnt[OHCA_PORT_CNT_XMIT_DATA] += 0x500000000ull;
	fake_until(t + 26000);
	pma(GET, 0x11, NULL);
	BYTES(reply + 64, 8, 0, 9, 0, 0, 0xff, 0xff, 0xff, 0xff);
	pma(GET, 0x1e, NULL);
	EQ(get64(reply + 72), 0x500000000ull);
	/* a length of nothing is done at once */
	samples_set(0, 0, 10, 0);
	EQ(reply[64 + 11], 0);
	pma(GET, 0x11, NULL);
	BYTES(reply + 64, 8, 0, 10, 0, 0, 0, 0, 0, 0);
	/* what cannot be counted starts nothing; a counter that is not chosen stays 0 */
	memset(d, 0, 64);
	d[1] = 1;
	put32(d + 32, 100);
	put16(d + 36, 11);
	put16(d + 40, 6);
	pma(SET, 0x10, d);
	EQ(status, 0x1c);
	EQ(get16(reply + 64 + 36), 10);
	put16(d + 40, 0);
	put16(d + 50, 9);					/* the seventh counter, which is not there */
	pma(SET, 0x10, d);
	EQ(status, 0);
	EQ(get16(reply + 64 + 50), 0);
	fk.cnt[OHCA_PORT_CNT_RCV_DATA] += 5;
	fake_until(fk.now + 26000);
	pma(GET, 0x11, NULL);
	BYTES(reply + 64, 12, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

const struct test_case pma_cases[] = {
	{ "pma", t_pma }, { "samples", t_samples },
	{ NULL, NULL },
};
