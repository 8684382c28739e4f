// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The acknowledge engine: responses, retirement of send WQEs, READ data, timers, retries and the flush of the send queue; the
// only writer of the requester-acknowledge context (rac).
//
// Nothing about single WQEs is kept on chip: what retires is read again from the send ring. An acknowledgement is noted at its own
// look-up; a walk (ring fetch from the oldest WQE, then a second look-up) completes what it covers. READ responses are placed at
// such a second look-up too, and the READ retires when its last piece is written. About 7 cycles per response on context hits,
// one walk per up to four WQEs.
//
// Rules: IBA 9.7.5 (acknowledgements), 9.7.6 (time-outs, retries), 9.9 (error behaviour).

`include "ohca_assert.svh"
`default_nettype none

module ohca_ra #(
  parameter int unsigned DW         = 64,
  parameter int unsigned Sets       = 256,    // context cache
  parameter int unsigned Ways       = 1,
  parameter int unsigned Walks      = 16,     // ring fetches under way, power of two
  parameter int unsigned Places     = 16,     // READ responses whose data is being written, power of two
  parameter int unsigned TimerDepth = 4096,   // QPs with a running timer, power of two
  parameter int unsigned ContDepth  = 256     // QPs being flushed, power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic [63:0]               now_i,
  output logic                      idle_o,
  output logic [63:0]               cnt_o,
  output logic                      tmr_any_o,        // a timer runs; the earliest deadline in ticks
  output logic [31:0]               tmr_next_o,

  input  logic [39:0]               base_i,
  input  logic [24:0]               limit_i,
  input  ohca_fmt_pkg::port_cfg_t   cfg_i,
  output logic [15:0]               pkey_idx_o,       // P_Key table, combinational
  input  logic [15:0]               pkey_i,

  input  logic                      rxd_valid_i,
  output logic                      rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t        rxd_i,

  input  logic [1:0]                up_valid_i,       // 0 ohca_sq, 1 ohca_txbuild
  output logic [1:0]                up_ready_o,
  input  logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0] up_i,

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,
  output logic                      acc_rsp_valid_o,
  output logic [31:0]               acc_rdata_o,
  output logic                      acc_err_o,

  input  logic                      qerr_valid_i,     // the responder side of this QP went to ERR
  output logic                      qerr_ready_o,
  input  logic [23:0]               qerr_qpn_i,
  output logic                      qerr_valid_o,     // the requester side went to ERR
  input  logic                      qerr_ready_i,
  output logic [23:0]               qerr_qpn_o,

  output logic                      fb_valid_o,       // to ohca_sq
  input  logic                      fb_ready_i,
  output ohca_fmt_pkg::sq_fb_t      fb_o,

  output logic                      pl_req_valid_o,   // place client 1
  input  logic                      pl_req_ready_i,
  output ohca_fmt_pkg::pl_req_t     pl_req_o,
  input  logic                      pl_rsp_valid_i,
  input  ohca_fmt_pkg::pl_rsp_t     pl_rsp_i,

  output logic                      cq_valid_o,
  input  logic                      cq_ready_i,
  output ohca_fmt_pkg::cq_req_t     cq_o,

  output logic                      ev_valid_o,
  input  logic                      ev_ready_i,
  output ohca_fmt_pkg::ev_req_t     ev_o,

  output logic                      rel_valid_o,      // always taken
  output logic [5:0]                rel_slot_o,

  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_last_i,
  input  logic                      rd_rsp_err_i,

  output logic                      ctx_rd_valid_o,   // dma_rd client 1
  input  logic                      ctx_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ctx_rd_o,
  input  logic                      ctx_rd_rsp_valid_i,
  output logic                      ctx_wr_valid_o,   // dma_wr client 1
  input  logic                      ctx_wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t ctx_wr_o,
  output logic                      ctx_wr_dat_valid_o,
  input  logic                      ctx_wr_dat_ready_i,
  output logic [DW-1:0]             ctx_wr_dat_o,
  output logic                      ctx_wr_dat_last_o,
  input  logic [31:0]               wr_issued_i,
  input  logic [31:0]               wr_acked_i,
  output logic                      icm_valid_o,      // icm client 1
  input  logic                      icm_ready_i,
  output logic [39:0]               icm_addr_o,
  input  logic                      icm_rsp_valid_i,
  input  logic                      icm_rsp_ok_i,
  input  logic [63:0]               icm_rsp_addr_i,

  output logic                      ring_tpt_valid_o, // tpt client 1
  input  logic                      ring_tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t    ring_tpt_o,
  input  logic                      ring_tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t    tpt_rsp_i,
  output logic                      ring_rd_valid_o,  // dma_rd client 7
  input  logic                      ring_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ring_rd_o,
  input  logic                      ring_rd_rsp_valid_i
);

  localparam int unsigned FbDepth = 64;
  localparam int unsigned MaxNonUp = 16;      // look-ups in flight that may give feedback, beside reports

  // What goes out to shared units is cut by registers: nothing here depends on them within a cycle.
  logic                  cq_v, cq_r, ev_v, ev_r, pl_req_v, pl_req_r;
  ohca_fmt_pkg::cq_req_t cq_n;
  ohca_fmt_pkg::ev_req_t ev_n;
  ohca_fmt_pkg::pl_req_t pl_req_n;
  ohca_skid #(.Width(ohca_fmt_pkg::CQ_REQ_BITS)) u_cq (
    .clk_i, .rst_i, .valid_i(cq_v), .ready_o(cq_r), .data_i(cq_n), .valid_o(cq_valid_o), .ready_i(cq_ready_i), .data_o(cq_o)
  );
  ohca_skid #(.Width(ohca_fmt_pkg::EV_REQ_BITS)) u_ev (
    .clk_i, .rst_i, .valid_i(ev_v), .ready_o(ev_r), .data_i(ev_n), .valid_o(ev_valid_o), .ready_i(ev_ready_i), .data_o(ev_o)
  );
  ohca_skid #(.Width(ohca_fmt_pkg::PL_REQ_BITS)) u_pl (
    .clk_i, .rst_i, .valid_i(pl_req_v), .ready_o(pl_req_r), .data_i(pl_req_n), .valid_o(pl_req_valid_o), .ready_i(pl_req_ready_i),
    .data_o(pl_req_o)
  );

  // ------------------------------------------------------------------ look-ups
  localparam logic [3:0] K_RX = 4'd0, K_WALK = 4'd1, K_UP = 4'd2, K_TMR = 4'd3, K_ACC = 4'd4, K_PLACED = 4'd5, K_CONT = 4'd6,
                         K_QERR = 4'd7;
  localparam int unsigned PayW   = ohca_fmt_pkg::RA_UP_BITS;          // the widest
  localparam int unsigned TokenW = 4 + PayW;

  logic              lk_valid, lk_ready, lk_inval;
  logic [23:0]       lk_id;
  logic [3:0]        lk_kind;
  logic [PayW-1:0]   lk_pay;
  logic              o_valid, o_ready, o_err, o_inval, o_we;
  logic [23:0]       o_id;
  logic [TokenW-1:0] o_token;
  logic [1023:0]     o_line, o_wline;
  logic              ctx_idle;

  ohca_ctx #(.DW(DW), .LineBytes(128), .Sets(Sets), .Ways(Ways), .TokenW(TokenW), .Stride(ohca_fmt_pkg::QPC_STRIDE),
             .Offset(ohca_fmt_pkg::QPC_RAC_OFFSET)) u_ctx (
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

  // Walks: ring fetches in order, with what is to be done with them. rd: a READ response waits for its scatter list.
  localparam int unsigned RdBits   = 8 + 24 + 20 + 13 + 6;            // opcode, psn, source address, length, slot
  localparam int unsigned WalkBits = 24 + 16 + 3 + 4 + 1 + RdBits;
  logic                wf_push, wf_room, wf_valid, wf_pop;
  logic [WalkBits-1:0] wf_in, wf_head;
  ohca_fifo #(.Width(WalkBits), .Depth(Walks)) u_walks (
    .clk_i, .rst_i, .valid_i(wf_push), .ready_o(wf_room), .data_i(wf_in),
    .valid_o(wf_valid), .ready_i(wf_pop), .data_o(wf_head), .count_o(), .almost_full_o()
  );
  logic [23:0] w_qpn;
  logic [15:0] w_start;
  logic [2:0]  w_count;
  logic [3:0]  w_stride;
  logic        w_rd;
  logic [7:0]  w_op;
  logic [23:0] w_psn;
  logic [19:0] w_src;
  logic [12:0] w_len;
  logic [5:0]  w_slot;
  assign {w_qpn, w_start, w_count, w_stride, w_rd, w_op, w_psn, w_src, w_len, w_slot} = wf_head;

  logic                     rf_req_valid, rf_req_ready, rf_valid, rf_ready, rf_idle;
  ohca_fmt_pkg::ring_req_t  rf_req;
  ohca_fmt_pkg::ring_word_t rf_word;
  ohca_ring_fetch #(.DW(DW), .Depth(Walks)) u_ring (
    .clk_i, .rst_i, .idle_o(rf_idle), .req_valid_i(rf_req_valid), .req_ready_o(rf_req_ready), .req_i(rf_req),
    .word_valid_o(rf_valid), .word_ready_i(rf_ready), .word_o(rf_word),
    .tpt_valid_o(ring_tpt_valid_o), .tpt_ready_i(ring_tpt_ready_i), .tpt_o(ring_tpt_o), .tpt_rsp_valid_i(ring_tpt_rsp_valid_i),
    .tpt_rsp_i, .rd_valid_o(ring_rd_valid_o), .rd_ready_i(ring_rd_ready_i), .rd_o(ring_rd_o),
    .rd_rsp_valid_i(ring_rd_rsp_valid_i), .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i
  );

  // READ responses whose data is on its way to memory, in order: slot to release, and whose last response it is
  localparam int unsigned PlBits = 24 + 6 + 1 + 16 + 1 + 32;
  logic              pf_push, pf_room, pf_valid, pf_pop;
  logic [PlBits-1:0] pf_in, pf_head;
  ohca_fifo #(.Width(PlBits), .Depth(Places)) u_places (
    .clk_i, .rst_i, .valid_i(pf_push), .ready_o(pf_room), .data_i(pf_in),
    .valid_o(pf_valid), .ready_i(pf_pop), .data_o(pf_head), .count_o(), .almost_full_o()
  );
  logic [23:0] p_qpn;
  logic [5:0]  p_slot;
  logic        p_last;
  logic [15:0] p_idx;
  logic        p_sig;
  logic [31:0] p_len;
  assign {p_qpn, p_slot, p_last, p_idx, p_sig, p_len} = pf_head;
  assign pf_pop = pl_rsp_valid_i;

  // Outcomes that a QP has to hear of: the last response was placed, or one could not be
  logic              df_push, df_valid, df_pop;
  logic [82:0]       df_head;
  ohca_fifo #(.Width(24 + 1 + 8 + 16 + 1 + 1 + 32), .Depth(2 * Places)) u_placed (
    .clk_i, .rst_i, .valid_i(df_push), .ready_o(), .data_i({p_qpn, pl_rsp_i.ok, pl_rsp_i.verr, p_idx, p_last, p_sig, p_len}),
    .valid_o(df_valid), .ready_i(df_pop), .data_o(df_head), .count_o(), .almost_full_o()
  );
  assign df_push = pl_rsp_valid_i && pf_valid && (p_last || !pl_rsp_i.ok);

  // QPs being flushed, a few WQEs at a time
  logic        cf_push, cf_room, cf_valid, cf_pop;
  logic [23:0] cf_head;
  ohca_fifo #(.Width(24), .Depth(ContDepth)) u_cont (
    .clk_i, .rst_i, .valid_i(cf_push), .ready_o(cf_room), .data_i(o_id),
    .valid_o(cf_valid), .ready_i(cf_pop), .data_o(cf_head), .count_o(), .almost_full_o()
  );

  // Feedback; look-ups that may give some start only when there is room for it, so nothing waits for ohca_sq here.
  logic                      fb_push;
  ohca_fmt_pkg::sq_fb_t      fb_new;
  logic [$clog2(FbDepth):0]  fb_count;
  ohca_fifo #(.Width(ohca_fmt_pkg::SQ_FB_BITS), .Depth(FbDepth)) u_fb (
    .clk_i, .rst_i, .valid_i(fb_push), .ready_o(), .data_i(fb_new),
    .valid_o(fb_valid_o), .ready_i(fb_ready_i), .data_o(fb_o), .count_o(fb_count), .almost_full_o()
  );
  logic [6:0] nonup_q, ups_q;
  logic       fb_room, up_fb_room;
  assign fb_room    = {1'b0, fb_count} + {1'b0, nonup_q} < 8'(FbDepth - 20) && nonup_q < 7'(MaxNonUp);
  assign up_fb_room = ups_q < 7'd16;

  logic qe_push;
  logic [5:0] qe_count;
  ohca_fifo #(.Width(24), .Depth(32)) u_qerr (
    .clk_i, .rst_i, .valid_i(qe_push), .ready_o(), .data_i(o_id),
    .valid_o(qerr_valid_o), .ready_i(qerr_ready_i), .data_o(qerr_qpn_o), .count_o(qe_count), .almost_full_o()
  );

  // Timers
  logic        arm_valid, arm_ready, exp_valid, exp_pop, tmr_idle;
  logic [31:0] arm_deadline;
  logic [23:0] exp_qpn;
  ohca_timer #(.Depth(TimerDepth)) u_timer (
    .clk_i, .rst_i, .idle_o(tmr_idle), .now_i, .arm_valid_i(arm_valid), .arm_ready_o(arm_ready), .arm_qpn_i(o_id),
    .arm_deadline_i(arm_deadline), .exp_valid_o(exp_valid), .exp_ready_i(exp_pop), .exp_qpn_o(exp_qpn),
    .any_o(tmr_any_o), .next_o(tmr_next_o)
  );

  // Received responses: one look-up at a time. A response that has to wait for a walk of its QP is looked up again when that
  // walk has ended.
  logic rx_busy_q, rx_blk_q, rx_tried_q, walk_q;
  logic want_rx, want_walk, want_up, qe_room;
  ohca_fmt_pkg::ra_up_t up_sel;
  logic up_which;
  assign qe_room   = qe_count < 6'd8;
  assign want_walk = rf_valid && wf_valid && !walk_q && fb_room && qe_room;
  assign want_up   = (up_valid_i != 2'b00) && up_fb_room && qe_room;
  assign up_which  = !up_valid_i[0];
  assign up_sel    = ohca_fmt_pkg::ra_up_t'(up_which ? up_i[1] : up_i[0]);
  assign want_rx   = rxd_valid_i && !rx_busy_q && !rx_blk_q && fb_room && qe_room;

  ohca_fmt_pkg::bth_t bth;
  assign bth = ohca_fmt_pkg::bth_t'(rxd_i.bth);

  always_comb begin
    lk_valid    = 1'b1;
    lk_id       = '0;
    lk_kind     = K_RX;
    lk_pay      = '0;
    lk_inval    = 1'b0;
    acc_ready_o = 1'b0;
    up_ready_o  = 2'b00;
    qerr_ready_o = 1'b0;
    exp_pop     = 1'b0;
    df_pop      = 1'b0;
    cf_pop      = 1'b0;
    if (acc_valid_i && fb_room) begin
      lk_id       = acc_i.num;
      lk_kind     = K_ACC;
      lk_pay      = PayW'(acc_i);
      lk_inval    = acc_i.inval;
      acc_ready_o = lk_ready;
    end else if (want_up) begin
      lk_id       = up_sel.qpn;
      lk_kind     = K_UP;
      lk_pay      = up_sel;
      up_ready_o[up_which] = lk_ready;
    end else if (df_valid && fb_room && qe_room) begin
      lk_id       = df_head[82:59];
      lk_kind     = K_PLACED;
      lk_pay      = PayW'(df_head[58:0]);
      df_pop      = lk_ready;
    end else if (want_walk) begin
      lk_id       = w_qpn;
      lk_kind     = K_WALK;
    end else if (want_rx) begin
      lk_id       = bth.destqp;
      lk_kind     = K_RX;
    end else if (qerr_valid_i && fb_room) begin
      lk_id       = qerr_qpn_i;
      lk_kind     = K_QERR;
      qerr_ready_o = lk_ready;
    end else if (exp_valid && fb_room && qe_room) begin
      lk_id       = exp_qpn;
      lk_kind     = K_TMR;
      exp_pop     = lk_ready;
    end else if (cf_valid && fb_room) begin
      lk_id       = cf_head;
      lk_kind     = K_CONT;
      cf_pop      = lk_ready;
    end else begin
      lk_valid    = 1'b0;
    end
  end

  // ------------------------------------------------------------------ the context at the head
  ohca_fmt_pkg::rac_t       c, wl;
  ohca_fmt_pkg::av_t        av;
  logic [3:0]               kind;
  ohca_fmt_pkg::ra_up_t     tok_up;
  ohca_fmt_pkg::ctx_acc_t   tok_acc;
  logic                     tok_ok, tok_last, tok_sig;
  logic [31:0]              tok_len;
  logic [7:0]               tok_verr;
  logic [15:0]              tok_idx;
  assign c       = ohca_fmt_pkg::rac_t'(o_line);
  assign av      = ohca_fmt_pkg::av_t'(c.av);
  assign kind    = o_token[TokenW-1 -: 4];
  assign tok_up  = ohca_fmt_pkg::ra_up_t'(o_token[PayW-1:0]);
  assign tok_acc = ohca_fmt_pkg::ctx_acc_t'(o_token[ohca_fmt_pkg::CTX_ACC_BITS-1:0]);
  assign {tok_ok, tok_verr, tok_idx, tok_last, tok_sig, tok_len} = o_token[58:0];

  logic rc, live;
  assign rc   = c.qtype == ohca_fmt_pkg::QP_TYPE_RC;
  assign live = c.state == ohca_fmt_pkg::QP_STATE_RTS || c.state == ohca_fmt_pkg::QP_STATE_SQD;
  logic [2:0] err_state;
  assign err_state = rc ? ohca_fmt_pkg::QP_STATE_ERR : ohca_fmt_pkg::QP_STATE_SQE;

  // Time-out in ticks; what does not fit 31 bits is as good as for ever.
  logic [31:0] tick, t_ack, t_rnr;
  logic [62:0] t_long;
  logic [48:0] t_rnr_long;
  assign tick   = now_i[39:8];
  assign t_long = {31'h0, cfg_i.cyc_4us} << c.timeout;
  assign t_ack  = (t_long[62:39] != '0) ? 32'h7fff_ffff : {1'b0, t_long[38:8]} + 32'd1;
  assign t_rnr_long = {32'h0, ohca_fmt_pkg::rnr_timer(aeth.value)} * {17'h0, cfg_i.cyc_10us};
  assign t_rnr  = {1'b0, t_rnr_long[38:8]} + 32'd1;

  // The response under the engine
  ohca_fmt_pkg::aeth_t aeth;
  logic [7:0]  r_op;
  logic        r_read, r_ack, path_ok, pkey_ok, rx_ok;
  logic [15:0] slid_want;
  assign aeth   = ohca_fmt_pkg::aeth_t'(rxd_i.ext[223:192]);
  assign r_op   = bth.opcode;
  assign r_ack  = r_op == ohca_fmt_pkg::BTH_OP_ACK;
  assign r_read = r_op >= ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST && r_op <= ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY;
  // The source must be the path's destination: the GRH where the path has one, else the LID.
  assign slid_want = av.dlid;
  assign path_ok = (av.grh == rxd_i.grh_v) &&
                   (av.grh ? ohca_fmt_pkg::bswap128(rxd_i.grh[255:128]) == av.dgid : rxd_i.slid == slid_want);
  assign pkey_idx_o = c.pkey_index;
  assign pkey_ok = pkey_i[14:0] == bth.pkey[14:0] && pkey_i[14:0] != '0 && (pkey_i[15] || bth.pkey[15]);
  assign rx_ok   = !o_err && rc && live && path_ok && pkey_ok;

  logic        t_ahead;               // the deadline is still to come
  assign t_ahead = 32'(c.deadline - tick) < 32'h8000_0000 && c.deadline != tick;

  logic [23:0] p, a;
  assign p = bth.psn;
  assign a = (r_ack && aeth.kind != ohca_fmt_pkg::AETH_KIND_ACK) ? p : p + 24'd1;     // all before a are acknowledged
  logic a_new, a_sent, outstanding;
  assign a_new  = ohca_fmt_pkg::psn_lt(c.acked_psn, a);
  assign a_sent = ohca_fmt_pkg::psn_le(a, c.sent_psn) && ohca_fmt_pkg::psn_le(c.una_psn, p);
  assign outstanding = c.acked_psn != c.sent_psn || c.una != c.pi;

  // ------------------------------------------------------------------ walking
  localparam logic [3:0] S_IDLE = 4'd0, S_W0 = 4'd1, S_SKIP = 4'd2, S_DEC = 4'd3, S_CQE = 4'd4, S_SGE = 4'd5, S_PL = 4'd6, S_FAIL = 4'd7,
                         S_EV = 4'd8, S_FLUSH = 4'd9, S_END = 4'd10, S_DRAIN = 4'd11, S_W1 = 4'd12;
  logic [3:0]  st_d, st_q;
  logic [15:0] una_d, una_q;
  logic [23:0] upsn_d, upsn_q, ssn_d, ssn_q, rdn_d, rdn_q;
  logic [7:0]  rdd_d, rdd_q;
  logic        rda_d, rda_q, walking_d, walking_q, restart_d, restart_q, errv_d, errv_q, erru_d, erru_q, prog_d, prog_q;
  logic        dead_d, dead_q;        // the QP fails in this commit
  logic        flushing_d, flushing_q;
  logic [15:0] pi_d, pi_q;
  logic [2:0]  left_d, left_q;
  logic [4:0]  wl_d, wl_q;            // words of the WQE still to come
  logic        drain_d, drain_q, again_d, again_q;
  logic [7:0]  fst_d, fst_q, fve_d, fve_q;   // status and cause of the failing WQE
  logic [4:0]  fn_d, fn_q;            // WQEs flushed in this commit
  logic [31:0] w0_q, len_q;
  logic [31:0] gskip_d, gskip_q, need_d, need_q;
  logic [3:0]  gn_d, gn_q;
  logic [19:0] src_d, src_q;
  logic [31:0] gl_d, gl_q, gk_d, gk_q;
  logic [63:0] ga_d, ga_q;
  logic        cq_plain_q, cq_plain_d;  // the CQE of a WQE that succeeded

  logic        w_take;
  logic [4:0]  wqe_words;
  assign wqe_words = 5'd1 << (w_stride - 4'd4);
  logic [4:0]  op;
  logic        op_read;
  assign op      = w0_q[4:0];
  assign op_read = op == ohca_fmt_pkg::WR_OP_RDMA_READ;
  logic [23:0] npk, end_psn;
  assign npk     = ohca_fmt_pkg::npkts(len_q, c.mtu);
  assign end_psn = upsn_q + npk;

  // READ response against the WQE
  logic [23:0] rd_k;
  logic [31:0] rd_off, rd_rest;
  logic        rd_lastp, rd_bad;
  logic [12:0] mtu, rd_want;
  assign mtu      = ohca_fmt_pkg::mtu_bytes(c.mtu);
  assign rd_k     = w_psn - upsn_q;
  assign rd_off   = {8'h0, rd_k} << (4'd7 + {1'b0, c.mtu});
  assign rd_rest  = len_q - rd_off;
  assign rd_lastp = rd_k == npk - 24'd1;
  assign rd_want  = (rd_rest <= {19'h0, mtu}) ? rd_rest[12:0] : mtu;
  assign rd_bad   = !op_read || rd_k >= npk || w_len != rd_want ||
                    ((w_op == ohca_fmt_pkg::BTH_OP_READ_RESP_LAST || w_op == ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY) != rd_lastp) ||
                    (rd_k == 24'd0 && w_op != ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST && w_op != ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY);

  // Ring fetch of the walk that starts here
  logic [15:0] wk_from, wk_pi, mask, wk_avail, wk_wrap;
  logic [23:0] wk_off;
  logic [11:0] wk_in_page;
  logic [12:0] wk_page;
  logic [2:0]  wk_batch;
  assign mask       = 16'((32'd1 << c.log_size) - 32'd1);
  assign wk_off     = {8'h0, wk_from & mask} << c.log_stride;
  assign wk_in_page = c.buf_[11:0] + wk_off[11:0];
  assign wk_page    = (13'd4096 - {1'b0, wk_in_page}) >> c.log_stride;
  assign wk_avail   = wk_pi - wk_from;
  assign wk_wrap    = mask + 16'd1 - (wk_from & mask);
  logic wk_one;
  always_comb begin
    wk_batch = 3'd4;
    if (wk_avail < 16'd4)             wk_batch = wk_avail[2:0];
    if (wk_wrap < {13'h0, wk_batch})  wk_batch = wk_wrap[2:0];
    if (wk_page < {10'h0, wk_batch})  wk_batch = wk_page[2:0];
    if (wk_one || wk_batch == 3'd0)   wk_batch = 3'd1;
  end

  logic wk_room;
  assign wk_room = rf_req_ready && wf_room;
  logic wk_start, wk_rd;

  logic drop_rx, rx_take, rx_wait, cnt_bad, cnt_path, cnt_pkey, cnt_state, cnt_qpn, cnt_dup, cnt_tmo, cnt_lerr;
  logic unblock;
  logic set_timer;                    // (re)start the acknowledgement timer

  always_comb begin
    st_d       = st_q;
    una_d      = una_q;      upsn_d    = upsn_q;     ssn_d    = ssn_q;    rdn_d    = rdn_q;   rdd_d    = rdd_q;
    rda_d      = rda_q;      walking_d = walking_q;  restart_d = restart_q; errv_d = errv_q;  erru_d   = erru_q;
    prog_d     = prog_q;     dead_d    = dead_q;     pi_d     = pi_q;     left_d   = left_q;  wl_d     = wl_q;
    drain_d    = drain_q;    again_d   = again_q;    fst_d    = fst_q;    fve_d    = fve_q;   fn_d     = fn_q;
    gskip_d    = gskip_q;    gn_d      = gn_q;       src_d    = src_q;    need_d   = need_q;
    gl_d       = gl_q;       gk_d      = gk_q;       ga_d     = ga_q;
    flushing_d = flushing_q; cq_plain_d = cq_plain_q;
    o_ready    = 1'b0;
    o_we       = 1'b0;
    wl         = c;
    w_take     = 1'b0;
    wf_push    = 1'b0;
    wf_pop     = 1'b0;
    pf_push    = 1'b0;
    cf_push    = 1'b0;
    fb_push    = 1'b0;
    fb_new     = '0;
    fb_new.qpn = o_id;
    fb_new.lsn_valid = 1'b0;          // end-to-end credits: responders are taken as unlimited, RNR NAKs hold back
    qe_push    = 1'b0;
    arm_valid  = 1'b0;
    arm_deadline = tick + t_ack;
    wk_from    = c.una;
    wk_pi      = c.pi;
    wk_one     = 1'b0;
    wk_start   = 1'b0;
    wk_rd      = 1'b0;
    drop_rx    = 1'b0;
    rx_take    = 1'b0;
    rx_wait    = 1'b0;
    unblock    = 1'b0;
    set_timer  = 1'b0;
    pl_req_v = 1'b0;
    cq_v = 1'b0;
    ev_v = 1'b0;
    cnt_bad    = 1'b0;  cnt_path = 1'b0;  cnt_pkey = 1'b0;  cnt_state = 1'b0;  cnt_qpn = 1'b0;  cnt_dup = 1'b0;
    cnt_tmo    = 1'b0;  cnt_lerr = 1'b0;

    unique case (st_q)
      S_IDLE: if (o_valid) begin
        una_d = c.una;  upsn_d = c.una_psn;  ssn_d = c.ssn;  rdn_d = c.rd_next_psn;  rdd_d = c.rd_done;  rda_d = c.rd_active;
        walking_d = c.walking;  restart_d = 1'b0;  errv_d = c.err_valid;  erru_d = c.err_una;  prog_d = 1'b0;  dead_d = 1'b0;
        pi_d = c.pi;  again_d = 1'b0;  fst_d = c.err_status;  fve_d = c.err_vendor;  fn_d = 5'd0;  flushing_d = c.flushing;
        drain_d = 1'b0;
        unique case (kind)
          // ---------------------------------------------------------- a response
          K_RX: begin
            if (!rx_ok) begin
              cnt_qpn   = o_err;
              cnt_state = !o_err && (!rc || !live);
              cnt_path  = !o_err && rc && live && !path_ok;
              cnt_pkey  = !o_err && rc && live && path_ok && !pkey_ok;
              drop_rx   = 1'b1;
            end else if (!(r_ack || r_read) || !a_sent ||
                         (r_read && r_op != ohca_fmt_pkg::BTH_OP_READ_RESP_MIDDLE && aeth.kind != ohca_fmt_pkg::AETH_KIND_ACK)) begin
              cnt_bad = 1'b1;         // outside what was sent, or not a response to anything
              drop_rx = 1'b1;
            end else if (r_read) begin
              if (c.rd_active && p == c.rd_next_psn) begin
                // The scatter list is fetched again; the next response may follow at once.
                wk_one = 1'b1;
                if (wk_room) begin
                  wk_start       = 1'b1;
                  wk_rd          = 1'b1;
                  wl.rd_next_psn = p + 24'd1;
                  wl.rd_seq_wait = 1'b0;
                  if (a_new) wl.acked_psn = a;
                  wl.retry_left  = c.retry_cnt;
                  wl.rnr_left    = c.rnr_retry;
                  wl.deadline    = tick + t_ack;
                  // After the last one the next READ has to be found first.
                  if (r_op == ohca_fmt_pkg::BTH_OP_READ_RESP_LAST || r_op == ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY) begin
                    wl.rd_active = 1'b0;
                    wl.walking   = 1'b1;
                  end
                  o_we    = 1'b1;
                  o_ready = 1'b1;
                  rx_take = 1'b1;     // the slot is released when the data is written
                end
              end else if (c.rd_active) begin
                if (!ohca_fmt_pkg::psn_lt(p, c.rd_next_psn) && !c.rd_seq_wait && !c.rnr_wait) begin
                  // A gap: ask again from the first one missing.
                  if (c.retry_left == 3'd0) begin
                    wl.err_una    = 1'b1;
                    wl.err_status = ohca_fmt_pkg::WC_STATUS_RETRY_EXC;
                    wl.err_vendor = ohca_fmt_pkg::VENDOR_ERR_SEQ;
                  end else begin
                    wl.retry_left  = c.retry_left - 3'd1;
                    wl.rd_seq_wait = 1'b1;
                    wl.deadline    = tick + t_ack;
                    fb_push        = 1'b1;
                    fb_new.kind    = ohca_fmt_pkg::FBK_RESTART;
                    fb_new.psn     = c.rd_next_psn;
                  end
                  o_we = 1'b1;
                end
                cnt_dup = 1'b1;
                drop_rx = 1'b1;
              end else if (c.walking) begin
                rx_wait = 1'b1;
                o_ready = 1'b1;
              end else if (rx_tried_q || c.una == c.pi) begin
                cnt_bad = 1'b1;       // no READ there
                drop_rx = 1'b1;
              end else if (wk_room) begin
                // Everything before this response's READ is acknowledged by it (IBA 9.7.5.1.1); look where the READ is.
                if (ohca_fmt_pkg::psn_lt(c.acked_psn, p)) wl.acked_psn = p;
                wl.walking = 1'b1;
                wk_start   = 1'b1;
                rx_wait    = 1'b1;
                o_we       = 1'b1;
                o_ready    = 1'b1;
              end
            end else begin
              // ACK, NAK or RNR NAK
              if (!(a_new && !c.walking && c.una != c.pi) || wk_room) begin
                drop_rx = 1'b1;
                if (a_new) begin
                  wl.acked_psn  = a;
                  wl.retry_left = c.retry_cnt;
                  wl.rnr_left   = c.rnr_retry;
                  wl.deadline   = tick + t_ack;
                  if (!c.walking && c.una != c.pi) begin
                    wl.walking = 1'b1;
                    wk_start   = 1'b1;
                  end
                  fb_push        = 1'b1;
                  fb_new.kind    = ohca_fmt_pkg::FBK_PROGRESS;
                  o_we           = 1'b1;
                end
                unique case (aeth.kind)
                  ohca_fmt_pkg::AETH_KIND_RNR: begin
                    if (!c.rnr_wait && ohca_fmt_pkg::psn_le(c.acked_psn, a)) begin
                      if (wl.rnr_left == 3'd0) begin
                        wl.err_una    = 1'b1;
                        wl.err_status = ohca_fmt_pkg::WC_STATUS_RNR_RETRY_EXC;
                        wl.err_vendor = ohca_fmt_pkg::VENDOR_ERR_RNR;
                      end else if (arm_ready && !c.timer2) begin
                        // (Without room in the timer the NAK counts as lost.)
                        if (c.rnr_retry != 3'd7) wl.rnr_left = wl.rnr_left - 3'd1;
                        wl.rnr_wait = 1'b1;
                        wl.deadline = tick + t_rnr;
                        // An entry with a later deadline may be in the timer already: this one comes beside it.
                        arm_valid      = 1'b1;
                        arm_deadline   = tick + t_rnr;
                        wl.timer_armed = 1'b1;
                        wl.timer2      = c.timer_armed;
                        fb_push        = 1'b1;
                        fb_new.kind    = ohca_fmt_pkg::FBK_RNR_WAIT;
                      end
                      o_we = 1'b1;
                    end
                  end
                  ohca_fmt_pkg::AETH_KIND_NAK: begin
                    if (ohca_fmt_pkg::psn_le(c.acked_psn, a)) begin
                      if (aeth.value == {2'b00, 3'(ohca_fmt_pkg::AETH_NAK_PSN_SEQ)}) begin
                        if (!c.rnr_wait && !c.rd_seq_wait) begin
                          if (wl.retry_left == 3'd0) begin
                            wl.err_una    = 1'b1;
                            wl.err_status = ohca_fmt_pkg::WC_STATUS_RETRY_EXC;
                            wl.err_vendor = ohca_fmt_pkg::VENDOR_ERR_SEQ;
                          end else begin
                            wl.retry_left = wl.retry_left - 3'd1;
                            wl.deadline   = tick + t_ack;
                            fb_push       = 1'b1;
                            fb_new.kind   = ohca_fmt_pkg::FBK_RESTART;
                            fb_new.psn    = c.rd_active ? c.rd_next_psn : wl.acked_psn;
                          end
                          o_we = 1'b1;
                        end
                      end else if (aeth.value <= {2'b00, 3'(ohca_fmt_pkg::AETH_NAK_REM_OP)}) begin
                        wl.err_una    = 1'b1;
                        wl.err_status = (aeth.value == 5'(ohca_fmt_pkg::AETH_NAK_INV_REQ))    ? ohca_fmt_pkg::WC_STATUS_REM_INV_REQ :
                                        (aeth.value == 5'(ohca_fmt_pkg::AETH_NAK_REM_ACCESS)) ? ohca_fmt_pkg::WC_STATUS_REM_ACCESS :
                                                                                                ohca_fmt_pkg::WC_STATUS_REM_OP;
                        wl.err_vendor = (aeth.value == 5'(ohca_fmt_pkg::AETH_NAK_INV_REQ))    ? ohca_fmt_pkg::VENDOR_ERR_NAK_INV_REQ :
                                        (aeth.value == 5'(ohca_fmt_pkg::AETH_NAK_REM_ACCESS)) ? ohca_fmt_pkg::VENDOR_ERR_NAK_REM_ACCESS :
                                                                                                ohca_fmt_pkg::VENDOR_ERR_NAK_REM_OP;
                        o_we = 1'b1;
                      end
                      // Reserved codes: ignored (IBA 9.7.5.2.8 leaves them to later versions).
                    end
                  end
                  default: ;
                endcase
                // The failing WQE is the oldest already: no walk will find it.
                if (wl.err_una && !wl.walking) begin
                  drop_rx = 1'b0;
                  o_we    = 1'b0;
                  fb_push = 1'b0;
                  fst_d   = wl.err_status;
                  fve_d   = wl.err_vendor;
                  dead_d  = 1'b1;
                  st_d    = S_FAIL;
                end
              end
            end
            if (drop_rx) begin
              o_ready = 1'b1;
              rx_take = 1'b1;
            end
          end

          // ---------------------------------------------------------- words for a walk are there
          K_WALK: begin
            left_d  = w_count;
            drain_d = 1'b1;
            wl_d    = wqe_words;
            if (o_err || !live || c.una != w_start || c.log_stride != w_stride || (!w_rd && !c.walking)) begin
              left_d = 3'd0;
              st_d   = S_DRAIN;
            end else begin
              st_d = S_W0;
            end
          end

          // ---------------------------------------------------------- reports from the send side
          K_UP: begin
            if (o_err || c.state < ohca_fmt_pkg::QP_STATE_RTS) begin
              o_ready = 1'b1;
            end else begin
              unique case (tok_up.kind)
                ohca_fmt_pkg::UPK_SENT: begin
                  if (!outstanding || ohca_fmt_pkg::psn_lt(c.sent_psn, tok_up.psn)) wl.sent_psn = tok_up.psn;
                  if (16'(c.pi - c.una) < 16'(tok_up.pi - c.una)) wl.pi = tok_up.pi;
                  set_timer = !outstanding || !c.timer_armed;
                  o_we      = 1'b1;
                  o_ready   = 1'b1;
                end
                ohca_fmt_pkg::UPK_UD_DONE: begin
                  if (rc || c.state == ohca_fmt_pkg::QP_STATE_SQE || c.state == ohca_fmt_pkg::QP_STATE_ERR || tok_up.idx != c.una) begin
                    o_ready = 1'b1;
                  end else if (tok_up.signaled) begin
                    cq_v = 1'b1;
                    if (cq_r) begin
                      una_d = c.una + 16'd1;
                      st_d  = S_END;
                    end
                  end else begin
                    una_d = c.una + 16'd1;
                    st_d  = S_END;
                  end
                end
                ohca_fmt_pkg::UPK_LOCAL_ERR: begin
                  if (!live || c.err_valid) begin
                    o_ready = 1'b1;
                  end else begin
                    cnt_lerr      = 1'b1;
                    wl.err_valid  = 1'b1;
                    wl.err_idx    = tok_up.idx;
                    wl.err_status = tok_up.status;
                    wl.err_vendor = tok_up.verr;
                    fst_d         = tok_up.status;
                    fve_d         = tok_up.verr;
                    if (tok_up.idx == c.una && !c.walking) begin
                      dead_d = 1'b1;
                      st_d   = S_FAIL;
                    end else begin
                      o_we    = 1'b1;
                      o_ready = 1'b1;
                    end
                  end
                end
                default: begin        // flush: the send engine is in ERR (SQE) and this is its producer index
                  pi_d = tok_up.pi;
                  if (live && (c.err_valid || c.err_una)) begin
                    wl.pi   = tok_up.pi;
                    o_we    = 1'b1;
                    o_ready = 1'b1;
                  end else begin
                    // Taken to ERR by a command, or posted after the error.
                    wl.state   = live ? ohca_fmt_pkg::qp_state_e'(err_state) : c.state;
                    flushing_d = 1'b1;
                    if (c.flushing) begin
                      wl.pi   = tok_up.pi;
                      o_we    = 1'b1;
                      o_ready = 1'b1;
                    end else begin
                      st_d = S_FLUSH;
                    end
                  end
                end
              endcase
            end
          end

          // ---------------------------------------------------------- timer
          K_TMR: begin
            // One entry less; if another is left it looks again.
            if (c.timer2) wl.timer2 = 1'b0;
            else          wl.timer_armed = 1'b0;
            o_we    = !o_err;
            o_ready = 1'b1;
            if (o_err || !live || !rc) begin
            end else if (c.rnr_wait ? t_ahead : (outstanding && c.timeout != 5'd0 && t_ahead)) begin
              if (!c.timer2) begin
                arm_valid      = 1'b1;
                arm_deadline   = c.deadline;
                wl.timer_armed = 1'b1;
                o_ready        = arm_ready;
              end
            end else if (c.rnr_wait) begin
              wl.rnr_wait  = 1'b0;
              fb_push      = 1'b1;
              fb_new.kind  = ohca_fmt_pkg::FBK_RESTART;
              fb_new.psn   = c.rd_active ? c.rd_next_psn : c.acked_psn;
              set_timer    = 1'b1;
            end else if (!outstanding || c.timeout == 5'd0) begin
            end else if (c.walking) begin
              // What is acknowledged is being retired: look again a little later.
              if (!c.timer2) begin
                arm_valid      = 1'b1;
                arm_deadline   = tick + 32'd64;
                wl.timer_armed = 1'b1;
                o_ready        = arm_ready;
              end
            end else if (c.retry_left == 3'd0 || c.err_valid) begin
              o_ready       = 1'b0;
              o_we          = 1'b0;
              cnt_tmo       = 1'b1;
              fst_d         = ohca_fmt_pkg::WC_STATUS_RETRY_EXC;
              fve_d         = ohca_fmt_pkg::VENDOR_ERR_TIMEOUT;
              dead_d        = 1'b1;
              st_d          = S_FAIL;
            end else begin
              cnt_tmo        = 1'b1;
              wl.retry_left  = c.retry_left - 3'd1;
              wl.rd_seq_wait = 1'b0;
              fb_push        = 1'b1;
              fb_new.kind    = ohca_fmt_pkg::FBK_RESTART;
              fb_new.psn     = c.rd_active ? c.rd_next_psn : c.acked_psn;
              set_timer      = 1'b1;
            end
          end

          // ---------------------------------------------------------- READ data is in memory, or cannot get there
          K_PLACED: begin
            if (o_err || !live || !rc) begin
              unblock = 1'b1;
              o_ready = 1'b1;
            end else if (!tok_ok) begin
              fst_d   = ohca_fmt_pkg::WC_STATUS_LOC_PROT;
              fve_d   = tok_verr;
              dead_d  = 1'b1;
              st_d    = S_FAIL;
            end else if (tok_idx != c.una) begin
              o_ready = 1'b1;         // of a former life of the QP
            end else begin
              // The READ is complete: its end is the PSN that was expected next when its last response came.
              cq_v = tok_sig;
              if (!tok_sig || cq_r) begin
                st_d    = S_END;
                una_d   = c.una + 16'd1;
                upsn_d  = c.rd_next_psn;
                ssn_d   = c.ssn + 24'd1;
                rdd_d   = c.rd_done + 8'd1;
                prog_d  = 1'b1;
                again_d = 1'b1;
              end
            end
          end

          K_CONT: begin
            if (!o_err && c.flushing && (c.state == ohca_fmt_pkg::QP_STATE_ERR || c.state == ohca_fmt_pkg::QP_STATE_SQE)) begin
              st_d = S_FLUSH;
            end else begin
              o_ready = 1'b1;
            end
          end

          K_QERR: begin
            // The responder failed: this side follows. What was posted but never sent is flushed when the send engine reports it.
            if (!o_err && live) st_d = S_FLUSH;
            else                o_ready = 1'b1;
          end

          default: begin              // K_ACC
            o_ready   = 1'b1;
            o_we      = !o_err && !o_inval && tok_acc.wmask != '0;
            unblock   = 1'b1;
          end
        endcase
      end

      // ---------------------------------------------------------------- WQEs of a walk
      S_W0: if (rf_valid) begin
        if (rf_word.err) begin
          fst_d  = ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
          fve_d  = ohca_fmt_pkg::VENDOR_ERR_WQE_FETCH;
          dead_d = 1'b1;
          st_d   = S_FAIL;
        end else begin
          w_take = 1'b1;
          st_d   = S_DEC;
        end
      end

      S_DEC: begin
        gn_d    = w0_q[15:12];
        gskip_d = rd_off;
        need_d  = {19'h0, w_len};
        src_d   = w_src;
        gl_d    = 32'd0;
        if (w0_q[31:16] != una_q) begin
          fst_d  = ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
          fve_d  = ohca_fmt_pkg::VENDOR_ERR_WQE_IDX;
          dead_d = 1'b1;
          st_d   = S_FAIL;
        end else if (w_rd) begin
          if (rd_bad) begin
            fst_d  = ohca_fmt_pkg::WC_STATUS_BAD_RESP;
            fve_d  = op_read ? ohca_fmt_pkg::VENDOR_ERR_RESP_LENGTH : ohca_fmt_pkg::VENDOR_ERR_RESP_OPCODE;
            dead_d = 1'b1;
            st_d   = S_FAIL;
          end else begin
            st_d = S_W1;
          end
        end else if (op_read) begin
          // The walk ends at a READ: its responses come next. An acknowledgement beyond its first missing PSN says that they are lost.
          rda_d     = 1'b1;
          rdn_d     = c.rd_active ? rdn_q : upsn_q;
          walking_d = 1'b0;
          restart_d = ohca_fmt_pkg::psn_lt(rdn_d, c.acked_psn) && !c.rd_seq_wait && !c.rnr_wait;
          st_d      = S_END;
        end else if (ohca_fmt_pkg::psn_le(end_psn, c.acked_psn)) begin
          // Acknowledged as a whole.
          cq_plain_d = w0_q[6] || c.sig_all;
          st_d       = S_CQE;
        end else begin
          walking_d = 1'b0;
          st_d      = S_END;
        end
      end

      S_CQE: begin
        cq_v = cq_plain_q;
        if (!cq_plain_q || cq_r) begin
          una_d  = una_q + 16'd1;
          upsn_d = end_psn;
          ssn_d  = ssn_q + 24'd1;
          prog_d = 1'b1;
          left_d = left_q - 3'd1;
          st_d   = S_SKIP;
        end
      end

      // Pass over the words of a retired WQE.
      S_SKIP: begin
        if (wl_q != 5'd0 && drain_q) begin
          w_take = rf_valid;
        end else begin
          wl_d = wqe_words;
          if (una_q == pi_q) begin
            walking_d = 1'b0;
            st_d      = S_END;
          end else if (left_q == 3'd0) begin
            again_d = 1'b1;
            st_d    = S_END;
          end else begin
            st_d = S_W0;
          end
        end
      end

      // ---------------------------------------------------------------- READ response: scatter
      S_W1: if (rf_valid) begin
        w_take = 1'b1;
        st_d   = S_SGE;
      end

      S_SGE: begin
        if (need_q == 32'd0) begin
          st_d = S_PL;
        end else if (gl_q != 32'd0) begin
          st_d = S_PL;
        end else if (gn_q == 4'd0) begin
          fst_d  = ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
          fve_d  = ohca_fmt_pkg::VENDOR_ERR_WQE_FORMAT;
          dead_d = 1'b1;
          st_d   = S_FAIL;
        end else if (rf_valid) begin
          w_take = 1'b1;
          gn_d   = gn_q - 4'd1;
          gk_d   = rf_word.data[127:96];
          if (gskip_q >= rf_word.data[95:64]) begin
            gskip_d = gskip_q - rf_word.data[95:64];
          end else begin
            ga_d    = rf_word.data[63:0] + {32'h0, gskip_q};
            gl_d    = rf_word.data[95:64] - gskip_q;
            gskip_d = 32'd0;
          end
        end
      end

      S_PL: begin
        pl_req_v = pf_room;
        if (pf_room && pl_req_r) begin
          need_d = need_q - {19'h0, pl_req_n.len};
          src_d  = src_q + {7'h0, pl_req_n.len};
          gl_d   = 32'd0;
          if (pl_req_n.last) begin
            pf_push = 1'b1;
            // The last response of a READ that completes: signaled is kept in the context until the data is there.
            st_d = S_DRAIN;
          end else begin
            st_d = S_SGE;
          end
        end
      end

      // ---------------------------------------------------------------- the oldest WQE fails, then the QP
      S_FAIL: begin
        cq_v = 1'b1;
        if (cq_r) begin
          una_d = una_q + 16'd1;
          st_d  = S_EV;
        end
      end

      S_EV: begin
        ev_v = rc;
        if (!rc || ev_r) begin
          fb_push     = 1'b1;
          fb_new.kind = ohca_fmt_pkg::FBK_ERROR;
          qe_push     = rc;
          errv_d      = 1'b0;
          erru_d      = 1'b0;
          rda_d       = 1'b0;
          walking_d   = 1'b0;
          st_d        = drain_q ? S_DRAIN : S_FLUSH;
        end
      end

      S_FLUSH: begin
        if (una_q == pi_q || fn_q == 5'd16) begin
          if (una_q == pi_q) begin
            flushing_d = 1'b0;
            st_d       = S_END;
          end else if (cf_room) begin
            cf_push    = 1'b1;
            flushing_d = 1'b1;
            st_d       = S_END;
          end else begin
            fn_d = 5'd0;              // no room to come back: go on
          end
        end else begin
          cq_v = 1'b1;
          if (cq_r) begin
            una_d = una_q + 16'd1;
            fn_d  = fn_q + 5'd1;
          end
        end
      end

      // ---------------------------------------------------------------- write back
      S_DRAIN: begin
        w_take = drain_q && rf_valid;
        if (!drain_q) st_d = dead_q ? S_FLUSH : S_END;
      end

      S_END: begin
        if (drain_q) begin
          w_take = rf_valid;
        end else begin
          wl.una         = una_q;
          wl.una_psn     = upsn_q;
          wl.ssn         = ssn_q;
          wl.rd_next_psn = rdn_q;
          wl.rd_done     = rdd_q;
          wl.rd_active   = rda_q;
          wl.err_valid   = errv_q;
          wl.err_una     = erru_q;
          wl.flushing    = flushing_q;
          wl.pi          = pi_q;
          wk_from        = una_q;
          wk_pi          = pi_q;
          if (kind == K_PLACED) wl.rd_active = 1'b0;
          if (kind == K_TMR) begin
            if (c.timer2) wl.timer2 = 1'b0;
            else          wl.timer_armed = 1'b0;
          end
          if (kind == K_QERR || (kind == K_UP && tok_up.kind == ohca_fmt_pkg::UPK_FLUSH && live)) wl.state = ohca_fmt_pkg::qp_state_e'(err_state);
          if (dead_q) begin
            wl.state       = ohca_fmt_pkg::qp_state_e'(err_state);
            wl.rnr_wait    = 1'b0;
            wl.walking     = 1'b0;
            o_we           = !o_err;
            o_ready        = 1'b1;
          end else if (o_err || (kind == K_WALK && (!live || c.una != w_start || c.log_stride != w_stride))) begin
            o_ready = 1'b1;           // nothing was done
          end else if (kind == K_WALK && w_rd) begin
            o_ready = 1'b1;           // the response's own look-up wrote everything
          end else if ((errv_q && c.err_idx == una_q) || (erru_q && !walking_q && !again_q)) begin
            // All before the failing WQE are done: now it is its turn.
            dead_d = 1'b1;
            st_d   = S_FAIL;
          end else if (again_q && una_q != pi_q && (rc && live)) begin
            if (wk_room) begin
              wl.walking = 1'b1;
              wk_start   = 1'b1;
              o_we       = 1'b1;
              o_ready    = 1'b1;
            end
          end else begin
            wl.walking = again_q ? 1'b0 : walking_q;
            o_we       = 1'b1;
            o_ready    = 1'b1;
          end
          if (o_ready && kind == K_QERR) begin
            fb_push        = 1'b1;
            fb_new.kind    = ohca_fmt_pkg::FBK_ERROR;
          end else if (o_ready && !dead_q) begin
            if (restart_q) begin
              if (c.retry_left != 3'd0) wl.retry_left = c.retry_left - 3'd1;
              wl.rd_seq_wait = 1'b1;
              fb_push        = 1'b1;
              fb_new.kind    = ohca_fmt_pkg::FBK_RESTART;
              fb_new.psn     = rdn_q;
            end else if (prog_q && rc) begin
              fb_push        = 1'b1;
              fb_new.kind    = ohca_fmt_pkg::FBK_PROGRESS;
            end
          end
          unblock = o_ready;
        end
        if (o_ready) begin
          st_d   = S_IDLE;
          wf_pop = kind == K_WALK;
        end
      end

      default: st_d = S_IDLE;
    endcase

    // Words: count, and notice the end of the fetch.
    if (w_take && rf_valid) begin
      if (wl_q != 5'd0) wl_d = wl_q - 5'd1;
      if (rf_word.last) drain_d = 1'b0;
    end

    // Timer: one entry per QP; a full timer tries again with the next report.
    if (set_timer && o_ready && rc && live && c.timeout != 5'd0) begin
      wl.deadline = tick + t_ack;
      if (!wl.timer_armed) begin
        arm_valid      = 1'b1;
        arm_deadline   = tick + t_ack;
        wl.timer_armed = arm_ready;
      end
    end

    // Feedback that carries the state of the ring
    fb_new.idx     = (st_q == S_END) ? una_q : c.una;
    fb_new.ssn     = (st_q == S_END) ? ssn_q : c.ssn;
    fb_new.rd_done = (st_q == S_END) ? rdd_q : c.rd_done;
    fb_new.una_psn = (fb_new.kind == ohca_fmt_pkg::FBK_RESTART) ? ((st_q == S_END) ? upsn_q : c.una_psn) : wl.acked_psn;
    if (fb_new.kind == ohca_fmt_pkg::FBK_PROGRESS) fb_new.psn = (st_q == S_END) ? upsn_q : c.una_psn;
    // Outputs of a commit that did not happen
    if (st_q == S_IDLE && !o_ready) begin
      fb_push   = 1'b0;
      arm_valid = 1'b0;
      wk_start  = 1'b0;
    end
    wf_push = wk_start;
  end

  assign rf_ready     = w_take;
  assign rf_req_valid = wk_start;
  always_comb begin
    rf_req         = '0;
    rf_req.buf_mtt = c.buf_mtt;
    rf_req.buf_    = c.buf_;
    rf_req.offset  = wk_off;
    rf_req.len     = {10'h0, wk_batch} << c.log_stride;
  end
  assign wf_in = {o_id, wk_from, wk_batch, c.log_stride, wk_rd, r_op, p, 20'(rxd_i.base + {12'h0, rxd_i.pay_off}), rxd_i.plen, rxd_i.slot};

  assign pf_in = {o_id, w_slot, rd_lastp, una_q, w0_q[6] || c.sig_all, len_q};

  always_comb begin
    pl_req_n         = '0;
    pl_req_n.need_rw = 1'b0;
    pl_req_n.priv    = c.priv;
    pl_req_n.pd      = c.pd;
    pl_req_n.key     = gk_q;
    pl_req_n.va      = ga_q;
    pl_req_n.src     = src_q;
    pl_req_n.len     = (gl_q < need_q) ? gl_q[12:0] : need_q[12:0];
    pl_req_n.chk_len = (gl_q < need_q) ? gl_q : need_q;
    pl_req_n.last    = gl_q >= need_q || need_q == 32'd0;
    pl_req_n.empty   = need_q == 32'd0;
    if (need_q == 32'd0) pl_req_n.len = '0;
  end

  always_comb begin
    cq_n          = '0;
    cq_n.cqn      = c.cqn;
    cq_n.qpn      = o_id;
    cq_n.opcode   = op;
    cq_n.idx      = una_q;
    cq_n.byte_len = len_q;
    if (st_q == S_IDLE) begin         // a datagram left, or a READ is complete
      cq_n.idx      = c.una;
      cq_n.opcode   = (kind == K_PLACED) ? ohca_fmt_pkg::WR_OP_RDMA_READ : tok_up.wrop;
      cq_n.byte_len = (kind == K_PLACED) ? tok_len : '0;
    end else if (st_q == S_FAIL) begin
      cq_n.status   = ohca_fmt_pkg::wc_status_e'(fst_q);
      cq_n.verr     = ohca_fmt_pkg::vendor_err_e'(fve_q);
      cq_n.byte_len = '0;
    end else if (st_q == S_FLUSH) begin
      cq_n.status   = ohca_fmt_pkg::WC_STATUS_WR_FLUSH;
      cq_n.verr     = ohca_fmt_pkg::VENDOR_ERR_FLUSH;
      cq_n.byte_len = '0;
    end
  end

  always_comb begin
    ev_n          = '0;
    ev_n.etype    = ohca_fmt_pkg::EQE_TYPE_QP_FATAL;
    ev_n.port     = 8'd1;
    ev_n.syndrome = {8'h0, fst_q};
    ev_n.num      = {8'h0, o_id};
  end

  // An access replaces one dword.
  logic [1023:0] acc_line;
  logic [31:0]   acc_old;
  always_comb begin
    acc_line = o_line;
    acc_old  = o_line[32*tok_acc.dw +: 32];
    acc_line[32*tok_acc.dw +: 32] = (acc_old & ~tok_acc.wmask) | (tok_acc.wdata & tok_acc.wmask);
  end
  assign o_wline = (kind == K_ACC && st_q == S_IDLE) ? acc_line : wl;
  assign acc_rsp_valid_o = st_q == S_IDLE && o_valid && o_ready && kind == K_ACC;
  assign acc_rdata_o     = acc_old;
  assign acc_err_o       = o_err;

  // Releases: dropped and consumed responses at once, READ data when it is written. Both may fall into one cycle.
  logic       rel_now, rel_v_q;
  logic [5:0] rel_s_q;
  logic       rel_pl;
  assign rel_now     = rx_take && drop_rx && o_ready;
  assign rel_pl      = pl_rsp_valid_i && pf_valid;
  assign rel_valid_o = rel_pl || rel_v_q;
  assign rel_slot_o  = rel_pl ? p_slot : rel_s_q;
  logic rxd_fail;                     // a response that failed its QP
  assign rxd_fail    = kind == K_RX && st_q == S_END && o_ready;
  assign rxd_ready_o = (rx_take && o_ready) || rxd_fail;

  // A response dropped while walking words (S_FAIL of a READ response) gives its slot back too.
  logic rel_walk;
  assign rel_walk = kind == K_WALK && w_rd && st_q == S_END && o_ready && (dead_q || !live || o_err || c.una != w_start || c.log_stride != w_stride);

  ohca_fifo #(.Width(6), .Depth(8)) u_rel (
    .clk_i, .rst_i, .valid_i(rel_now || rxd_fail || rel_walk), .ready_o(), .data_i(rel_walk ? w_slot : rxd_i.slot),
    .valid_o(rel_v_q), .ready_i(!rel_pl), .data_o(rel_s_q), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ state
  always_ff @(posedge clk_i) begin
    st_q      <= st_d;
    una_q     <= una_d;     upsn_q    <= upsn_d;    ssn_q     <= ssn_d;     rdn_q  <= rdn_d;   rdd_q    <= rdd_d;
    rda_q     <= rda_d;     walking_q <= walking_d; restart_q <= restart_d; errv_q <= errv_d;  erru_q   <= erru_d;
    prog_q    <= prog_d;    dead_q    <= dead_d;    pi_q      <= pi_d;      left_q <= left_d;  wl_q     <= wl_d;
    drain_q   <= drain_d;   again_q   <= again_d;   fst_q     <= fst_d;     fve_q  <= fve_d;   fn_q     <= fn_d;
    gskip_q   <= gskip_d;   gn_q      <= gn_d;      src_q     <= src_d;     need_q <= need_d;
    gl_q      <= gl_d;      gk_q      <= gk_d;      ga_q      <= ga_d;
    flushing_q <= flushing_d;  cq_plain_q <= cq_plain_d;
    if (w_take && st_q == S_W0) begin
      w0_q  <= rf_word.data[31:0];
      len_q <= rf_word.data[63:32];
    end

    walk_q <= (walk_q || (lk_valid && lk_ready && lk_kind == K_WALK)) && !wf_pop;
    rx_busy_q <= (rx_busy_q || (lk_valid && lk_ready && lk_kind == K_RX)) &&
                 !(o_valid && kind == K_RX && o_ready);
    // A response waits for the end of a walk of its QP; any end will do, it looks again.
    if (rx_wait && o_ready) begin
      rx_blk_q   <= !unblock;
      rx_tried_q <= wk_start;
    end else if (unblock) begin
      rx_blk_q <= 1'b0;
    end
    if (rxd_ready_o) rx_tried_q <= 1'b0;

    nonup_q <= nonup_q + 7'(lk_valid && lk_ready && lk_kind != K_UP) - 7'(o_valid && o_ready && kind != K_UP);
    ups_q   <= ups_q + 7'(lk_valid && lk_ready && lk_kind == K_UP) - 7'(o_valid && o_ready && kind == K_UP);
    if (rst_i) begin
      st_q       <= S_IDLE;
      walk_q     <= 1'b0;
      rx_busy_q  <= 1'b0;
      rx_blk_q   <= 1'b0;
      rx_tried_q <= 1'b0;
      nonup_q    <= '0;
      ups_q      <= '0;
    end
  end

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_QPN]       = cnt_qpn;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_QP_STATE]  = cnt_state;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_PATH]      = cnt_path;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_PKEY]      = cnt_pkey;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_RESP_BAD]  = cnt_bad;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_OOO]       = cnt_dup;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_TIMEOUT]   = cnt_tmo;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = cnt_lerr;
  end

  assign idle_o = ctx_idle && rf_idle && tmr_idle && st_q == S_IDLE && !o_valid && !wf_valid && !pf_valid && !df_valid && !cf_valid &&
                  !fb_valid_o && !qerr_valid_o && !rxd_valid_i && up_valid_i == 2'b00 && !acc_valid_i && !qerr_valid_i && !exp_valid &&
                  !rel_v_q && !cq_valid_o && !ev_valid_o && !pl_req_valid_o;

  // Fields that other blocks look at, and the parts of sums that are cut off.
  logic unused;
  assign unused = &{1'b0, cfg_i, rxd_i, rf_word, bth, av, tok_up, tok_acc, tok_last, t_long, t_rnr_long, aeth, w0_q};

endmodule

`default_nettype wire
