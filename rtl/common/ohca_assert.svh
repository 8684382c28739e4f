// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// One spelling for assertions, two bodies: Yosys knows only immediate assertions.
//
// Use inside a module that has clk_i and rst_i. Names end _A (assert), _M (assume), _C (cover).
// Yosys may read one file with FORMAL and the next without, so only the form for simulators has a guard.
`ifdef FORMAL
  `define ASSERT(__name, __prop) \
    always_ff @(posedge clk_i) if (!rst_i) begin __name: assert (__prop); end
  `define ASSUME(__name, __prop) \
    always_ff @(posedge clk_i) if (!rst_i) begin __name: assume (__prop); end
  `define COVER(__name, __prop) \
    always_ff @(posedge clk_i) if (!rst_i) begin __name: cover (__prop); end
  // Declares past_valid_q, and starts every trace in reset.
  `define FORMAL_START \
    logic past_valid_q = 1'b0; \
    always_ff @(posedge clk_i) past_valid_q <= 1'b1; \
    always_comb if (!past_valid_q) assume (rst_i);
  // Follows one arbitrary beat by its position: pick, in_q and out_q count what came in and what went out, picked_q is
  // its content (Width bits).
  `define FOLLOW(__in, __data, __out) \
    (* anyconst *) logic [3:0] pick; \
    logic [3:0] in_q = '0, out_q = '0; \
    logic [Width-1:0] picked_q; \
    always_ff @(posedge clk_i) begin \
      if (rst_i) in_q <= '0; \
      else if (__in) in_q <= in_q + 4'd1; \
      if (rst_i) out_q <= '0; \
      else if (__out) out_q <= out_q + 4'd1; \
      if (!rst_i && (__in) && in_q == pick) picked_q <= (__data); \
    end
  // A stalled beat neither vanishes nor changes.
  `define STABLE(__v, __r, __d) \
    (!past_valid_q || $past(rst_i) || !$past((__v) && !(__r)) || ((__v) && (__d) == $past(__d)))
`elsif SYNTHESIS
  `define ASSERT(__name, __prop)
  `define ASSUME(__name, __prop)
  `define COVER(__name, __prop)
`elsif YOSYS
  `define ASSERT(__name, __prop)
  `define ASSUME(__name, __prop)
  `define COVER(__name, __prop)
`elsif OHCA_ASSERT_SVH
`else
  `define OHCA_ASSERT_SVH
  // Immediate ones here, too: for a concurrent one Verilator copies, at every edge, all that it looks at (a twelfth of
  // a busy adapter's time).
  `define ASSERT(__name, __prop) \
    always_ff @(posedge clk_i) if (!rst_i) begin __name: assert (__prop); end
  `define ASSUME(__name, __prop) `ASSERT(__name, __prop)
  `define COVER(__name, __prop) \
    always_ff @(posedge clk_i) if (!rst_i) begin __name: cover (__prop); end
`endif
