// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Lines of a cache: a memory for each beat of a line, all read at once, a cycle after ren_i; nothing else is a flop.
//
// A fill writes one beat of a line, an accept (we_i) its hot part whole; never both at once. With other_i a hot beat of
// a fill is taken from other_line_i in place of beat_i. What is cold only fills write: so of a line it is right in each
// answer, whatever is accepted meanwhile, where the hot part of an answer is anything if the line is written in the
// cycle of ren_i. It does NOT know which line is whose.

`default_nettype none

module ohca_ctx_lines #(
  parameter int unsigned  DW        = 64,
  parameter int unsigned  LineBytes = 128,
  parameter int unsigned  Lines     = 256,             // power of two
  parameter int unsigned  KeepBits  = 8 * LineBytes,   // the lowest bits; the others read 0
  parameter int unsigned  HotBits   = KeepBits,        // of them: what an accept writes, 0: nothing
  localparam int unsigned Hot1      = (HotBits > 0) ? HotBits : 1,
  localparam int unsigned Beats     = 8 * LineBytes / DW,
  localparam int unsigned CntW      = (Beats > 1) ? $clog2(Beats) : 1,
  localparam int unsigned IdxW      = $clog2(Lines)
) (
  input  logic                      clk_i,

  input  logic [IdxW-1:0]           waddr_i,
  input  logic                      we_i,
  input  logic [Hot1-1:0]           hot_i,
  input  logic                      fill_i,
  input  logic [CntW-1:0]           at_i,              // which beat
  input  logic [DW-1:0]             beat_i,
  input  logic                      other_i,
  input  logic [Hot1-1:0]           other_line_i,

  input  logic                      ren_i,
  input  logic [IdxW-1:0]           raddr_i,
  output logic [8*LineBytes-1:0]    line_o
);

  for (genvar i = 0; i < Beats; i++) begin : g_lane
    localparam int unsigned Left = (KeepBits > i * DW) ? KeepBits - i * DW : 0;
    localparam int unsigned W    = (Left < DW) ? Left : DW;
    if (W == 0) begin : g_none
      assign line_o[DW*i +: DW] = '0;
    end else begin : g_ram
      localparam bit Hot = i * DW < HotBits;
      logic          fill;
      logic [W-1:0]  wd;
      assign fill = fill_i && (Beats == 1 || at_i == CntW'(i));
      if (Hot) begin : g_hot
        assign wd = we_i ? hot_i[DW*i +: W] : other_i ? other_line_i[DW*i +: W] : beat_i[W-1:0];
      end else begin : g_cold
        assign wd = beat_i[W-1:0];
      end
      ohca_ram_sdp #(.Width(W), .Depth(Lines), .OldData(1'b0)) u_lane (
        .clk_i(clk_i), .wr_en_i((Hot && we_i) || fill), .wr_be_i(1'b1), .wr_addr_i(waddr_i), .wr_data_i(wd),
        .rd_en_i(ren_i), .rd_addr_i(raddr_i), .rd_data_o(line_o[DW*i +: W])
      );
      if (W < DW) begin : g_pad
        assign line_o[DW*i + W +: DW - W] = '0;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, we_i, hot_i, at_i, beat_i, other_i, other_line_i};

endmodule

`default_nettype wire
