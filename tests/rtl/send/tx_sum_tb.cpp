// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Random packets, some marked, through the checksum buffer: the order is kept, every packet is what it was but for the checksums of marked ones, which
// are right; what is not marked goes through an empty buffer in one cycle; whole rate.
// dut: ohca_tx_sum DataWidth=64
// dut: ohca_tx_sum DataWidth=256 RoCE=0
// dut: ohca_tx_sum DataWidth=512
// args: --cycles 6000
// include: tests/rtl/link
#include "Vdut.h"
#include "tb.h"

#include "ipoib.h"

#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
static constexpr unsigned kB = TB_DATA_WIDTH / 8;
using ipoib::Bytes;

struct Packet {
  Bytes in, out;
  unsigned ipd, words;
  bool err, mark, eth;
};
struct Beat {
  tb::Value<decltype(Vdut::out_data_o)> data;
  uint64_t keep, last, err, ipd, words;
};

static Packet make(tb::Rng &r, unsigned marked) {
  Packet k;
  ipoib::Form f = ipoib::form(r, TB_RO_C_E);
  Bytes payload = ipoib::random(r);
  ipoib::Found w = ipoib::look(payload);
  if (w.v4 && r.chance(50)) ipoib::set16(payload, w.sum4_at, unsigned(r.bits(16)));   // what is there does not matter
  if (w.l4 && r.chance(50)) ipoib::set16(payload, w.sum_at, unsigned(r.bits(16)));
  k.mark = r.chance(marked);
  k.eth = f.eth;
  k.in = ipoib::packet(r, f, payload);
  w = ipoib::look(payload);
  if (k.mark && ipoib::is_ud(f)) {
    if (w.v4) ipoib::set16(payload, w.sum4_at, w.sum4);
    if (w.l4) ipoib::set16(payload, w.sum_at, w.sum);
  }
  k.out = k.in;
  std::copy(payload.begin(), payload.end(), k.out.begin() + ptrdiff_t(ipoib::start(f)));
  k.ipd = unsigned(r.bits(8));
  k.words = unsigned(r.bits(10));
  k.err = r.chance(5);
  if (k.err) k.in.resize(r.range(1, k.in.size() / 4) * 4), k.out.clear();            // aborted: only its end is looked at
  return k;
}

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &r = b.rng;
  tb::Pace in_pace(&r);
  tb::Sink<Beat> sink(&r, "out");
  std::deque<Packet> todo, want;
  Bytes got;
  size_t at = 0;
  bool offered = false, due = false;
  uint64_t made = 0, out = 0, beats = 0, straight = 0, summed = 0, plain = 0;
  unsigned marked = 50;

  auto step = [&](bool room) {
    bool pass = false;
    b.cycle([&] {
      if (!offered && room && todo.empty()) {
        if (r.chance(3)) marked = r.chance(40) ? unsigned(r.below(101)) : r.chance(50) ? 5 : 95;
        todo.push_back(make(r, marked));
        made++;
      }
      if (!offered) offered = !todo.empty() && in_pace.go();
      b->in_valid_i = offered;
      if (offered) {
        const Packet &k = todo.front();
        uint8_t beat[kB] = {};
        size_t n = std::min<size_t>(kB, k.in.size() - at);
        std::copy_n(k.in.begin() + ptrdiff_t(at), n, beat);
        tb::set_bytes(b->in_data_i, beat, kB);
        b->in_keep_i = tb::keep_mask(unsigned(n));
        b->in_last_i = at + n == k.in.size();
        b->in_err_i = b->in_last_i && k.err;
        b->in_ipd_i = k.ipd;
        b->in_words_i = k.words;
        b->in_sum_i = k.mark;
        b->eth_i = k.eth;
      }
      b->out_ready_i = sink.drive();
    }, [&] {
      pass = b->idle_o && offered && !at && want.empty() && !todo.front().mark;
      if (offered && b->in_ready_o) {
        if (!at) want.push_back(todo.front());
        at += kB;
        offered = false;
        if (b->in_last_i) {
          todo.pop_front();
          at = 0;
        }
        b.progress();
      }
      CHECK(!due || b->out_valid_o, "a packet that is not marked takes more than a cycle through an empty buffer");
      if (pass) CHECK(b->in_ready_o, "an empty buffer holds a packet up that is not marked");
      straight += pass;
      due = pass;
      Beat x{};
      if (b->out_valid_o) {
        tb::get_bytes(b->out_data_o, reinterpret_cast<uint8_t *>(&x.data.v), kB);
        x.keep = b->out_keep_o;
        x.last = b->out_last_o;
        if (x.last) { x.err = b->out_err_o; x.ipd = b->out_ipd_o; x.words = b->out_words_o; }
      }
      if (sink.sample(b->out_valid_o, x)) {
        CHECK(!want.empty(), "a packet from nowhere");
        const Packet &w = want.front();
        beats++;
        uint8_t beat[kB];
        tb::get_bytes(b->out_data_o, beat, kB);
        for (unsigned i = 0; i < kB && (x.keep >> i & 1); i++) got.push_back(beat[i]);
        if (x.last) {
          CHECK_EQ(got.size(), w.in.size(), "length");
          CHECK_EQ(x.err, w.err, "err");
          CHECK_EQ(x.ipd, w.ipd, "ipd");
          CHECK_EQ(x.words, w.words, "words");
          if (!w.err) for (size_t i = 0; i < got.size(); i++) if (got[i] != w.out[i]) FAIL("byte %zu of %zu: %02x, want %02x", i, got.size(), got[i], w.out[i]);
          summed += !w.err && w.in != w.out;
          plain += !w.mark;
          got.clear();
          want.pop_front();
          out++;
        } else CHECK_EQ(x.keep, tb::keep_mask(kB), "keep");
        b.progress();
      }
    });
  };

  b.reset();
  while (made < b.cycles) step(true);
  while (!todo.empty() || !want.empty()) step(false);
  CHECK(b->idle_o, "not idle");
  // One at a time that is not marked.
  for (unsigned i = 0; i < 100; i++) {
    todo.push_back(make(r, 0));
    while (!todo.empty() || !want.empty()) step(false);
    step(false);
  }
  CHECK(b->idle_o, "not idle");
  GOAL(summed > 300 && plain > 300 && straight > 90);

  // The whole rate, with packets all marked and of all lengths.
  in_pace.always(1);
  sink.pace.always(1);
  uint64_t from = b.now(), was = beats, goal = made + 200;
  marked = 100;
  while (made < goal) {
    if (todo.empty()) {
      Packet k = make(r, 100);
      todo.push_back(k);
      made++;
    }
    step(false);
  }
  while (!todo.empty() || !want.empty()) step(false);
  CHECK(b.now() - from <= (beats - was) * 108 / 100 + 4200 / kB * 2 + 100, "%llu beats took %llu cycles", (unsigned long long)(beats - was),
        (unsigned long long)(b.now() - from));
  return b.finish();
}
