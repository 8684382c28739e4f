// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_next, which has no clock, for the bench.
`default_nettype none

module ohca_sq_next_top #(
  parameter bit Compact = 1'b0
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  ohca_fmt_pkg::sqc_t          line_i,
  input  ohca_fmt_pkg::sq_kind_e      kind_i,
  input  ohca_fmt_pkg::sq_fb_t        fb_i,
  input  logic                        behind_i,
  input  ohca_fmt_pkg::ctx_acc_t      acc_i,
  input  ohca_fmt_pkg::qp_state_e     was_i,
  input  logic                        state_new_i,
  input  logic                        stale_i,
  input  logic                        moves_i,
  input  logic [15:0]                 db_pi_i,
  input  logic                        flush_i,
  input  logic                        fetch_i,
  input  logic [2:0]                  fetched_i,
  input  logic                        planned_i,
  input  ohca_fmt_pkg::sq_plan_t      plan_i,
  output ohca_fmt_pkg::sqc_t          next_o
);

  ohca_sq_next #(.Compact(Compact)) u_next (
    .line_i(line_i), .kind_i(kind_i), .fb_i(fb_i), .behind_i(behind_i), .acc_i(acc_i), .was_i(was_i),
    .state_new_i(state_new_i), .stale_i(stale_i), .moves_i(moves_i), .db_pi_i(db_pi_i), .flush_i(flush_i),
    .fetch_i(fetch_i), .fetched_i(fetched_i), .planned_i(planned_i), .plan_i(plan_i), .next_o(next_o)
  );

  logic unused;
  assign unused = &{1'b0, clk_i, rst_i};

endmodule

`default_nettype wire
