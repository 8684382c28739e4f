// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_msix NumVec=32
// dut: ohca_msix NumVec=5
// Random interrupts while vectors, the function and the capability are masked and unmasked: no message while masked, none lost,
// at least one after the last interrupt, address and data those of the table.
#include "Vdut.h"
#include "tb.h"
#include "axi_cut.h"

constexpr unsigned N = TB_NUM_VEC;
struct Wr { uint32_t addr, data; uint8_t strb; };
struct Beat { uint64_t v; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Source<Wr> aw(&rng), w(&rng);
  tb::Sink<Beat> maw(&rng, "aw"), mw(&rng, "w");
  tb::Pace bp(&rng);
  struct Vec { uint64_t addr = 0; uint32_t data = 0; bool mask = true, pend = false; uint64_t irqs = 0, msgs = 0; };
  std::vector<Vec> v(N);
  std::deque<uint64_t> addrs;
  std::deque<uint32_t> datas;
  uint64_t sent = 0, writes = 0, answered = 0;
  bool enable = false, fmask = false, ar = false, rd_done = false, irq = false;
  uint32_t rdata = 0;
  unsigned irq_vec = 0;
  uint64_t closed_since = 0;                    // cycle since which nothing may newly start
  auto wr = [&](uint32_t a, uint32_t x) { aw.push({a, x, 0xf}); w.push({a, x, 0xf}); writes++; };
  std::deque<bool> part;                 // writes not yet answered: whether they enable part of a dword
  auto drive = [&] {
    d.enable_i = enable; d.mask_i = fmask;
    d.s_axil_awvalid_i = aw.drive();
    if (!aw.done()) d.s_axil_awaddr_i = uint16_t(aw.front().addr);
    d.s_axil_wvalid_i = w.drive();
    if (!w.done()) { d.s_axil_wdata_i = w.front().data; d.s_axil_wstrb_i = w.front().strb; }
    d.s_axil_bready_i = bp.go();
    d.s_axil_arvalid_i = ar;
    d.s_axil_rready_i = bp.go();
    d.m_axil_awready_i = maw.drive();
    d.m_axil_wready_i = mw.drive();
    d.irq_valid_i = irq;
    d.irq_vector_i = uint8_t(irq_vec);
  };
  auto sample = [&] {
    if (maw.sample(d.m_axil_awvalid_o, Beat{d.m_axil_awaddr_o})) addrs.push_back(d.m_axil_awaddr_o);
    if (mw.sample(d.m_axil_wvalid_o, Beat{d.m_axil_wdata_o})) { CHECK_EQ(d.m_axil_wstrb_o, 15, "strobes"); datas.push_back(d.m_axil_wdata_o); }
    while (!addrs.empty() && !datas.empty()) {
      unsigned i = 0;
      while (i < N && v[i].addr != addrs.front()) i++;
      CHECK(i < N, "message to an address that no vector has");
      CHECK_EQ(datas.front(), v[i].data, "message data");
      v[i].msgs++;
      v[i].pend = false;
      CHECK(v[i].msgs <= v[i].irqs, "a message without an interrupt");
      sent++;
      addrs.pop_front(); datas.pop_front();
      b.progress();
    }
    if (b.now() % 8 == 0)
      axi_cut(d, {&d.s_axil_awvalid_i, &d.s_axil_wvalid_i, &d.s_axil_bready_i, &d.s_axil_arvalid_i, &d.s_axil_rready_i}, [&] {
        return std::vector<int>{d.s_axil_awready_o, d.s_axil_wready_o, d.s_axil_bvalid_o, d.s_axil_arready_o, d.s_axil_rvalid_o};
      });
    if (d.s_axil_bvalid_o && d.s_axil_bready_i) {
      CHECK(!part.empty(), "an answer before its data");
      CHECK_EQ(d.s_axil_bresp_o, part.front() ? 2 : 0, "bresp");
      part.pop_front();
      answered++;
      b.progress();
    }
    if (ar && d.s_axil_arready_o) ar = false;
    if (d.s_axil_rvalid_o && d.s_axil_rready_i) { rdata = d.s_axil_rdata_o; rd_done = true; b.progress(); }
    aw.sample(d.s_axil_awready_o);
    uint8_t strb = w.done() ? 0 : w.front().strb;
    if (w.sample(d.s_axil_wready_o)) part.push_back(strb && strb != 15);
    CHECK(d.irq_ready_o, "an interrupt is always taken");
    if (irq && irq_vec < N) { v[irq_vec].irqs++; v[irq_vec].pend = true; }
    irq = false;
  };
  auto run = [&](unsigned n) { while (n--) b.cycle(drive, sample); };
  auto flush = [&] { for (int k = 0; k < 2000 && answered != writes; k++) run(1); CHECK_EQ(answered, writes, "writes answered"); };
  auto rest = [&] { run(20); for (int k = 0; k < 3000 && !d.idle_o; k++) run(1); CHECK(d.idle_o, "no rest"); };
  auto read = [&](uint32_t a) {
    ar = true; rd_done = false;
    d.s_axil_araddr_i = uint16_t(a);
    for (int k = 0; k < 2000 && !rd_done; k++) run(1);
    CHECK(rd_done, "no answer to a read");
    return rdata;
  };
  d.irq_valid_i = d.s_axil_awvalid_i = d.s_axil_wvalid_i = d.s_axil_arvalid_i = d.m_axil_bvalid_i = 0;
  b.reset();
  for (unsigned i = 0; i < N; i++) CHECK_EQ(read(16 * i + 12), 1, "masked after reset");
  for (unsigned i = 0; i < N; i++) {
    v[i].addr = rng.next() & ~63ull; v[i].addr |= 4 * (i % 16);
    v[i].data = uint32_t(rng.next());
    wr(16 * i, uint32_t(v[i].addr)); wr(16 * i + 4, uint32_t(v[i].addr >> 32)); wr(16 * i + 8, v[i].data);
  }
  wr(16 * N, 1); wr(0x1000, ~0u); aw.push({0, 0, 7}); w.push({0, 0, 7}); writes++;    // beyond, read-only, bytes: nothing
  flush();
  for (unsigned i = 0; i < N; i++) {
    CHECK_EQ(read(16 * i), uint32_t(v[i].addr), "address");
    CHECK_EQ(read(16 * i + 4), v[i].addr >> 32, "address");
    CHECK_EQ(read(16 * i + 8), v[i].data, "data");
  }
  // Masked three ways: pending bits, no message.
  for (unsigned i = 0; i < N; i++) { irq = true; irq_vec = i; run(1); }
  irq = true; irq_vec = N; run(1);
  rest();
  CHECK_EQ(sent, 0, "message while off");
  uint32_t all = N >= 32 ? ~0u : (1u << N) - 1;
  CHECK_EQ(read(0x1000), all, "pending bits");
  CHECK_EQ(read(0x1004), 0, "pending bits");
  enable = true; rest();
  CHECK_EQ(sent, 0, "message of a masked vector");
  fmask = true; rest();
  for (unsigned i = 0; i < N; i++) wr(16 * i + 12, 0);
  flush(); rest();
  CHECK_EQ(sent, 0, "message of a masked function");
  CHECK_EQ(read(0x1000), all, "pending bits");
  fmask = false; rest();
  CHECK_EQ(sent, N, "messages after unmasking");
  CHECK_EQ(read(0x1000), 0, "pending bits");

  for (uint64_t k = 0; k < b.cycles; k++) {
    if (rng.chance(20)) { irq = true; irq_vec = unsigned(rng.below(N + 2)); }
    if (rng.chance(1)) fmask = !fmask;
    if (rng.below(500) == 0) enable = !enable;
    if (aw.q.size() < 3 && rng.chance(10)) { unsigned i = unsigned(rng.below(N)); wr(16 * i + 12, rng.chance(30)); }
    run(1);
    b.progress();
    if (!enable || fmask) { if (!closed_since) closed_since = b.now(); } else closed_since = 0;
    if (closed_since && rng.below(200) == 0) {          // closed: what was begun ends, then silence
      rest();
      uint64_t s = sent;
      irq = true; irq_vec = 0; run(1);
      run(50);
      CHECK_EQ(sent, s, "message while masked");
    }
  }
  enable = true; fmask = false;
  flush();
  for (unsigned i = 0; i < N; i++) wr(16 * i + 12, 0);
  flush(); rest();
  for (auto &x : v) CHECK(!x.pend, "an interrupt was lost");
  uint64_t s = sent;
  for (unsigned i = 0; i < N; i++) { irq = true; irq_vec = i; run(1); rest(); CHECK_EQ(sent, s + i + 1, "message"); }
  // Again while its message is stuck on the bus: a second message.
  maw.pace.always(0);
  irq = true; irq_vec = 1; run(10);
  s = sent;
  irq = true; irq_vec = 1; run(10);
  maw.pace.always(1);
  rest();
  CHECK_EQ(sent, s + 2, "an interrupt during the message of the one before");
  printf("# %llu messages\n", (unsigned long long)sent);
  return b.finish();
}
