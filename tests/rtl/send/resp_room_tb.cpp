// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_room: random rings about as full as it matters. An ACK goes while there is room for two of the longest packets and three more headers, a
// turn's packet while the wire has not enough, or beside requests that wait, where an ACK does. Of a ring that is no wider than that all is taken.
// dut: ohca_resp_room NumVl=4
// dut: ohca_resp_room NumVl=8 RoCE=0
// dut: ohca_resp_room NumVl=4 DW=128
// dut: ohca_resp_room NumVl=2 DW=512
// args: --cycles 20000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#ifndef TB_D_W
#define TB_D_W 64
#endif
enum { VLS = TB_NUM_VL, LANE = TB_D_W / 8, HDR = ((TB_RO_C_E ? 108 : 80) + LANE - 1) / LANE, DATA = 4096 / LANE, LEAST = 2 * DATA + 5 * HDR,
	ENOUGH = DATA + HDR + 4 * 256 };
static const u32 RING = 32768 / LANE, FULL = std::min(RING, u32(ENOUGH + 3 * DATA + 8 * HDR)), FAR = std::max(FULL, u32(ENOUGH + LEAST)) - ENOUGH;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 100);
	u32 has = 0, turn = 0, seen[4] = {};
	bool known = false, t_room = false;
	b.reset();
	while (b.now() < b.cycles) {
		u32 room[VLS], desc[VLS], vl = 0, none = 0;
		b.cycle([&] {
			tb::clear(b->room_i); tb::clear(b->desc_i);
			for (u32 v = 0; v < VLS; v++) {
				const u32 at = b.rng.chance(50) ? LEAST : FAR;
				room[v] = b.rng.chance(50) ? at + u32(b.rng.below(3)) - 1 : u32(b.rng.below(4 * DATA + 1));
				desc[v] = b.rng.chance(20) ? u32(b.rng.below(7)) : 64;
				tb::set_bits(b->room_i, 13 * v, 13, room[v]);
				tb::set_bits(b->desc_i, 8 * v, 8, desc[v]);
			}
			b->yield_i = b.rng.chance(30) ? unsigned(b.rng.bits(VLS)) : 0;
			b->want_i = b.rng.chance(50) ? unsigned(b.rng.bits(VLS)) : 0;
			b->t_vl_i = vl = u32(b.rng.below(VLS));
			b->t_none_i = none = b.rng.chance(10);
		}, [&] {
			if (known) {
				CHECK_EQ(u32(b->has_room_o), has, "room for ACKs");
				CHECK_EQ(u32(b->turn_room_o), turn, "room for a turn's packet");
				CHECK_EQ(bool(b->t_room_o), t_room, "room of the turn's VL");
			}
			has = turn = 0;
			for (u32 v = 0; v < VLS; v++) {
				const bool ack = room[v] >= LEAST && desc[v] >= 5 && !(b->yield_i >> v & 1), want = b->want_i >> v & 1;
				has |= u32(ack) << v;
				turn |= u32(ack && (want || room[v] >= FAR)) << v;
				seen[ack ? 1 + (room[v] >= FAR) + (want && room[v] < FAR) * 2 : 0]++;
			}
			t_room = none || (turn >> vl & 1);
			known = true;
			b.progress();
		});
	}
	for (u32 n : seen) CHECK(FAR == LEAST || n > 100, "a case that hardly came: %u times", n);
	return b.finish();
}
