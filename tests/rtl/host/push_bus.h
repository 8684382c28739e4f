// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The bus of pushed WQEs (push_bus and push_say of the formats): addresses and data from two sources, answers at a pace.
#ifndef OHCA_PUSH_BUS_H
#define OHCA_PUSH_BUS_H

#include "ohca_fmt_bits.h"
#include "tb.h"

struct PushBeat { uint32_t addr; uint8_t data[64]; uint64_t strb; };

struct PushBus {
  tb::Source<PushBeat> aw, w;
  tb::Pace b;
  explicit PushBus(tb::Rng *r) : aw(r), w(r), b(r) {}

  void push(const PushBeat &x) { aw.push(x); w.push(x); }
  template <class T> void drive(T &bus) {
    SET_FIELD(bus, OHCA_PUSH_BUS_AWVALID, aw.drive());
    if (aw.q.size()) SET_FIELD(bus, OHCA_PUSH_BUS_AWADDR, aw.front().addr);
    SET_FIELD(bus, OHCA_PUSH_BUS_WVALID, w.drive());
    if (w.q.size()) {
      SET_FIELD(bus, OHCA_PUSH_BUS_WSTRB, w.front().strb);
      for (unsigned i = 0; i < 8; i++) {
        uint64_t v;
        memcpy(&v, w.front().data + 8 * i, 8);
        tb::set_bits(bus, OHCA_PUSH_BUS_WDATA_LSB + 64 * i, 64, v);
      }
    }
    SET_FIELD(bus, OHCA_PUSH_BUS_BREADY, b.go());
  }
  template <class T> void sample(const T &say) {
    aw.sample(FIELD(say, OHCA_PUSH_SAY_AWREADY));
    w.sample(FIELD(say, OHCA_PUSH_SAY_WREADY));
  }
};
#endif
