// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt_madtx DataWidth=64
// dut: ohca_mgmt_madtx DataWidth=512
// Packets of any length, written dword by dword: their beats are the bytes as they were written, whole but for the last, and one packet is through before it is not
// busy any more.
#include "Vdut.h"
#include "tb.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned BUS = TB_DATA_WIDTH / 8;
  std::vector<uint32_t> ram(512);
  struct Beat { uint8_t b[BUS]; uint64_t keep; uint32_t last, host; };
  tb::Sink<Beat> sink(&rng, "packet");
  uint64_t packets = 0, beats = 0;
  d.we_i = d.start_i = d.ready_i = 0;
  b.reset();
  auto quiet = [&](auto drive) {
    b.cycle([&] { d.we_i = d.start_i = 0; d.ready_i = sink.drive(); drive(); }, [&] {
      CHECK(!d.valid_o, "a beat of nothing");
      CHECK(!d.busy_o, "busy with nothing");
    });
  };
  for (unsigned i = 0; i < 512; i++) quiet([&] { d.we_i = 1; d.addr_i = i; d.wdata_i = ram[i] = uint32_t(rng.bits(32)); });
  while (b.now() < b.cycles * 2) {
    b.progress();
    for (unsigned n = rng.below(30); n--;) {
      unsigned a = rng.below(80);
      quiet([&] { d.we_i = 1; d.addr_i = a; d.wdata_i = ram[a] = uint32_t(rng.bits(32)); });
    }
    unsigned len = 4 * unsigned(rng.chance(40) ? rng.range(1, 2 * BUS / 4) : rng.range(1, 100));
    bool host = rng.chance(50);
    quiet([&] { d.start_i = 1; d.wdata_i = len | uint32_t(host) << 16 | (uint32_t(rng.bits(15)) << 17); });
    unsigned at = 0;
    uint64_t begin = b.now();
    while (at < len) {
      b.cycle([&] { d.we_i = d.start_i = 0; d.ready_i = sink.drive(); d.wdata_i = uint32_t(rng.bits(32)); d.addr_i = rng.below(512); }, [&] {
        CHECK(d.busy_o, "not busy with a packet");
        Beat x{};
        if (d.valid_o) {
          tb::get_bytes(d.data_o, x.b, BUS);
          x.keep = d.keep_o;
          x.last = d.last_o;
          x.host = d.to_host_o;
        }
        if (!sink.sample(d.valid_o, x)) return;
        b.progress();
        unsigned n = std::min(len - at, BUS);
        CHECK(!memcmp(x.b, reinterpret_cast<uint8_t *>(ram.data()) + at, n), "bytes");
        CHECK_EQ(x.keep, n == 64 ? ~0ull : (1ull << n) - 1, "bytes that count");
        CHECK_EQ(x.last, at + n == len, "last");
        CHECK_EQ(x.host, host, "to the host");
        at += n;
        beats++;
      });
      CHECK(b.now() - begin < 20000, "a packet for ever");
    }
    for (int n = 0; d.busy_o; n++) {                 // its last beat is gone
      b.cycle([&] { d.ready_i = sink.drive(); }, [&] { CHECK(!d.valid_o, "a beat after the last"); });
      CHECK(n < 4, "busy for ever");
    }
    packets++;
  }
  printf("# %llu packets, %llu beats\n", (unsigned long long)packets, (unsigned long long)beats);
  GOAL(packets > 50 && beats > packets);
  return b.finish();
}
