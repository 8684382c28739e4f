// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_ring_page Rings=4 Held=0
// dut: ohca_ring_page Rings=4 Held=1
// Rings in pages of each size, that begin anywhere in their first one: through a translation unit that knows pages of 4 KiB only, each address comes out
// as the byte of the right page. Several requests under way, answered in order; with Held one, whose tag is not given back. Other clients' answers between.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned N = 4, W = OHCA_TPT_REQ_BITS;
  static const unsigned sizes[] = {0, 4, 8};
  struct Ask { uint64_t va, want; unsigned size; };
  struct Sent { uint64_t addr, want; unsigned tag; bool other; };
  std::deque<Ask> ask[N];
  std::deque<Sent> sent;
  tb::Pace grant(&rng), answer(&rng);
  uint64_t done[9] = {}, last = 0, first_bits = 0, others = 0, most = 0;
  auto page = [](uint64_t entry, unsigned size) {                       // bus address of an entry's page: a multiple of its size
    return (entry * 0x9e3779b97f4a7c15ull ^ entry << 40) & ~((4096ull << size) - 1);
  };
  b.reset();
  for (uint64_t k = 0; k < b.cycles * 2 || !done[0] || !done[4] || !done[8] || !last || !first_bits || !others; k++) {
    CHECK(k < b.cycles * 40, "goals are not met");
    for (auto &q : ask) if (q.empty()) {
      unsigned s = sizes[rng.below(3)];
      uint64_t entry = rng.chance(20) ? (1u << 27) - 1 : rng.bits(27), in = rng.bits(12 + s) & ~15ull;
      if (rng.chance(20)) in = (4096ull << s) - 16;
      if (rng.chance(20)) in = 4096 * rng.below(1 << s);
      // What an engine adds to a ring's base may carry from the offset in a page into the entry.
      uint64_t add = std::min<uint64_t>(rng.bits(20) & ~15ull, (entry << (12 + s)) + in);
      uint64_t buf = ((entry << (12 + s)) + in - add) | uint64_t(s) << 60;
      q.push_back({buf + add, page(entry, s) + in, s});
    }
    int go = -1;
    bool back = false;
    b.cycle([&] {
      if (grant.go() && (!TB_HELD || sent.empty())) go = int(rng.below(N + 1));
      for (unsigned i = 0; i < N; i++) {
        const Ask &a = ask[i].front();
        for (unsigned at = 0; at < W; at += 32) tb::set_bits(d.req_i, i * W + at, std::min(32u, W - at), uint32_t(rng.bits(32)));
        tb::set_bits(d.req_i, i * W + OHCA_TPT_REQ_VA_LSB, 32, uint32_t(a.va));
        tb::set_bits(d.req_i, i * W + OHCA_TPT_REQ_VA_LSB + 32, 32, uint32_t(a.va >> 32));
      }
      d.go_i = go >= 0 && go < int(N) ? 1u << go : 0;
      back = !sent.empty() && answer.go() && !(TB_HELD && go >= 0);
      if (back) {
        const Sent &s = sent.front();
        SET_FIELD(d.rsp_i, OHCA_TPT_RSP_ADDR, s.addr);
        SET_FIELD(d.rsp_i, OHCA_TPT_RSP_TAG, TB_HELD ? rng.bits(8) : s.tag);
        SET_FIELD(d.rsp_i, OHCA_TPT_RSP_OK, 1);
        SET_FIELD(d.rsp_i, OHCA_TPT_RSP_VERR, 0);
      }
    }, [&] {
      if (back) {
        b.progress();
        if (!sent.front().other) CHECK_EQ(FIELD(d.rsp_o, OHCA_TPT_RSP_ADDR), sent.front().want, "bus address");
        CHECK_EQ(FIELD(d.rsp_o, OHCA_TPT_RSP_OK), 1u, "ok");
        others += sent.front().other;
        sent.pop_front();
      }
      if (go == int(N)) sent.push_back({rng.bits(48), 0, unsigned(rng.bits(8)), true});
      else if (go >= 0) {
        const Ask a = ask[go].front();
        ask[go].pop_front();
        uint64_t va = tb::get_bits(d.req_o, go * W + OHCA_TPT_REQ_VA_LSB, 32) | uint64_t(tb::get_bits(d.req_o, go * W + OHCA_TPT_REQ_VA_LSB + 32, 32)) << 32;
        CHECK_EQ(va >> 12, (a.va & ~(15ull << 60)) >> (12 + a.size), "entry");
        CHECK_EQ(va & 4095, a.va & 4095, "offset in 4 KiB");
        CHECK_EQ(tb::get_bits(d.req_o, go * W + OHCA_TPT_REQ_CHK_LEN_LSB, 32), tb::get_bits(d.req_i, go * W + OHCA_TPT_REQ_CHK_LEN_LSB, 32), "length");
        sent.push_back({page(va >> 12, a.size) + (va & 4095), a.want, unsigned(tb::get_bits(d.req_o, go * W + OHCA_TPT_REQ_TAG_LSB, 8)), false});
        done[a.size]++;
        last += a.size && (a.va + 16) % (4096ull << a.size) == 0;
        first_bits += a.size && a.va % (4096ull << a.size) < 4096;
        most = std::max<uint64_t>(most, sent.size());
      }
    });
  }
  CHECK(TB_HELD || most > 2, "requests under way");
  return b.finish();
}
