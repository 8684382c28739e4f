// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Simple dual-port memory, one write port and one registered read port: the only inferred RAM of the project.
//
// A read answers one cycle after rd_en_i and holds until the next rd_en_i; one read and one write per cycle. A read of
// the address that is written in the same cycle returns the OLD content, or with OldData = 0 anything at all
// (simulation: the complement), which saves about 1.5 LUT and 2 flops per bit on parts whose RAM cannot do it (ECP5).
// Nothing is cleared, neither by reset nor at start.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ram_sdp #(
  parameter int unsigned Width   = 32,
  parameter int unsigned Depth   = 64,       // any number of words from 2
  parameter int unsigned BeWidth = Width,    // bits that one write enable covers; Width = no byte enables
  parameter bit          OldData = 1'b1,
  localparam int unsigned NumBe  = Width / BeWidth,
  localparam int unsigned AddrW  = $clog2(Depth)
) (
  input  logic             clk_i,

  input  logic             wr_en_i,
  input  logic [NumBe-1:0] wr_be_i,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [Width-1:0] wr_data_i,

  input  logic             rd_en_i,
  input  logic [AddrW-1:0] rd_addr_i,
  output logic [Width-1:0] rd_data_o
);

  if (Depth < 2) begin : g_bad_depth
    $error("ohca_ram_sdp: Depth must be at least 2");
  end
  if (NumBe * BeWidth != Width) begin : g_bad_be
    $error("ohca_ram_sdp: BeWidth must divide Width");
  end

  if (OldData) begin : g_old
    logic [Width-1:0] mem [Depth];

    if (NumBe == 1) begin : g_word
      always_ff @(posedge clk_i) begin
        if (wr_en_i && wr_be_i[0]) mem[wr_addr_i] <= wr_data_i;
      end
    end else begin : g_bytes
      always_ff @(posedge clk_i) begin
        for (int unsigned i = 0; i < NumBe; i++) begin
          if (wr_en_i && wr_be_i[i]) mem[wr_addr_i][i*BeWidth +: BeWidth] <= wr_data_i[i*BeWidth +: BeWidth];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rd_en_i) rd_data_o <= mem[rd_addr_i];
    end
  end else begin : g_any
    (* no_rw_check *) logic [Width-1:0] mem [Depth];

    if (NumBe == 1) begin : g_word
      always_ff @(posedge clk_i) begin
        if (wr_en_i && wr_be_i[0]) mem[wr_addr_i] <= wr_data_i;
      end
    end else begin : g_bytes
      always_ff @(posedge clk_i) begin
        for (int unsigned i = 0; i < NumBe; i++) begin
          if (wr_en_i && wr_be_i[i]) mem[wr_addr_i][i*BeWidth +: BeWidth] <= wr_data_i[i*BeWidth +: BeWidth];
        end
      end
    end

    always_ff @(posedge clk_i) begin
`ifdef VERILATOR
      // Whoever relies on a collision is found out.
      if (rd_en_i) rd_data_o <= (wr_en_i && (|wr_be_i) && wr_addr_i == rd_addr_i) ? ~mem[rd_addr_i] : mem[rd_addr_i];
`else
      if (rd_en_i) rd_data_o <= mem[rd_addr_i];
`endif
    end
  end

endmodule

`default_nettype wire
