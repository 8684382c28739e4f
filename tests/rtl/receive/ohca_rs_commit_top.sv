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

  // All that is decided, to be compared as one.
  typedef struct packed {
    logic                   chg, push, rel, x_free, flush, dbr_ask, dbr_wait;
    ohca_fmt_pkg::rsc_t     next;
    ohca_fmt_pkg::rs_wtok_t wt;
    ohca_fmt_pkg::rs_stok_t st;
    ohca_fmt_pkg::rs_rtok_t rt;
    ohca_fmt_pkg::rs_path_t path;
    logic [63:0]            cnt;
    ohca_fmt_pkg::rx_viol_t viol;
  } decided_t;
  decided_t c, with_room, without;
  ohca_rs_commit #(.Compact(1'b1)) u_commit (
    .clk_i(clk_i), .rst_i(rst_i), .act_i(act_i), .pkt_i(kind_i == ohca_fmt_pkg::RS_KIND_PKT), .rel_busy_i(rel_busy_i),
    .w_ready_i(w_ready_i), .st_ready_i(st_ready_i), .dbr_ready_i(dbr_ready_i), .known_o(known_o), .fire_o(fire_o),
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(job_room_i), .rd_few_i(rd_few_i),
    .dbr_room_i(dbr_room_i),
    .chg_o(c.chg), .next_o(c.next), .push_o(c.push), .wt_o(c.wt), .st_o(c.st), .rt_o(c.rt), .path_o(c.path), .rel_o(c.rel),
    .x_free_o(c.x_free), .flush_o(c.flush), .dbr_ask_o(c.dbr_ask), .dbr_wait_o(c.dbr_wait), .cnt_o(c.cnt), .viol_o(c.viol)
  );
  ohca_rs_decide u_with_room (
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(1'b1), .rd_few_i(was_few_i), .dbr_room_i(was_dbr_i),
    .chg_o(with_room.chg), .next_o(with_room.next), .push_o(with_room.push), .wt_o(with_room.wt), .st_o(with_room.st), .rt_o(with_room.rt), .path_o(with_room.path), .rel_o(with_room.rel),
    .x_free_o(with_room.x_free), .flush_o(with_room.flush), .dbr_ask_o(with_room.dbr_ask), .dbr_wait_o(with_room.dbr_wait), .cnt_o(with_room.cnt), .viol_o(with_room.viol)
  );
  ohca_rs_decide u_without (
    .pay_i(pay_i), .qpn_i(24'd7), .err_i(1'b0), .cx_i(cx_i), .was_i(was_i), .look_i(look),
    .gsi_any_i(1'b1), .gsi_first_i(6'd3), .p_i(p_i), .fix_i(fix_i), .lmc_i(3'd0), .job_room_i(1'b0), .rd_few_i(was_few_i), .dbr_room_i(was_dbr_i),
    .chg_o(without.chg), .next_o(without.next), .push_o(without.push), .wt_o(without.wt), .st_o(without.st), .rt_o(without.rt), .path_o(without.path), .rel_o(without.rel),
    .x_free_o(without.x_free), .flush_o(without.flush), .dbr_ask_o(without.dbr_ask), .dbr_wait_o(without.dbr_wait), .cnt_o(without.cnt), .viol_o(without.viol)
  );
  assign push_o = c.push;
  assign resv_o = c.rt.resv;
  assign wait_o = c.dbr_wait;
  assign same_o = {c == with_room, c == without};

  logic unused;
  assign unused = &{1'b0, p, bth};

endmodule

`default_nettype wire
