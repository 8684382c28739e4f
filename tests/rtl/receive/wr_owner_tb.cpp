// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_wr_owner: writes of this unit's and of others, of one burst or two, acknowledged in order, some with an error: exactly the QPs whose writes
// failed are named, in that order; with more under way than can be remembered none is named that should not be.
// dut: ohca_wr_owner
// dut: ohca_wr_owner Depth=64
// dut: ohca_wr_owner Depth=8
#include "Vdut.h"
#include "tb.h"
#include <deque>
#ifndef TB_DEPTH
#define TB_DEPTH 256
#endif
typedef uint64_t u64;
typedef uint32_t u32;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Burst { u64 due; int qpn; };                // qpn -1: another writer's
	std::deque<Burst> out;
	std::deque<u32> want;
	u32 issued = u32(rng.next()), acked = issued, put = 0, two = 0, mine = 0, qpn = 0;
	u64 named = 0, failed = 0, missed = 0, last_due = 0;
	bool ack = false, err = false;
	const u32 most = TB_DEPTH > 8 ? TB_DEPTH - 4 : 100;
	u32 level = 5, errors = 3;
	u64 hold = 0, run = 0, longest = 0;                // acknowledgements come at once after a pause; errors cycle after cycle
	bool fast = false;
	d.put_i = d.err_i = 0;
	d.issued_i = d.acked_i = issued;
	b.reset();
	while (b.now() < b.cycles) {
		b.cycle([&] {
			// Also every burst of a long stretch, one a cycle.
			if (rng.below(300) == 0) { level = u32(rng.range(0, 100)); errors = rng.chance(30) ? 40 : rng.chance(20) ? 100 : u32(rng.below(6)); fast = rng.chance(30); }
			hold = fast && rng.below(out.empty() || out.front().due <= b.now() ? 400 : 4) == 0 ? b.now() + rng.below(200) : hold;
			put = out.size() + 2 < most && rng.chance(level);
			mine = put && rng.chance(60);
			two = put && rng.chance(20);
			qpn = u32(rng.bits(24));
			ack = !out.empty() && out.front().due <= b.now() && hold <= b.now() && (fast || rng.chance(70));
			err = ack && rng.chance(errors);
			d.issued_i = issued;
			d.acked_i = acked;
			d.put_i = mine;
			d.qpn_i = qpn;
			d.err_i = err;
		}, [&] {
			run = ack && err ? run + 1 : 0;
			longest = std::max(longest, run);
			if (ack) {
				if (err && out.front().qpn >= 0) { want.push_back(u32(out.front().qpn)); failed++; }
				out.pop_front();
				acked++;
				b.progress();
			}
			if (put) {
				u64 due = std::max(last_due, b.now() + 6 + rng.below(rng.chance(10) ? 300 : 20));
				last_due = due;
				for (u32 i = 0; i < 1 + two; i++) out.push_back({due, mine ? int(qpn) : -1});
				issued += 1 + two;
				b.progress();
			}
			if (d.lost_valid_o) {
				for (; TB_DEPTH == 8 && !want.empty() && want.front() != d.lost_qpn_o; missed++) want.pop_front();
				CHECK(!want.empty(), "QP %06x is named, and lost nothing", unsigned(d.lost_qpn_o));
				CHECK_EQ(d.lost_qpn_o, want.front(), "whose write failed");
				want.pop_front();
				named++;
			}
		});
	}
	for (u32 i = 0; i < 2000 && (!out.empty() || !d.idle_o); i++)
		b.cycle([&] {
			ack = !out.empty() && out.front().due <= b.now();
			d.issued_i = issued;
			d.acked_i = acked;
			d.put_i = d.err_i = 0;
		}, [&] {
			if (ack) { out.pop_front(); acked++; }
			if (d.lost_valid_o) { named++; if (!want.empty()) want.pop_front(); }
			b.progress();
		});
	CHECK(d.idle_o && out.empty(), "it does not come to rest");
	if (TB_DEPTH > 8) CHECK(want.empty(), "%zu failed writes were not told of", want.size());
	printf("# %llu writes failed, %llu named, %llu not remembered\n", (unsigned long long)failed, (unsigned long long)named, (unsigned long long)missed);
	GOAL(failed > 50 && longest >= 12);
	CHECK(named > 20, "too few of %llu are named", (unsigned long long)failed);
	return b.finish();
}
