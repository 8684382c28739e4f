// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// One-entry valid/ready skid without latency, for a place where ready_i comes late: what the sink does not take lies in
// a register, so that the source sees a flop for its ready.
//
// Latency is none (valid_o and data_o are combinational from valid_i and data_i), throughput one beat per cycle. It
// costs a LUT in front of the sink, and does NOT cut the path from the source to it: ohca_skid cuts both, a cycle
// later.

// prove: Width=3 bmc=14 ind=4 cover=8

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_skid_now #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_i,    // synchronous, active high

  input  logic             valid_i,
  output logic             ready_o,  // early: a flop
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,  // late
  output logic [Width-1:0] data_o
);

  logic             skid_valid_q;
  logic [Width-1:0] skid_data_q;
  assign ready_o = !skid_valid_q;
  assign valid_o = skid_valid_q || valid_i;
  assign data_o  = skid_valid_q ? skid_data_q : data_i;

  always_ff @(posedge clk_i) begin
    skid_valid_q <= valid_o && !ready_i && !rst_i;
    // Whether it is taken comes too late for this.
    `WHEN(valid_i) if (!skid_valid_q) skid_data_q <= data_i;
  end

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered.
  `FOLLOW(valid_i && ready_o, data_i, valid_o && ready_i)
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, skid_valid_q})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == (skid_valid_q ? picked_q : data_i))
  `COVER(Full_C, skid_valid_q && valid_i)
`endif

endmodule

`default_nettype wire
