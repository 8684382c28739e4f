// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_cq DW=64 Sets=8
// dut: ohca_cq DW=64 Sets=8 Compact=1
// dut: ohca_cq DW=128 Sets=4 InFlight=4
// dut: ohca_cq DW=256 Sets=64
// dut: ohca_cq DW=512 Sets=8
// args: --cycles 40000
// Completions of both engines for 40 CQs (fewer fit the cache), rings of 1 to 64 entries, physical and translated,
// against a host that polls, arms and sleeps: every CQE lands once, in order, with the right phase, never on one that
// the host has not consumed; no wake-up is lost, no event comes unasked, and never more than there are CQEs, whatever
// arms say. Overflow, which names each QP that lost a completion, failing translations, wrong pages, absent CQs,
// accesses of firmware. Meanwhile rings are exchanged for larger and smaller ones: what is not consumed is in the old
// ring when the answer comes, all later ones are in the new one, from its first pass on; one that would have no room
// for what is not consumed is refused, and changes nothing. Events of every other CQ are moderated, by count, period or
// both, which firmware changes meanwhile: whatever is due wakes the host all the same.
#include <algorithm>
#include <map>
#include <unordered_map>
#include "Vdut.h"
#include "wr_client.h"

#ifndef TB_DW
#define TB_DW TB_D_W
#endif
#ifndef TB_IN_FLIGHT
#define TB_IN_FLIGHT 16
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
constexpr unsigned PER_US = 4, KEPT = TB_COMPACT ? 8 : 10;   // dwords of a context that are not reserved
constexpr unsigned BUS = TB_DW / 8, RW = OHCA_CQ_REQ_BITS, NCQ = 40;
constexpr uint64_t ICM_BASE = 0x80000, ICM_HOST = 0x540000000ull;
struct Req { uint32_t cqn, qpn; bool recv; uint8_t op; uint16_t idx; uint8_t status, verr; bool sol, grh; uint32_t len, imm, src; uint8_t sl; uint16_t slid, pkey; uint8_t path, csum; };
struct Arm { uint32_t cqn; uint16_t uar; bool sol; uint32_t ci; uint32_t seen = 0; };
struct Acc { uint32_t num; uint8_t dw; bool inval; uint32_t wdata, wmask; };
struct Ev { uint32_t w[4]; };

struct Cq {
  uint32_t id; unsigned log; bool mtt, bad; uint64_t buf, dbr; uint16_t uar; uint8_t eqn;
  uint32_t pi0, posted = 0, written = 0, ci = 0, dbr_ci = 0;   // counts from pi0
  std::deque<Req> want;
  bool greedy = false;         // posts without looking: will overflow
  bool dead = false, sleeping = false, armed = false, sol_only = false, never_arms = false;
  unsigned errors = 0, arms = 0, events = 0, dropped = 0;
  std::vector<bool> sols;      // by position, of what was written
  uint32_t base = 0;           // index with which this ring began
  uint32_t more = 0, period = 0;   // moderation
  unsigned gen = 0;            // of the ring
  // another is wanted; gone: it has entries, from position `at` on
  struct { bool busy = false, loose = false, gone = false, mtt; unsigned log; uint64_t buf; uint32_t at; } nx;
  bool first(uint32_t i) const { return !((i - base) & 1u << log); }   // index i has phase 1
  uint32_t size() const { return 1u << log; }
};

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  std::unordered_map<uint64_t, uint8_t> mem;
  auto get32 = [&](uint64_t a) { uint32_t v = 0; for (int i = 0; i < 4; i++) { auto e = mem.find(a + i); if (e != mem.end()) v |= uint32_t(e->second) << 8 * i; } return v; };
  auto put32 = [&](uint64_t a, uint32_t v) { for (int i = 0; i < 4; i++) mem[a + i] = uint8_t(v >> 8 * i); };
  auto phys = [](uint64_t va) { return 0x700000000ull + ((va >> 12 ^ 0x55) << 12 | (va & 0xfff)); };

  WrCount cnt;
  WrClient<BUS> ctx_wr(&rng, &cnt), cqe_wr(&rng, &cnt);
  struct Pending { uint64_t addr; std::vector<uint8_t> data; uint32_t number; };
  std::deque<Pending> unacked;
  tb::Source<Req> src[2] = {tb::Source<Req>(&rng), tb::Source<Req>(&rng)};
  tb::Source<Arm> arm(&rng);
  tb::Source<Acc> acc(&rng);
  tb::Sink<Ev> ev(&rng, "ev");
  struct Lost { uint32_t qpn; };
  tb::Sink<Lost> qerr(&rng, "qerr");
  std::map<uint32_t, unsigned> lost_want, lost_seen;   // QPs
  tb::Pace icm_pace(&rng), rd_pace(&rng), tpt_pace(&rng), rsp_pace(&rng);
  unsigned rd_lat_max = 150, dbr_lat = 0;

  struct Rd { bool dbr; uint64_t addr; unsigned len, tag, at; uint64_t due; bool err; std::vector<uint8_t> early; };
  std::deque<Rd> rds;
  struct Icm { bool ok; uint64_t addr, due; };
  std::deque<Icm> icms;
  struct Tpt { bool ok; uint64_t addr, due; };
  std::deque<Tpt> tpts;
  std::deque<Acc> acc_wait;
  std::vector<uint32_t> scratch(NCQ, 0);
  uint64_t bad_pages = 0, bad_seen = 0, over_seen = 0, over_want = 0, dbr_reads = 0, total = 0, acc_n = 0, ev_n = 0;
  std::deque<std::pair<Ev, uint32_t>> events;       // with the writes issued before
  bool steady = false;
  // so many CQs have all the traffic, and get another ring as often as they can
  unsigned focus = 0;

  // ---- the CQs
  std::vector<Cq> cq(NCQ);
  struct Slot { unsigned cq; uint32_t slot; unsigned gen; };
  std::map<uint64_t, Slot> where;                            // by bus address
  unsigned fresh = NCQ, swaps = 0, grown = 0, shrunk = 0, refused = 0, moved = 0;
  auto map_ring = [&](unsigned i, uint64_t buf, bool mtt, unsigned log, unsigned gen) {
    for (uint32_t k = 0; k < 1u << log; k++) where[mtt ? phys(buf + 32 * k) : buf + 32 * k] = {i, k, gen};
  };
  auto ring_at = [&](unsigned n, bool mtt) {
    return mtt ? (uint64_t(0x100 + n * 4) << 12) + 4096 - 32 * rng.range(1, 40) : (uint64_t(0x9000 + n) << 24) + 32 * rng.below(64);
  };
  auto moderation = [&](Cq &c) {                              // what the host waits for can come: not more than the ring takes
    c.period = rng.chance(30) ? 0 : uint32_t(rng.range(1, 200));
    c.more = uint32_t(rng.range(1, c.size())) - 1;
    if (c.period && rng.chance(40)) c.more = rng.chance(50) ? 0xffff : uint32_t(rng.range(1, 1000));
  };
  auto setup = [&](unsigned i, uint32_t id, bool mtt, unsigned log, bool mod = false) {
    Cq c{};
    c.id = id; c.log = log; c.mtt = mtt; c.bad = false;
    if (mod && !TB_COMPACT) moderation(c);
    c.uar = uint16_t(rng.bits(16)); c.eqn = uint8_t(rng.bits(4));
    c.buf = ring_at(i, mtt);
    c.dbr = (uint64_t(0xa000 + i) << 20) + 8 * rng.below(512);
    c.pi0 = rng.chance(50) ? 0 : (0x1000000 - 2 * c.size()) & 0xffffff;
    map_ring(i, c.buf, mtt, log, 0);
    uint64_t x = ICM_HOST + id * 64;
    put32(x, 1 | mtt << 1 | uint32_t(c.more != 0) << 5 | c.log << 8 | (c.uar >> 8 & 7u) << 13 | c.eqn << 16 | uint32_t(c.uar) << 24);
    put32(x + 4, uint32_t(c.buf) | c.uar >> 11); put32(x + 8, uint32_t(c.buf >> 32));
    put32(x + 12, uint32_t(c.dbr)); put32(x + 16, uint32_t(c.dbr >> 32));
    put32(x + 20, c.pi0); put32(x + 24, c.pi0); put32(x + 28, 0);
    for (int k = 8; k < 16; k++) put32(x + 4 * k, 0);
    put32(x + 36, c.more | c.period << 16);
    put32(c.dbr, c.pi0);
    cq[i] = c;
  };
  std::map<uint32_t, unsigned> index;
  for (unsigned i = 0; i < NCQ; i++) {
    uint32_t id = i < 20 ? i : uint32_t(rng.range(20 + (i - 20) * 200, 219 + (i - 20) * 200)) % 4096;
    setup(i, id, rng.chance(50), unsigned(rng.chance(30) ? 0 : rng.range(0, 6)), i % 2);
    index[id] = i;
  }
  for (unsigned i = 0; i < NCQ; i++) { cq[i].never_arms = i % 5 == 0; cq[i].sol_only = i % 5 == 1; }
  auto index_of = [&](uint32_t id) { auto e = index.find(id); return e == index.end() ? -1 : int(e->second); };

  auto drive = [&] {
    d.now_i++;
    cnt.step();
    while (!unacked.empty() && int32_t(cnt.acked - unacked.front().number) >= 0) {
      auto &p = unacked.front();
      for (size_t i = 0; i < p.data.size(); i++) mem[p.addr + i] = p.data[i];
      unacked.pop_front();
    }
    BITS(d.wr_cnt_i, OHCA_HWR_CNT_ISSUED) = cnt.issued;
    BITS(d.wr_cnt_i, OHCA_HWR_CNT_ACKED) = cnt.acked;
    // one write request a cycle, as the real block grants
    uint8_t r3, r5;
    ctx_wr.drive(r3, BITS(d.ctx_i, OHCA_CTX_RSP_DAT_READY));
    cqe_wr.drive(r5, BITS(d.wr_i, OHCA_HWR_RSP_DAT_READY));
    BITS(d.ctx_i, OHCA_CTX_RSP_WR_READY) = r3;
    BITS(d.wr_i, OHCA_HWR_RSP_READY) = r5;
    d.cq_valid_i = 0;
    for (unsigned i = 0; i < 2; i++) {
      if (!src[i].drive()) continue;
      const Req &r = src[i].front();
      d.cq_valid_i |= 1 << i;
      auto set = [&](unsigned lsb, unsigned w, uint64_t v) { tb::set_bits(d.cq_i, i * RW + lsb, w, v); };
      set(OHCA_CQ_REQ_CQN_LSB, 24, r.cqn); set(OHCA_CQ_REQ_QPN_LSB, 24, r.qpn); set(OHCA_CQ_REQ_RECV_LSB, 1, r.recv);
      set(OHCA_CQ_REQ_OPCODE_LSB, 5, r.op); set(OHCA_CQ_REQ_IDX_LSB, 16, r.idx); set(OHCA_CQ_REQ_STATUS_LSB, 8, r.status);
      set(OHCA_CQ_REQ_VERR_LSB, 8, r.verr); set(OHCA_CQ_REQ_SOLICITED_LSB, 1, r.sol); set(OHCA_CQ_REQ_GRH_LSB, 1, r.grh);
      set(OHCA_CQ_REQ_BYTE_LEN_LSB, 32, r.len); set(OHCA_CQ_REQ_IMM_LSB, 32, r.imm); set(OHCA_CQ_REQ_SRC_QP_LSB, 24, r.src);
      set(OHCA_CQ_REQ_SL_LSB, 4, r.sl); set(OHCA_CQ_REQ_SLID_LSB, 16, r.slid); set(OHCA_CQ_REQ_PKEY_INDEX_LSB, 16, r.pkey);
      set(OHCA_CQ_REQ_PATH_BITS_LSB, 7, r.path); set(OHCA_CQ_REQ_CSUM_OK_LSB, 1, r.csum);
    }
    d.arm_valid_i = arm.drive();
    if (!arm.done()) { auto &a = arm.front(); tb::set_bits(d.arm_i, 56, 16, a.uar); tb::set_bits(d.arm_i, 0, 56, uint64_t(a.cqn) << 32 | uint64_t(a.sol) << 31 | a.seen << 24 | a.ci); }
    d.acc_valid_i = acc.drive();
    if (!acc.done()) {
      auto &a = acc.front();
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_PART, OHCA_CTX_PART_CQC);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_INVAL, a.inval);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_NUM, a.num);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_DW, a.dw);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_WDATA, a.wdata);
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_WMASK, a.wmask);
    }
    d.ev_ready_i = ev.drive();
    d.qerr_ready_i = qerr.drive();
    BITS(d.ctx_i, OHCA_CTX_RSP_ICM_READY) = icm_pace.go();
    BITS(d.ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID) = !icms.empty() && icms.front().due <= b.now();
    if (BITS(d.ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID)) {
      BITS(d.ctx_i, OHCA_CTX_RSP_ICM_RSP_OK) = icms.front().ok;
      BITS(d.ctx_i, OHCA_CTX_RSP_ICM_RSP_ADDR) = icms.front().addr;
      icms.pop_front();
    }
    bool rd_go = rd_pace.go(), which = rng.chance(50);
    BITS(d.ctx_i, OHCA_CTX_RSP_RD_READY) = rd_go && which;
    BITS(d.dbr_i, OHCA_HRD_RSP_READY) = rd_go && !which;
    BITS(d.ctx_i, OHCA_CTX_RSP_RD_RSP_VALID) = BITS(d.dbr_i, OHCA_HRD_RSP_VALID) = 0;
    if (!rds.empty() && rds.front().due <= b.now() && rsp_pace.go()) {
      Rd &r = rds.front();
      uint64_t a = (r.addr & ~uint64_t(BUS - 1)) + r.at * BUS;
      std::vector<uint8_t> v(BUS);
      for (unsigned i = 0; i < BUS; i++) {
        uint64_t x = a + i;
        if (x < r.addr || x >= r.addr + r.len) { v[i] = uint8_t(rng.next()); continue; }
        v[i] = !r.early.empty() ? r.early[x - r.addr] : mem.count(x) ? mem[x] : 0;
      }
      tb::set_bytes(d.rd_rsp_data_i, v.data(), BUS);
      BITS(d.rd_rsp_i, OHCA_HRD_BEAT_TAG) = uint8_t(r.tag);
      BITS(d.rd_rsp_i, OHCA_HRD_BEAT_ERR) = r.err;
      BITS(d.rd_rsp_i, OHCA_HRD_BEAT_LAST) = a + BUS >= r.addr + r.len;
      BITS(d.dbr_i, OHCA_HRD_RSP_VALID) = r.dbr;
      BITS(d.ctx_i, OHCA_CTX_RSP_RD_RSP_VALID) = !r.dbr;
      r.at++;
      if (BITS(d.rd_rsp_i, OHCA_HRD_BEAT_LAST)) rds.pop_front();
    }
    d.tpt_ready_i = tpt_pace.go();
    d.tpt_rsp_valid_i = !tpts.empty() && tpts.front().due <= b.now();
    if (d.tpt_rsp_valid_i) {
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_OK, tpts.front().ok);
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_VERR, tpts.front().ok ? 0 : OHCA_VENDOR_ERR_TPT_INVALID);
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_ADDR, tpts.front().addr);
      SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_TAG, 0);
      tpts.pop_front();
    }
  };
  auto take_rd = [&](bool dbr, const auto &req) {
    Rd r{};
    r.dbr = dbr;
    r.addr = FIELD(req, OHCA_DMA_RD_REQ_ADDR); r.len = unsigned(FIELD(req, OHCA_DMA_RD_REQ_LEN)); r.tag = unsigned(FIELD(req, OHCA_DMA_RD_REQ_TAG));
    r.due = b.now() + (dbr && dbr_lat ? dbr_lat : rng.range(3, rd_lat_max));
    if (rng.chance(50)) for (unsigned i = 0; i < r.len; i++) r.early.push_back(mem.count(r.addr + i) ? mem[r.addr + i] : 0);
    if (dbr) { CHECK_EQ(r.len, 8, "doorbell record"); dbr_reads++; }
    rds.push_back(r);
  };
  auto sample = [&] {
    if (BITS(d.ctx_o, OHCA_CTX_REQ_RD_VALID) && BITS(d.ctx_i, OHCA_CTX_RSP_RD_READY)) take_rd(false, PART(d.ctx_o, OHCA_CTX_REQ_RD));
    if (BITS(d.dbr_o, OHCA_HRD_REQ_VALID) && BITS(d.dbr_i, OHCA_HRD_RSP_READY)) take_rd(true, PART(d.dbr_o, OHCA_HRD_REQ_REQ));
    if (BITS(d.ctx_o, OHCA_CTX_REQ_ICM_VALID) && BITS(d.ctx_i, OHCA_CTX_RSP_ICM_READY)) {
      uint64_t a = BITS(d.ctx_o, OHCA_CTX_REQ_ICM_ADDR);
      icms.push_back({a >> 18 == ICM_BASE >> 18, ICM_HOST + a - ICM_BASE, b.now() + 2});
    }
    if (d.tpt_valid_o && d.tpt_ready_i) {
      CHECK(FIELD(d.tpt_o, OHCA_TPT_REQ_MTT_OP), "ring access");
      uint64_t va = FIELD(d.tpt_o, OHCA_TPT_REQ_VA);
      bool ok = true;
      for (auto &c : cq) if (c.mtt && c.bad && va >= c.buf && va < c.buf + 32 * c.size()) ok = false;
      uint64_t due = b.now() + rng.range(2, steady ? 4 : 60);
      if (!tpts.empty() && due <= tpts.back().due) due = tpts.back().due + 1;
      tpts.push_back({ok, phys(va), due});
    }
    ctx_wr.sample(BITS(d.ctx_o, OHCA_CTX_REQ_WR_VALID), PART(d.ctx_o, OHCA_CTX_REQ_WR), BITS(d.ctx_o, OHCA_CTX_REQ_DAT_VALID), d.ctx_dat_o, BITS(d.ctx_o, OHCA_CTX_REQ_DAT_LAST));
    for (; !ctx_wr.done.empty(); ctx_wr.done.pop_front()) unacked.push_back({ctx_wr.done.front().addr, ctx_wr.done.front().data, ctx_wr.done.front().number});
    cqe_wr.sample(BITS(d.wr_o, OHCA_HWR_REQ_VALID), PART(d.wr_o, OHCA_HWR_REQ_REQ), BITS(d.wr_o, OHCA_HWR_REQ_DAT_VALID), d.wr_dat_o, BITS(d.wr_o, OHCA_HWR_REQ_DAT_LAST));
    for (; !cqe_wr.done.empty(); cqe_wr.done.pop_front()) {
      auto &w = cqe_wr.done.front();
      unacked.push_back({w.addr, w.data, w.number});
      auto e = where.find(w.addr);
      CHECK(e != where.end() && w.data.size() == 32, "a CQE outside every ring: %llx", (unsigned long long)w.addr);
      Cq &c = cq[e->second.cq];
      CHECK(!c.want.empty(), "a CQE that nobody sent");
      bool next = c.nx.busy && e->second.gen == c.gen + 1;
      CHECK(next || e->second.gen == c.gen, "CQ %u: a CQE in a ring that it had before", c.id);
      if (next && !c.nx.gone) { c.nx.gone = true; c.nx.at = c.written; }
      CHECK(next || !c.nx.gone, "a CQE in the old ring after one in the new ring");
      Req r = c.want.front();
      c.want.pop_front();
      uint32_t g[8];
      memcpy(g, w.data.data(), 32);
      uint32_t pi = (c.pi0 + c.written) & 0xffffff;
      uint32_t size = next ? 1u << c.nx.log : c.size();
      CHECK_EQ(e->second.slot, pi & (size - 1), "slot");
      CHECK(c.written - c.ci < size, "a CQE that the host has not consumed is overwritten");
      CHECK_EQ(g[0], r.qpn | uint32_t(r.op) << 24 | uint32_t(r.grh) << 29 | uint32_t(r.sol) << 30 | uint32_t(r.recv) << 31, "CQE 0");
      CHECK_EQ(g[1], r.idx | r.status << 16 | uint32_t(r.verr) << 24, "CQE 1");
      CHECK_EQ(g[2], r.len, "CQE 2");
      CHECK_EQ(g[3], r.imm, "CQE 3");
      CHECK_EQ(g[4], r.src | uint32_t(r.sl) << 24 | uint32_t(r.csum) << 28, "CQE 4");
      CHECK_EQ(g[5], r.slid | uint32_t(r.pkey) << 16, "CQE 5");
      CHECK(uint32_t(d.now_i - g[6]) < 4000, "time stamp");
      CHECK_EQ(g[7] & 0x7fff0000u, uint32_t(r.path) << 16, "CQE 7");
      CHECK_EQ(g[7] >> 31, next ? !((c.written - c.nx.at) >> c.nx.log & 1) : c.first(pi), "phase");
      c.sols.push_back(r.sol || r.status);
      c.written++;
      total++;
      b.progress();
    }
    std::stable_sort(unacked.begin(), unacked.end(), [](auto &x, auto &y) { return int32_t(x.number - y.number) < 0; });
    for (unsigned i = 0; i < 2; i++) {
      Req r = src[i].q.empty() ? Req{} : src[i].front();
      if (!src[i].sample(d.cq_ready_o >> i & 1)) continue;
      CHECK(i == 0 || !(d.cq_ready_o & 1 && d.cq_valid_i & 1), "two at once");
      int x = index_of(r.cqn);
      if (x < 0) { over_want++; if (r.status != OHCA_WC_STATUS_WR_FLUSH) lost_want[r.qpn]++; } else cq[x].want.push_back(r);
    }
    Arm a = arm.done() ? Arm{} : arm.front();
    if (arm.sample(d.arm_ready_o)) {
      int x = index_of(a.cqn);
      if (x < 0 || cq[x].uar != a.uar) bad_pages++; else cq[x].arms++;
      b.progress();
    }
    Acc q = acc.done() ? Acc{} : acc.front();
    if (acc.sample(d.acc_ready_o)) acc_wait.push_back(q);
    if (BITS(d.acc_rsp_o, OHCA_ACC_RSP_VALID)) {
      bool acc_err = BITS(d.acc_rsp_o, OHCA_ACC_RSP_ERR);
      uint32_t acc_rdata = uint32_t(BITS(d.acc_rsp_o, OHCA_ACC_RSP_RDATA));
      CHECK_EQ(acc_wait.size(), 1, "answers to accesses");
      Acc w = acc_wait.front();
      acc_wait.pop_front();
      acc_n++;
      b.progress();
      int x = index_of(w.num);
      bool set = w.wmask && (w.dw == OHCA_ACC_CQ_BUF || w.dw == OHCA_ACC_CQ_BUF_HI), mod = !TB_COMPACT && w.wmask && w.dw == OHCA_ACC_CQ_MOD && x >= 0, swap = w.wmask && w.dw == OHCA_ACC_CQ_RING;
      if (swap && x >= 0 && cq[x].nx.busy) {
        Cq &c = cq[x];
        uint32_t at = (acc_rdata - c.pi0) & 0xffffff;         // the position from which on CQEs go to the new ring
        uint32_t left = at - (c.ci & 0xffffff);
        if (c.nx.gone) CHECK_EQ(at, c.nx.at & 0xffffff, "index of the new ring");
        CHECK(((c.written - at) & 0xffffff) <= c.posted - c.ci, "CQEs before the new ring that are not written");
        if (!acc_err) for (auto &u : unacked) {
          auto o = where.find(u.addr);
          CHECK(o == where.end() || o->second.cq != unsigned(x) || o->second.gen != c.gen, "a CQE of the old ring is not there yet");
        }
        if (c.nx.loose) CHECK(!acc_err || c.size() >= 1u << c.nx.log, "a larger ring is refused");
        else CHECK(acc_err == (left >= 1u << c.nx.log), "CQ %u with %u unread asked for %u entries", c.id, left, 1u << c.nx.log);
        if (acc_err) { CHECK(!c.nx.gone, "refused and done"); refused++; }
        else {
          (c.nx.log > c.log ? grown : shrunk)++;
          uint32_t from = (c.pi0 + c.ci) & 0xffffff, base = acc_rdata & 0xffffff;
          Cq o = c;
          c.buf = c.nx.buf; c.log = c.nx.log; c.mtt = c.nx.mtt; c.base = base; c.gen++;
          // What is unread goes along, with the phase that it has there.
          for (uint32_t i = from; i != base; i = (i + 1) & 0xffffff) {
            auto slot = [&](const Cq &q) { uint64_t a = q.buf + 32 * (i & (q.size() - 1)); return q.mtt ? phys(a) : a; };
            CHECK_EQ(get32(slot(o) + 28) >> 31, o.first(i), "an unread CQE of the old ring");
            CHECK_EQ(get32(slot(c) + 28) >> 31, 0, "nothing is written over what is unread");
            CHECK(!c.first(i), "phase of what is unread");
            for (int k = 0; k < 28; k += 4) put32(slot(c) + k, get32(slot(o) + k));
            put32(slot(c) + 28, get32(slot(o) + 28) & 0x7fffffffu);
            moved++;
          }
          scratch[x] = (base >> 16 & 0x3f) << 26;
          swaps++;
        }
        c.nx.busy = c.nx.gone = false;
      } else {
        CHECK_EQ(acc_err, x < 0 && w.num >= 4096 ? 1 : w.dw >= 16 && !set && !mod, "access error");
        if (mod) {
          CHECK_EQ(acc_rdata, cq[x].more | cq[x].period << 16, "moderation before");
          cq[x].more = w.wdata & 0xffff;
          cq[x].period = w.wdata >> 16;
        }
      }
      if (!acc_err && x >= 0 && w.dw < 16) {
        Cq &c = cq[x];
        uint32_t v = acc_rdata;
        if (w.dw >= KEPT) CHECK_EQ(v, 0, "context dword");
        else if (w.dw == 9) CHECK_EQ(v, c.more | c.period << 16, "moderation");
        else if (w.dw == 7) {
          CHECK_EQ(v & 0xfc000000u, scratch[x], "context dword 7");
          scratch[x] = (scratch[x] & ~w.wmask) | (w.wdata & w.wmask);
        } else if (w.dw == 1) CHECK_EQ(v, uint32_t(c.buf) | c.uar >> 11, "buf");
        else if (w.dw == 4) CHECK_EQ(v, c.dbr >> 32, "dbr");
        else if (w.dw == 0) CHECK_EQ(v & 0xffffff03u, 1u | c.mtt << 1 | c.log << 8 | (c.uar >> 8 & 7u) << 13 | c.eqn << 16 | uint32_t(c.uar) << 24, "dword 0");
      }
    }
    if (qerr.sample(d.qerr_valid_o, Lost{uint32_t(d.qerr_qpn_o)})) lost_seen[d.qerr_qpn_o]++;
    Ev e;
    tb::get_bytes(d.ev_o, (uint8_t *)&e, sizeof e);
    e.w[3] &= 0xff;
    if (ev.sample(d.ev_valid_o, e)) {
      uint32_t num = uint32_t(FIELD(d.ev_o, OHCA_EV_REQ_NUM));
      int x = index_of(num);
      CHECK(x >= 0, "event of CQ %x", num);
      Cq &c = cq[x];
      ev_n++;
      if (FIELD(d.ev_o, OHCA_EV_REQ_ETYPE) == OHCA_EQE_TYPE_CQ_ERROR) {
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_EQN), 0, "EQ of an error");
        // a ring that takes no writes can also run full
        uint32_t cause = uint32_t(FIELD(d.ev_o, OHCA_EV_REQ_SYNDROME));
        CHECK(cause == OHCA_VENDOR_ERR_CQ_OVERFLOW || (c.bad && cause == OHCA_VENDOR_ERR_TPT_INVALID), "cause %u", cause);
        if (c.bad && cause == OHCA_VENDOR_ERR_CQ_OVERFLOW) c.dropped++;
        CHECK(c.bad || c.greedy, "error event of a CQ in order");
        c.errors++;
      } else {
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_ETYPE), OHCA_EQE_TYPE_COMP, "event type");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_EQN), c.eqn, "EQ");
        c.events++;
        CHECK(c.events <= c.arms, "an event that was not asked for");
        // What waits can be for a CQE that then had no translation: an error event tells of that one, and the event
        // comes too.
        CHECK(c.events <= c.written + (c.bad ? c.errors : 0), "CQ %u: %u events for %u CQEs", c.id, c.events, c.written);
        events.push_back({Ev{{uint32_t(x)}}, cnt.next});
      }
      b.progress();
    }
    bad_seen += d.cnt_o & 1;
    over_seen += d.cnt_o >> OHCA_COUNTER_CQ_OVERFLOW & 1;
    CHECK(!(d.idle_o && (!acc_wait.empty() || d.ev_valid_o || BITS(d.wr_o, OHCA_HWR_REQ_VALID))), "idle with work");
  };

  // ---- what the host does between cycles
  auto visible = [&](Cq &c) {
    uint32_t pi = (c.pi0 + c.ci) & 0xffffff;
    uint64_t a = c.buf + 32 * (pi & (c.size() - 1));
    return get32((c.mtt ? phys(a) : a) + 28) >> 31 == uint32_t(c.first(pi));
  };
  auto host = [&](bool lazy) {
    for (; !events.empty() && int32_t(cnt.acked - events.front().second) >= 0; events.pop_front()) cq[events.front().first.w[0]].sleeping = false;
    Cq &c = cq[rng.below(NCQ)];
    // who waits for solicited ones looks now and then
    if (c.dead || c.greedy || c.nx.busy || (c.sleeping && !(c.sol_only && rng.chance(3)))) return;
    while (visible(c) && !rng.chance(10)) { CHECK(c.ci < c.written, "phase bit of a CQE that was not written"); c.ci++; if (c.never_arms && rng.chance(30)) break; }
    if (!lazy || c.ci - c.dbr_ci >= c.size() / 2 || rng.chance(20)) { c.dbr_ci = c.ci; put32(c.dbr, (c.pi0 + c.ci) & 0xffffff); }
    if (c.never_arms || visible(c) || arm.q.size() > 3) return;
    bool sol = c.sol_only;
    if (c.sleeping) return;
    // entries it knows, but has not consumed yet
    uint32_t seen = rng.chance(50) ? 0 : uint32_t(rng.range(0, std::min<uint64_t>(c.ci, 5)));
    arm.push({c.id, c.uar, sol, (c.pi0 + c.ci - seen) & 0xffffff, seen});
    c.sleeping = true;
  };
  auto random_req = [&](Cq &c) {
    Req r;
    r.cqn = c.id; r.qpn = uint32_t(rng.bits(24)); r.recv = rng.chance(50); r.op = uint8_t(rng.bits(5)); r.idx = uint16_t(rng.next());
    r.status = rng.chance(90) ? 0 : uint8_t(rng.range(1, 21)); r.verr = r.status ? uint8_t(rng.next()) : 0; r.sol = rng.chance(15); r.grh = rng.chance(20);
    r.len = uint32_t(rng.next()); r.imm = uint32_t(rng.next()); r.src = uint32_t(rng.bits(24)); r.sl = uint8_t(rng.bits(4));
    r.slid = uint16_t(rng.next()); r.pkey = uint16_t(rng.next()); r.path = uint8_t(rng.bits(7)); r.csum = uint8_t(rng.bits(1));
    return r;
  };
  auto post = [&](unsigned percent) {
    for (auto &s : src) {
      if (s.q.size() >= 3 || !rng.chance(percent)) continue;
      if (rng.chance(1) && !steady) {                                   // a CQ that is not there: unmapped, out of range, not valid
        Req r = random_req(cq[0]);
        r.cqn = uint32_t(rng.chance(50) ? rng.range(4096, 4999) : rng.range(5000, 0xffffff));
        s.push(r);
        continue;
      }
      for (int tries = 0; tries < 4; tries++) {
        Cq &c = cq[rng.below(focus ? focus : rng.chance(50) ? 6 : NCQ)];
        if (c.dead || c.bad || c.greedy) continue;
        if (c.posted - c.dbr_ci >= c.size()) continue;                  // software does not overrun its CQ
        // what the adapter is told that the host has consumed
        uint32_t known = c.nx.loose ? c.dbr_ci : c.ci;
        if (c.nx.busy && c.posted - known + 1 >= 1u << c.nx.log && c.written - c.ci < 1u << c.nx.log) continue;
        c.posted++;
        s.push(random_req(c));
        break;
      }
    }
  };
  auto quiet = [&] {
    bool q = src[0].done() && src[1].done() && arm.done() && acc.done() && acc_wait.empty() && unacked.empty() && events.empty();
    for (auto &c : cq) q &= c.dead || c.bad || c.greedy || c.want.empty();
    return q && d.idle_o;
  };
  auto settle = [&](bool with_host) {
    for (int k = 0, still = 0; k < 60000 && still < (with_host ? 2000 : 50); k++) {
      if (with_host) host(false); else events.clear();
      b.cycle(drive, sample);
      still = quiet() ? still + 1 : 0;
      if (k == 59999) {
        for (auto &c : cq) if (!c.want.empty()) printf("CQ %u: %zu left, written %u, posted %u\n", c.id, c.want.size(), c.written, c.posted);
        FAIL("does not come to rest: idle %u, sources %zu %zu, arms %zu, accesses %zu %zu, unacked %zu, events %zu", d.idle_o, src[0].q.size(),
             src[1].q.size(), arm.q.size(), acc.q.size(), acc_wait.size(), unacked.size(), events.size());
      }
      b.progress();
    }
  };

  d.cq_valid_i = d.arm_valid_i = d.acc_valid_i = 0;
  tb::clear(d.ctx_i);
  tb::clear(d.wr_cnt_i);
  d.dbr_i = d.tpt_rsp_valid_i = 0;
  d.base_i = ICM_BASE;
  d.limit_i = 5000;
  d.now_i = 1000;
  d.cycles_per_us_i = PER_US;
  b.reset();

  // As resize_cq does it, while the host keeps its hands off the CQ.
  auto swap_ring = [&](unsigned i, unsigned log, uint32_t ci, bool loose) {
    Cq &c = cq[i];
    c.nx.busy = true; c.nx.gone = false; c.nx.loose = loose;
    c.nx.mtt = rng.chance(50); c.nx.log = log; c.nx.buf = ring_at(fresh++, c.nx.mtt);
    map_ring(i, c.nx.buf, c.nx.mtt, log, c.gen + 1);
    acc.push({c.id, OHCA_ACC_CQ_BUF, false, uint32_t(c.nx.buf), ~0u});
    acc.push({c.id, OHCA_ACC_CQ_BUF_HI, false, uint32_t(c.nx.buf >> 32), ~0u});
    acc.push({c.id, OHCA_ACC_CQ_RING, false, (ci & 0xffffff) | log << 24 | c.nx.mtt << 29, ~0u});
  };

  // ---- 1: many CQs, a host that behaves
  auto traffic = [&](uint64_t n) {
    for (uint64_t k = 0; k < n; k++) {
      if (k % 1000 == 0) { rd_lat_max = unsigned(rng.range(4, 150)); cnt.lat_max = unsigned(rng.range(2, 80)); }
      post(60);
      for (int h = 0; h < 6; h++) host(true);
      if (acc.q.size() < 1 && !focus && rng.chance(2)) {
        // Masked writes go to what is reserved: bits of dword 7, which are kept, and those from KEPT on, which are not.
        Acc a{cq[rng.below(NCQ)].id, uint8_t(rng.range(KEPT, 15)), rng.chance(30), uint32_t(rng.next()), uint32_t(rng.next())};
        if (rng.chance(60)) { a.dw = 7; a.wmask &= 0xfc000000u; }
        if (rng.chance(30)) { a.dw = uint8_t(rng.below(KEPT)); a.wmask = 0; }
        if (rng.chance(10)) { a.dw = uint8_t(rng.range(16, 31)); if (a.dw == OHCA_ACC_CQ_RING || (a.dw == OHCA_ACC_CQ_MOD && !TB_COMPACT)) a.wmask = 0; }
        if (rng.chance(10)) a.num = uint32_t(rng.range(4096, 8000));
        acc.push(a);
      }
      if (!TB_COMPACT && acc.q.empty() && acc_wait.empty() && rng.chance(2)) {
        Cq c = cq[rng.below(focus ? focus : NCQ)];
        moderation(c);
        if (rng.chance(20)) c.more = 0;
        acc.push({c.id, OHCA_ACC_CQ_MOD, false, c.more | c.period << 16, ~0u});
      }
      if (acc.q.empty() && acc_wait.empty() && rng.chance(TB_COMPACT || !focus ? 1 : 10)) {
        unsigned i = unsigned(rng.below(focus ? focus : NCQ)), log = unsigned(rng.range(0, 6));
        Cq &c = cq[i];
        // just as many as are unread, or fewer
        if (c.written > c.ci && rng.chance(50)) for (log = 0; log < 6 && c.written - c.ci >= 2u << log;) log++;
        // What is unread and what is posted both fit, or what is unread does not; between these the outcome is open,
        // and software that posts so much overruns.
        bool fits = c.posted - c.ci < 1u << log, full = c.written - c.ci >= 1u << log;
        if (!c.dead && !c.bad && !c.greedy && (fits || full)) {
          bool loose = fits && c.posted - c.dbr_ci < 1u << log && rng.chance(20);
          uint32_t ci = c.pi0 + c.ci;
          swap_ring(i, log, !loose ? ci : rng.chance(50) ? uint32_t(rng.next()) : ci - uint32_t(rng.below(10)), loose);
        }
      }
      if (arm.q.size() < 3 && rng.chance(1)) {
        Cq &c = cq[rng.below(NCQ)];
        arm.push({rng.chance(50) ? c.id : uint32_t(rng.range(4096, 9000)), uint16_t(c.uar ^ 1u << rng.below(16)), false, uint32_t(rng.bits(24))});   // not its page
      }
      if (arm.q.size() < 3 && rng.chance(2)) {
        Cq &c = cq[rng.below(NCQ)];                       // from its page, but with an index that cannot be
        if (c.never_arms) arm.push({c.id, c.uar, rng.chance(30), rng.chance(50) ? uint32_t(rng.bits(24)) : (c.pi0 + c.written + 64 + uint32_t(rng.below(4))) & 0xffffff, uint32_t(rng.bits(7))});
      }
      b.cycle(drive, sample);
    }
  };
  traffic(b.cycles);
  focus = 4;
  traffic(b.cycles);
  focus = 0;
  settle(true);
  auto check_all = [&] {
    for (auto &c : cq) {
      if (c.greedy || c.bad || c.dead) continue;
      CHECK_EQ(c.written, c.posted, "CQEs written");
      while (visible(c) && c.never_arms) { c.ci++; }
      if (c.never_arms) { c.dbr_ci = c.ci; put32(c.dbr, (c.pi0 + c.ci) & 0xffffff); }
      // CQEs that must have woken the host; the first that it has not seen
      uint32_t last = 0, first = c.written;
      for (uint32_t k = 0; k < c.written; k++) if (!c.sol_only || c.sols[k]) { last = k + 1; if (k >= c.ci) first = std::min(first, k); }
      // not so many yet, room, and no timer
      if (c.more && !c.period && c.written - first <= c.more && c.written - c.ci + 1 < c.size()) continue;
      CHECK(c.ci >= last, "lost wake-up: CQ %u has consumed %u, should have seen %u", c.id, c.ci, last);
    }
    CHECK_EQ(bad_seen, bad_pages, "db_bad_page");
    CHECK_EQ(over_seen, over_want, "cq_overflow");
  };
  check_all();
  printf("# %llu CQEs, %llu events, %llu accesses, doorbell record read %llu times\n", (unsigned long long)total, (unsigned long long)ev_n,
         (unsigned long long)acc_n, (unsigned long long)dbr_reads);
  printf("# %u rings exchanged, %u larger and %u not, %u refused, %u unread CQEs went along\n", swaps, grown, shrunk, refused, moved);
  GOAL(grown > 3 && shrunk > 2 && refused > 2 && moved > (TB_COMPACT ? 2 : 30));
  GOAL(total > b.cycles / (TB_COMPACT ? 600 : 100) && ev_n > (TB_COMPACT ? 25 : 50) && dbr_reads > (TB_COMPACT ? 5 : 10) && acc_n > 20);
  for (auto &c : cq) CHECK_EQ(c.errors, 0, "errors");

  // ---- 2: overflow and failing translations, while the others go on undisturbed
  for (unsigned k = 0; k < 6; k++) {
    Cq &c = cq[10 + k];
    if (k < 3) c.greedy = true;
    else if (c.mtt) c.bad = true;
    else continue;
    c.sleeping = true;
    c.dbr_ci = c.ci;
    put32(c.dbr, (c.pi0 + c.ci) & 0xffffff);
    for (uint32_t n = 0; n < c.size() + 12; n++) { Req r = random_req(c); src[n & 1].push(r); }
  }
  uint64_t over0 = over_seen;
  traffic(3000);
  settle(true);
  uint64_t dropped = 0;
  for (auto &c : cq) {
    if (!c.greedy && !c.bad) continue;
    if (c.greedy) {
      CHECK_EQ(c.written - c.dbr_ci, c.size(), "a full ring is filled to the last entry");
      CHECK_EQ(c.errors, 1, "error events of an overflow");
      dropped += c.want.size();
    } else {
      CHECK(c.errors >= 1, "error event of a failing translation");
      CHECK(c.errors <= TB_IN_FLIGHT + 16 + 4u, "too many of them");
      // not counted: those in the back end when it was found
      dropped += c.want.size() - c.errors + c.dropped;
    }
    for (auto &r : c.want) if (r.status != OHCA_WC_STATUS_WR_FLUSH) lost_want[r.qpn]++;
    c.want.clear();
    c.dead = true;
  }
  over_want += dropped;
  CHECK(over_seen > over0, "nothing was dropped");
  // IBA 11.6.3: who loses a completion is in error.
  for (auto &l : lost_want) CHECK(lost_seen.count(l.first), "QP %x lost a completion and was not named", l.first);
  for (auto &l : lost_seen) CHECK(lost_want.count(l.first), "QP %x lost nothing", l.first);
  check_all();

  // ---- 3: arming, one thing at a time
  if (!TB_COMPACT) {
    for (auto &c : cq) if (!c.dead) acc.push({c.id, OHCA_ACC_CQ_MOD, false, 0, ~0u});
    settle(false);
  }
  steady = true;
  Cq *p = nullptr;
  for (auto &c : cq) if (!c.dead && !c.mtt && c.log >= 3) p = &c;
  Cq *p2 = nullptr;
  for (auto &c : cq) if (!c.dead && c.log >= 3 && &c != p) p2 = &c;
  for (Cq *c : {p, p2}) {
    if (!c) continue;
    for (auto &o : cq) o.sleeping = true;                // the host sleeps; this is by hand
    auto step = [&] { settle(false); };
    auto send = [&](bool sol, unsigned status) { Req r = random_req(*c); r.sol = sol; r.status = uint8_t(status); c->posted++; src[0].push(r); };
    auto ring = [&](bool sol, uint32_t ci, uint32_t seen = 0) { arm.push({c->id, c->uar, sol, (c->pi0 + ci) & 0xffffff, seen}); };
    auto eat = [&] { c->ci = c->dbr_ci = c->written; put32(c->dbr, (c->pi0 + c->ci) & 0xffffff); };
    while (visible(*c)) c->ci++;
    eat();
    ring(false, c->ci); step();                          // whatever an earlier arm left is used up by this
    send(true, 0); step(); eat();
    unsigned e = c->events;
    ring(false, c->ci); step();
    CHECK_EQ(c->events, e, "armed on an empty CQ");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 1, "event of the next CQE");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 1, "only one event");
    ring(false, c->ci); step();
    CHECK_EQ(c->events, e + 2, "armed with CQEs pending");
    ring(false, c->ci, 2); step();
    CHECK_EQ(c->events, e + 2, "armed with CQEs pending that the host knows");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 3, "the next one after those");
    for (unsigned k = 0; k < 20; k++) ring(false, c->ci, 2);
    step();
    CHECK_EQ(c->events, e + 3, "armed with one pending that the last event was for");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 4, "the next one after that");
    send(false, 0); step();
    ring(false, c->ci, 4); step();
    CHECK_EQ(c->events, e + 5, "armed with one pending that the host does not know");
    ring(false, c->ci, 127); step();
    CHECK_EQ(c->events, e + 5, "more seen than there are");
    send(true, 0); step();
    CHECK_EQ(c->events, e + 6, "the next one after that");
    ring(true, c->ci, 6); step();
    send(false, 0); step();
    ring(true, c->ci, 6); step();
    CHECK_EQ(c->events, e + 6, "armed with a solicited CQE pending that the host knows");
    ring(true, c->ci, 5); step();
    CHECK_EQ(c->events, e + 7, "armed with a solicited CQE pending that it does not know");
    eat();
    send(false, 0); step();
    ring(false, c->ci, 127); step();
    CHECK_EQ(c->events, e + 7, "more seen than there are, and no event is owed");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 8, "the next one after that");
    e += 6;
    eat();
    for (unsigned k = 1; k < 20; k++) ring(k % 2, c->ci + (k < 10 ? k : k * 0x10001u), k % 3);
    step();
    CHECK_EQ(c->events, e + 2, "armed on an empty CQ with indices that cannot be");
    send(false, 0); step();
    CHECK_EQ(c->events, e + 3, "they arm it nonetheless");
    send(false, 0); step();
    eat();
    e += 1;
    ring(true, c->ci); step();
    send(false, 0); step();
    CHECK_EQ(c->events, e + 2, "solicited only");
    send(true, 0); step();
    CHECK_EQ(c->events, e + 3, "solicited CQE");
    send(false, 0); step();
    ring(true, c->ci); step();
    CHECK_EQ(c->events, e + 4, "armed with a solicited CQE pending");
    ring(true, c->ci - 1); step();
    CHECK_EQ(c->events, e + 4, "an older index");
    send(false, 0); step();
    ring(true, c->ci - 1); step();
    CHECK_EQ(c->events, e + 5, "an older index, and a CQE since the last event");
    e += 1;
    eat();
    send(false, 0); step();
    ring(true, c->ci); step();
    CHECK_EQ(c->events, e + 4, "armed with an ordinary CQE pending");
    send(false, 5); step();
    CHECK_EQ(c->events, e + 5, "an error counts as solicited");
    eat();
  }

  // Moderation, likewise.
  Cq *c = nullptr;
  auto wait = [&](unsigned us) { for (unsigned k = 0; k < us * PER_US; k++) { events.clear(); b.cycle(drive, sample); b.progress(); } };
  auto send = [&](bool sol, unsigned status, unsigned n = 1) {
    for (; n; n--) { Req r = random_req(*c); r.sol = sol; r.status = uint8_t(status); c->posted++; src[0].push(r); }
    settle(false);
  };
  auto ring = [&](bool sol, uint32_t ci, uint32_t seen = 0) {
    arm.push({c->id, c->uar, sol, (c->pi0 + ci) & 0xffffff, seen});
    settle(false);
  };
  auto eat = [&] { c->ci = c->dbr_ci = c->written; put32(c->dbr, (c->pi0 + c->ci) & 0xffffff); };
  auto moderate = [&](uint32_t count, uint32_t us) {
    acc.push({c->id, OHCA_ACC_CQ_MOD, false, (count ? count - 1 : 0xffff) | us << 16, ~0u});
    settle(false);
  };
  const unsigned LATE = 600;                             // us: a walk of the timers, and what was under way
  if (!TB_COMPACT) for (auto &o : cq) o.sleeping = true;
  for (Cq *x : {p, p2}) {
    if (!x || TB_COMPACT) continue;
    c = x;
    eat(); moderate(1, 0); ring(false, c->ci); send(false, 0); eat();
    unsigned e = c->events;
    moderate(4, 0); ring(false, c->ci);
    for (int k = 0; k < 3; k++) send(false, 0);
    CHECK_EQ(c->events, e, "three of four");
    wait(LATE); CHECK_EQ(c->events, e, "and no timer");
    send(false, 0); CHECK_EQ(c->events, e + 1, "the fourth");
    eat(); send(false, 0); send(false, 0); ring(false, c->ci); send(false, 0);
    CHECK_EQ(c->events, e + 1, "three, two of them before the arm");
    send(false, 0); CHECK_EQ(c->events, e + 2, "four, two of them before the arm");
    eat(); for (int k = 0; k < 4; k++) send(false, 0);
    ring(false, c->ci); CHECK_EQ(c->events, e + 3, "four before the arm");
    eat(); for (int k = 0; k < 4; k++) send(false, 0);
    ring(false, c->ci, 1); CHECK_EQ(c->events, e + 3, "four before the arm, one seen");
    send(false, 0); CHECK_EQ(c->events, e + 4, "and another");
    eat(); ring(false, c->ci); send(false, 5); CHECK_EQ(c->events, e + 5, "one in error");
    eat(); ring(false, c->ci); send(false, 0); send(false, 5); CHECK_EQ(c->events, e + 6, "the second in error");
    eat(); ring(false, c->ci); send(false, 0); CHECK_EQ(c->events, e + 6, "one waits");
    moderate(2, 1000); CHECK_EQ(c->events, e + 7, "moderation changes while one waits");
    eat(); ring(false, c->ci); send(false, 0); send(false, 0); CHECK_EQ(c->events, e + 8, "count before period");
    eat(); ring(false, c->ci); send(false, 0); wait(700); CHECK_EQ(c->events, e + 8, "before its time");
    wait(300 + LATE); CHECK_EQ(c->events, e + 9, "at its time");
    wait(2000); CHECK_EQ(c->events, e + 9, "once");
    eat(); moderate(0, 1000); ring(false, c->ci);
    for (int k = 0; k < 5; k++) send(false, 0);
    CHECK_EQ(c->events, e + 9, "period alone");
    wait(1000 + LATE); CHECK_EQ(c->events, e + 10, "its time");
    eat(); ring(false, c->ci); send(false, 0); eat(); ring(false, c->ci); wait(1000 + LATE); CHECK_EQ(c->events, e + 11, "another arm while one waits");
    send(false, 0); CHECK_EQ(c->events, e + 11, "which stays");
    wait(1000 + LATE); CHECK_EQ(c->events, e + 12, "and has its own event");
    eat(); ring(false, c->ci); send(false, 0); ring(false, c->ci, 1); send(false, 0); wait(1000 + LATE); CHECK_EQ(c->events, e + 13, "one for both");
    send(false, 0); wait(1000 + LATE); CHECK_EQ(c->events, e + 13, "which has used up both");
    eat(); ring(true, c->ci); send(false, 0); wait(1000 + LATE); CHECK_EQ(c->events, e + 13, "solicited only");
    send(true, 0); CHECK_EQ(c->events, e + 13, "a solicited one waits, too");
    wait(1000 + LATE); CHECK_EQ(c->events, e + 14, "for its time");
    eat(); send(false, 0); ring(false, c->ci + 5); CHECK_EQ(c->events, e + 15, "an index that cannot be, at once");
    // A timer of an event that has been sent long ago does nothing to a later one.
    eat(); moderate(2, 1000); ring(false, c->ci); send(false, 0); wait(300); send(false, 0); CHECK_EQ(c->events, e + 16, "count");
    eat(); moderate(4, 0); ring(false, c->ci); send(false, 0); wait(1000 + LATE); CHECK_EQ(c->events, e + 16, "of an earlier one");
    moderate(1, 0); CHECK_EQ(c->events, e + 17, "no more moderation");
    eat(); ring(false, c->ci); send(false, 0); CHECK_EQ(c->events, e + 18, "as without");
    eat();
    // A count that the ring cannot reach, as entries that the host knew of are unread: due when it holds as many as
    // software may have in it.
    const uint32_t all = c->size() - 1;
    moderate(4, 0); e = c->events;
    send(false, 0, all - 2); ring(false, c->ci, all - 2); send(false, 0); CHECK_EQ(c->events, e, "one of four, room for one more");
    send(false, 0); CHECK_EQ(c->events, e + 1, "two of four, and the ring is full");
    eat(); send(false, 0, all - 1); ring(false, c->ci, all - 1); send(false, 0); CHECK_EQ(c->events, e + 2, "the first fills the ring");
    eat(); send(false, 0, all); ring(false, c->ci, all - 1); CHECK_EQ(c->events, e + 3, "armed with a full ring, one not seen");
    eat(); send(false, 0, all); ring(false, c->ci, all); CHECK_EQ(c->events, e + 3, "armed with a full ring, all seen");
    eat(); ring(false, c->ci); send(false, 0, 4); CHECK_EQ(c->events, e + 4, "which is read, and four come");
    eat(); send(false, 0, all - 3); ring(true, c->ci, all - 3);
    send(true, 0); send(false, 0); CHECK_EQ(c->events, e + 4, "two of four, the first solicited");
    send(false, 0); CHECK_EQ(c->events, e + 5, "three of four, and the ring is full");
    eat(); send(false, 0, all - 2); ring(true, c->ci, all - 2); send(false, 0);
    send(true, 0); CHECK_EQ(c->events, e + 6, "the first solicited one fills the ring");
    eat(); send(true, 0, all); ring(true, c->ci, all - 1); CHECK_EQ(c->events, e + 7, "armed for solicited ones with a full ring");
    eat(); moderate(0, 5000); ring(false, c->ci); send(false, 0, all - 1); CHECK_EQ(c->events, e + 7, "a period, room for one more");
    send(false, 0); CHECK_EQ(c->events, e + 8, "the ring is full before the period ends");
    // Another ring: what waits is sent, as the count may be none that it reaches.
    eat(); moderate(4, 0); ring(false, c->ci); send(false, 0, 3); CHECK_EQ(c->events, e + 8, "three of four");
    swap_ring(unsigned(c - &cq[0]), 2, c->pi0 + c->ci, false); settle(false); CHECK_EQ(c->size(), 4, "a ring that is full with them");
    CHECK_EQ(c->events, e + 9, "is told of");
    eat(); moderate(1, 0);
    swap_ring(unsigned(c - &cq[0]), 3, c->pi0 + c->ci, false); settle(false);
  }

  // What is there is told of though the completion that was waited for cannot be written, or one before it.
  unsigned ends = 0;
  for (auto &o : cq) {
    if (TB_COMPACT || o.dead || o.greedy || o.log < 3 || &o == p || &o == p2) continue;
    if (ends < 2 && !o.mtt) continue;
    c = &o;
    eat(); ring(false, c->ci); send(false, 0); eat();
    unsigned e = c->events, errors = c->errors;
    const uint32_t all = c->size() - 1;
    if (ends < 2) {
      moderate(4 + ends, 0); ring(false, c->ci); send(false, 0, 3);
      c->bad = true;
      send(false, 0); wait(LATE);
      CHECK_EQ(c->written - c->ci, 3, "CQEs that are there");
    } else {                                             // or has no room
      moderate(4, 0); send(false, 0, all - 2); ring(false, c->ci, all - 2);
      c->greedy = true;
      send(false, 0, 4); wait(LATE);
      CHECK_EQ(c->written - c->ci, all + 1, "CQEs that are there");
    }
    CHECK_EQ(c->errors, errors + 1, "error event");
    CHECK(c->events == e + 1, "event of those that are there (%u): %u", ends, c->events - e);
    c->dead = true;
    if (++ends == 3) break;
  }
  GOAL(TB_COMPACT || ends == 3);

  // A parked completion delays nobody else: one CQ's doorbell record takes 2000 cycles, another goes on from the cache.
  // (Compact: all wait for it.)
  auto set_of = [](uint32_t id) {                        // as in ohca_ctx: both must fit the cache
    unsigned w = 0, v = 0;
    while (1u << w < TB_SETS) w++;
    for (unsigned i = 0; i < 24; i++) v ^= (id >> i & 1) << (i % w);
    return v;
  };
  Cq *one = nullptr;
  for (auto &c : cq) if (!c.dead && c.log == 0 && p && set_of(c.id) != set_of(p->id)) one = &c;
  if (one && p && !TB_COMPACT) {
    auto consume = [&](Cq &c) { c.ci = c.dbr_ci = c.written; put32(c.dbr, (c.pi0 + c.ci) & 0xffffff); };
    auto send = [&](Cq &c, unsigned n) { while (n--) { c.posted++; src[0].push(random_req(c)); } };
    consume(*one);
    consume(*p);
    arm.push({one->id, one->uar, false, (one->pi0 + one->ci) & 0xffffff});   // tells the device the consumer index
    settle(false);
    send(*one, 1);
    settle(false);
    consume(*one);
    arm.push({p->id, p->uar, false, (p->pi0 + p->ci) & 0xffffff});           // brings p into the cache
    settle(false);
    dbr_lat = 2000;
    uint32_t w1 = one->written, wp = p->written;
    send(*one, 1);
    for (int k = 0; k < 400; k++) b.cycle(drive, sample);
    send(*p, p->size());
    for (int k = 0; k < 1000 && p->written < wp + p->size(); k++) b.cycle(drive, sample);
    CHECK_EQ(p->written, wp + p->size(), "CQEs beside a parked one");
    CHECK_EQ(one->written, w1, "still parked");
    // A fence: the answer to a write of dword 0 comes behind the parked one, when that is acknowledged.
    acc.push({one->id, 0, false, one->mtt ? 2u : 0u, 2u});
    for (int k = 0; k < 6000 && (!acc.done() || !acc_wait.empty()); k++) {
      b.cycle(drive, sample);
      if (acc.done() && acc_wait.empty()) break;
    }
    CHECK(acc.done() && acc_wait.empty(), "the fence has no answer");
    CHECK_EQ(one->written, w1 + 1, "a fence is answered before a parked completion");
    CHECK(unacked.empty(), "a fence is answered before its CQE is acknowledged");
    settle(false);
    CHECK_EQ(one->written, w1 + 1, "the parked one comes");
    // And behind a record that is read ahead: what is destroyed is not read any more.
    auto reads_p = [&] { return std::any_of(rds.begin(), rds.end(), [&](const Rd &r) { return r.dbr && r.addr == p->dbr; }); };
    consume(*p);
    arm.push({p->id, p->uar, false, (p->pi0 + p->ci) & 0xffffff});
    settle(false);
    send(*p, p->size());
    for (int k = 0; k < 1000 && (p->written < p->posted || !reads_p()); k++) b.cycle(drive, sample);
    CHECK(reads_p(), "the record is not read ahead");
    acc.push({p->id, 0, false, p->mtt ? 2u : 0u, 2u});
    for (int k = 0; k < 6000; k++) {
      b.cycle(drive, sample);
      if (acc.done() && acc_wait.empty()) break;
    }
    CHECK(acc.done() && acc_wait.empty(), "the fence has no answer");
    CHECK(!reads_p(), "a fence is answered before a read of its CQ");
    settle(false);
    consume(*p);
    dbr_lat = 0;
  }

  // And behind what waits at the door when it comes.
  for (unsigned round = 0; p && round < 20; round++) {
    for (tb::Pace *x : {&src[0].pace, &src[1].pace, &acc.pace}) x->always(1);
    p->ci = p->dbr_ci = p->written;
    put32(p->dbr, (p->pi0 + p->ci) & 0xffffff);
    for (int k = 0; k < 20; k++) b.cycle(drive, sample);
    for (unsigned k = 0; k < 3; k++) { p->posted++; src[k & 1].push(random_req(*p)); }
    b.cycle(drive, sample);
    acc.push({p->id, 0, false, 1u, 1u});
    for (int k = 0; k < 6000; k++) {
      b.cycle(drive, sample);
      if (acc.done() && acc_wait.empty()) break;
    }
    CHECK(acc.done() && acc_wait.empty(), "the fence has no answer");
    CHECK_EQ(p->written, p->posted, "a fence is answered before completions that waited");
    CHECK(unacked.empty(), "a fence is answered before its CQEs are acknowledged");
    settle(false);
    for (tb::Pace *x : {&src[0].pace, &src[1].pace, &acc.pace}) x->always(-1);
  }

  // A CQ in error takes no other ring, and one that is not there neither.
  for (auto &c : cq) if (c.greedy) { swap_ring(unsigned(&c - &cq[0]), 6, c.pi0 + c.written, false); c.nx.busy = false; settle(false); break; }
  acc.push({4090, OHCA_ACC_CQ_RING, false, 5u << 24, ~0u});
  settle(false);

  // ---- 4: written back, contexts in memory say the same
  for (unsigned i = 0; i < NCQ; i++) { acc.push({cq[i].id, 5, true, 0, 0}); }
  settle(false);
  for (auto &c : cq) {
    if (c.bad || c.greedy) continue;
    uint64_t m = ICM_HOST + 64 * c.id;
    CHECK_EQ(get32(m + 20) & 0xffffff, (c.pi0 + c.written) & 0xffffff, "pi in memory");
    CHECK_EQ(get32(m + 20) >> 24 | (get32(m + 24) >> 24 << 8), c.base & 0xffff, "base in memory");
    CHECK_EQ(get32(m + 4) | uint64_t(get32(m + 8)) << 32, c.buf | c.uar >> 11, "ring in memory");
    CHECK_EQ(get32(m) & 0x1f02, c.log << 8 | c.mtt << 1, "its size in memory");
    CHECK_EQ(get32(ICM_HOST + 64 * c.id) & 0x11, 1, "valid, no error");
    CHECK_EQ(get32(ICM_HOST + 64 * c.id + 28) & 0xfc000000u, scratch[index[c.id]], "dword 7 in memory");
    for (int k = KEPT; k < 16; k++) CHECK_EQ(get32(ICM_HOST + 64 * c.id + 4 * k), 0, "dwords in memory");
  }
  for (auto &c : cq) if (c.greedy) CHECK_EQ(get32(ICM_HOST + 64 * c.id) >> 4 & 1, 1, "err in memory");

  // ---- 5: rate on hits: a ring of 64, consumed at once, without and with translation; one of 512 whose record takes 200
  // cycles to read, of a host that keeps up, and of one that comes when it is full for the first time and keeps up then.
  for (tb::Pace *x : {&ctx_wr.req_pace, &ctx_wr.dat_pace, &cqe_wr.req_pace, &cqe_wr.dat_pace, &src[0].pace, &src[1].pace, &ev.pace, &icm_pace, &rd_pace, &tpt_pace, &rsp_pace}) x->always(1);
  rd_lat_max = 20;
  cqe_wr.lag = TB_COMPACT ? 0 : 5;                       // as in ohca_dma_wr
  double per[4] = {0, 0, 0, 0};
  for (int kind = 0; kind < (TB_COMPACT ? 2 : 4); kind++) {
    acc.push({cq[0].id, 5, true, 0, 0});
    settle(false);
    const unsigned log = kind < 2 ? 6 : 9, size = 1u << log;
    setup(0, cq[0].id, kind == 1, log);
    Cq &c = cq[0];
    if (kind >= 2) dbr_lat = 200;
    uint64_t start = 0, first = 0, n = kind < 2 ? 600 : 3600, from = kind == 3 ? 1000 : 100;
    for (uint64_t k = 0; k < 40000 && c.written < n; k++) {
      for (auto &s : src) if (s.q.size() < 3 && c.posted < n && c.posted - c.dbr_ci < size) { c.posted++; s.push(random_req(c)); }
      // the ring never looks full: an arm would tell, here the record does
      if (kind < 3 || c.written >= size) c.ci = c.dbr_ci = c.written;
      put32(c.dbr, (c.pi0 + c.ci) & 0xffffff);
      if (!start && c.written >= from) { start = b.now(); first = c.written; }
      b.cycle(drive, sample);
    }
    CHECK_EQ(c.written, n, "CQEs");
    per[kind] = double(b.now() - start) / double(n - first);
    settle(false);
  }
  printf("# %.2f cycles a CQE, %.2f with translation, %.2f and %.2f with records that are far\n", per[0], per[1], per[2], per[3]);
  const double most = TB_DW >= 256 ? 1.7 : 256.0 / TB_DW + 0.2;
  CHECK(per[0] < (TB_COMPACT ? 14.5 : most) && per[1] < (TB_COMPACT ? 20 : most), "%.2f %.2f", per[0], per[1]);
  CHECK(per[2] < most && per[3] < most + 0.2, "%.2f %.2f with records that are far", per[2], per[3]);
  return b.finish();
}
