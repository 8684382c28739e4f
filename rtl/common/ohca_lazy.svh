// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What a simulator need not do while a block has nothing to work on. Synthesis and proofs do not see it: these
// conditions only say what holds anyway, and logic for them would be paid for in gates. That they do is tested with
// OHCA_EAGER, which leaves them out of a simulation: tests/run.d/52-eager.
//
// `WHEN(c) statement     a statement that changes nothing, or nothing that anybody looks at, unless c
// `TAKEN(c, value)       a value that nobody takes unless c
`ifndef OHCA_LAZY_SVH
  `define OHCA_LAZY_SVH
  `ifdef VERILATOR
    `ifndef OHCA_EAGER
      `define OHCA_LAZY
    `endif
  `endif
  `ifdef OHCA_LAZY
    `define WHEN(__c) if (__c)
    `define TAKEN(__c, __v) ((__c) ? (__v) : '0)
  `else
    `define WHEN(__c)
    `define TAKEN(__c, __v) (__v)
  `endif
`endif
