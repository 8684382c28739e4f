// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Tells when all that was inside a first-in first-out path at some moment has left it, however much follows.
//
// A mark counts what is inside after that cycle's enter_i and leave_i; pending_o is high from the next cycle until as
// many have left. A later mark replaces the earlier one, which it includes. More than Max inside, or a leave of
// nothing, is the user's bug: it is asserted.

// prove: Max=3 bmc=12 ind=4 cover=12
// prove: Max=6 bmc=14 ind=7 cover=14

`include "ohca_assert.svh"
`default_nettype none

module ohca_drain #(
  parameter int unsigned Max     = 255,
  localparam int unsigned CountW = $clog2(Max + 1)
) (
  input  logic clk_i,
  input  logic rst_i,

  input  logic enter_i,
  input  logic leave_i,
  input  logic mark_i,
  output logic pending_o
);

  logic [CountW-1:0] inside_q, inside_d, left_q;

  assign inside_d  = inside_q + CountW'(enter_i) - CountW'(leave_i);
  assign pending_o = left_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= '0;
      left_q   <= '0;
    end else begin
      inside_q <= inside_d;
      if (mark_i)                    left_q <= inside_d;
      else if (leave_i && pending_o) left_q <= left_q - CountW'(1);
    end
  end

`ifndef FORMAL
  `ASSERT(Inside_A, !(leave_i && inside_q == '0) && !(enter_i && !leave_i && inside_q == CountW'(Max)))
`else
  `FORMAL_START
  `ASSUME(Inside_M, !(leave_i && inside_q == '0) && !(enter_i && !leave_i && inside_q == CountW'(Max)))

  // One item of any: followed from its entry to its exit by its place in the queue.
  (* anyseq *) logic pick;
  logic              in_q, marked_q;
  logic [CountW-1:0] before_q;             // how many leave before it
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_q     <= 1'b0;
      marked_q <= 1'b0;
      before_q <= '0;
    end else if (!in_q) begin
      in_q     <= enter_i && pick;
      marked_q <= enter_i && pick && mark_i;
      before_q <= inside_d - CountW'(1);
    end else begin
      if (leave_i) before_q <= before_q - CountW'(1);
      if (leave_i && before_q == '0) in_q <= 1'b0;
      if (mark_i) marked_q <= !(leave_i && before_q == '0);
      if (leave_i && before_q == '0) marked_q <= 1'b0;
    end
  end
  `ASSERT(Max_A, inside_q <= CountW'(Max))
  `ASSERT(Place_A, !in_q || before_q < inside_q)
  `ASSERT(Left_A, left_q <= inside_q)
  // What was inside at the mark is waited for, and what came later is not.
  `ASSERT(Waits_A, !(in_q && marked_q) || left_q > before_q)
  `ASSERT(Passes_A, !(in_q && !marked_q) || left_q <= before_q)
  `COVER(Done_C, past_valid_q && in_q && !marked_q && $past(pending_o) && !pending_o)
`endif

endmodule

`default_nettype wire
