// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_fence: READs of random slots behind writes that are issued and acknowledged at any pace, few or thousands outstanding. None may go before what was issued
// before it is acknowledged; each may in the cycle after, one a cycle in the order of all; what is said of the slot on turn, of places and of quiet is so.
// dut: ohca_resp_fence
// dut: ohca_resp_fence Slots=4 PerSlot=4 Depth=16
// dut: ohca_resp_fence Slots=64 PerSlot=8 Depth=4
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include <deque>
typedef uint64_t u64;
typedef uint32_t u32;
#ifndef TB_SLOTS
#define TB_SLOTS 16
#define TB_PER_SLOT 32
#define TB_DEPTH 64
#endif
enum { LATENCY = TB_DEPTH > 32 ? 4 : 3 };     // of two registers in front of the queue, and of that, from its memory or not

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &r = b.rng;
	struct Wait { u32 slot, snap; u64 since; };
	std::deque<Wait> queue;                    // READs that wait, of all slots
	std::deque<u32> reads[TB_SLOTS];           // what was issued before each one that has not been answered
	u32 may[TB_SLOTS] = {}, held[TB_SLOTS] = {}, issued = 0xfffffff0u - u32(r.below(60)), acked = issued;
	u32 issue = 10, issue_by = 1, ack = 10, ack_by = 1, limit = 100, push_rate = 30, done_rate = 30, turn = 0;
	bool quiet_was = false, ready_was = false, ready = true, still = true;     // still: no write was outstanding in the cycle before
	int fresh = -1;                            // slot of the READ that came in the cycle before and need not wait
	int freed = -1, freed_before = -1;         // slot of the READ that left the queue in the cycle before, in that before it
	u64 waited = 0, quiets = 0, full = 0, most = 0, many = 0, behind = 0, together = 0, last_push = 0, answered = 0;
	auto seen = [&] { return waited > 1000 && quiets > 300 && full > 100 && most > 10 && many > 30 && behind > 100 && together > 30; };
	d.push_i = d.done_i = 0;
	d.wr_issued_i = issued; d.wr_acked_i = acked;
	b.reset();
	auto step = [&](bool in) {
		bool push = false, pop = false, done = false;
		u32 slot = 0, snap = 0;
		b.progress();                          // all that comes is due in a certain cycle
		b.cycle([&] {
			if (r.below(400) == 0) {
				const bool lots = r.chance(30);
				issue = u32(r.range(0, 60)); ack = u32(r.chance(30) ? 0 : r.range(1, 70)); issue_by = lots ? 200 : 1; ack_by = u32(r.chance(30) ? 250 : 1);
				limit = lots ? 30000 : u32(r.range(1, 300)); push_rate = u32(r.range(1, 100)); done_rate = u32(r.range(1, 100));
			}
			if (in && r.chance(issue)) issued += std::min<u32>(limit - std::min(limit, issued - acked), u32(r.range(1, issue_by)));
			if (!in || r.chance(ack)) acked += std::min<u32>(issued - acked, u32(r.range(1, in ? ack_by : 250)));
			d.wr_issued_i = issued; d.wr_acked_i = acked;
			// One in two cycles, which need not wait if all was quiet in the cycle before.
			slot = u32(r.below(r.chance(70) ? 2 : TB_SLOTS));
			push = in && b.now() > last_push + 1 && reads[slot].size() < TB_PER_SLOT && (quiet_was || ready_was) && r.chance(push_rate);
			d.push_i = push; d.slot_i = slot; d.quiet_i = push ? quiet_was : r.chance(50);
			snap = issued;
			if (r.chance(10)) turn = u32(r.below(r.chance(70) ? 2 : TB_SLOTS));
			done = may[turn] > (fresh == int(turn)) && (!in || r.chance(done_rate));      // it counts a cycle after it came
			d.turn_i = turn; d.done_i = done;
			d.read_i = done || (!reads[turn].empty() && r.chance(70));       // or something else lies before it
		}, [&] {
			CHECK_EQ(d.quiet_o, still && queue.empty() && freed < 0, "no write is outstanding and no READ waits");
			still = issued == acked;
			// It is a flop, and two READs may be on their way to the queue while one comes.
			CHECK_EQ(d.ready_o, ready, "a place for one that waits");
			ready_was = ready;
			u32 inside = 0;
			for (auto &w : queue) inside += b.now() >= w.since + 3;
			ready = inside < TB_DEPTH - 2;
			CHECK(queue.size() <= TB_DEPTH, "more READs wait than there are places");
			// What it waits for is what had been issued in the cycle after it came.
			if (!queue.empty() && queue.back().since + 1 == b.now()) queue.back().snap = issued;
			for (u32 i = 0; i < TB_SLOTS; i++) {
				const bool go = tb::get_bits(d.may_go_o, i, 1);
				CHECK(!go || reads[i].empty() || int(acked - reads[i].front()) >= 0, "a READ of slot %u goes before writes that were issued before it", i);
				CHECK_EQ(go, !held[i] || may[i], "the oldest READ of a slot may go");
			}
			const bool next = d.next_ok_o;
			CHECK(!next || reads[turn].size() <= d.read_i || int(acked - reads[turn][d.read_i]) >= 0, "the READ behind the turn's goes before writes that were issued before it");
			CHECK_EQ(next, !held[turn] || may[turn] > d.read_i, "the READ behind the turn's may go");
			behind += may[turn] == 1 && d.read_i && held[turn];
			full += !ready_was;
			most += queue.size() == TB_DEPTH;
			quiet_was = d.quiet_o;
			pop = !queue.empty() && b.now() >= queue.front().since + LATENCY && int(acked - queue.front().snap) >= 0;
			together += freed_before >= 0 && done && push && slot == turn && u32(freed_before) == turn;
			fresh = push && d.quiet_i ? int(slot) : -1;
			if (done) { reads[turn].pop_front(); may[turn]--; answered++; }
			if (freed_before >= 0) { may[freed_before]++; held[freed_before]--; }
			freed_before = freed;
			freed = pop ? int(queue.front().slot) : -1;
			if (pop) queue.pop_front();
			if (push) {
				last_push = b.now();
				if (d.quiet_i) { may[slot]++; quiets++; reads[slot].push_back(acked); }
				else { queue.push_back({ slot, snap, b.now() }); held[slot]++; waited++; many += snap - acked > 20000; reads[slot].push_back(snap); }
			}
		});
	};
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen())) step(true);
	auto left = [&] { size_t n = queue.size() + (acked != issued); for (auto &x : reads) n += x.size(); return n; };
	for (u64 t0 = b.now(); left(); step(false)) CHECK(b.now() - t0 < 100000, "%zu are left", left());
	printf("# %llu READs waited for writes and %llu need not, %llu behind more than 20000; no place in %llu cycles, a second READ that had to wait in %llu\n",
	       (unsigned long long)waited, (unsigned long long)quiets, (unsigned long long)many, (unsigned long long)full, (unsigned long long)behind);
	GOAL(seen());
	return b.finish();
}
