/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
#ifndef TEST_MAD_H
#define TEST_MAD_H

#include "fake.h"

#define CMD(op, mod, opmod, in, inb, out, outb) fake_cmd(OHCA_CMD_OP_##op, mod, opmod, in, inb, out, outb)

enum { GET = 1, SET = 2, TRAP = 5, REPRESS = 7, RESP = 0x81 };
enum { NODE_DESC = 0x10, NODE_INFO = 0x11, GUID_INFO = 0x14, PORT_INFO = 0x15, PKEYS = 0x16, SL2VL = 0x17, VL_ARB = 0x18 };

extern u8 mad[256], *reply;	/* of the last exchange */
extern unsigned status;

void mad_new(unsigned class, unsigned method, unsigned attr, u32 mod);
bool sent_one(void);	/* one packet came out, which is the reply */
/* Send the MAD from LID 9 to LID 0x0003 (or as a directed route of no hops) over the wire; true if one packet came out. */
bool wire(void);
/* A Get or Set that must be answered; the attribute is in reply + 64. */
void ask(unsigned method, unsigned attr, u32 mod, const u8 *data);
/* The MAD through MAD_IFC; the command's status. */
u32 ifc(unsigned flags, u8 *out);

void link_up(void);
/* PortInfo for a Set: what is set now, with nothing to do. */
void port_info(u8 *d);
void set_state(unsigned st);
void activate(void);
void start(void);

#endif
