// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_time with the clock's name of the other blocks, for its test.
`default_nettype none

module ohca_time_top (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      skip_i,
  input  logic [63:0]               skip_cycles_i,
  output logic [63:0]               now_o,
  input  ohca_fmt_pkg::timer_note_t ra_i,
  input  ohca_fmt_pkg::timer_note_t cq_i,
  input  logic                      link_valid_i,
  input  logic [63:0]               link_i,
  input  logic                      nic_valid_i,
  input  logic [63:0]               nic_i,
  input  logic [63:0]               wake_i,
  output logic [63:0]               next_o,
  output logic                      ra_due_o,
  output logic                      cq_due_o,
  output logic                      link_due_o,
  output logic                      nic_due_o
);

  ohca_time u_time (
    .clk_on_i(clk_i), .rst_i, .skip_i, .skip_cycles_i, .now_o, .ra_i, .cq_i, .link_valid_i, .link_i, .nic_valid_i,
    .nic_i, .wake_i, .next_o, .ra_due_o, .cq_due_o, .link_due_o, .nic_due_o
  );

endmodule

`default_nettype wire
