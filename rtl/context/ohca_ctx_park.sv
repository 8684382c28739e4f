// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Tokens of a cache that wait: for their fill, behind another token of their set, or for the out stages. What ohca_ctx
// keeps with Pass = 1; ohca_ctx_full says which tokens pass which, and why none waits for ever.
//
// A token is parked, or ready, in the cycle of its lookup; with nothing ready and the out stage empty (pass_i) it goes
// on in that cycle (valid_o is combinational from push_i then), else a cycle later. One token a cycle becomes ready.
// ready_o is a gate behind flops. A token that is not taken (pop_i comes late) lies in a register, so that what goes on
// in here does not wait for pop_i; it costs no cycle. It does NOT know contexts: a token is what data_i says.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_park #(
  parameter int unsigned Depth   = 32,   // tokens, power of two
  parameter int unsigned Fills   = 8,    // fills in flight, power of two
  parameter int unsigned SetW    = 8,
  parameter int unsigned IdxW    = 9,    // {way, set}
  parameter int unsigned TokBits = 64
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               held_o,      // tokens wait

  // What the tags are read for (with s0_open_i, or it is never looked up), and a cycle later the lookup
  input  logic               s0_open_i,
  input  logic [SetW-1:0]    s0_set_i,
  input  logic               s1_valid_i,
  input  logic               s1_drop_i,   // no token: a fill that failed leaves the tags
  input  logic               s1_inval_i,
  input  logic [SetW-1:0]    s1_set_i,
  input  logic [IdxW-1:0]    s1_idx_i,
  input  logic [TokBits-1:0] s1_data_i,
  input  logic               bad_i,       // no such number: it waits for nothing
  input  logic               miss_i,
  input  logic               way_i,
  output logic               ready_o,
  input  logic               push_i,

  input  logic               fill_i,      // pulse, in the order of misses: the line is asked for, or (not fill_ok_i)
                                          // cannot be
  input  logic               fill_ok_i,
  input  logic               beat_i,      // a beat of a line that was asked for
  input  logic               beat_last_i,

  input  logic               pass_i,      // what is looked up may go on in that cycle: a flop and a LUT
  output logic               valid_o,
  output logic               may_o,       // valid_o may come, known early
  input  logic               pop_i,       // only with valid_o; late
  output logic [IdxW-1:0]    idx_o,
  output logic [TokBits-1:0] data_o
);

  localparam int unsigned DepW  = $clog2(Depth);
  localparam int unsigned FillW = $clog2(Fills);

  // Tokens lie in slots, by which the queues name them. Of a slot: it is the last of a chain (tail), one is behind it
  // (more).
`include "ohca_ctx_set.svh"
  logic [Depth-1:0]           tail_q, more_q, chain, same;     // same: of the set that is looked up
  logic [SetParts*Depth-1:0]  same_q, same_d;
  logic [SetParts-1:0]        last;        // the set in front of what is looked up
  logic [Depth-1:0]           at_slot;         // the slot that is next, one-hot
  logic [SetW*Depth-1:0]      set_q;
  logic [TokBits-1:0]         token [Depth];
  logic [DepW+1:0]            next  [Depth];       // {misses or invalidates, way, slot}
  logic [DepW:0]              held_q, fresh_q;     // slots in use; those that were ever taken off the list
  logic                       slot_v_q, refill;    // the next token's slot is known
  logic [DepW-1:0]            slot, free_slot, pred, h_slot, r_slot, ord_slot, up_slot_q, x_slot;
  logic [IdxW-1:0]            r_idx, ord_idx, up_idx_q, x_idx, h_idx;
  logic [TokBits-1:0]         h_data;
  logic                       h_valid, pop;        // what is first; it leaves, to be taken or into the register
  logic                       behind, own, park, past, store, leave, x_go, r_valid, r_ready, free_valid, free_ready,
      ord_valid, ord_ready, ord_fill;
  logic                       st_valid, st_ready, st_ok, promise, up_q, up_any, first_q;
  logic [DepW+1:0]            up_next;
  logic [FillW:0]             lines_q;             // of which a beat is there, and which are for a miss that is not
                                                   // ready

  always_comb begin
    same  = '0;
    chain = '0;
    pred  = '0;
    `WHEN(s1_valid_i) for (int unsigned i = 0; i < Depth; i++) begin
      same[i]  = &same_q[SetParts*i +: SetParts];
      chain[i] = tail_q[i] && same[i];
      if (chain[i]) pred = pred | DepW'(i);
    end
  end
  always_comb for (int unsigned i = 0; i < Depth; i++) at_slot[i] = slot == DepW'(i);
  always_comb begin
    same_d = '1;
    last   = '1;
    `WHEN(s0_open_i) begin
      last = same_set(s1_set_i, s0_set_i);
      for (int unsigned i = 0; i < Depth; i++)
        same_d[SetParts*i +: SetParts] = (slot_v_q && at_slot[i]) ? last : same_set(set_q[SetW*i +: SetW], s0_set_i);
    end
  end
  assign own       = !bad_i && (miss_i || s1_inval_i);
  assign behind    = !bad_i && chain != '0;
  assign park      = own || behind;
  // One a cycle becomes ready: of a chain (x), or what is looked up. What is looked up does not join a chain that is
  // being made ready, so that ends.
  assign x_go      = up_q || promise;
  assign x_slot    = up_q ? up_slot_q : ord_slot;
  assign x_idx     = up_q ? up_idx_q : ord_idx;
  assign ready_o = slot_v_q && (park ? !(x_go && x_idx[SetW-1:0] == s1_set_i) : !x_go);
  // When none is ready, it is passed by, but only where that does not wait for the token in front to leave: a stream
  // goes through the queue.
  assign past      = !park && !r_valid && pass_i && pop;
  assign store     = push_i && !past;
  assign leave     = pop && (r_valid || x_go);
  assign h_valid   = r_valid || x_go || (push_i && !park && pass_i);
  assign h_slot    = r_valid ? r_slot : x_slot;
  assign h_idx     = r_valid ? r_idx : x_go ? x_idx : s1_idx_i;
  assign h_data    = (r_valid || x_go) ? token[h_slot] : s1_data_i;
  assign held_o    = held_q != '0 || !pop;

  assign may_o     = !pop || r_valid || x_go || s1_valid_i;
  ohca_skid_now #(.Width(IdxW + TokBits)) u_side (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(h_valid), .ready_o(pop), .data_i({h_idx, h_data}),
    .valid_o(valid_o), .ready_i(pop_i), .data_o({idx_o, data_o})
  );
  ohca_fifo #(.Width(DepW + IdxW), .Depth(Depth), .UseRam(1'b0)) u_ready (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(x_go ? r_valid || !pop : push_i && !park && !past), .ready_o(r_ready),
    .data_i(x_go ? {x_slot, x_idx} : {slot, s1_idx_i}),
    .valid_o(r_valid), .ready_i(pop), .data_o({r_slot, r_idx}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(DepW), .Depth(Depth), .UseRam(1'b0)) u_free (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(leave), .ready_o(free_ready), .data_i(h_slot),
    .valid_o(free_valid), .ready_i(refill && fresh_q[DepW]), .data_o(free_slot), .count_o(), .almost_full_o()
  );

  assign refill = !slot_v_q || store;
  always_ff @(posedge clk_i) begin
    if (rst_i)       slot_v_q <= 1'b0;
    else if (refill) slot_v_q <= !fresh_q[DepW] || free_valid;
    if (refill) slot <= fresh_q[DepW] ? free_slot : fresh_q[DepW-1:0];
  end

  // Misses and invalidations, in the order of the lookup, and what became of the fills.
  ohca_fifo #(.Width(1 + DepW + IdxW), .Depth(Depth), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(push_i && own), .ready_o(ord_ready), .data_i({miss_i, slot, s1_idx_i}),
    .valid_o(ord_valid), .ready_i(promise), .data_o({ord_fill, ord_slot, ord_idx}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(1), .Depth(Fills), .UseRam(1'b0)) u_state (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fill_i), .ready_o(st_ready), .data_i(fill_ok_i),
    .valid_o(st_valid), .ready_i(promise && ord_fill), .data_o(st_ok), .count_o(), .almost_full_o()
  );
  // What was parked before the first of them in its set is ready by then: it began with one that was before it here,
  // too.
  assign promise = ord_valid && (!ord_fill || (st_valid && (!st_ok || lines_q != '0))) && !up_q;

  logic [Depth-1:0] now;                          // for an assertion
  always_comb begin
    now = '0;
    `WHEN(s1_valid_i) for (int unsigned i = 0; i < Depth; i++) now[i] = set_q[SetW*i +: SetW] == s1_set_i;
  end
  logic unused_now;
  assign unused_now = &{1'b0, now};

  // Who is behind what becomes ready.
  assign up_any  = x_go && more_q[x_slot];
  assign up_next = next[x_slot];
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q  <= '0;
      fresh_q <= '0;
      tail_q  <= '0;
      up_q    <= 1'b0;
      lines_q <= '0;
      first_q <= 1'b1;
    end else begin
      held_q <= held_q + (DepW+1)'(store) - (DepW+1)'(leave);
      if (refill && !fresh_q[DepW]) fresh_q <= fresh_q + (DepW+1)'(1);
      up_q <= up_any && !up_next[DepW+1];   // a miss or an invalidation comes when it is first in u_order
      if (beat_i) first_q <= beat_last_i;
      lines_q <= lines_q + (FillW+1)'(beat_i && first_q) - (FillW+1)'(promise && ord_fill && st_ok);
      // Slot by slot, here and below: an indexed write becomes a shifter in synthesis. Of the last of a chain no number
      // is needed, which is known later.
      `WHEN(x_go || store) for (int unsigned i = 0; i < Depth; i++) begin
        if (x_go && x_slot == DepW'(i)) tail_q[i] <= 1'b0;
        if (store && !bad_i && chain[i]) tail_q[i] <= 1'b0;
        if (store && at_slot[i]) tail_q[i] <= park;
      end
    end
    // A slot that is free takes what is looked up, whether it is to stay there or not: that is known late.
    `WHEN(s1_valid_i) begin
      for (int unsigned i = 0; i < Depth; i++) begin
        if (store && !bad_i && chain[i]) more_q[i] <= 1'b1;
        if (slot_v_q && at_slot[i]) more_q[i] <= 1'b0;
        if (slot_v_q && at_slot[i]) set_q[SetW*i +: SetW] <= s1_set_i;
      end
      if (slot_v_q) token[slot] <= s1_data_i;
    end
    if (store && behind) next[pred] <= {own, way_i, slot};
    // The sets are compared a cycle before. The slot that is next is taken by the token in front of this one, or is
    // free and no tail.
    `WHEN(s0_open_i) if (s0_open_i) same_q <= same_d;
    up_slot_q <= up_next[DepW-1:0];
    up_idx_q  <= IdxW'({up_next[DepW], x_idx[SetW-1:0]});   // the way is left out where there is one
  end
  `ASSERT(Same_A, !s1_valid_i || s1_drop_i || (tail_q & (same ^ now)) == '0)
  `ASSERT(NoJoin_A, !(store && behind && x_go) || pred != x_slot)
  `ASSERT(OneChain_A, (chain & (chain - Depth'(1))) == '0)
  `ASSERT(ReadyRoom_A, r_ready || !(x_go || (push_i && !park)))
  `ASSERT(OrderRoom_A, !(push_i && own) || ord_ready)
  `ASSERT(StateRoom_A, !fill_i || st_ready)
  `ASSERT(FreeRoom_A, !leave || free_ready)
  `ASSERT(SlotThere_A, !store || slot_v_q)

endmodule

`default_nettype wire
