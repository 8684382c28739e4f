// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// InfiniBand packets for the link tests: building them, and their CRCs bit by bit, independent of the RTL's matrices.
#ifndef OHCA_IBPKT_H
#define OHCA_IBPKT_H

#include "tb.h"

namespace ib {

using Bytes = std::vector<uint8_t>;

inline uint32_t crc(uint32_t reg, uint32_t poly, const uint8_t *p, size_t n) {
  while (n--) {
    reg ^= *p++;
    for (int i = 0; i < 8; i++) reg = (reg >> 1) ^ ((reg & 1) ? poly : 0);
  }
  return reg;
}
inline uint16_t crc16(const uint8_t *p, size_t n) { return uint16_t(~crc(0xffff, 0xd008, p, n)); }

// p: LRH to pad. Bits that change on the way count as ones.
inline uint32_t icrc(const Bytes &p) {
  Bytes m = p;
  size_t bth = 8;
  if ((m[1] & 3) == 3) {
    for (int i = 0; i < 8; i++) m[i] = 0xff;
    m[8] |= 0x0f;
    m[9] = m[10] = m[11] = m[15] = 0xff;
    bth = 48;
  } else m[0] |= 0xf0;
  if (m.size() > bth + 4) m[bth + 4] = 0xff;
  return ~crc(0xffffffff, 0xedb88320, m.data(), m.size());
}
inline Bytes with_crcs(Bytes p) {
  uint32_t c = icrc(p);
  for (int i = 0; i < 4; i++) p.push_back(uint8_t(c >> 8 * i));
  uint16_t v = crc16(p.data(), p.size());
  p.push_back(uint8_t(v));
  p.push_back(uint8_t(v >> 8));
  return p;
}
inline void put(Bytes &p, uint64_t v, int n) { while (n--) p.push_back(uint8_t(v >> 8 * n)); }

inline int ext_bytes(uint8_t op) {
  switch (op >> 5) {
    case 0: case 1: {
      static const uint8_t t[32] = {0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, 0, 4, 4, 0, 0, 0, 0, 20, 16, 0, 0};
      return t[op & 31];
    }
    case 3: return (op & 31) == 4 ? 8 : (op & 31) == 5 ? 12 : 0;
    default: return 0;
  }
}

struct Fields {
  unsigned vl = 0, sl = 0, lver = 0, op = 4;
  bool grh = false;
  uint16_t dlid = 2, slid = 1;
  uint32_t payload = 0;
};

// LRH to pad; the first eight payload bytes carry `serial` when there is room, the rest is random.
inline Bytes build(tb::Rng &r, const Fields &f, uint32_t serial) {
  Bytes p;
  unsigned ext = ext_bytes(uint8_t(f.op)), pad = (4 - f.payload % 4) % 4;
  unsigned total = 8 + (f.grh ? 40 : 0) + 12 + ext + f.payload + pad + 4;
  put(p, f.vl << 4 | f.lver, 1);
  put(p, f.sl << 4 | (f.grh ? 3 : 2), 1);
  put(p, f.dlid, 2);
  put(p, total / 4, 2);
  put(p, f.slid, 2);
  if (f.grh) {
    put(p, 0x60000000 | r.bits(28), 4);
    put(p, total - 48, 2);
    put(p, 0x1b, 1);
    put(p, r.bits(8), 1);
    for (int i = 0; i < 32; i++) put(p, r.bits(8), 1);
  }
  put(p, f.op, 1);
  put(p, r.bits(2) << 6 | pad << 4, 1);
  put(p, r.bits(16), 2);
  put(p, r.bits(32), 4);
  put(p, serial, 4);                       // AckReq, PSN: says who the packet is
  for (unsigned i = 0; i < ext; i++) put(p, r.bits(8), 1);
  for (unsigned i = 0; i < f.payload; i++) put(p, r.bits(8), 1);
  for (unsigned i = 0; i < pad; i++) put(p, 0, 1);
  return p;
}
inline uint32_t serial_of(const Bytes &p) {
  size_t b = (p[1] & 3) == 3 ? 48 : 8;
  return uint32_t(p[b + 8]) << 24 | p[b + 9] << 16 | p[b + 10] << 8 | p[b + 11];
}

}  // namespace ib
#endif
