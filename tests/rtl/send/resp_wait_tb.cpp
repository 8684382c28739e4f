// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_wait: jobs of random QPs come in as ohca_resp brings them, and the oldest goes, or is tried and stays. They come out in their order, whole; a plain ACK is
// replaced by the next one when nothing of its QP lies between and it is not the oldest; behind something of its QP a NAK needs no place; places are kept for READs; who
// may go is offered when it became the oldest, when a ring became free, also while it was tried, and every 64 cycles, and not oftener.
// dut: ohca_resp_wait
// dut: ohca_resp_wait Places=16 Coming=4
// dut: ohca_resp_wait Places=8 Coming=3 RoCE=0
// dut: ohca_resp_wait Places=64 Coming=20 Compact=1 RoCE=0
// dut: ohca_resp_wait Places=32 Coming=20 Compact=1 RoCE=0
// dut: ohca_resp_wait Places=16 Coming=4 Compact=1
// args: --cycles 60000
#include "Vdut.h"
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#include "tb.h"
#include "resp_job.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_PLACES
#define TB_PLACES 128
#define TB_COMING 36
#endif
enum { OTHERS = TB_PLACES - TB_COMING, NO_READS = OTHERS / 2, OFFERED = TB_COMPACT ? 5 : 3 };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &r = b.rng;
	struct Entry { u32 qpn; bool plain; Rjob job; bool has_nak = false, second = false; Rjob nak{}; const Rjob &now() const { return second ? nak : job; } };     // second: its NAK is next
	std::deque<Entry> room;
	// The job on its way: looked for, then decided, in its first cycle there or later.
	enum { NONE, LOOK, ACT } at = NONE;
	struct { Rjob job; u32 qpn; bool read, plain, nak, tried; u32 delay; u64 since; } it{};
	u32 qpns = 4, in_rate = 50, out_rate = 50, go_rate = 50, free_rate = 5, acks = 50;
	u64 head_since = 0, offers = 0, frees = 0, last_free = 0, idle_since = 0;
	bool was_valid = false, owed = false;      // owed: something became free since the oldest was tried
	u64 n_out = 0, merged = 0, not_oldest = 0, between = 0, refused = 0, dropped = 0, backs = 0, by_clock = 0, during = 0, full = 0, few = 0, two = 0, naks = 0, late_naks = 0;
	u32 count = 0;                             // jobs, a cycle ago
	Rjob shown;                                // the job that is offered
	u64 acted = 0;                             // when last
	auto seen = [&] {
		return n_out > 2000 && merged > 100 && not_oldest > 10 && between > 10 && refused > 30 && dropped > 10 && backs > 300 && by_clock > 30 && during > 30 &&
		       full > 100 && few > 100 && (two > 100 || TB_COMPACT) && naks > 100 && late_naks > 10;
	};
	d.look_i = d.act_i = d.put_i = d.put_merge_i = d.put_nak_i = d.freed_i = d.take_i = d.pop_i = d.may_i = 0;
	b.reset();
	auto step = [&](bool more) {
		bool look = false, take = false, act = false, put = false, merge = false, behind = false, pop = false, freed = false, fresh = false, done = false;
		u32 look_qpn = 0;
		Rjob next;
		b.progress();
		b.cycle([&] {
			if (r.below(200 + 6 * TB_PLACES) == 0) {
				const bool fills = r.chance(40), drains = !fills && r.chance(60);
				qpns = u32(r.range(1, r.chance(60) ? 3 : 40)); acks = u32(r.chance(30) ? r.range(93, 99) : r.range(5, 95));
				in_rate = u32(drains ? r.range(1, 15) : r.range(1, 100)); out_rate = u32(r.chance(50) ? 100 : r.range(1, 100));
				go_rate = u32(fills ? r.range(0, 5) : drains ? r.range(50, 100) : r.range(1, 100)); free_rate = u32(r.chance(40) ? 0 : r.range(1, 30));
			}
			if (!more) out_rate = go_rate = 100;
			freed = r.chance(free_rate);
			d.freed_i = freed;
			// What is in its place, as it stands now: nothing is put or popped between its look and its end.
			bool hit = false, fits = false, bears = false;
			if (at == ACT) {
				for (size_t k = 0; k < room.size(); k++) if (room[k].qpn == it.qpn) { hit = true; fits = room[k].plain && k; bears = !room[k].has_nak; }
				CHECK_EQ(d.hit_o, hit, "something of the QP waits");
				CHECK_EQ(d.merge_o, fits, "an ACK may take its place");
				CHECK_EQ(d.bears_o, bears, "a NAK may lie behind it");
				CHECK_EQ(d.other_o, room.size() < OTHERS, "a place for what is no READ");
				CHECK_EQ(d.full_o, room.size() == TB_PLACES, "no place at all");
				act = b.now() == it.since + 2;
				merge = !it.tried && hit && it.plain && fits;
				behind = !it.tried && it.nak && bears;
				done = b.now() >= it.since + 2 + (merge || behind ? 0 : it.delay);
				if (act && hit && it.plain && !it.tried) {
					size_t last = 0, n = 0;
					for (size_t k = 0; k < room.size(); k++) if (room[k].qpn == it.qpn) { last = k; n++; }
					not_oldest += room[last].plain && !last;
					between += !room[last].plain && n > 1;
				}
				if (it.tried) pop = done && r.chance(go_rate);
				else if (done && !merge && !behind) {
					// A READ comes here although nothing of its QP waits, if there is no ring for it.
					const bool comes = hit || (it.read && r.chance(70)), room_for = room.size() < TB_PLACES && (it.read || room.size() < OTHERS);
					put = comes && room_for;
					if (comes && !room_for) { dropped++; refused += !it.read && room.size() < TB_PLACES; }
				}
				put |= merge || behind;
			}
			d.act_i = act; d.may_i = act ? it.read || hit : r.chance(50);
			d.put_i = put; d.put_merge_i = merge; d.put_nak_i = behind; d.put_plain_i = at == ACT ? it.plain : r.chance(50);
			// Compact: it stays for the cycle behind its first one.
			if (!TB_COMPACT || b.now() != acted + 1) shown = at == ACT ? it.job : random_rjob(r);
			if (act) acted = b.now();
			d.put_job_i = shown.v;
			d.pop_i = pop;
			// The next one: the oldest of those that wait, or another, also in the cycle in which the one before ends, of another QP.
			take = at == NONE && was_valid && r.chance(out_rate);
			next = random_rjob(r);
			const u32 qpn = u32(r.below(qpns)) * 0x40001u + 5;
			SET_FIELD(next.v, OHCA_RJOB_QPN, qpn);
			fresh = more && !take && (at == NONE || (!TB_COMPACT && done && qpn != it.qpn)) && r.chance(in_rate);
			look = take || fresh;
			look_qpn = take ? room.front().qpn : qpn;
			two += fresh && done;
			d.look_i = look; d.look_qpn_i = look ? look_qpn : u32(r.bits(24)); d.take_i = take;
		}, [&] {
			CHECK_EQ(d.some_o, !room.empty(), "somebody waits");
			CHECK_EQ(d.few_o, count >= NO_READS, "no READ should be accepted");
			count = u32(room.size());
			full += room.size() == TB_PLACES; few += d.few_o;
			// The oldest.
			const u64 now = b.now();
			if (d.valid_o) {
				CHECK(!room.empty(), "nobody is offered");
				CHECK(now >= head_since + OFFERED, "the oldest is offered after %llu cycles", (unsigned long long)(now - head_since));
				check_rjob(d.job_o, room.front().now(), TB_RO_C_E, "the oldest job");
			}
			if (it.tried && at != NONE) check_rjob(d.job_o, room.front().now(), TB_RO_C_E, "the oldest job while it is tried");
			CHECK(d.valid_o || !was_valid, "who was offered is not any more");
			if (!room.empty() && !offers && now == head_since + OFFERED) CHECK(d.valid_o, "the oldest is offered");
			if (!room.empty() && offers) {
				CHECK(d.valid_o || !owed, "a ring became free, and the oldest is not offered again");
				CHECK(d.valid_o || now - idle_since <= 64, "the oldest is not offered again");
			}
			if (d.valid_o && !was_valid) {
				offers++;
				by_clock += offers > 1 && last_free < idle_since;
				CHECK(offers <= 2 + frees + (now - head_since) / 64, "offered %llu times: %llu rings became free", (unsigned long long)offers, (unsigned long long)frees);
			}
			was_valid = d.valid_o && !take;
			if (take) { idle_since = now; owed = false; }
			if (freed) {
				frees++; last_free = now; owed = offers && !room.empty();
				during += it.tried && at != NONE;
			}
			backs += it.tried && done && !pop;
			if (merge) {
				for (size_t k = room.size(); k-- > 0;) if (room[k].qpn == it.qpn) { room[k].job = it.job; break; }
				merged++;
			} else if (behind) {
				size_t k = room.size() - 1;
				while (room[k].qpn != it.qpn) k--;
				room[k].has_nak = true; room[k].nak = it.job; room[k].plain = false;
				naks++; late_naks += !k;
			} else if (put) {
				if (room.empty()) { head_since = now; offers = frees = 0; owed = false; }
				room.push_back({ it.qpn, it.plain, it.job });
			}
			if (pop) {
				if (room.front().has_nak && !room.front().second) room.front().second = true;
				else room.pop_front();
				n_out++; head_since = now; offers = frees = 0; owed = was_valid = false;
			}
			if (look) {
				it = { next, look_qpn, false, false, false, take, u32(r.chance(70) ? 0 : r.range(1, 6)), now };
				if (take) it.job = room.front().now();
				else {
					it.read = !r.chance(acks);
					it.plain = !it.read && r.chance(85);
					it.nak = !it.read && !it.plain;
				}
			}
			at = look ? LOOK : at == LOOK ? ACT : done ? NONE : at;
		});
	};
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen())) step(true);
	for (u64 t0 = b.now(); !room.empty(); step(false)) CHECK(b.now() - t0 < 100000, "%zu still wait", room.size());
	printf("# %llu jobs waited, %llu ACKs took the place of one before, %llu NAKs none; %llu offers by the clock, %llu tried in vain, %llu cycles full, %llu found no place\n",
	       (unsigned long long)n_out, (unsigned long long)merged, (unsigned long long)naks, (unsigned long long)by_clock, (unsigned long long)backs, (unsigned long long)full, (unsigned long long)dropped);
	GOAL(seen());
	return b.finish();
}
