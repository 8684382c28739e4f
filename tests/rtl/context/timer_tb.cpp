// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_timer with an owner that arms again what comes early, as the acknowledge engine does: no timer is lost or told twice, none is late beyond the walk,
// arms wait for a bounded time whatever expires and whether or not expiries are taken, across the wrap of the tick counter; all timers at once.
// dut: ohca_timer Depth=64
// dut: ohca_timer Depth=1024
// dut: ohca_timer Depth=16384
#include "Vdut.h"
#include "tb.h"
#include <map>
#include <set>
typedef uint32_t u32;
typedef uint64_t u64;

static const unsigned LOG = __builtin_ctz(TB_DEPTH) - 3, B0 = (LOG + 2) / 3, B1 = (LOG + 1) / 3, B2 = LOG / 3;
static const u64 WAY = 2 * ((1u << B0) + (1u << B1) + (1u << B2));

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	b.stuck_after = 100000 + 20 * TB_DEPTH;
	const u64 start_ticks[] = {0, 0xffffff00ull, 0x7fffff00ull, 0x123456789ull};
	for (u64 t0 : start_ticks) for (int slow = 0; slow < 2; slow++) {
		u64 now = t0 << 8;
		struct E { u64 deadline; u64 due_since; };
		std::map<u32, E> want;                 // what the owner waits for
		std::set<u32> held, again, late;       // what the timer holds; also beside a report of it under way; since that report's group began
		struct A { u32 qpn; u64 deadline; };
		tb::Source<A> src(&rng);
		struct X { u32 qpn; };
		tb::Sink<X> sink(&rng, "exp");
		src.pace.always(1);
		if (!slow) sink.pace.always(1);
		u64 n = b.cycles / 10, armed = 0, expired = 0, early = 0, spare = 0, worst = 0, worst_arm = 0, wait = 0, jumps = 0, idle_cycles = 0, blocked = 0, all_worst = 0;
		d.arm_valid_i = d.exp_ready_i = 0;
		d.now_i = now;
		b.reset();
		bool more = true, fill = false, block = false;
		u64 due = 0;                           // entries that were due together: what is behind them waits
		auto step = [&] {
			b.cycle([&] {
				now++;
				if (d.idle_o && src.done() && !want.empty() && !fill && rng.chance(10)) {   // time jumps to just before a deadline when nothing else goes on
					u64 first = ~0ull;
					for (auto &e : want) first = std::min(first, e.second.deadline);
					u64 back = rng.below(600), to = (first << 8) > back ? (first << 8) - back : 0;
					if (to > now) { now = to; jumps++; }
				}
				d.now_i = now;
				if (src.done() && more && rng.chance(30)) {
					u32 q = u32(rng.below(TB_DEPTH));
					u64 dl = (now >> 8) + (rng.chance(10) ? rng.below(0x7ff00000) : rng.chance(5) ? 0 : rng.below(40));
					// new, or earlier than before
					if (!want.count(q) ? rng.chance(want.size() < 60 ? 100 : 1) : dl < want[q].deadline && !want[q].due_since) { src.push({q, dl}); armed++; }
				}
				d.arm_valid_i = src.drive();
				if (d.arm_valid_i) { d.arm_qpn_i = src.front().qpn; d.arm_deadline_i = u32(src.front().deadline); }
				d.exp_ready_i = !block && sink.drive();
			}, [&] {
				u64 tick = now >> 8;
				if (!fill) for (auto &e : want) if (e.second.deadline <= tick && !e.second.due_since) { e.second.due_since = b.now(); due++; }
				CHECK(held.empty() || d.any_o, "any");
				if (d.idle_o && !d.arm_valid_i) {
					if (d.any_o) CHECK(int32_t(d.next_o - u32(tick)) > 0, "idle, but due: tick %llx next %x", (unsigned long long)tick, d.next_o);
					if (!fill) for (auto &e : want) if (held.count(e.first)) CHECK(d.any_o && int32_t(u32(e.second.deadline) - d.next_o) >= 0, "next %x is after %llx", d.next_o, (unsigned long long)e.second.deadline);
					idle_cycles++;
				}
				CHECK(!d.idle_o || !d.exp_valid_o, "expiry while idle");
				blocked += block && d.exp_valid_o;
				if (!d.exp_valid_o) late.clear();
				const bool report = d.exp_valid_o;
				const u32 first = u32(d.exp_qpn_o);
				bool took = d.exp_valid_o && d.exp_ready_i;
				if (took) {
					u32 q = u32(d.exp_qpn_o);
					b.progress();
					CHECK(held.count(q), "QP %x is not armed", q);
					if (!again.erase(q)) held.erase(q);
					auto it = want.find(q);
					if (it == want.end()) spare++;          // it was armed again beside the report that ended it
					else if (it->second.deadline > tick) { src.push({q, it->second.deadline}); early++; }
					else {
						if (it->second.due_since && !fill) worst = std::max(worst, b.now() - it->second.due_since);
						want.erase(it);
						expired++;
					}
				}
				if (!block) sink.sample(d.exp_valid_o, X{u32(d.exp_qpn_o)});
				wait = d.arm_valid_i ? wait + 1 : 0;
				worst_arm = std::max(worst_arm, wait);
				if (d.arm_valid_i) {
					A a = src.front();
					if (src.sample(d.arm_ready_o)) {
						wait = 0;
						if (report && a.qpn >> 3 == first >> 3) {
							if (held.count(a.qpn) && a.qpn >= first && !late.count(a.qpn)) again.insert(a.qpn);
							late.insert(a.qpn);
						}
						held.insert(a.qpn);
						auto it = want.find(a.qpn);
						if (it == want.end()) want[a.qpn] = {a.deadline, 0};
						else if (a.deadline < it->second.deadline) it->second = {a.deadline, 0};
					}
				}
			});
		};
		while (expired < n) step();
		more = false;
		while (!want.empty() || !src.done()) step();
		GOAL(early > 0 || slow);
		CHECK(spare <= expired / 20, "%llu needless reports", (unsigned long long)spare);
		// All at once; expiries are not taken for a while, and arms go on.
		fill = true;
		u64 at = (now >> 8) + TB_DEPTH / 8 + 64;
		for (u32 q = 0; q < TB_DEPTH; q++) src.push({q, at + rng.below(4)});
		while (!src.done()) step();
		CHECK(now >> 8 < at, "arming %u QPs takes until tick %llu", TB_DEPTH, (unsigned long long)(now >> 8));
		block = true;
		now = (at + 4) << 8;
		for (unsigned i = 0; i < 200; i++) { b.progress(); step(); if (i % 8 == 0) src.push({u32(rng.below(TB_DEPTH)), at}); }
		CHECK(blocked > 100 && src.q.size() < 3, "arms wait for expiries");
		block = false;
		u64 from = b.now();
		while (!want.empty() || !src.done()) step();
		all_worst = b.now() - from;
		for (int i = 0; i < 100; i++) step();
		for (u64 i = 0; i < 3 * WAY; i++) b.cycle([&] { d.arm_valid_i = 0; d.now_i = ++now; }, [&] {
			if (d.exp_valid_o && d.exp_ready_i) held.erase(u32(d.exp_qpn_o)); });
		CHECK(held.empty() && !d.any_o && d.idle_o, "not empty");
		// Behind a walk that has passed it an expiry waits for the next one; a group is eight, and each may be armed again.
		if (!slow) CHECK(worst <= 4 * WAY + 64 * (2 << B0), "late by %llu cycles", (unsigned long long)worst);
		if (!slow) CHECK(all_worst <= 4 * TB_DEPTH + 4 * WAY, "%llu cycles for all %u", (unsigned long long)all_worst, TB_DEPTH);
		CHECK(worst_arm <= 12 + (2u << B0), "an arm waits %llu cycles", (unsigned long long)worst_arm);
		GOAL(idle_cycles > 0 && jumps > 0);
		printf("# from tick %llx: %llu expired, %llu came early; worst %llu cycles late, arms wait at most %llu; all %u: %llu cycles\n", (unsigned long long)t0,
		       (unsigned long long)expired, (unsigned long long)early, (unsigned long long)worst, (unsigned long long)worst_arm, TB_DEPTH, (unsigned long long)all_worst);
	}
	return b.finish();
}
