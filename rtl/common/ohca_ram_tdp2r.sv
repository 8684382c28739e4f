// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Memory with one write port and two registered read ports, made of two copies of ohca_ram_sdp.
//
// Each read answers one cycle after its enable; one write and two reads per cycle. Reads of the address being written
// return the OLD content. It does NOT save memory: the content is stored twice.

`default_nettype none

module ohca_ram_tdp2r #(
  parameter int unsigned Width   = 32,
  parameter int unsigned Depth   = 64,
  parameter int unsigned BeWidth = Width,
  parameter bit          OldData = 1'b1,     // as in ohca_ram_sdp
  localparam int unsigned NumBe  = Width / BeWidth,
  localparam int unsigned AddrW  = $clog2(Depth)
) (
  input  logic             clk_i,

  input  logic             wr_en_i,
  input  logic [NumBe-1:0] wr_be_i,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [Width-1:0] wr_data_i,

  input  logic             rd0_en_i,
  input  logic [AddrW-1:0] rd0_addr_i,
  output logic [Width-1:0] rd0_data_o,

  input  logic             rd1_en_i,
  input  logic [AddrW-1:0] rd1_addr_i,
  output logic [Width-1:0] rd1_data_o
);

  ohca_ram_sdp #(
    .Width(Width), .Depth(Depth), .BeWidth(BeWidth), .OldData(OldData)
  ) u_ram0 (
    .clk_i(clk_i), .wr_en_i(wr_en_i), .wr_be_i(wr_be_i), .wr_addr_i(wr_addr_i), .wr_data_i(wr_data_i),
    .rd_en_i(rd0_en_i), .rd_addr_i(rd0_addr_i), .rd_data_o(rd0_data_o)
  );

  ohca_ram_sdp #(
    .Width(Width), .Depth(Depth), .BeWidth(BeWidth), .OldData(OldData)
  ) u_ram1 (
    .clk_i(clk_i), .wr_en_i(wr_en_i), .wr_be_i(wr_be_i), .wr_addr_i(wr_addr_i), .wr_data_i(wr_data_i),
    .rd_en_i(rd1_en_i), .rd_addr_i(rd1_addr_i), .rd_data_o(rd1_data_o)
  );

endmodule

`default_nettype wire
