/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The vfio-user server: what QEMU does, what it must survive, and a fuzzer. */
#include "check.h"
#include "control.h"
#include "fabric.h"
#include "ids.h"
#include "model_fake.h"
#include "vfio_user.h"
#include "vfu_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define IOVA 0x40000000ull
#define SIZE 0x100000u
#define VECTORS 8

static struct fabric *fab;
static struct vfu_server *srv;
static struct vfu_client cl;
static char sock[64];
static int memfd, efd[VECTORS];
static uint8_t *mem;

static void pump(void *ctx)
{
	struct pollfd p[VFU_POLLFDS];

	(void)ctx;
	vfu_poll_prepare(srv, p);
	poll(p, VFU_POLLFDS, 0);
	vfu_poll_done(srv, p);
	for (int i = 0; i < 16; i++)
		fabric_step(fab);
}

static void setup(void)
{
	struct fabric_config c;
	struct vfu_config vc = {
		.path = sock, .name = "node0", .vendor = OHCA_PCI_VENDOR_ID,
		.device = OHCA_PCI_DEVICE_ID, .vectors = VECTORS,
	};

	snprintf(sock, sizeof(sock), "/tmp/ohca-test-%d.sock", (int)getpid());
	fabric_config_default(&c, 1, 64);
	c.create = ohca_fake_create;
	c.topology = TOPO_LOOPBACK;
	fab = fabric_create(&c);
	srv = vfu_create(&vc, &fab->node[0].host);
	memfd = memfd_create("guest", 0);
	if (!fab || !srv || memfd < 0 || ftruncate(memfd, SIZE))
		abort();
	mem = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	for (int i = 0; i < VECTORS; i++)
		efd[i] = eventfd(0, EFD_NONBLOCK);
}

static void teardown(void)
{
	vfc_close(&cl);
	vfu_destroy(srv);
	fabric_destroy(fab);
	munmap(mem, SIZE);
	close(memfd);
	for (int i = 0; i < VECTORS; i++)
		close(efd[i]);
	CHECK(access(sock, F_OK) != 0);
}

static void connect_up(void)
{
	CHECK(vfc_connect(&cl, sock, pump, NULL));
	CHECK(vfc_bring_up(&cl, memfd, IOVA, SIZE, efd, VECTORS));
}

static uint64_t irq(int v)
{
	uint64_t n = 0;

	return read(efd[v], &n, 8) == 8 ? n : 0;
}

static void wait_irq(int v)
{
	for (int i = 0; i < 10000; i++) {
		struct pollfd p = { .fd = efd[v], .events = POLLIN };

		pump(NULL);
		if (poll(&p, 1, 0) == 1)
			return;
	}
}

static void wr64(uint32_t off, uint64_t v)
{
	CHECK(vfc_write(&cl, 0, off, &v, 8, true));
}

static uint64_t rd64(uint32_t off)
{
	uint64_t v = 0;

	CHECK(vfc_read(&cl, 0, off, &v, 8));
	return v;
}

static void copy(uint32_t src, uint32_t dst, uint32_t len, unsigned vector)
{
	wr64(FAKE_SRC, IOVA + src);
	wr64(FAKE_DST, IOVA + dst);
	wr64(FAKE_LEN, len);
	wr64(FAKE_CMD, FAKE_COPY | vector << 8);
}

static void vfio_device(void)
{
	uint8_t b[256];
	uint32_t id;

	setup();
	connect_up();
	CHECK(vfc_read(&cl, VFU_CONFIG_REGION, 0, &id, 4));
	CHECK_EQ(id, (uint32_t)OHCA_PCI_DEVICE_ID << 16 | OHCA_PCI_VENDOR_ID);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	/* posted writes, then a read: order holds */
	for (unsigned i = 0; i < 200; i++)
		wr64(i % 64 * 8, i);
	CHECK_EQ(rd64(8 * (199 % 64)), 199);
	/* every access size */
	for (unsigned n = 1; n <= 8; n *= 2) {
		uint64_t v = 0x1122334455667788, r = 0;

		CHECK(vfc_write(&cl, 0, 0x200 + 2 * n, &v, n, n & 1));
		CHECK(vfc_read(&cl, 0, 0x200 + 2 * n, &r, n));
		CHECK(!memcmp(&v, &r, n));
	}
	/* DMA and interrupt */
	for (unsigned i = 0; i < 5000; i++)
		mem[i] = (uint8_t)(i * 13);
	copy(3, 0x8001, 5000 - 3, 4);
	wait_irq(4);
	CHECK_EQ(irq(4), 1);
	CHECK(!memcmp(mem + 3, mem + 0x8001, 5000 - 3));
	/* pending bits and table are there, and empty */
	CHECK(vfc_read(&cl, 2, OHCA_MSIX_PBA_OFFSET, b, 8));
	CHECK_EQ(b[0], 0);
	/* unmap: the device cannot reach it any more */
	CHECK(vfc_dma_unmap(&cl, IOVA, SIZE));
	copy(0, 0xa000, 64, 4);
	wait_irq(4);
	CHECK_EQ(irq(4), 1);
	CHECK(fab->node[0].host.axi.st.dma_faults >= 2);
	CHECK_EQ(mem[0xa000], 0);
	CHECK(!vfc_dma_unmap(&cl, IOVA, SIZE));
	CHECK_EQ(cl.error, ENOENT);
	CHECK(vfc_dma_map(&cl, IOVA, SIZE, 1, memfd, 0));	/* read-only */
	copy(0, 0xa000, 64, 4);
	wait_irq(4);
	CHECK_EQ(mem[0xa000], 0);
	teardown();
}

static void vfio_interrupts(void)
{
	uint8_t pba;

	setup();
	connect_up();
	CHECK(vfc_set_irqs(&cl, VFU_IRQ_MSIX, VFU_SET_EVENTFD | VFU_SET_TRIGGER, 0, VECTORS, NULL, 0));
	wr64(FAKE_CMD, FAKE_IRQ | 3 << 8);
	for (int i = 0; i < 50; i++)
		pump(NULL);
	CHECK_EQ(irq(3), 0);
	CHECK(vfc_read(&cl, 2, OHCA_MSIX_PBA_OFFSET, &pba, 1));
	CHECK_EQ(pba, 8);
	/* the latched one comes when somebody listens again */
	CHECK(vfc_set_irqs(&cl, VFU_IRQ_MSIX, VFU_SET_EVENTFD | VFU_SET_TRIGGER, 2, 2, efd + 2, 2));
	CHECK_EQ(irq(3), 1);
	CHECK_EQ(irq(2), 0);
	/* a loopback trigger */
	CHECK(vfc_set_irqs(&cl, VFU_IRQ_MSIX, VFU_SET_NONE | VFU_SET_TRIGGER, 2, 1, NULL, 0));
	CHECK_EQ(irq(2), 1);
	/* a full counter, and a client that has made its end of the descriptor blocking: nobody waits */
	{
		uint64_t full = 0xfffffffffffffffeull;

		CHECK_EQ(write(efd[3], &full, 8), 8);
		fcntl(efd[3], F_SETFL, fcntl(efd[3], F_GETFL) & ~O_NONBLOCK);
		alarm(20);
		wr64(FAKE_CMD, FAKE_IRQ | 3 << 8);
		for (int i = 0; i < 50; i++)
			pump(NULL);
		CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
		alarm(0);
		fcntl(efd[3], F_SETFL, fcntl(efd[3], F_GETFL) | O_NONBLOCK);
		CHECK_EQ(irq(3), full);
		wr64(FAKE_CMD, FAKE_IRQ | 3 << 8);
		wait_irq(3);
		CHECK_EQ(irq(3), 1);
	}
	CHECK(vfc_set_irqs(&cl, VFU_IRQ_MSIX, VFU_SET_NONE | VFU_SET_TRIGGER, 0, 0, NULL, 0));
	/* refused, and still alive */
	CHECK(!vfc_set_irqs(&cl, VFU_IRQ_MSIX, 0x24, VECTORS, 1, efd, 1));
	CHECK_EQ(cl.error, EINVAL);
	CHECK(!vfc_set_irqs(&cl, VFU_IRQ_MSIX, 0x24, 1, UINT32_MAX, efd, 1));
	CHECK(!vfc_set_irqs(&cl, VFU_IRQ_MSIX, 0x24, 0, 2, efd, 1));
	CHECK(!vfc_set_irqs(&cl, VFU_IRQ_MSIX, 0x3f, 0, 1, efd, 1));
	CHECK(!vfc_set_irqs(&cl, 9, 0x24, 0, 1, efd, 1));
	CHECK(!vfc_set_irqs(&cl, VFU_IRQ_MSIX, 0x24, 0, 1, &memfd, 1));	/* no eventfd */
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	/* a vector the function does not have */
	wr64(FAKE_CMD, FAKE_IRQ | 20 << 8);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	CHECK_EQ(fab->node[0].host.axi.st.bad_vectors, 1);
	teardown();
}

static void vfio_resets(void)
{
	uint16_t flr = 0xa810, v, command = 6;
	uint8_t cap, zero[8] = { 0 };

	setup();
	connect_up();
	wr64(0, 77);
	CHECK_EQ(rd64(0), 77);
	CHECK(vfc_read(&cl, VFU_CONFIG_REGION, 0x34, &cap, 1));
	CHECK(vfc_write(&cl, VFU_CONFIG_REGION, cap + 8u, &flr, 2, false));
	CHECK_EQ(rd64(0), 0);			/* the device was reset */
	CHECK(vfc_read(&cl, VFU_CONFIG_REGION, 4, &v, 2));
	CHECK_EQ(v, 0);				/* so was the configuration */
	memset(mem, 1, 64);
	copy(0, 0x9000, 64, 1);			/* bus master is off */
	wait_irq(1);
	CHECK_EQ(mem[0x9000], 0);
	CHECK(vfc_write(&cl, VFU_CONFIG_REGION, 4, &command, 2, false));
	copy(0, 0x9000, 64, 1);
	irq(1);
	wait_irq(1);
	CHECK_EQ(mem[0x9000], 1);
	wr64(0, 78);
	CHECK_EQ(vfc_call(&cl, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0), 0);
	CHECK_EQ(rd64(0), 0);
	CHECK(vfc_write(&cl, VFU_CONFIG_REGION, 4, &command, 2, false));

	/* the guest dies in the middle of a copy: nothing is written afterwards */
	memset(mem + 0x10000, 0x77, 60000);
	copy(0x10000, 0x20000, 60000, 1);
	for (int i = 0; i < 4; i++)
		pump(NULL);
	vfc_close(&cl);
	for (int i = 0; i < 2000; i++)
		pump(NULL);
	CHECK(!vfu_connected(srv));
	CHECK_EQ(fab->node[0].host.axi.dma.n, 0);
	CHECK_EQ(fabric_read64(fab, 0, FAKE_STATUS), 0);
	CHECK(!memcmp(mem + 0x20000 + 59000, zero, 8));
	/* and the next one finds a fresh device */
	connect_up();
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	irq(1);
	copy(0, 0x9100, 64, 1);
	wait_irq(1);
	CHECK_EQ(mem[0x9100], 1);
	/* a second client at the same time is turned away */
	{
		struct vfu_client other;

		CHECK(vfc_connect(&other, sock, pump, NULL));
		CHECK(vfc_hung_up(&other));
		vfc_close(&other);
	}
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	teardown();
}

/* Many reads in flight, as from a guest with several processors. */
static void vfio_pipelined_reads(void)
{
	enum { N = 300 };
	bool seen[N] = { false };
	uint16_t first;

	setup();
	connect_up();
	for (unsigned i = 0; i < 64; i++)
		wr64(i * 8, 1000 + i);
	first = cl.next_id;
	for (unsigned i = 0; i < N; i++) {
		struct vfu_region_rw q = { i % 64 * 8, 0, 8 };

		CHECK(vfc_send(&cl, VFU_REGION_READ, 0, &q, sizeof(q), NULL, 0));
	}
	for (unsigned i = 0; i < N; i++) {
		struct { struct vfu_hdr h; struct vfu_region_rw q; uint64_t v; } r;
		unsigned k;

		for (size_t have = 0, tries = 0; have < sizeof(r) && tries < 100000; tries++) {
			ssize_t n = recv(cl.fd, (char *)&r + have, sizeof(r) - have, MSG_DONTWAIT);

			if (n > 0)
				have += (size_t)n;
			else
				pump(NULL);
		}
		k = (uint16_t)(r.h.id - first);
		CHECK(k < N && !seen[k]);
		if (k < N)
			seen[k] = true;
		CHECK_EQ(r.v, 1000 + k % 64);
	}
	teardown();
}

/* A device that hangs must not hang the guest: all ones, in time. */
/* Reads that want no answer get none, whatever the region. */
static void vfio_silent_reads(void)
{
	static const uint32_t region[] = { 0, 2, VFU_CONFIG_REGION };
	uint8_t left[64];

	setup();
	connect_up();
	for (unsigned i = 0; i < 3; i++) {
		struct vfu_region_rw q = { .offset = region[i] ? 0 : FAKE_ID, .region = region[i], .count = 8 };

		CHECK(vfc_send(&cl, VFU_REGION_READ, VFU_NO_REPLY, &q, sizeof(q), NULL, 0));
	}
	for (int i = 0; i < 200; i++)
		pump(NULL);
	CHECK(recv(cl.fd, left, sizeof(left), MSG_DONTWAIT) < 0);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	teardown();
}

/* More than the limit of what may wait, by a client that always leaves something behind: it does fetch its answers. */
static void vfio_slow_reader(void)
{
	uint64_t asked = 0, got = 0;
	static uint8_t buf[65536];
	struct vfu_region_rw q = { .offset = 0, .region = VFU_CONFIG_REGION, .count = 256 };
	const unsigned answer = sizeof(struct vfu_hdr) + sizeof(q) + 256;

	setup();
	connect_up();
	while (got < (4u << 20)) {
		ssize_t n;

		if (asked - got < (400u << 10)) {
			for (unsigned i = 0; i < 16; i++)
				CHECK(vfc_send(&cl, VFU_REGION_READ, 0, &q, sizeof(q), NULL, 0));
			asked += 16 * answer;
		}
		pump(NULL);
		if (asked - got < (350u << 10))
			continue;
		n = recv(cl.fd, buf, 4096, MSG_DONTWAIT);
		if (n <= 0 && vfc_hung_up(&cl))
			break;
		got += n > 0 ? (uint64_t)n : 0;
	}
	CHECK(got >= 4u << 20);
	teardown();
}

static void vfio_hung_device(void)
{
	setup();
	fab->node[0].host.axi.cfg.mmio_timeout = 2000;
	connect_up();
	wr64(FAKE_HANG, 1);
	CHECK_EQ(rd64(FAKE_ID), UINT64_MAX);
	for (int i = 0; i < 20000; i++)
		wr64(0, 1);
	CHECK_EQ(rd64(FAKE_ID), UINT64_MAX);
	CHECK_EQ(vfc_call(&cl, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0), 0);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	teardown();
}

static bool dies(const void *p, size_t n, bool greet)
{
	bool dead;

	if (!vfc_connect(&cl, sock, pump, NULL) || (greet && !vfc_version(&cl)))
		return false;
	cl.timeout_ms = 300;
	vfc_send_raw(&cl, p, n, NULL, 0);
	dead = vfc_hung_up(&cl);
	vfc_close(&cl);
	pump(NULL);
	return dead;
}

static void vfio_control(void)
{
	static const char *const wrong[] = { "", "wedge", "wedge 1", "wedge 0 0", "wedge -1", "explode 0", "write 0 0", "write 0 201 0",
					     "write 0 100000 0", "write 1 0 0", NULL };
	uint32_t v = 0;

	setup();
	connect_up();
	CHECK(!control_run(fab, "write 0 200 deadbeef"));
	CHECK(vfc_read(&cl, 0, 0x200, &v, 4));
	CHECK_EQ(v, 0xdeadbeef);
	for (const char *const *p = wrong; *p; p++)
		CHECK(control_run(fab, *p));
	CHECK(!control_run(fab, "wedge 0"));
	CHECK_EQ(rd64(FAKE_ID), ~0ull);
	CHECK_EQ(vfc_call(&cl, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0), 0);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	CHECK(!control_run(fab, "break 0"));
	CHECK_EQ(vfc_call(&cl, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0), 0);
	CHECK_EQ(rd64(FAKE_ID), ~0ull);
	CHECK(!control_run(fab, "mend 0"));
	CHECK_EQ(rd64(FAKE_ID), ~0ull);
	CHECK_EQ(vfc_call(&cl, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0), 0);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	teardown();
}

static void vfio_hostile(void)
{
	struct { struct vfu_hdr h; uint8_t b[128]; } m;
	struct vfu_dma_map map = { 32, 3, 0, IOVA, SIZE };
	struct vfu_region_rw rw;
	int fds[100], pipefd[2];
	uint8_t b[64];

#define MSG(c, len, fl) (memset(&m, 0, sizeof(m)), m.h.cmd = (c), m.h.size = (len), m.h.flags = (fl))
	setup();
	MSG(VFU_GET_INFO, 32, 0);
	CHECK(dies(&m, 32, false));			/* before VERSION */
	MSG(VFU_VERSION, 15, 0);
	CHECK(dies(&m, 16, false));			/* shorter than its header */
	MSG(VFU_VERSION, 0xffffffff, 0);
	CHECK(dies(&m, 16, false));			/* absurd length */
	MSG(VFU_VERSION, 20, 1);
	CHECK(dies(&m, 20, false));			/* a reply to nothing */
	MSG(VFU_VERSION, 17, 0);
	CHECK(dies(&m, 17, false));
	MSG(VFU_VERSION, 24, 0);
	memset(m.b, 'x', 8);
	m.b[0] = m.b[1] = m.b[2] = m.b[3] = 0;
	CHECK(dies(&m, 24, false));			/* JSON without its end */
	MSG(VFU_VERSION, 20, 0);
	m.b[0] = 1;
	CHECK(dies(&m, 20, false));			/* another major version */
	MSG(VFU_DMA_MAP, 20, 0);
	CHECK(dies(&m, 20, true));
	MSG(VFU_DMA_UNMAP, 24, 0);
	CHECK(dies(&m, 24, true));
	MSG(VFU_SET_IRQS, 20, 0);
	CHECK(dies(&m, 20, true));
	MSG(VFU_REGION_READ, 16, 0);
	CHECK(dies(&m, 16, true));
	MSG(VFU_REGION_WRITE, 16 + 16 + 4, 0);
	rw = (struct vfu_region_rw){ 0, 0, 8 };
	memcpy(m.b, &rw, sizeof(rw));
	CHECK(dies(&m, 36, true));			/* says 8, carries 4 */

	/* refused, but the connection stays */
	connect_up();
	CHECK(!vfc_read(&cl, 0, OHCA_BAR0_SIZE - 4, b, 8));
	CHECK_EQ(cl.error, EINVAL);
	CHECK(!vfc_read(&cl, 0, UINT64_MAX - 3, b, 8));
	CHECK(!vfc_read(&cl, 1, 0, b, 4));
	CHECK(!vfc_read(&cl, 77, 0, b, 4));
	CHECK(!vfc_read(&cl, VFU_CONFIG_REGION, 4095, b, 2));
	CHECK(!vfc_write(&cl, VFU_CONFIG_REGION, 4095, b, 2, false));
	CHECK(vfc_write(&cl, 77, 0, b, 2, true));	/* posted: no reply to a bad one */
	rw = (struct vfu_region_rw){ 0, 0, 0xffffffff };
	CHECK(vfc_call(&cl, VFU_REGION_READ, &rw, sizeof(rw), NULL, 0, NULL, 0) == 0 && cl.error);
	CHECK(vfc_call(&cl, 99, NULL, 0, NULL, 0, NULL, 0) == 0 && cl.error == ENOTSUP);
	CHECK(!vfc_dma_map(&cl, IOVA + 0x1000, 0x1000, 3, memfd, 0));
	CHECK_EQ(cl.error, EEXIST);
	CHECK(!vfc_dma_map(&cl, 0, 0x1000, 3, memfd, SIZE));
	CHECK(!vfc_dma_map(&cl, 0, 0, 3, memfd, 0));
	CHECK(!vfc_dma_map(&cl, UINT64_MAX, 2, 3, -1, 0));
	CHECK(!vfc_dma_map(&cl, 0, 0x1000, 0xff, memfd, 0));
	CHECK(!pipe(pipefd));
	CHECK(!vfc_dma_map(&cl, 0, 0x1000, 3, pipefd[0], 0));
	fds[0] = fds[1] = memfd;
	map.iova = 0;
	CHECK(vfc_call(&cl, VFU_DMA_MAP, &map, sizeof(map), fds, 2, NULL, 0) == 0 && cl.error);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	/* guest memory truncated behind a running copy */
	CHECK(!ftruncate(memfd, 0));
	copy(0, 0x8000, 5000, 1);
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	for (int i = 0; i < 500; i++)
		pump(NULL);
	CHECK(fab->node[0].host.axi.dma.bus_errors > 0);
	/* half a message, then gone */
	MSG(VFU_REGION_WRITE, 64, 0);
	vfc_send_raw(&cl, &m, 30, NULL, 0);
	pump(NULL);
	vfc_close(&cl);
	pump(NULL);
	CHECK(!vfu_connected(srv));
	/* too many descriptors */
	CHECK(!ftruncate(memfd, SIZE));
	connect_up();
	for (int i = 0; i < 100; i++)
		fds[i] = memfd;
	MSG(VFU_DMA_MAP, 48, 0);
	vfc_send_raw(&cl, &m, 48, fds, 100);
	CHECK(vfc_hung_up(&cl));
	vfc_close(&cl);
	/* never fetches its replies */
	connect_up();
	for (int i = 0; i < 4000; i++) {
		rw = (struct vfu_region_rw){ 0, VFU_CONFIG_REGION, 4096 };
		cl.timeout_ms = 50;
		if (!vfc_send(&cl, VFU_REGION_READ, 0, &rw, sizeof(rw), NULL, 0))
			break;
	}
	CHECK(!vfu_connected(srv));
	vfc_close(&cl);
	connect_up();
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	close(pipefd[0]);
	close(pipefd[1]);
	teardown();
}

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Random messages, mostly half right; then the server must still serve. */
static void vfio_fuzz(void)
{
	const char *given = getenv("OHCA_SEED") ? getenv("OHCA_SEED") : getenv("OHCA_DRAWN_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)wall_ns();
	unsigned rounds = getenv("FUZZ_ROUNDS") ? (unsigned)atoi(getenv("FUZZ_ROUNDS")) : 4000;
	static const uint32_t odd[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 0x7fffffff, 0x80000000, 0xffffffff };
	struct rng r;
	unsigned files;

	printf("# fuzz seed %llu (OHCA_SEED)\n", (unsigned long long)seed);
	rng_seed(&r, seed, 1);
	setup();
	files = open_files();
	cl.fd = -1;
	for (unsigned i = 0; i < rounds; i++) {
		uint8_t m[256];
		struct vfu_hdr h;
		int fds[4];
		unsigned n, nfds;

		if (cl.fd < 0) {
			CHECK(vfc_connect(&cl, sock, pump, NULL));
			cl.timeout_ms = 30;
			if (rng_below(&r, 8))
				vfc_version(&cl);
		}
		for (unsigned k = 0; k < sizeof(m); k += 4) {
			uint32_t v = rng_below(&r, 3) ? odd[rng_below(&r, ARRAY_SIZE(odd))] :
				     (uint32_t)rng_next(&r);

			memcpy(m + k, &v, 4);
		}
		n = 16 + rng_below(&r, 60);
		h = (struct vfu_hdr){ .id = (uint16_t)i, .cmd = (uint16_t)(1 + rng_below(&r, 16)),
				      .size = n, .flags = rng_below(&r, 2) ? VFU_NO_REPLY : 0 };
		if (h.cmd == VFU_REGION_WRITE || h.cmd == VFU_REGION_READ) {
			struct vfu_region_rw q = { rng_below(&r, 8192), rng_below(&r, 9), n - 32 };

			if (h.cmd == VFU_REGION_READ) {
				h.size = n = 32;
				q.count = 1u << rng_below(&r, 8);
			} else if (n < 33) {
				h.size = n = 40;
				q.count = 8;
			}
			if (q.region == 0 && q.offset >= FAKE_HANG && q.offset < FAKE_HANG + 8)
				q.offset = 0;
			memcpy(m + 16, &q, sizeof(q));
		} else if (h.cmd == VFU_DMA_MAP && rng_below(&r, 2)) {
			struct vfu_dma_map q = { 32, rng_below(&r, 4), rng_below(&r, 3) * 4096,
						 rng_below(&r, 64) * 4096, 4096 * rng_below(&r, 5) };

			h.size = n = 48;
			memcpy(m + 16, &q, sizeof(q));
		} else if (h.cmd == VFU_SET_IRQS && rng_below(&r, 2)) {
			struct vfu_irq_set q = { 20, 1u << rng_below(&r, 3) | 8u << rng_below(&r, 3),
						 rng_below(&r, 5), rng_below(&r, 9), rng_below(&r, 5) };

			h.size = n = 36;
			memcpy(m + 16, &q, sizeof(q));
		}
		if (rng_below(&r, 40) == 0)
			h.size = odd[rng_below(&r, ARRAY_SIZE(odd))];
		if (rng_below(&r, 40) == 0)
			h.flags = (uint32_t)rng_next(&r);
		memcpy(m, &h, sizeof(h));
		nfds = rng_below(&r, 3) ? 0 : rng_below(&r, 4);
		for (unsigned k = 0; k < nfds; k++)
			fds[k] = rng_below(&r, 2) ? memfd : efd[rng_below(&r, VECTORS)];
		if (rng_below(&r, 100) == 0)
			n = rng_below(&r, n) + 1;	/* cut short */
		if (!vfc_send_raw(&cl, m, n, fds, nfds) || rng_below(&r, 60) == 0)
			vfc_close(&cl);
		pump(NULL);
		while (cl.fd >= 0) {
			ssize_t got = recv(cl.fd, m, sizeof(m), MSG_DONTWAIT);

			if (got == 0 || (got < 0 && errno != EAGAIN))
				vfc_close(&cl);
			if (got <= 0)
				break;
		}
	}
	vfc_close(&cl);
	for (int i = 0; i < 200; i++)
		pump(NULL);
	CHECK(!vfu_connected(srv));
	CHECK_EQ(open_files(), files);		/* no descriptor leaked */
	CHECK_EQ(fab->node[0].host.axi.dma.n, 0);
	connect_up();
	CHECK_EQ(rd64(FAKE_ID), FAKE_ID_VALUE);
	teardown();
}

int main(void)
{
	log_threshold = getenv("VFIO_LOG") ? LOG_INFO : LOG_NONE;	/* hundreds of intended refusals */
	RUN(vfio_device);
	RUN(vfio_interrupts);
	RUN(vfio_resets);
	RUN(vfio_pipelined_reads);
	RUN(vfio_silent_reads);
	RUN(vfio_slow_reader);
	RUN(vfio_hung_device);
	RUN(vfio_control);
	RUN(vfio_hostile);
	RUN(vfio_fuzz);
	return check_total_failed != 0;
}
