// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Two-entry valid/ready register that cuts every combinational path.
//
// ohca_skid_now with an ohca_stage behind it. Latency is one cycle, throughput one beat per cycle. A beat that is
// accepted while the sink stalls waits beside; ready_o is a flop, so the source sees the stall one cycle late.
// prove: Width=3 bmc=14 ind=4 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_skid #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_i,    // synchronous, active high

  input  logic             valid_i,
  output logic             ready_o,  // early: a flop
  input  logic [Width-1:0] data_i,

  output logic             valid_o,  // early: a flop
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic             side_valid, side_ready;
  logic [Width-1:0] side_data;
  ohca_skid_now #(.Width(Width)) u_side (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(ready_o), .data_i(data_i),
    .valid_o(side_valid), .ready_i(side_ready), .data_o(side_data)
  );
  ohca_stage #(.Width(Width)) u_out (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(side_valid), .ready_o(side_ready), .data_i(side_data),
    .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o)
  );

  // What waits beside is only ever the second beat.
  `ASSERT(SideImpliesOut_A, ready_o || valid_o)

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered. With !ready_o the second beat is what ohca_skid_now offers.
  `FOLLOW(valid_i && ready_o, data_i, valid_o && ready_i)
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, valid_o} + {3'd0, !ready_o})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == picked_q)
  `ASSERT(SideIsPicked_A, !(!ready_o && (out_q + 4'd1) == pick) || side_data == picked_q)
  `COVER(Full_C, !ready_o && valid_i)
`endif

endmodule

`default_nettype wire
