/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * pcapng writer; blocks as in draft-ietf-opsawg-pcapng, host byte order.
 *
 * InfiniBand packets are written as ERF records of type 21: Wireshark and tshark read LINKTYPE_ERF and hand such records to their
 * InfiniBand dissector, while the plain LINKTYPE_INFINIBAND (247) is "unknown" to Wireshark 4.4.
 */
#include "pcapng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKTYPE_ETHERNET = 1, LINKTYPE_ERF = 197, ERF_HEADER = 16, ERF_TYPE_INFINIBAND = 21 };

struct pcapng {
	FILE *f;
	double ns_per_cycle;
	bool with_fc, failed, dirty;
	int interfaces;
};

static void put(struct pcapng *c, const void *p, size_t n)
{
	if (!c->failed && fwrite(p, 1, n, c->f) != n) {
		c->failed = true;
		log_err("capture: %s; no more packets are written", strerror(errno));
	}
	c->dirty = true;
}

static void put32(struct pcapng *c, uint32_t v) { put(c, &v, 4); }

static uint32_t pad4(uint32_t n) { return (n + 3) & ~3u; }

static void put_padded(struct pcapng *c, const void *p, uint32_t n)
{
	static const uint8_t zero[4];

	put(c, p, n);
	put(c, zero, pad4(n) - n);
}

static void put_option(struct pcapng *c, uint16_t code, const void *p, uint16_t n)
{
	put(c, &code, 2);
	put(c, &n, 2);
	put_padded(c, p, n);
}

struct pcapng *pcapng_open(const char *path, double ns_per_cycle, bool with_fc)
{
	struct pcapng *c;
	int64_t unknown = -1;
	FILE *f = fopen(path, "wb");

	if (!f) {
		log_err("cannot write capture %s: %s", path, strerror(errno));
		return NULL;
	}
	c = xcalloc(1, sizeof(*c));
	c->f = f;
	c->ns_per_cycle = ns_per_cycle;
	c->with_fc = with_fc;
	put32(c, 0x0a0d0d0a);
	put32(c, 28);
	put32(c, 0x1a2b3c4d);
	put32(c, 1);			/* version 1.0 */
	put(c, &unknown, 8);
	put32(c, 28);
	pcapng_flush(c);
	return c;
}

static int interface(struct pcapng *c, const char *name, uint16_t linktype)
{
	uint16_t zero = 0, n = (uint16_t)strlen(name);
	uint8_t tsresol = 9;
	uint32_t len = 20 + 4 + pad4(n) + 4 + 4 + 4;

	put32(c, 1);
	put32(c, len);
	put(c, &linktype, 2);
	put(c, &zero, 2);
	put32(c, 0);			/* no snap length */
	put_option(c, 2, name, n);
	put_option(c, 9, &tsresol, 1);
	put32(c, 0);			/* end of options */
	put32(c, len);
	return c->interfaces++;
}

/* Time (32.32 fixed point, little-endian), type, flags (variable length), record length, losses, wire length (big-endian) */
static void put_erf(struct pcapng *c, uint64_t ns, uint32_t len)
{
	uint8_t h[ERF_HEADER] = { 0 };
	uint64_t ts = ns / 1000000000u << 32 | ((ns % 1000000000u) << 32) / 1000000000u;
	uint32_t rlen = len + ERF_HEADER;

	memcpy(h, &ts, 8);
	h[8] = ERF_TYPE_INFINIBAND;
	h[9] = 4;
	h[10] = (uint8_t)(rlen >> 8);
	h[11] = (uint8_t)rlen;
	h[14] = (uint8_t)(len >> 8);
	h[15] = (uint8_t)len;
	put(c, h, sizeof(h));
}

void pcapng_packet(struct pcapng *c, struct wire *w, const struct packet *p,
		   const char *comment)
{
	unsigned type = p->kind == OHCA_KIND_ETH;
	uint32_t opt = comment ? 4 + pad4((uint32_t)strlen(comment)) + 4 : 0;
	uint32_t bytes = p->len + (type ? 0 : ERF_HEADER);
	uint32_t len = 32 + pad4(bytes) + opt;
	uint64_t ns = (uint64_t)((double)p->t_first * c->ns_per_cycle);
	const uint32_t zero = 0;

	if (p->kind == OHCA_KIND_FC && !c->with_fc)
		return;
	if (w->pcap_if[type] < 0)
		w->pcap_if[type] = interface(c, w->name, type ? LINKTYPE_ETHERNET :
					     LINKTYPE_ERF);
	put32(c, 6);
	put32(c, len);
	put32(c, (uint32_t)w->pcap_if[type]);
	put32(c, (uint32_t)(ns >> 32));
	put32(c, (uint32_t)ns);
	put32(c, bytes);
	put32(c, bytes);
	if (!type)
		put_erf(c, ns, p->len);
	put(c, p->data, p->len);
	put(c, &zero, pad4(bytes) - bytes);
	if (comment) {
		put_option(c, 1, comment, (uint16_t)strlen(comment));
		put32(c, 0);
	}
	put32(c, len);
}

void pcapng_flush(struct pcapng *c)
{
	if (c && c->dirty) {
		fflush(c->f);
		c->dirty = false;
	}
}

void pcapng_close(struct pcapng *c)
{
	if (!c)
		return;
	fclose(c->f);
	free(c);
}
