// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_qpn_match: entries that get numbers and searches among few numbers, ended after any time, against a table; a
// search takes exactly as long as the header says.
// dut: ohca_qpn_match InFlight=16 Banks=4
// dut: ohca_qpn_match InFlight=8 Banks=2
// args: --cycles 40000
#include "Vdut.h"
#include "tb.h"

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { N = TB_IN_FLIGHT, TURNS = N / TB_BANKS };
	unsigned number[N];
	int age = -1;                               // of the search, -1: none
	unsigned qpn = 0;
	uint64_t found[4] = {}, n = 0, early = 0;
	auto draw = [&] { return unsigned(0x10 + rng.below(5) + (rng.chance(20) ? 1u << (4 + rng.below(20)) : 0)); };
	unsigned set_e = 0, set_to = 0;
	auto set = [&](unsigned e) {
		set_e = e;
		set_to = draw();
		d.set_i = 1; d.e_i = e; d.set_qpn_i = set_to;
	};
	d.set_i = d.find_i = d.end_i = 0;
	b.reset();
	for (unsigned e = 0; e < N; e++) b.cycle([&] { set(e); }, [&] { number[e] = set_to; });
	while (b.now() < b.cycles) {
		b.cycle([&] {
			d.set_i = d.end_i = 0;
			if (age < 0 && rng.chance(40)) { age = 0; qpn = draw(); }
			d.find_i = age >= 0;
			d.qpn_i = age >= 0 ? qpn : draw();
			if (age >= 0 && rng.chance(age >= TURNS ? 40 : 3)) d.end_i = 1;
			// The one that ends it may give a number to an entry.
			if ((age < 0 || d.end_i) && rng.chance(40)) set(unsigned(rng.below(N)));
		}, [&] {
			CHECK_EQ(d.done_o, age >= TURNS, "when it is done");
			if (d.done_o) {
				unsigned want = 0;
				for (unsigned e = 0; e < N; e++) if (number[e] == qpn) want |= 1u << e;
				CHECK_EQ(d.match_o, want, "which have the number");
				const int c = __builtin_popcount(want);
				found[c < 3 ? c : 3] += d.end_i;
				n += d.end_i;
			}
			early += d.end_i && !d.done_o;
			if (d.set_i) number[set_e] = set_to;
			age = d.end_i ? -1 : age >= 0 ? age + 1 : -1;
			b.progress();
		});
	}
	printf("# %llu searches, %llu ended early; found 0, 1, 2, more: %llu %llu %llu %llu\n", (unsigned long long)n,
		(unsigned long long)early, (unsigned long long)found[0],
		(unsigned long long)found[1], (unsigned long long)found[2], (unsigned long long)found[3]);
	GOAL(n > 1000 && early > 100 && found[0] > 50 && found[1] > 50 && found[2] > 50 && found[3] > 50);
	return b.finish();
}
