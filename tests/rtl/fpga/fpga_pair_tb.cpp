// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The narrow channels of the place-and-route harness, pin to pin: every beat arrives, in order, once, whatever the pacing; and how fast.
// dut: ohca_fpga_pair Width=20
// dut: ohca_fpga_pair Width=20 Delay=1
// dut: ohca_fpga_pair Width=8 Delay=1
// dut: ohca_fpga_pair Width=2 Pins=4
#include "Vdut.h"
#include "tb.h"

#ifndef TB_PINS
#define TB_PINS 8
#endif
#ifndef TB_DELAY
#define TB_DELAY 0
#endif
static constexpr unsigned kWords = (TB_WIDTH + TB_PINS - 1) / TB_PINS;

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  tb::Source<uint32_t> src(&b.rng);
  tb::Sink<uint32_t> sink(&b.rng);
  std::deque<uint32_t> model;
  uint64_t got = 0;
  auto cycle = [&] {
    b.cycle(
        [&] {
          if (src.q.empty()) src.push(uint32_t(b.rng.bits(TB_WIDTH)));
          b->valid_i = src.drive();
          b->data_i = b->valid_i ? src.front() : uint32_t(b.rng.bits(TB_WIDTH));
          b->ready_i = sink.drive();
        },
        [&] {
          uint32_t d = b->data_i;
          if (src.sample(b->ready_o)) model.push_back(d);
          CHECK(model.size() <= 2, "more on the way than two ends can hold");
          if (sink.sample(b->valid_o, b->data_o)) {
            CHECK(!model.empty(), "a beat from nowhere");
            CHECK_EQ(b->data_o, model.front(), "data_o");
            model.pop_front();
            got++;
            b.progress();
          }
        });
  };
  b->valid_i = b->ready_i = 0;
  b.reset();
  while (b.now() < b.cycles) cycle();
  // Full speed
  src.pace.always(1);
  sink.pace.always(1);
  for (int i = 0; i < 200; i++) cycle();
  uint64_t before = got;
  const unsigned n = 1000;
  for (unsigned i = 0; i < n; i++) cycle();
  uint64_t want = n / (kWords + 7 + 2 * TB_DELAY);
  CHECK(got - before >= want, "%llu beats in %u cycles, want %llu", (unsigned long long)(got - before), n, (unsigned long long)want);
  printf("# %llu beats, one in %.1f cycles\n", (unsigned long long)got, double(n) / double(got - before));
  // What is on the way comes out.
  src.pace.always(0);
  for (int i = 0; i < 100 && !(model.empty() && i > 50); i++) cycle();
  CHECK(model.empty(), "a beat is lost");
  return b.finish();
}
