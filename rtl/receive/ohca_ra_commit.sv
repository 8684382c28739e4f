// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, the commit's second cycle: what is decided (ohca_ra_decide), and when the token goes on. It is in
// turn from act_i until fire_o, and what is decided is meant with fire_o only.
//
// Whether it goes on does not hang on what it decides: whatever it may want has room (room_i; a response also
// rel_room_i and tok_ready_i; all stay until it goes). Only a response that begins an entry waits while the walk may
// save one (save_i).
//
// It goes in the cycle in which it is decided. Compact: what was decided lies in flops a cycle later, and that there is
// room is a flop then, too; so nothing that hangs on fire_o hangs on a decision. It is decided anew in each cycle in
// which it stands, as news and the walk go on: an ACK that was to be merged is not if the walk has closed its token
// meanwhile (open_i).

`include "ohca_assert.svh"
`default_nettype none

// lint: Compact=1

module ohca_ra_commit #(
  parameter bit Compact    = 1'b0,
  parameter bit FatalEvent = 1'b1
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     act_i,              // there is something to decide, and its entry is known
  input  logic                     room_i,
  input  logic                     rel_room_i,
  input  logic                     tok_ready_i,
  input  logic                     save_i,
  output logic                     fire_o,
  output logic                     push_o,             // with fire_o: a token; Compact: earlier
  output logic                     alloc_o,            // with fire_o: an entry begins

  // As of ohca_ra_decide.
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::qp_state_e  was_i,
  input  logic                     acc_state_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  ohca_fmt_pkg::ra_up_t     up_i,
  input  ohca_fmt_pkg::ra_late_t   late_i,
  input  ohca_fmt_pkg::ra_act_e    act_news_i,
  input  logic [7:0]               act_status_i,
  input  logic [7:0]               act_verr_i,
  input  logic                     hit_i,
  input  logic                     open_i,
  input  logic                     none_i,
  input  logic [5:0]               e_i,
  input  logic [6:0]               seq_i,

  output ohca_fmt_pkg::ra_say_t    say_o,
  output ohca_fmt_pkg::ra_tok_t    tok_o,
  output logic                     chg_o,
  output ohca_fmt_pkg::rac_t       next_o,
  output logic                     progress_o,
  output logic                     fb_act_o,
  output ohca_fmt_pkg::sq_fb_t     fb_o,
  output logic                     cqe_o,
  output logic                     cqe2_o,
  output ohca_fmt_pkg::cq_req_t    cq_o,
  output logic [7:0]               status_o,
  output logic [7:0]               verr_o,
  output logic                     ev_o,
  output logic                     qerr_o,
  output logic                     flush_o,
  output logic                     arm_o,
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o
);

  logic                   chg, progress, fb_act, cqe, cqe2, ev, qerr, flush, arm, resp;
  logic [7:0]             status, verr;
  logic [63:0]            cnt;
  ohca_fmt_pkg::ra_say_t  say;
  ohca_fmt_pkg::ra_tok_t  tok;
  ohca_fmt_pkg::rac_t     next;
  ohca_fmt_pkg::sq_fb_t   fb;
  ohca_fmt_pkg::cq_req_t  cq;
  ohca_fmt_pkg::rx_viol_t viol;
  ohca_ra_decide #(.FatalEvent(FatalEvent)) u_decide (
    .qpn_i(qpn_i), .err_i(err_i), .cx_i(cx_i), .was_i(was_i), .acc_state_i(acc_state_i), .look_i(look_i), .p_i(p_i),
    .up_i(up_i), .late_i(late_i), .act_i(act_news_i), .act_status_i(act_status_i), .act_verr_i(act_verr_i),
    .hit_i(hit_i), .open_i(open_i), .none_i(none_i), .e_i(e_i), .seq_i(seq_i),
    .say_o(say), .tok_o(tok), .chg_o(chg), .next_o(next), .progress_o(progress), .fb_act_o(fb_act), .fb_o(fb),
    .cqe_o(cqe), .cqe2_o(cqe2), .cq_o(cq), .status_o(status), .verr_o(verr), .ev_o(ev), .qerr_o(qerr),
    .flush_o(flush), .arm_o(arm), .cnt_o(cnt), .viol_o(viol)
  );

  assign resp    = look_i.on[ohca_fmt_pkg::RA_CK_RESP];
  assign alloc_o = say_o.push && !hit_i;
  if (Compact) begin : g_two
    logic go_q;
    always_ff @(posedge clk_i) begin
      go_q <= !rst_i && act_i && !fire_o && room_i && !(resp && (!rel_room_i || !tok_ready_i));
      {say_o, tok_o, chg_o, next_o}                       <= {say, tok, chg, next};
      {progress_o, fb_act_o, fb_o, cqe_o, cqe2_o, cq_o}    <= {progress, fb_act, fb, cqe, cqe2, cq};
      {status_o, verr_o, ev_o, qerr_o, flush_o, arm_o}    <= {status, verr, ev, qerr, flush, arm};
      {cnt_o, viol_o}                                     <= {cnt, viol};
    end
    assign push_o = go_q && say_o.push && !(resp && !hit_i && save_i);      // what is merged is no token
    assign fire_o = go_q && !(say_o.merge && !open_i) && !(resp && !hit_i && save_i);
  end else begin : g_one
    assign fire_o = act_i && room_i && !(resp && (!rel_room_i || !tok_ready_i || (!hit_i && save_i)));
    assign push_o = fire_o && say_o.push;
    assign {say_o, tok_o, chg_o, next_o}                    = {say, tok, chg, next};
    assign {progress_o, fb_act_o, fb_o, cqe_o, cqe2_o, cq_o} = {progress, fb_act, fb, cqe, cqe2, cq};
    assign {status_o, verr_o, ev_o, qerr_o, flush_o, arm_o} = {status, verr, ev, qerr, flush, arm};
    assign {cnt_o, viol_o}                                  = {cnt, viol};
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i};
  end

  `ASSERT(Push_A, push_o == (fire_o && say_o.push))
  `ASSERT(Room_A, !fire_o || (room_i && (!resp || (rel_room_i && tok_ready_i))))

endmodule

`default_nettype wire
