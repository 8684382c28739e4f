// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine: what is left of a QP that was reset. Jobs of it may wait for a VL, and pieces of it in front of
// translation, for as long as the link likes; their keys may be good (the reserved one is), and what these name may be
// another's memory by then. With one VL descriptors wait as well, and who comes to have the QP's number is not to hear
// of them.
//
//   begin_* -> the turn's QP --------+
//   put_*   -> the piece's QP -------+--> walk: equal to the QP that was reset? -> turn_gone_o, slot_gone_o,
//   desc_*  -> the descriptor's QP --+                                             desc_gone_o
//
// The QP of a turn is noted where its plan begins, that of a piece where it leaves ohca_sq_pay, in one of eight slots
// in turn: no more than four pieces are between there and their translation. That of a descriptor is noted where it
// leaves ohca_sq_head, in one of Descs slots in turn: as many as there may be from there to the end of their packets.
// reset_i begins a walk over all of them, an entry of each a cycle. Turns (or Descs, if they are more) + 4 cycles later
// (busy_o falls) the marks of what that QP had are set; what left meanwhile was compared as it left. The next plan of a
// turn, or what comes into a slot, clears the mark; a descriptor of a turn that is marked has its own from the start.
//
// A piece that is translated before its mark is seen is none of this: a drain (ohca_txb_read) waits for its read. One
// walk at a time: no reset_i while busy_o. Outputs are flops.
// lint: Turns=16
// lint: Turns=16 Descs=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_gone #(
  parameter int unsigned Turns  = 64,      // powers of two, at least 8
  parameter int unsigned Descs  = 64,
  localparam int unsigned TurnW = $clog2(Turns),
  localparam int unsigned DescW = $clog2(Descs)
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             begin_i,        // a plan of this turn begins, for this QP
  input  logic [TurnW-1:0] begin_turn_i,
  input  logic [23:0]      begin_qpn_i,
  input  logic             reset_i,        // this QP is in RESET now
  input  logic [23:0]      reset_qpn_i,
  output logic             busy_o,

  input  logic [TurnW-1:0] pay_turn_i,     // whose pieces leave from the next cycle on
  input  logic             put_i,          // one leaves, in this slot
  input  logic [2:0]       put_slot_i,
  input  logic             desc_i,         // a descriptor leaves, in this slot, of this QP
  input  logic [DescW-1:0] desc_slot_i,
  input  logic [23:0]      desc_qpn_i,
  input  logic             desc_gone_i,    // its turn was marked

  output logic [Turns-1:0] turn_gone_o,
  output logic [7:0]       slot_gone_o,
  output logic [Descs-1:0] desc_gone_o
);

  localparam int unsigned Steps = (Turns > Descs) ? Turns : Descs;
  localparam int unsigned StepW = $clog2(Steps);

  logic [23:0]      turn_qpn [Turns];
  logic [23:0]      slot_qpn [8];
  logic [23:0]      desc_qpn [Descs];
  logic [23:0]      qpn_q, pay_qpn;
  logic [TurnW-1:0] pay_turn_q;
  logic [StepW:0]   at_q;
  logic [StepW-1:0] was_q;
  logic [TurnW-1:0] at;
  logic [DescW-1:0] at_desc;
  logic             walks, turn_is_q, slot_is_q, desc_is_q;

  // What has fewer entries is looked at more than once.
  assign at      = at_q[TurnW-1:0];
  assign at_desc = at_q[DescW-1:0];
  assign walks   = busy_o && !at_q[StepW];
  // A turn's pieces have left when it gets its next plan, so it may be looked up as they leave.
  assign pay_qpn = turn_qpn[pay_turn_q];

  always_ff @(posedge clk_i) begin
    if (begin_i) turn_qpn[begin_turn_i] <= begin_qpn_i;
    if (put_i)   slot_qpn[put_slot_i]   <= pay_qpn;
    if (desc_i)  desc_qpn[desc_slot_i]  <= desc_qpn_i;
    pay_turn_q <= pay_turn_i;
    if (reset_i) qpn_q <= reset_qpn_i;
  end

  // The walk. Who takes an entry over while it is looked at, or a cycle later, has it as new.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_o    <= 1'b0;
      turn_is_q <= 1'b0;
      slot_is_q <= 1'b0;
      desc_is_q <= 1'b0;
    end else begin
      // Three cycles more: the last mark, and until ohca_sq_pay and ohca_sq_head go by it.
      busy_o    <= reset_i || (busy_o && at_q != (StepW+1)'(Steps + 3));
      turn_is_q <= walks && turn_qpn[at] == qpn_q && !(begin_i && begin_turn_i == at);
      slot_is_q <= walks && slot_qpn[at[2:0]] == qpn_q && !(put_i && put_slot_i == at[2:0]);
      desc_is_q <= walks && desc_qpn[at_desc] == qpn_q && !(desc_i && desc_slot_i == at_desc);
    end
    at_q  <= busy_o ? at_q + (StepW+1)'(1) : '0;
    was_q <= at_q[StepW-1:0];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      turn_gone_o <= '0;
      slot_gone_o <= '0;
      desc_gone_o <= '0;
    end else begin
      // One after the other, not by index: Yosys makes shifters of indexed writes to packed arrays.
      for (int unsigned i = 0; i < Turns; i++) begin
        if (begin_i && begin_turn_i == TurnW'(i)) turn_gone_o[i] <= 1'b0;
        else if (turn_is_q && was_q[TurnW-1:0] == TurnW'(i)) turn_gone_o[i] <= 1'b1;
      end
      // A piece that leaves before the walk has come to its turn.
      for (int unsigned i = 0; i < 8; i++) begin
        if (put_i && put_slot_i == 3'(i)) slot_gone_o[i] <= busy_o && pay_qpn == qpn_q;
        else if (slot_is_q && was_q[2:0] == 3'(i)) slot_gone_o[i] <= 1'b1;
      end
      for (int unsigned i = 0; i < Descs; i++) begin
        if (desc_i && desc_slot_i == DescW'(i)) desc_gone_o[i] <= desc_gone_i || (busy_o && desc_qpn_i == qpn_q);
        else if (desc_is_q && was_q[DescW-1:0] == DescW'(i)) desc_gone_o[i] <= 1'b1;
      end
    end
  end

  `ASSERT(OneWalk_A, !(reset_i && busy_o))

  logic             begun_q;
  logic [TurnW-1:0] begun_turn_q;
  always_ff @(posedge clk_i) begin
    begun_q      <= begin_i && !rst_i;
    begun_turn_q <= begin_turn_i;
  end
  `ASSERT(Left_A, !put_i || !begun_q || begun_turn_q != pay_turn_q)
  logic unused;
  assign unused = &{1'b0, begun_q, begun_turn_q};

endmodule

`default_nettype wire
