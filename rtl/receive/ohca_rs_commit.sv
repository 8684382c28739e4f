// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, the commit's second cycle: what is decided (ohca_rs_decide), and when the token goes on. It is in turn
// from act_i until fire_o, and what is decided is meant with fire_o only.
//
// It goes in the cycle in which it is decided, and whoever gets a part of it always has room. Compact: what was decided
// lies in flops a cycle later (known_o), and whether it goes is a flop the cycle after that, if those who get a part of
// it have room (w_ready_i, st_ready_i, dbr_ready_i, which stay until it goes); so nothing that hangs on fire_o hangs on
// a decision. job_room_i, rd_few_i and dbr_room_i are those of the cycle before act_i, so that what was decided stands
// still; only if the room for an answer that it needs is gone again, the packet is dropped instead.

`include "ohca_assert.svh"
`default_nettype none

// lint: Compact=1

module ohca_rs_commit #(
  parameter bit Compact = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     act_i,              // there is something to decide
  input  logic                     pkt_i,              // it is a packet
  input  logic                     rel_busy_i,         // no packet may end here: the slot of one is still to be told
  input  logic                     w_ready_i,          // Compact: room at W,
  input  logic                     st_ready_i,         //   for the token,
  input  logic                     dbr_ready_i,        //   for a doorbell record that it waits for
  output logic                     known_o,            // Compact: it is decided; a token stands still but for its
                                                       // number, and what was of its QP
  output logic                     fire_o,

  // As of ohca_rs_decide.
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
  output ohca_fmt_pkg::rs_path_t   path_o,             // Compact: known with act_i already
  output logic                     rel_o,
  output logic                     x_free_o,
  output logic                     flush_o,
  output logic                     dbr_ask_o,
  output logic                     dbr_wait_o,
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o
);

  logic                   job_room, rd_few, dbr_room;
  logic                   chg, push, rel, x_free, flush, dbr_ask, dbr_wait;
  ohca_fmt_pkg::rsc_t     next;
  ohca_fmt_pkg::rs_wtok_t wt;
  ohca_fmt_pkg::rs_stok_t st;
  ohca_fmt_pkg::rs_rtok_t rt;
  ohca_fmt_pkg::rs_path_t path;
  logic [63:0]            cnt;
  ohca_fmt_pkg::rx_viol_t viol;
  ohca_rs_decide u_decide (
    .pay_i(pay_i), .qpn_i(qpn_i), .err_i(err_i), .cx_i(cx_i), .was_i(was_i), .look_i(look_i),
    .gsi_any_i(gsi_any_i), .gsi_first_i(gsi_first_i), .p_i(p_i), .fix_i(fix_i), .lmc_i(lmc_i), .job_room_i(job_room),
    .rd_few_i(rd_few), .dbr_room_i(dbr_room), .chg_o(chg), .next_o(next), .push_o(push), .wt_o(wt),
    .st_o(st), .rt_o(rt), .path_o(path), .rel_o(rel), .x_free_o(x_free), .flush_o(flush),
    .dbr_ask_o(dbr_ask), .dbr_wait_o(dbr_wait), .cnt_o(cnt), .viol_o(viol)
  );

  if (Compact) begin : g_two
    logic room, lost;
    assign lost = known_o && push_o && rt_o.resv && !job_room_i;
    assign room = !push_o || (w_ready_i && st_ready_i && (dbr_ready_i || !dbr_wait_o) && !lost);
    always_ff @(posedge clk_i) begin
      if (!act_i) {rd_few, dbr_room} <= {rd_few_i, dbr_room_i};
      if (!act_i || lost) job_room <= job_room_i;
      known_o <= !rst_i && act_i && !fire_o;
      fire_o  <= !rst_i && known_o && !fire_o && room && !(pkt_i && rel_busy_i);
      {chg_o, next_o, push_o, wt_o, st_o}          <= {chg, next, push, wt, st};
      {rt_o, path_o, rel_o, x_free_o, flush_o}     <= {rt, path, rel, x_free, flush};
      {dbr_ask_o, dbr_wait_o, cnt_o, viol_o}       <= {dbr_ask, dbr_wait, cnt, viol};
    end
  end else begin : g_one
    assign {job_room, rd_few, dbr_room} = {job_room_i, rd_few_i, dbr_room_i};
    assign known_o = act_i;
    assign fire_o  = act_i && !(pkt_i && rel_busy_i);
    assign {chg_o, next_o, push_o, wt_o, st_o}      = {chg, next, push, wt, st};
    assign {rt_o, path_o, rel_o, x_free_o, flush_o} = {rt, path, rel, x_free, flush};
    assign {dbr_ask_o, dbr_wait_o, cnt_o, viol_o}   = {dbr_ask, dbr_wait, cnt, viol};
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i, w_ready_i, st_ready_i, dbr_ready_i};
  end

  `ASSERT(Room_A, !(fire_o && push_o) || (w_ready_i && st_ready_i))

endmodule

`default_nettype wire
