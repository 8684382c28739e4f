// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The CRC-16 of IBA's VCRC and LPCRC (polynomial 0x100b): ohca_crc_stream with its polynomial and seed.
//
// One beat each cycle; crc_valid_o comes 2 cycles after the last beat up to 64 bits, 3 above. Granule = 2 checks
// packets that end with their VCRC (ok_o), 4 is enough to compute one.

`default_nettype none

module ohca_crc16_vcrc #(
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
  output logic                 crc_valid_o,
  output logic [15:0]          crc_o,        // [7:0] is the first byte on the wire
  output logic                 ok_o
);

  ohca_crc_stream #(
    .DataWidth(DataWidth), .CrcWidth(16), .Poly(16'hd008), .Residue(16'h556f), .Granule(Granule), .Ones(Ones)
  ) u_crc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .data_i(data_i), .keep_i(keep_i), .last_i(last_i),
    .seed_i(16'hffff),
    .crc_valid_o(crc_valid_o), .crc_o(crc_o), .ok_o(ok_o)
  );

endmodule

`default_nettype wire
