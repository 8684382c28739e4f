// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: what the tokens ask of the commit that are neither a response nor a report:
//   news         the walk's state goes into the context; the entry is free when nothing is under way of its QP, but not
//                before its news is told
//   timer        it knows nothing of this QP any more, and may have come early, as QPs share its entries. Responses on
//                their way may make it needless: then it looks again a little later
//   flush        the oldest WQE of a failed QP is completed, if no completion is on its way; and what is left later
//   errors       of the responder's side, or a completion that was lost (any type, and both sides: IBA 11.6.3): ERR
//   access       of the management core: RESET clears what the engine keeps. A timer's entry that comes in RESET writes
//                nothing, since the context may be gone; so what leaves RESET arms anew. An entry still there then
//                finds another deadline and changes nothing
//
// Combinational. It does NOT change the context.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_signal (
  input  logic                     err_i,              // there is no such context
  input  ohca_fmt_pkg::rac_t       cx_i,               // an access has changed it already
  input  ohca_fmt_pkg::qp_state_e  was_i,              // the state before that
  input  logic                     acc_state_i,        //   which it is about
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  logic                     hit_i,              // its QP has an entry
  input  logic                     none_i,             //   of which nothing is under way, and all is told

  output ohca_fmt_pkg::ra_say_t    say_o
);

  ohca_fmt_pkg::ra_look_t lk;
  assign lk = look_i;

  logic k_acc, k_upd, k_tmr, k_flush, k_qerr, k_cqerr, is_err, is_reset, news, time_, turn, qerr, cqerr, state;
  assign k_acc    = lk.on[ohca_fmt_pkg::RA_CK_ACC];
  assign k_upd    = lk.on[ohca_fmt_pkg::RA_CK_UPD];
  assign k_tmr    = lk.on[ohca_fmt_pkg::RA_CK_TMR];
  assign k_flush  = lk.on[ohca_fmt_pkg::RA_CK_FLUSH];
  assign k_qerr   = lk.on[ohca_fmt_pkg::RA_CK_QERR];
  assign k_cqerr  = lk.on[ohca_fmt_pkg::RA_CK_CQERR];
  assign is_err   = cx_i.state == ohca_fmt_pkg::QP_STATE_ERR;
  assign is_reset = cx_i.state == ohca_fmt_pkg::QP_STATE_RESET;
  assign news     = k_upd && lk.u_apply;
  assign time_    = k_tmr && !err_i && !is_reset;
  assign turn     = k_flush && lk.bad;
  assign qerr     = k_qerr && lk.run;
  assign cqerr    = k_cqerr && !err_i && cx_i.state >= ohca_fmt_pkg::QP_STATE_RTR && !is_err;
  assign state    = k_acc && acc_state_i && (is_reset || was_i == ohca_fmt_pkg::QP_STATE_RESET);

  logic others;
  assign others = k_tmr || k_flush || k_qerr || k_cqerr;
  always_comb begin
    say_o          = '0;
    say_o.chg      = time_ || turn || qerr || cqerr || state;
    say_o.apply    = news;
    say_o.news     = news;
    say_o.progress = news && lk.u_moved;
    say_o.moved    = news && (lk.u_moved || lk.u_read);
    say_o.lerr     = lk.u_lerr;
    say_o.ent_free = k_upd && none_i;
    say_o.ent_drop = k_upd && none_i;
    say_o.due      = lk.due && !hit_i;
    say_o.tmo      = lk.tmo && !hit_i;
    say_o.dl_soon  = lk.due && hit_i;
    say_o.dl_more  = lk.round;
    say_o.disarm   = time_ || (k_acc && was_i == ohca_fmt_pkg::QP_STATE_RESET && !is_reset);
    say_o.turn     = turn;
    say_o.one      = turn && !hit_i && lk.work;
    say_o.again    = turn && (hit_i || (lk.work && lk.work1));
    say_o.to_err   = qerr || cqerr;
    say_o.lost     = cqerr;
    say_o.gone     = qerr || cqerr || (k_acc && (is_err || cx_i.state == ohca_fmt_pkg::QP_STATE_SQE));
    say_o.reset    = state && is_reset;
    say_o.open     = (k_upd && (news ? lk.u_open : lk.open)) || (others && lk.open);
    // An access may have changed indices just now, as well as the state.
    say_o.work     = (k_upd && (news ? lk.u_work : lk.work)) || (others && lk.work) || (k_acc && cx_i.una != cx_i.pi);
  end

  logic unused;
  assign unused = &{1'b0, cx_i, lk};

endmodule

`default_nettype wire
