// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send doorbells, with or without the WQE that was pushed with them, in the order in which they rang.
//
// A push buffer is 64 bytes of a doorbell page, two in each; the write of its last dword rings. What was written in
// order from its first dword on is collected in a slot of a pool, and goes with the doorbell. The qpn and idx of every
// buffer of every page are kept apart from that pool: a push that came torn, or whose entry another page took, still
// rings, as an ordinary doorbell, so no doorbell is lost.
//
// Latency: a doorbell is offered three cycles after its write, one a cycle. Inputs are taken in every cycle; who writes
// looks at room_o (for an ordinary doorbell) and at room_o and slot_o (for a write to a push buffer), which hold for
// the cycle they are seen in. slot_o says that the pool has a free slot: it comes back by itself, as fewer slots are
// being filled than there are.

`include "ohca_assert.svh"
`default_nettype none

module ohca_bar_push #(
  parameter int unsigned DbDepth     = 32,    // doorbells waiting, power of two
  parameter int unsigned PushSlots   = 16,    // WQEs being pushed or waiting, power of two, more than PushEntries
  parameter int unsigned PushEntries = 4,     // push buffers being filled at a time
  parameter bit          Compact     = 1'b0   // a pushed WQE goes out in eight words of wqe[63:0], one in each cycle
                                              // from the accept on
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [7:0]           page_i,
  input  logic                 db_valid_i,    // an ordinary doorbell
  input  logic [23:0]          db_qpn_i,
  input  logic [15:0]          db_pi_i,
  input  logic                 push_valid_i,  // a write to a push buffer
  input  logic                 push_buf_i,    // which of the page's two
  input  logic [2:0]           push_at_i,     // quadword
  input  logic [7:0]           push_strb_i,
  input  logic [63:0]          push_data_i,
  output logic                 room_o,        // flop and two LUTs
  output logic                 slot_o,
  output logic                 bad_o,         // pulse, a cycle later: something that cannot be used, a torn push, or
                                              // one begun anew

  output logic                 sq_db_valid_o,
  input  logic                 sq_db_ready_i,
  output ohca_fmt_pkg::sq_db_t sq_db_o,
  output logic                 busy_o         // something is under way
);

  // An entry collects one buffer; its WQE goes straight into a slot of the pool, the slot later goes with the doorbell.
  localparam int unsigned SlotW = $clog2(PushSlots);
  localparam int unsigned EntW  = (PushEntries > 1) ? $clog2(PushEntries) : 1;
  logic [PushEntries-1:0]            pe_valid_q, pe_hit;
  logic [PushEntries-1:0][8:0]       pe_key_q;      // {page, buffer}
  logic [PushEntries-1:0][SlotW-1:0] pe_slot_q;
  logic [PushEntries-1:0][4:0]       pe_next_q;     // dword expected next
  logic [EntW-1:0]                   pe_victim_q, pe_free_idx, pe_hit_idx, pe_new;
  logic                              pe_any_hit, pe_any_free;
  logic [PushSlots-1:0]              slot_free_q;
  logic                              torn_q;         // of a buffer that is not written in order: free a cycle later
  logic [SlotW-1:0]                  torn_slot_q;
  logic [SlotW-1:0]                  slot_pick;

  logic [8:0] p_key;
  logic [4:0] p_dw, p_after;
  logic       lo, hi, p_ok, p_start, p_in_order, p_ring, p_full, p_needs_slot;
  assign lo         = push_strb_i[3:0] == 4'hf;
  assign hi         = push_strb_i[7:4] == 4'hf;
  assign p_key      = {page_i, push_buf_i};
  assign p_ok       = push_valid_i && (push_strb_i == 8'hff || push_strb_i == 8'h0f || push_strb_i == 8'hf0);
  assign p_dw       = {1'b0, push_at_i, !lo};
  assign p_after    = {1'b0, push_at_i, 1'b0} + (hi ? 5'd2 : 5'd1);
  assign p_start    = p_ok && p_dw == 5'd0;
  assign p_ring     = p_ok && hi && (&push_at_i);                     // p_after is 16
  assign p_in_order = pe_any_hit && pe_next_q[pe_hit_idx] == p_dw;
  assign p_full     = p_ring && p_in_order;

  always_comb begin
    pe_hit      = '0;
    pe_hit_idx  = '0;
    pe_free_idx = '0;
    pe_any_free = 1'b0;
    for (int unsigned i = 0; i < PushEntries; i++) begin
      pe_hit[i] = pe_valid_q[i] && pe_key_q[i] == p_key;
      if (pe_hit[i]) pe_hit_idx = EntW'(i);
      if (!pe_valid_q[i]) begin
        pe_free_idx = EntW'(i);
        pe_any_free = 1'b1;
      end
    end
    slot_pick = '0;
    for (int unsigned i = 0; i < PushSlots; i++) if (slot_free_q[i]) slot_pick = SlotW'(i);
  end
  assign pe_any_hit = |pe_hit;
  assign slot_o     = |slot_free_q;
  // The same buffer again, else a free entry, else the next victim: the last two keep the slot they have.
  assign pe_new       = pe_any_hit ? pe_hit_idx : pe_any_free ? pe_free_idx : pe_victim_q;
  assign p_needs_slot = p_start && !pe_any_hit && pe_any_free;

  logic             pool_we;
  logic [SlotW-1:0] pool_slot;
  assign pool_slot = p_needs_slot ? slot_pick : pe_slot_q[p_start ? pe_new : pe_hit_idx];
  assign pool_we   = p_start || (p_ok && p_in_order);
  always_ff @(posedge clk_i) begin
    torn_q      <= !rst_i && p_ok && !p_start && pe_any_hit && !p_in_order;
    torn_slot_q <= pe_slot_q[pe_hit_idx];
  end

  always_ff @(posedge clk_i) begin
    bad_o <= !rst_i && push_valid_i && (!p_ok || (p_ring && !p_full) || (p_start && pe_any_hit));
    if (rst_i) begin
      pe_valid_q  <= '0;
      pe_victim_q <= '0;
    end else if (p_start) begin
      pe_valid_q[pe_new] <= 1'b1;
      if (!pe_any_hit && !pe_any_free) pe_victim_q <= (pe_victim_q == EntW'(PushEntries - 1)) ? '0 :
          pe_victim_q + EntW'(1);
    end else if (p_ok && pe_any_hit && (p_ring || !p_in_order)) begin
      pe_valid_q[pe_hit_idx] <= 1'b0;
    end
    // Entry by entry: an indexed write of more than a bit becomes a shifter in synthesis.
    for (int unsigned i = 0; i < PushEntries; i++) begin
      if (p_start && pe_new == EntW'(i)) begin
        pe_key_q[i]  <= p_key;
        pe_next_q[i] <= p_after;
        if (p_needs_slot) pe_slot_q[i] <= slot_pick;
      end else if (p_ok && !p_start && p_in_order && pe_hit_idx == EntW'(i)) begin
        pe_next_q[i] <= p_after;
      end
    end
  end

  // qpn (dword 6) and idx (dword 0) of what each buffer was last filled with. They are read when dword 15 is written.
  logic [23:0] key_qpn;
  logic [15:0] key_idx;
  ohca_ram_sdp #(.Width(24), .Depth(512), .OldData(1'b0)) u_qpn (
    .clk_i,
    .wr_en_i(p_ok && lo && push_at_i == 3'd3), .wr_be_i(1'b1), .wr_addr_i(p_key), .wr_data_i(push_data_i[23:0]),
    .rd_en_i(p_ring), .rd_addr_i(p_key), .rd_data_o(key_qpn)
  );
  ohca_ram_sdp #(.Width(16), .Depth(512), .OldData(1'b0)) u_idx (
    .clk_i,
    .wr_en_i(p_ok && lo && push_at_i == 3'd0), .wr_be_i(1'b1), .wr_addr_i(p_key), .wr_data_i(push_data_i[31:16]),
    .rd_en_i(p_ring), .rd_addr_i(p_key), .rd_data_o(key_idx)
  );

  // ---------------------------------------------------------------- the queue
  logic             x_valid_q, x_push_q, x_full_q;  // qpn and idx of a push come out of their memory
  logic [7:0]       x_page_q;
  logic [23:0]      x_qpn_q;
  logic [15:0]      x_pi_q;
  logic [SlotW-1:0] x_slot_q;
  always_ff @(posedge clk_i) begin
    x_valid_q <= !rst_i && (db_valid_i || p_ring);
    if (db_valid_i || p_ring) begin
      x_push_q <= p_ring;
      x_full_q <= p_full;
      x_page_q <= page_i;
      x_qpn_q  <= db_qpn_i;
      x_pi_q   <= db_pi_i;
      x_slot_q <= pe_slot_q[pe_hit_idx];
    end
  end

  localparam int unsigned SqW = 24 + 8 + 16 + 1 + SlotW;
  logic             f_valid, f_pop, f_push, almost, o_valid_q, ready;
  logic [23:0]      f_qpn;
  logic [7:0]       f_uar;
  logic [15:0]      f_pi;
  logic [SlotW-1:0] f_slot;
  logic [511:0]     o_wqe;
  logic [48:0]      o_q;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(SqW), .Depth(DbDepth), .AlmostFull(DbDepth - 1), .UseRam(1'b0)) u_sq (
    .clk_i, .rst_i,
    .valid_i(x_valid_q), .ready_o(ready),
    .data_i({x_push_q ? key_qpn : x_qpn_q, x_page_q, x_push_q ? key_idx + 16'd1 : x_pi_q, x_full_q, x_slot_q}),
    .valid_o(f_valid), .ready_i(f_pop), .data_o({f_qpn, f_uar, f_pi, f_push, f_slot}), .count_o(),
    .almost_full_o(almost)
  );
  // verilator lint_on PINCONNECTEMPTY
  assign room_o = !almost;                    // one may be in x_q

  // Output stage: the WQE, or its first word, is read while the rest moves into o_q.
  logic             slot_done, words_busy;    // its WQE is read; words of it are still to go out
  logic [SlotW-1:0] slot_read;
  if (Compact) begin : g_words
    logic [2:0]       at_q;                   // word to be read, 0: none under way
    logic             next;
    logic [SlotW-1:0] slot_q;
    logic [63:0]      word;
    assign f_pop      = f_valid && at_q == '0 && (!o_valid_q || (sq_db_ready_i && !o_q[0]));
    assign next       = at_q != '0 || (o_valid_q && o_q[0] && sq_db_ready_i);
    assign slot_done  = at_q == 3'd7;
    assign slot_read  = slot_q;
    assign o_wqe      = {448'd0, word};
    assign words_busy = at_q != '0;
    always_ff @(posedge clk_i) begin
      if (rst_i)     at_q <= '0;
      else if (next) at_q <= (at_q == '0) ? 3'd2 : at_q + 3'd1;
      if (f_pop) slot_q <= f_slot;
    end
    ohca_ram_sdp #(.Width(64), .Depth(8 * PushSlots), .BeWidth(32), .OldData(1'b0)) u_pool (
      .clk_i,
      .wr_en_i(pool_we), .wr_be_i({hi, lo}), .wr_addr_i({pool_slot, push_at_i}), .wr_data_i(push_data_i),
      .rd_en_i((f_pop && f_push) || next), .rd_addr_i(f_pop ? {f_slot, 3'd0} : {slot_q, (at_q == '0) ? 3'd1 : at_q}),
      .rd_data_o(word)
    );
  end else begin : g_whole
    assign f_pop      = f_valid && (!o_valid_q || sq_db_ready_i);
    assign slot_done  = f_pop && f_push;
    assign slot_read  = f_slot;
    assign words_busy = 1'b0;
    ohca_ram_sdp #(.Width(512), .Depth(PushSlots), .BeWidth(32)) u_pool (
      .clk_i,
      .wr_en_i(pool_we), .wr_be_i({14'd0, hi, lo} << {push_at_i, 1'b0}), .wr_addr_i(pool_slot),
      .wr_data_i({8{push_data_i}}),
      .rd_en_i(f_pop && f_push), .rd_addr_i(f_slot), .rd_data_o(o_wqe)
    );
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) o_valid_q <= 1'b0;
    else       o_valid_q <= f_pop || (o_valid_q && !sq_db_ready_i);
    if (f_pop) o_q <= {f_qpn, f_uar, f_pi, f_push};
  end
  assign sq_db_valid_o = o_valid_q;
  assign sq_db_o       = {o_q, o_wqe};
  assign busy_o        = x_valid_q || f_valid || o_valid_q || words_busy || bad_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      slot_free_q <= '1;
    end else begin
      if (p_needs_slot) slot_free_q[slot_pick] <= 1'b0;
      // A torn push gives its slot back; a restarted or evicted one hands it on.
      if (torn_q) slot_free_q[torn_slot_q] <= 1'b1;
      if (slot_done) slot_free_q[slot_read] <= 1'b1;
    end
  end

  `ASSERT(Room_A, !x_valid_q || ready)
  `ASSERT(Slot_A, !p_needs_slot || slot_o)
  `ASSERT(SlotOwned_A, !p_full || !slot_free_q[pe_slot_q[pe_hit_idx]])

endmodule

`default_nettype wire
