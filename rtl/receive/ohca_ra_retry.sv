// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: the rules of going back, waiting and giving up. What asks for them:
//   the walk    found a WQE that fails; an answer out of sequence; a receiver that is not ready
//   a WQE       that failed locally, when it has become the oldest one
//   the timer   is due: the wait for the receiver is over, or no answer came
// A sequence error and a timeout cost one of the retries, RNR one of its own (7 is for ever); any progress gives both
// back. A QP that waits for its receiver takes no other advice meanwhile.
//
// Combinational. It does NOT say what is sent again: the send engine hears where the late state is.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_retry (
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::ra_say_t    say_i,
  input  ohca_fmt_pkg::ra_act_e    act_i,              // news: what the walk asks for, and why
  input  logic [7:0]               status_i,
  input  logic [7:0]               verr_i,
  input  ohca_fmt_pkg::ra_up_t     up_i,

  output logic                     fail_o,             // the oldest WQE fails
  output logic [7:0]               status_o,
  output logic [7:0]               verr_o,
  output logic                     restart_o,          // packets are sent again
  output logic                     wait_o,             // a wait for the receiver begins
  output logic                     over_o,             //   or ends
  output logic [2:0]               retry_left_o,
  output logic [2:0]               rnr_left_o,
  output logic [63:0]              cnt_o
);

  ohca_fmt_pkg::rac_t     cx;
  ohca_fmt_pkg::ra_look_t lk;
  assign cx = cx_i;
  assign lk = look_i;

  logic       renew, act_err, local_, seq, rnr, timeout, back, out;
  logic [2:0] left, rnr_left;
  assign renew    = lk.run && say_i.apply && say_i.progress && !lk.dg;
  assign left     = lk.u_fresh ? cx.retry_cnt : cx.retry_left;
  assign rnr_left = lk.u_fresh ? cx.rnr_retry : cx.rnr_left;
  assign act_err  = lk.u_run && act_i == ohca_fmt_pkg::RA_ACT_ERR;
  assign local_   = say_i.lerr && !act_err;
  assign seq      = lk.u_free && act_i == ohca_fmt_pkg::RA_ACT_SEQ;
  assign rnr      = lk.u_free && act_i == ohca_fmt_pkg::RA_ACT_RNR;
  assign over_o   = say_i.due && cx.rnr_wait;
  assign timeout  = say_i.tmo;
  assign back     = (seq || timeout) && !lk.none;
  assign out      = (seq || timeout) && lk.none;

  assign fail_o       = act_err || local_ || out || (rnr && lk.rnr_none);
  assign restart_o    = back || over_o;
  assign wait_o       = rnr && !lk.rnr_none;
  assign retry_left_o = back ? left - 3'd1 : renew ? cx.retry_cnt : cx.retry_left;
  assign rnr_left_o   = (wait_o && cx.rnr_retry != 3'd7) ? rnr_left - 3'd1 : renew ? cx.rnr_retry : cx.rnr_left;

  always_comb begin
    status_o = status_i;
    verr_o   = verr_i;
    if (say_i.lost) begin
      status_o = ohca_fmt_pkg::WC_STATUS_FATAL;
      verr_o   = 8'd0;
    end
    if (local_) begin
      status_o = say_i.up_err ? up_i.status : cx.err_status;
      verr_o   = say_i.up_err ? up_i.verr : cx.err_vendor;
    end
    if (out) begin
      status_o = ohca_fmt_pkg::WC_STATUS_RETRY_EXC;
      verr_o   = seq ? ohca_fmt_pkg::VENDOR_ERR_SEQ : ohca_fmt_pkg::VENDOR_ERR_TIMEOUT;
    end
    if (rnr) begin
      status_o = ohca_fmt_pkg::WC_STATUS_RNR_RETRY_EXC;
      verr_o   = ohca_fmt_pkg::VENDOR_ERR_RNR;
    end

    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_RETRY]    = seq;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_TIMEOUT]  = timeout;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_RNR_WAIT] = wait_o;
  end

  logic unused;
  assign unused = &{1'b0, cx, lk, say_i, up_i};

endmodule

`default_nettype wire
