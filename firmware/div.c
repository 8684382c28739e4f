// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * What the compiler calls for a division of 64 bits. That of its library uses the divider of the core, which small builds of the adapter leave out;
 * the firmware divides a few times when the link comes up, and in its log.
 */
#include "hw.h"

u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);

static u64 divide(u64 n, u64 d, u64 *rest)
{
	u64 q = 0, bit = 1;

	if (!d) {
		*rest = n;
		return ~0ull;
	}
	while (d < n && !(d >> 63)) {
		d <<= 1;
		bit <<= 1;
	}
	for (; bit; d >>= 1, bit >>= 1)
		if (n >= d) {
			n -= d;
			q |= bit;
		}
	*rest = n;
	return q;
}

u64 __udivdi3(u64 n, u64 d)
{
	u64 rest;

	return divide(n, d, &rest);
}

u64 __umoddi3(u64 n, u64 d)
{
	u64 rest;

	divide(n, d, &rest);
	return rest;
}
