// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A register slice in a valid/ready stream, with flops for both sides to see: ohca_skid, or with Light = 1 ohca_hop.
//
// Latency is one cycle, throughput a beat a cycle, Light a beat every second cycle for half the flops and no LUTs. It
// has nothing of its own: what is proved of these two holds of it.

`default_nettype none

module ohca_slice #(
  parameter int unsigned Width = 32,
  parameter bit          Light = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,  // early: a flop
  input  logic [Width-1:0] data_i,

  output logic             valid_o,  // early: a flop
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  if (Light) begin : g_light
    ohca_hop #(.Width(Width)) u_hop (.clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o);
  end else begin : g_full
    ohca_skid #(.Width(Width)) u_skid (.clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o);
  end

endmodule

`default_nettype wire
