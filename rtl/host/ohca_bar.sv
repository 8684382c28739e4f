// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// lint: DbStride=0
// lint: DbStride=4
// BAR 0: registers, command block, firmware log, event counters and doorbell pages behind one AXI4-Lite slave.
// A write takes effect three cycles after its acceptance, one write per cycle; a doorbell leaves two cycles later; a read takes 5 to 7 cycles.
//
// Every address and data channel ends in a register slice: no output of the bus depends on an input of it in the same cycle. A write that enables
// part of a dword does nothing and is answered SLVERR; all others, and all reads, are answered OKAY.
// A doorbell that finds its queue full makes the bus wait; a read waits for the writes accepted before it. Pushed WQEs are collected
// in a pool of 64-byte slots. The qpn and idx of every push buffer are kept apart from that pool, for all pages: a push whose slot was
// taken by another page, or that came torn, still rings as an ordinary doorbell, so no doorbell is lost.

`include "ohca_assert.svh"
`include "ohca_clocks.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_bar #(
  parameter int unsigned HwCfg       = 0,     // value of reg_hw_cfg
  parameter int unsigned CntSources  = 1,     // counter pulse vectors to add up
  parameter logic [CntSources*64-1:0] CntMask = '1, // counters that each of them can move
  parameter int unsigned DbDepth     = 32,    // send doorbells waiting, power of two
  parameter int unsigned PushSlots   = 16,    // WQEs being pushed or waiting, power of two, more than PushEntries
  parameter int unsigned PushEntries = 4,     // push buffers being filled at a time
  parameter int unsigned DbStride    = 0,     // doorbell pages are 2^(12 + DbStride) bytes apart, 0 to 4, for hosts with larger pages
  parameter bit          Compact     = 1'b0,  // a pushed WQE goes out in eight words of wqe[63:0], one in each cycle from the accept on
  parameter bit          Nic         = 1'b1   // there is a network interface
) (
  input  logic                          clk_i,
`ifdef OHCA_GATES
  input  logic                          clk_cnt_i,         // counters and the command; both leave out edges: "clocks by part" of rtl/ohca.sv
  output logic                          busy_o,            // combinational, from inputs too: clk_i is needed
`endif
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,

  input  logic                          s_axil_awvalid_i,
  output logic                          s_axil_awready_o,
  input  logic [19:0]                   s_axil_awaddr_i,
  input  logic                          s_axil_wvalid_i,
  output logic                          s_axil_wready_o,
  input  logic [63:0]                   s_axil_wdata_i,
  input  logic [7:0]                    s_axil_wstrb_i,
  output logic                          s_axil_bvalid_o,
  input  logic                          s_axil_bready_i,
  output logic [1:0]                    s_axil_bresp_o,
  input  logic                          s_axil_arvalid_i,
  output logic                          s_axil_arready_o,
  input  logic [19:0]                   s_axil_araddr_i,   // bit 2 set: only the upper half is wanted
  output logic                          s_axil_rvalid_o,
  input  logic                          s_axil_rready_i,
  output logic [63:0]                   s_axil_rdata_o,
  output logic [1:0]                    s_axil_rresp_o,

  output logic                          sq_db_valid_o,
  input  logic                          sq_db_ready_i,
  output ohca_fmt_pkg::sq_db_t          sq_db_o,
  output logic                          rq_db_valid_o,
  input  logic                          rq_db_ready_i,
  output logic [47:0]                   rq_db_o,           // {uar 8, qpn 24, pi 16}
  output logic                          cq_arm_valid_o,
  input  logic                          cq_arm_ready_i,
  output logic [63:0]                   cq_arm_o,          // {uar 8, cqn 24, solicited 1, seen 7, ci 24}
  output logic                          eq_db_valid_o,
  input  logic                          eq_db_ready_i,
  output logic [32:0]                   eq_db_o,           // {eqn 8, arm 1, ci 24}

  output logic [2:0]                    nic_db_we_o,       // network interface: transmit, receive, arm; pulses
  output logic [2:0][15:0]              nic_db_o,

  output logic                          cmd_go_o,          // level, until cmd_done_i
  input  logic                          cmd_done_i,        // pulse
  input  logic [7:0]                    cmd_status_i,
  input  logic [31:0]                   cmd_imm_i,
  input  logic [31:0]                   fw_version_i,
  input  logic [31:0]                   status_i,
  input  logic [31:0]                   health_i,
  input  logic [31:0]                   strap_mhz_i,       // cycles per microsecond, until the host knows better
  output logic [31:0]                   time_scale_o,
  output logic [9:0]                    log_addr_o,        // log memory, one cycle
  input  logic [31:0]                   log_data_i,

  input  logic [CntSources-1:0][63:0]   cnt_i,
  input  logic                          mem_rd_i,          // for the management core, at once:
  input  logic [7:0]                    mem_rd_addr_i,     // dword of the counters, or with bit 7 set of the command (layout cmd_regs)
  output logic [31:0]                   mem_rd_data_o,     // one cycle later

  output logic                          soft_rst_o         // 64 cycles: resets everything but this block and what keeps the buses legal
);

  localparam int unsigned SlotW = $clog2(PushSlots);

  // ================================================================ register slices
  logic        aw_valid, w_valid, ar_valid, ar_ready;
  logic [19:3] aw_addr;
  logic [19:2] ar_addr;
  logic [63:0] w_data;
  logic [7:0]  w_strb;
  ohca_skid #(.Width(17)) u_aw (
    .clk_i, .rst_i, .valid_i(s_axil_awvalid_i), .ready_o(s_axil_awready_o), .data_i(s_axil_awaddr_i[19:3]),
    .valid_o(aw_valid), .ready_i(w_accept), .data_o(aw_addr)
  );
  ohca_skid #(.Width(72)) u_w (
    .clk_i, .rst_i, .valid_i(s_axil_wvalid_i), .ready_o(s_axil_wready_o), .data_i({s_axil_wdata_i, s_axil_wstrb_i}),
    .valid_o(w_valid), .ready_i(w_accept), .data_o({w_data, w_strb})
  );
  ohca_skid #(.Width(18)) u_ar (
    .clk_i, .rst_i, .valid_i(s_axil_arvalid_i), .ready_o(s_axil_arready_o), .data_i(s_axil_araddr_i[19:2]),
    .valid_o(ar_valid), .ready_i(ar_ready), .data_o(ar_addr)
  );

  // ================================================================ writes
  // accept -> w_q (decode and execute) -> x_q (send doorbells only: qpn and idx of a push come out of their memory)
  logic        w_valid_q, w_accept, w_done;
  logic [19:3] w_addr_q;
  logic [7:0]  page_4k_q, page;               // a page's registers are in its first 4 KiB; behind them is nothing
  logic [63:0] w_data_q;
  logic [7:0]  w_strb_q;
  logic [3:0]  b_pend_q;                      // answers to be given, and which of them are errors, the next one in bit 0
  logic [14:0] b_err_q;
  logic        b_pop, w_part;
  logic        soft_rst_q;

  assign w_accept        = aw_valid && w_valid && (!w_valid_q || w_done) && b_pend_q != 4'd15;
  assign w_part          = (w_strb[3:0] != 4'h0 && w_strb[3:0] != 4'hf) || (w_strb[7:4] != 4'h0 && w_strb[7:4] != 4'hf);
  assign s_axil_bvalid_o = b_pend_q != 4'd0;
  assign s_axil_bresp_o  = {b_err_q[0], 1'b0};
  assign b_pop           = s_axil_bvalid_o && s_axil_bready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      w_valid_q <= 1'b0;
      b_pend_q  <= 4'd0;
    end else begin
      w_valid_q <= w_accept || (w_valid_q && !w_done);
      b_pend_q  <= b_pend_q + {3'd0, w_accept} - {3'd0, b_pop};
    end
    for (int unsigned i = 0; i < 15; i++) begin
      if (w_accept && b_pend_q - {3'd0, b_pop} == 4'(i)) b_err_q[i] <= w_part;
      else if (b_pop && i < 14)                          b_err_q[i] <= b_err_q[(i < 14) ? i + 1 : 14];
    end
    if (w_accept) begin
      w_addr_q <= aw_addr;
      page_4k_q <= aw_addr[19:12] - 8'(ohca_fmt_pkg::BAR_DB_BASE >> 12);
      w_data_q <= w_data;
      w_strb_q <= w_strb;
    end
  end

  // ---------------------------------------------------------------- decode
  logic       in_db, at_db, is_sq, is_arm, is_rq, is_eq, is_nic, is_push;
  logic       at_cmd;                         // the command block
  logic       lo_full, hi_full;               // whole dwords only
  assign in_db   = w_addr_q[19:16] != 4'd0;
  assign at_cmd  = w_addr_q[19:5] == 15'(ohca_fmt_pkg::REG_CMD >> 5);
  assign page    = page_4k_q >> DbStride;
  assign at_db   = in_db && (page_4k_q & 8'((1 << DbStride) - 1)) == 8'd0;
  assign is_sq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_SQ >> 3);
  assign is_arm  = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_CQ_ARM >> 3);
  assign is_rq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_RQ >> 3);
  assign is_eq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_EQ >> 3) && page == 8'd0;
  assign is_nic  = Nic && at_db && w_addr_q[11:4] == 8'(ohca_fmt_pkg::DB_NIC_TX >> 4) && page == 8'd0 && (lo_full || hi_full);
  assign is_push = at_db && w_addr_q[11:7] == 5'(ohca_fmt_pkg::DB_PUSH >> 7);
  assign lo_full = w_strb_q[3:0] == 4'hf;
  assign hi_full = w_strb_q[7:4] == 4'hf;

  // ---------------------------------------------------------------- 64-bit doorbells, also in two halves: low first
  logic [1:0]       kind;
  logic             is_db, db_go, db_lo, db_bad;
  logic [63:0]      db_data;
  logic [3:0]       half_valid_q;
  logic [7:0]       half_page_q [4];
  logic [31:0]      half_q [4];
  assign kind    = w_addr_q[4:3];
  assign is_db   = is_sq || is_arm || is_rq || is_eq;
  assign db_lo   = is_db && w_strb_q == 8'h0f;
  assign db_go   = is_db && (w_strb_q == 8'hff || (w_strb_q == 8'hf0 && half_valid_q[kind] && half_page_q[kind] == page));
  assign db_bad  = is_db && !db_lo && !db_go;
  assign db_data = {w_data_q[63:32], lo_full ? w_data_q[31:0] : half_q[kind]};

  // ---------------------------------------------------------------- push buffers
  // An entry collects one buffer; its WQE goes straight into a slot of the pool, the slot later goes with the doorbell.
  localparam int unsigned EntW = (PushEntries > 1) ? $clog2(PushEntries) : 1;
  logic [PushEntries-1:0]            pe_valid_q, pe_hit;
  logic [PushEntries-1:0][8:0]       pe_key_q;      // {page, buffer}
  logic [PushEntries-1:0][SlotW-1:0] pe_slot_q;
  logic [PushEntries-1:0][4:0]       pe_next_q;     // dword expected next
  logic [EntW-1:0]                   pe_victim_q, pe_free_idx, pe_hit_idx, pe_new;
  logic                              pe_any_hit, pe_any_free;
  logic [PushSlots-1:0]              slot_free_q;
  logic                              slot_any;
  logic [SlotW-1:0]                  slot_pick;

  logic [8:0] p_key;
  logic [4:0] p_dw, p_after;
  logic       p_ok, p_start, p_in_order, p_ring, p_full, p_needs_slot;
  assign p_key      = {page, w_addr_q[6]};
  assign p_ok       = is_push && (w_strb_q == 8'hff || w_strb_q == 8'h0f || w_strb_q == 8'hf0);
  assign p_dw       = {1'b0, w_addr_q[5:3], !lo_full};
  assign p_after    = {1'b0, w_addr_q[5:3], 1'b0} + (hi_full ? 5'd2 : 5'd1);
  assign p_start    = p_ok && p_dw == 5'd0;
  assign p_ring     = p_ok && hi_full && (&w_addr_q[5:3]);             // p_after is 16
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
    slot_any  = 1'b0;
    slot_pick = '0;
    for (int unsigned i = 0; i < PushSlots; i++) begin
      if (slot_free_q[i]) begin
        slot_pick = SlotW'(i);
        slot_any  = 1'b1;
      end
    end
  end
  assign pe_any_hit = |pe_hit;
  // The same buffer again, else a free entry, else the next victim: the last two keep the slot they have.
  assign pe_new       = pe_any_hit ? pe_hit_idx : pe_any_free ? pe_free_idx : pe_victim_q;
  assign p_needs_slot = p_start && !pe_any_hit && pe_any_free;

  logic             pool_we;
  logic [SlotW-1:0] pool_slot;
  assign pool_slot = p_needs_slot ? slot_pick : pe_slot_q[p_start ? pe_new : pe_hit_idx];
  assign pool_we   = w_done && p_ok && (p_start || p_in_order);

  // ---------------------------------------------------------------- execute
  logic sq_room, arm_room, rq_room, eq_room, need_sq;
  assign need_sq = (is_sq && db_go) || p_ring;
  assign w_done  = w_valid_q && !soft_rst_q && !(at_cmd && init_q) && (!need_sq || sq_room) && (!p_needs_slot || slot_any) &&
                   (!(is_arm && db_go) || arm_room) && (!(is_rq && db_go) || rq_room) && (!(is_eq && db_go) || eq_room);

  logic bad_write;                            // what cannot be used is counted, never guessed
  assign bad_write = w_done && ((in_db && !is_db && !is_nic && !is_push) || db_bad || (is_push && !p_ok) ||
                                (p_ring && !p_full) || (p_start && pe_any_hit));

  always_ff @(posedge clk_i) begin
    if (rst_i || soft_rst_q) begin
      half_valid_q <= '0;
      pe_valid_q   <= '0;
      pe_victim_q  <= '0;
    end else if (w_done) begin
      if (db_lo) half_valid_q[kind] <= 1'b1;
      if (db_go) half_valid_q[kind] <= 1'b0;
      if (p_start) begin
        pe_valid_q[pe_new] <= 1'b1;
        if (!pe_any_hit && !pe_any_free) pe_victim_q <= (pe_victim_q == EntW'(PushEntries - 1)) ? '0 : pe_victim_q + EntW'(1);
      end else if (p_ok && pe_any_hit && (p_ring || !p_in_order)) begin
        pe_valid_q[pe_hit_idx] <= 1'b0;
      end
    end
    if (w_done && db_lo) begin
      half_page_q[kind] <= page;
      half_q[kind]      <= w_data_q[31:0];
    end
    // Entry by entry: an indexed write of more than a bit becomes a shifter in synthesis.
    for (int unsigned i = 0; i < PushEntries; i++) begin
      if (w_done && p_start && pe_new == EntW'(i)) begin
        pe_key_q[i]  <= p_key;
        pe_next_q[i] <= p_after;
        if (p_needs_slot) pe_slot_q[i] <= slot_pick;
      end else if (w_done && p_ok && !p_start && p_in_order && pe_hit_idx == EntW'(i)) begin
        pe_next_q[i] <= p_after;
      end
    end
  end

  // qpn (dword 6) and idx (dword 0) of what each buffer was last filled with. They are read when dword 15 is written.
  logic [23:0] key_qpn;
  logic [15:0] key_idx;
  ohca_ram_sdp #(.Width(24), .Depth(512), .OldData(1'b0)) u_qpn (
    .clk_i,
    .wr_en_i(w_done && p_ok && lo_full && w_addr_q[5:3] == 3'd3), .wr_be_i(1'b1), .wr_addr_i(p_key), .wr_data_i(w_data_q[23:0]),
    .rd_en_i(w_done && p_ring), .rd_addr_i(p_key), .rd_data_o(key_qpn)
  );
  ohca_ram_sdp #(.Width(16), .Depth(512), .OldData(1'b0)) u_idx (
    .clk_i,
    .wr_en_i(w_done && p_ok && lo_full && w_addr_q[5:3] == 3'd0), .wr_be_i(1'b1), .wr_addr_i(p_key), .wr_data_i(w_data_q[31:16]),
    .rd_en_i(w_done && p_ring), .rd_addr_i(p_key), .rd_data_o(key_idx)
  );

  // ---------------------------------------------------------------- send doorbells
  logic             x_valid_q, x_push_q, x_full_q;
  logic [7:0]       x_page_q;
  logic [23:0]      x_qpn_q;
  logic [15:0]      x_pi_q;
  logic [SlotW-1:0] x_slot_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || soft_rst_q) x_valid_q <= 1'b0;
    else                     x_valid_q <= w_done && need_sq;
    if (w_done && need_sq) begin
      x_push_q <= p_ring;
      x_full_q <= p_full;
      x_page_q <= page;
      x_qpn_q  <= db_data[23:0];
      x_pi_q   <= db_data[47:32];
      x_slot_q <= pe_slot_q[pe_hit_idx];
    end
  end

  localparam int unsigned SqW = 24 + 8 + 16 + 1 + SlotW;
  logic             f_valid, f_pop, f_push, sq_almost, o_valid_q, sq_ready;
  logic [23:0]      f_qpn;
  logic [7:0]       f_uar;
  logic [15:0]      f_pi;
  logic [SlotW-1:0] f_slot;
  logic [511:0]     o_wqe;
  logic [48:0]      o_q;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(SqW), .Depth(DbDepth), .AlmostFull(DbDepth - 1), .UseRam(1'b0)) u_sq (
    .clk_i, .rst_i(rst_i || soft_rst_q),
    .valid_i(x_valid_q), .ready_o(sq_ready),
    .data_i({x_push_q ? key_qpn : x_qpn_q, x_page_q, x_push_q ? key_idx + 16'd1 : x_pi_q, x_full_q, x_slot_q}),
    .valid_o(f_valid), .ready_i(f_pop), .data_o({f_qpn, f_uar, f_pi, f_push, f_slot}), .count_o(), .almost_full_o(sq_almost)
  );
  // verilator lint_on PINCONNECTEMPTY
  assign sq_room = !sq_almost;                // one may be in x_q

  // Output stage: the WQE, or its first word, is read while the rest moves into o_q.
  logic             slot_done;                // its WQE is read
  logic [SlotW-1:0] slot_read;
  if (Compact) begin : g_words
    logic [2:0]       at_q;                   // word to be read, 0: none under way
    logic             next;
    logic [SlotW-1:0] slot_q;
    logic [63:0]      word;
    assign f_pop     = f_valid && at_q == '0 && (!o_valid_q || (sq_db_ready_i && !o_q[0]));
    assign next      = at_q != '0 || (o_valid_q && o_q[0] && sq_db_ready_i);
    assign slot_done = at_q == 3'd7;
    assign slot_read = slot_q;
    assign o_wqe     = {448'd0, word};
    always_ff @(posedge clk_i) begin
      if (rst_i || soft_rst_q)     at_q <= '0;
      else if (next)               at_q <= (at_q == '0) ? 3'd2 : at_q + 3'd1;
      if (f_pop) slot_q <= f_slot;
    end
    ohca_ram_sdp #(.Width(64), .Depth(8 * PushSlots), .BeWidth(32), .OldData(1'b0)) u_pool (
      .clk_i,
      .wr_en_i(pool_we), .wr_be_i({hi_full, lo_full}), .wr_addr_i({pool_slot, w_addr_q[5:3]}), .wr_data_i(w_data_q),
      .rd_en_i((f_pop && f_push) || next), .rd_addr_i(f_pop ? {f_slot, 3'd0} : {slot_q, (at_q == '0) ? 3'd1 : at_q}), .rd_data_o(word)
    );
  end else begin : g_whole
    assign f_pop     = f_valid && (!o_valid_q || sq_db_ready_i);
    assign slot_done = f_pop && f_push;
    assign slot_read = f_slot;
    ohca_ram_sdp #(.Width(512), .Depth(PushSlots), .BeWidth(32)) u_pool (
      .clk_i,
      .wr_en_i(pool_we), .wr_be_i({14'd0, hi_full, lo_full} << {w_addr_q[5:3], 1'b0}), .wr_addr_i(pool_slot), .wr_data_i({8{w_data_q}}),
      .rd_en_i(f_pop && f_push), .rd_addr_i(f_slot), .rd_data_o(o_wqe)
    );
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || soft_rst_q) o_valid_q <= 1'b0;
    else                     o_valid_q <= f_pop || (o_valid_q && !sq_db_ready_i);
    if (f_pop) o_q <= {f_qpn, f_uar, f_pi, f_push};
  end
  assign sq_db_valid_o = o_valid_q;
  assign sq_db_o       = {o_q, o_wqe};

  always_ff @(posedge clk_i) begin
    if (rst_i || soft_rst_q) begin
      slot_free_q <= '1;
    end else begin
      if (w_done && p_needs_slot) slot_free_q[slot_pick] <= 1'b0;
      // A torn push gives its slot back; a restarted or evicted one hands it on.
      if (w_done && p_ok && !p_start && pe_any_hit && !p_in_order) slot_free_q[pe_slot_q[pe_hit_idx]] <= 1'b1;
      if (slot_done) slot_free_q[slot_read] <= 1'b1;
    end
  end

  // ---------------------------------------------------------------- the other doorbells
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(64), .Depth(16), .Single(Compact)) u_arm (
    .clk_i, .rst_i(rst_i || soft_rst_q),
    .valid_i(w_done && is_arm && db_go), .ready_o(arm_room), .data_i({page, db_data[23:0], db_data[63:32]}),
    .valid_o(cq_arm_valid_o), .ready_i(cq_arm_ready_i), .data_o(cq_arm_o), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(48), .Depth(8), .Single(Compact)) u_rq (
    .clk_i, .rst_i(rst_i || soft_rst_q),
    .valid_i(w_done && is_rq && db_go), .ready_o(rq_room), .data_i({page, db_data[23:0], db_data[47:32]}),
    .valid_o(rq_db_valid_o), .ready_i(rq_db_ready_i), .data_o(rq_db_o), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(33), .Depth(8), .Single(Compact)) u_eq (
    .clk_i, .rst_i(rst_i || soft_rst_q),
    .valid_i(w_done && is_eq && db_go), .ready_o(eq_room), .data_i({db_data[7:0], db_data[63], db_data[55:32]}),
    .valid_o(eq_db_valid_o), .ready_i(eq_db_ready_i), .data_o(eq_db_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // Those of the network interface only set registers there: no queue, no wait.
  always_comb begin
    nic_db_we_o = '0;
    nic_db_o    = {w_data_q[15:0], w_data_q[47:32], w_data_q[15:0]};
    if (w_done && is_nic) nic_db_we_o = w_addr_q[3] ? {lo_full, 2'b00} : {1'b0, hi_full, lo_full};
  end

  // ================================================================ registers
  logic             go_q;                     // of dword 6 of the command: in a register what changes by itself
  logic [7:0]       status_q;
  logic [31:0]      time_scale_q, now_hi_q;
  logic [5:0]       soft_cnt_q;
  logic             reg_wr, cmd_wr, cmd_end;
  assign reg_wr = w_done && !in_db && w_addr_q[15:12] == 4'd0;
  assign cmd_wr = w_done && at_cmd && !go_q;  // while a command runs the block is firmware's

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      go_q         <= 1'b0;
      time_scale_q <= strap_mhz_i;
      soft_rst_q   <= 1'b0;
      soft_cnt_q   <= '0;
    end else begin
      if (soft_rst_q) begin
        soft_cnt_q <= soft_cnt_q + 6'd1;
        if (soft_cnt_q == 6'd63) soft_rst_q <= 1'b0;
        go_q <= 1'b0;
      end else begin
        if (cmd_wr && lo_full && w_addr_q[4:3] == 2'd3) begin
          go_q     <= w_data_q[31];
          status_q <= w_data_q[23:16];
        end
        if (cmd_end) begin
          go_q     <= 1'b0;
          status_q <= cmd_status_i;
        end
        if (reg_wr && w_addr_q[11:3] == 9'(ohca_fmt_pkg::REG_TIME_SCALE >> 3)) begin
          if (lo_full && w_data_q[31:0] != 32'd0) time_scale_q <= w_data_q[31:0];
          if (hi_full && w_data_q[63:32] == ohca_fmt_pkg::REG_RESET_VALUE) soft_rst_q <= 1'b1;
        end
      end
    end
  end
  assign cmd_end      = cmd_done_i && go_q;
  assign cmd_go_o     = go_q;
  assign time_scale_o = time_scale_q;
  assign soft_rst_o   = soft_rst_q;

  // ================================================================ counters and the command
  // One memory of 64-bit words: 64 counters, then the command block.
  // Pulses gather in a small count each; one after the other is added to its value in memory and set to zero. Its turn comes every 64 cycles, and
  // later by what goes before: accesses by the host and by the management core, each of which takes four cycles at least; less than 128.
  function automatic int unsigned sources(input int unsigned g);
    sources = (g == 32'(ohca_fmt_pkg::COUNTER_DB_BAD_PAGE)) ? 1 : 0;
    for (int unsigned s = 0; s < CntSources; s++) sources = sources + 32'(CntMask[64*s + g]);
  endfunction
  function automatic logic [63:0] singles(input logic none);
    for (int unsigned g = 0; g < 64; g++) singles[g] = !none && sources(g) == 1;
  endfunction
  localparam int unsigned AccW = 7 + $clog2(CntSources + 1);
  localparam logic [63:0] Single = singles(1'b0);
  logic [63:0][AccW-1:0] acc_q;
  logic [CntSources:0][63:0] pulses;
  logic [63:0]     acc_any;
  logic [5:0]      walk_q, add_idx_q;
  logic            walk, add_q, redo_q, single_q, init_q, init_cmd_q, host_wants, host_mem, mem_busy;
  logic [AccW-1:0] add_n_q, add_n;
  logic [6:0]      add_num;
  logic [63:0]     mem_data;
  logic            mem_half_q, mem_cmd_q, mem_we;
  logic [1:0]      mem_be;
  logic [6:0]      mem_waddr, mem_raddr;
  logic [63:0]     mem_wdata;
  logic [63:0]     own;
  logic [19:2]     r_addr_q;

  always_comb begin
    own = '0;
    own[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = bad_write;
  end
  assign pulses = {own, cnt_i & CntMask};
  logic [63:0][15:0] acc_pad;               // a power of two, so that the index is a multiplexer and not a shifter
  always_comb begin
    for (int unsigned i = 0; i < 64; i++) begin
      acc_any[i] = |acc_q[i];
      acc_pad[i] = 16'(acc_q[i]);
    end
  end
  // In a cycle in which the memory has something else to do nothing is added: the value is read once more. No read meets a write of its word.
  assign mem_busy = mem_rd_i || cmd_wr || cmd_end;
  assign walk     = |acc_any && !init_q && !mem_busy && !redo_q && !host_wants;

  for (genvar g = 0; g < 64; g++) begin : g_acc
    localparam int unsigned N = sources(g);
    if (N == 0) begin : g_none
      assign acc_q[g] = '0;
    end else if (N == 1) begin : g_one
      logic [CntSources:0] pulse;
      logic [6:0]          state;
      always_comb for (int unsigned s = 0; s <= CntSources; s++) pulse[s] = pulses[s][g];
      ohca_pulse_cnt #(.Width(7)) u_cnt (.clk_i(`CLOCK_CNT), .rst_i, .pulse_i(|pulse), .take_i(walk && walk_q == 6'(g)), .state_o(state));
      assign acc_q[g] = AccW'(state);
    end else begin : g_some
      // When it is this count's turn, what comes in is all that stays: the higher bits have a reset for that.
      localparam int unsigned W = 7 + $clog2(N);
      logic [W-1:0] inc, a_q;
      always_comb begin
        inc = '0;
        for (int unsigned s = 0; s <= CntSources; s++) inc = inc + W'(pulses[s][g]);
      end
      always_ff @(posedge `CLOCK_CNT) begin
        if (rst_i)                        a_q <= '0;
        else if (walk && walk_q == 6'(g)) a_q <= inc;
        else                              a_q <= a_q + inc;
      end
      assign acc_q[g] = AccW'(a_q);
    end
  end
  ohca_pulse_num #(.Width(7)) u_num (.state_i(add_n_q[6:0]), .num_o(add_num));
  assign add_n = single_q ? AccW'(add_num) : add_n_q;

  always_ff @(posedge `CLOCK_CNT) begin
    if (rst_i) begin
      walk_q     <= '0;
      init_q     <= 1'b1;
      init_cmd_q <= 1'b0;
      add_q      <= 1'b0;
      redo_q     <= 1'b0;
    end else begin
      if (walk || init_q) walk_q <= walk_q + 6'd1;
      if (walk_q == 6'd63) begin
        init_cmd_q <= 1'b1;
        if (init_cmd_q) init_q <= 1'b0;
      end
      add_q  <= (walk && acc_any[walk_q]) || (redo_q && !mem_busy);
      redo_q <= (add_q || redo_q) && mem_busy;
    end
    if (walk) begin
      add_idx_q <= walk_q;
      add_n_q   <= AccW'(acc_pad[walk_q]);
      single_q  <= Single[walk_q];
    end
    mem_half_q <= mem_rd_addr_i[0];
    mem_cmd_q  <= mem_rd_addr_i[7] && mem_rd_addr_i[2:0] == 3'd6;
  end

  always_comb begin
    mem_we    = init_q || mem_busy || add_q;
    mem_be    = 2'b11;
    mem_waddr = {1'b0, add_idx_q};
    mem_wdata = mem_data + 64'(add_n);
    if (init_q) begin
      mem_waddr = {init_cmd_q, walk_q};
      mem_wdata = '0;
    end else if (mem_busy) begin
      mem_be    = cmd_end ? 2'b10 : {cmd_wr && hi_full, cmd_wr && lo_full};
      mem_waddr = {5'b10000, cmd_end ? 2'd3 : w_addr_q[4:3]};
      mem_wdata = {cmd_end ? cmd_imm_i : w_data_q[63:32], w_data_q[31:0]};
    end
    mem_raddr = {1'b0, walk_q};
    if (redo_q)   mem_raddr = {1'b0, add_idx_q};
    if (host_mem) mem_raddr = is_cmd ? {5'b10000, r_addr_q[4:3]} : {1'b0, r_addr_q[8:3]};
    if (mem_rd_i) mem_raddr = mem_rd_addr_i[7:1];
  end
  ohca_ram_sdp #(.Width(64), .Depth(128), .BeWidth(32), .OldData(1'b0)) u_mem (
    .clk_i(`CLOCK_CNT),
    .wr_en_i(mem_we), .wr_be_i(mem_be), .wr_addr_i(mem_waddr), .wr_data_i(mem_wdata),
    .rd_en_i(1'b1), .rd_addr_i(mem_raddr), .rd_data_o(mem_data)
  );
  function automatic logic [31:0] with_state(input logic [31:0] v, input logic go, input logic [7:0] status);
    with_state        = v;
    with_state[31]    = go;
    with_state[23:16] = status;
  endfunction
  assign mem_rd_data_o = mem_half_q ? mem_data[63:32] : mem_cmd_q ? with_state(mem_data[31:0], go_q, status_q) : mem_data[31:0];

  // ================================================================ reads
  typedef enum logic [2:0] {R_IDLE, R_START, R_REG, R_MEM, R_LOG_LO, R_LOG_HI, R_DONE} rd_state_e;
  rd_state_e   rd_q;
  logic [63:0] r_data_q, reg_data;
  logic        is_log, is_cnt, is_cmd;
  assign is_log   = r_addr_q[19:12] == 8'(ohca_fmt_pkg::REG_LOG >> 12);
  assign is_cnt   = r_addr_q[19:9] == 11'(ohca_fmt_pkg::REG_COUNTERS >> 9);
  assign is_cmd   = r_addr_q[19:5] == 15'(ohca_fmt_pkg::REG_CMD >> 5);
  assign host_wants = rd_q == R_START && (is_cnt || is_cmd) && !init_q;
  assign host_mem   = host_wants && !mem_busy && !add_q && !redo_q;
  assign log_addr_o = {r_addr_q[11:3], rd_q != R_START};

  always_comb begin
    reg_data = '0;
    `WHEN(rd_q == R_REG) case (r_addr_q[19:3])
      17'(ohca_fmt_pkg::REG_ID >> 3):         reg_data = {ohca_fmt_pkg::FMT_VERSION, ohca_fmt_pkg::REG_ID_VALUE};
      17'(ohca_fmt_pkg::REG_FW_VERSION >> 3): reg_data = {status_i, fw_version_i};
      17'(ohca_fmt_pkg::REG_HEALTH >> 3):     reg_data = {32'(HwCfg), health_i};
      17'(ohca_fmt_pkg::REG_TIME_SCALE >> 3): reg_data = {32'd0, time_scale_q};
      17'(ohca_fmt_pkg::REG_NOW_LO >> 3):     reg_data = {r_addr_q[2] ? now_hi_q : now_i[63:32], now_i[31:0]};
      default: reg_data = '0;
    endcase
  end

  // A read sees the effect of every write whose address and data were accepted before it.
  assign ar_ready         = rd_q == R_IDLE && !w_valid_q && !(aw_valid && w_valid);
  assign s_axil_rvalid_o  = rd_q == R_DONE;
  assign s_axil_rdata_o   = r_data_q;
  assign s_axil_rresp_o   = 2'b00;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rd_q <= R_IDLE;
    end else begin
      unique case (rd_q)
        R_IDLE:   if (ar_valid && ar_ready) rd_q <= R_START;
        R_START:  if (is_log) rd_q <= R_LOG_LO;
                  else if (is_cnt || is_cmd) rd_q <= host_mem ? R_MEM : R_START;
                  else rd_q <= R_REG;
        R_LOG_LO: rd_q <= R_LOG_HI;
        R_LOG_HI, R_REG, R_MEM: rd_q <= R_DONE;
        R_DONE:   if (s_axil_rready_i) rd_q <= R_IDLE;
        default:  rd_q <= R_IDLE;
      endcase
    end
    if (rd_q == R_IDLE) r_addr_q <= ar_addr;
    unique case (rd_q)
      R_REG:    r_data_q <= reg_data;
      R_MEM:    r_data_q <= {mem_data[63:32], (is_cmd && r_addr_q[4:3] == 2'd3) ? with_state(mem_data[31:0], go_q, status_q) : mem_data[31:0]};
      R_LOG_LO: r_data_q[31:0]  <= log_data_i;
      R_LOG_HI: r_data_q[63:32] <= log_data_i;
      default: ;
    endcase
    if (rd_q == R_REG && r_addr_q == 18'(ohca_fmt_pkg::REG_NOW_LO >> 2)) now_hi_q <= now_i[63:32];
  end

  logic quiet;                                // but for the counters
  assign quiet  = !w_valid_q && !x_valid_q && !f_valid && !o_valid_q && !cq_arm_valid_o && !rq_db_valid_o && !eq_db_valid_o &&
                  rd_q == R_IDLE && b_pend_q == 4'd0 && !soft_rst_q &&
                  !s_axil_awvalid_i && !s_axil_arvalid_i && !aw_valid && !w_valid && !ar_valid;
  assign idle_o = quiet && !(|acc_any) && !add_q && !redo_q && !init_q;
`ifdef OHCA_GATES
  assign busy_o = !quiet || s_axil_wvalid_i;
`endif

`ifdef VERILATOR
  ohca_axil_rules u_rules (
    .clk_i, .rst_i,
    .awvalid_i(s_axil_awvalid_i), .awready_i(s_axil_awready_o), .awaddr_i(s_axil_awaddr_i), .wvalid_i(s_axil_wvalid_i),
    .wready_i(s_axil_wready_o), .wdata_i(s_axil_wdata_i), .wstrb_i(s_axil_wstrb_i), .bvalid_i(s_axil_bvalid_o),
    .bready_i(s_axil_bready_i), .bresp_i(s_axil_bresp_o), .arvalid_i(s_axil_arvalid_i), .arready_i(s_axil_arready_o),
    .araddr_i(s_axil_araddr_i), .rvalid_i(s_axil_rvalid_o), .rready_i(s_axil_rready_i), .rdata_i(s_axil_rdata_o),
    .rresp_i(s_axil_rresp_o)
  );
`endif

  logic unused;
  assign unused = &{1'b0, s_axil_awaddr_i[2:0], s_axil_araddr_i[1:0], db_data[31:24]};

  `ASSERT(CntMask_A, (cnt_i & ~CntMask) == '0)
  `ASSERT(SqRoom_A, !x_valid_q || sq_ready)
  `ASSERT(SlotOwned_A, !(w_done && p_full) || !slot_free_q[pe_slot_q[pe_hit_idx]])

endmodule

`default_nettype wire
