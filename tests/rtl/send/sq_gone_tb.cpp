// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_gone: plans begin, pieces and descriptors leave at any time, of few QPs, and QPs are reset. No mark is ever on what is not of the QP that was
// reset, and when busy_o falls all that is, is marked; what begins or leaves anew has no mark, but descriptors of turns that had one.
// dut: ohca_sq_gone Turns=16
// dut: ohca_sq_gone Turns=16 Descs=16
// dut: ohca_sq_gone
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
typedef uint64_t u64;
typedef uint32_t u32;
#ifndef TB_TURNS
#define TB_TURNS 64
#endif
#ifndef TB_DESCS
#define TB_DESCS 64
#endif
enum { STEPS = TB_TURNS > TB_DESCS ? TB_TURNS : TB_DESCS };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u32 turn_qpn[TB_TURNS] = {}, slot_qpn[8] = {}, pay = 0, was = 0, slot = 0, qpn = 0, busy_for = 0;
	bool turn_gone[TB_TURNS] = {}, slot_gone[8] = {}, desc_gone[TB_DESCS] = {}, walk = false;
	u32 desc_qpn[TB_DESCS] = {}, dslot = 0;
	u64 walks = 0, marked = 0, pieces = 0, during = 0, descs = 0, told = 0, ran = 0, kept = 0;
	auto any = [&] { return 0x123450u + u32(rng.below(5)); };
	d.begin_i = d.reset_i = d.put_i = d.desc_i = 0;
	b.reset();
	for (u64 n = 0; b.now() < b.cycles; n++) {
		const bool first = n < STEPS + 8;          // everything is used once
		u32 q = any(), bt = first ? u32(n % TB_TURNS) : u32(rng.below(TB_TURNS)), bq = any();
		bool begin = first || rng.chance(30), put = n > TB_TURNS && rng.chance(40), reset = !first && !walk && rng.chance(5);
		const bool desc = first || rng.chance(40), dgone = rng.chance(3);
		const u32 dq = any();
		b.cycle([&] {
			was = pay;
			if (first) pay = n < TB_TURNS / 2 ? TB_TURNS - 1 : 0;
			else if (rng.chance(40)) pay = u32(rng.below(TB_TURNS));
			// No plan begins in a turn of which pieces leave, nor one of a QP that is being reset.
			if (bt == pay || bt == was) begin = false;
			if ((reset && bq == q) || (walk && bq == qpn)) begin = false;
			d.begin_i = begin; d.begin_turn_i = bt; d.begin_qpn_i = bq;
			d.reset_i = reset; d.reset_qpn_i = q;
			d.pay_turn_i = pay; d.put_i = put; d.put_slot_i = slot;
			d.desc_i = desc; d.desc_slot_i = dslot; d.desc_qpn_i = dq; d.desc_gone_i = dgone;
		}, [&] {
			b.progress();
			CHECK_EQ(d.busy_o, walk && busy_for, "busy");
		});
		if (begin) { turn_qpn[bt] = bq; turn_gone[bt] = false; }
		if (put) {
			slot_qpn[slot] = turn_qpn[was];
			slot_gone[slot] = walk && turn_qpn[was] == qpn;
			during += slot_gone[slot];
			slot = (slot + 1) % 8;
			pieces++;
		}
		if (desc) {
			desc_qpn[dslot] = dq;
			desc_gone[dslot] = dgone || (walk && dq == qpn);
			told += dgone; ran += walk && dq == qpn;
			dslot = (dslot + 1) % TB_DESCS;
			descs++;
		}
		if (reset) {
			qpn = q; walk = true; busy_for = STEPS + 4;
			for (u32 s = 0; s < TB_DESCS; s++) if (desc_qpn[s] == q) { kept++; desc_gone[s] = true; }
			for (u32 t = 0; t < TB_TURNS; t++) if (turn_qpn[t] == q) turn_gone[t] = true;
			for (u32 s = 0; s < 8; s++) if (slot_qpn[s] == q) slot_gone[s] = true;
		} else if (walk && !--busy_for) { walk = false; walks++; }
		for (u32 t = 0; t < TB_TURNS; t++) {
			bool m = u64(d.turn_gone_o) >> t & 1;
			CHECK(walk ? m <= turn_gone[t] : m == turn_gone[t], "turn %u is %smarked", t, m ? "" : "not ");
			marked += m && !walk;
		}
		for (u32 s = 0; s < 8; s++) {
			bool m = d.slot_gone_o >> s & 1;
			CHECK(walk ? m <= slot_gone[s] : m == slot_gone[s], "slot %u is %smarked", s, m ? "" : "not ");
		}
		for (u32 s = 0; s < TB_DESCS; s++) {
			bool m = u64(d.desc_gone_o) >> s & 1;
			CHECK(walk ? m <= desc_gone[s] : m == desc_gone[s], "descriptor %u is %smarked", s, m ? "" : "not ");
		}
	}
	printf("# %llu walks, %llu pieces, %llu of them of the QP while it was looked for\n", (unsigned long long)walks, (unsigned long long)pieces, (unsigned long long)during);
	printf("# %llu descriptors, %llu of a turn that was marked, %llu of the QP while it was looked for, %llu before\n", (unsigned long long)descs,
		(unsigned long long)told, (unsigned long long)ran, (unsigned long long)kept);
	GOAL(walks > 100 && marked && during > 100 && told > 100 && ran > 100 && kept > 100);
	return b.finish();
}
