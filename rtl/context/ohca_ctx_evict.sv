// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What left a cache and is not in host memory yet: victims of misses and what was invalidated, in order, each with the
// hot half of its line. A fill of a number that is here takes the hot half from here, as host memory may not have it.
//
//   free | res..tail: the out stages have not come to them | thr..res: clean, or written back and not acknowledged |
//   head..thr: through, so nameless; a fill may still need their lines
//
// A number is named at most once: what misses takes the name off its entry, and holds the entry until its fill is over
// (at_i, pop_i), as fills are made in the order of lookups. All is found in the cycle of the lookup. The line is taken
// in the cycle after resolve_i, also of a clean entry, since what it was filled from may be another entry here. An
// entry without content (its own fill had failed) says so: then host memory has it, as such a fill ends when what it
// was to take from here is through (through_o).

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_evict #(
  parameter int unsigned  Evicts   = 32,     // power of two
  parameter int unsigned  HotBits  = 512,
  parameter bit           ReadOnly = 1'b0,
  localparam int unsigned EvW      = $clog2(Evicts)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                any_o,        // something is not through

  // The lookup
  input  logic [23:0]         id_i,
  input  logic                half_i,       // the first of two cycles: a victim and an invalidation
  input  logic                half_q_i,     // the second
  input  logic                name_i,       // it misses: no entry bears its name from now on
  input  logic                one_i,        // an entry more, of this name:
  input  logic [23:0]         one_id_i,
  output logic                room2_o,      // for two entries; a gate behind flops
  output logic [EvW:0]        conflict_o,   // {there is an entry of id_i, its place}

  // The out stages: the oldest entry that they have not come to is clean, or (dirty_i) is written back
  input  logic                resolve_i,
  input  logic                dirty_i,
  input  logic                good_i,       // it has content:
  input  logic [HotBits-1:0]  line_i,       // in the cycle after resolve_i
  input  logic                taken_i,      // pulse, in order: ohca_dma_wr took the request
  input  logic [15:0]         issued_i,     // of ohca_dma_wr, all clients
  input  logic [15:0]         acked_i,

  // The next fill: whether it has an entry, and which; from flops, as line_i lies at least
  input  logic                at_valid_i,
  input  logic [EvW-1:0]      at_i,
  input  logic                pop_i,        // it is over
  output logic                ready_o,      // what follows is there
  output logic                good_o,
  output logic                through_o,
  output logic [HotBits-1:0]  line_o
);

  logic [Evicts-1:0]       ev_valid_q, ev_dirty_q, ev_good_q, ev_held_q, ev_over_q, ev_match;
  logic [Evicts-1:0][23:0] ev_id_q;
  logic [EvW-1:0]          ev_head_q, ev_thr_q, ev_res_q, ev_tail_q;
  logic [EvW:0]            ev_used_q;
  logic [EvW:0]            ev_wait_q;      // resolved, not through
  logic [EvW:0]            ev_rest_q;      // through, not free
  logic [EvW-1:0]          conf_at, half_at_q;
  logic                    half_conf_q, conflict, ev_free, ev_through;
  logic                    ack_valid;
  logic [15:0]             ack_target, ack_age, acked_q;   // acked_q: a cycle late, as it comes through gates; what
                                                           // is through then is so a cycle later
  logic [3:0]              age_q;          // one-hot delay from a request's accept to the sampling of what is issued
  logic                    ack_ready;
  logic                    resolve_q, dirty_q, good_q;   // a cycle late, as what is accepted is known late; its
                                                         // request's acknowledgement comes later still

  always_comb begin
    conf_at = '0;
    for (int unsigned i = 0; i < Evicts; i++) begin
      ev_match[i] = ev_valid_q[i] && ev_id_q[i] == id_i;
      if (ev_match[i]) conf_at = conf_at | EvW'(i);
    end
  end
  assign conflict = |ev_match && !ReadOnly;
  // Of a lookup in two cycles what was found in the first one: its own victim is not what it misses.
  assign conflict_o = half_q_i ? {half_conf_q, half_at_q} : {conflict, conf_at};
  assign any_o      = ev_used_q != '0 || age_q != '0;
  assign room2_o    = ev_used_q <= (EvW+1)'(Evicts - 2);
  assign ack_age    = acked_q - ack_target;
  assign ev_through = ev_wait_q != '0 && (!ev_dirty_q[ev_thr_q] || (ack_valid && !ack_age[15]));
  assign ev_free    = ev_rest_q != '0 && !ev_held_q[ev_head_q];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ev_valid_q <= '0;
      ev_held_q  <= '0;
      ev_head_q  <= '0;
      ev_thr_q   <= '0;
      ev_res_q   <= '0;
      ev_tail_q  <= '0;
      ev_used_q  <= '0;
      ev_wait_q  <= '0;
      ev_rest_q  <= '0;
    end else begin
      // Entry by entry, here and below: an indexed write becomes a shifter in synthesis.
      for (int unsigned i = 0; i < Evicts; i++) begin
        if (name_i && ev_match[i]) ev_valid_q[i] <= 1'b0;
        if (one_i && ev_tail_q == EvW'(i)) ev_valid_q[i] <= 1'b1;
        if (ev_through && ev_thr_q == EvW'(i)) ev_valid_q[i] <= 1'b0;
        if (name_i && ev_match[i] && !ReadOnly) ev_held_q[i] <= 1'b1;
        if (pop_i && at_valid_i && at_i == EvW'(i)) ev_held_q[i] <= 1'b0;
      end
      if (one_i) ev_tail_q <= ev_tail_q + EvW'(1);
      if (ev_through) ev_thr_q <= ev_thr_q + EvW'(1);
      if (ev_free) ev_head_q <= ev_head_q + EvW'(1);
      if (resolve_q) ev_res_q <= ev_res_q + EvW'(1);
      ev_used_q <= ev_used_q + (EvW+1)'(one_i) - (EvW+1)'(ev_free);
      ev_wait_q <= ev_wait_q + (EvW+1)'(resolve_q) - (EvW+1)'(ev_through);
      ev_rest_q <= ev_rest_q + (EvW+1)'(ev_through) - (EvW+1)'(ev_free);
    end
    `WHEN(one_i) for (int unsigned i = 0; i < Evicts; i++) begin
      if (one_i && ev_tail_q == EvW'(i)) ev_id_q[i] <= one_id_i;
    end
    `WHEN(one_i || ev_through || resolve_q) for (int unsigned i = 0; i < Evicts; i++) begin
      if (one_i && ev_tail_q == EvW'(i)) ev_over_q[i] <= 1'b0;
      if (ev_through && ev_thr_q == EvW'(i)) ev_over_q[i] <= 1'b1;
      if (resolve_q && ev_res_q == EvW'(i)) {ev_dirty_q[i], ev_good_q[i]} <= {dirty_q, good_q};
    end
    acked_q   <= acked_i;
    resolve_q <= !rst_i && resolve_i;
    dirty_q   <= dirty_i;
    good_q    <= good_i;
    if (half_i) begin
      half_conf_q <= conflict;
      half_at_q   <= conf_at;
    end
  end

  // Counts of all writes: once acked has reached what was issued shortly after this request, this write is acknowledged
  // too.
  always_ff @(posedge clk_i) age_q <= rst_i ? '0 : {age_q[2:0], taken_i};
  ohca_fifo #(.Width(16), .Depth(Evicts)) u_acks (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(age_q[3]), .ready_o(ack_ready), .data_i(issued_i),
    .valid_o(ack_valid), .ready_i(ev_through && ev_dirty_q[ev_thr_q]), .data_o(ack_target), .count_o(), .almost_full_o()
  );

  // What lies here is read anew in each cycle until it is taken; not where it is being written.
  if (ReadOnly) begin : g_none
    assign line_o = '0;
    logic unused_ro;
    assign unused_ro = &{1'b0, line_i};
  end else begin : g_lines
    ohca_ram_sdp #(.Width(HotBits), .Depth(Evicts), .OldData(1'b0)) u_lines (
      .clk_i(clk_i), .wr_en_i(resolve_q), .wr_be_i(1'b1), .wr_addr_i(ev_res_q), .wr_data_i(line_i),
      .rd_en_i(at_valid_i), .rd_addr_i(at_i), .rd_data_o(line_o)
    );
  end
  always_ff @(posedge clk_i) begin
    ready_o   <= !rst_i && at_valid_i && !pop_i && !resolve_i && !resolve_q;
    good_o    <= ev_good_q[at_i];
    through_o <= ev_over_q[at_i];
  end

  logic unused;
  assign unused = &{1'b0, ack_age[14:0], ack_ready};

  `ASSERT(AckRoom_A, !age_q[3] || ack_ready)
  `ASSERT(ResolveOrder_A, !resolve_q || ev_wait_q + ev_rest_q < ev_used_q)
  `ASSERT(Once_A, (ev_match & (ev_match - Evicts'(1))) == '0)
  `ASSERT(Held_A, !(pop_i && at_valid_i) || ev_held_q[at_i])

endmodule

`default_nettype wire
