// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send doorbells, with or without the WQE that was pushed with them, in the order in which they rang, and with Merge
// those of a QP that wait merged (ohca_bar_queue).
//
// A push buffer is 64 bytes of a push page, two in each. It rings when all of its dwords have been written, in whatever
// order: a write-combining buffer keeps none, and may leave in parts. Of every buffer of every page a memory has which
// dwords have come since it last rang, with the qpn and idx among them. So both are always those of the push that
// rings, and a push that loses its place to other pages still rings, as an ordinary doorbell: no doorbell is lost. The
// WQE is collected in a slot of a pool, and goes with the doorbell. A dword that comes twice begins the push anew with
// itself; push_clr_i forgets what has come of a buffer, for whoever is given a page that another one had. With
// whole_i all dwords come at once, in wqe_i: such a push rings by itself, with a slot of its own or that of its buffer,
// whatever had come before.
//
// Latency: a doorbell is offered three cycles after its write, one in two cycles. Inputs are taken in every cycle;
// who writes looks at room_o (for an ordinary doorbell) and at room_o and slot_o (for a write to a push buffer, or
// clearing one), which hold for the cycle they are seen in. look_i names the buffer of the next write, a cycle
// before it at the latest. slot_o says that the pool has a free slot: it comes back by itself, as fewer slots are
// being filled than there are. It is low for 2^(PageW + 1) cycles after a reset, in which the memory is cleared. A
// doorbell page may have any number of 16 bits, and keeps all of it.

`include "ohca_assert.svh"
`default_nettype none

module ohca_bar_push #(
  parameter int unsigned DbDepth     = 32,    // doorbells waiting, power of two
  parameter int unsigned PushSlots   = 16,    // WQEs being pushed or waiting, power of two, more than PushEntries
  parameter int unsigned PushEntries = 4,     // push buffers being filled at a time
  parameter int unsigned PageW       = 8,     // push pages have numbers of so many bits, up to 16
  parameter bit          Merge       = 1'b0,  // of ohca_bar_queue
  parameter bit          Compact     = 1'b0   // a pushed WQE goes out in eight words of wqe[63:0], one in each cycle
                                              // from the accept on
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [15:0]          page_i,
  input  logic                 db_valid_i,    // an ordinary doorbell
  input  logic [23:0]          db_qpn_i,
  input  logic [15:0]          db_pi_i,
  input  logic                 look_i,        // push_valid_i comes next, at the earliest in the next cycle, for this
  input  logic [PageW-1:0]     look_page_i,
  input  logic                 look_buf_i,
  input  logic                 push_valid_i,  // a write to a push buffer
  input  logic                 push_clr_i,    // forget what has come of it
  input  logic                 push_buf_i,    // which of the page's two
  input  logic [2:0]           push_at_i,     // quadword
  input  logic [7:0]           push_strb_i,
  input  logic [63:0]          push_data_i,
  input  logic                 whole_i,       // all of it is written, in place of the quadword; not with Compact
  input  logic [511:0]         wqe_i,
  output logic                 room_o,        // a flop
  output logic                 slot_o,
  output logic                 bad_o,         // pulse, a cycle later: something that cannot be used, a push begun anew,
                                              // or one without its WQE

  output logic                 sq_db_valid_o,
  input  logic                 sq_db_ready_i,
  output ohca_fmt_pkg::sq_db_t sq_db_o,
  output logic                 busy_o         // flop: something is under way, or was a cycle ago
);

  // What has come of each buffer. The memory is cleared after a reset; what is looked up meanwhile is empty.
  typedef struct packed {
    logic [15:0] mask;                        // dwords that have come
    logic [23:0] qpn;                         // from dword 6
    logic [15:0] idx;                         // from dword 0
  } buf_t;
  logic       init_q, pass_q, st_we;
  logic [PageW:0] init_cnt_q, st_key;
  buf_t       st_ram, st_pass_q, st, st_new;

  logic [PageW:0] p_key;                      // {page, buffer}
  logic [15:0] p_mask, p_all;
  logic        lo, hi, p_ok, p_whole, p_twice, p_start, p_ring, p_needs_slot;
  assign lo      = push_strb_i[3:0] == 4'hf;
  assign hi      = push_strb_i[7:4] == 4'hf;
  assign p_key   = {page_i[PageW-1:0], push_buf_i};
  assign p_ok    = push_valid_i && (push_strb_i == 8'hff || push_strb_i == 8'h0f || push_strb_i == 8'hf0);
  assign p_whole = push_valid_i && whole_i;   // its strobes are set
  assign st      = pass_q ? st_pass_q : st_ram;
  assign p_mask  = {14'd0, hi, lo} << {push_at_i, 1'b0};
  assign p_all   = st.mask | p_mask;
  assign p_twice = |(st.mask & (p_mask | {16{whole_i}}));
  assign p_start = p_ok && !whole_i && (p_twice || st.mask == '0);
  assign p_ring  = p_whole || (p_ok && !p_twice && (&p_all));

  assign st_new.mask = (!p_ok || p_ring) ? '0 : p_twice ? p_mask : p_all;
  assign st_new.qpn  = whole_i ? wqe_i[215:192] : (lo && push_at_i == 3'd3) ? push_data_i[23:0] : st.qpn;
  assign st_new.idx  = whole_i ? wqe_i[31:16] : (lo && push_at_i == 3'd0) ? push_data_i[31:16] : st.idx;
  assign st_we       = init_q || p_ok || push_clr_i;
  assign st_key      = init_q ? init_cnt_q : p_key;
  ohca_ram_sdp #(.Width(16 + 24 + 16), .Depth(2 << PageW), .OldData(1'b0)) u_st (
    .clk_i,
    .wr_en_i(st_we), .wr_be_i(1'b1), .wr_addr_i(st_key), .wr_data_i(st_new),
    .rd_en_i(look_i), .rd_addr_i({look_page_i, look_buf_i}), .rd_data_o(st_ram)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      init_q     <= 1'b1;
      init_cnt_q <= '0;
    end else if (init_q) begin
      init_q     <= !(&init_cnt_q);
      init_cnt_q <= init_cnt_q + (PageW+1)'(1);
    end
    if (init_q)      pass_q <= 1'b1;
    else if (look_i) pass_q <= st_we && p_key == {look_page_i, look_buf_i};
    if (init_q)      st_pass_q <= '0;
    else if (look_i) st_pass_q <= st_new;
  end

  // An entry collects one buffer; its WQE goes straight into a slot of the pool, the slot later goes with the doorbell.
  // It is there from the first write of a push on, so a push that rings with one is whole.
  localparam int unsigned SlotW = $clog2(PushSlots);
  localparam int unsigned EntW  = (PushEntries > 1) ? $clog2(PushEntries) : 1;
  logic [PushEntries-1:0]            pe_valid_q, pe_hit;
  logic [PushEntries-1:0][PageW:0]   pe_key_q;
  logic [PushEntries-1:0][SlotW-1:0] pe_slot_q;
  logic [EntW-1:0]                   pe_victim_q, pe_free_idx, pe_hit_idx, pe_new;
  logic                              pe_any_hit, pe_any_free;
  logic [PushSlots-1:0]              slot_free_q;
  logic                              clr_q;          // of a buffer that is cleared: free a cycle later
  logic [SlotW-1:0]                  clr_slot_q;
  logic                              slot_any_q, slot_draw;
  logic [SlotW-1:0]                  slot_pick, slot_next;
  logic [PushSlots-1:0]              slot_one;       // slot_next, its bit: by a carry, as it comes late

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
    slot_next = '0;
    for (int unsigned i = 0; i < PushSlots; i++) if (slot_one[i]) slot_next = slot_next | SlotW'(i);
  end
  // The slot that the next push gets has left the free ones already: its number is the address of the pool.
  assign slot_one   = slot_free_q & (~slot_free_q + PushSlots'(1));
  assign slot_draw  = !slot_any_q || p_needs_slot;
  always_ff @(posedge clk_i) begin
    slot_any_q <= !rst_i && (slot_draw ? |slot_free_q : slot_any_q);
    if (slot_draw) slot_pick <= slot_next;
  end
  assign pe_any_hit = |pe_hit;
  assign slot_o     = slot_any_q && !init_q;
  // The same buffer again, else a free entry, else the next victim: the first and the last keep the slot they have. A
  // whole push takes the slot of its buffer's entry, which ends, or one from the pool.
  assign pe_new       = pe_any_hit ? pe_hit_idx : pe_any_free ? pe_free_idx : pe_victim_q;
  assign p_needs_slot = !pe_any_hit && (p_whole || (p_start && pe_any_free));

  // A write without an entry that begins no push is collected nowhere.
  logic             pool_we;
  logic [SlotW-1:0] pool_slot;
  assign pool_slot = (!pe_any_hit && (pe_any_free || whole_i)) ? slot_pick : pe_slot_q[pe_new];
  assign pool_we   = p_start || p_whole || (p_ok && pe_any_hit);
  always_ff @(posedge clk_i) begin
    clr_q      <= !rst_i && push_clr_i && pe_any_hit;
    clr_slot_q <= pe_slot_q[pe_hit_idx];
  end

  always_ff @(posedge clk_i) begin
    bad_o <= !rst_i && push_valid_i && (!p_ok || p_twice || (p_ring && !whole_i && !pe_any_hit));
    if (rst_i) begin
      pe_valid_q  <= '0;
      pe_victim_q <= '0;
    end else if (p_start) begin
      pe_valid_q[pe_new] <= 1'b1;
      if (!pe_any_hit && !pe_any_free) pe_victim_q <= (pe_victim_q == EntW'(PushEntries - 1)) ? '0 :
          pe_victim_q + EntW'(1);
    end else if ((p_ring || push_clr_i) && pe_any_hit) begin
      pe_valid_q[pe_hit_idx] <= 1'b0;
    end
    // Entry by entry: an indexed write of more than a bit becomes a shifter in synthesis.
    for (int unsigned i = 0; i < PushEntries; i++) begin
      if (p_start && pe_new == EntW'(i)) begin
        pe_key_q[i] <= p_key;
        if (!pe_any_hit && pe_any_free) pe_slot_q[i] <= slot_pick;
      end
    end
  end

  // ---------------------------------------------------------------- the queue
  logic             x_valid_q, x_push_q, x_full_q;
  logic [15:0]      x_page_q;
  logic [23:0]      x_qpn_q;
  logic [15:0]      x_pi_q;
  logic [SlotW-1:0] x_slot_q;
  always_ff @(posedge clk_i) begin
    x_valid_q <= !rst_i && (db_valid_i || p_ring);
    if (db_valid_i || p_ring) begin
      x_push_q <= push_valid_i;
      x_full_q <= push_valid_i && (pe_any_hit || whole_i);
      x_page_q <= page_i;
      x_qpn_q  <= push_valid_i ? st_new.qpn : db_qpn_i;
      x_pi_q   <= push_valid_i ? st_new.idx : db_pi_i;
      x_slot_q <= pe_any_hit ? pe_slot_q[pe_hit_idx] : slot_pick;
    end
  end

  logic             f_valid, f_pop, f_push, almost, o_valid_q;
  logic [1:0]            gone;
  logic [1:0][SlotW-1:0] gone_slot;
  logic [23:0]      f_qpn;
  logic [15:0]      f_uar;
  logic [15:0]      f_pi;
  logic [SlotW-1:0] f_slot;
  logic [511:0]     o_wqe;
  logic [56:0]      o_q;
  ohca_bar_queue #(.Depth(DbDepth), .SlotW(SlotW), .Merge(Merge)) u_sq (
    .clk_i, .rst_i,
    .valid_i(x_valid_q), .key_i({x_qpn_q, x_page_q}), .pi_i(x_pi_q + {15'd0, x_push_q}), .push_i(x_full_q),
    .slot_i(x_slot_q), .almost_full_o(almost),
    .valid_o(f_valid), .ready_i(f_pop), .key_o({f_qpn, f_uar}), .pi_o(f_pi), .push_o(f_push), .slot_o(f_slot),
    .gone_o(gone), .gone_slot_o(gone_slot)
  );
  assign room_o = !almost;                    // one may be in x_q

  // Output stage: the WQE, or its first word, is read while the rest moves into o_q. The next one comes when this one
  // has been taken, as the send engine chooses late and a WQE is wide.
  logic             slot_done, words_busy;    // its WQE is read; words of it are still to go out
  logic [SlotW-1:0] slot_read;
  if (Compact) begin : g_words
    logic unused_wqe;
    assign unused_wqe = &{1'b0, wqe_i};
    logic [2:0]       at_q;                   // word to be read, 0: none under way
    logic             next;
    logic [SlotW-1:0] slot_q;
    logic [63:0]      word;
    assign f_pop      = f_valid && at_q == '0 && !o_valid_q;
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
    assign f_pop      = f_valid && !o_valid_q;
    assign slot_done  = f_pop && f_push;
    assign slot_read  = f_slot;
    assign words_busy = 1'b0;
    ohca_ram_sdp #(.Width(512), .Depth(PushSlots), .BeWidth(32)) u_pool (
      .clk_i,
      .wr_en_i(pool_we), .wr_be_i({16{whole_i}} | ({14'd0, hi, lo} << {push_at_i, 1'b0})), .wr_addr_i(pool_slot),
      .wr_data_i(whole_i ? wqe_i : {8{push_data_i}}),
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
  // Of the cycle before, so a cycle longer than it has to be.
  logic busy_q;
  always_ff @(posedge clk_i) busy_q <= rst_i || db_valid_i || push_valid_i || push_clr_i || x_valid_q || f_valid ||
                                       o_valid_q || words_busy || init_q;
  assign busy_o        = busy_q;

  // A cycle later, as head of the queue and what it says come late, and so does whether one is merged.
  logic             done_q;
  logic [SlotW-1:0] done_slot_q;
  logic [1:0]            gone_q;
  logic [1:0][SlotW-1:0] gone_slot_q;
  logic [PushSlots-1:0]  slot_back;
  always_comb begin
    for (int unsigned s = 0; s < PushSlots; s++) begin
      // A push that is forgotten gives its slot back; one begun anew keeps it, one that is evicted hands it on.
      slot_back[s] = (clr_q && clr_slot_q == SlotW'(s)) || (done_q && done_slot_q == SlotW'(s));
      for (int unsigned i = 0; i < 2; i++) if (gone_q[i] && gone_slot_q[i] == SlotW'(s)) slot_back[s] = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    done_q      <= !rst_i && slot_done;
    done_slot_q <= slot_read;
    gone_q      <= rst_i ? '0 : gone;
    gone_slot_q <= gone_slot;
    if (rst_i) begin
      slot_free_q <= '1;
    end else begin
      slot_free_q <= (slot_free_q & ~(slot_one & {PushSlots{slot_draw}})) | slot_back;
    end
  end

  `ASSERT(Slot_A, !p_needs_slot || slot_o)
  `ASSERT(SlotOwned_A, !(p_ring && pe_any_hit) || !slot_free_q[pe_slot_q[pe_hit_idx]])
  `ASSERT(Alone_A, {1'b0, db_valid_i} + {1'b0, push_valid_i} + {1'b0, push_clr_i} <= 2'd1)
  `ASSERT(Whole_A, !p_whole || (p_ok && !Compact))
  `ASSERT(Page_A, !(push_valid_i || push_clr_i) || page_i >> PageW == '0)
  `ASSERT(Init_A, !init_q || !(push_valid_i || push_clr_i))

endmodule

`default_nettype wire
