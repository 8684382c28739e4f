// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// IPoIB datagrams (RFC 4391) for tests: random ones with every kind of fault, and what is right about them, byte by byte as RFC 791, 768, 9293 and 8200 say.
#ifndef OHCA_IPOIB_H
#define OHCA_IPOIB_H

#include "tb.h"

namespace ipoib {

using Bytes = std::vector<uint8_t>;

inline unsigned be16(const Bytes &p, size_t at) { return unsigned(p[at]) << 8 | p[at + 1]; }
inline void set16(Bytes &p, size_t at, unsigned v) { p[at] = uint8_t(v >> 8); p[at + 1] = uint8_t(v); }

// Ones' complement sum of big-endian words, carry at once; a field of two bytes at `skip` counts as zero.
inline unsigned sum(const Bytes &p, size_t from, size_t to, size_t skip = ~size_t(0), unsigned s = 0) {
  for (size_t i = from; i < to; i += 2) {
    s += i == skip ? 0 : unsigned(p[i]) << 8 | (i + 1 < to ? p[i + 1] : 0);
    if (s > 0xffff) s -= 0xffff;
  }
  return s;
}

// What is in a payload that begins with the encapsulation header.
struct Found {
  bool v4 = false, l4 = false, udp = false, ok = false;
  size_t sum4_at = 0, sum_at = 0;            // where the checksums are
  unsigned sum4 = 0, sum = 0;                // what they have to be
};
inline Found look(const Bytes &p) {
  Found f;
  if (p.size() < 24) return f;
  size_t l4 = 0, end = 0, adr = 0, n_adr = 0;
  unsigned proto = 0;
  bool whole = true;
  if (be16(p, 0) == 0x0800 && p[4] >> 4 == 4) {
    size_t ihl = (p[4] & 15) * 4, total = be16(p, 6);
    if (ihl < 20 || total < ihl || 4 + total > p.size()) return f;
    f.v4 = true;
    f.sum4_at = 14;
    f.sum4 = 0xffff & ~sum(p, 4, 4 + ihl, 14);
    whole = (be16(p, 10) & 0x3fff) == 0;
    proto = p[13];
    l4 = 4 + ihl;
    end = 4 + total;
    adr = 16;
    n_adr = 8;
  } else if (be16(p, 0) == 0x86dd && p[4] >> 4 == 6 && p.size() >= 44) {
    end = 44 + be16(p, 8);
    if (end > p.size()) return f;
    proto = p[10];
    l4 = 44;
    adr = 12;
    n_adr = 32;
  } else return f;
  if (!whole || (proto != 6 && proto != 17) || end - l4 < (proto == 6 ? 20 : 8)) return f;
  f.udp = proto == 17;
  if (f.udp && be16(p, l4 + 4) != end - l4) return f;
  f.l4 = true;
  f.sum_at = l4 + (f.udp ? 6 : 16);
  unsigned s = sum(p, adr, adr + n_adr);
  s = sum(p, l4, end, f.sum_at, (s + proto + unsigned(end - l4)) % 0xffff);
  f.sum = 0xffff & ~s;
  auto same = [](unsigned a, unsigned b) { return a % 0xffff == b % 0xffff; };
  f.ok = same(be16(p, f.sum_at), f.sum) && !(f.udp && !be16(p, f.sum_at)) && (!f.v4 || same(be16(p, f.sum4_at), f.sum4));
  if (f.udp && !f.sum) f.sum = 0xffff;
  return f;
}

// A payload; most have something to be summed, and most of these are right.
inline Bytes random(tb::Rng &r, size_t most = 4096) {
  unsigned c = unsigned(r.below(100));
  size_t room = r.chance(80) ? r.range(0, 160) : r.range(0, most - 120);
  if (c < 6) return r.bytes(r.range(0, most));
  bool v6 = c >= 65;
  size_t ihl = v6 ? 40 : r.chance(70) ? 20 : 4 * r.range(6, 15);
  unsigned proto = r.chance(45) ? 6 : r.chance(85) ? 17 : unsigned(r.bits(8));
  size_t l4n = room + (r.chance(92) ? (proto == 6 ? 20 : 8) : 0);
  Bytes p = r.bytes(4 + ihl + l4n);
  set16(p, 0, v6 ? 0x86dd : 0x0800);
  if (r.chance(4)) set16(p, 0, r.chance(50) ? (v6 ? 0x0800 : 0x86dd) : unsigned(r.bits(16)));
  p[4] = uint8_t(v6 ? 0x60 | r.bits(4) : 0x40 | ihl / 4);
  if (r.chance(3)) p[4] = uint8_t(r.next());
  if (v6) {
    set16(p, 8, unsigned(l4n));
    p[10] = uint8_t(proto);
  } else {
    set16(p, 6, unsigned(ihl + l4n));
    set16(p, 10, r.chance(85) ? unsigned(r.bits(1)) << 14 : r.chance(50) ? 0x2000 | unsigned(r.bits(1)) << 14 : unsigned(r.bits(16)));
    p[13] = uint8_t(proto);
  }
  size_t l4 = 4 + ihl;
  if (proto == 17 && l4n >= 8) set16(p, l4 + 4, unsigned(l4n));
  // Payloads whose checksum comes out as all ones or none: the last even word makes up for the rest.
  Found f = look(p);
  if (f.l4 && r.chance(10) && l4n >= (f.udp ? 10u : 22u)) {
    size_t at = l4 + (l4n - 2) / 2 * 2;
    set16(p, at, 0);
    set16(p, at, look(p).sum == 0xffff && f.udp ? 0 : look(p).sum);
    f = look(p);
  }
  if (f.v4) set16(p, f.sum4_at, f.sum4);
  if (f.l4) set16(p, f.sum_at, f.sum);
  if (f.l4 && !f.udp && !f.sum && r.chance(50)) set16(p, f.sum_at, 0xffff);   // the other form of zero
  if (f.l4 && f.udp && r.chance(8)) set16(p, f.sum_at, 0);
  // Faults
  if (f.v4 && r.chance(6)) p[f.sum4_at + r.bits(1)] ^= uint8_t(1 << r.below(8));
  if (f.l4 && r.chance(10)) p[r.range(4, p.size() - 1)] ^= uint8_t(1 << r.below(8));
  if (f.l4 && r.chance(4)) { size_t a = r.range(l4, p.size() - 1), b = r.range(l4, p.size() - 1); std::swap(p[a], p[b]); }
  if (f.l4 && r.chance(3)) set16(p, v6 ? 8 : 6, be16(p, v6 ? 8 : 6) + unsigned(r.range(1, 40)) - 20);
  if (r.chance(4)) p.resize(r.range(0, p.size()));
  else if (r.chance(15)) for (unsigned n = unsigned(r.range(1, 40)); n--;) p.push_back(uint8_t(r.next()));   // behind the datagram
  if (p.size() > most) p.resize(most);
  return p;
}

// A packet around it, LRH to pad; the Ethernet port's internal form (docs/roce.md) has its IP and UDP headers random, as nobody looks at them here.
struct Form { bool eth = false, more = false, imm = false; unsigned op = 0x64; };
inline Form form(tb::Rng &r, bool roce) {
  Form f;
  f.eth = roce && r.chance(30);
  f.more = r.chance(50);
  f.imm = r.chance(30);
  f.op = r.chance(85) ? 0x64 + f.imm : r.chance(50) ? 0x04 : unsigned(r.bits(8));
  if ((f.op & 0xfe) == 0x64) f.op = 0x64 + f.imm;
  return f;
}
inline size_t start(const Form &f) { return (f.eth ? (f.more ? 76 : 56) : f.more ? 48 : 8) + 12 + 8 + (f.imm ? 4 : 0); }
inline Bytes packet(tb::Rng &r, const Form &f, const Bytes &payload) {
  Bytes p = r.bytes(start(f));
  size_t bth = start(f) - 20 - (f.imm ? 4 : 0), pad = (4 - payload.size() % 4) % 4;
  p[1] = uint8_t((p[1] & 0xf0) | (f.eth ? f.more : f.more ? 3 : 2));
  p.insert(p.end(), payload.begin(), payload.end());
  p.insert(p.end(), pad, 0);
  set16(p, 4, unsigned(p.size() + 4) / 4 | unsigned(r.bits(5)) << 11);
  p[bth] = uint8_t(f.op);
  p[bth + 1] = uint8_t((p[bth + 1] & 0xcf) | pad << 4);
  return p;
}
inline bool is_ud(const Form &f) { return (f.op & 0xfe) == 0x64; }

}  // namespace ipoib
#endif
