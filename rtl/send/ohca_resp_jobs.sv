// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A memory of the response engine's jobs, one write and one read port, the path packed: of an InfiniBand port's, what
// only Ethernet paths have is left out. Compact: a job lies in two words of half as many block RAMs, whose upper one
// is written, and read, a cycle after the lower one; the memory's inputs are flops.
//
// A job in and one out a cycle, which is there in the cycle after re_i; Compact: one in two cycles, which stays at
// job_i for the cycle after we_i, and is there in the third cycle after re_i. What was read stays until the next re_i.
// It does NOT say what was never written, nor what is read in the cycle in which it is written.
// lint: Compact=1 RoCE=0

`include "ohca_assert.svh"
`default_nettype none

module ohca_resp_jobs #(
  parameter int unsigned Depth   = 512,    // jobs, power of two
  parameter bit          Compact = 1'b0,
  parameter bit          RoCE    = 1'b1,
  localparam int unsigned AddrW  = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic                we_i,
  input  logic [AddrW-1:0]    waddr_i,
  input  ohca_fmt_pkg::rjob_t job_i,

  input  logic                re_i,
  input  logic [AddrW-1:0]    raddr_i,
  output ohca_fmt_pkg::rjob_t job_o
);

  localparam int unsigned AvW   = RoCE ? ohca_fmt_pkg::AV_BITS : ohca_fmt_pkg::AV_IB_BITS;
  localparam int unsigned RestW = ohca_fmt_pkg::RJOB_BITS - 320;   // of a job; the path lies last
  localparam int unsigned Width = RestW + AvW;

  logic [ohca_fmt_pkg::RJOB_BITS-1:0] flat;
  logic [Width-1:0]                   in, out;
  assign flat  = job_i;
  assign in    = {flat[ohca_fmt_pkg::RJOB_BITS-1:320], AvW'(ohca_fmt_pkg::av_pack(job_i.av, RoCE))};
  assign job_o = ohca_fmt_pkg::rjob_t'({out[Width-1:AvW], ohca_fmt_pkg::av_full(320'(out[AvW-1:0]), RoCE)});
  if (Compact) begin : g_two
    localparam int unsigned HalfW = (Width + 1) / 2;
    logic [HalfW-1:0] hi_q, lo_q, rd;
    logic [AddrW-1:0] w1_at_q, w2_at_q, r1_at_q, r2_at_q;
    logic             w1_q, w2_q, r1_q, r2_q;
    always_ff @(posedge clk_i) begin
      {w1_q, w2_q, r1_q, r2_q} <= rst_i ? '0 : {we_i, w1_q, re_i, r1_q};
      {w1_at_q, w2_at_q}       <= {waddr_i, w1_at_q};
      {r1_at_q, r2_at_q}       <= {raddr_i, r1_at_q};
      if (w1_q) hi_q <= HalfW'(in[Width-1:HalfW]);
      if (r2_q) lo_q <= rd;
    end
    ohca_ram_sdp #(.Width(HalfW), .Depth(2 * Depth), .OldData(1'b0)) u_jobs (
      .clk_i(clk_i), .wr_en_i(w1_q || w2_q), .wr_be_i(1'b1), .wr_addr_i(w2_q ? {w2_at_q, 1'b1} : {w1_at_q, 1'b0}),
      .wr_data_i(w2_q ? hi_q : in[HalfW-1:0]),
      .rd_en_i(r1_q || r2_q), .rd_addr_i(r2_q ? {r2_at_q, 1'b1} : {r1_at_q, 1'b0}), .rd_data_o(rd)
    );
    assign out = Width'({rd, lo_q});
    `ASSERT(OneInTwo_A, !(w1_q && w2_q) && !(r1_q && r2_q))
  end else begin : g_one
    ohca_ram_sdp #(.Width(Width), .Depth(Depth), .OldData(1'b0)) u_jobs (
      .clk_i(clk_i), .wr_en_i(we_i), .wr_be_i(1'b1), .wr_addr_i(waddr_i), .wr_data_i(in),
      .rd_en_i(re_i), .rd_addr_i(raddr_i), .rd_data_o(out)
    );
    logic unused_rst;
    assign unused_rst = rst_i;
  end

  logic unused;
  assign unused = &{1'b0, job_i, flat};

endmodule

`default_nettype wire
