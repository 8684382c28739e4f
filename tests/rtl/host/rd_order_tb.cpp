// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_rd_order Tags=16 BeatW=5
// dut: ohca_rd_order Tags=64 BeatW=3
// Slots put in any order of their numbers, beside slots of other orders, each begun and done at any time: what is offered is the one that was put first,
// as far as it is, three cycles after it was put at the latest; and one a cycle where all are done.
#include "Vdut.h"
#include "tb.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned T = TB_TAGS;
  enum { FREE, ASKED, BEGUN, DONE };
  struct Slot { int state = FREE; bool mine = false; unsigned m1 = 0; uint64_t put = 0; } slot[T];
  std::deque<unsigned> order;
  tb::Pace come(&rng), next(&rng), put(&rng);
  uint64_t slots = 0, others = 0, only_begun = 0, run = 0, longest = 0, rush = 0, since = 0;
  unsigned put_slot = 0;
  bool go = false;
  d.put_i = d.next_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles * 4; k++) {
    b.cycle([&] {
      if (b.now() % 1024 == 0 && rng.chance(30)) rush = b.now() + 300;
      bool hurry = b.now() < rush;
      for (unsigned n = hurry ? T : come.go(); n; n--) {
        Slot &s = slot[hurry ? n - 1 : rng.below(T)];
        if (s.state == ASKED || s.state == BEGUN) s.state = hurry ? DONE : s.state + 1;
      }
      d.put_i = 0;
      put_slot = unsigned(rng.below(T));
      Slot &s = slot[put_slot];
      if (s.state == FREE && (hurry || put.go())) {
        s.mine = rng.chance(60);
        s.m1 = unsigned(rng.below(1u << TB_BEAT_W));
        s.state = ASKED;
        d.put_i = s.mine;
        d.put_slot_i = put_slot;
        d.put_m1_i = s.m1;
        others += !s.mine;
      } else if (!s.mine && s.state == DONE) {
        s = {};
      }
      uint64_t begun = 0, done = 0;
      for (unsigned i = 0; i < T; i++) { begun |= uint64_t(slot[i].state >= BEGUN) << i; done |= uint64_t(slot[i].state == DONE) << i; }
      tb::set_bits(d.begun_i, 0, T, begun);
      tb::set_bits(d.done_i, 0, T, done);
      d.next_i = 0;
      d.eval();
      go = (d.begun_o || d.done_o) && (hurry || next.go());
      d.next_i = go;
    }, [&] {
      b.progress();
      if (d.begun_o || d.done_o) {
        CHECK(!order.empty(), "a slot that was not put");
        const Slot &s = slot[order.front()];
        CHECK_EQ(d.slot_o, order.front(), "slot");
        CHECK_EQ(d.m1_o, s.m1, "beats");
        CHECK_EQ(d.begun_o, s.state >= BEGUN, "begun");
        CHECK_EQ(d.done_o, s.state == DONE, "done");
      } else if (!order.empty()) {
        const Slot &s = slot[order.front()];
        CHECK(s.state < BEGUN || b.now() < s.put + 3 || b.now() <= since, "slot %u has come and is not offered", order.front());
      }
      run = go ? run + 1 : 0;
      if (run > longest) longest = run;
      if (go) {
        only_begun += !d.done_o;
        slot[order.front()] = {};
        order.pop_front();
        since = b.now();
        slots++;
      }
      if (d.put_i) { order.push_back(put_slot); slot[put_slot].put = b.now(); }
    });
  }
  printf("# %llu slots, %llu of them begun only, %llu of other orders, %llu in %llu cycles\n", (unsigned long long)slots, (unsigned long long)only_begun,
         (unsigned long long)others, (unsigned long long)longest, (unsigned long long)longest);
  GOAL(slots > 100);
  GOAL(only_begun > 100);
  GOAL(longest > 5);
  return b.finish();
}
