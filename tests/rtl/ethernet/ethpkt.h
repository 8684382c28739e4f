// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// RoCEv2 frames for the tests: building them field by field, their ICRC bit by bit, the internal form of docs/roce.md.
#ifndef OHCA_ETHPKT_H
#define OHCA_ETHPKT_H

#include "tb.h"

namespace eth {

using Bytes = std::vector<uint8_t>;

inline void put(Bytes &p, uint64_t v, int n) { while (n--) p.push_back(uint8_t(v >> 8 * n)); }
inline void add(Bytes &p, const Bytes &q) { p.insert(p.end(), q.begin(), q.end()); }
inline unsigned be16(const Bytes &p, size_t o) { return unsigned(p[o]) << 8 | p[o + 1]; }
inline uint32_t crc32(const Bytes &p) {
  uint32_t c = 0xffffffff;
  for (uint8_t x : p) {
    c ^= x;
    for (int i = 0; i < 8; i++) c = (c >> 1) ^ ((c & 1) ? 0xedb88320 : 0);
  }
  return ~c;
}
inline uint16_t checksum(const uint8_t *p, size_t n) {
  uint32_t s = 0;
  for (size_t i = 0; i + 1 < n; i += 2) s += unsigned(p[i]) << 8 | p[i + 1];
  while (s >> 16) s = (s & 0xffff) + (s >> 16);
  return uint16_t(~s);
}

// p: from the IP header to the pad bytes. What routers change counts as ones, and eight bytes of ones stand for the LRH.
inline uint32_t icrc(const Bytes &p) {
  Bytes m(8, 0xff);
  add(m, p);
  uint8_t *q = m.data() + 8;
  size_t n = p.size(), udp;
  if (p[0] >> 4 == 4) {
    q[1] = q[8] = q[10] = q[11] = 0xff;
    udp = 4u * (p[0] & 15);
  } else {
    q[0] |= 0x0f;
    q[1] = q[2] = q[3] = q[7] = 0xff;
    udp = 40;
  }
  for (size_t i : {udp + 6, udp + 7, udp + 12}) if (i < n) q[i] = 0xff;
  return crc32(m);
}
inline void add_icrc(Bytes &frame, size_t ip_at) {
  uint32_t c = icrc(Bytes(frame.begin() + ip_at, frame.end()));
  for (int i = 0; i < 4; i++) frame.push_back(uint8_t(c >> 8 * i));
}

struct Path {
  Bytes dmac = Bytes(6), smac = Bytes(6), src = Bytes(16), dst = Bytes(16);      // addresses as GIDs
  bool tag = false, v6 = false;
  unsigned tci = 0, tos = 0, ttl = 64, flow = 0, sport = 0xc000, udp_sum = 0, id = 0;
};

// ib: BTH to pad. The frame without ICRC, or with it.
inline Bytes frame(const Path &p, const Bytes &ib, bool with_icrc = true) {
  Bytes f = p.dmac;
  add(f, p.smac);
  if (p.tag) { put(f, 0x8100, 2); put(f, p.tci, 2); }
  put(f, p.v6 ? 0x86dd : 0x0800, 2);
  size_t at = f.size(), ul = 8 + ib.size() + 4;
  if (p.v6) {
    put(f, 6u << 28 | p.tos << 20 | p.flow, 4);
    put(f, ul, 2); put(f, 17, 1); put(f, p.ttl, 1);
    add(f, p.src);
    add(f, p.dst);
  } else {
    put(f, 0x45, 1); put(f, p.tos, 1); put(f, ul + 20, 2);
    put(f, p.id, 2); put(f, 0x4000, 2);
    put(f, p.ttl, 1); put(f, 17, 1); put(f, 0, 2);
    f.insert(f.end(), p.src.begin() + 12, p.src.end());
    f.insert(f.end(), p.dst.begin() + 12, p.dst.end());
    uint16_t c = checksum(&f[at], 20);
    f[at + 10] = uint8_t(c >> 8);
    f[at + 11] = uint8_t(c);
  }
  put(f, p.sport, 2); put(f, 4791, 2); put(f, ul, 2); put(f, p.udp_sum, 2);
  add(f, ib);
  if (with_icrc) add_icrc(f, at);
  return f;
}

// The internal form of a frame without ICRC, up to the pad bytes.
inline Bytes internal(const Bytes &f, unsigned vl, unsigned sl, unsigned dlid) {
  bool tag = be16(f, 12) == 0x8100;
  size_t pre = tag ? 10 : 14;
  Bytes o;
  put(o, vl << 4 | tag, 1);
  put(o, sl << 4 | (be16(f, tag ? 16 : 12) == 0x86dd), 1);
  put(o, dlid, 2);
  put(o, (pre + f.size() + 4) / 4, 2);
  put(o, 0, 2);
  o.resize(pre, 0);
  add(o, f);
  return o;
}

inline Bytes hex(const char *s) {
  Bytes b;
  for (; s[0] && s[1]; s += 2) {
    unsigned v;
    sscanf(s, "%2x", &v);
    b.push_back(uint8_t(v));
  }
  return b;
}

}  // namespace eth
#endif
