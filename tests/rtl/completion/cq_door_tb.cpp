// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_cq_door SlotW=4
// dut: ohca_cq_door SlotW=2
// All sources at any pace, a sink that stalls: everything goes in once, in order by source, with its number and content; replays, errors and timers before
// the others, arms and completions in turn, and a fence behind the completions that were offered when it came. A token a cycle.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

constexpr unsigned RW = OHCA_CQ_REQ_BITS, SW = TB_SLOT_W;
enum { COMP, ARM, ACC, ERR };
struct Req { uint32_t cqn, imm; };
struct Arm { uint64_t raw; unsigned top; };
struct Acc { uint32_t num, wdata, wmask; unsigned dw; bool inval; };
struct Rep { Req r; unsigned slot; bool ok; uint32_t ci; bool look; };
struct Tmr { uint32_t cqn; unsigned gen; };
struct Want { int kind; bool replay, ci_ok; unsigned slot; uint32_t ci, id, imm; bool inval; uint64_t low; unsigned dw; bool any_ci; unsigned top; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Source<Req> req[2] = {tb::Source<Req>(&rng), tb::Source<Req>(&rng)};
  tb::Source<Arm> arm(&rng);
  tb::Source<Acc> acc(&rng);
  tb::Source<Rep> rep(&rng);
  tb::Source<Tmr> tmr(&rng), err(&rng);
  tb::Pace out(&rng), room(&rng), busy(&rng);
  std::deque<Want> want;
  uint64_t count[4] = {}, fences = 0, taken = 0, looks = 0;
  unsigned fence_left[2] = {};                       // completions that stood at the door when the fence came
  bool fence_on = false, last_arm = false;
  unsigned streak = 0, acc_since = 0;
  b.reset();
  auto fill = [&](bool all) {
    for (auto &r : req) if (r.q.size() < 2) r.push({uint32_t(rng.bits(24)), uint32_t(rng.bits(32))});
    if (arm.q.size() < 2) arm.push({rng.bits(63) << 1 | rng.bits(1), unsigned(rng.bits(8))});
    if (!all) return;
    if (acc.q.empty() && rng.chance(20)) acc.push({uint32_t(rng.bits(24)), uint32_t(rng.bits(32)), rng.chance(30) ? 0 : uint32_t(rng.bits(32)), unsigned(rng.chance(50) ? 0 : rng.bits(5)), bool(rng.bits(1))});
    if (rep.q.empty() && rng.chance(10)) rep.push({{uint32_t(rng.bits(24)), uint32_t(rng.bits(32))}, unsigned(rng.bits(SW)), bool(rng.bits(1)), uint32_t(rng.bits(24)), rng.chance(30)});
    if (tmr.q.empty() && rng.chance(10)) tmr.push({uint32_t(rng.bits(24)), unsigned(rng.bits(8))});
    if (err.q.empty() && rng.chance(10)) err.push({uint32_t(rng.bits(24)), 0});
  };
  auto put_req = [&](auto &sig, unsigned at, const Req &r) {
    tb::set_bits(sig, at + OHCA_CQ_REQ_CQN_LSB, 24, r.cqn);
    tb::set_bits(sig, at + OHCA_CQ_REQ_IMM_LSB, 32, r.imm);
  };
  auto drive = [&] {
    d.cq_valid_i = 0;
    for (unsigned i = 0; i < 2; i++) if (req[i].drive()) { d.cq_valid_i |= 1 << i; put_req(d.cq_i, i * RW, req[i].front()); }
    d.room_i = room.go();
    d.arm_valid_i = arm.drive();
    if (d.arm_valid_i) { tb::set_bits(d.arm_i, 0, 64, arm.front().raw); tb::set_bits(d.arm_i, 64, 8, arm.front().top); }
    d.acc_valid_i = acc.drive();
    d.acc_busy_i = d.acc_valid_i && !acc_since && !busy.go();     // only before it is looked at
    if (d.acc_valid_i) {
      const Acc &a = acc.front();
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_NUM, a.num); SET_FIELD(d.acc_i, OHCA_CTX_ACC_DW, a.dw); SET_FIELD(d.acc_i, OHCA_CTX_ACC_WDATA, a.wdata);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_WMASK, a.wmask); SET_FIELD(d.acc_i, OHCA_CTX_ACC_INVAL, a.inval);
    }
    d.rep_valid_i = rep.drive();
    if (d.rep_valid_i) { put_req(d.rep_i, 0, rep.front().r); d.rep_slot_i = rep.front().slot; d.rep_ok_i = rep.front().ok; d.rep_ci_i = rep.front().ci; d.rep_look_i = rep.front().look; }
    d.tmr_valid_i = tmr.drive();
    if (d.tmr_valid_i) { d.tmr_cqn_i = tmr.front().cqn; d.tmr_gen_i = tmr.front().gen; }
    d.err_valid_i = err.drive();
    if (d.err_valid_i) d.err_cqn_i = err.front().cqn;
    d.ready_i = out.go();
  };
  auto sample = [&] {
    if (d.valid_o && d.ready_i) {
      b.progress();
      CHECK(!want.empty(), "a token that nobody made");
      const Want &w = want.front();
      constexpr unsigned CI = RW, OK = RW + 24, SLOT = OK + 1, REP = SLOT + SW, KIND = REP + 1;
      CHECK_EQ(tb::get_bits(d.token_o, KIND, 2), unsigned(w.kind), "kind");
      CHECK_EQ(d.id_o, w.id, "CQ");
      CHECK_EQ(d.inval_o, w.inval, "inval");
      CHECK_EQ(tb::get_bits(d.token_o, REP, 1), w.replay, "replay");
      CHECK_EQ(tb::get_bits(d.token_o, SLOT, SW), w.slot, "slot");
      CHECK_EQ(tb::get_bits(d.token_o, OK, 1), w.ci_ok, "ci valid");
      CHECK_EQ(tb::get_bits(d.token_o, CI, 24), w.ci, "ci");
      if (w.kind == COMP) {
        CHECK_EQ(tb::get_bits(d.token_o, OHCA_CQ_REQ_CQN_LSB, 24), w.id, "completion");
        CHECK_EQ(tb::get_bits(d.token_o, OHCA_CQ_REQ_IMM_LSB, 32), w.imm, "completion");
      } else if (!w.replay) {
        CHECK_EQ(tb::get_bits(d.token_o, 0, 64), w.low, "body");
        if (w.kind == ACC) CHECK_EQ(tb::get_bits(d.token_o, 64, 5), w.dw, "dword");
        if (w.kind == ARM) CHECK_EQ(tb::get_bits(d.token_o, 64, 8), w.top, "upper bits of the page");
      }
      want.pop_front();
      taken++;
    }
    // Who goes, and who should have.
    const bool ctl = d.rep_valid_i || d.err_valid_i || d.tmr_valid_i, fence = d.acc_valid_i && acc.front().dw == 0 && acc.front().wmask;
    if (d.err_valid_i && d.err_ready_o) CHECK(!d.rep_valid_i, "an error before a replay");
    if (d.tmr_valid_i && d.tmr_ready_o) CHECK(!d.rep_valid_i && !d.err_valid_i, "a timer before a replay or an error");
    if (d.acc_ready_o || d.arm_ready_o || d.cq_go_o) CHECK(!ctl, "before what goes first");
    if (d.cq_go_o) CHECK(d.room_i, "a completion without room");
    if (d.acc_ready_o) CHECK(!d.acc_busy_i, "a second access");
    if ((d.arm_ready_o && d.arm_valid_i) || d.cq_go_o) {
      CHECK(!(d.acc_valid_i && !fence && !d.acc_busy_i && acc_since >= 2), "before an access");
      bool both = d.arm_valid_i && d.cq_valid_i && d.room_i;
      bool is_arm = d.arm_ready_o && d.arm_valid_i;
      streak = both && is_arm == last_arm ? streak + 1 : 0;
      CHECK(streak < 2, "no turns");
      last_arm = is_arm;
    }
    acc_since = d.acc_valid_i && !d.acc_busy_i && !d.acc_ready_o ? acc_since + 1 : 0;     // it is looked at in the cycle after
    if (fence && !d.acc_busy_i && !fence_on) {
      fence_on = true;
      for (unsigned i = 0; i < 2; i++) fence_left[i] = d.cq_valid_i >> i & 1 ? 1 : 0;
    }
    Want w{};
    for (unsigned i = 0; i < 2; i++) {
      Req r = req[i].q.empty() ? Req{} : req[i].front();
      if (req[i].sample(d.cq_ready_o >> i & 1)) { w = {}; w.kind = COMP; w.id = r.cqn; w.imm = r.imm; want.push_back(w); count[COMP]++; if (fence_left[i]) fence_left[i]--; }
    }
    Arm a = arm.q.empty() ? Arm{} : arm.front();
    if (arm.sample(d.arm_ready_o)) {
      w = {}; w.kind = ARM; w.id = a.raw >> 32 & 0xffffff; w.ci = uint32_t(a.raw + (a.raw >> 24 & 0x7f)) & 0xffffff; w.low = a.raw; w.top = a.top;
      want.push_back(w); count[ARM]++;
    }
    Acc x = acc.q.empty() ? Acc{} : acc.front();
    if (acc.sample(d.acc_ready_o)) {
      w = {}; w.kind = ACC; w.id = x.num; w.inval = x.inval; w.ci_ok = true; w.ci = x.wdata & 0xffffff; w.low = uint64_t(x.wdata) << 32 | x.wmask; w.dw = x.dw;
      want.push_back(w); count[ACC]++;
      if (x.dw == 0 && x.wmask) { fences++; CHECK(!fence_left[0] && !fence_left[1], "a fence before a completion that was there"); }
      fence_on = false; fence_left[0] = fence_left[1] = 0;
    }
    Rep p = rep.q.empty() ? Rep{} : rep.front();
    if (rep.sample(d.rep_ready_o)) { w = {}; w.kind = p.look ? ERR : COMP; w.replay = true; w.id = p.r.cqn; w.imm = p.r.imm; w.slot = p.slot; looks += p.look; w.ci_ok = p.ok; w.ci = p.ci; want.push_back(w); }
    Tmr e = err.q.empty() ? Tmr{} : err.front();
    if (err.sample(d.err_ready_o)) { w = {}; w.kind = ERR; w.id = e.cqn; want.push_back(w); }
    e = tmr.q.empty() ? Tmr{} : tmr.front();
    if (tmr.sample(d.tmr_ready_o)) { w = {}; w.kind = ERR; w.id = e.cqn; w.ci_ok = true; w.low = e.gen; want.push_back(w); count[ERR]++; }
  };
  for (uint64_t k = 0; k < b.cycles * 2; k++) { fill(true); b.cycle(drive, sample); }
  printf("# %llu completions, %llu arms, %llu accesses (%llu fences), %llu timers\n", (unsigned long long)count[COMP], (unsigned long long)count[ARM],
         (unsigned long long)count[ACC], (unsigned long long)fences, (unsigned long long)count[ERR]);
  GOAL(fences > 50 && looks > 50);
  GOAL(count[ERR] > 50);

  for (tb::Pace *p : {&req[0].pace, &req[1].pace, &arm.pace, &acc.pace, &rep.pace, &tmr.pace, &err.pace, &out, &room, &busy}) p->always(1);
  uint64_t was = 0;
  for (int k = 0; k < 1100; k++) { if (k == 100) was = taken; fill(false); b.cycle(drive, sample); }
  CHECK_EQ(taken - was, 1000, "tokens in 1,000 cycles");
  return b.finish();
}
