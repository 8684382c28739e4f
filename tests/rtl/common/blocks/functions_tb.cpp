// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The functions of ohca_fmt_pkg against the tables of the specification and plain arithmetic.
// dut: ohca_functions -- -Wno-UNUSEDSIGNAL
#include "Vdut.h"
#include "tb.h"

// AETH credit codes; the last one means unlimited.
static const unsigned kCredits[31] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
                                      3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
// RNR timer codes in units of 10 us.
static const unsigned kRnr[32] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
                                  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  b.reset();
  for (uint64_t n = 0; n < b.cycles; n++) {
    uint8_t a[20];
    for (auto &x : a) x = uint8_t(b.rng.next());
    uint32_t v = uint32_t(b.rng.next());
    uint64_t a64;
    memcpy(&a64, a, 8);
    if (n % 3 == 0) {                       // sizes around packet boundaries, counts around credit steps, near PSNs
      uint32_t m = 128u << b.rng.range(1, 5);
      a64 = m * b.rng.range(0, 0x80000000u / m) + b.rng.range(0, 2) - 1;
      if (a64 > 0x80000000u) a64 = 0;
      if (b.rng.chance(30)) a64 = kCredits[b.rng.below(31)] + b.rng.range(0, 2) - 1;
      a64 &= 0xffffffff;
      v = b.rng.chance(50) ? uint32_t(a64 + b.rng.range(0, 4) - 2) : uint32_t(a64 + 0x7ffffe + b.rng.range(0, 4));
    } else if (n % 3 == 1) {
      a64 &= 0xffffffff7fffffffull;         // npkts is defined up to 2^31
    }
    memcpy(a, &a64, 8);
    uint32_t a32 = uint32_t(a64);
    b.progress();
    b.cycle(
        [&] {
          memcpy(b->a_i.data(), a, 20);
          b->b_i = v;
        },
        [&] {
          uint32_t d = (a32 - v) & 0xffffff;
          CHECK_EQ(b->diff_o, d, "psn_diff");
          CHECK_EQ(b->lt_o, d >= 0x800000, "psn_lt");
          CHECK_EQ(b->le_o, ((v - a32) & 0xffffff) < 0x800000, "psn_le");
          CHECK_EQ(b->pos_o, uint16_t(a32 - v) >= 0x8000, "pos_lt");
          CHECK_EQ(b->time_o, uint32_t(a32 - v) >= 0x80000000u, "time_lt");
          unsigned code = v & 7, mtu = code >= 2 && code <= 5 ? 128u << code : 256;
          CHECK_EQ(b->mtu_o, mtu, "mtu_bytes");
          if (a32 <= 0x80000000u) CHECK_EQ(b->npkts_o, a32 ? (uint64_t(a32) + mtu - 1) / mtu : 1, "npkts");
          CHECK_EQ(b->pad_o, (4 - a32 % 4) % 4, "padcnt");
          CHECK_EQ(b->mask_o, tb::keep_mask(v & 127), "keep_mask");
          CHECK_EQ(b->count_o, __builtin_popcountll(a64), "keep_count");
          unsigned c = v & 31;
          if (c < 31) CHECK_EQ(b->credits_o, kCredits[c], "credit_decode");
          unsigned want = 0;
          for (unsigned i = 0; i < 31; i++) if (kCredits[i] <= (a32 & 0xffff)) want = i;
          CHECK_EQ(b->code_o, want, "credit_encode");
          CHECK_EQ(b->rnr_o, kRnr[c], "rnr_timer");
          uint32_t s = 0;
          for (int i = 0; i < 20; i += 2) s += a[i] | a[i + 1] << 8;
          while (s >> 16) s = (s & 0xffff) + (s >> 16);
          CHECK_EQ(b->csum_o, uint16_t(~s), "ipv4_csum");
          uint32_t fl = a32 & 0xfffff;
          CHECK_EQ(b->sport_o, ((fl & 0x3fff) ^ (fl >> 14)) | 0xc000, "flow_sport");
          uint8_t sw[16];
          tb::get_bytes(b->swap_o, sw, 16);
          for (int i = 0; i < 16; i++) CHECK_EQ(sw[i], a[15 - i], "bswap128");
          CHECK_EQ(b->swap2_o, uint64_t(__builtin_bswap16(uint16_t(a32))) << 32 | __builtin_bswap32(a32), "bswap16, bswap32");
        });
  }
  return b.finish();
}
