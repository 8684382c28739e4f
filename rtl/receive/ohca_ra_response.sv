// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, decision: what a response asks of the commit. It is counted and dropped if it is none of the
// QP's, answers nothing that is outstanding, or has a reserved syndrome; else
//   an ACK       within the oldest WQE  counts at once, with nothing under way: no WQE retires
//                behind an ACK             is merged with that while its walk has not begun
//   a NAK        while the QP waits (RNR)  is ignored
//   any other                              goes to the fetch as a token
// and what an answer says of credits counts at once, as retiring takes a while (ohca_ra_look says whose do). Few are
// told at once, too: the send engine may be waiting for them; so are those of the newest answer come again, as no
// progress will follow that tells.
//
// Combinational. It does NOT know whether there is room for the token, nor change the context.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_ra_response (
  input  logic                     err_i,              // there is no such context
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  logic                     hit_i,              // its QP has an entry
  input  logic                     open_i,             //   whose newest token takes ACKs
  input  logic [5:0]               e_i,                // that, or the one that it gets
  input  logic [6:0]               seq_i,

  output ohca_fmt_pkg::ra_say_t    say_o,
  output ohca_fmt_pkg::ra_tok_t    tok_o,
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o              // the packet, if it is refused for its key
);

  ohca_fmt_pkg::bth_t     bth;
  ohca_fmt_pkg::grh_t     grh;
  ohca_fmt_pkg::aeth_t    aeth;
  ohca_fmt_pkg::ra_look_t lk;
  assign bth  = p_i.bth;
  assign grh  = p_i.grh;
  assign aeth = p_i.ext[223:192];
  assign lk   = look_i;

  logic on, wait_on, merge, mid, push, credits;
  assign on      = lk.on[ohca_fmt_pkg::RA_CK_RESP];
  assign wait_on = lk.a_nak && cx_i.rnr_wait;          // a second NAK while waiting
  assign merge   = lk.a_ack && lk.in_win && hit_i && open_i;
  assign mid     = lk.a_middle && lk.in_win && !hit_i;
  assign push    = lk.answer && lk.in_win && !wait_on && !merge && !mid;
  assign credits = lk.credits;

  always_comb begin
    say_o          = '0;
    say_o.chg      = credits;
    say_o.open     = on && (mid ? lk.r_open : lk.open);
    say_o.work     = on && lk.work;
    say_o.apply    = mid;
    say_o.next_psn = mid;
    say_o.progress = mid;
    say_o.moved    = mid || (credits && lk.lsn_tell && lk.lsn != cx_i.lsn);
    say_o.lerr     = lk.a_lerr && lk.in_win && !hit_i;
    say_o.credits  = credits;
    say_o.limit    = aeth.value != 5'd31;
    say_o.push     = push;
    say_o.merge    = merge;
    say_o.rel      = on && !(push && lk.op_rd);
    say_o.tok_free = on && !push;
    say_o.ent_free = on && (!push || hit_i);
  end

  always_comb begin
    tok_o       = '0;
    tok_o.e     = e_i;
    tok_o.first = !hit_i;
    tok_o.seq   = seq_i;
    tok_o.kind  = lk.op_rd ? ohca_fmt_pkg::RA_TK_RESP : lk.ack ? ohca_fmt_pkg::RA_TK_ACK : ohca_fmt_pkg::RA_TK_NAK;
    tok_o.psn   = bth.psn;
    tok_o.ak    = aeth.kind;
    tok_o.av    = aeth.value;
    tok_o.pi    = cx_i.pi;
    tok_o.op    = bth.opcode[4:0];
    tok_o.slot  = p_i.slot;
    tok_o.src   = p_i.base + {12'd0, p_i.pay_off};
    tok_o.plen  = p_i.plen;
  end

  always_comb begin
    cnt_o = '0;
    if (on) begin
      if (err_i)            cnt_o[ohca_fmt_pkg::COUNTER_RX_QPN]      = 1'b1;
      else if (!lk.run)     cnt_o[ohca_fmt_pkg::COUNTER_RX_QP_STATE] = 1'b1;
      else if (!lk.type_ok) cnt_o[ohca_fmt_pkg::COUNTER_RX_OPCODE]   = 1'b1;
      else if (!lk.pkey_ok) cnt_o[ohca_fmt_pkg::COUNTER_RX_PKEY]     = 1'b1;
      else if (!lk.path_ok) cnt_o[ohca_fmt_pkg::COUNTER_RX_PATH]     = 1'b1;
      else if (!lk.answer)  cnt_o[ohca_fmt_pkg::COUNTER_RX_RESP_BAD] = 1'b1;
      else if (!lk.in_win) begin
        if (lk.is_old)      cnt_o[ohca_fmt_pkg::COUNTER_RX_DUP]      = 1'b1;
        else                cnt_o[ohca_fmt_pkg::COUNTER_RX_RESP_BAD] = 1'b1;
      end
    end

    viol_o        = '0;
    viol_o.sl     = p_i.sl;
    viol_o.slid   = p_i.slid;
    viol_o.dlid   = p_i.dlid;
    viol_o.key    = {16'd0, bth.pkey};
    viol_o.destqp = bth.destqp;
    viol_o.grh    = p_i.grh_v;
    viol_o.sgid   = grh.sgid;
    viol_o.dgid   = grh.dgid;
  end

  logic unused;
  assign unused = &{1'b0, cx_i, lk, p_i, bth, grh, aeth};

endmodule

`default_nettype wire
