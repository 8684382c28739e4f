// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Bitwise reference for ICRC and VCRC, and the vectors as byte strings.
#ifndef CRC_REF_H
#define CRC_REF_H
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "crc_vectors.h"

using Bytes = std::vector<uint8_t>;

inline uint32_t crc_ref(const uint8_t *p, size_t n, uint32_t seed, uint32_t poly) {
  for (; n--; p++) {
    seed ^= *p;
    for (int i = 0; i < 8; i++) seed = (seed >> 1) ^ (seed & 1 ? poly : 0);
  }
  return seed;
}
inline uint32_t crc32_ref(const Bytes &b, uint32_t seed = 0xffffffff) { return ~crc_ref(b.data(), b.size(), seed, 0xedb88320); }
inline uint16_t crc16_ref(const Bytes &b) { return uint16_t(~crc_ref(b.data(), b.size(), 0xffff, 0xd008)); }

inline Bytes from_hex(const char *h) {
  Bytes b;
  for (; h[0] && h[1]; h += 2) {
    char s[3] = {h[0], h[1], 0};
    b.push_back(uint8_t(strtoul(s, nullptr, 16)));
  }
  return b;
}

// The packet as its ICRC sees it, written from the rules, one byte at a time (modes as in crc_vectors.h).
inline Bytes icrc_view(Bytes p, int mode) {
  auto set = [&](size_t i, uint8_t m = 0xff) { if (i < p.size()) p[i] |= m; };
  size_t bth = 8;
  if (mode == 0 && (p[1] & 3) == 3) {
    for (int i = 0; i < 8; i++) set(i);
    set(8, 0x0f); set(9); set(10); set(11); set(15);
    bth = 48;
  } else if (mode == 0) {
    set(0, 0xf0);
  } else if (mode == 1) {
    set(1); set(8); set(10); set(11); set(26); set(27);
    bth = 28;
  } else {
    set(0, 0x0f); set(1); set(2); set(3); set(7); set(46); set(47);
    bth = 48;
  }
  set(bth + 4);
  if (mode) p.insert(p.begin(), 8, 0xff);
  return p;
}
inline uint32_t icrc_ref(const Bytes &p, int mode) { return crc32_ref(icrc_view(p, mode)); }
inline void append(Bytes &b, uint32_t v, int n) { for (int i = 0; i < n; i++) b.push_back(uint8_t(v >> 8 * i)); }
#endif
