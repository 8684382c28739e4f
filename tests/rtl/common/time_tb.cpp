// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_time_top
// Timers of all kinds around a time that counts and is skipped, also over the ends of the 32-bit deadlines: the earliest is what is told, and who is due.
#include <algorithm>
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  uint64_t now = 0;
  unsigned due[4] = {}, over = 0, first[5] = {};
  d.skip_i = d.link_valid_i = d.nic_valid_i = 0;
  d.ra_i = d.cq_i = 0;
  d.wake_i = ~0ull;
  b.reset();
  uint64_t ra = 0, link = 0, nic = 0, wake = ~0ull;
  uint32_t cq = 0;
  auto near = [&](uint64_t span) { return now + rng.below(2 * span) - std::min(now, span); };
  for (uint64_t k = 0; k < b.cycles; k++) {
    b.cycle([&] {
      d.skip_i = rng.chance(20);
      d.skip_cycles_i = rng.chance(90) ? rng.below(400) : rng.bits(40);
      ra = (now >> 8) + rng.below(3);                // it never lies behind
      cq = uint32_t(now) + uint32_t(rng.below(400)) - 200;
      link = near(200);
      nic = near(200);
      wake = rng.chance(50) ? ~0ull : now + rng.below(300);
      SET_FIELD(d.ra_i, OHCA_TIMER_NOTE_ANY, rng.chance(50));
      SET_FIELD(d.ra_i, OHCA_TIMER_NOTE_NEXT, uint32_t(ra));
      SET_FIELD(d.cq_i, OHCA_TIMER_NOTE_ANY, rng.chance(50));
      SET_FIELD(d.cq_i, OHCA_TIMER_NOTE_NEXT, cq);
      d.link_valid_i = rng.chance(50);
      d.link_i = link;
      d.nic_valid_i = rng.chance(50);
      d.nic_i = nic;
      d.wake_i = wake;
    }, [&] {
      b.progress();
      CHECK_EQ(d.now_o, now, "the time");
      const bool ra_any = FIELD(d.ra_i, OHCA_TIMER_NOTE_ANY), cq_any = FIELD(d.cq_i, OHCA_TIMER_NOTE_ANY);
      const uint64_t cq_at = int32_t(cq - uint32_t(now)) < 0 ? now : now + uint32_t(cq - uint32_t(now));
      const uint64_t at[5] = {ra_any ? ra << 8 : ~0ull, cq_any ? cq_at : ~0ull, d.link_valid_i ? link : ~0ull, d.nic_valid_i ? nic : ~0ull, wake};
      const uint64_t want = *std::min_element(at, at + 5);
      CHECK_EQ(d.next_o, want, "the earliest timer");
      const bool is[4] = {bool(d.ra_due_o), bool(d.cq_due_o), bool(d.link_due_o), bool(d.nic_due_o)};
      for (int i = 0; i < 4; i++) { CHECK_EQ(is[i], at[i] <= now, "a timer is due"); due[i] += is[i]; }
      for (int i = 0; i < 5; i++) first[i] += at[i] == want && want != ~0ull;
      const uint64_t then = now + (d.skip_i ? d.skip_cycles_i : 1);
      over += (then >> 32) != (now >> 32);
      now = then;
    });
  }
  for (int i = 0; i < 4; i++) GOAL(due[i] > 100);
  for (int i = 0; i < 5; i++) GOAL(first[i] > 100);
  GOAL(over > 10);
  return b.finish();
}
