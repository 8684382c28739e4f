// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_crc32 and ohca_crc16_vcrc: published vectors, random packets of every tail length back to back, latency, residue.
// dut: ohca_crc32 DataWidth=32
// dut: ohca_crc32 DataWidth=64
// dut: ohca_crc32 DataWidth=128
// dut: ohca_crc32 DataWidth=512
// dut: ohca_crc32 DataWidth=64 Granule=1
// dut: ohca_crc32 DataWidth=512 Granule=1
// dut: ohca_crc16_vcrc DataWidth=64 Granule=2
// dut: ohca_crc16_vcrc DataWidth=256 Granule=4
// dut: ohca_crc16_vcrc DataWidth=512 Granule=2
// dut: ohca_crc16_vcrc DataWidth=512 Granule=1
#include "Vdut.h"
#include "tb.h"
#include "crc_ref.h"

#ifndef TB_GRANULE
#define TB_GRANULE 4
#endif
static constexpr unsigned kBytes = TB_DATA_WIDTH / 8;

// One test serves both modules: the seed port tells them apart.
template <class D> auto is32(D *d, int) -> decltype(d->seed_i, true) { return true; }
template <class D> bool is32(D *, long) { return false; }
template <class D> auto set_seed(D *d, uint32_t s, int) -> decltype((void)d->seed_i) { d->seed_i = s; }
template <class D> void set_seed(D *, uint32_t, long) {}

struct Packet { Bytes bytes; uint32_t seed; };
struct Expect { uint32_t crc; bool ok; uint64_t last_at; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  const bool w32 = is32(b.dut.get(), 0);
  auto crc = [&](const Bytes &p, uint32_t seed) { return w32 ? crc32_ref(p, seed) : crc16_ref(p); };
  std::deque<Packet> todo;
  std::deque<Expect> want;
  uint64_t got = 0, beats = 0;

  // Published vectors first.
  for (const auto &v : kVectors) {
    Bytes p = from_hex(v.hex);
    if (w32) {
      Bytes body(p.begin(), p.end() - (v.mode ? 4 : 6)), icrc(p.begin() + body.size(), p.begin() + body.size() + 4);
      Bytes view = icrc_view(body, v.mode);
      Bytes calc;
      append(calc, crc32_ref(view), 4);
      CHECK(calc == icrc, "the reference disagrees with a vector");
      if (v.mode) view.erase(view.begin(), view.begin() + 8);
      uint32_t seed = v.mode ? 0xdebb20e3 : 0xffffffff;
      todo.push_back({view, seed});
      view.insert(view.end(), icrc.begin(), icrc.end());
      todo.push_back({view, seed});
    } else if (!v.mode) {
      Bytes body(p.begin(), p.end() - 2);
      CHECK_EQ(crc16_ref(body), p[p.size() - 2] | p[p.size() - 1] << 8, "reference VCRC");
      todo.push_back({body, 0});
      if (TB_GRANULE <= 2) todo.push_back({p, 0});
    }
  }

  tb::Pace pace(&b.rng);
  size_t at = 0;
  bool busy = false;
  Packet cur;
  b->valid_i = 0;
  b.reset();
  while (b.now() < b.cycles || !want.empty()) {
    uint64_t last_len = 0;
    b.cycle(
        [&] {
          b->valid_i = pace.go();
          if (!b->valid_i) {
            for (unsigned i = 0; i < kBytes; i += 4) tb::set_bits(b->data_i, i * 8, 32, b.rng.next());
            b->last_i = b.rng.chance(50);
            return;
          }
          if (!busy) {
            if (todo.empty()) {
              unsigned n = unsigned(TB_GRANULE * b.rng.range(1, b.rng.chance(70) ? 2 * kBytes / TB_GRANULE : 300 / TB_GRANULE));
              Packet p{b.rng.bytes(n), uint32_t(b.rng.next())};
              if (b.rng.chance(30) && (w32 || TB_GRANULE <= 2)) append(p.bytes, crc(p.bytes, p.seed), w32 ? 4 : 2);
              if (p.bytes.size() % TB_GRANULE) p.bytes.resize(p.bytes.size() / TB_GRANULE * TB_GRANULE);
              todo.push_back(p);
            }
            cur = todo.front();
            todo.pop_front();
            at = 0;
            busy = true;
          }
          size_t n = cur.bytes.size() - at < kBytes ? cur.bytes.size() - at : kBytes;
          Bytes lane = b.rng.bytes(kBytes);          // what lies behind the packet's end is noise
          memcpy(lane.data(), &cur.bytes[at], n);
          tb::set_bytes(b->data_i, lane.data(), kBytes);
          b->last_i = at + n == cur.bytes.size();
          b->keep_i = b->last_i ? tb::keep_mask(unsigned(n)) : b.rng.next();
          set_seed(b.dut.get(), at ? uint32_t(b.rng.next()) : cur.seed, 0);
          last_len = n;
          beats++;
        },
        [&] {
          if (b->crc_valid_o) {
            CHECK(!want.empty(), "a CRC without a packet");
            CHECK_EQ(b->crc_o, want.front().crc, "crc_o");
            CHECK_EQ(b->ok_o, want.front().ok, "ok_o");
            CHECK_EQ(b.now() - want.front().last_at, TB_DATA_WIDTH > 64 ? 3 : 2, "latency");
            want.pop_front();
            got++;
            b.progress();
          }
          if (b->valid_i) {
            at += last_len;
            if (b->last_i) {
              bool ok = false;
              if (w32 && cur.bytes.size() >= 4) {
                Bytes body(cur.bytes.begin(), cur.bytes.end() - 4), own;
                append(own, crc(body, cur.seed), 4);
                ok = !memcmp(own.data(), &cur.bytes[body.size()], 4);
              } else if (!w32 && cur.bytes.size() >= 2) {
                Bytes body(cur.bytes.begin(), cur.bytes.end() - 2), own;
                append(own, crc(body, 0), 2);
                ok = !memcmp(own.data(), &cur.bytes[body.size()], 2);
              }
              want.push_back({crc(cur.bytes, cur.seed), ok, b.now()});
              busy = false;
            }
          }
        });
    if (b.now() > b.cycles) pace.always(busy ? 1 : 0);
  }
  CHECK(got > b.cycles / 100, "only %llu packets", (unsigned long long)got);
  return b.finish();
}
