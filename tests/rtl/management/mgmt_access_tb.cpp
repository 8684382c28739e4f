// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt_access
// Firmware that keeps to the stalls, engines that take and answer when they like: every access to a context and to an event queue, and every event, leaves once and
// as it was written, its answer is kept until the next one, but an access to the cold half of a QP's context is refused; and what firmware would be stalled by is said in every cycle.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  uint32_t acc[5] = {}, ev[4] = {};                  // registers
  bool acc_set[5] = {}, ev_set[4] = {};              // nothing is reset in them
  enum { NONE, ASKED, TAKEN } accs = NONE, eqs = NONE;
  bool evs = false, eq_done = false;
  uint32_t acc_data = 0, eq_data = 0, eq_sel = 0, eq_wdata = 0;
  bool acc_err = false, eq_we = false, eq_known = false;
  uint64_t accesses = 0, queues = 0, events = 0, colds = 0;
  const unsigned ACC[5] = {OHCA_M_SYS_ACC_SEL, OHCA_M_SYS_ACC_NUM, OHCA_M_SYS_ACC_DW, OHCA_M_SYS_ACC_WDATA, OHCA_M_SYS_ACC_GO};
  const unsigned EV[4] = {OHCA_M_SYS_EV_HDR, OHCA_M_SYS_EV_NUM, OHCA_M_SYS_EV_PARAM, OHCA_M_SYS_EV_GO};
  tb::Pace take(&rng), rsp(&rng);
  d.wr_i = d.eq_go_i = d.acc_ready_i = d.acc_rsp_valid_i = d.eq_ready_i = d.eq_done_i = d.ev_ready_i = 0;
  b.reset();
  bool acc_answered = false, eq_answered = false;
  int reg = -1, evr = -1;
  for (uint64_t k = 0; k < b.cycles * 2; k++) {
    b.cycle([&] {
      d.wr_i = d.eq_go_i = 0;
      reg = evr = -1;
      bool sel = false;
      unsigned what = unsigned(rng.below(8));
      d.wdata_i = uint32_t(rng.bits(32));
      d.off_i = rng.bits(8) << 2;
      if (what == 0 && accs == NONE) reg = int(rng.below(5));
      else if (what == 1 && !evs) evr = int(rng.below(4));
      else if (what == 2) sel = eqs == NONE;
      else if (what == 3 && eqs == NONE && eq_known) d.eq_go_i = 1;
      // It must be whole: what is not reset may be anything.
      if (reg == 4) for (int i = 0; i < 4; i++) if (!acc_set[i]) reg = i;
      if (evr == 3) for (int i = 0; i < 3; i++) if (!ev_set[i]) evr = i;
      if (reg >= 0) { d.wr_i = 1; d.off_i = ACC[reg]; }
      if (evr >= 0) { d.wr_i = 1; d.off_i = EV[evr]; }
      if (sel) { d.wr_i = 1; d.off_i = OHCA_M_SYS_EQ_SEL; }
      d.eq_we_i = rng.chance(50);
      d.acc_ready_i = uint8_t(rng.bits(8)) & uint8_t(~(1u << (acc[0] & 7)));                // of the others it is nobody's
      if (take.go()) d.acc_ready_i |= uint8_t(1u << (acc[0] & 7));
      d.eq_ready_i = take.go();
      d.ev_ready_i = take.go();
      d.acc_rsp_valid_i = accs == TAKEN && rsp.go();
      d.acc_err_i = rng.chance(20);
      d.acc_rdata_i = uint32_t(rng.bits(32));
      d.eq_done_i = eqs == TAKEN && rsp.go();
      d.eq_rdata_i = uint32_t(rng.bits(32));
    }, [&] {
      b.progress();
      CHECK_EQ(d.acc_busy_o, accs != NONE, "access under way");
      CHECK_EQ(d.acc_valid_o, accs == ASKED ? 1u << (acc[0] & 7) : 0u, "access");
      CHECK_EQ(d.eq_valid_o, eqs == ASKED, "queue");
      CHECK_EQ(d.eq_pend_o, eqs == ASKED, "queue not taken");
      CHECK_EQ(d.eq_wait_o, eqs == TAKEN, "queue not answered");
      CHECK_EQ(d.ev_valid_o, evs, "event");
      CHECK_EQ(d.ev_pend_o, evs, "event not taken");
      if (acc_answered) { CHECK_EQ(d.acc_rdata_o, acc_data, "old value"); CHECK_EQ(d.acc_err_o, acc_err, "error"); }
      if (eq_answered) { CHECK_EQ(d.eq_done_o, eq_done, "answered"); if (eq_done) CHECK_EQ(d.eq_rdata_o, eq_data, "queue's dword"); }
      if (d.acc_valid_o) {
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_PART), acc[0] & 7, "part");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_INVAL), acc[0] >> 8 & 1, "invalidate");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_NUM), acc[1] & 0xffffff, "number");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_DW), acc[2] & 31, "dword");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_WDATA), acc[3], "data");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_WMASK), acc[4], "mask");
      }
      if (d.eq_valid_o) {
        CHECK_EQ(d.eq_eqn_o, eq_sel & 0xff, "queue");
        CHECK_EQ(d.eq_dw_o, eq_sel >> 8 & 7, "queue's dword");
        CHECK_EQ(d.eq_we_o, eq_we, "write");
        if (eq_we) CHECK_EQ(d.eq_wdata_o, eq_wdata, "what to write");
      }
      if (d.ev_valid_o) {
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_ETYPE), ev[0] & 0xff, "type");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_PORT), ev[0] >> 8 & 0xff, "port");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_SYNDROME), ev[0] >> 16, "syndrome");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_NUM), ev[1], "number");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_PARAM), ev[2], "parameter");
        CHECK_EQ(FIELD(d.ev_o, OHCA_EV_REQ_EQN), ev[3] & 0xff, "queue");
      }
      if (accs == ASKED && d.acc_ready_i >> (acc[0] & 7) & 1) accs = TAKEN;
      else if (d.acc_rsp_valid_i) { accs = NONE; acc_answered = true; acc_data = d.acc_rdata_i; acc_err = d.acc_err_i; accesses++; }
      if (eqs == ASKED && d.eq_ready_i) eqs = TAKEN;
      else if (d.eq_done_i) { eqs = NONE; eq_done = true; eq_data = d.eq_rdata_i; queues++; }
      if (evs && d.ev_ready_i) { evs = false; events++; }
      if (reg >= 0) { acc[reg] = d.wdata_i; acc_set[reg] = true;
        // The cold half of a QP's context is nobody's to change, or to tell of.
        const bool cold = (acc[0] & 7) <= OHCA_CTX_PART_RAC && !(acc[0] >> 8 & 1) && (acc[2] & 31) >= OHCA_QPC_HOT_BYTES / 4;
        if (reg == 4 && cold) { acc_answered = acc_err = true; acc_data = 0; colds++; }
        else if (reg == 4) accs = ASKED;
      }
      if (evr >= 0) { ev[evr] = d.wdata_i; ev_set[evr] = true; if (evr == 3) evs = true; }
      if (d.wr_i && d.off_i == OHCA_M_SYS_EQ_SEL) { eq_sel = d.wdata_i; eq_known = true; }
      if (d.eq_go_i) { eqs = ASKED; eq_answered = true; eq_done = false; eq_we = d.eq_we_i; eq_wdata = d.wdata_i; }
    });
  }
  printf("# %llu accesses to contexts, %llu refused, %llu to event queues, %llu events\n", (unsigned long long)accesses, (unsigned long long)colds,
         (unsigned long long)queues, (unsigned long long)events);
  GOAL(accesses > 200 && colds > 50 && queues > 200 && events > 200);
  return b.finish();
}
