/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The host model, links, clock, capture and recording, with the fake adapter. */
#include "check.h"
#include "fabric.h"
#include "model_fake.h"
#include "uplink.h"
#include "record.h"
#include "thread_pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define MEM (1u << 20)
#define BASE 0x100000000ull

struct irqs { unsigned count[256]; };

static void on_irq(void *ctx, unsigned v)
{
	((struct irqs *)ctx)->count[v]++;
}

static struct fabric *make(struct fabric_config *c, unsigned nodes, unsigned width)
{
	fabric_config_default(c, nodes, width);
	c->create = ohca_fake_create;
	c->topology = nodes == 1 ? TOPO_LOOPBACK : TOPO_P2P;
	return NULL;
}

static uint8_t *memory(struct fabric *f, unsigned node, struct irqs *irq)
{
	memset(irq, 0, sizeof(*irq));
	host_set_irq(&f->node[node].host, 32, on_irq, irq);
	return host_flat_memory(&f->node[node].host, BASE, MEM);
}

static bool not_busy(void *ctx)
{
	struct fabric *f = ctx;

	return fabric_idle_until(f) > f->cycle;
}

static void settle(struct fabric *f)
{
	for (int i = 0; i < 8; i++)
		fabric_step(f);
	CHECK(fabric_run(f, 1000000, not_busy, f));
}

static void command(struct fabric *f, unsigned node, uint64_t src, uint64_t dst, uint64_t len,
		    uint64_t cmd)
{
	fabric_write64(f, node, FAKE_SRC, src);
	fabric_write64(f, node, FAKE_DST, dst);
	fabric_write64(f, node, FAKE_LEN, len);
	fabric_write64(f, node, FAKE_CMD, cmd);
	settle(f);
}

static void registers(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint8_t b[32], w[32];

	make(&c, 1, 64);
	f = fabric_create(&c);
	memory(f, 0, &irq);
	CHECK_EQ(fabric_read64(f, 0, FAKE_ID), FAKE_ID_VALUE);
	CHECK_EQ(fabric_read32(f, 0, FAKE_ID + 4), FAKE_ID_VALUE >> 32);
	for (unsigned i = 0; i < sizeof(w); i++)
		w[i] = (uint8_t)(i + 1);
	/* every length and alignment, neighbours untouched */
	for (unsigned off = 0; off < 9; off++) {
		for (unsigned len = 1; len <= 16; len++) {
			static const uint8_t zero[32];

			fabric_write(f, 0, 0x100, zero, 32);
			fabric_write(f, 0, 0x100 + off, w, len);
			CHECK(fabric_read(f, 0, 0x100, b, 32));
			for (unsigned i = 0; i < 32; i++)
				CHECK_EQ(b[i], i >= off && i < off + len ? w[i - off] : 0);
			CHECK(fabric_read(f, 0, 0x100 + off, b, len));
			CHECK(!memcmp(b, w, len));
		}
	}
	CHECK(!fabric_read(f, 0, FAKE_SLVERR, b, 8));
	CHECK_EQ(b[0], 0xff);
	CHECK_EQ(fabric_read64(f, 0, FAKE_GUID), f->node[0].in.strap_guid);
	CHECK_EQ(f->node[0].host.axi.st.axi_violations, 0);
	fabric_destroy(f);
}

static void wedged_device(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint64_t v;

	make(&c, 1, 64);
	c.axi.mmio_timeout = 1000;
	f = fabric_create(&c);
	memory(f, 0, &irq);
	fabric_write64(f, 0, FAKE_HANG, 1);
	CHECK(!fabric_read(f, 0, FAKE_ID, &v, 8));
	CHECK_EQ(v, UINT64_MAX);
	CHECK(f->cycle < 3000);
	for (int i = 0; i < 20000; i++)		/* more than any queue holds */
		fabric_write64(f, 0, 0, 1);
	CHECK(!fabric_read(f, 0, FAKE_ID, &v, 8));
	CHECK(f->cycle < 3000);			/* at once, not one time-out each */
	CHECK_EQ(f->node[0].host.axi.st.mmio_timeouts, 1);
	host_reset(&f->node[0].host);
	CHECK_EQ(fabric_read64(f, 0, FAKE_ID), FAKE_ID_VALUE);
	fabric_destroy(f);
}

static void dma_copies(void)
{
	static const unsigned widths[] = { 64, 128, 256, 512 };

	for (unsigned k = 0; k < 4 * 3; k++) {
		struct fabric_config c;
		struct fabric *f;
		struct irqs irq;
		struct rng rng;
		uint8_t *m, *want;

		make(&c, 1, widths[k % 4]);
		c.axi.reorder = k / 4 > 0;
		c.axi.backpressure = k / 4 > 1 ? 20000 : 0;
		c.seed = k + 1;
		f = fabric_create(&c);
		m = memory(f, 0, &irq);
		want = malloc(MEM);
		rng_seed(&rng, k, 0);
		for (unsigned i = 0; i < MEM; i++)
			m[i] = (uint8_t)rng_next(&rng);
		memcpy(want, m, MEM);
		for (unsigned i = 0; i < 12; i++) {
			uint32_t len = 1 + rng_below(&rng, 20000), src = rng_below(&rng, 400000);
			uint32_t dst = 450000 + rng_below(&rng, 400000);

			memcpy(want + dst, want + src, len);
			command(f, 0, BASE + src, BASE + dst, len, FAKE_COPY | 7 << 8);
			CHECK_EQ(irq.count[7], i + 1);
		}
		CHECK(!memcmp(m, want, MEM));
		CHECK_EQ(fabric_read64(f, 0, FAKE_STATUS), 0);
		CHECK_EQ(f->node[0].host.axi.st.axi_violations, 0);
		CHECK_EQ(f->node[0].host.axi.st.dma_faults, 0);
		free(want);
		fabric_destroy(f);
	}
}

static void dma_outside(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint8_t ro[4096] = { 1 };

	make(&c, 1, 512);
	f = fabric_create(&c);
	memory(f, 0, &irq);
	command(f, 0, BASE + MEM, BASE, 64, FAKE_COPY | 7 << 8);
	CHECK_EQ(f->node[0].host.axi.st.dma_faults, 1);
	command(f, 0, BASE, BASE - 64, 64, FAKE_COPY | 7 << 8);
	CHECK_EQ(f->node[0].host.axi.st.dma_faults, 2);
	CHECK_EQ(fabric_read64(f, 0, FAKE_STATUS), 2u << 16);
	CHECK_EQ(host_dma_map(&f->node[0].host, 0x1000, 4096, DMA_READ, ro), 0);
	command(f, 0, 0x1000, 0x1000, 64, FAKE_COPY | 7 << 8);
	CHECK_EQ(f->node[0].host.axi.st.dma_faults, 3);
	CHECK_EQ(ro[0], 1);
	f->node[0].host.axi.bus_master = false;
	command(f, 0, BASE, BASE + 64, 64, FAKE_COPY | 7 << 8);
	CHECK_EQ(f->node[0].host.axi.st.dma_faults, 5);
	CHECK_EQ(irq.count[7], 4);
	fabric_destroy(f);
}

/* One read takes the round trip, many are limited by the bandwidth. */
static void pcie_timing(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint64_t t0, small, large;

	make(&c, 1, 512);
	c.axi.read_jitter = 0;
	f = fabric_create(&c);
	memory(f, 0, &irq);
	settle(f);
	t0 = f->stepped;
	command(f, 0, BASE, BASE + 65536, 64, FAKE_COPY | 7 << 8);
	small = f->stepped - t0;
	t0 = f->stepped;
	command(f, 0, BASE, BASE + 65536, 65536, FAKE_COPY | 7 << 8);
	large = f->stepped - t0;
	CHECK(small > 125 && small < 220);
	/* 64 KiB in and 64 KiB out at 57.6 bytes a cycle, one after the other;
	 * the fake has only 4 KiB of reads in flight in 125 cycles */
	CHECK(large - small > 16 * 125 + 1100 && large - small < 16 * 150 + 1400);
	fabric_destroy(f);
}

static void reset_drops_dma(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint8_t *m;

	make(&c, 1, 64);
	f = fabric_create(&c);
	m = memory(f, 0, &irq);
	memset(m, 0x55, 4096);
	fabric_write64(f, 0, FAKE_SRC, BASE);
	fabric_write64(f, 0, FAKE_DST, BASE + 8192);
	fabric_write64(f, 0, FAKE_LEN, 4096);
	fabric_write64(f, 0, FAKE_CMD, FAKE_COPY | 7 << 8);
	for (int i = 0; i < 200; i++)
		fabric_step(f);
	host_reset(&f->node[0].host);
	settle(f);
	CHECK_EQ(irq.count[7], 0);
	CHECK_EQ(m[8192 + 4095], 0);
	CHECK(f->node[0].host.axi.st.dropped_by_reset > 0);
	CHECK_EQ(fabric_read64(f, 0, FAKE_STATUS), 0);
	command(f, 0, BASE, BASE + 8192, 4096, FAKE_COPY | 7 << 8);
	CHECK_EQ(irq.count[7], 1);
	CHECK_EQ(m[8192 + 4095], 0x55);
	fabric_destroy(f);
}

static void packets(void)
{
	static const unsigned widths[] = { 64, 512 };
	static const unsigned lens[] = { 6, 26, 64, 65, 1000, 4182 };

	for (unsigned k = 0; k < 2; k++) {
		struct fabric_config c;
		struct fabric *f;
		struct irqs irq[2];
		uint8_t *m0, *m1;

		make(&c, 2, widths[k]);
		f = fabric_create(&c);
		m0 = memory(f, 0, &irq[0]);
		m1 = memory(f, 1, &irq[1]);
		for (unsigned i = 0; i < 8192; i++)
			m0[i] = (uint8_t)(i * 7 + i / 256);
		fabric_write64(f, 1, FAKE_RXBUF, BASE);
		fabric_run(f, 3000, NULL, NULL);
		CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
		for (unsigned i = 0; i < ARRAY_SIZE(lens); i++) {
			uint8_t *slot = m1 + i * FAKE_RX_SLOT;
			uint32_t got;

			command(f, 0, BASE + i, 0, lens[i],
				FAKE_SEND | 7 << 8 | (i % 3) << 16);
			fabric_run(f, 5000, NULL, NULL);
			CHECK_EQ(irq[1].count[1], i + 1);
			memcpy(&got, slot, 4);
			CHECK_EQ(got, lens[i]);
			CHECK_EQ(slot[4], i % 3);
			CHECK(!memcmp(slot + 64, m0 + i, lens[i]));
		}
		CHECK_EQ(f->link[0].w[0].st.packets, ARRAY_SIZE(lens));
		CHECK_EQ(f->link[0].w[0].st.fc, 2);
		CHECK_EQ(f->node[0].st.tx_bad_keep, 0);
		fabric_destroy(f);
	}
}

/* The rate of the link, not that of the bus, sets the pace. */
static void link_timing(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	struct packet *p;
	uint64_t sent;

	make(&c, 2, 512);
	c.rate_gbps = 20;			/* 10 bytes a cycle */
	c.link_latency = 1000;
	f = fabric_create(&c);
	memory(f, 0, &irq);
	fabric_run(f, 3000, NULL, NULL);
	fabric_write64(f, 0, FAKE_SRC, BASE);
	fabric_write64(f, 0, FAKE_LEN, 4096);
	fabric_write64(f, 0, FAKE_CMD, FAKE_SEND | 7 << 8);
	while (!f->link[0].w[0].head && f->cycle < 100000)
		fabric_step(f);
	sent = f->cycle;
	p = f->link[0].w[0].head;
	CHECK(p != NULL);
	if (p) {
		CHECK(p->t_last - p->t_first > 390 && p->t_last - p->t_first < 415);
		CHECK_EQ(p->due, p->t_first + 1000);
		CHECK(p->due > sent);
	}
	fabric_destroy(f);
}

static void skipping(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	uint64_t before, now;

	make(&c, 2, 64);
	f = fabric_create(&c);
	memory(f, 0, &irq);
	settle(f);
	fabric_run(f, 3000, NULL, NULL);	/* training */
	CHECK_EQ(fabric_idle_until(f), UINT64_MAX);
	now = fabric_read64(f, 0, FAKE_NOW);
	before = f->stepped;
	fabric_run(f, 1000000000, NULL, NULL);
	CHECK(f->stepped - before < 100);
	CHECK(fabric_read64(f, 0, FAKE_NOW) - now >= 1000000000);
	fabric_write64(f, 0, FAKE_TIMER, 5000000);
	now = f->cycle;
	before = f->stepped;
	settle(f);
	fabric_run(f, 4999900, NULL, NULL);
	CHECK_EQ(irq.count[2], 0);
	fabric_run(f, 200, NULL, NULL);
	CHECK_EQ(irq.count[2], 1);
	CHECK(f->stepped - before < 500);
	fabric_destroy(f);
}

static void retraining(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;

	make(&c, 2, 64);
	f = fabric_create(&c);
	memory(f, 0, &irq);
	memory(f, 1, &irq);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 0);
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
	fabric_write64(f, 1, FAKE_LINK, 1);
	for (int i = 0; i < 20; i++)
		fabric_step(f);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 0);
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
	host_reset(&f->node[1].host);
	for (int i = 0; i < 20; i++)
		fabric_step(f);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 0);
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
	CHECK_EQ(f->link[0].downs, 2);
	fabric_destroy(f);
}

/* numbers 0..n-1 are sent; the order in which they come is returned */
static unsigned through_faults(const char *rule, unsigned n, unsigned *order, unsigned max,
			       uint64_t spacing)
{
	struct wire w;
	char err[200];
	struct fault *f = fault_parse(rule, 3, err, sizeof(err));
	unsigned got = 0;
	uint64_t t = 0;

	CHECK(f != NULL);
	wire_init(&w, "w", 0, 0, 10 << 16, 5);
	w.up = true;
	w.faults = f;
	for (unsigned i = 0; i < n; i++) {
		struct packet *p = packet_new();

		p->len = 100;
		memset(p->data, 0, 100);
		p->data[50] = (uint8_t)i;
		wire_send_now(&w, p, t);
		t += spacing;
	}
	for (uint64_t now = 0; now < t + 100000 && got < max; now++) {
		struct packet *p;

		while (got < max && (p = wire_receive(&w, now))) {
			order[got++] = p->data[50];
			packet_free(p);
		}
	}
	wire_clear(&w);
	fault_free(f);
	return got;
}

static void wire_faults(void)
{
	unsigned o[32];

	CHECK_EQ(through_faults("drop,nth=2", 4, o, 32, 10), 3);
	CHECK(o[0] == 0 && o[1] == 2 && o[2] == 3);
	CHECK_EQ(through_faults("dup,nth=2,by=2", 3, o, 32, 10), 5);
	CHECK(o[1] == 1 && o[2] == 1 && o[3] == 1 && o[4] == 2);
	CHECK_EQ(through_faults("reorder,nth=1,by=2", 5, o, 32, 10), 5);
	CHECK(o[0] == 1 && o[1] == 2 && o[2] == 0 && o[3] == 3 && o[4] == 4);
	CHECK_EQ(through_faults("reorder,nth=5,by=2", 5, o, 32, 10), 5);	/* none follows */
	CHECK(o[4] == 4);
	CHECK_EQ(through_faults("delay,nth=2,cycles=500", 4, o, 32, 10), 4);
	CHECK(o[0] == 0 && o[1] == 1 && o[2] == 2 && o[3] == 3);
}

static void capture(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	char path[] = "/tmp/ohca-pcap-XXXXXX", err[200];
	int fd = mkstemp(path);
	uint8_t buf[4096];
	uint32_t type, len, at, epb = 0, idb = 0;
	ssize_t n;

	close(fd);
	make(&c, 2, 64);
	c.pcap = pcapng_open(path, 4.0, false);
	c.faults = fault_parse("drop,nth=2", 1, err, sizeof(err));
	f = fabric_create(&c);
	memory(f, 0, &irq);
	memory(f, 1, &irq);
	fabric_run(f, 3000, NULL, NULL);
	command(f, 0, BASE, 0, 100, FAKE_SEND | 7 << 8);
	command(f, 0, BASE, 0, 6, FAKE_SEND | 7 << 8 | OHCA_KIND_FC << 16);
	command(f, 0, BASE, 0, 60, FAKE_SEND | 7 << 8 | OHCA_KIND_ETH << 16);
	command(f, 1, BASE, 0, 30, FAKE_SEND | 7 << 8);
	fabric_flush(f);			/* readable while it runs */
	fd = open(path, 0);
	n = read(fd, buf, sizeof(buf));
	close(fd);
	for (at = 0; at + 12 <= (uint32_t)n; at += len) {
		uint32_t len2;

		memcpy(&type, buf + at, 4);
		memcpy(&len, buf + at + 4, 4);
		CHECK(len >= 12 && len % 4 == 0 && at + len <= (uint32_t)n);
		if (len < 12 || at + len > (uint32_t)n)
			break;
		memcpy(&len2, buf + at + len - 4, 4);
		CHECK_EQ(len, len2);
		if (type == 1) {
			CHECK_EQ(buf[at + 8] | buf[at + 9] << 8, idb == 1 ? 1 : 197);
			idb++;
		} else if (type == 6) {
			CHECK_EQ(buf[at + 8], epb);	/* one interface each here */
			if (epb == 1)
				CHECK(memmem(buf + at, len, "fault: drop", 11) != NULL);
			epb++;
		}
	}
	CHECK_EQ(at, n);
	CHECK_EQ(idb, 3);
	CHECK_EQ(epb, 3);
	fault_free(c.faults);
	fabric_destroy(f);
	pcapng_close(c.pcap);
	unlink(path);
}

/* A frame out of the fabric to a socket, and one back in. */
static void uplink_peer(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	struct uplink *a, *b;
	char spec[120], other[120];
	struct wire dummy;
	struct packet *p = packet_new();
	uint8_t *m, buf[200];
	uint32_t len;

	snprintf(spec, sizeof(spec), "/tmp/ohca-a-%d:/tmp/ohca-b-%d", (int)getpid(), (int)getpid());
	snprintf(other, sizeof(other), "/tmp/ohca-b-%d:/tmp/ohca-a-%d", (int)getpid(), (int)getpid());
	CHECK(!uplink_open("nonsense") && !uplink_open(":x") && !uplink_open("x:"));
	make(&c, 1, 64);
	c.topology = TOPO_P2P;
	f = fabric_create(&c);
	a = uplink_open(spec);
	b = uplink_open(other);
	CHECK(f && a && b);
	a->to_fabric = fabric_attach_uplink(f, uplink_send, a);
	CHECK(a->to_fabric != NULL);
	CHECK(!fabric_attach_uplink(f, uplink_send, a));
	wire_init(&dummy, "d", 0, 0, 65536, 0);
	b->to_fabric = &dummy;
	m = memory(f, 0, &irq);
	fabric_write64(f, 0, FAKE_RXBUF, BASE + 0x10000);
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(fabric_read64(f, 0, FAKE_LINK), 1);
	memset(m, 0x42, 100);
	command(f, 0, BASE, 0, 100, FAKE_SEND | 7 << 8 | OHCA_KIND_ETH << 16);
	fabric_run(f, 3000, NULL, NULL);
	command(f, 0, BASE, 0, 100, FAKE_SEND | 7 << 8);	/* not Ethernet: stays inside */
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(recv(b->fd, buf, sizeof(buf), 0), 100);
	CHECK(recv(b->fd, buf, sizeof(buf), 0) < 0);
	CHECK(a->st.out == 1 && a->st.not_ethernet == 1);
	p->kind = OHCA_KIND_ETH;
	p->len = 20;
	memset(p->data, 0x24, 20);
	uplink_send(b, p);
	uplink_receive(a, f->cycle);
	fabric_run(f, 3000, NULL, NULL);
	memcpy(&len, m + 0x10000, 4);
	CHECK_EQ(len, 60);
	CHECK(m[0x10000 + 64 + 19] == 0x24 && m[0x10000 + 64 + 20] == 0);
	/* A peer that takes nothing: waited for once, then its frames are lost until it takes some; nobody there: lost at once. */
	for (len = 0; !a->stuck && len < 100000; len++) {
		p = packet_new();
		p->kind = OHCA_KIND_ETH;
		p->len = 60;
		memset(p->data, 0, 60);
		uplink_send(a, p);
	}
	CHECK(a->stuck && a->st.waits == 1 && a->st.no_peer == 1 && a->st.out == len);
	for (unsigned i = 0; i < 3; i++) {
		p = packet_new();
		p->kind = OHCA_KIND_ETH;
		p->len = 60;
		uplink_send(a, p);
		if (!i)
			CHECK_EQ(recv(b->fd, buf, sizeof(buf), 0), 60);
	}
	CHECK(a->st.waits == 2 && a->st.no_peer == 3 && a->st.out == len + 1 && a->stuck);
	uplink_close(b);
	p = packet_new();
	p->kind = OHCA_KIND_ETH;
	p->len = 60;
	uplink_send(a, p);
	CHECK(a->st.waits == 2 && a->st.no_peer == 4);
	uplink_close(a);
	fabric_destroy(f);
}

/* A TAP device, in a network namespace of its own: what leaves the fabric comes out of the interface, what is sent on it goes in. */
static void tap_device(void)
{
	struct sockaddr_ll sa = { .sll_family = AF_PACKET, .sll_protocol = htons(0x88b5) };
	struct ifreq r = { .ifr_name = "ohcatap" };
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	struct uplink *o;
	uint8_t *m, buf[200];
	uint32_t len;
	int s, n;

	CHECK(!uplink_open("tap:"));
	if (unshare(CLONE_NEWNET) || access("/dev/net/tun", R_OK | W_OK)) {
		printf("# no network namespace or no /dev/net/tun: %s\n", strerror(errno));
		return;
	}
	make(&c, 1, 64);
	c.topology = TOPO_P2P;
	f = fabric_create(&c);
	o = uplink_open("tap:ohcatap");
	s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
	CHECK(f && o && s >= 0);
	/* No frames of the kernel's own; without IPv6 there are none. */
	n = open("/proc/sys/net/ipv6/conf/ohcatap/disable_ipv6", O_WRONLY);
	CHECK(n < 0 || write(n, "1", 1) == 1);
	close(n);
	r.ifr_flags = IFF_UP;
	CHECK_EQ(ioctl(s, SIOCSIFFLAGS, &r), 0);
	sa.sll_ifindex = (int)if_nametoindex("ohcatap");
	CHECK_EQ(bind(s, (struct sockaddr *)&sa, sizeof(sa)), 0);
	o->to_fabric = fabric_attach_uplink(f, uplink_send, o);
	m = memory(f, 0, &irq);
	fabric_write64(f, 0, FAKE_RXBUF, BASE + 0x10000);
	fabric_run(f, 3000, NULL, NULL);
	memset(m, 0x42, 100);
	memcpy(m + 12, "\x88\xb5", 2);
	memset(m, 0xff, 6);
	command(f, 0, BASE, 0, 100, FAKE_SEND | 7 << 8 | OHCA_KIND_ETH << 16);
	fabric_run(f, 3000, NULL, NULL);
	CHECK_EQ(o->st.out, 1);
	n = (int)recv(s, buf, sizeof(buf), 0);
	CHECK(n == 100 && !memcmp(buf, m, 100));
	buf[20] = 0x24;
	CHECK_EQ(send(s, buf, 80, 0), 80);
	uplink_receive(o, f->cycle);
	CHECK_EQ(o->st.in, 1);
	fabric_run(f, 3000, NULL, NULL);
	memcpy(&len, m + 0x10000, 4);
	CHECK_EQ(len, 80);
	CHECK(!memcmp(m + 0x10000 + 64, buf, 80));
	close(s);
	uplink_close(o);
	fabric_destroy(f);
}

static unsigned flip_at;

static struct ohca_model *real;
static uint64_t steps;
static void flipped_step(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out)
{
	(void)m;
	real->step(real, in, out);
	if (++steps == flip_at)
		out->tx_valid ^= 1;
}
static void flipped_destroy(struct ohca_model *m)
{
	(void)m;
	real->destroy(real);
}
static struct ohca_model *flipped_create(const struct ohca_model_config *cfg)
{
	static struct ohca_model m = { .name = "flipped", .step = flipped_step, .destroy = flipped_destroy };

	real = ohca_fake_create(cfg);
	steps = 0;
	return &m;
}

static void record_and_replay(void)
{
	struct fabric_config c;
	struct fabric *f;
	struct irqs irq;
	struct replay_result res;
	char dir[] = "/tmp/ohca-rec-XXXXXX", base[64], path[80];
	uint64_t cycles[2];

	CHECK(mkdtemp(dir) != NULL);
	snprintf(base, sizeof(base), "%s/r", dir);
	make(&c, 2, 128);
	c.record = base;
	c.axi.backpressure = 5000;
	f = fabric_create(&c);
	memory(f, 0, &irq);
	memory(f, 1, &irq);
	fabric_write64(f, 0, FAKE_RXBUF, BASE + 0x10000);
	fabric_run(f, 3000, NULL, NULL);
	command(f, 0, BASE, BASE + 5000, 3000, FAKE_COPY | 7 << 8);
	command(f, 1, BASE, 0, 1000, FAKE_SEND | 7 << 8);
	fabric_run(f, 1000000, NULL, NULL);
	for (int i = 0; i < 2; i++)
		cycles[i] = f->node[i].st.cycles;
	CHECK(f->node[0].st.slept || f->node[1].st.slept);	/* one works while the other is idle */
	fabric_destroy(f);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s.%d", base, i);
		CHECK(replay_file(path, ohca_fake_create, NULL, NULL, 0, &res));
		CHECK_EQ(res.cycles, cycles[i]);
		CHECK_EQ(res.mismatches, 0);
		CHECK(!res.truncated);
	}
	/* a device that behaves otherwise in one cycle is found out */
	flip_at = cycles[1] / 2;
	CHECK(replay_file(path, flipped_create, NULL, NULL, 0, &res));
	CHECK_EQ(res.mismatches, 1);
	CHECK_EQ(res.first_cycle, flip_at - 1);
	CHECK(!strcmp(res.first_pin, "tx_valid"));
	/* a cut recording, and no recording at all */
	CHECK(!truncate(path, 2000));
	CHECK(replay_file(path, ohca_fake_create, NULL, NULL, 0, &res));
	CHECK(res.truncated || res.cycles < cycles[1]);
	CHECK(!truncate(path, 10));
	CHECK(!replay_file(path, ohca_fake_create, NULL, NULL, 0, &res));
	unlink(path);
	snprintf(path, sizeof(path), "%s.0", base);
	unlink(path);
	rmdir(dir);
}

/* same seed, same run, to the cycle */
static void reproducible(void)
{
	uint64_t end[3];

	for (int k = 0; k < 3; k++) {
		struct fabric_config c;
		struct fabric *f;
		struct irqs irq;

		make(&c, 1, 512);
		c.seed = k == 2 ? 99 : 5;
		c.axi.backpressure = 10000;
		f = fabric_create(&c);
		memory(f, 0, &irq);
		for (int i = 0; i < 5; i++)
			command(f, 0, BASE, BASE + 100000, 30000, FAKE_COPY | 7 << 8);
		end[k] = f->stepped;
		fabric_destroy(f);
	}
	CHECK_EQ(end[0], end[1]);
	CHECK(end[0] != end[2]);
}

/* Adapters in threads of their own behave to the pin and cycle as one after the other and as in steps of one cycle. */
static void side_by_side(void)
{
	enum { NODES = 4, RUNS = 4, CHOICE = 2 };
	char dir[] = "/tmp/ohca-pool-XXXXXX", path[80], base[64];
	uint64_t delivered = 0, shared[RUNS];

	CHECK(mkdtemp(dir) != NULL);
	for (int k = 0; k < RUNS; k++) {
		struct fabric_config c;
		struct fabric *f;
		struct irqs irq[NODES];
		struct fault *faults = NULL;
		char err[128];

		make(&c, NODES, 64);
		c.axi.backpressure = 3000;
		c.threads = k == 0 ? 1 : NODES;
		c.choose_threads = k == CHOICE;
		snprintf(base, sizeof(base), "%s/%d", dir, k);
		c.record = base;
		fault_append(&faults, fault_parse("drop,prob=0.05", 7, err, sizeof(err)));
		fault_append(&faults, fault_parse("reorder,prob=0.1,by=2", 8, err, sizeof(err)));
		c.faults = faults;
		f = fabric_create(&c);
		CHECK(!f->pool == (c.threads == 1));
		for (unsigned i = 0; i < NODES; i++) {
			uint8_t *m = memory(f, i, &irq[i]);

			for (unsigned b = 0; b < 60000; b++)
				m[b] = (uint8_t)(b * 7 + i);
			fabric_write64(f, i, FAKE_RXBUF, BASE + 0x10000);
		}
		fabric_run(f, 3000, NULL, NULL);
		for (unsigned round = 0; round < 20; round++) {
			/* All at once, but not in step */
			for (unsigned i = 0; i < NODES; i++) {
				fabric_write64(f, i, FAKE_SRC, BASE + 64 * round);
				fabric_write64(f, i, FAKE_LEN, 100 + 937 * ((round + i) % 4));
				fabric_write64(f, i, FAKE_CMD, FAKE_SEND | 7 << 8);
			}
			if (k == RUNS - 1)
				for (unsigned n = 0; n < 3000; n++)
					fabric_step(f);
			else
				for (unsigned n = 0; n < 3000; n += 100)
					fabric_advance(f, 100);
		}
		shared[k] = f->shared;
		for (unsigned l = 0; l < f->links; l++)
			for (unsigned d = 0; d < 2; d++)
				delivered += f->link[l].w[d].st.delivered;
		fabric_destroy(f);
		fault_free(faults);
	}
	CHECK(delivered >= RUNS * NODES * 15);
	/* A choice begins with a trial: twice 64 calls of some cycles shared, but for four of five if others sleep. */
	CHECK_EQ(shared[0], 0);
	CHECK(shared[CHOICE] >= 2 * (64 / 5) * 2);
	CHECK(shared[CHOICE] < shared[1]);
	for (int k = 1; k < RUNS; k++)
		for (unsigned i = 0; i < NODES; i++) {
			FILE *a, *b;
			int x, y;
			uint64_t same = 0;

			snprintf(path, sizeof(path), "%s/0.%u", dir, i);
			a = fopen(path, "rb");
			snprintf(path, sizeof(path), "%s/%d.%u", dir, k, i);
			b = fopen(path, "rb");
			CHECK(a && b);
			while ((x = getc(a)) == (y = getc(b)) && x != EOF)
				same++;
			CHECK_EQ(x, EOF);
			CHECK_EQ(y, EOF);
			CHECK(same > 10000);
			fclose(a);
			fclose(b);
		}
	for (int k = 0; k < RUNS; k++)
		for (unsigned i = 0; i < NODES; i++) {
			snprintf(path, sizeof(path), "%s/%d.%u", dir, k, i);
			unlink(path);
		}
	rmdir(dir);
}

struct seen { atomic_uint begun; pid_t thread[2]; cpu_set_t set[2]; };

/* A piece that ends when the other one has begun: so each has a thread of its own. */
static void look_around(void *ctx, unsigned i)
{
	struct seen *s = ctx;

	s->thread[i] = gettid();
	sched_getaffinity(0, sizeof(s->set[i]), &s->set[i]);
	atomic_fetch_add(&s->begun, 1);
	while (atomic_load(&s->begun) < 2)
		sched_yield();
}

/* The second thread stays off the caller's processor, wherever that goes, unless the variable says otherwise or there
 * is no other. */
static void off_the_callers_processor(void)
{
	cpu_set_t all, one;
	unsigned cpu[2], cpus = 0;

	CHECK(!sched_getaffinity(0, sizeof(all), &all));
	for (unsigned i = 0; i < CPU_SETSIZE && cpus < 2; i++)
		if (CPU_ISSET(i, &all))
			cpu[cpus++] = i;
	for (int k = 0; k < 3; k++) {
		struct thread_pool *t;

		if (k == 1)
			setenv("OHCA_SPREAD", "0", 1);
		if (k == 2) {
			CPU_ZERO(&one);
			CPU_SET(cpu[0], &one);
			CHECK(!sched_setaffinity(0, sizeof(one), &one));
		}
		t = thread_pool_create(2, false);
		CHECK(t != NULL);
		unsetenv("OHCA_SPREAD");
		for (unsigned n = 0; n < 6 && t; n++) {
			struct seen s = { .begun = 0 };
			unsigned mine = cpu[k < 2 && n % 2 && cpus == 2], other;
			cpu_set_t want = k == 2 ? one : all;

			CPU_ZERO(&one);
			CPU_SET(mine, &one);
			CHECK(!sched_setaffinity(0, sizeof(one), &one));
			CHECK(thread_pool_run(t, look_around, &s, 2));
			CHECK(s.thread[0] != s.thread[1]);
			other = s.thread[0] == gettid();
			CHECK(CPU_EQUAL(&s.set[!other], &one));
			if (k == 0 && cpus == 2)
				CPU_CLR(mine, &want);
			CHECK(CPU_EQUAL(&s.set[other], &want));
		}
		thread_pool_destroy(t);
		CHECK(!sched_setaffinity(0, sizeof(all), &all));
	}
	if (cpus < 2)
		printf("# one processor: there is no other to stay on\n");
}

int main(void)
{
	log_threshold = getenv("SIM_LOG") ? LOG_INFO : LOG_NONE;
	RUN(registers);
	RUN(wedged_device);
	RUN(dma_copies);
	RUN(dma_outside);
	RUN(pcie_timing);
	RUN(reset_drops_dma);
	RUN(packets);
	RUN(link_timing);
	RUN(skipping);
	RUN(retraining);
	RUN(wire_faults);
	RUN(capture);
	RUN(uplink_peer);
	RUN(record_and_replay);
	RUN(reproducible);
	RUN(side_by_side);
	RUN(off_the_callers_processor);
	RUN(tap_device);	/* last: it leaves the network namespace */
	return check_total_failed != 0;
}
