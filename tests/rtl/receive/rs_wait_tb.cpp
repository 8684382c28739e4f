// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_rs_wait InFlight=32
// dut: ohca_rs_wait InFlight=16 Compact=1
// Packets at any pace, contexts that come in another order: what is looked up comes in the order of arrival with its QP, its slot and whether it is a
// datagram; each slot holds its own packet until it is taken; a packet a cycle.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned N = TB_IN_FLIGHT;
#ifdef TB_COMPACT
  constexpr bool HELD = TB_COMPACT;
#else
  constexpr bool HELD = false;
#endif
  struct Packet { uint32_t qpn, psn; unsigned opcode; uint64_t at; };
  tb::Source<Packet> src(&rng);
  tb::Pace lk(&rng), take(&rng);
  std::deque<Packet> wait;                      // to be looked up
  struct Open { Packet p; unsigned slot; };
  std::vector<Open> open;                       // looked up, not taken
  int pick = -1;
  bool freed = false;                           // HELD: the packet goes in this cycle
  uint64_t n = 0, datagrams = 0, most = 0, turned = 0;
  d.free_i = d.rxd_valid_i = 0;
  b.reset();
  auto drive = [&] {
    if (src.q.size() < 2) src.push({uint32_t(rng.bits(24)), uint32_t(rng.bits(24)), unsigned(rng.bits(8)), 0});
    d.rxd_valid_i = src.drive();
    if (d.rxd_valid_i) {
      tb::set_bits(d.rxd_i, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 8, src.front().opcode);
      tb::set_bits(d.rxd_i, OHCA_RXD_BTH_LSB + OHCA_BTH_DESTQP_LSB, 24, src.front().qpn);
      tb::set_bits(d.rxd_i, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24, src.front().psn);
    }
    d.lk_ready_i = lk.go();
    pick = open.empty() || !take.go() ? -1 : int(rng.below(open.size()));
    d.free_i = pick >= 0;
    if (pick >= 0) d.slot_i = open[pick].slot;
  };
  auto sample = [&] {
    CHECK_EQ(d.any_o, HELD ? d.rxd_valid_i && !freed : !wait.empty() || !open.empty(), "a packet waits");
    Packet in = src.q.empty() ? Packet{} : src.front();
    if (d.lk_valid_o) {
      const Packet w = HELD ? in : wait.empty() ? Packet{} : wait.front();
      CHECK(HELD || !wait.empty(), "a look-up for no packet");
      CHECK_EQ(d.lk_qpn_o, w.qpn, "QP");
      CHECK_EQ(d.lk_dg_o, w.opcode >> 5 == 3, "datagram");
    } else {
      CHECK(HELD || wait.empty() || wait.front().at + 1 > b.now(), "a packet is not offered");
    }
    if (HELD) CHECK_EQ(d.rxd_ready_o, freed, "the packet is taken in the cycle after its commit");
    freed = pick >= 0;
    if (pick >= 0) {
      b.progress();
      CHECK_EQ(tb::get_bits(d.packet_o, OHCA_RXD_BTH_LSB + OHCA_BTH_PSN_LSB, 24), open[pick].p.psn, "packet");
      CHECK_EQ(tb::get_bits(d.packet_o, OHCA_RXD_BTH_LSB + OHCA_BTH_DESTQP_LSB, 24), open[pick].p.qpn, "packet");
      turned += pick > 0;
      open.erase(open.begin() + pick);
      n++;
    }
    if (d.lk_valid_o && d.lk_ready_i) {
      for (auto &o : open) CHECK(o.slot != d.lk_slot_o, "a slot of two packets");
      open.push_back({HELD ? in : wait.front(), unsigned(d.lk_slot_o)});
      datagrams += open.back().p.opcode >> 5 == 3;
      if (!HELD) wait.pop_front();
    }
    if (src.sample(d.rxd_ready_o)) { in.at = b.now(); if (!HELD) wait.push_back(in); }
    if (wait.size() + open.size() > most) most = wait.size() + open.size();
  };
  for (uint64_t k = 0; k < b.cycles * 2; k++) b.cycle(drive, sample);
  printf("# %llu packets, %llu datagrams, %llu out of order, %llu at a time\n", (unsigned long long)n, (unsigned long long)datagrams, (unsigned long long)turned,
         (unsigned long long)most);
  GOAL(datagrams > 100);
  if (!HELD) { GOAL(turned > 1000); GOAL(most == N); }

  for (tb::Pace *p : {&src.pace, &lk, &take}) p->always(1);
  uint64_t was = 0;
  for (int k = 0; k < 1100; k++) { if (k == 100) was = n; b.cycle(drive, sample); }
  printf("# %.2f cycles a packet\n", 1000.0 / double(n - was));
  CHECK(n - was >= (HELD ? 333u : 999u), "%llu packets in 1,000 cycles", (unsigned long long)(n - was));
  return b.finish();
}
