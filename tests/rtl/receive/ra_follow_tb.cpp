// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_follow: random commits, each wanting any of what there is, against queues: everything leaves once, in the
// order of the commits, as it was decided; progress before other feedback, the datagram's completion before the one behind
// it. When nothing holds it up a commit is taken every second cycle, and what it decides is at its port two cycles
// later; a slot that the result stage frees never waits.
// dut: ohca_ra_follow
// dut: ohca_ra_follow QpW=6 Arms=16 Slow=1
// args: --cycles 100000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifndef TB_ARMS
#define TB_ARMS 32
#endif
#ifndef TB_QP_W
#define TB_QP_W 12
#endif

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Timed { bytes b; u64 v, w, since; };
	std::deque<Timed> fbs, cqs, evs, qerrs, flushes, arms, slots;
	tb::Pace fp(&rng), cp(&rng), ep(&rng), qp(&rng), ap(&rng), go(&rng);
	u64 fires = 0, waits = 0, both = 0, twice = 0, fast = 0, quick = 0, passed = 0;
	u64 last = 0;
	bool plain = false, speed = false, want = false, fire = false, r_rel = false, r_was = false;
	u64 run = 0;
	bytes fb((OHCA_SQ_FB_BITS + 7) / 8), cq((OHCA_CQ_REQ_BITS + 7) / 8);
	u32 progress = 0, fbv = 0, cqe = 0, cqe2 = 0, ev = 0, qe = 0, flush = 0, arm = 0, rel = 0, slot = 0, deadline = 0;
	bool stalled = false;
	u64 full = 0;
	u32 status = 0, verr = 0, idx2 = 0, r_slot = 0, r_slot_was = 0;
	auto clean = [](bytes &x, unsigned bits) { put_bits(x, bits, 8 * unsigned(x.size()) - bits, 0); };
	d.fire_i = d.r_rel_i = d.fb_ready_i = d.cq_ready_i = d.ev_ready_i = d.qerr_ready_i = d.arm_ready_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		b.cycle([&] {
			if (rng.below(500) == 0) {
				speed = rng.chance(40);
				for (auto *p : {&fp, &cp, &ep, &qp, &ap, &go}) p->always(speed ? 1 : -1);
				run = 0;
				stalled = !speed && !stalled && rng.chance(30);  // the timer takes nothing for a while: its queue fills
			}
			run++;
			if (!want && feed) {
				for (auto *x : {&fb, &cq}) for (auto &y : *x) y = u8(rng.bits(8));
				clean(fb, OHCA_SQ_FB_BITS); clean(cq, OHCA_CQ_REQ_BITS);
				PF(fb, OHCA_SQ_FB_KIND, rng.chance(50) ? u32(OHCA_FBK_RESTART) : u32(OHCA_FBK_ERROR));
				progress = rng.chance(30); fbv = rng.chance(20); cqe = rng.chance(20); cqe2 = cqe && rng.chance(20);
				ev = rng.chance(speed ? 5 : 20); qe = rng.chance(10); flush = rng.chance(20); arm = rng.chance(30);
				rel = rng.chance(40); slot = u32(rng.bits(6)); deadline = u32(rng.bits(32));
				status = u32(rng.bits(8)); verr = u32(rng.bits(8)); idx2 = u32(rng.bits(16));
				want = true;
			}
			r_rel = feed && rng.chance(speed ? 10 : 40); r_slot = u32(rng.bits(6));
			// Who fires goes by the counts and the room.
			bool room = d.room_o && (!rel || d.rel_room_o) && d.fb_count_o < 44 && d.qerr_count_o < 60 && b.now() != last + 1;
			if (speed && run > 200 && b.now() == last + 2 && plain) { CHECK(d.room_o, "no room after two cycles"); fast++; }
			fire = want && room && go.go();
			waits += want && !room;
			d.fire_i = fire; d.progress_i = progress; d.fb_valid_i = fbv;
			tb::set_bytes(d.fb_i, fb.data(), fb.size());
			tb::set_bytes(d.cq_i, cq.data(), cq.size());
			d.cqe_i = cqe; d.cqe2_i = cqe2; d.idx2_i = idx2; d.status_i = status; d.verr_i = verr; d.ev_i = ev;
			d.qerr_i = qe; d.flush_i = flush; d.arm_i = arm; d.deadline_i = deadline; d.rel_i = rel; d.slot_i = slot;
			d.r_rel_i = r_rel; d.r_slot_i = r_slot;
			d.fb_ready_i = fp.go(); d.cq_ready_i = cp.go(); d.ev_ready_i = ep.go(); d.qerr_ready_i = qp.go();
			d.arm_ready_i = ap.go() && !(stalled && run < 1000 && feed);
			full += stalled && !d.room_o && arms.size() + 2 >= TB_ARMS;
		}, [&] {
			u64 now = b.now();
			auto first = [&](std::deque<Timed> &q, const char *what) {
				CHECK(!q.empty(), "%s: one too many", what);
				Timed t = q.front();
				q.pop_front();
				if (speed && run > 200 && now - t.since <= 2) quick++;
				b.progress();
				return t;
			};
			if (d.fb_valid_o && d.fb_ready_i) CHECK(get_all(d.fb_o, OHCA_SQ_FB_BITS) == first(fbs, "feedback").b, "feedback");
			if (d.cq_valid_o && d.cq_ready_i) CHECK(get_all(d.cq_o, OHCA_CQ_REQ_BITS) == first(cqs, "cq").b, "completion");
			if (d.ev_valid_o && d.ev_ready_i) {
				Timed t = first(evs, "event");
				bytes e = get_all(d.ev_o, OHCA_EV_REQ_BITS);
				CHECK_EQ(BF(e, OHCA_EV_REQ_ETYPE), OHCA_EQE_TYPE_QP_FATAL, "event");
				CHECK_EQ(BF(e, OHCA_EV_REQ_NUM), t.v, "event's QP"); CHECK_EQ(BF(e, OHCA_EV_REQ_SYNDROME), t.w, "why");
			}
			if (d.qerr_valid_o && d.qerr_ready_i) CHECK_EQ(d.qerr_qpn_o, first(qerrs, "qerr").v, "qerr");
			if (d.flush_valid_o) {
				CHECK_EQ(d.flush_qpn_o, first(flushes, "flush").v, "flush");
			}
			if (d.arm_valid_o && d.arm_ready_i) {
				Timed t = first(arms, "timer");
				CHECK_EQ(d.arm_qpn_o, t.v & ((1u << TB_QP_W) - 1), "timer's QP"); CHECK_EQ(d.arm_deadline_o, t.w, "deadline");
			}
			if (r_was) {
				CHECK(d.rel_valid_o && d.rel_slot_o == r_slot_was, "a slot of the result stage");
				passed += !slots.empty();
			} else if (d.rel_valid_o) CHECK_EQ(d.rel_slot_o, first(slots, "slot").v, "slot");
			else CHECK(slots.empty() || slots.front().since + 1 >= now, "a slot waits for nothing");
			if (fire) {
				u64 qpn = BF(fb, OHCA_SQ_FB_QPN);
				if (progress) {
					bytes p = fb;
					PF(p, OHCA_SQ_FB_KIND, OHCA_FBK_PROGRESS);
					PF(p, OHCA_SQ_FB_UNA_PSN, BF(fb, OHCA_SQ_FB_PSN)); PF(p, OHCA_SQ_FB_PSN, BF(fb, OHCA_SQ_FB_UNA_PSN));
					fbs.push_back({p, 0, 0, now});
				}
				both += progress && fbv;
				if (fbv) fbs.push_back({fb, 0, 0, now});
				if (cqe) cqs.push_back({cq, 0, 0, now});
				if (cqe2) {
					bytes c = cq;
					PF(c, OHCA_CQ_REQ_OPCODE, 0); PF(c, OHCA_CQ_REQ_IDX, idx2); PF(c, OHCA_CQ_REQ_STATUS, status);
					PF(c, OHCA_CQ_REQ_VERR, verr);
					cqs.push_back({c, 0, 0, now});
					twice++;
				}
				if (ev) evs.push_back({{}, qpn, status, now});
				if (qe) qerrs.push_back({{}, qpn, 0, now});
				if (flush) flushes.push_back({{}, qpn, 0, now});
				if (arm) arms.push_back({{}, qpn, deadline, now});
				if (rel) slots.push_back({{}, slot, 0, now});
				fires++;
				want = false;
				last = now;
				plain = !cqe2 && !ev && !rel;
				b.progress();
			}
			r_was = r_rel; r_slot_was = r_slot;
			if (d.idle_o && !fire) CHECK(fbs.empty() && cqs.empty() && evs.empty() && qerrs.empty() && flushes.empty() && arms.empty() &&
				slots.empty() , "idle too early");
		});
		if (fire) want = false;
	};
	while (b.now() < b.cycles) step(true);
	want = false;
	for (auto *p : {&fp, &cp, &ep, &qp, &ap}) p->always(1);
	for (int i = 0; i < 300; i++) step(false);
	CHECK(fbs.empty() && cqs.empty() && evs.empty() && qerrs.empty() && flushes.empty() && arms.empty() && slots.empty(),
		"something is left");
	CHECK(d.idle_o, "not idle");
	printf("# %llu commits, %llu with progress and more, %llu with two completions, %llu slots passed, "
		"%llu cycles without room; %llu left within two cycles\n", (unsigned long long)fires, (unsigned long long)both, (unsigned long long)twice,
		(unsigned long long)passed, (unsigned long long)waits, (unsigned long long)quick);
	GOAL(fires > 10000 && both > 300 && twice > 100 && passed > 300 && quick > 3000 && fast > 1000 && full > 500);
	return b.finish();
}
