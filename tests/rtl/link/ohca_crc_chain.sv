// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Test top: mask, ICRC, then VCRC (InfiniBand only), as a transmitter chains them.
// Latency is twice that of ohca_crc_append; one beat each cycle.

`default_nettype none

module ohca_crc_chain #(
  parameter int unsigned DataWidth = 64,
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic [1:0]           mode_i,
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [DataWidth-1:0] data_i,
  input  logic [Bytes-1:0]     keep_i,
  input  logic                 last_i,
  input  logic                 poison_i,
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [Bytes-1:0]     keep_o,
  output logic                 last_o,
  output logic                 poison_o
);

  logic [DataWidth-1:0] masked, data;
  logic [31:0]          seed;
  logic [Bytes-1:0]     keep;
  logic                 valid, ready, last, poison, eth;
  ohca_icrc_mask #(.DataWidth(DataWidth)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(mode_i), .fire_i(valid_i && ready_o), .last_i(last_i), .data_i(data_i), .data_o(masked), .seed_o(seed)
  );
  ohca_crc_append #(.DataWidth(DataWidth), .UserWidth(2)) u_icrc (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(valid_i), .ready_o(ready_o), .data_i(data_i), .crc_data_i(masked), .keep_i(keep_i), .last_i(last_i),
    .poison_i(poison_i), .bypass_i(1'b0), .user_i({mode_i != 2'd0, poison_i}), .seed_i(seed),
    .valid_o(valid), .ready_i(ready), .data_o(data), .keep_o(keep), .last_o(last), .user_o({eth, poison})
  );
  ohca_crc_append #(.DataWidth(DataWidth), .CrcWidth(16), .Poly(16'hd008)) u_vcrc (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(valid), .ready_o(ready), .data_i(data), .crc_data_i(data), .keep_i(keep), .last_i(last),
    .poison_i(1'b0), .bypass_i(eth), .user_i(poison), .seed_i(16'hffff),
    .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o), .keep_o(keep_o), .last_o(last_o), .user_o(poison_o)
  );

endmodule

`default_nettype wire
