/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Registers of the fake adapter (model_fake.c), which exercises every pin of
 * the boundary without any RTL.  64-bit registers, offsets in BAR0.
 */
#ifndef OHCA_SIM_MODEL_FAKE_H
#define OHCA_SIM_MODEL_FAKE_H

enum fake_reg {
	FAKE_SCRATCH = 0x0000,		/* 4 KiB of memory */
	FAKE_ID = 0x1000,		/* reads FAKE_ID_VALUE */
	FAKE_SRC = 0x1008,		/* DMA source, beat aligned */
	FAKE_DST = 0x1010,		/* DMA destination, any alignment on copy */
	FAKE_LEN = 0x1018,		/* bytes */
	FAKE_CMD = 0x1020,		/* write: starts; 7:0 command, 15:8 vector, 17:16 kind */
	FAKE_STATUS = 0x1028,		/* bit 0 busy, 31:16 errors seen on AXI */
	FAKE_RXBUF = 0x1030,		/* received packets go here, 16 slots of 16 KiB */
	FAKE_RXCOUNT = 0x1038,		/* packets received; writing clears */
	FAKE_TIMER = 0x1040,		/* write n: vector 2 after n cycles */
	FAKE_LINK = 0x1048,		/* bit 0 link up; write 1: retrain */
	FAKE_NOW = 0x1050,
	FAKE_HANG = 0x1058,		/* write 1: registers stop answering */
	FAKE_GUID = 0x1060,
	FAKE_SLVERR = 0x1068,		/* reads and writes end in SLVERR */
	FAKE_WSTRB = 0x1070,		/* strobes of the last register write */
};
enum fake_cmd { FAKE_COPY = 1, FAKE_SEND = 2, FAKE_IRQ = 3 };
#define FAKE_ID_VALUE 0x000100006f686361ull
#define FAKE_RX_SLOT 16384		/* u32 length, u32 kind | error << 8, at 64 the data */

#endif
