// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_rd_fence Depth=4
// dut: ohca_rd_fence Depth=64
// dut: ohca_rd_fence Depth=16 Compact=1
// Random feedback beside writes that are acknowledged in order, some late: all of it passes in order and unchanged, what says that READs are done says
// at once that their data is in memory, or a report says it later, and neither before every write issued by then is acknowledged.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

struct Fb { unsigned kind, qpn, rdd, fresh; uint64_t rest; uint32_t issued = 0; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Source<Fb> src(&rng);
  tb::Pace out(&rng);
  std::deque<Fb> pass;
  struct Late { unsigned qpn, rdd; uint32_t behind; };
  std::deque<Late> late;
  uint32_t issued = 0xffffff00u, acked = issued;
  std::deque<uint64_t> due;
  unsigned writes = 20, at_once = 0, reports = 0;
  bool held = false;
  std::vector<uint8_t> was(sizeof d.fb_o);
  auto f = [&](unsigned lsb, unsigned bits) { return tb::get_bits(d.fb_o, lsb, bits); };
  auto drive = [&] {
    if (b.now() % 2048 == 0) writes = rng.chance(50) ? 1 : unsigned(rng.below(60));
    if (rng.chance(writes) && due.size() < 20000) {
      uint64_t t = b.now() + rng.range(1, rng.chance(1) ? 2000 : 50);
      if (!due.empty() && t < due.back()) t = due.back();
      due.push_back(t);
      issued++;
    }
    if (!due.empty() && due.front() <= b.now()) { due.pop_front(); acked++; }
    d.wr_issued_i = issued;
    d.wr_acked_i = acked;
    d.fb_valid_i = src.drive();
    if (d.fb_valid_i) {
      const Fb &x = src.front();
      tb::clear(d.fb_i);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_UNA_PSN_LSB, 24, x.rest & 0xffffff);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_LSN_LSB, 24, x.rest >> 24 & 0xffffff);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_KIND_LSB, 3, x.kind);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_QPN_LSB, 24, x.qpn);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_RD_DONE_LSB, 8, x.rdd);
      tb::set_bits(d.fb_i, OHCA_SQ_FB_RD_NEW_LSB, 1, x.fresh);
    }
    d.fb_ready_i = out.go();
  };
  auto sample = [&] {
    CHECK(!(d.idle_o && (!pass.empty() || !late.empty())), "idle with feedback inside");
    if (d.fb_valid_i) {
      Fb x = src.front();
      if (src.sample(d.fb_ready_o)) { x.issued = issued; pass.push_back(x); b.progress(); }
    }
    CHECK(!(d.idle_o && d.fb_valid_o), "idle with feedback on offer");
    // No path goes through, neither ready to ready nor valid to valid.
    const bool ready = d.fb_ready_o, valid = d.fb_valid_o;
    d.fb_ready_i ^= 1;
    d.eval();
    CHECK_EQ(bool(d.fb_ready_o), ready, "ready_o follows ready_i in the same cycle");
    d.fb_ready_i ^= 1;
    d.fb_valid_i ^= 1;
    d.eval();
    CHECK_EQ(bool(d.fb_valid_o), valid, "valid_o follows valid_i in the same cycle");
    d.fb_valid_i ^= 1;
    d.eval();
    std::vector<uint8_t> now(sizeof d.fb_o);
    tb::get_bytes(d.fb_o, now.data(), now.size());
    if (held) CHECK(d.fb_valid_o && now == was, "a stalled report changed");
    held = d.fb_valid_o && !d.fb_ready_i;
    was = now;
    if (!d.fb_valid_o || !d.fb_ready_i) return;
    b.progress();
    if (f(OHCA_SQ_FB_KIND_LSB, 3) == OHCA_FBK_READS) {
      CHECK(!late.empty(), "a report of nothing");
      Late l = late.front();
      late.pop_front();
      CHECK_EQ(f(OHCA_SQ_FB_QPN_LSB, 24), l.qpn, "QP");
      CHECK_EQ(f(OHCA_SQ_FB_RD_DONE_LSB, 8), l.rdd, "READs");
      CHECK(int32_t(acked - l.behind) >= 0, "told before the writes are acknowledged");
      reports++;
      return;
    }
    CHECK(!pass.empty(), "feedback out of nothing");
    Fb x = pass.front();
    pass.pop_front();
    CHECK_EQ(f(OHCA_SQ_FB_KIND_LSB, 3), x.kind, "kind");
    CHECK_EQ(f(OHCA_SQ_FB_QPN_LSB, 24), x.qpn, "QP");
    CHECK_EQ(f(OHCA_SQ_FB_RD_DONE_LSB, 8), x.rdd, "READs");
    CHECK_EQ(f(OHCA_SQ_FB_UNA_PSN_LSB, 24), x.rest & 0xffffff, "PSN");
    CHECK_EQ(f(OHCA_SQ_FB_LSN_LSB, 24), x.rest >> 24 & 0xffffff, "LSN");
    bool safe = f(OHCA_SQ_FB_RD_SAFE_LSB, 1);
    CHECK(!safe || x.fresh, "safe, but nothing is new");
    if (!x.fresh) return;
    if (safe) {
      CHECK(late.empty(), "safe before one that is not");
      CHECK(int32_t(acked - x.issued) >= 0, "safe before the writes are acknowledged");
      at_once++;
    } else late.push_back({x.qpn, x.rdd, x.issued});
  };
  d.fb_valid_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles; k++) {
    if (src.q.size() < 2 && rng.chance(40))
      src.push({unsigned(rng.below(5)), unsigned(rng.below(50)), unsigned(rng.bits(8)), unsigned(rng.chance(40)), rng.next()});
    b.cycle(drive, sample);
  }
  for (unsigned k = 0; k < 20000 && (!src.done() || !pass.empty() || !late.empty()); k++) { b.progress(); b.cycle(drive, sample); }
  CHECK(pass.empty() && late.empty(), "not all came");
  for (unsigned k = 0; k < 4; k++) { b.progress(); b.cycle(drive, sample); }
  CHECK(d.idle_o, "not idle at the end");
  CHECK(reports > 50, "%u at once, %u later", at_once, reports);
  GOAL(at_once > 50);
  printf("# %u at once, %u later\n", at_once, reports);
  return b.finish();
}
