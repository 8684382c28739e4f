// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_timer: every entry expires exactly once, never early, never late beyond the walk, across the wrap of the tick counter.
// dut: ohca_timer Depth=16
// dut: ohca_timer Depth=256
#include "Vdut.h"
#include "tb.h"
#include <map>
typedef uint32_t u32;
typedef uint64_t u64;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	b.stuck_after = 100000;
	const u64 start_ticks[] = {0, 0xffffff00ull, 0x7fffff00ull, 0x123456789ull};
	for (u64 t0 : start_ticks) for (int slow = 0; slow < 2; slow++) {
		u64 now = t0 << 8;
		struct E { u64 deadline; u64 due_since; };
		std::map<u32, E> set;                  // by QP
		struct A { u32 qpn; u64 deadline; };
		tb::Source<A> src(&rng);
		struct X { u32 qpn; };
		tb::Sink<X> sink(&rng, "exp");
		if (!slow) sink.pace.always(1);
		u64 n = b.cycles / 10, armed = 0, expired = 0, worst = 0, jumps = 0, idle_cycles = 0, walks = 0;
		bool was_idle = true;
		d.arm_valid_i = d.exp_ready_i = 0;
		d.now_i = now;
		b.reset();
		std::map<u32, bool> pending;
		while (expired < n) {
			b.cycle([&] {
				now++;
				if (d.idle_o && (src.done() || !d.arm_ready_o) && !set.empty() && rng.chance(10)) {   // time jumps to just before a deadline when nothing else goes on
					u64 first = ~0ull;
					for (auto &e : set) first = std::min(first, e.second.deadline);
					u64 back = rng.below(600), to = (first << 8) > back ? (first << 8) - back : 0;
					if (to > now) { now = to; jumps++; }
				}
				d.now_i = now;
				if (src.done() && armed < n && rng.chance(30)) {
					u32 q = u32(rng.bits(24));
					if (!set.count(q)) src.push({q, (now >> 8) + (rng.chance(10) ? rng.below(0x7fffff00) : rng.chance(5) ? 0 : rng.below(40))});
				}
				d.arm_valid_i = src.drive();
				if (d.arm_valid_i) { d.arm_qpn_i = src.front().qpn; d.arm_deadline_i = u32(src.front().deadline); }
				d.exp_ready_i = sink.drive();
			}, [&] {
				u64 tick = now >> 8;
				for (auto &e : set) if (e.second.deadline <= tick && !e.second.due_since) e.second.due_since = b.now();
				CHECK_EQ(d.any_o, !set.empty(), "any");
				if (d.idle_o && !set.empty()) {
					u64 first = ~0ull;
					for (auto &e : set) first = std::min(first, e.second.deadline);
					CHECK_EQ(d.next_o, u32(first), "next");
					CHECK(first > tick, "idle, but due: first %llx tick %llx next %x n %zu", (unsigned long long)first, (unsigned long long)tick, d.next_o, set.size());
					idle_cycles++;
				}
				CHECK(!d.idle_o || !d.exp_valid_o, "expiry while idle");
				if (was_idle && !d.idle_o) walks++;
				was_idle = d.idle_o;
				if (sink.sample(d.exp_valid_o, X{u32(d.exp_qpn_o)})) {
					auto it = set.find(u32(d.exp_qpn_o));
					CHECK(it != set.end(), "QP %x has no timer", d.exp_qpn_o);
					CHECK(it->second.deadline <= tick, "QP %x expires early", d.exp_qpn_o);
					worst = std::max(worst, b.now() - it->second.due_since);
					set.erase(it);
					expired++;
					b.progress();
				}
				if (d.arm_valid_i) {
					A a = src.front();
					if (src.sample(d.arm_ready_o)) { set[a.qpn] = {a.deadline, 0}; armed++; }
				}
				CHECK(set.size() < TB_DEPTH, "more than Depth - 1 entries");
			});
		}
		for (int i = 0; i < 100; i++) b.cycle([&] { d.arm_valid_i = 0; d.now_i = ++now; }, [&] { CHECK(!d.exp_valid_o && d.idle_o && !d.any_o, "not empty"); });
		// Due during one walk means taken in the next at the latest.
		if (!slow) CHECK(worst <= 2 * TB_DEPTH + 6, "late by %llu cycles", (unsigned long long)worst);
		GOAL(idle_cycles > 0 && jumps > 0);
		printf("# from tick %llx: %llu expired in %llu walks, worst %llu cycles late\n", (unsigned long long)t0, (unsigned long long)expired, (unsigned long long)walks, (unsigned long long)worst);
	}
	return b.finish();
}
