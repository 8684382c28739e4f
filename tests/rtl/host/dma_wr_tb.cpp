// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_dma_wr DW=64 NumClients=8
// dut: ohca_dma_wr DW=64 NumClients=8 Compact=1
// dut: ohca_dma_wr DW=128 NumClients=3
// dut: ohca_dma_wr DW=256 NumClients=8
// dut: ohca_dma_wr DW=512 NumClients=8
// Random writes of all clients, data before, with or after the request: exactly the bytes asked for are written, in order;
// the acknowledge count, soft reset in the middle of writes, the rates that the block promises.
#include "Vdut.h"
#include <array>
#include "axi_cut.h"
#include "axi_mem.h"
#include "ohca_fmt_bits.h"

#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_DW
#define TB_DW TB_D_W
#endif
constexpr unsigned BUS = TB_DW / 8, N = TB_NUM_CLIENTS, RW = OHCA_DMA_WR_REQ_BITS;
struct Req { uint64_t addr; unsigned len; };
struct Beat { uint8_t d[BUS]; bool last; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  AxiWriteMem<Vdut, BUS> mem(&rng);
  mem.err_lo = 0x100000;
  mem.err_hi = 0x110000;
  std::vector<tb::Source<Req>> req;
  std::vector<tb::Source<Beat>> dat;
  std::vector<std::deque<std::vector<uint8_t>>> content(N);
  for (unsigned i = 0; i < N; i++) { req.emplace_back(&rng); dat.emplace_back(&rng); }
  std::unordered_map<uint64_t, uint8_t> want;     // memory after all writes in the order of acceptance
  std::deque<std::pair<uint32_t, uint64_t>> fence; // issued_o after an acceptance, bytes written by then
  uint64_t accepted = 0, bytes_in = 0, errs = 0;
  bool took = false, keep = true;
  auto &d = *b.dut;
  d.soft_rst_i = d.req_valid_i = d.dat_valid_i = d.dat_last_i = d.m_axi_bvalid_i = 0;
  b.reset();

  auto make = [&](unsigned i, int size) {
    Req r;
    r.len = size > 0 ? unsigned(size) : unsigned(rng.chance(50) ? rng.range(1, 80) : rng.chance(20) ? 4096 : rng.range(1, 4096));
    uint64_t off = rng.below(4096 - r.len + 1);
    if (size > 0) off -= off % (size < 64 ? size : 64);
    r.addr = rng.below(0x118) << 12 | off;          // overlaps are wanted: the order shows
    auto v = rng.bytes(r.len);
    content[i].push_back(v);
    req[i].push(r);
    uint64_t a = r.addr & ~uint64_t(BUS - 1);
    for (; a < r.addr + r.len; a += BUS) {
      Beat t;
      for (unsigned k = 0; k < BUS; k++)
        t.d[k] = a + k >= r.addr && a + k < r.addr + r.len ? v[a + k - r.addr] : uint8_t(rng.next());
      t.last = a + BUS >= r.addr + r.len;
      dat[i].push(t);
    }
  };
  auto drive = [&] {
    d.req_valid_i = d.dat_valid_i = d.dat_last_i = 0;
    for (unsigned i = 0; i < N; i++) {
      if (req[i].drive()) {
        d.req_valid_i |= 1 << i;
        tb::set_bits(d.req_i, i * RW + OHCA_DMA_WR_REQ_ADDR_LSB, 64, req[i].front().addr);
        tb::set_bits(d.req_i, i * RW + OHCA_DMA_WR_REQ_LEN_LSB, 13, req[i].front().len);
      }
      if (dat[i].drive()) {
        d.dat_valid_i |= 1 << i;
        d.dat_last_i |= dat[i].front().last << i;
        memcpy((uint8_t *)&d.dat_i[0] + i * BUS, dat[i].front().d, BUS);
      }
    }
    mem.drive(&d);
  };
  tb::Sink<std::array<uint8_t, BUS + 16>> stable_w(&rng, "w");
  auto sample = [&] {
    if (b.now() % 8 == 0) axi_cut(d, {&d.m_axi_awready_i, &d.m_axi_wready_i, &d.m_axi_bvalid_i}, [&] { return std::vector<int>{d.m_axi_awvalid_o, d.m_axi_wvalid_o, d.m_axi_wlast_o, d.m_axi_bready_o}; });
    if (took) { fence.push_back({d.issued_o, bytes_in}); took = false; }
    while (!fence.empty() && int32_t(d.acked_o - fence.front().first) >= 0) {
      CHECK(mem.bytes >= fence.front().second, "acknowledged but not written");
      fence.pop_front();
      b.progress();
    }
    errs += d.cnt_o >> 28 & 1;
    for (unsigned i = 0; i < N; i++) {
      Req r = req[i].q.empty() ? Req{} : req[i].front();
      if (req[i].sample(d.req_ready_o >> i & 1)) {
        CHECK(!took, "two requests accepted at once");
        took = true;
        accepted++;
        bytes_in += r.len;
        auto &v = content[i].front();
        if (keep) for (unsigned k = 0; k < r.len; k++) want[r.addr + k] = v[k];
        content[i].pop_front();
      }
      dat[i].sample(d.dat_ready_o >> i & 1);
    }
    uint64_t was = mem.beats;
    mem.sample(&d);
    if (mem.beats != was) b.progress();
  };
  auto drain = [&] {
    for (unsigned k = 0; k < 60000; k++) {
      // A write that was accepted just before a short reset has not reached the bus yet.
      bool left = !mem.quiet() || !fence.empty() || took || d.issued_o != d.acked_o;
      for (unsigned i = 0; i < N; i++) left |= !req[i].done() || !dat[i].done();
      if (!left) break;
      b.cycle(drive, sample);
    }
    CHECK(mem.quiet() && fence.empty(), "writes left");
    b.cycle(drive, sample);
    CHECK(d.idle_o, "not idle at the end");
    CHECK_EQ(d.issued_o, d.acked_o, "acknowledged");
  };

  for (uint64_t k = 0; k < b.cycles; k++) {
    for (unsigned i = 0; i < N; i++)
      if (req[i].q.size() < 2 && dat[i].q.size() < 600 && rng.chance(30)) make(i, -1);
    b.cycle(drive, sample);
  }
  drain();
  CHECK_EQ(mem.bytes, bytes_in, "bytes written");
  CHECK_EQ(mem.mem.size(), want.size(), "addresses written");
  for (auto &e : want) CHECK(mem.mem[e.first] == e.second, "memory differs at %llx", (unsigned long long)e.first);
  CHECK_EQ(errs, mem.errs, "error counter");
  GOAL(errs);
  printf("# %llu writes, %llu bytes, %llu bursts, %llu with errors\n", (unsigned long long)accepted, (unsigned long long)bytes_in,
         (unsigned long long)mem.bursts, (unsigned long long)errs);

  // Soft reset: what was accepted ends without a byte more than its client gave, everything is acknowledged, then life goes on.
  for (int round = 0; round < 20; round++) {
    for (unsigned i = 0; i < N; i++) for (int k = 0; k < 2; k++) make(i, -1);
    unsigned n = unsigned(rng.range(1, 300));
    for (unsigned k = 0; k < n; k++) b.cycle(drive, sample);
    for (unsigned i = 0; i < N; i++) { req[i] = tb::Source<Req>(&rng); dat[i] = tb::Source<Beat>(&rng); content[i].clear(); }
    fence.clear();
    took = false;
    uint64_t allowed = bytes_in;
    d.soft_rst_i = 1;
    n = unsigned(rng.range(2, 60));
    for (unsigned k = 0; k < n; k++) b.cycle([&] { d.req_valid_i = d.dat_valid_i = 0; mem.drive(&d); }, [&] { mem.sample(&d); b.progress(); });
    d.soft_rst_i = 0;
    drain();
    CHECK(mem.bytes <= allowed, "more written than asked for");
    bytes_in = mem.bytes;
    mem.mem.clear();
    want.clear();
    for (unsigned i = 0; i < N; i++) make(i, -1);
    drain();
    CHECK_EQ(mem.bytes, bytes_in, "bytes written");
    for (auto &e : want) CHECK(mem.mem[e.first] == e.second, "memory differs at %llx", (unsigned long long)e.first);
  }

  // Rates.
  keep = false;
  mem.aw_pace.always(1);
  mem.w_pace.always(1);
  mem.lat_min = mem.lat_max = 100;
  for (unsigned i = 0; i < N; i++) { req[i].pace.always(1); dat[i].pace.always(1); }
  auto rate = [&](int size, unsigned cycles) {
    auto go = [&] { for (unsigned i = 0; i < N; i++) if (req[i].q.size() < 2 && dat[i].q.size() < 1100) make(i, size); b.cycle(drive, sample); };
    for (unsigned k = 0; k < 300; k++) go();
    uint64_t was = mem.beats, acks = mem.acks;
    for (unsigned k = 0; k < cycles; k++) go();
    double beats = double(mem.beats - was) / cycles, writes = double(mem.acks - acks) / cycles;
    drain();
    return std::make_pair(beats, writes);
  };
  auto big = rate(4096, 4000), small = rate(BUS, 4000), cqe = rate(32, 4000);
  printf("# beats a cycle: 4 KiB %.3f, one beat %.3f, 32 bytes %.3f (%.3f writes)\n", big.first, small.first, cqe.first, cqe.second);
  CHECK(big.first > 0.99, "%.3f", big.first);
  CHECK(small.first > (TB_COMPACT ? 0.49 : 0.99), "%.3f", small.first);
  CHECK(cqe.first > 0.99, "%.3f", cqe.first);
  return b.finish();
}
