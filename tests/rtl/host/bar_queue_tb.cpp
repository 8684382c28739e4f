// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_bar_queue: doorbells of a few queues, now and then one that is behind its time, against a reader of every pace. What comes out was rung; the
// last index of each queue comes out, though one before it may be merged away; a WQE goes with the doorbell that it came with or its slot comes back,
// each once. Of many queues nothing is merged and the order stays. With Merge a queue that rings on and on takes one place.
// dut: ohca_bar_queue
// dut: ohca_bar_queue Depth=8 Merge=1
// dut: ohca_bar_queue Depth=32 SlotW=5 Merge=1
#include "Vdut.h"
#include "tb.h"

#ifndef TB_DEPTH
#define TB_DEPTH 32
#endif
#ifndef TB_SLOT_W
#define TB_SLOT_W 4
#endif
#ifndef TB_MERGE
#define TB_MERGE 0
#endif
struct Bell { uint64_t key; uint16_t pi; int slot; };       // slot: -1 without a WQE
struct Out { uint64_t key; uint32_t pi; uint16_t push, slot; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Sink<Out> out(&rng, "doorbell");
  tb::Pace go(&rng);
  std::deque<Bell> rung;                       // that may still come out, in order
  std::map<uint64_t, uint16_t> last, seen;     // by queue: the furthest index that was rung, that came out
  std::map<uint64_t, uint16_t> pi;
  bool held[1 << TB_SLOT_W] = {};
  uint64_t n_in = 0, n_out = 0, n_push = 0, n_gone = 0, n_late = 0, full = 0;
  unsigned queues = 4;
  int late = 5;

  auto give_back = [&](unsigned slot, const char *how) {
    CHECK(held[slot], "slot %u comes back twice (%s)", slot, how);
    held[slot] = false;
  };
  bool was_full = false;
  auto sample = [&] {
    full += was_full = d.almost_full_o;
    for (unsigned i = 0; i < 2; i++)
      if (d.gone_o >> i & 1) {
        unsigned slot = d.gone_slot_o >> TB_SLOT_W * i & ((1 << TB_SLOT_W) - 1);
        give_back(slot, "merged");
        for (auto &x : rung) if (x.slot == int(slot)) x.slot = -1;
        n_gone++;
      }
    Out o{d.key_o, uint16_t(d.pi_o), uint8_t(d.push_o), uint8_t(d.push_o ? d.slot_o : 0)};
    if (!out.sample(d.valid_o, o)) return;
    b.progress();
    n_out++;
    // Those before it that were merged are gone with it.
    size_t i = 0;
    while (i < rung.size() && !(rung[i].key == o.key && rung[i].pi == o.pi && (o.push ? rung[i].slot == o.slot : rung[i].slot < 0))) i++;
    CHECK(i < rung.size(), "a doorbell that nobody rang, or that lost its WQE: key %llx index %u", (unsigned long long)o.key, o.pi);
    if (!TB_MERGE) CHECK_EQ(i, 0, "order");
    if (o.push) {
      give_back(o.slot, "read");
      rung[i].slot = -1;
      n_push++;
    }
    if (!seen.count(o.key) || int16_t(o.pi - seen[o.key]) > 0) seen[o.key] = o.pi;
    if (!TB_MERGE) { rung.pop_front(); return; }
    size_t left = i + 1;                       // what says less, or the same, of this queue and was rung before needs not come any more
    for (size_t k = 0; left--;)
      if (rung[k].key == o.key && int16_t(rung[k].pi - o.pi) <= 0 && rung[k].slot < 0) rung.erase(rung.begin() + long(k));
      else k++;
  };
  auto ring = [&](uint64_t key) {
    d.valid_i = 0;
    if (was_full || !go.go()) return;              // who rings has looked a cycle before
    uint16_t v = uint16_t(pi[key] + rng.range(1, 3));
    if (pi.count(key) && int(rng.below(100)) < late) { v = uint16_t(pi[key] - rng.range(0, 4)); n_late++; }
    else pi[key] = v;
    int slot = -1;
    if (rng.chance(60)) for (unsigned k = 0; k < 8 && slot < 0; k++) { int s = int(rng.below(1 << TB_SLOT_W)); if (!held[s]) slot = s; }
    if (slot >= 0) held[slot] = true;
    d.valid_i = 1;
    d.key_i = key; d.pi_i = v; d.push_i = slot >= 0; d.slot_i = slot >= 0 ? uint8_t(slot) : uint8_t(rng.next() & ((1 << TB_SLOT_W) - 1));
    rung.push_back({key, v, slot});
    if (!last.count(key) || int16_t(v - last[key]) > 0) last[key] = v;
    n_in++;
  };
  // {qpn, page}: two pages of a QP that differ in one bit, in all of their places; then another QP
  auto key = [](unsigned k) { return 0x1234500000ull + (k >> 1) * 0x10001ull ^ (k & 1 ? 1ull << (k / 2 + 3) % 16 : 0); };
  auto cycle = [&](auto drive) { b.cycle([&] { d.ready_i = out.drive(); drive(); }, sample); };
  auto drain = [&] {
    d.valid_i = 0;
    for (int k = 0; k < 2000 && d.valid_o; k++) cycle([&] { d.valid_i = 0; });
    for (int k = 0; k < 3; k++) cycle([&] { d.valid_i = 0; });
    CHECK(!d.valid_o, "something stays");
    for (auto &x : last) CHECK_EQ(seen[x.first], x.second, "the last index of a queue");
    for (unsigned s = 0; s < 1 << TB_SLOT_W; s++) CHECK(!held[s], "slot %u is lost", s);
    rung.clear();
  };

  d.valid_i = 0; d.ready_i = 0; d.key_i = 0; d.pi_i = 0; d.push_i = 0; d.slot_i = 0;
  b.reset();
  for (unsigned round = 0; round < 20; round++) {
    queues = 1u << rng.below(7);
    late = rng.chance(50) ? 0 : 10;
    for (uint64_t k = 0; k < b.cycles / 20; k++) cycle([&] { ring(key(unsigned(rng.below(queues)))); });
    drain();
  }
  printf("# %llu rung, %llu late; %llu came out, %llu with a WQE, %llu WQEs dropped; %llu cycles full\n", (unsigned long long)n_in,
         (unsigned long long)n_late, (unsigned long long)n_out, (unsigned long long)n_push, (unsigned long long)n_gone, (unsigned long long)full);
  GOAL(n_push > 50 && n_late > 20 && full && (!TB_MERGE || (n_gone > 50 && n_out + 50 < n_in)));

  // Queues that are all different: nothing is merged, the order stays, one a cycle after a cycle.
  late = 0;
  go.always(1); out.pace.always(1);
  uint64_t was = n_out, gone = n_gone;
  for (uint32_t k = 0; k < 301; k++) {
    cycle([&] { ring(k << 8); });
    CHECK(rung.size() <= 2, "order");
  }
  CHECK_EQ(n_out - was, 300, "doorbells in 301 cycles");
  drain();
  CHECK_EQ(n_gone, gone, "a WQE was dropped");

  // A quarter as many queues as places, and nobody reads: with Merge they ring on and on.
  out.pace.always(0);
  full = 0;
  uint64_t before = n_in;
  for (unsigned k = 0; k < 600; k++) { b.progress(); cycle([&] { ring(k % (TB_DEPTH / 4) << 8); }); }
  if (TB_MERGE) CHECK_EQ(n_in - before, 600, "rung while nobody reads");
  else CHECK(full > 500, "not full");
  out.pace.always(1);
  was = n_out;
  drain();
  if (TB_MERGE) CHECK(n_out - was <= TB_DEPTH / 4 + 2, "%llu came out", (unsigned long long)(n_out - was));
  return b.finish();
}
