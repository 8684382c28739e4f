/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Checksums, DMA map, fault rules, configuration space: pieces without a clock. */
#include "check.h"
#include "crc.h"
#include "dma_map.h"
#include "fault.h"
#include "ids.h"
#include "pci_config.h"

#include <errno.h>
#include <sys/mman.h>

static unsigned hex(const char *s, uint8_t *out)
{
	unsigned n = 0, v;

	for (; *s; s++) {
		if (*s == ' ')
			continue;
		sscanf(s, "%2x", &v);
		out[n++] = (uint8_t)v;
		s++;
	}
	return n;
}

/* The sample packet of the specification, and one with a GRH. */
static const char local[] = "7012375C000E17D20A2024870087B1B3000DEC2A01710A1C015D400238F27A05"
	"0000000EBB884D85FD5CFBA4728BC0690ED400009625B75A45FA";
static const char global[] = "7013375c001817d26000000000301b1000000000000001250000000000000026"
	"000000000000011700000000000000960a2024870087b1b3000dec2a01710a1c015d400238f27a05"
	"0000000ebb884d85fd5cfba4728bc0690ed40000ad bf 9e 56e971";

static void crc_vectors(void)
{
	uint8_t p[256], q[256];
	unsigned n = hex(local, p);

	CHECK_EQ(n, 58);
	CHECK(ib_vcrc_ok(p, n));
	CHECK(ib_icrc_ok(p, n));
	memcpy(q, p, n);
	memset(q + n - 6, 0, 6);
	ib_put_icrc(q, n);
	ib_put_vcrc(q, n);
	CHECK(!memcmp(p, q, n));
	q[0] ^= 0x10;				/* the VL is not under the ICRC */
	CHECK(ib_icrc_ok(q, n));
	CHECK(!ib_vcrc_ok(q, n));
	q[30] ^= 1;
	CHECK(!ib_icrc_ok(q, n));
	n = hex(global, p);
	CHECK(ib_vcrc_ok(p, n));
	CHECK(ib_icrc_ok(p, n));
	p[2] ^= 0xff;				/* nor is any of the LRH when there is a GRH */
	CHECK(ib_icrc_ok(p, n));
	n = hex("10000080", p);
	CHECK_EQ(ib_vcrc(p, n), 0xd550);	/* LPCRC, on the wire 50 d5 */
	CHECK(!ib_vcrc_ok(p, 4) && !ib_icrc_ok(p, 4));
}

static void dma_regions(void)
{
	struct dma_map m;
	uint8_t a[8192], b[4096];
	struct dma_region r = { .iova = 0x10000, .size = sizeof(a), .host = a, .prot = DMA_READ | DMA_WRITE };

	dma_map_init(&m);
	CHECK(!dma_map_ptr(&m, 0x10000, 1, DMA_READ));
	CHECK_EQ(dma_map_add(&m, &r), 0);
	r.iova = 0x11fff;
	CHECK_EQ(dma_map_add(&m, &r), -EEXIST);
	r.iova = 0xf000;
	CHECK_EQ(dma_map_add(&m, &r), -EEXIST);
	r = (struct dma_region){ .iova = 0x12000, .size = sizeof(b), .host = b, .prot = DMA_READ };
	CHECK_EQ(dma_map_add(&m, &r), 0);
	r = (struct dma_region){ .iova = 0x8000, .size = 0x1000 };
	CHECK_EQ(dma_map_add(&m, &r), 0);
	r.size = 0;
	CHECK_EQ(dma_map_add(&m, &r), -EINVAL);
	r = (struct dma_region){ .iova = UINT64_MAX - 10, .size = 100 };
	CHECK_EQ(dma_map_add(&m, &r), -EINVAL);
	r = (struct dma_region){ .iova = UINT64_MAX - 99, .size = 100, .host = a, .prot = DMA_READ };
	CHECK_EQ(dma_map_add(&m, &r), 0);		/* up to the very top */
	CHECK(dma_map_ptr(&m, UINT64_MAX, 1, DMA_READ) == a + 99);
	CHECK(!dma_map_ptr(&m, UINT64_MAX - 3, 64, DMA_READ));
	CHECK(dma_map_ptr(&m, 0x11fc0, 64, DMA_WRITE) == a + 0x1fc0);
	CHECK(!dma_map_ptr(&m, 0x11fc1, 64, DMA_WRITE));	/* crosses the end */
	CHECK(dma_map_ptr(&m, 0x12000, 64, DMA_READ) == b);
	CHECK(!dma_map_ptr(&m, 0x12000, 64, DMA_WRITE));
	CHECK(!dma_map_ptr(&m, 0x8000, 4, DMA_READ));		/* no memory there */
	CHECK(!dma_map_ptr(&m, 0x9000, 4, DMA_READ));
	CHECK_EQ(dma_map_remove(&m, 0x11000, 0x10000), -EINVAL);	/* would split */
	CHECK_EQ(dma_map_remove(&m, 0x20000, 0x1000), -ENOENT);
	CHECK_EQ(dma_map_remove(&m, 0x10000, 0x3000), 0);	/* both */
	CHECK(!dma_map_ptr(&m, 0x10000, 1, DMA_READ));
	CHECK_EQ(m.n, 2);
	dma_map_fini(&m);
}

static void dma_file(void)
{
	struct dma_map m;
	int fd = memfd_create("t", 0), p[2];
	uint8_t *q;

	CHECK(fd >= 0 && !ftruncate(fd, 0x4000));
	CHECK_EQ(pwrite(fd, "hello", 5, 0x2010), 5);
	dma_map_init(&m);
	CHECK_EQ(dma_map_add_fd(&m, 0x1000, 0x4001, DMA_READ, fd, 0), -EINVAL);
	CHECK_EQ(dma_map_add_fd(&m, 0x1000, 0x1000, DMA_READ, fd, UINT64_MAX - 5), -EINVAL);
	CHECK(!pipe(p));
	CHECK_EQ(dma_map_add_fd(&m, 0x1000, 0x1000, DMA_READ, p[0], 0), -EINVAL);
	CHECK_EQ(dma_map_add_fd(&m, 0x1000, 0x2000, DMA_READ | DMA_WRITE, fd, 0x2000), 0);
	q = dma_map_ptr(&m, 0x1010, 5, DMA_READ);
	CHECK(q && !memcmp(q, "hello", 5));
	/* the client pulls the file from under the mapping: zeros, no crash */
	CHECK(!ftruncate(fd, 0));
	CHECK(q && q[0] == 0);
	CHECK_EQ(m.bus_errors, 1);
	dma_map_fini(&m);
	close(fd);
	close(p[0]);
	close(p[1]);
}

static struct fault *rule(const char *text)
{
	char err[200];
	struct fault *f = fault_parse(text, 7, err, sizeof(err));

	if (!f)
		fprintf(stderr, "%s\n", err);
	return f;
}

static void fault_rules(void)
{
	static const char *const bad[] = {
		"", "explode", "drop,nth", "drop,nth=0", "drop,nth=x", "drop,prob=2", "drop,opcode=256",
		"drop,dir=2", "drop,what=1", "delay", "drop,kind=tea", "corrupt,crc=good", "drop,nth=-1",
		"dup,by=0",
	};
	char err[200];
	struct wire w;
	struct packet *p = packet_new();
	struct fault *f;
	unsigned hits = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(!fault_parse(bad[i], 1, err, sizeof(err)));
	wire_init(&w, "w", 1, 0, 65536, 0);
	p->len = hex(local, p->data);

	f = rule("drop,link=1,dir=0,opcode=0x0a,qpn=0x87b1b3,psn=0x0dec2a,dlid=0x375c,nth=2");
	CHECK(f != NULL);
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_NONE);
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_DROP);
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_NONE);
	w.link = 2;
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_NONE);
	CHECK_EQ(f->matches, 3);
	fault_free(f);

	f = rule("drop,prob=0.25");
	for (int i = 0; i < 4000; i++)
		hits += fault_apply(f, &w, p).action == FAULT_DROP;
	CHECK(hits > 900 && hits < 1100);
	fault_free(f);

	f = rule("drop,every=3,count=2");
	hits = 0;
	for (int i = 1; i <= 12; i++)
		if (fault_apply(f, &w, p).action == FAULT_DROP)
			hits |= 1u << i;
	CHECK_EQ(hits, 1u << 3 | 1u << 6);
	fault_free(f);

	f = rule("corrupt,bit=321,crc=vcrc,count=1");
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_CORRUPT);
	CHECK(ib_vcrc_ok(p->data, p->len) && !ib_icrc_ok(p->data, p->len));
	p->data[40] ^= 2;
	ib_put_vcrc(p->data, p->len);
	CHECK(ib_icrc_ok(p->data, p->len));
	fault_free(f);

	f = rule("mark");
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_MARK);
	CHECK_EQ(p->data[12], 0x80);
	CHECK(ib_vcrc_ok(p->data, p->len) && ib_icrc_ok(p->data, p->len));
	p->kind = OHCA_KIND_ETH;
	p->len = hex("0123456789ab0123456789ac0800"
		     "4502003412344000401114810a0000010a000002c12312b700200000"
		     "0440ffff00000012800001000102030405060708fdf1e5eb", p->data);
	CHECK_EQ(packet_bth(p), 42);
	CHECK_EQ(ip_checksum(p->data + 14, 20), 0);
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_MARK);
	CHECK_EQ(p->data[15] & 3, 3);
	CHECK_EQ(ip_checksum(p->data + 14, 20), 0);
	fault_free(f);

	p->kind = OHCA_KIND_FC;		/* flow control only when asked for */
	p->len = 6;
	f = rule("drop");
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_NONE);
	fault_free(f);
	f = rule("drop,kind=fc");
	CHECK_EQ(fault_apply(f, &w, p).action, FAULT_DROP);
	fault_free(f);
	packet_free(p);
}

static uint32_t rd(const struct pci_config *c, unsigned off, unsigned n)
{
	uint32_t v = 0;

	memcpy(&v, c->reg + off, n);
	return v;
}

static void config_space(void)
{
	struct pci_config_ids ids = { OHCA_PCI_VENDOR_ID, OHCA_PCI_DEVICE_ID, 0x1122334455667788, 32 };
	static const uint8_t ones[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	struct pci_config c;
	uint8_t seen[32] = { 0 };
	unsigned at, n = 0;

	pci_config_init(&c, &ids);
	CHECK_EQ(rd(&c, 0, 4), 0x0c010ca1);
	CHECK_EQ(rd(&c, 9, 3) , 0x0c0600);
	pci_config_write(&c, 0, ones, 4);		/* read-only */
	CHECK_EQ(rd(&c, 0, 4), 0x0c010ca1);
	pci_config_write(&c, 0x10, ones, 8);		/* BAR sizing */
	CHECK_EQ(rd(&c, 0x10, 4), 0xffe00004);
	CHECK_EQ(rd(&c, 0x14, 4), 0xffffffff);
	pci_config_write(&c, 0x18, ones, 4);
	CHECK_EQ(rd(&c, 0x18, 4), 0xffffc000);
	pci_config_write(&c, 0x1c, ones, 4);
	CHECK_EQ(rd(&c, 0x1c, 4), 0);
	for (at = c.reg[0x34]; at && n < 8; at = c.reg[at + 1])
		seen[c.reg[at] & 31] = (uint8_t)at, n++;
	CHECK_EQ(n, 2);
	CHECK(seen[0x10] && seen[0x11]);
	CHECK_EQ(rd(&c, seen[0x11] + 2u, 2), 31);
	CHECK_EQ(rd(&c, 0x104, 4), 0x55667788);
	CHECK(rd(&c, seen[0x10] + 4u, 4) >> 28 & 1);	/* FLR capable */
	CHECK(!pci_config_bus_master(&c));
	CHECK_EQ(pci_config_write(&c, 4, ones, 2), PCI_CONFIG_COMMAND);
	CHECK(pci_config_bus_master(&c));
	CHECK_EQ(rd(&c, 4, 2), 0x0546);
	CHECK_EQ(pci_config_write(&c, seen[0x10] + 8u, ones, 2), PCI_CONFIG_COMMAND | PCI_CONFIG_FLR);
	CHECK(!pci_config_bus_master(&c));
	CHECK_EQ(rd(&c, seen[0x10] + 8u, 2), 0x2810);
	for (unsigned i = 0; i < PCI_CONFIG_SIZE; i++)
		pci_config_write(&c, i, ones, 1);
	CHECK_EQ(rd(&c, 0, 4), 0x0c010ca1);
}

int main(void)
{
	RUN(crc_vectors);
	RUN(dma_regions);
	RUN(dma_file);
	RUN(fault_rules);
	RUN(config_space);
	return check_total_failed != 0;
}
