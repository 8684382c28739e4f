// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * driver/ohca_pfc.h without a kernel: for every wire buffer that the adapter can have and every MTU, all that can still come when the peer is to be paused
 * has room above the threshold, and the threshold is refused only where there is no room.
 */
#include <stdint.h>
#include <stdio.h>

typedef uint32_t u32;
#include "ohca_pfc.h"

static int failed;
#define CHECK(c) do { if (!(c)) { failed = 1; printf("# line %d: %s, buffer of 2^%u, frames of %u\n", __LINE__, #c, log + 12, frame); } } while (0)

/* A frame or packet as it is counted */
static u32 units(u32 len)
{
	return (len + 63) / 64;
}

int main(void)
{
	u32 refused = 0, small = 0;

	for (u32 log = 1; log <= 5; log++)
		for (u32 frame = 86; frame <= 9220; frame++)
			for (u32 mtu = 256; mtu <= 4096 && (mtu == 256 || mtu + 88 <= frame); mtu *= 2) {
				u32 packet = mtu + 128, size = 64u << log, xoff = ohca_pfc_xoff(log, frame, packet);
				u32 most = units(frame) > units(packet) ? units(frame) : units(packet);
				/* What stood below the threshold may have been just short of it. */
				u32 full = xoff + units(frame) + units(packet) + most + OHCA_PFC_CABLE / 64;

				if (!xoff) {
					CHECK(size < OHCA_PFC_LEAST + units(frame) + units(packet) + most + OHCA_PFC_CABLE / 64 + 4);
					refused++;
					continue;
				}
				CHECK(full <= size);
				CHECK(xoff >= OHCA_PFC_LEAST && xoff < size && xoff <= OHCA_PFC_MOST);
				small += xoff < OHCA_PFC_MOST;
			}
	for (u32 log = 4, frame = 86; frame <= 9220; frame++)
		CHECK(ohca_pfc_xoff(0, frame, 4224) == ohca_pfc_xoff(4, frame, 4224) && ohca_pfc_xoff(0, frame, 4224) == OHCA_PFC_MOST);
	/* An Ethernet of 1500 bytes has it with 8 KiB, jumbo frames have not. */
	for (u32 log = 1, frame = 1526; frame; frame = 0)
		CHECK(ohca_pfc_xoff(1, frame, 1024 + 128) >= 32 && !ohca_pfc_xoff(1, 9026, 4096 + 128));
	printf("%sok driver-pfc # %u refused, %u of less than %u units\n", failed ? "not " : "", refused, small, OHCA_PFC_MOST);
	return failed;
}
