// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The network interface against a driver and a wire: frames by scapy, then random ones in random pieces, with bad descriptors, host errors, bad and
// too long frames, too few buffers, and the interface switched off and on under traffic.
// dut: ohca_nic DataWidth=64
// dut: ohca_nic DataWidth=128
// dut: ohca_nic DataWidth=512
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"

#include <algorithm>

#include "nic_vectors.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

using Bytes = std::vector<uint8_t>;
static constexpr unsigned kBus = TB_DATA_WIDTH / 8;
static constexpr uint64_t kBase = 0x7f1200000000ull, kSize = 8u << 20;
static constexpr uint64_t kTx = kBase, kRx = kBase + 0x10000, kCq = kBase + 0x20000, kTxBuf = kBase + 0x100000, kRxBuf = kBase + 0x500000;
static constexpr unsigned kSlot = 16384;

static Bytes unhex(const std::string &h) {
  Bytes b;
  for (size_t i = 0; i < h.size(); i += 2) b.push_back(uint8_t(std::stoul(h.substr(i, 2), nullptr, 16)));
  return b;
}
// Plain and slow, on purpose unlike the hardware's: big-endian words, carry at once.
static uint16_t inet_sum(const Bytes &f, size_t from) {
  uint32_t s = 0;
  for (size_t i = from; i < f.size(); i += 2) {
    s += uint32_t(f[i]) << 8 | (i + 1 < f.size() ? f[i + 1] : 0);
    if (s > 0xffff) s -= 0xffff;
  }
  return uint16_t(s);
}
static bool same_sum(uint16_t a, uint16_t b) { return a == b || (a % 0xffff == 0 && b % 0xffff == 0); }

struct Test {
  tb::Bench<Vdut> b;
  tb::Rng &r;
  Bytes mem;
  Test(int c, char **v) : b(c, v, 120), r(b.rng), mem(kSize), out(&r, "wire"), in_pace(&r), rd_pace(&r), wr_pace(&r), dat_pace(&r) { b.stuck_after = 60000; }

  // ---------------------------------------------------------------------------------------------- host memory
  struct Rd { unsigned who; uint64_t addr, at; unsigned len, done; };
  std::deque<Rd> rd;
  struct Wr { uint64_t addr; unsigned len, done; };
  std::deque<Wr> wr;
  std::deque<uint64_t> ack;
  uint32_t issued = 0, acked = 0;
  unsigned lat_lo = 5, lat_hi = 150, stall = 0;
  bool slow = false;                                       // the host takes nothing for a while
  uint64_t err_lo = 0, err_hi = 0;                         // reads from here fail
  bool ev_ready = false, frozen = false;                   // frozen: no access to memory may be seen
  uint64_t bad_db = 0, full = 0, nobuf = 0, toolong = 0, badf = 0;

  uint8_t *at(uint64_t a, size_t n) {
    if (a < kBase || a + n > kBase + kSize) FAIL("host address %llx + %zu", (unsigned long long)a, n);
    return &mem[a - kBase];
  }

  // ---------------------------------------------------------------------------------------------- rings
  unsigned log_tx = 4, log_rx = 4, log_cq = 5;
  uint16_t tx_pi = 0, tx_ci = 0, rx_pi = 0, rx_next = 0;
  uint32_t cq_ci = 0;
  struct TxF { Bytes want; bool err; uint16_t last; bool cqe; };
  std::deque<TxF> tx_open;                                  // posted, completion to come
  std::deque<Bytes> tx_want;                                // to leave
  struct RxB { uint64_t addr; unsigned len; };
  std::deque<RxB> rx_posted;
  uint64_t sent = 0, received = 0, reported = 0, events = 0;
  unsigned mod_time = 0, mod_count = 0;
  bool armed = false, asleep = false;
  uint64_t armed_at = 0;
  uint32_t armed_ci = 0;
  std::deque<std::pair<int, uint16_t>> db;

  // ---------------------------------------------------------------------------------------------- frames to receive
  struct In { Bytes f; bool err; bool may_drop; };
  std::deque<In> in_q;                                      // on the wire
  size_t in_pos = 0;
  std::deque<In> in_wait;                                   // good ones that went in
  uint64_t in_good = 0, in_bad = 0, in_long = 0, in_lost = 0;
  bool lossless = false;

  struct Beat { uint8_t d[kBus]; uint64_t keep, last; };
  tb::Sink<Beat> out;
  tb::Pace in_pace, rd_pace, wr_pace, dat_pace;
  Bytes out_f;
  bool wr_go = false, in_go = false, dat_go = false, rsp_go = false;
  unsigned rd_go = 0;
  struct Mg { bool we; unsigned addr; uint32_t data; };
  std::deque<Mg> mg;
  uint32_t mg_data = 0;
  bool mg_read_q = false;
  uint64_t reads_done = 0;

  void reg(unsigned off, uint32_t v) { mg.push_back({true, off / 4, v}); }

  void drive() {
    auto *d = b.dut.get();
    d->now_i = b.now();
    d->wire_en_i = 1;
    d->mg_valid_i = !mg.empty();
    if (!mg.empty()) { d->mg_we_i = mg.front().we; d->mg_addr_i = mg.front().addr; d->mg_wdata_i = mg.front().data; }
    d->db_we_i = 0;
    if (!db.empty() && mg.empty()) {
      d->db_we_i = 1 << db.front().first;
      tb::set_bits(d->db_i, 16 * db.front().first, 16, db.front().second);
    }
    rd_go = unsigned(r.bits(2)) | (rd_pace.go() ? 3 : 0);
    d->rd_ready_i = rd_go;
    rsp_go = !rd.empty() && rd.front().at <= b.now() && !r.chance(10);
    d->rd_rsp_valid_i = 0;
    if (rsp_go) {
      Rd &q = rd.front();
      uint64_t base = (q.addr & ~uint64_t(kBus - 1)) + q.done * kBus;
      uint8_t beat[kBus];
      bool bad = q.addr >= err_lo && q.addr < err_hi;
      for (unsigned i = 0; i < kBus; i++) {
        uint64_t a = base + i;
        beat[i] = a >= q.addr && a < q.addr + q.len && !bad ? *at(a, 1) : uint8_t(r.next());
      }
      d->rd_rsp_valid_i = 1 << q.who;
      tb::set_bytes(d->rd_rsp_data_i, beat, kBus);
      d->rd_rsp_err_i = bad;
      d->rd_rsp_last_i = base + kBus >= q.addr + q.len;
    }
    if (!stall && slow && r.chance(1) && r.chance(3)) stall = 3000;
    if (stall) stall--;
    wr_go = !stall && wr_pace.go() && wr.size() < 4;
    d->wr_ready_i = wr_go;
    dat_go = !wr.empty() && dat_pace.go();
    d->wr_dat_ready_i = dat_go;
    if (!ack.empty() && ack.front() <= b.now()) { ack.pop_front(); acked++; }
    d->wr_issued_i = issued;
    d->wr_acked_i = acked;
    ev_ready = r.chance(30);
    d->ev_ready_i = ev_ready;
    in_go = !in_q.empty() && (in_pos || (d->in_room_o && (!lossless || in_wait.size() < 2))) && in_pace.go();
    d->in_valid_i = in_go;
    if (in_go) {
      In &f = in_q.front();
      size_t n = std::min<size_t>(kBus, f.f.size() - in_pos);
      uint8_t beat[kBus];
      for (unsigned i = 0; i < kBus; i++) beat[i] = i < n ? f.f[in_pos + i] : uint8_t(r.next());
      tb::set_bytes(d->in_data_i, beat, kBus);
      d->in_keep_i = tb::keep_mask(unsigned(n));
      d->in_last_i = in_pos + n == f.f.size();
      d->in_err_i = in_pos + n == f.f.size() ? f.err : r.bits(1);
    }
    d->out_ready_i = out.drive();
  }

  void sample() {
    auto *d = b.dut.get();
    if (mg_read_q) { mg_data = d->mg_rdata_o; reads_done++; }
    mg_read_q = !mg.empty() && !mg.front().we;
    if (!mg.empty()) mg.pop_front();
    else if (!db.empty()) db.pop_front();
    for (unsigned i = 0; i < 2; i++) {
      if (!((d->rd_valid_o & rd_go) >> i & 1)) continue;
      unsigned at0 = OHCA_DMA_RD_REQ_BITS * i;
      Rd q{i, tb::get_bits(d->rd_o, at0 + OHCA_DMA_RD_REQ_ADDR_LSB, 64), b.now() + r.range(lat_lo, lat_hi),
           unsigned(tb::get_bits(d->rd_o, at0 + OHCA_DMA_RD_REQ_LEN_LSB, 13)), 0};
      CHECK(!frozen, "a read after the end");
      CHECK(q.len && q.addr % 4096 + q.len <= 4096, "read %llx + %u", (unsigned long long)q.addr, q.len);
      rd.push_back(q);
    }
    if (rsp_go) {
      rd.front().done++;
      if (d->rd_rsp_last_i) rd.pop_front();
      b.progress();
    }
    if (d->wr_valid_o && wr_go) {
      Wr w{FIELD(d->wr_o, OHCA_DMA_WR_REQ_ADDR), unsigned(FIELD(d->wr_o, OHCA_DMA_WR_REQ_LEN)), 0};
      CHECK(!frozen, "a write after the end");
      CHECK(w.len && w.addr % 4096 + w.len <= 4096, "write %llx + %u", (unsigned long long)w.addr, w.len);
      wr.push_back(w);
      issued++;
    }
    if (d->wr_dat_valid_o && dat_go) {
      Wr &w = wr.front();
      uint64_t base = (w.addr & ~uint64_t(kBus - 1)) + w.done * kBus;
      uint8_t beat[kBus];
      tb::get_bytes(d->wr_dat_o, beat, kBus);
      for (unsigned i = 0; i < kBus; i++) if (base + i >= w.addr && base + i < w.addr + w.len) *at(base + i, 1) = beat[i];
      w.done++;
      bool last = base + kBus >= w.addr + w.len;
      CHECK_EQ(d->wr_dat_last_o, last, "last of a write");
      if (last) {
        uint64_t when = b.now() + r.range(1, 60);
        ack.push_back(ack.empty() ? when : std::max(when, ack.back()));
        wr.pop_front();
      }
    }
    if (d->ev_valid_o && ev_ready) {
      CHECK(armed, "an event that nobody asked for");
      CHECK_EQ(FIELD(d->ev_o, OHCA_EV_REQ_ETYPE), OHCA_EQE_TYPE_NIC, "event");
      CHECK_EQ(FIELD(d->ev_o, OHCA_EV_REQ_EQN), 5, "event queue");
      unsigned unseen = unsigned(uint16_t(FIELD(d->ev_o, OHCA_EV_REQ_PARAM) - armed_ci));
      CHECK(unseen, "an event for nothing");
      if (!mod_count || unseen < mod_count) CHECK(b.now() >= armed_at + mod_time, "an event before its time");
      armed = asleep = false;
      events++;
    }
    if (in_go) {
      In &f = in_q.front();
      in_pos += kBus;
      b.progress();
      if (d->in_last_i) {
        if (f.err) in_bad++;
        else if (f.f.size() > OHCA_NIC_MAX_FRAME) in_long++;
        else { in_good++; in_wait.push_back(f); }
        in_pos = 0;
        in_q.pop_front();
      }
    }
    Beat o;
    memset(static_cast<void *>(&o), 0, sizeof o);
    tb::get_bytes(d->out_data_o, o.d, kBus);
    o.keep = d->out_keep_o;
    o.last = d->out_last_o;
    if (out.sample(d->out_valid_o, o)) {
      unsigned n = unsigned(__builtin_popcountll(o.keep));
      CHECK_EQ(o.keep, tb::keep_mask(n), "keep");
      CHECK(o.last || n == kBus, "a hole in a frame");
      out_f.insert(out_f.end(), o.d, o.d + n);
      if (o.last) {
        CHECK(!tx_want.empty(), "a frame too much, %zu bytes", out_f.size());
        Bytes w = tx_want.front();
        if (w.size() < 60) w.resize(60);
        CHECK_EQ(out_f.size(), w.size(), "length of a frame");
        for (size_t i = 0; i < w.size(); i++) if (out_f[i] != w[i]) FAIL("byte %zu of %zu is %02x, not %02x", i, w.size(), out_f[i], w[i]);
        tx_want.pop_front();
        out_f.clear();
        sent++;
      }
    }
    auto bit = [&](unsigned n) { return unsigned(d->cnt_o >> n & 1); };
    bad_db += bit(OHCA_COUNTER_DB_BAD_PAGE);
    full += bit(OHCA_COUNTER_ETH_NIC_DROP);
    nobuf += bit(OHCA_COUNTER_NIC_NO_BUF);
    toolong += bit(OHCA_COUNTER_NIC_TOO_LONG);
    badf += bit(OHCA_COUNTER_NIC_BAD);
  }
  void cycle() { b.cycle([this] { drive(); }, [this] { sample(); }); }
  void settle() { while (!mg.empty() || !db.empty()) cycle(); cycle(); }
  uint32_t read_state() {
    mg.push_back({false, OHCA_PORT_REG_NIC_STATE / 4, 0});
    uint64_t n = reads_done;
    while (reads_done == n) cycle();
    return mg_data;
  }

  // ---------------------------------------------------------------------------------------------- the driver
  void start(uint64_t tx_ring = kTx) {
    log_tx = unsigned(r.range(4, 5));
    log_rx = unsigned(r.range(4, 5));
    log_cq = 6;
    tx_pi = tx_ci = rx_pi = rx_next = 0;
    cq_ci = 0;
    armed = asleep = false;
    tx_open.clear();
    rx_posted.clear();
    memset(at(kCq, 65536), 0, 65536);
    mod_time = unsigned(r.chance(30) ? 0 : r.range(1, 400));
    mod_count = unsigned(r.chance(50) ? 0 : r.range(1, 8));
    reg(OHCA_PORT_REG_NIC_TX, uint32_t(tx_ring)); reg(OHCA_PORT_REG_NIC_TX + 4, uint32_t(tx_ring >> 32));
    reg(OHCA_PORT_REG_NIC_RX, uint32_t(kRx)); reg(OHCA_PORT_REG_NIC_RX + 4, uint32_t(kRx >> 32));
    reg(OHCA_PORT_REG_NIC_CQ, uint32_t(kCq)); reg(OHCA_PORT_REG_NIC_CQ + 4, uint32_t(kCq >> 32));
    reg(OHCA_PORT_REG_NIC_MOD, mod_count << 16 | mod_time);
    reg(OHCA_PORT_REG_NIC_CTRL, 3 | log_tx << 4 | log_rx << 8 | log_cq << 12 | 5 << 16);
    settle();
  }
  void stop() {
    while (in_pos) cycle();                                 // a frame in the middle would be half counted
    reg(OHCA_PORT_REG_NIC_CTRL, log_tx << 4 | log_rx << 8 | log_cq << 12 | 5 << 16);
    settle();
    unsigned n = 0;
    while (read_state() & 3) CHECK(n++ < 20000, "does not stop");
    CHECK(rd.empty() && wr.empty() && acked == issued, "says that it has stopped");
    frozen = true;
    for (unsigned i = 0; i < 300; i++) cycle();
    out.pace.always(1);
    for (unsigned i = 0; i < 6000; i++) cycle();            // what had been read leaves
    out.pace.always(-1);
    CHECK(out_f.empty(), "half a frame has left");
    CHECK(b->idle_o, "not idle");
    frozen = false;
    tx_want.clear();
    in_wait.clear();
  }
  unsigned tx_room() const { return (1u << log_tx) - uint16_t(tx_pi - tx_ci); }

  // A frame in pieces; how: 0 good, else what is wrong with it.
  bool post_tx(const Bytes &f, unsigned start, unsigned off, bool cs, const Bytes &want, unsigned how = 0) {
    unsigned pieces = unsigned(r.range(1, std::min<uint64_t>(4, f.size())));
    if (tx_room() < pieces + 1) return false;
    std::vector<size_t> cut{0, f.size()};
    while (cut.size() < pieces + 1) {
      size_t c = r.chance(50) ? r.range(1, std::min<size_t>(f.size() - 1, 80)) : r.range(1, f.size() - 1);
      if (std::find(cut.begin(), cut.end(), c) == cut.end()) cut.push_back(c);
      else if (f.size() <= pieces) break;
    }
    std::sort(cut.begin(), cut.end());
    unsigned np = unsigned(cut.size() - 1), ill = unsigned(r.below(np));
    bool cqe = r.chance(60) || tx_room() < 10;
    for (unsigned i = 0; i < np; i++) {
      unsigned slot = tx_pi & ((1u << log_tx) - 1), n = unsigned(cut[i + 1] - cut[i]);
      uint64_t a = kTxBuf + slot * kSlot + r.below(kSlot - n);
      memcpy(at(a, n), &f[cut[i]], n);
      uint32_t w[4] = {uint32_t(a), uint32_t(a >> 32), n, uint32_t(i + 1 == np)};
      if (!i) w[3] |= uint32_t(cs) << 1 | (start & 0xfff) << 8 | (off & 0xfff) << 20;
      else w[3] |= uint32_t(r.bits(1)) << 1 | uint32_t(r.bits(24)) << 8;          // looked at in the first only
      if (i + 1 == np) w[3] |= uint32_t(cqe) << 2; else w[3] |= uint32_t(r.bits(1)) << 2;
      if (how && i == ill) {
        if (how == 1) w[2] = 0;
        if (how == 2) w[2] |= 1u << r.range(16, 31);
        if (how == 3) w[3] |= 1u << r.range(3, 7);
        if (how == 5) { w[0] = uint32_t(err_lo); w[1] = uint32_t(err_lo >> 32); }
      }
      if (how == 4 && !i) w[3] = (w[3] & ~2u) | 2 | 1u << 8;                        // odd start
      if (how == 6 && i + 1 == np) w[2] = 9300;
      memcpy(at(kTx + slot * 16, 16), w, 16);
      tx_pi++;
    }
    tx_open.push_back({want, how != 0, uint16_t(tx_pi - 1), cqe || how});
    if (!how) tx_want.push_back(want);
    return true;
  }
  void ring_tx() { db.push_back({0, tx_pi}); }

  void post_rx(bool big) {
    while (uint16_t(rx_pi - rx_next) < (1u << log_rx)) {
      unsigned slot = rx_pi & ((1u << log_rx) - 1);
      unsigned len = big ? 9216 : unsigned(r.chance(60) ? 2048 : r.range(1, 9300));
      uint64_t a = kRxBuf + slot * kSlot + 64 * r.below((kSlot - 9344) / 64);
      memset(at(kRxBuf + slot * kSlot, kSlot), 0xa5, kSlot);
      uint64_t given = a | r.bits(6);
      uint32_t w[4] = {uint32_t(given), uint32_t(given >> 32), len, 0};
      memcpy(at(kRx + slot * 16, 16), w, 16);
      rx_posted.push_back({a, len});
      rx_pi++;
      if (r.chance(20)) break;
    }
    db.push_back({1, rx_pi});
  }

  unsigned poll() {
    unsigned n = 0;
    for (;; n++) {
      uint32_t w[4];
      memcpy(w, at(kCq + (cq_ci & ((1u << log_cq) - 1)) * 16, 16), 16);
      if ((w[3] >> 31) == (cq_ci >> log_cq & 1)) break;
      cq_ci++;
      b.progress();
      CHECK_EQ(w[3] & 0x7fffffff, 0, "reserved");
      CHECK_EQ(w[2], 0, "reserved");
      if (w[1] >> 16 & 1) {                                 // transmit
        while (!tx_open.empty() && !tx_open.front().cqe) tx_open.pop_front();
        CHECK(!tx_open.empty(), "a completion too much");
        CHECK_EQ(w[0], tx_open.front().last, "descriptor of a completion");
        CHECK_EQ(w[1] >> 17, tx_open.front().err, "error of a completion");
        tx_ci = uint16_t(w[0] + 1);
        tx_open.pop_front();
        reported++;
        continue;
      }
      CHECK_EQ(w[0] & 0xffff, rx_next, "buffer");
      rx_next++;
      RxB bf = rx_posted.front();
      rx_posted.pop_front();
      unsigned len = w[0] >> 16;
      CHECK(len && len <= bf.len, "%u bytes in a buffer of %u", len, bf.len);
      Bytes got(at(bf.addr, len), at(bf.addr, len) + len);
      CHECK_EQ(*at(bf.addr + len, 1), 0xa5, "byte behind the frame");
      // Frames may be missing, but only between others.
      while (!in_wait.empty() && in_wait.front().f != got) {
        CHECK(!lossless, "a frame is missing, or wrong");
        in_lost++;
        in_wait.pop_front();
      }
      CHECK(!in_wait.empty(), "a frame that was not sent, %u bytes", len);
      in_wait.pop_front();
      received++;
      uint16_t s = uint16_t(w[1]);
      CHECK(same_sum(uint16_t(s << 8 | s >> 8), inet_sum(got, 14)), "sum %04x, not %04x", s, inet_sum(got, 14));
    }
    return n;
  }
  void arm() {
    db.push_back({2, uint16_t(cq_ci)});
    armed = asleep = true;
    armed_at = b.now();
    armed_ci = cq_ci;
  }

  // ---------------------------------------------------------------------------------------------- scenes
  void vectors() {
    lossless = true;
    start();
    post_rx(true);
    for (auto &v : kNic) {
      Bytes given = unhex(v.hex), want = given, csum = unhex(v.csum);
      for (size_t i = 0; i < csum.size(); i++) want[v.off + i] = csum[i];
      uint16_t s = inet_sum(want, 14);
      CHECK(same_sum(uint16_t(v.sum << 8 | v.sum >> 8), s), "this test's own sum, %s", v.what);
      while (!post_tx(given, v.start, v.off, !csum.empty(), want)) { cycle(); poll(); }
      ring_tx();
      in_q.push_back({want, false, false});
      for (unsigned i = 0; i < 40; i++) { cycle(); poll(); post_rx(true); }
    }
    while (!tx_want.empty() || !in_wait.empty() || !in_q.empty()) { cycle(); poll(); if (r.chance(5)) post_rx(true); }
    CHECK_EQ(full + nobuf + toolong + badf, 0, "drops");
    CHECK_EQ(received, sizeof kNic / sizeof kNic[0], "frames received");
    stop();
    lossless = false;
  }

  Bytes frame() {
    switch (r.below(12)) {
      case 0: return r.bytes(r.range(8000, 9216));
      case 1: return r.bytes(r.range(14, 60));
      case 2: case 3: return r.bytes(r.range(1000, 2100));
      case 4: {                                            // words of all ones but the last: the sum folded once has a carry
        Bytes f(r.range(20, 300) * 2, 0xff);
        f.back() = uint8_t(r.range(1, 254));
        return f;
      }
      default: return r.bytes(r.range(14, 600));
    }
  }

  void random(uint64_t until) {
    uint64_t fails = 0, i0 = in_good, r0 = received, d0 = full + nobuf + toolong + badf, l0 = in_long + in_bad;
    err_lo = kBase + 0x700000;
    err_hi = err_lo + 0x10000;
    start();
    slow = true;
    bool want_ring = false;
    unsigned hold = 0;
    while (b.now() < until) {
      if (r.chance(10) && tx_open.size() < 20) {
        Bytes f = frame(), want = f;
        unsigned how = r.chance(8) ? unsigned(r.range(1, 6)) : 0;
        if (how == 6 && f.size() < 2) how = 1;
        bool cs = r.chance(60) && f.size() > 40;
        unsigned st = cs ? unsigned(2 * r.below(std::min<size_t>(f.size(), 4000) / 2)) : 0;
        unsigned off = cs ? unsigned(2 * r.below(std::min<size_t>(f.size() - 2, 4000) / 2)) : 0;
        if (cs) {
          uint16_t s = uint16_t(~inet_sum(f, st));
          if (!s) s = 0xffff;
          if (inet_sum(f, st) == 0) s = 0xffff;
          want[off] = uint8_t(s >> 8);
          want[off + 1] = uint8_t(s);
        }
        if (post_tx(f, st, off, cs, want, how)) { want_ring = true; fails += how != 0; }
      }
      if (want_ring && r.chance(30)) { ring_tx(); want_ring = false; }
      if (hold) hold--;
      else if (r.chance(3)) { post_rx(false); hold = unsigned(r.chance(20) ? r.range(100, 3000) : r.below(100)); }
      if (r.chance(stall ? 50 : 8) && in_q.size() < 6) {
        Bytes f = frame();
        if (r.chance(4)) f.resize(r.range(9217, 12000));
        in_q.push_back({f, r.chance(5), true});
      }
      if (r.chance(1) && r.chance(20)) db.push_back({int(r.below(2)), uint16_t(r.next() | 0x4000)});   // nonsense: more than a ring ahead
      if (!asleep) {
        if (!poll() && r.chance(30)) arm();
      }
      cycle();
      if (tx_pi & 0x4000 || rx_pi & 0x4000) break;           // else the nonsense above is none
    }
    ring_tx();
    uint64_t left = 30000;
    // A frame that is bad or too long is counted a few cycles after its end.
    auto counted = [&] {
      return in_good - i0 + (in_long + in_bad - l0) == received - r0 + (full + nobuf + toolong + badf - d0);
    };
    while (!in_q.empty() || !tx_want.empty() || !tx_open.empty() || !in_wait.empty() || !counted()) {
      CHECK(left--, "what went in does not come out: %zu to send, %zu reports, %zu on the wire, %llu of %llu frames in, %llu dropped, "
            "%llu bad or too long, state %x",
            tx_want.size(), tx_open.size(), in_q.size(), (unsigned long long)(received - r0), (unsigned long long)(in_good - i0),
            (unsigned long long)(full + nobuf + toolong + badf - d0), (unsigned long long)(in_long + in_bad - l0), read_state());
      cycle();
      if (r.chance(5)) post_rx(true);
      poll();
      while (!tx_open.empty() && !tx_open.front().cqe) tx_open.pop_front();
      // What was dropped at the end has nobody behind it.
      if (in_q.empty() && tx_want.empty() && tx_open.empty() && counted()) break;
    }
    slow = false;
    stop();
    printf("# %llu sent, %llu reported (%llu refused), %llu received, %llu full, %llu without buffer, "
           "%llu too long, %llu bad, %llu events, %llu bad doorbells\n",
           (unsigned long long)sent, (unsigned long long)reported, (unsigned long long)fails, (unsigned long long)received, (unsigned long long)full,
           (unsigned long long)nobuf, (unsigned long long)toolong, (unsigned long long)badf, (unsigned long long)events, (unsigned long long)bad_db);
  }

  void upset() {                                            // switched off at any moment
    start();
    post_rx(false);
    for (uint64_t n = r.range(1, 1500); n; n--) {
      if (r.chance(20)) { Bytes f = frame(); if (post_tx(f, 0, 0, false, f, r.chance(10) ? 6 : 0)) ring_tx(); }
      if (r.chance(10) && in_q.size() < 3) in_q.push_back({frame(), false, true});
      if (r.chance(10)) post_rx(false);
      poll();
      cycle();
    }
    in_q.resize(in_pos ? 1 : 0);
    stop();
  }

  void floods() {                                           // no buffers; then buffers that the host takes nothing for
    uint64_t n0 = nobuf, f0 = full, b0 = bad_db, r0 = received, e0 = events;
    start();
    db.push_back({0, 0x4000});                              // more than a ring ahead
    for (int i = 0; i < 3; i++) in_q.push_back({r.bytes(100), false, true});
    while (!in_q.empty()) cycle();
    for (int i = 0; i < 100; i++) cycle();
    CHECK_EQ(nobuf - n0, 3, "frames without a buffer");
    CHECK_EQ(bad_db - b0, 1, "bad doorbells");
    in_wait.clear();
    post_rx(true);
    settle();
    for (int i = 0; i < 500; i++) cycle();
    stall = 1u << 30;
    for (int i = 0; i < 12; i++) in_q.push_back({r.bytes(9000), false, true});
    while (!in_q.empty()) cycle();
    for (int i = 0; i < 20; i++) cycle();
    CHECK(full > f0, "no frame was dropped for want of room");
    stall = 0;
    arm();
    for (int i = 0; i < 20000; i++) { cycle(); if (!asleep) poll(); }
    CHECK(full - f0 + received - r0 + nobuf - n0 == 15 && received > r0, "frames are received or counted");
    CHECK(events > e0, "no event");
    stop();
  }

  // A frame is too long for its buffer, in or near the cycle in which one ends that is too long for all.
  void together() {
    unsigned lo = lat_lo, hi = lat_hi, beats = (OHCA_NIC_MAX_FRAME + kBus) / kBus;
    start();
    in_pace.always(1);
    rd_pace.always(1);
    for (unsigned k = 0; k < 40; k++) {
      uint64_t n = toolong;
      unsigned slot = rx_pi & ((1u << log_rx) - 1);
      uint64_t a = kRxBuf + slot * kSlot;
      uint32_t w[4] = {uint32_t(a), uint32_t(a >> 32), 100, 0};
      memset(at(a, kSlot), 0xa5, kSlot);
      memcpy(at(kRx + slot * 16, 16), w, 16);
      rx_posted.push_back({a, 100});
      rx_pi++;
      lat_lo = lat_hi = beats - 10 + k;                     // the descriptor comes when the second frame ends
      db.push_back({1, rx_pi});
      while (rd.empty()) cycle();
      in_q.push_back({r.bytes(101), false, true});
      in_q.push_back({r.bytes(OHCA_NIC_MAX_FRAME + 1), false, true});
      while (!in_q.empty() || !rd.empty()) cycle();
      for (int i = 0; i < 60; i++) cycle();
      CHECK_EQ(toolong - n, 2, "frames too long");
      in_wait.clear();
      in_q.push_back({r.bytes(60), false, true});           // and one that takes the buffer
      while (rx_next != rx_pi) { cycle(); poll(); }
    }
    in_pace.always(-1);
    rd_pace.always(-1);
    lat_lo = lo;
    lat_hi = hi;
    stop();
  }

  void halts() {                                            // descriptors cannot be read
    start(err_lo);
    db.push_back({0, 3});
    settle();
    unsigned n = 0;
    while (!(read_state() & 4)) CHECK(n++ < 1000, "no halt");
    Bytes f = r.bytes(100);
    lossless = true;
    post_rx(true);
    in_q.push_back({f, false, false});
    while (!in_q.empty() || !in_wait.empty()) { cycle(); poll(); }
    lossless = false;
    stop();
    CHECK_EQ(read_state() & 15, 0, "state");
    start();
    post_tx(f, 0, 0, false, f);
    ring_tx();
    while (!tx_want.empty()) { cycle(); poll(); }
    stop();
  }
};

int main(int argc, char **argv) {
  Test t(argc, argv);
  t.b->db_we_i = 0;
  t.b->mg_valid_i = 0;
  t.b->in_valid_i = 0;
  t.b->rd_rsp_valid_i = 0;
  t.b->wr_issued_i = t.b->wr_acked_i = 0;
  t.b.reset();
  t.vectors();
  t.random(t.b.now() + t.b.cycles);
  for (int i = 0; i < 12; i++) t.upset();
  t.floods();
  t.together();
  t.halts();
  t.lat_lo = 125;                                           // far away
  t.lat_hi = 125;
  t.random(t.b.now() + t.b.cycles / 2);
  return t.b.finish();
}
