// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// READs behind writes: a READ sees every write that was issued before its job came, so while such writes are not
// acknowledged its slot's turn does not come. The number of writes issued goes with the READ through one queue for all
// slots, in whose order they are acknowledged; when nothing is outstanding (quiet_o) the READ does not go there.
//
//   push_i -> slot -> {slot, writes issued} -> queue -> acknowledged? -> slot -> slot -> one READ more of it may go
//
// A READ every second cycle in, so that the one before is seen when quiet_i is taken; one a cycle out. It may go three
// cycles after its writes are acknowledged. The queue lies where writes are counted, which may be far from the slots,
// so there are two registers on the way to it and two on the way back, and ready_o is a flop that allows for them;
// whether writes are outstanding is a flop, too: quiet_o says it as it was a cycle before. may_go_o and next_ok_o are
// flops and some LUTs. It does NOT know jobs: who pushes keeps a slot's READs in order, and says when one is done.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_resp_fence #(
  parameter int unsigned Slots   = 16,     // power of two
  parameter int unsigned PerSlot = 32,     // jobs of one slot, power of two
  parameter int unsigned Depth   = 64,     // READs that wait, power of two, at least 4
  localparam int unsigned SlotW  = $clog2(Slots),
  localparam int unsigned JobW   = $clog2(PerSlot)
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic [31:0]      wr_issued_i,    // of ohca_dma_wr, all clients
  input  logic [31:0]      wr_acked_i,

  output logic             quiet_o,        // no write is outstanding, no READ waits
  output logic             ready_o,        // a READ that has to wait finds a place
  input  logic             push_i,         // a READ of this slot, the newest one
  input  logic             quiet_i,        // it need not wait: quiet_o, as it was a cycle before
  input  logic [SlotW-1:0] slot_i,

  input  logic             done_i,         // the oldest READ of the turn's slot has been answered; it came two cycles
                                           // before, or earlier
  input  logic [SlotW-1:0] turn_i,         // the turn's slot
  input  logic             read_i,         //   its oldest job is a READ

  output logic [Slots-1:0] may_go_o,       // the slot's oldest READ need not wait
  output logic             next_ok_o       // nor does the one behind the turn's
);

  logic [Slots-1:0][JobW:0]   go_q, held_q;   // READs of a slot that may go; that wait, which lie behind them
  logic [Slots-1:0]           frees, done, holds, free;   // by slot: one more, one less of each
  logic                       push_q, wait_q, still_q;      // a READ has come; it waits; no write was outstanding
  logic                       valid, pop, pop_q, free_q, ready_q;
  logic [SlotW-1:0]           slot, slot_q, free_slot_q;
  logic [15:0]                snap, behind;
  logic [$clog2(Depth+1)-1:0] count;
  assign quiet_o = still_q && count == '0 && !(push_q && wait_q) && !in_q && !pop_q;
  assign ready_o = ready_q;
  // It counts, and goes there, from flops: that a READ comes is known late. Two of them may be on the way, and one may
  // come.
  logic             in_q, in_ready;
  logic [SlotW-1:0] push_slot_q, in_slot_q;
  logic [15:0]      in_issued_q;
  always_ff @(posedge clk_i) begin
    still_q     <= wr_issued_i[15:0] == wr_acked_i[15:0];
    push_q      <= push_i && !rst_i;
    wait_q      <= !quiet_i;
    push_slot_q <= slot_i;
    in_q        <= push_q && wait_q && !rst_i;
    in_slot_q   <= push_slot_q;
    in_issued_q <= wr_issued_i[15:0];
    ready_q     <= 32'(count) < Depth - 2;
  end
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(SlotW + 16), .Depth(Depth)) u_fence (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(in_q), .ready_o(in_ready), .data_i({in_slot_q, in_issued_q}),
    .valid_o(valid), .ready_i(pop), .data_o({slot, snap}), .count_o(count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  always_comb begin
    for (int unsigned i = 0; i < Slots; i++) begin
      holds[i] = push_q && wait_q && push_slot_q == SlotW'(i);
      free[i]  = free_q && free_slot_q == SlotW'(i);
      frees[i] = (push_q && !wait_q && push_slot_q == SlotW'(i)) || free[i];
      done[i]  = done_i && turn_i == SlotW'(i);
    end
  end
  assign behind = wr_acked_i[15:0] - snap;
  assign pop    = valid && !behind[15];
  // Two cycles later: that it is acknowledged is known late, and each slot asks for it. Nothing comes that was quiet
  // then.
  always_ff @(posedge clk_i) begin
    pop_q       <= pop && !rst_i;
    slot_q      <= slot;
    free_q      <= pop_q && !rst_i;
    free_slot_q <= slot_q;
    `WHEN(push_q || free_q || done_i || rst_i) for (int unsigned i = 0; i < Slots; i++) begin
      if (rst_i) begin
        go_q[i]   <= '0;
        held_q[i] <= '0;
      end else begin
        if (frees[i] != done[i]) go_q[i]   <= go_q[i] + {{JobW{done[i]}}, 1'b1};
        if (holds[i] != free[i]) held_q[i] <= held_q[i] + {{JobW{free[i]}}, 1'b1};
      end
    end
  end
  // One that has just come, and waits, holds its slot before it is counted.
  always_comb for (int unsigned i = 0; i < Slots; i++)
    may_go_o[i] = (held_q[i] == '0 && !holds[i]) || go_q[i] != '0;
  assign next_ok_o = (held_q[turn_i] == '0 && !holds[turn_i]) || go_q[turn_i] > (JobW+1)'(read_i);

  `ASSERT(DoneReleased_A, !done_i || go_q[turn_i] != '0)
  `ASSERT(InRoom_A, !in_q || in_ready)
  `ASSERT(QuietAlone_A, !(push_i && quiet_i && (valid || pop_q || free_q || (push_q && wait_q) || in_q)))

  logic unused;
  assign unused = &{1'b0, in_ready, wr_issued_i[31:16], wr_acked_i[31:16], behind[14:0]};

endmodule

`default_nettype wire
