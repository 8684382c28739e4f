// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_eq DW=64 NumEq=16
// dut: ohca_eq DW=64 NumEq=16 Compact=1
// dut: ohca_eq DW=128 NumEq=4
// dut: ohca_eq DW=512 NumEq=16
// Events of four sources for queues of several sizes, a host that consumes, arms and sometimes talks nonsense: each ring holds the
// accepted events in order with the right phase, each interrupt comes once and after the EQEs it stands for are in memory.
// Overflow and its report on EQ 0, destroyed queues, the management port.
#include <map>
#include "Vdut.h"
#include "wr_client.h"

#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_DW
#define TB_DW TB_D_W
#endif
constexpr unsigned BUS = TB_DW / 8, N = TB_NUM_EQ, SRC = 4, EW = OHCA_EV_REQ_BITS;
struct Ev { uint8_t eqn, type, port; uint16_t syn; uint32_t num, param; };
struct Db { uint8_t eqn; bool arm; uint32_t ci; };
struct Irq { uint8_t v; };
struct Eqe { uint64_t addr; uint32_t d[4]; };
struct Model { bool valid = false, armed = false, lost = false; unsigned log = 4; uint32_t pi = 0, ci = 0; uint64_t buf = 0; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  WrCount cnt;
  WrClient<BUS> mem(&rng, &cnt);
  std::vector<tb::Source<Ev>> src;
  for (unsigned i = 0; i < SRC; i++) src.emplace_back(&rng);
  tb::Source<Db> db(&rng);
  tb::Sink<Irq> irq(&rng, "irq");
  std::vector<Model> m(256);
  std::deque<Eqe> want;                             // in the order in which they must be written
  std::map<unsigned, std::deque<uint64_t>> fires;   // per vector: EQEs that must be in memory
  uint64_t written = 0, made = 0, acked_writes = 0, drops = 0, drops_seen = 0, irqs = 0, reports = 0, other = 0;
  std::map<uint32_t, int> tell;                     // losses to be reported
  std::vector<uint64_t> dead;                       // rings that must not be written any more
  std::deque<uint32_t> numbers;
  bool mg = false, mg_done = false;
  uint32_t mg_rdata = 0;
  uint32_t mg_issued = 0;
  bool fast = false;

  auto apply = [&](const Ev &e) {
    Model &q = m[e.eqn];
    if (e.eqn >= N || !q.valid) { drops++; return; }
    if (((q.pi - q.ci) & 0xffffff) >= 1u << q.log) {
      drops++;
      if (!q.lost) tell[e.eqn]++;
      q.lost = true;
      return;
    }
    q.lost = false;
    Eqe x;
    x.addr = q.buf + 16 * (q.pi & ((1u << q.log) - 1));
    x.d[0] = e.type | e.port << 8 | uint32_t(e.syn) << 16;
    x.d[1] = e.num;
    x.d[2] = e.param;
    x.d[3] = (q.pi >> q.log & 1) ? 0 : 0x80000000u;
    want.push_back(x);
    made++;
    q.pi = (q.pi + 1) & 0xffffff;
    if (q.armed) { q.armed = false; fires[0x40 + e.eqn].push_back(made); }
  };
  auto drive = [&] {
    cnt.step();
    d.wr_issued_i = cnt.issued;
    d.wr_acked_i = cnt.acked;
    if (rng.chance(10) && !fast) {                    // other clients write too
      cnt.accept(rng, true);
      other++;
    }
    mem.drive(d.wr_ready_i, d.wr_dat_ready_i);
    d.ev_valid_i = 0;
    for (unsigned i = 0; i < SRC; i++) {
      if (!src[i].drive()) continue;
      const Ev &e = src[i].front();
      d.ev_valid_i |= 1 << i;
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_EQN_LSB, 8, e.eqn);
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_ETYPE_LSB, 8, e.type);
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_PORT_LSB, 8, e.port);
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_SYNDROME_LSB, 16, e.syn);
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_NUM_LSB, 32, e.num);
      tb::set_bits(d.ev_i, i * EW + OHCA_EV_REQ_PARAM_LSB, 32, e.param);
    }
    d.db_valid_i = db.drive();
    if (!db.done()) d.db_i = uint64_t(db.front().eqn) << 25 | uint64_t(db.front().arm) << 24 | db.front().ci;
    d.irq_ready_i = irq.drive();
    d.mg_valid_i = mg;
  };
  auto sample = [&] {
    mem.sample(d.wr_valid_o, d.wr_o, d.wr_dat_valid_o, d.wr_dat_o, d.wr_dat_last_o);
    while (!mem.done.empty()) {
      auto &w = mem.done.front();
      CHECK_EQ(w.data.size(), 16, "EQE size");
      uint32_t got[4];
      memcpy(got, w.data.data(), 16);
      for (auto r : dead) CHECK(w.addr < r || w.addr >= r + 0x10000, "a destroyed queue was written");
      if ((got[0] & 0xff) == OHCA_EQE_TYPE_EQ_OVERFLOW) {   // the block's own: EQ 0, where the next EQE would be
        CHECK(tell[got[1]] > 0, "overflow report for EQ %u that lost nothing", got[1]);
        tell[got[1]]--;
        Model &q = m[0];
        uint32_t late = 0;                                  // EQ 0 events accepted after it are behind it
        for (auto &x : want) late += x.addr >= q.buf && x.addr < q.buf + 0x10000;
        uint32_t pi = (q.pi - late) & 0xffffff;
        CHECK_EQ(w.addr, q.buf + 16 * (pi & ((1u << q.log) - 1)), "address of the report");
        CHECK_EQ(got[3], (pi >> q.log & 1) ? 0 : 0x80000000u, "phase of the report");
        for (auto &x : want)
          if (x.addr >= q.buf && x.addr < q.buf + 0x10000) {
            pi = (pi + 1) & 0xffffff;
            x.addr = q.buf + 16 * (pi & ((1u << q.log) - 1));
            x.d[3] = (pi >> q.log & 1) ? 0 : 0x80000000u;
          }
        q.pi = (q.pi + 1) & 0xffffff;
        reports++;
      } else {
        CHECK(!want.empty(), "an EQE nobody sent");
        CHECK_EQ(w.addr, want.front().addr, "EQE address");
        for (int i = 0; i < 4; i++) CHECK_EQ(got[i], want.front().d[i], "EQE");
        want.pop_front();
        written++;
        numbers.push_back(w.number);
      }
      mem.done.pop_front();
      b.progress();
    }
    while (!numbers.empty() && int32_t(cnt.acked - numbers.front()) >= 0) { numbers.pop_front(); acked_writes++; }
    if (irq.sample(d.irq_valid_o, Irq{d.irq_vector_o})) {
      auto &f = fires[d.irq_vector_o];
      CHECK(!f.empty(), "interrupt %u out of nothing", d.irq_vector_o);
      CHECK(acked_writes >= f.front(), "interrupt before its EQE is in memory");
      f.pop_front();
      irqs++;
      b.progress();
    }
    drops_seen += d.cnt_o >> 30 & 1;
    unsigned n = 0;
    for (unsigned i = 0; i < SRC; i++) {
      Ev e = src[i].q.empty() ? Ev{} : src[i].front();
      if (src[i].sample(d.ev_ready_o >> i & 1)) { apply(e); n++; b.progress(); }
    }
    Db x = db.done() ? Db{} : db.front();
    if (db.sample(d.db_ready_o)) {
      n++;
      Model &q = m[x.eqn];
      if (x.eqn < N && q.valid) {
        if (((q.pi - x.ci) & 0xffffff) <= ((q.pi - q.ci) & 0xffffff)) q.ci = x.ci;
        if (x.arm) {
          q.armed = q.pi == q.ci;
          if (!q.armed) fires[0x40 + x.eqn].push_back(made);
        }
      }
    }
    if (mg && d.mg_ready_o) { mg = false; n++; mg_issued = uint32_t(made); }
    if (d.mg_done_o) { mg_done = true; mg_rdata = d.mg_rdata_o; b.progress(); }
    CHECK(n <= 1, "two operations in a cycle");
    CHECK(!(d.idle_o && (!want.empty() || d.irq_valid_o)), "idle with work");
  };
  auto access = [&](bool we, unsigned eqn, unsigned dw, uint32_t v) {
    mg = true;
    mg_done = false;
    d.mg_we_i = we; d.mg_eqn_i = uint8_t(eqn); d.mg_dw_i = uint8_t(dw); d.mg_wdata_i = v;
    for (int k = 0; k < 3000 && !mg_done; k++) b.cycle(drive, sample);
    CHECK(mg_done, "no answer on the management port");
    if (dw == 0) CHECK(acked_writes >= mg_issued, "answered before the EQEs are in memory");
    return mg_rdata;
  };
  unsigned life = 0;
  auto create = [&](unsigned i, unsigned log, uint32_t pi, bool armed) {
    Model q;
    q.log = log; q.pi = q.ci = pi; q.armed = armed;
    q.buf = (uint64_t(rng.below(1 << 20)) << 40) | uint64_t(++life) << 16;
    CHECK_EQ(access(false, i, 0, 0) & 1, 0, "exists already");
    access(true, i, 1, pi);
    access(true, i, 2, uint32_t(q.buf));
    access(true, i, 3, uint32_t(q.buf >> 32));
    access(true, i, 4, pi);
    access(true, i, 0, 1 | armed << 1 | log << 8 | (0x40 + i) << 16);
    q.valid = true;
    m[i] = q;
    CHECK_EQ(access(false, i, 2, 0), uint32_t(q.buf), "buf");
    CHECK_EQ(access(false, i, 3, 0), q.buf >> 32, "buf");
  };
  auto drain = [&] {
    for (;;) {                                            // the bench itself notices when nothing moves any more
      bool left = !want.empty() || !db.done() || !numbers.empty();
      for (auto &s : src) left |= !s.done();
      for (auto &f : fires) left |= !f.second.empty();
      if (!left) break;
      b.cycle(drive, sample);
    }
    for (int k = 0; k < 500 && (k < 20 || !d.idle_o); k++) b.cycle(drive, sample);
    CHECK(want.empty(), "EQEs lost");
    for (auto &f : fires) CHECK(f.second.empty(), "interrupt %u lost", f.first);
    CHECK(d.idle_o, "not idle at the end");
    CHECK_EQ(drops_seen, drops, "overflow counter");
  };
  auto random_ev = [&](bool any) {
    Ev e;
    e.eqn = uint8_t(any && rng.chance(3) ? rng.below(256) : rng.below(N));
    do e.type = uint8_t(rng.next()); while (e.type == OHCA_EQE_TYPE_EQ_OVERFLOW);
    e.port = uint8_t(rng.next());
    e.syn = uint16_t(rng.next());
    e.num = uint32_t(rng.next());
    e.param = uint32_t(rng.next());
    return e;
  };

  d.mg_valid_i = d.db_valid_i = d.ev_valid_i = d.irq_ready_i = 0;
  d.wr_issued_i = d.wr_acked_i = 0;
  b.reset();
  // Nothing exists after reset: an event is dropped.
  for (unsigned i = 0; i < N; i++) src[0].push(Ev{uint8_t(i), 1, 2, 3, 4, 5});
  db.push(Db{1, true, 5});
  drain();
  create(0, 12, 0xffff00, false);
  for (unsigned i = 1; i < N - 1; i++) create(i, unsigned(rng.range(2, 6)), uint32_t(rng.chance(50) ? 0 : 0xfffff0 + rng.below(16)), rng.chance(50));

  for (uint64_t k = 0; k < b.cycles || (k < 20 * b.cycles && !(drops && irqs && reports)); k++) {
    for (auto &s : src) if (s.q.size() < 2 && rng.chance(20)) s.push(random_ev(true));
    if (db.q.size() < 2 && rng.chance(15)) {
      unsigned i = unsigned(rng.below(N));
      uint32_t ci = (m[i].ci + uint32_t(rng.below(((m[i].pi - m[i].ci) & 0xffffff) + 1))) & 0xffffff;
      if (rng.chance(5)) ci = uint32_t(rng.bits(24));
      if (rng.chance(40)) ci = m[i].pi;
      // EQ 0 is never armed here: the model does not know which of its EQEs, an event or a report, takes the arm.
      unsigned to = rng.chance(2) ? unsigned(rng.below(256)) : i;
      db.push(Db{uint8_t(to), to != 0 && rng.chance(60), ci});
    }
    if (rng.below(1500) == 0 && N > 2) {              // a queue goes and comes back
      unsigned i = unsigned(rng.range(1, N - 2));
      drain();
      m[i].valid = false;
      tell.erase(i);
      access(true, i, 0, 0);
      dead.push_back(m[i].buf);
      for (int n = 0; n < 5; n++) src[n % SRC].push(Ev{uint8_t(i), 1, 0, 0, 0, 0});
      drain();
      create(i, unsigned(rng.range(2, 6)), 0, false);
    }
    b.cycle(drive, sample);
  }
  drain();
  printf("# %llu EQEs, %llu dropped, %llu interrupts, %llu overflow reports\n", (unsigned long long)written, (unsigned long long)drops,
         (unsigned long long)irqs, (unsigned long long)reports);
  GOAL(drops && irqs && reports);

  // EQ 0 itself full, and another one too: the reports wait for room on EQ 0, then both come.
  auto fill = [&](unsigned i, unsigned n) { while (n--) src[0].push(Ev{uint8_t(i), 1, 0, 0, n, 0}); };
  auto empty = [&](unsigned i) { db.push(Db{uint8_t(i), false, m[i].pi}); };
  for (unsigned i = 0; i < N - 1; i++) { empty(i); }
  drain();
  tell.clear();
  uint64_t was = reports;
  m[0].lost = m[1].lost = false;
  src[0].push(Ev{1, 1, 0, 0, 0, 0}); drain();          // ends any row of losses
  fill(0, (1u << m[0].log) + 3);
  drain();
  fill(1, (1u << m[1].log) + 3);
  drain();
  CHECK_EQ(reports, was, "a report into a full queue");
  CHECK_EQ(access(false, 1, 0, 0) >> 2 & 1, 1, "err");
  empty(0);
  drain();
  CHECK_EQ(reports, was + 2, "overflow reports");
  empty(0);
  drain();
  // An armed queue: the interrupt of one event, then none until it is armed again; arming with an EQE pending raises it at once.
  unsigned e = N - 2;
  empty(e);
  drain();
  uint64_t i0 = irqs;
  db.push(Db{uint8_t(e), true, m[e].pi});
  drain();
  fires[0x40 + e].clear();
  i0 = irqs;
  CHECK(m[e].armed, "armed");
  fill(e, 1); drain();
  CHECK_EQ(irqs, i0 + 1, "interrupt of an armed queue");
  fill(e, 1); drain();
  CHECK_EQ(irqs, i0 + 1, "no interrupt without arming");
  db.push(Db{uint8_t(e), true, (m[e].pi - 1) & 0xffffff}); drain();
  CHECK_EQ(irqs, i0 + 2, "pending EQE");

  // Rate.
  for (unsigned i = 0; i < N - 1; i++) empty(i);
  drain();
  fast = true;
  mem.req_pace.always(1); mem.dat_pace.always(1); irq.pace.always(1);
  for (auto &s : src) s.pace.always(1);
  uint64_t t0 = tb::context().cycle, w0 = written;
  fill(0, 1000);
  drain();
  double per = double(tb::context().cycle - t0 - 100) / double(written - w0);
  printf("# %.2f cycles an event\n", per);
  CHECK(per < (TB_COMPACT ? 6.5 : 2.5), "%.2f", per);
  return b.finish();
}
