// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_rs_fix TidW=5
// dut: ohca_rs_fix TidW=4 Compact=1
// Fix-ups one after the other: each is looked up once, and carried out once with its number and content, the cycle after it was put at the earliest; the next
// one has room when both have been done.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned FB = OHCA_RS_FIX_BITS;
  struct Fix { uint32_t qpn; unsigned tid; uint64_t low; } f{};
  bool look = false, held = false;                   // to be looked up, to be carried out
  tb::Pace put(&rng), lk(&rng), take(&rng);
  uint64_t n = 0;
  d.put_i = d.take_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles; k++) {
    b.cycle([&] {
      d.put_i = !look && !held && put.go();
      if (d.put_i) {
        f = {uint32_t(rng.bits(24)), unsigned(rng.bits(TB_TID_W)), rng.bits(FB < 64 ? FB : 64)};
        d.qpn_i = f.qpn; d.tid_i = f.tid;
        tb::set_bits(d.fix_i, 0, FB < 64 ? FB : 64, f.low);
      }
#ifndef TB_COMPACT
      else { d.qpn_i = uint32_t(rng.bits(24)); d.tid_i = unsigned(rng.bits(TB_TID_W)); tb::set_bits(d.fix_i, 0, 32, rng.bits(32)); }
#endif
      d.lk_ready_i = lk.go();
      d.take_i = held && !look && take.go();
    }, [&] {
      b.progress();
      CHECK_EQ(d.room_o, !look && !held, "room");
      CHECK_EQ(d.lk_valid_o, look, "look-up");
      CHECK_EQ(d.wait_o, held, "waits");
      if (look) CHECK_EQ(d.lk_qpn_o, f.qpn, "QP");
      if (held) {
        CHECK_EQ(d.tid_o, f.tid, "number");
        CHECK_EQ(tb::get_bits(d.fix_o, 0, FB < 64 ? FB : 64), f.low, "fix-up");
      }
      if (d.take_i) { held = false; n++; }
      if (look && d.lk_ready_i) look = false;
      if (d.put_i) look = held = true;
    });
  }
  printf("# %llu fix-ups\n", (unsigned long long)n);
  GOAL(n > 1000);
  return b.finish();
}
