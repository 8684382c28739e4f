// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_decide with a clock, which it does not use, and a kind as a number, for its test.
`default_nettype none

module ohca_ra_decide_top #(
  parameter bit FatalEvent = 1'b1
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  ohca_fmt_pkg::ra_ck_e     kind_i,
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  ohca_fmt_pkg::qp_state_e  was_i,
  input  logic                     acc_state_i,
  input  ohca_fmt_pkg::ra_look_t   look_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  ohca_fmt_pkg::ra_up_t     up_i,
  input  ohca_fmt_pkg::ra_late_t   late_i,
  input  ohca_fmt_pkg::ra_act_e    act_i,
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

  ohca_fmt_pkg::ra_look_t look;
  always_comb begin
    look    = look_i;
    look.on = 8'd1 << kind_i;
  end
  ohca_ra_decide #(.FatalEvent(FatalEvent)) u_decide (
    .qpn_i(qpn_i), .err_i(err_i), .cx_i(cx_i), .was_i(was_i), .acc_state_i(acc_state_i),
    .look_i(look), .p_i(p_i), .up_i(up_i), .late_i(late_i), .act_i(act_i), .act_status_i(act_status_i),
    .act_verr_i(act_verr_i), .hit_i(hit_i), .open_i(open_i), .none_i(none_i), .e_i(e_i), .seq_i(seq_i),
    .say_o(say_o), .tok_o(tok_o), .chg_o(chg_o), .next_o(next_o), .progress_o(progress_o), .fb_act_o(fb_act_o),
    .fb_o(fb_o), .cqe_o(cqe_o), .cqe2_o(cqe2_o), .cq_o(cq_o), .status_o(status_o), .verr_o(verr_o), .ev_o(ev_o),
    .qerr_o(qerr_o), .flush_o(flush_o), .arm_o(arm_o), .cnt_o(cnt_o), .viol_o(viol_o)
  );

  logic unused;
  assign unused = clk_i || rst_i;

endmodule

`default_nettype wire
