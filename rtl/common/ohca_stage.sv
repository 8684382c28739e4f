// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A register in a valid/ready stream, for a place where a path begins with the data: behind a FIFO whose memory is read
// in the cycle.
//
// Latency is one cycle, throughput one beat per cycle. ready_o is combinational of ready_i; it does NOT cut that path
// (ohca_skid does).

// prove: Width=3 bmc=12 ind=4 cover=8

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_stage #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,  // early: a flop
  input  logic             ready_i,
  output logic [Width-1:0] data_o    // early: flops
);

  assign ready_o = !valid_o || ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i)        valid_o <= 1'b0;
    else if (ready_o) valid_o <= valid_i;
    `WHEN(valid_i) if (ready_o) data_o <= data_i;
  end

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered, and nothing waits while there is room.
  `FOLLOW(valid_i && ready_o, data_i, valid_o && ready_i)
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, valid_o})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == picked_q)
  `ASSERT(Room_A, valid_o || ready_o)
  `COVER(Through_C, valid_o && ready_i && valid_i && ready_o)
`endif

endmodule

`default_nettype wire
