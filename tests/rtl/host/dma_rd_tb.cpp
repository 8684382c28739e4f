// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_dma_rd DW=64 NumClients=13 Tags=16 MaxRead=256
// dut: ohca_dma_rd DW=64 NumClients=13 Tags=16 MaxRead=256 Compact=1
// dut: ohca_dma_rd DW=64 NumClients=15 Tags=64 MaxRead=512 MaxBeats=256 Orders=8 OrderOf=60'h666447000554321
// dut: ohca_dma_rd DW=128 NumClients=5 Tags=16 MaxRead=256 Orders=5 OrderOf=20'h43210
// dut: ohca_dma_rd DW=256 NumClients=13 Tags=32 MaxRead=512 Orders=2 OrderOf=52'h1111111110000
// dut: ohca_dma_rd DW=512 NumClients=15 Tags=64 MaxRead=512 Orders=8 OrderOf=60'h666447000554321
// Random requests of all clients against a memory that answers in any order: every beat, its order, tags, errors, the end of
// the request; soft reset with reads in flight; the rates that the block promises; no order waits for another.
#include "Vdut.h"
#include "axi_cut.h"
#include "axi_mem.h"
#include "ohca_fmt_bits.h"

#ifndef TB_MAX_BEATS
#define TB_MAX_BEATS 512
#endif
#ifndef TB_DW
#define TB_DW TB_D_W
#endif
#ifndef TB_ORDERS
#define TB_ORDERS 1
#endif
#ifndef TB_ORDER_OF
#define TB_ORDER_OF 0
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
constexpr unsigned BUS = TB_DW / 8, N = TB_NUM_CLIENTS, RW = OHCA_DMA_RD_REQ_BITS;
struct Req { uint64_t addr; unsigned len, tag; };
struct Want { unsigned cli; Req r; unsigned beat; bool err; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  AxiReadMem<Vdut, BUS> mem(&rng);
  mem.err_lo = 0x7f0800;                        // in the middle of a page: bursts before and after it are good
  mem.err_hi = 0x7f0a00;
  std::vector<tb::Source<Req>> src;
  for (unsigned i = 0; i < N; i++) src.emplace_back(&rng);
  // What is wanted, by order; the number behind the parameter's h has four bits a client.
  const char *map = std::strchr(TEXT(TB_ORDER_OF), 'h');
  const uint64_t order_of = map ? std::strtoull(map + 1, nullptr, 16) : 0;
  auto order = [&](unsigned cli) { return unsigned(order_of >> (4 * cli) & 15); };
  std::deque<Want> wants[16];
  auto left = [&] { size_t n = 0; for (auto &w : wants) n += w.size(); return n; };
  uint64_t beats = 0, reqs = 0, errs = 0, err_reqs = 0;
  auto &d = *b.dut;
  d.soft_rst_i = 0;
  d.req_valid_i = 0;
  d.m_axi_rvalid_i = 0;
  b.reset();

  auto make = [&](int size) {
    Req r;
    switch (size < 0 ? rng.below(4) : 4) {
      case 0: r.len = unsigned(rng.range(1, 4096)); break;
      case 1: r.len = unsigned(rng.range(1, 64)); break;
      case 2: r.len = 64; break;
      case 3: r.len = 4096; break;
      default: r.len = unsigned(size);
    }
    uint64_t off = rng.below(4096 - r.len + 1);
    if (size > 0) off &= ~63ull;
    r.addr = ((rng.next() & 0xffffffull) << 40) | off;
    if (rng.chance(90) || size > 0) r.addr |= rng.below(0x7f0) << 12; else r.addr = 0x7f0000 + off;
    r.tag = unsigned(rng.bits(8));
    return r;
  };
  auto drive = [&] {
    d.req_valid_i = 0;
    for (unsigned i = 0; i < N; i++) {
      if (!src[i].drive()) continue;
      d.req_valid_i |= 1 << i;
      tb::set_bits(d.req_i, i * RW + OHCA_DMA_RD_REQ_ADDR_LSB, 64, src[i].front().addr);
      tb::set_bits(d.req_i, i * RW + OHCA_DMA_RD_REQ_LEN_LSB, 13, src[i].front().len);
      tb::set_bits(d.req_i, i * RW + OHCA_DMA_RD_REQ_TAG_LSB, 8, src[i].front().tag);
    }
    mem.drive(&d);
  };
  auto sample = [&] {
    if (b.now() % 8 == 0) axi_cut(d, {&d.m_axi_arready_i, &d.m_axi_rvalid_i}, [&] { return std::vector<int>{d.m_axi_arvalid_o, d.m_axi_rready_o}; });
    if (d.rsp_valid_o) {
      b.progress();
      CHECK_EQ(__builtin_popcount(d.rsp_valid_o), 1, "clients");
      unsigned cli = unsigned(__builtin_ctz(d.rsp_valid_o));
      auto &want = wants[order(cli)];
      CHECK(!want.empty(), "a response that nobody asked for");
      Want &w = want.front();
      CHECK_EQ(cli, w.cli, "client");
      CHECK_EQ(d.rsp_tag_o, w.r.tag, "tag");
      uint64_t base = (w.r.addr & ~uint64_t(BUS - 1)) + w.beat * BUS;
      uint8_t data[BUS];
      tb::get_bytes(d.rsp_data_o, data, BUS);
      bool bad = base >= mem.err_lo && base < mem.err_hi;
      w.err |= bad;
      CHECK(!w.err || d.rsp_err_o, "error not reported");
      CHECK(!d.rsp_err_o || w.r.addr / 4096 == mem.err_lo / 4096, "error out of nothing");
      for (unsigned i = 0; i < BUS; i++)
        if (base + i >= w.r.addr && base + i < w.r.addr + w.r.len) CHECK_EQ(data[i], mem_byte(base + i), "data");
      bool last = base + BUS >= w.r.addr + w.r.len;
      CHECK_EQ(d.rsp_last_o, last, "last");
      beats++;
      w.beat++;
      if (last) { reqs++; err_reqs += w.err; want.pop_front(); }
    }
    errs += d.cnt_o >> 27 & 1;
    CHECK(!(d.cnt_o & ~(1ull << 27)), "stray counter");
    for (unsigned i = 0; i < N; i++) {
      Req r = src[i].q.empty() ? Req{} : src[i].front();
      if (src[i].sample(d.req_ready_o >> i & 1)) wants[order(i)].push_back({i, r, 0, false});
    }
    CHECK(!(d.idle_o && left()), "idle with work");
    mem.sample(&d);
  };
  auto drain = [&] {
    for (unsigned k = 0; k < 20000; k++) {
      bool more = left() != 0;
      for (auto &s : src) more |= !s.done();
      if (!more) break;
      b.cycle(drive, sample);
    }
    CHECK(!left(), "not all came");
    for (int k = 0; k < 8; k++) b.cycle(drive, sample);
    CHECK(d.idle_o, "not idle at the end");
  };

  // Random.
  for (uint64_t k = 0; k < b.cycles; k++) {
    for (unsigned i = 0; i < N; i++)
      if (src[i].q.size() < 2 && rng.chance(30)) src[i].push(make(-1));
    b.cycle(drive, sample);
  }
  drain();
  CHECK_EQ(errs, err_reqs, "error counter");
  GOAL(err_reqs);
  printf("# %llu requests, %llu beats, %llu with errors, at most %u bursts in flight\n", (unsigned long long)reqs,
         (unsigned long long)beats, (unsigned long long)err_reqs, mem.max_out);

  // Soft reset with reads in flight: nothing of the old ones is delivered, what follows is right.
  for (int round = 0; round < 20; round++) {
    mem.lat_min = 5; mem.lat_max = 200;
    for (unsigned i = 0; i < N; i++) for (int k = 0; k < 3; k++) src[i].push(make(-1));
    unsigned n = unsigned(rng.range(1, 150));
    for (unsigned k = 0; k < n; k++) b.cycle(drive, sample);
    for (auto &s : src) s = tb::Source<Req>(&rng);
    for (auto &w : wants) w.clear();
    d.soft_rst_i = 1;
    n = unsigned(rng.range(2, 40));
    for (unsigned k = 0; k < n; k++) b.cycle([&] { d.req_valid_i = 0; mem.drive(&d); }, [&] {
      if (k > 0) CHECK(!d.rsp_valid_o, "delivery in reset");
      mem.sample(&d);
      b.progress();
    });
    d.soft_rst_i = 0;
    for (unsigned i = 0; i < N; i++) src[i].push(make(-1));
    drain();
  }

  // Rates, with a steady memory: beats of large reads, and small requests with the latency that Tags cover.
  mem.ar_pace.always(1);
  mem.r_pace.always(1);
  mem.interleave = false;
  mem.lat_min = mem.lat_max = 10;
  for (auto &s : src) s.pace.always(1);
  auto rate = [&](int size, unsigned cycles, uint64_t &what) {
    for (unsigned k = 0; k < 400; k++) { for (auto &s : src) if (s.q.size() < 2) s.push(make(size)); b.cycle(drive, sample); }
    uint64_t was = what;
    for (unsigned k = 0; k < cycles; k++) { for (auto &s : src) if (s.q.size() < 2) s.push(make(size)); b.cycle(drive, sample); }
    double r = double(what - was) / cycles;
    drain();
    return r;
  };
  double big = rate(4096, 4000, beats);
  double small = rate(64, 4000, reqs);
  mem.lat_min = mem.lat_max = TB_TAGS * 2 - 16;
  double far = rate(64, 4000, reqs);
  printf("# 4 KiB reads: %.3f beats a cycle; 64-byte reads: %.3f a cycle near, %.3f at %u cycles\n", big, small, far, mem.lat_max);
  unsigned per = 64 / BUS ? 64 / BUS : 1;
  CHECK(big > 0.99, "%.3f", big);
  CHECK(small > 0.99 / per, "%.3f", small);
  CHECK(far > 0.49 / (per > 2 ? per / 2.0 : 1), "%.3f", far);

  // A host that is slow for one client: those of its order wait, others have theirs as if it were not there.
  if (map) {
    mem.slow_lo = 0x6000; mem.slow_hi = 0x7000;
    mem.lat_min = 10; mem.lat_max = 20;
    for (unsigned c = 0; c < N; c++) {
      src[c].push({0x6000, 64, c});
      for (int k = 0; k < 8; k++) b.cycle(drive, sample);
      for (unsigned i = 0; i < N; i++) if (i != c) for (int k = 0; k < 2; k++) src[i].push({0x10000 + 64 * i, 64, i});
      for (unsigned k = 0; k < mem.slow / 2; k++) b.cycle(drive, sample);
      CHECK_EQ(wants[order(c)].front().cli, c, "the slow one");
      for (unsigned o = 0; o < 16; o++) if (o != order(c)) CHECK(wants[o].empty(), "order %u waits for client %u of order %u", o, c, order(c));
      drain();
    }
    // When that one comes, all of its order that waited behind it can go: another order's read gets its turn among them.
    unsigned low = 0, high = 0;
    for (unsigned c = 0; c < N; c++) { if (order(c) < order(low)) low = c; if (order(c) > order(high)) high = c; }
    src[low].push({0x6000, 64, 1});
    const unsigned fit = TB_MAX_BEATS * BUS / TB_MAX_READ;      // so many can be asked for at once
    for (unsigned k = 0; k < (fit < TB_TAGS ? fit : TB_TAGS) - 2; k++) src[low].push({0x20000 + uint64_t(4096) * k, TB_MAX_READ, 2});
    bool come = false;
    for (unsigned k = 0; k < mem.slow + 100 && !come; k++) b.cycle(drive, [&] { sample(); come = d.rsp_valid_o == 1u << low; });
    CHECK(come, "the slow one does not come");
    src[high].push({0x10000, 64, 3});
    const uint64_t at = b.now(), bound = 50 + (TB_ORDERS + 1) * TB_MAX_READ / BUS;
    come = false;
    while (!come) b.cycle(drive, [&] { sample(); come = d.rsp_valid_o == 1u << high; });
    CHECK(b.now() - at <= bound, "%llu cycles, not %llu", (unsigned long long)(b.now() - at), (unsigned long long)bound);
    drain();
    // A soft reset while a read whose beginning has failed waits for room that another order's reads hold: the next read
    // of its order is a good one.
    for (unsigned late = 0; late < 16; late++) {
      for (unsigned k = 0; k < fit; k++) src[low].push({0x6000, TB_MAX_READ, 4});
      while (src[low].q.size() > 2) b.cycle(drive, sample);
      for (unsigned k = 0; k < late; k++) b.cycle(drive, sample);
      src[high].push({mem.err_lo, 4 * TB_MAX_READ > 2048 ? 2048 : 4 * TB_MAX_READ, 5});
      for (unsigned k = 0; k < 300; k++) b.cycle(drive, sample);
      for (auto &s : src) { s = tb::Source<Req>(&rng); s.pace.always(1); }
      for (auto &w : wants) w.clear();
      for (int k = 0; k < 2; k++) b.cycle([&] { d.soft_rst_i = 1; d.req_valid_i = 0; mem.drive(&d); }, [&] { mem.sample(&d); });
      d.soft_rst_i = 0;
      src[high].push({0x10000, 64, 6});
      bool idle = false;
      while (!idle) b.cycle(drive, [&] { sample(); idle = d.idle_o && src[high].done(); });
      CHECK(!left() && mem.quiet(), "idle with work");
    }
    mem.slow_hi = 0;
  }

  // A small request now and then, beside a client that always asks for 4 KiB of a host that answers in any order.
  mem.lat_min = 100; mem.lat_max = 140;
  uint64_t t = 0, sum = 0, most = 0, n = 0;
  bool asked = false;
  for (unsigned k = 0; k < 60000; k++) {
    for (unsigned i = 1; i < 4; i++) if (src[i].q.size() < 2) src[i].push(make(4096));
    if (!asked && k % 500 == 499) { src[0].push(make(64)); asked = true; t = b.now(); }
    b.cycle(drive, [&] {
      sample();
      if (asked && d.rsp_valid_o == 1 && d.rsp_last_o) {
        uint64_t l = b.now() - t;
        asked = false; sum += l; n++;
        if (l > most) most = l;
      }
    });
  }
  drain();
  printf("# 64 bytes beside 4 KiB after 4 KiB: %.0f cycles, at most %llu; %u beats in flight at most\n",
         double(sum) / double(n), (unsigned long long)most, mem.max_beats);
  CHECK(mem.max_beats <= TB_MAX_BEATS + 3 * TB_MAX_READ / BUS, "%u beats in flight", mem.max_beats);
  return b.finish();
}
