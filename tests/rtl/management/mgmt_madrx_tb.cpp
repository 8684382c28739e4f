// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt_madrx
// Slots taken, filled, read and given back, also wrong ones and several at once: four MADs are there at most, each with its bytes and length, in the order in which
// they were taken, and a slot that is not full is never given back.
#include "Vdut.h"
#include "tb.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  struct Mad { unsigned slot, len; std::vector<uint32_t> dw; unsigned at = 0; };
  std::deque<Mad> taken, full;                       // being filled; full, the oldest first
  tb::Pace take(&rng), fill(&rng), give(&rng);
  unsigned next = 0;
  bool busy[4] = {};
  uint64_t total = 0, none = 0, wrong = 0, most = 0;
  int64_t look = -1, was = -1;
  int given = -1;
  bool wrote = false;
  d.take_i = d.we_i = d.done_i = d.give_i = d.rd_en_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles * 2; k++) {
    b.cycle([&] {
      d.take_i = !busy[next] && take.go();
      d.len_i = rng.bits(10);
      none += busy[next];
      wrote = !taken.empty() && taken.front().at < taken.front().dw.size() && fill.go();
      d.we_i = wrote;
      if (wrote) {
        d.addr_i = taken.front().slot * 128 + taken.front().at;
        d.data_i = taken.front().dw[taken.front().at];
      }
      d.done_i = !wrote && !taken.empty() && taken.front().at == taken.front().dw.size() && fill.go();
      given = -1;
      d.give_i = give.go();
      d.give_slot_i = full.empty() || rng.chance(10) ? rng.below(4) : full.front().slot;
      if (d.give_i) {
        for (size_t i = 0; i < full.size(); i++) if (full[i].slot == d.give_slot_i) given = int(i);
        wrong += given < 0;
        if (given > 0) { d.give_i = 0; given = -1; }   // firmware gives them back in order
      }
      was = look;
      look = -1;
      d.rd_en_i = !full.empty() && rng.chance(50);
      if (d.rd_en_i) {
        auto &m = full[rng.below(full.size())];
        unsigned w = unsigned(rng.below(m.dw.size()));
        d.rd_addr_i = m.slot * 128 + w;
        look = m.dw[w];
      }
    }, [&] {
      b.progress();
      CHECK_EQ(d.free_o, !busy[next], "free");
      CHECK_EQ(d.slot_o, next, "slot");
      unsigned bits = 0;
      for (auto &m : full) {
        bits |= 1u << m.slot;
        CHECK_EQ((d.len_o >> (10 * m.slot)) & 0x3ff, m.len, "length");
      }
      CHECK_EQ(d.full_o, bits, "full");
      if (!full.empty()) CHECK_EQ(d.old_o, full.front().slot, "the oldest");
      if (was >= 0) CHECK_EQ(d.rdata_o, uint32_t(was), "bytes");
      if (d.take_i) {
        Mad m{next, unsigned(d.len_i), std::vector<uint32_t>(rng.range(1, rng.chance(70) ? 8 : 128))};
        for (auto &x : m.dw) x = uint32_t(rng.bits(32));
        taken.push_back(m);
        busy[next] = true;
        next = (next + 1) & 3;
      }
      if (wrote) taken.front().at++;
      if (given >= 0) { busy[full[given].slot] = false; full.erase(full.begin() + given); total++; }
      if (d.done_i) { full.push_back(taken.front()); taken.pop_front(); }
      if (taken.size() + full.size() > most) most = taken.size() + full.size();
    });
  }
  printf("# %llu MADs, %llu cycles without a slot, %llu wrong returns\n", (unsigned long long)total, (unsigned long long)none, (unsigned long long)wrong);
  GOAL(total > 100 && none > 100 && wrong > 100 && most == 4);
  return b.finish();
}
