// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_port against a model of its register map: reset values, every register and table, look-ups, counters under fire, sticky events, watchdog.
// dut: ohca_port NumVl=4
// dut: ohca_port NumVl=1
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

static constexpr unsigned kVl = TB_NUM_VL;
static const char *const kCnt[] = {"xmit_data", "xmit_pkts", "rcv_data", "rcv_pkts", "xmit_mcast", "rcv_mcast", "rcv_err", "rcv_remote_phys", "rcv_vcrc", "rcv_icrc",
                                   "lpcrc", "xmit_discards", "vl15_dropped", "xmit_wait", "overrun", "symbol_err", "bad_pkey", "bad_qkey", "fc_xmit", "fc_rcv"};
static constexpr unsigned kNum = sizeof kCnt / sizeof *kCnt;

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &r = b.rng;
  uint64_t now = 1000, want[kNum] = {};
  uint32_t events = 0;
  bool fire = false;
  unsigned wait = 0, last_dw = 0;            // a packet's dwords come with its end: at most 16 a cycle in the long run
  auto idle = [&] {
    b->mg_valid_i = b->mg_we_i = 0;
    tb::clear(b->tx_stat_i);
    tb::clear(b->rx_stat_i);
    b->symbol_err_i = b->bad_pkey_i = b->bad_qkey_i = 0;
  };
  idle();
  b->gid_idx_i = 0;
  tb::set_bits(b->pkey_idx_i, 0, 48, 0);
  tb::set_bits(b->tx_credit_i, 0, 12, 0x123);
  tb::set_bits(b->rx_fccl_i, 0, 12, 0xabc);
  b.reset();

  auto stats = [&] {
    tb::clear(b->tx_stat_i);
    tb::clear(b->rx_stat_i);
    b->symbol_err_i = b->bad_pkey_i = b->bad_qkey_i = 0;
    if (!fire) return;
    unsigned dw = last_dw;
    auto tx = [&](unsigned lsb, unsigned cnt, uint32_t ev = 0) {
      if (!r.chance(40)) return false;
      tb::set_bits(b->tx_stat_i, lsb, 1, 1);
      if (cnt < kNum) want[cnt]++;
      events |= ev;
      return true;
    };
    auto rx = [&](unsigned lsb, unsigned cnt, uint32_t ev = 0) {
      if (!r.chance(40)) return false;
      tb::set_bits(b->rx_stat_i, lsb, 1, 1);
      if (cnt < kNum) want[cnt]++;
      events |= ev;
      return true;
    };
    SET_FIELD(b->tx_stat_i, OHCA_PORT_TX_STAT_DW, dw);
    SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_DW, dw);
    SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_FC_VL, 0);
    bool big = wait == 0;
    if (wait) wait--;
    if (big && tx(OHCA_PORT_TX_STAT_PKT_LSB, OHCA_PORT_CNT_XMIT_PKTS)) {
      want[OHCA_PORT_CNT_XMIT_DATA] += dw;
      if (r.bits(1)) { SET_FIELD(b->tx_stat_i, OHCA_PORT_TX_STAT_MCAST, 1); want[OHCA_PORT_CNT_XMIT_MCAST]++; }
      wait = dw / 16;
    }
    if (big && rx(OHCA_PORT_RX_STAT_PKT_LSB, OHCA_PORT_CNT_RCV_PKTS)) {
      want[OHCA_PORT_CNT_RCV_DATA] += dw;
      if (r.bits(1)) { SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_MCAST, 1); want[OHCA_PORT_CNT_RCV_MCAST]++; }
      if (r.bits(1)) { SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_DATA, 1); events |= 1 << OHCA_PORT_EVENT_DATA_RCVD; }
      wait = dw / 16;
    }
    if (big) last_dw = unsigned(r.below(1056));
    tx(OHCA_PORT_TX_STAT_DISCARD_LSB, OHCA_PORT_CNT_XMIT_DISCARDS);
    tx(OHCA_PORT_TX_STAT_WAIT__LSB, OHCA_PORT_CNT_XMIT_WAIT);
    tx(OHCA_PORT_TX_STAT_FC_LSB, OHCA_PORT_CNT_FC_XMIT);
    rx(OHCA_PORT_RX_STAT_ERR_LSB, OHCA_PORT_CNT_RCV_ERR);
    rx(OHCA_PORT_RX_STAT_VCRC_LSB, OHCA_PORT_CNT_RCV_VCRC, 1 << OHCA_PORT_EVENT_LINK_INTEGRITY);
    rx(OHCA_PORT_RX_STAT_ICRC_LSB, OHCA_PORT_CNT_RCV_ICRC);
    rx(OHCA_PORT_RX_STAT_REMOTE_LSB, OHCA_PORT_CNT_RCV_REMOTE_PHYS);
    rx(OHCA_PORT_RX_STAT_VL15_LSB, OHCA_PORT_CNT_VL15_DROPPED, 1 << OHCA_PORT_EVENT_VL15_DROP);
    rx(OHCA_PORT_RX_STAT_OVERRUN_LSB, OHCA_PORT_CNT_OVERRUN, 1 << OHCA_PORT_EVENT_OVERRUN);
    if (rx(OHCA_PORT_RX_STAT_LPCRC_LSB, OHCA_PORT_CNT_LPCRC, 1 << OHCA_PORT_EVENT_LINK_INTEGRITY)) want[OHCA_PORT_CNT_RCV_ERR]++;
    rx(OHCA_PORT_RX_STAT_FC_LSB, OHCA_PORT_CNT_FC_RCV, 1 << OHCA_PORT_EVENT_FC_RCVD);
    if ((b->symbol_err_i = r.bits(1))) want[OHCA_PORT_CNT_SYMBOL_ERR]++;
    if ((b->bad_pkey_i = r.bits(1))) { want[OHCA_PORT_CNT_BAD_PKEY]++; events |= 1 << OHCA_PORT_EVENT_BAD_PKEY; }
    if ((b->bad_qkey_i = r.bits(1))) { want[OHCA_PORT_CNT_BAD_QKEY]++; events |= 1 << OHCA_PORT_EVENT_BAD_QKEY; }
  };
  auto cycle = [&](std::function<void()> drive, std::function<void()> sample) {
    b.progress();
    b.cycle([&] { b->now_i = now; b->mg_valid_i = 0; stats(); drive(); }, [&] { sample(); now++; });
  };
  auto nothing = [] {};
  auto wr = [&](unsigned off, uint32_t v) {
    cycle([&] { b->mg_valid_i = 1; b->mg_we_i = 1; b->mg_addr_i = off / 4; b->mg_wdata_i = v; }, nothing);
  };
  auto rd = [&](unsigned off) {
    uint32_t v = 0;
    cycle([&] { b->mg_valid_i = 1; b->mg_we_i = 0; b->mg_addr_i = off / 4; }, nothing);
    cycle(nothing, [&] { v = b->mg_rdata_o; });
    return v;
  };
  auto rd64 = [&](unsigned off) { uint64_t lo = rd(off); return lo | uint64_t(rd(off + 4)) << 32; };
  for (int i = 0; i < 512; i++) cycle(nothing, nothing);   // its memory gets its reset values

  // Reset values
  CHECK_EQ(rd(OHCA_PORT_REG_CTRL), 0, "ctrl after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_PKEY), 0xffff, "P_Key 0 after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_PKEY + 4), 0, "P_Key 1 after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_ARB_LOW), 64, "low arbitration entry 0 after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_ARB_HIGH), 0, "high arbitration entry 0 after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_FC_PERIOD), 16000, "fc_period after reset");
  CHECK_EQ(rd(OHCA_PORT_REG_CAPS), kVl | OHCA_PORT_ARB_ENTRIES << 8 | OHCA_PORT_PKEYS << 16 | OHCA_PORT_GIDS << 24, "caps");
  for (unsigned i = 0; i < kNum; i++) CHECK_EQ(rd64(OHCA_PORT_REG_CNT + 8 * i), 0, kCnt[i]);
  CHECK_EQ(rd(OHCA_PORT_REG_GID + 16), 0, "GID 1 before it is written");
  CHECK_EQ(rd(OHCA_PORT_REG_VL_STATE), 0xabc << 16 | 0x123, "vl_state");
  CHECK_EQ(rd(OHCA_PORT_REG_VL_STATE + 4 * kVl), 0, "vl_state of a VL that is not there");

  // Every writable register keeps what it has bits for, also after all others were written.
  std::vector<std::pair<unsigned, uint32_t>> regs = {
    {OHCA_PORT_REG_CTRL, ~uint32_t(0xf800f000)}, {OHCA_PORT_REG_LID, 0xffff}, {OHCA_PORT_REG_PREFIX_LO, ~0u}, {OHCA_PORT_REG_PREFIX_HI, ~0u},
    {OHCA_PORT_REG_GUID_LO, ~0u}, {OHCA_PORT_REG_GUID_HI, ~0u}, {OHCA_PORT_REG_SL2VL_LO, ~0u}, {OHCA_PORT_REG_SL2VL_HI, ~0u}, {OHCA_PORT_REG_CYC_4US, ~0u},
    {OHCA_PORT_REG_CYC_10US, ~0u}, {OHCA_PORT_REG_FC_PERIOD, ~0u}, {OHCA_PORT_REG_EVENT_MASK, ~0u}};
  for (unsigned i = 0; i < OHCA_PORT_PKEYS; i++) regs.push_back({OHCA_PORT_REG_PKEY + 4 * i, 0xffff});
  for (unsigned i = 4; i < OHCA_PORT_GIDS * 4; i++) regs.push_back({OHCA_PORT_REG_GID + 4 * i, ~0u});
  for (unsigned i = 0; i < OHCA_PORT_ARB_ENTRIES; i++) {
    regs.push_back({OHCA_PORT_REG_ARB_LOW + 4 * i, 0xfff});
    regs.push_back({OHCA_PORT_REG_ARB_HIGH + 4 * i, 0xfff});
  }
  for (int round = 0; round < 3; round++) {
    std::vector<uint32_t> v;
    for (auto &x : regs) { v.push_back(uint32_t(r.next()) & x.second); wr(x.first, v.back() | (uint32_t(r.next()) & ~x.second)); }
    // Writes to what is not there change nothing.
    for (unsigned o : {0x3cu, 0x60u, 0x240u, 0x340u, 0x500u, 0x7fcu, 0xffcu}) wr(o, uint32_t(r.next()));
    for (size_t i = 0; i < regs.size(); i++) CHECK_EQ(rd(regs[i].first), v[i], "register");
    auto reg = [&](unsigned off) { for (size_t i = 0; i < regs.size(); i++) if (regs[i].first == off) return v[i]; return 0u; };
    // The outputs follow.
    uint32_t c = reg(OHCA_PORT_REG_CTRL);
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_SMP_EN), c & 1, "smp_en");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_RX_DATA_EN), c >> 1 & 1, "rx_data_en");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_TX_DATA_EN), c >> 2 & 1, "tx_data_en");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_FC_INIT), c >> 3 & 1, "fc_init");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_MTU), c >> 4 & 7, "mtu");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_ETH), c >> 7 & 1, "eth");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_OPER_VLS), std::min(c >> 8 & 15, kVl), "oper_vls");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_VL_HIGH_LIMIT), c >> 16 & 255, "vl_high_limit");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_LMC), c >> 24 & 7, "lmc");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_LID), reg(OHCA_PORT_REG_LID), "lid");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_CYC_4US), reg(OHCA_PORT_REG_CYC_4US), "cyc_4us");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_CYC_10US), reg(OHCA_PORT_REG_CYC_10US), "cyc_10us");
    CHECK_EQ(FIELD(b->cfg_o, OHCA_PORT_CFG_SL2VL), uint64_t(reg(OHCA_PORT_REG_SL2VL_HI)) << 32 | reg(OHCA_PORT_REG_SL2VL_LO), "sl2vl");
    for (unsigned i = 0; i < 40; i++) {
      unsigned idx[3];
      for (int k = 0; k < 3; k++) { idx[k] = unsigned(r.chance(80) ? r.below(40) : r.bits(16)); tb::set_bits(b->pkey_idx_i, 16 * k, 16, idx[k]); }
      unsigned g = unsigned(r.chance(80) ? r.below(18) : r.bits(8));
      b->gid_idx_i = g;
      uint8_t want_gid[16] = {};
      if (g == 0) {
        uint64_t hi = uint64_t(reg(OHCA_PORT_REG_PREFIX_HI)) << 32 | reg(OHCA_PORT_REG_PREFIX_LO), lo = uint64_t(reg(OHCA_PORT_REG_GUID_HI)) << 32 | reg(OHCA_PORT_REG_GUID_LO);
        for (int k = 0; k < 8; k++) { want_gid[k] = uint8_t(hi >> (56 - 8 * k)); want_gid[8 + k] = uint8_t(lo >> (56 - 8 * k)); }
      } else if (g < OHCA_PORT_GIDS) for (int k = 0; k < 4; k++) { uint32_t d = reg(OHCA_PORT_REG_GID + 16 * g + 4 * k); memcpy(want_gid + 4 * k, &d, 4); }
      cycle(nothing, [&] {
        for (int k = 0; k < 3; k++)
          CHECK_EQ(tb::get_bits(b->pkey_o, 16 * k, 16), idx[k] < OHCA_PORT_PKEYS ? reg(OHCA_PORT_REG_PKEY + 4 * idx[k]) : 0, "pkey look-up");
        for (int k = 0; k < 16; k++) CHECK_EQ(tb::get_bits(b->gid_o, 120 - 8 * k, 8), want_gid[k], "gid look-up, first wire byte on top");
        for (unsigned k = 0; k < OHCA_PORT_PKEYS; k++) CHECK_EQ(tb::get_bits(b->pkeys_o, 16 * k, 16), reg(OHCA_PORT_REG_PKEY + 4 * k), "pkeys_o");
        if (g < OHCA_PORT_GIDS) {
          uint64_t guid = 0;
          for (int k = 8; k < 16; k++) guid = guid << 8 | want_gid[k];
          CHECK_EQ(tb::get_bits(b->guids_o, 64 * g, 64), guid, "guids_o");
        }
      });
      if (g < OHCA_PORT_GIDS) for (int k = 0; k < 4; k++) { uint32_t d; memcpy(&d, want_gid + 4 * k, 4); CHECK_EQ(rd(OHCA_PORT_REG_GID + 16 * g + 4 * k), d, "GID as firmware reads it"); }
    }
  }
  wr(OHCA_PORT_REG_CTRL, 0);

  // Counters under fire, with reads and clears in between
  wr(OHCA_PORT_REG_EVENT_MASK, 0);
  wr(OHCA_PORT_REG_EVENT, ~0u);
  fire = true;
  for (uint64_t k = 0; k < b.cycles / 20; k++) {
    unsigned n = unsigned(r.below(50));
    while (n--) cycle(nothing, nothing);
    if (r.chance(20)) {
      fire = false;
      unsigned i = unsigned(r.below(kNum));
      wr(OHCA_PORT_REG_CNT + 8 * i + 4 * unsigned(r.bits(1)), uint32_t(r.next()));
      want[i] = 0;
      fire = true;
    } else {
      unsigned i = unsigned(r.below(kNum));
      fire = false;
      for (int n = 0; n < 21; n++) cycle(nothing, nothing);   // a reader may be so much behind
      CHECK_EQ(rd64(OHCA_PORT_REG_CNT + 8 * i), want[i], kCnt[i]);
      fire = true;
    }
  }
  // A clear in the middle of the traffic: what comes in the same cycle or later counts.
  for (int k = 0; k < 200; k++) {
    unsigned i = unsigned(r.below(kNum));
    b.progress();
    b.cycle([&] {
      b->now_i = now;
      want[i] = 0;
      stats();
      b->mg_valid_i = 1; b->mg_we_i = 1; b->mg_addr_i = (OHCA_PORT_REG_CNT + 8 * i) / 4; b->mg_wdata_i = 0;
    }, [&] { now++; });
    for (unsigned n = unsigned(r.below(60)); n--;) cycle(nothing, nothing);
  }
  fire = false;
  for (unsigned k = 0; k < 25; k++) cycle(nothing, nothing);
  cycle(nothing, [&] { CHECK_EQ(b->idle_o, 1, "idle when all is added up"); });
  for (unsigned i = 0; i < kNum; i++) CHECK_EQ(rd64(OHCA_PORT_REG_CNT + 8 * i), want[i], kCnt[i]);
  CHECK_EQ(events, 0xfe, "every event but the watchdog happened");

  // Sticky events
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT), events, "events");
  CHECK_EQ(b->event_o, 0, "event_o with an empty mask");
  wr(OHCA_PORT_REG_EVENT_MASK, 1 << OHCA_PORT_EVENT_OVERRUN);
  cycle(nothing, [&] { CHECK_EQ(b->event_o, 0, "event_o is a flop"); CHECK_EQ(b->idle_o, 0, "idle before it is told"); });
  cycle(nothing, [&] { CHECK_EQ(b->event_o, 1, "event_o"); });
  wr(OHCA_PORT_REG_EVENT, 1 << OHCA_PORT_EVENT_OVERRUN);
  cycle(nothing, [&] { CHECK_EQ(b->event_o, 1, "event_o is a flop"); });
  cycle(nothing, [&] { CHECK_EQ(b->event_o, 0, "event_o after clearing"); });
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT), events & ~(1u << OHCA_PORT_EVENT_OVERRUN), "only one was cleared");
  wr(OHCA_PORT_REG_EVENT, ~0u);
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT), 0, "all cleared");

  // Watchdog: each VL in use needs a flow-control packet in time
  wr(OHCA_PORT_REG_FC_WATCHDOG, 500);
  wr(OHCA_PORT_REG_CTRL, 3 | kVl << 8);
  auto feed = [&](unsigned vls, unsigned n) {
    for (unsigned i = 0; i < n; i++)
      cycle([&] { if (i % 100 < vls) { SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_FC, 1); SET_FIELD(b->rx_stat_i, OHCA_PORT_RX_STAT_FC_VL, i % 100); } }, nothing);
  };
  feed(kVl, 3000);
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT) & (1 << OHCA_PORT_EVENT_FC_WATCHDOG), 0, "watchdog while fed");
  feed(kVl - 1, 700);
  CHECK(rd(OHCA_PORT_REG_EVENT) & (1 << OHCA_PORT_EVENT_FC_WATCHDOG), "watchdog with one VL silent");
  wr(OHCA_PORT_REG_CTRL, 1 | kVl << 8);
  wr(OHCA_PORT_REG_EVENT, ~0u);
  feed(0, 2000);
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT), 0, "watchdog while no data is accepted");
  wr(OHCA_PORT_REG_FC_WATCHDOG, 0);
  wr(OHCA_PORT_REG_CTRL, 3 | kVl << 8);
  feed(0, 2000);
  CHECK_EQ(rd(OHCA_PORT_REG_EVENT), 0, "watchdog off");
  return b.finish();
}
