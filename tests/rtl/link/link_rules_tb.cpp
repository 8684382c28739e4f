// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The link layer's figures and rules one by one: latency, throughput, each receive check and its counter, port states, flow-control packets,
// credits against a peer that ignores them, VL arbitration, static rate, a link that goes down in the middle of packets.
// dut: ohca_link DataWidth=64
// dut: ohca_link DataWidth=64 RoCE=0 Compact=1
// dut: ohca_link DataWidth=256
// dut: ohca_link DataWidth=512
#include "link_node.h"
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif

static constexpr unsigned kShare = kFront / 64 * 3 / 4;

// The test itself is node A's peer: it grants credits and injects what it likes.
struct Rig : Pair {
  std::vector<Packet> out;                   // what A sent
  std::vector<Rx> got;
  uint32_t serial = 0;
  uint16_t fctbs[16] = {};
  Rig(int argc, char **argv) : Pair(argc, argv) {
    a->full_speed();
    b->full_speed();
    a->on_tx = [&](const Packet &q) { out.push_back(q); };
    a->on_rx = [&](const Rx &x) { got.push_back(x); };
  }
  void up(unsigned vls = kVl, unsigned limit = 0, unsigned mtu = 5) {
    a->write(OHCA_PORT_REG_LID, 0x10);
    a->write(OHCA_PORT_REG_FC_PERIOD, 1000000);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, mtu, vls, limit, 2));
    settle();
    run(30);
    for (unsigned v = 0; v < vls; v++) { fctbs[v] = 0; fc(v, 2048); }
    run(10);
    out.clear();
  }
  void down() {
    a->write(OHCA_PORT_REG_CTRL, 0);
    settle();
    run(100);
    out.clear();
    got.clear();
  }
  void inject(const ib::Bytes &w, bool error = false, Kind k = IB) { beats_of(a->rx.q, w, error, 0, false, k); }
  void fc(unsigned vl, unsigned fccl, unsigned op = 0) {
    ib::Bytes p;
    ib::put(p, op << 12 | fctbs[vl], 2);
    ib::put(p, vl << 12 | (fccl & 0xfff), 2);
    uint16_t c = ib::crc16(p.data(), 4);
    p.push_back(uint8_t(c));
    p.push_back(uint8_t(c >> 8));
    inject(p, false, FC);
  }
  ib::Bytes make(ib::Fields f) { return ib::build(bench.rng, f, ++serial); }
  ib::Fields to_a(unsigned payload = 16) { ib::Fields f; f.dlid = 0x10; f.slid = 0x99; f.payload = payload; f.op = 0x0a; return f; }
  ib::Fields from_a(unsigned payload = 16) { ib::Fields f; f.dlid = 0x99; f.slid = 0x10; f.payload = payload; f.op = 0x0a; return f; }
  void send(const ib::Bytes &p, unsigned ipd = 0, bool err = false) { beats_of(a->in.q, p, err, uint8_t(ipd)); }
  unsigned ib_out() { unsigned n = 0; for (auto &q : out) n += q.kind == IB; return n; }
  // n cycles in which everything that is to happen happens
  void quiet(unsigned n = 60) {
    until([&] { return a->empty(); }, 200000, "quiet");
    run(n);
    until([&] { return a->empty(); }, 200000, "quiet");
    run(10);
  }

  void vectors() {
    // The sample packet of IBA and its CRCs, and the flow-control packets of the fact sheet, through the test's own arithmetic.
    ib::Bytes p = {0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d,
                   0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0, 0};
    ib::Bytes w = ib::with_crcs(p), tail(w.end() - 6, w.end());
    CHECK((tail == ib::Bytes{0x96, 0x25, 0xb7, 0x5a, 0x45, 0xfa}), "the sample packet's CRCs");
    const uint8_t l[] = {0x10, 0x00, 0x00, 0x80};
    CHECK_EQ(ib::crc16(l, 4), 0xd550, "LPCRC");
  }

  void figures() {
    up();
    // Latency out: the last beat in to the first beat on the wire.
    send(make(from_a(8)));
    quiet();
    CHECK_EQ(ib_out(), 1, "packets");
    unsigned lt = unsigned(a->first_tx - a->last_in);
    CHECK(lt <= 20, "transmit latency %u", lt);
    // Latency in
    got.clear();
    inject(ib::with_crcs(make(to_a(8))));
    quiet();
    CHECK_EQ(got.size(), 1, "received");
    unsigned lr = unsigned(a->last_rxd - a->last_rx_beat);
    CHECK(lr <= 20, "receive latency %u", lr);

    // Small packets out, back to back
    auto rate_out = [&](unsigned payload, unsigned n, double &beats) {
      for (unsigned v = 0; v < kVl; v++) fc(v, 2048);
      quiet();
      down();
      up();
      std::deque<Beat> all;
      uint64_t t0 = a->tx_beats, first = 0, pk = a->tx_pkts;
      for (unsigned i = 0; i < n; i++) send(make(from_a(payload)));
      until([&] {
        if (!first && a->tx_pkts > pk) { first = a->now; t0 = a->tx_beats; }
        return a->tx_pkts == pk + n;
      }, 200000, "sending");
      beats = double(a->tx_beats - t0) / double(a->now - first);
      return double(a->now - first) / (n - 1);
    };
    double bs, bl;
    double cs = rate_out(8, 500, bs), cl = rate_out(4096, 30, bl);
    if (kB == 64) CHECK(cs <= 2.05, "%f cycles a small packet", cs);
    CHECK(bl > 0.985, "%f beats a cycle with 4 KiB packets", bl);

    // The same in: a beat a cycle; nothing may be lost or held up.
    auto rate_in = [&](ib::Fields f, unsigned n) {
      down();
      up(1);
      ib::Bytes w = ib::with_crcs(make(f));
      uint64_t r0 = a->rxds, first = 0;
      a->hold_release = false;
      for (unsigned i = 0; i < n; i++) inject(ib::with_crcs(make(f)));
      until([&] { if (!first && a->rxds > r0) first = a->now; return a->rxds == r0 + n; }, 200000, "receiving");
      quiet();
      return double(a->now - 70 - first) / (n - 1);
    };
    // The test releases a packet only after it has read it back, so it takes more than the RTL needs; that many fit into the slots.
    ib::Fields m = to_a(0);
    m.op = 0x11;
    double ci = 0;
    {
      down();
      up(1);
      a->hold_release = true;
      uint64_t first = 0, r0 = a->rxds;
      const unsigned n = kSlots - 4;
      for (unsigned i = 0; i < n; i++) inject(ib::with_crcs(make(m)));
      until([&] { if (!first && a->rxds > r0) first = a->now; return a->rxds == r0 + n; }, 5000, "small packets");
      ci = double(a->now - first) / (n - 1);
      a->hold_release = false;
      quiet();
      if (kB == 64) CHECK(ci <= 3.0, "%f cycles a minimum packet", ci);
    }
    double cb = rate_in(to_a(4096), 20);
    printf("# DataWidth %u: transmit latency %u, receive latency %u; small packets out %.2f cycles, minimum packets in %.2f cycles; 4 KiB out %.3f beats a cycle, in %.1f cycles\n",
           kB * 8, lt, lr, cs, ci, bl, cb);
    (void)bs; (void)cl;
    down();
  }

  void checks() {
    up(2, 0, 3);                             // MTU 1024, 2 VLs
    struct Case { const char *name; int counter; std::function<ib::Bytes()> make; bool ok; };
    auto lrh = [&](ib::Fields f, std::function<void(ib::Bytes &)> edit) {
      ib::Bytes p = make(f);
      edit(p);
      return ib::with_crcs(p);
    };
    auto nothing = [](ib::Bytes &) {};
    ib::Fields g = to_a(), v15 = to_a(), lmc = to_a(), mc = to_a(), perm15 = to_a(), vl1 = to_a(), big = to_a(1024), gg = to_a();
    v15.vl = 15; v15.op = 0x64;
    lmc.dlid = 0x13;
    mc.dlid = 0xc001; mc.grh = true;
    gg.grh = true;
    perm15 = v15; perm15.dlid = 0xffff;
    vl1.vl = 1;
    auto with = [](ib::Fields f, std::function<void(ib::Fields &)> e) { e(f); return f; };
    std::vector<Case> cases = {
      {"plain", -1, [&] { return lrh(g, nothing); }, true},
      {"grh", -1, [&] { return lrh(gg, nothing); }, true},
      {"vl15", -1, [&] { return lrh(v15, nothing); }, true},
      {"lmc", -1, [&] { return lrh(lmc, nothing); }, true},
      {"multicast", -1, [&] { return lrh(mc, nothing); }, true},
      {"permissive-smp", -1, [&] { return lrh(perm15, nothing); }, true},
      {"vl1", -1, [&] { return lrh(vl1, nothing); }, true},
      {"full-mtu", -1, [&] { return lrh(big, nothing); }, true},
      {"vl15-full", -1, [&] { return lrh(with(v15, [](auto &f) { f.payload = 256; }), nothing); }, true},
      {"minimum", -1, [&] { return lrh(with(g, [](auto &f) { f.op = 0xff; f.payload = 0; }), nothing); }, true},
      {"vcrc", OHCA_COUNTER_RX_VCRC, [&] { auto w = lrh(g, nothing); w.back() ^= 1; return w; }, false},
      {"icrc", OHCA_COUNTER_RX_ICRC, [&] { auto w = lrh(g, nothing); w.resize(w.size() - 2); w[w.size() - 1] ^= 0x80; uint16_t c = ib::crc16(w.data(), w.size()); w.push_back(uint8_t(c)); w.push_back(uint8_t(c >> 8)); return w; }, false},
      {"lver", OHCA_COUNTER_RX_LVER, [&] { return lrh(with(g, [](auto &f) { f.lver = 1; }), nothing); }, false},
      {"pktlen-long", OHCA_COUNTER_RX_LEN, [&] { return lrh(g, [](ib::Bytes &p) { p[5]++; }); }, false},
      {"pktlen-short", OHCA_COUNTER_RX_LEN, [&] { return lrh(g, [](ib::Bytes &p) { p[5]--; }); }, false},
      {"pktlen-0", OHCA_COUNTER_RX_LEN, [&] { return lrh(g, [](ib::Bytes &p) { p[5] = 0; }); }, false},
      {"pktlen-max", OHCA_COUNTER_RX_LEN, [&] { return lrh(g, [](ib::Bytes &p) { p[4] = 7; p[5] = 255; }); }, false},
      {"over-mtu", OHCA_COUNTER_RX_LEN, [&] { return lrh(with(g, [](auto &f) { f.payload = 1200; }), nothing); }, false},
      {"vl15-long", OHCA_COUNTER_RX_LEN, [&] { return lrh(with(v15, [](auto &f) { f.payload = 260; }), nothing); }, false},
      {"vl-unused", OHCA_COUNTER_RX_VL, [&] { return lrh(with(g, [](auto &f) { f.vl = 2; }), nothing); }, false},
      {"vl-14", OHCA_COUNTER_RX_VL, [&] { return lrh(with(g, [](auto &f) { f.vl = 14; }), nothing); }, false},
      {"vl15-grh", OHCA_COUNTER_RX_VL, [&] { return lrh(with(v15, [](auto &f) { f.grh = true; f.payload = 16; }), nothing); }, false},
      {"dlid-0", OHCA_COUNTER_RX_DLID, [&] { return lrh(with(g, [](auto &f) { f.dlid = 0; }), nothing); }, false},
      {"dlid-other", OHCA_COUNTER_RX_DLID, [&] { return lrh(with(g, [](auto &f) { f.dlid = 0x14; }), nothing); }, false},
      {"dlid-below", OHCA_COUNTER_RX_DLID, [&] { return lrh(with(g, [](auto &f) { f.dlid = 0x0f; }), nothing); }, false},
      {"permissive-data", OHCA_COUNTER_RX_DLID, [&] { return lrh(with(g, [](auto &f) { f.dlid = 0xffff; }), nothing); }, false},
      {"raw", OHCA_COUNTER_RX_BTH, [&] { return lrh(g, [](ib::Bytes &p) { p[1] &= 0xfc; }); }, false},
      {"raw-ipv6", OHCA_COUNTER_RX_BTH, [&] { return lrh(g, [](ib::Bytes &p) { p[1] = (p[1] & 0xfc) | 1; }); }, false},
      {"grh-version", OHCA_COUNTER_RX_BTH, [&] { return lrh(gg, [](ib::Bytes &p) { p[8] = 0x40 | (p[8] & 15); }); }, false},
      {"grh-next", OHCA_COUNTER_RX_BTH, [&] { return lrh(gg, [](ib::Bytes &p) { p[14] = 0x11; }); }, false},
      {"grh-paylen", OHCA_COUNTER_RX_LEN, [&] { return lrh(gg, [](ib::Bytes &p) { p[13] ^= 4; }); }, false},
      {"grh-short", OHCA_COUNTER_RX_LEN, [&] { return lrh(with(g, [](auto &f) { f.payload = 4; }), [](ib::Bytes &p) { p[1] |= 3; }); }, false},
      {"no-reth", OHCA_COUNTER_RX_LEN, [&] { return lrh(with(g, [](auto &f) { f.op = 0x00; f.payload = 12; }), [](ib::Bytes &p) { p[8] = 0x0a; }); }, false},
      {"pad-beyond", OHCA_COUNTER_RX_LEN, [&] { return lrh(with(g, [](auto &f) { f.op = 0x11; f.payload = 0; }), [](ib::Bytes &p) { p[9] = 0x30; }); }, false},
      {"marked", -2, [&] { return lrh(g, nothing); }, false},
      {"last-plain", -1, [&] { return lrh(g, nothing); }, true},
    };
    for (auto &c : cases) {
      uint64_t before[64];
      memcpy(before, a->count, sizeof before);
      got.clear();
      inject(c.make(), c.counter == -2);
      quiet();
      CHECK_EQ(got.size(), c.ok, c.name);
      for (int i = 0; i < 64; i++) {
        if (i == OHCA_COUNTER_RX_PKTS || i == OHCA_COUNTER_RX_WORDS) continue;
        uint64_t want = i == c.counter;
        if (a->count[i] - before[i] != want) FAIL("%s: counter %d moved by %llu", c.name, i, (unsigned long long)(a->count[i] - before[i]));
      }
    }
    // Packets of both kinds with a wrong CRC have one counter: none is missed, whenever the verdict of a data packet comes.
    for (unsigned n = 1; n <= 40; n += 3) {
      uint64_t before = a->count[OHCA_COUNTER_RX_VCRC];
      for (unsigned i = 0; i < n; i++) {
        auto w = lrh(g, nothing);
        w.back() ^= 1;
        inject(w);
        for (unsigned k = 0; k < n; k++) inject({0x00, 0x52, 0x00, 0x01, uint8_t(k), 0x11}, false, FC);
      }
      quiet();
      CHECK_EQ(a->count[OHCA_COUNTER_RX_VCRC] - before, n + n * n, "CRC errors counted");
    }
    // Every slot and word that those took is back: as many packets fit as there are slots.
    a->hold_release = true;
    got.clear();
    for (unsigned i = 0; i < kSlots; i++) inject(ib::with_crcs(make(to_a(64))));
    run(2000);
    CHECK_EQ(a->held(), kSlots, "packets held");
    a->hold_release = false;
    quiet();
    CHECK_EQ(got.size(), kSlots, "packets read back");
    down();
  }

  void states() {
    a->write(OHCA_PORT_REG_EVENT, ~0u);
    // Down: nothing in, nothing out.
    send(make(from_a()));
    inject(ib::with_crcs(make(to_a())));
    quiet(200);
    CHECK(out.empty() && got.empty(), "a port that is down is silent");
    // Initialize: only VL15 and flow control
    a->write(OHCA_PORT_REG_LID, 0x10);
    a->write(OHCA_PORT_REG_FC_PERIOD, 400);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 0, 0, 5, 2, 0, 2, true));
    settle();
    ib::Fields f = from_a(), g = to_a();
    f.vl = g.vl = 15; f.op = g.op = 0x64;
    uint64_t drops = a->count[OHCA_COUNTER_TX_DROP], vl = a->count[OHCA_COUNTER_RX_VL];
    send(make(f));
    send(make(from_a()));
    inject(ib::with_crcs(make(g)));
    inject(ib::with_crcs(make(to_a())));
    quiet();
    run(2000);
    CHECK_EQ(ib_out(), 1, "only the SMP leaves");
    CHECK_EQ(got.size(), 1, "only the SMP arrives");
    CHECK_EQ(a->count[OHCA_COUNTER_TX_DROP] - drops, 1, "tx_drop");
    CHECK_EQ(a->count[OHCA_COUNTER_RX_VL] - vl, 1, "rx_vl");
    unsigned n[2] = {0, 0};
    for (auto &q : out) {
      if (q.kind != FC) continue;
      CHECK_EQ(q.b[0] >> 4, 1, "Op while fc_init");
      CHECK_EQ((q.b[0] & 15) << 8 | q.b[1], 0, "FCTBS");
      unsigned v = q.b[2] >> 4;
      CHECK(v < 2, "flow control of a VL that is not in use");
      unsigned l = (q.b[2] & 15) << 8 | q.b[3];   // VL 0 received a block, which is free again
      CHECK(l == kShare / 2 || (v == 0 && n[v] && l == kShare / 2 + 1), "FCCL %u", l);
      n[v]++;
    }
    CHECK(n[1] >= 5 && n[1] <= 7 && n[0] <= n[1] + 1 && n[0] >= n[1], "%u and %u flow-control packets in 2000 cycles", n[0], n[1]);
    // A bad flow-control packet, one with an unknown Op: no credits. A good one: credits.
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, 2, 0, 2));
    settle();
    run(10);
    out.clear();
    uint64_t lpcrc = counter(*a, OHCA_PORT_CNT_LPCRC);
    fc(0, 100, 2);
    Packet bad;
    ib::put(bad.b, 0x000000641234, 6);
    inject(bad.b, false, FC);
    run(40);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_VL_STATE) & 0xfff, 0, "credits of nothing");
    CHECK_EQ(counter(*a, OHCA_PORT_CNT_LPCRC) - lpcrc, 1, "lpcrc");
    send(make(from_a(64)));                  // 8+12+16+64+6 = 106 bytes: two blocks
    run(300);
    CHECK_EQ(ib_out(), 0, "nothing without credit");
    fc(0, 1);
    run(300);
    CHECK_EQ(ib_out(), 0, "nothing with too little credit");
    fc(0, 2);
    run(50);
    CHECK_EQ(ib_out(), 1, "with credit it goes");
    CHECK_EQ(reg(*a, OHCA_PORT_REG_VL_STATE) & 0xfff, 0, "credits used up");
    CHECK((reg(*a, OHCA_PORT_REG_EVENT) & (1 << OHCA_PORT_EVENT_DATA_RCVD)) == 0, "no data was received yet");
    inject(ib::with_crcs(make(to_a())));
    quiet();
    CHECK(reg(*a, OHCA_PORT_REG_EVENT) & (1 << OHCA_PORT_EVENT_DATA_RCVD), "data_rcvd");
    // The wrap of the 12-bit counters: 3 * 4096 blocks, credits always two ahead.
    uint64_t sent = a->tx_pkts;
    for (unsigned i = 0; i < 6200; i++) {
      send(make(from_a(64)));
      fc(0, 4 + 2 * i);
      until([&] { return a->tx_pkts == sent + i + 1; }, 3000, "a packet around the wrap");
    }
    run(500);
    unsigned last = ~0u;
    for (auto &q : out) if (q.kind == FC && q.b[2] >> 4 == 0) last = (q.b[0] & 15) << 8 | q.b[1];
    CHECK_EQ(last, (2 + 2 * 6200) & 0xfff, "FCTBS after the wrap");
    down();
  }

  void overrun(bool held) {
    // A peer without respect for credits, and nobody who takes packets, or who gives them back: what does not fit is counted, the rest is intact.
    up(1);
    uint64_t over = a->count[OHCA_COUNTER_RX_OVERRUN], v15 = a->count[OHCA_COUNTER_RX_VL15_DROP];
    if (held) a->hold_release = true;
    else a->rxd_pace.always(0);
    const unsigned n = (kBuf + kFront) / 1024 * 2;
    for (unsigned i = 0; i < n; i++) inject(ib::with_crcs(make(to_a(1024))));
    ib::Fields s = to_a(256);
    s.vl = 15; s.op = 0x64; s.payload = 248;
    const unsigned m = kFront / 320 / 2;   // blocks of 64 bytes; more than a quarter of the wire buffer, which VL15 has, and less than all
    for (unsigned i = 0; i < m; i++) inject(ib::with_crcs(make(s)));
    until([&] { return a->rx.q.empty(); }, 200000, "the flood");
    run(100);
    over = a->count[OHCA_COUNTER_RX_OVERRUN] - over;
    v15 = a->count[OHCA_COUNTER_RX_VL15_DROP] - v15;
    CHECK(over > n / 8 && over < n, "%llu of %u overran", (unsigned long long)over, n);
    CHECK(v15 > m / 4 && v15 < m, "%llu of %u SMPs dropped", (unsigned long long)v15, m);
    CHECK(a->count[OHCA_COUNTER_RX_NO_CREDIT] > 0, "rx_no_credit");
    CHECK(reg(*a, OHCA_PORT_REG_EVENT) & (1 << OHCA_PORT_EVENT_OVERRUN), "event overrun");
    if (held) CHECK(a->held() > (kSlots < 25 ? kSlots - 1 : 25), "%zu packets held", a->held());
    a->hold_release = false;
    a->rxd_pace.always(1);
    got.clear();
    until([&] { return a->empty() && a->d->idle_o; }, 200000, "all that was kept");
    CHECK_EQ(got.size(), n + m - over - v15, "what was not counted is there");
    // and everything is as before
    fc(0, 2048);
    run(600);
    got.clear();
    for (unsigned i = 0; i < 20; i++) inject(ib::with_crcs(make(to_a(1024))));
    quiet();
    CHECK_EQ(got.size(), 20, "packets after the flood");
    down();
  }

  void arbitration() {
    if (kVl < 4) return;
    // Three VLs in the low table with weights 4:2:1 blocks, VL3 high. Packets of one block, all VLs always full.
    auto shares = [&](unsigned limit, unsigned vls, unsigned n, std::vector<unsigned> &c) {
      down();
      a->write(OHCA_PORT_REG_ARB_LOW, 0 << 8 | 4);
      a->write(OHCA_PORT_REG_ARB_LOW + 4, 1 << 8 | 2);
      a->write(OHCA_PORT_REG_ARB_LOW + 8, 2 << 8 | 1);
      a->write(OHCA_PORT_REG_ARB_HIGH, 3 << 8 | 32);
      settle();
      up(4, limit);
      a->tx_pace.always(0);
      ib::Fields f = from_a(8);
      for (unsigned i = 0; i < 15 * vls; i++) { f.vl = i % vls; send(make(f)); }
      run(1000);
      a->tx_pace.always(1);
      c.assign(4, 0);
      const unsigned early = 10;             // granted while the queues filled
      until([&] { return ib_out() >= n + early; }, 3000, "arbitration");
      unsigned k = 0;
      for (auto &q : out) if (q.kind == IB && k++ >= early && k <= n + early) c[q.b[0] >> 4]++;
      quiet();
    };
    std::vector<unsigned> c;
    shares(255, 4, 5, c);
    CHECK_EQ(c[3], 5, "high priority goes first");
    shares(0, 4, 16, c);
    CHECK_EQ(c[3], 8, "limit 0 alternates");
    shares(0, 3, 7, c);
    CHECK(c[0] == 4 && c[1] == 2 && c[2] == 1, "weights: %u %u %u", c[0], c[1], c[2]);
    // A VL in no table still goes, last.
    down();
    for (unsigned i = 0; i < 3; i++) a->write(OHCA_PORT_REG_ARB_LOW + 4 * i, i ? 0 : 64);
    a->write(OHCA_PORT_REG_ARB_HIGH, 0);
    settle();
    up(4);
    ib::Fields f = from_a(8);
    f.vl = 2;
    send(make(f));
    quiet(100);
    CHECK_EQ(ib_out(), 1, "a VL in no table");
    down();
  }

  void rate() {
    up(1);
    ib::Fields f = from_a(1024), g = f;
    g.dlid = 0x98;
    std::vector<uint64_t> t98, t99;
    for (unsigned i = 0; i < 6; i++) send(make(f), 3);
    quiet(4000);
    unsigned beats = unsigned((1024 + 42 + kB - 1) / kB);
    std::vector<uint64_t> t;
    for (auto &q : out) if (q.kind == IB) t.push_back(q.at);
    CHECK_EQ(t.size(), 6, "packets with a rate");
    for (unsigned i = 1; i < 6; i++) {
      CHECK(t[i] - t[i-1] >= 4 * beats, "spacing %llu, wanted 4 * %u", (unsigned long long)(t[i] - t[i-1]), beats);
      CHECK(t[i] - t[i-1] <= 4 * beats + 12, "spacing %llu, wanted 4 * %u", (unsigned long long)(t[i] - t[i-1]), beats);
    }
    // Another destination is not slowed down by it.
    out.clear();
    send(make(f), 100);
    for (unsigned i = 0; i < 3; i++) send(make(g), 0);
    run(200 + 6 * beats);
    CHECK_EQ(ib_out(), 4, "other destinations");
    down();
  }

  void flap() {
    // The link goes down at any moment, with packets in every stage, and comes back: nothing sticks, credits start over.
    auto &r = bench.rng;
    for (unsigned k = 0; k < 60; k++) {
      up(kVl);
      a->random_speed();
      for (unsigned i = 0; i < 30; i++) {
        ib::Fields f = from_a(unsigned(r.below(2000))), g = to_a(unsigned(r.below(2000)));
        f.vl = unsigned(r.below(kVl));
        g.vl = unsigned(r.below(kVl));
        if (r.chance(20)) f.dlid = 0x11;     // loopback
        send(make(f));
        inject(ib::with_crcs(make(g)));
      }
      run(unsigned(r.below(1500)));
      bool cut = r.bits(1);
      if (cut) {                             // the wire stops in the middle of a packet and says no more
        a->write(OHCA_PORT_REG_CTRL, 0);
        settle();
        a->rx.pace.always(0);
        run(300);
      } else {
        a->write(OHCA_PORT_REG_CTRL, 0);
        settle();
        a->tx_pace.always(0);                // and the PHY takes nothing
        run(2000);
      }
      a->rx.pace.always(1);
      a->full_speed();
      quiet(400);
      CHECK_EQ(a->d->idle_o, 1, "idle after the link went down");
      out.clear();
      got.clear();
      up(kVl);
      for (unsigned v = 0; v < kVl; v++) {
        CHECK_EQ(reg(*a, OHCA_PORT_REG_VL_STATE + 4 * v) & 0xfff, 2048, "credits after the link came back");
        CHECK_EQ(reg(*a, OHCA_PORT_REG_VL_STATE + 4 * v) >> 16, kShare / kVl, "limit after the link came back");
      }
      got.clear();
      for (unsigned i = 0; i < 4; i++) {
        ib::Fields f = from_a(500), g = to_a(500);
        f.vl = g.vl = i % kVl;
        send(make(f));
        inject(ib::with_crcs(make(g)));
      }
      quiet(300);
      CHECK_EQ(ib_out(), 4, "sent after the link came back");
      CHECK_EQ(got.size(), 4, "received after the link came back");
      down();
    }
  }

  // A VL that gets no credits: the others go on at the wire's pace, the management core's packets for it are dropped in the end, and when it gets
  // credits everything goes. What was taken of the rings' room is all back then.
  void lanes() {
    auto room = [&](unsigned v) { return unsigned(uint64_t(a->d->room_o) >> 13 * v & 0x1fff); };
    // Of 32 KiB as much as keeps the wire busy from host memory that answers in four times 256 cycles, with two of the longest packets, beside what
    // requests leave: two more, and seven headers.
    const unsigned header = ((TB_RO_C_E ? 108 : 80) + kB - 1) / kB, most = std::min(32768 / kB, 4 * 4096 / kB + 9 * header + 1024);
    auto all_back = [&](const char *when) {
      for (unsigned v = 0; v < kVl; v++) {
        CHECK_EQ(room(v), most, when);
        CHECK_EQ(uint64_t(a->d->desc_o) >> 8 * v & 0xff, 64, when);
      }
    };
    up(1);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, kVl, 0, 2));
    settle();
    run(30);
    for (unsigned v = 0; v < kVl; v++) if (v != 1) fc(v, 2048);
    quiet();
    out.clear();
    all_back("room at the beginning");
    unsigned left[kVl];
    for (unsigned v = 0; v < kVl; v++) left[v] = v == 1 ? 300 : 40;
    auto feed = [&] {
      for (unsigned k = 0; k < kVl && a->in.q.empty(); k++) {
        unsigned v = unsigned(bench.rng.below(kVl));
        ib::Fields f = from_a(bench.rng.below(2) ? unsigned(4 * bench.rng.below(200)) : 12);
        f.vl = v;
        if (!left[v] || room(v) < 4300 / kB + 8 || !(uint64_t(a->d->desc_o) >> 8 * v & 0xff)) continue;
        left[v]--;
        send(make(f), 0, v == 2 && bench.rng.below(4) == 0);       // what fails in the pipeline gives its room back, too
      }
    };
    auto others = [&] { for (unsigned v = 0; v < kVl; v++) if (v != 1 && left[v]) return false; return a->in.q.empty(); };
    each = feed;
    until(others, 200000, "traffic beside a VL without credits");
    for (unsigned v = 0; v < kVl; v++) if (v != 1) left[v] = 40;
    until(others, 200000, "more traffic beside a VL without credits");
    // It is full when the management core's packet comes, whatever the draw was: that needs more than ends this.
    until([&] { return room(1) < 4300 / kB + 8 || !(uint64_t(a->d->desc_o) >> 8 & 0xff); }, 200000, "a VL that is full");
    each = nullptr;
    quiet(20000);
    CHECK(left[1] > 100, "VL 1 was not stopped");
    auto of = [&](unsigned v) { unsigned n = 0; for (auto &q : out) n += q.kind == IB && q.b[0] >> 4 == v; return n; };
    CHECK_EQ(of(1), 0, "packets of a VL without credits");
    CHECK_EQ(of(0), 80, "packets of VL 0");
    CHECK_EQ(a->d->stuck_o, 2, "the VL that is stuck");
    ib::Fields gmp = from_a(1024), smp = from_a(256);
    gmp.vl = 1;
    smp.vl = 15;
    uint64_t drops = a->count[OHCA_COUNTER_TX_DROP];
    beats_of(a->mtx.q, make(gmp));
    beats_of(a->mtx.q, make(smp));
    gmp.vl = 0;
    beats_of(a->mtx.q, make(gmp));
    quiet(2000);                                    // the first one is thrown away beat by beat
    CHECK_EQ(of(15), 1, "a packet of VL 15 behind one of a stuck VL");
    CHECK_EQ(of(0), 81, "a packet of VL 0 behind one of a stuck VL");
    CHECK_EQ(a->count[OHCA_COUNTER_TX_DROP] - drops, 1, "the management core's packet for a stuck VL");
    for (unsigned v = 0; v < kVl; v++) if (v != 1) CHECK_EQ(room(v), most, "room of the others");
    each = feed;
    fc(1, 2047);
    until([&] { return !left[1] && a->in.q.empty(); }, 400000, "VL 1 when it has credits");
    each = nullptr;
    until([&] { return of(1) == 300; }, 100000, "everything of VL 1");
    quiet(100);
    all_back("room at the end");
    down();
  }

  void blink() {
    // Down and up within a few cycles while the wire takes nothing: what was granted before is neither sent nor counted after, but for
    // the packet that had begun; what still waited in its ring goes, with the new credits.
    for (unsigned k = 0; k < 20; k++) {
      up(1);
      a->tx_pace.always(0);
      for (unsigned i = 0; i < 10; i++) send(make(from_a(500)));
      run(200 + k);
      a->write(OHCA_PORT_REG_CTRL, 0);
      settle();
      run(k % 3);
      up(1);
      a->write(OHCA_PORT_REG_FC_PERIOD, 200);
      settle();
      a->tx_pace.always(1);
      for (unsigned i = 0; i < 4; i++) send(make(from_a(500)));
      quiet(2000);
      unsigned n = ib_out(), blocks = (8 + 12 + 16 + 500 + 6 + 63) / 64, last = ~0u;
      CHECK(n >= 4 && n < 14, "%u packets after the blink", n);
      for (auto &q : out) if (q.kind == FC) last = (q.b[0] & 15) << 8 | q.b[1];
      CHECK(last == n * blocks || last == (n - 1) * blocks, "FCTBS %u after the blink, %u packets", last, n);
      CHECK_EQ(2048 - (reg(*a, OHCA_PORT_REG_VL_STATE) & 0xfff), last, "credits used after the blink");
      down();
    }
  }
};

int main(int argc, char **argv) {
  Rig g(argc, argv);
  g.vectors();
  g.figures();
  g.checks();
  g.states();
  g.overrun(false);
  g.overrun(true);
  g.arbitration();
  g.rate();
  g.flap();
  g.blink();
  g.lanes();
  return g.bench.finish();
}
