// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Rotates Lanes lanes of LaneWidth bits by a variable amount: one logarithmic shifter instead of a case per byte
// offset.
//
// Combinational, no latency. Left = 0: lane i of the output is lane (i + amount) mod Lanes of the input (towards lane
// 0, which is first in memory); Left = 1: the inverse. It does NOT mask: that is the caller's, by
// ohca_fmt_pkg::keep_mask for example.

// prove: Lanes=8 LaneWidth=3 bmc=2 ind=1
// prove: Lanes=8 LaneWidth=3 Left=1 bmc=2 ind=1

`default_nettype none

module ohca_rotate #(
  parameter int unsigned Lanes     = 8,      // power of two, at least 2
  parameter int unsigned LaneWidth = 8,
  parameter bit          Left      = 1'b0,
  localparam int unsigned AmtW     = $clog2(Lanes),
  localparam int unsigned Width    = Lanes * LaneWidth
) (
  input  logic [Width-1:0] data_i,
  input  logic [AmtW-1:0]  amount_i,
  output logic [Width-1:0] data_o
);

  if (Lanes < 2 || (1 << AmtW) != Lanes) begin : g_bad_lanes
    $error("ohca_rotate: Lanes must be a power of two, at least 2");
  end

  logic [AmtW:0][Width-1:0] stage;

  assign stage[0] = data_i;
  for (genvar k = 0; k < AmtW; k++) begin : g_stage
    localparam int unsigned S = (LaneWidth << k) % Width;
    if (Left) begin : g_left
      assign stage[k+1] = amount_i[k] ? {stage[k][Width-S-1:0], stage[k][Width-1:Width-S]} : stage[k];
    end else begin : g_right
      assign stage[k+1] = amount_i[k] ? {stage[k][S-1:0], stage[k][Width-1:S]} : stage[k];
    end
  end
  assign data_o = stage[AmtW];

`ifdef FORMAL
  (* anyconst *) logic [AmtW-1:0] lane;
  logic [AmtW-1:0] from;
  assign from = Left ? lane - amount_i : lane + amount_i;
  always_comb Lane_A: assert (data_o[32'(lane)*LaneWidth +: LaneWidth] == data_i[32'(from)*LaneWidth +: LaneWidth]);
`endif

endmodule

`default_nettype wire
