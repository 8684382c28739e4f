// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Two-entry valid/ready register that cuts every combinational path.
//
// Latency is one cycle, throughput one beat per cycle. A beat accepted while the sink stalls
// waits in the skid register; ready_o is a flop, so the source sees the stall one cycle late.

// prove: Width=3 bmc=14 ind=4 cover=8

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
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

  logic             out_valid_d, out_valid_q;
  logic             skid_valid_d, skid_valid_q;
  logic [Width-1:0] out_data_q, skid_data_q;

  assign ready_o = !skid_valid_q;
  assign valid_o = out_valid_q;
  assign data_o  = out_data_q;

  always_comb begin
    out_valid_d  = out_valid_q;
    skid_valid_d = skid_valid_q;

    if (!out_valid_q || ready_i) begin
      // The output register is free: the older beat, if any, goes first.
      out_valid_d  = skid_valid_q || valid_i;
      skid_valid_d = 1'b0;
    end else if (valid_i && ready_o) begin
      skid_valid_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else begin
      out_valid_q  <= out_valid_d;
      skid_valid_q <= skid_valid_d;
    end
    if (!out_valid_q || ready_i) begin
      `WHEN(out_valid_d) out_data_q <= skid_valid_q ? skid_data_q : data_i;
    end else if (valid_i && ready_o) begin
      skid_data_q <= data_i;
    end
  end

  // The skid register is only ever the second beat.
  `ASSERT(SkidImpliesOut_A, !skid_valid_q || out_valid_q)

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered: follow one arbitrary beat by its position.
  (* anyconst *) logic [3:0] pick;
  logic [3:0] in_q = '0, out_q = '0;
  logic [Width-1:0] picked_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_q  <= '0;
      out_q <= '0;
    end else begin
      if (valid_i && ready_o) in_q <= in_q + 4'd1;
      if (valid_o && ready_i) out_q <= out_q + 4'd1;
      if (valid_i && ready_o && in_q == pick) picked_q <= data_i;
    end
  end
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, out_valid_q} + {3'd0, skid_valid_q})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == picked_q)
  `ASSERT(SkidIsPicked_A, !(skid_valid_q && (out_q + 4'd1) == pick) || skid_data_q == picked_q)
  `COVER(Full_C, skid_valid_q && valid_i)
`endif

endmodule

`default_nettype wire
