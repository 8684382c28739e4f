// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Timers of many QPs in one RAM: a list of (QP, deadline) that is walked once whenever the earliest deadline has come, and sleeps otherwise.
// One entry per cycle in and in the walk; an expiry is reported at most Depth + 3 cycles late (more only while the sink stalls).
//
// A walk takes every entry from the head, reports the expired ones and puts the others back, and finds the next earliest deadline on the
// way. Deadlines are compared modulo 2^32 and must lie less than 2^31 ticks ahead. It does NOT cancel: the owner looks at its context
// when a timer expires. It does NOT queue without room: arm_ready_o is low while Depth - 1 entries are held.
`include "ohca_assert.svh"
`default_nettype none

module ohca_timer #(
  parameter int unsigned Depth = 1024,      // power of two; entries, less one
  localparam int unsigned CntW = $clog2(Depth) + 1
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        idle_o,               // a timer that waits is idle
  input  logic [63:0] now_i,                // device cycles; a tick is 256 of them

  input  logic        arm_valid_i,
  output logic        arm_ready_o,
  input  logic [23:0] arm_qpn_i,
  input  logic [31:0] arm_deadline_i,       // ticks

  output logic        exp_valid_o,
  input  logic        exp_ready_i,
  output logic [23:0] exp_qpn_o,

  output logic        any_o,                // entries are held
  output logic [31:0] next_o                // earliest deadline (while a walk goes on: the one that started it)
);

  logic [31:0] tick;
  assign tick = now_i[39:8];

  // a is at or after b
  function automatic logic reached(input logic [31:0] a, input logic [31:0] b);
    reached = 32'(a - b) < 32'h80000000;
  endfunction

  logic            walk_q, start, take, back, expired, arm, in_valid, in_ready, out_valid;
  logic [CntW-1:0] count, left_q;
  logic [23:0]     e_qpn;
  logic [31:0]     e_deadline, in_deadline, next_q, min_q;
  logic            any_q, min_any_q, min_any, room;
  logic [31:0]     min;

  ohca_fifo #(.Width(56), .Depth(Depth)) u_list (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(in_valid), .ready_o(in_ready), .data_i({back ? e_qpn : arm_qpn_i, in_deadline}),
    .valid_o(out_valid), .ready_i(take), .data_o({e_qpn, e_deadline}), .count_o(count), .almost_full_o()
  );

  assign start       = !walk_q && any_q && reached(tick, next_q);
  assign expired     = reached(tick, e_deadline);
  assign exp_valid_o = walk_q && out_valid && expired;
  assign exp_qpn_o   = e_qpn;
  assign back        = walk_q && out_valid && !expired;
  assign take        = back || (exp_valid_o && exp_ready_i);

  // Putting back goes first; one place is kept for it.
  assign room        = count < CntW'(Depth - 1);
  assign arm_ready_o = room && !back;
  assign arm         = arm_valid_i && arm_ready_o;
  assign in_valid    = back || arm;
  assign in_deadline = back ? e_deadline : arm_deadline_i;

  // The earliest of what went into the list since the walk began, or since ever.
  assign min_any = in_valid || (walk_q ? min_any_q : any_q);
  always_comb begin
    min = walk_q ? min_q : next_q;
    if (in_valid && (!(walk_q ? min_any_q : any_q) || !reached(in_deadline, min))) min = in_deadline;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      walk_q    <= 1'b0;
      any_q     <= 1'b0;
      min_any_q <= 1'b0;
    end else if (start) begin
      // The entry that is armed in this cycle is beyond the count, so it stays for the next walk.
      walk_q    <= 1'b1;
      min_any_q <= in_valid;
    end else if (walk_q) begin
      min_any_q <= min_any;
      if (take && left_q == CntW'(1)) begin
        walk_q <= 1'b0;
        any_q  <= min_any;
      end
    end else if (in_valid) begin
      any_q <= 1'b1;
    end
    if (start) left_q <= count;
    else if (take) left_q <= left_q - CntW'(1);
    if (start) min_q <= in_deadline;
    else if (walk_q && in_valid) min_q <= min;
    if (walk_q ? (take && left_q == CntW'(1)) : (in_valid && !start)) next_q <= min;
  end

  assign any_o  = count != '0;
  assign next_o = next_q;
  assign idle_o = !walk_q && !start;

  logic unused;
  assign unused = &{1'b0, now_i[63:40], now_i[7:0]};

  `ASSERT(BackHasRoom_A, !back || in_ready)
  `ASSERT(WalkEnds_A, !walk_q || left_q != '0)

endmodule

`default_nettype wire
