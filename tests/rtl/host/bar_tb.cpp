// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_bar HwCfg=305419896 CntSources=3
// dut: ohca_bar DbDepth=4 PushSlots=8 PushEntries=2
// dut: ohca_bar DbDepth=4 PushSlots=8 PushEntries=2 Compact=1
// dut: ohca_bar DbStride=4
// dut: ohca_bar DbStride=2 PushSlots=32 Wide=1 Merge=1
// dut: ohca_bar CntSources=2 DbDepth=4 PushSlots=8 PushEntries=2 Wide=1
// Doorbells of every kind in 8-byte and 4-byte writes, pushed WQEs of interleaved pages (more than there are entries, in any order,
// some given up and cleared) against slow engines: none is lost, none is invented, a pushed WQE is the one written. Registers, the command
// block's hand-over, log, counters with many pulses at once, soft reset. Pages of 64 KiB: what lies behind a page's registers is nobody's.
// The wide port: pushes by it alone, in one beat or several, and in parts by both; what it refuses; who goes first.
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"
#include "axi_cut.h"
#include "push_bus.h"
#include <algorithm>

#ifndef TB_CNT_SOURCES
#define TB_CNT_SOURCES 1
#endif
#ifndef TB_PUSH_ENTRIES
#define TB_PUSH_ENTRIES 4
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_HW_CFG
#define TB_HW_CFG 0
#endif
#ifndef TB_WIDE
#define TB_WIDE 0
#endif
#ifndef TB_DB_STRIDE
#define TB_DB_STRIDE 0
#endif
const unsigned kPages = OHCA_DB_PAGES >> TB_DB_STRIDE;
struct Write { uint32_t addr; uint64_t data; uint8_t strb; };
struct Db { uint32_t qpn; uint8_t uar; uint16_t pi; int push; uint8_t wqe[64]; };   // push: 1 must, 0 must not, -1 may, 2 an ordinary doorbell
struct Small { uint64_t v; };
struct SqOut { uint32_t w[18]; };

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  tb::Source<Write> aw(&rng), w(&rng);
  tb::Sink<SqOut> sq(&rng, "sq_db");
  tb::Sink<Small> rq(&rng, "rq_db"), arm(&rng, "cq_arm"), eq(&rng, "eq_db");
  tb::Pace bp(&rng), rp(&rng);
  PushBus wp(&rng);                      // the wide port
  std::deque<bool> x_err;                // beats not yet answered: whether they are refused
  uint64_t x_beats = 0, x_answered = 0, x_refused = 0, wholes = 0, mixed = 0;
  std::deque<Db> want_sq, want_x, want_m;     // in the order of s_axil, of the wide port, in none (parts by both)
  std::deque<uint64_t> want_rq, want_arm, want_eq;
  uint64_t bad = 0, cleared = 0, degraded = 0, pushed = 0, n_db = 0, writes = 0, answered = 0;
  std::vector<uint64_t> cnt(64, 0);
  std::vector<uint32_t> log(1024);
  for (auto &x : log) x = uint32_t(rng.next());
  uint16_t log_addr = 0;
  bool pulses = false;
  bool ar = false, rd_done = false;
  std::deque<bool> part;                 // writes not yet answered: whether they enable part of a dword
  uint64_t part_seen = 0;
  uint64_t rdata = 0;

  auto wr = [&](uint32_t addr, uint64_t data, uint8_t strb) { aw.push({addr & ~7u, data, strb}); w.push({addr & ~7u, data, strb}); writes++; };
  auto wr8 = [&](uint32_t addr, uint64_t v) { wr(addr, v, 0xff); };
  auto wr4 = [&](uint32_t addr, uint32_t v) {
    uint64_t junk = rng.next() << 32 | uint32_t(rng.next());
    if (addr & 4) wr(addr, uint64_t(v) << 32 | uint32_t(junk), 0xf0); else wr(addr, (junk & ~0xffffffffull) | v, 0x0f);
  };

  auto wide = [&](uint32_t addr, const uint8_t *data, uint64_t strb, bool err) {
    PushBeat x{addr | uint32_t(rng.below(64)), {}, strb};
    memcpy(x.data, data, 64);
    for (unsigned i = 0; i < 64; i++) if (!(strb >> i & 1)) x.data[i] = uint8_t(rng.next());
    wp.push(x);
    x_err.push_back(err);
    x_beats++;
  };

  unsigned word_at = 0;                  // Compact: the word of a pushed WQE that is shown in this cycle
  Db word_of;
  auto drive = [&] {
    d.now_i++;
    d.s_axil_awvalid_i = aw.drive();
    if (aw.q.size()) d.s_axil_awaddr_i = aw.front().addr;
    d.s_axil_wvalid_i = w.drive();
    if (w.q.size()) { d.s_axil_wdata_i = w.front().data; d.s_axil_wstrb_i = w.front().strb; }
    d.s_axil_bready_i = bp.go();
    wp.drive(d.push_i);
    d.s_axil_arvalid_i = ar;
    d.s_axil_rready_i = rp.go();
    d.sq_db_ready_i = sq.drive();
    d.rq_db_ready_i = rq.drive();
    d.cq_arm_ready_i = arm.drive();
    d.eq_db_ready_i = eq.drive();
    d.log_data_i = log[log_addr];
    for (unsigned s = 0; s < TB_CNT_SOURCES; s++) {
      uint64_t p = pulses ? (rng.chance(50) ? rng.next() : ~0ull) & ~1ull : 0;
      tb::set_bits(d.cnt_i, s * 64, 64, p);
      for (unsigned i = 0; i < 64; i++) cnt[i] += p >> i & 1;
    }
  };
  auto sample = [&] {
    log_addr = d.log_addr_o;
    if (b.now() % 8 == 1) {
      auto outs = [&] { return std::vector<int>{d.push_o, d.s_axil_awready_o, d.s_axil_wready_o, d.s_axil_bvalid_o, d.s_axil_arready_o, d.s_axil_rvalid_o}; };
      auto was = outs();
      for (unsigned bit : {OHCA_PUSH_BUS_AWVALID_LSB, OHCA_PUSH_BUS_WVALID_LSB, OHCA_PUSH_BUS_BREADY_LSB})
        for (int twice = 0; twice < 2; twice++) {
          tb::set_bits(d.push_i, bit, 1, !tb::get_bits(d.push_i, bit, 1));
          d.eval();
          CHECK(outs() == was, "input %u of the wide port moves an output in the same cycle", bit);
        }
    }
    if (FIELD(d.push_o, OHCA_PUSH_SAY_BVALID) && FIELD(d.push_i, OHCA_PUSH_BUS_BREADY)) {
      CHECK(!x_err.empty(), "an answer of the wide port that nobody waits for");
      CHECK_EQ(FIELD(d.push_o, OHCA_PUSH_SAY_BRESP), x_err.front() ? 2 : 0, "the wide port's bresp");
      x_refused += x_err.front();
      x_err.pop_front();
      x_answered++;
      b.progress();
    }
    wp.sample(d.push_o);
    if (b.now() % 8 == 0)
      axi_cut(d, {&d.s_axil_awvalid_i, &d.s_axil_wvalid_i, &d.s_axil_bready_i, &d.s_axil_arvalid_i, &d.s_axil_rready_i}, [&] {
        return std::vector<int>{d.s_axil_awready_o, d.s_axil_wready_o, d.s_axil_bvalid_o, d.s_axil_arready_o, d.s_axil_rvalid_o};
      });
    if (d.s_axil_bvalid_o && d.s_axil_bready_i) {
      CHECK(!part.empty(), "an answer before its data");
      CHECK_EQ(d.s_axil_bresp_o, part.front() ? 2 : 0, "bresp");
      part_seen += part.front();
      part.pop_front();
      answered++;
      b.progress();
    }
    CHECK(answered <= writes, "more answers than writes");
    if (ar && d.s_axil_arready_o) ar = false;
    if (d.s_axil_rvalid_o && d.s_axil_rready_i) { rdata = d.s_axil_rdata_o; rd_done = true; b.progress(); }
    aw.sample(d.s_axil_awready_o);
    uint8_t strb = w.q.empty() ? 0 : w.front().strb;
    if (w.sample(d.s_axil_wready_o)) part.push_back((strb & 15 && (strb & 15) != 15) || (strb >> 4 && strb >> 4 != 15));
    bool busy = d.sq_db_valid_o | d.rq_db_valid_o | d.cq_arm_valid_o | d.eq_db_valid_o;
    CHECK(!(busy && d.idle_o), "idle with a doorbell");
    SqOut o;
    tb::get_bytes(d.sq_db_o, (uint8_t *)&o, 72);
    if (word_at) {
      CHECK(!memcmp(word_of.wqe + 8 * word_at, &o, 8), "word %u of a pushed WQE differs", word_at);
      CHECK(!d.sq_db_valid_o, "a doorbell while a WQE goes out");
      word_at = (word_at + 1) % 8;
    }
    if (!tb::get_bits(d.sq_db_o, OHCA_SQ_DB_PUSH_LSB, 1)) memset(&o, 0, 64);
    if (sq.sample(d.sq_db_valid_o, o)) {
      b.progress();
      auto it = [&](const Db &w) { return w.qpn == FIELD(d.sq_db_o, OHCA_SQ_DB_QPN) && w.uar == FIELD(d.sq_db_o, OHCA_SQ_DB_UAR) && w.pi == FIELD(d.sq_db_o, OHCA_SQ_DB_PI); };
      // Of the two ports each has its order; a push in parts by both rings when the last one comes.
      std::deque<Db> *q = !want_x.empty() && it(want_x.front()) ? &want_x : &want_sq;
      for (size_t i = 0; i < want_m.size(); i++) if (it(want_m[i])) { std::swap(want_m[0], want_m[i]); q = &want_m; }
      CHECK(!q->empty(), "a send doorbell nobody rang");
      Db x = q->front();
      q->pop_front();
      CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_QPN), x.qpn, "qpn");
      CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_UAR), x.uar, "uar");
      CHECK_EQ(FIELD(d.sq_db_o, OHCA_SQ_DB_PI), x.pi, "pi");
      unsigned push = unsigned(FIELD(d.sq_db_o, OHCA_SQ_DB_PUSH));
      if (x.push >= 0) CHECK_EQ(push, x.push & 1, "push");
      if (push) {
        pushed++;
        CHECK(!memcmp(x.wqe, &o, TB_COMPACT ? 8 : 64), "pushed WQE differs");
        if (TB_COMPACT) { word_at = 1; word_of = x; }
      }
      if (!push && x.push != 2) degraded++;
      n_db++;
    }
    auto small = [&](auto &s, bool v, uint64_t got, std::deque<uint64_t> &q, const char *what) {
      if (!s.sample(v, Small{got})) return;
      b.progress();
      CHECK(!q.empty(), "%s nobody rang", what);
      CHECK_EQ(got, q.front(), what);
      q.pop_front();
    };
    small(rq, d.rq_db_valid_o, d.rq_db_o, want_rq, "receive doorbell");
    small(arm, d.cq_arm_valid_o, tb::get_bits(d.cq_arm_o, 0, 64), want_arm, "arm");
    if (d.cq_arm_valid_o) CHECK_EQ(tb::get_bits(d.cq_arm_o, 64, 8), 0, "upper bits of an arm's page");
    small(eq, d.eq_db_valid_o, d.eq_db_o, want_eq, "EQ doorbell");
  };
  auto run = [&](unsigned n) { while (n--) b.cycle(drive, sample); };
  auto flush = [&] {
    for (int k = 0; k < 20000 && !(aw.done() && w.done() && answered == writes && x_answered == x_beats); k++) b.cycle(drive, sample);
    CHECK_EQ(answered, writes, "writes answered");
    CHECK_EQ(x_answered, x_beats, "beats of the wide port answered");
  };
  auto drain = [&] {
    flush();
    for (int k = 0; k < 20000 && !(want_sq.empty() && want_x.empty() && want_m.empty() && want_rq.empty() && want_arm.empty() && want_eq.empty()); k++) b.cycle(drive, sample);
    CHECK(want_sq.empty() && want_x.empty() && want_m.empty() && want_rq.empty() && want_arm.empty() && want_eq.empty(), "doorbells lost");
  };
  auto read = [&](uint32_t addr) {
    ar = true;
    rd_done = false;
    d.s_axil_araddr_i = addr;
    for (int k = 0; k < 3000 && !rd_done; k++) b.cycle(drive, sample);
    CHECK(rd_done, "no answer to a read");
    return rdata;
  };

  auto fw_read = [&](unsigned dw) {
    d.mem_rd_i = 1;
    d.mem_rd_addr_i = uint8_t(dw);
    uint32_t v = 0;
    run(1);
    d.mem_rd_i = 0;
    b.cycle(drive, [&] { v = d.mem_rd_data_o; sample(); });
    return v;
  };

  d.mem_rd_i = 0;
  d.strap_mhz_i = 250; d.rst_i = 1; d.now_i = 0x1fffffff0ull;
  d.s_axil_awvalid_i = d.s_axil_wvalid_i = d.s_axil_arvalid_i = 0;
  d.cmd_done_i = 0;
  tb::clear(d.cnt_i);
  tb::clear(d.push_i);
  b.reset();

  // ---- registers
  d.fw_version_i = 0x01020003; d.status_i = 1; d.health_i = 77;
  CHECK_EQ(read(OHCA_REG_ID), OHCA_REG_ID_VALUE | uint64_t(OHCA_FMT_VERSION) << 32, "id");
  CHECK_EQ(read(OHCA_REG_FMT_VERSION) >> 32, OHCA_FMT_VERSION, "format version");
  CHECK_EQ(read(OHCA_REG_FW_VERSION), 0x101020003ull, "firmware version, status");
  CHECK_EQ(read(OHCA_REG_HEALTH), 77 | uint64_t(TB_HW_CFG) << 32, "health, configuration");
  CHECK_EQ(read(OHCA_REG_TIME_SCALE), 250, "time scale");
  wr4(OHCA_REG_TIME_SCALE, 1234);
  flush();
  CHECK_EQ(d.time_scale_o, 1234, "time scale");
  wr4(OHCA_REG_TIME_SCALE, 0);
  CHECK_EQ(read(OHCA_REG_TIME_SCALE), 1234, "time scale 0 is refused");
  uint64_t t0 = read(OHCA_REG_NOW_LO), t1 = read(OHCA_REG_NOW_HI);
  CHECK(t0 >> 32 >= 1 && t0 - 0x1fffffff0ull < 300, "now %llx", (unsigned long long)t0);
  CHECK_EQ(t1 >> 32, t0 >> 32, "latched upper half");
  run(20);
  CHECK_EQ(read(OHCA_REG_NOW_HI) >> 32, t0 >> 32, "the upper half stays latched");
  for (uint32_t a : {0x28u, 0x100u, 0xff8u, 0x3000u, 0xfff8u, 0x10000u, 0x10100u, 0xfffc0u, 0x100000u, 0x100010u, 0x101000u, 0x110000u}) CHECK_EQ(read(a), 0, "unknown offset");
  for (int k = 0; k < 50; k++) {
    unsigned i = unsigned(rng.below(512));
    CHECK_EQ(read(OHCA_REG_LOG + 8 * i), log[2 * i] | uint64_t(log[2 * i + 1]) << 32, "log");
  }
  // A write is seen by the read after it, without waiting for its answer.
  for (int k = 0; k < 40; k++) {
    uint32_t v = uint32_t(rng.next()) | 1;
    wr4(OHCA_REG_TIME_SCALE, v);
    while (!(aw.done() && w.done())) b.cycle(drive, sample);
    CHECK_EQ(read(OHCA_REG_TIME_SCALE), v, "read after write");
  }

  // ---- command block
  for (int round = 0; round < 20; round++) {
    uint32_t c[8];
    for (auto &x : c) x = uint32_t(rng.next());
    c[6] = (c[6] & 0xffff) | 1u << 31;
    for (int i : {0, 1, 2, 3, 4, 5, 7, 6}) wr4(OHCA_REG_CMD + 4 * i, c[i]);
    flush();
    run(3);
    CHECK(d.cmd_go_o, "go");
    uint32_t got[8];
    for (unsigned i = 0; i < 8; i++) got[i] = fw_read(0x80 + i);
    CHECK(!memcmp(got, c, 32), "command registers");
    wr4(OHCA_REG_CMD, ~c[0]);                 // refused while it runs
    wr4(OHCA_REG_CMD + 24, 0);
    flush();
    run(3);
    for (unsigned i = 0; i < 8; i++) got[i] = fw_read(0x80 + i);
    CHECK(!memcmp(got, c, 32), "command registers changed under firmware");
    uint32_t st = uint32_t(rng.bits(8)), imm = uint32_t(rng.next());
    d.cmd_done_i = 1; d.cmd_status_i = uint8_t(st); d.cmd_imm_i = imm;
    run(1);
    d.cmd_done_i = 0;
    run(1);
    CHECK(!d.cmd_go_o, "go stays");
    CHECK_EQ(read(OHCA_REG_CMD + 24), (c[6] & 0xffff) | st << 16 | uint64_t(imm) << 32, "status, immediate result");
    CHECK_EQ(read(OHCA_REG_CMD + 8), c[2] | uint64_t(c[3]) << 32, "out_param");
  }

  // ---- doorbells
  auto base = [](unsigned page) { return uint32_t(OHCA_BAR_DB_BASE + (page * 4096 << TB_DB_STRIDE)); };
  auto push_base = [](unsigned page) { return uint32_t(OHCA_BAR_PUSH_BASE + (page * 4096 << TB_DB_STRIDE)); };
  auto ring = [&](unsigned page, unsigned off, uint64_t v) {
    if (rng.chance(50)) wr8(base(page) + off, v);
    else { wr4(base(page) + off, uint32_t(v)); wr4(base(page) + off + 4, uint32_t(v >> 32)); }
  };
  struct Part { unsigned dw, n; };
  // by: 0 s_axil, 1 the wide port, 2 both. Writes to one buffer keep their order on one port; who changes it waits for the answers.
  struct Fill { unsigned page, buf; uint8_t wqe[64]; bool crowd; std::vector<Part> rest; int by; };
  struct Touch { int by; uint64_t writes, beats; };
  std::vector<Fill> open;
  std::vector<Touch> touch(2 * kPages, Touch{0, 0, 0});
  std::vector<Touch> closed;             // fills all of whose writes are on their way: they have their entry until then
  bool closing = false;
  auto may = [&](unsigned at, int by) { return (touch[at].by == by && by != 2) || (answered >= touch[at].writes && x_answered >= touch[at].beats); };
  auto whole_db = [&](unsigned page, const uint8_t *wqe, int push) {
    Db x{};
    memcpy(x.wqe, wqe, 64);
    uint32_t d0, d6;
    memcpy(&d0, wqe, 4); memcpy(&d6, wqe + 24, 4);
    x.qpn = d6 & 0xffffff; x.pi = uint16_t((d0 >> 16) + 1); x.uar = uint8_t(page); x.push = push;
    return x;
  };
  auto wide_bad = [&](unsigned page) {
    uint8_t junk[64];
    uint64_t strb = rng.next();
    uint32_t at = push_base(page) + 64 * uint32_t(rng.below(2));
    bool err = true;
    switch (rng.below(TB_DB_STRIDE ? 5 : 4)) {
      case 0: { unsigned dw = 4 * unsigned(rng.below(16)); strb = (strb & ~(15ull << dw)) | uint64_t(rng.range(1, 14)) << dw; break; }   // part of a dword
      case 1: at = push_base(page) + 128 + 64 * uint32_t(rng.below(62)); break;
      case 2: at = rng.chance(50) ? 0x100000 + 64 * uint32_t(rng.below(1024)) : 64 * uint32_t(rng.below(16384)); break;  // registers, doorbells
      case 3: strb = 0; err = false; break;
      default: at += 4096 * uint32_t(rng.range(1, (1 << TB_DB_STRIDE) - 1)); break;
    }
    if (err && !strb) strb = 1;
    wide(at, junk, strb, err);
    bad++;
  };
  auto step = [&](bool crowd) {
    unsigned page = unsigned(rng.below(kPages));
    uint64_t r = rng.next();
    if (TB_WIDE && wp.aw.q.size() < 30 && rng.chance(30)) {
      unsigned at = 2 * page + unsigned(r & 1);
      bool used = false;
      for (auto &o : open) used |= 2 * o.page + o.buf == at;
      if (rng.chance(10)) wide_bad(page);
      else if (!used && may(at, 1)) {
        uint8_t wqe[64];
        for (auto &x : wqe) x = uint8_t(rng.next());
        wide(push_base(page) + 64 * uint32_t(r & 1), wqe, ~0ull, false);
        want_x.push_back(whole_db(page, wqe, 1));
        touch[at] = {1, 0, x_beats};
        wholes++;
      }
      return;
    }
    switch (rng.below(crowd ? 14 : 10)) {
      case 0: {
        Db x{};
        x.qpn = r & 0xffffff; x.pi = uint16_t(r >> 32); x.uar = uint8_t(page); x.push = 2;
        ring(page, OHCA_DB_SQ, r);
        x.push = 2;
        want_sq.push_back(x);
        break;
      }
      case 1: ring(page, OHCA_DB_RQ, r); want_rq.push_back(uint64_t(page) << 40 | (r & 0xffffff) << 16 | (r >> 32 & 0xffff)); break;
      case 2: ring(page, OHCA_DB_CQ_ARM, r);
              want_arm.push_back(uint64_t(page) << 56 | (r & 0xffffff) << 32 | r >> 32); break;
      case 3: ring(0, OHCA_DB_EQ, r); want_eq.push_back((r & 0xff) << 25 | (r >> 63) << 24 | (r >> 32 & 0xffffff)); break;
      case 4: {                                // what cannot be used: counted
        switch (rng.below(TB_DB_STRIDE ? 9 : 7)) {
          case 0: wr8(base(1 + unsigned(rng.below(kPages - 1))) + OHCA_DB_EQ, r); break;
          case 1: wr8(base(page) + 0x50 + 8 * unsigned(rng.below(26)), r); break;
          case 2: wr(base(page) + OHCA_DB_RQ, r, 0x3c); break;
          case 3: wr4(base(page) + 0x800 + 4, uint32_t(r)); break;
          case 4: wr4(base(page) + OHCA_DB_SQ, 5); wr4(base((page + 1) % kPages) + OHCA_DB_SQ + 4, 5); break;  // halves of two pages
          case 5: wr8(push_base(page) + 128 + 8 * unsigned(rng.below(496)), r); break;
          case 6: wr8(0x100000 + 8 * unsigned(rng.below(8192)), r); break;      // behind it would be registers
          case 7: wr8(push_base(page) + 4096 * unsigned(rng.range(1, (1 << TB_DB_STRIDE) - 1)) + 8 * unsigned(rng.below(16)), r); break;
          default: {
            static const unsigned at[] = {OHCA_DB_SQ, OHCA_DB_CQ_ARM, OHCA_DB_RQ, OHCA_DB_EQ, OHCA_DB_PUSH_CLR};
            uint32_t page0 = rng.chance(50) ? base(0) : base(page);
            wr8(page0 + 4096 * unsigned(rng.range(1, (1 << TB_DB_STRIDE) - 1)) + at[rng.below(5)], r);
            break;
          }
        }
        bad++;
        break;
      }
      default: {
        unsigned limit = crowd ? TB_PUSH_ENTRIES + 3 : TB_PUSH_ENTRIES;
        if (TB_WIDE) closed.erase(std::remove_if(closed.begin(), closed.end(), [&](const Touch &c) { return answered >= c.writes && x_answered >= c.beats; }), closed.end());
        if (!closing && open.size() + closed.size() < limit && (open.empty() || rng.chance(30))) {
          Fill f{page, unsigned(rng.below(2)), {}, crowd, {}, TB_WIDE ? int(rng.below(3)) : 0};
          bool used = false;
          for (auto &o : open) used |= o.page == f.page && o.buf == f.buf;
          if (used || !may(2 * f.page + f.buf, f.by)) break;
          touch[2 * f.page + f.buf].by = f.by;
          for (auto &x : f.wqe) x = uint8_t(rng.next());
          for (unsigned dw = 0; dw < 16; dw += 2) {
            if (rng.chance(70)) f.rest.push_back({dw, 2});
            else for (unsigned k = 0; k < 2; k++) f.rest.push_back({dw + k, 1});
          }
          for (size_t k = f.rest.size() - 1; k > 0; k--) std::swap(f.rest[k], f.rest[rng.below(k + 1)]);
          open.push_back(f);
          break;
        }
        if (open.empty()) break;
        size_t i = rng.below(open.size());
        Fill &f = open[i];
        Touch &t = touch[2 * f.page + f.buf];
        if (rng.chance(3) && (f.by == 0 || x_answered >= t.beats)) {                   // given up; the page's next owner finds nothing
          if (rng.chance(50)) wr8(base(f.page) + OHCA_DB_PUSH_CLR + 8 * f.buf, r);
          else wr4(base(f.page) + OHCA_DB_PUSH_CLR + 8 * f.buf + 4 * (r & 1), uint32_t(r));
          t = {f.by ? 2 : 0, writes, t.beats};
          cleared++;
          if (TB_WIDE) closed.push_back(t);
          open.erase(open.begin() + i);
          break;
        }
        if (f.by == 1 || (f.by == 2 && rng.chance(50))) {     // some of what is left in one beat
          uint64_t strb = 0;
          for (unsigned k = unsigned(rng.range(1, 6)); k-- && !f.rest.empty(); f.rest.pop_back())
            strb |= (f.rest.back().n == 2 ? 0xffull : 0xfull) << 4 * f.rest.back().dw;
          wide(push_base(f.page) + 64 * f.buf, f.wqe, strb, false);
          t.beats = x_beats;
        } else {
          uint32_t a = push_base(f.page) + 64 * f.buf + 4 * f.rest.back().dw;
          uint64_t v = 0;
          memcpy(&v, f.wqe + 4 * f.rest.back().dw, 4 * f.rest.back().n);
          if (f.rest.back().n == 2) wr8(a, v); else wr4(a, uint32_t(v));
          f.rest.pop_back();
          t.writes = writes;
        }
        f.crowd |= crowd;
        if (f.rest.empty()) {
          (f.by == 0 ? want_sq : f.by == 1 ? want_x : want_m).push_back(whole_db(f.page, f.wqe, f.crowd ? -1 : 1));
          mixed += f.by == 2;
          if (TB_WIDE) closed.push_back(t);
          open.erase(open.begin() + i);
        }
      }
    }
  };
  auto close_all = [&](bool crowd) {
    closing = true;
    while (!open.empty()) { if (aw.q.size() < 50) step(crowd); b.cycle(drive, sample); }
    closing = false;
  };
  // A page's half writes may not be cut in two by another page's to the same doorbell: step() rings each whole.
  uint64_t steps = 0;
  // First without more buffers than entries: every whole push must arrive as a push.
  while (steps++ < b.cycles / 4) { if (aw.q.size() < 50) step(false); else steps--; b.cycle(drive, sample); }
  close_all(false);
  drain();
  printf("# %llu send doorbells, %llu pushed, %llu bad writes\n", (unsigned long long)n_db, (unsigned long long)pushed, (unsigned long long)bad);
  GOAL(pushed > 50 && cleared && (!TB_WIDE || (wholes > 30 && mixed > 3 && x_refused > 3)));
  uint64_t all = 0;
  auto settle = [&] { run(200); for (int k = 0; k < 500 && !d.idle_o; k++) run(1); CHECK(d.idle_o, "not idle"); };
  settle();
  // degraded counts ordinary doorbells too: those were meant with push = 2 and are not in it.
  CHECK_EQ(read(OHCA_REG_COUNTERS), bad + degraded, "db_bad_page");
  uint64_t was = pushed;
  for (steps = 0; steps++ < b.cycles / 4;) { if (aw.q.size() < 50) step(true); else steps--; b.cycle(drive, sample); }
  close_all(true);
  drain();
  settle();
  all = read(OHCA_REG_COUNTERS);
  CHECK_EQ(all, bad + degraded, "db_bad_page");
  printf("# crowded: %llu pushed, %llu rang without their WQE\n", (unsigned long long)(pushed - was), (unsigned long long)degraded);
  GOAL(pushed > was && degraded);

  // ---- counters: 3 sources, every bit, many cycles in a row, reads in between
  pulses = true;
  // Every value that is read in between is one that the counter had a little before; one that was spoilt shows in the end.
  for (int k = 0; k < 30; k++) {
    run(unsigned(rng.range(1, 300)));
    read(OHCA_REG_COUNTERS + 8 * unsigned(rng.below(64)));
    for (unsigned n = unsigned(rng.below(40)); n--;) { run(unsigned(rng.range(2, 6))); fw_read(unsigned(rng.below(0x88))); }
    if (rng.chance(30)) wr4(OHCA_REG_CMD + 4 * unsigned(rng.below(6)), uint32_t(rng.next()));
  }
  pulses = false;
  settle();
  cnt[0] = all;
  for (unsigned i = 0; i < 64; i++) CHECK_EQ(read(OHCA_REG_COUNTERS + 8 * i), cnt[i], "counter");
  for (unsigned i = 0; i < 128; i++) CHECK_EQ(fw_read(i), uint32_t(cnt[i / 2] >> 32 * (i & 1)), "counter, firmware's port");

  // ---- rates: a doorbell in two cycles, and pushes, one write a cycle
  aw.pace.always(1); w.pace.always(1); bp.always(1); sq.pace.always(1);
  uint64_t start = tb::context().cycle, n0 = n_db;
  for (int k = 0; k < 500; k++) { wr8(base(3), k); want_sq.push_back({uint32_t(k), 3, 0, 2, {}}); }
  drain();
  double per = double(tb::context().cycle - start) / double(n_db - n0);
  start = tb::context().cycle; n0 = n_db;
  for (int k = 0; k < 200; k++) {
    Db x{};
    for (auto &v : x.wqe) v = uint8_t(rng.next());
    uint32_t d0, d6;
    memcpy(&d0, x.wqe, 4); memcpy(&d6, x.wqe + 24, 4);
    x.qpn = d6 & 0xffffff; x.pi = uint16_t((d0 >> 16) + 1); x.uar = 9; x.push = 1;
    for (int i = 0; i < 8; i++) { uint64_t v; memcpy(&v, x.wqe + 8 * (7 - i), 8); wr8(push_base(9) + 64 * (k & 1) + 8 * (7 - i), v); }
    want_sq.push_back(x);
  }
  drain();
  double perp = double(tb::context().cycle - start) / double(n_db - n0);
  printf("# %.2f cycles a doorbell, %.2f a pushed WQE\n", per, perp);
  CHECK(per < 2.1 && perp < 8.2, "%.2f %.2f", per, perp);

  // ---- the wide port: a push in two cycles, half of them beside doorbells, and no read waits for one that waits
  wp.aw.pace.always(1); wp.w.pace.always(1); wp.b.always(1);
  auto whole = [&](unsigned page, unsigned buf) {
    uint8_t wqe[64];
    for (auto &v : wqe) v = uint8_t(rng.next());
    wide(push_base(page) + 64 * buf, wqe, ~0ull, false);
    want_x.push_back(whole_db(page, wqe, 1));
  };
  if (TB_WIDE) {
    start = tb::context().cycle;
    for (unsigned k = 0; k < 300; k++) whole(5 + (k >> 1 & 1), k & 1);
    drain();
    double perw = double(tb::context().cycle - start) / 300;
    for (unsigned k = 0; k < 300; k++) { whole(5, k & 1); wr8(base(3), k); want_sq.push_back({uint32_t(k), 3, 0, 2, {}}); }
    run(300);
    size_t left[2] = {want_sq.size(), want_x.size()};
    printf("# %.2f cycles a whole push; of 300 doorbells and 300 of them %zu and %zu are left after 300 cycles\n", perw, left[0], left[1]);
    CHECK(perw < 2.1, "%.2f", perw);
    CHECK(left[0] < 235 && left[1] < 235, "%zu %zu", left[0], left[1]);
    drain();
    sq.pace.always(0);
    for (unsigned k = 0; k < 100; k++) whole(5, k & 1);
    run(100);
    CHECK_EQ(read(OHCA_REG_ID) & 0xffffffff, OHCA_REG_ID_VALUE, "a read while the wide port waits");
    CHECK(want_x.size() > 50, "nothing waits");
    sq.pace.always(1);
    drain();
  } else {                               // it is not there
    for (unsigned k = 0; k < 20; k++) wide(push_base(5), rng.bytes(64).data(), ~0ull, true);
    flush();
    settle();
    run(20);
  }

  // ---- soft reset: waiting doorbells vanish, half-made pushes are forgotten, counters and time scale stay
  sq.pace.always(0); rq.pace.always(0); arm.pace.always(0); eq.pace.always(0);
  wr8(base(1), 7); wr8(base(1) + OHCA_DB_CQ_ARM, 7); wr8(base(1) + OHCA_DB_RQ, 7); wr8(base(0) + OHCA_DB_EQ, 7);
  wr4(OHCA_REG_CMD + 24, 1u << 31);
  wr8(push_base(1), 1);
  flush();
  run(4);
  CHECK(d.sq_db_valid_o && d.cq_arm_valid_o && d.rq_db_valid_o && d.eq_db_valid_o && d.cmd_go_o, "not there");
  wr4(OHCA_REG_RESET, 0x12345678);
  flush();
  run(4);
  CHECK(!d.soft_rst_o, "reset by a wrong value");
  wr4(OHCA_REG_RESET, OHCA_REG_RESET_VALUE);
  unsigned high = 0;
  for (int k = 0; k < 120; k++) {
    bool was_high = d.soft_rst_o;
    if (was_high) { sq = tb::Sink<SqOut>(&rng); rq = arm = eq = tb::Sink<Small>(&rng); for (auto *x : {&sq.pace, &rq.pace, &arm.pace, &eq.pace}) x->always(0); }
    run(1);
    high += d.soft_rst_o;
  }
  CHECK_EQ(high, 64, "cycles of soft reset");
  CHECK(!d.sq_db_valid_o && !d.cq_arm_valid_o && !d.rq_db_valid_o && !d.eq_db_valid_o && !d.cmd_go_o, "something is left");
  CHECK_EQ(read(OHCA_REG_COUNTERS + 8), cnt[1], "counters stay");
  wr4(OHCA_REG_RESET, OHCA_REG_RESET_VALUE);            // a write that waits for the reset to end is still before the read
  wr4(OHCA_REG_TIME_SCALE, 4321);
  while (!(aw.done() && w.done())) run(1);
  run(4);
  CHECK(d.soft_rst_o, "reset");
  CHECK_EQ(read(OHCA_REG_TIME_SCALE), 4321, "read after a write that waits");
  sq.pace.always(1);
  wr4(OHCA_REG_RESET, OHCA_REG_RESET_VALUE);            // so is a doorbell: it counts when the reset has ended
  wr8(base(1), 11);
  want_sq.push_back({11, 1, 0, 2, {}});
  drain();
  settle();
  wr8(base(1), 9);
  want_sq.push_back({9, 1, 0, 2, {}});
  drain();
  settle();
  Db half{};
  half.qpn = 6; half.pi = 2; half.uar = 1; half.push = 1;
  half.wqe[2] = 1; half.wqe[24] = 6;
  for (unsigned q = 8; q-- > 1;) wr8(push_base(1) + 8 * q, q == 3 ? 6 : 0);
  flush();
  settle();
  wr8(push_base(1), 1 << 16);
  want_sq.push_back(half);
  drain();
  settle();
  return b.finish();
}
