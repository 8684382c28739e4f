// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Random IPoIB datagrams, right and wrong in every way, between other packets: what the block finds is what a plain byte by byte reading of them finds,
// for every UD SEND and for nothing else, in order and in time.
// dut: ohca_ip_sum DataWidth=64
// dut: ohca_ip_sum DataWidth=128
// dut: ohca_ip_sum DataWidth=512
// dut: ohca_ip_sum DataWidth=64 Fill=1
// dut: ohca_ip_sum DataWidth=256 Fill=1
// dut: ohca_ip_sum DataWidth=512 Fill=1 RoCE=0
// args: --cycles 6000
#include "Vdut.h"
#include "tb.h"

#include "ipoib.h"

#ifndef TB_FILL
#define TB_FILL 0
#endif
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
static constexpr unsigned kB = TB_DATA_WIDTH / 8, kLatency = TB_DATA_WIDTH > 64 ? 7 : 6;
using ipoib::Bytes;

struct Want {
  ipoib::Form form;
  ipoib::Found f;
  bool exact;                             // the reading holds for what the block looks at
  uint64_t at;
};

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &r = b.rng;
  tb::Pace pace(&r);
  std::deque<Want> want;
  Bytes p;
  ipoib::Form form;
  ipoib::Found found;
  size_t at = 0;
  bool ud = false;
  uint64_t packets = 0, ok = 0, bad = 0, v4 = 0, tcp = 0, udp = 0, none = 0, eth = 0, odd_forms = 0;

  // The header that is the usual example of this checksum.
  Bytes known = {0x08, 0x00, 0, 0, 0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7};
  CHECK_EQ(ipoib::sum(known, 4, 24), 0xffff, "the reference");

  b.reset();
  while (packets < b.cycles || !want.empty()) {
    bool go = false;
    b.cycle([&] {
      if (at >= p.size() && packets < b.cycles) {
        form = ipoib::form(r, TB_RO_C_E);
        Bytes payload = r.chance(92) ? ipoib::random(r) : r.bytes(r.range(0, 64));
        found = ipoib::look(payload);
        p = ipoib::packet(r, form, payload);
        if (r.chance(3)) p.resize(r.range(1, p.size()));        // cut: its sums are nobody's business, the order is
        at = 0;
      }
      go = at < p.size() && pace.go();
      b->valid_i = go;
      b->eth_i = form.eth;
      if (go) {
        uint8_t beat[kB];
        for (unsigned i = 0; i < kB; i++) beat[i] = at + i < p.size() ? p[at + i] : uint8_t(r.next());
        tb::set_bytes(b->data_i, beat, kB);
        b->last_i = at + kB >= p.size();
      }
    }, [&] {
      if (go) {
        if (b->last_i) {
          size_t whole = ipoib::start(form) - (form.imm ? 4 : 0) - 8;        // with the BTH
          bool cut = p.size() < whole;
          if (!cut) CHECK_EQ(bool(b->ud_o), ipoib::is_ud(form), "ud_o");
          ud = b->ud_o;
          bool exact = !cut && p.size() == size_t((ipoib::be16(p, 4) & 0x7ff) * 4 - 4);
          if (ud) want.push_back({form, found, exact, b.now()});
          packets++;
          b.progress();
        }
        at += kB;
      }
      if (b->done_o) {
        CHECK(!want.empty(), "more results than datagrams");
        const Want &w = want.front();
        CHECK_EQ(b.now() - w.at, kLatency, "cycles from the last beat");
        if (w.exact) {
          CHECK_EQ(bool(b->v4_o), w.f.v4, "v4_o");
          CHECK_EQ(bool(b->l4_o), w.f.l4, "l4_o");
          if (w.f.l4) CHECK_EQ(bool(b->udp_o), w.f.udp, "udp_o");
          CHECK_EQ(b->start_o * 4, ipoib::start(w.form), "start_o");
          if (w.f.l4) CHECK_EQ(b->at_o * 4 + (w.f.udp ? 6 : 16), w.f.sum_at, "at_o");
          if (TB_FILL) {
            auto value = [](unsigned s) { while (s >> 16) s = (s & 0xffff) + (s >> 16); s = 0xffff & ~s; return (s & 0xff) << 8 | s >> 8; };
            if (w.f.v4) CHECK_EQ(value(b->sum4_o), w.f.sum4, "the header's checksum");
            if (w.f.l4) CHECK_EQ((w.f.udp && !value(b->sum_o)) ? 0xffff : value(b->sum_o), w.f.sum, "the checksum");
          } else {
            CHECK_EQ(bool(b->ok_o), w.f.ok, "ok_o");
          }
          w.f.ok ? ok++ : w.f.l4 ? bad++ : none++;
          v4 += w.f.v4;
          tcp += w.f.l4 && !w.f.udp;
          udp += w.f.l4 && w.f.udp;
          eth += w.form.eth && w.f.l4;
          odd_forms += w.f.l4 && (w.f.sum % 0xffff) == 0;
        }
        want.pop_front();
        b.progress();
      }
      if (!want.empty()) CHECK(b.now() - want.front().at <= kLatency, "a result is missing");
    });
  }
  GOAL(ok > 500 && bad > 200 && none > 200 && v4 > 500 && tcp > 300 && udp > 300 && odd_forms > 20);
  GOAL(!TB_RO_C_E || eth > 200);
  return b.finish();
}
