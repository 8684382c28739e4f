// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt_regs
// Any register written at any time, the PHY's link coming and going: what each output shows is what was written last, pulses are one cycle long, a change of the link
// is kept until it is read, the upper half of the time is that of the lower half's read, and random numbers never stay.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  const unsigned REGS[] = {OHCA_M_SYS_WAKE_LO, OHCA_M_SYS_WAKE_HI, OHCA_M_SYS_FW_VERSION, OHCA_M_SYS_STATUS, OHCA_M_SYS_HEALTH, OHCA_M_SYS_CMD_IMM,
                           OHCA_M_SYS_CMD_DONE, OHCA_M_SYS_ICM_CHUNK, OHCA_M_SYS_ICM_HI, OHCA_M_SYS_ICM_LO, OHCA_M_SYS_PHY, OHCA_M_SYS_CONSOLE};
  std::map<unsigned, uint32_t> v;                    // what is known
  for (unsigned r : {OHCA_M_SYS_FW_VERSION, OHCA_M_SYS_STATUS, OHCA_M_SYS_HEALTH}) v[r] = 0;
  v[OHCA_M_SYS_WAKE_LO] = ~0u;
  uint64_t wake = ~0ull, now = rng.bits(40), icm = 0;
  uint32_t base[4] = {}, limit[4] = {}, now_hi = 0, last_rand = 0;
  bool have_hi = false, done = false, icm_we = false, con = false, hold = false, reset = false, evt = false, link = false, seen = false, icm_known = false;
  uint64_t writes = 0, events = 0, same = 0;
  d.wr_i = d.rd_i = d.phy_link_up_i = 0;
  d.now_i = now;
  d.strap_guid_i = rng.bits(64);
  b.reset();
  b.idle(1);                                         // what is not reset follows from what is
  for (uint64_t k = 0; k < b.cycles * 2; k++) {
    b.cycle([&] {
      now += rng.chance(1) ? rng.bits(33) : 1;
      d.now_i = now;
      d.wr_i = rng.chance(40);
      d.rd_i = !d.wr_i && rng.chance(30);
      d.wdata_i = uint32_t(rng.bits(32));
      d.off_i = rng.chance(60) ? REGS[rng.below(std::size(REGS))] : rng.chance(30) ? OHCA_M_SYS_TBL_BASE + 4 * unsigned(rng.below(4))
              : rng.chance(50) ? OHCA_M_SYS_TBL_LIMIT + 4 * unsigned(rng.below(4)) : unsigned(rng.bits(8)) << 2;
      if (d.rd_i && rng.chance(50)) d.off_i = rng.chance(50) ? OHCA_M_SYS_NOW_LO : OHCA_M_SYS_PHY;
      if (rng.chance(3)) link = !link;
      d.phy_link_up_i = link;
    }, [&] {
      b.progress();
      CHECK_EQ(d.fw_version_o, v[OHCA_M_SYS_FW_VERSION], "version");
      CHECK_EQ(d.status_o, v[OHCA_M_SYS_STATUS], "status");
      CHECK_EQ(d.health_o, v[OHCA_M_SYS_HEALTH], "health");
      CHECK_EQ(d.wake_o, wake, "when to wake");
      if (v.count(OHCA_M_SYS_CMD_IMM)) CHECK_EQ(d.cmd_imm_o, v[OHCA_M_SYS_CMD_IMM], "immediate result");
      CHECK_EQ(d.cmd_done_o, done, "command done");
      if (done) CHECK_EQ(d.cmd_status_o, v[OHCA_M_SYS_CMD_DONE] & 0xff, "status of the command");
      CHECK_EQ(d.icm_we_o, icm_we, "entry of a chunk");
      if (icm_we && v.count(OHCA_M_SYS_ICM_CHUNK)) CHECK_EQ(d.icm_chunk_o, v[OHCA_M_SYS_ICM_CHUNK] & 0xffff, "chunk");
      if (icm_we && icm_known) {
        CHECK_EQ(d.icm_addr_o, icm >> 18, "chunk's address");
        CHECK_EQ(d.icm_valid_o, icm & 1, "chunk there");
      }
      CHECK_EQ(d.con_valid_o, con, "character");
      if (con) CHECK_EQ(d.con_o, v[OHCA_M_SYS_CONSOLE] & 0xff, "which");
      CHECK_EQ(d.phy_reset_o, reset, "reset of the PHY");
      CHECK_EQ(d.phy_evt_o, evt, "the link changed");
      CHECK_EQ(d.busy_o, done || icm_we || con || seen != link || reset != hold, "busy");
      if (have_hi) CHECK_EQ(d.now_hi_o, now_hi, "upper half");
      for (int i = 0; i < 4; i++) {
        CHECK_EQ(uint64_t(d.tbl_base_o) >> (16 * i) & 0xffff, base[i], "table's chunk");
        CHECK_EQ(d.tbl_limit_o[i], limit[i], "table's entries");
      }
      same += d.rand_o == last_rand;
      last_rand = d.rand_o;

      done = icm_we = con = false;
      reset = hold;
      if (seen != link) { evt = true; events++; }
      else if (d.rd_i && d.off_i == OHCA_M_SYS_PHY) evt = false;
      seen = link;
      if (d.rd_i && d.off_i == OHCA_M_SYS_NOW_LO) { now_hi = uint32_t(now >> 32); have_hi = true; }
      if (!d.wr_i) return;
      writes++;
      uint32_t x = d.wdata_i;
      v[d.off_i] = x;
      if (d.off_i == OHCA_M_SYS_WAKE_HI) wake = uint64_t(x) << 32 | v[OHCA_M_SYS_WAKE_LO];
      if (d.off_i == OHCA_M_SYS_CMD_DONE) done = true;
      if (d.off_i == OHCA_M_SYS_CONSOLE) con = true;
      if (d.off_i == OHCA_M_SYS_ICM_LO) {
        icm_we = true;
        icm_known = v.count(OHCA_M_SYS_ICM_HI);
        icm = uint64_t(v[OHCA_M_SYS_ICM_HI]) << 32 | x;
        if (!icm_known) v.erase(OHCA_M_SYS_ICM_HI);
      }
      if (d.off_i == OHCA_M_SYS_PHY) { reset = x & 3; hold = x >> 1 & 1; }
      for (unsigned i = 0; i < 4; i++) {
        if (d.off_i == OHCA_M_SYS_TBL_BASE + 4 * i) base[i] = x & 0xffff;
        if (d.off_i == OHCA_M_SYS_TBL_LIMIT + 4 * i) limit[i] = x;
      }
    });
  }
  printf("# %llu writes, the link changed %llu times\n", (unsigned long long)writes, (unsigned long long)events);
  CHECK(same < 3, "random numbers repeat");
  GOAL(writes > 1000 && events > 20);
  return b.finish();
}
