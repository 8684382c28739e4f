// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_acc_route
// dut: ohca_acc_route Compact=1
// Accesses to every part, one at a time, taken and answered when it likes: nobody else sees one, its answer is that of whom it went to, and what translation is to
// forget is told once and answered a cycle after it was taken. Compact: an access is passed on from a register.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  const unsigned RSP = OHCA_ACC_RSP_VALID_WIDTH + OHCA_ACC_RSP_ERR_WIDTH + OHCA_ACC_RSP_RDATA_WIDTH;
  tb::Pace take(&rng), answer(&rng);
  d.acc_valid_i = d.ready_i = d.inv_ready_i = 0;
  tb::clear(d.rsp_i);
  tb::clear(d.acc_i);
  b.reset();
  const bool far = TB_COMPACT;
  enum { NONE, ASKED, PASSED, TAKEN, TOLD } state = NONE;      // PASSED: taken from who asked, and not yet by whom it goes to
  unsigned part = 0, num = 0, mask = 0, data = 0, seen[7] = {};
  uint32_t rdata = 0;
  bool err = false, inv_took = false, gave = false;
  for (uint64_t k = 0; k < b.cycles; k++) {
    b.cycle([&] {
      if (state == NONE && rng.chance(30)) {
        part = unsigned(rng.below(7));
        num = unsigned(rng.bits(24));
        mask = unsigned(rng.bits(32));
        data = unsigned(rng.bits(32));
        state = ASKED;
      }
      d.acc_valid_i = state == ASKED ? 1u << part : 0u;
      const bool held = state == ASKED || !far;                  // else it may change: there is a copy
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_PART, held ? part : unsigned(rng.below(7)));
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_NUM, held ? num : unsigned(rng.bits(24)));
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_WMASK, held ? mask : unsigned(rng.bits(32)));
      SET_FIELD(d.acc_i, OHCA_CTX_ACC_WDATA, held ? data : unsigned(rng.bits(32)));
      d.ready_i = unsigned(rng.bits(5));
      d.inv_ready_i = take.go();
      tb::clear(d.rsp_i);
      gave = false;
      const bool table = part == OHCA_CTX_PART_MPT || part == OHCA_CTX_PART_MTT;
      if (state == TAKEN && !table && answer.go()) {
        const unsigned at = (part == OHCA_CTX_PART_MCAST ? 4 : part) * RSP;
        rdata = uint32_t(rng.bits(32));
        err = rng.chance(30);
        tb::set_bits(d.rsp_i, at + OHCA_ACC_RSP_VALID_LSB, 1, 1);
        tb::set_bits(d.rsp_i, at + OHCA_ACC_RSP_ERR_LSB, 1, err);
        tb::set_bits(d.rsp_i, at + OHCA_ACC_RSP_RDATA_LSB, 32, rdata);
        gave = true;
      }
    }, [&] {
      b.progress();
      const bool table = part == OHCA_CTX_PART_MPT || part == OHCA_CTX_PART_MTT, asked = state == (far ? PASSED : ASKED);
      const unsigned at = part == OHCA_CTX_PART_MCAST ? 4 : part;
      CHECK_EQ(d.valid_o, asked && !table ? 1u << at : 0u, "who is asked");
      CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_VALID), asked && table, "translation is asked");
      if (asked && table) {
        CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_MTT), part == OHCA_CTX_PART_MTT, "table");
        CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_ALL), !(mask & 1), "all");
        CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_NUM), num, "number");
        CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_LAST), data & 63, "last");
        CHECK_EQ(FIELD(d.inv_o, OHCA_INV_REQ_BLOCK), data >> 8 & 31, "block");
      }
      const bool took = asked && (table ? d.inv_ready_i : d.ready_i >> at & 1);
      if (far) CHECK_EQ(d.acc_ready_o, asked ? 0u : 0xffu, "taken");
      else if (asked) CHECK_EQ(d.acc_ready_o >> part & 1, took, "taken");
      if (asked) {
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_PART), part, "part");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_NUM), num, "number that is passed on");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_WMASK), mask, "mask");
        CHECK_EQ(FIELD(d.acc_o, OHCA_CTX_ACC_WDATA), data, "data");
      }
      CHECK_EQ(FIELD(d.acc_rsp_o, OHCA_ACC_RSP_VALID), state == TOLD, "an answer");     // a cycle after the engine's
      if (state == TOLD) {
        if (!table) CHECK_EQ(FIELD(d.acc_rsp_o, OHCA_ACC_RSP_RDATA), rdata, "data of the answer");
        CHECK_EQ(FIELD(d.acc_rsp_o, OHCA_ACC_RSP_ERR), !table && err, "error of the answer");
        seen[part]++;
        state = NONE;
      }
      if (gave || inv_took) state = TOLD;
      inv_took = took && table;
      if (took) state = TAKEN;
      else if (far && state == ASKED) state = PASSED;
    });
  }
  for (int i = 0; i < 7; i++) GOAL(seen[i] > 50);
  return b.finish();
}
