// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Evictions of a cache whose write-back is not through yet: the victims of misses and what was invalidated, in order.
// A fill of a number that is here waits until its entry has gone, as host memory may not have the line yet.
//
//   free | res..tail: the out stages have not come to them | head..res: clean, or written back and not acknowledged
//
// A number is named at most once: what misses because of an entry takes the name off it, as fills are made in order.
// Of conflict_o the fill knows which eviction it waits for (ohca_ctx_fill); all is found in the cycle of the lookup.
// It does NOT hold lines.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_evict #(
  parameter int unsigned  Evicts   = 32,     // power of two
  parameter int unsigned  AgeW     = 10,     // counts evictions: more than there can be while a miss waits for its fill
  parameter bit           ReadOnly = 1'b0,
  localparam int unsigned EvW      = $clog2(Evicts)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                any_o,        // something is not through

  // The lookup: key_i is the short name of its number (a false match only waits)
  input  logic [15:0]         key_i,
  input  logic                half_i,       // the first of two cycles: a victim and an invalidation
  input  logic                half_q_i,     // the second
  input  logic                name_i,       // it misses: no entry bears its name from now on
  input  logic                one_i,        // an entry more, of this name:
  input  logic [15:0]         one_key_i,
  output logic                room2_o,      // for two entries; a gate behind flops
  output logic [2*EvW+AgeW:0] conflict_o,   // {there is an entry of key_i, its place, the complement of it, evictions
                                            // before}
  output logic [AgeW-1:0]     gone_o,       // entries that went, modulo

  // The out stages: the oldest entry that they have not come to is clean, or (dirty_i) is written back
  input  logic                resolve_i,
  input  logic                dirty_i,
  input  logic                taken_i,      // pulse, in order: ohca_dma_wr took the request
  input  logic [15:0]         issued_i,     // of ohca_dma_wr, all clients
  input  logic [15:0]         acked_i
);

  logic [Evicts-1:0]       ev_valid_q, ev_dirty_q, ev_match;
  logic [Evicts-1:0][15:0] ev_key_q;
  logic [EvW-1:0]          ev_head_q, ev_res_q, ev_tail_q;
  logic [EvW:0]            ev_used_q;
  logic [EvW:0]            ev_wait_q;      // resolved, not yet freed
  logic [AgeW-1:0]         ev_made_q, ev_gone_q, half_age_q;
  logic [EvW-1:0]          conf_at, conf_no, half_at_q, half_no_q;   // the entry's place, and the complement of it
  logic                    half_conf_q;
  logic                    ev_free, conflict;
  logic                    ack_valid;
  logic [15:0]             ack_target, ack_age;
  logic [3:0]              age_q;          // one-hot delay from a request's accept to the sampling of what is issued
  logic                    ack_ready;
  logic                    resolve_q, dirty_q;   // a cycle late, as what is accepted is known late; its request's
                                                 // acknowledgement comes later still

  always_comb begin
    conf_at = '0;
    conf_no = '0;
    for (int unsigned i = 0; i < Evicts; i++) begin
      ev_match[i] = ev_valid_q[i] && ev_key_q[i] == key_i;
      if (ev_match[i]) begin
        conf_at = conf_at | EvW'(i);
        conf_no = conf_no | EvW'(~i);
      end
    end
  end
  assign conflict = |ev_match && !ReadOnly;
  // Of a lookup in two cycles what was found in the first one: its own victim is none of those that it waits for.
  assign conflict_o = half_q_i ? {half_conf_q, half_at_q, half_no_q, half_age_q} :
    {conflict, conf_at, conf_no, ev_made_q};
  assign gone_o   = ev_gone_q;
  assign any_o    = ev_used_q != '0 || age_q != '0;
  assign room2_o  = ev_used_q <= (EvW+1)'(Evicts - 2);
  assign ack_age  = acked_i - ack_target;
  assign ev_free  = ev_wait_q != '0 && (!ev_dirty_q[ev_head_q] || (ack_valid && !ack_age[15]));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ev_valid_q <= '0;
      ev_head_q  <= '0;
      ev_res_q   <= '0;
      ev_tail_q  <= '0;
      ev_used_q  <= '0;
      ev_wait_q  <= '0;
      ev_made_q  <= '0;
      ev_gone_q  <= '0;
    end else begin
      if (name_i) ev_valid_q <= ev_valid_q & ~ev_match;
      if (one_i) begin
        ev_valid_q[ev_tail_q] <= 1'b1;
        ev_tail_q             <= ev_tail_q + EvW'(1);
      end
      if (ev_free) begin
        ev_valid_q[ev_head_q] <= 1'b0;
        ev_head_q             <= ev_head_q + EvW'(1);
      end
      if (resolve_q) ev_res_q <= ev_res_q + EvW'(1);
      ev_made_q <= ev_made_q + AgeW'(one_i);
      ev_gone_q <= ev_gone_q + AgeW'(ev_free);
      ev_used_q <= ev_used_q + (EvW+1)'(one_i) - (EvW+1)'(ev_free);
      ev_wait_q <= ev_wait_q + (EvW+1)'(resolve_q) - (EvW+1)'(ev_free);
    end
    `WHEN(one_i) for (int unsigned i = 0; i < Evicts; i++) begin
      if (one_i && ev_tail_q == EvW'(i)) ev_key_q[i] <= one_key_i;
    end
    if (resolve_q) ev_dirty_q[ev_res_q] <= dirty_q;
    resolve_q <= !rst_i && resolve_i;
    dirty_q   <= dirty_i;
    if (half_i) begin
      half_conf_q <= conflict;
      half_age_q  <= ev_made_q;
      half_at_q   <= conf_at;
      half_no_q   <= conf_no;
    end
  end

  // Counts of all writes: once acked has reached what was issued shortly after this request, this write is acknowledged
  // too.
  always_ff @(posedge clk_i) age_q <= rst_i ? '0 : {age_q[2:0], taken_i};
  ohca_fifo #(.Width(16), .Depth(Evicts)) u_acks (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(age_q[3]), .ready_o(ack_ready), .data_i(issued_i),
    .valid_o(ack_valid), .ready_i(ev_free && ev_dirty_q[ev_head_q]), .data_o(ack_target), .count_o(), .almost_full_o()
  );

  logic unused;
  assign unused = &{1'b0, ack_age[14:0], ack_ready};

  `ASSERT(AckRoom_A, !age_q[3] || ack_ready)
  `ASSERT(ResolveOrder_A, !resolve_q || ev_wait_q < ev_used_q)

endmodule

`default_nettype wire
