// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// AXI (IHI 0022, A3.1.1): no combinational path from an input of the interface to an output of it.
#ifndef OHCA_AXI_CUT_H
#define OHCA_AXI_CUT_H

#include "tb.h"

// Within a cycle, before its edge: changes one valid or ready input after the other and looks whether an output moves with it. in: pointers to them.
template <class V, class Outs> void axi_cut(V &d, std::initializer_list<uint8_t *> in, Outs outs) {
  auto was = outs();
  unsigned n = 0;
  for (uint8_t *p : in) {
    *p ^= 1;
    d.eval();
    CHECK(outs() == was, "input %u of the bus moves an output in the same cycle", n);
    *p ^= 1;
    n++;
  }
  d.eval();
}
#endif
