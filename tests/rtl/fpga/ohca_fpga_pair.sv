// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// For the test: ohca_fpga_ser and ohca_fpga_des pin to pin, with Delay flops on the way in each direction.

`default_nettype none

module ohca_fpga_pair #(
  parameter int unsigned Width = 20,
  parameter int unsigned Pins  = 8,
  parameter bit          Delay = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic            pv, pr, pv_q, pr_q;
  logic [Pins-1:0] pd, pd_q;

  ohca_fpga_ser #(.Width(Width), .Pins(Pins)) u_ser (
    .clk_i, .rst_i, .valid_i, .ready_o, .data_i, .pin_valid_o(pv), .pin_ready_i(Delay ? pr_q : pr), .pin_data_o(pd)
  );
  ohca_fpga_des #(.Width(Width), .Pins(Pins)) u_des (
    .clk_i, .rst_i, .pin_valid_i(Delay ? pv_q : pv), .pin_ready_o(pr), .pin_data_i(Delay ? pd_q : pd), .valid_o, .ready_i, .data_o
  );
  always_ff @(posedge clk_i) begin
    pv_q <= pv && !rst_i;
    pr_q <= pr;
    pd_q <= pd;
  end

endmodule

`default_nettype wire
