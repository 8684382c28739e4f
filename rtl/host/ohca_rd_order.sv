// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The reads of one order: slots of ohca_dma_rd in the order in which their bursts were asked for, and how far the first
// one is.
//
//   put -> FIFO of {slot, beats} -> the first slot: valid, begun, done
//
// A slot is the first three cycles after it was put, and the next one in the cycle after the first was taken: one a
// cycle. What is said of the first is a multiplexer over the slots behind a flop, and does not depend on next_i.
// It does NOT keep beats or know of requests: those of one order lie side by side, and ohca_dma_rd tells them apart.

// prove: Tags=4 BeatW=2 bmc=12 cover=10

`include "ohca_assert.svh"
`default_nettype none

module ohca_rd_order #(
  parameter int unsigned Tags  = 64,           // slots, power of two
  parameter int unsigned BeatW = 3,            // of a beat's number in its slot
  localparam int unsigned TagW = $clog2(Tags)
) (
  input  logic              clk_i,
  input  logic              rst_i,

  input  logic              put_i,             // always room: there are not more slots than Tags
  input  logic [TagW-1:0]   put_slot_i,
  input  logic [BeatW-1:0]  put_m1_i,          // its beats, less one

  input  logic [Tags-1:0]   begun_i,           // by slot: a beat has come. Cleared before a slot is put again
  input  logic [Tags-1:0]   done_i,            // all of them are in its memory

  output logic              begun_o,           // of the first slot; 0 without one
  output logic              done_o,
  output logic [TagW-1:0]   slot_o,
  output logic [BeatW-1:0]  m1_o,
  input  logic              next_i             // the first slot is taken: only with begun_o or done_o
);

  logic             f_valid, f_ready, put_ready, valid_q;
  logic [TagW-1:0]  f_slot;
  logic [BeatW-1:0] f_m1;

  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(TagW + BeatW), .Depth(Tags), .UseRam(1'b0)) u_order (
    .clk_i, .rst_i, .valid_i(put_i), .ready_o(put_ready), .data_i({put_slot_i, put_m1_i}),
    .valid_o(f_valid), .ready_i(f_ready), .data_o({f_slot, f_m1}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign f_ready = !valid_q || next_i;
  always_ff @(posedge clk_i) begin
    if (rst_i)        valid_q <= 1'b0;
    else if (f_ready) valid_q <= f_valid;
    if (f_ready) {slot_o, m1_o} <= {f_slot, f_m1};
  end
  assign begun_o = valid_q && begun_i[slot_o];
  assign done_o  = valid_q && done_i[slot_o];

  `ASSERT(Room_A, !put_i || put_ready)

`ifdef FORMAL
  `FORMAL_START
  // Follow one slot: it is put again only after it was taken.
  (* anyconst *) logic [TagW-1:0] who;
  logic             in_q = 1'b0;
  logic [BeatW-1:0] m1_q;
  logic [TagW:0]    ahead_q, count_q;
  `ASSUME(Twice_M, !(put_i && put_slot_i == who && in_q))
  `ASSUME(Number_M, !put_i || count_q < (TagW + 1)'(Tags))
  `ASSUME(Next_M, !next_i || begun_o || done_o)
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_q    <= 1'b0;
      ahead_q <= '0;
      count_q <= '0;
    end else begin
      count_q <= count_q + (TagW + 1)'(put_i) - (TagW + 1)'(next_i);
      if (put_i && put_slot_i == who) begin
        in_q    <= 1'b1;
        m1_q    <= put_m1_i;
        ahead_q <= count_q - (TagW + 1)'(next_i);
      end else if (in_q && next_i) begin
        if (ahead_q == '0) in_q <= 1'b0;
        else               ahead_q <= ahead_q - (TagW + 1)'(1);
      end
    end
  end
  // It is offered in its turn, with its beats, when they are there.
  `ASSERT(Turn_A, !((begun_o || done_o) && in_q && ahead_q == '0) || (slot_o == who && m1_o == m1_q))
  `ASSERT(Begun_A, !(begun_o && in_q && ahead_q == '0) || begun_i[who])
  `ASSERT(Done_A, !(done_o && in_q && ahead_q == '0) || done_i[who])
  `ASSERT(Empty_A, !(begun_o || done_o) || count_q != '0)
  `COVER(Third_C, done_o && in_q && ahead_q == '0 && past_valid_q && $past(next_i) && count_q == (TagW + 1)'(2))
`endif

endmodule

`default_nettype wire
