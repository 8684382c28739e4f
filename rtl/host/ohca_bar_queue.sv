// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send doorbells that wait for the send engine, in the order in which they rang. With Merge one that finds another of
// its QP and page waiting is taken into that: a doorbell says how far the ring is filled, so the later index says all
// that the earlier one did.
//
//   doorbell ─┬─► tail ─────────────────────────────► head ─► send engine
//             └─► same key? ─ a cycle later ─► its index, and the tail taken back
//
// So what waits is at most a doorbell for each QP that is at work, however fast they ring, and a QP that rang several
// times meanwhile has its WQEs fetched together, which costs the send engine and the acknowledge engine less than one
// after the other. A WQE that was pushed is dropped from a doorbell that is merged, as it is not the only one any more:
// its slot comes back (gone_o). Without Merge nothing is: where the host's bus is narrow, fetching WQEs is what costs.
//
// Latency a cycle, throughput one a cycle, in and out. The first two that wait are never merged with, as they may be
// gone before they are written. It does NOT keep the index from going back where a doorbell is not merged.

`include "ohca_assert.svh"
`default_nettype none

module ohca_bar_queue #(
  parameter int unsigned Depth = 32,           // power of two
  parameter int unsigned SlotW = 4,
  parameter bit          Merge = 1'b0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  valid_i,       // there is room for two when almost_full_o is not set
  input  logic [39:0]           key_i,         // {qpn, page}
  input  logic [15:0]           pi_i,
  input  logic                  push_i,        // its WQE is in slot_i
  input  logic [SlotW-1:0]      slot_i,
  output logic                  almost_full_o,

  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [39:0]           key_o,
  output logic [15:0]           pi_o,
  output logic                  push_o,
  output logic [SlotW-1:0]      slot_o,

  output logic [1:0]            gone_o,        // WQEs that go with no doorbell, in slots; flops and six levels
  output logic [1:0][SlotW-1:0] gone_slot_o
);

  if (!Merge) begin : g_plain
    localparam int unsigned CountW = $clog2(Depth) + 1;
    logic [CountW-1:0] waits;
    // A flop, as below.
    always_ff @(posedge clk_i) almost_full_o <= !rst_i && waits + CountW'(valid_i) >= CountW'(Depth - 1);
    // verilator lint_off PINCONNECTEMPTY
    ohca_fifo #(.Width(40 + 16 + 1 + SlotW), .Depth(Depth), .UseRam(1'b0), .ValidFlop(1'b1)) u_fifo (
      .clk_i, .rst_i, .valid_i, .ready_o(), .data_i({key_i, pi_i, push_i, slot_i}),
      .valid_o, .ready_i, .data_o({key_o, pi_o, push_o, slot_o}), .count_o(waits), .almost_full_o()
    );
    // verilator lint_on PINCONNECTEMPTY
    assign gone_o      = '0;
    assign gone_slot_o = '0;
  end else begin : g_merge
    localparam int unsigned AddrW = $clog2(Depth);
    logic [AddrW:0]   wr_q, rd_q, count;
    logic [AddrW-1:0] head;
    logic [Depth-1:0] next_q, first_q;         // the places that they name, a bit each: many hang on which it is
    logic [Depth-1:0] at, tail, second;        // at: where a doorbell goes
    logic [Depth-1:0] there_q, match, y_match_q;
    logic             pop;
    logic [39:0]      key_q  [Depth];
    logic [15:0]      pi_q   [Depth];
    logic             push_q [Depth];
    logic [SlotW-1:0] slot_q [Depth];
    // The doorbell of the cycle before, and what it is merged with
    logic             y_hit_q, y_push_q, y_old_push_q, newer, again, old_push;
    logic [39:0]      y_key_q;
    logic [15:0]      y_pi_q, y_old_q, ahead, old_pi;
    logic [SlotW-1:0] y_slot_q, y_old_slot_q, old_slot;

    assign count         = wr_q - rd_q;
    // A flop, as who writes hangs on it: what leaves is seen a cycle later.
    always_ff @(posedge clk_i) almost_full_o <= !rst_i && count + (AddrW+1)'(valid_i) >= (AddrW+1)'(Depth - 1);
    assign head          = rd_q[AddrW-1:0];
    assign second        = {first_q[Depth-2:0], first_q[Depth-1]};
    assign tail          = {next_q[0], next_q[Depth-1:1]};
    assign at            = y_hit_q ? tail : next_q;
    assign valid_o       = wr_q != rd_q;
    assign pop           = valid_o && ready_i;
    assign key_o         = key_q[head];
    assign pi_o          = pi_q[head];
    assign push_o        = push_q[head];
    assign slot_o        = slot_q[head];

    // At most one: a doorbell with the key of one that can be merged with does not stay.
    always_comb begin
      old_pi   = '0;
      old_push = 1'b0;
      old_slot = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        match[i] = there_q[i] && key_q[i] == key_i && !first_q[i] && !second[i] && !(y_hit_q && tail[i]);
        if (match[i]) begin
          old_pi   = old_pi | pi_q[i];
          old_push = old_push | push_q[i];
          old_slot = old_slot | slot_q[i];
        end
      end
    end
    assign ahead = y_pi_q - y_old_q;
    assign newer = !ahead[15];                 // two ports have no order, so the later one need not be
    assign again = y_hit_q && y_key_q == key_i;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        wr_q    <= '0;
        rd_q    <= '0;
        next_q  <= Depth'(1);
        first_q <= Depth'(1);
        there_q <= '0;
        y_hit_q <= 1'b0;
      end else begin
        wr_q    <= wr_q + (AddrW+1)'(valid_i) - (AddrW+1)'(y_hit_q);
        if (valid_i != y_hit_q) next_q <= valid_i ? {next_q[Depth-2:0], next_q[Depth-1]} : tail;
        if (pop) begin
          rd_q    <= rd_q + (AddrW+1)'(1);
          first_q <= second;
        end
        y_hit_q <= valid_i && (|match);
        for (int unsigned i = 0; i < Depth; i++) begin
          if (valid_i && at[i])        there_q[i] <= 1'b1;
          else if (y_hit_q && tail[i]) there_q[i] <= 1'b0;
          else if (pop && first_q[i])  there_q[i] <= 1'b0;
        end
      end
      y_match_q    <= match;
      y_key_q      <= key_i;
      y_pi_q       <= pi_i;
      y_push_q     <= push_i;
      y_slot_q     <= slot_i;
      y_old_q      <= !again ? old_pi : newer ? y_pi_q : y_old_q;
      y_old_push_q <= !again ? old_push : !newer && y_old_push_q;
      y_old_slot_q <= old_slot;
      for (int unsigned i = 0; i < Depth; i++) begin
        if (valid_i && at[i]) begin
          key_q[i]  <= key_i;
          push_q[i] <= push_i;
          slot_q[i] <= slot_i;
        end else if (y_hit_q && y_match_q[i] && newer) begin
          push_q[i] <= 1'b0;
        end
        // What is merged with stays where it is, so none comes there: which of both it is, a flop says.
        if ((valid_i && at[i]) || (y_hit_q && y_match_q[i] && newer)) pi_q[i] <= y_match_q[i] ? y_pi_q : pi_i;
      end
    end
    assign gone_o      = {y_hit_q && y_old_push_q && newer, y_hit_q && y_push_q};
    assign gone_slot_o = {y_old_slot_q, y_slot_q};

    logic unused;
    assign unused = &{1'b0, ahead[14:0]};

    `ASSERT(One_A, !valid_i || (match & (match - Depth'(1))) == '0)
    `ASSERT(Room_A, !valid_i || count != (AddrW+1)'(Depth) || y_hit_q)
    `ASSERT(Still_A, !y_hit_q || (y_match_q & there_q) == y_match_q)
    `ASSERT(Other_A, !valid_i || (y_match_q & at) == '0)
    `ASSERT(Tail_A, !(y_hit_q && pop) || first_q != tail)
    `ASSERT(Places_A, next_q == Depth'(1) << wr_q[AddrW-1:0] && first_q == Depth'(1) << head)
  end

endmodule

`default_nettype wire
