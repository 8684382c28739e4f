// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The management core's RAM: a read port and a write port with enables by byte; read data one cycle after the address.
// The address that is read goes to every block RAM and comes late (the core adds to it), so it has a port of its own,
// with no choice in front of it. Nothing is read in the cycle of a write, as the core does one thing at a time: what
// block RAM returns then differs by part, and Yosys would add logic for it. It starts with the firmware image.
//
// In simulation the image is the file of +firmware=FILE ($readmemh, 32-bit words); on an FPGA the macro OHCA_FW_HEX
// names it.

`include "ohca_assert.svh"
`default_nettype none

module ohca_fw_ram #(
  parameter int unsigned Bytes  = 131072,
  localparam int unsigned AddrW = $clog2(Bytes / 4)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             rd_en_i,
  input  logic [AddrW-1:0] rd_addr_i,      // dword address
  input  logic [3:0]       wr_be_i,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [31:0]      wr_data_i,
  output logic [31:0]      rd_data_o
);

  (* no_rw_check *)
  logic [31:0] mem [Bytes/4];

`ifdef VERILATOR
  initial begin
    string file;
    if ($value$plusargs("firmware=%s", file) != 0) $readmemh(file, mem);
  end
`endif
`ifdef OHCA_FW_HEX
  initial $readmemh(`OHCA_FW_HEX, mem);
`endif

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) if (wr_be_i[i]) mem[wr_addr_i][i*8 +: 8] <= wr_data_i[i*8 +: 8];
    if (rd_en_i) rd_data_o <= mem[rd_addr_i];
  end
  `ASSERT(Apart_A, !rd_en_i || wr_be_i == '0)

endmodule

`default_nettype wire
