/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * From how much on in the wire buffer the peer is paused (priority flow control, 802.1Qbb). Plain functions of numbers, tested on the host
 * (tests/driver/pfc.c).
 */
#ifndef OHCA_PFC_H
#define OHCA_PFC_H

#define OHCA_PFC_UNIT 64u		/* bytes */
#define OHCA_PFC_MOST 256u		/* units, however large the buffer is */
#define OHCA_PFC_LEAST 16u
#define OHCA_PFC_CABLE 1024u		/* bytes on 100 m both ways, at the 5 Gb/s of a build with small buffers */

/*
 * wire_buf as in reg_hw_cfg; frame and packet: the longest of the network interface and of RoCE, with all headers and FCS, in bytes. Returns units of
 * 64 bytes; 0: the buffer is too small. What is left above has to hold what still comes: while the pause waits for one of each that leave before it, what
 * the peer has begun, and what is on the cable. Each frame is counted in whole units.
 */
static inline u32 ohca_pfc_xoff(u32 wire_buf, u32 frame, u32 packet)
{
	u32 size = 1u << ((wire_buf ? wire_buf : 4) + 12);	/* of those that do not tell, the smallest has 64 KiB */
	u32 above = frame + packet + (frame > packet ? frame : packet) + 3 * OHCA_PFC_UNIT + OHCA_PFC_CABLE;
	u32 xoff = size > above ? (size - above) / OHCA_PFC_UNIT : 0;

	if (xoff < OHCA_PFC_LEAST)
		return 0;
	return xoff < OHCA_PFC_MOST ? xoff : OHCA_PFC_MOST;
}

#endif
