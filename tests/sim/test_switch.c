/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The switch: management by directed route and LID, credits, forwarding, arbitration. */
#include "check.h"
#include "crc.h"
#include "fabric.h"
#include "ids.h"
#include "model_fake.h"
#include "switch.h"

#define PORTS 4

/* What hangs on a port of the switch in these tests. */
static struct ib_switch *sw;
static struct wire to_sw[PORTS + 1], from_sw[PORTS + 1];
static bool present[PORTS + 1];
static uint64_t now;
static uint64_t next_tid = 100;
/* credit state of the test's side of each port */
static uint16_t my_sent[PORTS + 1][16], my_limit[PORTS + 1][16], my_abr[PORTS + 1][16];
static unsigned fc_seen[PORTS + 1], fc_init_seen[PORTS + 1];
static struct packet *last_rx[PORTS + 1];
static unsigned rx_count[PORTS + 1], traps;
static struct packet *last_trap;
static unsigned rx_vl[PORTS + 1][16];
static uint32_t rx_seq[PORTS + 1];
static bool seq_bad;
static bool give_credit = true;

static void send_fc(unsigned p, unsigned vl, unsigned op, unsigned room)
{
	struct packet *k = packet_new();
	uint16_t c;

	k->kind = OHCA_KIND_FC;
	k->len = 6;
	put_be16(k->data, op << 12 | my_sent[p][vl]);
	put_be16(k->data + 2, vl << 12 | ((my_abr[p][vl] + room) & 0xfff));
	c = ib_vcrc(k->data, 4);
	k->data[4] = (uint8_t)c;
	k->data[5] = (uint8_t)(c >> 8);
	k->t_first = k->t_last = now;
	wire_send(&to_sw[p], k);
}

static void receive(unsigned p)
{
	struct packet *k;

	while ((k = wire_receive(&from_sw[p], now))) {
		unsigned vl;

		if (k->kind == OHCA_KIND_FC) {
			uint16_t c = ib_vcrc(k->data, 4);

			CHECK(k->data[4] == (c & 255) && k->data[5] == c >> 8);
			vl = k->data[2] >> 4;
			my_limit[p][vl] = get_be16(k->data + 2) & 0xfff;
			my_abr[p][vl] = get_be16(k->data) & 0xfff;
			fc_seen[p]++;
			fc_init_seen[p] += k->data[0] >> 4 == 1;
			packet_free(k);
			continue;
		}
		if (k->kind == OHCA_KIND_IB) {
			CHECK(ib_vcrc_ok(k->data, k->len));
			vl = k->data[0] >> 4;
			if (vl == 15 && k->data[28 + 3] == 5) {
				traps++;
				packet_free(last_trap);
				last_trap = k;
				continue;
			}
			rx_vl[p][vl]++;
			if (vl != 15) {
				uint32_t seq = get_be32(k->data + k->len - 10);

				my_abr[p][vl] = (uint16_t)((my_abr[p][vl] + (k->len + 63) / 64) & 0xfff);
				seq_bad |= seq && seq <= rx_seq[p];
				if (seq)
					rx_seq[p] = seq;
				if (give_credit)
					send_fc(p, vl, 0, 256);
			}
		}
		rx_count[p]++;
		packet_free(last_rx[p]);
		last_rx[p] = k;
	}
}

static void run(uint64_t cycles)
{
	uint64_t end = now + cycles;

	while (now < end) {
		uint64_t next = UINT64_MAX, t;

		ib_switch_step(sw, now);
		for (unsigned p = 1; p <= PORTS; p++)
			receive(p);
		now++;
		for (unsigned p = 1; p <= PORTS; p++) {
			t = wire_next_due(&to_sw[p]);
			next = t < next ? t : next;
			t = wire_next_due(&from_sw[p]);
			next = t < next ? t : next;
		}
		t = ib_switch_next(sw, now);
		next = t < next ? t : next;
		if (next > now)
			now = next < end ? next : end;
	}
}

static void setup(unsigned lanes)
{
	now = 1;
	sw = ib_switch_create(PORTS, lanes, 16, 250, 1);
	memset(my_sent, 0, sizeof(my_sent));
	memset(my_limit, 0, sizeof(my_limit));
	memset(my_abr, 0, sizeof(my_abr));
	memset(fc_seen, 0, sizeof(fc_seen));
	memset(fc_init_seen, 0, sizeof(fc_init_seen));
	memset(rx_count, 0, sizeof(rx_count));
	memset(rx_vl, 0, sizeof(rx_vl));
	memset(rx_seq, 0, sizeof(rx_seq));
	seq_bad = false;
	give_credit = true;
	for (unsigned p = 1; p <= PORTS; p++) {
		wire_init(&to_sw[p], "a", p, 0, 8 << 16, 10);
		wire_init(&from_sw[p], "b", p, 1, 8 << 16, 10);
		to_sw[p].up = from_sw[p].up = true;
		ib_switch_attach(sw, p, &to_sw[p], &from_sw[p], &present[p]);
		CHECK(present[p]);
		ib_switch_link(sw, p, true, now);
	}
	run(200);
	for (unsigned p = 1; p <= PORTS; p++) {
		CHECK_EQ(fc_init_seen[p], lanes);
		for (unsigned v = 0; v < lanes; v++)
			send_fc(p, v, 1, 256);
	}
	run(200);
}

static void teardown(void)
{
	for (unsigned p = 1; p <= PORTS; p++) {
		wire_clear(&to_sw[p]);
		wire_clear(&from_sw[p]);
		packet_free(last_rx[p]);
		last_rx[p] = NULL;
	}
	ib_switch_destroy(sw);
}

static struct packet *smp(uint8_t cls, uint8_t method, uint16_t attr, uint32_t mod,
			  const uint8_t *data, uint16_t slid, uint16_t dlid)
{
	struct packet *k = packet_new();
	uint8_t *d = k->data, *m = d + 28;

	memset(d, 0, 290);
	k->len = 290;
	k->kind = OHCA_KIND_IB;
	d[0] = 0xf0;
	d[1] = 2;
	put_be16(d + 2, dlid);
	put_be16(d + 4, 72);
	put_be16(d + 6, slid);
	d[8] = 0x64;
	put_be16(d + 10, 0xffff);
	m[0] = 1;
	m[1] = cls;
	m[2] = 1;
	m[3] = method;
	put_be64(m + 8, next_tid++);
	put_be16(m + 16, attr);
	put_be32(m + 20, mod);
	if (data)
		memcpy(m + 64, data, 64);
	return k;
}

static void seal_send(unsigned port, struct packet *k)
{
	ib_put_icrc(k->data, k->len);
	ib_put_vcrc(k->data, k->len);
	k->t_first = k->t_last = now;
	wire_send(&to_sw[port], k);
}

/* A directed-route request of one hop from a port; the status, or -1 if no
 * answer came.  `data` is sent and filled in. */
static int ask(unsigned port, uint8_t method, uint16_t attr, uint32_t mod, uint8_t *data)
{
	struct packet *k = smp(0x81, method, attr, mod, data, 0xffff, 0xffff);
	uint8_t *m = k->data + 28;
	uint64_t tid = get_be64(m + 8);
	unsigned before = rx_count[port];

	m[6] = 1;
	m[7] = 1;
	m[128 + 1] = 1;
	put_be16(m + 32, 0xffff);
	put_be16(m + 34, 0xffff);
	seal_send(port, k);
	run(3000);
	if (rx_count[port] == before || !last_rx[port])
		return -1;
	m = last_rx[port]->data + 28;
	CHECK(ib_icrc_ok(last_rx[port]->data, last_rx[port]->len));
	CHECK_EQ(get_be64(m + 8), tid);
	CHECK_EQ(m[3], 0x81);
	CHECK_EQ(m[6], 0 + 1);			/* at the manager it is decremented to 0 */
	CHECK(m[4] & 0x80);
	CHECK_EQ(m[192 + 1], port);
	CHECK_EQ(get_be16(last_rx[port]->data + 2), 0xffff);
	memcpy(data, m + 64, 64);
	return get_be16(m + 4) & 0x7fff;
}

static void set_port_state(unsigned port, unsigned state, int want)
{
	uint8_t d[64] = { 0 };

	CHECK_EQ(ask(1, 1, 0x15, port, d), 0);
	d[32] = (uint8_t)((d[32] & 0xf0) | state);
	d[33] = 0x02;
	d[29] = 0;
	d[35] = 0;
	CHECK_EQ(ask(1, 2, 0x15, port, d), want);
}

/* LID p+1 behind port p, LID 1 is the switch */
static void bring_up(void)
{
	uint8_t d[64] = { 0 };

	CHECK_EQ(ask(1, 1, 0x15, 0, d), 0);
	put_be16(d + 16, 1);
	put_be16(d + 18, 2);
	CHECK_EQ(ask(1, 2, 0x15, 0, d), 0);
	CHECK_EQ(ask(1, 1, 0x12, 0, d), 0);
	put_be16(d + 6, 10);
	CHECK_EQ(ask(1, 2, 0x12, 0, d), 0);
	memset(d, 0xff, sizeof(d));
	d[1] = 0;
	for (unsigned p = 1; p <= PORTS; p++)
		d[p + 1] = (uint8_t)p;
	CHECK_EQ(ask(1, 2, 0x19, 0, d), 0);
	for (unsigned p = 1; p <= PORTS; p++) {
		set_port_state(p, 4, 0x1c);	/* not before Armed */
		set_port_state(p, 3, 0);
		set_port_state(p, 4, 0);
	}
	memset(rx_count, 0, sizeof(rx_count));
}

static void management(void)
{
	uint8_t d[64] = { 0 }, e[64];
	struct packet *k;
	uint8_t *m;

	setup(4);
	CHECK_EQ(ask(1, 1, 0x11, 0, d), 0);
	CHECK(d[0] == 1 && d[1] == 1 && d[2] == 2 && d[3] == PORTS);
	CHECK_EQ(get_be64(d + 12), OHCA_SWITCH_GUID);
	CHECK_EQ(d[36], 1);
	CHECK_EQ(ask(3, 1, 0x11, 0, d), 0);
	CHECK_EQ(d[36], 3);
	CHECK_EQ(ask(2, 1, 0x10, 0, d), 0);
	CHECK(!memcmp(d, "ohca-sim switch", 15));
	CHECK_EQ(ask(1, 1, 0x12, 0, d), 0);
	CHECK_EQ(get_be16(d), 0xc000);
	CHECK(d[11] & 4);				/* ports came up */
	d[11] = 4 | 18 << 3;
	CHECK_EQ(ask(1, 2, 0x12, 0, d), 0);
	CHECK_EQ(d[11], 18 << 3);
	for (unsigned p = 0; p <= PORTS; p++) {
		CHECK_EQ(ask(1, 1, 0x15, p, d), 0);
		CHECK_EQ(d[28], 1);
		CHECK_EQ(d[32] & 15, p ? 2 : 4);
		CHECK_EQ(d[33] >> 4, 5);
		CHECK_EQ(d[37] >> 4, 3);
	}
	CHECK_EQ(ask(1, 1, 0x15, PORTS + 1, d), 0x1c);
	CHECK_EQ(ask(1, 1, 0x16, 0, d), 0);
	CHECK_EQ(get_be16(d), 0xffff);
	CHECK_EQ(ask(1, 1, 0x14, 0, d), 0);
	CHECK_EQ(get_be64(d), OHCA_SWITCH_GUID);
	CHECK_EQ(ask(1, 1, 0x7777, 0, d), 0x0c);
	CHECK_EQ(ask(1, 3, 0x15, 0, d), 0x08);
	memset(d, 0x12, sizeof(d));
	CHECK_EQ(ask(1, 2, 0x17, 1 << 8 | 2, d), 0);
	CHECK_EQ(ask(1, 1, 0x17, 1 << 8 | 2, e), 0);
	CHECK(!memcmp(d, e, 8) && e[0] == 0x12);
	CHECK_EQ(ask(1, 2, 0x18, 3 << 16 | 1, d), 0);
	CHECK_EQ(ask(1, 1, 0x18, 3 << 16 | 1, e), 0);
	CHECK(e[0] == 2 && e[1] == 0x12);
	CHECK_EQ(ask(1, 1, 0x18, 5 << 16 | 1, e), 0x1c);
	CHECK_EQ(ask(1, 1, 0x19, 768, e), 0x1c);
	memset(d, 0, sizeof(d));
	put_be16(d + 2, 0x0006);
	CHECK_EQ(ask(1, 2, 0x1b, 0, d), 0);
	CHECK_EQ(ask(1, 1, 0x1b, 0, e), 0);
	CHECK(!memcmp(d, e, 64));

	/* through the switch to port 2 and back */
	k = smp(0x81, 1, 0x11, 0, NULL, 0xffff, 0xffff);
	m = k->data + 28;
	m[6] = 1;
	m[7] = 2;
	m[129] = 1;
	m[130] = 2;
	memset(m + 32, 0xff, 4);
	seal_send(1, k);
	run(3000);
	CHECK_EQ(rx_count[2], 1 + 0u + (rx_count[2] - 1));
	m = last_rx[2]->data + 28;
	CHECK(ib_icrc_ok(last_rx[2]->data, last_rx[2]->len));
	CHECK(m[6] == 2 && m[193] == 1);
	k = packet_copy(last_rx[2]);
	m = k->data + 28;
	m[194] = 1;
	m[4] |= 0x80;
	m[3] = 0x81;
	m[6] = 2;
	seal_send(2, k);
	run(3000);
	m = last_rx[1]->data + 28;
	CHECK(m[6] == 1 && m[3] == 0x81 && m[7] == 2);
	/* M_Key: a Get passes at level 0, a Set without it gets no answer */
	CHECK_EQ(ask(1, 1, 0x15, 0, d), 0);
	put_be64(d, 0x1234);
	put_be16(d + 16, 1);
	put_be16(d + 18, 2);
	CHECK_EQ(ask(1, 2, 0x15, 0, d), 0);
	CHECK_EQ(ask(1, 1, 0x15, 0, d), 0);
	CHECK_EQ(ask(1, 2, 0x15, 0, d), -1);
	teardown();
}

static void link_bounce(void)
{
	uint8_t d[64] = { 0 };

	setup(1);
	bring_up();
	CHECK_EQ(ask(1, 1, 0x15, 3, d), 0);
	CHECK_EQ(d[32] & 15, 4);
	d[32] = (uint8_t)((d[32] & 0xf0) | 1);
	d[33] = 2;
	d[29] = d[35] = 0;
	CHECK_EQ(ask(1, 2, 0x15, 3, d), 0);
	CHECK_EQ(d[32] & 15, 1);		/* down, and the medium is let go */
	ib_switch_link(sw, 3, false, now);
	run(5000);
	CHECK(present[3]);			/* it comes back by itself */
	ib_switch_link(sw, 3, true, now);
	run(100);
	CHECK_EQ(ask(1, 1, 0x15, 3, d), 0);
	CHECK_EQ(d[32] & 15, 2);
	/* disabled stays away */
	d[33] = 3 << 4 | 2;
	d[32] &= 0xf0;
	d[29] = d[35] = 0;
	ask(1, 2, 0x15, 3, d);
	ib_switch_link(sw, 3, false, now);
	run(100000);
	CHECK(!present[3]);
	CHECK_EQ(ask(1, 1, 0x15, 3, d), 0);
	CHECK_EQ(d[33] >> 4, 3);
	/* the manager at LID 2 was told (trap 128), and is told again until it repeats */
	run(400000000);
	CHECK(traps > 1);
	CHECK(last_trap && get_be16(last_trap->data + 28 + 68) == 128);
	CHECK_EQ(ask(1, 1, 0x12, 0, d), 0);
	CHECK(d[11] & 4);
	if (last_trap) {
		struct packet *k = packet_copy(last_trap);
		unsigned seen;

		k->data[28 + 3] = 7;		/* TrapRepress */
		put_be16(k->data + 2, 1);
		put_be16(k->data + 6, 2);
		seal_send(1, k);
		run(1000);
		seen = traps;
		run(400000000);
		CHECK_EQ(traps, seen);
	}
	teardown();
}

static struct packet *data_packet(uint16_t slid, uint16_t dlid, unsigned sl, unsigned vl,
				  unsigned payload, uint32_t seq)
{
	struct packet *k = packet_new();
	uint8_t *d = k->data;

	payload = (payload + 3) & ~3u;
	k->kind = OHCA_KIND_IB;
	k->len = 8 + 12 + payload + 6;
	memset(d, 0, k->len);
	d[0] = (uint8_t)(vl << 4);
	d[1] = (uint8_t)(sl << 4 | 2);
	put_be16(d + 2, dlid);
	put_be16(d + 4, (k->len - 2) / 4);
	put_be16(d + 6, slid);
	d[8] = 4;
	put_be16(d + 10, 0xffff);
	put_be32(d + k->len - 10, seq);
	ib_put_icrc(d, k->len);
	ib_put_vcrc(d, k->len);
	return k;
}

/* Sends when credit and the wire allow, as a channel adapter does. */
static void send_data(unsigned port, struct packet *k)
{
	unsigned vl = k->data[0] >> 4, n = (k->len + 63) / 64;

	for (unsigned tries = 0; tries < 100000; tries++) {
		unsigned room = (my_limit[port][vl] - my_sent[port][vl]) & 0xfff;

		if (room <= 2048 && n <= room && wire_free_at(&to_sw[port]) <= now)
			break;
		run(1);
	}
	my_sent[port][vl] = (uint16_t)((my_sent[port][vl] + n) & 0xfff);
	wire_send_now(&to_sw[port], k, now);
}

static void forwarding(void)
{
	uint8_t d[64] = { 0 };
	const struct switch_port_stats *st;
	struct packet *k;

	setup(4);
	bring_up();
	send_data(1, data_packet(2, 3, 0, 0, 1000, 1));
	run(2000);
	CHECK_EQ(rx_count[2], 1);
	CHECK(ib_icrc_ok(last_rx[2]->data, last_rx[2]->len));
	/* SL 2 leaves on lane 2, whatever it came on */
	send_data(1, data_packet(2, 4, 2, 1, 64, 1));
	run(2000);
	CHECK_EQ(rx_count[3], 1);
	CHECK_EQ(last_rx[3]->data[0] >> 4, 2);
	/* nowhere to go */
	send_data(1, data_packet(2, 9, 0, 0, 64, 0));
	send_data(1, data_packet(2, 2, 0, 0, 64, 0));
	run(2000);
	CHECK_EQ(ib_switch_stats(sw, 1)->relay_errors, 2);
	/* broken packets */
	k = data_packet(2, 3, 0, 0, 64, 0);
	k->data[30] ^= 1;
	send_data(1, k);
	k = data_packet(2, 3, 0, 0, 64, 0);
	k->error = true;
	send_data(1, k);
	k = data_packet(2, 3, 0, 0, 64, 0);
	put_be16(k->data + 4, 99);
	ib_put_vcrc(k->data, k->len);
	send_data(1, k);
	run(2000);
	CHECK_EQ(ib_switch_stats(sw, 1)->rx_errors, 2);
	CHECK_EQ(ib_switch_stats(sw, 1)->remote_errors, 1);
	CHECK_EQ(rx_count[2], 1);
	send_fc(1, 0, 0, 256);			/* what was dropped is credited again */
	/* multicast to ports 1, 2 and 4: not back to where it came from */
	put_be16(d, 1 << 1 | 1 << 2 | 1 << 4);
	CHECK_EQ(ask(3, 2, 0x1b, 0, d), 0);
	memset(rx_count, 0, sizeof(rx_count));
	send_data(1, data_packet(2, 0xc000, 0, 0, 256, 2));
	run(2000);
	CHECK(rx_count[1] == 0 && rx_count[2] == 1 && rx_count[3] == 0 && rx_count[4] == 1);
	/* the neighbour's MTU is respected */
	CHECK_EQ(ask(1, 1, 0x15, 2, d), 0);
	d[36] = 1 << 4;
	d[32] &= 0xf0;
	d[33] = 2;
	d[29] = d[35] = 0;
	CHECK_EQ(ask(1, 2, 0x15, 2, d), 0);
	send_data(1, data_packet(2, 3, 0, 0, 1000, 3));
	send_data(1, data_packet(2, 3, 0, 0, 256, 4));
	run(2000);
	CHECK_EQ(rx_count[2], 2);
	CHECK_EQ(ib_switch_stats(sw, 2)->discards, 1);
	st = ib_switch_stats(sw, 2);
	CHECK_EQ(st->tx_packets - rx_vl[2][15], 3);
	teardown();
}

/* Without credit nothing leaves; then it does; too late, and it is thrown away. */
static void credits(void)
{
	uint8_t d[64] = { 0 };
	unsigned sent = 0, room;

	setup(1);
	bring_up();
	give_credit = false;
	send_fc(2, 0, 0, 17);			/* one packet of 1 KiB */
	run(100);
	for (unsigned i = 1; i <= 3; i++)
		send_data(1, data_packet(2, 3, 0, 0, 1024, i)), sent++;
	run(20000);
	CHECK_EQ(rx_count[2], 1);
	CHECK(ib_switch_stats(sw, 2)->xmit_wait > 0);
	/* the sender's credit shrinks by what waits inside */
	room = (my_limit[1][0] - my_sent[1][0]) & 0xfff;
	CHECK_EQ(room, 512 - 2 * 17);
	send_fc(2, 0, 0, 40);
	run(20000);
	CHECK_EQ(rx_count[2], 3);
	CHECK_EQ((my_limit[1][0] - my_sent[1][0]) & 0xfff, 512);
	/* head of queue lifetime: 4.096 us * 2^10 */
	CHECK_EQ(ask(1, 1, 0x15, 2, d), 0);
	d[42] = 10;
	d[32] &= 0xf0;
	d[33] = 2;
	d[29] = d[35] = 0;
	CHECK_EQ(ask(1, 2, 0x15, 2, d), 0);
	send_fc(2, 0, 0, 0);
	run(100);
	send_data(1, data_packet(2, 3, 0, 0, 1024, 9));
	run(1000000);
	CHECK_EQ(ib_switch_stats(sw, 2)->discards, 0);
	run(100000);
	CHECK_EQ(ib_switch_stats(sw, 2)->discards, 1);
	CHECK_EQ((my_limit[1][0] - my_sent[1][0]) & 0xfff, 512);
	teardown();
}

/* Three senders to one port, full speed: nothing is lost, order per pair holds. */
static void congestion(void)
{
	unsigned n = 300;
	uint32_t seq = 1;

	setup(1);
	bring_up();
	for (unsigned i = 0; i < n; i++) {
		send_data(1, data_packet(2, 5, 0, 0, 4096, 0));
		send_data(2, data_packet(3, 5, 0, 0, 2048, 0));
		send_data(3, data_packet(4, 5, 0, 0, 100, seq++));
	}
	run(2000000);
	CHECK_EQ(rx_count[4], 3 * n);
	CHECK(!seq_bad);
	CHECK_EQ(ib_switch_stats(sw, 4)->discards, 0);
	for (unsigned p = 1; p <= 3; p++) {
		CHECK_EQ(ib_switch_stats(sw, p)->rx_errors, 0);
		CHECK_EQ((my_limit[p][0] - my_sent[p][0]) & 0xfff, 512);
	}
	teardown();
}

/* Two lanes from two ports to a third, weights 3 to 1. */
static void arbitration(void)
{
	uint8_t d[64] = { 0 };
	uint64_t t0;

	setup(2);
	bring_up();
	d[0] = 0;
	d[1] = 48;
	d[2] = 1;
	d[3] = 16;
	CHECK_EQ(ask(1, 2, 0x18, 1 << 16 | 3, d), 0);
	memset(rx_vl, 0, sizeof(rx_vl));
	t0 = now;
	while (now < t0 + 100000) {
		/* keep both input buffers full: 1024-byte packets, 16 blocks and a bit */
		for (unsigned p = 1; p <= 2; p++) {
			unsigned vl = p - 1, room = (my_limit[p][vl] - my_sent[p][vl]) & 0xfff;

			if (room <= 2048 && room >= 16 && wire_free_at(&to_sw[p]) <= now) {
				my_sent[p][vl] = (uint16_t)((my_sent[p][vl] + 16) & 0xfff);
				wire_send_now(&to_sw[p], data_packet((uint16_t)(p + 1), 4, vl, vl, 996, 0), now);
			}
		}
		run(1);
	}
	CHECK(rx_vl[3][0] + rx_vl[3][1] > 700);
	CHECK(rx_vl[3][0] > 2.6 * rx_vl[3][1] && rx_vl[3][0] < 3.4 * rx_vl[3][1]);
	teardown();
}

static int perf(uint8_t method, uint16_t attr, uint8_t *data)
{
	struct packet *k = smp(4, method, attr, 0, data, 2, 1);
	uint8_t *d = k->data;
	unsigned before = rx_count[1];

	d[0] = 0;
	put_be32(d + 12, 1);
	put_be32(d + 20, 0x80010000);
	put_be32(d + 24, 1);
	ib_put_icrc(d, k->len);
	ib_put_vcrc(d, k->len);
	send_data(1, k);
	run(3000);
	if (rx_count[1] == before)
		return -1;
	d = last_rx[1]->data;
	CHECK(ib_icrc_ok(d, last_rx[1]->len) && d[0] >> 4 == 0 && get_be32(d + 12) == 1 &&
	      get_be32(d + 20) == 0x80010000 && get_be16(d + 2) == 2);
	memcpy(data, d + 28 + 64, 64);
	return get_be16(d + 28 + 4);
}

static void counters(void)
{
	uint8_t d[64] = { 0 };

	setup(1);
	bring_up();
	CHECK_EQ(perf(1, 1, d), 0);
	CHECK(d[0] == 1 && d[2] == 0x14);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	d[2] = d[3] = 0xff;
	CHECK_EQ(perf(2, 0x12, d), 0);
	for (int i = 0; i < 5; i++)
		send_data(1, data_packet(2, 3, 0, 0, 974, 0));
	run(5000);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	CHECK_EQ(perf(1, 0x12, d), 0);
	CHECK_EQ(d[1], 2);
	CHECK_EQ(get_be32(d + 32), 5);
	CHECK(get_be32(d + 24) >= 5 * 1000 / 4 && get_be32(d + 24) <= 5 * 1004 / 4);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	CHECK_EQ(perf(1, 0x1d, d), 0);
	CHECK(get_be64(d + 24) >= 5);
	/* Two views of one set of counters: cleared in one, they are cleared in the other, each way. */
	memset(d, 0, sizeof(d));
	d[1] = 2;
	d[3] = 0xff;
	CHECK_EQ(perf(2, 0x1d, d), 0);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	CHECK_EQ(perf(1, 0x12, d), 0);
	CHECK_EQ(get_be32(d + 24) + get_be32(d + 32), 0);
	send_data(1, data_packet(2, 3, 0, 0, 974, 0));
	run(5000);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	d[2] = d[3] = 0xff;
	CHECK_EQ(perf(2, 0x12, d), 0);
	memset(d, 0, sizeof(d));
	d[1] = 2;
	CHECK_EQ(perf(1, 0x1d, d), 0);
	CHECK_EQ(get_be64(d + 8) + get_be64(d + 24), 0);
	memset(d, 0, sizeof(d));
	d[1] = 99;
	CHECK_EQ(perf(1, 0x12, d), 0x1c);
	CHECK_EQ(perf(1, 0x99, d), 0x0c);
	teardown();
}

static void ethernet(void)
{
	setup(1);
	for (unsigned i = 0; i < 3; i++) {
		/* 1 -> 2 unknown: flooded; 2 -> 1 learned; 1 -> 2 learned */
		static const uint8_t from[] = { 1, 2, 1 }, to[] = { 2, 1, 2 };
		struct packet *k = packet_new();

		k->kind = OHCA_KIND_ETH;
		k->len = 64;
		memset(k->data, 0, 64);
		k->data[0] = k->data[6] = 2;
		k->data[5] = to[i];
		k->data[11] = from[i];
		wire_send_now(&to_sw[from[i]], k, now);
		run(1000);
	}
	CHECK_EQ(rx_count[1], 1);
	CHECK_EQ(rx_count[2], 2);
	CHECK_EQ(rx_count[3], 1);
	CHECK_EQ(rx_count[4], 1);
	teardown();
}

/* Garbage and half-right packets: no crash, and it still answers. */
static void garbage(void)
{
	struct rng r;
	uint8_t d[64] = { 0 };
	const char *given = getenv("OHCA_SEED") ? getenv("OHCA_SEED") : getenv("OHCA_DRAWN_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : wall_ns();

	printf("# garbage seed %llu (OHCA_SEED)\n", (unsigned long long)seed);
	rng_seed(&r, seed, 2);
	setup(4);
	bring_up();
	for (unsigned i = 0; i < 20000; i++) {
		struct packet *k;
		unsigned port = 1 + rng_below(&r, PORTS), what = rng_below(&r, 4);

		if (what == 0) {
			k = packet_new();
			k->kind = (uint8_t)rng_below(&r, 3);
			k->len = 1 + rng_below(&r, 400);
			for (unsigned b = 0; b < k->len; b++)
				k->data[b] = (uint8_t)rng_next(&r);
			if (k->len > 10 && rng_below(&r, 2))
				ib_put_vcrc(k->data, k->len);
		} else if (what == 1) {
			k = data_packet((uint16_t)rng_below(&r, 6), (uint16_t)rng_next(&r),
					rng_below(&r, 16), rng_below(&r, 15), rng_below(&r, 500), 0);
		} else {
			k = smp(rng_below(&r, 3) ? 0x81 : (uint8_t)rng_below(&r, 5), (uint8_t)(1 + rng_below(&r, 2)),
				(uint16_t)(0x10 + rng_below(&r, 12)), rng_below(&r, 3) ? rng_below(&r, 6) : (uint32_t)rng_next(&r),
				NULL, (uint16_t)(rng_below(&r, 2) ? 0xffff : rng_below(&r, 8)),
				(uint16_t)(rng_below(&r, 3) ? 0xffff : rng_below(&r, 8)));
			for (unsigned b = 24; b < 256; b++)
				if (rng_below(&r, 3) == 0)
					k->data[28 + b] = (uint8_t)rng_next(&r);
			k->data[28 + 6] = (uint8_t)rng_below(&r, 5);
			k->data[28 + 7] = (uint8_t)rng_below(&r, 4);
			put_be64(k->data + 28 + 24, 0);
			for (unsigned b = 0; b < 4; b++)
				k->data[28 + 128 + b] = k->data[28 + 192 + b] = (uint8_t)rng_below(&r, 7);
			ib_put_icrc(k->data, k->len);
			ib_put_vcrc(k->data, k->len);
		}
		k->t_first = k->t_last = now;
		wire_send(&to_sw[port], k);
		run(1 + rng_below(&r, 60));
		check_failed = 0;		/* receive() checks too strictly for garbage */
	}
	run(200000);
	check_failed = 0;
	teardown();
	setup(4);
	CHECK_EQ(ask(1, 1, 0x11, 0, d), 0);
	teardown();
}

/* Three whole nodes on a switch, by way of the pins. */
static void three_nodes(void)
{
	struct fabric_config c;
	struct fabric *f;
	uint8_t *mem[3];
	struct packet *k;
	uint32_t len;

	fabric_config_default(&c, 3, 64);
	c.create = ohca_fake_create;
	c.switch_lanes = 1;
	f = fabric_create(&c);
	CHECK(f != NULL);
	if (!f)
		return;
	for (unsigned i = 0; i < 3; i++) {
		mem[i] = host_flat_memory(&f->node[i].host, 0x10000, 1 << 20);
		fabric_write64(f, i, FAKE_RXBUF, 0x10000 + 0x20000);
	}
	fabric_run(f, 5000, NULL, NULL);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
	CHECK(fabric_read64(f, 0, FAKE_RXCOUNT) >= 1);	/* flow control of the switch */
	CHECK_EQ(mem[0][0x20000 + 4], OHCA_KIND_FC);
	/* a directed-route request out of node 2's memory, the answer into it */
	k = smp(0x81, 1, 0x11, 0, NULL, 0xffff, 0xffff);
	k->data[28 + 6] = k->data[28 + 7] = 1;
	memset(k->data + 28 + 32, 0xff, 4);
	ib_put_icrc(k->data, k->len);
	ib_put_vcrc(k->data, k->len);
	memcpy(mem[2], k->data, k->len);
	packet_free(k);
	fabric_write64(f, 2, FAKE_RXCOUNT, 0);
	fabric_write64(f, 2, FAKE_SRC, 0x10000);
	fabric_write64(f, 2, FAKE_LEN, 290);
	fabric_write64(f, 2, FAKE_CMD, FAKE_SEND);
	fabric_run(f, 10000, NULL, NULL);
	CHECK(fabric_read64(f, 2, FAKE_RXCOUNT) >= 1);
	memcpy(&len, mem[2] + 0x20000, 4);
	CHECK_EQ(len, 290);
	CHECK_EQ(mem[2][0x20000 + 64 + 28 + 3], 0x81);
	CHECK_EQ(mem[2][0x20000 + 64 + 28 + 64 + 36], 3);	/* came in by port 3 */
	fabric_destroy(f);
}

/* The lanes cannot change while data flows: what waits on one that is gone would never leave. */
static void lanes_while_active(void)
{
	uint8_t d[64] = { 0 };

	setup(4);
	bring_up();
	CHECK_EQ(ask(1, 1, 0x15, 2, d), 0);
	CHECK_EQ(d[43] >> 4, 3);		/* four */
	d[32] &= 0xf0;
	d[33] = 2;
	d[29] = d[35] = 0;
	d[43] = (uint8_t)((d[43] & 15) | 1 << 4);
	CHECK_EQ(ask(1, 2, 0x15, 2, d), 0x1c);
	CHECK_EQ(d[43] >> 4, 3);
	CHECK_EQ(ask(1, 1, 0x15, 2, d), 0);
	CHECK_EQ(d[43] >> 4, 3);
	CHECK_EQ(d[32] & 15, 4);
	teardown();
}

int main(void)
{
	log_threshold = getenv("SIM_LOG") ? LOG_INFO : LOG_NONE;
	RUN(management);
	RUN(link_bounce);
	RUN(forwarding);
	RUN(credits);
	RUN(congestion);
	RUN(arbitration);
	RUN(counters);
	RUN(ethernet);
	RUN(garbage);
	RUN(three_nodes);
	RUN(lanes_while_active);
	return check_total_failed != 0;
}
