// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: what comes of what a token asks for (say) and of what the retry rules make of it: the
// context, a choice for each of its fields; feedback, completions, an event, a turn to flush, a timer.
//
//   deadline    anew with progress, and with whatever is sent again or waited for; the timer is armed once, and again
//               for an earlier deadline
//   failure     WQE una gets the status and the QP is in ERR (datagrams: SQE), without another error behind it
//   flush       whatever is left between una and pi of a QP in ERR or SQE, unless that is under way
//
// Combinational. It does NOT know why, nor whether there is room for what follows.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_apply #(
  parameter bit FatalEvent = 1'b1                      // a QP that fails raises qp_fatal besides its completion
) (
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,              // there is no such context
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::ra_up_t     up_i,               // report
  input  ohca_fmt_pkg::ra_late_t   late_i,             // news
  input  ohca_fmt_pkg::ra_say_t    say_i,
  input  logic                     fail_i,             // the retry rules'
  input  logic [7:0]               status_i,
  input  logic [7:0]               verr_i,
  input  logic                     restart_i,
  input  logic                     wait_i,
  input  logic                     over_i,
  input  logic [2:0]               retry_left_i,
  input  logic [2:0]               rnr_left_i,

  output logic                     chg_o,              // next_o may differ from cx_i: cheaper than a comparison
  output ohca_fmt_pkg::rac_t       next_o,
  output logic                     progress_o,         // the send engine is told of progress
  output logic                     fb_act_o,           //   and to do something
  output ohca_fmt_pkg::sq_fb_t     fb_o,
  output logic                     cqe_o,
  output logic                     cqe2_o,             // WQE idx1 fails behind a datagram that is complete
  output ohca_fmt_pkg::cq_req_t    cq_o,
  output logic                     ev_o,
  output logic                     qerr_o,             // the responder's side is to go to ERR
  output logic                     flush_o,
  output logic                     arm_o
);

  ohca_fmt_pkg::rac_t     cx, n;
  ohca_fmt_pkg::ra_look_t lk;
  ohca_fmt_pkg::ra_say_t  say;
  assign cx  = cx_i;
  assign lk  = look_i;
  assign say = say_i;

  // ---- the oldest WQE, and what is left behind it
  logic        k_acc, k_flush, next, begin_, work;
  logic [15:0] una;
  assign k_acc   = lk.on[ohca_fmt_pkg::RA_CK_ACC];
  assign k_flush = lk.on[ohca_fmt_pkg::RA_CK_FLUSH];
  assign una     = say.news ? late_i.una : say.next_wqe ? lk.idx1 : cx.una;
  assign next    = fail_i || say.one;                  // it is completed here
  always_comb begin
    work = say.work;
    if (fail_i) begin
      work = lk.work1;
      if (say.news)     work = lk.u_work1;
      if (say.up_err)   work = lk.work1 && !lk.idx_pi;
      if (say.next_wqe) work = lk.idx_pi || lk.idx2_work;
    end
  end
  assign begin_  = !k_flush && !err_i && work && !cx.flushing && (fail_i || say.gone || (lk.bad && !k_acc));
  assign flush_o = begin_ || say.again;

  // ---- deadline and timer
  logic        dl_set, rnr_wait, armed;
  logic [31:0] deadline;
  assign dl_set   = say.dl_set || wait_i || restart_i ||
                    (lk.run && say.apply && say.progress && !lk.dg && !cx.rnr_wait);
  assign deadline = (say.dl_more || say.dl_soon) ? lk.tick + {1'b0, say.dl_more, 26'd0, say.dl_soon, 3'd0} :
                    dl_set ? lk.t_end : cx.deadline;
  assign rnr_wait = wait_i || (cx.rnr_wait && !over_i);
  assign armed    = cx.timer_armed && !say.disarm;
  assign arm_o    = lk.arms && !say.gone && !fail_i && (rnr_wait || (say.open && lk.timed)) &&
                    (!armed || (dl_set ? lk.early_end : lk.early));

  // ---- the context
  assign chg_o  = say.chg || say.apply || begin_ || arm_o;
  assign next_o = n;
  always_comb begin
    n = cx;
    if (say.to_err)                   n.state = ohca_fmt_pkg::QP_STATE_ERR;
    if (fail_i)                       n.state = lk.dg ? ohca_fmt_pkg::QP_STATE_SQE : ohca_fmt_pkg::QP_STATE_ERR;
    if (say.up_err)                   n.err_valid = 1'b1;
    if (fail_i || say.reset)          n.err_valid = 1'b0;
    if (fail_i)                       n.err_sent = 1'b1;
    if (say.reset)                    n.err_sent = 1'b0;
    n.rnr_wait = rnr_wait && !fail_i && !say.reset;
    if (begin_)                       n.flushing = 1'b1;
    if (say.turn)                     n.flushing = say.again;
    if (say.reset)                    n.flushing = 1'b0;
    if (say.credits)                  n.lsn_valid = say.limit;
    if (say.reset)                    n.lsn_valid = 1'b0;
    if (say.news)                     n.rd_active = late_i.rd_active;
    if (say.news)                     n.rd_seq_wait = late_i.seq_wait;
    // What is asked for now may be lost, too; only the restart that an answer behind a READ has caused is itself what
    // is waited for.
    if (restart_i && say.due)         n.rd_seq_wait = 1'b0;
    if (say.news)                     n.end_valid = late_i.end_valid;
    if (say.reset) begin
      n.rd_active   = 1'b0;
      n.rd_seq_wait = 1'b0;
      n.end_valid   = 1'b0;
    end
    n.timer_armed = armed || arm_o;
    n.retry_left  = retry_left_i;
    n.rnr_left    = rnr_left_i;
    // Wide fields, each with one small choice.
    n.una         = say.reset ? 16'd0 : next ? una + 16'd1 : una;
    n.pi          = say.reset ? 16'd0 : say.up_pi ? up_i.pi : say.up_pi1 ? lk.idx1 : cx.pi;
    n.una_psn     = say.news ? late_i.una_psn : cx.una_psn;
    n.acked_psn   = say.news ? late_i.acked : say.next_psn ? lk.psn1 : cx.acked_psn;
    n.rd_next_psn = say.apply ? n.acked_psn : cx.rd_next_psn;
    n.sent_psn    = say.up_psn ? up_i.psn : cx.sent_psn;
    n.ssn         = say.news ? cx.ssn + {8'd0, lk.u_step} : cx.ssn;          // one a WQE
    n.rd_done     = say.reset ? 8'd0 : say.news ? late_i.rd_done : cx.rd_done;
    n.end_psn     = say.reset ? 24'd0 : say.news ? late_i.end_psn : cx.end_psn;
    n.lsn         = say.credits ? lk.lsn : cx.lsn;
    n.err_idx     = say.up_err ? up_i.idx : cx.err_idx;
    n.err_status  = say.up_err ? up_i.status : cx.err_status;
    n.err_vendor  = say.up_err ? up_i.verr : cx.err_vendor;
    n.deadline    = deadline;
    n.dl_more     = say.dl_more ? cx.dl_more - 10'd1 : dl_set ? lk.t_more : cx.dl_more;
    n.tmr         = arm_o ? deadline : cx.tmr;
  end

  // ---- what follows
  assign progress_o = say.moved && lk.run && !lk.dg;
  assign fb_act_o   = fail_i || say.to_err || restart_i || wait_i;
  assign cqe_o      = say.up_done || say.one || fail_i;
  assign cqe2_o     = say.up_done && fail_i;
  assign ev_o       = (fail_i && !lk.dg && FatalEvent) || say.lost;
  assign qerr_o     = (fail_i && !lk.dg) || say.lost;
  always_comb begin
    fb_o           = '0;
    fb_o.kind      = (fail_i || say.to_err) ? ohca_fmt_pkg::FBK_ERROR : restart_i ? ohca_fmt_pkg::FBK_RESTART :
                     ohca_fmt_pkg::FBK_RNR_WAIT;
    fb_o.qpn       = qpn_i;
    fb_o.idx       = n.una;
    fb_o.una_psn   = n.una_psn;
    fb_o.psn       = n.acked_psn;
    fb_o.ssn       = n.ssn;
    fb_o.lsn_valid = n.lsn_valid;
    fb_o.lsn       = n.lsn;
    fb_o.rd_done   = n.rd_done;
    fb_o.rd_new    = say.news && lk.u_read;

    cq_o        = '0;
    cq_o.cqn    = cx.cqn;
    cq_o.qpn    = qpn_i;
    cq_o.opcode = say.up_done ? {up_i.wrop} : 5'd0;
    cq_o.idx    = say.up_done ? up_i.idx : una;
    cq_o.status = say.one ? ohca_fmt_pkg::WC_STATUS_WR_FLUSH : ohca_fmt_pkg::wc_status_e'(status_i);
    cq_o.verr   = say.one ? ohca_fmt_pkg::VENDOR_ERR_FLUSH : ohca_fmt_pkg::vendor_err_e'(verr_i);
    if (say.up_done) begin
      cq_o.status = ohca_fmt_pkg::WC_STATUS_SUCCESS;
      cq_o.verr   = ohca_fmt_pkg::VENDOR_ERR_NONE;
    end
  end

  logic unused;
  assign unused = &{1'b0, cx, lk, say, up_i, late_i};

endmodule

`default_nettype wire
