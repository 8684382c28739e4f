// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_fifo and ohca_skid against a queue: order, count, capacity, latency and full throughput, all sizes and both memories.
// dut: ohca_fifo Width=16 Depth=2
// dut: ohca_fifo Width=16 Depth=8 AlmostFull=5
// dut: ohca_fifo Width=16 Depth=2 UseRam=1
// dut: ohca_fifo Width=16 Depth=16 UseRam=1
// dut: ohca_fifo Width=16 Depth=64
#include "Vdut.h"
#include "tb.h"

#ifdef TB_USE_RAM
static constexpr bool kRam = TB_USE_RAM;
#else
static constexpr bool kRam = TB_DEPTH > 32;
#endif
#ifndef TB_ALMOST_FULL
#define TB_ALMOST_FULL TB_DEPTH
#endif

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  tb::Source<uint16_t> src(&b.rng);
  tb::Sink<uint16_t> sink(&b.rng);
  std::deque<uint16_t> model;
  uint64_t got = 0, full = 0;
  auto cycle = [&] {
    b.cycle(
        [&] {
          if (src.q.empty()) src.push(uint16_t(b.rng.next()));
          b->valid_i = src.drive();
          b->data_i = b->valid_i ? src.front() : uint16_t(b.rng.next());
          b->ready_i = sink.drive();
        },
        [&] {
          CHECK_EQ(b->count_o, model.size(), "count_o");
          CHECK_EQ(b->almost_full_o, model.size() >= TB_ALMOST_FULL, "almost_full_o");
          CHECK_EQ(b->ready_o, model.size() < TB_DEPTH, "ready_o");
          full += model.size() == TB_DEPTH;
          if (sink.sample(b->valid_o, b->data_o)) {
            CHECK(!model.empty(), "a beat from nowhere");
            CHECK_EQ(b->data_o, model.front(), "data_o");
            model.pop_front();
            got++;
            b.progress();
          }
          uint16_t d = b->data_i;
          if (src.sample(b->ready_o)) model.push_back(d);
        });
  };
  b->valid_i = b->ready_i = 0;
  b.reset();

  // Latency of one beat through an empty FIFO.
  src.pace.always(1);
  sink.pace.always(0);
  cycle();
  src.pace.always(0);
  unsigned lat = 1;                        // the signals now show the cycle after the push
  for (; !b->valid_o && lat < 10; lat++) cycle();
  CHECK_EQ(lat, kRam ? 2u : 1u, "latency");

  // Full speed: after the first beats, one goes in and one comes out each cycle.
  src.pace.always(1);
  sink.pace.always(1);
  for (int i = 0; i < 20; i++) cycle();
  uint64_t before = got;
  for (int i = 0; i < 200; i++) cycle();
  // With a latency of two, a FIFO of two entries cannot be full speed: the beat in flight takes its room.
  CHECK(got - before >= ((kRam && TB_DEPTH == 2) ? 130u : 200u), "%llu beats in 200 cycles", (unsigned long long)(got - before));

  src.pace.always(-1);
  sink.pace.always(-1);
  while (b.now() < b.cycles) cycle();
  GOAL(full > 10);
  return b.finish();
}
