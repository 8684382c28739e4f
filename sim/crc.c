/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* InfiniBand checksums by table; the tables are made on first use. */
#include "crc.h"
#include "util.h"

#include <string.h>

static uint16_t t16[256];
static uint32_t t32[256];

static void make_tables(void)
{
	for (unsigned i = 0; i < 256; i++) {
		uint32_t a = i, b = i;

		for (int k = 0; k < 8; k++) {
			a = a >> 1 ^ (a & 1 ? 0xd008u : 0);
			b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0);
		}
		t16[i] = (uint16_t)a;
		t32[i] = b;
	}
}

uint16_t ib_vcrc(const uint8_t *p, size_t n)
{
	uint32_t c = 0xffff;

	if (!t32[1])
		make_tables();
	while (n--)
		c = c >> 8 ^ t16[(c ^ *p++) & 0xff];
	return (uint16_t)~c;
}

uint32_t crc32_le(uint32_t c, const uint8_t *p, size_t n)
{
	if (!t32[1])
		make_tables();
	while (n--)
		c = c >> 8 ^ t32[(c ^ *p++) & 0xff];
	return c;
}

uint32_t ib_icrc(const uint8_t *p, size_t len)
{
	uint8_t h[8 + 40 + 12];
	unsigned lnh = p[1] & 3, n = lnh == 3 ? 60 : 20;
	uint8_t *bth = h + n - 12;

	if (lnh < 2 || len < n)
		return 0;
	memcpy(h, p, n);
	if (lnh == 2) {
		h[0] |= 0xf0;
	} else {
		memset(h, 0xff, 8);
		h[8] |= 0x0f;
		memset(h + 9, 0xff, 3);
		h[15] = 0xff;
	}
	bth[4] = 0xff;
	return ~crc32_le(crc32_le(0xffffffff, h, n), p + n, len - n);
}

bool ib_vcrc_ok(const uint8_t *p, size_t len)
{
	uint16_t c;

	if (len < 10)
		return false;
	c = ib_vcrc(p, len - 2);
	return p[len - 2] == (c & 0xff) && p[len - 1] == c >> 8;
}

bool ib_icrc_ok(const uint8_t *p, size_t len)
{
	uint32_t c;

	if (len < 26)
		return false;
	c = ib_icrc(p, len - 6);
	return p[len - 6] == (c & 0xff) && p[len - 5] == (c >> 8 & 0xff) &&
	       p[len - 4] == (c >> 16 & 0xff) && p[len - 3] == c >> 24;
}

void ib_put_vcrc(uint8_t *p, size_t len)
{
	uint16_t c = ib_vcrc(p, len - 2);

	p[len - 2] = (uint8_t)c;
	p[len - 1] = (uint8_t)(c >> 8);
}

void ib_put_icrc(uint8_t *p, size_t len)
{
	uint32_t c = ib_icrc(p, len - 6);

	for (int i = 0; i < 4; i++)
		p[len - 6 + (size_t)i] = (uint8_t)(c >> 8 * i);
}

uint16_t ip_checksum(const uint8_t *p, size_t n)
{
	uint32_t s = 0;

	for (size_t i = 0; i + 1 < n; i += 2)
		s += get_be16(p + i);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}
