// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The send engine: doorbells, the run queue, WQE fetch and segmentation; the only writer of the requester-send context (sqc).
//
// A QP with work is in the run queue at most once (sqc.in_runq). Its turn is: look-up, fetch of up to four adjacent WQEs, and,
// when they are there, a second look-up at which packets are made until the WQEs or 16 packets are done; several QPs' fetches
// overlap. A pushed WQE of a QP that has nothing else to send is taken at the doorbell's own look-up. About 7 cycles per
// one-packet WQE; pushed doorbell to txd 9 cycles on a context hit.
//
// It does not look at payload: pieces are translated and read by ohca_txbuild.

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 256,      // context cache
  parameter int unsigned Ways     = 1,
  parameter int unsigned RunDepth = 65536,    // QPs that can wait for a turn, power of two
  parameter int unsigned Turns    = 16        // turns whose WQEs are being fetched, power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,
  output logic [63:0]               cnt_o,

  input  logic [39:0]               base_i,           // QP contexts in context memory
  input  logic [24:0]               limit_i,          // QP numbers that exist

  input  logic                      db_valid_i,
  output logic                      db_ready_o,
  input  ohca_fmt_pkg::sq_db_t      db_i,

  input  logic                      fb_valid_i,       // from ohca_ra
  output logic                      fb_ready_o,
  input  ohca_fmt_pkg::sq_fb_t      fb_i,

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,
  output logic                      acc_rsp_valid_o,
  output logic [31:0]               acc_rdata_o,
  output logic                      acc_err_o,

  output logic                      up_valid_o,       // to ohca_ra: sent, local_err, flush
  input  logic                      up_ready_i,
  output ohca_fmt_pkg::ra_up_t      up_o,

  output logic                      txd_valid_o,
  input  logic                      txd_ready_i,
  output ohca_fmt_pkg::txd_t        txd_o,
  output logic                      txp_valid_o,
  input  logic                      txp_ready_i,
  output ohca_fmt_pkg::txp_t        txp_o,
  output logic                      inl_valid_o,
  input  logic                      inl_ready_i,
  output logic [127:0]              inl_o,

  // Shared response of ohca_dma_rd; the clients below have a valid each.
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_last_i,
  input  logic                      rd_rsp_err_i,

  output logic                      ctx_rd_valid_o,   // client 0
  input  logic                      ctx_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ctx_rd_o,
  input  logic                      ctx_rd_rsp_valid_i,
  output logic                      ctx_wr_valid_o,   // dma_wr client 0
  input  logic                      ctx_wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t ctx_wr_o,
  output logic                      ctx_wr_dat_valid_o,
  input  logic                      ctx_wr_dat_ready_i,
  output logic [DW-1:0]             ctx_wr_dat_o,
  output logic                      ctx_wr_dat_last_o,
  input  logic [31:0]               wr_issued_i,
  input  logic [31:0]               wr_acked_i,
  output logic                      icm_valid_o,      // icm client 0
  input  logic                      icm_ready_i,
  output logic [39:0]               icm_addr_o,
  input  logic                      icm_rsp_valid_i,
  input  logic                      icm_rsp_ok_i,
  input  logic [63:0]               icm_rsp_addr_i,

  output logic                      ring_tpt_valid_o, // tpt client 0
  input  logic                      ring_tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t    ring_tpt_o,
  input  logic                      ring_tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t    tpt_rsp_i,
  output logic                      ring_rd_valid_o,  // client 6
  input  logic                      ring_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ring_rd_o,
  input  logic                      ring_rd_rsp_valid_i
);

  localparam int unsigned MaxPkts = 16;       // of a turn
  localparam int unsigned AckEvery = 16;
  localparam logic [23:0] Window = 24'h400000;
  localparam int unsigned TurnW  = $clog2(Turns);

  // ------------------------------------------------------------------ look-ups
  localparam logic [2:0] K_RUN = 3'd0, K_TURN = 3'd1, K_DB = 3'd2, K_FB = 3'd3, K_ACC = 3'd4;
  localparam int unsigned PayW   = ohca_fmt_pkg::SQ_FB_BITS;
  localparam int unsigned TokenW = 3 + PayW;

  logic              lk_valid, lk_ready, lk_inval;
  logic [23:0]       lk_id;
  logic [2:0]        lk_kind;
  logic [PayW-1:0]   lk_pay;
  logic              o_valid, o_ready, o_err, o_inval, o_we;
  logic [23:0]       o_id;
  logic [TokenW-1:0] o_token;
  logic [1023:0]     o_line, o_wline;
  logic              ctx_idle;

  ohca_ctx #(.DW(DW), .LineBytes(128), .Sets(Sets), .Ways(Ways), .TokenW(TokenW), .Stride(ohca_fmt_pkg::QPC_STRIDE),
             .Offset(ohca_fmt_pkg::QPC_SQC_OFFSET)) u_ctx (
    .clk_i, .rst_i, .idle_o(ctx_idle), .base_i, .limit_i,
    .lk_valid_i(lk_valid), .lk_ready_o(lk_ready), .lk_id_i(lk_id), .lk_token_i({lk_kind, lk_pay}), .lk_inval_i(lk_inval),
    .out_valid_o(o_valid), .out_ready_i(o_ready), .out_id_o(o_id), .out_token_o(o_token), .out_line_o(o_line), .out_err_o(o_err),
    .out_inval_o(o_inval), .out_we_i(o_we), .out_wline_i(o_wline),
    .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i, .icm_rsp_addr_i,
    .rd_valid_o(ctx_rd_valid_o), .rd_ready_i(ctx_rd_ready_i), .rd_o(ctx_rd_o), .rd_rsp_valid_i(ctx_rd_rsp_valid_i),
    .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i,
    .wr_valid_o(ctx_wr_valid_o), .wr_ready_i(ctx_wr_ready_i), .wr_o(ctx_wr_o), .wr_dat_valid_o(ctx_wr_dat_valid_o),
    .wr_dat_ready_i(ctx_wr_dat_ready_i), .wr_dat_o(ctx_wr_dat_o), .wr_dat_last_o(ctx_wr_dat_last_o), .wr_issued_i, .wr_acked_i
  );

  // Run queue
  logic        rq_push, rq_room, rq_valid, rq_pop;
  logic [23:0] rq_in, rq_head;
  logic [$clog2(RunDepth):0] rq_count;
  logic        rq_busy;               // so full that no doorbell may add to it
  ohca_fifo #(.Width(24), .Depth(RunDepth), .AlmostFull(RunDepth - RunDepth / 4)) u_runq (
    .clk_i, .rst_i, .valid_i(rq_push), .ready_o(rq_room), .data_i(rq_in),
    .valid_o(rq_valid), .ready_i(rq_pop), .data_o(rq_head), .count_o(rq_count), .almost_full_o(rq_busy)
  );

  // Pushed WQEs wait beside their doorbell's look-up.
  logic         pw_push, pw_room, pw_valid, pw_pop;
  logic [511:0] pw_head;
  ohca_fifo #(.Width(512), .Depth(8)) u_pushed (
    .clk_i, .rst_i, .valid_i(pw_push), .ready_o(pw_room), .data_i(db_i.wqe),
    .valid_o(pw_valid), .ready_i(pw_pop), .data_o(pw_head), .count_o(), .almost_full_o()
  );

  // Turns whose WQEs are being fetched, in order
  localparam int unsigned TurnBits = 24 + 16 + 8 + 3 + 4;
  logic                tf_push, tf_room, tf_valid, tf_pop;
  logic [TurnBits-1:0] tf_in, tf_head;
  ohca_fifo #(.Width(TurnBits), .Depth(Turns)) u_turns (
    .clk_i, .rst_i, .valid_i(tf_push), .ready_o(tf_room), .data_i(tf_in),
    .valid_o(tf_valid), .ready_i(tf_pop), .data_o(tf_head), .count_o(), .almost_full_o()
  );
  logic [23:0] t_qpn;
  logic [15:0] t_start;
  logic [7:0]  t_gen;
  logic [2:0]  t_count;
  logic [3:0]  t_stride;
  assign {t_qpn, t_start, t_gen, t_count, t_stride} = tf_head;

  logic                     rf_req_valid, rf_req_ready, rf_valid, rf_ready, rf_idle;
  ohca_fmt_pkg::ring_req_t  rf_req;
  ohca_fmt_pkg::ring_word_t rf_word;
  ohca_ring_fetch #(.DW(DW), .Depth(Turns)) u_ring (
    .clk_i, .rst_i, .idle_o(rf_idle), .req_valid_i(rf_req_valid), .req_ready_o(rf_req_ready), .req_i(rf_req),
    .word_valid_o(rf_valid), .word_ready_i(rf_ready), .word_o(rf_word),
    .tpt_valid_o(ring_tpt_valid_o), .tpt_ready_i(ring_tpt_ready_i), .tpt_o(ring_tpt_o), .tpt_rsp_valid_i(ring_tpt_rsp_valid_i),
    .tpt_rsp_i, .rd_valid_o(ring_rd_valid_o), .rd_ready_i(ring_rd_ready_i), .rd_o(ring_rd_o),
    .rd_rsp_valid_i(ring_rd_rsp_valid_i), .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i
  );

  // One turn is looked up at a time: when its first words are there. Runs are limited so that a turn always finds room.
  logic             turn_q;           // the head turn's look-up is under way
  logic [TurnW:0]   runs_q;           // runs looked up or turns waiting
  logic             alt_q;            // doorbells and runs alternate
  logic             want_turn, want_run, want_db;
  assign want_turn = rf_valid && tf_valid && !turn_q;
  assign want_run  = rq_valid && runs_q < (TurnW+1)'(Turns);
  assign want_db   = db_valid_i && pw_room && !rq_busy;

  always_comb begin
    lk_valid    = 1'b1;
    lk_id       = '0;
    lk_kind     = K_RUN;
    lk_pay      = '0;
    lk_inval    = 1'b0;
    fb_ready_o  = 1'b0;
    acc_ready_o = 1'b0;
    db_ready_o  = 1'b0;
    rq_pop      = 1'b0;
    if (acc_valid_i) begin
      lk_id       = acc_i.num;
      lk_kind     = K_ACC;
      lk_pay      = PayW'(acc_i);
      lk_inval    = acc_i.inval;
      acc_ready_o = lk_ready;
    end else if (want_turn) begin
      lk_id       = t_qpn;
      lk_kind     = K_TURN;
    end else if (fb_valid_i) begin
      lk_id       = fb_i.qpn;
      lk_kind     = K_FB;
      lk_pay      = fb_i;
      fb_ready_o  = lk_ready;
    end else if (want_db && (!want_run || !alt_q)) begin
      lk_id       = db_i.qpn;
      lk_kind     = K_DB;
      lk_pay      = PayW'({db_i.uar, db_i.pi, db_i.push});
      db_ready_o  = lk_ready;
    end else if (want_run) begin
      lk_id       = rq_head;
      lk_kind     = K_RUN;
      rq_pop      = lk_ready;
    end else begin
      lk_valid    = 1'b0;
    end
  end
  assign pw_push = db_ready_o && db_valid_i && db_i.push;

  // ------------------------------------------------------------------ the context at the head, and what a turn changes
  ohca_fmt_pkg::sqc_t       c;
  ohca_fmt_pkg::sq_fb_t     tok_fb;
  ohca_fmt_pkg::ctx_acc_t   tok_acc;
  logic [2:0]               kind;
  logic [7:0]               tok_uar;
  logic [15:0]              tok_pi;
  logic                     tok_push;
  assign c       = ohca_fmt_pkg::sqc_t'(o_line);
  assign kind    = o_token[TokenW-1 -: 3];
  assign tok_fb  = ohca_fmt_pkg::sq_fb_t'(o_token[PayW-1:0]);
  assign tok_acc = ohca_fmt_pkg::ctx_acc_t'(o_token[ohca_fmt_pkg::CTX_ACC_BITS-1:0]);
  assign {tok_uar, tok_pi, tok_push} = o_token[24:0];

  logic rc;
  assign rc = c.qtype == ohca_fmt_pkg::QP_TYPE_RC;
  logic [2:0] err_state;
  assign err_state = rc ? ohca_fmt_pkg::QP_STATE_ERR : ohca_fmt_pkg::QP_STATE_SQE;

  localparam logic [4:0] S_IDLE = 5'd0, S_W0 = 5'd1, S_W1 = 5'd2, S_W2 = 5'd3, S_W3 = 5'd4, S_PRE = 5'd5, S_SENT = 5'd6, S_TXD = 5'd7,
                         S_PIECE = 5'd8, S_SGE = 5'd9, S_INLP = 5'd10, S_INLW = 5'd11, S_NEXT = 5'd12, S_ERR = 5'd13,
                         S_END = 5'd14, S_UPF = 5'd15;
  logic [4:0]  st_d, st_q;

  // Working copies of a turn
  logic [15:0] next_d, next_q, pi_d, pi_q;
  logic [23:0] psn_d, psn_q, ssn_d, ssn_q;
  logic        in_msg_d, in_msg_q, skip_d, skip_q, fence_w_d, fence_w_q, credit_w_d, credit_w_q, window_w_d, window_w_q;
  logic [31:0] off_d, off_q;
  logic [7:0]  rd_issued_d, rd_issued_q;
  logic [7:0]  acnt_d, acnt_q;
  logic [2:0]  state_d, state_q;
  logic        stop_d, stop_q;        // nothing more in this turn
  logic [4:0]  done_d, done_q;        // packets made
  logic [2:0]  left_d, left_q;        // WQEs of the batch still to look at
  logic [4:0]  wleft_d, wleft_q;      // words of the WQE still to come
  logic        push_d, push_q;        // words come from the pushed WQE
  logic [1:0]  pidx_d, pidx_q;
  logic        drain_d, drain_q;      // words of the fetch are still to be taken
  logic [7:0]  verr_d, verr_q;
  // The WQE
  logic [31:0] w0_q, len_q, imm_q, rkey_q, qkey_q;
  logic [63:0] raddr_q;
  logic [23:0] udqpn_q;
  logic [15:0] upkey_q;
  logic [319:0] uav_q;
  // Gather position
  logic [63:0] ga_d, ga_q;
  logic [31:0] gl_d, gl_q, gk_d, gk_q;
  logic [3:0]  gn_d, gn_q;            // entries still to come
  logic [31:0] gskip_d, gskip_q;      // bytes to pass over
  logic [12:0] pl_d, pl_q;            // bytes of the packet still without a piece
  logic [4:0]  iw_d, iw_q;            // inline words still to go

  // Word source
  logic         w_valid, w_take;
  logic [127:0] w_data;
  logic         w_err;
  assign w_valid = push_q ? 1'b1 : rf_valid;
  assign w_data  = push_q ? pw_head[128*pidx_q +: 128] : rf_word.data;
  assign w_err   = !push_q && rf_word.err;

  logic [4:0]  wqe_words;
  assign wqe_words = push_q ? 5'd4 : (5'd1 << (c.log_stride - 4'd4));

  // Opcodes
  logic [4:0] op;
  logic       op_send, op_write, op_read, op_imm, op_ok, inl, nsge_ok;
  logic [3:0] nsge;
  assign op       = w0_q[4:0];
  assign inl      = w0_q[8];
  assign nsge     = w0_q[15:12];
  assign op_send  = op == ohca_fmt_pkg::WR_OP_SEND || op == ohca_fmt_pkg::WR_OP_SEND_IMM;
  assign op_write = op == ohca_fmt_pkg::WR_OP_RDMA_WRITE || op == ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM;
  assign op_read  = op == ohca_fmt_pkg::WR_OP_RDMA_READ;
  assign op_imm   = op == ohca_fmt_pkg::WR_OP_SEND_IMM || op == ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM;
  assign op_ok    = rc ? (op_send || op_write || op_read) : op_send;
  // Entries and inline bytes must lie inside the WQE.
  logic [4:0] hdr_words, room_words;
  assign hdr_words  = rc ? 5'd2 : 5'd4;
  assign room_words = wqe_words - hdr_words;
  assign nsge_ok    = inl ? (nsge == 4'd0 && len_q <= {23'h0, room_words, 4'h0} && len_q <= 32'(ohca_fmt_pkg::MAX_INLINE) && !op_read)
                          : ({1'b0, nsge} <= room_words);

  logic [12:0] mtu;
  logic [23:0] npk_all, npk_rest, psn_skip;
  logic [31:0] rest;
  logic        first, last;
  logic [12:0] plen;
  assign mtu      = (c.qtype == ohca_fmt_pkg::QP_TYPE_SMI) ? 13'd256 : ohca_fmt_pkg::mtu_bytes(c.mtu);
  assign npk_all  = ohca_fmt_pkg::npkts(len_q, c.mtu);
  assign rest     = len_q - off_q;
  assign npk_rest = ohca_fmt_pkg::npkts(rest, c.mtu);
  assign psn_skip = c.skip_psn - psn_q;
  assign first    = off_q == 32'd0;
  assign last     = rest <= {19'h0, mtu};
  assign plen     = op_read ? 13'd0 : last ? rest[12:0] : mtu;
  logic [31:0] skip_bytes;
  assign skip_bytes = {8'h0, psn_skip} << (4'd7 + {1'b0, c.mtu});

  logic [4:0]  chunk;
  logic [4:0]  pk_room;
  assign pk_room = 5'(MaxPkts) - done_q;
  assign chunk   = (npk_rest > {19'h0, pk_room}) ? pk_room : npk_rest[4:0];

  // Reports
  logic                    up_push, up_room;
  ohca_fmt_pkg::ra_up_t    up_new;
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_UP_BITS), .Depth(4)) u_up (
    .clk_i, .rst_i, .valid_i(up_push), .ready_o(up_room), .data_i(up_new),
    .valid_o(up_valid_o), .ready_i(up_ready_i), .data_o(up_o), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ commit
  logic       runnable, go;
  logic [2:0] batch;
  logic [15:0] avail, to_wrap, mask;
  logic [63:0] wqe_off;
  logic [12:0] to_page;
  logic [11:0] wqe_addr;              // in its page
  assign mask     = 16'((32'd1 << c.log_size) - 32'd1);
  assign runnable = c.state == ohca_fmt_pkg::QP_STATE_RTS || (c.state == ohca_fmt_pkg::QP_STATE_SQD && c.in_msg);
  assign go       = runnable && c.next != c.pi && !c.rnr_wait && !c.fence_wait && !c.credit_wait && !c.window_wait;
  assign avail    = c.pi - c.next;
  assign to_wrap  = mask + 16'd1 - (c.next & mask);
  assign wqe_off  = {48'h0, c.next & mask} << c.log_stride;
  assign wqe_addr = c.buf_[11:0] + wqe_off[11:0];
  assign to_page  = (13'd4096 - {1'b0, wqe_addr}) >> c.log_stride;
  always_comb begin
    batch = 3'd4;
    if (avail < 16'd4) batch = avail[2:0];
    // A ring of 2^15 entries wraps at 0x8000, so the mask plus one never overflows to 0 but for a ring of one index space.
    if (to_wrap < {13'h0, batch}) batch = to_wrap[2:0];
    if (to_page < {10'h0, batch}) batch = to_page[2:0];
    if (c.in_msg || c.skip || batch == 3'd0) batch = 3'd1;
  end

  // After a change of the context: is there something to send now?
  ohca_fmt_pkg::sqc_t wl;
  function automatic logic can_run(input logic [2:0] state, input logic in_msg, input logic more, input logic waits);
    can_run = (state == ohca_fmt_pkg::QP_STATE_RTS || (state == ohca_fmt_pkg::QP_STATE_SQD && in_msg)) && more && !waits;
  endfunction

  logic cnt_page, cnt_qp, cnt_err, cnt_rnr, cnt_retry;
  logic acc_flush;                    // an access takes a QP to ERR
  logic sched;
  logic end_requeue;

  always_comb begin
    st_d        = st_q;
    next_d      = next_q;     pi_d       = pi_q;
    psn_d       = psn_q;      ssn_d      = ssn_q;
    in_msg_d    = in_msg_q;   skip_d     = skip_q;
    fence_w_d   = fence_w_q;  credit_w_d = credit_w_q;  window_w_d = window_w_q;
    off_d       = off_q;      rd_issued_d = rd_issued_q;
    acnt_d      = acnt_q;     state_d    = state_q;
    stop_d      = stop_q;     done_d     = done_q;
    left_d      = left_q;     wleft_d    = wleft_q;
    push_d      = push_q;     pidx_d     = pidx_q;      drain_d = drain_q;
    verr_d      = verr_q;
    ga_d        = ga_q;       gl_d       = gl_q;        gk_d    = gk_q;    gn_d = gn_q;   gskip_d = gskip_q;
    pl_d        = pl_q;       iw_d       = iw_q;

    o_ready     = 1'b0;
    o_we        = 1'b0;
    wl          = c;
    sched       = 1'b0;
    rq_push     = 1'b0;
    rq_in       = o_id;
    pw_pop      = 1'b0;
    tf_push     = 1'b0;
    tf_pop      = 1'b0;
    rf_req_valid = 1'b0;
    w_take      = 1'b0;
    up_push     = 1'b0;
    up_new      = '0;
    up_new.qpn  = o_id;
    up_new.pi   = next_q + 16'd1;
    up_new.idx  = next_q;
    txd_valid_o = 1'b0;
    txp_valid_o = 1'b0;
    inl_valid_o = 1'b0;
    cnt_page    = 1'b0;
    cnt_qp      = 1'b0;
    cnt_err     = 1'b0;
    cnt_rnr     = 1'b0;
    cnt_retry   = 1'b0;
    acc_flush   = 1'b0;
    end_requeue = 1'b0;

    unique case (st_q)
      S_IDLE: if (o_valid) begin
        // Working copies for a turn that may start here
        next_d = c.next;       psn_d = c.psn;           ssn_d = c.ssn;         in_msg_d = c.in_msg;  skip_d = c.skip;
        off_d  = c.in_msg ? c.offset : 32'd0;           rd_issued_d = c.rd_issued;                   acnt_d = c.ackreq_cnt;
        fence_w_d = c.fence_wait;  credit_w_d = c.credit_wait;  window_w_d = c.window_wait;          state_d = c.state;
        pi_d   = c.pi;         stop_d = 1'b0;           done_d = 5'd0;         verr_d = '0;
        pidx_d = 2'd0;
        unique case (kind)
          K_RUN: begin
            if (o_err || !go) begin
              wl.in_runq = 1'b0;
              o_we       = 1'b1;
              o_ready    = 1'b1;
            end else if (rf_req_ready && tf_room) begin
              rf_req_valid = 1'b1;
              tf_push      = 1'b1;
              o_ready      = 1'b1;
            end
          end
          K_TURN: begin
            push_d  = 1'b0;
            drain_d = 1'b1;
            left_d  = t_count;
            wleft_d = 5'd1 << (t_stride - 4'd4);
            if (o_err || !go || c.gen != t_gen || c.next != t_start || c.log_stride != t_stride) begin
              left_d = 3'd0;
              stop_d = 1'b1;
              st_d   = S_END;
            end else begin
              st_d = S_W0;
            end
          end
          K_DB: begin
            if (o_err || c.state < ohca_fmt_pkg::QP_STATE_RTS) begin
              cnt_qp  = 1'b1;
              pw_pop  = tok_push;
              o_ready = 1'b1;
            end else if (c.uar != tok_uar) begin
              cnt_page = 1'b1;
              pw_pop   = tok_push;
              o_ready  = 1'b1;
            end else if (c.state == ohca_fmt_pkg::QP_STATE_ERR || c.state == ohca_fmt_pkg::QP_STATE_SQE) begin
              if (up_room) begin
                up_push     = 1'b1;
                up_new.kind = ohca_fmt_pkg::UPK_FLUSH;
                up_new.pi   = tok_pi;
                wl.pi       = tok_pi;
                o_we        = 1'b1;
                pw_pop      = tok_push;
                o_ready     = 1'b1;
              end
            end else if (tok_push && c.state == ohca_fmt_pkg::QP_STATE_RTS && !c.in_runq && !c.in_msg && !c.skip && !c.rnr_wait &&
                         !c.fence_wait && !c.credit_wait && !c.window_wait && c.next == tok_pi - 16'd1) begin
              push_d  = 1'b1;
              drain_d = 1'b0;
              left_d  = 3'd1;
              wleft_d = 5'd4;
              pi_d    = tok_pi;
              st_d    = S_W0;
            end else begin
              wl.pi = tok_pi;
              sched = 1'b1;
            end
          end
          K_FB: begin
            if (o_err || c.state < ohca_fmt_pkg::QP_STATE_RTS) begin
              o_ready = 1'b1;
            end else begin
              unique case (tok_fb.kind)
                ohca_fmt_pkg::FBK_PROGRESS: begin
                  wl.una_psn     = tok_fb.una_psn;
                  wl.lsn_valid   = tok_fb.lsn_valid;
                  wl.lsn         = tok_fb.lsn;
                  wl.rd_done     = tok_fb.rd_done;
                  wl.fence_wait  = 1'b0;
                  wl.credit_wait = 1'b0;
                  wl.window_wait = 1'b0;
                  sched          = 1'b1;
                end
                ohca_fmt_pkg::FBK_RESTART: begin
                  wl.next        = tok_fb.idx;
                  wl.psn         = tok_fb.una_psn;
                  wl.una_psn     = tok_fb.una_psn;
                  wl.ssn         = tok_fb.ssn;
                  wl.lsn_valid   = tok_fb.lsn_valid;
                  wl.lsn         = tok_fb.lsn;
                  wl.rd_done     = tok_fb.rd_done;
                  wl.rd_issued   = tok_fb.rd_done;
                  wl.offset      = 32'd0;
                  wl.in_msg      = 1'b0;
                  wl.skip        = tok_fb.psn != tok_fb.una_psn;
                  wl.skip_psn    = tok_fb.psn;
                  wl.gen         = c.gen + 8'd1;
                  wl.rnr_wait    = 1'b0;
                  wl.fence_wait  = 1'b0;
                  wl.credit_wait = 1'b0;
                  wl.window_wait = 1'b0;
                  sched          = 1'b1;
                  cnt_retry      = o_ready;
                end
                ohca_fmt_pkg::FBK_RNR_WAIT: begin
                  wl.rnr_wait = 1'b1;
                  wl.gen      = c.gen + 8'd1;
                  o_we        = 1'b1;
                  o_ready     = 1'b1;
                  cnt_rnr     = 1'b1;
                end
                default: begin        // error, sqd
                  if (tok_fb.kind == ohca_fmt_pkg::FBK_ERROR) begin
                    if (up_room) begin
                      wl.state    = ohca_fmt_pkg::qp_state_e'(err_state);
                      wl.gen      = c.gen + 8'd1;
                      up_push     = 1'b1;
                      up_new.kind = ohca_fmt_pkg::UPK_FLUSH;
                      up_new.pi   = c.pi;
                      o_we        = 1'b1;
                      o_ready     = 1'b1;
                    end
                  end else begin
                    o_ready = 1'b1;
                  end
                end
              endcase
            end
          end
          default: begin              // K_ACC
            acc_flush = !o_err && !o_inval && tok_acc.dw == 5'd0 && tok_acc.wmask[2:0] == 3'b111 &&
                        tok_acc.wdata[2:0] == ohca_fmt_pkg::QP_STATE_ERR;
            if (!acc_flush || up_room) begin
              o_ready = 1'b1;
              o_we    = !o_err && !o_inval && tok_acc.wmask != '0;
              if (acc_flush) begin
                up_push     = 1'b1;
                up_new.kind = ohca_fmt_pkg::UPK_FLUSH;
                up_new.pi   = c.pi;
              end
            end
          end
        endcase
        // sched: written, and queued if there is something to do
        if (sched) begin
          if (can_run(wl.state, wl.in_msg, wl.next != wl.pi, wl.rnr_wait || wl.fence_wait || wl.credit_wait || wl.window_wait) && !c.in_runq) begin
            wl.in_runq = 1'b1;
            if (rq_room) begin
              rq_push = 1'b1;
              o_we    = 1'b1;
              o_ready = 1'b1;
            end
          end else begin
            o_we    = 1'b1;
            o_ready = 1'b1;
          end
          if (kind == K_DB) pw_pop = tok_push && o_ready;
          if (kind == K_FB && tok_fb.kind == ohca_fmt_pkg::FBK_RESTART) cnt_retry = o_ready;
        end
      end

      // ---------------------------------------------------------------- a WQE's words
      S_W0: if (w_valid) begin
        if (w_err) begin
          verr_d = rf_word.verr;
          st_d   = S_ERR;
        end else begin
          w_take  = 1'b1;
          st_d    = S_W1;
        end
      end
      S_W1: if (w_valid) begin
        w_take = 1'b1;
        st_d   = rc ? S_PRE : S_W2;
      end
      S_W2: if (w_valid) begin
        w_take = 1'b1;
        st_d   = S_W3;
      end
      S_W3: if (w_valid) begin
        w_take = 1'b1;
        st_d   = S_PRE;
      end

      S_PRE: begin
        gl_d    = 32'd0;
        gn_d    = nsge;
        st_d    = S_SENT;
        if (w0_q[31:16] != next_q) begin
          verr_d = ohca_fmt_pkg::VENDOR_ERR_WQE_IDX;
          st_d   = S_ERR;
        end else if (!op_ok) begin
          verr_d = ohca_fmt_pkg::VENDOR_ERR_OPCODE;
          st_d   = S_ERR;
        end else if (!nsge_ok || len_q > 32'h8000_0000 || w0_q[11] || (rc && w0_q[10:9] != 2'b00)) begin
          verr_d = ohca_fmt_pkg::VENDOR_ERR_WQE_FORMAT;
          st_d   = S_ERR;
        end else if (op_read && c.max_rd == 5'd0) begin
          verr_d = ohca_fmt_pkg::VENDOR_ERR_OPCODE;
          st_d   = S_ERR;
        end else if (rc && skip_q) begin
          // Go-back-N restarts inside this WQE, or (all of it is acknowledged) behind it.
          if (psn_skip >= npk_all && psn_skip < 24'h800000) begin
            psn_d = psn_q + npk_all;
            st_d  = S_NEXT;
          end else begin
            off_d    = skip_bytes;
            in_msg_d = psn_skip != 24'd0;
            psn_d    = c.skip_psn;
            skip_d   = 1'b0;
            st_d     = S_PRE;
          end
        end else if (rc && ((w0_q[5] && !in_msg_q && rd_issued_q != c.rd_done) ||
                            (op_read && (rd_issued_q - c.rd_done) >= {3'h0, c.max_rd}))) begin
          fence_w_d = 1'b1;
          st_d      = S_END;
        end else if (rc && (op_send || op == ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM) && !in_msg_q && c.lsn_valid &&
                     ohca_fmt_pkg::psn_lt(c.lsn, ssn_q) && psn_q != c.una_psn) begin
          credit_w_d = 1'b1;
          st_d       = S_END;
        end else if (rc && 24'(psn_q - c.una_psn) >= Window) begin
          window_w_d = 1'b1;
          st_d       = S_END;
        end else if (!rc) begin
          st_d = S_TXD;
        end
        gskip_d = off_d;
      end

      S_SENT: if (up_room) begin
        up_push        = 1'b1;
        up_new.kind    = ohca_fmt_pkg::UPK_SENT;
        up_new.psn     = psn_q + (op_read ? npk_rest : {19'h0, chunk});
        up_new.ackreq  = 1'b1;
        st_d           = S_TXD;
      end

      S_TXD: begin
        txd_valid_o = 1'b1;
        pl_d        = (!rc && len_q > {19'h0, mtu}) ? 13'd0 : plen;
        if (txd_ready_i) begin
          psn_d  = op_read ? psn_q + npk_rest : psn_q + 24'd1;
          done_d = done_q + 5'd1;
          acnt_d = txd_o.ackreq ? 8'd0 : acnt_q + 8'd1;
          if (op_read) rd_issued_d = rd_issued_q + 8'd1;
          off_d    = off_q + {19'h0, plen};
          in_msg_d = !(last || op_read || !rc);
          if (pl_d == 13'd0)  st_d = S_NEXT;
          else if (inl)       st_d = S_INLP;
          else                st_d = S_PIECE;
        end
      end

      S_PIECE: begin
        if (gl_q == 32'd0 && gn_q != 4'd0) begin
          st_d = S_SGE;
        end else begin
          // Fewer bytes in the list than the length says: a piece with key 0 makes the packet fail.
          txp_valid_o = 1'b1;
          if (txp_ready_i) begin
            if (gl_q != 32'd0) begin
              ga_d = ga_q + {51'h0, txp_o.len};
              gl_d = gl_q - {19'h0, txp_o.len};
            end
            pl_d = pl_q - txp_o.len;
            if (txp_o.last) begin
              if (!in_msg_q)                     st_d = S_NEXT;
              else if (done_q == 5'(MaxPkts))    st_d = S_END;
              else                               st_d = S_TXD;
            end
          end
        end
      end

      S_SGE: if (w_valid) begin
        w_take = 1'b1;
        gn_d   = gn_q - 4'd1;
        gk_d   = w_data[127:96];
        if (gskip_q >= w_data[95:64]) begin
          gskip_d = gskip_q - w_data[95:64];
          gl_d    = 32'd0;
        end else begin
          ga_d    = w_data[63:0] + {32'h0, gskip_q};
          gl_d    = w_data[95:64] - gskip_q;
          gskip_d = 32'd0;
        end
        st_d = S_PIECE;
      end

      S_INLP: begin
        txp_valid_o = 1'b1;
        iw_d        = 5'((len_q[8:0] + 9'd15) >> 4);
        if (txp_ready_i) st_d = S_INLW;
      end

      S_INLW: begin
        inl_valid_o = w_valid;
        if (w_valid && inl_ready_i) begin
          w_take = 1'b1;
          iw_d   = iw_q - 5'd1;
          if (iw_q == 5'd1) st_d = S_NEXT;
        end
      end

      S_NEXT: begin
        // The rest of the WQE's words is passed over.
        if (wleft_q != 5'd0) begin
          w_take = w_valid;
        end else begin
          next_d   = next_q + 16'd1;
          ssn_d    = ssn_q + 24'd1;
          in_msg_d = 1'b0;
          off_d    = 32'd0;
          left_d   = left_q - 3'd1;
          wleft_d  = wqe_words;
          if (left_q == 3'd1) drain_d = 1'b0;
          st_d     = (left_q == 3'd1 || done_q == 5'(MaxPkts) || c.state != ohca_fmt_pkg::QP_STATE_RTS) ? S_END : S_W0;
        end
      end

      S_ERR: if (up_room) begin
        up_push       = 1'b1;
        up_new.kind   = ohca_fmt_pkg::UPK_LOCAL_ERR;
        up_new.status = ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
        up_new.verr   = ohca_fmt_pkg::vendor_err_e'(verr_q);
        state_d       = err_state;
        stop_d        = 1'b1;
        cnt_err       = 1'b1;
        st_d          = S_UPF;
      end

      S_UPF: if (up_room) begin
        up_push     = 1'b1;
        up_new.kind = ohca_fmt_pkg::UPK_FLUSH;
        up_new.pi   = pi_q;
        st_d        = S_END;
      end

      S_END: begin
        if (drain_q) begin
          // Only the turn's own words: rf_word.last ends them.
          w_take = rf_valid;
          if (rf_valid && rf_word.last) drain_d = 1'b0;
        end else begin
          wl.state       = ohca_fmt_pkg::qp_state_e'(state_q);
          wl.next        = next_q;
          wl.pi          = pi_q;
          wl.psn         = psn_q;
          wl.ssn         = ssn_q;
          wl.in_msg      = in_msg_q;
          wl.offset      = off_q;
          wl.skip        = skip_q;
          wl.rd_issued   = rd_issued_q;
          wl.ackreq_cnt  = acnt_q;
          wl.fence_wait  = fence_w_q;
          wl.credit_wait = credit_w_q;
          wl.window_wait = window_w_q;
          if (state_q != c.state) wl.err_idx = next_q;
          end_requeue    = can_run(wl.state, wl.in_msg, wl.next != wl.pi, wl.rnr_wait || wl.fence_wait || wl.credit_wait || wl.window_wait) && !o_err;
          wl.in_runq     = end_requeue;
          rq_push        = end_requeue;
          if (!end_requeue || rq_room) begin
            o_we    = !o_err;
            o_ready = 1'b1;
            pw_pop  = push_q;
            tf_pop  = !push_q;
            st_d    = S_IDLE;
          end
        end
      end

      default: st_d = S_IDLE;
    endcase

    if (w_take && wleft_q != 5'd0 && st_q != S_NEXT) wleft_d = wleft_q - 5'd1;
    if (w_take && st_q == S_NEXT) wleft_d = wleft_q - 5'd1;
    if (w_take && push_q) pidx_d = pidx_q + 2'd1;
    // The last word of the fetch was taken on the way.
    if (w_take && !push_q && rf_word.last) drain_d = 1'b0;
  end

  assign rf_ready = w_take && !push_q;

  // An access replaces one dword; a turn or event the whole line.
  logic [1023:0] acc_line;
  logic [31:0]   acc_old;
  always_comb begin
    acc_line = o_line;
    acc_old  = o_line[32*tok_acc.dw +: 32];
    acc_line[32*tok_acc.dw +: 32] = (acc_old & ~tok_acc.wmask) | (tok_acc.wdata & tok_acc.wmask);
  end
  assign o_wline = (kind == K_ACC && st_q == S_IDLE) ? acc_line : wl;

  assign tf_in = {o_id, c.next, c.gen, batch, c.log_stride};
  always_comb begin
    rf_req         = '0;
    rf_req.buf_mtt = c.buf_mtt;
    rf_req.buf_    = c.buf_;
    rf_req.offset  = wqe_off[23:0];
    rf_req.len     = {10'h0, batch} << c.log_stride;
  end

  // ------------------------------------------------------------------ packet and pieces
  logic [7:0] bop;
  always_comb begin
    bop = ohca_fmt_pkg::BTH_OP_SEND_ONLY;
    if (!rc)           bop = op_imm ? ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY_IMM : ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY;
    else if (op_read)  bop = ohca_fmt_pkg::BTH_OP_READ_REQ;
    else if (op_write) begin
      if (first && last) bop = op_imm ? ohca_fmt_pkg::BTH_OP_WRITE_ONLY_IMM : ohca_fmt_pkg::BTH_OP_WRITE_ONLY;
      else if (first)    bop = ohca_fmt_pkg::BTH_OP_WRITE_FIRST;
      else if (last)     bop = op_imm ? ohca_fmt_pkg::BTH_OP_WRITE_LAST_IMM : ohca_fmt_pkg::BTH_OP_WRITE_LAST;
      else               bop = ohca_fmt_pkg::BTH_OP_WRITE_MIDDLE;
    end else begin
      if (first && last) bop = op_imm ? ohca_fmt_pkg::BTH_OP_SEND_ONLY_IMM : ohca_fmt_pkg::BTH_OP_SEND_ONLY;
      else if (first)    bop = ohca_fmt_pkg::BTH_OP_SEND_FIRST;
      else if (last)     bop = op_imm ? ohca_fmt_pkg::BTH_OP_SEND_LAST_IMM : ohca_fmt_pkg::BTH_OP_SEND_LAST;
      else               bop = ohca_fmt_pkg::BTH_OP_SEND_MIDDLE;
    end
  end

  always_comb begin
    txd_o            = '0;
    txd_o.kind       = ohca_fmt_pkg::TXK_REQ;
    txd_o.qpn        = o_id;
    txd_o.idx        = next_q;
    txd_o.wrop       = ohca_fmt_pkg::wr_op_e'(op);
    txd_o.signaled   = w0_q[6] || c.sig_all;
    txd_o.bth_op     = ohca_fmt_pkg::bth_op_e'(bop);
    txd_o.migreq     = c.migreq;
    txd_o.psn        = psn_q;
    txd_o.imm        = imm_q;
    txd_o.pkey_index = c.pkey_index;
    txd_o.plen       = plen;
    if (rc) begin
      txd_o.se     = w0_q[7] && last && (op_send || op_imm);
      txd_o.ackreq = last || op_read || acnt_q >= 8'(AckEvery - 1) || done_q == 5'(MaxPkts - 1);
      txd_o.dqpn   = c.dqpn;
      txd_o.va     = op_read ? raddr_q + {32'h0, off_q} : raddr_q;
      txd_o.rkey   = rkey_q;
      txd_o.dmalen = op_read ? rest : len_q;
      txd_o.av     = c.av;
    end else begin
      // Over the MTU: nothing is sent, and that is no error (IBA C10-93.1.1).
      if (len_q > {19'h0, mtu}) begin
        txd_o.kind = ohca_fmt_pkg::TXK_NOPKT;
        txd_o.plen = '0;
      end
      txd_o.done      = 1'b1;
      txd_o.se        = w0_q[7];
      txd_o.dqpn      = udqpn_q;
      txd_o.qkey      = qkey_q[31] ? c.qkey : qkey_q;
      txd_o.av        = uav_q;
      txd_o.vl15      = c.qtype == ohca_fmt_pkg::QP_TYPE_SMI;
      txd_o.slid_perm = c.qtype == ohca_fmt_pkg::QP_TYPE_SMI && w0_q[10];
      if (c.qtype == ohca_fmt_pkg::QP_TYPE_GSI) txd_o.pkey_index = upkey_q;
    end
  end

  logic [12:0] seg_page, seg;
  assign seg_page = 13'd4096 - {1'b0, ga_q[11:0]};
  always_comb begin
    seg = pl_q;
    if (gl_q != 32'd0) begin
      if (gl_q < {19'h0, seg}) seg = gl_q[12:0];
      if (seg_page < seg)      seg = seg_page;
    end
    txp_o      = '0;
    txp_o.priv = c.priv;
    txp_o.pd   = c.pd;
    if (st_q == S_INLP) begin
      txp_o.inl  = 1'b1;
      txp_o.last = 1'b1;
      txp_o.len  = len_q[12:0];
    end else begin
      txp_o.last = seg == pl_q;
      txp_o.key  = (gl_q == 32'd0) ? 32'h0 : gk_q;
      txp_o.va   = (gl_q == 32'd0) ? 64'h0 : ga_q;
      txp_o.len  = seg;
    end
  end
  assign inl_o = w_data;

  // ------------------------------------------------------------------ state
  always_ff @(posedge clk_i) begin
    st_q       <= st_d;
    next_q     <= next_d;     pi_q      <= pi_d;      psn_q      <= psn_d;      ssn_q     <= ssn_d;
    in_msg_q   <= in_msg_d;   skip_q    <= skip_d;    fence_w_q  <= fence_w_d;  credit_w_q <= credit_w_d;
    window_w_q <= window_w_d; off_q     <= off_d;     rd_issued_q <= rd_issued_d; acnt_q  <= acnt_d;
    state_q    <= state_d;    stop_q    <= stop_d;    done_q     <= done_d;     left_q    <= left_d;
    wleft_q    <= wleft_d;    push_q    <= push_d;    pidx_q     <= pidx_d;     drain_q   <= drain_d;
    verr_q     <= verr_d;     ga_q      <= ga_d;      gl_q       <= gl_d;       gk_q      <= gk_d;
    gn_q       <= gn_d;       gskip_q   <= gskip_d;   pl_q       <= pl_d;       iw_q      <= iw_d;
    if (w_take && st_q == S_W0) begin
      w0_q    <= w_data[31:0];
      len_q   <= w_data[63:32];
      raddr_q <= w_data[127:64];
      qkey_q  <= w_data[95:64];
      upkey_q <= w_data[111:96];
    end
    if (w_take && st_q == S_W1) begin
      rkey_q       <= w_data[31:0];
      udqpn_q      <= w_data[23:0];
      imm_q        <= w_data[63:32];
      uav_q[63:0]  <= w_data[127:64];
    end
    if (w_take && st_q == S_W2) uav_q[191:64]  <= w_data;
    if (w_take && st_q == S_W3) uav_q[319:192] <= w_data;

    turn_q <= (turn_q || (lk_valid && lk_ready && lk_kind == K_TURN)) && !tf_pop;
    if (lk_valid && lk_ready) begin
      if (lk_kind == K_DB)       alt_q <= 1'b1;
      else if (lk_kind == K_RUN) alt_q <= 1'b0;
    end
    // A run counts from its look-up to the end of its turn, or to the moment that it proves idle.
    runs_q <= runs_q + (TurnW+1)'(lk_valid && lk_ready && lk_kind == K_RUN) - (TurnW+1)'(tf_pop) -
              (TurnW+1)'(st_q == S_IDLE && o_valid && o_ready && kind == K_RUN && !tf_push);
    if (rst_i) begin
      st_q   <= S_IDLE;
      turn_q <= 1'b0;
      alt_q  <= 1'b0;
      runs_q <= '0;
      push_q <= 1'b0;
    end
  end

  assign acc_rsp_valid_o = st_q == S_IDLE && o_valid && o_ready && kind == K_ACC;
  assign acc_rdata_o     = acc_old;
  assign acc_err_o       = o_err;

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE]  = cnt_page && o_ready;
    cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_QP]    = cnt_qp && o_ready;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = cnt_err;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_RNR_WAIT]  = cnt_rnr && o_ready;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_RETRY]     = cnt_retry && o_ready;
  end

  assign idle_o = ctx_idle && rf_idle && st_q == S_IDLE && !o_valid && !rq_valid && !tf_valid && !pw_valid && !up_valid_o &&
                  !db_valid_i && !fb_valid_i && !acc_valid_i && runs_q == '0;

  // A pushed WQE is at the head when its doorbell commits.
  `ASSERT(PushThere_A, !(st_q == S_IDLE && o_valid && kind == K_DB && tok_push) || pw_valid)

  logic unused;
  assign unused = &{1'b0, rq_count, stop_q, tok_fb, tok_acc};

endmodule

`default_nettype wire
