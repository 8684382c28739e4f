// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Write-back of a cache: the line is copied in one cycle and streamed from the copy, so its place is free at once.
//
// One at a time; request and beats leave independently, a beat a cycle, the first in the cycle after load_i. Outputs
// are flops. It does NOT know when the line is in host memory: ohca_ctx_evict does.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ctx_wb #(
  parameter int unsigned  DW        = 64,
  parameter int unsigned  LineBytes = 128,
  parameter int unsigned  HotBytes  = LineBytes,       // of the line: what is written, its first bytes
  parameter int unsigned  KeepBits  = 8 * HotBytes,    // what is above these bits of them is 0
  localparam int unsigned LineSh    = $clog2(LineBytes)
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      busy_o,

  input  logic                      load_i,         // pulse, not while busy_o
  input  logic [KeepBits-1:0]       line_i,
  input  logic [63-LineSh:0]        addr_i,         // in lines
  output logic                      taken_o,        // pulse: the request went

  output logic                      wr_valid_o,
  input  logic                      wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t wr_o,
  output logic                      wr_dat_valid_o,
  input  logic                      wr_dat_ready_i,
  output logic [DW-1:0]             wr_dat_o,
  output logic                      wr_dat_last_o
);

  localparam int unsigned HotBits = 8 * HotBytes;
  localparam int unsigned Beats   = HotBits / DW;
  localparam int unsigned CntW    = (Beats > 1) ? $clog2(Beats) : 1;

  logic                req_q;
  logic [CntW:0]       beats_q;              // to go
  logic [CntW-1:0]     at_q;
  logic [KeepBits-1:0] line_q;
  logic [63-LineSh:0]  addr_q;
  logic [HotBits-1:0] line;

  assign busy_o         = req_q || beats_q != '0;
  assign taken_o        = req_q && wr_ready_i;
  assign wr_valid_o     = req_q;
  assign wr_o.addr      = {addr_q, LineSh'(0)};
  assign wr_o.len       = 13'(HotBytes);
  assign wr_dat_valid_o = beats_q != '0;
  assign wr_dat_last_o  = beats_q == (CntW+1)'(1);
  assign line           = HotBits'(line_q);
  if (Beats == 1) begin : g_one
    assign wr_dat_o = line;
    logic unused;
    assign unused = &{1'b0, at_q};
  end else begin : g_many
    assign wr_dat_o = line[DW*32'(at_q) +: DW];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_q   <= 1'b0;
      beats_q <= '0;
    end else begin
      if (load_i)          req_q <= 1'b1;
      else if (wr_ready_i) req_q <= 1'b0;
      if (load_i)                                beats_q <= (CntW+1)'(Beats);
      else if (wr_dat_valid_o && wr_dat_ready_i) beats_q <= beats_q - (CntW+1)'(1);
    end
    if (load_i) line_q <= line_i;
    if (load_i) addr_q <= addr_i;
    if (load_i) at_q <= '0;
    else if (wr_dat_valid_o && wr_dat_ready_i) at_q <= at_q + CntW'(1);
  end

  `ASSERT(Once_A, !load_i || !busy_o)

endmodule

`default_nettype wire
