// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_commit with Compact, and beside it the decision itself, with a place for an answer and without one, for its test: same_o says to which
// of the two what the commit says is equal.
`default_nettype none

module ohca_rs_commit_top (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  logic                     act_i,
  input  logic                     rel_busy_i,
  input  logic                     w_ready_i,
  input  logic                     st_ready_i,
  input  logic                     dbr_ready_i,
  input  ohca_fmt_pkg::rs_kind_e   kind_i,
  input  logic [25:0]              pay_i,
  input  ohca_fmt_pkg::rsc_t       cx_i,
  input  ohca_fmt_pkg::qp_state_e  was_i,
  input  ohca_fmt_pkg::rs_look_t   look_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  ohca_fmt_pkg::rs_fix_t    fix_i,
  input  logic                     job_room_i,
  input  logic                     rd_few_i,
  input  logic                     dbr_room_i,
  input  logic                     was_few_i,          // these two for the decision beside it
  input  logic                     was_dbr_i,
  output logic                     known_o,
  output logic                     fire_o,
  output logic                     push_o,
  output logic                     resv_o,
  output logic                     wait_o,
  output logic [1:0]               same_o              // as with a place, as without
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
  logic c_chg;
  ohca_fmt_pkg::rsc_t c_next;
  logic c_push;
  ohca_fmt_pkg::rs_wtok_t c_wt;
  ohca_fmt_pkg::rs_stok_t c_st;
  ohca_fmt_pkg::rs_rtok_t c_rt;
  ohca_fmt_pkg::rs_path_t c_path;
  logic c_rel;
  logic c_x_free;
  logic c_flush;
  logic c_dbr_ask;
  logic c_dbr_wait;
  logic [63:0] c_cnt;
  ohca_fmt_pkg::rx_viol_t c_viol;
  logic y_chg;
  ohca_fmt_pkg::rsc_t y_next;
  logic y_push;
  ohca_fmt_pkg::rs_wtok_t y_wt;
  ohca_fmt_pkg::rs_stok_t y_st;
  ohca_fmt_pkg::rs_rtok_t y_rt;
  ohca_fmt_pkg::rs_path_t y_path;
  logic y_rel;
  logic y_x_free;
  logic y_flush;
  logic y_dbr_ask;
  logic y_dbr_wait;
  logic [63:0] y_cnt;
  ohca_fmt_pkg::rx_viol_t y_viol;
  logic n_chg;
  ohca_fmt_pkg::rsc_t n_next;
  logic n_push;
  ohca_fmt_pkg::rs_wtok_t n_wt;
  ohca_fmt_pkg::rs_stok_t n_st;
  ohca_fmt_pkg::rs_rtok_t n_rt;
  ohca_fmt_pkg::rs_path_t n_path;
  logic n_rel;
  logic n_x_free;
  logic n_flush;
  logic n_dbr_ask;
  logic n_dbr_wait;
  logic [63:0] n_cnt;
  ohca_fmt_pkg::rx_viol_t n_viol;
  ohca_rs_commit #(.Compact(1'b1)) u_commit (
    .clk_i(clk_i), .rst_i(rst_i), .act_i(act_i), .pkt_i(kind_i == ohca_fmt_pkg::RS_KIND_PKT), .rel_busy_i(rel_busy_i),
    .w_ready_i(w_ready_i), .st_ready_i(st_ready_i), .dbr_ready_i(dbr_ready_i), .known_o(known_o), .fire_o(fire_o),
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(job_room_i), .rd_few_i(rd_few_i),
    .dbr_room_i(dbr_room_i),
    .chg_o(c_chg), .next_o(c_next), .push_o(c_push), .wt_o(c_wt), .st_o(c_st), .rt_o(c_rt), .path_o(c_path), .rel_o(c_rel),
    .x_free_o(c_x_free), .flush_o(c_flush), .dbr_ask_o(c_dbr_ask), .dbr_wait_o(c_dbr_wait), .cnt_o(c_cnt), .viol_o(c_viol)
  );
  ohca_rs_decide u_y (
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(1'b1), .rd_few_i(was_few_i), .dbr_room_i(was_dbr_i),
    .chg_o(y_chg), .next_o(y_next), .push_o(y_push), .wt_o(y_wt), .st_o(y_st), .rt_o(y_rt), .path_o(y_path), .rel_o(y_rel),
    .x_free_o(y_x_free), .flush_o(y_flush), .dbr_ask_o(y_dbr_ask), .dbr_wait_o(y_dbr_wait), .cnt_o(y_cnt), .viol_o(y_viol)
  );
  ohca_rs_decide u_n (
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(1'b0), .rd_few_i(was_few_i), .dbr_room_i(was_dbr_i),
    .chg_o(n_chg), .next_o(n_next), .push_o(n_push), .wt_o(n_wt), .st_o(n_st), .rt_o(n_rt), .path_o(n_path), .rel_o(n_rel),
    .x_free_o(n_x_free), .flush_o(n_flush), .dbr_ask_o(n_dbr_ask), .dbr_wait_o(n_dbr_wait), .cnt_o(n_cnt), .viol_o(n_viol)
  );
  logic [$bits(c_next)+$bits(c_wt)+$bits(c_st)+$bits(c_rt)+$bits(c_path)+$bits(c_viol)+70:0] all_c;
  assign all_c = {c_chg, c_next, c_push, c_wt, c_st, c_rt, c_path, c_rel, c_x_free, c_flush, c_dbr_ask, c_dbr_wait, c_cnt, c_viol};
  logic [$bits(c_next)+$bits(c_wt)+$bits(c_st)+$bits(c_rt)+$bits(c_path)+$bits(c_viol)+70:0] all_y;
  assign all_y = {y_chg, y_next, y_push, y_wt, y_st, y_rt, y_path, y_rel, y_x_free, y_flush, y_dbr_ask, y_dbr_wait, y_cnt, y_viol};
  logic [$bits(c_next)+$bits(c_wt)+$bits(c_st)+$bits(c_rt)+$bits(c_path)+$bits(c_viol)+70:0] all_n;
  assign all_n = {n_chg, n_next, n_push, n_wt, n_st, n_rt, n_path, n_rel, n_x_free, n_flush, n_dbr_ask, n_dbr_wait, n_cnt, n_viol};
  assign push_o = c_push;
  assign resv_o = c_rt.resv;
  assign wait_o = c_dbr_wait;
  assign same_o = {all_c == all_y, all_c == all_n};

  logic unused;
  assign unused = &{1'b0, p, bth};

endmodule

`default_nettype wire
