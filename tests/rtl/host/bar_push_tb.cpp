// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_bar_push: doorbells and pushes of many pages at once. Each buffer has a model of what was written to it since its
// dword 0: a push that was written whole and in order by no more pages than there are entries goes out with its WQE, any
// other that rings goes out without; order and numbers are those of the writes. No slot is lost, however many pushes
// are torn, begun anew or left alone.
// dut: ohca_bar_push
// dut: ohca_bar_push DbDepth=4 PushSlots=4 PushEntries=2
// dut: ohca_bar_push DbDepth=4 PushSlots=4 PushEntries=2 Compact=1
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

#ifndef TB_PUSH_ENTRIES
#define TB_PUSH_ENTRIES 4
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
enum Has { NO, YES, MAYBE };                   // the WQE
struct Want { uint32_t qpn; uint8_t page; uint16_t pi; Has wqe; uint32_t w[16]; };
struct Write { int buf; unsigned dw, n; };     // buf < 0: a doorbell
struct Out { uint32_t w[18]; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Sink<Out> sink(&rng, "sq_db");
  std::deque<Want> want;
  struct Buf { uint32_t w[16]; unsigned next; bool torn, may, live; uint32_t qpn; uint16_t idx; };
  std::vector<Buf> buf(512);                   // by {page, buffer}; next: dword expected, 0: none; live: it has an entry
  uint64_t rung = 0, pushed = 0, torn = 0, anew = 0, bad = 0, bad_seen = 0, no_slot = 0, no_room = 0;
  std::vector<int> open;
  unsigned word_at = 0;
  Want word_of{};
  bool bad_now = false, bad_due = false, foretold = true;

  auto idle = [&] { d.db_valid_i = d.push_valid_i = 0; };
  auto sample = [&] {
    if (foretold) CHECK_EQ(d.bad_o, bad_due, "bad_o");
    bad_seen += d.bad_o;
    bad_due = bad_now;
    bad_now = false;
    no_slot += !d.slot_o;
    no_room += !d.room_o;
    CHECK(d.busy_o || !d.sq_db_valid_o, "a doorbell while nothing is under way");
    Out o{};
    tb::get_bytes(d.sq_db_o, (uint8_t *)&o, 72);
    if (word_at) {
      CHECK(!memcmp(word_of.w + 2 * word_at, &o, 8), "word %u of a pushed WQE differs", word_at);
      CHECK(!d.sq_db_valid_o, "a doorbell while a WQE goes out");
      CHECK(d.busy_o || word_at == 7, "nothing under way while a WQE goes out");
      word_at = (word_at + 1) % 8;
    }
    bool push = tb::get_bits(d.sq_db_o, OHCA_SQ_DB_PUSH_LSB, 1);
    if (!push) memset(&o, 0, 64);
    if (!sink.sample(d.sq_db_valid_o, o)) return;
    b.progress();
    CHECK(!want.empty(), "a doorbell that nobody rang");
    Want x = want.front();
    want.pop_front();
    CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_QPN), x.qpn, "qpn");
    CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_UAR), x.page, "uar");
    CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_PI), x.pi, "pi");
    if (x.wqe != MAYBE) CHECK_EQ(push, x.wqe, "push");
    if (push) {
      CHECK(!memcmp(x.w, &o, TB_COMPACT ? 8 : 64), "pushed WQE differs");
      if (TB_COMPACT) { word_at = 1; word_of = x; }
      pushed++;
    }
    rung++;
  };
  // A write, when it may take effect. What becomes of it is worked out here.
  auto doorbell = [&] {
    idle();
    if (!d.room_o) return;
    uint64_t r = rng.next();
    d.page_i = uint8_t(rng.next()); d.db_valid_i = 1; d.db_qpn_i = r & 0xffffff; d.db_pi_i = uint16_t(r >> 32);
    want.push_back({uint32_t(d.db_qpn_i), uint8_t(d.page_i), uint16_t(d.db_pi_i), NO, {}});
  };
  auto write = [&](unsigned at, unsigned dw, unsigned n, bool crowd) {
    idle();
    if (!d.room_o || !d.slot_o) return false;
    Buf &f = buf[at];
    uint64_t v = rng.next();
    d.page_i = uint8_t(at >> 1); d.push_buf_i = at & 1; d.push_at_i = uint8_t(dw / 2);
    d.push_strb_i = n == 2 ? 0xff : dw & 1 ? 0xf0 : 0x0f;
    if (n == 0) {                              // part of a dword: nothing but counted
      d.push_strb_i = 0x3c;
      d.push_valid_i = 1; d.push_data_i = v;
      bad_now = true; bad++;
      return true;
    }
    d.push_valid_i = 1;
    d.push_data_i = v;
    uint32_t half[2] = {uint32_t(v), uint32_t(v >> 32)};
    if (dw == 0) {
      bad_now = f.live;
      anew += f.live;
      f.next = 0; f.torn = false; f.may = crowd; f.live = true;
      f.idx = uint16_t(half[0] >> 16);
    }
    if (dw == 6) f.qpn = half[0] & 0xffffff;
    if (f.next != dw) { f.torn = true; f.live = false; }
    f.may |= crowd;
    for (unsigned i = 0; i < n; i++) f.w[dw + i] = half[(dw + i) & 1];
    f.next = dw + n;
    if (f.next == 16) {
      Want x{f.qpn, uint8_t(at >> 1), uint16_t(f.idx + 1), f.torn ? NO : f.may ? MAYBE : YES, {}};
      memcpy(x.w, f.w, 64);
      want.push_back(x);
      torn += f.torn;
      bad_now |= f.torn;
      f.next = 0; f.live = false;
    }
    return true;
  };
  b.stuck_after = 2000;
  idle();
  d.sq_db_ready_i = 0;
  d.push_strb_i = 0xff; d.page_i = 0; d.push_data_i = 0; d.push_at_i = 0; d.push_buf_i = 0; d.db_qpn_i = 0; d.db_pi_i = 0;
  b.reset();
  auto step = [&](bool crowd) {
    if (rng.chance(15)) { doorbell(); return; }
    if (rng.chance(15)) { idle(); return; }
    unsigned limit = crowd ? TB_PUSH_ENTRIES + 3 : TB_PUSH_ENTRIES;
    if (open.size() < limit && rng.chance(30)) {
      int at = int(rng.below(512));
      for (int x : open) if (x == at) { idle(); return; }
      if (write(unsigned(at), 0, 1 + rng.chance(70), crowd)) open.push_back(at);
      return;
    }
    if (open.empty()) { idle(); return; }
    size_t i = rng.below(open.size());
    unsigned at = unsigned(open[i]), next = buf[at].next;
    if (rng.chance(1)) { write(at, next, 0, crowd); return; }
    if (rng.chance(1)) { write(at, 0, 1 + rng.chance(70), crowd); return; }
    if (rng.chance(2) && next < 12 && (next < 2 || next > 7)) next += 2;       // a hole, but not in idx or qpn
    if (write(at, next, next & 1 || rng.chance(30) ? 1 : 2, crowd) && !buf[at].next) open.erase(open.begin() + long(i));
  };
  auto cycle = [&](auto drive) { b.cycle([&] { d.sq_db_ready_i = sink.drive(); drive(); }, sample); };
  auto drain = [&] {
    for (int k = 0; k < 3000 && (!want.empty() || word_at || d.busy_o); k++) cycle(idle);
    CHECK(want.empty(), "%zu doorbells lost", want.size());
    CHECK(d.room_o && d.slot_o && !d.busy_o, "room %d slot %d busy %d at the end", d.room_o, d.slot_o, d.busy_o);
  };
  auto finish_open = [&](bool crowd) {
    while (!open.empty()) {
      unsigned at = unsigned(open.front());
      cycle([&] { if (write(at, buf[at].next, buf[at].next & 1 ? 1 : 2, crowd) && !buf[at].next) open.erase(open.begin()); });
    }
  };
  for (uint64_t k = 0; k < b.cycles / 2; k++) cycle([&] { step(false); });
  sink.pace.always(0);                         // long enough that everything is full
  for (int k = 0; k < 600; k++) { b.progress(); cycle([&] { step(false); }); }
  sink.pace = tb::Pace(&rng);
  finish_open(false);
  drain();
  GOAL(pushed > 30 && torn > 5 && anew > 3 && no_room && bad);
  printf("# %llu doorbells, %llu with their WQE, %llu torn, %llu begun anew; cycles without room %llu, without a slot %llu\n",
         (unsigned long long)rung, (unsigned long long)pushed, (unsigned long long)torn, (unsigned long long)anew,
         (unsigned long long)no_room, (unsigned long long)no_slot);

  // More buffers than entries: who loses its entry rings without its WQE, and bad_o is not foretold by this model.
  uint64_t was = pushed, bad_was = bad_seen;
  foretold = false;
  for (uint64_t k = 0; k < b.cycles / 2; k++) cycle([&] { step(true); });
  finish_open(true);
  drain();
  GOAL(pushed > was + 5 && bad_seen > bad_was + 5);

  // No slot was lost, and none is held twice: all entries hold one, and the others fill with WQEs that nobody takes.
  sink.pace.always(1);
  for (unsigned k = 0; k < 3 * TB_PUSH_ENTRIES; k++)         // every entry is taken anew, by a push that is whole
    for (unsigned dw = 0; dw < 16;) cycle([&] { if (write(2 * (k % TB_PUSH_ENTRIES), dw, 2, true)) dw += 2; });
  drain();
  foretold = true;
  for (auto &f : buf) f.live = false;

  // Rates and latency: a doorbell a cycle, three cycles after its write.
  uint64_t start = tb::context().cycle, n0 = rung;
  for (int k = 0; k < 400; k++) cycle(doorbell);
  CHECK_EQ(rung - n0, 397, "doorbells in 400 cycles, three cycles after their writes");
  drain();
  CHECK(tb::context().cycle - start < 420, "slow");

  // A reset forgets what was begun and what waits.
  sink.pace.always(0);
  for (unsigned dw = 0; dw < 8; dw += 2) cycle([&] { write(6, dw, 2, false); });
  for (int k = 0; k < 3; k++) cycle(doorbell);
  cycle(idle);
  d.rst_i = 1;
  want.clear();
  buf[6] = Buf{};
  sink = tb::Sink<Out>(&rng, "sq_db");
  sink.pace.always(1);
  for (int k = 0; k < 3; k++) b.cycle([&] { idle(); d.sq_db_ready_i = 0; }, [] {});
  d.rst_i = 0;
  bad_now = bad_due = false;
  cycle(idle);
  CHECK(!d.busy_o && d.room_o && d.slot_o, "something is left");
  for (unsigned dw = 0; dw < 16; dw += 2) cycle([&] { write(6, dw, 2, false); });
  drain();
  return b.finish();
}
