// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// lint: DbStride=0
// lint: DbStride=4
// lint: Wide=1 Merge=1 PushSlots=32
// BAR 0: registers, command block, firmware log, event counters, doorbell pages and push pages behind one AXI4-Lite
// slave, and the push pages behind a second one of 512 bits (Wide), too.
// A write takes effect three cycles after its acceptance, one write per cycle; a doorbell leaves two cycles later, one
// in two cycles; a read takes 5 to 7 cycles.
//
// Every address and data channel ends in a register slice: no output of the bus depends on an input of it in the same
// cycle. A write that enables part of a dword does nothing and is answered SLVERR; all others, and all reads, are
// answered OKAY. A doorbell that finds its queue full makes the bus wait; a read waits for the writes accepted before
// it. Rooms: ohca_bar_push collects pushed WQEs and queues send doorbells, ohca_bar_cnt has counters and the command
// block's memory, ohca_bar_wide is the wide port. What comes there takes effect in turn with writes of s_axil, so a
// port that always has something leaves the other one half of the cycles, and no read waits for it. Without it, what
// is written to that port is answered SLVERR.

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
  parameter int unsigned DbStride    = 0,     // doorbell pages are 2^(12 + DbStride) bytes apart, 0 to 4, for hosts
                                              // with larger pages
  parameter bit          Compact     = 1'b0,  // a pushed WQE goes out in eight words of wqe[63:0], one in each cycle
                                              // from the accept on
  parameter bit          Merge       = 1'b0,  // doorbells of a QP that wait become one (ohca_bar_queue)
  parameter bit          Wide        = 1'b0,  // the wide port for push pages is there; not with Compact
  parameter bit          Nic         = 1'b1   // there is a network interface
) (
  input  logic                          clk_i,
`ifdef OHCA_GATES
  input  logic                          clk_cnt_i,         // counters and the command; both leave out edges: "clocks by
                                                           // part" of rtl/ohca.sv
  output logic                          busy_o,            // combinational, from inputs too: clk_i is needed
`endif
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,

  input  logic                          s_axil_awvalid_i,
  output logic                          s_axil_awready_o,
  input  logic [20:0]                   s_axil_awaddr_i,
  input  logic                          s_axil_wvalid_i,
  output logic                          s_axil_wready_o,
  input  logic [63:0]                   s_axil_wdata_i,
  input  logic [7:0]                    s_axil_wstrb_i,
  output logic                          s_axil_bvalid_o,
  input  logic                          s_axil_bready_i,
  output logic [1:0]                    s_axil_bresp_o,
  input  logic                          s_axil_arvalid_i,
  output logic                          s_axil_arready_o,
  input  logic [20:0]                   s_axil_araddr_i,   // bit 2 set: only the upper half is wanted
  output logic                          s_axil_rvalid_o,
  input  logic                          s_axil_rready_i,
  output logic [63:0]                   s_axil_rdata_o,
  output logic [1:0]                    s_axil_rresp_o,
  input  ohca_fmt_pkg::push_bus_t       push_i,            // the wide port
  output ohca_fmt_pkg::push_say_t       push_o,

  output logic                          sq_db_valid_o,
  input  logic                          sq_db_ready_i,
  output ohca_fmt_pkg::sq_db_t          sq_db_o,
  output logic                          rq_db_valid_o,
  input  logic                          rq_db_ready_i,
  output logic [55:0]                   rq_db_o,           // {uar 16, qpn 24, pi 16}
  output logic                          cq_arm_valid_o,
  input  logic                          cq_arm_ready_i,
  output logic [71:0]                   cq_arm_o,          // {uar 16, cqn 24, solicited 1, seen 7, ci 24}
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
  input  logic [7:0]                    mem_rd_addr_i,     // dword of the counters, or with bit 7 set of the command
                                                           // (layout cmd_regs)
  output logic [31:0]                   mem_rd_data_o,     // one cycle later

  output logic                          soft_rst_o         // 64 cycles: resets everything but this block and what keeps
                                                           // the buses legal
);

  // Of a page's number as many bits come from an address as BAR 0 has room for (BAR_PUSH_BASE); it has 16 behind here.
  localparam int unsigned PageW = 8;

  // ================================================================ register slices
  logic        aw_valid, w_valid, ar_valid, ar_ready;
  logic [20:3] aw_addr;
  logic [20:2] ar_addr;
  logic [63:0] w_data;
  logic [7:0]  w_strb;
  ohca_skid #(.Width(18)) u_aw (
    .clk_i, .rst_i, .valid_i(s_axil_awvalid_i), .ready_o(s_axil_awready_o), .data_i(s_axil_awaddr_i[20:3]),
    .valid_o(aw_valid), .ready_i(w_accept), .data_o(aw_addr)
  );
  ohca_skid #(.Width(72)) u_w (
    .clk_i, .rst_i, .valid_i(s_axil_wvalid_i), .ready_o(s_axil_wready_o), .data_i({s_axil_wdata_i, s_axil_wstrb_i}),
    .valid_o(w_valid), .ready_i(w_accept), .data_o({w_data, w_strb})
  );
  ohca_skid #(.Width(19)) u_ar (
    .clk_i, .rst_i, .valid_i(s_axil_arvalid_i), .ready_o(s_axil_arready_o), .data_i(s_axil_araddr_i[20:2]),
    .valid_o(ar_valid), .ready_i(ar_ready), .data_o(ar_addr)
  );

  // ================================================================ the wide port
  logic         x_valid, x_whole, x_accept, x_busy;
  logic [20:3]  x_addr;
  logic [7:0]   x_strb;
  logic [PageW-1:0] x_page_4k;
  logic [63:0]  x_data;
  logic [511:0] x_wqe;
  if (Wide) begin : g_wide
    ohca_bar_wide #(.DbStride(DbStride)) u_wide (
      .clk_i, .rst_i, .busy_o(x_busy), .bus_i(push_i), .bus_o(push_o), .valid_o(x_valid), .ready_i(x_accept),
      .whole_o(x_whole), .addr_o(x_addr), .page_4k_o(x_page_4k), .data_o(x_data), .strb_o(x_strb), .wqe_o(x_wqe)
    );
  end else begin : g_narrow
    logic n_aw_q, n_w_q, n_b;
    assign n_b    = n_aw_q && n_w_q;
    assign push_o = {!n_aw_q, !n_w_q, n_b, 2'b10};
    assign x_busy = n_aw_q || n_w_q;
    assign {x_valid, x_whole, x_addr, x_page_4k, x_strb, x_data, x_wqe} = '0;
    always_ff @(posedge clk_i) begin
      n_aw_q <= !rst_i && (n_aw_q || push_i.awvalid) && !(n_b && push_i.bready);
      n_w_q  <= !rst_i && (n_w_q || push_i.wvalid) && !(n_b && push_i.bready);
    end
    logic unused_wide;
    assign unused_wide = &{1'b0, push_i, x_accept};
  end
  if (Wide && Compact) begin : g_no
    $error("a Compact pool of pushed WQEs is written by quadwords");
  end

  // ================================================================ writes
  // accept -> w_q (decode and execute)
  logic        w_valid_q, w_accept, w_done, w_free, w_want;
  logic        x_pick, x_turn_q, w_wide_q, w_whole_q;   // of the wide port: who goes next, what is in w_q
  logic [20:3] w_addr_q;
  logic [PageW-1:0] aw_page_4k, page_4k_q, page;   // a page's registers are in its first 4 KiB; behind them is nothing
  logic [63:0] w_data_q;
  logic [7:0]  w_strb_q;
  logic [3:0]  b_pend_q;                      // answers to be given, and which of them are errors, the next one in bit
                                              // 0
  logic [14:0] b_err_q;
  logic        b_pop, w_part;
  logic        soft_rst_q;

  assign w_free          = !w_valid_q || w_done;
  assign w_want          = aw_valid && w_valid && b_pend_q != 4'd15;
  assign x_pick          = x_valid && (!w_want || x_turn_q);
  assign w_accept        = w_free && w_want && !x_pick;
  assign x_accept        = w_free && x_pick;
  assign aw_page_4k      = aw_addr[12 +: PageW] - PageW'(ohca_fmt_pkg::BAR_DB_BASE >> 12);
  assign w_part          = (w_strb[3:0] != 4'h0 && w_strb[3:0] != 4'hf) || (w_strb[7:4] != 4'h0 && w_strb[7:4] != 4'hf);
  assign s_axil_bvalid_o = b_pend_q != 4'd0;
  assign s_axil_bresp_o  = {b_err_q[0], 1'b0};
  assign b_pop           = s_axil_bvalid_o && s_axil_bready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      w_valid_q <= 1'b0;
      b_pend_q  <= 4'd0;
    end else begin
      w_valid_q <= w_accept || x_accept || (w_valid_q && !w_done);
      b_pend_q  <= b_pend_q + {3'd0, w_accept} - {3'd0, b_pop};
    end
    for (int unsigned i = 0; i < 15; i++) begin
      if (w_accept && b_pend_q == (b_pop ? 4'(i + 1) : 4'(i))) b_err_q[i] <= w_part;
      else if (b_pop && i < 14)                                b_err_q[i] <= b_err_q[(i < 14) ? i + 1 : 14];
    end
    if (w_free) begin                         // without one it is looked at by nobody
      w_addr_q  <= x_pick ? x_addr : aw_addr;
      page_4k_q <= x_pick ? x_page_4k : aw_page_4k;
      w_data_q  <= x_pick ? x_data : w_data;
      w_strb_q  <= x_pick ? x_strb : w_strb;
      w_wide_q  <= x_pick;
      w_whole_q <= x_pick && x_whole;
    end
    if (rst_i)                     x_turn_q <= 1'b0;
    else if (w_accept || x_accept) x_turn_q <= w_accept;
  end

  // ---------------------------------------------------------------- decode
  logic       in_db, at_page, at_db, is_sq, is_arm, is_rq, is_eq, is_nic, is_push, is_clr;
  logic       at_cmd;                         // the command block
  logic       lo_full, hi_full;               // whole dwords only
  assign in_db   = w_addr_q[20:16] != 5'd0;
  assign at_cmd  = w_addr_q[20:5] == 16'(ohca_fmt_pkg::REG_CMD >> 5);
  assign page    = page_4k_q >> DbStride;
  // Push pages lie as doorbell pages do, in the other half.
  assign at_page = w_addr_q[19:16] != 4'd0 && (page_4k_q & PageW'((1 << DbStride) - 1)) == '0;
  assign at_db   = at_page && !w_addr_q[20];
  assign is_sq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_SQ >> 3);
  assign is_arm  = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_CQ_ARM >> 3);
  assign is_rq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_RQ >> 3);
  assign is_eq   = at_db && w_addr_q[11:3] == 9'(ohca_fmt_pkg::DB_EQ >> 3) && page == '0;
  assign is_nic  = Nic && at_db && w_addr_q[11:4] == 8'(ohca_fmt_pkg::DB_NIC_TX >> 4) && page == '0 &&
      (lo_full || hi_full);
  assign is_push = at_page && w_addr_q[20] && w_addr_q[11:7] == 5'd0;
  assign is_clr  = at_db && w_addr_q[11:4] == 8'(ohca_fmt_pkg::DB_PUSH_CLR >> 4) && (lo_full || hi_full);
  assign lo_full = w_strb_q[3:0] == 4'hf;
  assign hi_full = w_strb_q[7:4] == 4'hf;

  // ---------------------------------------------------------------- 64-bit doorbells, also in two halves: low first
  logic [1:0]       kind;
  logic             is_db, db_go, db_lo, db_bad;
  logic [63:0]      db_data;
  logic [3:0]       half_valid_q;
  logic [PageW-1:0] half_page_q [4];
  logic [31:0]      half_q [4];
  assign kind    = w_addr_q[4:3];
  assign is_db   = is_sq || is_arm || is_rq || is_eq;
  assign db_lo   = is_db && w_strb_q == 8'h0f;
  assign db_go   = is_db && (w_strb_q == 8'hff ||
                             (w_strb_q == 8'hf0 && half_valid_q[kind] && half_page_q[kind] == page));
  assign db_bad  = is_db && !db_lo && !db_go;
  assign db_data = {w_data_q[63:32], lo_full ? w_data_q[31:0] : half_q[kind]};

  // ---------------------------------------------------------------- execute
  typedef struct packed { logic valid; logic [1:0] be, addr; logic [63:0] data; } cmd_wr_t;
  cmd_wr_t cw_q;
  logic sq_room, push_slot, arm_room, rq_room, eq_room, arm_may, rq_may, eq_may, init, init_q, go_q;
  logic rst_q;                                // doorbells are reset a cycle later, as the blocks are that take them
  ohca_reset u_rst (.clk_i(clk_i), .rst_i(rst_i || soft_rst_q), .rst_o(rst_q));
  assign w_done = w_valid_q && !soft_rst_q && !rst_q && !(at_cmd && init_q) && (!(is_sq && db_go) || sq_room) &&
                  (!(is_push || is_clr) || (sq_room && push_slot)) &&
                  (!(is_arm && db_go) || arm_may) && (!(is_rq && db_go) || rq_may) && (!(is_eq && db_go) || eq_may);
  always_ff @(posedge clk_i) init_q <= init || rst_i;       // until the counters are 0: it comes from afar
  // Compact: one of each waits, who takes it may be far away, and that there is room again is known a cycle later.
  if (Compact) begin : g_may_late
    always_ff @(posedge clk_i) {arm_may, rq_may, eq_may} <= {arm_room, rq_room, eq_room} & ~{3{w_done || rst_q}};
  end else begin : g_may
    assign {arm_may, rq_may, eq_may} = {arm_room, rq_room, eq_room};
  end

  logic bad_q, push_bad;                      // what cannot be used is counted, a cycle later, never guessed
  always_ff @(posedge clk_i) bad_q <= !rst_i && w_done &&
                                      ((in_db && !is_db && !is_nic && !is_push && !is_clr) || db_bad);

  always_ff @(posedge clk_i) begin
    if (rst_q) begin
      half_valid_q <= '0;
    end else if (w_done) begin
      if (db_lo) half_valid_q[kind] <= 1'b1;
      if (db_go) half_valid_q[kind] <= 1'b0;
    end
    if (w_done && db_lo) begin
      half_page_q[kind] <= page;
      half_q[kind]      <= w_data_q[31:0];
    end
  end

  // ---------------------------------------------------------------- send doorbells
  logic push_busy;
  ohca_bar_push #(.DbDepth(DbDepth), .PushSlots(PushSlots), .PushEntries(PushEntries), .PageW(PageW), .Merge(Merge),
      .Compact(Compact)) u_push (
    .clk_i, .rst_i(rst_q), .page_i(16'(page)),
    .db_valid_i(w_done && is_sq && db_go), .db_qpn_i(db_data[23:0]), .db_pi_i(db_data[47:32]),
    .look_i(x_accept || (w_accept && aw_addr[20])),
    .look_page_i((x_pick ? x_page_4k : aw_page_4k) >> DbStride), .look_buf_i(x_pick ? x_addr[6] : aw_addr[6]),
    .push_valid_i(w_done && is_push), .push_clr_i(w_done && is_clr),
    .push_buf_i(is_push ? w_addr_q[6] : w_addr_q[3]), .push_at_i(w_addr_q[5:3]), .push_strb_i(w_strb_q),
    .push_data_i(w_data_q), .whole_i(w_whole_q), .wqe_i(x_wqe), .room_o(sq_room), .slot_o(push_slot), .bad_o(push_bad),
    .sq_db_valid_o, .sq_db_ready_i, .sq_db_o, .busy_o(push_busy)
  );

  // ---------------------------------------------------------------- the other doorbells
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(72), .Depth(16), .Single(Compact), .ValidFlop(!Compact)) u_arm (
    .clk_i, .rst_i(rst_q),
    .valid_i(w_done && is_arm && db_go), .ready_o(arm_room), .data_i({16'(page), db_data[23:0], db_data[63:32]}),
    .valid_o(cq_arm_valid_o), .ready_i(cq_arm_ready_i), .data_o(cq_arm_o), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(56), .Depth(8), .Single(Compact), .ValidFlop(!Compact)) u_rq (
    .clk_i, .rst_i(rst_q),
    .valid_i(w_done && is_rq && db_go), .ready_o(rq_room), .data_i({16'(page), db_data[23:0], db_data[47:32]}),
    .valid_o(rq_db_valid_o), .ready_i(rq_db_ready_i), .data_o(rq_db_o), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(33), .Depth(8), .Single(Compact), .ValidFlop(!Compact)) u_eq (
    .clk_i, .rst_i(rst_q),
    .valid_i(w_done && is_eq && db_go), .ready_o(eq_room), .data_i({db_data[7:0], db_data[63], db_data[55:32]}),
    .valid_o(eq_db_valid_o), .ready_i(eq_db_ready_i), .data_o(eq_db_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // Those of the network interface only set registers there: no queue, no wait; flops.
  always_ff @(posedge clk_i) begin
    nic_db_we_o <= '0;
    nic_db_o    <= {w_data_q[15:0], w_data_q[47:32], w_data_q[15:0]};
    if (!rst_i && w_done && is_nic) nic_db_we_o <= w_addr_q[3] ? {lo_full, 2'b00} : {1'b0, hi_full, lo_full};
  end

  // ================================================================ registers
  logic [7:0]       status_q;                 // and go_q: of dword 6 of the command, in a register what changes by
                                              // itself
  logic [31:0]      time_scale_q, now_hi_q;
  logic [5:0]       soft_cnt_q;
  logic             reg_wr, cmd_wr, cmd_end;
  struct packed {
    logic        valid;
    logic [7:0]  status;
    logic [31:0] imm;
  } done_q;
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
          status_q <= done_q.status;
        end
        if (reg_wr && w_addr_q[11:3] == 9'(ohca_fmt_pkg::REG_TIME_SCALE >> 3)) begin
          if (lo_full && w_data_q[31:0] != 32'd0) time_scale_q <= w_data_q[31:0];
          if (hi_full && w_data_q[63:32] == ohca_fmt_pkg::REG_RESET_VALUE) soft_rst_q <= 1'b1;
        end
      end
    end
  end
  // A cycle later, as the core lies far from here; not before anybody can have seen the command.
  always_ff @(posedge clk_i) done_q <= {cmd_done_i && !rst_i, cmd_status_i, cmd_imm_i};
  assign cmd_end      = done_q.valid && go_q && !cw_q.valid;
  assign cmd_go_o     = go_q;
  assign time_scale_o = time_scale_q;
  assign soft_rst_o   = soft_rst_q;

  // ================================================================ counters and the command
  // The last source of counts is this block itself.
  // What the host writes to the command comes a cycle later: what decides that it is executed lies far from here.
  always_ff @(posedge clk_i) cw_q <= {cmd_wr && !rst_i, hi_full, lo_full, w_addr_q[4:3], w_data_q};
  localparam logic [63:0] OwnMask = 64'd1 << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE;
  logic        mem_half_q, mem_cmd_q, cnt_idle, host_wants, host_done;
  logic [63:0] mem_data;
  logic [20:2] r_addr_q;
  always_ff @(posedge `CLOCK_CNT) begin
    mem_half_q <= mem_rd_addr_i[0];
    mem_cmd_q  <= mem_rd_addr_i[7] && mem_rd_addr_i[2:0] == 3'd6;
  end
  ohca_bar_cnt #(.CntSources(CntSources + 1), .CntMask({OwnMask, CntMask})) u_cnt (
    .clk_i(`CLOCK_CNT), .rst_i, .cnt_i({(bad_q || push_bad) ? OwnMask : 64'd0, cnt_i}),
    .wr_valid_i(cw_q.valid), .wr_be_i(cw_q.be), .wr_addr_i(cw_q.addr), .wr_data_i(cw_q.data),
    .set_valid_i(cmd_end), .set_data_i(done_q.imm),
    .rd_valid_i(host_wants), .rd_addr_i(is_cmd ? {5'b10000, r_addr_q[4:3]} : {1'b0, r_addr_q[8:3]}),
    .rd_done_o(host_done),
    .mem_rd_i, .mem_rd_addr_i({mem_rd_addr_i[7], mem_rd_addr_i[6:1]}), .data_o(mem_data), .init_o(init),
    .idle_o(cnt_idle)
  );
  function automatic logic [31:0] with_state(input logic [31:0] v, input logic go, input logic [7:0] status);
    with_state        = v;
    with_state[31]    = go;
    with_state[23:16] = status;
  endfunction
  assign mem_rd_data_o = mem_half_q ? mem_data[63:32] : mem_cmd_q ? with_state(mem_data[31:0], go_q, status_q) :
      mem_data[31:0];

  // ================================================================ reads
  typedef enum logic [2:0] {R_IDLE, R_START, R_REG, R_MEM, R_LOG_LO, R_LOG_HI, R_DONE} rd_state_e;
  rd_state_e   rd_q;
  logic [63:0] r_data_q, reg_data;
  logic        is_log, is_cnt, is_cmd;
  assign is_log   = r_addr_q[20:12] == 9'(ohca_fmt_pkg::REG_LOG >> 12);
  assign is_cnt   = r_addr_q[20:9] == 12'(ohca_fmt_pkg::REG_COUNTERS >> 9);
  assign is_cmd   = r_addr_q[20:5] == 16'(ohca_fmt_pkg::REG_CMD >> 5);
  assign host_wants = rd_q == R_MEM && !host_done;             // flops: the counters look at it far away
  assign log_addr_o = {r_addr_q[11:3], rd_q != R_START};

  always_comb begin
    reg_data = '0;
    `WHEN(rd_q == R_REG) case (r_addr_q[20:3])
      18'(ohca_fmt_pkg::REG_ID >> 3):         reg_data = {ohca_fmt_pkg::FMT_VERSION, ohca_fmt_pkg::REG_ID_VALUE};
      18'(ohca_fmt_pkg::REG_FW_VERSION >> 3): reg_data = {status_i, fw_version_i};
      18'(ohca_fmt_pkg::REG_HEALTH >> 3):     reg_data = {32'(HwCfg), health_i};
      18'(ohca_fmt_pkg::REG_TIME_SCALE >> 3): reg_data = {32'd0, time_scale_q};
      18'(ohca_fmt_pkg::REG_NOW_LO >> 3):     reg_data = {r_addr_q[2] ? now_hi_q : now_i[63:32], now_i[31:0]};
      default: reg_data = '0;
    endcase
  end

  // A read sees the effect of every write whose address and data were accepted before it.
  assign ar_ready         = rd_q == R_IDLE && !(w_valid_q && !w_wide_q) && !(aw_valid && w_valid);
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
                  else if (is_cnt || is_cmd) rd_q <= R_MEM;
                  else rd_q <= R_REG;
        R_LOG_LO: rd_q <= R_LOG_HI;
        R_MEM:    if (host_done) rd_q <= R_DONE;
        R_LOG_HI, R_REG: rd_q <= R_DONE;
        R_DONE:   if (s_axil_rready_i) rd_q <= R_IDLE;
        default:  rd_q <= R_IDLE;
      endcase
    end
    if (rd_q == R_IDLE) r_addr_q <= ar_addr;
    unique case (rd_q)
      R_REG:    r_data_q <= reg_data;
      R_MEM:    r_data_q <= {mem_data[63:32], (is_cmd && r_addr_q[4:3] == 2'd3) ?
          with_state(mem_data[31:0], go_q, status_q) : mem_data[31:0]};
      R_LOG_LO: r_data_q[31:0]  <= log_data_i;
      R_LOG_HI: r_data_q[63:32] <= log_data_i;
      default: ;
    endcase
    if (rd_q == R_REG && r_addr_q == 19'(ohca_fmt_pkg::REG_NOW_LO >> 2)) now_hi_q <= now_i[63:32];
  end

  // But for the counters. Nothing is here that was not a cycle ago, or came then: so it is a flop, and a cycle longer
  // than it has to be.
  logic here_q, quiet;
  always_ff @(posedge clk_i) here_q <= rst_i || soft_rst_q || w_valid_q || bad_q || push_busy || cq_arm_valid_o ||
                                       rq_db_valid_o || eq_db_valid_o || rd_q != R_IDLE || b_pend_q != 4'd0 ||
                                       s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i || cmd_done_i ||
                                       aw_valid || w_valid || ar_valid || x_busy || push_i.awvalid || push_i.wvalid;
  assign quiet  = !here_q && !s_axil_awvalid_i && !s_axil_arvalid_i && !push_i.awvalid && !push_i.wvalid;
  assign idle_o = quiet && cnt_idle;
`ifdef OHCA_GATES
  assign busy_o = !quiet || s_axil_wvalid_i;
`endif

`ifdef VERILATOR
  ohca_axil_rules #(.AW(21)) u_rules (
    .clk_i, .rst_i,
    .awvalid_i(s_axil_awvalid_i), .awready_i(s_axil_awready_o), .awaddr_i(s_axil_awaddr_i), .wvalid_i(s_axil_wvalid_i),
    .wready_i(s_axil_wready_o), .wdata_i(s_axil_wdata_i), .wstrb_i(s_axil_wstrb_i), .bvalid_i(s_axil_bvalid_o),
    .bready_i(s_axil_bready_i), .bresp_i(s_axil_bresp_o), .arvalid_i(s_axil_arvalid_i), .arready_i(s_axil_arready_o),
    .araddr_i(s_axil_araddr_i), .rvalid_i(s_axil_rvalid_o), .rready_i(s_axil_rready_i), .rdata_i(s_axil_rdata_o),
    .rresp_i(s_axil_rresp_o)
  );
  ohca_axil_rules #(.AW(21), .DW(512)) u_wide_rules (
    .clk_i, .rst_i,
    .awvalid_i(push_i.awvalid), .awready_i(push_o.awready), .awaddr_i(push_i.awaddr), .wvalid_i(push_i.wvalid),
    .wready_i(push_o.wready), .wdata_i(push_i.wdata), .wstrb_i(push_i.wstrb), .bvalid_i(push_o.bvalid),
    .bready_i(push_i.bready), .bresp_i(push_o.bresp), .arvalid_i(1'b0), .arready_i(1'b0), .araddr_i('0),
    .rvalid_i(1'b0), .rready_i(1'b0), .rdata_i('0), .rresp_i('0)
  );
`endif

  logic unused;
  assign unused = &{1'b0, s_axil_awaddr_i[2:0], s_axil_araddr_i[1:0], db_data[31:24]};

endmodule

`default_nettype wire
