// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// When credits are told: at once when a quarter of a VL's share was freed, and with the period, not for each packet. What is told is right, and a peer
// that keeps to it never waits for the period, with the smallest share, too, that there is (96 blocks).
// dut: ohca_link DataWidth=64 RoCE=0
// dut: ohca_link DataWidth=64 RoCE=0 FrontBytes=32768
#include "link_node.h"

static constexpr unsigned kShare = kFront / 64 * 3 / 4 / kVl;

struct Rig : Pair {
  unsigned fcs[16] = {}, fccl[16] = {}, got = 0;
  uint32_t serial = 0;
  uint64_t told = 0;                          // cycle of the newest on VL 0
  Rig(int argc, char **argv) : Pair(argc, argv) {
    a->full_speed();
    b->full_speed();
    a->on_tx = [&](const Packet &q) {
      if (q.kind != FC) return;
      unsigned v = q.b[2] >> 4;
      fcs[v]++;
      fccl[v] = (q.b[2] & 15) << 8 | q.b[3];
      if (v == 0) told = a->now;
    };
    a->on_rx = [&](const Rx &) { got++; };
  }
  unsigned others() { unsigned n = 0; for (unsigned v = 1; v < 16; v++) n += fcs[v]; return n; }
  // A packet to A on VL 0; its blocks
  unsigned inject(unsigned payload) {
    ib::Fields f;
    f.dlid = 0x10; f.slid = 0x99; f.payload = payload; f.op = 0x0a;
    ib::Bytes w = ib::with_crcs(ib::build(bench.rng, f, ++serial));
    beats_of(a->rx.q, w);
    return unsigned(w.size() + 63) / 64;
  }
  void quiet(unsigned n) {
    until([&] { return a->empty() && a->rx.q.empty(); }, 200000, "quiet");
    run(n);
  }

  void test() {
    a->write(OHCA_PORT_REG_LID, 0x10);
    a->write(OHCA_PORT_REG_FC_PERIOD, 1000000);
    a->write(OHCA_PORT_REG_CTRL, ctrl(1, 1, 1, 5, kVl, 0, 2));
    settle();
    run(600);
    for (unsigned v = 0; v < kVl; v++) CHECK(fcs[v] == 1 && fccl[v] == kShare, "VL %u: %u flow-control packets at the start, FCCL %u", v, fcs[v], fccl[v]);

    // A small packet, alone
    memset(fcs, 0, sizeof fcs);
    unsigned sent = inject(16);
    quiet(3000);
    CHECK_EQ(got, 1, "packets");
    CHECK_EQ(fcs[0], 0, "flow-control packets for one small packet");
    CHECK(a->d->idle_o, "nothing to do until the period ends");

    // Many: one for a quarter of the share at most
    const unsigned n = 60, payload = 4096;
    memset(fcs, 0, sizeof fcs);
    unsigned begin = sent, waits = 0;
    for (unsigned i = 0; i < n; i++) {
      // What the peer has: no packet goes beyond the limit.
      unsigned need = (payload + 8 + 12 + 16 + 6 + 63) / 64;
      for (; ((fccl[0] - sent - need) & 0xfff) > 2048; waits++) {
        CHECK(waits < 200000, "credits that do not come: %u blocks sent, FCCL %u", sent, fccl[0]);
        run(1);
      }
      sent += inject(payload);
    }
    quiet(3000);
    unsigned most = (sent - begin) / (kShare / 4);
    CHECK_EQ(got, 1 + n, "packets");
    CHECK(fcs[0] <= most && fcs[0] >= (sent - begin) / (2 * kShare), "%u flow-control packets for %u blocks, a share of %u", fcs[0], sent - begin, kShare);
    CHECK(((sent + kShare - fccl[0]) & 0xfff) < kShare / 4, "FCCL %u after %u blocks", fccl[0], sent);
    CHECK_EQ(others(), 0, "flow-control packets of VLs that nothing came on");
    printf("# a share of %u blocks: %u flow-control packets for %u of %u bytes\n", kShare, fcs[0], n, payload);

    // The period tells the rest.
    memset(fcs, 0, sizeof fcs);
    a->write(OHCA_PORT_REG_FC_PERIOD, 1000);
    settle();
    run(1500);
    CHECK(fcs[0] >= 1 && fccl[0] == ((sent + kShare) & 0xfff), "FCCL %u with the period, after %u blocks", fccl[0], sent);
  }
};

int main(int argc, char **argv) {
  Rig g(argc, argv);
  g.test();
  return g.bench.finish();
}
