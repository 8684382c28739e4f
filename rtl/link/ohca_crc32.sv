// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The CRC-32 of IBA's ICRC (and of the Ethernet FCS): ohca_crc_stream with its polynomial.
//
// One beat each cycle; crc_valid_o comes 2 cycles after the last beat up to 64 bits, 3 above. seed_i is all ones, or
// 32'hdebb20e3 for a RoCEv2 stream that starts at the IP header (it stands for the eight bytes of ones in place of an
// LRH). Masking is ohca_icrc_mask's work.

`default_nettype none

module ohca_crc32 #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Granule   = 4,
  parameter bit          Ones      = 1'b0,     // keep_i is all ones in all beats but the last
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 valid_i,
  input  logic [DataWidth-1:0] data_i,
  input  logic [Bytes-1:0]     keep_i,
  input  logic                 last_i,
  input  logic [31:0]          seed_i,       // 32'hffffffff, or 32'hdebb20e3 after eight bytes of ones
  output logic                 crc_valid_o,
  output logic [31:0]          crc_o,        // [7:0] is the first byte on the wire
  output logic                 ok_o
);

  ohca_crc_stream #(
    .DataWidth(DataWidth), .CrcWidth(32), .Poly(32'hedb88320), .Residue(32'hdebb20e3), .Granule(Granule), .Ones(Ones)
  ) u_crc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .data_i(data_i), .keep_i(keep_i), .last_i(last_i), .seed_i(seed_i),
    .crc_valid_o(crc_valid_o), .crc_o(crc_o), .ok_o(ok_o)
  );

endmodule

`default_nettype wire
