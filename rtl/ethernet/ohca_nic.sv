// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The network interface of an Ethernet port: registers, doorbells, descriptor fetch, frames to host memory,
// completions, moderated events.
//
// A received frame's first host write is asked for 10 cycles after its last beat; frame and completion then take their
// beats and 4 cycles. Without a buffer a frame is dropped, and nothing here ever holds up the stream it comes from. It
// does NOT filter (ohca_eth_in does) and knows no VLANs or headers.
// lint: DataWidth=128
// lint: DataWidth=512

//   doorbells ─► descriptor fetch ─┬─► ohca_nic_tx ─► wire
//                                  │        └─► completion ─┐
//                                  └─► buffers ─► writer ───┴─► host ─► event
//        ohca_eth_in ─► ohca_nic_rx ─────────────────┘

`include "ohca_assert.svh"
`default_nettype none

module ohca_nic #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned TxBytes   = (DataWidth > 64) ? 32768 : 16384,
  parameter int unsigned RxBytes   = (DataWidth > 64) ? 65536 : 16384,
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic [63:0]                 now_i,
  output logic                        idle_o,
  output logic                        next_valid_o,  // an event is due at next_o
  output logic [63:0]                 next_o,
  output logic [63:0]                 cnt_o,

  // Management bus, shared with ohca_port
  input  logic                        mg_valid_i,
  input  logic                        mg_we_i,
  input  logic [9:0]                  mg_addr_i,     // dword address
  input  logic [31:0]                 mg_wdata_i,
  output logic [31:0]                 mg_rdata_o,    // next cycle

  // Doorbells: transmit producer, receive producer, arm; pulses
  input  logic [2:0]                  db_we_i,
  input  logic [2:0][15:0]            db_i,

  // Host memory: [0] descriptors, [1] data
  output logic [1:0]                  rd_valid_o,
  input  logic [1:0]                  rd_ready_i,
  output logic [1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0] rd_o,
  input  logic [1:0]                  rd_rsp_valid_i,
  input  logic [DataWidth-1:0]        rd_rsp_data_i,
  input  logic                        rd_rsp_last_i,
  input  logic                        rd_rsp_err_i,
  output logic                        wr_valid_o,
  input  logic                        wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t   wr_o,
  output logic                        wr_dat_valid_o,
  input  logic                        wr_dat_ready_i,
  output logic [DataWidth-1:0]        wr_dat_o,
  output logic                        wr_dat_last_o,
  input  logic [31:0]                 wr_issued_i,
  input  logic [31:0]                 wr_acked_i,

  output logic                        ev_valid_o,
  input  logic                        ev_ready_i,
  output ohca_fmt_pkg::ev_req_t       ev_o,

  // Frames
  input  logic                        in_valid_i,
  output logic                        in_room_o,
  input  logic [DataWidth-1:0]        in_data_i,
  input  logic [Bytes-1:0]            in_keep_i,
  input  logic                        in_last_i,
  input  logic                        in_err_i,
  input  logic                        wire_en_i,
  output logic                        out_valid_o,
  input  logic                        out_ready_i,
  output logic [DataWidth-1:0]        out_data_o,
  output logic [Bytes-1:0]            out_keep_o,
  output logic                        out_last_o
);

  localparam int unsigned LaneW = $clog2(Bytes);

  // ------------------------------------------------------------------ registers
  localparam int unsigned WCtrl  = ohca_fmt_pkg::PORT_REG_NIC_CTRL / 4;
  localparam int unsigned WMod   = ohca_fmt_pkg::PORT_REG_NIC_MOD / 4;
  localparam int unsigned WTx    = ohca_fmt_pkg::PORT_REG_NIC_TX / 4;
  localparam int unsigned WRx    = ohca_fmt_pkg::PORT_REG_NIC_RX / 4;
  localparam int unsigned WCq    = ohca_fmt_pkg::PORT_REG_NIC_CQ / 4;
  localparam int unsigned WState = ohca_fmt_pkg::PORT_REG_NIC_STATE / 4;
  ohca_fmt_pkg::nic_ctrl_t  ctrl_q;
  ohca_fmt_pkg::nic_mod_t   mod_q;
  ohca_fmt_pkg::nic_state_t state;
  logic [63:0]              tx_base_q, rx_base_q, cq_base_q;
  logic                     tx_en, rx_en;
  logic [1:0][15:0]         mask_q;              // entries - 1 of the rings: 0 transmit, 1 receive
  logic [15:0]              cq_mask_q;
  ohca_fmt_pkg::nic_ctrl_t  ctrl;
  assign ctrl  = mg_wdata_i & ~ohca_fmt_pkg::NIC_CTRL_RSVD;
  assign tx_en = ctrl_q.tx_en;
  assign rx_en = ctrl_q.rx_en;
  always_ff @(posedge clk_i) begin
    if (rst_i) ctrl_q <= '0;
    else if (mg_valid_i && mg_we_i && mg_addr_i == 10'(WCtrl)) ctrl_q <= ctrl;
    if (mg_valid_i && mg_we_i && mg_addr_i == 10'(WCtrl)) begin
      mask_q[0] <= (16'd1 << ctrl.log_tx) - 16'd1;
      mask_q[1] <= (16'd1 << ctrl.log_rx) - 16'd1;
      cq_mask_q <= (16'd1 << ctrl.log_cq) - 16'd1;
    end
    if (mg_valid_i && mg_we_i) begin
      case (mg_addr_i)
        10'(WMod):    mod_q            <= mg_wdata_i;
        10'(WTx):     tx_base_q[31:0]  <= mg_wdata_i;
        10'(WTx + 1): tx_base_q[63:32] <= mg_wdata_i;
        10'(WRx):     rx_base_q[31:0]  <= mg_wdata_i;
        10'(WRx + 1): rx_base_q[63:32] <= mg_wdata_i;
        10'(WCq):     cq_base_q[31:0]  <= mg_wdata_i;
        10'(WCq + 1): cq_base_q[63:32] <= mg_wdata_i;
        default: ;
      endcase
    end
    if (mg_valid_i) mg_rdata_o <= (mg_addr_i == 10'(WState)) ? state : '0;
  end

  // ------------------------------------------------------------------ doorbells
  // An index that is no more than a ring ahead of what was fetched counts, another is ignored.
  logic [1:0][15:0] pi_q, fetch_q, ahead;             // 0 transmit, 1 receive
  logic [1:0]       on, db_ok, halt_q, busy;
  logic             db_bad_q;
  assign on      = {rx_en, tx_en};
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      ahead[i] = db_i[i] - fetch_q[i];
      db_ok[i] = on[i] && ((ahead[i] & ~mask_q[i]) == '0 || ahead[i] == (~mask_q[i] & {mask_q[i][14:0], 1'b1}));
    end
  end
  always_ff @(posedge clk_i) begin
    db_bad_q <= !rst_i && ((db_we_i[1:0] & ~db_ok) != '0);
    for (int unsigned i = 0; i < 2; i++) begin
      if (rst_i || (!on[i] && !busy[i])) pi_q[i] <= '0;
      else if (db_we_i[i] && db_ok[i])   pi_q[i] <= db_i[i];
    end
  end

  // ------------------------------------------------------------------ descriptors: up to four at a time, in turns
  localparam int unsigned Ahead = 16;                 // descriptors here or on the way
  logic [1:0]                               want, want_q, asks, d_valid, d_push, d_pop, d_room;
  logic [1:0][4:0]                          held_q;
  logic                                     pick, rr_q, req_valid, req_ready, req_fire, w_valid, w_ready, who,
      who_ready, who_pop, ring_idle, s_valid, s_ready;
  logic [2:0]                               req_n, want_n;
  logic [1:0][2:0]                          most, most_q;       // words that a request may be for
  logic [1:0][15:0]                         avail, at;
  ohca_fmt_pkg::ring_req_t                  req, s_req;
  ohca_fmt_pkg::ring_word_t                 word;
  logic [1:0][127:0]                        d_data;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      want[i]  = on[i] && !halt_q[i] && pi_q[i] != fetch_q[i] && held_q[i] <= 5'(Ahead - 4);
      at[i]    = fetch_q[i] & mask_q[i];
      avail[i] = pi_q[i] - fetch_q[i];
      most[i]  = 3'd4 - {1'b0, at[i][1:0]};
      if (avail[i][15:2] == '0 && {1'b0, avail[i][1:0]} < most[i]) most[i] = {1'b0, avail[i][1:0]};
    end
  end
  // A register lies between how far a ring was fetched and the next request for it, which so comes two cycles behind
  // the one before. Indices that a request or a doorbell changes are looked at anew; what was switched off in between,
  // or cannot be read, asks for nothing.
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      want_q[i] <= want[i] && !(req_fire && pick == 1'(i)) && !db_we_i[i] && !rst_i;
    end
    most_q <= most;
  end
  assign asks = want_q & on & ~halt_q;
  always_comb begin
    pick        = asks[0] && asks[1] ? rr_q : asks[1];
    req_n       = most_q[pick];
    req         = '0;
    req.buf_    = pick ? rx_base_q : tx_base_q;
    req.offset  = {4'd0, at[pick], 4'd0};
    req.len     = {6'd0, req_n, 4'd0};
  end
  // Whose turn it is, and how many, is enough for a cycle; ohca_ring_fetch looks at pages in the next.
  assign req_valid = asks != '0 && who_ready;
  assign req_fire  = req_valid && req_ready;

  // How many words the request was for: an error ends it early.
  ohca_fifo #(.Width(4), .Depth(8)) u_who (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_fire), .ready_o(who_ready), .data_i({pick, req_n}),
    .valid_o(), .ready_i(who_pop), .data_o({who, want_n}), .count_o(), .almost_full_o()
  );
  ohca_fmt_pkg::tpt_req_t no_tpt;
  logic                   no_tpt_v;
  ohca_skid #(.Width(ohca_fmt_pkg::RING_REQ_BITS)) u_req (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_valid), .ready_o(req_ready), .data_i(req),
    .valid_o(s_valid), .ready_i(s_ready), .data_o(s_req)
  );
  ohca_ring_fetch #(.DW(DataWidth), .Depth(4), .BufBytes(512)) u_fetch (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(ring_idle), .req_valid_i(s_valid), .req_ready_o(s_ready), .req_i(s_req),
    .word_valid_o(w_valid), .word_ready_i(w_ready), .word_o(word),
    .pass_i(1'b0), .pass_last_o(), .beat_o(),
    .tpt_valid_o(no_tpt_v), .tpt_ready_i(1'b0), .tpt_o(no_tpt), .tpt_rsp_valid_i(1'b0), .tpt_rsp_i('0),
    .rd_valid_o(rd_valid_o[0]), .rd_ready_i(rd_ready_i[0]), .rd_o(rd_o[0]), .rd_rsp_valid_i(rd_rsp_valid_i[0]),
    .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_last_i), .rd_rsp_err_i(rd_rsp_err_i)
  );
  assign w_ready = 1'b1;                              // there is room for all that was asked for
  assign who_pop = w_valid && word.last;
  // Words of a direction that was switched off, or whose ring cannot be read, are not used.
  logic [1:0]      fly_q_nz, word_to;
  logic [1:0][4:0] fly_q;                             // on the way
  logic [1:0]      lost;
  logic [2:0]      got_q;                             // words of this request
  logic [1:0][2:0] come_q, gone_q;                    // came, and of them those not used: they count a cycle later
  always_comb begin
    word_to    = '0;
    if (w_valid) word_to[who] = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      lost[i]     = word_to[i] && word.err;
      d_push[i]   = word_to[i] && !word.err && !halt_q[i];
      fly_q_nz[i] = fly_q[i] != '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) got_q <= '0;
    else if (w_valid) got_q <= word.last ? '0 : got_q + 3'd1;
    for (int unsigned i = 0; i < 2; i++) begin
      if (rst_i) begin
        {fetch_q[i], held_q[i], fly_q[i], come_q[i], gone_q[i], halt_q[i]} <= '0;
      end else begin
        if (req_fire && pick == 1'(i)) fetch_q[i] <= fetch_q[i] + 16'(req_n);
        come_q[i] <= !word_to[i] ? 3'd0 : word.last ? want_n - got_q : 3'd1;
        gone_q[i] <= (!word_to[i] || d_push[i]) ? 3'd0 : word.last ? want_n - got_q : 3'd1;
        fly_q[i]  <= fly_q[i] + ((req_fire && pick == 1'(i)) ? 5'(req_n) : 5'd0) - 5'(come_q[i]);
        held_q[i] <= held_q[i] + ((req_fire && pick == 1'(i)) ? 5'(req_n) : 5'd0) - 5'(gone_q[i]) - 5'(d_pop[i]);
        if (lost[i]) halt_q[i] <= 1'b1;
        if (!on[i] && !busy[i]) begin
          fetch_q[i] <= '0;
          halt_q[i]  <= 1'b0;
        end
      end
    end
    if (req_fire) rr_q <= !pick;
  end

  logic [1:0] d_ready;
  for (genvar g = 0; g < 2; g++) begin : g_desc
    ohca_fifo #(.Width(128), .Depth(Ahead), .UseRam(1'b0), .ValidFlop(1'b1)) u_desc (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(d_push[g]), .ready_o(d_room[g]), .data_i(word.data),
      .valid_o(d_valid[g]), .ready_i(d_ready[g]), .data_o(d_data[g]), .count_o(), .almost_full_o()
    );
    assign d_pop[g] = d_valid[g] && d_ready[g];
  end

  // ------------------------------------------------------------------ both ways
  logic        tx_idle, tx_busy, tc_valid, tc_ready, tc_err;
  logic [15:0] tc_idx;
  ohca_nic_tx #(.DataWidth(DataWidth), .BufBytes(TxBytes)) u_tx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(tx_idle), .busy_o(tx_busy), .en_i(tx_en && !halt_q[0]),
    .desc_valid_i(d_valid[0]), .desc_ready_o(d_ready[0]), .desc_i(d_data[0]),
    .rd_valid_o(rd_valid_o[1]), .rd_ready_i(rd_ready_i[1]), .rd_o(rd_o[1]), .rsp_valid_i(rd_rsp_valid_i[1]),
    .rsp_data_i(rd_rsp_data_i),
    .rsp_last_i(rd_rsp_last_i), .rsp_err_i(rd_rsp_err_i), .cqe_valid_o(tc_valid), .cqe_ready_i(tc_ready),
    .cqe_idx_o(tc_idx), .cqe_err_o(tc_err),
    .wire_en_i(wire_en_i), .valid_o(out_valid_o), .ready_i(out_ready_i), .data_o(out_data_o), .keep_o(out_keep_o),
    .last_o(out_last_o)
  );

  logic                     rx_idle, f_valid, f_drop, f_take, b_valid, b_ready, c_full, c_bad, c_long, too_small,
      long_late_q;
  logic [13:0]              f_len;
  logic [15:0]              f_sum;
  logic [DataWidth-1:0]     b_data;
  ohca_fmt_pkg::nic_rxd_t   rxd;
  assign rxd       = d_data[1];
  assign in_room_o = rx_en;
  ohca_nic_rx #(.DataWidth(DataWidth), .BufBytes(RxBytes)) u_rx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rx_idle), .en_i(rx_en),
    .in_valid_i(in_valid_i), .in_data_i(in_data_i), .in_keep_i(in_keep_i), .in_last_i(in_last_i), .in_err_i(in_err_i),
    .frm_valid_o(f_valid), .frm_len_o(f_len), .frm_sum_o(f_sum), .drop_i(f_drop), .take_i(f_take),
    .dat_valid_o(b_valid), .dat_ready_i(b_ready), .dat_o(b_data), .full_o(c_full), .bad_o(c_bad), .long_o(c_long)
  );

  // --------------------------------------------------------------- writer: a frame and its completion, or a completion
  typedef enum logic [1:0] {W_IDLE, W_DATA, W_CQE} wr_state_e;
  wr_state_e     st_q;
  logic          rx_go, fits_q, known_q, all_q, none, dat_done_q, req_ok, dat_ok, dat_go, tx_turn_q, step, more_q, over;
  logic [63:4]   to_q;                                // where the piece goes; from a frame's second on a page begins
  logic [12:0]   n_q;                                 // bytes of the piece
  logic [14:0]   end_q;                               // the frame's end, counted from the start of the page
  logic [14:6]   lines;                               // of it when the frame begins
  logic [6:0]    page_n;                              // lines of 64 bytes up to the end of the frame's first page
  logic [14-LaneW:0] left_q, left;                    // beats of the frame
  logic [12-LaneW:0] room_q;                          // beats up to the page's end
  logic [15:0]   cq_pi_q, rx_idx_q, cq_at;
  logic [63:4]   cq_to_q;
  logic [48:0]   cqe_q;                               // {error, tx, sum, len, idx} but for the phase
  logic          err_q, phase_q;
  ohca_fmt_pkg::nic_cqe_t cqe;

  // Whether a frame fits its buffer is found a cycle ahead; the frame before it is written meanwhile, if there is one.
  always_ff @(posedge clk_i) begin
    known_q <= !rst_i && f_valid && rx_en && d_valid[1] && !f_take && !f_drop;
    all_q   <= pi_q[1] == fetch_q[1];          // all that was posted is asked for
    fits_q  <= {2'd0, f_len} <= rxd.len;
  end
  assign none  = !d_valid[1] && (!rx_en || halt_q[1] || (all_q && !fly_q_nz[1]));
  assign rx_go = f_valid && rx_en && d_valid[1] && known_q && fits_q;
  assign f_take = st_q == W_IDLE && rx_go && !(tc_valid && tx_turn_q);
  assign f_drop = st_q == W_IDLE && f_valid && (none || (rx_en && d_valid[1] && known_q && !fits_q));
  assign too_small = f_drop && !none;
  assign tc_ready = st_q == W_IDLE && !f_take;
  // Buffers of a ring that was switched off are forgotten.
  assign d_ready[1] = f_take || (!rx_en && st_q == W_IDLE);

  `ASSERT(Fits_A, !known_q || !(f_valid && d_valid[1] && rx_en) || fits_q == ({2'd0, f_len} <= rxd.len))

  // A piece's length, place and end are flops when it begins: they are made of the frame's while the writer is idle,
  // then of what the one before has left.
  assign lines    = {1'b0, f_len[13:6]} + {3'd0, rxd.addr[11:6]};
  assign page_n   = 7'd64 - {1'b0, rxd.addr[11:6]};
  assign over     = lines[14:13] != '0 || (lines[12] && (lines[11:6] != '0 || f_len[5:0] != '0));
  assign left     = left_q - (15-LaneW)'(dat_go);
  assign cq_at    = (cq_pi_q + 16'(st_q == W_CQE)) & cq_mask_q;       // the next one's
  assign req_ok   = !wr_valid_o || wr_ready_i;
  assign dat_go   = wr_dat_valid_o && wr_dat_ready_i;
  assign dat_ok   = dat_done_q || (dat_go && wr_dat_last_o);
  assign step     = st_q != W_IDLE && req_ok && dat_ok;

  always_comb begin
    cqe       = '0;
    cqe.idx   = cqe_q[15:0];
    cqe.len   = cqe_q[31:16];
    cqe.sum   = cqe_q[47:32];
    cqe.tx    = cqe_q[48];
    cqe.error = err_q;
    cqe.phase = phase_q;
  end
  assign wr_o.addr      = {to_q, 4'd0};
  assign wr_o.len       = n_q;
  assign wr_dat_valid_o = !dat_done_q && (st_q == W_CQE || (st_q == W_DATA && b_valid));
  assign b_ready        = st_q == W_DATA && !dat_done_q && wr_dat_ready_i;
  if (DataWidth == 64) begin : g_cqe2
    assign wr_dat_o = (st_q == W_CQE) ? (wr_dat_last_o ? cqe[127:64] : cqe[63:0]) : b_data;
  end else begin : g_cqe1
    assign wr_dat_o = (st_q == W_CQE) ? {(DataWidth / 128){cqe}} : b_data;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      st_q       <= W_IDLE;
      wr_valid_o <= 1'b0;
      dat_done_q <= 1'b0;
      cq_pi_q    <= '0;
      rx_idx_q   <= '0;
      tx_turn_q  <= 1'b0;
    end else begin
      if (st_q == W_IDLE) begin
        if (f_take)        st_q <= W_DATA;
        else if (tc_valid) st_q <= W_CQE;
        if (f_take || tc_valid) tx_turn_q <= f_take;
      end else if (step) begin
        if (st_q == W_CQE) begin
          st_q    <= W_IDLE;
          cq_pi_q <= cq_pi_q + 16'd1;
        end else if (!more_q) st_q <= W_CQE;
      end
      if (st_q == W_IDLE)  wr_valid_o <= f_take || tc_valid;
      else if (step)       wr_valid_o <= st_q == W_DATA;
      else if (wr_ready_i) wr_valid_o <= 1'b0;
      dat_done_q <= !step && (dat_done_q || (dat_go && wr_dat_last_o));
      if (f_take) rx_idx_q <= rx_idx_q + 16'd1;
      if (!rx_en && !busy[1]) rx_idx_q <= '0;
      if (on == '0 && busy == '0) cq_pi_q <= '0;
    end
    phase_q <= (cq_pi_q & ~cq_mask_q & {cq_mask_q[14:0], 1'b1}) == '0;
    cq_to_q <= {cq_base_q[63:12], 8'd0} + {44'd0, cq_at};
    if (st_q == W_IDLE) begin
      cqe_q  <= f_take ? {1'b0, f_sum, 2'd0, f_len, rx_idx_q} : {1'b1, 32'd0, tc_idx};
      err_q  <= !f_take && tc_err;
      end_q  <= {lines, f_len[5:0]};
      more_q <= over;
      left_q <= (15-LaneW)'(f_len[13:LaneW]) + (15-LaneW)'(f_len[LaneW-1:0] != '0);
      room_q <= (13-LaneW)'(page_n) << (6 - LaneW);
      if (f_take) begin
        to_q          <= {rxd.addr[63:6], 2'd0};
        n_q           <= over ? {page_n, 6'd0} : f_len[12:0];
        wr_dat_last_o <= f_len <= 14'(Bytes) || (LaneW == 6 && page_n == 7'd1);
      end
    end else begin
      left_q <= left;
      if (dat_go) begin
        room_q        <= room_q - (13-LaneW)'(1);
        wr_dat_last_o <= st_q == W_CQE || left_q == (15-LaneW)'(2) || room_q == (13-LaneW)'(2);
      end
      if (step && more_q) begin
        to_q          <= {to_q[63:12] + 52'd1, 8'd0};
        end_q         <= end_q - 15'd4096;
        more_q        <= end_q > 15'd8192;
        n_q           <= (end_q > 15'd8192) ? 13'd4096 : 13'(end_q - 15'd4096);
        room_q        <= (13-LaneW)'(4096 / Bytes);
        wr_dat_last_o <= left == (15-LaneW)'(1);
      end
    end
    if ((st_q == W_IDLE) ? !f_take : (step && !more_q)) begin
      to_q          <= cq_to_q;
      n_q           <= 13'd16;
      wr_dat_last_o <= DataWidth > 64;
    end
  end

  // What was written is in host memory when the last write is acknowledged.
  logic        fence_q, snap_q;
  logic [31:0] behind, last_q;
  assign behind = wr_acked_i - last_q;
  always_ff @(posedge clk_i) begin
    snap_q <= wr_valid_o && wr_ready_i && !rst_i;
    if (snap_q) last_q <= wr_issued_i;
    if (rst_i)                                              fence_q <= 1'b0;
    else if ((wr_valid_o && wr_ready_i) || snap_q)          fence_q <= 1'b1;
    else if (!behind[31])                                   fence_q <= 1'b0;
  end
  logic wr_busy;
  assign wr_busy = st_q != W_IDLE || fence_q;
  assign busy[0] = tx_busy || fly_q_nz[0] || wr_busy;
  assign busy[1] = d_valid[1] || f_valid || fly_q_nz[1] || wr_busy;
  always_comb begin
    state         = '0;
    state.tx_busy = busy[0];
    state.rx_busy = busy[1];
    state.tx_halt = halt_q[0];
    state.rx_halt = halt_q[1];
  end

  // ------------------------------------------------------------------ events
  logic        armed_q, pend, pend_q, fire, ev_q;
  logic [15:0] seen_q, unseen;
  logic [31:0] due_q, wait_t;
  assign unseen = cq_pi_q - seen_q;
  assign pend   = armed_q && unseen != '0 && !ev_q;
  assign wait_t = due_q - now_i[31:0];
  assign fire   = pend_q && pend && (wait_t[31] || wait_t == '0 || (mod_q.count != '0 && unseen >= mod_q.count));
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {armed_q, pend_q, ev_q} <= '0;
      seen_q <= '0;
    end else begin
      pend_q <= pend && !fire;
      if (fire) begin
        armed_q <= 1'b0;
        ev_q    <= 1'b1;
      end else if (ev_ready_i) ev_q <= 1'b0;
      if (db_we_i[2] && on != '0) begin
        armed_q <= 1'b1;
        seen_q  <= db_i[2];
      end
      if (on == '0) begin
        armed_q <= 1'b0;
        seen_q  <= '0;
      end
    end
    if (pend && !pend_q) due_q <= now_i[31:0] + 32'(mod_q.time_);
  end
  assign ev_valid_o = ev_q;
  always_comb begin
    ev_o       = '0;
    ev_o.eqn   = ctrl_q.eqn;
    ev_o.etype = ohca_fmt_pkg::EQE_TYPE_NIC;
    ev_o.port  = 8'd1;
    ev_o.param = {16'd0, cq_pi_q};
  end
  assign next_valid_o = pend_q && !wait_t[31];
  assign next_o       = now_i + 64'(wait_t);

  logic [63:0] cnt_d;
  always_comb begin
    cnt_d = '0;
    cnt_d[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE]  = db_bad_q;
    cnt_d[ohca_fmt_pkg::COUNTER_ETH_NIC_DROP] = c_full;
    cnt_d[ohca_fmt_pkg::COUNTER_NIC_BAD]      = c_bad;
    cnt_d[ohca_fmt_pkg::COUNTER_NIC_NO_BUF]   = f_drop && none && rx_en;
    cnt_d[ohca_fmt_pkg::COUNTER_NIC_TOO_LONG] = c_long || too_small || long_late_q;
  end
  always_ff @(posedge clk_i) cnt_o <= rst_i ? '0 : cnt_d;
  // A frame that is too long for any buffer and one that is too long for its own may end in one cycle: one of them
  // counts in the next that is free. (Once at a time: between two of the former lie more cycles than frames are held.)
  always_ff @(posedge clk_i) long_late_q <= !rst_i && ((c_long && too_small) || (long_late_q && (c_long || too_small)));
  assign idle_o = tx_idle && rx_idle && ring_idle && want == '0 && want_q == '0 && fly_q == '0 && st_q == W_IDLE &&
                  !snap_q && !fence_q && !ev_q && pend == pend_q && !fire && !(mg_valid_i && mg_we_i) &&
                  db_we_i == '0 && !in_valid_i && !(|(d_valid & ~on)) && !long_late_q && cnt_d == '0 && cnt_o == '0;

  `ASSERT(DescRoom_A, (d_push & ~d_room) == '0)

  logic unused;
  assign unused = &{1'b0, ctrl_q, word.verr, no_tpt, no_tpt_v, rxd, tx_base_q, rx_base_q, cq_base_q[11:0],
      behind[30:0]};

endmodule

`default_nettype wire
