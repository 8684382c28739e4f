// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Two ports back to back over a wire that loses, flips, cuts, stretches and marks packets: what arrives is what was sent, in order, with
// exact headers and buffer content; what was damaged never shows and is counted; every credit is back at the end.
// dut: ohca_link DataWidth=64
// dut: ohca_link DataWidth=64 NumVl=1 RoCE=0 Compact=1
// dut: ohca_link DataWidth=128 NumVl=2 RateEntries=2
// dut: ohca_link DataWidth=256 NumVl=1
// dut: ohca_link DataWidth=512
#include "link_node.h"

static constexpr unsigned kPeriod = 1500;

struct Sent {
  ib::Bytes b;                               // with CRCs
  unsigned vl;
};
struct Side {
  Node *n, *peer;
  uint16_t lid;
  std::map<uint32_t, Sent> wire;             // accepted for the wire, not yet seen there
  std::deque<ib::Bytes> arrive, loop, host;  // what the receiver must show, in order
  std::map<uint32_t, uint32_t> last;         // VL and source: last serial seen on the wire
  uint64_t discards = 0, good = 0, damaged = 0, marked = 0, fc_damaged = 0, lost = 0, delivered = 0;
  std::deque<Packet> flight;
  bool faults = false;
};

int main(int argc, char **argv) {
  Pair p(argc, argv);
  auto &r = p.bench.rng;
  const unsigned total = p.bench.cycles == 20000 ? 5000 : unsigned(p.bench.cycles);   // packets of each side
  Side s[2];
  s[0].n = p.a.get(); s[0].peer = p.b.get(); s[0].lid = 0x10;
  s[1].n = p.b.get(); s[1].peer = p.a.get(); s[1].lid = 0x20;
  const unsigned lmc = 2;

  for (auto &x : s) {
    x.n->write(OHCA_PORT_REG_LID, x.lid);
    x.n->write(OHCA_PORT_REG_FC_PERIOD, kPeriod);
    for (unsigned i = 0; i < kVl; i++) x.n->write(OHCA_PORT_REG_ARB_LOW + 4 * i, i << 8 | r.range(1, 255));
    if (kVl > 1) x.n->write(OHCA_PORT_REG_ARB_HIGH, (kVl - 1) << 8 | 16);
    x.n->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, kVl, unsigned(r.below(3)), lmc));

    x.n->on_tx = [&, sp = &x](const Packet &q) {
      Packet f = q;
      Side &y = *sp;
      if (q.kind == FC) {
        CHECK_EQ(q.b.size(), 6, "length of a flow-control packet");
        CHECK_EQ(ib::crc16(q.b.data(), 4), q.b[4] | q.b[5] << 8, "LPCRC");
      } else {
        uint32_t id = ib::serial_of(q.b);
        auto it = y.wire.find(id);
        CHECK(it != y.wire.end(), "%s sent a packet nobody asked for (serial %x)", y.n->name, id);
        CHECK(q.b == it->second.b, "%s: packet %x differs on the wire", y.n->name, id);
        uint32_t &l = y.last[it->second.vl << 1 | id >> 31];
        CHECK(id > l, "%s: VL %u out of order", y.n->name, it->second.vl);
        l = id;
        y.wire.erase(it);
        p.bench.progress();
      }
      unsigned fault = y.faults ? unsigned(r.below(100)) : 99;
      f.at = y.n->now + 20;
      bool damaged = false;
      if (fault < 3) {                       // lost
        y.lost++;
        return;
      } else if (fault < 8) {                // one or two bits
        for (unsigned k = unsigned(r.range(1, 2)), was = ~0u; k--;) {
          unsigned bit;
          do bit = unsigned(r.below(f.b.size() * 8)); while (bit == was);
          f.b[bit / 8] ^= 1 << bit % 8;
          was = bit;
        }
        damaged = true;
      } else if (fault < 10 && q.kind == IB) {   // cut, to any number of bytes
        f.b.resize(r.range(1, f.b.size() - 1));
        damaged = true;
      } else if (fault < 11 && q.kind == IB) {   // stretched
        for (unsigned k = unsigned(r.range(1, 300)); k--;) f.b.push_back(uint8_t(r.next()));
        damaged = true;
      } else if (fault < 13 && q.kind == IB) {
        f.error = true;
        y.marked++;
      }
      if (damaged) (q.kind == IB ? y.damaged : y.fc_damaged)++;
      else if (q.kind == IB && !f.error) y.arrive.push_back(q.b);
      y.flight.push_back(f);
    };
    x.n->on_rx = [&, sp = &x](const Rx &g) {
      Side &me = *sp, &from = s[sp == s];    // the other side
      auto &q = g.from_fw ? me.host : g.loop ? me.loop : from.arrive;
      CHECK(!g.from_fw || g.loop, "from_fw without loop");
      // Releases are out of order, so look for it; order is checked below by the arrival time.
      size_t k = 0;
      while (k < q.size() && ib::serial_of(q[k]) != ib::serial_of(g.b)) k++;
      CHECK(k < q.size(), "%s received a packet that was not sent (serial %x)", me.n->name, ib::serial_of(g.b));
      const ib::Bytes &w = q[k];
      CHECK_EQ(g.b.size(), w.size() - 6, "length in the receive buffer");
      CHECK(std::equal(g.b.begin(), g.b.end(), w.begin()), "%s: content of packet %x", me.n->name, ib::serial_of(w));
      bool grh = (w[1] & 3) == 3;
      unsigned bth = grh ? 48 : 8, ext = ib::ext_bytes(w[bth]);
      CHECK_EQ(g.grh_v, grh, "grh_v");
      if (grh) CHECK(!memcmp(g.grh, &w[8], 40), "GRH");
      CHECK(!memcmp(g.bth, &w[bth], 12), "BTH");
      CHECK(!memcmp(g.ext, &w[bth + 12], std::min<size_t>(28, w.size() - bth - 12 - (TB_COMPACT ? 6 : 0))), "ext");   // a small adapter leaves the CRCs out
      CHECK_EQ(g.pay_off, bth + 12 + ext, "pay_off");
      CHECK_EQ(g.plen, w.size() - 6 - g.pay_off - (w[bth + 1] >> 4 & 3), "plen");
      CHECK_EQ(g.vl15, w[0] >> 4 == 15, "vl15");
      CHECK_EQ(g.sl, w[1] >> 4, "sl");
      CHECK_EQ(g.dlid, w[2] << 8 | w[3], "dlid");
      CHECK_EQ(g.slid, w[6] << 8 | w[7], "slid");
      q.erase(q.begin() + k);
      me.delivered++;
      p.bench.progress();
    };
  }
  p.each = [&] {
    for (auto &x : s) {
      while (!x.flight.empty() && x.flight.front().at <= x.n->now) {
        beats_of(x.peer->rx.q, x.flight.front().b, x.flight.front().error, 0, false, x.flight.front().kind);
        x.flight.pop_front();
      }
    }
  };
  p.settle();
  p.run(100);
  for (auto &x : s) x.n->marks = true;

  // Traffic
  static const uint8_t ops[] = {0x00, 0x01, 0x03, 0x04, 0x06, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x11, 0x12, 0x13, 0x64, 0x65, 0x24, 0x81, 0xff, 0x17};
  unsigned made[2] = {0, 0}, made_mg[2] = {0, 0};
  auto feed = [&](int i) {
    Side &x = s[i];
    bool mg = r.chance(15);
    auto &src = mg ? x.n->mtx : x.n->in;
    if (src.q.size() > 40) return;
    ib::Fields f;
    f.vl = r.chance(10) || (mg && r.chance(70)) ? 15 : unsigned(r.below(kVl));
    f.sl = unsigned(r.bits(4));
    f.op = ops[r.below(sizeof ops)];
    f.grh = f.vl != 15 && r.chance(30);
    f.slid = x.lid;
    unsigned c = unsigned(r.below(100));
    f.payload = f.vl == 15 ? unsigned(r.below(257 - ib::ext_bytes(uint8_t(f.op)))) : c < 60 ? unsigned(r.below(80)) : c < 90 ? unsigned(r.below(600)) : unsigned(r.below(4097));
    f.dlid = s[!i].lid + unsigned(r.below(1 << lmc));
    c = unsigned(r.below(100));
    bool host = false, err = false, bad = false;
    if (c < 8) f.dlid = x.lid + unsigned(r.below(1 << lmc));                  // loopback
    else if (c < 12 && f.vl != 15) f.dlid = 0xc000 + unsigned(r.below(0x3fff));
    else if (c < 14 && f.vl == 15) f.dlid = 0xffff;
    else if (c < 18 && mg && f.vl == 15) host = true;
    else if (c < 21 && !mg) err = true;
    else if (c < 22) bad = true;
    uint32_t id = uint32_t(mg) << 31 | ++(mg ? made_mg : made)[i];
    ib::Bytes raw = ib::build(r, f, id);
    if (bad) {
      switch (r.below(5)) {
        case 0: raw[5]++; break;                                              // PktLen
        case 1: raw[1] &= 0xfc; break;                                        // raw packet
        case 2: raw[2] = raw[3] = 0; break;                                   // DLID 0
        case 3: raw[0] = 0xe0; if (raw[1] & 1) break; raw[2] = 0x44; break;   // VL 14
        default: raw.resize(4500); break;                                     // longer than any packet
      }
      if (host) bad = false;
    }
    beats_of(src.q, raw, err, 0, host);
    if (bad || err) x.discards++;
    else {
      x.good++;
      ib::Bytes w = ib::with_crcs(raw);
      if (host) x.host.push_back(w);
      else if (f.dlid >= x.lid && f.dlid < x.lid + (1 << lmc)) x.loop.push_back(w);
      else {
        if (f.dlid >= 0xc000 && f.dlid != 0xffff) x.loop.push_back(w);        // multicast: for the members here, too
        x.wire[id] = {w, f.vl};
      }
    }
  };
  s[0].faults = s[1].faults = true;
  auto made_all = [&](int i) { return made[i] + made_mg[i] >= total; };
  while (!made_all(0) || !made_all(1)) {
    for (int i = 0; i < 2; i++) if (!made_all(i)) feed(i);
    p.cycle();
  }
  tb::context().at_fail = [&] {
    for (auto &x : s)
      fprintf(stderr, "%s: to send %zu + %zu beats, not yet on the wire %zu, in flight %zu, to arrive %zu, loop %zu, host %zu, held %zu, rx beats %zu\n",
              x.n->name, x.n->in.q.size(), x.n->mtx.q.size(), x.wire.size(), x.flight.size(), s[&x == s].arrive.size(), x.loop.size(), x.host.size(),
              x.n->held(), x.n->rx.q.size());
    for (auto &x : s)
      for (int i = 0; i < 64; i++) if (x.n->count[i]) fprintf(stderr, "%s cnt %d: %llu\n", x.n->name, i, (unsigned long long)x.n->count[i]);
  };
  // Drain, without new faults: lost flow-control packets would only cost time.
  s[0].faults = s[1].faults = false;
  // VL15 has no credits: what found no buffer is missing, and counted.
  auto missing = [&](Side &from) {
    for (auto &w : from.arrive) if (w[0] >> 4 != 15) return ~size_t(0);
    return from.arrive.size();
  };
  auto drained = [&] {
    for (auto &x : s) {
      size_t m = missing(x);
      if (!x.n->empty() || !x.flight.empty() || !x.wire.empty() || !x.loop.empty() || !x.host.empty() ||
          m == ~size_t(0) || m > x.peer->count[OHCA_COUNTER_RX_VL15_DROP]) return false;
    }
    return true;
  };
  while (!drained()) p.cycle();
  p.run(3 * kPeriod);

  for (auto &x : s) {
    Node &n = *x.n;
    Side &y = s[&x == s];
    CHECK_EQ(p.counter(n, OHCA_PORT_CNT_XMIT_DISCARDS), x.discards, "xmit_discards");
    CHECK_EQ(n.count[OHCA_COUNTER_TX_DROP], x.discards, "cnt tx_drop");
    CHECK_EQ(p.counter(n, OHCA_PORT_CNT_XMIT_PKTS), n.tx_pkts, "xmit_pkts");
    CHECK_EQ(p.counter(n, OHCA_PORT_CNT_RCV_REMOTE_PHYS), y.marked, "rcv_remote_phys");
    uint64_t err = p.counter(n, OHCA_PORT_CNT_RCV_ERR), over = p.counter(n, OHCA_PORT_CNT_OVERRUN), v15 = p.counter(n, OHCA_PORT_CNT_VL15_DROPPED);
    // One that was marked bad and found no VL15 buffer is in two counters.
    uint64_t want = y.damaged + y.fc_damaged + y.arrive.size(), got = err + over + v15;
    CHECK(got >= want && got - want <= v15 - y.arrive.size(), "damaged packets counted: %llu of %llu", (unsigned long long)got, (unsigned long long)want);
    CHECK_EQ(n.count[OHCA_COUNTER_RX_PKTS], x.delivered, "cnt rx_pkts");
    for (unsigned v = 0; v < kVl; v++) {
      uint32_t st = uint32_t(p.reg(n, OHCA_PORT_REG_VL_STATE + 4 * v));
      CHECK_EQ(st & 0xfff, kFront / 64 * 3 / 4 / kVl, "credits at the end");
    }
    for (int i = 0; i < 200; i++) p.run(1);
    CHECK(x.delivered > total / 2, "hardly anything was delivered");
    CHECK(n.count[OHCA_COUNTER_RX_VCRC] > 10 && n.count[OHCA_COUNTER_RX_LEN] + n.count[OHCA_COUNTER_RX_VCRC] > 20, "no faults were seen");
    printf("# %s: sent %llu, discarded %llu, received %llu, damaged on arrival %llu + %llu fc, marked %llu, lost by the wire %llu, overrun %llu, VL15 without buffer %llu\n",
           n.name, (unsigned long long)n.tx_pkts, (unsigned long long)x.discards, (unsigned long long)x.delivered, (unsigned long long)y.damaged,
           (unsigned long long)y.fc_damaged, (unsigned long long)y.marked, (unsigned long long)y.lost, (unsigned long long)over, (unsigned long long)v15);
  }
  return p.bench.finish();
}
