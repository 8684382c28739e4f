// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packets that are lost on the wire take their credits with them until the peer is told how many were sent: a port that
// has no credit left for what waits says so long before its period ends, once, and goes on when the credits are back.
// dut: ohca_link DataWidth=64 RoCE=0
#include "link_node.h"

static constexpr unsigned kLimit = 384, kPackets = 12;

struct Rig : Pair {
  unsigned fcs = 0, fctbs = 0, sent = 0, blocks = 0;
  uint32_t serial = 0;
  Rig(int argc, char **argv) : Pair(argc, argv) {
    a->full_speed();
    b->full_speed();
    a->on_tx = [&](const Packet &q) {
      if (q.kind == FC) {
        if (q.b[2] >> 4) return;
        fcs++;
        fctbs = (q.b[0] & 15) << 8 | q.b[1];
      } else {
        sent++;
        blocks += unsigned(q.b.size() + 63) / 64;
      }
    };
  }
  void limit(unsigned fccl) {
    ib::Bytes p = {0, 0, uint8_t(fccl >> 8 & 15), uint8_t(fccl)};
    uint16_t c = ib::crc16(p.data(), 4);
    p.push_back(uint8_t(c));
    p.push_back(uint8_t(c >> 8));
    beats_of(a->rx.q, p, false, 0, false, FC);
    run(50);
  }
  void test() {
    a->write(OHCA_PORT_REG_LID, 0x10);
    a->write(OHCA_PORT_REG_FC_PERIOD, 1000000);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, kVl, 0, 2));
    settle();
    run(600);
    limit(kLimit);
    fcs = 0;
    for (unsigned i = 0; i < kPackets; i++) {
      ib::Fields f;
      f.dlid = 0x99; f.slid = 0x10; f.payload = 4096; f.op = 0x0a;
      beats_of(a->in.q, ib::build(bench.rng, f, ++serial));
    }
    for (unsigned told = 1, last = 0; sent < kPackets; told++) {
      run(12000);                             // the peer has received nothing of it
      CHECK(sent > last, "nothing goes any more: %u packets of %u", sent, kPackets);
      last = sent;
      if (sent == kPackets) break;
      CHECK(fcs <= 2 * told, "%u flow-control packets", fcs);      // one may come before the last packet has begun
      CHECK_EQ(fctbs, blocks & 0xfff, "FCTBS");
      limit(blocks + kLimit);
    }
    CHECK_EQ(sent, kPackets, "packets");
  }
};

int main(int argc, char **argv) {
  Rig g(argc, argv);
  g.test();
  return g.bench.finish();
}
