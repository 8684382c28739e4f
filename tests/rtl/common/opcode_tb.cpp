// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_opcode: every opcode against the names that the IBA's table gives them (9.2, table 38), out of which this reads
// what they say; and that requests can follow each other as messages do.
// dut: ohca_opcode_top
// args: --cycles 400
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"
#include <cstring>

// Of the five low bits; "R ": reserved, or not of this adapter, then only the headers count.
static const char *const rc[32] = {
	"SEND FIRST", "SEND MIDDLE", "SEND LAST", "SEND LAST imm", "SEND ONLY", "SEND ONLY imm",
	"WRITE FIRST reth", "WRITE MIDDLE", "WRITE LAST", "WRITE LAST imm", "WRITE ONLY reth", "WRITE ONLY reth imm",
	"READ reth", "DATA FIRST aeth", "DATA MIDDLE", "DATA LAST aeth", "DATA ONLY aeth", "ACK aeth", "OTHER aeth long",
	"R atomiceth", "R atomiceth", "R", "R ieth", "R ieth", "R", "R", "R", "R", "R reth imm", "R reth", "R", "R",
};
static bool has(const char *s, const char *word) { return strstr(s, word); }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	unsigned known = 0;
	b.reset();
	for (unsigned op = 0; op < 256; op++) {
		d.op_i = op;
		b.progress();
		b.cycle([] {}, [&] {
			const unsigned is = d.is_o, svc = op >> 5;
			const char *s = rc[op & 31];
			auto f = [&](unsigned lsb, unsigned w) { return is >> lsb & ((1u << w) - 1); };
#define IS(name, want) CHECK_EQ(f(OHCA_OPCODE_##name##_LSB, OHCA_OPCODE_##name##_WIDTH), unsigned(want), #name)
			IS(RC, svc == 0); IS(UD, svc == 3); IS(CNP, op == 0x81);
			const bool send = has(s, "SEND"), write = has(s, "WRITE"), read = has(s, "READ"), data = has(s, "DATA"), ack = has(s, "ACK");
			IS(SEND, send); IS(WRITE, write); IS(READ, read); IS(RESP, data); IS(ACK, ack);
			IS(ANSWER, data || ack || has(s, "OTHER"));
			IS(FIRST, has(s, "FIRST")); IS(MIDDLE, has(s, "MIDDLE")); IS(LAST, has(s, "LAST")); IS(ONLY, has(s, "ONLY"));
			const bool req = send || write || read;
			if (req) { IS(IMM, has(s, "imm")); IS(RETH, has(s, "reth")); }
			if (data || ack) IS(AETH, has(s, "aeth"));
			known += req || data || ack;
			if (req) {
				const unsigned kind = send ? 1 : 2;
				IS(NEEDS, has(s, "MIDDLE") || has(s, "LAST") ? kind : 0);
				IS(LEAVES, has(s, "FIRST") || has(s, "MIDDLE") ? kind : 0);
			}
			// Headers: RETH 16 bytes, AETH, IETH and immediate data 4, AtomicETH 28, AtomicAckETH 8, DETH 8.
			unsigned bytes = 0;
			if (svc < 2)
				bytes = (has(s, "reth") ? 16 : 0) + (has(s, "aeth") ? 4 : 0) + (has(s, "ieth") ? 4 : 0) + (has(s, "imm") ? 4 : 0) +
					(has(s, "atomiceth") ? 28 : 0) + (has(s, "long") ? 8 : 0);
			if (svc == 3 && send && has(s, "ONLY")) bytes = 8 + (has(s, "imm") ? 4 : 0);
			IS(EXT, bytes / 4);
		});
	}
	CHECK_EQ(known, 18 * 8, "opcodes with a meaning");
	return b.finish();
}
