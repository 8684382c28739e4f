// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A register slice in a valid/ready stream, with flops for both sides to see: ohca_skid, with Light = 1 ohca_hop, and
// with a Lane as well ohca_hop_words.
//
// Latency is one cycle, throughput a beat a cycle, Light a beat every second cycle for half the flops and no LUTs; with
// a Lane each is the number of words and two cycles. It has nothing of its own: what is proved of these three holds of
// it. ready_o and !valid_o: there is nothing in it, but for what comes in.

`default_nettype none

module ohca_slice #(
  parameter int unsigned Width = 32,
  parameter bit          Light = 1'b0,
  parameter int unsigned Lane  = 0               // with Light: bits of a word; 0: whole beats
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

  if (Light && Lane != 0) begin : g_words
    ohca_hop_words #(.Width(Width), .Lane(Lane)) u_words (.clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o,
        .ready_i, .data_o);
  end else if (Light) begin : g_light
    ohca_hop #(.Width(Width)) u_hop (.clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o);
  end else begin : g_full
    ohca_skid #(.Width(Width)) u_skid (.clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o);
  end

endmodule

`default_nettype wire
