// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_bar_wide: beats of every kind, addresses and data at different times. A whole push buffer is one access with the data a cycle later,
// some dwords of it are eight, of which those without any enabled do nothing; what is part of a dword or no push buffer is one access to where it is
// counted. Answers say which were refused, in order, and none comes before ohca_bar has taken all of its beat. A whole one a cycle.
// dut: ohca_bar_wide
// dut: ohca_bar_wide DbStride=4
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "push_bus.h"
#include "tb.h"

#ifndef TB_DB_STRIDE
#define TB_DB_STRIDE 0
#endif
struct Want { bool whole, last; uint32_t addr; uint8_t page, strb; uint8_t data[64]; };   // data: of the whole one, or eight bytes
struct Got { uint32_t addr; uint16_t whole, strb; uint64_t data; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  PushBus bus(&rng);
  tb::Sink<Got> out(&rng, "access");
  std::deque<Want> want;
  std::deque<bool> err;
  uint64_t beats = 0, taken = 0, answered = 0, wholes = 0, parts = 0, nothing = 0, refused = 0, most = 0;
  const Want *shown = nullptr;                 // the whole one taken last: its data stays until the next one is
  Want shown_w;

  auto drive = [&] {
    bus.drive(d.bus_i);
    d.ready_i = out.drive();
  };
  auto sample = [&] {
    if (shown) {
      uint8_t got[64];
      tb::get_bytes(d.wqe_o, got, 64);
      CHECK(!memcmp(got, shown->data, 64), "WQE differs");
    }
    CHECK(d.busy_o || !(d.valid_o || FIELD(d.bus_o, OHCA_PUSH_SAY_BVALID)), "something is under way, and busy_o is not set");
    if (FIELD(d.bus_o, OHCA_PUSH_SAY_BVALID) && FIELD(d.bus_i, OHCA_PUSH_BUS_BREADY)) {
      CHECK(answered < taken, "an answer before ohca_bar has all of the beat");
      CHECK_EQ(FIELD(d.bus_o, OHCA_PUSH_SAY_BRESP), err.front() ? 2 : 0, "bresp");
      refused += err.front();
      err.pop_front();
      answered++;
      b.progress();
    }
    most = taken - answered > most ? taken - answered : most;
    bus.sample(d.bus_o);
    Got g{};
    g.addr = d.addr_o << 3; g.whole = d.whole_o; g.strb = d.strb_o; g.data = d.data_o;
    if (!out.sample(d.valid_o, g)) return;
    b.progress();
    CHECK(!want.empty(), "an access nobody made");
    Want x = want.front();
    want.pop_front();
    CHECK_EQ(g.addr, x.addr, "address");
    CHECK_EQ(g.whole, x.whole, "whole");
    if (x.addr >= OHCA_BAR_PUSH_BASE) CHECK_EQ(d.page_4k_o, x.page, "page");
    if (x.whole) {
      shown_w = x;
      shown = &shown_w;
    } else if (x.addr >= OHCA_BAR_PUSH_BASE || !x.addr) {
      CHECK_EQ(g.strb, x.strb, "strobes");
      for (unsigned i = 0; i < 8; i++) if (x.strb >> i & 1) CHECK_EQ(g.data >> 8 * i & 255, x.data[i], "byte");
    }
    taken += x.last;
  };
  auto run = [&](unsigned n) { while (n--) b.cycle(drive, sample); };

  auto push = [&](int kind) {
    uint32_t page = uint32_t(rng.below(OHCA_DB_PAGES >> TB_DB_STRIDE)), addr = OHCA_BAR_PUSH_BASE + (page * 4096 << TB_DB_STRIDE) + 64 * uint32_t(rng.below(2));
    PushBeat x{addr | uint32_t(rng.below(64)), {}, ~0ull};
    bool bad = false, refuse = false;
    for (auto &v : x.data) v = uint8_t(rng.next());
    if (kind == 1) {                           // some dwords
      x.strb = 0;
      for (unsigned i = 0; i < 16; i++) if (rng.chance(50)) x.strb |= 0xfull << 4 * i;
      if (x.strb == ~0ull) x.strb >>= 4;
      if (!x.strb) x.strb = 0xf;
    } else if (kind == 2) {                    // a part of one, among whole ones or alone
      if (rng.chance(50)) x.strb = 0;
      unsigned dw = 4 * unsigned(rng.below(16));
      x.strb = (x.strb & ~(15ull << dw)) | uint64_t(rng.range(1, 14)) << dw;
    } else if (kind == 3) {
      x.strb = 0;
    } else if (kind == 4) {                    // no push buffer
      unsigned how = unsigned(rng.below(TB_DB_STRIDE ? 4 : 3));
      if (how == 0) x.addr += 128 * uint32_t(rng.range(1, 31));
      else if (how == 1) x.addr &= 0xfffff;    // the same place among the doorbells
      else if (how == 2) x.addr = 0x100000 + uint32_t(rng.below(65536));
      else x.addr += 4096 * uint32_t(rng.range(1, (1 << TB_DB_STRIDE) - 1));
      if (rng.chance(50)) x.strb = rng.next() | 1;
    }
    bad = kind >= 2;
    refuse = kind == 2 || kind == 4;
    Want o{};
    o.page = uint8_t((addr - OHCA_BAR_PUSH_BASE) >> 12);
    if (bad) {
      o.addr = 0x100000; o.last = true;
      want.push_back(o);
    } else if (kind == 0) {
      o.addr = addr; o.whole = o.last = true; memcpy(o.data, x.data, 64);
      want.push_back(o);
      wholes++;
    } else {
      for (unsigned q = 0; q < 8; q++) {
        o.strb = uint8_t(x.strb >> 8 * q);
        o.addr = o.strb ? addr + 8 * q : 0;
        o.last = q == 7;
        memcpy(o.data, x.data + 8 * q, 8);
        want.push_back(o);
        nothing += !o.strb;
      }
      parts++;
    }
    err.push_back(refuse);
    bus.push(x);
    beats++;
  };
  auto drain = [&] {
    for (int k = 0; k < 3000 && answered != beats; k++) run(1);
    CHECK_EQ(answered, beats, "answers");
    CHECK(want.empty(), "accesses are missing");
    run(3);
    CHECK(!d.busy_o, "busy with nothing");
  };

  tb::clear(d.bus_i);
  d.ready_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles; k++) {
    if (bus.aw.q.size() < 20) { unsigned r = unsigned(rng.below(100)); push(r < 40 ? 0 : r < 70 ? 1 : r < 80 ? 2 : r < 85 ? 3 : 4); }
    run(1);
  }
  drain();
  printf("# %llu beats: %llu whole, %llu in parts, %llu refused; up to %llu answers waited\n", (unsigned long long)beats, (unsigned long long)wholes,
         (unsigned long long)parts, (unsigned long long)refused, (unsigned long long)most);
  GOAL(wholes > 50 && parts > 50 && refused > 30 && nothing > 30);

  // Answers that nobody takes hold up what is behind them, and nothing is lost.
  bus.b.always(0); bus.aw.pace.always(1); bus.w.pace.always(1); out.pace.always(1);
  for (int k = 0; k < 40; k++) push(0);
  run(100);
  CHECK_EQ(taken - answered, 16, "beats taken while no answer is");
  bus.b.always(1);
  drain();

  // A whole one a cycle, offered a cycle after it came.
  uint64_t was = taken;
  for (int k = 0; k < 400; k++) push(0);
  run(401);
  CHECK_EQ(taken - was, 400, "whole pushes in 401 cycles");
  drain();
  return b.finish();
}
