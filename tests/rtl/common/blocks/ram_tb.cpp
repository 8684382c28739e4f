// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ram_tdp2r (two ohca_ram_sdp) against an array: byte enables, held read data, old data when read and write collide.
// dut: ohca_ram_tdp2r Width=32 Depth=13 BeWidth=8
// dut: ohca_ram_tdp2r Width=32 Depth=4
// dut: ohca_ram_tdp2r Width=32 Depth=4 BeWidth=16 OldData=0
#include "Vdut.h"
#include "tb.h"

#ifndef TB_BE_WIDTH
#define TB_BE_WIDTH 32
#endif
#ifndef TB_OLD_DATA
#define TB_OLD_DATA 1
#endif

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  const unsigned nbe = 32 / TB_BE_WIDTH;
  uint32_t mem[TB_DEPTH];
  bool known[TB_DEPTH][4] = {};
  uint32_t out[2] = {}, mask[2] = {};      // what the read ports must show, and which bits of it are known
  uint64_t collisions = 0;
  while (b.now() < b.cycles) {
    b.progress();
    b.cycle(
        [&] {
          b->wr_en_i = b.rng.chance(60);
          b->wr_be_i = b.rng.bits(nbe);
          b->wr_addr_i = b.rng.below(TB_DEPTH);
          b->wr_data_i = uint32_t(b.rng.next());
          b->rd0_en_i = b.rng.chance(60);
          b->rd0_addr_i = b.rng.below(TB_DEPTH);
          b->rd1_en_i = b.rng.chance(60);
          b->rd1_addr_i = b.rng.chance(50) ? b->wr_addr_i : b.rng.below(TB_DEPTH);
        },
        [&] {
          CHECK_EQ(b->rd0_data_o & mask[0], out[0] & mask[0], "rd0_data_o");
          CHECK_EQ(b->rd1_data_o & mask[1], out[1] & mask[1], "rd1_data_o");
          for (int p = 0; p < 2; p++) {
            if (!(p ? b->rd1_en_i : b->rd0_en_i)) continue;
            unsigned a = p ? b->rd1_addr_i : b->rd0_addr_i;
            bool hit = b->wr_en_i && b->wr_be_i && a == b->wr_addr_i;
            out[p] = mem[a];
            mask[p] = 0;
            for (unsigned i = 0; i < nbe; i++) mask[p] |= known[a][i] ? uint32_t(tb::keep_mask(TB_BE_WIDTH)) << i * TB_BE_WIDTH : 0;
#ifdef TB_NETLIST
            if (hit && !TB_OLD_DATA) mask[p] = 0;          // undefined; only a simulation of the source poisons it
#else
            if (hit && !TB_OLD_DATA) out[p] = ~out[p];
#endif
            collisions += hit;
          }
          if (b->wr_en_i)
            for (unsigned i = 0; i < nbe; i++)
              if (b->wr_be_i >> i & 1) {
                uint32_t m = uint32_t(tb::keep_mask(TB_BE_WIDTH)) << i * TB_BE_WIDTH;
                mem[b->wr_addr_i] = (mem[b->wr_addr_i] & ~m) | (b->wr_data_i & m);
                known[b->wr_addr_i][i] = true;
              }
        });
  }
  GOAL(collisions > 1000);
  return b.finish();
}
