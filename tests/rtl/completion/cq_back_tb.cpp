// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_cq_back DW=64 Depth=16
// dut: ohca_cq_back DW=256 Depth=4
// dut: ohca_cq_back DW=512 Depth=16
// Entries of all kinds, translations that come late or fail, writes and events that wait: every CQE lies at its address, in order, each event comes once,
// to the right EQ and with the cause, and not before its CQE was taken; accesses are reported behind all before them; what is lost is named. Paces.
#include "Vdut.h"
#include "wr_client.h"

struct Entry {
  bool write, mtt, comp, over, acc, fence, xerr, ok;
  uint32_t cqn, rdata, qpn, status;
  uint8_t eqn, verr;
  uint64_t addr;
  uint8_t cqe[32];
};

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  WrCount cnt;
  WrClient<TB_D_W / 8> wr(&rng, &cnt);
  tb::Source<Entry> src(&rng);
  tb::Pace tpt_pace(&rng), ev_pace(&rng);
  struct Tpt { bool ok; uint64_t addr, due; uint8_t verr; };
  struct Event { uint8_t eqn, type; uint32_t num; uint16_t cause; size_t writes; };
  struct Lost { uint32_t cqn, qpn; bool flush; };
  struct Acc { uint32_t rdata; bool fence, err; size_t writes, events; };
  std::deque<Entry> asked;                        // whose translation is to come
  std::deque<Tpt> tpts;
  std::deque<Event> events;
  std::deque<Lost> losts;
  std::deque<Acc> accs;
  std::deque<Entry> writes;
  size_t written = 0, put = 0, made = 0, seen = 0, entered = 0, left = 0, both = 0, overs = 0, n_lost = 0, n_acc = 0;
  unsigned tpt_late = 30;
  d.valid_i = d.tpt_rsp_valid_i = 0;
  b.reset();
  auto make = [&](bool plain) {
    Entry e{};
    unsigned k = plain ? 0 : unsigned(rng.below(10));
    e.acc = k == 9;
    e.over = k == 8;
    e.write = k < 7;
    e.comp = plain ? false : k == 7 || (!e.over && rng.chance(30));
    e.mtt = e.write && (plain ? false : rng.chance(50));
    e.ok = !e.mtt || rng.chance(90);
    e.fence = rng.chance(50); e.xerr = rng.chance(50);
    e.cqn = uint32_t(rng.bits(24)); e.rdata = uint32_t(rng.bits(32)); e.eqn = uint8_t(rng.range(1, 15));
    e.verr = uint8_t(rng.range(1, 200));
    e.addr = rng.bits(50) << 5;
    for (auto &x : e.cqe) x = uint8_t(rng.bits(8));
    if (rng.chance(30)) e.cqe[6] = OHCA_WC_STATUS_WR_FLUSH;
    e.qpn = uint32_t(e.cqe[0] | e.cqe[1] << 8 | e.cqe[2] << 16);
    e.status = e.cqe[6];
    return e;
  };
  auto phys = [](uint64_t va) { return va ^ 0x5a5a5a0000000ull; };
  auto drive = [&] {
    cnt.step();
    d.valid_i = src.drive();
    if (d.valid_i) {
      const Entry &e = src.front();
      d.write_i = e.write; d.mtt_i = e.mtt; d.comp_i = e.comp; d.over_i = e.over; d.acc_i = e.acc; d.acc_fence_i = e.fence; d.acc_err_i = e.xerr;
      d.cqn_i = e.cqn; d.eqn_i = e.eqn; d.addr_i = e.addr; d.acc_rdata_i = e.rdata;
      tb::set_bytes(d.cqe_i, e.cqe, 32);
    }
    d.tpt_ready_i = tpt_pace.go();
    d.tpt_rsp_valid_i = !tpts.empty() && tpts.front().due <= b.now();
    if (d.tpt_rsp_valid_i) {
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_OK, tpts.front().ok);
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_VERR, tpts.front().ok ? 0 : tpts.front().verr);
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_ADDR, tpts.front().addr);
      tpts.pop_front();
    }
    d.ev_ready_i = ev_pace.go();
    wr.drive(d.wr_ready_i, d.wr_dat_ready_i);
  };
  auto sample = [&] {
    if (d.leave_o) { left++; b.progress(); }
    wr.sample(d.wr_valid_o, d.wr_o, d.wr_dat_valid_o, d.wr_dat_o, d.wr_dat_last_o);
    for (; !wr.done.empty(); wr.done.pop_front(), written++) {
      CHECK(!writes.empty(), "a write that nobody asked for");
      const Entry &e = writes.front();
      CHECK_EQ(wr.done.front().addr, e.mtt ? phys(e.addr) : e.addr, "address");
      CHECK_EQ(wr.done.front().data.size(), 32, "bytes");
      CHECK(!memcmp(wr.done.front().data.data(), e.cqe, 32), "CQE");
      writes.pop_front();
    }
    if (d.ev_valid_o && d.ev_ready_i) {
      CHECK(!events.empty(), "an event that nobody asked for");
      const Event &e = events.front();
      CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_EQN), e.eqn, "EQ");
      CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_ETYPE), e.type, "event");
      CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_NUM), e.num, "CQ");
      CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_SYNDROME), e.cause, "cause");
      CHECK(written >= e.writes, "an event after %zu of %zu CQEs", written, e.writes);
      events.pop_front();
      seen++;
    }
    if (d.lost_valid_o) {
      CHECK(!losts.empty(), "lost what was not");
      CHECK_EQ(d.lost_cqn_o, losts.front().cqn, "lost: CQ");
      CHECK_EQ(d.lost_qpn_o, losts.front().qpn, "lost: QP");
      CHECK_EQ(d.lost_flush_o, losts.front().flush, "lost: flushed");
      losts.pop_front();
    }
    if (d.acc_done_o) {
      CHECK(!accs.empty(), "an access that was not made");
      CHECK_EQ(d.acc_rdata_o, accs.front().rdata, "access: data");
      CHECK_EQ(d.acc_fence_o, accs.front().fence, "access: fence");
      CHECK_EQ(d.acc_err_o, accs.front().err, "access: error");
      CHECK(written >= accs.front().writes, "access: reported before %zu CQEs", accs.front().writes - written);
      accs.pop_front();
    }
    if (d.tpt_valid_o && d.tpt_ready_i) {
      CHECK(!asked.empty(), "a translation that nobody needs");
      const Entry &e = asked.front();
      CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_VA), e.addr, "translation");
      CHECK(FIELD(d.tpt_o, OHCA_TPT_REQ_MTT_OP), "ring access");
      uint64_t due = b.now() + rng.range(2, tpt_late);
      if (!tpts.empty() && due <= tpts.back().due) due = tpts.back().due + 1;
      tpts.push_back({e.ok, phys(e.addr), due, e.verr});
      asked.pop_front();
    }
    CHECK(!(d.idle_o && (left != entered || !events.empty())), "idle with work");
    Entry e = src.q.empty() ? Entry{} : src.front();
    if (src.sample(d.ready_o)) {
      entered++;
      if (e.mtt) asked.push_back(e);
      if (e.write && e.ok) { writes.push_back(e); put++; }
      if (e.over) { events.push_back({0, OHCA_EQE_TYPE_CQ_ERROR, e.cqn, OHCA_VENDOR_ERR_CQ_OVERFLOW, put}); overs++; }
      if (!e.ok) {
        events.push_back({0, OHCA_EQE_TYPE_CQ_ERROR, e.cqn, e.verr, put});
        losts.push_back({e.cqn, e.qpn, e.status == OHCA_WC_STATUS_WR_FLUSH});
        n_lost++;
        both += e.comp;
      }
      if (e.comp && !e.over) events.push_back({e.eqn, OHCA_EQE_TYPE_COMP, e.cqn, 0, put});
      if (e.acc) { accs.push_back({e.rdata, e.fence, e.xerr, put, 0}); n_acc++; }
      made = seen + events.size();
    }
  };
  auto drain = [&] {
    for (int k = 0; k < 4000 && (left != entered || !src.done() || !events.empty() || !writes.empty()); k++) b.cycle(drive, sample);
    for (int k = 0; k < 4; k++) b.cycle(drive, sample);
    CHECK(left == entered && events.empty() && writes.empty() && losts.empty() && accs.empty() && asked.empty(), "not all was done");
    CHECK(d.idle_o, "not idle");
  };
  for (uint64_t k = 0; k < b.cycles * 2; k++) {
    if (k % 500 == 0) tpt_late = rng.chance(30) ? 200 : 10;
    if (src.q.size() < 2) src.push(make(false));
    b.cycle(drive, sample);
  }
  drain();
  printf("# %zu entries: %zu CQEs, %zu events, %zu overruns, %zu lost, %zu of them with an event that waited, %zu accesses\n", entered, put, made, overs, n_lost, both, n_acc);
  GOAL(both > 5);
  GOAL(overs > 20);
  GOAL(n_acc > 20);

  // Paces: CQEs without translation, nothing waits; data goes five cycles behind its request, as in ohca_dma_wr.
  for (tb::Pace *p : {&src.pace, &tpt_pace, &ev_pace, &wr.req_pace, &wr.dat_pace}) p->always(1);
  wr.lag = 5;
  size_t was = 0;
  for (int k = 0; k < 2100; k++) {
    if (k == 100) was = left;
    while (src.q.size() < 2) src.push(make(true));
    b.cycle(drive, sample);
  }
  const double pace = 2000.0 / double(left - was);
  printf("# %.2f cycles a CQE\n", pace);
  CHECK(pace < (TB_D_W >= 256 ? (TB_DEPTH < 8 ? 1.3 : 1.01) : 256.0 / TB_D_W + 0.02), "%.2f cycles a CQE", pace);
  src.q.resize(src.q.empty() ? 0 : 1);
  drain();
  return b.finish();
}
