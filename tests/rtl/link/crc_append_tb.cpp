// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_icrc_mask and ohca_crc_append, chained as a transmitter does: whole packets against published vectors and random ones
// against the bitwise reference; poisoned packets carry a wrong ICRC; no gap inside a packet; full throughput.
// dut: ohca_crc_chain DataWidth=32
// dut: ohca_crc_chain DataWidth=64
// dut: ohca_crc_chain DataWidth=256
// dut: ohca_crc_chain DataWidth=512
#include "Vdut.h"
#include "tb.h"
#include "crc_ref.h"

static constexpr unsigned kBytes = TB_DATA_WIDTH / 8;

struct Packet { Bytes in, out; int mode; bool poison; };
struct __attribute__((packed)) Beat {        // data of 32 bits is followed by no padding
  tb::Value<decltype(Vdut::data_o)> data;
  uint64_t keep, last;
};

static Bytes finish(const Bytes &in, int mode, bool poison) {
  Bytes o = in;
  uint32_t icrc = icrc_ref(in, mode);
  append(o, poison ? ~icrc : icrc, 4);
  if (!mode) append(o, crc16_ref(o), 2);
  return o;
}

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  std::deque<Packet> todo, want;
  for (const auto &v : kVectors) {
    Bytes p = from_hex(v.hex);
    Packet k{Bytes(p.begin(), p.end() - (v.mode ? 4 : 6)), p, v.mode, false};
    CHECK(finish(k.in, k.mode, false) == p, "the reference disagrees with a vector");
    todo.push_back(k);
  }
  tb::Pace in(&b.rng);
  tb::Sink<Beat> sink(&b.rng, "out");
  bool busy = false, held = false, gap_watch = false;
  size_t at = 0;
  Packet cur;
  Bytes got;
  uint64_t packets = 0, in_beats = 0, out_beats = 0;
  auto cycle = [&](bool more) {
    size_t n = 0;
    b.cycle(
        [&] {
          if (!busy && more) {
            if (todo.empty()) {
              int mode = int(b.rng.below(3));
              size_t least = mode == 0 ? 20 : mode == 1 ? 40 : 60;
              Bytes p = b.rng.bytes(least + 4 * b.rng.below(b.rng.chance(80) ? 40 : 300));
              if (mode == 0) {
                bool grh = p.size() >= 60 && b.rng.chance(50);
                p[1] = uint8_t((p[1] & 0xfc) | (grh ? 3 : 2));
              }
              bool poison = b.rng.chance(10);
              todo.push_back({p, finish(p, mode, poison), mode, poison});
            }
            cur = todo.front();
            todo.pop_front();
            busy = true;
            at = 0;
          }
          b->valid_i = busy && (held || in.go());
          n = busy ? std::min<size_t>(kBytes, cur.in.size() - at) : 0;
          Bytes lane = b.rng.bytes(kBytes);
          if (b->valid_i) {
            memset(lane.data(), 0x5a, kBytes);     // a stalled beat must not change, its unused bytes included
            memcpy(lane.data(), &cur.in[at], n);
          }
          tb::set_bytes(b->data_i, lane.data(), kBytes);
          b->mode_i = uint8_t(cur.mode);
          b->last_i = busy && at + n == cur.in.size();
          b->poison_i = b->last_i && cur.poison;
          b->keep_i = tb::keep_mask(unsigned(n));
          b->ready_i = sink.drive();
        },
        [&] {
          if (b->valid_i) {
            held = !b->ready_o;
            if (b->ready_o) {
              in_beats++;
              at += n;
              if (at == cur.in.size()) {
                want.push_back(cur);
                busy = false;
              }
            }
          }
          Beat o{};
          o.data.v = b->data_o;
          o.keep = b->keep_o;
          o.last = b->last_o;
          if (gap_watch && !got.empty()) CHECK(b->valid_o, "a gap inside a packet");
          if (sink.sample(b->valid_o, o)) {
            out_beats++;
            unsigned m = unsigned(__builtin_popcountll(o.keep));
            CHECK_EQ(o.keep, tb::keep_mask(m), "keep_o has holes");
            CHECK(o.last || m == kBytes, "a short beat inside a packet");
            CHECK(m > 0, "an empty beat");
            uint8_t lane[kBytes];
            tb::get_bytes(o.data.v, lane, kBytes);
            got.insert(got.end(), lane, lane + m);
            b.progress();
            if (o.last) {
              CHECK(!want.empty(), "a packet too many");
              const Packet &w = want.front();
              CHECK_EQ(got.size(), w.out.size(), "length");
              for (size_t i = 0; i < got.size(); i++)
                if (got[i] != w.out[i]) FAIL("mode %d, byte %zu of %zu: got %02x, want %02x", w.mode, i, got.size(), got[i], w.out[i]);
              CHECK_EQ(b->poison_o, w.poison, "user sideband");
              want.pop_front();
              got.clear();
              packets++;
            }
          }
        });
  };
  b->valid_i = 0;
  b->ready_i = 0;
  b.reset();
  // Source and sink at full speed: no packet may come out with a gap, and the output never idles for long.
  in.always(1);
  sink.pace.always(1);
  gap_watch = true;
  for (int i = 0; i < 2000; i++) cycle(true);
  CHECK(out_beats > 1980, "%llu beats in 2000 cycles", (unsigned long long)out_beats);
  gap_watch = false;
  in.always(-1);
  sink.pace.always(-1);
  while (b.now() < b.cycles) cycle(true);
  in.always(1);
  sink.pace.always(1);
  while (busy || !want.empty()) cycle(false);
  CHECK(packets > 50, "only %llu packets", (unsigned long long)packets);
  return b.finish();
}
