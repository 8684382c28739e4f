// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* What the tests of management share: MADs by the wire and by MAD_IFC, and a port that comes up. */
#include "test_mad.h"

u8 mad[256], *reply;
unsigned status;

void mad_new(unsigned class, unsigned method, unsigned attr, u32 mod)
{
	memset(mad, 0, sizeof(mad));
	mad[0] = 1;
	mad[1] = (u8)class;
	mad[2] = 1;
	mad[3] = (u8)method;
	memcpy(mad + 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
	mad[16] = (u8)(attr >> 8);
	mad[17] = (u8)attr;
	for (unsigned i = 0; i < 4; i++)
		mad[20 + i] = (u8)(mod >> (24 - 8 * i));
	if (class == 0x81)
		mad[32] = mad[33] = mad[34] = mad[35] = 0xff;
}

bool sent_one(void)
{
	reply = fk.tx[0].b + 28;
	status = (unsigned)reply[4] << 8 | reply[5];
	return fk.ntx == 1;
}

/* Send the MAD from LID 9 to LID 0x0003 (or as a directed route of no hops) over the wire; true if one packet came out. */
bool wire(void)
{
	bool dr = mad[1] == 0x81;

	fk.ntx = 0;
	CHECK(fake_smp(dr ? 0xffff : 9, dr ? 0xffff : 3, mad));
	return sent_one();
}

/* A Get or Set that must be answered; the attribute is in reply + 64. */
void ask(unsigned method, unsigned attr, u32 mod, const u8 *data)
{
	mad_new(1, method, attr, mod);
	if (data)
		memcpy(mad + 64, data, 64);
	CHECK(wire());
	EQ(reply[3], RESP);
	EQ(memcmp(reply + 8, mad + 8, 8), 0);
	EQ(memcmp(reply + 16, mad + 16, 8), 0);
}

void link_up(void)
{
	fake_link(true);
	fake_run(10);
}

/* PortInfo for a Set: what is set now, with nothing to do. */
void port_info(u8 *d)
{
	ask(GET, PORT_INFO, 0, NULL);
	EQ(status, 0);
	memcpy(d, reply + 64, 64);
	d[32] &= 0xf0;
	d[33] &= 0x0f;
	if (!get16(d + 16))
		put16(d + 16, 3);
	if (!get16(d + 18))
		put16(d + 18, 1);
}

void set_state(unsigned st)
{
	u8 d[64];

	port_info(d);
	d[32] |= (u8)st;
	ask(SET, PORT_INFO, 0, d);
	EQ(status, 0);
}

void activate(void)
{
	link_up();
	EQ(port.state, 2);
	set_state(3);
	EQ(port.state, 3);
	set_state(4);
	EQ(port.state, 4);
}

void start(void)
{
	setup_dev();
	fk.nev = 0;
}

u32 ifc(unsigned flags, u8 *out)
{
	u8 in[512];

	memset(in, 0, sizeof(in));
	memcpy(in, mad, 256);
	in[256] = 9;
	return CMD(MAD_IFC, 1, flags, in, sizeof(in), out, 256);
}
