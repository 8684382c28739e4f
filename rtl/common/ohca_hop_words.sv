// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A register in a valid/ready stream of wide beats between blocks that lie far apart: a register at either end, and
// words of Lane bits from one to the other, so that few wires go all the way. Both sides see flops.
//
// With W = Width / Lane words, rounded up, latency is W + 2 cycles, throughput a beat every W + 2 cycles. ready_o says
// that nothing is on its way: with !valid_o it is empty. It does NOT take a beat a cycle as ohca_skid does, nor one
// every second as ohca_hop.

// prove: Width=5 Lane=2 bmc=20 cover=24
// prove: Width=4 Lane=2 bmc=18 cover=20

`include "ohca_assert.svh"
`default_nettype none

module ohca_hop_words #(
  parameter int unsigned Width = 128,
  parameter int unsigned Lane  = 64              // less than Width
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

  localparam int unsigned Words = (Width + Lane - 1) / Lane;
  localparam int unsigned AtW   = $clog2(Words);
  localparam int unsigned All   = Words * Lane;

  logic             full_q;                      // at the near end, until all of it is at the far end
  logic [Width-1:0] near_q;
  logic [AtW-1:0]   at_q;                        // the word that leaves next
  logic             left_q, send, last;          // all have left
  logic             move_q, done_q;              // a word is between both ends; it is the last one
  logic [Lane-1:0]  word_q;
  logic             valid_q;
  logic [All-1:0]   far_q, near;

  assign near    = All'(near_q);
  assign send    = full_q && !left_q && !valid_q;
  assign last    = at_q == AtW'(Words - 1);
  assign ready_o = !full_q;
  assign valid_o = valid_q;
  assign data_o  = far_q[Width-1:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      full_q  <= 1'b0;
      at_q    <= '0;
      left_q  <= 1'b0;
      move_q  <= 1'b0;
      done_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      full_q  <= full_q ? !done_q : valid_i;
      if (send) at_q <= last ? '0 : at_q + 1'b1;
      left_q  <= full_q && !done_q && (left_q || (send && last));
      move_q  <= send;
      done_q  <= send && last;
      valid_q <= valid_q ? !ready_i : done_q;
    end
    // Whether there is something is known as late as what it is.
    if (!full_q) near_q <= data_i;
    word_q <= near[at_q * Lane +: Lane];
    if (move_q) far_q <= {word_q, far_q[All-1:Lane]};
  end

  if (All > Width) begin : g_rest
    logic unused;
    assign unused = &{1'b0, far_q[All-1:Width]};
  end

`ifdef FORMAL
  `FORMAL_START

  // A stalled beat neither vanishes nor changes, on either side.
  `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

  // Nothing is lost, invented or reordered.
  `FOLLOW(valid_i && ready_o, data_i, valid_o && ready_i)
  `ASSERT(Count_A, (in_q - out_q) == {3'd0, full_q} + {3'd0, valid_q})
  `ASSERT(OutIsPicked_A, !(valid_o && out_q == pick) || data_o == picked_q)
  `COVER(Two_C, valid_o && ready_i && out_q == 4'd1)
`endif

endmodule

`default_nettype wire
