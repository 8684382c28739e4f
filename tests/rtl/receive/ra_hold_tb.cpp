// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_hold: contexts of all kinds of tokens, in turn for any time (Compact: the cache makes the change). What is held
// is what came; an access has changed its word, and no other bit, and none of those of an entry in the timer; news are
// those of the cycle in which they were told; everything is there after exactly as many cycles as the header says.
// dut: ohca_ra_hold
// dut: ohca_ra_hold Compact=1
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { WORDS = 29, BITS = 32 * WORDS, HOT = OHCA_QPC_HOT_BYTES / 4, TMR = OHCA_RAC_TMR_LSB / 32, ARMED = OHCA_RAC_TIMER_ARMED_LSB / 32 };
	bytes cx, want, late;
	u32 kind = 0, dw = 0, mask = 0, data = 0, may = 0, old = 0, edit_at = 0, was = 0, edit_old = 0, act = 0, status = 0, verr = 0;
	bool there = false;
	int age = -1;                               // cycles since it was taken, -1: it is not
	u64 n = 0, kinds[8] = {}, changed = 0, same = 0, timers = 0, waited = 0, waits = 0;
	tb::Pace ip(&rng), ep(&rng);
	d.in_valid_i = d.end_i = d.edit_done_i = 0;
	b.reset();
	while (b.now() < b.cycles) {
		bool end = false, ready = false;
		b.cycle([&] {
			if (!there && age < 0 && ip.go()) {
				there = true;
				cx = rng.bytes(BITS / 8);
				kind = u32(rng.chance(30) ? u64(OHCA_RA_CK_ACC) : rng.below(8));
				dw = u32(rng.below(32)); data = u32(rng.bits(32)); mask = u32(rng.chance(30) ? 0xffffffff : rng.bits(32));
				if (rng.chance(20)) dw = rng.chance(50) ? TMR : ARMED;                 // where the timer's are
				if (rng.chance(20) && dw < HOT) data = u32(bits_of(cx, 32 * dw, 32)) ^ (rng.chance(50) ? 0 : 1u << rng.below(32));
				edit_at = u32(rng.range(1, 12)); edit_old = u32(rng.bits(32));
				may = mask & ~(dw == TMR ? 0xffffffffu : dw == ARMED ? 1u << OHCA_RAC_TIMER_ARMED_LSB % 32 : 0u);
			}
			const bool mine = there || age >= 0;
			d.in_valid_i = mine;
			d.in_kind_i = mine ? kind : u32(rng.below(8));
			if (age < 0) {
				late = rng.bytes((OHCA_RA_LATE_BITS + 7) / 8);
				for (unsigned i = OHCA_RA_LATE_BITS; i < 8 * late.size(); i++) put_bits(late, i, 1, 0);
				act = u32(rng.below(4)); status = u32(rng.bits(8)); verr = u32(rng.bits(8));
				tb::set_bytes(d.news_late_i, late.data(), late.size());
				d.news_act_i = act; d.news_status_i = status; d.news_verr_i = verr;
			} else {
				d.news_act_i = u32(rng.below(4)); d.news_status_i = u32(rng.bits(8)); d.news_verr_i = u32(rng.bits(8));
			}
			d.acc_dw_i = dw; d.acc_wdata_i = data; d.acc_bits_i = mask;
			d.edit_done_i = compact && age >= 0 && kind == OHCA_RA_CK_ACC && age == int(edit_at);
			// The cache makes the change, and has none but this one to offer.
			if (d.edit_done_i && dw < HOT) put_bits(cx, 32 * dw, 32, (bits_of(cx, 32 * dw, 32) & ~u64(may)) | (data & may));
			bytes line = there || (compact && age >= 0) ? cx : rng.bytes(BITS / 8);
			tb::set_bytes(d.in_i, line.data(), line.size());
			d.edit_old_i = edit_old;
			d.eval();
			ready = d.ready_o;
			end = ready && ep.go();
			d.end_i = end;
		}, [&] {
			CHECK_EQ(d.idle_o, age < 0, "idle");
			if (age < 0) CHECK_EQ(d.rnr_o, 0, "no wait");
			CHECK_EQ(d.told_o, age < 0 && there && kind == OHCA_RA_CK_UPD, "news are told");
			if (age >= 0) {
				const bool a = kind == OHCA_RA_CK_ACC;
				const bool rnr = kind == OHCA_RA_CK_UPD && act == OHCA_RA_ACT_RNR;
				const int when = a ? (compact ? int(edit_at) + 1 : HOT + 1) : rnr ? 2 : 1;
				CHECK_EQ(ready, age >= when, "when it is ready");
				CHECK_EQ(d.rnr_o, rnr && age == 1, "the time to wait is found");
				if (d.rnr_o) {
					CHECK_EQ(bits_of(get_all(d.cx_o, OHCA_RAC_BITS), OHCA_RAC_TMR_LSB, 32), bits_of(cx, OHCA_RAC_TMR_LSB, 32), "by what is held");
					CHECK_EQ(d.verr_o, verr, "for a code that is held");
					waits++;
				}
				CHECK_EQ(d.edit_o, compact && a && age < when, "the cache makes the change");
				if (compact && a && dw < HOT) CHECK_EQ(d.acc_mask_o, may, "what of it");
				if (ready) {
					want = bytes(OHCA_RAC_BITS / 8);
					for (unsigned i = 0; i < WORDS; i++) put_bits(want, 32 * i, 32, bits_of(cx, 32 * i, 32));
					if (a && !compact && dw < HOT) put_bits(want, 32 * dw, 32, (bits_of(cx, 32 * dw, 32) & ~u64(may)) | (data & may));
					CHECK(get_all(d.cx_o, OHCA_RAC_BITS) == want, "the context");
					CHECK_EQ(d.was_o, was, "the state before");
					CHECK(get_all(d.late_o, OHCA_RA_LATE_BITS) == late, "news: the walk's state");
					CHECK_EQ(d.act_o, act, "news: what they ask for"); CHECK_EQ(d.status_o, status, "news: status"); CHECK_EQ(d.verr_o, verr, "news: cause");
					if (a) {
						CHECK_EQ(d.acc_state_o, dw == 0 && (mask & 7), "it is about the state");
						CHECK_EQ(d.acc_old_o, compact ? edit_old : dw < HOT ? old : 0, "as it was");
						if (!compact) CHECK_EQ(d.acc_chg_o, dw < HOT && ((old ^ data) & may), "it changed");
						changed += d.acc_chg_o;
						same += !d.acc_chg_o && dw < HOT;
						timers += (mask & ~may) != 0;
					}
					waited += !end;
				}
				if (end) { kinds[kind]++; n++; }
			}
			b.progress();
			if (age >= 0) age = end ? -1 : age + 1;
			else if (there) {
				age = 1;
				there = false;
				was = u32(bits_of(cx, OHCA_RAC_STATE_LSB, OHCA_RAC_STATE_WIDTH));
				old = dw < HOT ? u32(bits_of(cx, 32 * dw, 32)) : 0;
			}
		});
	}
	printf("# %llu tokens, %llu words changed, %llu not, %llu about the timer, held on for %llu cycles\n", (unsigned long long)n,
		(unsigned long long)changed, (unsigned long long)same, (unsigned long long)timers, (unsigned long long)waited);
	for (u64 k : kinds) GOAL(k > 100);
	GOAL(n > 2000 && waits > 30 && (compact || (changed > 100 && same > 30)) && timers > 30 && waited > 500);
	return b.finish();
}
