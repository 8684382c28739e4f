// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The Ethernet port: scapy's frames, frames out of the internal form, loopback, mutated frames against a model of the receive rules with random
// idle and back-pressure, a full buffer, pauses in both directions, changes of the link layer, speed. ETH_FRAMES: mutated frames a round, for longer runs.
// dut: ohca_link DataWidth=64
// dut: ohca_link DataWidth=64 Compact=1
// dut: ohca_link DataWidth=128
// dut: ohca_link DataWidth=256
// dut: ohca_link DataWidth=512
// include: tests/rtl/link
#include <algorithm>
#include "link_node.h"
#include "ethpkt.h"
#include "eth_vectors.h"

using eth::Bytes;
using eth::be16;

#define EQ(got, want, fmt, ...) \
  CHECK(uint64_t(got) == uint64_t(want), fmt ": %llu instead of %llu", __VA_ARGS__, (unsigned long long)(got), (unsigned long long)(want))

static const Bytes kMac = eth::hex("020ca1000001"), kPeer = eth::hex("020ca1000002"), kMac2 = eth::hex("020ca1000003");
struct Gid { Bytes gid; unsigned type; bool tag; unsigned vid; Bytes mac; };
static const Gid kGids[] = {
  {eth::hex("00000000000000000000ffff0a010203"), OHCA_GID_TYPE_ROCE_V2_IPV4, false, 0, kMac},
  {eth::hex("fd000000000000000000000000a10001"), OHCA_GID_TYPE_ROCE_V2_IPV6, false, 0, kMac},
  {eth::hex("00000000000000000000ffff0a640003"), OHCA_GID_TYPE_ROCE_V2_IPV4, true, 100, kMac},
  {eth::hex("fd000000000000000000000000a10064"), OHCA_GID_TYPE_ROCE_V2_IPV6, true, 100, kMac},
  {eth::hex("fd000000000000000000000000a10001"), OHCA_GID_TYPE_ROCE_V2_IPV6, true, 7, kMac2},
  {eth::hex("fd000000000000000000000000a10009"), OHCA_GID_TYPE_ROCE_V1, false, 0, kMac},
};
static constexpr unsigned kLast = 15;        // the first entry again, of another VLAN, at the end of the table

enum { DROP, ROCE, NIC };
struct Fate { int what = DROP; int cause = -1; bool bad = false; unsigned gidx = 0, ip = 0; };

// What becomes of a frame, from its bytes: docs/roce.md.
static Fate fate(const Bytes &f, bool error, unsigned mtu) {
  Fate r;
  auto drop = [&](int c) { r.what = DROP; r.cause = c; return r; };
  size_t n = f.size();
  if (n < 14) return drop(OHCA_COUNTER_ETH_IP_LEN);
  bool tag = be16(f, 12) == 0x8100;
  if (tag && n < 18) return drop(OHCA_COUNTER_ETH_IP_LEN);
  size_t l2 = tag ? 18 : 14;
  unsigned et = be16(f, l2 - 2), vid = tag ? be16(f, 14) & 0xfff : 0;
  auto at = [&](size_t o) { return l2 + o < n ? f[l2 + o] : 0u; };
  auto at16 = [&](size_t o) { return at(o) << 8 | at(o + 1); };
  if (et == 0x8915) return drop(OHCA_COUNTER_ETH_V1);
  unsigned ihl = at(0) & 15;
  bool v4 = et == 0x0800 && at(0) >> 4 == 4 && ihl >= 5 && ihl <= 10 && at(9) == 17 && !(at16(6) & 0x1fff) &&
            n >= l2 + 4 * ihl + 6 && at16(4 * ihl + 2) == 4791;
  bool v6 = et == 0x86dd && at(0) >> 4 == 6 && at(6) == 17 && n >= l2 + 46 && at16(42) == 4791;
  if (!v4 && !v6) {
    if (et == 0x8808) return r;
    Bytes d(f.begin(), f.begin() + 6);
    if (d != kMac && d != Bytes(6, 0xff)) return drop(OHCA_COUNTER_ETH_MAC);
    r.what = NIC;
    return r;
  }
  r.ip = unsigned(l2);
  unsigned len = v6 ? at16(4) : at16(2) - 20, total = v6 ? at16(4) + 40 : at16(2);
  if (v4 && ihl != 5) return drop(OHCA_COUNTER_ETH_IP_OPT);
  if (v4 && at16(6) & 0x2000) return drop(OHCA_COUNTER_ETH_FRAG);
  if (v4) {
    uint8_t h[20];
    for (int i = 0; i < 20; i++) h[i] = uint8_t(at(i));
    if (eth::checksum(h, 20)) return drop(OHCA_COUNTER_ETH_IP_SUM);
  }
  if (total % 4 || (v6 ? len < 24 : total < 44)) return drop(OHCA_COUNTER_ETH_IP_LEN);
  if (at16(v6 ? 44 : 24) != (len & 0xffff)) return drop(OHCA_COUNTER_ETH_UDP_LEN);
  Bytes g = v6 ? Bytes() : eth::hex("00000000000000000000ffff");
  for (int i = 0; i < (v6 ? 16 : 4); i++) g.push_back(uint8_t(at((v6 ? 24 : 16) + i)));
  bool any = false, vl = false, mac = false;
  // A group: any address of the port that is in the frame's VLAN will do, and the MAC is the group's.
  bool mc = v6 ? g[0] == 0xff : g[12] >> 4 == 0xe;
  Bytes mcmac = v6 ? Bytes{0x33, 0x33, g[12], g[13], g[14], g[15]} : Bytes{1, 0, 0x5e, uint8_t(g[13] & 0x7f), g[14], g[15]};
  for (unsigned i = 0; i < 16; i++) {
    const Gid *e = i < sizeof kGids / sizeof kGids[0] ? &kGids[i] : i == kLast ? &kGids[0] : nullptr;
    if (!e || (!mc && e->gid != g) || e->type != unsigned(v6 ? OHCA_GID_TYPE_ROCE_V2_IPV6 : OHCA_GID_TYPE_ROCE_V2_IPV4)) continue;
    any = true;
    if (i == kLast ? vid != 9 : e->tag ? vid != e->vid : vid != 0) continue;
    vl = true;
    const Bytes &m = mc ? mcmac : e->mac;
    if (!std::equal(m.begin(), m.end(), f.begin())) continue;
    if (!mac) r.gidx = i;
    mac = true;
  }
  if (!any) return drop(OHCA_COUNTER_ETH_GID);
  if (!vl) return drop(OHCA_COUNTER_ETH_VLAN);
  if (!mac) return drop(OHCA_COUNTER_ETH_MAC);
  r.bad = error;
  if (error) return r;                        // quietly
  if (28 + total > mtu + 124) return drop(OHCA_COUNTER_ETH_JUMBO);
  if (n < l2 + total) return drop(OHCA_COUNTER_ETH_TRUNC);
  Bytes ip(f.begin() + l2, f.begin() + l2 + total - 4);
  uint32_t c = eth::icrc(ip);
  for (int i = 0; i < 4; i++) if (f[l2 + total - 4 + i] != uint8_t(c >> 8 * i)) return drop(OHCA_COUNTER_RX_ICRC);
  unsigned bth = v6 ? 48 : 28, pad = at(bth + 1) >> 4 & 3;
  if (int(total) - 4 - int(bth + 12 + ib::ext_bytes(uint8_t(at(bth)))) - int(pad) < 0) return drop(OHCA_COUNTER_RX_LEN);
  if (at(bth) == 0x81) return drop(OHCA_COUNTER_CNP_RX);
  r.what = ROCE;
  return r;
}

struct Rig : Pair {
  std::vector<Packet> out, nic;
  std::vector<size_t> out_rxds;              // packets received when these left
  std::vector<Rx> got;
  std::vector<uint32_t> cnps;
  unsigned mtu = 4096;
  Rig(int argc, char **argv, unsigned wall) : Pair(argc, argv, wall) {
    a->full_speed();
    b->full_speed();
    a->on_tx = [&](const Packet &q) { out.push_back(q); out_rxds.push_back(a->rxds); };
    a->on_rx = [&](const Rx &x) { got.push_back(x); };
    a->on_nic = [&](const Packet &q) { nic.push_back(q); };
    a->on_cnp = [&](uint32_t q) { cnps.push_back(q); };
  }
  void gid(unsigned i, const Bytes &g, unsigned type, bool tag, unsigned vid, const Bytes &mac) {
    auto le = [](const Bytes &v, size_t o) { return uint32_t(v[o]) | uint32_t(v[o + 1]) << 8 | uint32_t(v[o + 2]) << 16 | uint32_t(v[o + 3]) << 24; };
    for (unsigned k = 0; k < 4; k++) a->write(OHCA_PORT_REG_GID + 16 * i + 4 * k, le(g, 4 * k));
    a->write(OHCA_PORT_REG_GID_ATTR + 16 * i, le(mac, 0));
    a->write(OHCA_PORT_REG_GID_ATTR + 16 * i + 4, uint32_t(mac[4] | mac[5] << 8 | vid << 16 | unsigned(tag) << 28 | type << 29));
  }
  void up(unsigned vls = kVl, unsigned mtu_code = 5) {
    mtu = 128u << mtu_code;
    a->write(OHCA_PORT_REG_ETH_CTRL, 1);
    a->write(OHCA_PORT_REG_ETH_MAC_LO, 0x00a10c02);
    a->write(OHCA_PORT_REG_ETH_MAC_HI, 0x0100);
    unsigned i = 0;
    for (auto &g : kGids) gid(i++, g.gid, g.type, g.tag, g.vid, g.mac);
    gid(kLast, kGids[0].gid, kGids[0].type, true, 9, kGids[0].mac);
    a->write(OHCA_PORT_REG_CTRL, 0x80);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, mtu_code, vls) | 0x80);
    settle();
    run(30);
    forget();
  }
  // What a packet's source is looked up as, from every index that a QP can name.
  void sources() {
    for (unsigned at = 0; at < 256; at++) {
      const Gid last = {kGids[0].gid, kGids[0].type, true, 9, kGids[0].mac};
      const Gid *e = at < sizeof kGids / sizeof kGids[0] ? &kGids[at] : at == kLast ? &last : nullptr;
      BITS(a->d->ask_i, OHCA_PORT_ASK_GID) = at;
      a->d->eval();
      CHECK_EQ(FIELD(a->d->say_o, OHCA_PORT_SAY_ETH_GID_GTYPE), e ? e->type : unsigned(OHCA_GID_TYPE_NONE), "type of a source");
      if (!e) continue;
      CHECK_EQ(FIELD(a->d->say_o, OHCA_PORT_SAY_ETH_GID_TAG), e->tag, "tag of a source");
      CHECK_EQ(FIELD(a->d->say_o, OHCA_PORT_SAY_ETH_GID_VID), e->vid, "VLAN of a source");
      for (unsigned k = 0; k < 6; k++)
        CHECK_EQ(tb::get_bits(a->d->say_o, OHCA_PORT_SAY_ETH_GID_MAC_LSB + 40 - 8 * k, 8), e->mac[k], "MAC address of a source");
      for (unsigned k = 0; k < 16; k++)
        CHECK_EQ(tb::get_bits(a->d->say_o, OHCA_PORT_SAY_ETH_GID_GID_LSB + 120 - 8 * k, 8), e->gid[k], "GID of a source");
    }
  }
  void forget() { out.clear(); out_rxds.clear(); got.clear(); nic.clear(); cnps.clear(); memset(a->count, 0, sizeof a->count); }
  void inject(const Bytes &w, bool error = false, Kind k = ETH) { beats_of(a->rx.q, w, error, 0, false, k); }
  void quiet(unsigned n = 60) {
    until([&] { return a->empty(); }, 200000, "quiet");
    run(n);
    until([&] { return a->empty(); }, 200000, "quiet");
    run(10);
  }

  // A received packet against the frame it came in.
  void compare(const Rx &x, const Bytes &f, const Fate &w, bool loop) {
    bool tag = be16(f, 12) == 0x8100, v6 = f[w.ip] >> 4 == 6;
    unsigned total = v6 ? be16(f, w.ip + 4) + 40 : be16(f, w.ip + 2), bth = w.ip + (v6 ? 48 : 28), op = f[bth];
    unsigned ext = unsigned(ib::ext_bytes(uint8_t(op))), pad = f[bth + 1] >> 4 & 3, tci = tag ? be16(f, 14) : 0xffff;
    CHECK(x.eth && x.grh_v && !x.vl15 && !x.from_fw && x.loop == loop, "flags");
    CHECK_EQ(x.gidx, w.gidx, "GID index");
    CHECK_EQ(x.ce, (v6 ? f[w.ip + 1] >> 4 & 3 : f[w.ip + 1] & 3) == 3, "CE");
    CHECK_EQ(x.sl, (v6 ? 8 : 0) + (tag ? tci >> 13 : 0), "priority, and whether IPv6");
    CHECK_EQ(x.slid, op >> 5 == 3 ? tci : 0, "VLAN tag");
    CHECK_EQ(x.dlid, 0, "dlid");
    CHECK_EQ(x.pay_off, 68 + ext, "payload offset");
    CHECK_EQ(x.plen, total - 4 - (v6 ? 60 : 40) - ext - pad, "payload length");
    CHECK(!memcmp(x.bth, &f[bth], 12), "BTH");
    CHECK(!memcmp(x.ext, &f[bth + 12], ext), "extended headers");
    CHECK(!memcmp(&x.b[x.pay_off], &f[bth + 12 + ext], x.plen), "payload");
    // The area in front of a datagram
    if (v6) {
      CHECK(!memcmp(&x.b[8], &f[w.ip], 40), "IPv6 header in front of a datagram");
      CHECK(!memcmp(x.grh, &f[w.ip], 40), "canonical header");
    } else {
      Bytes g;
      eth::put(g, 6u << 28 | unsigned(f[w.ip + 1]) << 20, 4);
      eth::put(g, total - 20, 2); eth::put(g, 0x1b, 1); eth::put(g, f[w.ip + 8], 1);
      for (unsigned o : {12u, 16u}) { eth::put(g, 0, 8); eth::put(g, 0xffff, 4); g.insert(g.end(), &f[w.ip + o], &f[w.ip + o] + 4); }
      CHECK(!memcmp(&x.b[28], &f[w.ip], 20), "IPv4 header in front of a datagram");
      CHECK(!memcmp(x.grh, g.data(), 40), "canonical header");
      for (unsigned i = 8; i < 28 - w.ip; i++) CHECK_EQ(x.b[i], 0, "in front of the Ethernet header");
      CHECK(!memcmp(&x.b[28 - w.ip], &f[0], w.ip), "Ethernet header");
    }
  }

  void vectors() {
    up();
    for (auto &v : kVectors) {
      Bytes f = eth::hex(v.hex);
      Fate w = fate(f, false, mtu);
      std::string cause = v.cause;
      forget();
      inject(f);
      quiet();
      if (cause == "" || cause == "CE") {
        CHECK(w.what == ROCE, "%s: the model refuses it (%d)", v.what, w.cause);
        if (got.size() != 1) for (int i = 0; i < 64; i++) if (a->count[i]) printf("# counter %d: %llu\n", i, (unsigned long long)a->count[i]);
        EQ(got.size(), 1, "%s", v.what);
        compare(got[0], f, w, false);
        EQ(a->count[OHCA_COUNTER_RX_CE], cause == "CE", "%s", v.what);
        // The same through the test's own arithmetic
        Bytes g(f.begin(), f.end() - 4);
        eth::add_icrc(g, w.ip);
        CHECK(g == f, "%s: ICRC of the test", v.what);
      } else if (cause == "NIC") {
        EQ(w.what, NIC, "%s", v.what);
        CHECK(nic.size() == 1 && nic[0].b == f && !nic[0].error, "%s: %zu frames", v.what, nic.size());
      } else {
        static const struct { const char *n; int c; } names[] = {
#define C(x) {#x, OHCA_COUNTER_##x}
          C(CNP_RX), C(RX_ICRC), C(ETH_IP_OPT), C(ETH_FRAG), C(ETH_IP_SUM), C(ETH_IP_LEN), C(ETH_UDP_LEN), C(ETH_GID), C(ETH_VLAN), C(ETH_MAC),
          C(ETH_TRUNC), C(RX_LEN), C(ETH_JUMBO), C(ETH_V1) };
#undef C
        int c = -1;
        for (auto &n : names) if (cause == n.n) c = n.c;
        CHECK(c >= 0 && c == w.cause, "%s: the model says %d", v.what, w.cause);
        CHECK(got.empty() && nic.empty(), "%s: it passed", v.what);
        for (int i = 0; i < 64; i++) if (i != OHCA_COUNTER_RX_WORDS) EQ(a->count[i], i == c, "%s: counter %d", v.what, i);
        if (cause == "CNP_RX") CHECK(cnps.size() == 1 && cnps[0] == 0x123456, "CNP's QP");
      }
    }
  }

  Bytes bth(unsigned op, unsigned payload) {
    auto &r = bench.rng;
    Bytes p;
    unsigned pad = -payload & 3;
    eth::put(p, op, 1); eth::put(p, 0x40 | pad << 4, 1); eth::put(p, 0xffff, 2); eth::put(p, r.bits(24), 4);
    eth::put(p, r.bits(24) | r.bits(1) << 31, 4);
    eth::add(p, r.bytes(unsigned(ib::ext_bytes(uint8_t(op))) + payload));
    p.resize(p.size() + pad, 0);
    return p;
  }
  unsigned some_len() {
    auto &r = bench.rng;
    return r.chance(20) ? 0 : r.chance(60) ? unsigned(r.range(1, 200)) : unsigned(r.range(1, 4096));
  }
  eth::Path path() {
    auto &r = bench.rng;
    eth::Path p;
    p.dmac = r.bytes(6); p.smac = kMac; p.src = r.bytes(16); p.dst = r.bytes(16);
    p.tag = r.chance(40); p.v6 = r.chance(50);
    p.tci = unsigned(r.bits(16)) & ~0x1000u;
    p.tos = unsigned(r.bits(8)); p.ttl = unsigned(r.bits(8)); p.flow = unsigned(r.bits(20)); p.sport = unsigned(r.range(0xc000, 0xffff));
    if (!p.v6) p.src = kGids[0].gid;
    return p;
  }

  void transmit(unsigned n) {
    auto &r = bench.rng;
    static const unsigned ops[] = {0, 1, 2, 3, 4, 5, 6, 7, 0xa, 0xb, 0x10, 0x64, 0x65};
    std::deque<Bytes> want[8];
    forget();
    for (unsigned i = 0; i < n; i++) {
      eth::Path p = path();
      Bytes ib = bth(r.chance(10) ? 0x11 : ops[r.below(sizeof ops / sizeof ops[0])], some_len());
      Bytes f = eth::frame(p, ib, false), whole = eth::frame(p, ib);
      unsigned vl = unsigned(r.below(kVl));
      bool lost = r.chance(5);
      if (whole.size() < 60) whole.resize(60, 0);
      beats_of(a->in.q, eth::internal(f, vl, unsigned(r.bits(3)), 1 + unsigned(r.below(0xbffe))), lost);
      if (!lost) want[vl].push_back(whole);
    }
    unsigned left = 0, seen = 0;
    for (auto &w : want) left += unsigned(w.size());
    until([&] {
      for (; seen < out.size(); seen++) {
        const Packet &q = out[seen];
        CHECK_EQ(q.kind, ETH, "kind");
        bool found = false;                  // queues are in order, not among each other
        for (auto &w : want) {
          if (found || w.empty() || w.front() != q.b) continue;
          w.pop_front();
          found = true;
        }
        CHECK(found, "frame %u of %zu bytes was not sent so", seen, q.b.size());
        left--;
      }
      return !left;
    }, 2000000, "frames leave");
    quiet();
    CHECK_EQ(seen, out.size(), "more frames than packets");
    CHECK(got.empty() && nic.empty(), "something came back");
  }

  void loopback(unsigned n) {
    auto &r = bench.rng;
    std::vector<Bytes> want;
    forget();
    for (unsigned i = 0; i < n; i++) {
      eth::Path p = path();
      const Gid &g = kGids[r.below(5)];
      p.v6 = g.type == OHCA_GID_TYPE_ROCE_V2_IPV6;
      p.dst = g.gid; p.dmac = g.mac; p.tag = g.tag; p.tci = g.vid | (p.tci & 0xe000);
      bool strange = r.chance(10);
      if (strange) p.dst[15] ^= 0x30;
      Bytes ib = bth(0x64, some_len());
      beats_of(a->in.q, eth::internal(eth::frame(p, ib, false), unsigned(r.below(kVl)), 0, 0xffff));
      if (!strange) want.push_back(eth::frame(p, ib));
    }
    until([&] { return a->empty() && a->d->idle_o; }, 2000000, "loopback");
    quiet();
    CHECK_EQ(got.size(), want.size(), "looped packets");
    CHECK(out.empty(), "one left");
    CHECK_EQ(a->count[OHCA_COUNTER_ETH_GID], n - want.size(), "addresses that are not here");
    std::vector<bool> used(want.size());
    for (auto &x : got) {                    // released in any order
      size_t i = 0;
      for (; i < want.size(); i++) {
        Fate w = fate(want[i], false, mtu);
        if (!used[i] && !memcmp(x.bth, &want[i][w.ip + (want[i][w.ip] >> 4 == 6 ? 48 : 28)], 12)) break;
      }
      CHECK(i < want.size(), "unknown packet");
      used[i] = true;
      compare(x, want[i], fate(want[i], false, mtu), true);
    }
  }

  // Good frames, some with one byte or bit changed, cut or stretched, and frames of pure chance.
  Bytes mutant() {
    auto &r = bench.rng;
    static const unsigned ops[] = {0, 1, 4, 5, 0xa, 0xb, 0xc, 0xd, 0x11, 0x12, 0x13, 0x1f, 0x64, 0x65, 0x81, 0xe0};
    eth::Path p = path();
    unsigned k = unsigned(r.below(7));
    const Gid &g = k == 6 ? kGids[0] : kGids[k % 6];
    p.v6 = g.type != OHCA_GID_TYPE_ROCE_V2_IPV4;
    p.dst = g.gid; p.dmac = g.mac; p.tag = g.tag || r.chance(10); p.tci = (k == 6 ? 9 : g.vid) | (p.tci & 0xe000);
    if (k == 6) p.tag = true;
    p.smac = kPeer; p.udp_sum = unsigned(r.bits(16)); p.id = unsigned(r.bits(16));
    if (!p.v6) std::copy(kGids[0].gid.begin(), kGids[0].gid.begin() + 12, p.src.begin());
    Bytes f = eth::frame(p, bth(ops[r.below(sizeof ops / sizeof ops[0])], some_len()), false);
    size_t ip = p.tag ? 18 : 14;
    unsigned how = unsigned(r.below(100));
    if (how < 8) { f.resize(f.size() + 4 * r.below(3)); }
    if (how >= 8 && how < 30) {               // one field of the headers, with a matching ICRC and, half of the time, checksum
      size_t o = r.below(std::min<size_t>(f.size(), ip + 62));
      f[o] = r.chance(50) ? uint8_t(r.next()) : uint8_t(f[o] ^ 1 << r.below(8));
      if (!p.v6 && r.chance(50)) {
        f[ip + 10] = f[ip + 11] = 0;
        uint16_t c = eth::checksum(&f[ip], 20);
        f[ip + 10] = uint8_t(c >> 8); f[ip + 11] = uint8_t(c);
      }
    }
    if (how >= 30 && how < 36 && !p.v6) {     // options, up to what an IPv4 header can have
      unsigned words = unsigned(r.range(1, 10));
      f.insert(f.begin() + ip + 20, words * 4, 1);
      f[ip] = uint8_t(f[ip] + words);
      unsigned l = be16(f, ip + 2) + 4 * words;
      f[ip + 2] = uint8_t(l >> 8); f[ip + 3] = uint8_t(l);
    }
    if (p.v6 ? f.size() > ip + 53 : f.size() > ip + 33) eth::add_icrc(f, ip);
    if (how >= 36 && how < 46) f[r.below(f.size())] ^= 1 << r.below(8);
    if (how >= 46 && how < 54) f.resize(r.range(1, f.size()));
    if (how >= 54 && how < 60) eth::add(f, r.bytes(r.range(1, 70)));
    if (how >= 60 && how < 66) {
      f = r.bytes(r.range(1, r.chance(20) ? 2000 : 130));
      if (r.chance(50)) std::copy(kMac.begin(), kMac.begin() + std::min<size_t>(6, f.size()), f.begin());
    }
    if (how >= 66 && how < 69) { f = r.bytes(r.range(60, 100)); f[12] = 0x88; f[13] = r.chance(50) ? 0x08 : 0x15; }
    if (how >= 69 && how < 72 && f.size() < 60) f.resize(60, 0);
    return f;
  }

  void receive(unsigned n) {
    auto &r = bench.rng;
    forget();
    struct Sent { Bytes f; Fate w; };
    std::vector<Sent> roce, other;
    uint64_t cnt[64] = {};
    std::vector<size_t> order;
    unsigned dead = 0;
    for (unsigned i = 0; i < n; i++) {
      Bytes f = mutant();
      bool error = r.chance(4);
      Fate w = fate(f, error, mtu);
      inject(f, error);
      if (w.what == ROCE) {
        roce.push_back({f, w});
        unsigned t = f[w.ip] >> 4 == 6 ? f[w.ip + 1] >> 4 & 3 : f[w.ip + 1] & 3;
        cnt[OHCA_COUNTER_RX_CE] += t == 3;
        cnt[OHCA_COUNTER_RX_PKTS]++;
      } else if (w.what == NIC) { other.push_back({f, w}); w.bad = error; other.back().w.bad = error; cnt[OHCA_COUNTER_ETH_NIC]++; }
      else if (w.cause >= 0) cnt[w.cause]++;
      else dead++;
      // The wire cannot be stopped: what is under way must fit the buffers, or frames get lost.
      if (a->rx.q.size() > 200) until([&] { return a->rx.done(); }, 200000, "injected");
      if (i % 8 == 7) until([&] { return a->rx.done() && a->held() < 2; }, 200000, "taken");
    }
    until([&] { return a->empty() && a->d->idle_o; }, 200000, "idle");
    quiet();
    if (got.size() != roce.size())
      for (int i = 0; i < 64; i++)
        if (a->count[i] != cnt[i]) printf("# counter %d: %llu, expected %llu\n", i, (unsigned long long)a->count[i], (unsigned long long)cnt[i]);
    CHECK_EQ(got.size(), roce.size(), "RoCE packets");
    CHECK_EQ(nic.size(), other.size(), "other frames");
    for (size_t i = 0; i < nic.size(); i++) {
      CHECK(nic[i].b == other[i].f, "frame %zu for the network interface: %zu bytes, %zu came", i, other[i].f.size(), nic[i].b.size());
      CHECK_EQ(nic[i].error, other[i].w.bad, "marked bad");
    }
    // Packets are looked at when they are released, in any order: put them into that of their arrival.
    std::stable_sort(got.begin(), got.end(), [](const Rx &x, const Rx &y) { return x.at < y.at; });
    for (size_t i = 0; i < got.size(); i++) compare(got[i], roce[i].f, roce[i].w, false);
    for (int i = 0; i < 64; i++)
      if (i != OHCA_COUNTER_RX_WORDS) EQ(a->count[i], cnt[i], "counter %d", i);
    printf("# %u frames: %zu RoCE, %zu others, %u without a cause\n", n, roce.size(), other.size(), dead);
  }

  // Nobody releases: the wire buffer fills, frames are lost whole and counted, and all that was kept is right.
  void full() {
    forget();
    a->full_speed();
    a->hold_release = true;
    eth::Path p = path();
    p.v6 = false; p.tag = false; p.dst = kGids[0].gid; p.dmac = kMac; p.src = kGids[0].gid;
    std::vector<Bytes> sent;
    for (unsigned i = 0; i < 60; i++) { sent.push_back(eth::frame(p, bth(1, 4096))); inject(sent.back()); }
    until([&] { return a->rx.done(); }, 200000, "injected");
    run(500);
    a->hold_release = false;
    until([&] { return a->empty() && a->d->idle_o; }, 200000, "idle");
    quiet();
    uint64_t lost = a->count[OHCA_COUNTER_RX_OVERRUN], cut = a->count[OHCA_COUNTER_ETH_TRUNC];
    CHECK(lost > 0 && cut == 0, "lost %lu, cut %lu", (unsigned long)lost, (unsigned long)cut);
    CHECK_EQ(got.size() + lost, sent.size(), "kept and lost");
    for (auto &x : got) {
      bool found = false;
      for (auto &f : sent) if (!memcmp(x.bth, &f[42], 12)) { compare(x, f, fate(f, false, mtu), false); found = true; }
      CHECK(found, "unknown packet");
    }
    CHECK(a->d->idle_o, "idle");
  }

  // Who gets what is not RoCE: unicast and broadcast, groups by hash, all groups, everything; nobody, and no room.
  void filters() {
    auto &r = bench.rng;
    auto frame_to = [&](const Bytes &dmac) {
      Bytes f = dmac;
      eth::add(f, kPeer);
      eth::put(f, 0x0806, 2);
      eth::add(f, r.bytes(r.range(46, 200)));
      return f;
    };
    auto taken = [&](const Bytes &dmac, unsigned ctrl_reg, uint64_t hash) {
      a->write(OHCA_PORT_REG_ETH_CTRL, ctrl_reg);
      a->write(OHCA_PORT_REG_ETH_HASH_LO, uint32_t(hash));
      a->write(OHCA_PORT_REG_ETH_HASH_HI, uint32_t(hash >> 32));
      settle();
      forget();
      Bytes f = frame_to(dmac);
      inject(f);
      quiet();
      CHECK(nic.size() < 2 && (nic.empty() || nic[0].b == f), "another frame");
      EQ(a->count[OHCA_COUNTER_ETH_NIC] + a->count[OHCA_COUNTER_ETH_MAC] + a->count[OHCA_COUNTER_ETH_NIC_DROP], 1, "%s", "counted once");
      EQ(a->count[OHCA_COUNTER_ETH_NIC], nic.size(), "%s", "counted as taken");
      return !nic.empty();
    };
    for (unsigned i = 0; i < 10; i++) {
      Bytes group = r.bytes(6), other = r.bytes(6);
      group[0] |= 1;
      other[0] &= 0xfe;
      if (group == Bytes(6, 0xff)) group[5] = 0;
      uint64_t bit = 1ull << (eth::crc32(group) >> 26);
      CHECK(taken(kMac, 1, 0) && taken(Bytes(6, 0xff), 1, 0), "own address, broadcast");
      CHECK(!taken(other, 1, ~0ull) && !taken(group, 1, 0) && !taken(group, 1, ~bit) && !taken(kMac, 6, 0), "not for the network interface");
      CHECK(taken(group, 1, bit) && taken(group, 5, 0) && taken(other, 3, 0) && taken(group, 3, 0), "group, all groups, everything");
    }
    a->nic_room = false;
    CHECK(!taken(kMac, 1, 0), "no room");
    CHECK_EQ(a->count[OHCA_COUNTER_ETH_NIC_DROP], 1, "no room");
    a->nic_room = true;
    CHECK(taken(kMac, 1, 0), "room again");
  }

  // ---- priority flow control
  static Bytes pfc(unsigned vec, unsigned time, unsigned size = 60) {
    Bytes f = eth::hex("0180c2000001");
    eth::add(f, kPeer);
    eth::put(f, 0x8808, 2); eth::put(f, 0x0101, 2); eth::put(f, vec, 2);
    for (unsigned i = 0; i < 8; i++) eth::put(f, vec >> i & 1 ? time : 0x1234, 2);       // what is not enabled says nothing
    f.resize(size, 0);
    return f;
  }
  static unsigned vl_of(unsigned prio) { return prio * kVl / 8; }
  void pfc_up(unsigned rx_en, unsigned tx_en, unsigned time, unsigned xoff, unsigned xon, unsigned own = 0) {
    up();
    for (unsigned h = 0; h < 2; h++) {
      uint32_t v = 0;
      for (unsigned i = 0; i < 8; i++) v |= vl_of(i) << 4 * i;
      a->write(h ? OHCA_PORT_REG_SL2VL_HI : OHCA_PORT_REG_SL2VL_LO, v);
    }
    a->write(OHCA_PORT_REG_ETH_QUANTUM, 8 * 256);
    a->write(OHCA_PORT_REG_ETH_PFC_LIM, xon << 16 | xoff);
    a->write(OHCA_PORT_REG_ETH_PFC_OWN, own);
    a->write(OHCA_PORT_REG_ETH_PFC, time << 16 | tx_en << 8 | rx_en);
    settle();
    run(30);
    forget();
  }

  // One packet a queue, and a frame of the network interface: when each of them leaves. The last entry is the frame's.
  std::vector<uint64_t> leaves(unsigned limit) {
    std::vector<Bytes> want;
    std::vector<uint64_t> at(kVl + 1);
    uint64_t begin = a->now;
    out.clear();
    for (unsigned v = 0; v < kVl; v++) {
      eth::Path p = path();
      Bytes ib = bth(4, 100), f = eth::frame(p, ib);
      want.push_back(f);
      beats_of(a->in.q, eth::internal(eth::frame(p, ib, false), v, 0, 1));
    }
    want.push_back(bench.rng.bytes(80));
    beats_of(a->ntx.q, want.back());
    until([&] { return out.size() > kVl; }, limit, "everything leaves");
    for (auto &q : out)
      for (unsigned i = 0; i <= kVl; i++) if (q.b == want[i]) at[i] = q.at - begin;
    for (unsigned i = 0; i <= kVl; i++) CHECK(at[i], "frame %u is not as it was", i);
    return at;
  }
  void pauses() {
    auto &r = bench.rng;
    a->full_speed();
    pfc_up(0xbd, 0, 0, 0, 0);                 // not 1 and 6
    for (unsigned n = 0; n < 12; n++) {
      unsigned vec = 1u << r.below(8), t = 40 + unsigned(r.below(60));
      if (n == 0) vec = 1;
      if (r.chance(30)) vec |= 1u << r.below(8);
      inject(pfc(vec, t, r.chance(20) ? 34 : 60));
      until([&] { return a->rx.done(); }, 200, "the pause is there");
      uint64_t p0 = a->now;
      run(14);
      CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE) & 0xff, vec & 0xbd, "priorities that are paused");
      uint64_t skew = a->now - p0;
      auto at = leaves(3000);
      for (unsigned i = 0; i <= kVl; i++) {
        bool held = false;
        for (unsigned p = 0; p < 8; p++) if ((vec & 0xbd) >> p & 1) held |= i == kVl ? p == 0 : vl_of(p) == i;
        unsigned end = unsigned(at[i] + skew);
        // The last beat of a packet that waited comes a packet's length after the pause; several wait for each other.
        CHECK(held ? end >= 8 * t && end <= 8 * t + 60 + (kVl + 1) * (200 / kB + 8) : at[i] < 8 * t / 2 + 150, "vector %02x, %u cycles: %s %u left after %u",
              vec, 8 * t, i == kVl ? "the network interface" : "queue", i, end);
      }
      quiet();
    }
    CHECK_EQ(a->count[OHCA_COUNTER_PFC_RX], 12, "pauses received");
    // Taken back before its time
    inject(pfc(0xff, 0xffff));
    run(60);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0xbd, "all paused");
    inject(pfc(0xff, 0));
    run(60);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0, "taken back");
    for (auto t : leaves(1000)) CHECK(t < 400, "left after %u", unsigned(t));
    // One after the other: each names its own
    inject(pfc(0x01, 0xffff)); inject(pfc(0x04, 0xffff)); inject(pfc(0x08, 0xffff)); inject(pfc(0x01, 0));
    run(80);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0x0c, "two of three");
    inject(pfc(0xff, 0));
    run(60);
    // What is no pause
    Bytes f = pfc(0xff, 0xffff);
    inject(f, true);
    for (unsigned o : {0u, 5u, 12u, 13u, 14u, 15u}) { Bytes g = f; g[o] ^= 1; inject(g); }
    inject(Bytes(f.begin(), f.begin() + 33));
    f.insert(f.begin() + 12, 4, 0); f[12] = 0x81;
    inject(f);
    run(200);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0, "paused by what is no pause");
    // Down and up again: nothing is left of it
    inject(pfc(0xff, 0xffff));
    run(60);
    pfc_up(0xff, 0, 0, 0, 0);
    a->write(OHCA_PORT_REG_CTRL, 0x80);
    settle();
    run(10);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0, "paused while down");
    quiet();
    CHECK(a->d->idle_o, "idle");
  }
  // Nobody releases: the peer is paused again and again until there is room.
  void pausing() {
    unsigned xoff = 100, xon = 20, time = 40, n = kBuf / 4200 + 5;
    a->full_speed();
    pfc_up(0, 0x2c, time, xoff, xon);
    for (unsigned k = 0; k < 2; k++) {
      forget();
      a->hold_release = true;
      eth::Path p = path();
      p.v6 = false; p.tag = false; p.dst = kGids[0].gid; p.dmac = kMac; p.src = kGids[0].gid;
      for (unsigned i = 0; i < n; i++) inject(eth::frame(p, bth(1, 4096)));
      until([&] { return a->rx.done(); }, 200000, "injected");
      run(3000);
      CHECK(out.size() >= 15, "%zu pauses", out.size());
      for (size_t i = 0; i < out.size(); i++) {
        Bytes w = pfc(0x2c, time);
        std::copy(kMac.begin(), kMac.end(), w.begin() + 6);
        for (unsigned c = 0; c < 8; c++) if (!(0x2c >> c & 1)) w[18 + 2 * c] = w[19 + 2 * c] = 0;
        CHECK(out[i].b == w, "pause %zu", i);
        if (i > 1) CHECK(out[i].at - out[i - 1].at >= 8 * time / 2 && out[i].at - out[i - 1].at <= 8 * time / 2 + 16, "again after %u",
                         unsigned(out[i].at - out[i - 1].at));
      }
      CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0x2c00, "pausing");
      size_t before = out.size();
      a->hold_release = false;
      until([&] { return a->empty() && a->d->idle_o; }, 200000, "idle");
      quiet();
      CHECK(out.size() > before, "no end of the pause");
      const Bytes &w = out.back().b;
      CHECK(w.size() == 60 && w[17] == 0x2c && std::all_of(w.begin() + 18, w.end(), [](uint8_t b) { return !b; }), "the end of the pause");
      CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0, "pausing");
      CHECK_EQ(a->count[OHCA_COUNTER_PFC_TX], out.size(), "counted");
      CHECK(got.size() == n && !a->count[OHCA_COUNTER_RX_OVERRUN], "%zu of %u packets", got.size(), n);
    }
    // Switched off in the middle of it
    a->hold_release = true;
    eth::Path p = path();
    p.v6 = false; p.tag = false; p.dst = kGids[0].gid; p.dmac = kMac; p.src = kGids[0].gid;
    for (unsigned i = 0; i < n; i++) inject(eth::frame(p, bth(1, 4096)));
    until([&] { return a->rx.done(); }, 200000, "injected");
    a->write(OHCA_PORT_REG_ETH_PFC, 0);
    run(1000);
    CHECK(reg(*a, OHCA_PORT_REG_ETH_STATE) == 0 && out.back().b[18 + 4] == 0 && out.back().b[19 + 4] == 0, "switched off");
    a->hold_release = false;
    until([&] { return a->empty() && a->d->idle_o; }, 200000, "idle");
    quiet();
  }

  // What each priority has in the wire buffer, and what the peer is told of it.
  struct Told { unsigned now = 0; uint64_t at = 0; size_t seen = 0; };
  static unsigned units(const Bytes &f) { return unsigned(f.size() + 63) / 64; }
  // Each pause names exactly those that are or were paused; one that changes nothing comes when half of the time is over, and not later.
  void hear(Told &t, unsigned time, std::function<void(unsigned ends, size_t i)> ended = nullptr) {
    for (; t.seen < out.size(); t.seen++) {
      const Bytes &w = out[t.seen].b;
      unsigned stop = 0;
      CHECK(w.size() == 60, "%zu bytes", w.size());
      for (unsigned p = 0; p < 8; p++) if (be16(w, 18 + 2 * p)) stop |= 1u << p;
      Bytes f = pfc(t.now | stop, time);
      std::copy(kMac.begin(), kMac.end(), f.begin() + 6);
      for (unsigned p = 0; p < 8; p++) if (!(stop >> p & 1)) f[18 + 2 * p] = f[19 + 2 * p] = 0;
      CHECK(w == f && (t.now | stop), "pause %zu: of %02x, before %02x", t.seen, stop, t.now);
      uint64_t gap = out[t.seen].at - t.at;
      if (t.now) CHECK(gap <= 8 * time / 2 + 16 && (stop != t.now || gap >= 8 * time / 2), "pause %zu after %u of %u", t.seen, unsigned(gap), 8 * time);
      if (ended) ended(t.now & ~stop, t.seen);
      t.now = stop;
      t.at = out[t.seen].at;
    }
  }
  void own_levels(bool whole) {
    auto &r = bench.rng;
    unsigned xoff = 40 + unsigned(r.below(80)), xon = unsigned(r.below(xoff)), time = 40 + unsigned(r.below(100));
    unsigned lim = 700, lim_on = 300 + unsigned(r.below(200)), en = 0x02 | unsigned(r.bits(8)) & 0xbe;     // neither 0 nor 6
    unsigned has[8] = {}, all = 0;
    std::vector<std::pair<unsigned, unsigned>> sent;                                     // priority, units
    Told told;
    uint64_t rxds = a->rxds;
    a->full_speed();
    pfc_up(0, en, time, whole ? lim : 0xffff, whole ? lim_on : 0, xon << 16 | xoff);
    a->hold_release = true;
    auto send = [&](unsigned prio, unsigned len) {
      eth::Path p = path();
      const Gid &g = kGids[prio ? 2 : 0];
      p.v6 = false; p.dst = g.gid; p.dmac = kMac; p.src = kGids[0].gid;
      p.tag = g.tag;
      p.tci = prio << 13 | g.vid;
      Bytes f = eth::frame(p, bth(4, len));
      inject(f);
      until([&] { return a->rx.done(); }, 2000, "injected");
      sent.push_back({prio, units(f)});
      has[prio] += units(f);
      all += units(f);
    };
    // Behind these, of no priority that is paused, nothing leaves the wire buffer.
    for (unsigned i = 0; i < kBuf / 4200 + 2; i++) send(0, 4096);
    run(1000);
    CHECK(out.empty(), "a pause for priority 0");
    for (all = 0; all < 400;) {
      unsigned prio = r.chance(30) ? 1 : 1 + unsigned(r.below(7)), want = 0;
      send(prio, r.chance(20) ? 4 * unsigned(r.below(1000)) : 4 * unsigned(r.below(80)));
      run(30);
      for (unsigned p = 0; p < 8; p++) if (en >> p & 1 && has[p] >= xoff) want |= 1u << p;
      hear(told, time);
      CHECK(told.now == want, "told of %02x, not %02x: priority 1 has %u, 2 %u of %u", told.now, want, has[1], has[2], xoff);
      CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE) >> 8, want, "pausing");
    }
    if (whole) {
      while (all < lim) send(r.chance(50) ? 0 : 6, 4096);
      run(30);
      hear(told, time);
      CHECK_EQ(told.now, en, "everybody is paused");
    }
    // Room again: each goes on when it has little left, but nobody while the whole is too full.
    bool some = false;
    unsigned was = told.now;
    a->hold_release = false;
    until([&] { return a->empty() && a->d->idle_o; }, 200000, "idle");
    quiet();
    hear(told, time, [&](unsigned ends, size_t i) {
      unsigned left[8] = {}, sum = 0;
      size_t first = out_rxds[i] - rxds;
      for (size_t k = first; k < sent.size(); k++) left[sent[k].first] += sent[k].second, sum += sent[k].second;
      some |= ends != 0;
      // A frame may have left in part, or not be a packet yet; the whole knows no rounding.
      if (whole && ends) CHECK(sum <= lim_on + 80 + sent.size() - first, "%02x ends with %u left in all, not %u", ends, sum, lim_on);
      for (unsigned p = 0; p < 8; p++) {
        if (!(ends >> p & 1)) continue;
        if (has[p] < xoff) CHECK(whole && sum + 20 >= lim_on, "priority %u, never too much, ends with %u left in all, not %u", p, sum, lim_on);
        else CHECK(left[p] <= xon + 80 && (whole || left[p] + 20 >= xon), "priority %u ends with %u left, not %u", p, left[p], xon);
      }
    });
    CHECK(!told.now && some == (was != 0), "%02x are still paused of %02x", told.now, was);
    CHECK_EQ(reg(*a, OHCA_PORT_REG_ETH_STATE), 0, "pausing");
    CHECK(got.size() == sent.size() && !a->count[OHCA_COUNTER_RX_OVERRUN], "%zu of %zu packets", got.size(), sent.size());
    CHECK_EQ(a->count[OHCA_COUNTER_PFC_TX], out.size(), "counted");
  }
  // With nothing in the wire buffer no priority has anything, whatever came through it.
  void nobody_has() {
    pfc_up(0, 0xff, 100, 0xffff, 0, 1);
    run(40);
    CHECK(reg(*a, OHCA_PORT_REG_ETH_STATE) == 0 && out.empty(), "pausing with an empty buffer");
    pfc_up(0, 0, 0, 0, 0);
  }
  // The link goes down in the middle of frames, and frames are shorter than a tag.
  void cuts() {
    auto &r = bench.rng;
    for (unsigned n = 0; n < 20; n++) {
      up();
      for (unsigned i = 0; i < 6; i++) {
        Bytes f = r.bytes(r.chance(40) ? 1 + r.below(24) : 60 + r.below(400));
        if (f.size() > 13 && r.chance(70)) f[12] = 0x81, f[13] = 0;
        inject(f);
      }
      run(unsigned(r.below(1200 / kB)));
      a->write(OHCA_PORT_REG_CTRL, 0x80);
      until([&] { return a->rx.done(); }, 2000, "injected");
      quiet();
    }
    nobody_has();
  }

  void modes() {
    auto &r = bench.rng;
    for (unsigned i = 0; i < 4; i++) {
      forget();
      // InfiniBand: a packet in and one out; Ethernet frames are nothing to it.
      a->write(OHCA_PORT_REG_CTRL, 0);
      a->write(OHCA_PORT_REG_LID, 0x10);
      a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, 1));
      settle();
      run(50);
      out.clear();
      inject(eth::hex(kVectors[0].hex));
      ib::Fields f;
      f.dlid = 0x10; f.slid = 0x99; f.payload = 100; f.op = 0x0a;
      inject(ib::with_crcs(ib::build(r, f, 1)), false, IB);
      f.dlid = 0x99; f.slid = 0x10;
      ib::Bytes fc;
      ib::put(fc, 0, 2); ib::put(fc, 64, 2);
      uint16_t c = ib::crc16(fc.data(), 4);
      fc.push_back(uint8_t(c)); fc.push_back(uint8_t(c >> 8));
      inject(fc, false, FC);
      ib::Bytes mine = ib::build(r, f, 2);
      beats_of(a->in.q, mine);
      quiet();
      until([&] { for (auto &q : out) if (q.kind == IB) return true; return false; }, 2000, "InfiniBand packet out");
      CHECK(got.size() == 1 && !got[0].eth && got[0].slid == 0x99, "InfiniBand packet in");
      unsigned n = 0;
      for (auto &q : out) if (q.kind == IB) { n++; CHECK(q.b == ib::with_crcs(mine), "InfiniBand packet out"); }
      CHECK_EQ(n, 1, "InfiniBand packets");
      // Ethernet, with a packet of the other kind in the way
      up();
      inject(ib::with_crcs(ib::build(r, f, 3)), false, IB);
      inject(eth::hex(kVectors[0].hex));
      quiet();
      CHECK(got.size() == 1 && got[0].eth, "frame in");
      run(30000);
      CHECK(out.empty(), "flow control on Ethernet");
      CHECK(a->d->idle_o && !a->d->next_valid_o, "idle");
    }
  }

  void speed() {
    up();
    a->full_speed();
    forget();
    eth::Path p = path();
    p.v6 = false; p.tag = false; p.dst = kGids[0].gid; p.dmac = kMac; p.src = kGids[0].gid;
    auto in_rate = [&](unsigned payload, unsigned n) {
      uint64_t r0 = a->rxds, first = 0;
      for (unsigned i = 0; i < n; i++) inject(eth::frame(p, bth(4, payload)));
      until([&] { if (!first && a->rxds > r0) first = a->now; return a->rxds == r0 + n; }, 400000, "receiving");
      double c = double(a->now - first) / (n - 1);
      quiet();
      return c;
    };
    auto beats = [&](unsigned payload) { return double((14 + 28 + 12 + payload + 4 + kB - 1) / kB); };
    double s = in_rate(8, 55), l = in_rate(4096, 20);
    printf("# in: 8 bytes %.2f cycles a packet of %.0f beats; 4096 bytes %.1f of %.0f\n", s, beats(8), l, beats(4096));
    // Preamble, FCS and gap of a frame are 24 bytes: at full rate the wire gives that much time.
    CHECK(s <= beats(8) + 24.0 / kB + 1 && l <= beats(4096) + 24.0 / kB + 1, "receive is slower than the wire");
    // The shortest packets, to the last entry of the table.
    p.tag = true; p.tci = 9;
    s = in_rate(0, 55);
    printf("# in: 0 bytes to GID %u %.2f cycles a packet\n", kLast, s);
    CHECK(s <= beats(4) + 24.0 / kB + 1, "receive is slower than the wire where the GID is the table's last");
    p.tag = false;
    auto out_rate = [&](unsigned payload, unsigned n) {
      size_t k = out.size();
      Bytes q = eth::internal(eth::frame(p, bth(4, payload), false), 0, 0, 5);
      for (unsigned i = 0; i < n; i++) beats_of(a->in.q, q);
      uint64_t first = 0;
      until([&] { if (!first && out.size() > k) first = a->now; return out.size() == k + n; }, 400000, "sending");
      return double(a->now - first) / (n - 1);
    };
    s = out_rate(8, 100); l = out_rate(4096, 20);
    printf("# out: 8 bytes %.2f cycles a packet, 4096 bytes %.1f\n", s, l);
    CHECK(s <= std::max(2.05, beats(8) + 24.0 / kB + 1) && l <= beats(4096) + 24.0 / kB + 1, "transmit is slower than the wire");
    // Latency: last beat on the wire to the descriptor
    quiet();
    inject(eth::frame(p, bth(4, 8)));
    quiet();
    printf("# last beat in to descriptor %u cycles\n", unsigned(a->last_rxd - a->last_rx_beat));
    CHECK(a->last_rxd - a->last_rx_beat <= 40, "latency");
  }
};

int main(int argc, char **argv) {
  const char *more = getenv("ETH_FRAMES");
  unsigned frames = more ? unsigned(atoi(more)) : 800;
  Rig t(argc, argv, frames > 800 ? 110 + frames / 10 : 110);
  t.vectors();
  t.filters();
  t.sources();
  t.speed();
  for (unsigned i = 0; i < 2; i++) {
    t.transmit(150);
    t.loopback(60);
    t.receive(frames);
    t.a->random_speed();
    t.a->rx.pace.always(1);
  }
  t.full();
  t.pauses();
  t.nobody_has();
  t.pausing();
  for (unsigned i = 0; i < 6; i++) t.own_levels(i & 1);
  t.cuts();
  t.a->random_speed();
  t.a->rx.pace.always(1);
  t.up(1, 3);                                // MTU 1024
  t.receive(300);
  t.modes();
  t.nobody_has();
  return t.bench.finish();
}
