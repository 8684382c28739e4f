// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A register in a valid/ready stream between blocks that may lie far apart: On = 1. Both sides see flops, so the way to
// it and the way from it have a cycle each.
//
// Latency is one cycle, throughput a beat every second cycle. On = 0: wires, latency none, a beat a cycle. It does NOT
// let a beat a cycle through as ohca_skid does, which takes twice the flops and a LUT a bit.

// prove: Width=3 On=1 bmc=12 cover=10
// prove: Width=3 On=0 bmc=6 cover=6

`include "ohca_assert.svh"
`default_nettype none

module ohca_hop #(
  parameter int unsigned Width = 32,
  parameter bit          On    = 1'b1
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,  // early: a flop
  input  logic [Width-1:0] data_i,

  output logic             valid_o,  // early: a flop
  input  logic             ready_i,
  output logic [Width-1:0] data_o    // early: flops
);

  if (On) begin : g_on
    logic             valid_q;
    logic [Width-1:0] data_q;
    assign ready_o = !valid_q;
    assign valid_o = valid_q;
    assign data_o  = data_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) valid_q <= 1'b0;
      else       valid_q <= valid_q ? !ready_i : valid_i;
      // Whether there is something is known as late as what it is.
      if (!valid_q) data_q <= data_i;
    end
  end else begin : g_off
    assign {valid_o, data_o, ready_o} = {valid_i, data_i, ready_i};
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i};
  end

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered.
  `FOLLOW(valid_i && ready_o, data_i, valid_o && ready_i)
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, On && valid_o})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == (On ? picked_q : data_i))
  `COVER(Two_C, valid_o && ready_i && out_q == 4'd2)
`endif

endmodule

`default_nettype wire
