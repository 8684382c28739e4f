// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_runq: QPs go into the queue or the list of a VL and come out once each, in the order of their queue or list; those of a VL that may have no turn stay, but
// for one in 256 cycles; queue and lists take turns, so each is served however full the others are.
// dut: ohca_sq_runq RunQueue=64 Leave=16
// dut: ohca_sq_runq RunQueue=256 Leave=128 NumVl=4
// dut: ohca_sq_runq RunQueue=256 Leave=16 NumVl=4
// dut: ohca_sq_runq RunQueue=256 Leave=128 NumVl=8 IdW=16
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include <deque>
typedef uint64_t u64;
typedef uint32_t u32;
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif
#ifndef TB_ID_W
#define TB_ID_W 24
#endif
enum { VLS = TB_NUM_VL, LISTS = VLS > 1 ? VLS : 0, CHUNK = 4, CHUNKS = TB_RUN_QUEUE / CHUNK, LEAST = TB_LEAVE / CHUNK + VLS + 1 + 4 };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	std::deque<u32> q[9];                      // 8: the run queue; else the list of a VL
	u32 next = 0, adm = 0, push = 0, park = 0, cls = 0, take = 0, rate = 30, pace = 50;
	u64 out = 0, parked = 0, polls = 0, last_poll = 0, full = 0, wait[9] = {}, since_take = 0;
	u64 adm_since[8] = {}, rooms[2] = {};
	size_t inside = 0;
	int stopped = -1;                          // this VL has no turns, and nearly all are parked for it
	d.adm_i = 0; d.push_i = d.park_i = d.take_i = 0;
	b.reset();
	auto step = [&](bool in) {
		b.cycle([&] {
			if (rng.below(500) == 0) { rate = u32(rng.range(2, 60)); pace = u32(rng.range(10, 100)); }
			if (rng.below(200) == 0 || !in) { u32 was = adm; adm = in ? u32(rng.bits(VLS)) : ~0u; for (int v = 0; v < VLS; v++) if ((was ^ adm) >> v & 1) adm_since[v] = b.now(); }
			if (LISTS && rng.below(1500) == 0) stopped = rng.chance(50) ? int(rng.below(VLS)) : -1;
			if (stopped >= 0 && in && adm >> stopped & 1) { adm &= ~(1u << stopped); adm_since[stopped] = b.now(); }
			tb::set_bits(d.adm_i, 0, VLS > 1 ? VLS + 1 : 1, adm);
			push = park = 0;
			cls = (stopped >= 0 && rng.chance(90)) ? u32(stopped) : u32(rng.below(VLS));
			if (in && rng.chance(rate)) {
				if (LISTS && rng.chance(60)) park = d.park_ready_o >> cls & 1;
				else push = d.ready_o;
				full += !push && !park;
			}
			d.push_i = push; d.park_i = park; d.cls_i = cls; d.id_i = next;
			take = d.valid_o && rng.chance(pace);
			d.take_i = take;
		}, [&] {
			if (b.now() > 20 && since_take > 2) {
				if (LISTS) {
					// Chunks that are taken at least, and at most: up to seven of a FIFO lie at its output or before it.
					int most = 0, least = 0;
					for (u32 i = 0; i < 9; i++) if (i < LISTS || i == 8) { most += int(q[i].size() / CHUNK) + 2; least += 1 + int(q[i].size() > 8 ? (q[i].size() - 8) / CHUNK : 0); }
					CHECK(d.room_o || int(CHUNKS) - most < int(LEAST) + 4, "there is room");
					CHECK(!d.room_o || int(CHUNKS) - least > int(LEAST) - 4, "there is no room");
					rooms[d.room_o]++;
				} else {
					CHECK(d.room_o || q[8].size() + 3 > TB_RUN_QUEUE - TB_LEAVE, "there is room");
					CHECK(!d.room_o || q[8].size() < TB_RUN_QUEUE - TB_LEAVE + 3, "there is no room");
				}
			}
			since_take++;
			if (take) {
				u32 id = d.id_o, k = 9;
				for (u32 i = 0; i < 9; i++) if (!q[i].empty() && q[i].front() == id) k = i;
				CHECK(k < 9, "QP %u is not the first of any queue", id);
				q[k].pop_front();
				if (k < 8) {
					// What stood in the register had been chosen before.
					bool may = adm >> k & 1 || b.now() - adm_since[k] < 60;
					if (!may) { CHECK(b.now() - last_poll > 150, "a VL that may have no turn is offered again after %llu cycles", (unsigned long long)(b.now() - last_poll)); last_poll = b.now(); polls++; }
				}
				for (u32 i = 0; i < 9; i++) {
					if (i == k || q[i].empty() || (i < 8 && (!(adm >> i & 1) || b.now() - adm_since[i] < 60))) wait[i] = 0;
					else CHECK(++wait[i] < 2 * VLS + 6, "queue %u is passed over", i);
				}
				out++; inside--;
				b.progress();
			}
			if (push) { q[8].push_back(next); next = (next + 1) & ((1u << TB_ID_W) - 1); inside++; }
			if (park) {
				// A list has no more than is free.
				int least = 0;
				for (u32 i = 0; i < 9; i++) least += q[i].size() > 8 ? int((q[i].size() - 8) / CHUNK) : 0;
				CHECK(int(q[cls].size()) - 8 <= (int(CHUNKS) - least + 3) * int(CHUNK), "the list of VL %u grows to %zu", cls, q[cls].size());
			}
			if (park) { q[cls].push_back(next); next = (next + 1) & ((1u << TB_ID_W) - 1); inside++; parked++; }
			if (!inside) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	while (inside) step(false);
	for (int i = 0; i < 6; i++) step(false);
	CHECK(d.idle_o, "not idle at the end");
	printf("# %llu QPs, %llu of them parked, %llu offered by the clock, %llu times no room\n", (unsigned long long)out, (unsigned long long)parked, (unsigned long long)polls,
	       (unsigned long long)full);
	GOAL(out > 3000 && (!LISTS || (parked > 1000 && polls > 5 && rooms[0] > 100 && rooms[1] > 100)));
	return b.finish();
}
