// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine: responses and the send engine's reports in; retired WQEs, READ data, completions, retries and
// timers out. On context hits two cycles a response or a report at the commit; at the walk seven a response that
// retires a 64-byte WQE and four for each further one (512 bits: six and two). Commit, fetch and walk overlap. (With
// Compact there is one response and one report on the way to the commit at a time, which takes about ten cycles.)
//
//   lookup -> ctx -> commit --> F: get WQEs  --> L: walk, retire, scatter READ data --> R: placed? CQE, release
//      ^               |                                                                  |
//      +--- update ----+------------------------------------------------------------------+
//
// WQEs are looked at again when they retire: as they were sent, while ohca_ra_kept has that, else in host memory. What
// that finds out (oldest WQE, its PSN, READ progress) is the *late* state of the QP. While packets of a QP are between
// commit and R, its late state lives in an entry of a small table, advanced by L and confirmed by R; an update token
// carries it to the context, where retries, timers, feedback and errors are decided, and frees the entry when nothing
// is under way. So responses of one QP stream without waiting for the fetch of the one before.
//  * ACKs merge into a walk that has not begun yet.
//  * F guesses which WQE a response will meet; where L finds the guess short, the token goes round again with what L
//    knows by then. A number per QP keeps its tokens in order meanwhile; other QPs go on.
//  * A failure found by R kills the QP's later tokens on their way. A failure found by L leaves its view where it was,
//    so later data does not fit. Data handed to the placement unit is chained to that of the token before (chain, prev
//    of pl_req; the entry is the number), so nothing behind a refused packet is written.
//
// It does NOT process atomics, and keeps no list of outstanding WQEs.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ra_stream #(
  parameter int unsigned DW         = 64,
  parameter int unsigned Sets       = 256,     // context cache
  parameter int unsigned Ways       = 1,
  parameter int unsigned CtxFills   = 8,       // misses, lookups and write-backs of it in flight, powers of two
  parameter int unsigned CtxDepth   = 32,
  parameter int unsigned CtxEvicts  = 32,
  parameter bit          Compact    = 1'b0,  // contexts one after the other (ohca_ctx), packets coming in wait in
                                             // front, a single register for reports
  parameter int unsigned InFlight   = 32,      // responses past the lookup, and QPs with such: power of two
  parameter int unsigned TimerDepth = 4096,    // QP numbers, power of two: each has a timer
  parameter int unsigned Flushing   = 256,     // QPs whose send queues can be flushed at a time, power of two, at least
                                               // 128
  parameter int unsigned BatchBytes = 4096,    // WQEs fetched at once, at most 4096
  parameter int unsigned Kept       = 2048,     // WQEs kept from when they were sent, power of two; none with Compact
  parameter bit          FatalEvent = 1'b1     // a QP that fails raises qp_fatal besides its completion
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic [63:0]               now_i,
  output logic                      idle_o,
  output logic [63:0]               cnt_o,
  output logic                      tmr_any_o,        // a timer runs; the earliest deadline in ticks
  output logic [31:0]               tmr_next_o,

  input  logic [39:0]               base_i,           // QP contexts in context memory
  input  logic [24:0]               limit_i,          // QP numbers that exist
  input  ohca_fmt_pkg::port_cfg_t   cfg_i,            // cyc_4us, cyc_10us, lmc
  output logic [15:0]               pkey_idx_o,       // P_Key table, combinational
  input  logic [15:0]               pkey_i,

  input  logic                      rxd_valid_i,
  output logic                      rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t        rxd_i,

  input  logic [1:0]                up_valid_i,       // 0 ohca_sq, 1 ohca_txbuild
  output logic [1:0]                up_ready_o,
  input  logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0] up_i,
  input  logic [9:0]                up_seq_i,         // how many reports ohca_sq has made, modulo 1024

  input  logic                      sent_valid_i,     // WQEs as ohca_sq sends them; always taken
  input  ohca_fmt_pkg::wqe_sent_t   sent_i,

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,            // stays until its answer
  output ohca_fmt_pkg::acc_rsp_t    acc_rsp_o,

  input  logic                      qerr_valid_i,     // the responder side of this QP went to ERR
  output logic                      qerr_ready_o,
  input  logic [23:0]               qerr_qpn_i,
  input  logic                      cqerr_valid_i,    // a completion of this QP could not be written
  output logic                      cqerr_ready_o,
  input  logic [23:0]               cqerr_qpn_i,
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

  output ohca_fmt_pkg::viol_note_t  viol_o,           // a packet was refused for its P_Key; always taken

  // Shared response of ohca_dma_rd; the two clients below have a valid each.
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  ohca_fmt_pkg::hrd_beat_t   rd_rsp_i,

  output ohca_fmt_pkg::ctx_req_t    ctx_o,            // dma_rd, dma_wr and icm client 1
  input  ohca_fmt_pkg::ctx_rsp_t    ctx_i,
  output logic [DW-1:0]             ctx_dat_o,
  input  ohca_fmt_pkg::hwr_cnt_t    wr_cnt_i,

  output ohca_fmt_pkg::fetch_req_t  ring_o,           // tpt client 1, dma_rd client 7
  input  ohca_fmt_pkg::fetch_rsp_t  ring_i
);

  localparam int unsigned EW       = $clog2(InFlight);
  localparam int unsigned PayW     = Compact ? EW : 82;   // with Compact accesses and reports stay where they come from
  localparam bit          Slow     = DW <= 64;   // a packet has at least four beats: queues that only decouple need no
                                                 // more than half the rate
  localparam int unsigned Words    = 29;       // of a context; the rest is reserved
  localparam int unsigned QpW      = $clog2(TimerDepth);

  if ((1 << EW) != InFlight || InFlight < 8 || InFlight > 64 || Flushing < 128 || BatchBytes < 256 || BatchBytes > 4096)
      begin : g_bad_size
    $error("ohca_ra: InFlight 8 to 64, Flushing >= 128, BatchBytes 256 to 4096");
  end

  // ================================================================================================ lookup
  ohca_fmt_pkg::rxd_t   p;                     // the response, and the report, that came with the context at the commit
  ohca_fmt_pkg::ra_up_t u;
  logic [PayW-1:0]      cpay;                  // what came with it
  logic [PayW+2:0]      lk_token;
  logic [23:0]          lk_id, uq_qpn, fl_qpn, cid;
  logic [EW-1:0]        uq_e;
  logic [7:0]           fb_count, qe_count;
  logic                 pq_valid, pq_pop, uq_valid, uq_pop, in_idle, lk_valid, lk_ready, lk_inval;
  logic                 fl_push, c_fire;
  logic                 arm_valid, arm_ready, exp_valid, exp_pop, tmr_idle;
  logic [23:0]          exp_qpn;
  logic [31:0]          arm_deadline;
  logic [QpW-1:0]       arm_num, exp_num;
  assign exp_qpn = 24'(exp_num);
  ohca_timer #(.Depth(TimerDepth)) u_timer (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(tmr_idle), .now_i(now_i),
    .arm_valid_i(arm_valid), .arm_ready_o(arm_ready), .arm_qpn_i(arm_num), .arm_deadline_i(arm_deadline),
    .exp_valid_o(ex_valid), .exp_ready_i(ex_ready), .exp_qpn_o(ex_num), .any_o(tmr_any_o), .next_o(tmr_next_o)
  );

  // Compact: who is next comes from flops here, too.
  logic           ex_valid, ex_ready;
  logic [QpW-1:0] ex_num;
  if (Compact) begin : g_exp
    ohca_fifo #(.Width(QpW), .Depth(2), .Single(1'b1), .UseRam(1'b0)) u_exp (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(ex_valid), .ready_o(ex_ready), .data_i(ex_num),
      .valid_o(exp_valid), .ready_i(exp_pop), .data_o(exp_num), .count_o(), .almost_full_o()
    );
  end else begin : g_exp_now
    assign {exp_valid, ex_ready, exp_num} = {ex_valid, exp_pop, ex_num};
  end

  // Accesses and errors are seen a cycle after they came, as they stay until they are taken: so whose turn it is comes
  // from flops. None of them comes in every cycle.
  logic                 acc_q, qerr_q, cqerr_q;
  always_ff @(posedge clk_i) begin
    acc_q   <= acc_valid_i && !acc_ready_o && !rst_i;
    qerr_q  <= qerr_valid_i && !qerr_ready_o && !rst_i;
    cqerr_q <= cqerr_valid_i && !cqerr_ready_o && !rst_i;
  end
  ohca_ra_in #(.InFlight(InFlight), .Flushing(Flushing), .Compact(Compact), .Slow(Slow)) u_in (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(in_idle),
    .rxd_valid_i(rxd_valid_i), .rxd_ready_o(rxd_ready_o), .rxd_i(rxd_i),
    .up_valid_i(up_valid_i), .up_ready_o(up_ready_o), .up_i(up_i), .up_seq_i(up_seq_i),
    .flush_valid_i(fl_push), .flush_qpn_i(fl_qpn),
    .acc_valid_i(acc_q), .acc_ready_o(acc_ready_o), .acc_i(acc_i),
    .news_valid_i(uq_valid), .news_ready_o(uq_pop), .news_e_i(uq_e), .news_qpn_i(uq_qpn),
    .exp_valid_i(exp_valid), .exp_ready_o(exp_pop), .exp_qpn_i(exp_qpn),
    .qerr_valid_i(qerr_q), .qerr_ready_o(qerr_ready_o), .qerr_qpn_i(qerr_qpn_i),
    .cqerr_valid_i(cqerr_q), .cqerr_ready_o(cqerr_ready_o), .cqerr_qpn_i(cqerr_qpn_i),
    .fb_count_i(fb_count), .qerr_count_i(qe_count),
    .tok_free_i(c_fire && say.tok_free), .fin_free_i(r_fin), .ent_free_i(c_fire && say.ent_free),
    .lk_valid_o(lk_valid), .lk_ready_i(lk_ready), .lk_inval_o(lk_inval), .lk_id_o(lk_id), .lk_token_o(lk_token),
    .pay_i(cpay), .packet_o(p), .packet_there_o(pq_valid), .packet_done_i(pq_pop),
    .report_o(u), .report_done_i(c_fire && ck == ohca_fmt_pkg::RA_CK_UP)
  );

  logic                 o_valid, o_ready, o_err, o_inval, o_we, ctx_idle;
  logic [23:0]          o_id;
  logic [PayW+2:0]      o_token;
  logic [ohca_fmt_pkg::RAC_BITS-1:0] o_line, o_wline;

  ohca_ctx #(
    .DW(DW), .LineBytes(ohca_fmt_pkg::RAC_BYTES), .Sets(Sets), .Ways(Ways), .TokenW(PayW + 3),
    .Stride(ohca_fmt_pkg::QPC_STRIDE), .Offset(ohca_fmt_pkg::QPC_RAC_OFFSET),
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(32 * Words),
    .HotBytes(ohca_fmt_pkg::QPC_HOT_BYTES), .Pass(1'b1), .Same(1), .Small(Compact),
    .Words(32'h0000_3fff)                                        // only the management core writes the others
  ) u_ctx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(ctx_idle), .base_i(base_i), .limit_i(limit_i),
    .lk_valid_i(lk_valid), .lk_ready_o(lk_ready), .lk_id_i(lk_id), .lk_set_i('0), .lk_token_i(lk_token),
    .lk_inval_i(lk_inval),
    .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(o_valid), .out_ready_i(o_ready), .out_id_o(o_id), .out_token_o(o_token),
    .out_line_o(o_line),
    .out_err_o(o_err), .out_inval_o(o_inval), .out_we_i(o_we), .out_wline_i(o_wline),
    .out_word_i(acc_dw), .out_word_data_i(acc_wdata), .out_word_mask_i(acc_mask),
    .out_edit_i(edit), .out_edit_done_o(edit_done), .out_word_o(edit_old),
    .icm_valid_o(ctx_o.icm_valid), .icm_ready_i(ctx_i.icm_ready), .icm_addr_o(ctx_o.icm_addr),
    .icm_rsp_valid_i(ctx_i.icm_rsp_valid), .icm_rsp_ok_i(ctx_i.icm_rsp_ok), .icm_rsp_addr_i(ctx_i.icm_rsp_addr),
    .rd_valid_o(ctx_o.rd_valid), .rd_ready_i(ctx_i.rd_ready), .rd_o(ctx_o.rd),
    .rd_rsp_valid_i(ctx_i.rd_rsp_valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err),
    .wr_valid_o(ctx_o.wr_valid), .wr_ready_i(ctx_i.wr_ready), .wr_o(ctx_o.wr),
    .wr_dat_valid_o(ctx_o.dat_valid), .wr_dat_ready_i(ctx_i.dat_ready), .wr_dat_o(ctx_dat_o),
    .wr_dat_last_o(ctx_o.dat_last),
    .wr_issued_i(wr_cnt_i.issued), .wr_acked_i(wr_cnt_i.acked)
  );

  // ================================================================================================ entries
  ohca_fmt_pkg::ra_qp_t   info_in, f_qp, w_qp, r_qp;
  ohca_fmt_pkg::ra_late_t f_late, w_late, l_late;
  logic [InFlight-1:0]    eupd;                // news that the commit has not read
  logic [5:0]             l_e6;                // at L
  logic [EW-1:0]          f_e, r_e, he_q, fe_q, ue;
  logic [EW:0]            e_seq;
  logic [23:0]            w_psn;
  logic [15:0]            w_pi;
  logic                   hit_q, hit_ok, e_open, e_none, ent_push, f_walked, w_turn, w_open, w_chain;
  logic                   l_save, l_may_save, l_fin_ok, l_placed, r_fin, r_rel;
  ohca_ra_entry #(.InFlight(InFlight), .Compact(Compact)) u_entry (
    .clk_i(clk_i), .rst_i(rst_i),
    .find_i(c_idle), .valid_i(o_valid), .qpn_i(o_id), .known_i(ck == ohca_fmt_pkg::RA_CK_UPD), .known_e_i(ue),
    .ok_o(hit_ok), .hit_o(hit_q), .e_o(he_q), .free_o(fe_q), .open_o(e_open), .none_o(e_none), .seq_o(e_seq),
    .fire_i(c_fire), .push_i(ent_push), .alloc_i(c_alloc), .merge_i(say.merge), .drop_i(say.ent_drop),
    .ack_i(tk.kind == ohca_fmt_pkg::RA_TK_ACK), .psn_i(tk.psn), .pi_i(cx.pi), .qp_i(info_in), .late_i(cl),
    .f_e_i(f_e), .f_qp_o(f_qp), .f_late_o(f_late), .f_walked_o(f_walked),
    .w_look_i(lq_pop && lq_valid), .w_tok_i(lq.t), .w_turn_o(w_turn), .w_open_o(w_open), .w_qp_o(w_qp),
    .w_late_o(w_late),
    .w_e_i(l_e6[EW-1:0]), .w_psn_o(w_psn), .w_pi_o(w_pi), .w_chain_o(w_chain),
    .w_save_i(l_save), .w_late_i(l_late), .w_fin_i(l_fin_ok), .w_placed_i(l_placed),
    .r_e_i(r_e), .r_qp_o(r_qp), .r_fin_i(r_fin)
  );

  // ================================================================================================ commit
  ohca_fmt_pkg::rac_t       cx, n;
  ohca_fmt_pkg::ra_ck_e     ck;
  ohca_fmt_pkg::qp_state_e  was;               // the state before an access
  ohca_fmt_pkg::ra_look_t   lk;                // what there is to compare, in the cycle in which the context comes
  ohca_fmt_pkg::ra_late_t   a_snap, usnap;     // news, and as they were told
  ohca_fmt_pkg::ra_act_e    a_act, uact;
  logic [7:0]               a_stat, a_verr, ustat, uverr;
  logic                     cerr, c_idle, c_rnr, c_ready, edit, edit_done, acc_state, acc_chg, upd_start, unews;
  logic [4:0]               acc_dw;
  logic [31:0]              acc_wdata, acc_bits, acc_mask, acc_old, edit_old;
  assign cid  = o_id;
  assign cerr = o_err;
  assign ck   = ohca_fmt_pkg::ra_ck_e'(o_token[PayW+2:PayW]);
  assign cpay = o_token[PayW-1:0];
  assign ue   = o_token[EW-1:0];
  assign {acc_dw, acc_wdata, acc_bits} = Compact ? {acc_i.dw, acc_i.wdata, acc_i.wmask} : 69'(cpay);
  ohca_ra_hold #(.Compact(Compact)) u_hold (
    .clk_i(clk_i), .rst_i(rst_i),
    .in_valid_i(o_valid), .in_kind_i(ck), .in_i(o_line[32*Words-1:0]), .news_late_i(a_snap), .news_act_i(a_act),
    .news_status_i(a_stat), .news_verr_i(a_verr),
    .acc_dw_i(acc_dw), .acc_wdata_i(acc_wdata), .acc_bits_i(acc_bits), .acc_mask_o(acc_mask),
    .edit_o(edit), .edit_done_i(edit_done), .edit_old_i(edit_old),
    .idle_o(c_idle), .told_o(upd_start), .rnr_o(c_rnr), .ready_o(c_ready), .end_i(c_fire), .cx_o(cx), .was_o(was),
    .acc_state_o(acc_state), .acc_chg_o(acc_chg), .acc_old_o(acc_old), .late_o(usnap), .act_o(uact),
    .status_o(ustat), .verr_o(uverr)
  );
  ohca_ra_look #(.Compact(Compact)) u_look (
    // more than 6 GHz would need more bits
    .clk_i(clk_i), .load_i(c_idle), .tick_i(tick), .cyc_4us_i(cfg_i.cyc_4us[15:0]),
    .cyc_10us_i(cfg_i.cyc_10us[15:0]), .lmc_i(cfg_i.lmc),
    .kind_i(ck), .cx_i(1024'(o_line[32*Words-1:0])), .err_i(o_err), .up_i(u), .p_i(p), .pkey_idx_o(pkey_idx_o),
    .pkey_i(pkey_i),
    .news_i(unews), .una_i(a_snap.una), .acked_i(a_snap.acked), .rd_done_i(a_snap.rd_done),
    .rnr_i(c_rnr), .rnr_code_i(uverr[4:0]), .rnr_tmr_i(cx.tmr), .look_o(lk)
  );

  // ---- decision
  logic                   c_chg, c_alloc, flq_push, c_ev, c_qerr, c_cqe, c_cqe2, c_arm, fb_act, fb_first, tq_ready;
  logic [7:0]             f_status, f_verr;
  logic [31:0]            tick;
  logic [63:0]            c_cnt;
  ohca_fmt_pkg::ra_say_t  say;
  ohca_fmt_pkg::ra_late_t cl;
  ohca_fmt_pkg::ra_tok_t  tk;
  ohca_fmt_pkg::sq_fb_t   fb;
  ohca_fmt_pkg::cq_req_t  cc;
  ohca_fmt_pkg::rx_viol_t viol;
  assign tick = now_i[39:8];

  // The context's late state.
  always_comb begin
    cl           = '0;
    cl.una       = cx.una;
    cl.una_psn   = cx.una_psn;
    cl.acked     = cx.acked_psn;
    cl.rd_done   = cx.rd_done;
    cl.rd_active = cx.rd_active;
    cl.seq_wait  = cx.rd_seq_wait;
    cl.end_valid = cx.end_valid;
    cl.end_psn   = cx.end_psn;
  end

  // What follows from it is told a cycle later.
  ohca_fmt_pkg::cq_req_t x_cq;
  logic [5:0]            r_slot;
  logic                  x_room, x_rel_room, x_idle, x_cq_valid, x_cq_ready;
  ohca_ra_commit #(.Compact(Compact), .FatalEvent(FatalEvent)) u_commit (
    .clk_i(clk_i), .rst_i(rst_i), .act_i(c_ready && hit_ok), .room_i(x_room), .rel_room_i(x_rel_room),
    .tok_ready_i(tq_ready), .save_i(l_may_save), .fire_o(c_fire), .push_o(ent_push), .alloc_o(c_alloc),
    .qpn_i(cid), .err_i(cerr), .cx_i(cx), .was_i(was),
    .acc_state_i(acc_state), .look_i(lk), .p_i(p), .up_i(u), .late_i(usnap),
    .act_news_i(uact), .act_status_i(ustat), .act_verr_i(uverr), .hit_i(hit_q), .open_i(e_open),
    .none_i(e_none && !eupd[he_q]), .e_i(6'(hit_q ? he_q : fe_q)), .seq_i(7'(e_seq)),
    .say_o(say), .tok_o(tk), .chg_o(c_chg), .next_o(n), .progress_o(fb_first), .fb_act_o(fb_act), .fb_o(fb),
    .cqe_o(c_cqe), .cqe2_o(c_cqe2), .cq_o(cc), .status_o(f_status), .verr_o(f_verr), .ev_o(c_ev), .qerr_o(c_qerr),
    .flush_o(flq_push), .arm_o(c_arm), .cnt_o(c_cnt), .viol_o(viol)
  );
  ohca_ra_follow #(.QpW(QpW), .Arms(Compact ? 16 : 32), .Slow(Slow)) u_follow (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(x_idle), .room_o(x_room), .rel_room_o(x_rel_room), .fire_i(c_fire),
    .progress_i(fb_first), .fb_valid_i(fb_act), .fb_i(fb),
    .cqe_i(c_cqe), .cqe2_i(c_cqe2), .cq_i(cc), .idx2_i(lk.idx1), .status_i(f_status), .verr_i(f_verr),
    .ev_i(c_ev), .qerr_i(c_qerr), .flush_i(flq_push), .arm_i(c_arm), .deadline_i(n.deadline),
    .rel_i(say.rel), .slot_i(p.slot), .r_rel_i(r_rel), .r_slot_i(r_slot),
    .fb_valid_o(fb_valid_o), .fb_ready_i(fb_ready_i), .fb_o(fb_o), .fb_count_o(fb_count),
    .cq_valid_o(x_cq_valid), .cq_ready_i(x_cq_ready), .cq_o(x_cq),
    .ev_valid_o(ev_valid_o), .ev_ready_i(ev_ready_i), .ev_o(ev_o),
    .qerr_valid_o(qerr_valid_o), .qerr_ready_i(qerr_ready_i), .qerr_qpn_o(qerr_qpn_o), .qerr_count_o(qe_count),
    .flush_valid_o(fl_push), .flush_qpn_o(fl_qpn),
    .arm_valid_o(arm_valid), .arm_ready_i(arm_ready), .arm_qpn_o(arm_num), .arm_deadline_o(arm_deadline),
    .rel_valid_o(rel_valid_o), .rel_slot_o(rel_slot_o)
  );

  assign o_ready = c_fire;
  // the cache has written what it edited
  assign o_we    = !cerr && (c_chg || (!Compact && ck == ohca_fmt_pkg::RA_CK_ACC && acc_chg));
  assign o_wline = n;
  assign pq_pop  = c_fire && ck == ohca_fmt_pkg::RA_CK_RESP;

  always_ff @(posedge clk_i) begin
    acc_rsp_o.valid <= !rst_i && c_fire && ck == ohca_fmt_pkg::RA_CK_ACC;
    if (c_ready) begin
      acc_rsp_o.rdata <= acc_old;
      acc_rsp_o.err   <= cerr;
    end
  end

  // ---- entries: the commit's side
  always_comb begin
    info_in.qpn        = cid;
    info_in.buf_mtt    = cx.buf_mtt;
    info_in.ring       = cx.buf_;
    info_in.log_size   = cx.log_size;
    info_in.log_stride = cx.log_stride;
    info_in.pd         = cx.pd;
    info_in.priv       = cx.priv;
    info_in.mtu        = cx.mtu;
    info_in.cqn        = cx.cqn;
    info_in.sig_all    = cx.sig_all;
  end

  // ================================================================================================ F: fetch
  ohca_fmt_pkg::ra_tok_t   rq_in;
  ohca_fmt_pkg::ra_ltok_t  lq;
  ohca_fmt_pkg::ra_ask_t   ask;
  ohca_fmt_pkg::ring_req_t rf_out;
  logic                    rq_push, rf_valid, rf_take, rf_idle, lq_valid, lq_pop, ask_valid, ask_ready, kept_idle;
  ohca_ra_fetch #(.InFlight(InFlight), .BatchBytes(BatchBytes), .Few(Compact), .Slow(Slow)) u_fetch (
    .clk_i(clk_i), .rst_i(rst_i),
    .tok_valid_i(ent_push), .tok_ready_o(tq_ready), .tok_i(tk), .again_valid_i(rq_push), .again_i(rq_in),
    .e_o(f_e), .qp_i(f_qp), .late_i(f_late), .walked_i(f_walked),
    .ask_valid_o(ask_valid), .ask_ready_i(ask_ready), .ask_o(ask),
    .ltok_valid_o(lq_valid), .ltok_ready_i(lq_pop), .ltok_o(lq)
  );
  logic                     word_valid, word_ready, word_pass, word_pass_last, rw_valid, rw_ready, rw_pass, rw_last;
  ohca_fmt_pkg::ring_word_t word, rw;
  if (Compact) begin : g_read
    assign {rf_valid, rf_out, ask_ready}                       = {ask_valid, ask.ring, rf_take};
    assign {word_valid, word, word_pass_last, rw_ready, rw_pass} = {rw_valid, rw, rw_last, word_ready, word_pass};
    assign kept_idle = 1'b1;
    logic unused_kept;
    assign unused_kept = &{1'b0, ask, sent_valid_i, sent_i};
  end else begin : g_kept
    ohca_ra_kept #(.Lines(Kept), .Beat((DW > 128) ? DW / 128 : 1)) u_kept (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(kept_idle), .sent_valid_i(sent_valid_i), .sent_i(sent_i),
      .ask_valid_i(ask_valid), .ask_ready_o(ask_ready), .ask_i(ask),
      .ring_valid_o(rf_valid), .ring_ready_i(rf_take), .ring_o(rf_out),
      .ring_word_valid_i(rw_valid), .ring_word_ready_o(rw_ready), .ring_word_i(rw), .ring_pass_o(rw_pass),
      .ring_pass_last_i(rw_last),
      .word_valid_o(word_valid), .word_ready_i(word_ready), .word_o(word), .word_pass_i(word_pass),
      .word_pass_last_o(word_pass_last)
    );
  end
  // Wide hosts: what goes by while fetches of 4 KiB are answered and walked. Block RAM is 512 words deep anyway.
  ohca_ring_fetch #(.DW(DW), .Depth((DW == 512) ? 32 : 16),
                    .BufBytes(Compact ? 4096 : (DW == 512) ? 16384 : 8192), .Stage(!Compact), .Single(Compact)) u_ring (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rf_idle),
    .req_valid_i(rf_valid), .req_ready_o(rf_take), .req_i(rf_out),
    .word_valid_o(rw_valid), .word_ready_i(rw_ready), .word_o(rw), .pass_i(rw_pass),
    .pass_last_o(rw_last), .beat_o(),
    .tpt_valid_o(ring_o.tpt_valid), .tpt_ready_i(ring_i.tpt_ready), .tpt_o(ring_o.tpt),
    .tpt_rsp_valid_i(ring_i.tpt_rsp_valid), .tpt_rsp_i(ring_i.tpt_rsp),
    .rd_valid_o(ring_o.rd_valid), .rd_ready_i(ring_i.rd_ready), .rd_o(ring_o.rd),
    .rd_rsp_valid_i(ring_i.rd_rsp_valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err)
  );

  // ================================================================================================ L: walk
  ohca_fmt_pkg::ra_item_t it;
  logic                   it_push, it_ready;
  ohca_ra_walk #(.Beat((DW > 128) ? DW / 128 : 1), .Slow(Slow)) u_walk (
    .clk_i(clk_i), .rst_i(rst_i),
    .ltok_valid_i(lq_valid), .ltok_ready_o(lq_pop), .ltok_i(lq), .turn_i(w_turn), .open_i(w_open),
    .qp_i(w_qp), .late_i(w_late), .e_o(l_e6), .open_psn_i(w_psn), .open_pi_i(w_pi), .chain_i(w_chain),
    .save_o(l_save), .may_save_o(l_may_save), .fin_o(l_fin_ok), .placed_o(l_placed), .late_o(l_late),
    .again_valid_o(rq_push), .again_o(rq_in),
    .word_valid_i(word_valid), .word_ready_o(word_ready), .word_i(word), .word_pass_o(word_pass),
    .word_pass_last_i(word_pass_last),
    .item_valid_o(it_push), .item_ready_i(it_ready), .item_o(it),
    .pl_valid_o(pl_req_valid_o), .pl_ready_i(pl_req_ready_i), .pl_o(pl_req_o)
  );

  // ================================================================================================ R: result
  // An entry begins there a cycle late: none of its items is that far yet, and the next token sees what is untold two
  // cycles later at the earliest.
  logic          new_q;
  logic [EW-1:0] new_e_q;
  always_ff @(posedge clk_i) begin
    new_q   <= !rst_i && ent_push && c_alloc;
    new_e_q <= fe_q;
  end
  // A QP that is reset has no completions any more, whatever is still on its way.
  ohca_ra_result #(.InFlight(InFlight), .Slow(Slow)) u_result (
    .clk_i(clk_i), .rst_i(rst_i),
    .item_valid_i(it_push), .item_ready_o(it_ready), .item_i(it), .pl_rsp_valid_i(pl_rsp_valid_i), .pl_rsp_i(pl_rsp_i),
    .e_o(r_e), .qp_i(r_qp), .fin_o(r_fin), .rel_o(r_rel), .rel_slot_o(r_slot),
    .alloc_i(new_q), .alloc_e_i(new_e_q),
    .kill_i(c_fire && ck == ohca_fmt_pkg::RA_CK_ACC && !cerr && n.state == ohca_fmt_pkg::QP_STATE_RESET && hit_q),
    .kill_e_i(he_q),
    .untold_o(eupd), .news_valid_o(uq_valid), .news_ready_i(uq_pop), .news_e_o(uq_e), .news_qpn_o(uq_qpn),
    .told_i(upd_start), .told_e_i(ue), .late_valid_o(unews), .late_o(a_snap),
    .act_o(a_act), .status_o(a_stat), .verr_o(a_verr),
    .own_valid_i(x_cq_valid), .own_ready_o(x_cq_ready), .own_i(x_cq),
    .cq_valid_o(cq_valid_o), .cq_ready_i(cq_ready_i), .cq_o(cq_o)
  );

  // What is told to others leaves from flops: nobody needs it in the cycle.
  always_ff @(posedge clk_i) begin
    cnt_o        <= (!rst_i && c_fire) ? c_cnt : 64'd0;
    viol_o.valid <= !rst_i && c_fire && c_cnt[ohca_fmt_pkg::COUNTER_RX_PKEY];
    if (c_ready) viol_o.viol <= viol;
  end

  assign idle_o = ctx_idle && rf_idle && kept_idle && tmr_idle && !exp_valid && c_idle && in_idle && x_idle &&
                  !uq_valid && !o_valid && cnt_o == '0 && !acc_rsp_o.valid && !cq_valid_o && !pl_req_valid_o;

  `ASSERT(Changed_A, !c_fire || cerr || c_chg || n == cx)
  `ASSERT(PacketThere_A, !(c_fire && ck == ohca_fmt_pkg::RA_CK_RESP) || pq_valid)

  logic unused;
  assign unused = &{1'b0, o_inval, cfg_i, hit_ok, cpay, acc_i.part, p, say,
                    o_line, u, lq, l_e6, rd_rsp_i.tag};

endmodule

`default_nettype wire
