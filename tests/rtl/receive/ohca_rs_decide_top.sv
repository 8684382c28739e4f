// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_decide with a clock, which it does not use, a kind as a number and the opcode of its packet, for its test.
`default_nettype none

module ohca_rs_decide_top (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  ohca_fmt_pkg::rs_kind_e   kind_i,
  input  logic [25:0]              pay_i,
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,
  input  ohca_fmt_pkg::rsc_t       cx_i,
  input  ohca_fmt_pkg::qp_state_e  was_i,
  input  ohca_fmt_pkg::rs_look_t   look_i,
  input  logic                     gsi_any_i,
  input  logic [5:0]               gsi_first_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  ohca_fmt_pkg::rs_fix_t    fix_i,
  input  logic [2:0]               lmc_i,
  input  logic                     job_room_i,
  input  logic                     rd_few_i,
  input  logic                     dbr_room_i,
  output logic                     chg_o,
  output ohca_fmt_pkg::rsc_t       next_o,
  output logic                     push_o,
  output ohca_fmt_pkg::rs_wtok_t   wt_o,
  output ohca_fmt_pkg::rs_stok_t   st_o,
  output ohca_fmt_pkg::rs_rtok_t   rt_o,
  output ohca_fmt_pkg::rs_path_t   path_o,
  output logic                     rel_o,
  output logic                     x_free_o,
  output logic                     flush_o,
  output logic                     dbr_ask_o,
  output logic                     dbr_wait_o,
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o
);

  ohca_fmt_pkg::rs_look_t look;
  ohca_fmt_pkg::rxd_t     p;
  ohca_fmt_pkg::bth_t     bth;
  ohca_fmt_pkg::opcode_t  op;
  assign p   = p_i;
  assign bth = p.bth;
  ohca_opcode u_opcode (.op_i(bth.opcode), .is_o(op));
  always_comb begin
    look    = look_i;
    look.on = 8'd1 << kind_i;
    look.op = op;
  end
  ohca_rs_decide u_decide (
    .pay_i(pay_i), .qpn_i(qpn_i), .err_i(err_i), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(gsi_any_i), .gsi_first_i(gsi_first_i), .p_i(p_i), .fix_i(fix_i), .lmc_i(lmc_i), .job_room_i(job_room_i),
    .rd_few_i(rd_few_i), .dbr_room_i(dbr_room_i), .chg_o(chg_o), .next_o(next_o), .push_o(push_o), .wt_o(wt_o), .st_o(st_o), .rt_o(rt_o),
    .path_o(path_o), .rel_o(rel_o), .x_free_o(x_free_o), .flush_o(flush_o), .dbr_ask_o(dbr_ask_o),
    .dbr_wait_o(dbr_wait_o), .cnt_o(cnt_o), .viol_o(viol_o)
  );

  logic unused;
  assign unused = &{1'b0, clk_i, rst_i, p, bth};

endmodule

`default_nettype wire
