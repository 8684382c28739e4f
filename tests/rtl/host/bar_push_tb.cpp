// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_bar_push: doorbells and pushes of many pages at once, each push in an order of its own, by quadwords and halves of
// them. Each buffer has a model of which dwords came since it last rang: a push that was collected while no more buffers
// were being filled than there are entries goes out with its WQE, any other without; order and numbers are those of the
// writes. A dword that comes twice begins the push anew, a buffer that is cleared forgets what came. No slot is lost. A push
// that is written whole goes out with its WQE, whatever others do and whatever had come of its buffer.
// dut: ohca_bar_push
// dut: ohca_bar_push DbDepth=4 PushSlots=4 PushEntries=2
// dut: ohca_bar_push DbDepth=4 PushSlots=4 PushEntries=2 Compact=1
// dut: ohca_bar_push DbDepth=16 PushSlots=32 Merge=1
// dut: ohca_bar_push PageW=10
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"
#include <algorithm>

#ifndef TB_PUSH_ENTRIES
#define TB_PUSH_ENTRIES 4
#endif
#ifndef TB_MERGE
#define TB_MERGE 0
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_PAGE_W
#define TB_PAGE_W 8
#endif
constexpr unsigned BUFS = 2 << TB_PAGE_W;
enum Has { NO, YES, MAYBE };                   // the WQE
struct Want { uint32_t qpn; uint16_t page; uint16_t pi; Has wqe; uint32_t w[16]; };
struct Op { enum { NONE, DOORBELL, PUSH, PART, CLEAR, WHOLE } kind; unsigned at, dw, n; bool crowd; };   // dw, n: first dword, dwords
struct Out { uint32_t w[18]; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Sink<Out> sink(&rng, "sq_db");
  std::deque<Want> want;
  struct Buf { uint32_t w[16]; uint16_t mask; bool may; std::vector<Op> rest; };
  std::vector<Buf> buf(BUFS);                   // by {page, buffer}; rest: writes of its push that are still to come
  uint64_t rung = 0, pushed = 0, cleared = 0, anew = 0, wholes = 0, over = 0, bad = 0, bad_seen = 0, no_slot = 0, no_room = 0, last_at[16] = {};
  std::vector<int> open;
  unsigned word_at = 0;
  Want word_of{};
  bool bad_now = false, bad_due = false, foretold = true, merging = false;
  std::map<uint64_t, uint64_t> furthest;       // while merging: index by QP

  auto idle = [&] { d.db_valid_i = d.push_valid_i = d.push_clr_i = d.look_i = d.whole_i = 0; };
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
    if (merging) {
      furthest[FIELD(d.sq_db_o, OHCA_SQ_DB_QPN)] = FIELD(d.sq_db_o, OHCA_SQ_DB_PI);
      rung++;
      return;
    }
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
  // An access that takes effect in this cycle. What becomes of it is worked out here.
  auto act = [&](const Op &o) {
    Buf &f = buf[o.at % BUFS];
    uint64_t r = rng.next();
    d.page_i = uint16_t(o.at >> 1); d.push_buf_i = o.at & 1; d.push_at_i = uint8_t(o.dw / 2); d.push_data_i = r;
    d.db_qpn_i = r & 0xffffff; d.db_pi_i = uint16_t(r >> 32);
    if (o.kind == Op::DOORBELL) {
      d.db_valid_i = 1;
      want.push_back({uint32_t(d.db_qpn_i), uint16_t(d.page_i), uint16_t(d.db_pi_i), NO, {}});
    } else if (o.kind == Op::CLEAR) {
      d.push_clr_i = 1;
      cleared += f.mask != 0;
      f.mask = 0;
    } else if (o.kind == Op::PART) {           // of a dword: nothing but counted
      static const uint8_t strb[] = {0x3c, 0x7f, 0xfe, 0x01, 0x1f, 0xf8};
      d.push_valid_i = 1; d.push_strb_i = strb[rng.below(6)];
      bad_now = true; bad++;
    } else if (o.kind == Op::WHOLE) {          // with whatever of its buffer had come before
      d.push_valid_i = d.whole_i = 1; d.push_strb_i = 0xff; d.push_at_i = 0;
      Want x{};
      x.page = uint16_t(o.at >> 1);
      for (auto &v : x.w) v = uint32_t(rng.next());
      x.qpn = x.w[6] & 0xffffff; x.pi = uint16_t((x.w[0] >> 16) + 1); x.wqe = YES;
      tb::set_bytes(d.wqe_i, (uint8_t *)x.w, 64);
      want.push_back(x);
      if (f.mask) { bad_now = true; over++; }
      wholes++;
      f.mask = 0;
    } else if (o.kind == Op::PUSH) {
      d.push_valid_i = 1;
      d.push_strb_i = o.n == 2 ? 0xff : o.dw & 1 ? 0xf0 : 0x0f;
      uint16_t m = uint16_t((o.n == 2 ? 3 : 1) << o.dw);
      if (f.mask & m) { bad_now = true; anew++; f.mask = 0; }
      if (!f.mask) f.may = o.crowd;
      f.may |= o.crowd;
      f.mask |= m;
      for (unsigned i = 0; i < o.n; i++) f.w[o.dw + i] = uint32_t(r >> 32 * ((o.dw + i) & 1));
      if (f.mask == 0xffff) {
        Want x{f.w[6] & 0xffffff, uint16_t(o.at >> 1), uint16_t((f.w[0] >> 16) + 1), f.may ? MAYBE : YES, {}};
        memcpy(x.w, f.w, 64);
        want.push_back(x);
        last_at[o.dw]++;
        f.mask = 0;
      }
    }
  };
  // As the bus does it: an access is looked up when the one before takes effect or nothing waits, and waits for room.
  Op next{};
  auto issue = [&](auto choose) {
    idle();
    if (next.kind != Op::NONE) {
      if (!d.room_o || (next.kind != Op::DOORBELL && !d.slot_o)) return;
      act(next);
    }
    next = choose();
    d.look_i = next.kind >= Op::PUSH;
    d.look_page_i = (next.at >> 1) & ((1 << TB_PAGE_W) - 1); d.look_buf_i = next.at & 1;
  };
  // The writes of a push: in order, in reverse, or in any; a quadword at once or in two halves.
  auto writes_of = [&](unsigned at, bool crowd) {
    std::vector<Op> l;
    bool halves = rng.chance(40), any = rng.chance(70), back = rng.chance(50);
    for (unsigned q = 0; q < 16; q += 2) {
      if (halves && rng.chance(60)) { l.push_back({Op::PUSH, at, q, 1, crowd}); l.push_back({Op::PUSH, at, q + 1, 1, crowd}); }
      else l.push_back({Op::PUSH, at, q, 2, crowd});
    }
    if (any) for (size_t i = l.size() - 1; i > 0; i--) std::swap(l[i], l[rng.below(i + 1)]);
    else if (back) std::reverse(l.begin(), l.end());
    return l;
  };
  b.stuck_after = 2000 + BUFS;
  idle();
  d.sq_db_ready_i = 0;
  d.push_strb_i = 0xff; d.page_i = 0; d.push_data_i = 0; d.push_at_i = 0; d.push_buf_i = 0; d.db_qpn_i = 0; d.db_pi_i = 0;
  d.look_page_i = 0; d.look_buf_i = 0;
  tb::clear(d.wqe_i);
  b.reset();
  bool finishing = false;
  auto step = [&](bool crowd) -> Op {
    if (!finishing && rng.chance(15)) return {Op::DOORBELL, unsigned(rng.bits(17)), 0, 0, crowd};   // of any page
    if (rng.chance(15)) return {};
    if (!TB_COMPACT && rng.chance(15)) {       // a buffer of anyone, or one that is being filled: what came of it is void
      size_t i = rng.below(open.size() + 1);
      unsigned at = i < open.size() ? unsigned(open[i]) : unsigned(rng.below(BUFS));
      for (size_t k = 0; k < open.size(); k++) if (open[k] == int(at)) open.erase(open.begin() + long(k--));
      return {Op::WHOLE, at, 0, 0, crowd};
    }
    unsigned limit = crowd ? TB_PUSH_ENTRIES + 3 : TB_PUSH_ENTRIES;
    if (!finishing && open.size() < limit && rng.chance(30)) {
      int at = int(rng.below(BUFS));
      if (TB_PAGE_W > 8 && !open.empty() && rng.chance(50)) at = open[0] ^ 1 << rng.range(9, TB_PAGE_W);     // what they differ in is beyond eight bits
      for (int x : open) if (x == at) return {};
      open.push_back(at);
      buf[size_t(at)].rest = writes_of(unsigned(at), crowd);
    }
    if (open.empty()) return {};
    size_t i = rng.below(open.size());
    unsigned at = unsigned(open[i]);
    Buf &f = buf[at];
    if (rng.chance(1)) return {Op::PART, at, unsigned(rng.below(16)), 0, crowd};
    if (!finishing && rng.chance(1)) {         // left halfway by one who dies; the next one has another order
      f.rest = writes_of(at, crowd);
      return {Op::CLEAR, at, 0, 0, crowd};
    }
    Op o = f.rest.back();
    if (!finishing && rng.chance(1)) {         // a dword twice: all that came before it is void
      unsigned dw = unsigned(rng.below(16));
      if (f.mask >> dw & 1) {
        f.rest.clear();
        for (unsigned k = 0; k < 16; k++) if (k != dw) f.rest.push_back({Op::PUSH, at, k, 1, crowd});
        for (size_t k = 14; k > 0; k--) std::swap(f.rest[k], f.rest[rng.below(k + 1)]);
        return {Op::PUSH, at, dw, 1, crowd};
      }
    }
    f.rest.pop_back();
    if (f.rest.empty()) open.erase(open.begin() + long(i));
    return o;
  };
  auto cycle = [&](auto drive) { b.cycle([&] { d.sq_db_ready_i = sink.drive(); drive(); }, sample); };
  auto drain = [&] {
    for (int k = 0; k < 3000 && (!want.empty() || word_at || d.busy_o); k++) cycle([&] { issue([] { return Op{}; }); });
    CHECK(want.empty(), "%zu doorbells lost", want.size());
    CHECK(d.room_o && d.slot_o && !d.busy_o, "room %d slot %d busy %d at the end", d.room_o, d.slot_o, d.busy_o);
  };
  auto some = [&](bool crowd) { return [&step, crowd] { return step(crowd); }; };
  auto finish_open = [&](bool crowd) {
    finishing = true;
    while (!open.empty()) cycle([&] { issue(some(crowd)); });
    finishing = false;
  };
  // A reset clears what is known of the buffers, and takes nothing meanwhile.
  auto until_clear = [&] {
    unsigned n = 0;
    for (; !d.slot_o && n < BUFS + 88; n++) { CHECK(d.busy_o, "clock not wanted while the memory is cleared"); cycle(idle); }
    CHECK(n > BUFS - 12 && n < BUFS + 8, "%u cycles after a reset", n);
  };
  until_clear();
  // Until each goal is met, whatever the seed: an end that only a push begun anew can have is rare.
  auto met = [&] {
    unsigned ends = 0;                         // any write can be the one that rings
    for (uint64_t x : last_at) ends += x != 0;
    return ends > 10 && pushed > 30 && cleared > 3 && anew > 3 && bad && (TB_COMPACT || (wholes > 30 && over > 3));
  };
  for (uint64_t k = 0; k < b.cycles / 2 || (!met() && k < 50 * b.cycles); k++) cycle([&] { issue(some(false)); });
  for (unsigned i = 0; i == 0 || (!no_room && i < 50); i++) {
    sink.pace.always(0);                       // long enough that everything is full: doorbells, or the slots of WQEs
    for (int k = 0; k < 600; k++) { b.progress(); cycle([&] { issue(some(false)); }); }
    sink.pace = tb::Pace(&rng);
    finish_open(false);
    drain();
  }
  GOAL(met() && no_room);
  printf("# %llu doorbells, %llu with their WQE, %llu cleared, %llu begun anew; cycles without room %llu, without a slot %llu\n",
         (unsigned long long)rung, (unsigned long long)pushed, (unsigned long long)cleared, (unsigned long long)anew,
         (unsigned long long)no_room, (unsigned long long)no_slot);

  // More buffers than entries: who loses its entry rings without its WQE, and bad_o is not foretold by this model.
  uint64_t was = pushed, bad_was = bad_seen;
  foretold = false;
  auto crowded = [&] { return pushed > was + 5 && bad_seen > bad_was + 5; };
  for (uint64_t k = 0; k < b.cycles / 2 || (!crowded() && k < 50 * b.cycles); k++) cycle([&] { issue(some(true)); });
  finish_open(true);
  drain();
  GOAL(crowded());

  // No slot was lost, and none is held twice: all entries hold one, and the others fill with WQEs that nobody takes.
  sink.pace.always(1);
  auto whole = [&](unsigned at, unsigned from, unsigned to, bool crowd) {      // its quadwords, from the last one on
    for (unsigned q = from; q < to || next.kind != Op::NONE;)
      cycle([&] { issue([&] { return q < to ? Op{Op::PUSH, at, 14 - 2 * q++, 2, crowd} : Op{}; }); });
  };
  for (unsigned k = 0; k < 3 * TB_PUSH_ENTRIES; k++) whole(2 * (k % TB_PUSH_ENTRIES), 0, 8, true);   // every entry is taken anew
  drain();
  foretold = true;

  // Who dies with a push half written leaves nothing to the next one, whichever half that one writes first.
  whole(20, 0, 5, false);
  cycle([&] { issue([] { return Op{Op::CLEAR, 20, 0, 0, false}; }); });
  whole(20, 0, 8, false);
  drain();

  // Rates and latency: a doorbell in two cycles, three cycles after its write, and no later when many wait.
  uint64_t start = tb::context().cycle, n0 = rung;
  auto bell = [&] { issue([&] { return Op{Op::DOORBELL, unsigned(rng.bits(17)), 0, 0, false}; }); };
  for (int k = 0; k < 401; k++) cycle(bell);
  CHECK(rung - n0 == 199 || rung - n0 == 198, "%llu doorbells in 400 cycles, three cycles after their writes", (unsigned long long)(rung - n0));
  drain();
  CHECK(tb::context().cycle - start < 420 + 2 * 32, "slow");

  // So do WQEs, where slots suffice for those on their way: one is held from its write to the read of its WQE.
  if (!TB_COMPACT) {
    n0 = rung;
    for (int k = 0; k < 401; k++) cycle([&] { issue([&] { return Op{Op::WHOLE, unsigned(rng.below(BUFS)), 0, 0, false}; }); });
    CHECK(rung - n0 >= 198 || TB_PUSH_ENTRIES < 4, "%llu whole pushes in 400 cycles", (unsigned long long)(rung - n0));
    drain();
  }

  // Four QPs that push on and on while nobody reads: their doorbells are merged, and no slot is lost.
  for (unsigned n = 0; TB_MERGE && n < 3; n++) {
    merging = true;
    n0 = rung;
    sink.pace.always(0);
    for (unsigned k = 0; k < 200; k++) {
      b.progress();
      cycle([&] {
        CHECK(d.room_o && d.slot_o, "no room for a doorbell that can be merged");
        issue([&] { return Op{Op::WHOLE, 6, 0, 0, false}; });
        uint32_t w[16] = {k << 16};
        w[6] = 100 + k % 4;
        tb::set_bytes(d.wqe_i, (uint8_t *)w, 64);
      });
    }
    cycle([&] { issue([] { return Op{}; }); });
    sink.pace.always(1);
    for (int k = 0; k < 30; k++) cycle(idle);
    CHECK(rung - n0 <= 8, "%llu doorbells of 4 QPs", (unsigned long long)(rung - n0));
    for (unsigned q = 0; q < 4; q++) CHECK(furthest[100 + q] > 194 && furthest[100 + q] <= 200, "the last index of QP %u is %u", q, unsigned(furthest[100 + q]));
    want.clear();
    merging = false;
    drain();
  }

  // A pushed WQE as well, after its last write.
  whole(8, 0, 8, false);
  n0 = rung;
  for (int k = 0; k < 2; k++) cycle(idle);
  CHECK_EQ(rung, n0, "a pushed WQE, too early");
  cycle(idle);
  CHECK_EQ(rung, n0 + 1, "a pushed WQE three cycles after its last write");
  drain();

  // A reset forgets what was begun and what waits.
  sink.pace.always(0);
  whole(6, 0, 4, false);
  for (int k = 0; k < 4; k++) cycle(bell);
  cycle(idle);
  next = Op{};
  d.rst_i = 1;
  want.clear();
  buf[6] = Buf{};
  sink = tb::Sink<Out>(&rng, "sq_db");
  sink.pace.always(1);
  for (int k = 0; k < 3; k++) b.cycle([&] { idle(); d.sq_db_ready_i = 0; }, [] {});
  d.rst_i = 0;
  bad_now = bad_due = false;
  until_clear();
  cycle(idle);
  CHECK(!d.busy_o && d.room_o && d.slot_o, "something is left");
  whole(6, 4, 8, false);
  for (int k = 0; k < 10; k++) cycle(idle);
  CHECK(want.empty() && !d.busy_o, "half a push rang");
  whole(6, 0, 4, false);
  drain();
  return b.finish();
}
