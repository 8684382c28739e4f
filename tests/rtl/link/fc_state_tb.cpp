// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A change of the port's state or of its VLs is told on every VL at once, whatever flow-control packet is leaving in that cycle.
// dut: ohca_link DataWidth=64 RoCE=0
#include "link_node.h"

struct Rig : Pair {
  unsigned normal = 0, fccl[16] = {};             // VLs that told Op 0; limits
  Rig(int argc, char **argv) : Pair(argc, argv) {
    a->full_speed();
    b->full_speed();
    a->on_tx = [&](const Packet &q) {
      if (q.kind != FC) return;
      unsigned v = q.b[2] >> 4, op = q.b[0] >> 4;
      if (!op) normal |= 1u << v;
      fccl[v] = (q.b[2] & 15) << 8 | q.b[3];
    };
  }
  void test() {
    a->write(OHCA_PORT_REG_LID, 0x10);
    a->write(OHCA_PORT_REG_FC_PERIOD, 4000);
    unsigned bad = 0, badvl = 0;
    for (unsigned at = 0; at < 60; at++) {
      a->write(OHCA_PORT_REG_CTRL, 0);
      settle(); run(20);
      a->write(OHCA_PORT_REG_CTRL, ctrl(1, 0, 0, 5, kVl, 0, 0, true));
      settle(); run(at);                                    // the packets of the start are on their way
      a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, kVl, 0, 0, false));
      settle();
      normal = 0;
      run(500);
      if (normal != (1u << kVl) - 1) {
        bad++;
        printf("# state changes %u cycles after the start: normal flow control on VLs %x only\n", at, normal);
      }

      a->write(OHCA_PORT_REG_CTRL, 0);
      settle(); run(20);
      a->write(OHCA_PORT_REG_CTRL, ctrl(1, 0, 0, 5, 1, 0, 0, true));
      settle(); run(at);
      a->write(OHCA_PORT_REG_CTRL, ctrl(1, 0, 0, 5, kVl, 0, 0, true));
      settle();
      run(500);
      unsigned share = kFront / 64 * 3 / 4 / kVl;
      if (fccl[0] != share) {
        badvl++;
        printf("# VLs change %u cycles after the start: FCCL of VL 0 %u, not %u\n", at, fccl[0], share);
      }
    }
    CHECK(!bad && !badvl, "not told: state %u times, share %u times", bad, badvl);
  }
};

int main(int argc, char **argv) {
  Rig g(argc, argv);
  g.test();
  return g.bench.finish();
}
