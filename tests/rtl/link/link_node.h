// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// One ohca_link in a test: packets in, packets out, register bus, receive buffer reads and releases, and the C++ wire to its peer.
#ifndef OHCA_LINK_NODE_H
#define OHCA_LINK_NODE_H

#include "Vdut.h"
#include <map>
#include "ibpkt.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
#ifndef TB_FRONT_BYTES
#define TB_FRONT_BYTES 131072
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
static constexpr unsigned kB = TB_DATA_WIDTH / 8;
static constexpr unsigned kVl = TB_NUM_VL;
static constexpr unsigned kSlots = TB_COMPACT ? 16 : 64;   // packets that the receive buffer holds at most
static constexpr unsigned kBuf = TB_DATA_WIDTH > 64 ? 65536 : 32768;
static constexpr unsigned kFront = TB_FRONT_BYTES;

enum Kind : uint8_t { IB = 0, FC = 1, ETH = 2 };
struct Beat {
  uint8_t data[64];
  uint8_t n, last, err, ipd, host, kind;
};
struct Packet {                              // on the wire
  ib::Bytes b;
  Kind kind = IB;
  bool error = false;
  uint64_t at = 0;
};

inline void beats_of(std::deque<Beat> &q, const ib::Bytes &p, bool err = false, uint8_t ipd = 0, bool host = false, uint8_t kind = 0) {
  for (size_t o = 0; o < p.size(); o += kB) {
    Beat b;
    memset(&b, 0, sizeof b);
    b.n = uint8_t(std::min<size_t>(kB, p.size() - o));
    memcpy(b.data, &p[o], b.n);
    b.last = o + kB >= p.size();
    b.err = err && b.last;
    b.ipd = ipd;
    b.host = host;
    b.kind = kind;
    q.push_back(b);
  }
}

struct Rx {                                  // a received packet, as the engines would see it
  ib::Bytes b;                               // LRH to pad, from the receive buffer
  unsigned slot, vl15, from_fw, loop, sl, dlid, slid, grh_v, pay_off, plen, base, eth, ce, gidx;
  uint8_t grh[40], bth[12], ext[28];
  uint64_t at;
};

class Node {
 public:
  Vdut *d;
  tb::Rng &r;
  const char *name;
  tb::Source<Beat> in, mtx, rx, ntx;         // rx never waits for a ready
  tb::Pace tx_pace, rxd_pace, rel_pace;
  uint64_t now = 0;
  uint64_t count[64] = {};                   // pulses of cnt_o
  std::function<void(const Packet &)> on_tx;
  std::function<void(const Rx &)> on_rx;
  std::function<void(const Packet &)> on_nic;                 // frames for the network interface
  std::function<void(uint32_t)> on_cnp;
  bool nic_room = true;
  uint64_t last_in = 0, first_tx = 0, last_rx_beat = 0, last_rxd = 0, tx_beats = 0, tx_pkts = 0, rxds = 0;
  bool hold_release = false, in_frame = false;
  bool marks = false;                        // some packets take the way through ohca_tx_sum; none of them has anything to be summed

  Node(Vdut *dut, tb::Rng &rng, const char *n) : d(dut), r(rng), name(n), in(&rng), mtx(&rng), rx(&rng), ntx(&rng), tx_pace(&rng), rxd_pace(&rng),
    rel_pace(&rng), tx_sink_(&rng, n) {}

  void full_speed() {
    in.pace.always(1); mtx.pace.always(1); rx.pace.always(1); tx_pace.always(1); rxd_pace.always(1); rel_pace.always(1);
  }
  void random_speed() {
    in.pace.always(-1); mtx.pace.always(-1); rx.pace.always(-1); tx_pace.always(-1); rxd_pace.always(-1); rel_pace.always(-1);
  }
  // Register bus: writes and reads are queued; a read calls back.
  void write(unsigned off, uint32_t v) { mg_.push_back({off, v, true, nullptr}); }
  void read(unsigned off, std::function<void(uint32_t)> f) { mg_.push_back({off, 0, false, f}); }
  bool mg_done() const { return mg_.empty() && !mg_cb_; }

  void drive() {
    d->now_i = now;
    // Room first: with several VLs a packet takes room of its VL's ring before its first beat, as the engines do.
    BITS(d->take_i, OHCA_ROOM_TAKE_TK0_VL) = 0;
    BITS(d->take_i, OHCA_ROOM_TAKE_TK1_VL) = 0;
    bool may = true;
    if (kVl > 1 && !in_mid_ && !in.q.empty()) {
      unsigned vl = in.front().data[0] >> 4, bytes = 0;
      for (auto &b : in.q) { bytes += b.n; if (b.last) break; }
      in_words_ = (bytes + kB - 1) / kB + r.below(4);                       // more than it needs
      if (vl < kVl && !in_took_) {
        may = (uint64_t(d->room_o) >> 13 * vl & 0x1fff) >= in_words_ && (uint64_t(d->desc_o) >> 8 * vl & 0xff) >= 1;
        if (may) {
          bool resp = r.bits(1);
          if (resp) {
            BITS(d->take_i, OHCA_ROOM_TAKE_TK1_VL) = 1 << vl;
            BITS(d->take_i, OHCA_ROOM_TAKE_TK1_WORDS) = in_words_;
          } else {
            BITS(d->take_i, OHCA_ROOM_TAKE_TK0_VL) = 1 << vl;
            BITS(d->take_i, OHCA_ROOM_TAKE_TK0_WORDS) = in_words_;
          }
          BITS(d->take_i, OHCA_ROOM_TAKE_TK0_N) = 1;
          in_took_ = true;
          took_ = in_words_;
        }
      }
    }
    BITS(d->in_i, OHCA_PK_BEAT_VALID) = may && in.drive();
    BITS(d->in_i, OHCA_PK_BEAT_WORDS) = in_took_ ? took_ : 0;
    if (BITS(d->in_i, OHCA_PK_BEAT_VALID)) {
      const Beat &b = in.front();
      tb::set_bytes(d->in_data_i, b.data, kB);
      d->in_keep_i = tb::keep_mask(b.n);
      BITS(d->in_i, OHCA_PK_BEAT_LAST) = b.last;
      BITS(d->in_i, OHCA_PK_BEAT_ERR) = b.err;
      BITS(d->in_i, OHCA_PK_BEAT_IPD) = b.ipd;
      BITS(d->in_i, OHCA_PK_BEAT_SUM) = marks && b.data[5] % 4 == 0;                            // the first beat's counts: PktLen
    }
    BITS(d->mtx_i, OHCA_MTX_BEAT_VALID) = mtx.drive();
    if (BITS(d->mtx_i, OHCA_MTX_BEAT_VALID)) {
      const Beat &b = mtx.front();
      tb::set_bytes(d->mtx_data_i, b.data, kB);
      d->mtx_keep_i = tb::keep_mask(b.n);
      BITS(d->mtx_i, OHCA_MTX_BEAT_LAST) = b.last;
      BITS(d->mtx_i, OHCA_MTX_BEAT_TO_HOST) = b.host;
    }
    d->tx_ready_i = tx_pace.go();
    BITS(d->rx_i, OHCA_WIRE_RX_VALID) = rx.drive();
    if (BITS(d->rx_i, OHCA_WIRE_RX_VALID)) {
      const Beat &b = rx.front();
      tb::set_bytes(d->rx_data_i, b.data, kB);
      d->rx_keep_i = tb::keep_mask(b.n);
      BITS(d->rx_i, OHCA_WIRE_RX_LAST) = b.last;
      BITS(d->rx_i, OHCA_WIRE_RX_ERROR) = b.err;
      BITS(d->rx_i, OHCA_WIRE_RX_KIND) = b.kind;
    } else {
      BITS(d->rx_i, OHCA_WIRE_RX_LAST) = r.bits(1);
      BITS(d->rx_i, OHCA_WIRE_RX_ERROR) = r.bits(1);
      BITS(d->rx_i, OHCA_WIRE_RX_KIND) = r.bits(2);
    }
    d->rxd_ready_i = rxd_pace.go();
    d->nic_room_i = nic_room;
    BITS(d->ntx_i, OHCA_NTX_BEAT_VALID) = ntx.drive();
    if (BITS(d->ntx_i, OHCA_NTX_BEAT_VALID)) {
      const Beat &b = ntx.front();
      tb::set_bytes(d->ntx_data_i, b.data, kB);
      d->ntx_keep_i = tb::keep_mask(b.n);
      BITS(d->ntx_i, OHCA_NTX_BEAT_LAST) = b.last;
    }

    BITS(d->mg_i, OHCA_CFG_ACC_VALID) = !mg_.empty() && !mg_cb_;
    if (BITS(d->mg_i, OHCA_CFG_ACC_VALID)) {
      BITS(d->mg_i, OHCA_CFG_ACC_WE) = mg_.front().we;
      BITS(d->mg_i, OHCA_CFG_ACC_ADDR) = mg_.front().off / 4;
      BITS(d->mg_i, OHCA_CFG_ACC_WDATA) = mg_.front().v;
    }

    // Receive buffer: one word a cycle of the packet that is read next; release with the last.
    d->rb_en_i = 0;
    d->rel_valid_i = 0;
    rd_issue_ = false;
    if (!reading_ && !held_.empty() && !hold_release && rel_pace.go()) {
      size_t i = r.below(held_.size());      // any order
      cur_ = held_[i];
      held_.erase(held_.begin() + i);
      reading_ = true;
      word_ = 0;
      cur_.b.clear();
    }
    if (reading_) {
      unsigned bytes = cur_.pay_off + cur_.plen + (4 - cur_.plen % 4) % 4, skew = cur_.base % kB, words = (skew + bytes + kB - 1) / kB;
      if (word_ < words) {
        d->rb_en_i = 1;
        d->rb_addr_i = (cur_.base / kB + word_) % (kBuf / kB);
        rd_issue_ = true;
        word_++;
      } else if (!rd_pending_) {
        cur_.b.resize(skew + bytes);
        cur_.b.erase(cur_.b.begin(), cur_.b.begin() + skew);
        unsigned port = unsigned(r.below(3));
        d->rel_valid_i = 1 << port;
        d->rel_slot_i = cur_.slot << 6 * port;
        reading_ = false;
        if (on_rx) on_rx(cur_);
      }
    }
  }

  void sample() {
    if (BITS(d->in_i, OHCA_PK_BEAT_VALID) && d->in_ready_o && in.front().last) last_in = now;
    if (BITS(d->in_i, OHCA_PK_BEAT_VALID) && d->in_ready_o) {
      in_mid_ = !in.front().last;
      if (in.front().last) in_took_ = false;
    }
    in.sample(BITS(d->in_i, OHCA_PK_BEAT_VALID) && d->in_ready_o);
    mtx.sample(d->mtx_ready_o);
    ntx.sample(d->ntx_ready_o);
    if (BITS(d->rx_i, OHCA_WIRE_RX_VALID) && rx.front().last) last_rx_beat = now;
    rx.sample(true);

    Beat t;
    memset(&t, 0, sizeof t);
    tb::get_bytes(d->tx_data_o, t.data, kB);
    t.n = uint8_t(__builtin_popcountll(d->tx_keep_o));
    t.last = BITS(d->tx_o, OHCA_WIRE_TX_LAST);
    t.kind = BITS(d->tx_o, OHCA_WIRE_TX_KIND);
    tx_sink_.pace.always(d->tx_ready_i);
    tx_sink_.drive();
    if (tx_sink_.sample(BITS(d->tx_o, OHCA_WIRE_TX_VALID), t)) {
      CHECK(uint64_t(d->tx_keep_o) == tb::keep_mask(t.n), "%s: keep has holes", name);
      CHECK(t.last || t.n == kB, "%s: a short beat inside a packet", name);
      if (!in_frame) { first_tx = now; cur_tx_ = Packet(); cur_tx_.kind = Kind(t.kind); }
      CHECK_EQ(t.kind, cur_tx_.kind, "kind changed inside a packet");
      in_frame = !t.last;
      cur_tx_.b.insert(cur_tx_.b.end(), t.data, t.data + t.n);
      tx_beats++;
      if (t.last) {
        tx_pkts += t.kind != FC;
        cur_tx_.at = now;
        if (on_tx) on_tx(cur_tx_);
      }
    }

    if (BITS(d->nic_o, OHCA_NIC_BEAT_VALID)) {
      uint8_t w[64];
      tb::get_bytes(d->nic_data_o, w, kB);
      unsigned n = unsigned(__builtin_popcountll(d->nic_keep_o));
      nic_.b.insert(nic_.b.end(), w, w + n);
      if (BITS(d->nic_o, OHCA_NIC_BEAT_LAST)) {
        nic_.error = BITS(d->nic_o, OHCA_NIC_BEAT_ERR);
        if (on_nic) on_nic(nic_);
        nic_ = Packet();
      }
    }
    if (BITS(d->cnp_o, OHCA_CNP_NOTE_VALID) && on_cnp) on_cnp(BITS(d->cnp_o, OHCA_CNP_NOTE_QPN));
    if (d->rxd_valid_o && d->rxd_ready_i) {
      Rx x;
      auto &s = d->rxd_o;
      x.slot = FIELD(s, OHCA_RXD_SLOT);
      x.vl15 = FIELD(s, OHCA_RXD_VL15);
      x.from_fw = FIELD(s, OHCA_RXD_FROM_FW);
      x.loop = FIELD(s, OHCA_RXD_LOOP);
      x.sl = FIELD(s, OHCA_RXD_SL);
      x.dlid = FIELD(s, OHCA_RXD_DLID);
      x.slid = FIELD(s, OHCA_RXD_SLID);
      x.grh_v = FIELD(s, OHCA_RXD_GRH_V);
      x.base = FIELD(s, OHCA_RXD_BASE);
      x.pay_off = FIELD(s, OHCA_RXD_PAY_OFF);
      x.plen = FIELD(s, OHCA_RXD_PLEN);
      x.eth = FIELD(s, OHCA_RXD_ETH);
      x.ce = FIELD(s, OHCA_RXD_CE);
      x.gidx = FIELD(s, OHCA_RXD_GIDX);
      for (int i = 0; i < 40; i++) x.grh[i] = tb::get_bits(s, OHCA_RXD_GRH_LSB + 312 - 8 * i, 8);
      for (int i = 0; i < 12; i++) x.bth[i] = tb::get_bits(s, OHCA_RXD_BTH_LSB + 88 - 8 * i, 8);
      for (int i = 0; i < 28; i++) x.ext[i] = tb::get_bits(s, OHCA_RXD_EXT_LSB + 216 - 8 * i, 8);
      x.at = now;
      last_rxd = now;
      rxds++;
      CHECK(!(busy_slots_ >> x.slot & 1), "%s: slot %u is in use", name, x.slot);
      busy_slots_ |= 1ull << x.slot;
      held_.push_back(x);
    }
    if (d->rel_valid_i) busy_slots_ &= ~(1ull << cur_.slot);
    if (rd_pending_) {
      uint8_t w[64];
      tb::get_bytes(d->rb_data_o, w, kB);
      cur_.b.insert(cur_.b.end(), w, w + kB);
    }
    rd_pending_ = rd_issue_;

    if (mg_cb_) { mg_cb_(d->mg_rdata_o); mg_cb_ = nullptr; }
    if (BITS(d->mg_i, OHCA_CFG_ACC_VALID)) {
      if (!mg_.front().we) mg_cb_ = mg_.front().f;
      mg_.pop_front();
    }
    for (int i = 0; i < 64; i++) count[i] += d->cnt_o >> i & 1;
    now++;
  }
  bool empty() const { return in.done() && mtx.done() && rx.done() && ntx.done() && held_.empty() && !reading_ && !d->rxd_valid_o; }
  size_t held() const { return held_.size(); }

 private:
  struct Mg { unsigned off; uint32_t v; bool we; std::function<void(uint32_t)> f; };
  std::deque<Mg> mg_;
  std::function<void(uint32_t)> mg_cb_;
  tb::Sink<Beat> tx_sink_;
  Packet cur_tx_, nic_;
  std::vector<Rx> held_;
  Rx cur_;
  bool reading_ = false, rd_issue_ = false, rd_pending_ = false;
  unsigned word_ = 0, in_words_ = 0, took_ = 0;
  bool in_mid_ = false, in_took_ = false;
  uint64_t busy_slots_ = 0;
};

// Two nodes on one clock.
class Pair {
 public:
  tb::Bench<Vdut> bench;
  std::unique_ptr<VerilatedContext> ctx2{new VerilatedContext};
  std::unique_ptr<Vdut> dut2;
  std::unique_ptr<Node> a, b;
  std::function<void()> each;

  Pair(int argc, char **argv, unsigned wall = 110) : bench(argc, argv, wall) {
    ctx2->randReset(2);
    ctx2->randSeed(int(tb::context().seed % 1000003 + 7));
    dut2.reset(new Vdut(ctx2.get()));
    a.reset(new Node(bench.dut.get(), bench.rng, "A"));
    b.reset(new Node(dut2.get(), bench.rng, "B"));
    for (Vdut *d : {a->d, b->d}) {
      d->in_i = d->mtx_i = d->ntx_i = d->rx_i = d->tx_ready_i = d->rxd_ready_i = d->rel_valid_i = d->rb_en_i = d->note_i = 0;
      d->take_i = 0;
      d->mg_i = 0;
    }
    dut2->rst_i = 1;
    for (int i = 0; i < 3; i++) { dut2->clk_i = 0; dut2->eval(); dut2->clk_i = 1; dut2->eval(); }
    dut2->rst_i = 0;
    bench.reset();
    a->now = b->now = 1000;
    for (int i = 0; i < 513; i++)                  // ohca_port is in reset a cycle longer, then its memory gets its reset values
      for (Vdut *d : {a->d, b->d}) { d->now_i = 1000; d->clk_i = 0; d->eval(); d->clk_i = 1; d->eval(); }
  }
  void cycle() {
    bench.cycle(
        [&] {
          if (each) each();
          a->drive();
          b->drive();
          b->d->clk_i = 0;
          b->d->eval();
        },
        [&] {
          a->sample();
          b->sample();
          b->d->clk_i = 1;
          b->d->eval();
        });
  }
  void run(unsigned n) { while (n--) { bench.progress(); cycle(); } }
  template <class F> void until(F f, unsigned limit, const char *what) {
    for (unsigned i = 0; !f(); i++) {
      if (i >= limit) FAIL("%s did not happen within %u cycles", what, limit);
      bench.progress();
      cycle();
    }
  }
  uint64_t reg(Node &n, unsigned off) {
    uint32_t v = 0;
    n.read(off, [&](uint32_t x) { v = x; });
    until([&] { return n.mg_done(); }, 1000, "register read");
    return v;
  }
  uint64_t counter(Node &n, unsigned i) {
    uint64_t lo = reg(n, OHCA_PORT_REG_CNT + 8 * i);
    return lo | reg(n, OHCA_PORT_REG_CNT + 8 * i + 4) << 32;
  }
  void settle() { until([&] { return a->mg_done() && b->mg_done(); }, 1000, "register writes"); }
};

inline uint32_t ctrl(bool smp, bool rx, bool tx, unsigned mtu, unsigned vls, unsigned limit = 0, unsigned lmc = 0, bool init = false) {
  return smp | rx << 1 | tx << 2 | init << 3 | mtu << 4 | vls << 8 | limit << 16 | lmc << 24;
}
#endif
