// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: what a report of the send engine or the packet builder asks of the commit:
//   sent         PSNs and WQEs that are out: the timer runs, if nothing was out before
//   flush        WQEs of a QP that has failed
//   ud_done      a datagram is out: its WQE is done, with a completion if it is to have one
//   local_err    a WQE has failed here: kept until all before it are done, and only the first of them
//
// Combinational. A report comes after all before it of its QP have counted; a QP below RTS takes none. It does NOT
// change the context.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_report (
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::ra_up_t     up_i,
  input  logic                     hit_i,              // its QP has an entry

  output ohca_fmt_pkg::ra_say_t    say_o,
  output logic [63:0]              cnt_o
);

  ohca_fmt_pkg::ra_look_t lk;
  assign lk = look_i;

  logic turn, sent, done, local_, fails;
  assign turn   = lk.on[ohca_fmt_pkg::RA_CK_UP];
  assign sent   = lk.up_sent;
  assign done   = lk.up_ud;
  assign local_ = lk.up_fail;
  assign fails  = local_ && lk.run && lk.idx_err;

  always_comb begin
    say_o          = '0;
    say_o.chg      = turn && lk.alive;
    say_o.up_pi    = (sent || lk.up_flush) && lk.up_pi;
    say_o.up_pi1   = (done || local_) && lk.idx_pi;
    say_o.up_psn   = sent && lk.run && lk.up_psn;
    say_o.up_err   = fails;
    say_o.up_done  = done && (up_i.signaled || cx_i.sig_all);
    say_o.open     = turn && (say_o.up_psn ? lk.up_open : lk.open);
    say_o.work     = turn && (lk.work || say_o.up_pi || (local_ && lk.idx_pi));
    say_o.dl_set   = sent && lk.run && !lk.open;
    say_o.apply    = done || (fails && !hit_i);
    say_o.next_wqe = done;
    say_o.lerr     = lk.ud_lerr || (lk.up_una && !hit_i);
  end
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = fails;
  end

  logic unused;
  assign unused = &{1'b0, cx_i, lk, up_i};

endmodule

`default_nettype wire
