// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_icm NumClients=6 Chunks=64
// Random look-ups of all clients while chunks come and go; answers two cycles after the grant, numbers out of range refused.
#include "Vdut.h"
#include "tb.h"

constexpr unsigned N = TB_NUM_CLIENTS, CHUNKS = TB_CHUNKS;
struct Want { unsigned cli; bool ok; uint64_t addr; uint64_t at; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  std::vector<uint64_t> dir(CHUNKS, 0);   // address | valid
  std::vector<tb::Source<uint64_t>> src;
  for (unsigned i = 0; i < N; i++) src.emplace_back(&rng);
  std::deque<Want> want;
  uint64_t hits = 0, miss = 0;
  d.wr_en_i = d.req_valid_i = 0;
  b.reset();
  bool wr = false, was_wr = false;
  unsigned chunk = 0;
  uint64_t addr = 0;
  bool valid = false;
  auto drive = [&] {
    wr = !d.init_o && rng.chance(20);
    chunk = unsigned(rng.chance(80) ? rng.below(CHUNKS) : rng.below(65536));
    valid = rng.chance(70);
    addr = rng.next() >> 18;
    d.wr_en_i = wr;
    d.wr_chunk_i = uint16_t(chunk);
    d.wr_valid_i = valid;
    d.wr_addr_i = addr;
    d.req_valid_i = 0;
    for (unsigned i = 0; i < N; i++) {
      if (src[i].q.empty()) src[i].push((rng.chance(90) ? rng.below(CHUNKS) : rng.below(1 << 22)) << 18 | rng.bits(18));
      if (!src[i].drive()) continue;
      d.req_valid_i |= 1 << i;
      tb::set_bits(d.req_addr_i, i * 40, 40, src[i].front());
    }
  };
  auto sample = [&] {
    if (d.rsp_valid_o) {
      CHECK(!want.empty(), "answer without a question");
      Want w = want.front();
      want.pop_front();
      CHECK_EQ(d.rsp_valid_o, 1u << w.cli, "client");
      CHECK_EQ(tb::context().cycle, w.at, "latency");
      CHECK_EQ(d.rsp_ok_o, w.ok, "ok");
      if (w.ok) CHECK_EQ(d.rsp_addr_o, w.addr, "address");
      hits += w.ok;
      miss += !w.ok;
      b.progress();
    }
    for (unsigned i = 0; i < N; i++) {
      uint64_t a = src[i].q.empty() ? 0 : src[i].front();
      if (!src[i].sample(d.req_ready_o >> i & 1)) continue;
      uint64_t c = a >> 18;
      bool ok = c < CHUNKS && (dir[c] & 1);
      want.push_back({i, ok, ok ? (dir[c] >> 1) << 18 | (a & 0x3ffff) : 0, tb::context().cycle + 2});
    }
    CHECK(want.size() <= 2, "an answer is missing");
    if (wr && chunk < CHUNKS) dir[chunk] = addr << 1 | valid;
    was_wr = wr;
  };
  for (uint64_t k = 0; k < b.cycles; k++) b.cycle(drive, sample);
  for (auto &s : src) s.pace.always(1);
  uint64_t was = hits + miss;
  for (int k = 0; k < 1000; k++) b.cycle(drive, sample);
  printf("# %llu found, %llu refused, %.3f a cycle\n", (unsigned long long)hits, (unsigned long long)miss, double(hits + miss - was) / 1000);
  CHECK(hits && miss && hits + miss - was >= 999, "rate");
  // After a reset the table is empty.
  d.wr_en_i = d.req_valid_i = 0;
  b.reset();
  for (auto &e : dir) e = 0;
  for (auto &s : src) s = tb::Source<uint64_t>(&rng);
  want.clear();
  hits = 0;
  for (int k = 0; k < 500; k++) b.cycle([&] { drive(); d.wr_en_i = wr = false; }, sample);
  CHECK_EQ(hits, 0, "found after reset");
  (void)was_wr;
  return b.finish();
}
