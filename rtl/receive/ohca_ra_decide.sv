// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: what a token does to its context, and what follows from it. No state: everything it
// needs to know was compared a cycle before (ohca_ra_look). Three rooms say what tokens ask for, of each kind its own
// (say): ohca_ra_response, ohca_ra_report, ohca_ra_signal; the rules of going back and giving up (ohca_ra_retry) say
// what is to be done about it; ohca_ra_apply makes the context and what follows of both.
//
// Of the IBA it keeps what these rooms say. It does NOT wait for room: whether a token goes on does not hang on what is
// decided here.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_decide #(
  parameter bit FatalEvent = 1'b1                      // a QP that fails raises qp_fatal besides its completion
) (
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,              // there is no such context
  input  ohca_fmt_pkg::rac_t       cx_i,               // an access has changed it already
  input  ohca_fmt_pkg::qp_state_e  was_i,              // the state before that
  input  logic                     acc_state_i,        //   which it is about
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::rxd_t       p_i,                // a response
  input  ohca_fmt_pkg::ra_up_t     up_i,               // a report
  input  ohca_fmt_pkg::ra_late_t   late_i,             // news, and what they ask for
  input  ohca_fmt_pkg::ra_act_e    act_i,
  input  logic [7:0]               act_status_i,
  input  logic [7:0]               act_verr_i,
  input  logic                     hit_i,              // its QP has an entry
  input  logic                     open_i,             //   whose newest token takes ACKs
  input  logic                     none_i,             //   of which nothing is under way, and all is told
  input  logic [5:0]               e_i,                // that, or the one that it gets
  input  logic [6:0]               seq_i,

  output ohca_fmt_pkg::ra_say_t    say_o,
  output ohca_fmt_pkg::ra_tok_t    tok_o,              // say: push
  output logic                     chg_o,              // next_o may differ from cx_i: cheaper than a comparison
  output ohca_fmt_pkg::rac_t       next_o,
  output logic                     progress_o,         // the send engine is told of progress
  output logic                     fb_act_o,           //   and to do something
  output ohca_fmt_pkg::sq_fb_t     fb_o,
  output logic                     cqe_o,
  output logic                     cqe2_o,             // WQE idx1 fails behind a datagram that is complete
  output ohca_fmt_pkg::cq_req_t    cq_o,
  output logic [7:0]               status_o,           //   for this
  output logic [7:0]               verr_o,
  output logic                     ev_o,
  output logic                     qerr_o,             // the responder's side is to go to ERR
  output logic                     flush_o,
  output logic                     arm_o,
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o              // a response, if it is refused for its key
);

  ohca_fmt_pkg::ra_say_t say_response, say_report, say_signal;
  logic [63:0]           cnt_response, cnt_report, cnt_retry;
  ohca_ra_response u_response (
    .err_i(err_i), .cx_i(cx_i), .look_i(look_i), .p_i(p_i), .hit_i(hit_i), .open_i(open_i), .e_i(e_i), .seq_i(seq_i),
    .say_o(say_response), .tok_o(tok_o), .cnt_o(cnt_response), .viol_o(viol_o)
  );
  ohca_ra_report u_report (
    .cx_i(cx_i), .look_i(look_i), .up_i(up_i), .hit_i(hit_i), .say_o(say_report), .cnt_o(cnt_report)
  );
  ohca_ra_signal u_signal (
    .err_i(err_i), .cx_i(cx_i), .was_i(was_i), .acc_state_i(acc_state_i), .look_i(look_i), .hit_i(hit_i),
    .none_i(none_i), .say_o(say_signal)
  );
  assign say_o = say_response | say_report | say_signal;

  logic       fail, restart, wait_, over;
  logic [2:0] retry_left, rnr_left;
  ohca_ra_retry u_retry (
    .cx_i(cx_i), .look_i(look_i), .say_i(say_o), .act_i(act_i), .status_i(act_status_i), .verr_i(act_verr_i),
    .up_i(up_i), .fail_o(fail), .status_o(status_o), .verr_o(verr_o), .restart_o(restart), .wait_o(wait_),
    .over_o(over), .retry_left_o(retry_left), .rnr_left_o(rnr_left), .cnt_o(cnt_retry)
  );
  ohca_ra_apply #(.FatalEvent(FatalEvent)) u_apply (
    .qpn_i(qpn_i), .err_i(err_i), .cx_i(cx_i), .look_i(look_i), .up_i(up_i), .late_i(late_i),
    .say_i(say_o), .fail_i(fail), .status_i(status_o), .verr_i(verr_o), .restart_i(restart), .wait_i(wait_),
    .over_i(over), .retry_left_i(retry_left), .rnr_left_i(rnr_left),
    .chg_o(chg_o), .next_o(next_o), .progress_o(progress_o), .fb_act_o(fb_act_o), .fb_o(fb_o), .cqe_o(cqe_o),
    .cqe2_o(cqe2_o), .cq_o(cq_o), .ev_o(ev_o), .qerr_o(qerr_o), .flush_o(flush_o), .arm_o(arm_o)
  );
  assign cnt_o = cnt_response | cnt_report | cnt_retry;

endmodule

`default_nettype wire
